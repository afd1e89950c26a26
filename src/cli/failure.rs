//! Every error as a person meets it: headline, where, what to do next.

use std::fmt;

/// An error, told to a person; every one leads to exit status 2.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What happened.
    pub headline: String,
    /// Where, and why.
    pub causes: Vec<String>,
    /// What to do now.
    pub next: Option<String>,
}

impl Failure {
    /// Makes a failure from its headline.
    #[must_use]
    pub fn new(headline: impl Into<String>) -> Self {
        Self { headline: headline.into(), causes: Vec::new(), next: None }
    }

    /// Adds where it happened, or why.
    #[must_use]
    pub fn because(mut self, cause: impl fmt::Display) -> Self {
        self.causes.push(cause.to_string());
        self
    }

    /// Adds what to do now.
    #[must_use]
    pub fn next(mut self, step: impl Into<String>) -> Self {
        self.next = Some(step.into());
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", self.headline)?;
        for cause in &self.causes {
            write!(f, "\n  {cause}")?;
        }
        match &self.next {
            Some(next) => write!(f, "\nnext: {next}"),
            None => Ok(()),
        }
    }
}
