//! What does a patch say, read as strictly as its client reads it?
//!
//! Codex and Copilot share a grammar and differ in where they forgive white space, so a
//! [`Dialect`] decides. A text that its client would refuse is [`Malformed`]: nothing of it is
//! ever written. What other programs make of such a text is the business of [`super::patch`].

use super::javascript;

/// Whose reading it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Codex 0.171.
    Codex,
    /// Copilot CLI 1.0.102.
    Copilot,
}

/// A text that the client does not take for a patch.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// The text does not stand between the two markers.
    #[error("the patch does not stand alone between `*** Begin Patch` and `*** End Patch`")]
    Envelope,
    /// A line where the header of a section was expected.
    #[error("the line `{0}` opens no section")]
    Header(String),
    /// An update without a hunk.
    #[error("the update of `{0}` holds no hunk")]
    Empty(String),
    /// A line that cannot stand in a hunk, or none where one must.
    #[error("the update of `{0}` holds a line that belongs to no hunk")]
    Hunk(String),
}

/// The part of a patch that is about one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section<'a> {
    /// The path as written.
    pub path: &'a str,
    /// What happens there.
    pub act: Act<'a>,
}

/// What happens to the file of a section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act<'a> {
    /// It is written anew with these lines.
    Add(Vec<&'a str>),
    /// It goes.
    Delete,
    /// Its hunks are carried out, and it may move.
    Update {
        /// Where it moves.
        to: Option<&'a str>,
        /// At least one.
        hunks: Vec<Hunk<'a>>,
    },
}

/// One place of an update.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hunk<'a> {
    /// The line that the search goes past first.
    pub header: Option<&'a str>,
    /// At least one.
    pub lines: Vec<HunkLine<'a>>,
    /// Whether the hunk stands at the end of the file.
    pub at_end: bool,
}

/// A line of a hunk; context is on both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HunkLine<'a> {
    /// Whether the file before has it.
    pub old: bool,
    /// Whether the file after has it.
    pub new: bool,
    /// Its text.
    pub text: &'a str,
}

impl<'a> Hunk<'a> {
    /// Tells whether any line goes or comes.
    #[must_use]
    pub fn changes(&self) -> bool {
        self.lines.iter().any(|line| line.old != line.new)
    }

    /// Tells whether the next hunk begins with the context that this one ends with.
    #[must_use]
    pub fn ends_where(&self, next: &Self) -> bool {
        match (self.lines.last(), next.lines.first()) {
            (Some(last), Some(first)) => {
                last.old
                    && last.new
                    && first.old
                    && first.new
                    && last.text.trim() == first.text.trim()
            }
            _ => false,
        }
    }

    /// Returns the lines that the file must have.
    #[must_use]
    pub fn old(&self) -> Vec<&'a str> {
        self.lines.iter().filter(|line| line.old).map(|line| line.text).collect()
    }
}

const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";
const ADD: &str = "*** Add File: ";
const DELETE: &str = "*** Delete File: ";
const UPDATE: &str = "*** Update File: ";
const MOVE: &str = "*** Move to: ";
const END_OF_FILE: &str = "*** End of File";

/// Reads a patch; an empty one has no section.
///
/// ```
/// use solvi_hook::clients::patch_grammar::{Act, Dialect, read};
///
/// let text = "*** Begin Patch\n*** Delete File: old.py\n*** End Patch\n";
/// let sections = read(text, Dialect::Codex).unwrap();
/// assert_eq!((sections[0].path, &sections[0].act), ("old.py", &Act::Delete));
/// ```
pub fn read(text: &str, dialect: Dialect) -> Result<Vec<Section<'_>>, Malformed> {
    // Not `lines`: that takes a last line without its break for one, and a lone CR at its end.
    let text = dialect.trim(text);
    let lines: Vec<&str> =
        text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
    let mut rest = Reader { dialect, lines: dialect.within(&lines).ok_or(Malformed::Envelope)? };
    let mut sections = Vec::new();
    while let Some(line) = rest.next() {
        sections.push(rest.section(line)?);
    }
    Ok(sections)
}

impl Dialect {
    /// Returns a text without what the client takes for white space at both ends.
    fn trim(self, text: &str) -> &str {
        match self {
            Self::Codex => text.trim(),
            Self::Copilot => javascript::trim(text),
        }
    }

    /// Returns the lines between the markers, which a here-document may surround.
    fn within<'l, 'a>(self, lines: &'l [&'a str]) -> Option<&'l [&'a str]> {
        self.between(lines).or_else(|| match lines {
            ["<<EOF" | "<<'EOF'" | "<<\"EOF\"", inner @ .., last] if last.ends_with("EOF") => {
                self.between(inner)
            }
            _ => None,
        })
    }

    fn between<'l, 'a>(self, lines: &'l [&'a str]) -> Option<&'l [&'a str]> {
        let [first, inner @ .., last] = lines else { return None };
        let is = |line: &str, mark| match self {
            Self::Codex => line.trim() == mark,
            Self::Copilot => line == mark,
        };
        (is(first, BEGIN) && is(last, END)).then_some(inner)
    }
}

/// The lines that are still to be read.
struct Reader<'l, 'a> {
    dialect: Dialect,
    lines: &'l [&'a str],
}

