//! Records and databases that were changed by hand.

use crate::support::House;
use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

const STORE: &str = ".solvi/traces/hooks.jsonl";

/// A project in which some edits were recorded.
fn house() -> House {
    let house = House::new();
    for name in ["a.txt", "b.txt", "c.txt"] {
        assert_eq!(house.write(name, "fine \u{e9} / \u{2028}\n").verdict(), "allow");
    }
    assert_eq!(verified(&house), (Some(0), String::new()));
    house
}

fn store(house: &House, ending: &str) -> PathBuf {
    house.root().join(format!("{STORE}{ending}"))
}

/// Returns the exit status of `verify`, and the kinds of what it found.
fn verified(house: &House) -> (Option<i32>, String) {
    let said = house.run(&["verify", "--json"], "");
    let report: Value = serde_json::from_str(&said.stdout).unwrap();
    let problems = report["problems"].as_array().unwrap().iter();
    let kinds: Vec<&str> = problems.map(|it| it["kind"].as_str().unwrap()).collect();
    (said.status, kinds.join(" "))
}

#[test]
fn another_spelling_of_a_record_is_told() {
    let house = house();
    let text = fs::read_to_string(store(&house, "")).unwrap();
    let line = text.lines().nth(1).unwrap();
    let record: Value = serde_json::from_str(line).unwrap();
    let compact = record.to_string();
    let field = |name: &str| record[name].as_str().unwrap().to_owned();
    let upper = |name: &str| line.replacen(&field(name), &field(name).to_uppercase(), 2);
    let with = |more: &str| format!("{}, {more}}}", line.strip_suffix('}').unwrap());
    let time = record["time"].to_string();
    let changes = [
        compact,
        upper("id"),
        upper("hash"),
        upper("prev"),
        line.replacen("\"seq\": 1", "\"seq\": 1.0", 1),
        line.replacen("\"seq\": 1", "\"seq\": 1e0", 1),
        line.replacen("\"seq\": 1", "\"seq\": \"1\"", 1),
        line.replacen("\"v\": 2", "\"v\": 2.0", 1),
        line.replacen("\"v\": 2", "\"v\": \"2\"", 1),
        line.replace(&time, &format!("{time}0")),
        line.replace(&time, &format!("{time}e0")),
        line.replace('\u{e9}', "\\u00e9"),
        line.replace('\u{e9}', "e\u{301}"),
        line.replace(" / ", " \\/ "),
        line.replacen("\"answers\"", "\"\\u0061nswers\"", 1),
        line.replacen('{', "{\"v\": 2, ", 1),
        with("\"redacted\": null"),
        with("\"redacted\": false"),
        with("\"redacted\": {}"),
        with("\"redacted\": \"\""),
        with("\"redacted\": []"),
        with("\"redacted\": 0"),
        with("\"extra\": null"),
        with("\"note\": \"\""),
        format!(" {line}"),
        format!("{line} "),
        format!("{line}\t"),
        format!("{line}\r"),
        format!("{line}\n"),
        format!("\u{feff}{line}"),
        format!("{line}\0"),
    ];
    for changed in changes {
        assert_ne!(changed, line);
        fs::write(store(&house, ""), text.replacen(line, &changed, 1)).unwrap();
        let (status, kinds) = verified(&house);
        assert!(status == Some(1) && !kinds.is_empty(), "{changed}");
    }
}

#[test]
fn a_hash_that_is_none_is_no_record_and_goes_nowhere() {
    for hash in ["", "x", "$(touch ran)", "ABCDEF", "\\u001b[2J"] {
        let house = house();
        let text = fs::read_to_string(store(&house, "")).unwrap();
        let text = format!("{text}{{\"v\": 2, \"seq\": 3, \"hash\": \"{hash}\", \"id\": \"\"}}\n");
        fs::write(store(&house, ""), &text).unwrap();
        house.write("d.txt", "fine\n");
        assert_eq!(verified(&house).1, "unchained", "{hash}");
        let after = fs::read_to_string(store(&house, "")).unwrap();
        let last: Value = serde_json::from_str(after.lines().last().unwrap()).unwrap();
        let third: Value = serde_json::from_str(after.lines().nth(2).unwrap()).unwrap();
        assert_eq!((&last["prev"], &last["seq"]), (&third["hash"], &Value::from(3)), "{hash}");
    }
}

#[test]
fn losses_do_not_hide_behind_what_was_put_before_them() {
    for padding in ["x".repeat(70_000), "\n".repeat(70_000), "\0".repeat(70_000), "{".to_owned()] {
        let house = house();
        let text = fs::read_to_string(store(&house, "")).unwrap();
        let first = text.lines().next().unwrap();
        fs::write(store(&house, ".missing"), &padding).unwrap();
        fs::write(store(&house, ""), format!("{first}\n")).unwrap();
        let said = house.write("d.txt", "fine\n");
        assert!(said.stdout.contains("records are missing"), "{said:?}");
        let said = house.run(&["verify"], "");
        assert!(said.stdout.contains("a head file counted 3 records"), "{said:?}");
        let told = said.stdout.contains("`.missing` beside the store cannot be trusted");
        assert!(told || padding.trim().is_empty(), "{said:?}");
        assert_eq!(house.run(&["anchor"], "").status, Some(2));
    }
    // A file that holds nothing but padding is told, and so is one that is too large to be read.
    let house = house();
    fs::write(store(&house, ".missing"), "nothing\n").unwrap();
    assert_eq!(verified(&house), (Some(1), "cut".to_owned()));
    let file = fs::File::create(store(&house, ".missing")).unwrap();
    file.set_len(40 << 20).unwrap();
    assert_eq!(verified(&house), (Some(1), "cut".to_owned()));
}

#[test]
fn an_object_with_another_content_than_its_name_says_is_refused() {
    let yard =
        House::new().rules("[[rule]]\nid = \"r\"\npaths = [\"*.txt\"]\nforbid = [\"BANNED\"]\n");
    let yard = yard.file("a.txt", "BANNED\n").file("b.txt", "fine\n");
    let git = |args: &[&str]| {
        let mut git = Command::new("git");
        git.args(args).current_dir(yard.root()).env("HOME", yard.home());
        let output = git.env("GIT_CONFIG_NOSYSTEM", "1").output().unwrap();
        assert!(output.status.success(), "{args:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    fs::remove_dir_all(yard.root().join(".git")).unwrap();
    git(&["init", "-q"]);
    git(&["add", "a.txt", "b.txt", "solvi-rules.toml"]);
    let object = |name: &str| {
        let id = git(&["rev-parse", &format!(":{name}")]);
        yard.root().join(".git/objects").join(&id[..2]).join(&id[2..])
    };
    let check = || yard.run(&["check-staged", "--no-store"], "");
    assert_eq!(check().status, Some(1));
    let (bad, good) = (object("a.txt"), object("b.txt"));
    let kept = fs::read(&bad).unwrap();
    fs::remove_file(&bad).unwrap();
    fs::copy(&good, &bad).unwrap();
    let said = check();
    assert_eq!(said.status, Some(2), "it could not be checked: {said:?}");
    let told = format!("{}{}", said.stdout, said.stderr);
    assert!(
        told.contains("not checked: a.txt: ") && told.contains("not what its id says"),
        "{told}"
    );
    fs::remove_file(&bad).unwrap();
    fs::write(&bad, kept).unwrap();
    assert_eq!(check().status, Some(1));
}
