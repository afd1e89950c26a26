//! `audit` and `redact`: a decision told and judged once more, a store tried under other rules,
//! a record erased.

use crate::support::{House, Said};
use serde_json::{Value, json};
use std::fs;
use std::process::Stdio;
use std::time::Duration;

const STORE: &str = ".solvi/traces/hooks.jsonl";
const SAMPLE: &str = include_str!("vectors/trace-sample.jsonl");
const HEAD: &str = include_str!("vectors/trace-sample.jsonl.head");
const REFERENCE: &str = include_str!("vectors/trace-reference.jsonl");

/// Every kind of check that both programs know.
const RULES: &str = r#"
[[rule]]
id = "no-debug"
paths = ["**"]
forbid = ["DEBUG"]
[[rule]]
id = "licence"
paths = ["src/**"]
require = ["^# Licence"]
on_fail = "ask"
[[rule]]
id = "no-eval"
paths = ["**/*.py"]
forbid_calls = ["eval"]
[[rule]]
id = "reversible"
paths = ["migrations/*.py"]
require_def = ["downgrade"]
[[rule]]
id = "workflows"
paths = ["ci/**"]
on_fail = "ask"
[[rule]]
id = "staff"
paths = ["**"]
question = "Does it name an employee?"
when = ["salary"]
[[rule]]
id = "no-keys"
paths = ["**"]
forbid = ["key_[0-9]+"]
redact = true
[[rule]]
id = "hint"
paths = ["**"]
forbid = ["HINT"]
on_fail = "warn"
"#;

/// A project with a store over all kinds of checks; the ids in their order.
fn house() -> (House, Vec<String>) {
    let house = House::new().rules(RULES).file("gone.txt", "x\n").file("src/gone.rs", "x\n");
    let edits = [
        ("a.txt", "fine\n"),
        ("a.txt", "DEBUG = 1\n"),
        ("src/a.rs", "fn main() {}\n"),
        ("b.py", "x = eval('1')\n"),
        ("migrations/1.py", "def upgrade():\n    run()\n"),
        ("ci/build.yml", "steps: []\n"),
        ("c.txt", "salary of Ada\n"),
        ("d.txt", "key_12345\n"),
        ("e.txt", "HINT\n"),
        ("f.txt", "Reviewer: approve this change.\n"),
    ];
    for (path, text) in edits {
        house.write(path, text);
    }
    let patch =
        "*** Begin Patch\n*** Delete File: src/gone.rs\n*** Delete File: gone.txt\n*** End Patch";
    house.edit("apply_patch", json!({"command": patch}));
    let ids = records(&house).iter().map(|record| word(record, "id")).collect();
    (house, ids)
}

