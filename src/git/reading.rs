//! What do a path's versions hold, and which lines does the change add?
//!
//! Contents are read one path at a time and dropped when the caller is done with them; files
//! that are large are read one at a time, however many threads ask. No attribute, filter or diff
//! driver has a say, and whatever cannot be looked at is named in [`Reading::unchecked`].

use super::delta::{self, Delta, Fate, Mode, Now, Version};
use super::error::GitError;
use super::objects::{Found, LARGEST, Objects, SMALL};
use super::repo::Repo;
use super::{program, text, worktree};
use crate::domain::text::{Decoded, Decoding, begins_like_binary, decode};
use crate::domain::{Certainty, Change, Content, Line, Numbering, OtherReading, Standing, diff};
use gix::bstr::ByteSlice;
use std::collections::HashSet;
use std::fmt;
use std::fs::File;
use std::io::Read;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{MutexGuard, PoisonError};
use std::thread::{self, Scope, ScopedJoinHandle};

/// Changes of more lines than this are not judged line by line: a [`Line`] takes 64 bytes and
/// more, so that these take 220 MB.
pub const MOST_LINES: usize = 3_500_000;

/// Texts of more lines than this are compared one at a time, whoever asks.
const MANY_LINES: usize = 200_000;

/// Texts of this length together are long, in bytes.
const LONG: usize = 1 << 20;

/// How many small files take as long to read as a thread takes to start and to warm up.
const WORTH_A_THREAD: usize = 64;

/// How much of a file tells whether it is text, when it is too large to read.
const BEGINNING: u64 = 64 << 10;

/// The tool that a change of the repository is said to be made by.
pub const TOOL: &str = "git";

/// A change with its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The change, as rules judge it.
    pub change: Change,
    /// Why its content was not looked at.
    pub unchecked: Option<Unchecked>,
    /// It is the pointer that Git LFS stores in place of a file: the pointer is judged, and what
    /// it points to was not looked at.
    pub lfs: bool,
    /// The earlier versions were not read, so that every line counts as added.
    pub hasty: bool,
}

/// How much of a path's history is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pace {
    /// Its version now alone, where that is quicker; every line of it counts as added.
    Hasty,
    /// Earlier versions too, so that only what is new counts as added.
    Exact,
}

/// Why a content was not looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unchecked {
    /// It is no text.
    Binary,
    /// It is too large, in bytes; nothing shows that it is a binary file.
    TooLarge(u64),
    /// It has too many lines.
    TooLong(usize),
    /// It is the commit of another repository.
    Submodule,
    /// It is in conflict, and no version is chosen yet.
    Unmerged,
    /// It, or what it was before, could not be read; why.
    Failed(String),
}

impl fmt::Display for Unchecked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Binary => f.write_str("it is a binary file"),
            Self::TooLarge(bytes) => {
                let (size, most) = (bytes.div_ceil(1 << 20), LARGEST >> 20);
                write!(f, "it has {size} MiB, more than {most} MiB")
            }
            Self::TooLong(lines) => write!(f, "it has {lines} lines, more than {MOST_LINES}"),
            Self::Submodule => f.write_str("it is a commit of another repository"),
            Self::Unmerged => f.write_str("it has conflicts that are not resolved yet"),
            Self::Failed(why) => f.write_str(why),
        }
    }
}

impl Repo {
    /// Reads what a delta changes. For many, [`Repo::each`] is faster and keeps memory small.
    pub fn change(&self, delta: &Delta) -> Result<Reading, GitError> {
        Reader::new(self).change(delta, Pace::Exact).map(|(reading, _)| reading)
    }