impl<'a> Reader<'_, 'a> {
    fn peek(&self) -> Option<&'a str> {
        self.lines.first().copied()
    }

    fn next(&mut self) -> Option<&'a str> {
        let (first, rest) = self.lines.split_first()?;
        self.lines = rest;
        Some(first)
    }

    fn section(&mut self, header: &'a str) -> Result<Section<'a>, Malformed> {
        let header = self.dialect.trim(header);
        let path = |path: &'a str| match self.dialect {
            Dialect::Codex => path,
            Dialect::Copilot => javascript::trim_start(path),
        };
        if let Some(path) = header.strip_prefix(ADD).map(path) {
            let mut lines = Vec::new();
            while let Some(line) = self.peek().and_then(|line| line.strip_prefix('+')) {
                lines.push(line);
                self.next();
            }
            return Ok(Section { path, act: Act::Add(lines) });
        }
        if let Some(path) = header.strip_prefix(DELETE).map(path) {
            return Ok(Section { path, act: Act::Delete });
        }
        let path = header.strip_prefix(UPDATE).map(path);
        let path = path.ok_or_else(|| Malformed::Header(header.to_owned()))?;
        Ok(Section { path, act: self.update(path)? })
    }

    fn update(&mut self, path: &str) -> Result<Act<'a>, Malformed> {
        let mark = self.peek().map(|line| match self.dialect {
            Dialect::Codex => line,
            Dialect::Copilot => javascript::trim_start(line),
        });
        let to = mark.and_then(|mark| mark.strip_prefix(MOVE)).map(|to| match self.dialect {
            Dialect::Codex => to.trim_end(),
            Dialect::Copilot => javascript::trim(to),
        });
        if to.is_some() {
            self.next();
        }
        let mut hunks = Vec::new();
        while let Some(line) = self.peek() {
            if line.trim().is_empty() {
                self.next();
            } else if line.starts_with("***") {
                break;
            } else {
                let hunk = self.hunk(hunks.is_empty());
                hunks.push(hunk.ok_or_else(|| Malformed::Hunk(path.to_owned()))?);
            }
        }
        if hunks.is_empty() {
            return Err(Malformed::Empty(path.to_owned()));
        }
        Ok(Act::Update { to, hunks })
    }

    /// Reads a hunk; only the first of an update may lack its `@@`.
    fn hunk(&mut self, first: bool) -> Option<Hunk<'a>> {
        let line = self.peek()?;
        let line = if self.dialect == Dialect::Codex { line.trim_end() } else { line };
        let mut hunk = Hunk::default();
        if line == "@@" {
            self.next();
        } else if let Some(header) = line.strip_prefix("@@ ") {
            hunk.header = Some(header).filter(|header| !header.is_empty());
            self.next();
        } else if !first {
            return None;
        }
        while let Some(line) = self.peek() {
            if line == END_OF_FILE && !hunk.lines.is_empty() {
                hunk.at_end = true;
                self.next();
                break;
            }
            let (old, new, text) = match line.split_at_checked(1) {
                Some((" ", text)) => (true, true, text),
                Some(("-", text)) => (true, false, text),
                Some(("+", text)) => (false, true, text),
                _ if line.is_empty() => (true, true, line),
                _ => break,
            };
            hunk.lines.push(HunkLine { old, new, text });
            self.next();
        }
        (!hunk.lines.is_empty()).then_some(hunk)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use proptest::prelude::*;

    #[test]
    fn each_client_forgives_white_space_in_its_own_places() {
        let reads = |text: &str, dialect| read(text, dialect).is_ok();
        let around = "\n *** Begin Patch\n*** End Patch \n";
        assert!(reads(around, Dialect::Codex) && reads(around, Dialect::Copilot));
        let behind = "*** Begin Patch \n*** End Patch";
        assert!(reads(behind, Dialect::Codex) && !reads(behind, Dialect::Copilot));
        let spaced =
            "*** Begin Patch\n*** Update File:  a\n  *** Move to:  b \n@@  \n x\n*** End Patch";
        let codex = read(spaced, Dialect::Codex).unwrap().remove(0);
        assert_eq!(codex.path, " a");
        let Act::Update { to: None, hunks } = codex.act else { panic!("{:?}", codex.act) };
        assert_eq!(hunks[0].lines[0].text, " *** Move to:  b ");
        let copilot = read(spaced, Dialect::Copilot).unwrap().remove(0);
        assert_eq!(copilot.path, "a");
        let Act::Update { to: Some("b"), hunks } = copilot.act else { panic!("{:?}", copilot.act) };
        assert_eq!(hunks[0].header, Some(" "));
    }

    #[test]
    fn an_error_names_what_is_wrong() {
        for (inner, error) in [
            ("x", Malformed::Header("x".to_owned())),
            ("*** Update File: a", Malformed::Empty("a".to_owned())),
            ("*** Update File: a\n@@\n@@ x", Malformed::Hunk("a".to_owned())),
            ("*** Add File: a\nx", Malformed::Header("x".to_owned())),
        ] {
            let text = format!("*** Begin Patch\n{inner}\n*** End Patch");
            assert_eq!(read(&text, Dialect::Codex), Err(error));
        }
        assert_eq!(read("", Dialect::Codex), Err(Malformed::Envelope));
    }

    proptest! {
        #[test]
        fn no_text_panics(
            text in "(<<EOF\n)?\\*\\*\\* Begin Patch\n(\\*\\*\\* (Add|Update|Delete) File: [a ]?\n|\\*\\*\\* Move to: b\n|@@( a)?\n|[ +-]?x?\r?\n|\\*\\*\\* End of File\n){0,9}\\*\\*\\* End Patch(\nEOF)?",
            codex: bool,
        ) {
            let _ = read(&text, if codex { Dialect::Codex } else { Dialect::Copilot });
        }
    }
}
