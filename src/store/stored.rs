//! What does one record say? A light view of a line of the store, whoever wrote it.
//!
//! Nothing is checked here but that the line is a record at all, and nothing fails on a kind or a
//! field that is not known: what a record does not say is absent. What is erased stays absent.

use super::interrupted;
use super::plan::step_name;
use super::record::Occasion;
use super::redaction_note;
use super::utc::Utc;
use crate::domain::{Verdict, checks};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::time::Duration;

/// A record of the store.
#[derive(Clone, Debug, PartialEq)]
pub struct Stored {
    // Has a string `hash`.
    fields: Map<String, Value>,
}

/// Why a line is no record.
#[derive(Debug, thiserror::Error)]
pub enum NoRecord {
    /// It is no JSON object.
    #[error("the line is no JSON object: {0}")]
    Unreadable(#[source] serde_json::Error),
    /// It is an object that no chain holds.
    #[error("the line is an object without a hash")]
    Unchained,
}

/// What a record is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind<'a> {
    /// A decision about one edit, command, prompt or changed file.
    Decision,
    /// How what was written stands to the decision about it.
    Written,
    /// What a check of many files came to.
    Summary,
    /// The note that a record's content was erased.
    Redaction,
    /// A person's word on an earlier decision.
    Teach,
    /// The beginning of a store that continues another.
    Segment,
    /// What a writer that was stopped left in the line before.
    Recovery,
    /// Anything else, by the name that it gives itself.
    Other(&'a str),
}

/// What one rule came to in a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome<'a> {
    /// The rule, or the built-in check.
    pub rule: Cow<'a, str>,
    /// Its verdict. The reference program's records say of a rule that failed beside another only
    /// that it failed: then there is none.
    pub verdict: Option<Verdict>,
}

impl Stored {
    /// Reads a line.
    pub fn parse(line: &[u8]) -> Result<Self, NoRecord> {
        let fields: Map<String, Value> =
            serde_json::from_slice(line).map_err(NoRecord::Unreadable)?;
        match fields.get("hash") {
            Some(Value::String(_)) => Ok(Self { fields }),
            _ => Err(NoRecord::Unchained),
        }
    }

    /// Returns the whole record.
    #[must_use]
    pub fn fields(&self) -> &Map<String, Value> {
        &self.fields
    }

    /// Returns what stands at a path of keys.
    #[must_use]
    pub fn at(&self, path: &[&str]) -> Option<&Value> {
        let (first, rest) = path.split_first()?;
        rest.iter().try_fold(self.fields.get(*first)?, |value, key| value.get(key))
    }

    fn text(&self, path: &[&str]) -> Option<&str> {
        self.at(path)?.as_str().filter(|text| !text.is_empty())
    }

    /// Returns the record spelled as a line of the store.
    #[must_use]
    pub fn line(&self) -> String {
        super::canonical::spaced(&Value::Object(self.fields.clone()))
    }

    /// Returns the id: the first 16 digits of the hash.
    #[must_use]
    pub fn id(&self) -> &str {
        self.text(&["id"]).or_else(|| self.hash().get(..16)).unwrap_or_default()
    }

    /// Returns the hash.
    #[must_use]
    pub fn hash(&self) -> &str {
        self.text(&["hash"]).unwrap_or_default()
    }

    /// Returns the place in the chain, from 0.
    #[must_use]
    pub fn seq(&self) -> Option<u64> {
        self.at(&["seq"])?.as_u64()
    }

    /// Returns the time as it is stored, in seconds since the Unix epoch.
    #[must_use]
    pub fn time(&self) -> Option<f64> {
        self.at(&["time"])?.as_f64()
    }

    /// Returns the time as a moment.
    #[must_use]
    pub fn moment(&self) -> Option<Utc> {
        self.time().and_then(Utc::from_seconds)
    }

