//! How Copilot CLI speaks, and how it is answered.
//!
//! Verified with 1.0.102. One event may come in two spellings: flat, with `toolName` and
//! `toolArgs`, or as Claude Code has it, with `tool_name` and `tool_input`; a reply holds its
//! answer in both forms, and each spelling takes its own. `ask` is known before a tool runs. Where
//! permissions are decided only a refusal is spoken, so that a person's yes to our question is not
//! taken back. Text for a person has no place in any reply.

use super::claude::PRE_TOOL_USE;
use super::contract::{Contract, Known, Strength, Without, row};
use super::copilot_edit;
use super::copilot_permission;
use super::fields::{Fields, kind_of};
use super::file_tools::place;
use super::marks::Marks;
use super::payload::{self, PayloadError};
use super::unknown_tool::tool_name;
use super::wiring::{
    self, Form, NOT_CHECKED, Plan, REFUSED_UNRUN, Trial, Trust, Wiring, or_silence, otherwise,
};
use super::{Client, Phase, Voice, copilot_patch, patch};
use crate::domain::{
    Action, Change, Decision, Entry, Event, Files, Session, Shape, Stored, Verdict, diff,
};
use serde_json::{Map, Value, json};

/// Copilot CLI.
pub struct Copilot;

/// The events in the spelling of Claude Code.
const PASCAL: [&str; 13] = [
    "ErrorOccurred",
    "Notification",
    "PermissionRequest",
    "PostToolUse",
    "PostToolUseFailure",
    "PreCompact",
    "PreToolUse",
    "SessionEnd",
    "SessionStart",
    "Stop",
    "SubagentStart",
    "SubagentStop",
    "UserPromptSubmit",
];

/// Where the name of a tool stands, and where what it is called with.
const TOOL: [&str; 2] = ["toolName", "tool_name"];
const INPUT: [&str; 3] = ["toolArgs", "tool_input", "toolInput"];

/// Tells when a call comes. The flat spelling does not name the event before a tool: it is the
/// one that has a tool, or what one is called with, and nothing of what became of it.
fn phase(named: Option<&str>, has: impl Fn(&str) -> bool) -> Phase {
    match named {
        Some("preToolUse") => Phase::Before,
        Some("permissionRequest") => Phase::Permission,
        Some("agentStop" | "Stop") if has("agentId") || has("agent_id") => Phase::SubagentStop,
        Some("agentStop") => Phase::Stop,
        Some(name) => Phase::named(name),
        // The end of a sub-agent's work is told as the end of the agent's, with its name.
        None if has("stop_hook_active") && has("agentId") => Phase::SubagentStop,
        None if has("stop_hook_active") => Phase::Stop,
        None if has("error") => Phase::Other,
        None if has("toolResult") => Phase::After,
        None if TOOL.iter().chain(&INPUT).any(|name| has(name)) => Phase::Before,
        // Nothing of this client's: better judged than passed.
        None if !has("sessionId") => Phase::Before,
        None => Phase::Other,
    }
}

fn read_at(
    phase: Phase,
    mut call: Map<String, Value>,
    files: &dyn Files,
) -> Result<Event, PayloadError> {
    let session = session(&call);
    if !matches!(phase, Phase::Before | Phase::Permission | Phase::After) {
        let action = if phase == Phase::Stop { payload::stop(&call) } else { Action::Other };
        return Ok(Event { session, action, ..Event::default() });
    }
    let mut take = |names: &[&str]| names.iter().find_map(|name| call.remove(*name));
    let tool = take(&TOOL);
    let tool = tool.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned();
    let input = take(&INPUT).unwrap_or_default();
    let action = match phase {
        Phase::Permission => edit(copilot_permission::changes(&tool, &input, files)?),
        Phase::After => made(&tool, input, files)?,
        _ => match changes(&tool, input, files)? {
            Read::Changes(changes) => edit(changes),
            Read::Others(input) => {
                // A tool of a server is named `server-tool`.
                let own = tool_name::own_name(&tool);
                let own = own.split_once('-').map_or(own, |(_, own)| own);
                payload::action_of_own(&tool, own, input, files)?
            }
        },
    };
    Ok(Event { tool, session, action, ..Event::default() })
}

fn edit(changes: Vec<Change>) -> Action {
    if changes.is_empty() { Action::Other } else { Action::Edit(changes) }
}

