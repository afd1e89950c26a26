//! A store in `SQLite` keeps and tells what one in lines does.

#![allow(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::store::last::last;
use crate::store::traces::Traces;
use crate::store::verify;
use serde_json::Value;
use std::fs;
use std::thread;

fn at(time: f64) -> Entry {
    let Value::Object(record) = json!({"v": 2, "kind": "note", "time": time}) else {
        unreachable!()
    };
    Entry::whole(record)
}

#[test]
fn a_time_is_found_by_index_from_either_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.db");
    let traces = Traces::at(&path, Duration::from_secs(20)).unwrap();
    traces.append(&[1.0, 3.0, 2.0, 4.0, 5.0].map(at)).unwrap();
    let times = |since, until, newest_first| -> Vec<f64> {
        let (mut rows, ..) = Rows::open(&path).unwrap();
        rows.within(since, until).unwrap();
        let rows = if newest_first { rows.newest_first() } else { rows };
        let lines = io::read_to_string(rows).unwrap();
        let records = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        records.map(|record| record["time"].as_f64().unwrap()).collect()
    };
    assert_eq!(times(Some(3.0), Some(4.0), false), [3.0, 2.0, 4.0], "no clock goes only on");
    assert_eq!(times(Some(4.0), None, true), [5.0, 4.0]);
    assert_eq!(times(None, Some(1.5), false), [1.0]);
    assert!(times(Some(9.0), None, false).is_empty());
    assert!(times(None, Some(0.5), true).is_empty());
}

fn entry(text: &str) -> Entry {
    let record = json!({
        "v": 2, "kind": "note", "time": 1.5, "meta": text, "answers": {"edit": ["deny", 1.0, "ok"]},
    });
    Entry::whole(record.as_object().unwrap().clone())
}

fn store() -> (tempfile::TempDir, Traces) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("traces/hooks.db");
    (folder, Traces::at(path, Duration::from_secs(20)).unwrap())
}

fn wrong(traces: &Traces) -> Vec<&'static str> {
    let report = verify::store(traces.path(), None).unwrap().unwrap();
    report.problems.iter().map(|problem| problem.trouble.word()).collect()
}

#[test]
fn a_database_holds_the_chain_that_a_file_of_lines_holds() {
    let (folder, traces) = store();
    let lines = Traces::at(folder.path().join("t.jsonl"), Duration::from_secs(9)).unwrap();
    let entries = [entry("a"), entry("naïve \u{2028}"), entry(&"k".repeat(300_000))];
    let ids = traces.append(&entries).unwrap();
    assert_eq!(ids, lines.append(&entries).unwrap());
    traces.append(&[entry("b")]).unwrap();
    lines.append(&[entry("b")]).unwrap();
    assert_eq!(wrong(&traces), [""; 0]);
    let (mut rows, _, _) = Rows::open(traces.path()).unwrap();
    let mut text = String::new();
    rows.read_to_string(&mut text).unwrap();
    assert_eq!(text, fs::read_to_string(lines.path()).unwrap());
    assert_eq!(last(traces.path()).unwrap(), last(lines.path()).unwrap());
    let found = by_id(traces.path(), &ids.ids[1]).unwrap().unwrap();
    assert!(String::from_utf8(found).unwrap().contains("naïve"));
    assert_eq!(by_id(traces.path(), "zz").unwrap(), None);
}

#[test]
fn many_writers_make_one_chain() {
    let (_folder, traces) = store();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..10).for_each(|_| drop(traces.append(&[entry("x")]).unwrap())));
        }
    });
    let report = verify::store(traces.path(), None).unwrap().unwrap();
    assert_eq!((report.tip.count, report.count), (40, 0));
}

#[test]
fn what_was_changed_or_deleted_by_hand_shows() {
    let (_folder, traces) = store();
    traces.append(&[entry("a"), entry("b"), entry("c")]).unwrap();
    let hand = Connection::open(traces.path()).unwrap();
    hand.execute("UPDATE records SET body = replace(body, '\"b\"', '\"x\"')", []).unwrap();
    assert_eq!(wrong(&traces), ["changed"]);
    hand.execute("DELETE FROM records WHERE seq > 0", []).unwrap();
    assert_eq!(wrong(&traces), ["cut", "column"], "answers of no record");
    hand.execute("DELETE FROM answers WHERE seq > 0", []).unwrap();
    assert_eq!(wrong(&traces), ["cut"]);
    drop(hand);
    let found = traces.append(&[entry("d")]).unwrap().found;
    assert!(matches!(found, Some(Found::Lost(Loss { left: 1, .. }))), "{found:?}");
    assert_eq!(wrong(&traces), ["cut"]);
}

#[test]
fn a_locked_database_is_not_waited_for_without_end() {
    let (_folder, traces) = store();
    traces.append(&[entry("a")]).unwrap();
    let mut holder = Connection::open(traces.path()).unwrap();
    let hold = holder.transaction_with_behavior(TransactionBehavior::Immediate).unwrap();
    let hasty = Traces::at(traces.path(), Duration::ZERO).unwrap();
    assert!(matches!(hasty.append(&[entry("b")]), Err(StoreError::Locked { .. })));
    drop(hold);
    assert!(hasty.append(&[entry("b")]).is_ok());
}

