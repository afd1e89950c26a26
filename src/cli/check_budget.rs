//! What backtracking patterns may do in a check of many files: the same for the same files, however
//! many threads evaluate them.
//!
//! Each file has an equal share of what the check has. Where that is too small for a file, its share
//! is larger in a second pass, as most files need nothing.

use crate::engine::pattern::Budget;
use crate::git::{Delta, GitError, Reading, Repo};
use std::num::NonZeroUsize;

/// What a check has for all of its files: about ten seconds of one processor.
const CHECK: u64 = 10 * Budget::FILE;

/// What is left for the files of a check that are still to be evaluated.
#[derive(Debug)]
pub struct CheckBudget(u64);

impl Default for CheckBudget {
    fn default() -> Self {
        Self(CHECK)
    }
}

/// What is known of a file after it is evaluated.
struct Evaluated<T> {
    seen: T,
    spent: u64,
    short: bool,
}

impl CheckBudget {
    /// Evaluates one file.
    pub fn one<T>(&mut self, look: impl FnOnce(&Budget) -> T) -> T {
        let budget = Budget::of(self.0.min(Budget::FILE));
        let seen = look(&budget);
        self.0 = self.0.saturating_sub(budget.spent());
        seen
    }

    /// Reads the deltas and hands each to `look` with its budget, as [`Repo::each`] does.
    pub fn each<T: Send>(
        &mut self,
        repo: &Repo,
        deltas: &[Delta],
        jobs: Option<NonZeroUsize>,
        look: impl Fn(&Delta, Result<Reading, GitError>, &Budget) -> T + Sync,
        matters: impl Fn(&T) -> bool + Sync,
    ) -> Vec<T> {
        let pass = |deltas: &[Delta], share: u64| {
            let look = |delta: &Delta, reading: Result<Reading, GitError>| {
                let budget = Budget::of(share);
                let seen = look(delta, reading, &budget);
                Evaluated { seen, spent: budget.spent(), short: budget.is_short() }
            };
            repo.each(deltas, jobs, look, |it: &Evaluated<T>| matters(&it.seen))
        };
        let share = self.share(deltas.len());
        let mut files = pass(deltas, share);
        self.spend(&files);
        let short: Vec<usize> =
            (0..).zip(&files).filter_map(|(at, it)| it.short.then_some(at)).collect();
        let larger = self.share(short.len());
        if larger > share {
            let again: Vec<Delta> =
                short.iter().filter_map(|at| deltas.get(*at)).cloned().collect();
            let again = pass(&again, larger);
            self.spend(&again);
            for (at, file) in short.into_iter().zip(again) {
                if let Some(first) = files.get_mut(at) {
                    *first = file;
                }
            }
        }
        files.into_iter().map(|file| file.seen).collect()
    }

    /// Returns the share of each of so many files.
    fn share(&self, files: usize) -> u64 {
        (self.0 / files.max(1) as u64).min(Budget::FILE)
    }

    /// Takes away what was spent: a sum, in whatever order the files were evaluated.
    fn spend<T>(&mut self, files: &[Evaluated<T>]) {
        let spent = files.iter().fold(0, |sum: u64, file| sum.saturating_add(file.spent));
        self.0 = self.0.saturating_sub(spent);
    }
}
