//! The store as it is read: `verify` and `anchor`, and what no change of a store gets past.

use crate::support::{House, Said, payload, said};
use serde_json::{Value, json};
use solvi_hook::store::reader::Reader;
use solvi_hook::store::verify;
use std::fs;

const SAMPLE: &str = include_str!("vectors/trace-sample.jsonl");
const HEAD: &str = include_str!("vectors/trace-sample.jsonl.head");
const TIP: &str = "3:82f48e69aee44dc892b019f2faded27663a059f4ba7680bf1f44eb1960acc047";
const STORE: &str = ".solvi/traces/hooks.jsonl";

fn house(store: &str, head: &str) -> House {
    House::new().file(STORE, store).file(&format!("{STORE}.head"), head)
}

#[track_caller]
fn expect(said: &Said, status: i32, lines: &[&str]) {
    assert_eq!(said.status, Some(status), "{said:?}");
    for line in lines {
        assert!(said.stdout.contains(line), "`{line}` is missing in:\n{}", said.stdout);
    }
}

fn intact(store: &[u8], head: &[u8]) -> bool {
    verify::verify(&mut Reader::of(store), Some(head), None).unwrap().is_intact()
}

#[test]
fn no_bit_of_a_store_or_of_its_head_can_be_changed_unseen() {
    assert!(intact(SAMPLE.as_bytes(), HEAD.as_bytes()));
    let flips = |length: usize| (0..length * 8).map(|bit| (bit / 8, 1_u8 << (bit % 8)));
    let half = SAMPLE.len() / 2;
    std::thread::scope(|scope| {
        for range in [0..half, half..SAMPLE.len()] {
            scope.spawn(move || {
                let mut store = SAMPLE.as_bytes().to_owned();
                for (at, bit) in flips(SAMPLE.len()).filter(|(at, _)| range.contains(at)) {
                    store[at] ^= bit;
                    assert!(!intact(&store, HEAD.as_bytes()), "bit {bit:#x} of byte {at}");
                    store[at] ^= bit;
                }
            });
        }
    });
    let mut head = HEAD.as_bytes().to_owned();
    for (at, bit) in flips(HEAD.len()) {
        head[at] ^= bit;
        assert!(!intact(SAMPLE.as_bytes(), &head), "bit {bit:#x} of byte {at} of the head");
        head[at] ^= bit;
    }
}

#[test]
fn a_store_cannot_be_cut_anywhere_unseen() {
    for length in 0..SAMPLE.len() {
        assert!(!intact(&SAMPLE.as_bytes()[..length], HEAD.as_bytes()), "at byte {length}");
    }
}

#[test]
fn the_store_of_the_project_is_verified() {
    let house = house(SAMPLE, HEAD);
    let anchor = format!("{STORE}: 3 records; anchor {TIP}");
    expect(&house.run(&["verify"], ""), 0, &[&anchor, "every record is as it was written"]);
    expect(&house.run(&["anchor"], ""), 0, &[TIP]);
    expect(&house.run(&["traces", "verify"], ""), 0, &[&anchor]);
    let report = house.run(&["verify", STORE, "--json"], "");
    let report: Value = serde_json::from_str(&report.stdout).unwrap();
    assert_eq!((&report["ok"], &report["count"]), (&true.into(), &3.into()));
    assert_eq!(report["head"], serde_json::from_str::<Value>(HEAD).unwrap());
}

#[test]
fn what_the_hook_writes_is_verified() {
    let house = House::new();
    house.write("a.txt", "naïve \u{2028}\u{1}\n");
    house.write("b.py", "key = \"AKIAIOSFODNN7EXAMPLE\"\n");
    expect(&house.run(&["verify"], ""), 0, &["every record is as it was written"]);
    let mut synced = house.command(&["pre-edit"]);
    synced.env("SOLVI_HOOK_SYNC", "1");
    let edit = payload("Write", &json!({"file_path": "c.txt", "content": "x\n"}));
    assert_eq!(said(synced, edit.to_string().as_bytes()).status, Some(0));
    let report = house.run(&["report", "--format", "json"], "");
    let report: Value = serde_json::from_str(&report.stdout).unwrap();
    let slowest = report["slowest"].as_array().unwrap();
    assert_eq!(slowest.len(), 3, "{report}");
    assert!(slowest.iter().all(|slow| slow["ms"].as_f64().unwrap() > 0.0), "{report}");
}

