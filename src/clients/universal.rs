//! How a program of one's own is read and answered: the universal JSON.
//!
//! ```text
//! → {"engine", "event", "workspace", "cwd", "tool", "command", "files", "content", "agent",
//!    "taskId", "intent", …}
//! ← {"decision": "allow" | "warn" | "require_approval" | "block", "risk": "none" … "critical",
//!    "reasons": […]}
//! ```
//!
//! An item of `files` is a path, or an object with `path`, `operation` (create, modify, delete,
//! rename-from, rename-to) and `content`, the whole file as it will be. `content` at the top is
//! new text of an edit whose result is not told. A field of the wrong type is an error; a field
//! that is not known is nothing.

use super::contract::{Contract, Known, Strength, Without, row};
use super::fields::Fields;
use super::file_tools;
use super::marks::Marks;
use super::patch;
use super::payload::{self, PayloadError};
use super::{Client, Phase, Voice, paths};
use crate::domain::{
    Action, Change, Decision, Event, Files, Session, Stored, Verdict, diff, wording,
};
use serde_json::{Value, json};

/// Whatever speaks the universal JSON.
pub struct Universal;

/// The events, each with when it comes.
const EVENTS: &[(&str, Phase)] = &[
    ("pre-tool-use", Phase::Before),
    ("pre-write", Phase::Before),
    ("pre-command", Phase::Before),
    ("post-tool-use", Phase::After),
    ("post-write", Phase::After),
    ("post-command", Phase::After),
    ("stop", Phase::Stop),
    ("skill-compliance", Phase::After),
    ("verify-result", Phase::After),
];

/// How many reasons are given, the strictest first.
const MOST_REASONS: usize = 8;

/// What it honours.
const CONTRACT: Contract = Contract {
    name: "universal",
    title: "universal JSON",
    known: Known::Ours,
    failed: Without::Unknown,
    late: Without::Unknown,
    rows: &[
        row("pre-*", Strength::Ask, ""),
        row("post-*", Strength::Tell, ""),
        row("stop", Strength::Deny, ""),
    ],
};

impl Client for Universal {
    fn contract(&self) -> &'static Contract {
        &CONTRACT
    }

    fn write(&self, decision: &Decision, voice: &Voice) -> String {
        let (word, risk) = match decision.verdict() {
            Verdict::Allow => ("allow", "none"),
            Verdict::Warn => ("warn", "medium"),
            Verdict::Ask => ("require_approval", "high"),
            Verdict::Deny => ("block", "critical"),
        };
        let reasons = reasons(decision, voice);
        json!({"decision": word, "risk": risk, "reasons": reasons}).to_string()
    }

    fn owns(&self, marks: &Marks) -> bool {
        let event = marks.text("event");
        !marks.has("hook_event_name") && !marks.has("client") && event.and_then(phase_of).is_some()
    }

    fn phase(&self, marks: &Marks) -> Phase {
        marks.text("event").and_then(phase_of).unwrap_or_default()
    }

    fn paths(&self, written: &str, files: &dyn Files) -> Vec<String> {
        paths::anyone(written, files)
    }

    fn read(&self, payload: &[u8], files: &dyn Files) -> Result<Event, PayloadError> {
        let mut fields = Fields::new("payload", payload::object(payload)?);
        let event = fields.text(&["event"])?;
        let Some(phase) = phase_of(&event) else {
            let names = EVENTS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
            return Err(fields.complain(&["event"], "unknown", &format!("one of {names}")));
        };
        let tool = fields.text_if_any(&["tool"])?.unwrap_or_else(|| event.clone());
        let command = fields.text_if_any(&["command"])?;
        let content = fields.text_if_any(&["content"])?;
        let session = Session {
            session_id: fields.text_if_any(&["taskId"])?,
            agent_id: fields.text_if_any(&["agent"])?,
            ..Session::default()
        };
        for name in ["engine", "workspace", "cwd", "intent"] {
            fields.text_if_any(&[name])?;
        }
        let active = fields.value("stopHookActive");
        let listed = match fields.value("files") {
            None => Vec::new(),
            Some(Value::Array(listed)) => listed,
            Some(other) => {
                return Err(fields.complain(&["files"], super::fields::kind_of(&other), "a list"));
            }
        };
        let mut changes = Vec::new();
        for (at, item) in listed.into_iter().enumerate() {
            changes.push(change(&tool, at, item, content.as_deref(), files)?);
        }
        if let Some(command) = command.filter(|command| command.contains(patch::MARKER)) {
            changes.extend(patch::changes(&tool, &[&command], files)?);
        }
        let edits = phase == Phase::Before || matches!(&*event, "post-tool-use" | "post-write");
        let judged = edits && !changes.is_empty();
        let action = match phase {
            Phase::Stop => Action::Stop { again: active != Some(Value::Bool(false)) },
            _ if judged => Action::Edit(changes),
            _ => Action::Other,
        };
        Ok(Event { tool, session, action, ..Event::default() })
    }

    fn write_at(&self, phase: Phase, decision: &Decision, voice: &Voice) -> String {
        // Nobody is kept from stopping for what a person has to decide.
        if phase == Phase::Stop && decision.verdict() < Verdict::Deny {
            return self.write(&Decision::default(), voice);
        }
        self.write(decision, voice)
    }
}