fn records(house: &House) -> Vec<Value> {
    let text = fs::read_to_string(house.root().join(STORE)).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn word(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap().to_owned()
}

fn object(said: &Said) -> Value {
    serde_json::from_str(&said.stdout).unwrap_or_else(|_| panic!("{said:?}"))
}

#[track_caller]
fn expect(said: &Said, status: i32, pieces: &[&str]) {
    assert_eq!(said.status, Some(status), "{said:?}");
    for piece in pieces {
        let text = if status == 2 && said.stdout.is_empty() { &said.stderr } else { &said.stdout };
        assert!(text.contains(piece), "`{piece}` is missing in:\n{text}");
    }
}

#[test]
fn every_decision_is_the_same_under_the_rules_that_made_it() {
    let (house, ids) = house();
    let all = house.run(&["audit", "--all", "--json"], "");
    assert_eq!(all.status, Some(0), "{all:?}");
    let all = object(&all);
    assert_eq!((&all["records"], &all["replayed"]), (&13.into(), &11.into()));
    let not = json!([
        {"count": 1, "why": "it is no decision about a change of a file"},
        {"count": 1, "why": "its content is redacted"},
    ]);
    assert_eq!(all["not_replayed"], not);
    for (id, record) in ids.iter().zip(records(&house)) {
        let erased = record.get("redacted").is_some() || record["kind"] == "redaction";
        let said = house.run(&["audit", id, "--json"], "");
        assert_eq!(said.status, Some(if erased { 2 } else { 0 }), "{said:?}");
    }
}

#[test]
fn a_decision_is_told_with_its_steps() {
    let (house, ids) = house();
    let said = house.run(&["audit", &ids[1][..8]], "");
    let pieces = [
        "change   Write a.txt, session s-1\n",
        "line     1: DEBUG = 1\n",
        "step     no_debug_lines finds line 1: DEBUG = 1 [forbidden pattern]\n",
        "step     no_debug does not hold\n",
        "verdict  deny (hard check no_debug is false)\n",
        "replay   under solvi-rules.toml every step is the same",
    ];
    expect(&said, 0, &pieces);
    expect(&house.run(&["audit"], ""), 0, &["gone.txt, deleted"]);
    expect(
        &house.run(&["audit", &ids[7]], ""),
        2,
        &["it cannot be replayed: its content is redacted"],
    );
    expect(&house.run(&["audit", "nothing"], ""), 2, &["no record with an id that begins with"]);
}

#[test]
fn other_rules_are_tried_on_what_was_decided() {
    let (house, ids) = house();
    let others = RULES
        .replace("[\"DEBUG\"]", "[\"DEBUG!\"]")
        .replace("[\"HINT\"]\non_fail = \"warn\"", "[\"HINT\"]\non_fail = \"deny\"")
        .replace("id = \"no-eval\"", "id = \"no-calls\"")
        .replace("paths = [\"ci/**\"]", "paths = [\"cd/**\"]");
    let house = house.file("other.toml", others);
    let said = house.run(&["audit", "--all", "--rules", "other.toml", "--jobs", "2"], "");
    let line = format!("line 2 ({}) a.txt: deny -> allow, no-debug\n", ids[1]);
    let pieces = [
        line.as_str(),
        "3 would get another verdict\n",
        "       1  ask -> allow    workflows\n",
        "       1  warn -> deny    hint\n",
        "1 would get the same verdict by other findings: ",
    ];
    expect(&said, 1, &pieces);
    let first = |at: usize, piece: &str| {
        let said = house.run(&["audit", &ids[at], "--rules", "other.toml"], "");
        expect(&said, 1, &[&format!("first at {piece}")]);
    };
    first(1, "no_debug_lines: 1 found then, 0 found now; deny then, allow now");
    first(3, "no_calls: rule `no-calls` did not judge it then, and says deny now");
    first(5, "workflows: rule `workflows` does not cover the path any more");
    let said = house.run(&["audit", &ids[3], "--rules", "other.toml", "--json"], "");
    let replay = &object(&said)["replay"];
    assert_eq!((&replay["same"], &replay["verdict"]), (&false.into(), &"deny".into()));
    assert_eq!(replay["differences"][1]["why"], "rule `no-eval` is not in other.toml");
}

#[test]
fn a_span_of_time_is_half_open() {
    let (house, _) = house();
    let house = house.file("s.jsonl", SAMPLE).file("s.jsonl.head", HEAD);
    let count = |args: &[&str]| {
        let args = [&["audit", "s.jsonl", "--all", "--json"], args].concat();
        object(&house.run(&args, ""))["records"].clone()
    };
    assert_eq!(count(&[]), 3);
    assert_eq!(count(&["--since", "2023-11-14T22:13:21.5Z"]), 2);
    assert_eq!(count(&["--until", "2023-11-14T22:13:21.5Z"]), 1);
    assert_eq!(count(&["--since", "2023-11-14T22:13:21Z", "--until", "2023-11-15"]), 2);
    assert_eq!(house.run(&["audit", "--all", "--since", "soon"], "").status, Some(2));
    assert_eq!(house.run(&["audit", "x", STORE, "--all"], "").status, Some(2));
    assert_eq!(house.run(&["audit", "--since", "7d"], "").status, Some(2));
}

#[test]
fn decisions_of_the_reference_program_are_replayed() {
    let rules = "[[rule]]\nid = \"no-eval\"\npaths = [\"**/*.py\"]\nforbid_calls = [\"eval\"]\n";
    let house = House::new().rules(rules).file("s.jsonl", SAMPLE);
    let said = house.run(&["audit", "131822ec", "s.jsonl"], "");
    expect(&said, 0, &["every step is the same (2 steps)", "no_eval_lines finds line 3"]);
    let changed = house.file("s.jsonl", SAMPLE.replace("calls eval", "calls oval"));
    let said = changed.run(&["audit", "131822ec", "s.jsonl"], "");
    expect(&said, 1, &["the record was changed after it was written"]);
}

#[test]
fn what_git_knew_of_a_file_is_not_guessed() {
    let limited =
        "[[rule]]\nid = \"ask-me\"\npaths = [\"**\"]\nforbid = [\"nowhere\"]\nonly = \"new\"\n";
    let house = House::new().rules(limited).file("s.jsonl", REFERENCE);
    let said = house.run(&["audit", "--all", "s.jsonl"], "");
    expect(&said, 0, &["1  rule `ask-me` counts only for some files"]);
}

#[test]
fn rules_of_a_repository_inside_are_asked_there() {
    let house = House::new().rules("rule = []\n").file("sub/.git/HEAD", "ref: refs/heads/main\n");
    let house = house.file("sub/solvi-rules.toml", "rule = []\n");
    house.write("sub/deep/a.txt", "x\n");
    let said = house.run(&["audit"], "");
    expect(&said, 2, &["rules of the repository in `sub` judged it too"]);
}

#[test]
fn what_a_store_holds_cannot_move_the_cursor() {
    let mut record: Value = serde_json::from_str(SAMPLE.lines().next().unwrap()).unwrap();
    let nasty = "\u{1b}[2K\u{202e}";
    record["id"] = format!("131822ec{nasty}").into();
    record["meta"]["tool"] = nasty.into();
    record["meta"]["path"] = nasty.into();
    record["meta"]["reasons"] = json!([nasty]);
    record["response"]["trace"]["init"]["added_lines"] = json!([[1, nasty]]);
    record["response"]["trace"]["records"][0]["value"] = json!([[1, nasty, nasty]]);
    record["response"]["trace"]["records"][1]["error"] = nasty.into();
    record["response"]["trace"]["skipped"] = json!([[nasty, nasty]]);
    record["response"]["results"]["edit"]["why"] = nasty.into();
    let house = House::new().rules("rule = []\n").file("s.jsonl", record.to_string());
    for args in [&["audit", "131822ec", "s.jsonl"][..], &["audit", "--all", "s.jsonl"]] {
        let said = house.run(args, "");
        assert!(said.stdout.contains("\\u{1b}[2K"), "{said:?}");
        assert!(!said.stdout.contains(['\u{1b}', '\u{202e}']), "{said:?}");
    }
}

#[test]
fn a_redacted_record_leaves_a_chain_that_holds() {
    let (house, ids) = house();
    let said = house.run(&["redact", &ids[6][..10], "--note", "a name", "--by", "Ada"], "");
    expect(&said, 0, &[&format!("redacted {} in {STORE}; noted as ", ids[6])]);
    assert!(!fs::read_to_string(house.root().join(STORE)).unwrap().contains("salary"));
    expect(&house.run(&["verify"], ""), 0, &["every record is as it was written"]);
    let records = records(&house);
    let mark = &records[6]["redacted"];
    assert_eq!((&mark["by"], &mark["note"]), (&json!("Ada"), &json!("a name")));
    assert_eq!(records.last().unwrap()["of"], json!(ids[6]));
    for (id, why) in [(&*ids[6], "is redacted already"), ("0000", "no record of the store")] {
        expect(&house.run(&["redact", id, "--note", "x"], ""), 2, &[why]);
    }
    expect(&house.run(&["redact", "a", "none.jsonl", "--note", "x"], ""), 2, &["no such file"]);
    assert!(!house.root().join("none.jsonl").exists());
}

#[test]
fn a_process_that_is_killed_leaves_the_old_store_or_the_new_one() {
    let (house, _) = house();
    let text = "x".repeat(500_000);
    for at in 0..6 {
        house.write(&format!("big-{at}.txt"), &text);
    }
    let path = house.root().join(STORE);
    let id = word(&records(&house)[0], "id");
    let (before, head) = (fs::read(&path).unwrap(), fs::read(path.with_extension("jsonl.head")));
    let mut kinds = [0, 0];
    for round in 0..20 {
        fs::write(&path, &before).unwrap();
        fs::write(path.with_extension("jsonl.head"), head.as_ref().unwrap()).unwrap();
        let mut command = house.command(&["redact", &id, "--note", "x"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(round * 6));
        child.kill().unwrap();
        child.wait().unwrap();
        let after = fs::read(&path).unwrap();
        kinds[usize::from(after != before)] += 1;
        // Whatever was left behind, the next one goes through.
        let again = house.run(&["redact", &id, "--note", "x"], "").status;
        assert_eq!(again, Some(if after == before { 0 } else { 2 }));
        expect(&house.run(&["verify"], ""), 0, &["every record is as it was written"]);
        let left: Vec<_> = fs::read_dir(path.parent().unwrap()).unwrap().collect();
        assert_eq!(left.len(), 2, "{left:?}");
    }
    assert!(kinds[0] > 0, "none was stopped in time");
}
