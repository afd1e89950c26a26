//! Records are appended to one chain, whatever becomes of the writers before.

#![allow(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::store::chain::record_hash;
use serde_json::{Map, Value};
use std::fs;
use tempfile::TempDir;

const PATIENCE: Duration = Duration::from_secs(20);

fn entry(text: &str) -> Entry {
    let Value::Object(record) = json!({"v": 2, "kind": "ask", "meta": text}) else {
        unreachable!()
    };
    Entry::whole(record)
}

fn store() -> (TempDir, Traces) {
    let folder = tempfile::tempdir().unwrap();
    let traces = Traces::at(folder.path().join("traces/hooks.jsonl"), PATIENCE).unwrap();
    (folder, traces)
}

/// Returns the path of a file beside the store.
fn beside(traces: &Traces, ending: &str) -> PathBuf {
    let mut path = traces.path.clone().into_os_string();
    path.push(ending);
    path.into()
}

/// Reads the records of a store and checks that they are one chain, with its head.
fn chain(traces: &Traces) -> Vec<Map<String, Value>> {
    let text = fs::read(&traces.path).unwrap();
    let lines = text.split(|byte| *byte == b'\n');
    let parsed = lines.filter_map(|line| serde_json::from_slice(line).ok());
    let records: Vec<Map<String, Value>> = parsed.collect();
    let mut tip = Tip::default();
    for record in &records {
        assert_eq!((&record["seq"], &record["prev"]), (&json!(tip.count), &json!(tip.hash)));
        tip = Tip { count: tip.count + 1, hash: record_hash(record) };
        assert_eq!(record["hash"], json!(tip.hash));
        assert!(tip.hash.starts_with(record["id"].as_str().unwrap()));
    }
    let head: Tip = serde_json::from_slice(&fs::read(beside(traces, ".head")).unwrap()).unwrap();
    assert_eq!(head, tip);
    assert!(!beside(traces, ".head.tmp").exists());
    records
}

#[test]
fn records_of_one_call_follow_each_other() {
    let (_folder, traces) = store();
    let mut ids = traces.append(&[entry("a"), entry("b")]).unwrap().ids;
    ids.extend(traces.append(&[entry("c")]).unwrap().ids);
    let records = chain(&traces);
    assert_eq!(
        records.iter().map(|record| &record["id"]).collect::<Vec<_>>(),
        ids.iter().collect::<Vec<_>>()
    );
    assert_eq!(records[2]["meta"], "c");
}

#[test]
fn many_writers_make_one_chain() {
    let (_folder, traces) = store();
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..25 {
                    traces.append(&[entry("x")]).unwrap();
                }
            });
        }
    });
    assert_eq!(chain(&traces).len(), 200);
}

#[test]
fn a_torn_line_is_ended_and_recorded() {
    let (_folder, traces) = store();
    traces.append(&[entry("a")]).unwrap();
    let mut file = File::options().append(true).open(&traces.path).unwrap();
    file.write_all(b"{\"v\": 2, \"ki").unwrap();
    traces.append(&[entry("b")]).unwrap();
    let records = chain(&traces);
    let kinds: Vec<_> = records.iter().map(|record| &record["kind"]).collect();
    assert_eq!(kinds, ["ask", "recovery", "ask"]);
    assert_eq!(records[1]["meta"]["torn"]["bytes"], 12);
    assert_eq!(fs::read_to_string(&traces.path).unwrap().lines().count(), 4);
}

#[test]
fn only_a_half_record_is_recorded_as_an_interrupted_write() {
    let kinds = |end: &[u8], head: bool| {
        let (_folder, traces) = store();
        traces.append(&[entry("a"), entry("b")]).unwrap();
        let text = fs::read(&traces.path).unwrap();
        fs::write(&traces.path, [&text, end].concat()).unwrap();
        if !head {
            fs::remove_file(beside(&traces, ".head")).unwrap();
        }
        traces.append(&[entry("c")]).unwrap();
        let text = fs::read(&traces.path).unwrap();
        String::from_utf8_lossy(&text).matches("\"kind\": \"recovery\"").count()
    };
    // What a power cut leaves may hold anything, and may have been longer than what is read at once.
    let long = [b"{\"v\": 2, \"meta\": \"".to_vec(), vec![b'x'; 200_000]].concat();
    for half in [&b"{"[..], b"\0\0\0", b"{\"v\": 2, \"ki", b"\xff", &long] {
        assert_eq!((kinds(half, true), kinds(half, false)), (1, 1), "{half:?}");
    }
    // A whole object that lacks its line end was not interrupted.
    assert_eq!((kinds(b"{\"v\": 2}", true), kinds(b"{\"v\": 2}", false)), (0, 0));
}

