//! Any bytes in the files of a store: a writer goes on or says why not, and what it writes is of its
//! own making. A file that it wrote is read again as what it wrote, however the others look.

#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::{Map, Value};
use solvi_hook::store::chain::{Entry, Tip, is_hash};
use solvi_hook::store::missing;
use solvi_hook::store::rotate::Rotation;
use solvi_hook::store::traces::Traces;
use solvi_hook::store::verify;
use std::fs;
use std::time::Duration;

/// What the names of the files end in; the bytes are divided among them.
const FILES: [&str; 5] = ["", ".head", ".missing", ".retired", ".head.tmp"];

/// What divides them.
const BORDER: u8 = 0xff;

fn record() -> Map<String, Value> {
    let fields = [("v", 2.into()), ("kind", "note".into()), ("time", 1.5.into())];
    fields.into_iter().map(|(key, value): (&str, Value)| (key.to_owned(), value)).collect()
}

fuzz_target!(|data: &[u8]| {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("t.jsonl");
    let beside = |ending: &str| folder.path().join(format!("t.jsonl{ending}"));
    for (ending, bytes) in FILES.iter().zip(data.split(|byte| *byte == BORDER)) {
        fs::write(beside(ending), bytes).expect("a file is written");
    }
    let traces = Traces::at(&path, Duration::from_secs(1)).expect("a file of lines");
    // Whatever is there can be looked at.
    let _ = verify::store(&path, None);
    let Ok(appended) = traces.append(&[Entry::whole(record())]) else { return };
    let head = fs::read(beside(".head")).expect("a head was written");
    let tip: Tip = serde_json::from_slice(&head).expect("the head is one");
    assert!(is_hash(&tip.hash) && tip.hash.starts_with(&appended.ids[0]));
    let text = fs::read(&path).expect("the store is there");
    let last = text.strip_suffix(b"\n").expect("the last line is whole");
    let last = last.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    let last: Map<String, Value> = serde_json::from_slice(last).expect("the last line is a record");
    assert_eq!(last["hash"], tip.hash.as_str());
    let prev = last["prev"].as_str().expect("it names the one before it");
    assert!(prev.is_empty() || is_hash(prev), "no other text is carried on");
    for loss in missing::losses(&path).list {
        assert!(is_hash(&loss.head.hash) || loss.head.count == 0);
    }
    // The next one has nothing to heal.
    let again = traces.append(&[Entry::whole(record())]).expect("it goes on");
    assert_eq!(again.found, None);
    let _ = traces.rotate(&Rotation { larger_than: None, keep: Some(0.0), now: 1e9 });
    let _ = verify::store(&path, None);
});
