//! Records are appended to one chain, whatever becomes of the writers before.

#![allow(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::store::chain::record_hash;
use serde_json::{Map, Value};
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

/// Reads the records of a store and checks that they are one chain, with its head.
fn chain(traces: &Traces) -> Vec<Map<String, Value>> {
    let text = fs::read_to_string(&traces.path).unwrap();
    let parsed = text.split('\n').filter_map(|line| serde_json::from_str(line).ok());
    let records: Vec<Map<String, Value>> = parsed.collect();
    let mut tip = Tip::default();
    for record in &records {
        assert_eq!((&record["seq"], &record["prev"]), (&json!(tip.count), &json!(tip.hash)));
        tip = Tip { count: tip.count + 1, hash: record_hash(record) };
        assert_eq!(record["hash"], json!(tip.hash));
        assert!(tip.hash.starts_with(record["id"].as_str().unwrap()));
    }
    let head: Tip = serde_json::from_slice(&fs::read(traces.beside(".head")).unwrap()).unwrap();
    assert_eq!(head, tip);
    assert!(!traces.beside(".head.tmp").exists());
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
fn a_torn_line_is_ended_and_left() {
    let (_folder, traces) = store();
    traces.append(&[entry("a")]).unwrap();
    let mut file = File::options().append(true).open(&traces.path).unwrap();
    file.write_all(b"{\"v\": 2, \"ki").unwrap();
    traces.append(&[entry("b")]).unwrap();
    assert_eq!(chain(&traces).len(), 2);
    assert_eq!(fs::read_to_string(&traces.path).unwrap().lines().count(), 3);
}

#[test]
fn a_head_that_is_missing_stale_or_garbage_is_written_anew() {
    let (_folder, traces) = store();
    traces.append(&[entry("a")]).unwrap();
    let stale = fs::read(traces.beside(".head")).unwrap();
    traces.append(&[entry("b")]).unwrap();
    fs::write(traces.beside(".head"), stale).unwrap();
    traces.append(&[entry("c")]).unwrap();
    fs::write(traces.beside(".head"), "garbage").unwrap();
    fs::write(traces.beside(".head.tmp"), "left behind").unwrap();
    traces.append(&[entry("d")]).unwrap();
    fs::remove_file(traces.beside(".head")).unwrap();
    let appended = traces.append(&[entry("e")]).unwrap();
    assert_eq!(appended.found, Some(Found::Unwitnessed));
    assert_eq!(chain(&traces).len(), 5);
    assert_eq!(missing::losses(&traces.path), []);
}

#[test]
fn a_head_that_counts_more_is_kept_beside_the_store() {
    let (_folder, traces) = store();
    traces.append(&[entry("a")]).unwrap();
    let text = fs::read(&traces.path).unwrap();
    traces.append(&[entry("b")]).unwrap();
    let head: Tip = serde_json::from_slice(&fs::read(traces.beside(".head")).unwrap()).unwrap();
    fs::write(&traces.path, text).unwrap();
    let loss = Loss { head, left: 1 };
    let appended = traces.append(&[entry("c")]).unwrap();
    assert_eq!(appended.found, Some(Found::Lost(loss.clone())));
    assert_eq!(traces.append(&[entry("d")]).unwrap().found, None);
    assert_eq!(missing::losses(&traces.path), [loss]);
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
    assert_eq!(mode(&traces.beside(".head")), 0o600);
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
    fs::remove_file(traces.beside(".head")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", traces.beside(".head")).unwrap();
    traces.append(&[entry("b")]).unwrap();
    assert_eq!(chain(&traces).len(), 2);
}