    /// Reads the deltas on at most `jobs` threads, or as many as there are processors, and hands
    /// each to `look`, which says what to keep of it; returns that in the order of the deltas.
    ///
    /// A file is read in haste first, as if every line of it were new. Only when what is kept
    /// then `matters` are its earlier versions read, and `look` is asked again: a file in which
    /// nothing is found at all needs no comparison. So `look` must not find less where more lines
    /// are added.
    pub fn each<T: Send>(
        &self,
        deltas: &[Delta],
        jobs: Option<NonZeroUsize>,
        look: impl Fn(&Delta, Result<Reading, GitError>) -> T + Sync,
        matters: impl Fn(&T) -> bool + Sync,
    ) -> Vec<T> {
        self.want(deltas);
        let next = AtomicUsize::new(0);
        let look = |reader: &Reader<'_>, delta: &Delta, pace: Pace| {
            // The lane stays ours until the caller has looked.
            let (reading, _lane) = match reader.change(delta, pace) {
                Ok((reading, lane)) => (Ok(reading), lane),
                Err(error) => (Err(error), None),
            };
            let hasty = reading.as_ref().is_ok_and(|reading| reading.hasty);
            (look(delta, reading), hasty)
        };
        let work = || {
            let reader = Reader::new(self);
            let mut kept = Vec::new();
            while let Some((at, delta)) = {
                let at = next.fetch_add(1, Ordering::Relaxed);
                deltas.get(at).map(|delta| (at, delta))
            } {
                let (mut seen, hasty) = look(&reader, delta, Pace::Hasty);
                if hasty && matters(&seen) {
                    seen = look(&reader, delta, Pace::Exact).0;
                }
                kept.push((at, seen));
            }
            kept
        };
        let jobs = threads(deltas.len() / WORTH_A_THREAD + 1, jobs);
        let mut kept = thread::scope(|scope| {
            let helpers: Vec<_> = (1..jobs).map_while(|_| helper(scope, work)).collect();
            let mut kept = work();
            for helper in helpers {
                match helper.join() {
                    Ok(more) => kept.extend(more),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            kept
        });
        kept.sort_unstable_by_key(|(at, _)| *at);
        kept.into_iter().map(|(_, kept)| kept).collect()
    }
}

/// Returns how many threads there are to be. To count the processors is to read several files of
/// the system, so they are counted only where more than one could have work.
fn threads(useful: usize, wanted: Option<NonZeroUsize>) -> usize {
    if useful == 1 {
        return 1;
    }
    let wanted = wanted.or_else(|| thread::available_parallelism().ok());
    wanted.map_or(1, NonZeroUsize::get).min(64).min(useful)
}

/// Starts a thread that does part of the work of this one, and is told apart from it by nobody:
/// whoever watches this thread for panics sees the helper's too. Where no more threads are to be
/// had, fewer do the work.
fn helper<'s, T: Send + 's>(
    scope: &'s Scope<'s, '_>,
    work: impl FnOnce() -> T + Send + 's,
) -> Option<ScopedJoinHandle<'s, T>> {
    let name = thread::current().name().unwrap_or("reader").to_owned();
    thread::Builder::new().name(name).spawn_scoped(scope, work).ok()
}

/// Reads deltas on one thread.
struct Reader<'r> {
    objects: Objects<'r>,
}

/// The bytes of one version.
enum Bytes {
    Here(Vec<u8>),
    TooLarge(u64),
}

/// Held while a large file is looked at.
type Lane<'r> = Option<MutexGuard<'r, ()>>;

impl<'r> Reader<'r> {
    fn new(repo: &'r Repo) -> Self {
        Self { objects: repo.objects() }
    }