#[test]
fn a_record_that_was_cut_by_hand_is_no_interrupted_write() {
    let (_folder, traces) = store();
    traces.append(&[entry("a"), entry("b")]).unwrap();
    let text = fs::read(&traces.path).unwrap();
    fs::write(&traces.path, &text[..text.len() - 9]).unwrap();
    assert!(matches!(traces.append(&[entry("c")]).unwrap().found, Some(Found::Lost(_))));
    assert!(chain(&traces).iter().all(|record| record["kind"] == "ask"));
    let report = crate::store::verify::store(&traces.path, None).unwrap().unwrap();
    let words: Vec<_> = report.problems.iter().map(|it| it.trouble.word()).collect();
    assert!(words.contains(&"cut") && words.contains(&"unreadable"), "{words:?}");
}

#[test]
fn a_head_that_is_missing_stale_or_garbage_is_written_anew() {
    let (_folder, traces) = store();
    traces.append(&[entry("a")]).unwrap();
    let stale = fs::read(beside(&traces, ".head")).unwrap();
    traces.append(&[entry("b")]).unwrap();
    fs::write(beside(&traces, ".head"), stale).unwrap();
    traces.append(&[entry("c")]).unwrap();
    fs::write(beside(&traces, ".head"), "garbage").unwrap();
    fs::write(beside(&traces, ".head.tmp"), "left behind").unwrap();
    traces.append(&[entry("d")]).unwrap();
    fs::remove_file(beside(&traces, ".head")).unwrap();
    let appended = traces.append(&[entry("e")]).unwrap();
    assert_eq!(appended.found, Some(Found::Unwitnessed));
    assert_eq!(chain(&traces).len(), 5);
    assert_eq!(missing::losses(&traces.path), missing::Losses::default());
}

#[test]
fn a_head_that_counts_more_is_kept_beside_the_store() {
    let (_folder, traces) = store();
    traces.append(&[entry("a")]).unwrap();
    let text = fs::read(&traces.path).unwrap();
    traces.append(&[entry("b")]).unwrap();
    let head: Tip = serde_json::from_slice(&fs::read(beside(&traces, ".head")).unwrap()).unwrap();
    fs::write(&traces.path, text).unwrap();
    let loss = Loss { head, left: 1 };
    let appended = traces.append(&[entry("c")]).unwrap();
    assert_eq!(appended.found, Some(Found::Lost(loss.clone())));
    assert_eq!(traces.append(&[entry("d")]).unwrap().found, None);
    assert_eq!(missing::losses(&traces.path).list, [loss]);
    assert_eq!(chain(&traces).len(), 3);
}

#[test]
fn a_lock_is_not_waited_for_without_end() {
    let (_folder, traces) = store();
    traces.append(&[entry("a")]).unwrap();
    let holder = File::open(&traces.path).unwrap();
    holder.lock().unwrap();
    let hasty = Traces::at(&traces.path, Duration::ZERO).unwrap();
    assert!(matches!(hasty.append(&[entry("b")]), Err(StoreError::Locked { .. })));
    holder.unlock().unwrap();
    assert!(hasty.append(&[entry("b")]).is_ok());
}

#[test]
fn a_folder_in_the_place_of_the_store_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let traces = Traces::at(folder.path(), PATIENCE).unwrap();
    let told = traces.append(&[entry("a")]).unwrap_err().to_string();
    assert!(told.ends_with("must be a file, and is a folder; nothing was written"), "{told}");
}

#[test]
fn the_name_says_the_kind() {
    let place = |named: &str| place(Path::new("/p"), Path::new(named));
    for (named, path, kind) in [
        ("t.jsonl", "/p/t.jsonl", Kind::Lines),
        ("db", "/p/db", Kind::Lines),
        ("a/x.db", "/p/a/x.db", Kind::Database),
        ("x.sqlite3", "/p/x.sqlite3", Kind::Database),
        ("sqlite:x", "/p/x", Kind::Database),
        ("sqlite:///x.jsonl", "/x.jsonl", Kind::Database),
    ] {
        assert_eq!(place(named).unwrap(), (path.into(), kind), "{named}");
    }
    for store in ["postgresql://h/d", "https://x.db", "x.duckdb"] {
        assert!(matches!(place(store), Err(StoreError::Database { .. })), "{store}");
    }
}

