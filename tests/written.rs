//! `post-write`: what was written is held against what was judged.

use crate::support::House;
use serde_json::{Value, json};
use std::fs;

const RULES: &str = "[[rule]]\nid = \"no-debug\"\npaths = [\"**\"]\nforbid = ['DEBUG']\nwhy = \"Never.\"\n\
    [[rule]]\nid = \"asks\"\npaths = [\"ask.txt\"]\non_fail = \"ask\"\nwhy = \"Look.\"\n";

fn call(event: &str, path: &str, content: &str) -> String {
    json!({
        "session_id": "s-1", "hook_event_name": event, "prompt_id": "p-1", "tool_use_id": "t-1",
        "tool_name": "Write", "tool_input": {"file_path": path, "content": content},
        "tool_response": {"type": "create", "originalFile": null},
    })
    .to_string()
}

/// Has an edit judged, then made as it is on the disk, and returns the reply to what was made.
fn written(house: &House, path: &str, judged: &str, made: &str) -> Value {
    house.run(&["hook"], call("PreToolUse", path, judged)).reply();
    fs::write(house.root().join(path), made).unwrap();
    house.run(&["hook"], call("PostToolUse", path, judged)).reply()
}

fn last(house: &House) -> Value {
    let store = fs::read_to_string(house.root().join(".solvi/traces/hooks.jsonl")).unwrap();
    serde_json::from_str(store.lines().last().unwrap()).unwrap()
}

#[test]
fn what_is_written_as_it_was_judged_is_kept_and_said_to_nobody() {
    let house = House::new().rules(RULES);
    assert_eq!(written(&house, "a.txt", "one\n", "one\n"), Value::Null);
    let record = last(&house);
    let told = &record["meta"]["solvi_hook"]["written"];
    assert_eq!((&told["differs"], &record["meta"]["hook"]), (&json!(false), &json!("post-write")));
    let store = fs::read_to_string(house.root().join(".solvi/traces/hooks.jsonl")).unwrap();
    let first: Value = serde_json::from_str(store.lines().next().unwrap()).unwrap();
    assert_eq!(told["of_hash"], first["hash"]);
    assert_eq!(house.run(&["verify"], "").status, Some(0));
}

#[test]
fn the_model_is_told_when_another_text_was_written_that_would_have_been_refused() {
    let house = House::new().rules(RULES);
    let reply = written(&house, "a.txt", "one\n", "one\nDEBUG\n");
    assert_eq!(reply["decision"], "block");
    let reason = reply["reason"].as_str().unwrap();
    assert!(
        reason.contains("already been written") && reason.contains("line 2: DEBUG"),
        "{reason}"
    );
    let record = last(&house);
    assert_eq!(record["meta"]["solvi_hook"]["written"]["differs"], true);
    assert_eq!(
        (&record["meta"]["outcome"], &record["answers"]["written"][0]),
        (&json!("deny"), &json!("deny"))
    );
    assert_eq!(house.run(&["verify"], "").status, Some(0));
    // Another text against which nothing stands is kept, and not worth a word.
    assert_eq!(written(&house, "b.txt", "one\n", "two\n"), Value::Null);
    assert_eq!(last(&house)["meta"]["solvi_hook"]["written"]["differs"], true);
}

#[test]
fn a_persons_yes_is_kept() {
    let house = House::new().rules(RULES);
    assert_eq!(written(&house, "ask.txt", "one\n", "one\n"), Value::Null);
    assert_eq!(last(&house)["meta"]["solvi_hook"]["written"]["answered"], true);
}

#[test]
fn what_nobody_judged_before_is_judged_now() {
    let house = House::new().rules(RULES).file("a.txt", "DEBUG\n");
    let reply = house.run(&["hook"], call("PostToolUse", "a.txt", "DEBUG\n")).reply();
    assert_eq!(reply["decision"], "block");
    let told = last(&house)["meta"]["solvi_hook"]["written"].clone();
    assert_eq!(told, json!({"differs": null}));
}

