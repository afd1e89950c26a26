//! Half-written lines: what a stopped writer left is told from what somebody damaged.

use super::{STORE, deny, house, ids, store};
use crate::support::House;
use std::fs::{self, OpenOptions};
use std::io::Write;

const HALF: &str = "{\"v\": 2, \"kind\": \"ask\", \"answers\": {\"ed";

/// Appends the half of a record, as a writer does that is stopped in the middle.
fn interrupt(house: &House) {
    let mut file = OpenOptions::new().append(true).open(store(house)).unwrap();
    file.write_all(HALF.as_bytes()).unwrap();
}

/// Verifies the store; returns the exit status and what was said.
fn verify(house: &House) -> (Option<i32>, String) {
    let said = house.run(&["verify"], "");
    (said.status, said.stdout + &said.stderr)
}

#[track_caller]
fn assert_damaged(house: &House, piece: &str) {
    let (status, said) = verify(house);
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains(piece), "{said}");
}

fn lines(house: &House) -> Vec<String> {
    fs::read_to_string(store(house)).unwrap().lines().map(ToOwned::to_owned).collect()
}

fn write(house: &House, lines: &[String]) {
    fs::write(store(house), lines.join("\n") + "\n").unwrap();
}

#[test]
fn an_interrupted_write_is_told_as_recovered_and_passes() {
    let house = house();
    deny(&house);
    interrupt(&house);
    // Until a writer has ended the line, it is the last one, and could become anything.
    assert_eq!(verify(&house).0, Some(1));
    deny(&house);
    let (status, said) = verify(&house);
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("note: 1 interrupted write, recovered (line 2)\n"), "{said}");
    interrupt(&house);
    deny(&house);
    let (status, said) = verify(&house);
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("2 interrupted writes, recovered (line 2; line 5)\n"), "{said}");
    assert_eq!(ids(&house).len(), 5);
    let json: serde_json::Value =
        serde_json::from_str(&house.run(&["verify", "--json"], "").stdout).unwrap();
    assert_eq!((&json["ok"], &json["interrupted"]), (&true.into(), &2.into()));
    assert_eq!(json["recovered"][1]["line"], 5);
}

#[test]
fn what_was_recovered_is_no_unreadable_line_elsewhere() {
    let house = house();
    deny(&house);
    interrupt(&house);
    deny(&house);
    for args in [&["report"][..], &["query"], &["query", "--last"], &["audit", "--all"]] {
        let said = house.run(args, "");
        assert_eq!(said.status, Some(0), "{said:?}");
        assert!(!format!("{said:?}").contains("cannot be read"), "{args:?}: {said:?}");
    }
    assert!(house.run(&["report"], "").stdout.contains("2 decisions"));
    // A line that was damaged is one.
    let mut damaged = lines(&house);
    damaged.insert(1, HALF.to_owned());
    write(&house, &damaged);
    for args in [&["report"][..], &["query"], &["query", "--last"], &["audit", "--all"]] {
        let said = house.run(args, "");
        assert!(format!("{said:?}").contains("cannot be read"), "{args:?}: {said:?}");
    }
}

#[test]
fn every_other_broken_line_is_damage() {
    let fresh = || {
        let house = house();
        deny(&house);
        interrupt(&house);
        deny(&house);
        (lines(&house), house)
    };
    // A record cut in the middle.
    let (mut cut, house) = fresh();
    cut[0].truncate(100);
    write(&house, &cut);
    assert_damaged(&house, "line 1: the line is no record");
    // A half line with no record of it.
    let (mut added, house) = fresh();
    added.insert(1, HALF.to_owned());
    write(&house, &added);
    assert_damaged(&house, "line 2: the line is no record");
    // The half line of an interrupted write, changed.
    let (mut changed, house) = fresh();
    changed[1].push('x');
    write(&house, &changed);
    assert_damaged(&house, "the line before it is not what that left");
    // And removed.
    let (mut removed, house) = fresh();
    removed.remove(1);
    write(&house, &removed);
    assert_damaged(&house, "the line before it is not what that left");
}

#[test]
fn a_last_record_that_was_cut_by_hand_stays_damage() {
    let house = house();
    deny(&house);
    deny(&house);
    let text = fs::read(store(&house)).unwrap();
    fs::write(store(&house), &text[..text.len() - 40]).unwrap();
    deny(&house);
    assert_damaged(&house, "line 2: the line is no record");
    assert_damaged(&house, "a head file counted 2 records");
}

#[test]
fn a_store_without_records_cannot_be_verified() {
    let house = house();
    for text in ["", "{\"x\": 1}\n"] {
        fs::create_dir_all(store(&house).parent().unwrap()).unwrap();
        fs::write(store(&house), text).unwrap();
        let (status, said) = verify(&house);
        assert_eq!(status, Some(2), "{said}");
        assert!(said.contains(&format!("the store `{STORE}` holds no records")), "{said}");
    }
}
