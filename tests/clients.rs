//! Payloads recorded from clients beside the replies that they get: `NAME.json` and
//! `NAME.reply.json` (none: silence). `SNAPSHOTS=overwrite cargo test` renews the replies.

use crate::support::House;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// Every edit among the recorded payloads breaks one of these.
const RULES: &str = r#"
[[rule]]
id = "recorded-text"
paths = ["**"]
forbid = ['return 2', 'x = 1']
why = "These lines stand in the recorded edits."
instead = "leave them out"
"#;

fn house() -> House {
    House::new().rules(RULES).file("a.py", "def f():\n    return 1\n")
}

/// Holds every payload of a client against its reply, as its hook would be called.
fn golden(client: &str, wrap: fn(&str, &Value) -> Value, least: usize) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/payloads").join(client);
    let overwrite = std::env::var_os("SNAPSHOTS").is_some_and(|value| value == "overwrite");
    let mut seen = 0;
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if name.ends_with(".reply.json") {
            continue;
        }
        seen += 1;
        let house = house();
        let root = house.root().to_str().unwrap().to_owned();
        let payload = fs::read_to_string(&path).unwrap().replace("{ROOT}", &root);
        let payload = wrap(&root, &serde_json::from_str(&payload).unwrap());
        let got = house.run(&["hook", "--no-store"], payload.to_string()).reply();
        let golden = path.with_extension("reply.json");
        if overwrite {
            drop(fs::remove_file(&golden));
            if !got.is_null() {
                fs::write(&golden, serde_json::to_string_pretty(&got).unwrap() + "\n").unwrap();
            }
            continue;
        }
        let wanted = fs::read_to_string(&golden);
        let wanted = wanted.map_or(Value::Null, |text| serde_json::from_str(&text).unwrap());
        assert_eq!(got, wanted, "{name}");
    }
    assert!(seen >= least, "{seen}");
}

#[test]
fn every_recorded_payload_of_gemini_gets_its_reply() {
    golden("gemini", |_, payload| payload.clone(), 14);
}

#[test]
fn every_recorded_payload_of_codex_gets_its_reply() {
    golden("codex", |_, payload| payload.clone(), 39);
}

#[test]
fn every_recorded_payload_of_copilot_gets_its_reply_in_both_spellings() {
    golden("copilot", |_, payload| payload.clone(), 35);
    golden("copilot-pascal", |_, payload| payload.clone(), 11);
}

#[test]
fn every_event_of_cursor_gets_its_reply() {
    golden("cursor", |_, payload| payload.clone(), 7);
}

#[test]
fn every_recorded_event_of_pi_gets_its_reply_through_the_extension() {
    let wrap = |root: &str, event: &Value| {
        json!({"client": "pi", "protocol": 1, "session_id": "s-1", "cwd": root, "mode": "print",
            "judges": ["edits"], "event": event})
    };
    golden("pi", wrap, 25);
}

#[test]
fn what_cannot_be_read_is_refused_in_every_client_s_words() {
    let house = house();
    for (client, pointer, word) in [
        ("gemini", "/decision", "deny"),
        ("pi", "/verdict", "ask"),
        ("cursor", "/permission", "deny"),
        ("universal", "/decision", "require_approval"),
    ] {
        for payload in ["", "nonsense", "[]"] {
            let reply = house.run(&["pre-edit", "--agent", client, "--no-store"], payload).reply();
            assert_eq!(reply.pointer(pointer), Some(&json!(word)), "{client} {payload}: {reply}");
        }
    }
}

#[test]
fn the_universal_form_answers_in_its_own_words() {
    let house = house();
    let judge = |payload: Value| {
        house.run(&["pre-edit", "--agent", "universal", "--no-store"], payload.to_string()).reply()
    };
    let file = json!({"path": "b.py", "content": "x = 1\n"});
    let root = house.root();
    let refused = judge(json!({"engine": "mine", "event": "pre-write", "workspace": root,
        "agent": "a", "taskId": "t", "intent": "tidy", "files": [file]}));
    assert_eq!((&refused["decision"], &refused["risk"]), (&json!("block"), &json!("critical")));
    let reason = refused["reasons"][0].as_str().unwrap();
    assert!(reason.starts_with("b.py: recorded-text: "), "{reason}");
    let quiet = judge(json!({"event": "pre-command", "command": "ls"}));
    assert_eq!(quiet, json!({"decision": "allow", "risk": "none", "reasons": []}));
}

#[test]
fn the_table_of_clients_is_told_in_both_forms() {
    let house = house();
    let table = house.run(&["clients", "gemini"], "").stdout;
    assert!(table.contains("BeforeTool") && table.contains("0.61.0"), "{table}");
    let all = house.run(&["clients", "--json"], "").stdout;
    let all: Value = serde_json::from_str(&all).unwrap();
    let clients = solvi_hook::clients::CLIENTS.len();
    assert_eq!(all["clients"].as_array().unwrap().len(), clients);
    assert_eq!(house.run(&["clients", "nobody"], "").status, Some(2));
}

#[test]
fn a_choice_of_a_project_counts_for_nothing() {
    let text = r#"{"type":"SOLVI_HOOK_CHOICES","schemaVersion":1,"hooks":{"edits":"DISABLED"}}"#;
    let house = house().file(".pi/agent/solvi-hook.choices.json", text);
    assert!(house.run(&["choices"], "").stdout.starts_with("on "));
    assert!(house.run(&["choices", "disable", "edits"], "").stdout.starts_with("off "));
    assert_eq!(house.run(&["choices", "enable"], "").status, Some(2));
    std::fs::write(house.home().join(".pi/agent/solvi-hook.choices.json"), "{").unwrap();
    let said = house.run(&["choices", "--json"], "");
    assert_eq!((said.status, said.stdout.as_str()), (Some(2), ""));
    assert!(said.stderr.contains("choices reset"), "{}", said.stderr);
}
