//! How Codex reads a reply, as 0.171.0 was seen to.
//!
//! One key that it does not know, one word that it does not honour, a refusal without a reason:
//! the whole reply counts for nothing, and the tool runs. An explicit null is no key.

use super::object::Object;
use super::random::{cases, decisions, voices};
use super::{Does, Heard, Reader, agrees, whole};
use proptest::prelude::*;
use serde_json::json;
use solvi_hook::clients::Phase;

/// The longest context and the longest reason that the model gets; of more it gets the beginning.
const CONTEXT: usize = 10_000;
const REASON: usize = 48_000;

pub const READER: Reader = Reader {
    client: &solvi_hook::clients::codex::Codex,
    events: &[
        ("PreToolUse", Phase::Before, "PreToolUse"),
        ("PermissionRequest", Phase::Permission, "PermissionRequest"),
        ("PostToolUse", Phase::After, "PostToolUse"),
        ("UserPromptSubmit", Phase::Prompt, ""),
        ("SessionStart", Phase::SessionStart, ""),
        ("SessionEnd", Phase::SessionEnd, ""),
        ("Stop", Phase::Stop, "Stop"),
        ("SubagentStop", Phase::SubagentStop, ""),
        ("PreCompact", Phase::Other, ""),
    ],
    payload: |event| json!({"hook_event_name": event, "turn_id": "t"}),
    reads,
    texts: whole,
};

fn usual(event: &str) -> Does {
    // The event comes only where a person is about to be asked.
    if event == "PermissionRequest" { Does::Asks } else { Does::Proceeds }
}

fn reads(event: &str, reply: &str) -> Heard {
    if reply.is_empty() {
        return Heard::is(usual(event));
    }
    read(event, reply).unwrap_or_else(|why| Heard::dropped(usual(event), why))
}

fn read(event: &str, reply: &str) -> Result<Heard, String> {
    let mut heard = Heard::is(usual(event));
    let mut top = Object::alone(reply)?.without_nulls();
    heard.person = top.text("systemMessage")?.unwrap_or_default();
    let (decision, reason) = (top.text("decision")?, top.text("reason")?);
    heard.does = match (event, decision.as_deref()) {
        (_, None) if reason.is_none() => heard.does,
        ("PreToolUse" | "UserPromptSubmit", Some("block")) => Does::Refuses,
        ("PostToolUse", Some("block")) => Does::Blames,
        ("Stop" | "SubagentStop", Some("block")) => Does::GoesOn,
        _ => return Err(format!("{decision:?} for {reason:?} is no decision")),
    };
    if decision.is_some() {
        heard.model = given(reason)?;
    }
    if let Some(output) = top.object("hookSpecificOutput")? {
        read_output(event, output.without_nulls(), &mut heard)?;
    }
    match top.rest().next() {
        Some(key) => Err(format!("`{key}` is not known")),
        None => Ok(heard),
    }
}

fn read_output(event: &str, mut output: Object, heard: &mut Heard) -> Result<(), String> {
    // Another event's name would do.
    output.text("hookEventName")?.ok_or("it names no event")?;
    match event {
        "PreToolUse" => {
            let reason = output.text("permissionDecisionReason")?;
            match output.text("permissionDecision")?.as_deref() {
                None if reason.is_none() => {}
                Some("deny") => (heard.does, heard.model) = (Does::Refuses, given(reason)?),
                word => return Err(format!("{word:?} is not honoured")),
            }
        }
        "PermissionRequest" => {
            let mut decision = output.object("decision")?.ok_or("it decides nothing")?;
            let message = decision.text("message")?;
            match decision.text("behavior")?.as_deref() {
                Some("allow") => heard.does = Does::Approves,
                Some("deny") => (heard.does, heard.model) = (Does::Refuses, given(message)?),
                word => return Err(format!("{word:?} is no behaviour")),
            }
            if let Some(key) = decision.rest().next() {
                return Err(format!("`{key}` is not known"));
            }
        }
        "PostToolUse" | "UserPromptSubmit" | "SessionStart" => {}
        _ => return Err(format!("{event} has no such part")),
    }
    if event != "PermissionRequest"
        && let Some(context) = output.text("additionalContext")?
    {
        if context.chars().count() > CONTEXT {
            heard.ignored.push("the end of a long context".to_owned());
        } else {
            heard.model.push_str(&context);
        }
    }
    match output.rest().next() {
        Some(key) => Err(format!("`{key}` is not known")),
        None => Ok(()),
    }
}

