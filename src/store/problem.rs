//! What is wrong with a store, in words: each problem says where, what it means, and what to do.

use super::agree::Differs;
use std::fmt;
use std::sync::Arc;

const LOSSES: &str = "the file `.missing` beside the store cannot be trusted";
const RECOVERY: &str = "the record tells of an interrupted write, and the line before it is not \
    what that left: it was changed or removed";
const COLUMN: &str = "does not say what the record says";

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The name of the file, where it is not the one that is appended to.
    pub file: Option<Arc<str>>,
    /// The line, from 1; none when it is about no line.
    pub line: Option<u64>,
    /// The last line that has the same trouble, where several in a row have it.
    pub until: Option<u64>,
    /// The id of the record, as the record gives it.
    pub id: Option<String>,
    /// What it is.
    pub trouble: Trouble,
}

/// The kinds of trouble.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The last line is no JSON and has no end.
    Torn,
    /// A record tells of an interrupted write, and the line before it is none, or another one.
    Recovery,
    /// A line is no JSON object.
    Unreadable {
        /// Why.
        why: String,
    },
    /// A line is longer than what is read of one.
    TooLong,
    /// A line is an object without a hash.
    Unchained,
    /// A line has a hash that is none.
    NoHash,
    /// A record says no format that there can be.
    NoFormat,
    /// A record is of an older format than one before it.
    OlderFormat {
        /// Its format.
        format: u64,
        /// The one before it.
        newest: u64,
    },
    /// A record's hash is not that of what it says.
    Changed {
        /// Whether the record was erased before.
        erased: bool,
    },
    /// A record's id is not the beginning of its hash.
    Id,
    /// A record does not follow the one before it.
    Link,
    /// A record is at another place than it says.
    Place {
        /// The place that it says, as it spells it.
        said: String,
        /// The place that it is at, from 0.
        at: u64,
    },
    /// The response of a decision differs from its summary.
    Differs(Differs),
    /// An erased record still holds content.
    Unerased {
        /// The fields.
        fields: Vec<String>,
    },
    /// The mark of an erased record lacks the digests of what was erased.
    Mark,
    /// No record tells that a record was erased.
    Unannounced,
    /// The record that tells of it names somebody else, or another reason.
    Announced,
    /// A key stands twice in one object.
    Twice {
        /// The key.
        key: String,
    },
    /// A line has a carriage return in it.
    Carriage,
    /// A line is spelled as no writer spells.
    Spelling {
        /// Where, in bytes from 1.
        at: u64,
    },
    /// A line with nothing in it.
    Blank,
    /// The last line is a record without a line end.
    NoLineEnd,
    /// There is no head file.
    NoHead,
    /// The head file is not what a writer leaves.
    BadHead,
    /// The head file counts more records than there are.
    Cut {
        /// The records that it counts.
        head: u64,
        /// The records that there are.
        count: u64,
    },
    /// The head file counts fewer records than there are.
    Stale {
        /// The records that it counts.
        head: u64,
        /// The records that there are.
        count: u64,
    },
    /// The head file names another last record.
    OtherEnd,
    /// An anchor counts more records than there are.
    AnchorCut {
        /// The records that it counts.
        anchor: u64,
        /// The records that there are.
        count: u64,
    },
    /// An anchor names another record at its place.
    AnchorOther,
    /// The record that an anchor names was retired.
    AnchorRetired,
    /// A head file once named a record that is not there.
    Lost {
        /// The records that it counted.
        head: u64,
        /// The records that there were.
        left: u64,
    },
    /// The file that names lost records holds what no writer leaves.
    Losses {
        /// What is wrong with it.
        why: String,
    },
    /// A column of a database does not say what the record says.
    Column {
        /// The table, or the table and the column.
        place: String,
    },
    /// A file does not continue the one before it.
    Segment {
        /// The file before it; none when there is none.
        before: Option<String>,
        /// The file that it names; none when it names none.
        named: Option<String>,
    },
}

