//! How Gemini CLI reads a reply, as 0.61.0 was seen to in a run without a person.
//!
//! A refusal is `decision` with `reason`; before a tool runs, nothing but a message for the person
//! is heeded beside it. That the person hears one at the end too is what its documentation says. An `ask` is never answered. A key that it does not know it passes over.

use super::object::Object;
use super::random::{cases, decisions, voices};
use super::{Does, Heard, Reader, agrees, whole};
use proptest::prelude::*;
use serde_json::json;
use solvi_hook::clients::Phase;

pub const READER: Reader = Reader {
    client: &solvi_hook::clients::gemini::Gemini,
    events: &[
        ("BeforeTool", Phase::Before, "BeforeTool"),
        ("AfterTool", Phase::After, "AfterTool"),
        ("BeforeAgent", Phase::Prompt, "BeforeAgent"),
        ("AfterAgent", Phase::Stop, "AfterAgent"),
        ("SessionStart", Phase::SessionStart, ""),
        ("SessionEnd", Phase::SessionEnd, ""),
        ("BeforeModel", Phase::Other, ""),
        ("PreCompress", Phase::Other, ""),
    ],
    payload: |event| {
        let transcript = "/h/.gemini/tmp/p/chats/s.json";
        json!({"hook_event_name": event, "timestamp": "t", "transcript_path": transcript})
    },
    reads,
    texts: whole,
};

fn reads(event: &str, reply: &str) -> Heard {
    if reply.is_empty() {
        return Heard::default();
    }
    read(event, reply).unwrap_or_else(|why| Heard::dropped(Does::Proceeds, why))
}

fn read(event: &str, reply: &str) -> Result<Heard, String> {
    let mut heard = Heard::default();
    let mut top = Object::alone(reply)?;
    let (decision, reason) = (top.text("decision")?, top.text("reason")?);
    heard.does = match (event, decision.as_deref()) {
        (_, None) => Does::Proceeds,
        ("BeforeTool" | "BeforeAgent", Some("deny" | "block")) => Does::Refuses,
        ("BeforeTool", Some("ask")) => Does::Hangs,
        ("AfterTool", Some("deny")) => Does::Blames,
        ("AfterAgent", Some("deny" | "block")) => Does::GoesOn,
        (_, Some(word)) => {
            heard.ignored.push(format!("the decision `{word}`"));
            Does::Proceeds
        }
    };
    match reason {
        Some(reason) if heard.does != Does::Proceeds => heard.model = reason,
        Some(_) => heard.ignored.push("a reason for nothing".to_owned()),
        None => {}
    }
    if matches!(event, "BeforeTool" | "AfterAgent") {
        heard.person = top.text("systemMessage")?.unwrap_or_default();
    }
    if matches!(event, "AfterTool" | "BeforeAgent" | "SessionStart")
        && let Some(mut output) = top.object("hookSpecificOutput")?
    {
        output.value("hookEventName");
        heard.model.push_str(&output.text("additionalContext")?.unwrap_or_default());
        heard.ignored.extend(output.rest());
    }
    heard.ignored.extend(top.rest());
    Ok(heard)
}

#[test]
fn the_model_does_as_gemini_cli_was_seen_to_do() {
    let (before, after, end) = ("BeforeTool", "AfterTool", "AfterAgent");
    let deny = r#"{"decision": "deny", "reason": "R"}"#;
    let claude = r#"{"hookSpecificOutput": {"hookEventName": "BeforeTool",
        "permissionDecision": "deny", "permissionDecisionReason": "R"}}"#;
    let context = r#"{"hookSpecificOutput": {"hookEventName": "AfterTool",
        "additionalContext": "C"}}"#;
    agrees(
        &READER,
        &[
            (before, deny, Does::Refuses, "R"),
            (before, &deny.replace("deny", "block"), Does::Refuses, "R"),
            (before, r#"{"decision": "deny"}"#, Does::Refuses, ""),
            (before, &deny.replace('}', r#", "more": 1}"#), Does::Refuses, "R"),
            (before, &deny.replace("deny", "ask"), Does::Hangs, "R"),
            (before, r#"{"decision": "allow"}"#, Does::Proceeds, ""),
            (before, &format!("a line\n{deny}"), Does::Proceeds, ""),
            (before, claude, Does::Proceeds, ""),
            (before, &context.replace(after, before), Does::Proceeds, ""),
            (after, deny, Does::Blames, "R"),
            (after, context, Does::Proceeds, "C"),
            (end, deny, Does::GoesOn, "R"),
            (end, &deny.replace("deny", "block"), Does::GoesOn, "R"),
        ],
    );
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn gemini_cli_does_what_was_decided(decision in decisions(), voice in voices()) {
        READER.holds(&decision, &voice)?;
    }
}
