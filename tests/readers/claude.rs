//! How Claude Code reads a reply, as 2.1.197 was seen to.
//!
//! The object stands alone; its inner part names the event, or all of it counts for nothing, as
//! with a value of the wrong type. A key that it does not know it passes over.

use super::object::Object;
use super::random::{cases, decisions, voices};
use super::{Does, Heard, Reader, agrees, whole};
use proptest::prelude::*;
use serde_json::json;
use solvi_hook::clients::Phase;

/// The longest context that the model gets; of a longer one it is shown the beginning, and the
/// name of a file.
const CONTEXT: usize = 10_000;

pub const READER: Reader = Reader {
    client: &solvi_hook::clients::claude::Claude,
    events: &[
        ("PreToolUse", Phase::Before, "PreToolUse"),
        ("PermissionRequest", Phase::Permission, "PermissionRequest"),
        ("PostToolUse", Phase::After, "PostToolUse"),
        ("UserPromptSubmit", Phase::Prompt, "UserPromptSubmit"),
        ("SessionStart", Phase::SessionStart, ""),
        ("SessionEnd", Phase::SessionEnd, ""),
        ("Stop", Phase::Stop, "Stop"),
        ("SubagentStop", Phase::SubagentStop, ""),
        ("ConfigChange", Phase::Config, ""),
        ("PostToolBatch", Phase::Other, ""),
    ],
    payload: |event| json!({"hook_event_name": event, "prompt_id": "p"}),
    reads,
    texts: whole,
};

/// Returns what the client does when it is told nothing.
fn usual(event: &str) -> Does {
    // The event comes only where a person is about to be asked.
    if event == "PermissionRequest" { Does::Asks } else { Does::Proceeds }
}

pub fn reads(event: &str, reply: &str) -> Heard {
    if reply.is_empty() {
        return Heard::is(usual(event));
    }
    read(event, reply).unwrap_or_else(|why| Heard::dropped(usual(event), why))
}

fn read(event: &str, reply: &str) -> Result<Heard, String> {
    let mut heard = Heard::is(usual(event));
    let mut top = Object::alone(reply)?;
    heard.person = top.text("systemMessage")?.unwrap_or_default();
    let (decision, reason) = (top.text("decision")?, top.text("reason")?);
    if decision.is_none() && reason.is_some() {
        heard.ignored.push("a `reason` for nothing".to_owned());
    }
    let reason = reason.unwrap_or_default();
    heard.does = match (event, decision.as_deref()) {
        (_, None) => heard.does,
        ("PreToolUse", Some("approve")) => Does::Approves,
        ("PreToolUse" | "UserPromptSubmit", Some("block")) => Does::Refuses,
        ("PostToolUse", Some("block")) => Does::Blames,
        ("Stop" | "SubagentStop", Some("block")) => Does::GoesOn,
        (_, Some(word)) => return Err(format!("`{word}` is no decision")),
    };
    if heard.does != Does::Approves {
        heard.model = reason;
    }
    if let Some(output) = top.object("hookSpecificOutput")? {
        if event == "PreToolUse" && decision.is_some() {
            // The older spelling loses its reason then.
            heard.ignored.push("`reason`".to_owned());
            heard.model.clear();
        }
        read_output(event, output, &mut heard)?;
    }
    heard.ignored.extend(top.rest());
    Ok(heard)
}

fn read_output(event: &str, mut output: Object, heard: &mut Heard) -> Result<(), String> {
    if output.text("hookEventName")?.as_deref() != Some(event) {
        return Err("it does not name its event".to_owned());
    }
    if event == "PreToolUse" {
        let reason = output.text("permissionDecisionReason")?.unwrap_or_default();
        match output.text("permissionDecision")?.as_deref() {
            None if reason.is_empty() => {}
            None => heard.ignored.push("a reason for nothing".to_owned()),
            // Why something is allowed the model is not told.
            Some("allow") => heard.does = Does::Approves,
            Some("ask") => (heard.does, heard.model) = (Does::Asks, reason),
            Some("deny") => (heard.does, heard.model) = (Does::Refuses, reason),
            Some(word) => return Err(format!("`{word}` is no decision")),
        }
    }
    if event == "PermissionRequest"
        && let Some(mut decision) = output.object("decision")?
    {
        match decision.text("behavior")?.as_deref() {
            Some("allow") => heard.does = Does::Approves,
            Some("deny") => {
                heard.does = Does::Refuses;
                heard.model = decision.text("message")?.unwrap_or_default();
            }
            _ => return Err("it is no decision".to_owned()),
        }
        heard.ignored.extend(decision.rest());
    }
    let listens = matches!(
        event,
        "PreToolUse"
            | "PostToolUse"
            | "UserPromptSubmit"
            | "SessionStart"
            | "Stop"
            | "SubagentStop"
    );
    if listens && let Some(context) = output.text("additionalContext")? {
        if event == "Stop" || event == "SubagentStop" {
            heard.does = Does::GoesOn;
        }
        if context.chars().count() > CONTEXT {
            heard.ignored.push("the end of a long context".to_owned());
        } else {
            heard.model.push_str(&context);
        }
    }
    heard.ignored.extend(output.rest());
    Ok(())
}

#[test]
fn the_model_does_as_claude_code_was_seen_to_do() {
    let (pre, post, ask) = ("PreToolUse", "PostToolUse", "PermissionRequest");
    let deny = r#"{"hookSpecificOutput": {"hookEventName": "PreToolUse",
        "permissionDecision": "deny", "permissionDecisionReason": "R"}}"#;
    let nameless = r#"{"hookSpecificOutput": {"permissionDecision": "deny"}}"#;
    let null = r#"{"hookSpecificOutput": {"hookEventName": "PreToolUse",
        "permissionDecision": "deny", "permissionDecisionReason": null}}"#;
    let told = r#"{"hookSpecificOutput": {"hookEventName": "PreToolUse",
        "additionalContext": "C"}, "systemMessage": "S"}"#;
    let no = r#"{"hookSpecificOutput": {"hookEventName": "PermissionRequest",
        "decision": {"behavior": "deny", "message": "R"}}}"#;
    let block = r#"{"decision": "block", "reason": "R"}"#;
    agrees(
        &READER,
        &[
            (pre, deny, Does::Refuses, "R"),
            (pre, &deny.replace("deny", "ask"), Does::Asks, "R"),
            (pre, &deny.replace("deny", "allow"), Does::Approves, ""),
            (pre, &deny.replace("deny", "no"), Does::Proceeds, ""),
            (pre, &format!("a line\n{deny}"), Does::Proceeds, ""),
            (pre, &format!("{deny}\n{{}}"), Does::Proceeds, ""),
            (pre, &format!("\n {deny}\r\n"), Does::Refuses, "R"),
            (pre, &format!("[{deny}]"), Does::Proceeds, ""),
            (pre, nameless, Does::Proceeds, ""),
            (pre, null, Does::Proceeds, ""),
            (pre, &deny.replace("PreToolUse", post), Does::Proceeds, ""),
            (pre, told, Does::Proceeds, "C"),
            (pre, block, Does::Refuses, "R"),
            (post, block, Does::Blames, "R"),
            (post, deny, Does::Proceeds, ""),
            ("Stop", block, Does::GoesOn, "R"),
            (ask, no, Does::Refuses, "R"),
            (ask, deny, Does::Asks, ""),
            (ask, "", Does::Asks, ""),
        ],
    );
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn claude_code_does_what_was_decided(decision in decisions(), voice in voices()) {
        READER.holds(&decision, &voice)?;
    }
}
