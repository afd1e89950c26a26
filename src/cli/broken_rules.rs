//! Rules that cannot be read: each is told once in a check, with the number of files that it could
//! not check.

use super::check::Kept;
use super::check_rules::Rules;
use crate::domain::{Finding, Ruling, Verdict};

/// A rule that cannot be read, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    rule: String,
    why: String,
}

/// The rules that could not be read so far, each with the number of files that it covers.
#[derive(Debug, Default)]
pub struct BrokenRules(Vec<(Broken, usize)>);

/// Returns the rules that were found out to be unreadable.
#[must_use]
pub fn of(rules: &Rules) -> Vec<Broken> {
    let broken = rules.book.rules.iter().filter_map(|rule| {
        let error = rule.broken()?;
        Some(Broken { rule: rule.id.clone(), why: error.to_string() })
    });
    broken.collect()
}

impl BrokenRules {
    /// Takes in what was found in a file: of a broken rule only the first finding is left.
    pub fn once(&mut self, mut kept: Kept, broken: &[Broken]) -> Kept {
        if broken.is_empty() {
            return kept;
        }
        let Some(mut ruling) = kept.ruling.take() else { return kept };
        ruling.findings.retain(|finding| match broken.iter().find(|it| it.is_in(finding)) {
            Some(broken) => self.is_first(broken),
            None => true,
        });
        let ruling = Ruling::of(ruling.change, ruling.findings, ruling.redaction);
        kept.ruling = Some(ruling).filter(|ruling| ruling.verdict() > Verdict::Allow);
        kept
    }

    /// Counts a file that a broken rule covers; tells whether it is the first.
    fn is_first(&mut self, broken: &Broken) -> bool {
        if let Some((_, files)) = self.0.iter_mut().find(|(known, _)| known == broken) {
            *files += 1;
            return false;
        }
        self.0.push((broken.clone(), 1));
        true
    }

    /// Says in the one finding of each broken rule how many files it is about.
    pub fn count_in(&self, rulings: &mut [Ruling]) {
        for (broken, files) in self.0.iter().filter(|(_, files)| *files > 1) {
            let mut findings = rulings.iter_mut().flat_map(|ruling| &mut ruling.findings);
            if let Some(finding) = findings.find(|finding| broken.is_in(finding)) {
                let why = &broken.why;
                finding.unknown = Some(format!("{why}; so it checked none of {files} files"));
            }
        }
    }
}

impl Broken {
    fn is_in(&self, finding: &Finding) -> bool {
        finding.rule == self.rule && finding.unknown.as_ref() == Some(&self.why)
    }
}