impl Trouble {
    /// Returns a word for programs.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Torn => "torn",
            Self::Recovery => "recovery",
            Self::Unreadable { .. } => "unreadable",
            Self::TooLong => "too-long",
            Self::Unchained | Self::NoHash => "unchained",
            Self::NoFormat | Self::OlderFormat { .. } => "format",
            Self::Changed { .. } => "changed",
            Self::Id => "id",
            Self::Link => "link",
            Self::Place { .. } => "place",
            Self::Differs(_) => "response",
            Self::Unerased { .. } | Self::Mark => "erased",
            Self::Unannounced | Self::Announced => "announced",
            Self::Twice { .. } => "twice",
            Self::Carriage | Self::Spelling { .. } | Self::Blank | Self::NoLineEnd => "spelling",
            Self::NoHead | Self::BadHead | Self::Stale { .. } | Self::OtherEnd => "head",
            Self::Cut { .. } | Self::Lost { .. } | Self::Losses { .. } => "cut",
            Self::Column { .. } => "column",
            Self::AnchorCut { .. } | Self::AnchorOther | Self::AnchorRetired => "anchor",
            Self::Segment { .. } => "segment",
        }
    }

    /// Returns what to do about it.
    #[must_use]
    pub fn next(&self) -> &'static str {
        match self {
            Self::Torn => {
                "nothing more is lost: the next record ends the line, and a record of it is kept"
            }
            Self::NoLineEnd => "the next record ends the line; nothing is lost",
            Self::TooLong => "look at the line with a tool for large files: no writer leaves one",
            Self::Spelling { .. } | Self::Carriage | Self::Blank => {
                "the records still say the same; find out which program saved the file (an editor, \
                 a line-end filter), and keep it away from it"
            }
            Self::NoHead | Self::BadHead | Self::Stale { .. } => {
                "the next record writes the head file anew; until then an end that was cut off \
                 does not show without an anchor"
            }
            Self::NoFormat | Self::OlderFormat { .. } => {
                "take the record for forged: an older format is checked less strictly"
            }
            Self::Unerased { .. } | Self::Mark | Self::Unannounced | Self::Announced => {
                "content was removed by hand: get the record from a backup, and ask who may write \
                 to the file"
            }
            Self::Cut { .. } | Self::OtherEnd | Self::AnchorCut { .. } => {
                "keep the file as it is now as evidence, and get the missing end from a backup"
            }
            Self::AnchorRetired => "take a newer anchor: `solvi-hook anchor`",
            Self::Lost { .. } => {
                "get the missing end from a backup; once you know what is lost, remove the file \
                 `.missing` beside the store, which remembers it"
            }
            Self::Losses { .. } => {
                "losses that it names may be hidden: keep it as evidence, and remove it once you \
                 know what is lost"
            }
            Self::Column { .. } => {
                "searches may miss the record or show another: keep the file as it is now as \
                 evidence, and compare it with a backup"
            }
            Self::Segment { .. } => {
                "keep the files as they are now as evidence, and get the missing one from a backup"
            }
            Self::AnchorOther => {
                "keep the file as it is now as evidence, and compare it with a backup: the chain \
                 was made anew, or the anchor is of another store"
            }
            Self::Unreadable { .. }
            | Self::Recovery
            | Self::Unchained
            | Self::NoHash
            | Self::Changed { .. }
            | Self::Id
            | Self::Link
            | Self::Place { .. }
            | Self::Differs(_)
            | Self::Twice { .. } => {
                "keep the file as it is now as evidence, and compare this line with a backup"
            }
        }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::Torn => "the file ends in the middle of a record: its writer was stopped",
            Self::Recovery => RECOVERY,
            Self::Unreadable { why } => return write!(f, "the line is no record: {why}"),
            Self::TooLong => {
                let longest = super::reader::LONGEST >> 20;
                return write!(f, "the line is longer than {longest} MiB and was not checked");
            }
            Self::Unchained => "the line is an object without a hash, which no writer leaves",
            Self::NoHash => {
                "the line has a hash that is not one, which no writer leaves: it is no record"
            }
            Self::NoFormat => "the record says no format that there is",
            Self::OlderFormat { format, newest } => {
                return write!(f, "a record of format {format} after one of format {newest}");
            }
            Self::Changed { erased: false } => {
                "the record was changed after it was written: its hash is not that of what it says"
            }
            Self::Changed { erased: true } => {
                "what is left of the erased record was changed: its hash is not that of what it says"
            }
            Self::Id => "the id is not the beginning of the record's hash",
            Self::Link => {
                "the record does not follow the one before it: a record was removed, added, moved \
                 or changed here"
            }
            Self::Place { said, at } => {
                return write!(
                    f,
                    "the record says that it is number {said}, and it is number {at}: records \
                     before it were removed, added or moved"
                );
            }
            Self::Differs(differs) => differs.words(),
            Self::Unerased { fields } => {
                let fields = fields.join("`, `");
                return write!(f, "the record is marked as erased, and still holds `{fields}`");
            }
            Self::Mark => "the mark of the erased record lacks the digest of what was erased",
            Self::Unannounced => "the record is marked as erased, and no other record says so",
            Self::Announced => {
                "the mark of the erased record and the record that tells of it do not agree on who \
                 erased it and why"
            }
            Self::Twice { key } => {
                return write!(
                    f,
                    "the key `{key}` stands twice in one object: what counts is the last, and the \
                     first may be what a reader sees"
                );
            }
            Self::Carriage => "the line has a carriage return in it",
            Self::Spelling { at } => {
                return write!(f, "the line is not spelled as a writer spells it (at byte {at})");
            }
            Self::Blank => "the line is blank",
            Self::NoLineEnd => "the last record has no line end",
            Self::NoHead => "the head file is not there: it was removed, or never copied along",
            Self::BadHead => "the head file is not what a writer leaves",
            Self::Cut { head, count } => {
                return write!(
                    f,
                    "the head file counts {head} records, and there are {count}: records were cut \
                     off at the end"
                );
            }
            Self::Stale { head, count } => {
                return write!(
                    f,
                    "the head file counts {head} records, and there are {count}: a writer was \
                     stopped before it wrote the head, or records were added by hand"
                );
            }
            Self::OtherEnd => {
                "the head file names another last record: the end of the store was replaced"
            }
            Self::AnchorCut { anchor, count } => return anchor_cut(*anchor, *count, f),
            Self::AnchorRetired => {
                "the record that the anchor names was retired, so that it cannot be compared"
            }
            Self::Lost { head, left } => {
                return write!(
                    f,
                    "a head file counted {head} records when there were {left}, and the one it \
                     named is not here: records were lost at the end, and others came after"
                );
            }
            Self::Losses { why } => return write!(f, "{LOSSES}: {why}"),
            Self::Column { place } => return write!(f, "the column `{place}` {COLUMN}"),
            Self::Segment { before, named } => {
                return between(before.as_deref(), named.as_deref(), f);
            }
            Self::AnchorOther => {
                "the record at the place of the anchor is another one: the store was written anew"
            }
        };
        f.write_str(text)
    }
}

