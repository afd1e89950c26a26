//! How Gemini CLI is read and answered.
//!
//! Verified with 0.61.0. A refusal is `decision: "deny"` with its reason, and nothing else on
//! standard output; everything else lets the tool run. `ask` leaves a run without a person
//! hanging for ever, so it is spoken as a refusal. Before a tool only `systemMessage` is honoured
//! beside that, and reaches the person; after a tool `additionalContext` reaches the model, and a
//! refusal takes the place of the result, while the file stays changed.

use super::claude_edit::Replacement;
use super::contract::{Contract, Known, Strength, Without, row};
use super::fields::Fields;
use super::file_tools::kept_lines;
use super::gemini_edit;
use super::marks::Marks;
use super::payload::{self, Call, PayloadError};
use super::unknown_tool::tool_name;
use super::wiring::{
    self, Form, NOT_CHECKED, Plan, REFUSED_UNRUN, Trust, Wiring, or_silence, otherwise,
};
use super::{Client, Phase, Voice, paths};
use crate::domain::{Action, Change, Decision, Entry, Event, Files, Shape, Stored, Verdict, diff};
use serde_json::{Map, Value, json};

/// Gemini CLI.
pub struct Gemini;

const BEFORE_TOOL: &str = "BeforeTool";
const AFTER_TOOL: &str = "AfterTool";
const BEFORE_AGENT: &str = "BeforeAgent";
const AFTER_AGENT: &str = "AfterAgent";

/// Events that no other client has.
const OWN_EVENTS: [&str; 8] = [
    BEFORE_TOOL,
    AFTER_TOOL,
    BEFORE_AGENT,
    AFTER_AGENT,
    "BeforeModel",
    "AfterModel",
    "BeforeToolSelection",
    "PreCompress",
];

const REPLACE: &str = "replace";
const WRITE_FILE: &str = "write_file";

/// What it honours.
const CONTRACT: Contract = Contract {
    name: "gemini",
    title: "Gemini CLI",
    known: Known::Seen("0.61.0"),
    failed: Without::Lets,
    late: Without::Lets,
    rows: &[
        row("BeforeTool", Strength::Deny, "an ask would hang a run without a person"),
        row("AfterTool", Strength::Tell, "the edit stays; the reason replaces the result"),
        row("BeforeAgent", Strength::Deny, "the run ends"),
        row("AfterAgent", Strength::Deny, "the agent goes on, without a limit of the client's"),
    ],
};

impl Client for Gemini {
    fn contract(&self) -> &'static Contract {
        &CONTRACT
    }

    fn wiring(&self) -> Option<&'static Wiring> {
        Some(&WIRING)
    }

    fn marks_programs_by(&self) -> &'static [&'static str] {
        &["GEMINI_CLI"]
    }

    fn write(&self, decision: &Decision, voice: &Voice) -> String {
        let text = voice.text(decision);
        match decision.verdict() {
            Verdict::Deny => deny(&text),
            Verdict::Ask => deny(&voice.refusal(decision, "Gemini CLI")),
            Verdict::Warn | Verdict::Allow if text.is_empty() => String::new(),
            Verdict::Warn | Verdict::Allow => json!({"systemMessage": text}).to_string(),
        }
    }

    fn owns(&self, marks: &Marks) -> bool {
        let event = marks.text("hook_event_name");
        let session = || {
            let transcript = marks.text("transcript_path").unwrap_or_default();
            let own = transcript.replace('\\', "/").contains("/.gemini/");
            own && marks.has("timestamp") && !marks.has("permission_mode")
        };
        event.is_some_and(|event| OWN_EVENTS.contains(&event) || session())
    }

    fn phase(&self, marks: &Marks) -> Phase {
        match marks.text("hook_event_name") {
            // A payload that names no event may be an edit, which must not pass for nothing.
            None | Some(BEFORE_TOOL) => Phase::Before,
            Some(AFTER_TOOL) => Phase::After,
            Some(BEFORE_AGENT) => Phase::Prompt,
            Some(AFTER_AGENT) => Phase::Stop,
            // It has no such event, so nobody knows what silence means there.
            Some(name) if Phase::named(name) == Phase::Permission => Phase::Other,
            Some(name) => Phase::named(name),
        }
    }

    /// Before a tool, whatever is said beside a refusal is shown to the person alone.
    fn warns_before(&self) -> bool {
        false
    }

    fn paths(&self, written: &str, files: &dyn Files) -> Vec<String> {
        paths::gemini(written, files)
    }

    fn searched_paths(&self, written: &str, files: &dyn Files) -> Vec<String> {
        paths::gemini_search(written, files)
    }

    fn read(&self, payload: &[u8], files: &dyn Files) -> Result<Event, PayloadError> {
        let object = payload::object(payload)?;
        let phase = self.phase(&Marks::of(payload));
        if !matches!(phase, Phase::Before | Phase::After) {
            return Ok(payload::beside_tools(phase, &object));
        }
        let after = phase == Phase::After;
        let mut call = Call::of(object);
        let response = call.rest.remove("tool_response");
        // Joined with `_`, the names of server and tool cannot be told apart.
        let served = call.rest.get("mcp_context").and_then(|context| context.get("tool_name"));
        let served = served.and_then(Value::as_str).map(str::to_owned);
        call.event(|tool, input| match input {
            // What another tool has done is on the disk, and what it was to do tells nothing.
            _ if after && tool != REPLACE && tool != WRITE_FILE => Ok(Action::Other),
            Value::Object(input) if after => made(tool, input, response, files),
            Value::Object(input) if tool == REPLACE || tool == WRITE_FILE => {
                Ok(Action::Edit(vec![proposed(tool, input, files)?]))
            }
            Value::Object(_) => {
                let own = served.as_deref().unwrap_or_else(|| tool_name::own_name(tool));
                payload::action_of_own(tool, own, input, files)
            }
            other if tool == REPLACE || tool == WRITE_FILE => {
                let is = super::fields::kind_of(&other);
                Err(PayloadError(format!("`tool_input` is {is}; an object was expected.")))
            }
            other => payload::action(tool, other, files),
        })
    }

    fn write_at(&self, phase: Phase, decision: &Decision, voice: &Voice) -> String {
        let text = voice.text(decision);
        match (phase, decision.verdict()) {
            (Phase::Before, _) => self.write(decision, voice),
            (Phase::After, Verdict::Ask | Verdict::Deny) => deny(&voice.too_late(decision)),
            // What a person should know is told to the model: nobody else is known to hear it.
            (Phase::After, Verdict::Warn | Verdict::Allow) if !text.is_empty() => context(&text),
            // Another turn with the reason as its prompt.
            (Phase::Stop, Verdict::Deny) => deny(&super::left(decision, voice)),
            (Phase::Stop, _) => match voice.beside(String::new()) {
                notes if notes.is_empty() => notes,
                notes => json!({"systemMessage": notes}).to_string(),
            },
            _ => String::new(),
        }
    }
}

