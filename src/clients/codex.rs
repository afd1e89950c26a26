//! How Codex speaks, and how it is answered.
//!
//! Verified with 0.171.0. Before a tool runs, a refusal counts only as `deny` with a reason, with
//! no key beside those that the client knows; `ask` and `allow` are taken for a failed hook and
//! the tool runs. So an *ask* is spoken as a refusal that says how a person can let the edit
//! through. Where the client is about to ask a person anyway, silence leaves the question to it.
//! It has no limit for hooks that keep it from stopping: who refused each time would never let it
//! stop.

use super::claude::PRE_TOOL_USE;
use super::contract::{Contract, Known, Strength, Without, row};
use super::marks::Marks;
use super::payload::{self, PayloadError};
use super::wiring::{
    self, Form, NOT_CHECKED, Plan, REFUSED_UNRUN, Trial, Trust, Wiring, otherwise,
};
use super::{Client, Phase, Voice, codex_patch, codex_shell, patch};
use crate::domain::{Action, Change, Decision, Entry, Event, Files, Shape, Verdict};
use serde_json::{Value, json};

/// Codex.
pub struct Codex;

const PERMISSION_REQUEST: &str = "PermissionRequest";
const POST_TOOL_USE: &str = "PostToolUse";
const STOP: &str = "Stop";

/// How the files begin in which the client keeps its sessions.
const ROLLOUT: &str = "/rollout-";

fn action(
    tool: &str,
    input: Value,
    files: &dyn Files,
    notes: &mut Vec<String>,
) -> Result<Action, PayloadError> {
    let edit = |changes: Vec<Change>| {
        if changes.is_empty() { Action::Other } else { Action::Edit(changes) }
    };
    match (tool, input.get("command").unwrap_or(&input).as_str()) {
        ("apply_patch", Some(text)) if text.contains(patch::MARKER) => {
            Ok(edit(codex_patch::changes(tool, text, files)?))
        }
        ("Bash", Some(command)) => {
            let patch = codex_shell::read(tool, command, files)?;
            notes.extend(patch.note.map(str::to_owned));
            Ok(edit(patch.changes))
        }
        _ => payload::action(tool, input, files),
    }
}

/// Reads what a patch has done: of a file that is changed already only the new lines are told.
fn made(tool: &str, input: &Value, files: &dyn Files) -> Result<Action, PayloadError> {
    match (tool, input.get("command").unwrap_or(input).as_str()) {
        ("apply_patch", Some(text)) if text.contains(patch::MARKER) => {
            Ok(Action::Edit(patch::changes(tool, &[text], files)?))
        }
        _ => Ok(Action::Other),
    }
}

/// What it honours.
const CONTRACT: Contract = Contract {
    name: "codex",
    title: "Codex",
    known: Known::Seen("0.171.0"),
    failed: Without::Lets,
    late: Without::Lets,
    rows: &[
        row("PreToolUse", Strength::Deny, "text typed into a running shell is not seen"),
        row("PermissionRequest", Strength::Ask, "silence leaves the question to the client"),
        row("PostToolUse", Strength::Tell, "the edit stays; the reason replaces the result"),
        row("Stop", Strength::Deny, "the agent goes on, without a limit of the client's"),
    ],
};

impl Client for Codex {
    fn contract(&self) -> &'static Contract {
        &CONTRACT
    }

    fn wiring(&self) -> Option<&'static Wiring> {
        Some(&WIRING)
    }

    fn marks_programs_by(&self) -> &'static [&'static str] {
        &["CODEX_SANDBOX", "CODEX_CI"]
    }

    fn write(&self, decision: &Decision, voice: &Voice) -> String {
        let text = voice.text(decision);
        let refuse = |reason: &str| {
            json!({"hookSpecificOutput": {
                "hookEventName": PRE_TOOL_USE,
                "permissionDecision": "deny",
                "permissionDecisionReason": reason,
            }})
            .to_string()
        };
        match decision.verdict() {
            Verdict::Deny => refuse(&text),
            Verdict::Ask => refuse(&voice.refusal(decision, "Codex")),
            Verdict::Warn => json!({
                "systemMessage": text,
                "hookSpecificOutput": {
                    "hookEventName": PRE_TOOL_USE,
                    "additionalContext": text,
                },
            })
            .to_string(),
            Verdict::Allow if text.is_empty() => String::new(),
            Verdict::Allow => json!({"systemMessage": text}).to_string(),
        }
    }

    fn owns(&self, marks: &Marks) -> bool {
        let transcript = marks.text("transcript_path").unwrap_or_default();
        marks.has("turn_id") || transcript.replace('\\', "/").contains(ROLLOUT)
    }

    fn read(&self, payload: &[u8], files: &dyn Files) -> Result<Event, PayloadError> {
        let mut call = payload::object(payload)?;
        let phase = self.phase(&Marks::of(payload));
        if !matches!(phase, Phase::Before | Phase::Permission | Phase::After) {
            return Ok(payload::beside_tools(phase, &call));
        }
        let session = payload::session(&call);
        let Some(Value::String(tool)) = call.remove("tool_name").filter(|name| *name != "") else {
            return payload::read(payload, files);
        };
        let input = call.remove("tool_input").unwrap_or_default();
        let mut notes = Vec::new();
        let action = match phase {
            Phase::After => made(&tool, &input, files)?,
            _ => action(&tool, input, files, &mut notes)?,
        };
        Ok(Event { tool, session, action, notes })
    }

    fn write_at(&self, phase: Phase, decision: &Decision, voice: &Voice) -> String {
        match phase {
            Phase::Before => self.write(decision, voice),
            Phase::Permission => permission(decision, voice),
            Phase::After => super::after_tool(POST_TOOL_USE, decision, voice),
            Phase::Stop => super::at_stop(decision, voice),
            _ => String::new(),
        }
    }
}

