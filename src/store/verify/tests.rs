//! Whatever was done to a store, verification tells it, and tells nothing of one that is whole.

#![allow(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::store::canonical::spaced;
use crate::store::chain::{Entry, record_hash};
use serde_json::Map;

const SAMPLE: &str = include_str!("../../../tests/vectors/trace-sample.jsonl");
const HEAD: &str = include_str!("../../../tests/vectors/trace-sample.jsonl.head");
const REFERENCE: &str = include_str!("../../../tests/vectors/trace-reference.jsonl");
const REFERENCE_HEAD: &str = include_str!("../../../tests/vectors/trace-reference.jsonl.head");

fn report(store: &str, head: &str, anchor: Option<&Tip>) -> Report {
    let head = Some(head.as_bytes()).filter(|head| !head.is_empty());
    verify(&mut Reader::of(store.as_bytes()), head, anchor).unwrap()
}

/// Returns the lines and the words of the problems.
fn found(store: &str, head: &str) -> Vec<(u64, &'static str)> {
    let problems = report(store, head, None).problems;
    problems.iter().map(|it| (it.line.unwrap_or(0), it.trouble.word())).collect()
}

/// Returns a chain of small records of a kind that nothing else is asked of, and its head.
fn chain(texts: &[&str]) -> (String, String) {
    let (mut tip, mut lines) = (Tip::default(), String::new());
    for text in texts {
        let record = json!({"v": 2, "kind": "note", "time": 1.5, "meta": text});
        Entry::whole(record.as_object().unwrap().clone()).place(&mut tip, &mut lines);
    }
    (lines, spaced(&json!({"count": tip.count, "hash": tip.hash})))
}

fn lines(store: &str) -> Vec<&str> {
    store.split_inclusive('\n').collect()
}

/// Changes a record of the sample and hashes it anew, so that only its sense is wrong.
fn forged(store: &str, at: usize, change: impl Fn(&mut Map<String, Value>)) -> String {
    let mut lines: Vec<String> = lines(store).into_iter().map(ToOwned::to_owned).collect();
    let mut record: Map<String, Value> = serde_json::from_str(&lines[at]).unwrap();
    change(&mut record);
    let hash = record_hash(&record);
    record.insert("id".to_owned(), hash[..16].into());
    record.insert("hash".to_owned(), hash.into());
    lines[at] = spaced(&record.into()) + "\n";
    lines.concat()
}