fn context(text: &str) -> String {
    json!({"hookSpecificOutput": {"hookEventName": AFTER_TOOL, "additionalContext": text}})
        .to_string()
}

fn deny(reason: &str) -> String {
    json!({"decision": "deny", "reason": reason}).to_string()
}

/// Reads the input of `replace` or `write_file`.
fn proposed(
    tool: &str,
    input: Map<String, Value>,
    files: &dyn Files,
) -> Result<Change, PayloadError> {
    let mut input = Fields::new("tool_input", input);
    let path = input.path(&["file_path"])?;
    let place = if tool == REPLACE { files.search(&path) } else { files.place(&path) };
    let place = place.map_err(PayloadError)?;
    let edit = if tool == REPLACE {
        Edit::Replace(Replacement {
            old: input.text(&["old_string"])?,
            new: input.text(&["new_string"])?,
            everywhere: input.flag(&["allow_multiple"])?,
        })
    } else {
        Edit::Write(input.text(&["content"])?)
    };
    let (before, unsure) = match files.read(&place) {
        Stored::Absent => (None, None),
        Stored::Unknown(why) => (None, Some(why)),
        Stored::Bytes(bytes) => match String::from_utf8(bytes) {
            Ok(text) => (Some(text), None),
            Err(_) => (None, Some("the file is not text in UTF-8".to_owned())),
        },
    };
    let kept = before.as_deref().unwrap_or_default();
    Ok(match (edit, unsure) {
        (Edit::Replace(edit), Some(why)) => Change {
            unsure: Some(why.clone()),
            ..Change::of_lines(tool, place, diff::added(&edit.old, &edit.new), why)
        },
        (Edit::Replace(edit), None) => match gemini_edit::after(before.as_deref(), &edit) {
            Ok(after) => Change::of_text(tool, place, kept, after),
            Err(refusal) => {
                let lines = diff::added(&edit.old, &edit.new);
                Change::of_lines(tool, place, lines, refusal.to_string())
            }
        },
        (Edit::Write(content), unsure) => {
            let after = gemini_edit::written(before.as_deref(), &content);
            Change { unsure, ..Change::of_text(tool, place, kept_lines(kept, &after), after) }
        }
    })
}

enum Edit {
    Replace(Replacement),
    Write(String),
}

