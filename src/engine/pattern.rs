//! Does a rule's regular expression match?
//!
//! A [`Pattern`] is read when the rules load, so that its errors show, and compiled when a text
//! has the literals that it needs. Reading takes 1 to 30 µs and compiling up to ten times that;
//! of 60 rules, an edit meets one or two.
//!
//! Patterns are run by a linear-time engine. Those with look-around, references, conditions,
//! atomic groups or possessive repetitions need one that backtracks; it runs under a limit for each
//! search and within the [`Budget`] of a file and an event, and so a text may be [`TooHard`]. No
//! text makes a search hang or overflow the stack.

mod budget;
mod builtin;
mod stepwise;
mod strain;

pub use budget::Budget;

use super::dialect::{self, Engine, Tree};
use super::needle::{Needles, Sight};
use crate::domain::sanitize::excerpt;
use std::ops::Range;
use std::sync::{Mutex, OnceLock};
use stepwise::{Compiled, Key, Search};

pub use super::dialect::{PatternError, Scope};

/// How large a pattern for the linear engine may be when compiled, in bytes.
const SIZE: usize = 10 << 20;

/// What ends a line for Python (a carriage return), JavaScript, YAML or an editor, and does not
/// for git and a shell. A pattern is held against the whole line and against each part of it.
const LINE_ENDS: [char; 6] = ['\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'];

/// A regular expression of a rules file.
#[derive(Debug)]
pub struct Pattern {
    source: String,
    scope: Scope,
    facts: Facts,
    /// Read when a text has what the pattern needs, if its facts were known before.
    tree: OnceLock<Result<Tree, TooHard>>,
    linear: OnceLock<Result<regex::Regex, TooHard>>,
    /// The pattern without what needs backtracking; none when it is too large to compile.
    wider: OnceLock<Option<regex::Regex>>,
    stepwise: Mutex<Vec<(Key, Compiled)>>,
}

/// What is known of a pattern before it is compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Facts {
    needles: Needles,
    /// It may match nothing at all.
    may_be_empty: bool,
    /// It has something that no linear engine can do.
    stepwise: bool,
    /// It has a word boundary on which Python and the Rust engines may differ.
    boundary: bool,
}

/// The search was given up (its step or size limit was reached): the text cannot be checked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct TooHard(pub String);

impl Pattern {
    /// Reads a pattern.
    ///
    /// ```
    /// use solvi_hook::engine::pattern::{Budget, Pattern, Scope};
    ///
    /// let call = Pattern::new(r"\beval\(", Scope::Line).unwrap();
    /// assert_eq!(call.is_match("x = eval(y)", &Budget::default()), Ok(true));
    ///
    /// let error = Pattern::new(r"end\z", Scope::Line).unwrap_err();
    /// assert!(error.to_string().contains(r"write `\Z`"));
    /// ```
    pub fn new(source: &str, scope: Scope) -> Result<Self, PatternError> {
        if let Some(facts) = builtin::facts(source, scope) {
            return Ok(Self::of(source, scope, facts, OnceLock::new()));
        }
        let tree = dialect::read(source, scope)?;
        let facts = Facts::of(&tree)?;
        Ok(Self::of(source, scope, facts, OnceLock::from(Ok(tree))))
    }

    fn of(source: &str, scope: Scope, facts: Facts, tree: OnceLock<Result<Tree, TooHard>>) -> Self {
        Self {
            source: source.to_owned(),
            scope,
            facts,
            tree,
            linear: OnceLock::new(),
            wider: OnceLock::new(),
            stepwise: Mutex::default(),
        }
    }

    fn tree(&self) -> Result<&Tree, TooHard> {
        let tree = self.tree.get_or_init(|| {
            dialect::read(&self.source, self.scope).map_err(|error| self.not_compiled(&error))
        });
        tree.as_ref().map_err(TooHard::clone)
    }

