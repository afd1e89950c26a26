//! What each agent hears, verdict by verdict and event by event: `tests/replies/CLIENT.json`.
//! `SNAPSHOTS=overwrite cargo test` renews the replies.

use serde_json::{Map, Value};
use solvi_hook::clients::{Phase, Voice, by_name};
use solvi_hook::domain::{
    Change, Decision, Finding, Line, Part, Place, RepoPath, Ruling, Spot, Verdict,
};
use std::fs;
use std::path::Path;

fn decision(verdict: Verdict) -> Decision {
    let place = Place::Inside(RepoPath::new("a.py").unwrap());
    let change = Change::of_text("edit", place, "", "FIXME\n".to_owned());
    let Line { number: line, text } = change.added[0].clone();
    let finding = Finding {
        rule: "no-notes".to_owned(),
        part: Part::Checks,
        verdict,
        spots: vec![Spot { line, text, what: "forbidden pattern".to_owned(), span: None }],
        unknown: None,
        why: "Notes belong into the tracker.".to_owned(),
        instead: Some("open an issue".to_owned()),
    };
    let findings = if verdict == Verdict::Allow { Vec::new() } else { vec![finding] };
    Decision::of(vec![Ruling::of(change, findings, None)])
}

/// Returns every reply of a client; null is silence.
fn replies(name: &str) -> Value {
    let client = by_name(name).unwrap();
    let mut replies = Map::new();
    for phase in [Phase::Before, Phase::Permission, Phase::After, Phase::Other] {
        for verdict in [Verdict::Allow, Verdict::Warn, Verdict::Ask, Verdict::Deny] {
            for approve in [false, true] {
                let voice = Voice { approve, judged: true, notes: Vec::new() };
                let said = client.write_at(phase, &decision(verdict), &voice);
                let name = format!("{phase:?} {} {approve}", verdict.word());
                let name = name.replace("true", "approving").replace(" false", "");
                let said = if said.is_empty() { Value::Null } else { said.parse().unwrap() };
                replies.insert(name, said);
            }
        }
    }
    replies.into()
}

#[test]
fn every_verdict_has_its_reply_at_every_event() {
    let overwrite = std::env::var_os("SNAPSHOTS").is_some_and(|value| value == "overwrite");
    for name in ["claude", "codex", "copilot"] {
        let got = replies(name);
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/replies/{name}.json"));
        if overwrite {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, serde_json::to_string_pretty(&got).unwrap() + "\n").unwrap();
        }
        let wanted: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        assert_eq!(got, wanted, "{name}");
    }
}

/// The keys that Codex knows in a reply to a tool call: with any other, a refusal is none.
#[test]
fn codex_hears_no_key_that_it_does_not_know() {
    let known = ["systemMessage", "hookSpecificOutput"];
    let inner =
        ["hookEventName", "permissionDecision", "permissionDecisionReason", "additionalContext"];
    for verdict in [Verdict::Warn, Verdict::Ask, Verdict::Deny] {
        let reply = by_name("codex").unwrap().write(&decision(verdict), &Voice::default());
        let reply: Map<String, Value> = serde_json::from_str(&reply).unwrap();
        assert!(reply.keys().all(|key| known.contains(&key.as_str())), "{reply:?}");
        let output = reply["hookSpecificOutput"].as_object().unwrap();
        assert!(output.keys().all(|key| inner.contains(&key.as_str())), "{reply:?}");
        if verdict >= Verdict::Ask {
            assert_eq!(output["permissionDecision"], "deny");
            assert!(!output["permissionDecisionReason"].as_str().unwrap().is_empty());
        }
    }
}
