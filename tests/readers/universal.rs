//! How a program of one's own reads the universal JSON: three keys, each with its words, and the
//! risk that goes with the decision.

use super::object::Object;
use super::random::{cases, decisions, voices};
use super::{Does, Heard, Reader, agrees};
use proptest::prelude::*;
use serde_json::json;
use solvi_hook::clients::{Phase, Voice};
use solvi_hook::domain::{Decision, wording};

const BEFORE: &str = "pre-*";
const LATER: &str = "post-*";

pub const READER: Reader = Reader {
    client: &solvi_hook::clients::universal::Universal,
    events: &[
        ("pre-tool-use", Phase::Before, BEFORE),
        ("pre-write", Phase::Before, BEFORE),
        ("pre-command", Phase::Before, BEFORE),
        ("post-tool-use", Phase::After, LATER),
        ("post-write", Phase::After, LATER),
        ("post-command", Phase::After, LATER),
        ("skill-compliance", Phase::After, LATER),
        ("verify-result", Phase::After, LATER),
        ("stop", Phase::Stop, "stop"),
    ],
    payload: |event| json!({"engine": "mine", "event": event}),
    reads,
    texts,
};

/// The strictest finding, what could not be judged, and the notes: each is a reason of its own.
fn texts(decision: &Decision, voice: &Voice, _: solvi_hook::domain::Verdict) -> Vec<String> {
    let findings = decision.rulings.iter().flat_map(|ruling| {
        let objects = ruling.findings.iter().filter(|finding| finding.objects());
        objects.map(|finding| (finding.verdict, wording::item(finding, &ruling.change)))
    });
    let strictest = findings.reduce(|kept, next| if next.0 > kept.0 { next } else { kept });
    let strictest = strictest.into_iter().map(|(_, item)| item);
    strictest.chain(decision.troubles.clone()).chain(voice.notes.clone()).collect()
}

fn reads(event: &str, reply: &str) -> Heard {
    // Silence is no answer, and the program does what it does without one.
    read(event, reply).unwrap_or_else(|why| Heard::dropped(Does::Proceeds, why))
}

fn read(event: &str, reply: &str) -> Result<Heard, String> {
    let mut top = Object::alone(reply)?;
    let decision = top.text("decision")?.ok_or("it decides nothing")?;
    let risk = top.text("risk")?.ok_or("it names no risk")?;
    let reasons = top.value("reasons").ok_or("it gives no reasons")?;
    let reasons: Vec<String> = serde_json::from_value(reasons).map_err(|why| why.to_string())?;
    let does = match (event, decision.as_str(), risk.as_str()) {
        (_, "allow", "none" | "low") | (_, "warn", "medium") => Does::Proceeds,
        ("stop", "block", "critical") => Does::GoesOn,
        ("stop", "require_approval", "high") => Does::Asks,
        (event, "block", "critical") if event.starts_with("pre-") => Does::Refuses,
        (event, "require_approval", "high") if event.starts_with("pre-") => Does::Asks,
        (_, "block", "critical") | (_, "require_approval", "high") => Does::Blames,
        _ => return Err(format!("`{decision}` does not go with the risk `{risk}`")),
    };
    if decision != "allow" && reasons.is_empty() {
        return Err("no reason is given".to_owned());
    }
    Ok(Heard { does, model: reasons.join("\n"), ignored: top.rest().collect(), ..Heard::default() })
}

#[test]
fn the_model_does_as_the_universal_form_says() {
    let block = r#"{"decision": "block", "risk": "critical", "reasons": ["R"]}"#;
    agrees(
        &READER,
        &[
            ("pre-write", block, Does::Refuses, "R"),
            ("post-write", block, Does::Blames, "R"),
            ("stop", block, Does::GoesOn, "R"),
            ("pre-write", &block.replace("critical", "none"), Does::Proceeds, ""),
            ("pre-write", &block.replace("block", "deny"), Does::Proceeds, ""),
            ("pre-write", &block.replace("[\"R\"]", "[]"), Does::Proceeds, ""),
        ],
    );
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn the_universal_form_says_what_was_decided(decision in decisions(), voice in voices()) {
        READER.holds(&decision, &voice)?;
    }
}
