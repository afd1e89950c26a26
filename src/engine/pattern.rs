//! A rule's regular expression. (to be written)

use std::ops::Range;

/// Where a pattern is held against text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// One line, without its line end (`forbid`, `when`).
    Line,
    /// A whole file; `^` and `$` match at every line (`require`).
    File,
}

/// A regular expression of a rules file.
#[derive(Debug)]
pub struct Pattern {
    source: String,
}

/// A pattern that cannot be read: what is wrong, and what to write instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PatternError(pub String);

/// The search was given up (its step or size limit was reached): the text cannot be checked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct TooHard(pub String);

impl Pattern {
    /// Reads a pattern.
    pub fn new(source: &str, _scope: Scope) -> Result<Self, PatternError> {
        Ok(Self { source: source.to_owned() })
    }

    /// Returns the pattern as it stands in the rules file.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Tells whether the pattern matches anywhere in `text`.
    pub fn is_match(&self, _text: &str) -> Result<bool, TooHard> {
        Ok(false)
    }

    /// Returns every match in `text`, not overlapping, in order.
    pub fn find_all(&self, _text: &str) -> Result<Vec<Range<usize>>, TooHard> {
        Ok(Vec::new())
    }
}
