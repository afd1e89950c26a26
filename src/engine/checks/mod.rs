//! The plug socket for checks: each kind of check is one file here and one line in [`KINDS`].

pub mod forbid;
pub mod forbid_calls;
pub mod require;
pub mod require_def;

use super::pattern::{Budget, Pattern, Scope, TooHard};
use super::python::Module;
use crate::domain::{Change, Line, Spot};
use std::cell::OnceCell;

/// One kind of check, as a rules file names it.
pub struct Kind {
    /// The key that holds the check in a rule.
    pub key: &'static str,
    /// What the check says, in one line, for help and the rules file's schema.
    pub about: &'static str,
    /// Makes the check from the strings that stand under the key.
    pub read: Reader,
}

/// Makes a check from the strings that stand under its key.
pub type Reader = fn(&[String]) -> Result<Box<dyn Check>, Problem>;

/// Every kind, in the order in which a rule's findings are told.
pub const KINDS: &[Kind] = &[forbid::KIND, forbid_calls::KIND, require::KIND, require_def::KIND];

/// One check of one rule, ready to look at changes.
pub trait Check: Send + Sync {
    /// Looks at a change. Deleted files are not shown to checks.
    fn look(&self, subject: &Subject<'_>) -> Seen;

    /// Tells whether it is about the file as a whole, so that lines alone tell it nothing.
    fn needs_file(&self) -> bool {
        false
    }

    /// Tells, without reading line by line, whether some line of the file after the edit may
    /// break it, added or not. A check that is not about lines has none.
    fn may_find(&self, _change: &Change) -> bool {
        false
    }
}

/// What a check saw.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// The places that break the rule.
    pub spots: Vec<Spot>,
    /// What could not be checked, and why; `spots` then holds what is certain all the same.
    pub unknown: Option<String>,
}

/// What is wrong with one of the strings under a check's key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Which of the strings, counted from 0.
    pub item: usize,
    /// What is wrong, and what to write in its place.
    pub text: String,
}

/// A change as a check sees it.
pub struct Subject<'a> {
    /// The change.
    pub change: &'a Change,
    /// The lines that the rule judges: the added ones, or all of them when the file is moved to
    /// a place that the rule covers.
    pub lines: &'a [Line],
    /// The texts of the file before, when the rule judges what the edit brings; none when they are
    /// not known, or the rule judges all of the file.
    pub before: Option<&'a [String]>,
    /// What backtracking patterns may do.
    pub budget: &'a Budget,
    module: &'a OnceCell<Module>,
}

impl<'a> Subject<'a> {
    /// Makes the subject of one rule. The parsed module is shared by all rules about one change.
    #[must_use]
    pub fn new(
        change: &'a Change,
        lines: &'a [Line],
        module: &'a OnceCell<Module>,
        budget: &'a Budget,
    ) -> Self {
        Self { change, lines, before: None, budget, module }
    }

    /// Judges what the edit brings: not what the file held before.
    #[must_use]
    pub fn brought(self) -> Self {
        Self { before: self.change.before.as_deref(), ..self }
    }

    /// Returns the Python module that the change leaves behind, parsed at the first call: the
    /// file after the edit, or, when that is not known, the added lines alone.
    #[must_use]
    pub fn module(&self) -> &'a Module {
        self.module.get_or_init(|| Module::of(self.change))
    }
}

impl Seen {
    /// Makes what a check says when it could see nothing.
    #[must_use]
    pub fn unknown(why: impl Into<String>) -> Self {
        Self { spots: Vec::new(), unknown: Some(why.into()) }
    }

    /// Adds what could not be checked; what is known already is not repeated.
    pub fn add_unknown(&mut self, why: &str) {
        match &mut self.unknown {
            Some(known) if known.contains(why) => {}
            Some(known) => {
                known.push_str("; ");
                known.push_str(why);
            }
            none => *none = Some(why.to_owned()),
        }
    }
}

/// Reads the patterns of a check.
pub fn patterns(sources: &[String], scope: Scope) -> Result<Vec<Pattern>, Problem> {
    let read = |(item, source): (usize, &String)| {
        Pattern::new(source, scope).map_err(|error| Problem { item, text: error.to_string() })
    };
    sources.iter().enumerate().map(read).collect()
}

/// Returns the first of the patterns that matches; an error when one could not be held against
/// the text and none of the others matches.
pub fn first_match<'a>(
    patterns: impl IntoIterator<Item = &'a Pattern>,
    text: &str,
    budget: &Budget,
) -> Result<Option<&'a Pattern>, TooHard> {
    let mut hard: Option<TooHard> = None;
    for pattern in patterns {
        match pattern.is_match(text, budget) {
            Ok(true) => return Ok(Some(pattern)),
            Ok(false) => {}
            Err(error) => drop(hard.get_or_insert(error)),
        }
    }
    hard.map_or(Ok(None), Err)
}
