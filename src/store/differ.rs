//! In what does a decision differ from the one that a record holds? Step by step, in the order of
//! the steps; the first difference is mostly the cause of the others.
//!
//! Two steps are the same when they come to the same: the words in which a check says why it could
//! not be made are each program's own.

use super::canonical::value_hash;
use super::plan::{Check, Plan, step_name};
use super::replay::Given;
use super::rest;
use super::steps::Steps;
use super::stored::Stored;
use crate::domain::{Ruling, Verdict};
use serde_json::Value;

/// One step that differs.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The step.
    pub step: String,
    /// The rule that it belongs to; none for a built-in judge.
    pub rule: Option<String>,
    /// What the rule, or the judge, came to when the record was written.
    pub before: Stance,
    /// What it comes to now.
    pub after: Stance,
    /// How they differ.
    pub how: How,
}

/// What a check came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stance {
    /// It was not there.
    Absent,
    /// It failed, and the record does not say what it asked for: the reference program's records
    /// say that only of the check that settled the answer.
    Failed,
    /// It asked for this.
    Verdict(Verdict),
}

/// How two steps differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum How {
    /// It was not taken when the record was written.
    New,
    /// It is not taken now.
    Gone,
    /// Other lines are found.
    Lines {
        /// How many were found.
        before: usize,
        /// How many are found now.
        after: usize,
    },
    /// It cannot be made now.
    Blind(String),
    /// It could not be made when the record was written.
    WasBlind(String),
    /// The same was found, and leads to another verdict.
    Verdict,
    /// The step is the same, and has another hash than the record says.
    Hash,
    /// Every step is the same, and the answer is another.
    Answer {
        /// What the record says.
        before: String,
        /// What it would be.
        after: String,
    },
}

impl Stance {
    /// Tells whether it stood against the change.
    #[must_use]
    pub fn objects(self) -> bool {
        match self {
            Self::Absent => false,
            Self::Failed => true,
            Self::Verdict(verdict) => verdict > Verdict::Allow,
        }
    }

    /// Returns the word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Absent => "none",
            Self::Failed => "failed",
            Self::Verdict(verdict) => verdict.word(),
        }
    }
}

impl Difference {
    /// Tells whether anything stands, or stood, against the change by it.
    #[must_use]
    pub fn matters(&self) -> bool {
        self.before.objects() || self.after.objects()
    }

    /// Tells whether it helped to turn one verdict into another.
    #[must_use]
    pub fn turns(&self, from: Verdict, to: Verdict) -> bool {
        match (self.before, self.after) {
            (before, Stance::Verdict(after)) if to > from => {
                after == to && before != Stance::Verdict(after)
            }
            (Stance::Failed, after) => after != Stance::Verdict(from),
            (Stance::Verdict(before), after) => before == from && after != Stance::Verdict(from),
            _ => false,
        }
    }
}

/// Returns the verdict that the steps of a ruling lead to, and the steps that differ.
#[must_use]
pub fn differences(record: &Stored, given: &Given, ruling: &Ruling) -> (Verdict, Vec<Difference>) {
    let plan = Plan::of(ruling, given.instruction_check);
    let taken = Taken::of(record);
    let mut found: Vec<Difference> = Vec::new();
    let checks = plan.by_name();
    for check in &checks {
        found.extend(taken.held_against(check));
    }
    for (name, _) in taken.checks().filter(|(name, _)| checks.iter().all(|it| it.name != *name)) {
        let (before, after) = (taken.stance(name), Stance::Absent);
        let rule = taken.rule(name);
        found.push(Difference { step: name.to_owned(), rule, before, after, how: How::Gone });
    }
    // Both programs take their checks in the order of the names.
    found.sort_by(|one, other| one.step.cmp(&other.step));
    (checks.iter().map(|check| check.verdict).fold(Verdict::Allow, Verdict::join), found)
}