#[test]
fn every_client_that_can_be_told_is_told_in_its_words() {
    let house = House::new().rules(RULES).file("a.txt", "DEBUG\n");
    let patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n+DEBUG\n*** End Patch\n";
    for (payload, place) in [
        (
            json!({"hook_event_name": "PostToolUse", "turn_id": "t", "tool_name": "apply_patch",
                "tool_input": {"command": patch}, "tool_response": "Exit code: 0"}),
            "/reason",
        ),
        (
            json!({"sessionId": "s", "timestamp": 1, "toolName": "create", "toolResult": {},
                "toolArgs": {"path": "a.txt", "file_text": "DEBUG\n"}}),
            "/reason",
        ),
        (
            json!({"hook_event_name": "AfterTool", "tool_name": "write_file",
                "tool_input": {"file_path": "a.txt"},
                "tool_response": {"returnDisplay": {"newContent": "DEBUG\n"}}}),
            "/reason",
        ),
        (
            json!({"client": "pi", "protocol": 1, "event": {"type": "tool_result",
                "toolName": "write", "input": {"path": "a.txt", "content": "DEBUG\n"}}}),
            "/reason",
        ),
    ] {
        let reply = house.run(&["hook"], payload.to_string()).reply();
        let text = reply.pointer(place).and_then(Value::as_str).unwrap_or_default();
        assert!(text.contains("already been written") && text.contains("no-debug"), "{reply}");
    }
    let edit = json!({"cursor_version": "2", "hook_event_name": "afterFileEdit",
        "file_path": "a.txt", "edits": [{"old_string": "", "new_string": "DEBUG\n"}]});
    assert_eq!(house.run(&["hook"], edit.to_string()).reply(), Value::Null);
}

/// Gemini CLI shows a warning before a tool to the person alone.
#[test]
fn a_model_that_cannot_hear_a_warning_before_hears_it_after() {
    let rules = RULES.replace("on_fail = \"ask\"", "on_fail = \"warn\"");
    let house = House::new().rules(&rules).file("ask.txt", "one\n");
    let payload = json!({"hook_event_name": "AfterTool", "tool_name": "write_file",
        "tool_input": {"file_path": "ask.txt"},
        "tool_response": {"returnDisplay": {"originalContent": "", "newContent": "one\n"}}});
    let reply = house.run(&["hook"], payload.to_string()).reply();
    let text = reply["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default();
    assert!(text.contains("asks: Look."), "{reply}");
    assert_eq!(written(&house, "ask.txt", "two\n", "two\n"), Value::Null);
}

#[test]
fn what_was_written_is_no_decision_and_told_as_what_it_is() {
    let house = House::new().rules(RULES);
    written(&house, "ask.txt", "one\n", "one\n");
    written(&house, "a.txt", "one\n", "two\n");
    let report = house.run(&["report", "--format", "json"], "").stdout;
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!((&report["decisions"], &report["tally"]["asked"]), (&json!(2), &json!(1)));
    assert_eq!(report["unresolved"]["count"], 0);
    let record = last(&house);
    let said = house.run(&["audit", record["id"].as_str().unwrap()], "");
    let of = record["meta"]["solvi_hook"]["written"]["of"].as_str().unwrap();
    let told = format!("\nwritten  otherwise than it was judged, after decision {of}\n");
    assert!(said.stdout.contains(&told), "{said:?}");
    assert!(said.stdout.contains("it tells what was written after a decision"), "{said:?}");
    assert_eq!(said.status, Some(2));
    // The newest decision is meant where no id is given.
    assert_eq!(house.run(&["audit"], "").status, Some(0));
}

#[test]
fn the_decision_is_found_in_every_kind_of_store_and_after_a_rotation() {
    for (store, rotated) in [
        (&["--store", "sqlite:.solvi/traces/hooks.db"][..], false),
        (&["--store", ".solvi/other.jsonl"], false),
        (&[], true),
    ] {
        let house = House::new().rules(RULES);
        let hook = |event: &str| {
            let args = [&["hook"], store].concat();
            let said = house.run(&args, call(event, "ask.txt", "one\n"));
            assert_eq!(said.status, Some(0), "{said:?}");
            said
        };
        hook("PreToolUse");
        if rotated {
            assert_eq!(house.run(&["traces", "rotate"], "").status, Some(0));
        }
        fs::write(house.root().join("ask.txt"), "one\n").unwrap();
        assert_eq!(hook("PostToolUse").stdout, "", "{store:?}");
        let named = store.last().copied().unwrap_or(".solvi/traces/hooks.jsonl");
        let query = house.run(&["query", named, "--last", "--limit", "1"], "");
        let record: Value = serde_json::from_str(&query.stdout).unwrap();
        // A person said yes, and what was written is what was evaluated.
        let told = &record["meta"]["solvi_hook"]["written"];
        assert_eq!(
            (&told["answered"], &told["differs"]),
            (&json!(true), &json!(false)),
            "{record}"
        );
    }
}
