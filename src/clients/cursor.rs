//! How Cursor is read and answered. From its documents only: nothing here was seen in a run.
//!
//! A reply is `permission` with a text for the person and one for the agent. Our entry says
//! `failClosed`, and then no output is a refusal, so `allow` is written out. `ask` is not enforced
//! before a tool: it is spoken as a refusal. What comes after a file was edited cannot be answered
//! with anything.

use super::contract::{Contract, Known, Strength, Without, row};
use super::fields::Fields;
use super::file_tools;
use super::marks::Marks;
use super::payload::{self, Call, PayloadError};
use super::wiring::{self, Form, Plan, REFUSED_UNRUN, Trial, Wiring, or_silence, otherwise};
use super::{Client, Phase, Voice, paths};
use crate::domain::{
    Action, Change, Decision, Entry, Event, Files, Numbering, Session, Shape, Verdict, diff,
};
use serde_json::{Map, Value, json};

/// Cursor.
pub struct Cursor;

const AFTER_FILE_EDIT: &str = "afterFileEdit";
const STOP: &str = "stop";

/// The tool that deletes a file, and the one that changes a notebook's cell.
const DELETE: &str = "Delete";
const EDIT_NOTEBOOK: &str = "EditNotebook";

/// What it honours.
const CONTRACT: Contract = Contract {
    name: "cursor",
    title: "Cursor",
    known: Known::Read,
    failed: Without::Lets,
    late: Without::Unknown,
    rows: &[
        row("preToolUse", Strength::Deny, "an ask is not enforced, so it is a refusal"),
        row("beforeMCPExecution", Strength::Deny, "an ask is a refusal"),
        row("afterFileEdit", Strength::Nothing, "the edit is made"),
        row("stop", Strength::Deny, "the agent goes on, 5 times by default"),
    ],
};

impl Client for Cursor {
    fn contract(&self) -> &'static Contract {
        &CONTRACT
    }

    fn wiring(&self) -> Option<&'static Wiring> {
        Some(&WIRING)
    }

    fn marks_programs_by(&self) -> &'static [&'static str] {
        &["CURSOR_AGENT"]
    }

    fn write(&self, decision: &Decision, voice: &Voice) -> String {
        let text = voice.text(decision);
        let refuse =
            |text: &str| json!({"permission": "deny", "user_message": text, "agent_message": text});
        match decision.verdict() {
            Verdict::Deny => refuse(&text),
            Verdict::Ask => refuse(&voice.refusal(decision, "Cursor")),
            Verdict::Warn | Verdict::Allow if text.is_empty() => json!({"permission": "allow"}),
            Verdict::Warn => {
                json!({"permission": "allow", "user_message": text, "agent_message": text})
            }
            Verdict::Allow => json!({"permission": "allow", "user_message": text}),
        }
        .to_string()
    }

    fn write_at(&self, phase: Phase, decision: &Decision, voice: &Voice) -> String {
        match phase {
            Phase::Before => self.write(decision, voice),
            // The only thing that keeps it from stopping.
            Phase::Stop if decision.verdict() == Verdict::Deny => {
                json!({"followup_message": super::left(decision, voice)}).to_string()
            }
            _ => String::new(),
        }
    }

    fn owns(&self, marks: &Marks) -> bool {
        marks.has("cursor_version") || marks.has("conversation_id") && marks.has("generation_id")
    }

    fn phase(&self, marks: &Marks) -> Phase {
        match marks.text("hook_event_name") {
            Some("beforeSubmitPrompt") => Phase::Prompt,
            Some("sessionStart") => Phase::SessionStart,
            Some("sessionEnd") => Phase::SessionEnd,
            Some(STOP) => Phase::Stop,
            Some("subagentStop") => Phase::SubagentStop,
            None | Some("preToolUse" | "beforeMCPExecution") => Phase::Before,
            Some("postToolUse" | AFTER_FILE_EDIT | "afterTabFileEdit") => Phase::After,
            Some(_) => Phase::Other,
        }
    }

    fn paths(&self, written: &str, files: &dyn Files) -> Vec<String> {
        paths::anyone(written, files)
    }

    fn read(&self, payload: &[u8], files: &dyn Files) -> Result<Event, PayloadError> {
        let mut object = payload::object(payload)?;
        let marks = Marks::of(payload);
        let event = marks.text("hook_event_name");
        match (event, self.phase(&marks)) {
            (_, Phase::Before) => {}
            (Some(AFTER_FILE_EDIT), _) => return made(object, files),
            (_, Phase::Stop) => {
                let session_id = object.get("conversation_id").and_then(Value::as_str);
                let session =
                    Session { session_id: session_id.map(str::to_owned), ..Session::default() };
                return Ok(Event { session, action: payload::stop(&object), ..Event::default() });
            }
            _ => return Ok(Event::default()),
        }
        // The input of a server's tool may come as text.
        if let Some(Value::String(text)) = object.get("tool_input")
            && let Ok(input @ Value::Object(_)) = serde_json::from_str(text)
        {
            object.insert("tool_input".to_owned(), input);
        }
        Call::of(object).event(|tool, input| match input {
            Value::Object(input) if tool == DELETE => deletion(tool, input, files),
            Value::Object(input) if tool == EDIT_NOTEBOOK => notebook(tool, input, files),
            input => payload::action(tool, input, files),
        })
    }
}

