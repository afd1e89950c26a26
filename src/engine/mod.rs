//! Judgement: an event comes in, a decision comes out. Pure: no file, no clock, no environment.

pub mod checks;
pub mod dialect;
pub mod document;
pub mod front_matter;
pub mod glob;
pub mod needle;
mod notebook;
pub mod own_files;
pub mod pattern;
pub mod python;
pub mod rules;
mod secrets;
pub mod tripwire;

use crate::domain::{Change, Decision, Finding, Ruling};
use rules::Rulebook;

/// Whoever looks at changes.
pub trait Judge {
    /// Returns what it saw in a change, also when nothing stands against it.
    fn look(&self, change: &Change) -> Vec<Finding>;
}

/// Decides about the changes of an event: every judge looks at every change, the strictest
/// finding counts, and what a redacting rule of `book` finds is masked in all that leaves here.
#[must_use]
pub fn decide(changes: Vec<Change>, judges: &[&dyn Judge], book: &Rulebook) -> Decision {
    let rule = |mut change: Change| {
        notebook::read(&mut change);
        let findings = judges.iter().flat_map(|judge| judge.look(&change)).collect();
        let (mut findings, redaction) = secrets::mask(findings, &change, book);
        // Two projects may have the same rule, and one may be reached in two ways.
        let mut at = 0;
        while at < findings.len() {
            let (before, rest) = findings.split_at(at);
            if rest.first().is_some_and(|finding| before.contains(finding)) {
                findings.remove(at);
            } else {
                at += 1;
            }
        }
        // A decision keeps what was decided about, and not all that it took to decide.
        change.before = None;
        change.others = Vec::new();
        Ruling::of(change, findings, redaction)
    };
    Decision::of(changes.into_iter().map(rule).collect())
}