/// Returns what else differs in a record of which every step is the same: the hash of a step, or
/// the answer. Takes longer than [`differences`].
#[must_use]
pub fn unsound(record: &Stored, given: &Given, ruling: &Ruling) -> Option<Difference> {
    let plan = Plan::of(ruling, given.instruction_check);
    let taken = Taken::of(record);
    let question = record.question()?;
    let (init, init_hash) = (
        record.at(&["response", "trace", "init"])?,
        record.at(&["response", "trace", "init_hash"])?.as_str()?,
    );
    let of = |step: &str, how: How| Difference {
        step: step.to_owned(),
        rule: taken.rule(step),
        before: Stance::Verdict(given.verdict),
        after: Stance::Verdict(ruling.verdict()),
        how,
    };
    if value_hash(init) != init_hash {
        return Some(of("the input", How::Hash));
    }
    for step in Steps::of(question, init, init_hash, &plan).taken {
        // From here on each hash rests on words that are each program's own.
        if step.get("missing") == Some(&Value::Bool(true)) {
            break;
        }
        let name = step.get("name").and_then(Value::as_str).unwrap_or_default();
        if taken.step(name).and_then(|kept| kept.get("hash")) != step.get("hash") {
            return Some(of(name, How::Hash));
        }
    }
    let outcome = plan.outcome(&ruling.change.place.spelled());
    let result = record.at(&["response", "results", question])?;
    let word = |key: &str| result.get(key).and_then(Value::as_str).unwrap_or("none").to_owned();
    let settled = |answer: &str, source: &str| format!("{answer}, settled by {source}");
    let before = settled(&word("answer"), &word("source"));
    let answer = outcome.answer.map_or("none", Verdict::word);
    let after = settled(answer, outcome.check.as_deref().unwrap_or("edit_verdict"));
    (before != after).then(|| of(&format!("answer:{question}"), How::Answer { before, after }))
}

/// The steps that a record holds.
struct Taken<'a> {
    record: &'a Stored,
    steps: &'a [Value],
    // What our own checks asked for; those that are not named asked for nothing.
    ours: Option<&'a Value>,
}

impl<'a> Taken<'a> {
    fn of(record: &'a Stored) -> Self {
        let steps = record.at(&["response", "trace", "records"]).and_then(Value::as_array);
        let ours = record.at(&["meta", "solvi_hook"]);
        Self { record, steps: steps.map(Vec::as_slice).unwrap_or_default(), ours }
    }

    fn step(&self, name: &str) -> Option<&'a Value> {
        self.steps.iter().find(|step| step.get("name").is_some_and(|it| it == name))
    }

    fn checks(&self) -> impl Iterator<Item = (&'a str, &'a Value)> {
        let checks =
            self.steps.iter().filter(|step| step.get("kind").is_some_and(|it| it == "check"));
        checks.filter_map(|step| Some((step.get("name")?.as_str()?, step)))
    }

    /// Returns the rule whose step it is.
    fn rule(&self, step: &str) -> Option<String> {
        let own = |rule: &str| {
            let name = step_name(rule);
            step.strip_prefix(&name).is_some_and(|rest| matches!(rest, "" | "_judged"))
        };
        let rules = self.record.at(&["meta", "rules"]).and_then(Value::as_array);
        let mut rules = rules.into_iter().flatten().filter_map(Value::as_str);
        rules.find(|rule| own(rule)).map(ToOwned::to_owned)
    }

    fn stance(&self, check: &str) -> Stance {
        let Some(step) = self.step(check) else { return Stance::Absent };
        if let Some(ours) = self.ours {
            let word = ours.get("checks").and_then(|checks| checks.get(check)?.as_str());
            return Stance::Verdict(word.and_then(Verdict::of_word).unwrap_or_default());
        }
        if step.get("value") == Some(&Value::Bool(true)) {
            return Stance::Verdict(Verdict::Allow);
        }
        let results = self.record.at(&["response", "results"]).and_then(Value::as_object);
        let settled = results.and_then(|results| results.values().next()?.get("source"));
        match self.record.verdict() {
            Some(verdict) if settled.is_some_and(|it| it == check) => Stance::Verdict(verdict),
            _ => Stance::Failed,
        }
    }

    /// Returns how a check differs from the one that was made.
    fn held_against(&self, check: &Check) -> Option<Difference> {
        let (before, after) = (self.stance(&check.name), Stance::Verdict(check.verdict));
        let finder = check.finder();
        let (step, how) = match (before, self.step(&finder)) {
            (Stance::Absent, _) | (_, None) => (&check.name, How::New),
            (_, Some(kept)) => match found(kept, check) {
                Some(how) => (&finder, how),
                None if same(before, check.verdict) => return None,
                None => (&check.name, How::Verdict),
            },
        };
        Some(Difference { step: step.clone(), rule: check.rule.clone(), before, after, how })
    }
}

