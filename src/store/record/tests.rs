//! A record holds what was decided, in the format that the reference program reads.

#![allow(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::domain::decision::Redaction;
use crate::domain::{Change, Finding, Line, Part, Place, RepoPath, Spot};
use crate::store::chain::{Tip, record_hash};
use crate::store::steps::KEPT;

const FACTS: Facts =
    Facts { occasion: Occasion::EDIT, time: 1_700_000_000.25, ms: 4.5, instruction_check: true };

fn inside(path: &str) -> Place {
    Place::Inside(RepoPath::new(path).unwrap())
}

fn change() -> Change {
    Change::of_text("Edit", inside("a.py"), "a\n", "a\nb\n".to_owned())
}

fn finding(rule: &str, part: Part, verdict: Verdict, lines: &[(usize, &str, &str)]) -> Finding {
    let spot = |(line, text, what): &(usize, &str, &str)| Spot {
        line: *line,
        text: (*text).to_owned(),
        span: None,
        what: (*what).to_owned(),
    };
    Finding {
        rule: rule.to_owned(),
        part,
        verdict,
        spots: lines.iter().map(spot).collect(),
        unknown: None,
        why: "Because.".to_owned(),
        instead: None,
    }
}

fn blind(rule: &str, verdict: Verdict) -> Finding {
    let unknown = Some("the file cannot be read".to_owned());
    Finding { unknown, ..finding(rule, Part::Checks, verdict, &[]) }
}

fn lines(ruling: &Ruling, facts: &Facts) -> String {
    let mut lines = String::new();
    of(ruling, &Event::default(), facts).place(&mut Tip::default(), &mut lines);
    lines
}

/// Returns the record of findings about one change, after checking what it says twice.
fn record(change: Change, findings: Vec<Finding>) -> Value {
    let ruling = Ruling::of(change, findings, None);
    let record: Value = serde_json::from_str(&lines(&ruling, &FACTS)).unwrap();
    assert_eq!(record["hash"], record_hash(record.as_object().unwrap()));
    let (result, trace) = (&record["response"]["results"]["edit"], &record["response"]["trace"]);
    let answer = json!([result["answer"], result["confidence"], result["status"]]);
    assert_eq!(record["answers"], json!({"edit": answer}));
    assert_eq!(record["init_hash"], value_hash(&trace["init"]));
    let mut prev = &record["init_hash"];
    for (step, indexed) in list(&trace["records"]).iter().zip(list(&record["records"])) {
        assert_eq!(*indexed, json!([step["step"], step["name"], step["hash"]]));
        assert_eq!(step["prev"], *prev);
        let number = usize::try_from(step["step"].as_u64().unwrap()).unwrap();
        assert_eq!(step["name"], record["flow"][number - 1]);
        prev = &step["hash"];
    }
    record
}

fn list(value: &Value) -> &Vec<Value> {
    value.as_array().unwrap()
}

fn step<'a>(record: &'a Value, name: &str) -> Option<&'a Value> {
    list(&record["response"]["trace"]["records"]).iter().find(|step| step["name"] == name)
}

fn value<'a>(record: &'a Value, name: &str) -> &'a Value {
    &step(record, name).unwrap()["value"]
}

#[test]
fn the_sample_decision_is_laid_out_as_the_sample_is() {
    let sample = include_str!("../../../tests/vectors/trace-sample.jsonl").lines().next();
    let sample: Value = serde_json::from_str(sample.unwrap()).unwrap();
    let change =
        Change::of_text("Edit", inside("lib/ü.py"), "a\nb\n", "a\nb\neval('1')\n".to_owned());
    let spots = [(3, "eval('1')", "calls eval")];
    let findings = vec![finding("no-eval", Part::Checks, Verdict::Deny, &spots)];
    let ruling = Ruling::of(change, findings, None);
    let facts = Facts { instruction_check: false, ..FACTS };
    let record: Value = serde_json::from_str(&lines(&ruling, &facts)).unwrap();
    for key in ["v", "kind", "time", "init_hash", "answers", "flow", "records", "guards"] {
        assert_eq!(record[key], sample[key], "{key}");
    }
    for key in ["safeguards", "models", "seq", "prev"] {
        assert_eq!(record[key], sample[key], "{key}");
    }
    let (ours, theirs) = (&record["response"], &sample["response"]);
    assert_eq!(ours["results"], theirs["results"]);
    assert_eq!(ours["safeguards"], theirs["safeguards"]);
    assert_eq!(ours["flow"]["per_question"], theirs["flow"]["per_question"]);
    assert_eq!(ours["trace"]["init"], theirs["trace"]["init"]);
    assert_eq!(ours["trace"]["records"], theirs["trace"]["records"]);
    for key in ["hook", "tool", "path", "outcome", "rules", "instruction_check"] {
        assert_eq!(record["meta"][key], sample["meta"][key], "{key}");
    }
}

