//! `query`: which records are there?

use super::failure::Failure;
use super::filters::{Filters, Fit, Sieve};
use super::lists;
use super::report::read;
use super::rule_ids::{self, Store};
use super::verify::{open, store, unreadable};
use super::world::World;
use super::{defaults, pen, redaction};
use crate::domain::Verdict;
use crate::domain::sanitize::excerpt;
use crate::domain::sanitize::hidden;
use crate::engine::redaction::Redactor;
use crate::report::statistics::Unreadable;
use crate::store::interrupted::Waiting;
use crate::store::reader::{Back, Snapshot, line_at};
use crate::store::segments::Segment;
use crate::store::stored::{Outcome, Stored};
use std::borrow::Cow;
use std::collections::VecDeque;
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Write the records that fit, as they are stored
///
/// Reads the files of the store one line at a time, and writes each line that fits as it is, so that
/// what comes out can be read by whatever reads the store; only characters that a terminal would
/// hide or obey are written as JSON escapes. Without a filter every record fits, also one
/// that is no decision; with one for rule, path, session or verdict only decisions do, and
/// records of what was written. Redacted
/// records that a filter cannot be held against, and lines that cannot be read, are told on
/// standard error. What a rule redacts today is masked also in a record that was kept before. All times are UTC.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    solvi-hook query --verdict deny --since 7d\n  \
    solvi-hook query --last --limit 20 --format table\n  \
    solvi-hook query --rule no-secrets | jq -r .meta.path\n\n\
    Exit status: 0 it was read (also when nothing fits), 2 the store cannot be read, or nothing \
    knows a rule that was named.")]
pub struct Args {
    /// The store [default: .solvi/traces/hooks.jsonl of the project]
    #[arg(value_name = "STORE")]
    store: Option<PathBuf>,
    #[command(flatten)]
    filters: Filters,
    /// Write no more than this many records
    #[arg(long, value_name = "N", value_parser = lists::number)]
    limit: Option<usize>,
    /// Write the newest first, and with --limit only the newest
    #[arg(long)]
    last: bool,
    /// How they are written: the stored lines, or a table to read
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    format: Shape,
    /// The project's folder [default: the repository that this folder is in]
    #[arg(long, value_name = "DIR", alias = "root")]
    project: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum Shape {
    #[default]
    Jsonl,
    Table,
}

const CHANGED: &str = "another program rewrote it meanwhile; run the same command again";

/// Where a line is that fits, and what its bytes come to.
#[derive(Clone, Copy, Debug)]
struct Found {
    number: u64,
    offset: u64,
    print: u64,
}

/// What was read beside the records that are written.
#[derive(Debug, Default)]
struct Beside {
    unreadable: Unreadable,
    erased: u64,
}

/// Runs the sub-command. It writes while it reads, since what it writes may be as large as the
/// store.
pub fn run(args: &Args, world: &World) -> Result<u8, Failure> {
    let root = defaults::recorded(args.project.as_deref(), world);
    let (path, name) = store(args.store.as_deref(), &root, world)?;
    rule_ids::expect_in(args.filters.rules(), Store { path: &path, name: &name }, &root, world)?;
    let mut opened = open(&path, &name)?;
    let redactor = world.secrets.redactor(None, &root, world);
    let sieve = args.filters.sieve(world);
    let query = Query { args, sieve, path: &path, name: &name, redactor };
    let (since, until) = query.sieve.times();
    for (_, snapshot) in &mut opened {
        snapshot.within(since, until).map_err(|error| unreadable(&name, error))?;
    }
    let mut beside = Beside::default();
    let mut out = pen::stream();
    let written =
        query.write(opened, &mut beside, &mut out).and_then(|()| out.flush().map_err(Stop::Out));
    match written {
        // Whoever closed the pipe has read enough.
        Err(Stop::Out(error)) if error.kind() == ErrorKind::BrokenPipe => return Ok(0),
        Err(Stop::Out(error)) => return Err(error.into()),
        Err(Stop::Store(failure)) => return Err(failure),
        Ok(()) => {}
    }
    if let Some(told) = beside.unreadable.told() {
        pen::write_err(&format!("note: {told}\n"));
    }
    if beside.erased > 0 {
        let count = beside.erased;
        pen::write_err(&format!(
            "note: redacted, so that nobody can tell whether they fit: {count}\n"
        ));
    }
    Ok(0)
}

/// Why the writing ended early.
enum Stop {
    Out(std::io::Error),
    Store(Failure),
}

struct Query<'a> {
    args: &'a Args,
    sieve: Sieve,
    path: &'a Path,
    name: &'a str,
    redactor: Redactor,
}

