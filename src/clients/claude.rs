//! How Claude Code is read and answered.
//!
//! Verified with 2.1.197: the object must be the only thing on standard output and must name its
//! event; `ask` and `deny` carry their reason to the model; `systemMessage` reaches the person,
//! `additionalContext` the model. Silence leaves the client's own rules in charge. After a tool the
//! payload holds the file as it was, with plain line ends; what it is now stands on the disk.

use super::claude_edit::Encoding;
use super::contract::{Contract, Known, Strength, Without, row};
use super::file_tools;
use super::marks::Marks;
use super::payload::{self, Call, PayloadError};
use super::wiring::{self, COULD_NOT_RUN, Form, NOT_CHECKED, Plan, Wiring, otherwise};
use super::{Client, Phase, Voice, after_tool, at_stop, paths};
use crate::domain::{Action, Change, Decision, Entry, Event, Files, Shape, Stored, Verdict};
use serde_json::{Value, json};

/// The event's name, without which the client ignores the reply.
pub const PRE_TOOL_USE: &str = "PreToolUse";

const PERMISSION_REQUEST: &str = "PermissionRequest";
const POST_TOOL_USE: &str = "PostToolUse";
const STOP: &str = "Stop";

/// The folder in which the client keeps its sessions, unless a variable moves it.
const SESSIONS: &str = "/.claude/projects/";

/// Claude Code.
pub struct Claude;

/// What it honours.
const CONTRACT: Contract = Contract {
    name: "claude",
    title: "Claude Code",
    known: Known::Seen("2.1.197"),
    failed: Without::Lets,
    late: Without::Lets,
    rows: &[
        row("PreToolUse", Strength::Ask, "in `claude -p` an ask is a refusal"),
        row("PermissionRequest", Strength::Ask, "silence leaves the question to the client"),
        row("PostToolUse", Strength::Tell, "the edit stays; the model reads the reason"),
        row("UserPromptSubmit", Strength::Deny, "the prompt is not worked on"),
        row("Stop", Strength::Deny, "the agent goes on, 8 times in a row at most"),
    ],
};

impl Client for Claude {
    fn contract(&self) -> &'static Contract {
        &CONTRACT
    }

    fn wiring(&self) -> Option<&'static Wiring> {
        Some(&WIRING)
    }

    fn marks_programs_by(&self) -> &'static [&'static str] {
        &["CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT"]
    }

    fn write(&self, decision: &Decision, voice: &Voice) -> String {
        let text = voice.text(decision);
        let verdict = decision.verdict();
        if verdict >= Verdict::Ask {
            return answer(verdict.word(), &text).to_string();
        }
        let mut reply = if voice.approve && voice.judged {
            answer("allow", "solvi-hook: no rule stands against this edit.")
        } else if text.is_empty() {
            return String::new();
        } else {
            json!({"hookSpecificOutput": {"hookEventName": PRE_TOOL_USE}})
        };
        if !text.is_empty() {
            if verdict == Verdict::Warn {
                reply["hookSpecificOutput"]["additionalContext"] = json!(text);
            }
            reply["systemMessage"] = json!(text);
        }
        reply.to_string()
    }

    fn owns(&self, marks: &Marks) -> bool {
        let transcript = marks.text("transcript_path").unwrap_or_default().replace('\\', "/");
        marks.has("effort") || marks.has("prompt_id") || transcript.contains(SESSIONS)
    }

    fn paths(&self, written: &str, files: &dyn Files) -> Vec<String> {
        paths::claude(written, files)
    }

    fn read(&self, payload: &[u8], files: &dyn Files) -> Result<Event, PayloadError> {
        let phase = self.phase(&Marks::of(payload));
        match phase {
            Phase::Before | Phase::Permission => payload::read(payload, files),
            Phase::After => {
                let mut call = Call::of(payload::object(payload)?);
                let response = call.rest.remove("tool_response").unwrap_or_default();
                call.event(|tool, input| made(tool, input, &response, files))
            }
            _ => Ok(payload::beside_tools(phase, &payload::object(payload)?)),
        }
    }

    fn write_at(&self, phase: Phase, decision: &Decision, voice: &Voice) -> String {
        match phase {
            Phase::Before => self.write(decision, voice),
            Phase::Permission if decision.verdict() == Verdict::Deny => {
                let answer = json!({"behavior": "deny", "message": voice.text(decision)});
                let output = json!({"hookEventName": PERMISSION_REQUEST, "decision": answer});
                json!({"hookSpecificOutput": output}).to_string()
            }
            Phase::After => after_tool(POST_TOOL_USE, decision, voice),
            Phase::Stop => at_stop(decision, voice),
            // Where a person is asked anyway, silence leaves the question to the client.
            _ => String::new(),
        }
    }
}

