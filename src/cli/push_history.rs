//! What a push leaves in the history: lines that a later commit of it removes.
//!
//! The net change of a push does not show them, and whoever clones the remote can read them. A
//! secret that was pushed is no secret any more, so the rules that redact look at every commit, each
//! against its parents. Other rules look at the net change only: a mistake that was corrected is
//! none.

use super::check::{Options, Survey};
use super::check_rules::Rules;
use super::failure::Failure;
use crate::domain::{Decision, Finding, Place, Ruling, Verdict};
use crate::engine::{self, pattern::Budget};
use crate::git::{Delta, GitError, Id, Reading, Repo};
use crate::report::Commit;
use std::collections::HashSet;

/// How many paths are evaluated before the next commits are compared.
const BATCH: usize = 4096;

/// The commits of a push.
pub struct History<'a> {
    /// The repository.
    pub repo: &'a Repo,
    /// The rules.
    pub rules: &'a Rules,
    /// How many files are read at once, and so on.
    pub options: &'a Options,
}

impl History<'_> {
    /// Evaluates each commit by the rules that redact, and adds what is not in the net change.
    /// Returns whether the commits may hold lines that the net change does not: some path changes
    /// in two of them, or in one and not in the end.
    pub fn survey(
        &self,
        commits: &[Id],
        net: &[Delta],
        survey: &mut Survey,
    ) -> Result<bool, Failure> {
        if !self.rules.book.rules.iter().any(|rule| rule.redact) {
            return Ok(true);
        }
        let in_the_end: HashSet<&str> = net.iter().map(|delta| delta.place.as_str()).collect();
        let (mut seen, mut hides) = (HashSet::new(), false);
        let mut batch: Vec<(Id, Delta)> = Vec::new();
        for commit in commits {
            let deltas = self.repo.commit_paths(*commit)?.list;
            hides = hides
                || deltas.iter().any(|delta| {
                    let path = delta.place.as_str();
                    !in_the_end.contains(path) || !seen.insert(path.to_owned())
                });
            let covered = |delta: &Delta| self.covers(&delta.place);
            batch.extend(deltas.into_iter().filter(covered).map(|delta| (*commit, delta)));
            if batch.len() >= BATCH {
                self.batch(&batch, survey)?;
                batch.clear();
            }
        }
        self.batch(&batch, survey)?;
        Ok(hides)
    }

    fn covers(&self, place: &Place) -> bool {
        self.rules.book.rules.iter().any(|rule| rule.redact && rule.covers(place.as_str()))
    }

    /// Evaluates changes of several commits.
    fn batch(&self, batch: &[(Id, Delta)], survey: &mut Survey) -> Result<(), Failure> {
        let deltas: Vec<Delta> = batch.iter().map(|(_, delta)| delta.clone()).collect();
        let mut suspects: Vec<Id> = Vec::new();
        for ((commit, delta), found) in batch.iter().zip(self.each(&deltas, survey)) {
            match found {
                Ok(None) => {}
                Ok(Some(_)) if suspects.last() == Some(commit) => {}
                Ok(Some(_)) => suspects.push(*commit),
                Err(error) => survey.add_unread(delta, &error),
            }
        }
        // A file that is moved adds no line: to find what was moved takes longer, and is done for
        // those commits alone in which something was found.
        for commit in suspects {
            let mut deltas = self.repo.commit_changes(commit)?.list;
            deltas.retain(|delta| self.covers(&delta.place));
            let about = Commit { id: commit.to_string(), subject: self.repo.subject(commit)? };
            let found = self.each(&deltas, survey).into_iter().filter_map(Result::ok);
            for ruling in found.flatten() {
                survey.add_past(ruling, &about);
            }
        }
        Ok(())
    }

    fn each(&self, deltas: &[Delta], survey: &mut Survey) -> Vec<Result<Option<Ruling>, GitError>> {
        let look = |_: &Delta, reading: Result<Reading, GitError>, budget: &Budget| {
            reading.map(|reading| self.ruling(reading, budget))
        };
        let matters = |found: &Result<Option<Ruling>, GitError>| !matches!(found, Ok(None));
        survey.budget.each(self.repo, deltas, self.options.jobs, look, matters)
    }

    fn ruling(&self, reading: Reading, budget: &Budget) -> Option<Ruling> {
        let book = &self.rules.book;
        let decision: Decision = engine::decide_within(
            vec![reading.change],
            &[&book.redacting_only()],
            &self.rules.redactor,
            budget,
        );
        let found = decision.rulings.into_iter().find(|it| it.verdict() > Verdict::Allow)?;
        // What cannot be looked at in the past is told of the file as it is, if it still is there.
        let certain = |finding: &Finding| finding.objects() && !finding.spots.is_empty();
        let Ruling { change, findings, redaction, .. } = found;
        let findings: Vec<Finding> = findings.into_iter().filter(certain).collect();
        (!findings.is_empty()).then(|| Ruling::of(change, findings, redaction))
    }
}