#[test]
fn the_samples_are_intact() {
    let intact = report(SAMPLE, HEAD, None);
    assert_eq!((intact.tip.count, &intact.problems[..]), (3, &[][..]));
    assert_eq!(intact.tip, serde_json::from_str(HEAD).unwrap());
    assert_eq!(found(REFERENCE, REFERENCE_HEAD), []);
    assert_eq!(found("", ""), []);
    assert_eq!(found("", r#"{"count": 0, "hash": ""}"#), []);
}

#[test]
fn a_record_that_was_changed_is_named() {
    let changed = SAMPLE.replace("calls eval", "calls oval");
    assert_eq!(found(&changed, HEAD), [(1, "changed")]);
    let changed = SAMPLE.replace("\"time\": 1700000001.5", "\"time\": 1700000001.25");
    assert_eq!(found(&changed, HEAD), [(2, "changed")]);
    let changed = SAMPLE.replace("\"id\": \"82f", "\"id\": \"72f");
    assert_eq!(found(&changed, HEAD), [(3, "id")]);
    let end =
        SAMPLE.replace("{\"v\": 2, \"kind\": \"redaction\"", "{\"v\": [], \"kind\": \"redaction\"");
    assert_eq!(found(&end, HEAD), [(3, "format"), (3, "changed")]);
}

#[test]
fn a_record_that_was_removed_breaks_the_chain_once() {
    let (store, head) = chain(&["a", "b", "c", "d", "e"]);
    let kept = lines(&store);
    let without = [kept[0], kept[2], kept[3], kept[4]].concat();
    let problems = report(&without, &head, None).problems;
    let place = &problems[1];
    assert_eq!((place.line, place.until), (Some(2), Some(4)));
    let said = Trouble::Place { said: "2".to_owned(), at: 1 };
    assert_eq!(place.trouble, said);
    assert_eq!(found(&without, &head), [(2, "link"), (2, "place"), (0, "cut")]);
    let moved = [kept[0], kept[2], kept[1], kept[3], kept[4]].concat();
    let words = found(&moved, &head);
    assert_eq!(words.iter().filter(|(_, word)| *word == "link").count(), 3);
    assert_eq!(words.iter().filter(|(_, word)| *word == "place").count(), 2);
}

#[test]
fn an_end_that_was_cut_shows_by_head_and_by_anchor() {
    let (store, head) = chain(&["a", "b", "c"]);
    let cut = lines(&store)[..2].concat();
    assert_eq!(found(&cut, &head), [(0, "cut")]);
    let whole = report(&store, &head, None).tip;
    let (_, cut_head) = chain(&["a", "b"]);
    assert!(report(&cut, &cut_head, None).is_intact());
    let trouble = |store: &str, head: &str, anchor: &Tip| {
        let problems = report(store, head, Some(anchor)).problems;
        problems.into_iter().map(|it| (it.line, it.trouble)).collect::<Vec<_>>()
    };
    let missing = Trouble::AnchorCut { anchor: 3, count: 2 };
    assert_eq!(trouble(&cut, &cut_head, &whole), [(None, missing)]);
    let (anew, anew_head) = chain(&["a", "B", "c", "d"]);
    assert_eq!(trouble(&anew, &anew_head, &whole), [(Some(3), Trouble::AnchorOther)]);
    let (longer, longer_head) = chain(&["a", "b", "c", "d"]);
    assert_eq!(trouble(&longer, &longer_head, &whole), []);
    assert_eq!(trouble(&longer, &longer_head, &Tip::default()), []);
    assert_eq!(trouble("", "", &whole), [(None, Trouble::AnchorCut { anchor: 3, count: 0 })]);
}

#[test]
fn a_head_that_is_not_what_a_writer_leaves_is_told() {
    let (store, head) = chain(&["a", "b"]);
    assert_eq!(found(&store, ""), [(0, "head")]);
    let (_, stale) = chain(&["a"]);
    let other = head.replace("\"hash\": \"", "\"hash\": \"0").replace("0\"", "\"");
    for wrong in [
        stale.as_str(),
        "garbage",
        "[]",
        "{}",
        "{\"count\": true}",
        &head[1..],
        &format!("{head}\n"),
    ] {
        assert_eq!(found(&store, wrong), [(0, "head")], "{wrong}");
    }
    let problems = report(&store, &other, None).problems;
    assert_eq!((problems[0].line, &problems[0].trouble), (Some(2), &Trouble::OtherEnd));
    assert_eq!(found(&store, &head.replace(": 2", ": 3")), [(0, "cut")]);
    assert_eq!(found("", &head), [(0, "cut")]);
}

#[test]
fn lines_that_are_no_records_are_named_and_the_chain_goes_on() {
    let (store, head) = chain(&["a", "b", "c"]);
    let kept = lines(&store);
    let odd =
        ["old\n", kept[0], "{\"v\": 2, \"ki\n", "{\"x\": 1}\n", "[]\n", kept[1], kept[2], "{\"v"];
    let words =
        [(1, "unreadable"), (3, "unreadable"), (4, "unchained"), (5, "unreadable"), (8, "torn")];
    assert_eq!(found(&odd.concat(), &head), words);
    let legacy = report(&format!("{{\"x\": 1}}\n{{}}\n{store}"), &head, None);
    assert_eq!((legacy.legacy, legacy.is_intact()), (2, true));
}

/// Returns a chain with halves of records in it, each with the record that tells of it, and its
/// head.
fn recovered(halves: &[&str]) -> (String, String) {
    let (mut tip, mut lines) = (Tip::default(), String::new());
    let note = json!({"v": 2, "kind": "note", "time": 1.5}).as_object().unwrap().clone();
    Entry::whole(note.clone()).place(&mut tip, &mut lines);
    for half in halves {
        lines.push_str(half);
        lines.push('\n');
        let record = Torn::of(half.as_bytes()).record(Some(2.5.into()));
        Entry::whole(record).place(&mut tip, &mut lines);
        Entry::whole(note.clone()).place(&mut tip, &mut lines);
    }
    (lines, spaced(&json!({"count": tip.count, "hash": tip.hash})))
}

#[test]
fn an_interrupted_write_with_a_record_of_it_is_no_problem() {
    let (store, head) = recovered(&["{\"v\": 2, \"ki", "\0\0", " "]);
    let report = report(&store, &head, None);
    assert_eq!((&report.problems[..], report.interrupted), (&[][..], 3));
    let lines: Vec<_> = report.recovered.iter().map(|spot| spot.line).collect();
    assert_eq!(lines, [2, 5, 8]);
}

#[test]
fn a_line_is_excused_by_nothing_but_the_record_behind_it() {
    let (store, head) = recovered(&["{\"v\": 2, \"ki"]);
    let [first, half, told, last] = lines(&store).try_into().unwrap();
    let words = |lines: &[&str]| found(&lines.concat(), &head);
    // Another line, none, one more, or one that is not the one before.
    assert_eq!(words(&[first, "{\"v\": 2,\n", told, last]), [(2, "unreadable"), (3, "recovery")]);
    assert_eq!(words(&[first, told, last]), [(2, "recovery")]);
    assert_eq!(words(&[first, half, half, told, last]), [(2, "unreadable")]);
    assert_eq!(words(&[half, first, told, last]), [(1, "unreadable"), (3, "recovery")]);
    // One that no chain holds excuses nothing.
    let forged = "{\"kind\": \"recovery\", \"meta\": {\"torn\": {\"bytes\": 1}}}\n";
    assert_eq!(words(&["x\n", forged]), [(1, "unreadable"), (2, "unchained"), (0, "cut")]);
    let changed = store.replace("\"bytes\": 12", "\"bytes\": 11");
    assert_eq!(found(&changed, &head), [(2, "unreadable"), (3, "recovery"), (3, "changed")]);
}

#[test]
fn a_line_that_is_too_long_is_not_passed_over() {
    let (store, head) = chain(&["a"]);
    let long = format!("{store}{}", "x".repeat(store.len()));
    let mut reader = Reader::of(long.as_bytes()).with_longest(store.len() as u64 - 1);
    let report = verify(&mut reader, Some(head.as_bytes()), None).unwrap();
    assert_eq!(report.problems[0].trouble, Trouble::TooLong);
}

#[test]
fn a_spelling_that_no_writer_leaves_is_told() {
    let (store, head) = chain(&["a", "b"]);
    let other = |from: &str, to: &str| found(&store.replacen(from, to, 1), &head);
    assert_eq!(other("\"v\": 2", "\"v\":2"), [(1, "spelling")]);
    assert_eq!(other("1.5", "1.50"), [(1, "spelling")]);
    assert_eq!(other("\"note\"", "\"\\u006eote\""), [(1, "spelling")]);
    assert_eq!(other("}\n", "}\r\n"), [(1, "spelling")]);
    assert_eq!(other("}\n", "}\n\n"), [(2, "spelling")]);
    assert_eq!(other("\"v\": 2", "\"v\": 1, \"v\": 2"), [(1, "twice")]);
    assert_eq!(found(store.trim_end(), &head), [(2, "spelling")]);
}

#[test]
fn what_was_erased_must_be_told_and_marked() {
    let by = |name: &'static str| {
        move |record: &mut Map<String, Value>| {
            record["redacted"]["by"] = name.into();
        }
    };
    let words = |store: &str| {
        let words = found(store, HEAD).into_iter();
        words
            .filter(|(_, word)| matches!(*word, "announced" | "erased" | "changed"))
            .collect::<Vec<_>>()
    };
    assert_eq!(words(&forged(SAMPLE, 1, by("me"))), [(2, "announced")]);
    assert_eq!(words(&lines(SAMPLE)[..2].concat()), [(2, "announced")]);
    let filled = |record: &mut Map<String, Value>| _ = record.insert("meta".to_owned(), json!({}));
    assert_eq!(words(&forged(SAMPLE, 1, filled)), [(2, "erased")]);
    let bare = |record: &mut Map<String, Value>| record["redacted"] = json!({"by": "x"});
    let bare = forged(SAMPLE, 1, bare);
    assert!(words(&bare).contains(&(2, "erased")));
    let changed = SAMPLE.replace("\"allow\", 1.0", "\"deny\", 1.0");
    let problems = report(&changed, HEAD, None).problems;
    assert_eq!(problems[0].trouble, Trouble::Changed { erased: true });
}

#[test]
fn a_record_that_was_hashed_anew_must_agree_with_itself() {
    let store = forged(SAMPLE, 0, |record| record["init_hash"] = "f059e4df8f0210e3".into());
    assert_eq!(found(&store, HEAD), [(1, "response"), (2, "link")]);
}

#[test]
fn an_older_format_behind_a_newer_is_told() {
    let (store, head) = chain(&["a", "b"]);
    let mut old = json!({"kind": "note", "seq": 0, "prev": ""});
    let hash = crate::store::canonical::digest(&old);
    (old["id"], old["hash"]) = (hash[..16].into(), hash.into());
    let old = spaced(&old) + "\n";
    assert!(found(&(store.clone() + &old), &head).contains(&(3, "format")));
    let problems = report(&(old + &store), "", None).problems;
    let words: Vec<_> = problems.iter().map(|it| it.trouble.word()).collect();
    assert_eq!(words, ["link", "place", "head"]);
}

#[test]
fn problems_without_end_are_counted_and_not_kept() {
    let report = report(&"x\n".repeat(MOST + 5), "", None);
    assert_eq!((report.count, report.problems.len()), (MOST as u64 + 5, MOST));
}
