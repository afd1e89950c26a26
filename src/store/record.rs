//! What a record keeps of a decision.
//!
//! The envelope is the reference program's format 2, so that either program reads, checks and
//! continues what the other wrote. What only we know stands in `meta.solvi_hook`. A warning is
//! stored as the answer `allow`, because the reference has no such verdict; `meta` says it.

use super::canonical::value_hash;
use super::chain::{Entry, FORMAT};
use super::plan::Plan;
use super::steps::{self, Steps};
use crate::domain::{Content, Event, Numbering, Ruling, Standing, Verdict, wording};
use serde_json::{Map, Value, json};

/// What a decision was made for: which program asked, and the record's word for the question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occasion {
    /// The sub-command.
    pub hook: &'static str,
    /// The question that the record answers.
    pub question: &'static str,
}

impl Occasion {
    /// An agent is about to edit a file.
    pub const EDIT: Self = Self { hook: "pre-edit", question: "edit" };
    /// git is about to make a commit.
    pub const COMMIT: Self = Self { hook: "check-staged", question: "commit" };
    /// A range, a patch or the working tree is looked at.
    pub const DIFF: Self = Self { hook: "check-diff", question: "diff" };
    /// git is about to push.
    pub const PUSH: Self = Self { hook: "pre-push", question: "diff" };
    /// An agent is about to stop.
    pub const STOP: Self = Self { hook: "stop", question: "diff" };
    /// An agent has edited a file.
    pub const WRITTEN: Self = Self { hook: "post-write", question: "written" };
}

/// Who erases, in the mark of a record that was born erased.
const BY: &str = "solvi-hook";

/// What a record holds beside the ruling and the event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Facts {
    /// What the decision was made for.
    pub occasion: Occasion,
    /// When the edit was judged, in seconds since the Unix epoch.
    pub time: f64,
    /// How long it took, in milliseconds.
    pub ms: f64,
    /// Whether the change was searched for text that speaks to its reviewer.
    pub instruction_check: bool,
}

/// Makes the record of a ruling. Where a redacting rule found a secret, the record is hashed
/// over the masked change and its content is never written.
#[must_use]
pub fn of(ruling: &Ruling, event: &Event, facts: &Facts) -> Entry {
    entry(decision(ruling, event, facts), ruling)
}

/// How what was written stands to what was judged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// The id and the hash of the decision about the edit; none when there is no record of it.
    pub of: Option<(String, String)>,
    /// Whether that decision was to ask, so that a person has let the edit through.
    pub asked: bool,
    /// Whether the file is another than was judged; none when that cannot be told.
    pub differs: Option<bool>,
}

/// Makes the record of what was written. The ruling is about what nobody had judged before; the
/// decision that it refers to tells the rest.
#[must_use]
pub fn written(written: &Written, ruling: &Ruling, event: &Event, facts: &Facts) -> Entry {
    let mut record = decision(ruling, event, facts);
    let mut told = object([("differs", written.differs.into())]);
    if let Some((id, hash)) = &written.of {
        told.insert("of".to_owned(), id.as_str().into());
        told.insert("of_hash".to_owned(), hash.as_str().into());
    }
    if written.asked {
        told.insert("answered".to_owned(), true.into());
    }
    let ours = record.get_mut("meta").and_then(|meta| meta.get_mut("solvi_hook"));
    if let Some(ours) = ours.and_then(Value::as_object_mut) {
        ours.insert("written".to_owned(), told.into());
    }
    entry(record, ruling)
}

fn entry(record: Map<String, Value>, ruling: &Ruling) -> Entry {
    match &ruling.redaction {
        Some(redaction) => {
            let note = format!("redact = true: {}", redaction.rules.join(", "));
            Entry::born_erased(record, BY, &note)
        }
        None => Entry::whole(record),
    }
}

