//! What the checks leave behind: one chain, out of git's sight, without secrets.

use super::desk::Desk;
use crate::support::payload;
use serde_json::{Value, json};
use std::fs;
use std::process::Stdio;

const RULES: &str = r#"
[[rule]]
id = "no-token"
paths = ["**"]
forbid = ["BANNED[_]WORD"]
[[rule]]
id = "secret"
paths = ["**"]
forbid = ["key_[0-9a-z]+"]
redact = true
"#;

#[test]
fn hooks_with_long_records_make_one_chain() {
    let desk = Desk::judged_by(RULES, &[]);
    let text = format!("BANNED_WORD {}\n", "k".repeat(200_000));
    let payload = payload("Write", &json!({"file_path": "a.py", "content": text}));
    let file = desk.beside("payload");
    fs::write(&file, payload.to_string()).unwrap();
    let start = |_| {
        let mut command = desk.command(&["pre-edit"]);
        command.stdin(fs::File::open(&file).unwrap()).stdout(Stdio::piped()).spawn().unwrap()
    };
    let hooks: Vec<_> = (0..8).map(start).collect();
    for hook in hooks {
        let said = hook.wait_with_output().unwrap();
        let reply: Value = serde_json::from_slice(&said.stdout).unwrap();
        assert_eq!(reply["hookSpecificOutput"]["permissionDecision"], "deny");
        let reason = reply["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap();
        assert!(reason.contains("(recorded as "), "{reason}");
    }
    let store = fs::read_to_string(desk.root.join(".solvi/traces/hooks.jsonl")).unwrap();
    let (mut prev, mut count) = (String::new(), 0);
    for line in store.lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        assert_eq!((&record["seq"], &record["prev"]), (&json!(count), &json!(prev)));
        record["hash"].as_str().unwrap().clone_into(&mut prev);
        count += 1;
    }
    assert_eq!(count, 8);
}

#[test]
fn traces_are_never_committed() {
    let desk = Desk::judged_by(RULES, &[]);
    desk.proposes("a.py", "BANNED_WORD\n").expect("deny", &["recorded as"]);
    desk.write("a.py", "BANNED_WORD\n").stage();
    assert_eq!(desk.run(&["check-staged"], "").status, Some(1));
    assert!(desk.root.join(".solvi/traces/hooks.jsonl").exists());
    desk.stage();
    assert_eq!(desk.word(&["status", "--short"]), "A  a.py");
    let linked = desk.beside("linked");
    desk.git(&["worktree", "add", "-q", "-b", "side", linked.to_str().unwrap()]);
    let desk = Desk(desk.0.at(linked));
    desk.proposes("b.py", "BANNED_WORD\n").expect("deny", &["recorded as"]);
    assert!(desk.root.join(".solvi/traces/hooks.jsonl").exists());
    assert_eq!(desk.word(&["status", "--short"]), "");
}

#[test]
fn a_store_that_is_staged_by_force_gets_no_further_record() {
    let desk = Desk::judged_by(RULES, &[]);
    let linked = desk.beside("linked");
    desk.git(&["worktree", "add", "-q", "-b", "side", linked.to_str().unwrap()]);
    let store = ".solvi/traces/hooks.jsonl";
    let tracked = format!("git tracks {store}");
    let lines = |desk: &Desk| fs::read_to_string(desk.root.join(store)).unwrap().lines().count();
    let check = |desk: &Desk| {
        for _ in 0..2 {
            desk.proposes("a.py", "BANNED_WORD\n").expect("deny", &["recorded as"]);
        }
        desk.git(&["add", "-f", store]);
        for _ in 0..2 {
            desk.proposes("a.py", "BANNED_WORD\n").expect("deny", &["not recorded", &tracked]);
        }
        assert_eq!(lines(desk), 2);
        desk.git(&["rm", "-r", "-q", "--cached", ".solvi"]);
        desk.proposes("a.py", "BANNED_WORD\n").expect("deny", &["recorded as"]);
        assert_eq!(lines(desk), 3);
    };
    check(&desk);
    check(&Desk(desk.0.at(linked)));
}

#[test]
fn a_secret_is_in_no_report_and_no_record() {
    let desk = Desk::judged_by(RULES, &[]);
    let text = "k=\"key_s3cr3tvalue\" BANNED_WORD\n";
    let mut said = vec![desk.proposes("a.py", text)];
    said[0].expect("deny", &["secret: ", "no-token: "]);
    desk.write("a.py", text).stage();
    for format in
        ["text", "json", "jsonl", "github", "gitlab", "sarif", "junit", "markdown", "rdjson"]
    {
        said.push(desk.run(&["check-staged", "--format", format], ""));
        said.push(desk.run(&["check-diff", "--format", format], ""));
    }
    let store = fs::read_to_string(desk.root.join(".solvi/traces/hooks.jsonl")).unwrap();
    assert!(store.lines().count() > 9, "{store}");
    for text in said.iter().flat_map(|said| [&said.stdout, &said.stderr]).chain([&store]) {
        assert!(!text.contains("s3cr3t"), "{text}");
    }
}

