//! The end of an agent's work: what it leaves in the working tree is held against the rules of a
//! commit, and it is kept from stopping once, never for ever.

use crate::support::House;
use serde_json::{Value, json};
use std::fs;

const RULES: &str = "[[rule]]\nid = \"no-debug\"\npaths = [\"**/*.py\"]\nforbid = ['DEBUG']\n\
    why = \"Never.\"\n[[rule]]\nid = \"asks\"\npaths = [\"**/*.py\"]\nforbid = ['LIMIT']\n\
    why = \"A person decides.\"\non_fail = \"ask\"\n";

/// A payload of each client at the end of its work, the place of its word for "go on", that word,
/// and the place of the reason.
type Row = (&'static str, Value, &'static str, &'static str, &'static str);

fn stops(again: bool) -> [Row; 6] {
    let named = |event: &str| json!({"hook_event_name": event, "session_id": "s", "cwd": "."});
    let put_off = |mut payload: Value| {
        payload["stop_hook_active"] = again.into();
        payload
    };
    let mut claude = named("Stop");
    claude["effort"] = json!({"level": "high"});
    let mut codex = named("Stop");
    codex["turn_id"] = "t".into();
    let pi = json!({"type": "agent_before_settle", "outcome": "completed",
        "stop_hook_active": again});
    [
        ("claude", put_off(claude), "/decision", "block", "/reason"),
        ("codex", put_off(codex), "/decision", "block", "/reason"),
        (
            "copilot",
            put_off(json!({"sessionId": "s", "timestamp": 1, "stopReason": "end_turn"})),
            "/decision",
            "block",
            "/reason",
        ),
        ("gemini", put_off(named("AfterAgent")), "/decision", "deny", "/reason"),
        (
            "pi",
            json!({"client": "pi", "protocol": 1, "session_id": "s", "event": pi}),
            "/verdict",
            "deny",
            "/reason",
        ),
        (
            "cursor",
            json!({"hook_event_name": "stop", "conversation_id": "s", "cursor_version": "1",
                "generation_id": "g", "status": "completed", "loop_count": u8::from(again)}),
            "/followup_message",
            "",
            "/followup_message",
        ),
    ]
}

/// A repository with one commit.
fn house() -> House {
    let house = House::new().rules(RULES).file("a.py", "x = 1\n").file(".gitignore", ".solvi/\n");
    fs::remove_dir_all(house.root().join(".git")).unwrap();
    for args in [
        &["init", "-q", "-b", "main"][..],
        &["add", "-A"],
        &["-c", "user.name=t", "-c", "user.email=t@example.invalid", "commit", "-q", "-m", "m"],
    ] {
        let mut git = std::process::Command::new("git");
        assert!(git.args(args).current_dir(house.root()).status().unwrap().success());
    }
    house
}

fn write(house: &House, path: &str, text: &str) {
    fs::write(house.root().join(path), text).unwrap();
}

fn hook(house: &House, payload: &Value, more: &[&str]) -> Value {
    house.run(&[&["hook"], more].concat(), payload.to_string()).reply()
}

/// Tells whether a reply makes the agent go on.
fn goes_on(reply: &Value, (name, _, place, word, _): &Row) -> bool {
    let said = reply.pointer(place).and_then(Value::as_str);
    if *name == "cursor" { said.is_some() } else { said == Some(word) }
}

#[test]
fn each_agent_goes_on_once_for_what_a_commit_would_refuse() {
    for (row, later) in stops(false).iter().zip(stops(true)) {
        let house = house();
        assert!(!goes_on(&hook(&house, &row.1, &[]), row), "{}: nothing is changed", row.0);
        // As a shell command does it: nobody has judged this edit.
        write(&house, "a.py", "x = 1\nDEBUG\n");
        let reply = hook(&house, &row.1, &[]);
        assert!(goes_on(&reply, row), "{}: {reply}", row.0);
        let reason = reply.pointer(row.4).and_then(Value::as_str).unwrap();
        for piece in ["working tree", "a.py", "no-debug", "line 2: DEBUG"] {
            assert!(reason.contains(piece), "{}: {reason}", row.0);
        }
        let reply = hook(&house, &later.1, &["--no-store"]);
        assert!(!goes_on(&reply, row), "{} was put off before: {reply}", row.0);
    }
}

#[test]
fn the_same_reasons_keep_the_agent_of_a_session_from_stopping_once() {
    let house = house();
    let [mut claude, ..] = stops(false);
    write(&house, "a.py", "DEBUG\n");
    assert!(goes_on(&hook(&house, &claude.1, &[]), &claude));
    // It stands elsewhere in the file now, and is the same.
    write(&house, "a.py", "x = 1\n\nDEBUG\n");
    let reply = hook(&house, &claude.1, &[]);
    assert!(!goes_on(&reply, &claude), "{reply}");
    assert!(reply["systemMessage"].as_str().unwrap().contains("solvi-hook check-diff"), "{reply}");
    write(&house, "b.py", "DEBUG = 2\n");
    assert!(goes_on(&hook(&house, &claude.1, &[]), &claude), "something else");
    claude.1["session_id"] = "another".into();
    assert!(goes_on(&hook(&house, &claude.1, &[]), &claude), "another session");
}