#[test]
fn an_edit_that_nobody_objects_to_is_answered_with_its_path() {
    let record = record(change(), vec![finding("r", Part::Checks, Verdict::Allow, &[])]);
    assert_eq!(record["answers"]["edit"], json!(["allow", 1.0, "ok"]));
    assert_eq!(record["response"]["results"]["edit"]["why"], "path = 'a.py'");
    assert_eq!(value(&record, "no_instructions"), true);
    assert_eq!(value(&record, "answer:edit"), "allow");
}

#[test]
fn a_rule_without_checks_finds_the_file() {
    let record = record(change(), vec![finding("2 x", Part::Touch, Verdict::Ask, &[])]);
    assert_eq!(*value(&record, "rule_2_x_lines"), json!([[0, "", "*"]]));
    assert_eq!(record["answers"]["edit"][0], "ask");
    assert!(step(&record, "answer:edit").is_none());
}

#[test]
fn what_refuses_decides_before_what_asks() {
    let record = record(
        change(),
        vec![
            finding("a", Part::Touch, Verdict::Ask, &[]),
            finding("said", Part::Instructions, Verdict::Ask, &[(2, "b", "")]),
            finding("b", Part::Touch, Verdict::Deny, &[]),
            blind("c", Verdict::Ask),
        ],
    );
    assert_eq!(record["response"]["results"]["edit"]["source"], "b");
    assert_eq!(*value(&record, "instructions"), json!([[2, "b"]]));
    let skipped = json!([["answer:edit", "not needed: hard check a failed"]]);
    assert_eq!(record["response"]["trace"]["skipped"], skipped);
    let verdicts = json!({"a": "ask", "b": "deny", "c": "ask", "no_instructions": "ask"});
    assert_eq!(record["meta"]["solvi_hook"]["checks"], verdicts);
}

#[test]
fn a_check_that_could_not_be_made_leaves_no_answer() {
    let record = record(change(), vec![blind("c", Verdict::Ask)]);
    assert_eq!(record["answers"]["edit"], json!([null, 0.0, "abstain"]));
    assert_eq!(record["meta"]["outcome"], "ask");
    let why = "hard check c could not be evaluated: missing inputs: c_lines; \
               caused by c_lines: the file cannot be read";
    assert_eq!(record["response"]["safeguards"][0]["detail"], why);
    let failed = step(&record, "c").unwrap();
    assert_eq!((&failed["value"], &failed["missing"]), (&Value::Null, &json!(true)));
    assert_eq!(
        (&failed["inputs"], &failed["error"]),
        (&json!({}), &json!("missing inputs: c_lines"))
    );
    assert_eq!(value(&record, "answer:edit"), "allow");
}

#[test]
fn what_is_certain_counts_even_when_the_rest_could_not_be_checked() {
    let certain = finding("c", Part::Checks, Verdict::Deny, &[(2, "b", "forbidden pattern")]);
    let record = record(change(), vec![Finding { unknown: Some("x".to_owned()), ..certain }]);
    assert_eq!(record["answers"]["edit"][0], "deny");
    assert_eq!(*value(&record, "c_lines"), json!([[2, "b", "forbidden pattern"]]));
}

#[test]
fn a_warning_is_stored_as_allow() {
    let spots = [(2, "b", "forbidden pattern")];
    let warning = finding("w", Part::Checks, Verdict::Warn, &spots);
    let record = record(change(), vec![warning, blind("c", Verdict::Warn)]);
    assert_eq!(record["answers"]["edit"], json!(["allow", 1.0, "ok"]));
    assert_eq!(record["safeguards"], json!([]));
    assert_eq!(value(&record, "w"), true);
    assert_eq!(value(&record, "c"), true);
    assert_eq!(record["meta"]["outcome"], "warn");
    assert_eq!(record["meta"]["reasons"][0], "w: Because.\n    line 2: b");
    assert_eq!(record["meta"]["solvi_hook"]["checks"], json!({"c": "warn", "w": "warn"}));
}

#[test]
fn a_question_is_there_only_when_a_line_brings_it_up() {
    let asked = Part::Question("Safe?".to_owned());
    let record = record(
        change(),
        vec![
            finding("q", asked.clone(), Verdict::Ask, &[(2, "b", "")]),
            finding("r", asked, Verdict::Allow, &[]),
        ],
    );
    assert_eq!(*value(&record, "q_trigger"), json!([[2, "b"]]));
    assert_eq!(value(&record, "q_judged"), false);
    assert_eq!(record["meta"]["rules"], json!(["q"]));
}