impl Query<'_> {
    fn write(
        &self,
        mut opened: Vec<(Segment, Snapshot)>,
        beside: &mut Beside,
        out: &mut dyn Write,
    ) -> Result<(), Stop> {
        let mut left = self.args.limit.unwrap_or(usize::MAX);
        if self.args.format == Shape::Table {
            writeln!(out, "{}", HEAD.trim_end()).map_err(Stop::Out)?;
        }
        if self.args.last {
            opened.reverse();
        }
        for (segment, snapshot) in opened {
            let file = segment.name_in(self.path);
            left -= self.file(file.as_deref(), snapshot, left, beside, out)?;
        }
        Ok(())
    }

    /// Writes what fits in one file, no more than `limit` records; returns how many.
    fn file(
        &self,
        file: Option<&str>,
        mut snapshot: Snapshot,
        limit: usize,
        beside: &mut Beside,
        out: &mut dyn Write,
    ) -> Result<usize, Stop> {
        let mut newest = VecDeque::new();
        let (mut written, mut count, mut waiting) = (0, 0, Waiting::default());
        while written < limit {
            let line = snapshot.lines.next_line();
            let Some(line) = line.map_err(|error| self.unreadable(error))? else {
                if let Some(number) = waiting.end() {
                    beside.unreadable.add(file, number);
                }
                break;
            };
            count = line.number;
            if line.is_blank() {
                continue;
            }
            let Some(record) = read(&line) else {
                if let Some(number) = waiting.put(line.number, line.bytes) {
                    beside.unreadable.add(file, number);
                }
                continue;
            };
            if let Some(number) = waiting.settle_by(&record) {
                beside.unreadable.add(file, number);
            }
            match self.sieve.fit(&record) {
                Fit::Differs => {}
                Fit::Erased => beside.erased += 1,
                Fit::Fits if self.args.last => {
                    let (number, offset, print) = (line.number, line.offset, print(line.bytes));
                    newest.push_back(Found { number, offset, print });
                    if newest.len() > limit {
                        newest.pop_front();
                    }
                }
                Fit::Fits => {
                    self.one(line.bytes, &record, out).map_err(Stop::Out)?;
                    written += 1;
                }
            }
        }
        written += newest.len();
        if !newest.is_empty() {
            self.newest(newest, count, snapshot.back(), out)?;
        }
        Ok(written)
    }

    /// Writes the lines that were found, the newest first; `count` were read.
    fn newest(
        &self,
        mut found: VecDeque<Found>,
        count: u64,
        back: Back,
        out: &mut dyn Write,
    ) -> Result<(), Stop> {
        match back {
            Back::File(mut file) => {
                while let Some(found) = found.pop_back() {
                    let line = line_at(&mut file, found.offset);
                    let line = line.map_err(|error| self.unreadable(error))?;
                    self.again(&line, found, out)?;
                }
            }
            Back::Database(mut lines) => {
                while let Some(next) = found.back() {
                    let line = lines.next_line().map_err(|error| self.unreadable(error))?;
                    let line = line.ok_or_else(|| self.unreadable(CHANGED))?;
                    if line.number + next.number > count {
                        self.again(line.bytes, *next, out)?;
                        found.pop_back();
                    }
                }
            }
        }
        Ok(())
    }

    /// Writes a line that was found before.
    fn again(&self, line: &[u8], found: Found, out: &mut dyn Write) -> Result<(), Stop> {
        let record = Stored::parse(line).ok().filter(|_| print(line) == found.print);
        let record = record.ok_or_else(|| self.unreadable(CHANGED))?;
        self.one(line, &record, out).map_err(Stop::Out)
    }

    fn one(&self, line: &[u8], record: &Stored, out: &mut dyn Write) -> std::io::Result<()> {
        if let Some(masked) = redaction::record(record, line, &self.redactor) {
            return match self.args.format {
                Shape::Jsonl => {
                    out.write_all(&shown(masked.line().as_bytes()))?;
                    out.write_all(b"\n")
                }
                Shape::Table => writeln!(out, "{}", row(&masked)),
            };
        }
        match self.args.format {
            Shape::Jsonl => {
                out.write_all(&shown(line))?;
                out.write_all(b"\n")
            }
            Shape::Table => writeln!(out, "{}", row(record)),
        }
    }

    fn unreadable(&self, why: impl std::fmt::Display) -> Stop {
        Stop::Store(unreadable(self.name, why))
    }
}

