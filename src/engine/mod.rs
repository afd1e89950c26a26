//! Judgement: an event comes in, a decision comes out. Pure: no file, no clock, no environment.

pub mod checks;
pub mod dialect;
pub mod document;
pub mod front_matter;
pub mod glob;
pub mod nearest;
pub mod needle;
mod notebook;
pub mod own_files;
pub mod pattern;
pub mod python;
pub mod redaction;
pub mod rules;
pub mod tripwire;

use crate::domain::{Change, Decision, Finding};
use pattern::Budget;
use redaction::Redactor;

/// Whoever looks at changes.
pub trait Judge {
    /// Returns what it saw in a change, also without findings. The budget limits what backtracking
    /// patterns may do.
    fn look(&self, change: &Change, budget: &Budget) -> Vec<Finding>;
}

/// Decides about the changes of an event: every judge looks at every change, the strictest
/// finding counts, and what the redacting rules find is masked in all that leaves here. `secrets`
/// is a [`Redactor`], or the one rules file there is.
#[must_use]
pub fn decide(
    changes: Vec<Change>,
    judges: &[&dyn Judge],
    secrets: impl Into<Redactor>,
) -> Decision {
    decide_within(changes, judges, secrets, &Budget::default())
}

/// Decides as [`decide`] does, where backtracking patterns may do no more than the budget allows.
#[must_use]
pub fn decide_within(
    changes: Vec<Change>,
    judges: &[&dyn Judge],
    secrets: impl Into<Redactor>,
    budget: &Budget,
) -> Decision {
    let redactor = secrets.into();
    let rule = |mut change: Change| {
        let file = budget.for_file();
        notebook::read(&mut change);
        let mut findings: Vec<Finding> =
            judges.iter().flat_map(|judge| judge.look(&change, &file)).collect();
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
        let mut ruling = redactor.within(&file).ruling(change, findings);
        budget.join(&file);
        // A decision keeps what was decided about, and not all that it took to decide.
        ruling.change.before = None;
        ruling.change.others = Vec::new();
        ruling
    };
    let mut decision = Decision::of(changes.into_iter().map(rule).collect());
    redactor.settle(&mut decision);
    decision
}
