//! How Copilot CLI reads a reply, as 1.0.102 was seen to.
//!
//! An event whose name begins with a small letter reads the flat keys. Before a tool runs, one in
//! Claude Code's spelling reads those or the nested ones; the permission and what comes after a
//! tool know the flat ones alone. A key that it does not know it passes over.

use super::object::Object;
use super::random::{cases, decisions, voices};
use super::{Does, Heard, Reader, agrees, whole};
use proptest::prelude::*;
use serde_json::{Value, json};
use solvi_hook::clients::Phase;

pub const READER: Reader = Reader {
    client: &solvi_hook::clients::copilot::Copilot,
    events: &[
        ("preToolUse", Phase::Before, "preToolUse"),
        ("PreToolUse", Phase::Before, "preToolUse"),
        ("permissionRequest", Phase::Permission, "permissionRequest"),
        ("postToolUse", Phase::After, "postToolUse"),
        ("PostToolUse", Phase::After, "postToolUse"),
        ("postToolUseFailure", Phase::Other, ""),
        ("userPromptSubmitted", Phase::Prompt, "userPromptSubmitted"),
        ("UserPromptSubmit", Phase::Prompt, "userPromptSubmitted"),
        ("SessionStart", Phase::SessionStart, ""),
        ("SessionEnd", Phase::SessionEnd, ""),
        ("agentStop", Phase::Stop, "agentStop"),
        ("Stop", Phase::Stop, "agentStop"),
    ],
    payload,
    reads,
    texts: whole,
};

/// Only the spelling of Claude Code and the permission name their event.
fn payload(event: &str) -> Value {
    let flat = |key: &str| json!({"sessionId": "s", "timestamp": 0, "toolName": "edit", key: {}});
    match event {
        "preToolUse" => flat("toolArgs"),
        "postToolUse" => flat("toolResult"),
        "postToolUseFailure" => flat("error"),
        "permissionRequest" => json!({"sessionId": "s", "hookName": event, "toolName": "edit"}),
        "userPromptSubmitted" => json!({"sessionId": "s", "timestamp": 0, "prompt": "p"}),
        "agentStop" => json!({"sessionId": "s", "timestamp": 0, "stopReason": "end_turn",
            "stop_hook_active": false}),
        _ => json!({"hook_event_name": event, "timestamp": "t", "session_id": "s"}),
    }
}

pub fn reads(event: &str, reply: &str) -> Heard {
    if reply.is_empty() {
        return Heard::default();
    }
    read(event, reply).unwrap_or_else(|why| Heard::dropped(Does::Proceeds, why))
}

fn read(event: &str, reply: &str) -> Result<Heard, String> {
    let mut heard = Heard::default();
    let mut top = Object::alone(reply)?;
    match event {
        "preToolUse" | "PreToolUse" => {
            let nested = top.object("hookSpecificOutput")?;
            heard = answer(top)?;
            if let Some(mut nested) = nested {
                nested.value("hookEventName");
                let nested = answer(nested)?;
                // Both forms say the same, or one of them is lost on one of the spellings.
                let same = nested.does == heard.does && nested.model == heard.model;
                if event == "PreToolUse" && heard.does == Does::Proceeds && heard.model.is_empty() {
                    heard = nested;
                } else if !same {
                    heard.ignored.push("`hookSpecificOutput`".to_owned());
                }
            }
            return Ok(heard);
        }
        "permissionRequest" => match top.text("behavior")?.as_deref() {
            Some("allow") => heard.does = Does::Approves,
            Some("deny") => {
                heard.does = Does::Refuses;
                heard.model = top.text("message")?.unwrap_or_default();
            }
            word => heard.ignored.push(format!("the behaviour {word:?}")),
        },
        "postToolUse"
        | "PostToolUse"
        | "agentStop"
        | "Stop"
        | "userPromptSubmitted"
        | "UserPromptSubmit" => {
            let reason = top.text("reason")?.filter(|reason| !reason.is_empty());
            match (top.text("decision")?.as_deref(), reason) {
                (None, None) => {}
                (Some("block"), Some(reason)) => {
                    heard.does = match event {
                        "postToolUse" | "PostToolUse" => Does::Blames,
                        "agentStop" | "Stop" => Does::GoesOn,
                        _ => Does::Refuses,
                    };
                    heard.model = reason;
                }
                (word, _) => heard.ignored.push(format!("the decision {word:?}")),
            }
            if event != "agentStop" && event != "Stop" {
                heard.model.push_str(&top.text("additionalContext")?.unwrap_or_default());
            }
        }
        _ => {}
    }
    heard.ignored.extend(top.rest());
    Ok(heard)
}

