//! One file of a proposed edit: where it is, what it will hold, and which of its lines are new.
//!
//! Lines are what editors and git call lines: they end with `\n`, and a `\r` before it belongs
//! to the line end, not to the text.

use super::diff;
use super::path::Place;

/// What a file holds, or why that is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// There is no such file (for the file after an edit: it is deleted).
    Absent,
    /// Text, with its line ends as they are.
    Text(String),
    /// Bytes that are no text.
    Binary,
    /// It cannot be known; the text says why.
    Unknown(String),
}

impl Content {
    /// Returns the text, if there is text.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Absent | Self::Binary | Self::Unknown(_) => None,
        }
    }
}

/// One line with its number, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its number; see [`Numbering`] for what is counted.
    pub number: usize,
    /// Its text, without its line end.
    pub text: String,
}

/// What the numbers of a change's lines count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Numbering {
    /// Lines of the file after the edit.
    #[default]
    File,
    /// Lines of the new text that the edit brings, because the file after it is not known.
    NewText,
    /// Lines of a notebook's cell.
    Cell,
}

impl Numbering {
    /// Returns the words that follow `line N`.
    #[must_use]
    pub fn suffix(self) -> &'static str {
        match self {
            Self::File => "",
            Self::NewText => " of the new text",
            Self::Cell => " of the cell",
        }
    }
}

/// What git knows of a file before a change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Standing {
    /// It is tracked; so is a file that is moved.
    Tracked,
    /// It is new to git.
    New,
    /// Nobody has asked git, or git could not say.
    #[default]
    Unknown,
}

/// One file of a proposed edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The tool that makes it, as the client names it.
    pub tool: String,
    /// Where the file is.
    pub place: Place,
    /// Where it was, when the edit moves it.
    pub moved_from: Option<Place>,
    /// The file after the edit; [`Content::Absent`] when the edit deletes it.
    pub after: Content,
    /// The lines that the edit adds, in order.
    pub added: Vec<Line>,
    /// What their numbers count.
    pub numbering: Numbering,
    /// Why `added` may lack lines that the edit really brings (the file could not be read, say);
    /// a line check that finds nothing then cannot say that nothing is there.
    pub unsure: Option<String>,
    /// Whether git tracks the file.
    pub standing: Standing,
}

impl Change {
    /// Makes the change of a whole file from its text before and after.
    ///
    /// ```
    /// use solvi_hook::domain::{Change, Place, RepoPath};
    ///
    /// let place = Place::Inside(RepoPath::new("a.txt").unwrap());
    /// let change = Change::of_text("Write", place, "one\n", "one\ntwo\n".to_owned());
    /// assert_eq!(change.added[0].number, 2);
    /// assert_eq!(change.added[0].text, "two");
    /// ```
    #[must_use]
    pub fn of_text(tool: &str, place: Place, before: &str, after: String) -> Self {
        Self {
            tool: tool.to_owned(),
            place,
            moved_from: None,
            added: diff::added(before, &after),
            after: Content::Text(after),
            numbering: Numbering::File,
            unsure: None,
            standing: Standing::Unknown,
        }
    }

    /// Makes the change of an edit whose file after it is not known: only its new lines are.
    #[must_use]
    pub fn of_lines(tool: &str, place: Place, added: Vec<Line>, why: impl Into<String>) -> Self {
        Self {
            tool: tool.to_owned(),
            place,
            moved_from: None,
            after: Content::Unknown(why.into()),
            added,
            numbering: Numbering::NewText,
            unsure: None,
            standing: Standing::Unknown,
        }
    }

    /// Makes the change of a file that the edit deletes.
    #[must_use]
    pub fn of_deletion(tool: &str, place: Place) -> Self {
        Self {
            tool: tool.to_owned(),
            place,
            moved_from: None,
            after: Content::Absent,
            added: Vec::new(),
            numbering: Numbering::File,
            unsure: None,
            standing: Standing::Unknown,
        }
    }

    /// Tells whether the edit deletes the file.
    #[must_use]
    pub fn deletes(&self) -> bool {
        self.after == Content::Absent
    }
}