/// Reads the input of the tool that deletes a file.
fn deletion(
    tool: &str,
    input: Map<String, Value>,
    files: &dyn Files,
) -> Result<Action, PayloadError> {
    let path = Fields::new("tool_input", input).path(&["path", "file_path", "target_file"])?;
    Ok(Action::Edit(vec![Change::of_deletion(tool, file_tools::place(&path, files)?)]))
}

/// Reads the input of the tool that changes a notebook's cell, which it names by its number.
fn notebook(
    tool: &str,
    input: Map<String, Value>,
    files: &dyn Files,
) -> Result<Action, PayloadError> {
    let mut input = Fields::new("tool_input", input);
    let place = input.path(&["target_notebook", "notebook_path", "file_path", "path"])?;
    let place = file_tools::place(&place, files)?;
    let old = input.text_if_any(&["old_string"])?.unwrap_or_default();
    let new = input.text(&["new_string", "new_source"])?;
    let why = "what becomes of the notebook is not known";
    let change = Change::of_lines(tool, place, diff::added(&old, &new), why);
    Ok(Action::Edit(vec![Change { numbering: Numbering::Cell, ..change }]))
}

/// Reads an edit that was made: of a file that is changed already only the new lines are told.
fn made(object: Map<String, Value>, files: &dyn Files) -> Result<Event, PayloadError> {
    let mut edit = Fields::new("payload", object);
    let place = file_tools::place(&edit.path(&["file_path"])?, files)?;
    let mut added = Vec::new();
    for mut edit in edit.objects("edits")? {
        let (old, new) = (edit.text(&["old_string"])?, edit.text(&["new_string"])?);
        added.extend(diff::added(&old, &new));
    }
    let tool = AFTER_FILE_EDIT.to_owned();
    let change = Change::of_lines(&tool, place, added, "the edit is made");
    let session_id = edit.text_if_any(&["conversation_id"])?;
    let session = Session { session_id, ..Session::default() };
    let action = Action::Edit(vec![change]);
    Ok(Event { tool, session, action, ..Event::default() })
}

/// How Cursor is wired.
const WIRING: Wiring = Wiring {
    name: "cursor",
    aliases: &[],
    title: "Cursor",
    signs: &[".cursor", ".cursorrules"],
    programs: &["cursor", "cursor-agent"],
    project: ".cursor/hooks.json",
    local: None,
    user_variable: None,
    user_folder: ".cursor",
    user: "hooks.json",
    beside: None,
    guarded: &[".cursor/hooks.json"],
    from_below: true,
    form: Form::Entries("{\n  \"version\": 1\n}\n"),
    entries,
    traps: |text| wiring::not_plain(text, "Cursor").into_iter().collect(),
    softens: |_| Vec::new(),
    silences: |_| false,
    silent: &[
        "what is known of Cursor is from its documents; a version without the event `preToolUse` \
         passes the entry by in silence, and then no edit is refused",
    ],
    trust: None,
    trial: |project| {
        let trial = wiring::trial("preToolUse", "Read", "Write", project);
        let marked = |payload: String| payload.replacen('{', "{\"cursor_version\":\"0\",", 1);
        Trial { harmless: marked(trial.harmless), refused: marked(trial.refused) }
    },
    refuses: |reply| wiring::holds(reply, "/permission", "deny"),
    look: "open Settings, Hooks: the entry stands under preToolUse",
};

