//! How Codex is answered before a tool runs.
//!
//! Verified with 0.171.0: a refusal counts only as `deny` with a reason, with no key beside those
//! that the client knows; `ask` and `allow` are taken for a failed hook and the tool runs. So an
//! *ask* is spoken as a refusal that says how a person can let the edit through.

use super::claude::PRE_TOOL_USE;
use super::{Client, Voice};
use crate::domain::{Decision, Verdict};
use serde_json::json;

/// Codex.
pub struct Codex;

/// Opens the reason when a person would have to be asked.
const CANNOT_ASK: &str = "A person must decide about this edit, and a Codex hook cannot ask. \
    Stop here and tell the user; a person can make the edit, or change the rule.";

impl Client for Codex {
    fn name(&self) -> &'static str {
        "codex"
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
            Verdict::Ask => refuse(&format!("{CANNOT_ASK}\n{text}")),
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

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
}
