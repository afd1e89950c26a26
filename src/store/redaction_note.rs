//! What is kept of the findings of a record that was born redacted: in the note that its mark and
//! the record of its redaction both hold.
//!
//! It begins as that of the reference program, with the rules that redact; behind them stand the
//! ids of everything that objected, with the verdicts, as JSON. An id is nobody's secret.

use super::stored::Outcome;
use crate::domain::{Finding, Verdict};
use serde_json::{Map, Value};
use std::borrow::Cow;

const RULES: &str = "redact = true: ";
const FINDINGS: &str = "; findings: ";

/// Returns the id and the strictest verdict of everything that objects.
#[must_use]
pub fn verdicts(findings: &[Finding]) -> Map<String, Value> {
    let mut verdicts = Map::new();
    for finding in findings.iter().filter(|finding| finding.objects()) {
        let known = verdicts.get(&finding.rule).and_then(Value::as_str).and_then(Verdict::of_word);
        let verdict = finding.verdict.join(known.unwrap_or_default());
        verdicts.insert(finding.rule.clone(), verdict.word().into());
    }
    verdicts
}

/// Writes the note.
#[must_use]
pub fn write(redacting: &[String], findings: &[Finding]) -> String {
    let findings = Value::from(verdicts(findings));
    format!("{RULES}{}{FINDINGS}{findings}", redacting.join(", "))
}

/// Reads what the note tells of the findings. One of the reference program names only the rules
/// that redact, which objected, nobody knows how strictly.
#[must_use]
pub fn read(note: &str) -> Vec<Outcome<'_>> {
    let Some(rules) = note.strip_prefix(RULES) else { return Vec::new() };
    if let Some(findings) = findings(rules) {
        let outcome = |(rule, verdict): (String, Value)| Outcome {
            rule: Cow::Owned(rule),
            verdict: verdict.as_str().and_then(Verdict::of_word),
        };
        return findings.into_iter().map(outcome).collect();
    }
    let rules = rules.split(", ").map(Cow::Borrowed);
    rules.map(|rule| Outcome { rule, verdict: None }).collect()
}

/// Tells whether a note names everything that objected.
#[must_use]
pub fn is_whole(note: &str) -> bool {
    note.strip_prefix(RULES).and_then(findings).is_some()
}

/// Returns the findings that stand behind the rules. An id may hold anything, also what stands
/// before the findings.
fn findings(rules: &str) -> Option<Map<String, Value>> {
    rules.match_indices(FINDINGS).find_map(|(at, found)| {
        let told = rules.get(at + found.len()..)?;
        serde_json::from_str(told).ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Part;

    fn finding(rule: &str, verdict: Verdict) -> Finding {
        let (rule, part, why) = (rule.to_owned(), Part::Checks, String::new());
        Finding { rule, part, verdict, spots: Vec::new(), unknown: None, why, instead: None }
    }

    fn outcome(rule: &'static str, verdict: Option<Verdict>) -> Outcome<'static> {
        Outcome { rule: rule.into(), verdict }
    }

    #[test]
    fn what_objected_is_read_as_it_was_written() {
        let odd = "a, \"b\"; findings: {\n";
        let findings = [
            finding(odd, Verdict::Warn),
            finding(odd, Verdict::Deny),
            finding("quiet", Verdict::Allow),
            finding("other", Verdict::Ask),
        ];
        let note = write(&[odd.to_owned()], &findings);
        assert!(note.starts_with("redact = true: a, "), "{note}");
        assert!(is_whole(&note) && !is_whole("redact = true: a, b"));
        let read = read(&note);
        let told = [outcome(odd, Some(Verdict::Deny)), outcome("other", Some(Verdict::Ask))];
        assert_eq!(read, told);
    }

    #[test]
    fn a_note_of_the_reference_program_names_the_rules_alone() {
        assert_eq!(read("redact = true: a, b"), [outcome("a", None), outcome("b", None)]);
        assert_eq!(read("a person's own words"), []);
    }
}
