//! What is a report about? The decision, and what its readers must know beside it.

use super::rows::{Counts, Tally};
use crate::domain::sanitize::visible;
use crate::domain::{Decision, Place, Verdict};
use std::fmt;

/// Everything that a report tells.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// What was checked, in the words of the person who asked: `staged changes`, `main..HEAD`.
    pub title: &'a str,
    /// What was decided.
    pub decision: &'a Decision,
    /// The commit that brings in each ruling's change, in the order of the rulings; empty, or
    /// shorter than they are, when that is not known.
    pub commits: &'a [Option<Commit>],
    /// The files that no rule could look at.
    pub not_checked: &'a [NotChecked],
    /// What else a reader should know: `the rules file changes in this range`.
    pub notes: &'a [String],
    /// The rules that were held against the changes, for the formats that list them.
    pub rules: &'a [Rule],
    /// Where these rules come from.
    pub rule_sets: &'a [RuleSet],
    /// How many files were checked.
    pub files: usize,
    /// The version of solvi-hook.
    pub version: &'a str,
    /// Whether a terminal will show the colours of the text format.
    pub style: Style,
}

/// A commit, as a report names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// Its whole id, in hexadecimal digits.
    pub id: String,
    /// The first line of its message.
    pub subject: String,
}

/// A file that no rule could look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotChecked {
    /// The file.
    pub place: Place,
    /// Why not, in a few words: `it is a binary file`.
    pub why: String,
}

/// A rule, as its own documentation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its id.
    pub id: String,
    /// Why it is there.
    pub why: String,
    /// What to do in place of what it forbids.
    pub instead: Option<String>,
    /// What it asks for when it is broken.
    pub on_fail: Verdict,
}

/// A file of rules, and how many of them were held against the changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleSet {
    /// Its name: a file, with `@` and the revision or index that it was taken from, or `built-in`.
    pub name: String,
    /// How many rules of it count.
    pub rules: usize,
    /// Whether none of its rules counts, because another file stands in its place.
    pub off: bool,
}

/// How the text format looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// Characters alone.
    #[default]
    Plain,
    /// With the colours of a terminal.
    Coloured,
}

impl Subject<'_> {
    /// Returns the sentence that sums the report up, without a full stop.
    pub(super) fn summary(&self) -> String {
        Tally::of(self).to_string()
    }

    /// Returns which rules evaluated: `solvi-rules.toml@HEAD (12) + built-in (15)`, or
    /// `solvi-rules.toml@HEAD (12), built-in rules off`; empty when nobody says.
    pub(super) fn rule_sets(&self) -> String {
        let set = |set: &RuleSet| format!("{} ({})", visible(&set.name), set.rules);
        let on = self.rule_sets.iter().filter(|set| !set.off).map(set);
        let off = self.rule_sets.iter().filter(|set| set.off);
        let off = off.map(|set| format!("{} rules off", visible(&set.name)));
        let on = (!self.rule_sets.is_empty()).then(|| on.collect::<Vec<_>>().join(" + "));
        on.into_iter().chain(off).collect::<Vec<_>>().join(", ")
    }
}

impl Commit {
    /// Returns the first twelve digits of the id, as git abbreviates in a large repository.
    pub(super) fn short(&self) -> &str {
        self.id.get(..12).unwrap_or(&self.id)
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counts { denied, asked, warned } = self.spots;
        let all = denied + asked + warned;
        if all == 0 {
            write!(f, "no findings in {}", count(self.files, "file"))?;
        } else {
            let with = self.files_with_findings;
            let of = if with < self.files { format!("{with} of ") } else { String::new() };
            let files = count(with.max(self.files), "file");
            write!(f, "{} in {of}{files}", count(all, "finding"))?;
            let need = if asked == 1 { "needs approval" } else { "need approval" };
            let kinds = [
                (denied, format!("{denied} blocked")),
                (asked, format!("{asked} {need}")),
                (warned, count(warned, "warning")),
            ];
            let kinds = kinds.into_iter().filter(|(number, _)| *number > 0);
            write!(f, ": {}", kinds.map(|(_, text)| text).collect::<Vec<_>>().join(", "))?;
        }
        if self.troubles > 0 {
            write!(f, "; {} could not be checked", self.troubles)?;
        }
        if self.unknown > 0 {
            write!(f, "; {} could not run", count(self.unknown, "check"))?;
        }
        if self.not_checked > 0 {
            write!(f, "; {} not checked", count(self.not_checked, "file"))?;
        }
        Ok(())
    }
}

/// Returns a number of things: `1 file`, `2 files`.
#[must_use]
pub fn count(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_names_only_what_there_is() {
        let spots = Counts { denied: 2, asked: 1, warned: 3 };
        let tally = Tally { spots, files: 14, files_with_findings: 5, ..Tally::default() };
        let said = "6 findings in 5 of 14 files: 2 blocked, 1 needs approval, 3 warnings";
        assert_eq!(tally.to_string(), said);
        let tally = Tally { files: 1, not_checked: 1, ..Tally::default() };
        assert_eq!(tally.to_string(), "no findings in 1 file; 1 file not checked");
        let spots = Counts { asked: 1, ..Counts::default() };
        let tally =
            Tally { spots, files_with_findings: 1, unknown: 1, troubles: 1, ..Tally::default() };
        let said = "1 finding in 1 file: 1 needs approval; 1 could not be checked; \
                    1 check could not run";
        assert_eq!(tally.to_string(), said);
    }
}
