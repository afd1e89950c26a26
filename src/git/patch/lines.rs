//! The lines of a patch, one after the other, with their numbers.

use super::{PatchError, Problem};

/// What is left of the text.
#[derive(Clone, Copy)]
pub struct Lines<'a> {
    rest: &'a [u8],
    number: usize,
    cut: bool,
}

impl<'a> Lines<'a> {
    /// Starts at the first line.
    pub fn new(text: &'a [u8]) -> Self {
        Self { rest: text, number: 1, cut: false }
    }

    /// Returns the number of the line that comes next.
    pub fn number(&self) -> usize {
        self.number
    }

    /// Returns the line that comes next, as it is but for its `\n`.
    pub fn raw(&self) -> Option<&'a [u8]> {
        self.rest.split(|byte| *byte == b'\n').next().filter(|_| !self.rest.is_empty())
    }

    /// Returns the line that comes next, without its line end.
    pub fn peek(&self) -> Option<&'a [u8]> {
        self.raw().map(|line| line.strip_suffix(b"\r").unwrap_or(line))
    }

    /// Returns the line after the one that comes next.
    pub fn second(mut self) -> Option<&'a [u8]> {
        self.advance();
        self.peek()
    }

    /// Goes on by a line and returns the one that was passed.
    pub fn advance(&mut self) -> Option<&'a [u8]> {
        let (raw, line) = (self.raw()?, self.peek()?);
        self.cut = raw.len() == self.rest.len();
        self.rest = self.rest.get(raw.len() + 1..).unwrap_or_default();
        self.number += 1;
        Some(line)
    }

    /// Goes on by a line that may lack its end.
    pub fn pass_mark(&mut self) {
        self.advance();
        self.cut = false;
    }

    /// Tells whether the line that was passed last ends with the text and not with a line end: it
    /// may have been cut off anywhere.
    pub fn is_cut(&self) -> bool {
        self.cut
    }

    /// Makes the error of the line that comes next.
    pub fn error(&self, problem: Problem) -> PatchError {
        PatchError { line: self.number, problem }
    }
}

/// Returns what follows the word that a line begins with.
pub fn headless<'a>(line: &'a [u8], head: &str) -> &'a [u8] {
    line.strip_prefix(head.as_bytes()).unwrap_or(line)
}
