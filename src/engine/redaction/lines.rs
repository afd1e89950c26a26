//! The lines of a change, masked.

use super::{MASK, RedactingRule, SHOWN, Secret};
use crate::domain::wording::FORBIDDEN;
use crate::domain::{Change, Content, Finding, Line, Numbering, Part, diff};
use crate::engine::python::{self, Module};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::ops::Range;

/// The lines of a change that hold secrets.
#[derive(Debug, Default)]
pub struct Masked {
    // By their numbers: as they were, and as they may be shown.
    lines: BTreeMap<usize, (String, String)>,
    after: Option<String>,
    added: Option<Vec<Line>>,
}

impl Masked {
    /// Masks the lines of a change: the secrets that `find` finds, and some lines as a whole.
    pub fn of(
        change: &Change,
        whole_lines: &BTreeSet<usize>,
        find: impl Fn(&str) -> Vec<Secret>,
        learn: impl Fn(&str),
    ) -> Self {
        let mut masked = Self::default();
        let after = change.after.text();
        // The added lines are lines of that file, unless they are counted otherwise.
        let apart = after.is_none() || change.numbering != Numbering::File;
        if let Some(text) = after {
            let mut secrets = find(text);
            let numbers = (!apart).then_some(1..=usize::MAX);
            if let Some(numbers) = numbers {
                add_whole_lines(&mut secrets, text, numbers, whole_lines, &learn);
            }
            if let Cow::Owned(new) = super::lines::masked(text, &secrets) {
                if !apart {
                    let both = diff::lines(text).zip(diff::lines(&new)).zip(1..);
                    for ((old, new), number) in both.filter(|((old, new), _)| old != new) {
                        masked.lines.insert(number, (old.to_owned(), new.to_owned()));
                    }
                }
                masked.after = Some(new);
            }
        }
        if apart && !change.added.is_empty() {
            let texts: Vec<&str> = change.added.iter().map(|line| line.text.as_str()).collect();
            let text = texts.join("\n");
            let mut secrets = find(&text);
            let numbers = change.added.iter().map(|line| line.number);
            add_whole_lines(&mut secrets, &text, numbers, whole_lines, &learn);
            if let Cow::Owned(new) = super::lines::masked(&text, &secrets) {
                for (line, new) in change.added.iter().zip(new.split('\n')) {
                    if line.text != new {
                        let both = (line.text.clone(), new.to_owned());
                        masked.lines.insert(line.number, both);
                    }
                }
                let added = change.added.iter().zip(new.split('\n'));
                let line =
                    |(line, new): (&Line, &str)| Line { number: line.number, text: new.to_owned() };
                masked.added = Some(added.map(line).collect());
            }
        }
        masked
    }

    /// Masks every line of a change.
    pub fn whole(change: &Change) -> Self {
        let hide = |text: &str| if text.is_empty() { String::new() } else { MASK.to_owned() };
        let line = |line: &Line| Line { number: line.number, text: hide(&line.text) };
        let after = change.after.text().map(|text| {
            let all = Secret { range: 0..text.len(), headed: false };
            masked(text, &[all]).into_owned()
        });
        let added = Some(change.added.iter().map(line).collect());
        Self { lines: BTreeMap::new(), after, added }
    }

    /// Tells whether there was a secret.
    pub fn is_changed(&self) -> bool {
        self.after.is_some() || self.added.is_some()
    }

    /// Returns a line as it may be shown, if it is one with a secret.
    pub fn line(&self, number: usize, text: &str) -> Option<&str> {
        let (old, new) = self.lines.get(&number)?;
        (old == text).then_some(new.as_str())
    }

    /// Returns the added lines and the file after the edit as they may be kept.
    pub fn into_parts(self, change: &Change) -> (Vec<Line>, Content) {
        let Self { lines, after, added } = self;
        let added = added.unwrap_or_else(|| {
            let shown = |line: &Line| match lines.get(&line.number) {
                Some((_, new)) => new.clone(),
                None => line.text.clone(),
            };
            let line = |line: &Line| Line { number: line.number, text: shown(line) };
            change.added.iter().map(line).collect()
        });
        (added, after.map_or_else(|| change.after.clone(), Content::Text))
    }
}