    /// Returns the pattern as it stands in the rules file.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Tells whether the pattern matches anywhere in `text`.
    pub fn is_match(&self, text: &str, budget: &Budget) -> Result<bool, TooHard> {
        match self.facts.needles.look(text) {
            Sight::Nothing => Ok(false),
            Sight::Match if !self.facts.stepwise => Ok(true),
            Sight::Match | Sight::Perhaps => {
                if self.search(text, budget)? {
                    return Ok(true);
                }
                for (_, part) in self.parts(text) {
                    if self.search(part, budget)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
        }
    }

    /// Returns the parts of a line between characters that other programs take for line ends.
    fn parts<'t>(&self, line: &'t str) -> impl Iterator<Item = (usize, &'t str)> {
        let has_ends = matches!(self.scope, Scope::Line)
            && (memchr::memchr3(b'\r', 0x0b, 0x0c, line.as_bytes()).is_some()
                || !line.is_ascii() && line.contains(LINE_ENDS));
        let parts = has_ends.then(|| line.split_inclusive(LINE_ENDS)).into_iter().flatten();
        let mut next = 0;
        let parts = parts.map(move |part| {
            let at = next;
            next += part.len();
            (at, part.trim_end_matches(LINE_ENDS))
        });
        parts.filter(|(_, part)| !part.is_empty())
    }

    /// Tells whether the pattern could match somewhere in `text`, without compiling it. What is
    /// false for a whole text is false for each of its lines.
    #[must_use]
    pub fn could_match(&self, text: &str) -> bool {
        self.facts.needles.look(text) != Sight::Nothing
    }

    /// Returns every match in `text` that is not empty, not overlapping, in order.
    pub fn find_all(&self, text: &str, budget: &Budget) -> Result<Vec<Range<usize>>, TooHard> {
        if self.facts.needles.look(text) == Sight::Nothing {
            return Ok(Vec::new());
        }
        let mut found = self.find_in(text, budget)?;
        for (at, part) in self.parts(text) {
            let more = self.find_in(part, budget)?.into_iter();
            found.extend(more.map(|range| at + range.start..at + range.end));
        }
        Ok(found)
    }

    fn find_in(&self, text: &str, budget: &Budget) -> Result<Vec<Range<usize>>, TooHard> {
        match self.engine(text) {
            engine if self.is_ruled_out(engine, text) => Ok(Vec::new()),
            // Of `x*|key`, a search that takes what comes first sees nothing in `key`. Python
            // then looks at the same place for a match that is not empty; one engine can do so.
            Engine::Linear if !self.facts.may_be_empty => {
                Ok(self.linear()?.find_iter(text).map(|found| found.range()).collect())
            }
            engine => {
                Search::new(self, engine, text, budget)?.find_all(text, self.facts.may_be_empty)
            }
        }
    }

    /// Searches without looking for the needles.
    fn search(&self, text: &str, budget: &Budget) -> Result<bool, TooHard> {
        match self.engine(text) {
            engine if self.is_ruled_out(engine, text) => Ok(false),
            Engine::Linear => Ok(self.linear()?.is_match(text)),
            engine => Search::new(self, engine, text, budget)?.is_match(text),
        }
    }

    /// Chooses the engine for a text. Word boundaries are where Python sees them: where it and
    /// the Rust engines differ on a letter of the text, they are spelled out.
    fn engine(&self, text: &str) -> Engine {
        if self.facts.boundary && dialect::has_disputed_letters(text) {
            Engine::StepwiseExact
        } else if self.facts.stepwise {
            Engine::Stepwise
        } else {
            Engine::Linear
        }
    }

    /// Returns true when a linear search for something wider than the pattern finds nothing, so
    /// that the backtracking engine need not run (and give up) on this text.
    fn is_ruled_out(&self, engine: Engine, text: &str) -> bool {
        if engine.is_linear() {
            return false;
        }
        let wider = self.wider.get_or_init(|| {
            let source = self.tree().ok()?.spell(Engine::LinearWider);
            regex::RegexBuilder::new(&source).size_limit(SIZE).build().ok()
        });
        wider.as_ref().is_some_and(|wider| !wider.is_match(text))
    }

    fn linear(&self) -> Result<&regex::Regex, TooHard> {
        let compiled = self.linear.get_or_init(|| {
            let source = self.tree()?.spell(Engine::Linear);
            let compiled = regex::RegexBuilder::new(&source).size_limit(SIZE).build();
            compiled.map_err(|error| self.not_compiled(&error))
        });
        compiled.as_ref().map_err(TooHard::clone)
    }

    fn not_compiled(&self, error: &dyn std::fmt::Display) -> TooHard {
        TooHard(format!(
            "`{}` cannot be compiled, make it shorter or repeat less: {error}",
            excerpt(&self.source)
        ))
    }
}

impl Facts {
    fn of(tree: &Tree) -> Result<Self, PatternError> {
        let hir = regex_syntax::parse(&tree.spell(Engine::Outline))
            .map_err(|error| PatternError(format!("the pattern cannot be read: {error}")))?;
        Ok(Self {
            needles: Needles::of(&hir),
            // Of a pattern that can never match, no length is known.
            may_be_empty: hir.properties().minimum_len().is_none_or(|length| length == 0),
            stepwise: tree.stepwise,
            boundary: tree.boundary,
        })
    }
}

#[cfg(test)]
mod tests;
