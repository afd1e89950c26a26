//! Which findings does a report tell, in which order, and where does each of them point?
//!
//! The same for every format, so that two reports about one decision never differ in what they
//! hold: findings that object, paths in order, the strictest first within a path.

use super::subject::{Commit, Subject};
use crate::domain::sanitize::{excerpt, visible, without_number};
use crate::domain::wording::{self, FORBIDDEN};
use crate::domain::{Finding, Numbering, Place, Ruling, Spot, Verdict};
use sha2::{Digest, Sha256};
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::fmt::Write;

/// A finding that objects.
pub struct Row<'a> {
    /// The ruling it belongs to.
    pub ruling: &'a Ruling,
    /// The finding.
    pub finding: &'a Finding,
    /// The commit that brings the change in.
    pub commit: Option<&'a Commit>,
    /// Where it points, at least one.
    pub marks: Vec<Mark<'a>>,
}

/// One thing that a finding points at.
pub struct Mark<'a> {
    /// The spot; `None` is the file as a whole, for a finding without a spot and for what a
    /// check could not see.
    pub spot: Option<&'a Spot>,
    /// Tells this mark from every other of the report, and is the same in the next report when
    /// the line has moved: the rule, the path and the line's text, then how often they came
    /// before. The text is the masked one, so that a secret cannot be guessed from it.
    pub fingerprint: String,
}

/// Returns the findings that object, in the order in which they are told.
pub fn rows<'a>(subject: &Subject<'a>) -> Vec<Row<'a>> {
    let commits = subject.commits.iter().map(Option::as_ref).chain(std::iter::repeat(None));
    let mut rows: Vec<Row<'a>> = Vec::new();
    for (ruling, commit) in subject.decision.rulings.iter().zip(commits) {
        for finding in ruling.findings.iter().filter(|finding| finding.objects()) {
            rows.push(Row { ruling, finding, commit, marks: Vec::new() });
        }
    }
    rows.sort_by(|a, b| {
        let key = |row: &Row<'a>| Reverse(row.finding.verdict);
        a.place().as_str().cmp(b.place().as_str()).then_with(|| key(a).cmp(&key(b)))
    });
    let mut seen = HashMap::new();
    for row in &mut rows {
        let whole = row.finding.spots.is_empty() || row.finding.unknown.is_some();
        let spots = row.finding.spots.iter().map(Some).chain(whole.then_some(None));
        row.marks = spots
            .map(|spot| Mark { spot, fingerprint: fingerprint(row, spot, &mut seen) })
            .collect();
    }
    rows
}

fn fingerprint(row: &Row<'_>, spot: Option<&Spot>, seen: &mut HashMap<String, usize>) -> String {
    let text = spot.map_or("", |spot| if spot.text.is_empty() { &spot.what } else { &spot.text });
    let mut hash = Sha256::new();
    for part in [&*row.finding.rule, &row.place().spelled(), &folded(text)] {
        // The length keeps apart what the parts' ends would otherwise run together.
        hash.update(part.len().to_be_bytes());
        hash.update(part);
    }
    let mut print = String::new();
    for byte in hash.finalize().iter().take(16) {
        let _ = write!(print, "{byte:02x}");
    }
    let times = seen.entry(print.clone()).or_default();
    *times += 1;
    let _ = write!(print, ":{times}");
    print
}