/// Reads what a tool has done.
fn made(
    tool: &str,
    input: Value,
    response: &Value,
    files: &dyn Files,
) -> Result<Action, PayloadError> {
    // What a server's tool has made of a file that it has changed is not computed once more.
    if tool.starts_with("mcp__") {
        return Ok(Action::Other);
    }
    let path = ["file_path", "notebook_path"].iter().find_map(|name| input.get(name)?.as_str());
    let Some(path) = path.filter(|_| file_tools::TOOLS.contains(&tool)) else {
        return payload::action(tool, input, files);
    };
    let place = file_tools::place(path, files)?;
    let before = ["originalFile", "original_file"].iter().find_map(|name| response.get(name));
    let before = before.and_then(Value::as_str).unwrap_or_default();
    Ok(Action::Edit(vec![match files.read(&place) {
        Stored::Absent => Change::of_deletion(tool, place),
        Stored::Unknown(why) => Change::of_lines(tool, place, Vec::new(), why),
        Stored::Bytes(bytes) => {
            let after = Encoding::of(&bytes).decode(&bytes).into_owned();
            Change::of_text(tool, place, before, after)
        }
    }]))
}

fn answer(word: &str, reason: &str) -> Value {
    json!({"hookSpecificOutput": {
        "hookEventName": PRE_TOOL_USE,
        "permissionDecision": word,
        "permissionDecisionReason": reason,
    }})
}

/// How Claude Code is wired.
const WIRING: Wiring = Wiring {
    name: "claude",
    aliases: &["claude-code"],
    title: "Claude Code",
    signs: &[".claude", "CLAUDE.md"],
    programs: &["claude"],
    project: ".claude/settings.json",
    local: Some(".claude/settings.local.json"),
    user_variable: Some("CLAUDE_CONFIG_DIR"),
    user_folder: ".claude",
    user: "settings.json",
    beside: None,
    guarded: &[".claude/settings.json", ".claude/settings.local.json"],
    from_below: false,
    form: Form::Entries("{}\n"),
    entries,
    traps,
    softens,
    silences,
    silent: &[
        "Claude Code reads these settings only when it is started in the folder that holds .claude",
        "`--bare`, `--safe-mode` and `--setting-sources` without this source run no hooks",
    ],
    trust: None,
    trial: |project| wiring::trial(PRE_TOOL_USE, "Read", "Write", project),
    refuses: |reply| wiring::holds(reply, "/hookSpecificOutput/permissionDecision", "deny"),
    look: "type /hooks: the entry stands under PreToolUse",
};

/// The tools of Claude Code that change files, and those of MCP servers, any of which may.
/// `MultiEdit` is of older versions; `apply_patch` is what Copilot, which reads the same file,
/// calls its patch tool.
///
/// The anchors are needed: once a matcher holds a character like `.`, it is no longer a list of
/// names but an expression that fits anywhere in a name.
const TOOLS: &str = "^(Edit|Write|MultiEdit|NotebookEdit|apply_patch|mcp__.*)$";

/// Those of which it is known what they have written.
const WRITERS: &str = "Edit|Write|MultiEdit|NotebookEdit|apply_patch";

fn entries(plan: &Plan) -> Vec<Entry> {
    let command = plan.command("claude");
    // Claude Code takes a hook that fails for one that has no objection.
    let worst = answer("ask", COULD_NOT_RUN).to_string();
    let entry = |event: &str, matcher: Option<&str>, command: String, status: &str| Entry {
        event: event.to_owned(),
        matcher: matcher.map(str::to_owned),
        command,
        // Seconds. Our own deadline is 10, and the client must not be the first to give up.
        timeout: 30,
        status: status.to_owned(),
        shape: Shape::Group,
    };
    let before = otherwise(&command, &worst);
    let after = otherwise(&command, &json!({"systemMessage": NOT_CHECKED}).to_string());
    let written = "checking what was written";
    vec![
        entry(PRE_TOOL_USE, Some(TOOLS), before, "checking the edit"),
        entry(POST_TOOL_USE, Some(WRITERS), after.clone(), written),
        entry(STOP, None, after, "checking the working tree"),
    ]
}