#[test]
fn only_a_plain_no_is_taken_for_the_first_time() {
    let house = house();
    write(&house, "a.py", "DEBUG\n");
    let [claude, ..] = stops(false);
    for active in [json!("false"), json!(0), json!(null), json!(true)] {
        let mut payload = claude.1.clone();
        payload["stop_hook_active"] = active;
        let reply = hook(&house, &payload, &["--no-store"]);
        assert!(!goes_on(&reply, &claude), "{payload}: {reply}");
    }
    let mut payload = claude.1.clone();
    payload.as_object_mut().unwrap().remove("stop_hook_active");
    let reply = hook(&house, &payload, &["--no-store"]);
    assert!(!goes_on(&reply, &claude), "{reply}");
}

#[test]
fn what_asks_what_is_ignored_and_what_is_not_known_keeps_no_agent_from_stopping() {
    let [claude, _, copilot, ..] = stops(false);
    let house = house();
    write(&house, "a.py", "LIMIT = 1\n");
    fs::create_dir(house.root().join(".solvi")).unwrap();
    write(&house, ".solvi/b.py", "DEBUG\n");
    assert_eq!(hook(&house, &claude.1, &[]), Value::Null);
    // The end of a sub-agent's work is not the end of the work.
    write(&house, "a.py", "DEBUG\n");
    let mut ours = copilot.1.clone();
    ours["agentId"] = "sub".into();
    assert_eq!(hook(&house, &ours, &[]), Value::Null);
    let mut ours = claude.1.clone();
    ours["hook_event_name"] = "SubagentStop".into();
    assert_eq!(hook(&house, &ours, &[]), Value::Null);
    // Rules that cannot be read are told to the person.
    write(&house, "solvi-rules.toml", "[[rule]]\nid = 1\n");
    let reply = hook(&house, &claude.1, &[]);
    assert!(!goes_on(&reply, &claude), "{reply}");
    assert!(reply["systemMessage"].as_str().unwrap().contains("not checked"), "{reply}");
    // So is a repository that cannot be read.
    write(&house, ".git/config", "[core\n");
    let reply = hook(&house, &claude.1, &[]);
    assert!(reply["systemMessage"].as_str().unwrap().contains("not checked"), "{reply}");
    // Where there is no repository, nothing is committed.
    fs::remove_dir_all(house.root().join(".git")).unwrap();
    assert_eq!(hook(&house, &claude.1, &[]), Value::Null);
}

#[test]
fn what_is_decided_at_the_end_is_on_record_and_the_store_stays_whole() {
    let house = house();
    let [claude, ..] = stops(false);
    write(&house, "a.py", "DEBUG\n");
    hook(&house, &claude.1, &[]);
    let store = fs::read_to_string(house.root().join(".solvi/traces/hooks.jsonl")).unwrap();
    let records: Vec<Value> =
        store.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let [file, sum] = &records[..] else { panic!("{store}") };
    assert_eq!(file["meta"]["path"], "a.py");
    for record in [file, sum] {
        assert_eq!(record["meta"]["hook"], "stop");
        assert_eq!(record["meta"]["session_id"], "s");
        assert_eq!(record["meta"]["outcome"], "deny");
    }
    let verified = house.run(&["verify"], "");
    assert_eq!(verified.status, Some(0), "{}", verified.stdout);
}

/// Copilot and Cursor show a person nothing at the end that would not make the agent go on.
#[test]
fn a_stop_that_could_not_be_checked_says_so_and_stops_nobody() {
    let house = house();
    write(&house, "a.py", "DEBUG\n");
    for row in stops(false) {
        let mut large = row.1.clone();
        large["padding"] = "x".repeat(17 << 20).into();
        let misled = hook(&house, &row.1, &["--no-such-option"]);
        let large = hook(&house, &large, &["--no-store", "--agent", row.0]);
        for (reply, why) in [(misled, "--no-such-option"), (large, "larger than")] {
            assert!(!goes_on(&reply, &row), "{}: {reply}", row.0);
            let said = reply["systemMessage"].as_str().or(reply["reason"].as_str());
            let says = said.is_some_and(|said| said.contains("not checked") && said.contains(why));
            assert_eq!(says, !["copilot", "cursor"].contains(&row.0), "{}: {reply}", row.0);
        }
    }
}

/// Each kind of store, and whether it is rotated before the second stop.
const STORES: [(&[&str], bool); 3] = [
    (&["--store", "sqlite:.solvi/traces/hooks.db"], false),
    (&["--store", ".solvi/other.jsonl"], false),
    (&[], true),
];

#[test]
fn the_same_reasons_are_known_in_every_kind_of_store_and_after_a_rotation() {
    for (store, rotated) in STORES {
        let house = house();
        let [claude, ..] = stops(false);
        write(&house, "a.py", "DEBUG\n");
        assert!(goes_on(&hook(&house, &claude.1, store), &claude), "{store:?}");
        for _ in 0..2 {
            if rotated {
                assert_eq!(house.run(&["traces", "rotate"], "").status, Some(0));
            }
            let reply = hook(&house, &claude.1, store);
            assert!(!goes_on(&reply, &claude), "{store:?}, {rotated}: {reply}");
        }
        write(&house, "b.py", "DEBUG = 2\n");
        assert!(goes_on(&hook(&house, &claude.1, store), &claude), "{store:?}: something else");
    }
}