/// Returns how what a check finds differs from what was found.
fn found(kept: &Value, check: &Check) -> Option<How> {
    let missing = kept.get("missing") == Some(&Value::Bool(true));
    let value = kept.get("value").unwrap_or(&Value::Null);
    match check.found() {
        Err(_) if missing => None,
        Err(why) => Some(How::Blind(why.to_owned())),
        Ok(_) if missing => {
            let why = kept.get("error").and_then(Value::as_str).unwrap_or_default();
            Some(How::WasBlind(why.to_owned()))
        }
        Ok(found) if found == *value => None,
        Ok(found) => Some(How::Lines { before: rest::count(value), after: rest::count(&found) }),
    }
}

/// Tells whether a check that found the same came to the same.
fn same(before: Stance, after: Verdict) -> bool {
    match before {
        Stance::Absent => false,
        Stance::Failed => after > Verdict::Warn,
        // A store that was not written by us knows of no warning.
        Stance::Verdict(before) => before == after,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::domain::{Change, Event, Finding, Part, Place, RepoPath, Spot};
    use crate::store::chain::Tip;
    use crate::store::record::{self, Facts, Occasion};
    use crate::store::replay;

    fn change() -> Change {
        let place = Place::Inside(RepoPath::new("a.py").unwrap());
        Change::of_text("Edit", place, "a\n", "a\nb\n".to_owned())
    }

    fn finding(rule: &str, verdict: Verdict, lines: &[usize]) -> Finding {
        let spot = |line: &usize| Spot { line: *line, ..Spot::of_file("forbidden pattern") };
        Finding {
            rule: rule.to_owned(),
            part: Part::Checks,
            verdict,
            spots: lines.iter().map(spot).collect(),
            unknown: None,
            why: String::new(),
            instead: None,
        }
    }

    fn blind(rule: &str) -> Finding {
        Finding { unknown: Some("unreadable".to_owned()), ..finding(rule, Verdict::Ask, &[]) }
    }

    fn ruling(findings: Vec<Finding>) -> Ruling {
        Ruling::of(change(), findings, None)
    }

    fn stored(findings: Vec<Finding>) -> Stored {
        let facts = Facts { occasion: Occasion::EDIT, time: 1.5, ms: 1.0, instruction_check: true };
        let mut lines = String::new();
        record::of(&ruling(findings), &Event::default(), &facts)
            .place(&mut Tip::default(), &mut lines);
        Stored::parse(lines.trim_end().as_bytes()).unwrap()
    }

    fn between(before: Vec<Finding>, after: Vec<Finding>) -> Vec<(String, String, How)> {
        let record = stored(before);
        let (given, ruling) = (replay::given(&record).unwrap(), ruling(after));
        let (verdict, found) = differences(&record, &given, &ruling);
        assert_eq!(verdict, ruling.verdict());
        if found.is_empty() {
            assert_eq!(unsound(&record, &given, &ruling), None);
        }
        let told = |it: Difference| {
            (it.step.clone(), format!("{} {}", it.before.word(), it.after.word()), it.how)
        };
        found.into_iter().map(told).collect()
    }

    #[test]
    fn the_same_findings_do_not_differ() {
        let all = || {
            vec![finding("r", Verdict::Deny, &[2]), finding("w", Verdict::Warn, &[1]), blind("u")]
        };
        assert_eq!(between(all(), all()), []);
        let other = Finding { unknown: Some("in other words".to_owned()), ..blind("u") };
        assert_eq!(between(vec![blind("u")], vec![other]), []);
    }

    #[test]
    fn each_difference_is_told_at_its_step() {
        let one =
            |step: &str, stances: &str, how: How| vec![(step.to_owned(), stances.to_owned(), how)];
        let (deny, ask) = (Verdict::Deny, Verdict::Ask);
        let found = || vec![finding("a-b", deny, &[2])];
        assert_eq!(between(found(), vec![]), one("a_b", "deny none", How::Gone));
        assert_eq!(between(vec![], found()), one("a_b", "none deny", How::New));
        let asks = vec![finding("a-b", ask, &[2])];
        assert_eq!(between(found(), asks), one("a_b", "deny ask", How::Verdict));
        let fewer = vec![finding("a-b", Verdict::Allow, &[])];
        let how = How::Lines { before: 1, after: 0 };
        assert_eq!(between(found(), fewer), one("a_b_lines", "deny allow", how));
        let how = How::Blind("unreadable".to_owned());
        assert_eq!(between(found(), vec![blind("a-b")]), one("a_b_lines", "deny ask", how));
        let how = How::WasBlind("unreadable".to_owned());
        assert_eq!(between(vec![blind("a-b")], found()), one("a_b_lines", "ask deny", how));
    }

    #[test]
    fn what_turns_a_verdict_is_what_reaches_it_or_let_it_go() {
        let turns = |before, after, from, to| {
            let how = How::Verdict;
            Difference { step: String::new(), rule: None, before, after, how }.turns(from, to)
        };
        let of = Stance::Verdict;
        let (allow, ask, deny) = (Verdict::Allow, Verdict::Ask, Verdict::Deny);
        assert!(turns(Stance::Absent, of(deny), allow, deny));
        assert!(!turns(of(ask), of(ask), ask, deny));
        assert!(!turns(Stance::Absent, of(ask), allow, deny));
        assert!(turns(of(deny), Stance::Absent, deny, ask));
        assert!(turns(Stance::Failed, of(allow), deny, allow));
        assert!(!turns(of(ask), Stance::Absent, deny, allow));
    }

    #[test]
    fn decisions_of_the_reference_program_say_less_of_what_failed() {
        let lines = include_str!("../../tests/vectors/trace-reference.jsonl");
        let record = Stored::parse(lines.lines().next().unwrap().as_bytes()).unwrap();
        let taken = Taken::of(&record);
        assert_eq!(taken.stance("no_eval"), Stance::Verdict(Verdict::Deny));
        assert_eq!(taken.stance("ask_me"), Stance::Failed);
        assert_eq!(taken.stance("other"), Stance::Absent);
        assert_eq!(taken.rule("ask_me"), Some("ask-me".to_owned()));
    }

    #[test]
    fn an_answer_that_does_not_follow_from_the_steps_is_told() {
        let record = stored(vec![finding("r", Verdict::Deny, &[2])]);
        let mut fields = Value::Object(record.fields().clone());
        fields["response"]["results"]["edit"]["answer"] = "allow".into();
        let record = Stored::parse(fields.to_string().as_bytes()).unwrap();
        let given = replay::given(&record).unwrap();
        let ruling = ruling(vec![finding("r", Verdict::Deny, &[2])]);
        assert_eq!(differences(&record, &given, &ruling), (Verdict::Deny, vec![]));
        let told = unsound(&record, &given, &ruling).unwrap();
        assert!(matches!(told.how, How::Answer { .. }), "{told:?}");
        fields["response"]["trace"]["records"][0]["hash"] = "x".into();
        let record = Stored::parse(fields.to_string().as_bytes()).unwrap();
        assert_eq!(unsound(&record, &given, &ruling).unwrap().how, How::Hash);
    }
}
