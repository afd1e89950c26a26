//! Stores that lost something, and stores that are large.

use super::{denied, deny, house, ids, report, store, wrong};
use crate::support::House;
use std::fs;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

const MISSING: &str = "records are missing at the end of the store";
const UNWITNESSED: &str = "the store had no head file that can be read";
const FORGED: &str = "the head file held what solvi-hook never writes";

fn head(house: &House) -> PathBuf {
    store(house).with_extension("jsonl.head")
}

fn of_records(count: usize) -> House {
    let house = house();
    for _ in 0..count {
        deny(&house);
    }
    house
}

#[test]
fn a_store_that_lost_its_half_goes_on_and_never_forgets() {
    let house = of_records(4);
    let whole = fs::read(store(&house)).unwrap();
    let line = whole.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    for half in [whole.len() / 2, line * 2, 0] {
        fs::write(store(&house), &whole[..half]).unwrap();
        let _ = fs::remove_file(store(&house).with_extension("jsonl.missing"));
        fs::write(head(&house), format!("{{\"count\": 4, \"hash\": \"{}\"}}", "0".repeat(64)))
            .unwrap();
        deny(&house).expect("deny", &["(recorded as ", MISSING, "counts 4", "solvi-hook verify"]);
        let next = deny(&house);
        assert!(!next.reason().contains(MISSING), "it is told once: {}", next.reason());
        assert!(wrong(&house).contains(&"cut"), "{:?}", report(&house).problems);
        let verified = house.run(&["verify"], "");
        assert_eq!(verified.status, Some(1));
        assert!(verified.stdout.contains("a head file counted 4 records"), "{}", verified.stdout);
        let doctor = house.run(&["doctor"], "");
        let told = doctor.stdout.contains("a head file counted 4 records");
        // Of several problems it tells the first, which may be the line that was cut through.
        assert!(told || doctor.stdout.contains("the line is no record"), "{}", doctor.stdout);
        assert_eq!(house.run(&["anchor"], "").status, Some(2));
    }
}

#[test]
fn an_edit_that_is_allowed_tells_of_the_loss_too() {
    let house = of_records(2);
    fs::write(store(&house), "").unwrap();
    let said = house.write("a.txt", "fine\n");
    assert_eq!(said.verdict(), "allow");
    assert!(said.stdout.contains(MISSING), "{said:?}");
}

#[test]
fn a_loss_that_was_made_good_is_no_problem_any_more() {
    let house = of_records(2);
    let whole = fs::read(store(&house)).unwrap();
    let line = whole.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    fs::write(store(&house), &whole[..line]).unwrap();
    deny(&house).expect("deny", &[MISSING]);
    assert_eq!(wrong(&house), ["cut"]);
    fs::write(store(&house), &whole).unwrap();
    deny(&house);
    assert_eq!(ids(&house).len(), 3);
    // The head that the store in between had is now the one that is not here.
    fs::remove_file(store(&house).with_extension("jsonl.missing")).unwrap();
    assert_eq!(wrong(&house), [""; 0]);
}

#[test]
fn a_head_that_is_missing_or_garbage_is_told_and_a_stale_one_is_healed() {
    let house = of_records(1);
    let stale = fs::read(head(&house)).unwrap();
    deny(&house);
    fs::write(head(&house), stale).unwrap();
    assert_eq!(wrong(&house), ["head"]);
    let said = deny(&house);
    assert!(!said.reason().contains("store"), "{}", said.reason());
    for damage in [None, Some("garbage"), Some(""), Some("{\"count\": \"3\"}")] {
        match damage {
            None => fs::remove_file(head(&house)).unwrap(),
            Some(text) => fs::write(head(&house), text).unwrap(),
        }
        assert_eq!(wrong(&house), ["head"], "{damage:?}");
        let told = if damage.is_none_or(str::is_empty) { UNWITNESSED } else { FORGED };
        deny(&house).expect("deny", &["(recorded as ", told]);
        assert_eq!(wrong(&house), [""; 0], "{damage:?}");
    }
    assert_eq!(ids(&house).len(), 7);
}

/// What a process read, in bytes.
#[cfg(target_os = "linux")]
fn bytes_read(house: &House) -> u64 {
    use std::io::Read;
    use std::process::Stdio;

    fs::write(house.root().join("payload"), denied("")).unwrap();
    let mut hook = house.command(&["pre-edit"]);
    hook.stdin(fs::File::open(house.root().join("payload")).unwrap()).stdout(Stdio::piped());
    let mut hook = hook.spawn().unwrap();
    let mut reply = String::new();
    hook.stdout.take().unwrap().read_to_string(&mut reply).unwrap();
    assert!(reply.contains("(recorded as "), "{reply}");
    assert!(!reply.contains("missing"), "{reply}");
    // Its output is closed, so it is over; what it did is kept until it is waited for.
    let done = fs::read_to_string(format!("/proc/{}/io", hook.id())).unwrap();
    hook.wait().unwrap();
    let read = done.lines().find_map(|line| line.strip_prefix("rchar: ")).unwrap();
    read.parse().unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn appending_to_a_large_store_reads_no_more_than_to_a_small_one() {
    let (small, large) = (of_records(1), of_records(1));
    let record = fs::read(store(&large)).unwrap();
    // 200 MB that are one line of zeros, and then the record that the head names.
    let length = 200_000_000;
    let file = fs::File::options().write(true).open(store(&large)).unwrap();
    file.set_len(0).unwrap();
    file.write_all_at(b"\n", length).unwrap();
    file.write_all_at(&record, length + 1).unwrap();
    let (few, many) = (bytes_read(&small), bytes_read(&large));
    println!("an append read {few} bytes beside a small store, {many} beside one of 200 MB");
    assert!(many < few + 500_000, "{few} and {many} bytes");
    assert!(fs::metadata(store(&large)).unwrap().len() > length);
}