#[cfg(unix)]
#[test]
fn only_the_owner_may_read() {
    use std::os::unix::fs::PermissionsExt;

    let (_folder, traces) = store();
    traces.append(&[entry("a")]).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&traces.path), 0o600);
    assert_eq!(mode(&beside(&traces, ".head")), 0o600);
    assert_eq!(mode(traces.path.parent().unwrap()), 0o700);
}

#[cfg(target_os = "linux")]
#[test]
fn a_store_where_nothing_can_be_written_is_told() {
    // Even root may make no folder there.
    let traces = Traces::at("/proc/self/traces/hooks.jsonl", PATIENCE).unwrap();
    let told = traces.append(&[entry("a")]).unwrap_err().to_string();
    assert!(told.starts_with("cannot make the folder /proc/self/traces: "), "{told}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_device_is_no_store() {
    let traces = Traces::at("/dev/null", PATIENCE).unwrap();
    assert!(matches!(traces.append(&[entry("a")]), Err(StoreError::Occupied { .. })));
}

#[cfg(target_os = "linux")]
#[test]
fn a_head_that_is_no_file_is_not_read() {
    let (_folder, traces) = store();
    traces.append(&[entry("a")]).unwrap();
    let head = beside(&traces, ".head");
    let kept = fs::read(&head).unwrap();
    fs::remove_file(&head).unwrap();
    std::os::unix::fs::symlink("/dev/zero", &head).unwrap();
    assert!(traces.append(&[entry("b")]).is_err_and(|error| error.is_tampering()));
    fs::remove_file(&head).unwrap();
    fs::write(&head, kept).unwrap();
    traces.append(&[entry("b")]).unwrap();
    assert_eq!(chain(&traces).len(), 2);
}

#[test]
fn no_text_is_carried_from_a_file_that_somebody_else_wrote() {
    let (_folder, traces) = store();
    traces.append(&[entry("a")]).unwrap();
    let text = "$(touch ran)";
    for head in [
        format!(r#"{{"count": 9, "hash": "{text}"}}"#),
        format!(r#"{{"count": 18446744073709551615, "hash": "{}"}}"#, "0".repeat(64)),
        format!(r#"{{"count": 9, "hash": "{}"}}"#, "A".repeat(64)),
        text.to_owned(),
    ] {
        fs::write(beside(&traces, ".head"), &head).unwrap();
        assert_eq!(traces.append(&[entry("b")]).unwrap().found, Some(Found::Forged), "{head}");
    }
    let line = format!(r#"{{"seq": 5, "hash": "{text}", "id": "x"}}"#);
    let mut file = File::options().append(true).open(&traces.path).unwrap();
    file.write_all(format!("{line}\n").as_bytes()).unwrap();
    traces.append(&[entry("c")]).unwrap();
    let text_of = |ending| fs::read_to_string(beside(&traces, ending)).unwrap_or_default();
    let last = fs::read_to_string(&traces.path).unwrap();
    assert!(!last.lines().last().unwrap().contains(text));
    assert!(!text_of(".head").contains(text) && !text_of(".missing").contains(text));
    let report = crate::store::verify::store(&traces.path, None).unwrap().unwrap();
    let words: Vec<_> = report.problems.iter().map(|it| it.trouble.word()).collect();
    // The records of these tests are no whole decisions.
    let words: Vec<_> = words.into_iter().filter(|word| *word != "response").collect();
    assert_eq!(words, ["unchained"]);
}

#[test]
fn losses_are_not_hidden_by_what_stands_before_them() {
    let (_folder, traces) = store();
    traces.append(&[entry("a"), entry("b")]).unwrap();
    let first = fs::read_to_string(&traces.path).unwrap().lines().next().unwrap().to_owned();
    fs::write(beside(&traces, ".missing"), "x".repeat(100_000)).unwrap();
    fs::write(&traces.path, first + "\n").unwrap();
    traces.append(&[entry("c")]).unwrap();
    let missing::Losses { list, wrong } = missing::losses(&traces.path);
    assert_eq!((list.len(), wrong.is_some()), (1, true));
}