/// Reads what one of them has done: the client tells the file before and after.
fn made(
    tool: &str,
    input: Map<String, Value>,
    response: Option<Value>,
    files: &dyn Files,
) -> Result<Action, PayloadError> {
    let Some(Value::Object(mut response)) = response else { return Ok(Action::Other) };
    // A call that failed has changed nothing.
    let Some(Value::Object(display)) = response.remove("returnDisplay") else {
        return Ok(Action::Other);
    };
    let mut display = Fields::new("tool_response.returnDisplay", display);
    let Some(after) = display.text_if_any(&["newContent"])? else { return Ok(Action::Other) };
    let before = display.text_if_any(&["originalContent"])?.unwrap_or_default();
    let path = Fields::new("tool_input", input).path(&["file_path"])?;
    let place = if tool == REPLACE { files.search(&path) } else { files.place(&path) };
    let place = place.map_err(PayloadError)?;
    Ok(Action::Edit(vec![Change::of_text(tool, place, &before, after)]))
}

/// How Gemini CLI is wired.
const WIRING: Wiring = Wiring {
    name: "gemini",
    aliases: &[],
    title: "Gemini CLI",
    signs: &[".gemini", "GEMINI.md"],
    programs: &["gemini"],
    project: ".gemini/settings.json",
    local: None,
    user_variable: None,
    user_folder: ".gemini",
    user: "settings.json",
    beside: None,
    guarded: &[".gemini/settings.json", ".gemini/.env"],
    from_below: false,
    form: Form::Entries("{}\n"),
    entries,
    traps,
    softens: |_| Vec::new(),
    silences: |text| {
        let settings: Value = serde_json::from_str(text).unwrap_or_default();
        settings.pointer("/hooksConfig/enabled") == Some(&Value::Bool(false))
    },
    silent: &[
        "Gemini CLI leaves the hooks of a folder out that is not trusted, also with \
         `--skip-trust`, and says nothing",
        "started in a subfolder, Gemini CLI does not find these settings",
        "its time-outs are milliseconds",
    ],
    trust: Some(Trust {
        file: "trustedFolders.json",
        trusts: |text, folder| {
            let folders: Map<String, Value> = serde_json::from_str(text).unwrap_or_default();
            let trusted = folders.iter().filter(|(_, how)| *how != "DO_NOT_TRUST");
            wiring::is_within(folder, trusted.map(|(folder, _)| folder.as_str()))
        },
        how: "start `gemini` in the project and trust the folder",
    }),
    trial: |project| wiring::trial(BEFORE_TOOL, "read_file", WRITE_FILE, project),
    refuses: |reply| wiring::holds(reply, "/decision", "deny"),
    look: "type /hooks: the entry stands under BeforeTool",
};

/// The tools that change files, and those of servers, any of which may. The expression may fit a
/// part of a name, so it has its anchors.
const TOOLS: &str = "^(write_file|replace|mcp_.*|.*__.*)$";

fn entries(plan: &Plan) -> Vec<Entry> {
    let command = plan.command("gemini");
    let entry = |event: &str, matcher: Option<&str>, command: String| Entry {
        event: event.to_owned(),
        matcher: matcher.map(str::to_owned),
        command,
        // Milliseconds; our own deadline is 10 s.
        timeout: 30_000,
        status: String::new(),
        shape: Shape::NamedGroup,
    };
    vec![
        entry(BEFORE_TOOL, Some(TOOLS), otherwise(&command, &deny(REFUSED_UNRUN))),
        entry(
            AFTER_TOOL,
            Some("^(write_file|replace)$"),
            otherwise(&command, &context(NOT_CHECKED)),
        ),
        entry(AFTER_AGENT, None, or_silence(&command)),
    ]
}

