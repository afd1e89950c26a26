//! What a redacting rule finds is masked everywhere, before a finding leaves the engine.
//!
//! A secret is shown by its first four characters and `…` at most, in every line that any rule
//! quotes, and in the only form of the change that may be stored.

use super::pattern::Pattern;
use super::rules::{Rule, Rulebook};
use crate::domain::decision::Redaction;
use crate::domain::{Change, Content, Finding, Line, Numbering, Part};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

/// How many characters of a secret may be shown, when it is longer than that.
const SHOWN: usize = 4;

/// Stands where a whole line is secret.
const MASK: &str = "…";

/// Masks the findings about a change, and returns the change as it may be kept when there is a
/// secret in it.
pub fn mask(
    mut findings: Vec<Finding>,
    change: &Change,
    book: &Rulebook,
) -> (Vec<Finding>, Option<Redaction>) {
    let redacting: Vec<&Rule> = book.redacting(change).collect();
    if redacting.is_empty() {
        return (findings, None);
    }
    let patterns: Vec<&Pattern> = redacting
        .iter()
        .flat_map(|rule| rule.secrets())
        .filter(|pattern| may_show(pattern, &findings, change))
        .collect();
    let broken: Vec<&Rule> = redacting
        .into_iter()
        .filter(|rule| findings.iter().any(|found| found.rule == rule.id && found.objects()))
        .collect();
    if patterns.is_empty() && broken.is_empty() {
        return (findings, None);
    }
    let mut mask = Mask { patterns, whole_lines: BTreeSet::new() };
    for finding in &findings {
        if broken.iter().any(|rule| rule.id == finding.rule) {
            mask.cover_whole_lines(finding, change);
        }
    }
    for spot in findings.iter_mut().flat_map(|finding| &mut finding.spots) {
        if let Cow::Owned(masked) = mask.line(spot.line, &spot.text) {
            spot.text = masked;
            spot.span = None;
        }
    }
    let redaction = mask.redaction(change, &broken, book);
    (findings, redaction)
}

/// Tells whether a pattern could match anywhere in what leaves the engine: most are known not to.
fn may_show(pattern: &Pattern, findings: &[Finding], change: &Change) -> bool {
    let after = change.after.text();
    // The added lines are lines of that file, unless they are counted otherwise.
    let apart = after.is_none() || change.numbering != Numbering::File;
    let added = change.added.iter().filter(|_| apart).map(|line| line.text.as_str());
    let others = change.others.iter().map(|other| other.text.as_str());
    let quoted = findings.iter().flat_map(|finding| &finding.spots).map(|spot| spot.text.as_str());
    after.into_iter().chain(others).chain(added).chain(quoted).any(|text| pattern.could_match(text))
}

struct Mask<'p> {
    // Those that could match at all.
    patterns: Vec<&'p Pattern>,
    // Lines that a redacting rule objects to without saying which part of them is secret.
    whole_lines: BTreeSet<usize>,
}

impl Mask<'_> {
    fn cover_whole_lines(&mut self, finding: &Finding, change: &Change) {
        if !matches!(finding.part, Part::Checks | Part::Beside) {
            return;
        }
        // What is found in another reading stands in the kept text as something else.
        let elsewhere = !change.others.is_empty();
        let secret = finding.spots.iter().filter(|spot| {
            !spot.text.is_empty()
                && (elsewhere || matches!(self.matched(&spot.text), Cow::Borrowed(_)))
        });
        let lines: Vec<usize> = secret.map(|spot| spot.line).collect();
        self.whole_lines.extend(lines);
    }

    fn line<'a>(&self, number: usize, text: &'a str) -> Cow<'a, str> {
        if self.whole_lines.contains(&number) && !text.is_empty() {
            return Cow::Owned(MASK.to_owned());
        }
        self.matched(text)
    }

    /// Masks every match of every pattern; a line that a pattern gives up on is masked whole.
    fn matched<'a>(&self, text: &'a str) -> Cow<'a, str> {
        masked(self.patterns.iter().copied(), text)
    }

    fn redaction(&self, change: &Change, broken: &[&Rule], book: &Rulebook) -> Option<Redaction> {
        let added: Vec<Line> = change
            .added
            .iter()
            .map(|line| Line {
                number: line.number,
                text: self.line(line.number, &line.text).into_owned(),
            })
            .collect();
        let after = match &change.after {
            Content::Text(text) => Content::Text(self.text(text)),
            other => other.clone(),
        };
        let mut rules: Vec<String> = broken.iter().map(|rule| rule.id.clone()).collect();
        if rules.is_empty() {
            if added == change.added && after == change.after {
                return None;
            }
            // A secret that was there before: kept out of the store like any other.
            rules = book.redacting(change).map(|rule| rule.id.clone()).collect();
        }
        Some(Redaction { rules, added, after })
    }

    fn text(&self, text: &str) -> String {
        let live: Vec<&Pattern> =
            self.patterns.iter().copied().filter(|pattern| pattern.could_match(text)).collect();
        if live.is_empty() && self.whole_lines.is_empty() {
            return text.to_owned();
        }
        let mut out = String::with_capacity(text.len());
        for (line, number) in text.split_inclusive('\n').zip(1..) {
            let body = line.strip_suffix('\n').unwrap_or(line);
            let body = body.strip_suffix('\r').unwrap_or(body);
            if self.whole_lines.contains(&number) && !body.is_empty() {
                out.push_str(MASK);
            } else {
                out.push_str(&masked(live.iter().copied(), body));
            }
            out.push_str(line.get(body.len()..).unwrap_or_default());
        }
        out
    }
}

/// Masks every match of the patterns in one line.
fn masked<'a, 'p>(patterns: impl IntoIterator<Item = &'p Pattern>, text: &'a str) -> Cow<'a, str> {
    let mut secret: Vec<Range<usize>> = Vec::new();
    for pattern in patterns {
        match pattern.find_all(text) {
            Ok(found) => secret.extend(found),
            Err(_) => return Cow::Owned(MASK.to_owned()),
        }
    }
    if secret.is_empty() {
        return Cow::Borrowed(text);
    }
    secret.sort_by_key(|range| range.start);
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for range in secret {
        if range.end <= at {
            continue;
        }
        let overlaps = range.start < at;
        out.push_str(text.get(at..range.start).unwrap_or_default());
        at = range.end;
        if !overlaps {
            let found = text.get(range).unwrap_or_default();
            if found.chars().nth(SHOWN).is_some() {
                out.extend(found.chars().take(SHOWN));
            }
            out.push_str(MASK);
        }
    }
    out.push_str(text.get(at..).unwrap_or_default());
    Cow::Owned(out)
}
