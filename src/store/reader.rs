//! What lines does a store have? A reader that holds one line at a time, however large the file.
//!
//! A line ends at `\n` and nowhere else: records hold other line ends raw. Every line comes, also
//! a blank one, one that is no record, and a last one that no line end follows. Of a line that is
//! longer than a record may be only the beginning comes, marked as cut.

use super::database::{self, Rows};
use super::owned_path::OwnedPath;
use super::traces::StoreError;
use std::fs::{File, TryLockError};
use std::io::{self, BufRead, BufReader, Cursor, Read, Seek, SeekFrom, Take};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

/// The longest line that is read, in bytes.
pub const LONGEST: u64 = 64 << 20;

/// How much is read from the file at once.
const PIECE: usize = 256 << 10;

/// How long a writer is waited for, who holds the lock for a millisecond or so, and how long
/// between two tries.
const PATIENCE: Duration = Duration::from_secs(1);
const RETRY: Duration = Duration::from_millis(1);

/// How often a store is opened anew because another took its place.
const TRIES: usize = 5;

/// How much of a head file is read.
const HEAD_LIMIT: u64 = 1 << 12;

/// One line of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// Its number, from 1.
    pub number: u64,
    /// Where it begins, in bytes from the beginning of the file.
    pub offset: u64,
    /// What it holds, without its line end; of a cut line the beginning.
    pub bytes: &'a [u8],
    /// Whether the file ends in it, without a line end: its writer was stopped.
    pub torn: bool,
    /// Whether it is longer than what is read of a line.
    pub cut: bool,
}

impl Line<'_> {
    /// Tells whether there is nothing in it but white space.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.bytes.iter().all(|byte| byte.is_ascii_whitespace() || *byte == 0x0b)
    }
}

/// A reader of lines, one after the other.
#[derive(Debug)]
pub struct Reader<R> {
    source: R,
    buffer: Vec<u8>,
    longest: u64,
    number: u64,
    offset: u64,
}

/// Where the lines of a store come from.
#[derive(Debug)]
pub enum Source {
    /// A file of lines.
    File(Take<BufReader<File>>),
    /// The records of a database.
    Database(BufReader<Rows>),
}

/// What has been read to its end, to go back in.
#[derive(Debug)]
pub enum Back {
    /// A file of lines: see [`line_at`].
    File(File),
    /// The records of a database once more, the newest first.
    Database(Reader<BufReader<Rows>>),
}

impl Read for Source {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.read(into),
            Self::Database(rows) => rows.read(into),
        }
    }
}

impl BufRead for Source {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        match self {
            Self::File(file) => file.fill_buf(),
            Self::Database(rows) => rows.fill_buf(),
        }
    }

    fn consume(&mut self, amount: usize) {
        match self {
            Self::File(file) => file.consume(amount),
            Self::Database(rows) => rows.consume(amount),
        }
    }
}

/// A store as it was at one moment: what writers add meanwhile is not seen.
#[derive(Debug)]
pub struct Snapshot {
    /// The lines.
    pub lines: Reader<Source>,
    /// What the head file held; none when there was no such file, or when it could not be read.
    pub head: Option<Vec<u8>>,
    /// How long the file was, in bytes.
    pub length: u64,
}