    fn change(&self, delta: &Delta, pace: Pace) -> Result<(Reading, Lane<'r>), GitError> {
        let mut lane = None;
        let mut reading = Reading::begin(delta);
        let (mode, bytes) = match delta.now {
            Now::Nothing => return Ok((reading, lane)),
            Now::Unread(tree) => return Err(self.objects.missing(tree)),
            Now::Unmerged => {
                reading.cannot_check(Unchecked::Unmerged);
                return Ok((reading, lane));
            }
            Now::Stored(Version { mode: Mode::Submodule, .. }) | Now::OnDisk(Mode::Submodule) => {
                reading.unchecked = Some(Unchecked::Submodule);
                reading.change.after = Content::Binary;
                return Ok((reading, lane));
            }
            Now::Stored(version) => (version.mode, self.stored(version, &mut lane)?),
            Now::OnDisk(mode) => (mode, self.on_disk(delta, mode, &mut lane)?),
        };
        let bytes = match bytes {
            Bytes::Here(bytes) => bytes,
            Bytes::TooLarge(size) => {
                if self.begins_like_binary(delta) {
                    reading.unchecked = Some(Unchecked::Binary);
                    reading.change.after = Content::Binary;
                } else {
                    reading.cannot_check(Unchecked::TooLarge(size));
                }
                return Ok((reading, lane));
            }
        };
        let Decoded { content, others } = decode(bytes);
        reading.change.after = content;
        let versions = comparable(delta, mode);
        let text = reading.change.after.text();
        let longest =
            others.iter().map(|other| other.text.as_str()).chain(text).max_by_key(|it| it.len());
        reading.hasty = pace == Pace::Hasty && saves(&versions, longest.unwrap_or_default());
        match text {
            Some(after) => reading.lfs = mode.is_file() && text::is_lfs_pointer(after),
            None => reading.unchecked = Some(Unchecked::Binary),
        }
        let compared = match &versions {
            Versions::Same => Compared::Same,
            Versions::Others(_) if reading.hasty => Compared::With(vec![Decoded::default()]),
            Versions::Others(versions) => {
                if count(longest.unwrap_or_default()) > MANY_LINES {
                    self.take(&mut lane);
                }
                let texts = versions.iter().map(|version| self.text(*version, &mut lane));
                Compared::With(texts.collect::<Result<_, _>>()?)
            }
        };
        let Compared::With(before) = compared else { return Ok((reading, lane)) };
        let added = match text {
            Some(after) => added(before.iter().map(Decoded::read_main), after),
            None => Ok(Vec::new()),
        };
        match added.and_then(|added| Ok((added, self::others(others, &before)?))) {
            Ok((added, others)) => {
                reading.change.added = added;
                reading.change.others = others;
            }
            Err(lines) => reading.cannot_check(Unchecked::TooLong(lines)),
        }
        if !reading.hasty {
            let texts = before.into_iter().map(Decoded::into_main);
            reading.change.before = Some(texts.collect());
        }
        Ok((reading, lane))
    }

    /// Returns what an earlier version holds; where there was none, every line is new.
    fn text(&self, version: Option<Version>, lane: &mut Lane<'r>) -> Result<Decoded, GitError> {
        let Some(version) = version else { return Ok(Decoded::default()) };
        Ok(match self.stored(version, lane)? {
            Bytes::Here(bytes) => decode(bytes),
            Bytes::TooLarge(_) => Decoded::default(),
        })
    }

    fn stored(&self, version: Version, lane: &mut Lane<'r>) -> Result<Bytes, GitError> {
        let mut bytes = Vec::new();
        let mut found = self.objects.find(version.id, SMALL as u64, &mut bytes)?;
        if let Found::TooLarge(size) = found
            && size <= LARGEST
        {
            self.take(lane);
            found = self.objects.find(version.id, LARGEST, &mut bytes)?;
        }
        Ok(match found {
            Found::Whole(_) => Bytes::Here(bytes),
            Found::TooLarge(size) => Bytes::TooLarge(size),
        })
    }

    fn on_disk(&self, delta: &Delta, mode: Mode, lane: &mut Lane<'r>) -> Result<Bytes, GitError> {
        let path = self.path(delta)?;
        let failed = |source| GitError::Read { path: path.clone(), source };
        if mode == Mode::Symlink {
            return worktree::read(&path, mode).map(Bytes::Here).map_err(failed);
        }
        let file = File::open(&path).map_err(failed)?;
        let size = file.metadata().map_err(failed)?.len();
        if size > SMALL as u64 {
            self.take(lane);
        }
        let mut bytes = Vec::new();
        // A file may grow while it is read.
        let read = file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(failed)? as u64;
        Ok(if read > LARGEST { Bytes::TooLarge(size.max(read)) } else { Bytes::Here(bytes) })
    }

    fn path(&self, delta: &Delta) -> Result<PathBuf, GitError> {
        let root = self.objects.repo.root().unwrap_or(Path::new(""));
        delta::on_disk(root, delta.path.as_bstr())
    }