/// Reads what an edit has done: of a file that is changed already only the new lines are told.
fn made(tool: &str, input: Value, files: &dyn Files) -> Result<Action, PayloadError> {
    if let Some(text) = input.as_str().filter(|text| text.contains(patch::MARKER)) {
        return Ok(edit(patch::changes(tool, &[text], files)?));
    }
    let Value::Object(input) = input else { return Ok(Action::Other) };
    if !matches!(tool, "edit" | "create" | "Edit" | "Write") {
        return Ok(Action::Other);
    }
    let mut input = Fields::new("toolArgs", input);
    let place = place(&input.path(&["path"])?, files)?;
    let old = input.text_if_any(&["old_str"])?.unwrap_or_default();
    let new = input.text_if_any(&["new_str", "file_text"])?.unwrap_or_default();
    let why = "the edit is made";
    Ok(Action::Edit(vec![Change::of_lines(tool, place, diff::added(&old, &new), why)]))
}

fn session(call: &Map<String, Value>) -> Session {
    let name = |key: &str| {
        call.get(key).and_then(Value::as_str).filter(|name| !name.is_empty()).map(str::to_owned)
    };
    Session {
        session_id: name("sessionId").or_else(|| name("session_id")),
        agent_id: name("agentId").or_else(|| name("agent_id")),
        ..Session::default()
    }
}

/// What an input is.
enum Read {
    /// These changes, or nothing to judge.
    Changes(Vec<Change>),
    /// An input of no tool of the client's own.
    Others(Value),
}

/// Reads the input of a tool that is about to run.
fn changes(tool: &str, input: Value, files: &dyn Files) -> Result<Read, PayloadError> {
    if matches!(tool, "bash" | "Bash" | "powershell") {
        return Ok(Read::Changes(Vec::new()));
    }
    // What a call without a tool's name would do is told by its input.
    let ours = matches!(tool, "" | "edit" | "create" | "apply_patch" | "Edit" | "Write");
    let input = match input {
        Value::String(text) => match serde_json::from_str(&text) {
            Ok(Value::Object(input)) => Value::Object(input),
            _ if ours && text.contains(patch::MARKER) => {
                return Ok(Read::Changes(copilot_patch::changes(tool, &text, files)?));
            }
            _ => Value::String(text),
        },
        input => input,
    };
    let has = |name: &str| input.get(name).is_some_and(|value| !value.is_null());
    match input {
        Value::Object(_) if has("file_text") && ours => {
            let Value::Object(input) = input else { return Ok(Read::Others(input)) };
            let mut input = Fields::new("toolArgs", input);
            let place = place(&input.path(&["path"])?, files)?;
            let text = input.text(&["file_text"])?;
            Ok(Read::Changes(vec![created(tool, place, text, files)]))
        }
        Value::Object(_) if has("old_str") && ours => {
            let Value::Object(input) = input else { return Ok(Read::Others(input)) };
            Ok(Read::Changes(vec![edited(tool, Fields::new("toolArgs", input), files)?]))
        }
        Value::Object(ref fields) if ours => match fields.get("input").and_then(Value::as_str) {
            Some(text) if text.contains(patch::MARKER) => {
                Ok(Read::Changes(copilot_patch::changes(tool, text, files)?))
            }
            // Whatever else an edit tool is given is read as others read it, or is an error.
            _ if matches!(tool, "edit" | "create") => {
                let mut input = Fields::new("toolArgs", fields.clone());
                input.path(&["path"])?;
                input.text(&[if tool == "edit" { "old_str" } else { "file_text" }])?;
                Ok(Read::Others(input_of(fields)))
            }
            _ => Ok(Read::Others(input)),
        },
        Value::Object(_) => Ok(Read::Others(input)),
        other if ours => {
            let is = kind_of(&other);
            Err(PayloadError(format!("`toolArgs` is {is}; the fields of an edit were expected.")))
        }
        _ => Ok(Read::Changes(Vec::new())),
    }
}

fn input_of(fields: &Map<String, Value>) -> Value {
    Value::Object(fields.clone())
}

/// Returns the change of a created file. The client refuses to create one that is there; what it
/// would hold is judged all the same.
fn created(tool: &str, place: crate::domain::Place, text: String, files: &dyn Files) -> Change {
    match files.read(&place) {
        Stored::Absent => Change::of_text(tool, place, "", text),
        Stored::Bytes(bytes) => {
            Change::of_text(tool, place, &String::from_utf8_lossy(&bytes), text)
        }
        Stored::Unknown(why) => {
            Change { unsure: Some(why), ..Change::of_text(tool, place, "", text) }
        }
    }
}

