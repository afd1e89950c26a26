//! How often was what decided? Four counts, and one for what a record leaves open.

use crate::domain::Verdict;
use serde::Serialize;
use std::fmt;

/// How many decisions came to each verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Nothing stood against it.
    pub allowed: u64,
    /// It went ahead with a word.
    pub warned: u64,
    /// A person was to decide.
    pub asked: u64,
    /// It was refused.
    pub denied: u64,
    /// A rule objected, and the record does not say how strictly.
    pub unrated: u64,
}

impl Tally {
    /// Counts one verdict; none is that of a rule that objected, nobody knows how.
    pub fn add(&mut self, verdict: Option<Verdict>) {
        *match verdict {
            Some(Verdict::Allow) => &mut self.allowed,
            Some(Verdict::Warn) => &mut self.warned,
            Some(Verdict::Ask) => &mut self.asked,
            Some(Verdict::Deny) => &mut self.denied,
            None => &mut self.unrated,
        } += 1;
    }

    /// Adds the counts of another.
    pub fn join(&mut self, other: &Self) {
        self.allowed += other.allowed;
        self.warned += other.warned;
        self.asked += other.asked;
        self.denied += other.denied;
        self.unrated += other.unrated;
    }

    /// Returns how many there are that something stood against.
    #[must_use]
    pub fn objections(&self) -> u64 {
        self.warned + self.asked + self.denied + self.unrated
    }

    /// Returns how many there are.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.allowed + self.objections()
    }

    /// Returns each count with its word, the mildest first.
    #[must_use]
    pub fn parts(&self) -> [(&'static str, u64); 5] {
        [
            ("allowed", self.allowed),
            ("warned", self.warned),
            ("asked", self.asked),
            ("denied", self.denied),
            ("unrated", self.unrated),
        ]
    }
}

/// Writes the counts in words; the last only when it is one.
impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { allowed, warned, asked, denied, unrated } = self;
        write!(f, "{allowed} allowed, {warned} warned, {asked} asked, {denied} denied")?;
        if *unrated > 0 {
            write!(f, ", {unrated} unrated")?;
        }
        Ok(())
    }
}