#[test]
fn a_deletion_is_shown_to_no_check() {
    let record = record(
        Change::of_deletion("apply_patch", inside("a.py")),
        vec![
            finding("r", Part::Checks, Verdict::Warn, &[]),
            finding("t", Part::Touch, Verdict::Deny, &[]),
        ],
    );
    let flow = ["instructions", "no_instructions", "t_lines", "t", "answer:edit"];
    assert_eq!(record["flow"], json!(flow));
    assert_eq!(record["meta"]["deleted"], true);
    assert_eq!(list(&record["meta"]["reasons"]).len(), 2);
}

#[test]
fn own_files_are_a_step_only_when_they_are_touched() {
    let judge = |verdict| finding("guard", Part::OwnFiles, verdict, &[(0, "", "its rules")]);
    let touched = record(change(), vec![judge(Verdict::Ask)]);
    assert_eq!(*value(&touched, "own_files_lines"), json!([[0, "", "its rules"]]));
    assert_eq!(touched["meta"]["rules"], json!([]));
    assert!(step(&record(change(), vec![judge(Verdict::Allow)]), "own_files").is_none());
}

#[test]
fn a_rule_that_looked_twice_is_one_check() {
    let at_source = finding("r", Part::Checks, Verdict::Allow, &[]);
    let at_target = finding("r", Part::Checks, Verdict::Deny, &[(2, "b", "x")]);
    let moved = Change { moved_from: Some(inside("old.py")), ..change() };
    let record = record(moved, vec![at_source, at_target]);
    assert_eq!(*value(&record, "r_lines"), json!([[2, "b", "x"]]));
    assert_eq!(value(&record, "r"), false);
    assert_eq!(record["meta"]["solvi_hook"]["moved_from"], "old.py");
}

#[test]
fn a_large_file_is_judged_but_not_kept() {
    let write =
        |size: usize| record(Change::of_text("Write", inside("a"), "", "x".repeat(size)), vec![]);
    let kept = write(KEPT - 1);
    assert!(kept["response"]["trace"]["init"]["result_text"].is_string());
    assert_eq!(kept["meta"]["solvi_hook"].get("no_result_text"), None);
    let large = write(KEPT + 1);
    let init = &large["response"]["trace"]["init"];
    assert_eq!((&init["result_text"], &init["added_lines"]), (&Value::Null, &json!([])));
    let said = "larger than 1 MiB, so it is not kept";
    assert_eq!(large["meta"]["solvi_hook"]["no_result_text"], said);
    assert_eq!(large["meta"]["solvi_hook"]["no_added_lines"], said);
}

#[test]
fn the_session_is_named_where_the_client_named_it() {
    let mut event = Event::default();
    event.session.session_id = Some("s".to_owned());
    event.session.agent_id = Some(String::new());
    let ruling = Ruling::of(change(), Vec::new(), None);
    let mut lines = String::new();
    of(&ruling, &event, &FACTS).place(&mut Tip::default(), &mut lines);
    let record: Value = serde_json::from_str(&lines).unwrap();
    assert_eq!(record["meta"]["session_id"], "s");
    assert_eq!(record["meta"].get("agent_id"), None);
}

#[test]
fn a_secret_is_in_no_byte_and_in_no_hash() {
    let ruling = |secret: &str| {
        let text = format!("key = {secret}\n");
        let change = Change::of_text("Write", inside("k.py"), "", text);
        let masked = "key = AKIA…".to_owned();
        let spots = [(1, masked.as_str(), "forbidden pattern")];
        let found = finding("no-keys", Part::Checks, Verdict::Deny, &spots);
        let redaction = Redaction {
            rules: vec!["no-keys".to_owned(), "other".to_owned()],
            added: vec![Line { number: 1, text: masked.clone() }],
            after: Content::Text(masked + "\n"),
            withheld: false,
        };
        Ruling::of(change, vec![found], Some(redaction))
    };
    let written = lines(&ruling("AKIA-FIRST"), &FACTS);
    assert_eq!(written, lines(&ruling("AKIA-OTHER"), &FACTS));
    assert!(!written.contains("FIRST") && !written.contains("key ="));
    let records: Vec<Map<String, Value>> =
        written.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let [erased, redaction] = records.try_into().unwrap();
    assert_eq!(erased["hash"], record_hash(&erased));
    assert_eq!(erased["answers"]["edit"][0], "deny");
    assert_eq!(
        erased["redacted"]["note"],
        "redact = true: no-keys, other; findings: {\"no-keys\":\"deny\"}"
    );
    assert_eq!(redaction["hash"], record_hash(&redaction));
    assert_eq!((&redaction["of"], &redaction["of_hash"]), (&erased["id"], &erased["hash"]));
    assert_eq!(redaction["note"], erased["redacted"]["note"]);
    assert_eq!(redaction["by"], erased["redacted"]["by"]);
}