/// Returns a line that is JSON with every character that is not plainly visible written as JSON's
/// own escape of it: whoever reads the JSON reads the same, and a terminal shows what is there.
fn shown(line: &[u8]) -> Cow<'_, [u8]> {
    let Ok(text) = std::str::from_utf8(line) else { return Cow::Borrowed(line) };
    if !text.chars().any(hidden) {
        return Cow::Borrowed(line);
    }
    let (text, end) = text.strip_suffix('\r').map_or((text, ""), |text| (text, "\r"));
    let mut out = String::with_capacity(line.len() + 32);
    for char in text.chars() {
        if char.is_ascii_control() {
            // Inside a string JSON has none; between the parts it is white space.
            out.push(' ');
        } else if hidden(char) {
            for unit in char.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(char);
        }
    }
    out.push_str(end);
    Cow::Owned(out.into_bytes())
}

fn print(line: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    line.hash(&mut hasher);
    hasher.finish()
}

const HEAD: &str =
    "time                  verdict  path                              rules                 id";

/// Returns a record as a line of the table. A cell that is longer than its column pushes on those
/// behind it.
fn row(record: &Stored) -> String {
    let time = record.moment().map_or_else(|| "-".to_owned(), |moment| moment.to_string());
    let objects = |it: &Outcome<'_>| it.verdict != Some(Verdict::Allow);
    let rules: Vec<_> = record.outcomes().into_iter().filter(objects).map(|it| it.rule).collect();
    let path = match record.path() {
        Some(path) => excerpt(path),
        None if record.is_redacted() => "(redacted)".to_owned(),
        None => "-".to_owned(),
    };
    let rules = if rules.is_empty() { "-".to_owned() } else { excerpt(&rules.join(",")) };
    let verdict = record.verdict().map_or("-", Verdict::word);
    format!("{time:20}  {verdict:7}  {path:32}  {rules:20}  {}", excerpt(record.id()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::domain::sanitize::hidden;

    #[test]
    fn a_row_stands_under_its_head_and_hides_nothing() {
        let record = |line: &str| Stored::parse(line.as_bytes()).unwrap();
        let row = row(&record(
            r#"{"hash": "", "id": "a\u001b[2K", "time": 0, "meta": {"outcome": "deny", "path": "a\nb\u202e",
                "rules": ["r\rs"], "solvi_hook": {"checks": {"r_s": "deny"}}}}"#,
        ));
        assert!(!row.chars().any(hidden), "{row:?}");
        let columns =
            [("verdict", "deny"), ("path", "a\\nb"), ("rules", "r\\rs"), ("id", "a\\u{1b}")];
        for (head, cell) in columns {
            assert_eq!(HEAD.find(head), row.find(cell), "{row}");
        }
    }
}
