//! Every error as a person meets it: headline, where, what to do next.

use crate::domain::sanitize::{visible, without_number};
use crate::engine::rules::RulesError;
use crate::store::hook_groups::HooksError;
use crate::store::settings::SettingsError;
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
        // What is quoted in them came from outside: it starts no line of its own.
        write!(f, "error: {}", visible(&self.headline))?;
        for line in self.causes.iter().flat_map(|cause| cause.lines()) {
            write!(f, "\n  {}", visible(&without_number(line)))?;
        }
        match &self.next {
            Some(next) => write!(f, "\nnext: {}", visible(next)),
            None => Ok(()),
        }
    }
}

impl From<SettingsError> for Failure {
    fn from(error: SettingsError) -> Self {
        let file = error.file().display();
        let headline = match &error {
            SettingsError::Unreadable { .. } => format!("`{file}` cannot be read"),
            SettingsError::NotText { .. } => format!("`{file}` is not text in UTF-8"),
            SettingsError::Hooks { source: HooksError::Broken(_), .. } => {
                format!("`{file}` is not JSON")
            }
            SettingsError::Hooks { source: HooksError::Shape { .. }, .. } => {
                format!("`{file}` does not hold hooks as the agent reads them")
            }
            SettingsError::Outside { .. } => format!("`{file}` leads out of the project"),
            SettingsError::Changed { .. } => {
                format!("`{file}` was changed by another program meanwhile")
            }
            SettingsError::Unwritable { .. } => format!("`{file}` cannot be written"),
        };
        let failure = Self::new(headline);
        match &error {
            SettingsError::Unreadable { source, .. } | SettingsError::Unwritable { source, .. } => {
                failure.because(source)
            }
            SettingsError::Hooks { source, .. } => failure
                .because(source)
                .next("mend the file, which was left as it is, and run the same command again"),
            SettingsError::Outside { target, .. } => failure
                .because(format!("a symbolic link ends at {}", target.display()))
                .next("give the project a settings file of its own, or use `--scope user`"),
            SettingsError::Changed { .. } => {
                failure.next("run the same command again; nothing was written")
            }
            SettingsError::NotText { .. } => failure,
        }
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::new("the output could not be written").because(error)
    }
}

impl From<RulesError> for Failure {
    fn from(error: RulesError) -> Self {
        Self::new("the rules cannot be read")
            .because(&error)
            .next("correct the file, then run `solvi-hook rules check`")
    }
}
