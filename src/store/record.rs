//! What a record keeps of a decision.
//!
//! The envelope is the reference program's format 2, so that either program reads, checks and
//! continues what the other wrote. What only we know stands in `meta.solvi_hook`. A warning is
//! stored as the answer `allow`, because the reference has no such verdict; `meta` says it.

use super::canonical::value_hash;
use super::chain::{Entry, FORMAT};
use super::plan::Plan;
use super::redaction_note;
use super::steps::{self, Steps};
use crate::domain::{Certainty, Content, Event, Numbering, Ruling, Standing, Verdict, wording};
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
    /// git is about to accept a push.
    pub const RECEIVE: Self = Self { hook: "pre-receive", question: "diff" };
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
        // Nothing of the text is in it.
        Some(redaction) if redaction.withheld => Entry::whole(record),
        Some(redaction) => {
            let note = redaction_note::write(&redaction.rules, &ruling.findings);
            Entry::born_erased(record, BY, &note)
        }
        None => Entry::whole(record),
    }
}

fn decision(ruling: &Ruling, event: &Event, facts: &Facts) -> Map<String, Value> {
    let plan = Plan::of(ruling, facts.instruction_check);
    let outcome = plan.outcome(&ruling.change.place.spelled());
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
    /// The first files that no rule could look at.
    pub not_checked: Vec<String>,
    /// How many more there are of these.
    pub not_checked_more: usize,
    /// What is told of the files with findings that have no record of their own.
    pub rest: Option<Value>,
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
    if summary.not_checked_more > 0 {
        meta["solvi_hook"]["not_checked_more"] = summary.not_checked_more.into();
    }
    if let Some(rest) = &summary.rest {
        meta["solvi_hook"]["rest"] = rest.clone();
    }
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
        ("path", change.place.spelled().as_ref().into()),
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
    let findings = redaction_note::verdicts(&ruling.findings);
    if !findings.is_empty() {
        note("findings", findings.into());
    }
    if let Some(from) = &change.moved_from {
        note("moved_from", from.spelled().as_ref().into());
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
    if change.certainty == Certainty::Possible {
        note("certainty", "possible".into());
    }
    if ruling.redaction.as_ref().is_some_and(|redaction| redaction.withheld) {
        match &change.after {
            Content::Text(text) => note("no_result_text", steps::withheld(text).into()),
            Content::Binary => note("no_result_text", steps::NO_TEXT.into()),
            Content::Unknown(why) => note("no_result_text", why.as_str().into()),
            Content::Absent => {}
        }
        if !change.added.is_empty() {
            let added: Vec<&str> = change.added.iter().map(|line| line.text.as_str()).collect();
            let told = steps::withheld(&added.join("\n"));
            note("no_added_lines", format!("{told}, {} lines", added.len()).into());
        }
        return ours;
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
mod tests;