/// Makes secrets of whole lines, and learns the strings that stand in them.
fn add_whole_lines(
    secrets: &mut Vec<Secret>,
    text: &str,
    numbers: impl Iterator<Item = usize>,
    whole_lines: &BTreeSet<usize>,
    learn: &impl Fn(&str),
) {
    if whole_lines.is_empty() {
        return;
    }
    let mut start = 0;
    for (line, number) in text.split_inclusive('\n').zip(numbers) {
        let body = line.trim_end_matches(['\n', '\r']);
        if whole_lines.contains(&number) && !body.is_empty() {
            let quoted = body.split(['"', '\'']).skip(1).step_by(2);
            quoted.for_each(learn);
            secrets.push(Secret { range: start..start + body.len(), headed: false });
        }
        start += line.len();
    }
    *secrets = super::joined_up(std::mem::take(secrets));
}

/// Masks secrets that are in order and apart from one another. A line break in one stays.
pub fn masked<'t>(text: &'t str, secrets: &[Secret]) -> Cow<'t, str> {
    if secrets.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for Secret { range, headed } in secrets {
        out.push_str(text.get(at..range.start).unwrap_or_default());
        let found = text.get(range.clone()).unwrap_or_default();
        for (line, first) in
            found.split_inclusive('\n').zip(std::iter::once(true).chain(std::iter::repeat(false)))
        {
            let body = line.trim_end_matches(['\n', '\r']);
            if first && *headed && body.chars().nth(SHOWN).is_some() {
                out.extend(body.chars().take(SHOWN));
            }
            if !body.is_empty() {
                out.push_str(MASK);
            }
            out.push_str(line.get(body.len()..).unwrap_or_default());
        }
        at = range.end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    Cow::Owned(out)
}

/// Returns the lines of a file that an edit changes, as they were: all that lies between what is
/// the same at both ends.
pub fn removed<'t>(before: &'t str, after: &str) -> &'t str {
    let (old, new) = (before.as_bytes(), after.as_bytes());
    let above = old.iter().zip(new).take_while(|(one, other)| one == other).count();
    let start =
        old.get(..above).and_then(|same| memchr::memrchr(b'\n', same)).map_or(0, |at| at + 1);
    let room = old.len().min(new.len()) - above;
    let below = old.iter().rev().zip(new.iter().rev()).take(room);
    let below = below.take_while(|(one, other)| one == other).count();
    let end = old.len() - below;
    let end = old
        .get(end..)
        .and_then(|same| memchr::memchr(b'\n', same))
        .map_or(old.len(), |at| end + at);
    before.get(start..end).unwrap_or_default()
}

/// Returns the lines that redacting rules object to without saying which part of them is secret:
/// all lines of a call.
pub fn of_calls(
    findings: &[Finding],
    redacting: &[&RedactingRule],
    change: &Change,
) -> BTreeSet<usize> {
    let mut whole = BTreeSet::new();
    let findings = findings.iter().filter(|finding| {
        matches!(finding.part, Part::Checks | Part::Beside)
            && redacting.iter().any(|rule| rule.id == finding.rule)
    });
    // What is found in another reading of the bytes stands in the kept text as something else.
    let elsewhere = !change.others.is_empty();
    for spot in findings.flat_map(|finding| &finding.spots) {
        if (elsewhere || spot.what != FORBIDDEN) && spot.line > 0 && !spot.text.is_empty() {
            whole.insert(spot.line);
        }
    }
    if whole.is_empty() || !python::is_python(change) {
        return whole;
    }
    let rows: Vec<Range<usize>> = Module::of(change)
        .calls
        .iter()
        .map(|call| *call.rows.start()..call.rows.end() + 1)
        .collect();
    // A row is a line of the file, or one of the added lines.
    let number = |row: usize| match change.after {
        Content::Unknown(_) => change.added.get(row).map(|line| line.number),
        _ => Some(row + 1),
    };
    let found = whole.clone();
    for rows in rows {
        if rows.clone().filter_map(number).any(|line| found.contains(&line)) {
            whole.extend(rows.filter_map(number));
        }
    }
    whole
}

/// Masks the names of calls that a redacting rule found by a glob.
pub fn mask_call_names(finding: &mut Finding, spelled: &[&str]) {
    for spot in &mut finding.spots {
        let Some(called) = spot.what.strip_prefix("calls ") else { continue };
        let name = called.split('(').next().unwrap_or(called);
        let known = |pattern: &&str| pattern.split('(').next() == Some(name);
        if !spelled.is_empty() && !spelled.iter().any(known) && !name.contains(MASK) {
            let mut what = "calls ".to_owned();
            what.extend(name.chars().take(SHOWN));
            let _ = write!(what, "{MASK}");
            spot.what = what;
        }
    }
}