    /// Returns what the record is about.
    #[must_use]
    pub fn kind(&self) -> Kind<'_> {
        match self.text(&["kind"]).unwrap_or("ask") {
            "ask" if self.is_summary() => Kind::Summary,
            "ask" if self.question() == Some(Occasion::WRITTEN.question) => Kind::Written,
            "ask" => Kind::Decision,
            "redaction" => Kind::Redaction,
            "teach" => Kind::Teach,
            "segment" => Kind::Segment,
            interrupted::KIND => Kind::Recovery,
            other => Kind::Other(other),
        }
    }

    fn is_summary(&self) -> bool {
        self.at(&["meta", "solvi_hook", "files"]).is_some() && self.path().is_none()
    }

    /// Returns the sub-command that decided (`pre-edit`, `check-staged` …).
    #[must_use]
    pub fn hook(&self) -> Option<&str> {
        self.text(&["meta", "hook"])
    }

    /// Returns the question that was decided: `edit`, `commit`, `diff`, `command`, `skill` …
    #[must_use]
    pub fn question(&self) -> Option<&str> {
        let questions = self.at(&["answers"])?.as_object()?;
        questions.keys().next().map(String::as_str)
    }

    /// Returns the tool that would have made the change.
    #[must_use]
    pub fn tool(&self) -> Option<&str> {
        self.text(&["meta", "tool"])
    }

    /// Returns the path of the file that would have been changed.
    #[must_use]
    pub fn path(&self) -> Option<&str> {
        self.text(&["meta", "path"]).or_else(|| self.text(&["response", "trace", "init", "path"]))
    }

    /// Returns the agent's session.
    #[must_use]
    pub fn session(&self) -> Option<&str> {
        self.text(&["meta", "session_id"])
    }

    /// Returns the verdict. An edit that could not be judged is one that asks; what answers
    /// another question (which skill?) has none.
    #[must_use]
    pub fn verdict(&self) -> Option<Verdict> {
        let said = self
            .text(&["meta", "solvi_hook", "verdict"])
            .or_else(|| self.text(&["meta", "outcome"]))
            .and_then(Verdict::of_word);
        // What only warned was answered with `allow`; of a redacted record the note says it.
        let noted = || self.noted().into_iter().filter_map(|it| it.verdict).max();
        said.or_else(|| self.answered().max(noted()))
    }

    /// Returns the verdict that the answer to the record's question is.
    fn answered(&self) -> Option<Verdict> {
        let question = self.question()?;
        let answer = self.at(&["answers", question])?.as_array()?;
        match (answer.first()?, question) {
            (Value::Null, "edit" | "commit" | "diff" | "command") => Some(Verdict::Ask),
            (answer, _) => answer.as_str().and_then(Verdict::of_word),
        }
    }

    /// Returns the reasons that were given.
    pub fn reasons(&self) -> impl Iterator<Item = &str> {
        self.list(&["meta", "reasons"]).filter_map(Value::as_str)
    }

    fn list(&self, path: &[&str]) -> impl Iterator<Item = &Value> {
        self.at(path).and_then(Value::as_array).into_iter().flatten()
    }

    /// Returns what each rule that met the file came to, and each built-in check that objected; of
    /// a redacted record only what objected, where that is noted.
    #[must_use]
    pub fn outcomes(&self) -> Vec<Outcome<'_>> {
        if self.is_redacted() {
            return self.noted();
        }
        let rules = self.list(&["meta", "rules"]).filter_map(Value::as_str);
        let mut outcomes: Vec<Outcome<'_>> =
            rules.map(|rule| Outcome { rule: rule.into(), verdict: self.outcome(rule) }).collect();
        let also: Vec<(&str, Option<Verdict>)> = match self.findings() {
            Some(findings) => {
                findings.iter().map(|(id, verdict)| (id.as_str(), word(verdict))).collect()
            }
            // An older record, or one of the reference program, has them by the names of steps.
            None => [(checks::INSTRUCTIONS, "no_instructions"), (checks::OWN_FILES, "own_files")]
                .into_iter()
                .filter(|(_, step)| self.took(step))
                .map(|(id, step)| (id, self.outcome(step)))
                .filter(|(_, verdict)| *verdict != Some(Verdict::Allow))
                .collect(),
        };
        for (id, verdict) in also {
            if !outcomes.iter().any(|known| known.rule == id) {
                outcomes.push(Outcome { rule: id.into(), verdict });
            }
        }
        outcomes
    }

    /// Tells whether a check was made.
    fn took(&self, check: &str) -> bool {
        let mut taken = self.list(&["response", "trace", "records"]);
        taken.any(|step| step.get("name").is_some_and(|name| name == check))
    }

    /// Returns what the note of a redacted record tells of the findings.
    fn noted(&self) -> Vec<Outcome<'_>> {
        self.text(&["redacted", "note"]).map(redaction_note::read).unwrap_or_default()
    }

    /// Tells whether the record says of every rule whether it objected.
    #[must_use]
    pub fn tells_all_findings(&self) -> bool {
        !self.is_redacted()
            || self.text(&["redacted", "note"]).is_some_and(redaction_note::is_whole)
    }

    /// Returns the verdicts of everything that objected, by its id.
    fn findings(&self) -> Option<&Map<String, Value>> {
        self.at(&["meta", "solvi_hook", "findings"])?.as_object()
    }

    fn outcome(&self, rule: &str) -> Option<Verdict> {
        if let Some(verdict) = self.findings().and_then(|findings| findings.get(rule)) {
            return word(verdict);
        }
        let check = step_name(rule);
        let steps = [format!("{check}_judged"), check];
        if let Some(ours) = self.at(&["meta", "solvi_hook"]) {
            let checks = ours.get("checks");
            let stood = steps
                .iter()
                .filter_map(|step| Verdict::of_word(checks?.get(step.as_str())?.as_str()?));
            return Some(stood.max().unwrap_or_default());
        }
        let settled = self.at(&["response", "results"])?.as_object()?.values().next();
        let settled = settled.and_then(|result| result.get("source")).and_then(Value::as_str);
        let is_of = |name: &str| steps.iter().any(|step| step == name);
        if settled.is_some_and(is_of) {
            return self.verdict();
        }
        let taken = self.list(&["response", "trace", "records"]);
        let mut judged = taken.filter(|step| {
            step.get("kind").is_some_and(|kind| kind == "check")
                && step.get("name").and_then(Value::as_str).is_some_and(is_of)
        });
        judged.all(|step| step.get("value") == Some(&Value::Bool(true))).then_some(Verdict::Allow)
    }

    /// Returns how long the decision took, where the record says it.
    #[must_use]
    pub fn duration(&self) -> Option<Duration> {
        let ms = self.at(&["response", "ms"])?.as_f64()?;
        Duration::try_from_secs_f64(ms / 1000.0).ok()
    }

    /// Tells whether the content was erased.
    #[must_use]
    pub fn is_redacted(&self) -> bool {
        !matches!(self.fields.get("redacted"), None | Some(Value::Null))
    }
}