fn edited(tool: &str, mut input: Fields, files: &dyn Files) -> Result<Change, PayloadError> {
    let place = place(&input.path(&["path"])?, files)?;
    let (old, new) = (input.text(&["old_str"])?, input.text(&["new_str"])?);
    let lines = |why: String, unsure: Option<String>, place| {
        let change = Change::of_lines(tool, place, diff::added(&old, &new), why);
        Change { unsure, ..change }
    };
    let before = match files.read(&place) {
        Stored::Absent => {
            let why = "the client refuses this edit: there is no such file".to_owned();
            return Ok(lines(why, None, place));
        }
        Stored::Unknown(why) => return Ok(lines(why.clone(), Some(why), place)),
        Stored::Bytes(bytes) => String::from_utf8(bytes),
    };
    let Ok(before) = before else {
        let why = "the file is no UTF-8 text".to_owned();
        return Ok(lines(why.clone(), Some(why), place));
    };
    Ok(match copilot_edit::after(&before, &old, &new) {
        Ok(after) => Change::of_text(tool, place, &before, after),
        Err(cause) => lines(cause.to_string(), None, place),
    })
}

/// What it honours.
const CONTRACT: Contract = Contract {
    name: "copilot",
    title: "GitHub Copilot CLI",
    known: Known::Seen("1.0.102"),
    failed: Without::Refuses,
    late: Without::Lets,
    rows: &[
        row("preToolUse", Strength::Ask, "in `copilot -p` an ask is a refusal"),
        row("permissionRequest", Strength::Deny, "one file at a time, the earlier ones made"),
        row("postToolUse", Strength::Tell, "the edit stays; the model reads the reason"),
        row("userPromptSubmitted", Strength::Deny, "the run ends"),
        row("agentStop", Strength::Deny, "the agent goes on, 8 times in a row at most"),
    ],
};

impl Client for Copilot {
    fn contract(&self) -> &'static Contract {
        &CONTRACT
    }

    fn wiring(&self) -> Option<&'static Wiring> {
        Some(&WIRING)
    }

    fn marks_programs_by(&self) -> &'static [&'static str] {
        &["COPILOT_CLI"]
    }

    fn write(&self, decision: &Decision, voice: &Voice) -> String {
        let text = voice.text(decision);
        let verdict = decision.verdict();
        let mut answer = Map::new();
        if verdict >= Verdict::Ask {
            answer.insert("permissionDecision".to_owned(), json!(verdict.word()));
            answer.insert("permissionDecisionReason".to_owned(), json!(text));
        } else if voice.approve && voice.judged {
            answer.insert("permissionDecision".to_owned(), json!("allow"));
        }
        if verdict == Verdict::Warn {
            answer.insert("additionalContext".to_owned(), json!(text));
        }
        if answer.is_empty() {
            return String::new();
        }
        let mut nested = answer.clone();
        nested.insert("hookEventName".to_owned(), json!(PRE_TOOL_USE));
        answer.insert("hookSpecificOutput".to_owned(), Value::Object(nested));
        Value::Object(answer).to_string()
    }

    fn owns(&self, marks: &Marks) -> bool {
        let transcript = marks.text("transcript_path").unwrap_or_default().replace('\\', "/");
        let pascal = || {
            marks.has("timestamp")
                && marks.text("hook_event_name").is_some_and(|name| PASCAL.contains(&name))
                && !marks.has("permission_mode")
                && (transcript.is_empty() || transcript.contains("/session-state/"))
        };
        marks.has("sessionId") || pascal()
    }

    fn variable(&self) -> Option<&'static str> {
        Some("COPILOT_CLI")
    }

    fn phase(&self, marks: &Marks) -> Phase {
        let named = ["hook_event_name", "hookName"].iter().find_map(|name| marks.text(name));
        // Of what became of a call nothing is told by null.
        let told = ["error", "toolResult"];
        phase(named, |name| marks.has(name) && (!told.contains(&name) || marks.holds(name)))
    }

    fn read(&self, payload: &[u8], files: &dyn Files) -> Result<Event, PayloadError> {
        let call = payload::object(payload)?;
        read_at(self.phase(&Marks::of(payload)), call, files)
    }

    fn write_at(&self, phase: Phase, decision: &Decision, voice: &Voice) -> String {
        match phase {
            Phase::Before => self.write(decision, voice),
            Phase::Permission => permission(decision, voice),
            Phase::After => after(decision, voice),
            Phase::Stop if decision.verdict() == Verdict::Deny => {
                json!({"decision": "block", "reason": super::left(decision, voice)}).to_string()
            }
            _ => String::new(),
        }
    }
}

/// Writes the reply after a tool: the nested form is ignored there. What a person should know is
/// told to the model, for nobody else hears anything.
fn after(decision: &Decision, voice: &Voice) -> String {
    let text = voice.text(decision);
    match decision.verdict() {
        Verdict::Ask | Verdict::Deny => {
            json!({"decision": "block", "reason": voice.too_late(decision)}).to_string()
        }
        Verdict::Allow if text.is_empty() => String::new(),
        Verdict::Warn | Verdict::Allow => json!({"additionalContext": text}).to_string(),
    }
}