#[test]
fn what_is_said_about_the_store_does_not_stand_in_a_report() {
    let desk = Desk::judged_by(RULES, &[]);
    fs::write(desk.root.join(".solvi"), "in the way").unwrap();
    desk.write("a.py", "BANNED_WORD\n").stage();
    let said = desk.run(&["check-staged", "--format", "json"], "");
    assert_eq!(said.status, Some(1), "{said:?}");
    assert!(serde_json::from_str::<serde_json::Value>(&said.stdout).is_ok(), "{said:?}");
    assert!(said.stderr.contains("note: this decision is not recorded: "), "{said:?}");
}

#[test]
fn of_very_many_files_the_first_are_recorded_and_the_rest_is_counted() {
    let desk = Desk::judged_by(RULES, &[]);
    let files = 520;
    for at in 0..files {
        // In the order of their names.
        desk.write(format!("{at:03}.py"), if at % 2 == 0 { "BANNED_WORD\n" } else { "key_0a\n" });
    }
    desk.stage();
    assert_eq!(desk.run(&["check-staged"], "").status, Some(1));
    let store = || fs::read_to_string(desk.root.join(".solvi/traces/hooks.jsonl")).unwrap();
    let last = || -> Value { serde_json::from_str(store().lines().last().unwrap()).unwrap() };
    // A record that redacts is two.
    let decisions = store().matches("\"kind\": \"ask\"").count();
    assert_eq!(decisions, 501, "500 files, and what sums up");
    let first = last()["meta"]["solvi_hook"].clone();
    assert_eq!((&first["files"], &first["rest"]["files"]), (&json!(files), &json!(20)));
    assert_eq!(first["rest"]["verdicts"], json!({"deny": 20}));
    assert_eq!(first["rest"]["rules"], json!({"no-token": {"deny": 10}, "secret": {"deny": 10}}));
    assert!(!store().contains("key_0a"));
    assert_eq!(desk.run(&["verify"], "").status, Some(0));
    let report = desk.run(&["report"], "").stdout;
    assert!(report.contains("than a check records one by one: 20 left out"), "{report}");
    // The digest is that of what was found.
    desk.run(&["check-staged"], "");
    assert_eq!(last()["meta"]["solvi_hook"]["rest"], first["rest"]);
    desk.write("518.py", "BANNED_WORD and more\n").stage();
    desk.run(&["check-staged"], "");
    assert_ne!(last()["meta"]["solvi_hook"]["rest"]["sha256"], first["rest"]["sha256"]);
}

#[test]
fn of_very_many_lines_the_first_are_recorded_and_the_rest_is_counted() {
    let desk = Desk::judged_by(RULES, &[]);
    let text = |last: &str| "BANNED_WORD\n".repeat(3000) + last;
    let value = |last: &str| {
        desk.proposes("a.py", &text(last)).expect("deny", &["and 2996 more"]);
        let store = fs::read_to_string(desk.root.join(".solvi/traces/hooks.jsonl")).unwrap();
        let record: Value = serde_json::from_str(store.lines().last().unwrap()).unwrap();
        let steps = record["response"]["trace"]["records"].as_array().unwrap().clone();
        let found = steps.into_iter().find(|step| step["name"] == "no_token_lines").unwrap();
        found["value"].as_array().unwrap().clone()
    };
    let one = value("BANNED_WORD one\n");
    assert_eq!((one.len(), &one[499]), (501, &json!([500, "BANNED_WORD", "forbidden pattern"])));
    let rest = one[500][2].as_str().unwrap();
    assert!(rest.starts_with("and 2501 more, SHA-256 "), "{rest}");
    assert_ne!(value("BANNED_WORD two\n")[500], one[500]);
    // It is decided once more from the record alone.
    let audit = desk.run(&["audit"], "");
    assert_eq!(audit.status, Some(0), "{}", audit.stdout);
    assert_eq!(desk.run(&["verify"], "").status, Some(0));
}

#[test]
fn an_edit_of_very_many_files_is_recorded_with_the_strictest_first() {
    let desk = Desk::judged_by(RULES, &[]);
    let file = |at: usize| {
        let text = if at == 519 { "BANNED_WORD" } else { "fine" };
        format!("*** Add File: {at}.py\n+{text}\n")
    };
    let files: String = (0..520).map(file).collect();
    let patch = format!("*** Begin Patch\n{files}*** End Patch");
    let payload = payload("apply_patch", &json!({"command": patch}));
    let said = desk.run(&["hook", "--agent", "codex"], payload.to_string());
    assert!(said.stdout.contains(" and 491 more in "), "{said:?}");
    let store = fs::read_to_string(desk.root.join(".solvi/traces/hooks.jsonl")).unwrap();
    let records: Vec<Value> =
        store.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((records.len(), &records[0]["meta"]["path"]), (501, &json!("519.py")));
    let rest = &records[500]["meta"]["solvi_hook"]["rest"];
    assert_eq!((&rest["files"], &rest["rules"]), (&json!(20), &json!({})));
    assert_eq!(desk.run(&["verify"], "").status, Some(0));
}