impl<'a> Row<'a> {
    /// Returns the file.
    pub fn place(&self) -> &'a Place {
        &self.ruling.change.place
    }

    /// Tells whether the file is below the project's root.
    pub fn inside(&self) -> bool {
        matches!(self.ruling.change.place, Place::Inside(_))
    }

    /// Returns the spot's line in the file; `None` when it is about the whole file, or when the
    /// lines that were counted are not those of the file.
    pub fn line(&self, spot: Option<&Spot>) -> Option<usize> {
        let line = spot.map(|spot| spot.line).filter(|line| *line > 0)?;
        (self.ruling.change.numbering == Numbering::File).then_some(line)
    }

    /// Returns which part of its line a spot means; `None` when that is all of it, or when the
    /// text that is shown is not the line itself, since secrets in it are masked.
    pub fn columns(&self, spot: Option<&'a Spot>) -> Option<Columns<'a>> {
        let (spot, number) = (spot?, self.line(spot)?);
        let span = spot.span.as_ref()?;
        let added = &self.ruling.change.added;
        let at = added.binary_search_by_key(&number, |line| line.number).ok()?;
        added.get(at).filter(|line| line.text == spot.text)?;
        Some(Columns { before: spot.text.get(..span.start)?, part: spot.text.get(span.clone())? })
    }

    /// Returns why the rule stands against the change, in one line.
    pub fn headline(&self) -> String {
        let Finding { part, verdict, why, .. } = self.finding;
        wording::headline(part, *verdict, &folded(why))
    }

    /// Returns what to do in place of it, in one line.
    pub fn instead(&self) -> Option<String> {
        self.finding.instead.as_deref().map(one_line)
    }

    /// Returns what could not be checked, in one line.
    pub fn unknown(&self) -> Option<String> {
        self.finding.unknown.as_deref().map(|text| one_line(&without_number(text)))
    }

    /// Returns the commit that brings the change in, in one line.
    pub fn commit(&self) -> Option<String> {
        let commit = self.commit?;
        Some(format!("{} {}", visible(commit.short()), excerpt(&commit.subject)))
    }

    /// Returns all that is to be said at one mark, line by line: why, what is wrong there, what
    /// could not be checked, a better way, the commit.
    pub fn message(&self, spot: Option<&Spot>) -> Vec<String> {
        let mut lines = vec![self.headline()];
        match spot {
            Some(spot) if spot.line > 0 && self.line(Some(spot)).is_none() => {
                lines.push(wording::place_of(spot, self.finding, &self.ruling.change));
            }
            Some(spot) if spot.what != FORBIDDEN => {
                lines.push(visible(wording::what(spot, &self.ruling.change)).into_owned());
            }
            Some(_) => {}
            None => lines.extend(self.unknown().map(|text| format!("cannot be checked: {text}"))),
        }
        lines.extend(self.instead().map(|text| format!("instead: {text}")));
        lines.extend(self.commit().map(|text| format!("commit: {text}")));
        lines
    }
}

/// A part of a line.
pub struct Columns<'a> {
    before: &'a str,
    part: &'a str,
}

impl Columns<'_> {
    /// Returns the columns of the part's first character and of the one after its last, from 1,
    /// in the units that `count` counts.
    pub fn counted(&self, count: impl Fn(&str) -> usize) -> (usize, usize) {
        let start = count(self.before) + 1;
        (start, start + count(self.part))
    }

    /// Returns them in characters.
    pub fn in_characters(&self) -> (usize, usize) {
        self.counted(|text| text.chars().count())
    }
}

/// Returns a text with every run of white space as one space: an author's line breaks are
/// layout, and a line moved into a block is still the same line.
pub fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns a text as one line in which everything can be seen.
pub fn one_line(text: &str) -> String {
    visible(&folded(text)).into_owned()
}

/// How much there is of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Tally {
    /// Files that were checked.
    pub files: usize,
    /// Files with findings.
    pub files_with_findings: usize,
    /// The findings, one for each rule and file.
    #[serde(flatten)]
    pub findings: Counts,
    /// The lines, and files as a whole, that they are about.
    pub spots: Counts,
    /// Findings with a part that could not be checked.
    pub unknown: usize,
    /// What could not be judged at all.
    pub troubles: usize,
    /// Files that no rule could look at.
    pub not_checked: usize,
}

/// A number for each verdict that objects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Counts {
    /// Deny.
    pub denied: usize,
    /// Ask.
    pub asked: usize,
    /// Warn.
    pub warned: usize,
}

impl Counts {
    fn add(&mut self, verdict: Verdict, number: usize) {
        match verdict {
            Verdict::Deny => self.denied += number,
            Verdict::Ask => self.asked += number,
            Verdict::Warn => self.warned += number,
            Verdict::Allow => {}
        }
    }
}

impl Tally {
    /// Counts.
    pub fn of(subject: &Subject<'_>) -> Self {
        let decision = subject.decision;
        let mut tally = Self {
            files: subject.files,
            troubles: decision.troubles.len(),
            not_checked: subject.not_checked.len(),
            ..Self::default()
        };
        let mut places = HashSet::new();
        for ruling in &decision.rulings {
            for finding in ruling.findings.iter().filter(|finding| finding.objects()) {
                tally.findings.add(finding.verdict, 1);
                tally.spots.add(finding.verdict, finding.spots.len().max(1));
                tally.unknown += usize::from(finding.unknown.is_some());
                places.insert(&ruling.change.place);
            }
        }
        tally.files_with_findings = places.len();
        tally
    }
}