fn traps(text: &str) -> Vec<String> {
    if let Some(trap) = wiring::not_plain(text, "Claude Code") {
        return vec![trap];
    }
    // Deeper nesting than this reader takes, or half a character, is no trap for Claude Code.
    let Ok(Value::Object(settings)) = serde_json::from_str(text) else { return Vec::new() };
    let off = settings.get("disableAllHooks") == Some(&Value::Bool(true));
    let off = off.then(|| "`disableAllHooks` is true: Claude Code runs no hook at all".to_owned());
    let void = wiring::malformed(&settings).map(|(place, what)| {
        format!("`{place}` {what}: Claude Code ignores every hook in this file until it is mended")
    });
    off.into_iter().chain(void).collect()
}

fn softens(text: &str) -> Vec<String> {
    let settings: Value = serde_json::from_str(text).unwrap_or_default();
    // Such a hook runs before the dialog, and its yes is as good as a person's.
    let hooks = settings.get("hooks").and_then(|hooks| hooks.get(PERMISSION_REQUEST)?.as_array());
    let answers = hooks.is_some_and(|groups| !groups.is_empty());
    let told = format!("hooks under `{PERMISSION_REQUEST}` may answer for the person whom we ask");
    answers.then_some(told).into_iter().collect()
}

fn silences(text: &str) -> bool {
    let settings: Value = serde_json::from_str(text).unwrap_or_default();
    settings.get("disableAllHooks") == Some(&Value::Bool(true))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn voice(notes: &[&str]) -> Voice {
        let notes = notes.iter().map(ToString::to_string).collect();
        Voice { approve: false, judged: true, notes }
    }

    #[test]
    fn nothing_to_say_is_silence() {
        assert_eq!(Claude.write(&Decision::default(), &voice(&[])), "");
    }

    #[test]
    fn what_could_not_be_judged_asks() {
        let reply = Claude.write(&Decision::unjudged("the payload is no JSON"), &voice(&[]));
        let reply: Value = serde_json::from_str(&reply).unwrap_or_default();
        assert_eq!(reply["hookSpecificOutput"]["permissionDecision"], "ask");
    }

    #[test]
    fn a_note_beside_an_allowed_edit_reaches_the_person_alone() {
        let reply = Claude.write(&Decision::default(), &voice(&["not recorded"]));
        let reply: Value = serde_json::from_str(&reply).unwrap_or_default();
        assert_eq!(reply["systemMessage"], "not recorded");
        assert_eq!(reply["hookSpecificOutput"], json!({"hookEventName": PRE_TOOL_USE}));
    }

    #[test]
    fn only_a_judged_edit_is_approved() {
        let mut voice = Voice { approve: true, ..Voice::default() };
        assert_eq!(Claude.write(&Decision::default(), &voice), "");
        voice.judged = true;
        assert!(Claude.write(&Decision::default(), &voice).contains("\"allow\""));
    }

    #[test]
    fn what_voids_a_file_is_named() {
        let trap = |text: &str| traps(text).join("; ");
        assert_eq!(
            trap(r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}"#),
            ""
        );
        assert_eq!(
            trap(
                r#"{"hooks": {"Later": [{"matcher": "", "hooks": [], "more": 1}]}, "x": "\ud83d"}"#
            ),
            ""
        );
        for (text, named) in [
            ("{\n  \"a\": 1, // why\n}", "line 2 is not plain JSON"),
            (r#"{"a": 1,}"#, "line 1 is not plain JSON"),
            (r#"{"disableAllHooks": true}"#, "no hook at all"),
            (r#"{"hooks": []}"#, "`hooks` is not an object"),
            (r#"{"hooks": {"Stop": {}}}"#, "`hooks.Stop` is not a list"),
            (r#"{"hooks": {"Stop": [{"matcher": "a"}]}}"#, "`hooks.Stop[0]` has no list `hooks`"),
            (r#"{"hooks": {"Stop": [{"matcher": 1, "hooks": []}]}}"#, "`matcher` that is not text"),
            (
                r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}, {"type": "command"}]}]}}"#,
                "`hooks.Stop[0].hooks[1]` has no `command`",
            ),
            (r#"{"hooks": {"Stop": [{"hooks": [{"command": "x"}]}]}}"#, "has no `type`"),
            (
                r#"{"hooks": {"Stop": [{"hooks": [{"type": "run", "command": "x"}]}]}}"#,
                "has no `type`",
            ),
            (
                r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x", "timeout": 0}]}]}}"#,
                "has a `timeout` that is not above 0",
            ),
        ] {
            assert!(trap(text).contains(named), "{text}: {}", trap(text));
        }
    }
}
