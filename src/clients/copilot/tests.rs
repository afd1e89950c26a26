//! Every payload that Copilot was seen to send is read, and its edits end as they did.

#![allow(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::clients::recorded::{Table, payloads};
use crate::domain::Content;

#[test]
fn every_recorded_payload_is_an_edit_or_none_of_our_business() {
    let files = Table::of(&json!({
        "/r/a.py": "def f():\n    return 1\n", "a.py": "def f():\n    return 1\n",
        "old.py": "o = 1\n", "m.py": "m = 1\n", "/r/old.py": "o = 1\n", "/r/m.py": "m = 1\n",
    }));
    let all = [payloads("copilot"), payloads("copilot-pascal")].concat();
    let mut edits = Vec::new();
    for (name, payload) in &all {
        let phase = Copilot.phase(&Marks::of(payload.as_bytes()));
        let Action::Edit(changes) = Copilot.read(payload.as_bytes(), &files).unwrap().action else {
            continue;
        };
        if phase == Phase::After {
            continue;
        }
        let places = changes.iter().map(|change| change.place.to_string());
        edits.push(format!("{name} {}", places.collect::<Vec<_>>().join(" ")));
        for change in &changes {
            assert!(change.after.text().is_some() || change.deletes(), "{name} {change:?}");
        }
        if name.contains("equest-edit") {
            let after = Content::Text("def f():\n    return 2\n".to_owned());
            assert_eq!((phase, &changes[0].after), (Phase::Permission, &after));
        }
    }
    assert_eq!(all.len(), 46);
    assert_eq!(
        edits,
        [
            "permissionRequest-apply_patch /r/a.py",
            "permissionRequest-apply_patch-add /r/new/b.py",
            "permissionRequest-apply_patch-delete /r/old.py",
            "permissionRequest-apply_patch-move /r/m.py /r/moved/n.py",
            "permissionRequest-create /r/b.py",
            "permissionRequest-edit /r/a.py",
            "permissionRequest-edit-subagent /r/a.py",
            "preToolUse-apply_patch a.py",
            "preToolUse-apply_patch-many a.py new/b.py old.py m.py moved/n.py",
            "preToolUse-create /r/b.py",
            "preToolUse-edit /r/a.py",
            "preToolUse-edit-subagent /r/a.py",
            "PermissionRequest-edit /r/a.py",
            "PreToolUse-Edit /r/a.py",
            "PreToolUse-Edit-apply_patch a.py",
        ]
    );
}

#[test]
fn arguments_may_be_json_in_a_string() {
    let files = Table::of(&json!({"a": "x=1\n"}));
    let call = |tool: &str, input: &str| {
        Copilot.read(json!({"toolName": tool, "toolArgs": input}).to_string().as_bytes(), &files)
    };
    let edit = r#"{"path": "a", "old_str": "x=1", "new_str": "y"}"#;
    let Action::Edit(changes) = call("edit", edit).unwrap().action else { panic!() };
    assert_eq!(changes[0].after, Content::Text("y\n".to_owned()));
    assert_eq!(call("bash", "not json").unwrap().action, Action::Other);
    let error = "`toolArgs` is a string; the fields of an edit were expected.";
    assert_eq!(call("edit", "not json"), Err(PayloadError(error.to_owned())));
    let error = "`toolArgs.old_str` is missing; a string was expected.";
    assert_eq!(call("edit", r#"{"path": "a"}"#), Err(PayloadError(error.to_owned())));
}

#[test]
fn a_call_that_names_no_tool_is_read_by_its_input() {
    let files = Table::of(&json!({"a": "x=1\n"}));
    let read = |call: &Value| {
        let payload = call.to_string();
        assert_eq!(Copilot.phase(&Marks::of(payload.as_bytes())), Phase::Before, "{call}");
        Copilot.read(payload.as_bytes(), &files)
    };
    let patch = "*** Begin Patch\n*** Update File: a\n@@\n-x=1\n+y\n*** End Patch\n";
    for (input, after) in [
        (json!({"path": "a", "old_str": "x=1", "new_str": "y"}), "y\n"),
        (json!({"path": "a", "file_text": "z\n"}), "z\n"),
        (json!({"input": patch}), "y\n"),
        (json!(patch), "y\n"),
    ] {
        let text = input.as_str().map_or_else(|| input.to_string(), str::to_owned);
        for input in [input, json!(text)] {
            for call in [
                json!({"sessionId": "s", "toolArgs": input}),
                json!({"sessionId": "s", "toolName": null, "toolInput": input}),
                json!({"sessionId": "s", "toolName": "", "tool_input": input}),
            ] {
                let Action::Edit(changes) = read(&call).unwrap().action else { panic!("{call}") };
                assert_eq!(changes[0].after.text(), Some(after), "{call}");
            }
        }
    }
    assert!(read(&json!({"sessionId": "s", "toolArgs": "ls"})).is_err());
    assert!(read(&json!({"sessionId": "s", "toolName": ""})).is_err());
}

#[test]
fn a_create_is_judged_by_what_it_brings() {
    let cases = include_str!("../../../tests/edits/copilot-edits.jsonl");
    let mut seen = 0;
    for case in cases.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        if case["tool"] != "create" {
            continue;
        }
        let payload = json!({"toolName": "create", "toolArgs": case["args"]}).to_string();
        let call = Copilot.read(payload.as_bytes(), &Table::of(&case["before"])).unwrap();
        let Action::Edit(changes) = call.action else { panic!("{case}") };
        assert_eq!(changes[0].after.text(), case["args"]["file_text"].as_str());
        seen += 1;
    }
    assert_eq!(seen, 8);
}