/// Says that the end that an anchor names is gone.
fn anchor_cut(anchor: u64, count: u64, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(
        f,
        "the anchor counts {anchor} records, and there are {count}: records were cut \
                     off at the end"
    )
}

/// Says that a file does not continue the one before it.
fn between(before: Option<&str>, named: Option<&str>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let before = before.unwrap_or("none that is there");
    match named {
        Some(named) => write!(
            f,
            "the file continues `{named}`, and the one before it is {before}, or ends elsewhere: \
             records are missing between them"
        ),
        None => write!(
            f,
            "the file does not say that it continues {before}: records are missing between them"
        ),
    }
}

impl Differs {
    fn words(self) -> &'static str {
        match self {
            Self::NoResponse => "the decision has no response to its summary",
            Self::Input => "the summary and the response name different inputs",
            Self::Steps => "the summary and the response name different steps",
            Self::Links => "the steps of the response do not follow each other",
            Self::Answers => "the summary and the response give different answers",
            Self::Confidence => "the summary and the response are not equally sure",
            Self::Guards => "the summary and the response name different guards",
            Self::Safeguards => "the summary and the response name different safeguards",
            Self::Models => "the summary and the response name different models",
            Self::Flow => "the summary and the response plan different steps",
            Self::Shape => "the response is not laid out as one, so it cannot be compared",
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{file}, ")?;
        }
        match (self.line, self.until) {
            (Some(line), Some(until)) => write!(f, "lines {line} to {until}")?,
            (Some(line), None) => write!(f, "line {line}")?,
            (None, _) => f.write_str("the store")?,
        }
        if let Some(id) = &self.id {
            write!(f, " ({id})")?;
        }
        write!(f, ": {}", self.trouble)
    }
}
