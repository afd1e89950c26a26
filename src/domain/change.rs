//! One file of a proposed edit: where it is, what it will hold, and which of its lines are new.
//!
//! Lines are what editors and git call lines: they end with `\n`, and a `\r` before it belongs
//! to the line end, not to the text.

use super::path::Place;
use super::text::{self, MARK, Way};
use super::{declared, diff};
use std::borrow::Cow;
use std::collections::HashSet;

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
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
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

/// Another text that a program may read in the file after an edit: a shell passes over NUL bytes,
/// Python follows a declared encoding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherReading {
    /// How it is read.
    pub way: Way,
    /// The text.
    pub text: String,
    /// The lines of it that the edit adds, in order.
    pub added: Vec<Line>,
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

/// Whether an edit is certain to change the file that it names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Certainty {
    /// It changes the file.
    #[default]
    Certain,
    /// A tool that is not known may change it: what the file then holds is not known, and that
    /// alone is no finding.
    Possible,
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
    /// What else may be read in the file after the edit; nearly always nothing. What is found
    /// there counts as well.
    pub others: Vec<OtherReading>,
    /// The texts of the file before the edit, where they are known: one for each version that it
    /// is compared with, empty for a file that was not there. Evaluation needs them, and no
    /// decision keeps them.
    pub before: Option<Vec<String>>,
    /// What the numbers of lines count.
    pub numbering: Numbering,
    /// Why `added` may lack lines that the edit really brings (the file could not be read, say);
    /// a line check that finds nothing then cannot say that nothing is there.
    pub unsure: Option<String>,
    /// Whether git tracks the file.
    pub standing: Standing,
    /// Whether the edit is certain to change the file.
    pub certainty: Certainty,
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
            others: Vec::new(),
            before: Some(vec![before.to_owned()]),
            numbering: Numbering::File,
            unsure: None,
            standing: Standing::Unknown,
            certainty: Certainty::Certain,
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
            others: Vec::new(),
            before: None,
            numbering: Numbering::NewText,
            unsure: None,
            standing: Standing::Unknown,
            certainty: Certainty::Certain,
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
            others: Vec::new(),
            before: None,
            numbering: Numbering::File,
            unsure: None,
            standing: Standing::Unknown,
            certainty: Certainty::Certain,
        }
    }

    /// Reads a text that comes from an agent or a patch as a program reads the file it becomes:
    /// without its mark of byte order, and with its other readings. What comes from bytes is read
    /// that way from the start.
    #[must_use]
    pub fn as_read(mut self) -> Self {
        if let Content::Text(after) = &mut self.after
            && after.starts_with(MARK)
        {
            after.drain(..MARK.len_utf8());
        }
        if let Some(first) = self.added.first_mut().filter(|line| line.number == 1)
            && first.text.starts_with(MARK)
        {
            first.text.drain(..MARK.len_utf8());
        }
        for before in self.before.iter_mut().flatten().filter(|text| text.starts_with(MARK)) {
            before.drain(..MARK.len_utf8());
        }
        if let (true, Content::Text(after)) = (self.others.is_empty(), &self.after) {
            // These have their line feeds where the text has them.
            let others = text::others(after).into_iter();
            self.others = others.map(|other| self.other(other.way, other.text)).collect();
        }
        self
    }

    /// Adds what else may be read in the bytes that an agent writes in another encoding than UTF-8.
    #[must_use]
    pub fn written_as(mut self, before: &[u8], after: Vec<u8>) -> Self {
        let before = text::decode(before.to_vec());
        let other = |text::Decoding { way, text }: text::Decoding| OtherReading {
            added: diff::added(before.read(way), &text),
            way,
            text,
        };
        self.others = text::decode(after).others.into_iter().map(other).collect();
        self
    }

    fn other(&self, way: Way, text: String) -> OtherReading {
        let mut added = self.added.iter().map(|line| line.number).peekable();
        let mut lines = diff::numbered(&text);
        lines.retain(|line| {
            while added.next_if(|number| *number < line.number).is_some() {}
            added.peek() == Some(&line.number)
        });
        OtherReading { way, text, added: lines }
    }

    /// Returns the added lines in every reading, each once.
    #[must_use]
    pub fn added_in_any_reading(&self) -> Cow<'_, [Line]> {
        if self.others.is_empty() {
            return Cow::Borrowed(&self.added);
        }
        let mut lines = self.added.clone();
        let others = self.others.iter().flat_map(|other| &other.added);
        let known: HashSet<&Line> = self.added.iter().collect();
        lines.extend(others.filter(|line| !known.contains(line)).cloned());
        lines.sort_by_key(|line| line.number);
        Cow::Owned(lines)
    }

    /// Returns the text as a program runs it: in the encoding that it declares, or the code of a
    /// notebook.
    #[must_use]
    pub fn program(&self) -> Option<&str> {
        let is_program = |way| matches!(way, Way::Declared | Way::Cells);
        let other = self.others.iter().find(|other| is_program(other.way));
        other.map(|other| other.text.as_str()).or_else(|| self.after.text())
    }

    /// Tells whether the code of a notebook's cells is read in it.
    #[must_use]
    pub fn has_cells(&self) -> bool {
        self.others.iter().any(|other| other.way == Way::Cells)
    }

    /// Returns the name of the encoding that the text declares, where it cannot be decoded.
    #[must_use]
    pub fn undecodable(&self) -> Option<&str> {
        match declared::of(self.after.text()?)? {
            declared::Declared::Unknown(name) => Some(name),
            declared::Declared::Known(_) => None,
        }
    }

    /// Tells whether the edit deletes the file.
    #[must_use]
    pub fn deletes(&self) -> bool {
        self.after == Content::Absent
    }
}
