//! A rules file that cannot be read: where, and what to write instead.

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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RulesError {
    /// The file, as it is named in messages.
    pub file: String,
    /// The line, where one can be named.
    pub line: Option<usize>,
    /// The rule's id, or its number when it has none; nothing when the file as a whole is wrong.
    pub rule: Option<String>,
    /// What is wrong.
    pub problem: String,
    /// What to write instead, when the problem does not say it.
    pub fix: Option<String>,
}

impl fmt::Display for RulesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        f.write_str(": ")?;
        if let Some(rule) = &self.rule {
            write!(f, "rule `{rule}`: ")?;
        }
        f.write_str(&self.problem)?;
        match &self.fix {
            Some(fix) => write!(f, "; {fix}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for RulesError {}