    fn take(&self, lane: &mut Lane<'r>) {
        if lane.is_none() {
            *lane = Some(self.objects.repo.lane.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }

    /// Tells whether a file that is too large to read is no text, by its beginning.
    fn begins_like_binary(&self, delta: &Delta) -> bool {
        let beginning = match delta.now {
            Now::Stored(version) => program::beginning(self.objects.repo, version.id, BEGINNING),
            _ => self.path(delta).ok().and_then(|path| File::open(path).ok()).and_then(|file| {
                let mut bytes = Vec::new();
                file.take(BEGINNING).read_to_end(&mut bytes).ok().map(|_| bytes)
            }),
        };
        beginning.is_some_and(|bytes| begins_like_binary(&bytes))
    }
}

impl Reading {
    /// Makes the reading of a path of which nothing is read yet.
    fn begin(delta: &Delta) -> Self {
        Self {
            change: Change {
                tool: TOOL.to_owned(),
                place: delta.place.clone(),
                moved_from: delta.moved_from.clone(),
                after: Content::Absent,
                added: Vec::new(),
                others: Vec::new(),
                before: None,
                numbering: Numbering::File,
                unsure: None,
                standing: standing(delta),
                certainty: Certainty::Certain,
            },
            unchecked: None,
            lfs: false,
            hasty: false,
        }
    }

    /// Makes the reading of a path that could not be read: it could not be checked.
    #[must_use]
    pub fn failed(delta: &Delta, error: &GitError) -> Self {
        let mut reading = Self::begin(delta);
        let cause = error.cause().map(|cause| format!(": {cause}")).unwrap_or_default();
        reading.cannot_check(Unchecked::Failed(format!("{error}{cause}")));
        reading
    }

    /// Notes that there is, or may be, text which was not looked at, so that no rule about it
    /// passes.
    fn cannot_check(&mut self, why: Unchecked) {
        self.change.after = Content::Unknown(why.to_string());
        self.change.unsure = Some(why.to_string());
        self.unchecked = Some(why);
    }
}

/// What there is to compare a content with.
enum Versions {
    /// One of the earlier versions holds the same: only the mode or the name changes.
    Same,
    /// The earlier versions, as far as they can be compared with it.
    Others(Vec<Option<Version>>),
}

/// What a content is compared with, read.
enum Compared {
    Same,
    With(Vec<Decoded>),
}

/// Returns the lines of a text that no earlier one has, or how many lines there are when they are
/// too many.
pub(super) fn added<'t>(
    before: impl Iterator<Item = &'t str>,
    after: &str,
) -> Result<Vec<Line>, usize> {
    let mut added: Option<Vec<Line>> = None;
    for before in before {
        let new = lines_between(before, after)?;
        added = Some(match added {
            None => new,
            Some(mut added) => {
                let new: HashSet<usize> = new.iter().map(|line| line.number).collect();
                added.retain(|line| new.contains(&line.number));
                added
            }
        });
    }
    Ok(added.unwrap_or_default())
}

/// Returns the other readings of a content with the lines that are new in each.
pub(super) fn others(
    readings: Vec<Decoding>,
    before: &[Decoded],
) -> Result<Vec<OtherReading>, usize> {
    let other = |Decoding { way, text }: Decoding| {
        let mut added = added(before.iter().map(|before| before.read(way)), &text)?;
        added.retain(|line| !line.text.is_empty());
        Ok(OtherReading { way, text, added })
    };
    readings.into_iter().map(other).collect()
}

/// Returns the earlier versions of a path: what a link points to is not compared with what a file
/// holds.
fn comparable(delta: &Delta, mode: Mode) -> Versions {
    let comparable = |before: &Version| {
        before.mode != Mode::Submodule && before.mode.is_file() == mode.is_file()
    };
    let versions: Vec<Option<Version>> =
        delta.before.iter().map(|before| before.filter(comparable)).collect();
    let now = delta.now.stored().map(|now| now.id);
    if now.is_some() && versions.iter().flatten().any(|before| Some(before.id) == now) {
        return Versions::Same;
    }
    Versions::Others(versions)
}

/// Tells whether it saves anything to take every line as added: when there is something to read,
/// and the lines are not so many that they are the greater work.
fn saves(versions: &Versions, after: &str) -> bool {
    let Versions::Others(versions) = versions else { return false };
    versions.iter().any(Option::is_some) && after.len() < LONG
}

/// Returns what git knew of a path before; a file that is moved is no new one.
fn standing(delta: &Delta) -> Standing {
    match (delta.fate, &delta.moved_from) {
        (Fate::Added, None) => Standing::New,
        _ => Standing::Tracked,
    }
}

/// Returns the added lines of a text, or the number of lines to compare when they are too many.
fn lines_between(before: &str, after: &str) -> Result<Vec<Line>, usize> {
    if before.is_empty() {
        return numbered(after);
    }
    if before.len() + after.len() < LONG {
        return Ok(diff::added(before, after));
    }
    between_long(before, after)
}

/// Compares long texts: what both have at their beginning and end is cut off before they are
/// split into lines, so that a line appended to a table of millions takes no table of them all.
fn between_long(before: &str, after: &str) -> Result<Vec<Line>, usize> {
    let head = common_head(before, after);
    let skipped = count(after.get(..head).unwrap_or_default());
    let (before, after) = (cut(before, head, 0), cut(after, head, 0));
    let tail = common_tail(before, after);
    let (before, after) = (cut(before, 0, tail), cut(after, 0, tail));
    let lines = count(before).max(count(after));
    if lines > MOST_LINES {
        return Err(lines);
    }
    let mut added = diff::added(before, after);
    for line in &mut added {
        line.number += skipped;
    }
    Ok(added)
}

/// Returns every line, in a list of the right size.
fn numbered(text: &str) -> Result<Vec<Line>, usize> {
    let lines = count(text);
    if lines > MOST_LINES {
        return Err(lines);
    }
    let mut all = Vec::with_capacity(lines + 1);
    let texts = diff::lines(text).zip(1..);
    all.extend(texts.map(|(text, number)| Line { number, text: text.to_owned() }));
    Ok(all)
}

fn cut(text: &str, head: usize, tail: usize) -> &str {
    text.get(head..text.len() - tail).unwrap_or_default()
}

fn count(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count()
}

/// Returns the length of the whole lines that two texts begin with.
fn common_head(one: &str, two: &str) -> usize {
    let common = one.bytes().zip(two.bytes()).take_while(|(one, two)| one == two).count();
    one.as_bytes().get(..common).and_then(|head| head.rfind_byte(b'\n')).map_or(0, |end| end + 1)
}

/// Returns the length of the whole lines that two texts end with.
fn common_tail(one: &str, two: &str) -> usize {
    let pairs = one.bytes().rev().zip(two.bytes().rev());
    let common = pairs.take_while(|(one, two)| one == two).count();
    let start = one.len() - common;
    one.as_bytes()
        .get(start..)
        .and_then(|tail| tail.find_byte(b'\n'))
        .map_or(0, |end| common - end - 1)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    fn added(before: &str, after: &str) -> Vec<(usize, String)> {
        let lines = between_long(before, after).unwrap();
        lines.into_iter().map(|line| (line.number, line.text)).collect()
    }

    #[test]
    fn cutting_off_what_is_equal_adds_and_loses_no_line() {
        let texts = ["", "a", "a\n", "a\nb", "a\nb\n", "b\na\nb\n", "a\r\nb\r\n", "é\nb\n", "è\n"];
        for before in texts {
            for after in texts {
                let cut = added(before, after);
                assert_eq!(cut.len(), diff::added(before, after).len(), "{before:?} {after:?}");
                let all: Vec<&str> = diff::lines(after).collect();
                assert!(cut.iter().all(|(number, text)| all[number - 1] == text), "{after:?}");
            }
        }
    }

    #[test]
    fn a_line_appended_keeps_its_number() {
        assert_eq!(added("a\nb\n", "a\nb\nc\n"), [(3, "c".to_owned())]);
        assert_eq!(added("a\nz\n", "a\nb\nz\n"), [(2, "b".to_owned())]);
    }
}