fn decision(ruling: &Ruling, event: &Event, facts: &Facts) -> Map<String, Value> {
    let plan = Plan::of(ruling, facts.instruction_check);
    let outcome = plan.outcome(ruling.change.place.as_str());
    let init = steps::init(ruling);
    let init_hash = value_hash(&init);
    let question = facts.occasion.question;
    let steps = Steps::of(question, &init, &init_hash, &plan);
    let (answer, confidence, status) = match (outcome.answer, &outcome.check) {
        (Some(answer), Some(_)) => (Some(answer.word()), 1.0, "forced"),
        (Some(answer), None) => (Some(answer.word()), 1.0, "ok"),
        (None, _) => (None, 0.0, "abstain"),
    };
    let guard = outcome.check.as_ref().map(|_| "hard_check");
    let fact = steps.flow.last();
    let mut per_question: Vec<&String> =
        steps.flow.iter().filter(|name| Some(*name) != fact).collect();
    per_question.sort_unstable();
    let result = json!({
        "answer": answer,
        "confidence": confidence,
        "why": outcome.why,
        "status": status,
        "provenance": answer.map(|_| "computed"),
        "source": outcome.check.as_deref().unwrap_or("edit_verdict"),
        "guard": guard,
    });
    let safeguard = guard.map(|guard| {
        object([
            ("kind", guard.into()),
            ("fact", json!(fact)),
            ("detail", outcome.why.as_str().into()),
            ("questions", json!([question])),
        ])
    });
    let flow = object([
        ("steps", steps.planned.into()),
        ("per_question", json!({question: per_question})),
    ]);
    let trace = object([
        ("init_hash", init_hash.as_str().into()),
        ("init", init),
        ("records", steps.taken.into()),
        ("skipped", steps.skipped.into()),
    ]);
    let response = object([
        ("results", json!({question: result})),
        ("flow", flow.into()),
        ("trace", trace.into()),
        ("ms", facts.ms.into()),
        ("safeguards", safeguard.into_iter().collect()),
    ]);
    object([
        ("v", FORMAT.into()),
        ("kind", "ask".into()),
        ("time", facts.time.into()),
        ("init_hash", init_hash.into()),
        ("answers", json!({question: [answer, confidence, status]})),
        ("flow", json!(steps.flow)),
        ("records", steps.index.into()),
        ("guards", guard.map_or(json!({}), |guard| json!({question: guard}))),
        ("safeguards", guard.iter().map(|guard| json!([guard, fact, [question]])).collect()),
        ("models", json!([])),
        ("meta", meta(ruling, event, facts, &plan).into()),
        ("response", response.into()),
    ])
}

/// What a check of many files came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// What was checked: `staged changes`, `main..HEAD`.
    pub title: String,
    /// The verdict on all of it.
    pub verdict: Verdict,
    /// How many files were checked.
    pub files: usize,
    /// The files that no rule could look at.
    pub not_checked: Vec<String>,
    /// What a person at the terminal answered to an *ask*.
    pub answered: Option<bool>,
    /// Whose work was checked, where an agent asked.
    pub session_id: Option<String>,
    /// A name for what is refused, the same for the same reasons.
    pub reasons: Option<String>,
}

/// Makes the record that sums up a check of many files; the records of the files with findings
/// stand before it.
#[must_use]
pub fn summary(summary: &Summary, facts: &Facts) -> Entry {
    let Occasion { hook, question } = facts.occasion;
    let init = json!({"title": summary.title, "files": summary.files});
    let init_hash = value_hash(&init);
    // What a person let through went through; `meta` keeps what was asked.
    let answer = match (summary.verdict, summary.answered) {
        (Verdict::Warn | Verdict::Allow, _) | (Verdict::Ask, Some(true)) => Verdict::Allow,
        (verdict, _) => verdict,
    };
    let status = if answer == Verdict::Allow { "ok" } else { "forced" };
    let result = json!({
        "answer": answer.word(), "confidence": 1.0, "why": summary.title, "status": status,
    });
    let trace = json!({"init_hash": init_hash, "init": init, "records": []});
    let mut meta = json!({
        "hook": hook,
        "outcome": summary.verdict.word(),
        "solvi_hook": {
            "version": env!("CARGO_PKG_VERSION"),
            "verdict": summary.verdict.word(),
            "files": summary.files,
            "not_checked": summary.not_checked,
            "answered": summary.answered,
        },
    });
    if let Some(session) = &summary.session_id {
        meta["session_id"] = session.as_str().into();
    }
    if let Some(reasons) = &summary.reasons {
        meta["solvi_hook"]["reasons"] = reasons.as_str().into();
    }
    Entry::whole(object([
        ("v", FORMAT.into()),
        ("kind", "ask".into()),
        ("time", facts.time.into()),
        ("init_hash", init_hash.into()),
        ("answers", json!({question: [answer.word(), 1.0, status]})),
        ("flow", json!([])),
        ("records", json!([])),
        ("guards", json!({})),
        ("safeguards", json!([])),
        ("models", json!([])),
        ("meta", meta),
        (
            "response",
            json!({
                "results": {question: result},
                "flow": {"steps": []},
                "trace": trace,
                "ms": facts.ms,
            }),
        ),
    ]))
}