fn phase_of(event: &str) -> Option<Phase> {
    EVENTS.iter().find(|(name, _)| *name == event).map(|(_, phase)| *phase)
}

fn reasons(decision: &Decision, voice: &Voice) -> Vec<String> {
    let mut found: Vec<(Verdict, String)> = Vec::new();
    for ruling in &decision.rulings {
        let path = &ruling.change.place;
        for finding in ruling.findings.iter().filter(|finding| finding.objects()) {
            let item = wording::item(finding, &ruling.change);
            found.push((finding.verdict, format!("{path}: {item}")));
        }
    }
    found.extend(decision.troubles.iter().map(|trouble| (Verdict::Ask, trouble.clone())));
    found.sort_by_key(|(verdict, _)| std::cmp::Reverse(*verdict));
    let mut reasons: Vec<String> = Vec::new();
    for (_, reason) in found {
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }
    reasons.truncate(MOST_REASONS);
    reasons.extend(voice.notes.iter().cloned());
    reasons
}

/// Reads an item of `files`.
fn change(
    tool: &str,
    at: usize,
    item: Value,
    content: Option<&str>,
    files: &dyn Files,
) -> Result<Change, PayloadError> {
    let mut item = match item {
        Value::Object(item) => Fields::new(format!("payload.files[{at}]"), item),
        path => {
            let item = [("path".to_owned(), path)].into_iter().collect();
            Fields::new(format!("payload.files[{at}]"), item)
        }
    };
    let place = file_tools::place(&item.path(&["path"])?, files)?;
    let operation = item.text_if_any(&["operation"])?;
    let whole = item.text_if_any(&["content"])?;
    match operation.as_deref() {
        Some("delete" | "rename-from") => return Ok(Change::of_deletion(tool, place)),
        None | Some("create" | "modify" | "rename-to") => {}
        Some(_) => {
            let words = "create, modify, delete, rename-from or rename-to";
            return Err(item.complain(&["operation"], "unknown", words));
        }
    }
    if let Some(after) = whole {
        let (before, unsure) = match files.read(&place) {
            Stored::Absent => (String::new(), None),
            Stored::Bytes(bytes) => (String::from_utf8_lossy(&bytes).into_owned(), None),
            Stored::Unknown(why) => (String::new(), Some(why)),
        };
        return Ok(Change { unsure, ..Change::of_text(tool, place, &before, after) });
    }
    let why = match content {
        Some(_) => "the payload does not say where in the file its `content` goes",
        None => "the payload does not say what is written",
    };
    let lines = content.map(diff::numbered).unwrap_or_default();
    let unsure = content.is_none().then(|| why.to_owned());
    Ok(Change { unsure, ..Change::of_lines(tool, place, lines, why) })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::domain::{Content, Place, RepoPath};
    use proptest::prelude::*;

    struct Project;

    impl Files for Project {
        fn place(&self, written: &str) -> Result<Place, String> {
            RepoPath::new(written).map(Place::Inside).ok_or_else(|| "no such place.".to_owned())
        }

        fn read(&self, _place: &Place) -> Stored {
            Stored::Bytes(b"x\n".into())
        }
    }

    fn changes(payload: &Value) -> Vec<Change> {
        match Universal.read(payload.to_string().as_bytes(), &Project).unwrap().action {
            Action::Edit(changes) => changes,
            Action::Stop { .. } | Action::Other => Vec::new(),
        }
    }

    #[test]
    fn files_are_read_in_every_form() {
        let changes = changes(&json!({"engine": "mine", "event": "pre-write", "more": 1,
            "content": "new\n", "files": ["a", {"path": "b", "content": "x\ny\n"},
            {"path": "c", "operation": "delete"}]}));
        assert_eq!(changes.len(), 3);
        assert!(matches!(changes[0].after, Content::Unknown(_)));
        assert_eq!((changes[0].added.len(), &changes[0].unsure), (1, &None));
        assert_eq!((changes[1].after.text(), changes[1].added.len()), (Some("x\ny\n"), 1));
        assert!(changes[2].deletes());
    }

    #[test]
    fn a_file_without_its_text_leaves_us_unsure() {
        let changes = changes(&json!({"event": "pre-tool-use", "files": ["a"]}));
        assert!(changes[0].unsure.is_some());
    }

    #[test]
    fn a_patch_in_a_command_is_read_and_other_commands_are_not() {
        let patch = "apply_patch <<E\n*** Begin Patch\n*** Add File: g\n+x\n*** End Patch\nE";
        assert_eq!(changes(&json!({"event": "pre-command", "command": patch})).len(), 1);
        assert_eq!(changes(&json!({"event": "pre-command", "command": "ls"})).len(), 0);
        assert_eq!(changes(&json!({"event": "post-write", "files": ["a"]})).len(), 1);
        assert_eq!(changes(&json!({"event": "post-command", "files": ["a"]})).len(), 0);
    }

    #[test]
    fn what_is_mistyped_or_unknown_is_an_error() {
        for payload in [
            json!({}),
            json!({"event": "pre-dinner"}),
            json!({"event": "pre-command", "command": 5}),
            json!({"event": "pre-write", "files": "a"}),
            json!({"event": "pre-write", "files": [5]}),
            json!({"event": "pre-write", "files": [{"path": "a", "operation": "melt"}]}),
            json!({"event": "pre-write", "intent": []}),
        ] {
            let read = Universal.read(payload.to_string().as_bytes(), &Project);
            assert!(read.is_err(), "{payload}");
        }
    }

    #[test]
    fn every_verdict_has_its_words() {
        let said = |decision: &Decision| -> Value {
            serde_json::from_str(&Universal.write(decision, &Voice::default())).unwrap()
        };
        let quiet = said(&Decision::default());
        assert_eq!(quiet, json!({"decision": "allow", "risk": "none", "reasons": []}));
        let asks = said(&Decision::unjudged("no rules"));
        let wanted = json!({"decision": "require_approval", "risk": "high",
            "reasons": ["no rules"]});
        assert_eq!(asks, wanted);
    }

    #[test]
    fn its_payloads_are_told_by_their_event() {
        let owns = |payload: &[u8]| Universal.owns(&Marks::of(payload));
        assert!(owns(br#"{"engine": "x", "event": "pre-write"}"#));
        assert!(!owns(br#"{"event": "pre-write", "hook_event_name": "PreToolUse"}"#));
        assert!(!owns(br#"{"client": "pi", "event": {"type": "tool_call"}}"#));
    }

    proptest! {
        #[test]
        fn no_bytes_panic(payload in prop::collection::vec(any::<u8>(), 0..64)) {
            let _ = Universal.read(&payload, &Project);
        }
    }
}