/// Writes the reply where a person is about to be asked.
fn permission(decision: &Decision, voice: &Voice) -> String {
    let decide = |answer: Value| {
        let output = json!({"hookEventName": PERMISSION_REQUEST, "decision": answer});
        json!({"hookSpecificOutput": output}).to_string()
    };
    match decision.verdict() {
        Verdict::Deny => decide(json!({"behavior": "deny", "message": voice.text(decision)})),
        Verdict::Allow if voice.approve && voice.judged => decide(json!({"behavior": "allow"})),
        // The client asks, as it is about to.
        Verdict::Ask | Verdict::Warn | Verdict::Allow => String::new(),
    }
}

/// How Codex is wired.
const WIRING: Wiring = Wiring {
    name: "codex",
    aliases: &[],
    title: "Codex",
    signs: &[".codex"],
    programs: &["codex"],
    project: ".codex/hooks.json",
    local: None,
    user_variable: Some("CODEX_HOME"),
    user_folder: ".codex",
    user: "hooks.json",
    beside: Some("config.toml"),
    guarded: &[".codex/hooks.json", ".codex/config.toml"],
    from_below: true,
    form: Form::Entries("{}\n"),
    entries,
    traps,
    softens: |_| Vec::new(),
    silences: |text| switched_off(text),
    silent: &[
        "Codex runs a hook only after a person has trusted its very definition, and `codex exec` \
         does not say when it leaves one out: start `codex`, type /hooks, and trust it; again \
         after each install that changes it",
        "a project that is not trusted loses its whole .codex folder",
        "text that is typed into a running shell reaches no hook",
    ],
    trust: Some(Trust {
        file: "config.toml",
        trusts: trusts_project,
        how: "start `codex` in the project and trust it",
    }),
    trial,
    refuses: |reply| wiring::holds(reply, "/hookSpecificOutput/permissionDecision", "deny"),
    look: "type /hooks: the entry stands under PreToolUse, trusted",
};

/// The tools that change files: a patch may also come as a command.
const TOOLS: &str = "^(apply_patch|Bash|mcp__.*)$";

fn entries(plan: &Plan) -> Vec<Entry> {
    let command = plan.command("codex");
    let worst = json!({"hookSpecificOutput": {
        "hookEventName": PRE_TOOL_USE,
        "permissionDecision": "deny",
        "permissionDecisionReason": REFUSED_UNRUN,
    }});
    let entry = |event: &str, matcher: Option<&str>, command: String, status: &str| Entry {
        event: event.to_owned(),
        matcher: matcher.map(str::to_owned),
        command,
        // Seconds; our own deadline is 10.
        timeout: 30,
        status: status.to_owned(),
        shape: Shape::Group,
    };
    let before = otherwise(&command, &worst.to_string());
    let after = otherwise(&command, &json!({"systemMessage": NOT_CHECKED}).to_string());
    let written = "checking what was written";
    vec![
        entry(PRE_TOOL_USE, Some(TOOLS), before, "checking the edit"),
        entry(POST_TOOL_USE, Some("apply_patch"), after.clone(), written),
        entry(STOP, None, after, "checking the working tree"),
    ]
}