/// Reads one form of the answer to a tool that is about to run.
fn answer(mut keys: Object) -> Result<Heard, String> {
    let mut heard = Heard::default();
    let reason = keys.text("permissionDecisionReason")?;
    match keys.text("permissionDecision")?.as_deref() {
        None if reason.is_none() => {}
        Some("allow") => heard.does = Does::Approves,
        Some("ask") => (heard.does, heard.model) = (Does::Asks, reason.unwrap_or_default()),
        Some("deny") => (heard.does, heard.model) = (Does::Refuses, reason.unwrap_or_default()),
        word => heard.ignored.push(format!("the decision {word:?}")),
    }
    heard.model.push_str(&keys.text("additionalContext")?.unwrap_or_default());
    heard.ignored.extend(keys.rest());
    Ok(heard)
}

#[test]
fn the_model_does_as_copilot_was_seen_to_do() {
    let (flat, pascal, ask) = ("preToolUse", "PreToolUse", "permissionRequest");
    let deny = r#"{"permissionDecision": "deny", "permissionDecisionReason": "R"}"#;
    let nested = r#"{"hookSpecificOutput": {"hookEventName": "PreToolUse",
        "permissionDecision": "deny", "permissionDecisionReason": "R"}}"#;
    let no = r#"{"behavior": "deny", "message": "R"}"#;
    let claude = r#"{"hookSpecificOutput": {"hookEventName": "PermissionRequest",
        "decision": {"behavior": "allow"}}}"#;
    let context = r#"{"additionalContext": "C"}"#;
    let within = r#"{"hookSpecificOutput": {"hookEventName": "PostToolUse",
        "additionalContext": "C"}}"#;
    let block = r#"{"decision": "block", "reason": "R"}"#;
    let message = r#"{"systemMessage": "M"}"#;
    agrees(
        &READER,
        &[
            (flat, deny, Does::Refuses, "R"),
            (flat, &deny.replace('}', r#", "more": 1}"#), Does::Refuses, "R"),
            (flat, r#"{"permissionDecision": "deny"}"#, Does::Refuses, ""),
            (flat, &deny.replace("deny", "ask"), Does::Asks, "R"),
            (flat, r#"{"permissionDecision": "allow"}"#, Does::Approves, ""),
            (flat, nested, Does::Proceeds, ""),
            (flat, &format!("a line\n{deny}"), Does::Proceeds, ""),
            (flat, block, Does::Proceeds, ""),
            (flat, message, Does::Proceeds, ""),
            (flat, context, Does::Proceeds, "C"),
            (pascal, deny, Does::Refuses, "R"),
            (pascal, nested, Does::Refuses, "R"),
            (pascal, block, Does::Proceeds, ""),
            (pascal, context, Does::Proceeds, "C"),
            (ask, no, Does::Refuses, "R"),
            (ask, r#"{"behavior": "allow"}"#, Does::Approves, ""),
            (ask, claude, Does::Proceeds, ""),
            ("postToolUse", context, Does::Proceeds, "C"),
            ("PostToolUse", within, Does::Proceeds, ""),
            ("PostToolUse", block, Does::Blames, "R"),
            ("postToolUse", message, Does::Proceeds, ""),
            ("agentStop", block, Does::GoesOn, "R"),
            ("agentStop", r#"{"decision": "block"}"#, Does::Proceeds, ""),
            ("Stop", context, Does::Proceeds, ""),
        ],
    );
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn copilot_does_what_was_decided(decision in decisions(), voice in voices()) {
        READER.holds(&decision, &voice)?;
    }
}
