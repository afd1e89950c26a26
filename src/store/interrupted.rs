//! Interrupted writes: the half of a record that a killed writer left at the end of a store.
//!
//! The next writer ends that line and puts a record of the kind `recovery` behind it, with the
//! length and the digest of what the line holds. So a half record that a writer left is told from
//! a line that was damaged afterwards: that one has no such record behind it, and none can be
//! added without breaking the chain. Where the head file counts a record that is not there, the
//! line was whole once, and nothing excuses it.

use super::canonical::bytes_digest;
use super::chain::{Entry, FORMAT, Tip};
use super::reader::LONGEST;
use super::stored::{Kind, Stored};
use super::tail::{Doubt, Tail};
use super::tree::Item;
use serde::de::IgnoredAny;
use serde_json::{Map, Value, json};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

/// The kind of a record that tells of an interrupted write.
pub const KIND: &str = "recovery";

/// How much is read at once in search of where the last line begins.
const PIECE: u64 = 64 << 10;

/// What an interrupted write left: how many bytes, and their digest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Torn {
    bytes: u64,
    sha256: String,
}

impl Torn {
    /// Measures what a line holds.
    #[must_use]
    pub fn of(line: &[u8]) -> Self {
        Self { bytes: line.len() as u64, sha256: bytes_digest(line) }
    }

    /// Returns what a record tells of the line before it; none when it tells nothing.
    #[must_use]
    pub fn told_by(record: &Stored) -> Option<Self> {
        let value = |key| record.at(&["meta", "torn", key]);
        let sha256 = value("sha256").and_then(Value::as_str).map(ToOwned::to_owned);
        let said = value("bytes").and_then(Value::as_u64).zip(sha256);
        let (bytes, sha256) = said.filter(|_| record.kind() == Kind::Recovery)?;
        Some(Self { bytes, sha256 })
    }

    /// Returns the same of a record that was scanned.
    pub(super) fn told_in(record: Item<'_>) -> Option<Self> {
        let torn = record.get("meta")?.get("torn")?;
        let (bytes, sha256) = (torn.get("bytes")?.integer()?, torn.get("sha256")?.text()?);
        record.get("kind")?.is_text(KIND).then_some(Self { bytes, sha256 })
    }

    /// Returns the record that tells of it, but for its place in the chain.
    #[must_use]
    pub fn record(&self, time: Option<Value>) -> Map<String, Value> {
        let fields = [
            ("v", Some(FORMAT.into())),
            ("kind", Some(KIND.into())),
            ("time", time),
            ("by", Some("solvi-hook".into())),
            ("note", Some("a writer was stopped in the line before".into())),
            ("meta", Some(json!({"torn": {"bytes": self.bytes, "sha256": self.sha256}}))),
        ];
        fields.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect()
    }
}

/// A line that is not a record, until the record behind it tells whether a writer was stopped in
/// it.
#[derive(Debug)]
pub struct Waiting<T>(Option<(T, Torn)>);

impl<T> Default for Waiting<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Waiting<T> {
    /// Takes a line with what to say of it; returns what to say of the one that waited: no record
    /// stands behind that one.
    pub fn put(&mut self, what: T, line: &[u8]) -> Option<T> {
        self.0.replace((what, Torn::of(line))).map(|(before, _)| before)
    }

    /// Takes what the next record says of the line before it; returns what to say of the line that
    /// waited, and whether that is the line.
    pub fn settle(&mut self, said: Option<&Torn>) -> Option<(T, bool)> {
        self.0.take().map(|(what, torn)| (what, said == Some(&torn)))
    }

    /// Takes the next record; returns what to say of the line that waited unless the record tells
    /// of it.
    pub fn settle_by(&mut self, record: &Stored) -> Option<T> {
        self.0.as_ref()?;
        let (what, excused) = self.settle(Torn::told_by(record).as_ref())?;
        (!excused).then_some(what)
    }

    /// Ends a file; returns what to say of its last line.
    pub fn end(&mut self) -> Option<T> {
        self.0.take().map(|(what, _)| what)
    }
}

/// Ends the last line of a store where it has no end, and records what an interrupted write left.
/// Adds to `lines` what is to be written first, and returns where the chain goes on.
pub(super) fn end_line(
    file: &mut File,
    tail: &Tail,
    time: Option<&Value>,
    lines: &mut String,
) -> io::Result<Tip> {
    let mut tip = tail.tip.clone();
    if !tail.torn {
        return Ok(tip);
    }
    lines.push('\n');
    if matches!(tail.doubt, None | Some(Doubt::Unwitnessed))
        && let Some(line) = last_line(file)?
        && !is_whole(&line)
    {
        Entry::whole(Torn::of(&line).record(time.cloned())).place(&mut tip, lines);
    }
    Ok(tip)
}

/// Returns the last line of a file that does not end in a line end; none when it is longer than
/// what is read of a line.
fn last_line(file: &mut File) -> io::Result<Option<Vec<u8>>> {
    let length = file.seek(SeekFrom::End(0))?;
    let (mut start, mut line) = (length, Vec::new());
    while start > 0 && length - start <= LONGEST {
        let end = start;
        start = end.saturating_sub(PIECE);
        file.seek(SeekFrom::Start(start))?;
        let mut piece = Vec::new();
        file.by_ref().take(end - start).read_to_end(&mut piece)?;
        let begin = piece.iter().rposition(|byte| *byte == b'\n').map(|at| at + 1);
        piece.drain(..begin.unwrap_or(0));
        piece.append(&mut line);
        line = piece;
        if begin.is_some() {
            break;
        }
    }
    Ok(Some(line).filter(|line| line.len() as u64 <= LONGEST))
}

/// Tells whether a line is a whole object: only its line end is missing.
fn is_whole(line: &[u8]) -> bool {
    line.trim_ascii_start().starts_with(b"{") && serde_json::from_slice::<IgnoredAny>(line).is_ok()
}
