//! How our extension for Pi reads a reply: `templates/pi.ts`.
//!
//! Every event wants an object with its protocol and a verdict. Without one no tool runs, and an
//! agent that is about to stop is made to go on.

use super::object::Object;
use super::random::{cases, decisions, voices};
use super::{Does, Heard, Reader, agrees, whole};
use proptest::prelude::*;
use serde_json::{Value, json};
use solvi_hook::clients::Phase;

/// The longest output that is taken, counted as JavaScript counts.
const OUTPUT: usize = 64 * 1024;

pub const READER: Reader = Reader {
    client: &solvi_hook::clients::pi::Pi,
    events: &[
        ("tool_call", Phase::Before, "tool_call"),
        ("tool_result", Phase::After, "tool_result"),
        ("before_agent_start", Phase::Prompt, "before_agent_start"),
        ("agent_before_settle", Phase::Stop, "agent_before_settle"),
        ("turn_end", Phase::Other, ""),
    ],
    payload: |event| json!({"client": "pi", "protocol": 1, "event": {"type": event}}),
    reads,
    texts: whole,
};

fn reads(event: &str, reply: &str) -> Heard {
    read(event, reply).unwrap_or_else(|why| {
        let does = match event {
            "tool_call" => Does::Refuses,
            "agent_before_settle" => Does::GoesOn,
            _ => Does::Proceeds,
        };
        Heard::dropped(does, why)
    })
}

fn read(event: &str, reply: &str) -> Result<Heard, String> {
    if reply.encode_utf16().count() > OUTPUT {
        return Err("it writes too much".to_owned());
    }
    let mut answer = Object::alone(reply)?;
    if answer.value("protocol") != Some(Value::from(1)) {
        return Err("it speaks another protocol".to_owned());
    }
    let verdict = answer.text("verdict")?.ok_or("it has no verdict")?;
    let reason = answer.text("reason")?.unwrap_or_default();
    let mut heard = Heard::default();
    match (event, verdict.as_str()) {
        ("tool_call", "deny") => heard.does = Does::Refuses,
        ("tool_call", "ask") => heard.does = Does::Asks,
        ("agent_before_settle", "ask" | "deny") => heard.does = Does::GoesOn,
        (_, "allow" | "warn" | "ask" | "deny") => {}
        _ => return Err(format!("`{verdict}` is no verdict")),
    }
    match (event, verdict.as_str()) {
        _ if reason.is_empty() => {}
        ("tool_call" | "agent_before_settle", "allow") | ("agent_before_settle", "warn") => {
            heard.person = reason;
        }
        ("tool_call", "warn") => (heard.model, heard.person) = (reason.clone(), reason),
        ("tool_result", "allow") => heard.ignored.push("a reason for nothing".to_owned()),
        ("tool_call" | "tool_result" | "agent_before_settle", _) => heard.model = reason,
        // Nothing is asked at other events, so that nobody is there to hear.
        _ => {}
    }
    heard.ignored.extend(answer.rest());
    Ok(heard)
}

#[test]
fn the_model_does_as_the_extension_does() {
    let (call, end) = ("tool_call", "agent_before_settle");
    let deny = r#"{"protocol": 1, "verdict": "deny", "reason": "R"}"#;
    agrees(
        &READER,
        &[
            (call, deny, Does::Refuses, "R"),
            (call, &deny.replace("deny", "ask"), Does::Asks, "R"),
            (call, &deny.replace("deny", "warn"), Does::Proceeds, "R"),
            (call, &deny.replace("deny", "allow"), Does::Proceeds, ""),
            (call, &deny.replace("deny", "block"), Does::Refuses, ""),
            (call, &deny.replace('1', "2"), Does::Refuses, ""),
            (call, &deny.replace("\"R\"", "null"), Does::Refuses, ""),
            (call, &format!("{deny}{deny}"), Does::Refuses, ""),
            (call, &deny.replace('R', &"R".repeat(OUTPUT)), Does::Refuses, ""),
            (call, "", Does::Refuses, ""),
            ("tool_result", deny, Does::Proceeds, "R"),
            (end, deny, Does::GoesOn, "R"),
            (end, &deny.replace("deny", "warn"), Does::Proceeds, ""),
            (end, "", Does::GoesOn, ""),
        ],
    );
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn pi_does_what_was_decided(decision in decisions(), voice in voices()) {
        READER.holds(&decision, &voice)?;
    }
}
