//! A rules file that cannot be read: where, and what to write instead.

use crate::engine::document::Position;
use std::fmt;

/// A rules file that cannot be read.
///
/// ```
/// use solvi_hook::engine::rules::{Form, load};
///
/// let error = load("[[rule]]\nid = \"a\"\npath = [\"**\"]\n", Form::Toml, "r.toml").unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "r.toml:3: rule `a`: unknown key `path`; did you mean `paths`?",
/// );
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RulesError {
    /// The file, as it is named in messages.
    pub file: String,
    /// Where, if a place can be named.
    pub at: Option<Position>,
    /// The rule's id, or its number when it has none; nothing when the file as a whole is wrong.
    pub rule: Option<String>,
    /// What is wrong.
    pub problem: String,
    /// What to write instead, when the problem does not say it.
    pub fix: Option<String>,
    /// Where a name that stands twice stands first.
    pub first: Option<Position>,
}

impl fmt::Display for RulesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(at) = self.at {
            write!(f, ":{}", at.line())?;
        }
        f.write_str(": ")?;
        f.write_str(&self.headline())?;
        match &self.fix {
            Some(fix) => write!(f, "; {fix}"),
            None => Ok(()),
        }
    }
}

impl RulesError {
    /// Returns what is wrong, with the rule that it is about.
    #[must_use]
    pub fn headline(&self) -> String {
        match &self.rule {
            Some(rule) => format!("rule `{rule}`: {}", self.problem),
            None => self.problem.clone(),
        }
    }
}

impl std::error::Error for RulesError {}