#[cfg(unix)]
#[test]
fn only_the_owner_may_read() {
    use std::os::unix::fs::PermissionsExt;

    let (_folder, traces) = store();
    traces.append(&[entry("a")]).unwrap();
    let mode = fs::metadata(traces.path()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_file_of_lines_is_no_database_and_the_other_way_round() {
    let (folder, traces) = store();
    traces.append(&[entry("a")]).unwrap();
    let other = folder.path().join("t.jsonl");
    fs::copy(traces.path(), &other).unwrap();
    let lines = Traces::at(&other, Duration::from_secs(9)).unwrap();
    assert!(matches!(lines.append(&[entry("b")]), Err(StoreError::Kind { .. })));
    assert_eq!(fs::read(&other).unwrap(), fs::read(traces.path()).unwrap());
    fs::write(traces.path(), "{}\n").unwrap();
    assert!(traces.append(&[entry("b")]).is_err());
    assert_eq!(fs::read_to_string(traces.path()).unwrap(), "{}\n");
}

#[test]
fn every_column_is_held_against_the_record() {
    for (change, place) in [
        ("UPDATE records SET \"time\" = 9 WHERE seq = 1", "records.time"),
        ("UPDATE records SET \"time\" = 'x' WHERE seq = 1", "records.time"),
        ("UPDATE records SET id = 'x' WHERE seq = 1", "records.id"),
        ("UPDATE records SET kind = 'ask' WHERE seq = 1", "records.kind"),
        ("UPDATE records SET catalog = 'x' WHERE seq = 1", "records.catalog"),
        ("UPDATE records SET init_hash = '' WHERE seq = 1", "records.init_hash"),
        ("UPDATE records SET prev = 'x' WHERE seq = 1", "records.prev"),
        ("UPDATE records SET hash = 'x' WHERE seq = 1", "records.hash"),
        ("UPDATE answers SET answer = '\"allow\"' WHERE seq = 1", "answers"),
        ("UPDATE answers SET guard = 'x' WHERE seq = 1", "answers"),
        ("DELETE FROM answers WHERE seq = 1", "answers"),
        ("INSERT INTO answers SELECT * FROM answers WHERE seq = 1", "answers"),
        ("INSERT INTO models(seq, fp) VALUES (1, 'x')", "models"),
        ("INSERT INTO safeguards VALUES (1, 'x', 'y', 'z')", "safeguards"),
        ("INSERT INTO safeguards VALUES (77, 'x', 'y', 'z')", "safeguards.seq"),
    ] {
        let (_folder, traces) = store();
        traces.append(&[entry("a"), entry("b"), entry("c")]).unwrap();
        Connection::open(traces.path()).unwrap().execute(change, []).unwrap();
        let found = columns::verify(traces.path()).unwrap();
        let places: Vec<_> = found.iter().map(|it| it.place.as_str()).collect();
        assert_eq!(places, [place], "{change}");
        assert!(wrong(&traces).contains(&"column"), "{change}");
    }
}

#[test]
fn a_database_with_anything_that_runs_is_refused() {
    for change in [
        "CREATE TRIGGER t AFTER INSERT ON records BEGIN DELETE FROM records; END",
        "CREATE TRIGGER t AFTER INSERT ON meta BEGIN UPDATE records SET body = ''; END",
        "CREATE VIEW v AS SELECT * FROM records",
        "CREATE TABLE other(a)",
        "ALTER TABLE records ADD COLUMN more TEXT",
        "ALTER TABLE records ADD COLUMN more TEXT AS (lower(body))",
        "ALTER TABLE records RENAME TO r; CREATE VIEW records AS SELECT * FROM r",
        "DROP TABLE answers",
        "DROP TABLE models; CREATE VIRTUAL TABLE models USING fts5(seq)",
    ] {
        let (_folder, traces) = store();
        traces.append(&[entry("a")]).unwrap();
        let hand = Connection::open(traces.path()).unwrap();
        if hand.execute_batch(change).is_err() {
            // Not every build of the library has virtual tables.
            assert!(change.contains("VIRTUAL"), "{change}");
            continue;
        }
        drop(hand);
        let before = fs::read(traces.path()).unwrap();
        let refused = traces.append(&[entry("b")]).unwrap_err();
        assert!(matches!(refused, StoreError::Schema { .. }), "{change}: {refused}");
        assert!(Rows::open(traces.path()).is_err(), "{change}");
        assert!(last(traces.path()).is_err(), "{change}");
        assert_eq!(fs::read(traces.path()).unwrap(), before, "{change}");
    }
}

#[cfg(unix)]
#[test]
fn no_link_is_followed_to_a_database_or_beside_it() {
    use std::os::unix::fs::symlink;

    for (name, hard) in [
        ("hooks.db", false),
        ("hooks.db", true),
        ("hooks.db-journal", false),
        ("hooks.db-journal", true),
        ("hooks.db-wal", false),
        ("hooks.db-shm", true),
    ] {
        let (folder, traces) = store();
        if name != "hooks.db" {
            traces.append(&[entry("a")]).unwrap();
        }
        let outside = folder.path().join("outside");
        fs::write(&outside, "\0outside").unwrap();
        let link = traces.path().with_file_name(name);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        if hard { fs::hard_link(&outside, &link) } else { symlink(&outside, &link) }.unwrap();
        let refused = traces.append(&[entry("b")]).unwrap_err();
        assert!(refused.is_tampering(), "{name} {hard}: {refused}");
        assert_eq!(fs::read(&outside).unwrap(), b"\0outside");
    }
}

#[test]
fn a_head_that_no_writer_leaves_is_told() {
    let (_folder, traces) = store();
    traces.append(&[entry("a")]).unwrap();
    let hand = Connection::open(traces.path()).unwrap();
    hand.execute(r#"UPDATE meta SET "value" = '{"count": 9, "hash": "$(id)"}'"#, []).unwrap();
    assert_eq!(traces.append(&[entry("b")]).unwrap().found, Some(Found::Forged));
    assert_eq!(wrong(&traces), [""; 0]);
    hand.execute("UPDATE records SET hash = '$(id)' WHERE seq = 1", []).unwrap();
    assert!(traces.append(&[entry("c")]).is_err());
}