fn entries(plan: &Plan) -> Vec<Entry> {
    let command = plan.command("cursor");
    let worst = json!({
        "permission": "deny",
        "user_message": REFUSED_UNRUN,
        "agent_message": REFUSED_UNRUN,
    });
    let entry = |event: &str, command: String, shape: Shape| Entry {
        event: event.to_owned(),
        // How its tools are named is not known well enough to leave any out.
        matcher: None,
        command,
        // Seconds; our own deadline is 10.
        timeout: 30,
        status: String::new(),
        shape,
    };
    // Where nobody hears it, nothing is said when we cannot run.
    let after = or_silence(&command);
    vec![
        entry("preToolUse", otherwise(&command, &worst.to_string()), Shape::Closed),
        entry(AFTER_FILE_EDIT, after.clone(), Shape::Plain),
        entry(STOP, after, Shape::Plain),
    ]
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::domain::{Place, RepoPath, Stored};

    struct Nothing;

    impl Files for Nothing {
        fn place(&self, written: &str) -> Result<Place, String> {
            RepoPath::new(written).map(Place::Inside).ok_or_else(|| "no such place.".to_owned())
        }

        fn read(&self, _place: &Place) -> Stored {
            Stored::Absent
        }
    }

    fn read(payload: &Value) -> Action {
        Cursor.read(payload.to_string().as_bytes(), &Nothing).unwrap().action
    }

    #[test]
    fn a_write_is_judged_before_it_is_made() {
        let input = json!({"file_path": "a", "content": "x\n"});
        let write = json!({"hook_event_name": "preToolUse", "tool_name": "Write",
            "tool_input": &input});
        let text = json!({"hook_event_name": "beforeMCPExecution", "tool_name": "save",
            "tool_input": json!({"path": "a", "text": "x"}).to_string()});
        let unnamed = json!({"hook_event_name": "preToolUse", "tool_input": input});
        for payload in [write, text, unnamed] {
            let Action::Edit(changes) = read(&payload) else { panic!("{payload}") };
            assert_eq!(changes[0].added.len(), 1);
        }
    }

    #[test]
    fn what_has_happened_is_told_to_nobody() {
        let edit = json!({"hook_event_name": "afterFileEdit", "file_path": "a",
            "edits": [{"old_string": "x", "new_string": "y"}]});
        let Action::Edit(changes) = read(&edit) else { panic!("no edit") };
        assert_eq!((changes.len(), changes[0].added[0].text.as_str()), (1, "y"));
        let shell = json!({"hook_event_name": "beforeShellExecution", "command": "ls", "cwd": "/"});
        assert_eq!(read(&shell), Action::Other);
        let after = Cursor.write_at(Phase::After, &Decision::unjudged("x"), &Voice::default());
        assert_eq!(after, "");
    }

    #[test]
    fn an_ask_is_spoken_as_a_refusal_and_an_allow_is_written_out() {
        let reply = Cursor.write(&Decision::unjudged("no rules"), &Voice::default());
        let reply: Value = serde_json::from_str(&reply).unwrap();
        assert_eq!(reply["permission"], "deny");
        let message = reply["agent_message"].as_str().unwrap();
        assert!(message.contains("no rules") && message.contains("a person's approval"));
        let quiet = Cursor.write(&Decision::default(), &Voice::default());
        assert_eq!(quiet, r#"{"permission":"allow"}"#);
    }

    #[test]
    fn a_deletion_and_a_cell_are_edits() {
        for (tool, input) in [
            ("Delete", json!({"file_path": "a"})),
            ("Delete", json!({"path": "a"})),
            (
                "EditNotebook",
                json!({"target_notebook": "a", "cell_idx": 0, "is_new_cell": false,
                "old_string": "x", "new_string": "y"}),
            ),
        ] {
            let payload = json!({"hook_event_name": "preToolUse", "tool_name": tool,
                "tool_input": input});
            let Action::Edit(changes) = read(&payload) else { panic!("{payload}") };
            assert_eq!(changes[0].deletes(), tool == "Delete");
            assert_eq!(changes[0].added.len(), usize::from(tool != "Delete"));
        }
    }

    #[test]
    fn its_payloads_are_told_by_their_names() {
        let owns = |payload: &[u8]| Cursor.owns(&Marks::of(payload));
        assert!(owns(br#"{"cursor_version": "3.1"}"#));
        assert!(owns(br#"{"conversation_id": "a", "generation_id": "b"}"#));
        assert!(!owns(br#"{"hook_event_name": "preToolUse", "conversation_id": "a"}"#));
    }
}