/// Writes the reply where permissions are decided.
fn permission(decision: &Decision, voice: &Voice) -> String {
    match decision.verdict() {
        Verdict::Deny => json!({"behavior": "deny", "message": voice.text(decision)}).to_string(),
        Verdict::Allow if voice.approve && voice.judged => json!({"behavior": "allow"}).to_string(),
        // Where everything is allowed beforehand, silence would be a yes.
        Verdict::Ask if !decision.troubles.is_empty() => {
            let message = voice.refusal(decision, "Copilot CLI");
            json!({"behavior": "deny", "message": message}).to_string()
        }
        Verdict::Ask | Verdict::Warn | Verdict::Allow => String::new(),
    }
}

/// How Copilot CLI is wired.
const WIRING: Wiring = Wiring {
    name: "copilot",
    aliases: &[],
    title: "GitHub Copilot CLI",
    signs: &[".github/hooks", ".github/copilot", ".github/copilot-instructions.md"],
    programs: &["copilot"],
    project: ".github/hooks/solvi-hook.json",
    local: None,
    user_variable: Some("COPILOT_HOME"),
    user_folder: ".copilot",
    user: "hooks/solvi-hook.json",
    beside: None,
    guarded: &[".github/hooks/", ".github/copilot/"],
    from_below: true,
    form: Form::Entries("{\n  \"version\": 1\n}\n"),
    entries,
    traps,
    softens: |_| Vec::new(),
    silences: |_| false,
    silent: &[
        "Copilot leaves the hooks of a folder out that is not trusted, also with `--yolo`, and \
         says nothing",
        "started in a subfolder, Copilot finds these hooks only if the root itself is trusted",
        "Copilot also reads .claude/settings.json: with our entry for Claude Code there, an edit \
         is judged twice",
        "a hook that takes longer than its `timeoutSec` lets the tool run",
    ],
    trust: Some(Trust {
        file: "config.json",
        trusts: |text, folder| {
            let config: Value = serde_json::from_str(text).unwrap_or_default();
            let named = config.get("trustedFolders").and_then(Value::as_array);
            wiring::is_within(folder, named.into_iter().flatten().filter_map(Value::as_str))
        },
        how: "start `copilot` in the project's root and trust the folder",
    }),
    trial,
    refuses: |reply| wiring::holds(reply, "/permissionDecision", "deny"),
    look: "ask it to edit a file under .git: it is refused",
};

fn entries(plan: &Plan) -> Vec<Entry> {
    let command = plan.command("copilot");
    let worst = json!({"permissionDecision": "deny", "permissionDecisionReason": REFUSED_UNRUN});
    let refused = json!({"behavior": "deny", "message": REFUSED_UNRUN});
    let after = otherwise(&command, &json!({"additionalContext": NOT_CHECKED}).to_string());
    let entry = |event: &str, matcher: Option<&str>, command: String| Entry {
        event: event.to_owned(),
        matcher: matcher.map(str::to_owned),
        command,
        // Seconds; our own deadline is 10.
        timeout: 30,
        status: String::new(),
        shape: Shape::Bash,
    };
    vec![
        // No matcher: how the tools of a server are named is not known, and any of them may write.
        entry("preToolUse", None, otherwise(&command, &worst.to_string())),
        entry("permissionRequest", Some("edit"), otherwise(&command, &refused.to_string())),
        entry("postToolUse", Some("edit|create|apply_patch"), after),
        entry("agentStop", None, or_silence(&command)),
    ]
}

fn traps(text: &str) -> Vec<String> {
    if let Some(trap) = wiring::not_plain(text, "Copilot") {
        return vec![trap];
    }
    let file: Value = serde_json::from_str(text).unwrap_or_default();
    let mut traps = Vec::new();
    if file.get("disableAllHooks") == Some(&Value::Bool(true)) {
        traps.push("`disableAllHooks` is true: Copilot runs no hook of this file".to_owned());
    }
    if file.get("version").is_some_and(|version| *version != json!(1)) {
        traps.push("`version` is not 1: Copilot ignores this whole file".to_owned());
    }
    traps
}

fn trial(project: &str) -> Trial {
    let file = format!("{project}/.git/solvi-hook-doctor");
    let payload = |tool: &str, arguments: &Value| {
        json!({
            "sessionId": "solvi-hook-doctor",
            "timestamp": 0,
            "cwd": project,
            "toolName": tool,
            "toolArgs": arguments,
        })
        .to_string()
    };
    Trial {
        harmless: payload("view", &json!({"path": file})),
        refused: payload("create", &json!({"path": file, "file_text": "a trial\n"})),
    }
}

#[cfg(test)]
mod tests;
