//! How Claude Code is read and answered.
//!
//! Verified with 2.1.197: the object must be the only thing on standard output and must name its
//! event; `ask` and `deny` carry their reason to the model; `systemMessage` reaches the person,
//! `additionalContext` the model. Silence leaves the client's own rules in charge. After a tool the
//! payload holds the file as it was, with plain line ends; what it is now stands on the disk.

use super::claude_edit::Encoding;
use super::file_tools;
use super::marks::Marks;
use super::payload::{self, Call, PayloadError};
use super::{Client, Phase, Voice, after_tool};
use crate::domain::{Action, Change, Decision, Event, Files, Stored, Verdict};
use serde_json::{Value, json};

/// The event's name, without which the client ignores the reply.
pub const PRE_TOOL_USE: &str = "PreToolUse";

const PERMISSION_REQUEST: &str = "PermissionRequest";
const POST_TOOL_USE: &str = "PostToolUse";

/// The folder in which the client keeps its sessions, unless a variable moves it.
const SESSIONS: &str = "/.claude/projects/";

/// Claude Code.
pub struct Claude;

impl Client for Claude {
    fn name(&self) -> &'static str {
        "claude"
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

    fn read(&self, payload: &[u8], files: &dyn Files) -> Result<Event, PayloadError> {
        match self.phase(&Marks::of(payload)) {
            Phase::Before | Phase::Permission => payload::read(payload, files),
            Phase::After => {
                let mut call = Call::of(payload::object(payload)?);
                let response = call.rest.remove("tool_response").unwrap_or_default();
                call.event(|tool, input| made(tool, input, &response, files))
            }
            _ => {
                let session = payload::session(&payload::object(payload)?);
                Ok(Event { session, ..Event::default() })
            }
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
}
