//! Where a summary and its response differ is told, and nothing where they say the same.

#![allow(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::store::scan::Scanner;
use serde_json::{Value, json};

fn found(record: &Value) -> Vec<Differs> {
    let line = record.to_string();
    let mut scanner = Scanner::default();
    let (tree, _) = scanner.scan(line.as_bytes()).unwrap();
    differences(tree.root())
}

/// A decision in which a model spoke.
fn decision() -> Value {
    let model = json!({"type": "M", "id": "m", "fp": null, "more": 1});
    json!({
        "init_hash": "i",
        "answers": {"edit": ["deny", 0.1235, "forced"], "other": [null, {"$float": "inf"}, "ok"]},
        "flow": ["a", "b"],
        "records": [[1, "a", "x"], [2, "b", "y"]],
        "guards": {"edit": "hard_check"},
        "safeguards": [["hard_check", "f", ["a", "edit"]]],
        "models": [{"type": "M", "id": "m", "fp": "None"}],
        "response": {
            "results": {
                "edit": {"answer": "deny", "confidence": 0.123_456, "status": "forced", "guard": "hard_check"},
                "other": {"answer": "x", "not_stated": true, "confidence": {"$float": "inf"}, "status": "ok"},
            },
            "flow": {"steps": [{"name": "a"}, {"name": "b"}]},
            "safeguards": [{"kind": "hard_check", "fact": "f", "questions": ["edit", "a"]}],
            "trace": {"init_hash": "i", "records": [
                {"step": 1, "name": "a", "hash": "x", "prev": "i", "model": model},
                {"step": 2, "name": "b", "hash": "y", "prev": "x", "tried_models": {"p": model}},
            ]},
        },
    })
}

#[test]
fn a_decision_agrees_with_its_response() {
    assert_eq!(found(&decision()), []);
}

#[test]
fn every_part_of_the_summary_is_compared() {
    let table = [
        ("/response", json!(null), Differs::NoResponse),
        ("/response", json!([1]), Differs::NoResponse),
        ("/init_hash", json!("j"), Differs::Input),
        ("/records/1/2", json!("z"), Differs::Steps),
        ("/records", json!([[1, "a", "x"]]), Differs::Steps),
        ("/response/trace/records/1/prev", json!("w"), Differs::Links),
        ("/answers/edit/0", json!("allow"), Differs::Answers),
        ("/answers/edit/2", json!("ok"), Differs::Answers),
        ("/response/results/other/not_stated", json!(false), Differs::Answers),
        ("/answers/edit/1", json!(0.1234), Differs::Confidence),
        ("/answers/other/1", json!(1.0), Differs::Confidence),
        ("/guards", json!({}), Differs::Guards),
        ("/response/results/edit/guard", json!("x"), Differs::Guards),
        ("/safeguards", json!([]), Differs::Safeguards),
        ("/safeguards/0/2", json!(["edit", "a"]), Differs::Safeguards),
        ("/models/0/fp", json!("x"), Differs::Models),
        ("/models", json!([]), Differs::Models),
        ("/flow", json!(["a"]), Differs::Flow),
        ("/flow/1", json!("c"), Differs::Flow),
        ("/response/trace", json!(5), Differs::Shape),
        ("/answers/edit", json!("deny"), Differs::Shape),
        ("/response/trace/records/0", json!([]), Differs::Shape),
    ];
    for (at, value, differs) in table {
        let mut record = decision();
        *record.pointer_mut(at).unwrap() = value;
        assert_eq!(found(&record), [differs], "{at}");
    }
}

#[test]
fn one_is_the_same_number_with_and_without_a_point() {
    let mut record = decision();
    record["records"][0][0] = json!(1.0);
    assert_eq!(found(&record), []);
}

#[test]
fn what_the_summary_need_not_have_is_not_missed() {
    let mut record = decision();
    for key in ["flow", "guards", "safeguards", "models"] {
        record.as_object_mut().unwrap().remove(key);
    }
    assert_eq!(found(&record), []);
}

#[test]
fn a_compact_record_keeps_some_of_the_steps() {
    let mut record = decision();
    record["record"] = json!("compact");
    let mut kept = record.as_object_mut().unwrap().remove("response").unwrap();
    kept["trace"]["records"].as_array_mut().unwrap().remove(0);
    kept["results"]["other"].as_object_mut().unwrap().remove("status");
    record["compact"] = kept;
    assert_eq!(found(&record), []);
    record["compact"]["trace"]["records"][0]["prev"] = json!("w");
    assert_eq!(found(&record), [Differs::Links]);
    record["compact"]["trace"]["records"][0]["name"] = json!("w");
    assert_eq!(found(&record), [Differs::Steps]);
}