impl Snapshot {
    /// Opens the store at a path; none when there is no such file.
    ///
    /// The file is locked, beside other readers, only while its length and its head are read, so
    /// that neither is half of what a writer is at. Where it cannot be locked, or another holds on
    /// to it, it is read unlocked: a store that somebody blocks must still be readable.
    pub fn open(path: &Path) -> Result<Option<Self>, StoreError> {
        let cannot = |act| move |source| StoreError::Io { act, path: path.to_owned(), source };
        let Some(place) = OwnedPath::of(path)? else { return Ok(None) };
        let Some(mut file) = place.folder.read(&place.name)? else { return Ok(None) };
        if database::begins(&mut file).map_err(cannot("read"))? {
            let (rows, head, length) = Rows::open(path)?;
            let source = Source::Database(BufReader::with_capacity(PIECE, rows));
            return Ok(Some(Self { lines: Reader::new(source), head, length }));
        }
        let mut locked = false;
        for _ in 0..TRIES {
            locked = lock_shared(&file);
            if !locked || place.folder.names(&place.name, &file)? {
                break;
            }
            // The store was rotated meanwhile: this is the sealed file now.
            let Some(other) = place.folder.read(&place.name)? else { return Ok(None) };
            file = other;
            locked = false;
        }
        let length = file.metadata().map_err(cannot("look at"))?.len();
        // One that cannot be read is told as one that is not there.
        let head = place.folder.read_up_to(&place.beside(".head"), HEAD_LIMIT).ok().flatten();
        file.seek(SeekFrom::Start(0)).map_err(cannot("read"))?;
        if locked {
            file.unlock().map_err(cannot("unlock"))?;
        }
        let source = Source::File(BufReader::with_capacity(PIECE, file).take(length));
        Ok(Some(Self { lines: Reader::new(source), head, length }))
    }
}

impl Snapshot {
    /// Tells whether the records come from a database.
    #[must_use]
    pub fn is_database(&self) -> bool {
        matches!(self.lines.source, Source::Database(_))
    }

    /// Passes over what is before and behind a time, in seconds since the Unix epoch, where an
    /// index says so: in a database. Nothing may have been read yet.
    pub fn within(&mut self, since: Option<f64>, until: Option<f64>) -> io::Result<()> {
        match &mut self.lines.source {
            Source::File(_) => Ok(()),
            Source::Database(rows) => rows.get_mut().within(since, until),
        }
    }

    /// Goes back in what was read: also when another file has taken the place of this one.
    #[must_use]
    pub fn back(self) -> Back {
        match self.lines.source {
            Source::File(file) => Back::File(file.into_inner().into_inner()),
            Source::Database(rows) => {
                let rows = rows.into_inner().newest_first();
                Back::Database(Reader::new(BufReader::with_capacity(PIECE, rows)))
            }
        }
    }
}

/// Locks a file beside other readers; tells whether that could be done in time.
fn lock_shared(file: &File) -> bool {
    let deadline = Instant::now() + PATIENCE;
    loop {
        match file.try_lock_shared() {
            Ok(()) => return true,
            Err(TryLockError::WouldBlock) if Instant::now() < deadline => thread::sleep(RETRY),
            Err(_) => return false,
        }
    }
}

/// Returns the path of the head file of a store.
#[must_use]
pub fn head_of(store: &Path) -> PathBuf {
    let mut path = store.as_os_str().to_owned();
    path.push(".head");
    path.into()
}

impl<'a> Reader<Cursor<&'a [u8]>> {
    /// Reads the lines of a text in memory.
    #[must_use]
    pub fn of(text: &'a [u8]) -> Self {
        Self::new(Cursor::new(text))
    }
}

impl<R: BufRead> Reader<R> {
    /// Reads lines from a source, from where it stands.
    #[must_use]
    pub fn new(source: R) -> Self {
        Self { source, buffer: Vec::new(), longest: LONGEST, number: 0, offset: 0 }
    }

    /// Reads no more than `longest` bytes of a line.
    #[must_use]
    pub fn with_longest(mut self, longest: u64) -> Self {
        self.longest = longest;
        self
    }

