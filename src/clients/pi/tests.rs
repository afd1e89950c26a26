//! Every payload that Pi was seen to send is read, and its edits end as they did.

#![allow(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::domain::{Content, Place, RepoPath};
use proptest::prelude::*;

/// A project of a few files, at `/root`.
struct Project(Map<String, Value>);

impl Files for Project {
    fn place(&self, written: &str) -> Result<Place, String> {
        let mut parts: Vec<&str> = Vec::new();
        for part in written.strip_prefix("/root/").unwrap_or(written).split('/') {
            match part {
                "." => {}
                ".." => drop(parts.pop()),
                part => parts.push(part),
            }
        }
        let path = RepoPath::new(&parts.join("/")).ok_or("no such place.")?;
        Ok(Place::Inside(path))
    }

    fn read(&self, place: &Place) -> Stored {
        match self.0.get(place.as_str()).and_then(Value::as_str) {
            Some(text) => Stored::Bytes(text.into()),
            None => Stored::Absent,
        }
    }
}

fn read(payload: &[u8], files: &dyn Files) -> Result<Event, PayloadError> {
    paths::read(&Pi, &[&Pi], Phase::Before, payload, files)
}

fn call(tool: &str, input: &Value) -> Vec<u8> {
    let event = json!({"type": "tool_call", "toolName": tool, "toolCallId": "c", "input": input});
    json!({"client": "pi", "protocol": 1, "event": event}).to_string().into_bytes()
}

#[test]
fn every_recorded_call_ends_as_it_did_with_the_client() {
    let (mut written, mut refused) = (0, 0);
    for line in include_str!("../../../tests/vectors/pi-edit-cases.jsonl").lines() {
        let line = line.replace("{ROOT}", "/root");
        let case: Value = serde_json::from_str(&line).unwrap();
        let files = Project(case["before"].as_object().unwrap().clone());
        let event = read(&call(case["tool"].as_str().unwrap(), &case["args"]), &files);
        let Some(after) = case["after"].as_object() else {
            let known = event.is_ok_and(|event| match event.action {
                Action::Edit(changes) => !matches!(changes[0].after, Content::Unknown(_)),
                Action::Stop { .. } | Action::Other => true,
            });
            assert!(!known, "{line}");
            refused += 1;
            continue;
        };
        let Action::Edit(changes) = event.unwrap().action else { panic!("{line}") };
        let change = &changes[0];
        let wanted = after[change.place.as_str()].as_str();
        assert_eq!(change.after.text(), wanted, "{line}");
        written += 1;
    }
    assert_eq!((written, refused), (381, 424));
}

#[test]
fn a_call_that_cannot_be_read_is_an_error() {
    let files = Project(Map::new());
    let old = json!({"client": "pi", "protocol": 2, "event": {"type": "tool_call"}});
    let nothing = json!({"client": "pi", "protocol": 1});
    for payload in [old, nothing] {
        assert!(read(payload.to_string().as_bytes(), &files).is_err(), "{payload}");
    }
    for input in [json!("x"), json!({"path": "a"}), json!({"path": "a", "edits": "[{]"})] {
        assert!(read(&call("edit", &input), &files).is_err(), "{input}");
    }
}

#[test]
fn other_tools_are_read_as_everywhere() {
    let files = Project(Map::new());
    let made = |tool: &str, input: &Value| read(&call(tool, input), &files).unwrap();
    assert_eq!(made("bash", &json!({"command": "ls"})).action, Action::Other);
    assert_eq!(made("read", &json!({"path": "a"})).action, Action::Other);
    let event = made("mcp__files__save", &json!({"path": "a", "text": "x"}));
    assert!(matches!(event.action, Action::Edit(_)));
    assert_eq!(event.session.tool_use_id.as_deref(), Some("c"));
}

#[test]
fn every_event_is_answered() {
    let said = |phase, decision: &Decision| -> Value {
        let reply = Pi.write_at(phase, decision, &Voice::default());
        serde_json::from_str(&reply).unwrap()
    };
    let unjudged = Decision::unjudged("no rules");
    for (phase, word) in [
        (Phase::Before, "ask"),
        (Phase::Stop, "allow"),
        (Phase::After, "warn"),
        (Phase::Prompt, "warn"),
        (Phase::Other, "allow"),
    ] {
        assert_eq!(said(phase, &unjudged)["verdict"], word, "{phase:?}");
    }
    let quiet = said(Phase::Before, &Decision::default());
    assert_eq!(quiet, json!({"protocol": 1, "verdict": "allow"}));
}

proptest! {
    #[test]
    fn no_input_panics(path in ".{0,8}", old in ".{0,4}", edits in "(\\[.{0,8}|.{0,8})") {
        let input = json!({"path": path, "oldText": old, "newText": "x", "edits": edits});
        let _ = read(&call("edit", &input), &Project(Map::new()));
        let _ = read(path.as_bytes(), &Project(Map::new()));
    }
}
