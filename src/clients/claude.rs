//! How Claude Code is answered before a tool runs.
//!
//! Verified with 2.1.197: the object must be the only thing on standard output and must name its
//! event; `ask` and `deny` carry their reason to the model; `systemMessage` reaches the person,
//! `additionalContext` the model. Silence leaves the client's own rules in charge.

use super::{Client, Voice};
use crate::domain::{Decision, Verdict};
use serde_json::{Value, json};

/// The event's name, without which the client ignores the reply.
pub const PRE_TOOL_USE: &str = "PreToolUse";

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