/// Returns the hook's own part of a record.
fn meta(ruling: &Ruling, event: &Event, facts: &Facts, plan: &Plan) -> Map<String, Value> {
    let change = &ruling.change;
    let objecting = ruling.findings.iter().filter(|finding| finding.objects());
    let reasons: Vec<String> = objecting.map(|finding| wording::item(finding, change)).collect();
    let mut meta = object([
        ("hook", facts.occasion.hook.into()),
        ("tool", change.tool.as_str().into()),
        ("path", change.place.as_str().into()),
        ("outcome", ruling.verdict().word().into()),
        ("reasons", reasons.into()),
        ("rules", plan.rules().into()),
        ("solvi_hook", ours(ruling, plan).into()),
    ]);
    let session = &event.session;
    for (key, name) in [
        ("session_id", &session.session_id),
        ("tool_use_id", &session.tool_use_id),
        ("prompt_id", &session.prompt_id),
        ("agent_id", &session.agent_id),
    ] {
        if let Some(name) = name.as_deref().filter(|name| !name.is_empty()) {
            meta.insert(key.to_owned(), name.into());
        }
    }
    if change.deletes() {
        meta.insert("deleted".to_owned(), true.into());
    }
    if !facts.instruction_check {
        meta.insert("instruction_check".to_owned(), false.into());
    }
    meta
}

/// Returns what the reference's format has no place for.
fn ours(ruling: &Ruling, plan: &Plan) -> Map<String, Value> {
    let change = &ruling.change;
    let (added, after) = steps::kept(ruling);
    let mut ours = object([
        ("version", env!("CARGO_PKG_VERSION").into()),
        ("verdict", ruling.verdict().word().into()),
    ]);
    let mut note = |key: &str, value: Value| _ = ours.insert(key.to_owned(), value);
    let objecting = plan.by_name().into_iter().filter(|check| check.verdict > Verdict::Allow);
    let verdicts: Map<String, Value> =
        objecting.map(|check| (check.name.clone(), check.verdict.word().into())).collect();
    if !verdicts.is_empty() {
        note("checks", verdicts.into());
    }
    if let Some(from) = &change.moved_from {
        note("moved_from", from.as_str().into());
    }
    match change.numbering {
        Numbering::File => {}
        Numbering::NewText => note("numbering", "new text".into()),
        Numbering::Cell => note("numbering", "cell".into()),
    }
    if let Some(unsure) = &change.unsure {
        note("unsure", unsure.as_str().into());
    }
    match change.standing {
        Standing::Tracked => note("standing", "tracked".into()),
        Standing::New => note("standing", "new".into()),
        Standing::Unknown => {}
    }
    match &change.after {
        Content::Text(_) if after.is_none() => note("no_result_text", steps::too_large().into()),
        Content::Binary => note("no_result_text", steps::NO_TEXT.into()),
        Content::Unknown(why) => note("no_result_text", why.as_str().into()),
        Content::Text(_) | Content::Absent => {}
    }
    if added.is_empty() && !change.added.is_empty() {
        note("no_added_lines", steps::too_large().into());
    }
    ours
}

fn object<const N: usize>(fields: [(&str, Value); N]) -> Map<String, Value> {
    fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::domain::decision::Redaction;
    use crate::domain::{Change, Finding, Line, Part, Place, RepoPath, Spot};
    use crate::store::chain::{Tip, record_hash};
    use crate::store::steps::KEPT;

    const FACTS: Facts = Facts {
        occasion: Occasion::EDIT,
        time: 1_700_000_000.25,
        ms: 4.5,
        instruction_check: true,
    };

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
        let (result, trace) =
            (&record["response"]["results"]["edit"], &record["response"]["trace"]);
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
        let sample = include_str!("../../tests/vectors/trace-sample.jsonl").lines().next();
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
        let write = |size: usize| {
            record(Change::of_text("Write", inside("a"), "", "x".repeat(size)), vec![])
        };
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
        assert_eq!(erased["redacted"]["note"], "redact = true: no-keys, other");
        assert_eq!(redaction["hash"], record_hash(&redaction));
        assert_eq!((&redaction["of"], &redaction["of_hash"]), (&erased["id"], &erased["hash"]));
        assert_eq!(redaction["note"], erased["redacted"]["note"]);
        assert_eq!(redaction["by"], erased["redacted"]["by"]);
    }
}