fn word(verdict: &Value) -> Option<Verdict> {
    verdict.as_str().and_then(Verdict::of_word)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use serde_json::json;

    /// Two decisions of the reference program's own hook: two rules fail, and none does.
    const REFERENCE: &str = include_str!("../../tests/vectors/trace-reference.jsonl");
    const SAMPLE: &str = include_str!("../../tests/vectors/trace-sample.jsonl");

    fn records(lines: &str) -> Vec<Stored> {
        lines.lines().map(|line| Stored::parse(line.as_bytes()).unwrap()).collect()
    }

    fn record(mut fields: Value) -> Stored {
        fields["hash"] = "ab".into();
        Stored::parse(fields.to_string().as_bytes()).unwrap()
    }

    #[test]
    fn a_decision_of_the_reference_program_is_understood() {
        let records = records(REFERENCE);
        let denied = &records[0];
        assert_eq!(denied.kind(), Kind::Decision);
        assert_eq!((denied.seq(), denied.id().len(), denied.hash().len()), (Some(0), 16, 64));
        assert_eq!((denied.hook(), denied.question()), (Some("pre-edit"), Some("edit")));
        assert_eq!((denied.tool(), denied.path()), (Some("Edit"), Some("a.py")));
        assert_eq!((denied.session(), denied.verdict()), (Some("s1"), Some(Verdict::Deny)));
        assert_eq!(denied.reasons().count(), 2);
        assert!(denied.duration().unwrap() > Duration::from_millis(1));
        assert!(!denied.is_redacted());
        let failed = [("no-eval", Some(Verdict::Deny)), ("ask-me", None)];
        let outcomes = failed.map(|(rule, verdict)| Outcome { rule: rule.into(), verdict });
        assert_eq!(denied.outcomes(), outcomes);
        let passed = records[1].outcomes();
        assert!(passed.iter().all(|outcome| outcome.verdict == Some(Verdict::Allow)));
        assert_eq!(records[1].verdict(), Some(Verdict::Allow));
    }

    #[test]
    fn an_erased_record_says_what_is_left() {
        let [first, erased, redaction] = records(SAMPLE).try_into().unwrap();
        assert_eq!(first.moment().unwrap().to_string(), "2023-11-14T22:13:20Z");
        assert_eq!((first.time(), first.path()), (Some(1_700_000_000.25), Some("lib/ü.py")));
        assert!(erased.is_redacted());
        assert_eq!((erased.kind(), erased.path()), (Kind::Decision, None));
        assert_eq!(erased.verdict(), Some(Verdict::Allow));
        assert_eq!((redaction.kind(), redaction.verdict()), (Kind::Redaction, None));
    }

    #[test]
    fn our_own_verdicts_are_those_of_meta() {
        let decision = record(json!({
            "kind": "ask",
            "answers": {"edit": ["allow", 1.0, "ok"]},
            "meta": {
                "outcome": "warn",
                "path": "a.py",
                "rules": ["a-b", "quiet", "2 q"],
                "solvi_hook": {
                    "verdict": "warn",
                    "checks": {"a_b": "warn", "rule_2_q_judged": "ask"},
                },
            },
        }));
        assert_eq!(decision.verdict(), Some(Verdict::Warn));
        let verdicts: Vec<_> =
            decision.outcomes().iter().map(|outcome| outcome.verdict.unwrap()).collect();
        assert_eq!(verdicts, [Verdict::Warn, Verdict::Allow, Verdict::Ask]);
        let unjudged = record(json!({"answers": {"edit": [null, 0.0, "abstain"]}}));
        assert_eq!(unjudged.verdict(), Some(Verdict::Ask));
        // What is no rule is found by its name.
        let built_in = record(json!({"meta": {"rules": ["a"], "solvi_hook": {
            "checks": {"no_instructions": "ask"}, "findings": {"instruction-text": "ask"},
        }}}));
        let trace = json!({"trace": {"records": [{"kind": "check", "name": "no_instructions"}]}});
        let older = record(json!({"response": trace, "meta": {"rules": ["a"], "solvi_hook": {
            "checks": {"no_instructions": "ask"},
        }}}));
        for record in [built_in, older] {
            let outcomes = [("a", Verdict::Allow), ("instruction-text", Verdict::Ask)]
                .map(|(rule, verdict)| Outcome { rule: rule.into(), verdict: Some(verdict) });
            assert_eq!(record.outcomes(), outcomes);
        }
        let skill = record(json!({"answers": {"skill": ["none", 1.0, "ok"]}}));
        assert_eq!((skill.verdict(), skill.question()), (None, Some("skill")));
    }

    #[test]
    fn a_summary_is_told_from_a_decision() {
        let meta = json!({"hook": "check-staged", "solvi_hook": {"files": 3}});
        assert_eq!(record(json!({"kind": "ask", "meta": meta})).kind(), Kind::Summary);
    }

    #[test]
    fn what_is_not_known_does_not_fail() {
        let odd = record(json!({
            "kind": "weather", "seq": -1, "time": "late", "answers": [], "meta": 5,
            "response": {"ms": -4}, "redacted": null,
        }));
        assert_eq!(odd.kind(), Kind::Other("weather"));
        assert_eq!((odd.seq(), odd.time(), odd.moment()), (None, None, None));
        assert_eq!((odd.question(), odd.path(), odd.verdict()), (None, None, None));
        assert_eq!((odd.duration(), odd.outcomes().len()), (None, 0));
        assert_eq!((odd.id(), odd.is_redacted()), ("", false));
    }

    #[test]
    fn a_line_that_is_no_record_is_told() {
        assert!(matches!(Stored::parse(b"{\"v\": 2}"), Err(NoRecord::Unchained)));
        for line in ["", "[]", "{\"hash\": \"a\"", "{\"hash\": \"\\ud800\"}"] {
            assert!(matches!(Stored::parse(line.as_bytes()), Err(NoRecord::Unreadable(_))));
        }
    }
}