#[test]
fn each_problem_says_where_what_and_what_to_do() {
    let house = house(&SAMPLE.replace("calls eval", "calls oval"), HEAD);
    let said = house.run(&["verify"], "");
    let changed = "line 1 (131822ec50da1284): the record was changed after it was written";
    expect(&said, 1, &[changed, "  next: keep the file as it is now as evidence", "1 problem\n"]);
    let report = house.run(&["verify", "--json"], "");
    assert_eq!(report.status, Some(1));
    let report: Value = serde_json::from_str(&report.stdout).unwrap();
    let problem = &report["problems"][0];
    assert_eq!((&problem["line"], &problem["kind"]), (&1.into(), &"changed".into()));
    assert_eq!(report["problem_count"], 1);
}

#[test]
fn an_anchor_shows_an_end_that_was_cut_with_its_head() {
    let first = SAMPLE.split_inclusive('\n').next().unwrap();
    let hash = "131822ec50da1284dc36d4cce4accbd490d26600f4b3810cca98d16369291ba6";
    let house = house(first, &format!("{{\"count\": 1, \"hash\": \"{hash}\"}}"));
    expect(&house.run(&["verify"], ""), 0, &["every record"]);
    expect(&house.run(&["verify", "--anchor", &format!("1:{hash}")], ""), 0, &["the first 1"]);
    let cut = "the anchor counts 3 records, and there are 1";
    expect(&house.run(&["verify", "--anchor", TIP], ""), 1, &[cut]);
}

#[test]
fn a_store_that_cannot_be_read_is_no_broken_one() {
    let house = House::new();
    for arguments in [
        &["verify"][..],
        &["verify", "."],
        &["verify", "x.sqlite3"],
        &["anchor"],
        &["verify", "--anchor", "3:short"],
    ] {
        let said = house.run(arguments, "");
        assert_eq!((said.status, said.stdout.as_str()), (Some(2), ""), "{said:?}");
    }
}

#[test]
fn an_end_that_is_not_sound_gives_no_anchor() {
    let house = house(SAMPLE.trim_end_matches("}\n"), HEAD);
    let said = house.run(&["anchor"], "");
    assert_eq!(said.status, Some(2));
    assert!(said.stderr.contains("torn"), "{}", said.stderr);
}

#[cfg(unix)]
mod notes {
    use super::*;
    use crate::shims::Yard;

    fn yard() -> Yard {
        let yard = Yard::new();
        fs::create_dir_all(yard.house.root().join(".solvi/traces")).unwrap();
        put(&yard, SAMPLE, HEAD);
        yard.git(&["commit", "-q", "--allow-empty", "-m", "one"]);
        yard
    }

    fn put(yard: &Yard, store: &str, head: &str) {
        fs::write(yard.house.root().join(STORE), store).unwrap();
        fs::write(yard.house.root().join(format!("{STORE}.head")), head).unwrap();
    }

    #[test]
    fn a_note_on_an_earlier_commit_shows_the_cut_and_is_not_replaced() {
        let yard = yard();
        let none = yard.run(&["verify", "--anchor", "git-note"]);
        assert_eq!(none.status, Some(2));
        assert!(none.stderr.contains("no anchor is kept"), "{}", none.stderr);
        expect(&yard.run(&["anchor", "--git-note"]), 0, &[TIP]);
        yard.git(&["commit", "-q", "--allow-empty", "-m", "two"]);
        let sound = "the first 3 are those of the anchor";
        expect(&yard.run(&["verify", "--anchor", "git-note"]), 0, &[sound]);
        put(&yard, "", "{\"count\": 0, \"hash\": \"\"}");
        let cut = "the anchor counts 3 records, and there are 0";
        expect(&yard.run(&["verify", "--anchor", "git-note"]), 1, &[cut]);
        let refused = yard.run(&["anchor", "--git-note"]);
        assert_eq!(refused.status, Some(2));
        assert!(refused.stderr.contains("an earlier anchor"), "{}", refused.stderr);
    }

    #[test]
    fn no_hook_of_the_repository_is_run_for_a_note() {
        let yard = yard();
        yard.stranger("reference-transaction", "touch ran");
        expect(&yard.run(&["anchor", "--git-note"]), 0, &[TIP]);
        assert!(!yard.house.root().join("ran").exists());
        let kept = yard.git(&["notes", "--ref", "refs/notes/solvi-hook", "show", "HEAD"]);
        assert_eq!(kept.stdout.trim(), TIP);
    }

    #[test]
    fn a_note_that_is_no_anchor_is_told() {
        let yard = yard();
        yard.git(&["notes", "--ref", "refs/notes/solvi-hook", "add", "-m", "hello\u{1b}[2K"]);
        let said = yard.run(&["verify", "--anchor", "git-note"]);
        assert_eq!(said.status, Some(2));
        assert!(said.stderr.contains("hello\\u{1b}[2K"), "{}", said.stderr);
    }
}