/// Returns a reason, without which nothing is refused.
fn given(reason: Option<String>) -> Result<String, String> {
    let reason = reason.filter(|reason| !reason.is_empty()).ok_or("no reason is given")?;
    if reason.chars().count() > REASON { Err("it is cut".to_owned()) } else { Ok(reason) }
}

#[test]
fn the_model_does_as_codex_was_seen_to_do() {
    let (pre, post, ask) = ("PreToolUse", "PostToolUse", "PermissionRequest");
    let deny = r#"{"hookSpecificOutput": {"hookEventName": "PreToolUse",
        "permissionDecision": "deny", "permissionDecisionReason": "R"}}"#;
    let bare = r#"{"hookSpecificOutput": {"hookEventName": "PreToolUse",
        "permissionDecision": "deny"}}"#;
    let nulls = r#"{"decision": null, "reason": null, "hookSpecificOutput":
        {"hookEventName": "PreToolUse", "permissionDecision": "deny",
        "permissionDecisionReason": "R", "additionalContext": null}}"#;
    let no = r#"{"hookSpecificOutput": {"hookEventName": "PermissionRequest",
        "decision": {"behavior": "deny", "message": "R"}}}"#;
    let context = r#"{"hookSpecificOutput": {"hookEventName": "PostToolUse",
        "additionalContext": "C"}}"#;
    let block = r#"{"decision": "block", "reason": "R"}"#;
    let with = |key: &str, reply: &str| reply.replacen('{', &format!("{{{key}, "), 1);
    agrees(
        &READER,
        &[
            (pre, deny, Does::Refuses, "R"),
            (pre, &deny.replace("PreToolUse", post), Does::Refuses, "R"),
            (pre, nulls, Does::Refuses, "R"),
            (pre, &with(r#""systemMessage": "M""#, deny), Does::Refuses, "R"),
            (pre, bare, Does::Proceeds, ""),
            (pre, &deny.replace("\"R\"", "\"\""), Does::Proceeds, ""),
            (pre, &deny.replace("\"R\"", "\"R\", \"more\": 1"), Does::Proceeds, ""),
            (pre, &with(r#""more": 1"#, deny), Does::Proceeds, ""),
            (pre, &with(r#""continue": false"#, deny), Does::Proceeds, ""),
            (pre, &with(r#""suppressOutput": true"#, deny), Does::Proceeds, ""),
            (pre, &deny.replace(r#""hookEventName": "PreToolUse","#, ""), Does::Proceeds, ""),
            (pre, &deny.replace("deny", "ask"), Does::Proceeds, ""),
            (pre, &deny.replace("deny", "allow"), Does::Proceeds, ""),
            (pre, &format!("a line\n{deny}"), Does::Proceeds, ""),
            (pre, block, Does::Refuses, "R"),
            (pre, r#"{"decision": "block"}"#, Does::Proceeds, ""),
            (post, block, Does::Blames, "R"),
            (post, &with(r#""more": 1"#, block), Does::Proceeds, ""),
            (post, context, Does::Proceeds, "C"),
            ("Stop", block, Does::GoesOn, "R"),
            ("Stop", &context.replace(post, "Stop"), Does::Proceeds, ""),
            (ask, no, Does::Refuses, "R"),
            (ask, &no.replace(r#""deny", "message": "R""#, r#""allow""#), Does::Approves, ""),
            (ask, deny, Does::Asks, ""),
        ],
    );
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn codex_does_what_was_decided(decision in decisions(), voice in voices()) {
        READER.holds(&decision, &voice)?;
    }
}
