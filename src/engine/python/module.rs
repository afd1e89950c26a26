//! What is known of a Python text once it was read.
//!
//! Rows count the lines of the text from 0, by their line feeds.

use super::alias::{Bindings, Reach};
use super::bound::Bound;
use super::literal::Truth;
use super::pattern::CallPattern;
use super::{source, walk};
use crate::domain::{Change, Content};
use std::ops::RangeInclusive;

/// A Python text, read.
#[derive(Debug, Default)]
pub struct Module {
    /// The calls whose callee has a name, in the order in which they begin.
    pub calls: Vec<Call>,
    /// The names that are handed on: as arguments, elements, returned values.
    pub passed: Vec<Call>,
    /// The functions and methods, in the order in which they begin.
    pub functions: Vec<Function>,
    /// Whether it is a revision of Alembic that merges branches: `down_revision` names several.
    pub merges: bool,
    /// Why `calls` and `functions` may lack some that are there.
    pub flaw: Option<Flaw>,
    /// The rows of what does not parse.
    pub errors: Vec<RangeInclusive<usize>>,
    pub(super) bindings: Bindings,
    /// The names that it settles, when it is a part of a file.
    pub(super) bound: Option<Bound>,
}

/// Why a text could not be read in full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// It does not parse; the first place is in this row.
    Broken(usize),
    /// It begins inside a block: a piece of a file that is not known.
    Piece,
    /// Reading it would take too long, or its blocks are nested too deep.
    TooLarge,
}

impl Flaw {
    /// Says what is missing, in words about the change that was read.
    #[must_use]
    pub fn told(self, change: &Change) -> String {
        let (text, numbers) = match change.after {
            Content::Unknown(_) => ("what is known of the file", &change.added),
            _ => ("the file", &Vec::new()),
        };
        match self {
            Self::Broken(row) => {
                let number = numbers.get(row).map_or(row + 1, |line| line.number);
                let suffix = change.numbering.suffix();
                format!("{text} does not parse as Python (line {number}{suffix})")
            }
            Self::Piece => "only lines from inside a block are known of the file".to_owned(),
            Self::TooLarge => {
                format!("{text} is too large, or nested too deep, to be read as Python")
            }
        }
    }
}

/// One call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The callee as it is written: a name, or names joined by dots.
    pub name: String,
    /// The rows from the first to the last character of the call.
    pub rows: RangeInclusive<usize>,
    /// What is handed over by keyword.
    pub arguments: Arguments,
    /// The byte at which it begins.
    pub at: usize,
    /// The byte at which it ends.
    pub(super) end: usize,
    /// It is no call by its look: a decorator, or a name that another function calls or is given.
    pub implied: bool,
    /// It is a name that is handed on, and perhaps never called.
    pub passed: bool,
}

impl Call {
    /// Returns the call as it stands in the text that was read.
    #[must_use]
    pub fn text<'t>(&self, text: &'t str) -> &'t str {
        text.get(self.at..self.end).unwrap_or_default()
    }
}

/// The keyword arguments of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arguments {
    pub(super) named: Vec<(String, Truth)>,
    /// Whether a mapping of unknown content is unpacked (`**options`).
    pub(super) open: bool,
    /// How many are handed over by position, as far as that is known.
    pub(super) count: usize,
    /// The truth of the ninth by position, where `subprocess` takes `shell`.
    pub(super) ninth: Option<Truth>,
}

/// Where `subprocess.Popen` takes `shell` by position.
const NINTH: usize = 9;

/// One function or method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// The row of its `def`.
    pub row: usize,
    /// Whether its body is nothing but `pass` and constants.
    pub idle: bool,
    /// How many statements it is nested in.
    pub(super) depth: usize,
}

impl Module {
    /// Reads the file that a change leaves behind or, when that is not known, its added lines.
    /// Rows count the lines of that text from 0.
    #[must_use]
    pub fn of(change: &Change) -> Self {
        let Some(text) = source::source(change) else { return Self::default() };
        let part = source::is_part(change);
        let mut module = if part { Self::read_part(&text) } else { Self::read(&text) };
        if module.flaw.is_none() && source::is_piece(change) {
            module.flaw = Some(Flaw::Piece);
        }
        module
    }

    /// Reads a text.
    #[must_use]
    pub fn read(text: &str) -> Self {
        walk::module(text)
    }

    /// Reads a text that is a part of a file.
    #[must_use]
    pub fn read_part(text: &str) -> Self {
        walk::part(text)
    }

    /// Returns the names of what a call calls that an import outside of the text may give another
    /// meaning; there are none when the text is all of the file.
    #[must_use]
    pub fn unsettled(&self, call: &Call) -> Vec<String> {
        self.bound.as_ref().map(|bound| bound.unsettled(call)).unwrap_or_default()
    }

    /// Returns the function of that name which counts when there are several: as a walk of the
    /// syntax tree level by level comes to it last.
    #[must_use]
    pub fn function(&self, name: &str) -> Option<&Function> {
        self.functions.iter().filter(|one| one.name == name).max_by_key(|one| one.depth)
    }

    /// Tells whether the module defines a function or a class of that name itself.
    #[must_use]
    pub fn defines(&self, name: &str) -> bool {
        self.bindings.is_own(name)
    }

    /// Returns what the module's names lead to, as far as `patterns` are about it.
    #[must_use]
    pub fn reach(&self, patterns: &[&CallPattern]) -> Reach<'_> {
        self.bindings.reach(patterns)
    }
}

impl Arguments {
    /// Adds one that is handed over by position.
    pub(super) fn add(&mut self, truth: impl FnOnce() -> Truth) {
        self.count += 1;
        if self.count == NINTH {
            self.ninth = Some(truth());
        }
    }

    /// Takes the first away, which is the function that the others are for.
    pub(super) fn shift(&mut self) {
        self.count = self.count.saturating_sub(1);
        self.ninth = None;
    }

    /// Returns the truth of the ninth argument by position.
    #[must_use]
    pub fn ninth(&self) -> Option<Truth> {
        self.ninth
    }

    /// Tells whether the keyword argument is there and true; [`Truth::No`] when it is absent.
    #[must_use]
    pub fn truth(&self, keyword: &str) -> Truth {
        let named = self.named.iter().find(|(name, _)| name == keyword);
        match (named, self.open) {
            (Some((_, truth)), _) => *truth,
            (None, true) => Truth::Unsure,
            (None, false) => Truth::No,
        }
    }
}