fn traps(text: &str) -> Vec<String> {
    let settings: Value = serde_json::from_str(text).unwrap_or_default();
    let mut traps = Vec::new();
    if settings.pointer("/hooksConfig/enabled") == Some(&Value::Bool(false)) {
        traps.push("`hooksConfig.enabled` is false: Gemini CLI runs no hook at all".to_owned());
    }
    let disabled = settings.pointer("/hooksConfig/disabled").and_then(Value::as_array);
    if disabled.is_some_and(|names| names.iter().any(|name| name == "solvi-hook")) {
        traps.push("`hooksConfig.disabled` names solvi-hook".to_owned());
    }
    if let Some((place, what)) = settings.as_object().and_then(wiring::malformed) {
        traps.push(format!("`{place}` {what}: Gemini CLI may ignore hooks of this file"));
    }
    traps
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::domain::{Content, Place, RepoPath};
    use proptest::prelude::*;

    /// A project with one file.
    struct One(Stored);

    impl Files for One {
        fn place(&self, written: &str) -> Result<Place, String> {
            RepoPath::new(written).map(Place::Inside).ok_or_else(|| "no such place.".to_owned())
        }

        fn read(&self, _place: &Place) -> Stored {
            self.0.clone()
        }
    }

    fn stored(text: Option<&str>) -> One {
        One(text.map_or(Stored::Absent, |text| Stored::Bytes(text.into())))
    }

    fn read(event: &str, tool: &str, input: &Value, more: &Value, file: &One) -> Action {
        let mut payload = json!({"hook_event_name": event, "tool_name": tool, "tool_input": input});
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        Gemini.read(payload.to_string().as_bytes(), file).unwrap().action
    }

    fn change(action: Action) -> Change {
        let Action::Edit(mut changes) = action else { panic!("no edit") };
        changes.remove(0)
    }

    /// Holds every recorded call against what the client left.
    #[test]
    fn every_recorded_call_ends_as_it_did_with_the_client() {
        let (mut written, mut refused) = (0, 0);
        for line in include_str!("../../tests/vectors/gemini-edit-cases.jsonl").lines() {
            let case: Value = serde_json::from_str(line).unwrap();
            let mut input = case["args"].clone();
            input["file_path"] = "a.txt".into();
            let tool = case["tool"].as_str().unwrap();
            let file = stored(case["before"].as_str());
            let change = change(read("BeforeTool", tool, &input, &json!({}), &file));
            if case["after"] == "error" {
                assert!(matches!(change.after, Content::Unknown(_)), "{line}");
                refused += 1;
            } else {
                assert_eq!(change.after.text(), case["after"].as_str(), "{line}");
                written += 1;
            }
        }
        assert_eq!((written, refused), (212, 78));
    }

    #[test]
    fn an_edit_that_was_made_is_read_from_what_the_client_tells() {
        let input = json!({"file_path": "a.py", "old_string": "x", "new_string": "y"});
        let told = json!({"tool_response": {"returnDisplay":
            {"originalContent": "x\n", "newContent": "x\ny\n"}}});
        let change = change(read("AfterTool", "replace", &input, &told, &stored(None)));
        assert_eq!((change.after.text(), change.added.len()), (Some("x\ny\n"), 1));
        let failed = json!({"tool_response": {"returnDisplay": "Error", "error": {}}});
        for (tool, told) in [("replace", failed), ("run_shell_command", told)] {
            assert_eq!(read("AfterTool", tool, &input, &told, &stored(None)), Action::Other);
        }
    }

    #[test]
    fn a_file_that_is_no_text_leaves_us_unsure() {
        let file = One(Stored::Bytes(b"\xe9\n".into()));
        for (tool, mut input) in [
            ("replace", json!({"old_string": "x", "new_string": "y"})),
            ("write_file", json!({"content": "y\n"})),
        ] {
            input["file_path"] = "a".into();
            let change = change(read("BeforeTool", tool, &input, &json!({}), &file));
            assert!(change.unsure.is_some(), "{tool}");
            assert_eq!(change.added.len(), 1);
        }
    }

    #[test]
    fn another_tool_that_carries_text_for_a_file_is_an_edit() {
        let input = json!({"path": "a", "text": "x"});
        let change = change(read("BeforeTool", "mcp_save", &input, &json!({}), &stored(None)));
        assert_eq!(change.added.len(), 1);
        let command = json!({"command": "ls", "description": "list"});
        let action = read("BeforeTool", "run_shell_command", &command, &json!({}), &stored(None));
        assert_eq!(action, Action::Other);
    }

    #[test]
    fn an_ask_is_never_spoken() {
        let unjudged = Decision::unjudged("no rules");
        for phase in [Phase::Before, Phase::After] {
            let reply = Gemini.write_at(phase, &unjudged, &Voice::default());
            let reply: Value = serde_json::from_str(&reply).unwrap();
            assert_eq!(reply["decision"], "deny", "{phase:?}");
            assert!(reply["reason"].as_str().unwrap().contains("no rules"));
        }
        for phase in [Phase::Prompt, Phase::Stop, Phase::Other] {
            assert_eq!(Gemini.write_at(phase, &unjudged, &Voice::default()), "", "{phase:?}");
        }
    }

    #[test]
    fn its_payloads_are_told_by_their_events() {
        let owns = |payload: &Value| Gemini.owns(&Marks::of(payload.to_string().as_bytes()));
        assert!(owns(&json!({"hook_event_name": "BeforeTool"})));
        let mut start = json!({"hook_event_name": "SessionStart", "timestamp": "now",
            "transcript_path": "/home/u/.gemini/tmp/p/chats/s.jsonl"});
        assert!(owns(&start));
        start["transcript_path"] = "/home/u/.claude/projects/p/s.jsonl".into();
        assert!(!owns(&start));
        assert!(!owns(&json!({"hook_event_name": "PreToolUse", "timestamp": "now"})));
    }

    proptest! {
        #[test]
        fn no_bytes_panic(payload in prop::collection::vec(any::<u8>(), 0..64)) {
            let _ = Gemini.read(&payload, &stored(None));
        }
    }
}