fn traps(text: &str) -> Vec<String> {
    let Ok(settings) = serde_json::from_str::<Value>(text) else {
        // The other file is TOML, and its reader says what is wrong with it.
        let json = text.trim_start().starts_with('{');
        return json.then(|| wiring::not_plain(text, "Codex")).flatten().into_iter().collect();
    };
    let malformed = settings.as_object().and_then(wiring::malformed);
    malformed
        .map(|(place, what)| format!("`{place}` {what}: Codex may ignore this file"))
        .into_iter()
        .collect()
}

/// Tells whether `config.toml` switches all hooks off.
fn switched_off(text: &str) -> bool {
    let mut table = "";
    text.lines().map(str::trim).any(|line| {
        if line.starts_with('[') {
            table = line;
        }
        let line: String = line.split('#').next().unwrap_or_default().split_whitespace().collect();
        line == "features.hooks=false" || table.starts_with("[features]") && line == "hooks=false"
    })
}

/// Tells whether `config.toml` trusts a project.
fn trusts_project(text: &str, project: &str) -> bool {
    let head = format!("[projects.{}]", Value::from(project));
    let mut lines = text.lines().map(str::trim).skip_while(|line| *line != head).skip(1);
    let table = lines.by_ref().take_while(|line| !line.starts_with('['));
    table.map(|line| line.replace(' ', "")).any(|line| line == "trust_level=\"trusted\"")
}

fn trial(project: &str) -> Trial {
    let payload = |tool: &str, input: &Value| {
        json!({
            "session_id": "solvi-hook-doctor",
            "turn_id": "solvi-hook-doctor",
            "cwd": project,
            "hook_event_name": PRE_TOOL_USE,
            "permission_mode": "default",
            "tool_name": tool,
            "tool_input": input,
            "tool_use_id": "solvi-hook-doctor",
        })
        .to_string()
    };
    let patch = "*** Begin Patch\n*** Add File: .git/solvi-hook-doctor\n+a trial\n*** End Patch\n";
    Trial {
        harmless: payload("view_image", &json!({"path": "a.png"})),
        refused: payload("apply_patch", &json!({"command": patch})),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::clients::recorded::{Table, payloads};

    #[test]
    fn an_ask_is_spoken_as_a_refusal_that_names_the_way_on() {
        let reply = Codex.write(&Decision::unjudged("the payload is no JSON"), &Voice::default());
        let reply: Value = serde_json::from_str(&reply).unwrap_or_default();
        assert_eq!(reply["hookSpecificOutput"]["permissionDecision"], "deny");
        let reason = reply["hookSpecificOutput"]["permissionDecisionReason"].to_string();
        assert!(reason.contains("a person can make the edit"), "{reason}");
    }

    #[test]
    fn silence_is_the_only_approval() {
        let voice = Voice { approve: true, judged: true, notes: Vec::new() };
        assert_eq!(Codex.write(&Decision::default(), &voice), "");
    }

    #[test]
    fn every_recorded_payload_is_an_edit_or_none_of_our_business() {
        let files = Table::of(&json!({
            "/r/a.py": "def f():\n    return 1\n", "a.py": "def f():\n    return 1\n",
            "sub/a.py": "def f():\n    return 1\n", "old.py": "o = 1\n", "m.py": "m = 1\n",
        }));
        let mut edits = Vec::new();
        let all = payloads("codex");
        for (name, payload) in &all {
            let Action::Edit(changes) = Codex.read(payload.as_bytes(), &files).unwrap().action
            else {
                continue;
            };
            if Codex.phase(&Marks::of(payload.as_bytes())) == Phase::After {
                continue;
            }
            let places = changes.iter().map(|change| change.place.to_string());
            edits.push(format!("{name} {}", places.collect::<Vec<_>>().join(" ")));
            let known =
                changes.iter().all(|change| change.after.text().is_some() || change.deletes());
            assert!(known, "{name}");
        }
        assert_eq!(all.len(), 39);
        assert_eq!(
            edits,
            [
                "PermissionRequest-apply_patch a.py",
                "PreToolUse-Bash-heredoc a.py /r/a.py sub/a.py",
                "PreToolUse-Bash-heredoc-cd sub/a.py",
                "PreToolUse-Bash-heredoc-workdir a.py /r/a.py sub/a.py",
                "PreToolUse-apply_patch a.py",
                "PreToolUse-apply_patch-absolute /r/a.py",
                "PreToolUse-apply_patch-code-mode a.py",
                "PreToolUse-apply_patch-many a.py new/b.py old.py m.py moved/n.py",
                "PreToolUse-apply_patch-subagent a.py",
                "PreToolUse-apply_patch-subfolder a.py",
                "PreToolUse-mcp /r/m.txt",
            ]
        );
    }
}