    /// Reads the next line; none at the end. The line lives until the next is read.
    pub fn next_line(&mut self) -> io::Result<Option<Line<'_>>> {
        self.buffer.clear();
        // One byte more, for the line end.
        let limit = self.longest.saturating_add(1);
        let read = self.source.by_ref().take(limit).read_until(b'\n', &mut self.buffer)?;
        if read == 0 {
            return Ok(None);
        }
        let offset = self.offset;
        self.number += 1;
        self.offset += read as u64;
        let ended = self.buffer.pop_if(|last| *last == b'\n').is_some();
        let cut = !ended && self.buffer.len() as u64 > self.longest;
        let mut torn = !ended;
        if cut {
            self.buffer.pop();
            let (passed, ended) = pass(&mut self.source)?;
            self.offset += passed;
            torn = !ended;
        }
        Ok(Some(Line { number: self.number, offset, bytes: &self.buffer, torn, cut }))
    }
}

/// Passes over the rest of a line; returns how long it was, and whether a line end came.
fn pass(source: &mut impl BufRead) -> io::Result<(u64, bool)> {
    let mut passed = 0;
    loop {
        let piece = source.fill_buf()?;
        let (used, ended) = match piece.iter().position(|byte| *byte == b'\n') {
            Some(end) => (end + 1, true),
            None => (piece.len(), false),
        };
        source.consume(used);
        passed += used as u64;
        if ended || used == 0 {
            return Ok((passed, ended));
        }
    }
}

/// Returns the one line that begins at an offset, without its line end, and no more of it than
/// [`LONGEST`] bytes.
pub fn line_at(file: &mut (impl Read + Seek), offset: u64) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(offset))?;
    let mut line = Vec::new();
    BufReader::new(file).take(LONGEST).read_until(b'\n', &mut line)?;
    line.pop_if(|last| *last == b'\n');
    Ok(line)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use std::fs;

    fn all(mut reader: Reader<impl BufRead>) -> Vec<(u64, u64, String, bool, bool)> {
        let mut lines = Vec::new();
        while let Some(line) = reader.next_line().unwrap() {
            let text = String::from_utf8_lossy(line.bytes).into_owned();
            lines.push((line.number, line.offset, text, line.torn, line.cut));
        }
        lines
    }

    fn line(
        number: u64,
        offset: u64,
        text: &str,
        torn: bool,
        cut: bool,
    ) -> (u64, u64, String, bool, bool) {
        (number, offset, text.to_owned(), torn, cut)
    }

    #[test]
    fn every_line_comes_with_its_place() {
        let text = "a\n\n\u{2028}\r\nend".as_bytes();
        assert_eq!(
            all(Reader::of(text)),
            [
                line(1, 0, "a", false, false),
                line(2, 2, "", false, false),
                line(3, 3, "\u{2028}\r", false, false),
                line(4, 8, "end", true, false),
            ]
        );
        assert_eq!(all(Reader::of(b"")), []);
    }

    #[test]
    fn a_line_that_is_too_long_is_cut_and_the_next_is_whole() {
        let text = b"12345678\n1234\n12345";
        assert_eq!(
            all(Reader::of(text).with_longest(4)),
            [
                line(1, 0, "1234", false, true),
                line(2, 9, "1234", false, false),
                line(3, 14, "1234", true, true),
            ]
        );
    }

    #[test]
    fn a_line_is_found_again_by_its_offset() {
        let mut text = Cursor::new(b"a\nbc\nd");
        assert_eq!(line_at(&mut text, 2).unwrap(), b"bc");
        assert_eq!(line_at(&mut text, 5).unwrap(), b"d");
    }

    #[test]
    fn a_snapshot_ends_where_the_file_ended() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.jsonl");
        assert!(Snapshot::open(&path).unwrap().is_none());
        assert!(matches!(Snapshot::open(folder.path()), Err(StoreError::Occupied { .. })));
        fs::write(&path, "a\nb\n").unwrap();
        fs::write(head_of(&path), "{}").unwrap();
        let snapshot = Snapshot::open(&path).unwrap().unwrap();
        fs::write(&path, "a\nb\nc\n").unwrap();
        assert_eq!((snapshot.head.as_deref(), snapshot.length), (Some(b"{}".as_slice()), 4));
        assert_eq!(all(snapshot.lines).len(), 2);
    }
}
