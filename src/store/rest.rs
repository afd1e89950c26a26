//! What is kept of findings beyond those that are kept whole: how many there are, and a digest.
//!
//! A check of many files can find more than anybody reads. So a record of its own is written for
//! the first [`FILES`] files with findings, and of a check of one file the first [`SPOTS`] lines
//! are kept, up to [`TEXT`] bytes of them. The counts are exact, and the digest tells whether a
//! later run finds the same.

use super::canonical::{digest, digest_of_all};
use crate::domain::{Ruling, Spot, Verdict};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// How many files of one check have a record of their own.
pub const FILES: usize = 500;

/// How many lines are kept of what one check finds in one file.
pub const SPOTS: usize = 500;

/// How many bytes of these lines are kept.
pub const TEXT: usize = 64 << 10;

/// Parts spots into those that are kept, as `row` spells them, and what is told of the others.
#[must_use]
pub fn spots(spots: &[Spot], row: impl Fn(&Spot) -> Value) -> (Vec<Value>, Option<String>) {
    let (mut kept, mut size) = (Vec::new(), 0);
    for spot in spots.iter().take(SPOTS) {
        size += spot.text.len();
        if size > TEXT {
            break;
        }
        kept.push(row(spot));
    }
    let rest = spots.get(kept.len()..).filter(|rest| !rest.is_empty());
    let told = rest.map(|rest| {
        let digest = digest_of_all(rest.iter().map(row));
        format!("{AND}{} more, SHA-256 {digest}", rest.len())
    });
    (kept, told)
}

/// Returns how many spots a kept value stands for.
#[must_use]
pub fn count(value: &Value) -> usize {
    let Some(rows) = value.as_array() else { return 0 };
    let told = rows.last().and_then(Value::as_array).and_then(|row| row.last()?.as_str());
    let more = told.and_then(|told| told.strip_prefix(AND)?.split_once(" more, SHA-256 "));
    match more.and_then(|(more, _)| more.parse::<usize>().ok()) {
        Some(more) => rows.len() - 1 + more,
        None => rows.len(),
    }
}

const AND: &str = "and ";

/// Counts files that have no record of their own: by verdict, and by what objected to them.
#[must_use]
pub fn files(rulings: &[&Ruling]) -> Option<Value> {
    if rulings.is_empty() {
        return None;
    }
    let mut verdicts: BTreeMap<Verdict, usize> = BTreeMap::new();
    let mut rules: BTreeMap<&str, BTreeMap<Verdict, usize>> = BTreeMap::new();
    for ruling in rulings {
        *verdicts.entry(ruling.verdict()).or_default() += 1;
        for (rule, verdict) in strictest(ruling) {
            *rules.entry(rule).or_default().entry(verdict).or_default() += 1;
        }
    }
    let words = |counts: &BTreeMap<Verdict, usize>| -> Map<String, Value> {
        counts.iter().map(|(verdict, count)| (verdict.word().to_owned(), (*count).into())).collect()
    };
    let by_rule: Map<String, Value> =
        rules.iter().map(|(rule, counts)| ((*rule).to_owned(), words(counts).into())).collect();
    Some(json!({
        "files": rulings.len(),
        "verdicts": words(&verdicts),
        "rules": by_rule,
        "sha256": digest_of_all(rulings.iter().map(|ruling| file(ruling))),
    }))
}

/// Returns everything that objects to a file, with its strictest verdict.
fn strictest(ruling: &Ruling) -> BTreeMap<&str, Verdict> {
    let mut found: BTreeMap<&str, Verdict> = BTreeMap::new();
    for finding in ruling.findings.iter().filter(|finding| finding.objects()) {
        let known = found.entry(&finding.rule).or_default();
        *known = known.join(finding.verdict);
    }
    found
}

/// Returns what the digest of a file is taken over.
fn file(ruling: &Ruling) -> Value {
    let spot = |spot: &Spot| json!([spot.line, spot.text, spot.what]);
    let findings = ruling.findings.iter().filter(|finding| finding.objects()).map(|finding| {
        let spots = digest(&finding.spots.iter().map(spot).collect());
        json!([finding.rule, finding.verdict.word(), spots])
    });
    json!([ruling.change.place.spelled(), ruling.verdict().word(), findings.collect::<Vec<_>>()])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(spot: &Spot) -> Value {
        json!([spot.line, spot.text, spot.what])
    }

    fn found(count: usize, text: &str) -> Vec<Spot> {
        (1..=count)
            .map(|line| Spot { line, text: text.to_owned(), ..Spot::of_file("forbidden pattern") })
            .collect()
    }

    #[test]
    fn few_spots_are_kept_whole() {
        let (kept, rest) = spots(&found(SPOTS, "x"), row);
        assert_eq!((kept.len(), rest), (SPOTS, None));
        assert_eq!(count(&kept.into()), SPOTS);
    }

    #[test]
    fn of_many_the_first_are_kept_and_all_are_counted() {
        for (spots_of, text, most) in [(80_000, "x", SPOTS), (3, &*"x".repeat(TEXT / 2 + 1), 1)] {
            let all = found(spots_of, text);
            let (mut kept, rest) = spots(&all, row);
            assert_eq!(kept.len(), most);
            kept.push(json!([0, "", rest.clone().unwrap_or_default()]));
            assert_eq!(count(&kept.into()), spots_of);
            let mut other = all;
            if let Some(last) = other.last_mut() {
                last.text.push('y');
            }
            assert_ne!(spots(&other, row).1, rest);
        }
    }
}
