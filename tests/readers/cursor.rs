//! How Cursor reads a reply, as its documents say; it was never seen to.
//!
//! They do not say that a text without a `permission` is passed over, so it is taken to be heard;
//! nor that an `allow` leaves the client's own question out.

use super::object::Object;
use super::random::{cases, decisions, voices};
use super::{Does, Heard, Reader, agrees, whole};
use proptest::prelude::*;
use serde_json::{Value, json};
use solvi_hook::clients::Phase;

pub const READER: Reader = Reader {
    client: &solvi_hook::clients::cursor::Cursor,
    events: &[
        ("preToolUse", Phase::Before, "preToolUse"),
        ("beforeMCPExecution", Phase::Before, "beforeMCPExecution"),
        ("beforeShellExecution", Phase::Other, ""),
        ("afterFileEdit", Phase::After, "afterFileEdit"),
        ("postToolUse", Phase::After, ""),
        ("beforeSubmitPrompt", Phase::Prompt, ""),
        ("sessionStart", Phase::SessionStart, ""),
        ("sessionEnd", Phase::SessionEnd, ""),
        ("stop", Phase::Stop, "stop"),
        ("subagentStop", Phase::SubagentStop, ""),
        ("afterAgentThought", Phase::Other, ""),
    ],
    payload: |event| json!({"cursor_version": "2", "hook_event_name": event}),
    reads,
    texts: whole,
};

fn reads(event: &str, reply: &str) -> Heard {
    if reply.is_empty() {
        // Our entry says `failClosed`, and then no output is a refusal.
        return Heard::is(if event == "preToolUse" { Does::Refuses } else { Does::Proceeds });
    }
    read(event, reply).unwrap_or_else(|why| Heard::dropped(Does::Proceeds, why))
}

fn read(event: &str, reply: &str) -> Result<Heard, String> {
    let mut heard = Heard::default();
    let mut top = Object::alone(reply)?;
    match event {
        "preToolUse" | "beforeMCPExecution" | "beforeShellExecution" => {
            heard.does = match top.text("permission")?.as_deref() {
                None | Some("allow") => Does::Proceeds,
                // It is accepted there, and not enforced.
                Some("ask") if event == "preToolUse" => Does::Proceeds,
                Some("ask") => Does::Asks,
                Some("deny") => Does::Refuses,
                Some(word) => return Err(format!("`{word}` is no permission")),
            };
            heard.person = top.text("user_message")?.unwrap_or_default();
            heard.model = top.text("agent_message")?.unwrap_or_default();
        }
        "beforeSubmitPrompt" => {
            if top.value("continue") == Some(Value::Bool(false)) {
                heard.does = Does::Refuses;
            }
            heard.person = top.text("user_message")?.unwrap_or_default();
        }
        "stop" | "subagentStop" => {
            if let Some(message) = top.text("followup_message")? {
                (heard.does, heard.model) = (Does::GoesOn, message);
            }
        }
        _ => {}
    }
    heard.ignored.extend(top.rest());
    Ok(heard)
}

#[test]
fn the_model_does_as_the_documents_of_cursor_say() {
    let deny = r#"{"permission": "deny", "user_message": "U", "agent_message": "A"}"#;
    agrees(
        &READER,
        &[
            ("preToolUse", deny, Does::Refuses, "A"),
            ("preToolUse", &deny.replace("deny", "ask"), Does::Proceeds, "A"),
            ("beforeMCPExecution", &deny.replace("deny", "ask"), Does::Asks, "A"),
            ("preToolUse", "", Does::Refuses, ""),
            ("preToolUse", r#"{"permission": "allow"}"#, Does::Proceeds, ""),
            ("preToolUse", &format!("a line\n{deny}"), Does::Proceeds, ""),
            ("afterFileEdit", deny, Does::Proceeds, ""),
            ("stop", deny, Does::Proceeds, ""),
            ("stop", r#"{"followup_message": "F"}"#, Does::GoesOn, "F"),
        ],
    );
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn cursor_does_what_was_decided(decision in decisions(), voice in voices()) {
        READER.holds(&decision, &voice)?;
    }
}
