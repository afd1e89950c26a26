//! The store of traces: one record a line, each hashed onto the one before, added to by many
//! processes at once.
//!
//! A writer locks the data file (flock, as the reference program does), finds the end of the
//! chain, adds its lines in one write and writes the new head. It never waits
//! longer than it was told to, and it reads only the end of the file. Unless
//! [`Traces::synced`] asks for it, nothing is synced to the disk: a power cut may cost the last
//! records, a killed process costs none. Records that were
//! lost are noticed by the next append, which goes on behind what is left and says so.

use super::chain::{Entry, Tip};
use super::database;
use super::interrupted;
use super::missing::{self, Loss};
use super::owned_dir::{OwnedDir, OwnedError};
use super::owned_path::OwnedPath;
use super::tail::{self, Doubt};
use serde_json::json;
use std::ffi::OsStr;
use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

/// Where a project keeps its traces, from its root.
pub const DEFAULT: &str = ".solvi/traces/hooks.jsonl";

/// How long a writer sleeps before it tries a held lock again: about as long as one is held.
const RETRY: Duration = Duration::from_millis(1);

/// How much of a head file is read; one that we know takes 100 bytes.
const HEAD_LIMIT: u64 = 1 << 12;

/// What the name of a store's head file ends in, and that of the one that takes its place.
const HEAD: &str = ".head";
const HEAD_ASIDE: &str = ".head.tmp";

/// A store of traces.
#[derive(Clone, Debug)]
pub struct Traces {
    path: PathBuf,
    kind: Kind,
    patience: Duration,
    synced: bool,
}

/// How records are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One JSON object a line.
    Lines,
    /// A table in an `SQLite` file.
    Database,
}

/// Returns where the store is that was named, and its kind: `sqlite:PATH`, and a path that ends as
/// databases do, are databases; everything else is lines. A relative path is taken from `base`.
pub fn place(base: &Path, named: &Path) -> Result<(PathBuf, Kind), StoreError> {
    let text = named.to_string_lossy();
    if let Some(path) = text.strip_prefix("sqlite:") {
        let path = path.strip_prefix("//").unwrap_or(path);
        return Ok((base.join(path), Kind::Database));
    }
    let ending = named.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    // A URL keeps its `://` also when it has been joined to a folder.
    if text.contains("://") || ending == "duckdb" {
        return Err(StoreError::Database { store: text.into_owned() });
    }
    let database = ["db", "sqlite", "sqlite3"].contains(&ending);
    let kind = if database { Kind::Database } else { Kind::Lines };
    Ok((base.join(named), kind))
}

/// What an append came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Appended {
    /// The ids of the records, in order.
    pub ids: Vec<String>,
    /// What was found wrong with the end of the store; the records stand behind it all the same.
    pub found: Option<Found>,
}

/// What a writer found at the end of a store.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Found {
    /// Records that were written are gone.
    #[error(
        "records are missing at the end of the store: its head file counts {}, and there are {}",
        .0.head.count,
        .0.left
    )]
    Lost(Loss),
    /// Whether records are gone cannot be told.
    #[error("the store had no head file that can be read, so that missing records would not show")]
    Unwitnessed,
    /// The head file holds what no writer leaves; a new one was written.
    #[error(
        "the head file held what solvi-hook never writes, so that missing records would not show"
    )]
    Forged,
}

/// Why a record could not be kept.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The system refused something.
    #[error("cannot {act} {path}: {source}", path = path.display())]
    Io {
        /// What was being done, as an infinitive.
        act: &'static str,
        /// To what.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Others held the lock all the time.
    #[error(
        "{path} is locked by another process, and still was after {patience:.1?}",
        path = path.display()
    )]
    Locked {
        /// The store.
        path: PathBuf,
        /// How long was waited.
        patience: Duration,
    },
    /// Something stands where a file or folder of ours belongs.
    #[error("{path} must be {wanted}, and is {found}; nothing was written", path = path.display())]
    Occupied {
        /// Where.
        path: PathBuf,
        /// What belongs there.
        wanted: &'static str,
        /// What is there.
        found: String,
    },
    /// git would show the traces as files of the project.
    #[error(
        "{path} does not ignore everything, so traces could be committed; \
         put a line `*` into it, or remove it to have it written anew",
        path = path.display()
    )]
    NotIgnored {
        /// The `.gitignore` in question.
        path: PathBuf,
    },
    /// git tracks files of ours, so that traces would be committed.
    #[error("git tracks {path}, so traces would be committed; run `git rm -r --cached .solvi`")]
    Tracked {
        /// The tracked file.
        path: String,
    },
    /// A database was named that is no file of `SQLite`.
    #[error(
        "{store} names a database that is not supported; name a .jsonl file, or an SQLite file \
         as sqlite:PATH"
    )]
    Database {
        /// The store, as given.
        store: String,
    },
    /// The store is of another kind than its name says.
    #[error("{path} holds {found}, and was named as {named}; nothing was written", path = path.display())]
    Kind {
        /// The store.
        path: PathBuf,
        /// What it is.
        found: &'static str,
        /// What its name says.
        named: &'static str,
    },
    /// A database has tables or other parts that no writer makes.
    #[error("{path} has {found}, which solvi-hook never makes; nothing was written", path = path.display())]
    Schema {
        /// The store.
        path: PathBuf,
        /// What was found.
        found: String,
    },
}

impl StoreError {
    /// Tells whether something was put in the place of a file of ours, or into one, that we never
    /// put there: more than a disk that is full or a store that is locked.
    #[must_use]
    pub fn is_tampering(&self) -> bool {
        matches!(self, Self::Occupied { .. } | Self::Schema { .. })
    }
}

impl From<OwnedError> for StoreError {
    fn from(error: OwnedError) -> Self {
        match error {
            OwnedError::Io { act, path, source } => Self::Io { act, path, source },
            OwnedError::Untrusted { path, wanted, found } => Self::Occupied { path, wanted, found },
        }
    }
}

/// A store that is open and locked for one writer.
#[derive(Debug)]
pub(super) struct Locked {
    /// Where it is.
    pub place: OwnedPath,
    /// The lock ends with this file.
    pub file: File,
}

impl Traces {
    /// Returns the store at a path; nothing is opened yet. A writer waits for others no longer
    /// than `patience`.
    pub fn at(path: impl AsRef<Path>, patience: Duration) -> Result<Self, StoreError> {
        Self::named(Path::new(""), path.as_ref(), patience)
    }

    /// Returns the store that was named, see [`place`]; nothing is opened yet.
    pub fn named(base: &Path, named: &Path, patience: Duration) -> Result<Self, StoreError> {
        let (path, kind) = place(base, named)?;
        Ok(Self { path, kind, patience, synced: false })
    }

    /// Has each record on the disk before it counts as kept, so that a power cut costs none; a
    /// database always does.
    #[must_use]
    pub fn synced(self, synced: bool) -> Self {
        Self { synced, ..self }
    }

    /// Returns where the store is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns how records are laid out.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Returns how long others are waited for.
    pub(super) fn patience(&self) -> Duration {
        self.patience
    }

    /// Appends records, in one piece.
    pub fn append(&self, entries: &[Entry]) -> Result<Appended, StoreError> {
        match self.kind {
            _ if entries.is_empty() => Ok(Appended::default()),
            Kind::Lines => self.append_lines(entries, OwnedPath::make(&self.path)?),
            Kind::Database => database::append(&self.path, entries, self.patience),
        }
    }

    /// Appends records to a store that is at `inner` below an open folder.
    pub fn append_below(
        &self,
        folder: &OwnedDir,
        inner: &Path,
        entries: &[Entry],
    ) -> Result<Appended, StoreError> {
        match self.kind {
            Kind::Lines if !entries.is_empty() => {
                self.append_lines(entries, OwnedPath::make_below(folder, inner)?)
            }
            _ => self.append(entries),
        }
    }

    fn append_lines(&self, entries: &[Entry], place: OwnedPath) -> Result<Appended, StoreError> {
        let Locked { place, mut file } = self.lock(place)?;
        self.expect_lines(&mut file)?;
        let head = Head::open(&place)?;
        let tail = tail::find(&mut file, head.text()).map_err(self.cannot("read"))?;
        let mut lines = String::new();
        let time = entries.first().and_then(Entry::time);
        let mut tip = interrupted::end_line(&mut file, &tail, time, &mut lines)
            .map_err(self.cannot("read"))?;
        let found = tail.doubt.map(|doubt| found(doubt, &tail.tip, &place)).transpose()?;
        let ids = entries.iter().map(|entry| entry.place(&mut tip, &mut lines)).collect();
        // A head that could not be written later must stop us before the records stand.
        let new_head = head.next(&place, &tip)?;
        self.write(&mut file, &lines)?;
        new_head.put(&place)?;
        Ok(Appended { ids, found })
    }

    /// Opens the store, makes it where it is not there, and locks it for this writer alone.
    pub(super) fn locked(&self) -> Result<Locked, StoreError> {
        self.lock(OwnedPath::make(&self.path)?)
    }

    /// Opens the store in its folder, and locks it.
    ///
    /// It is tried again and again. The system's own queue hands the lock to a process that still
    /// has to be woken, and on a busy machine sixty writers waited for each other's waking; whoever
    /// tries takes the lock while it runs.
    fn lock(&self, place: OwnedPath) -> Result<Locked, StoreError> {
        let deadline = Instant::now() + self.patience;
        let mut file = place.folder.append(&place.name)?;
        loop {
            match file.try_lock() {
                Ok(()) if place.folder.names(&place.name, &file)? => {
                    return Ok(Locked { place, file });
                }
                // While we waited, another file was put in its place.
                Ok(()) => file = place.folder.append(&place.name)?,
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(source)) => return Err(self.cannot("lock")(source)),
            }
            if Instant::now() >= deadline {
                let (path, patience) = (self.path.clone(), self.patience);
                return Err(StoreError::Locked { path, patience });
            }
            thread::sleep(RETRY);
        }
    }

    /// Lines that were written into a database would be the end of it.
    pub(super) fn expect_lines(&self, file: &mut File) -> Result<(), StoreError> {
        let mut begin = Vec::new();
        let read = file.take(database::MAGIC.len() as u64).read_to_end(&mut begin);
        read.map_err(self.cannot("read"))?;
        if begin != database::MAGIC {
            return Ok(());
        }
        let path = self.path.clone();
        Err(StoreError::Kind { path, found: "an SQLite database", named: "a file of lines" })
    }

    /// Adds lines to the store; what was written of them is taken back when they do not fit.
    pub(super) fn write(&self, file: &mut File, lines: &str) -> Result<(), StoreError> {
        let length = file.metadata().map_err(self.cannot("look at"))?.len();
        let written = file.write_all(lines.as_bytes());
        let kept = written.and_then(|()| if self.synced { file.sync_data() } else { Ok(()) });
        kept.map_err(|error| {
            let _ = file.set_len(length);
            self.cannot("write to")(error)
        })
    }

    pub(super) fn cannot(&self, act: &'static str) -> impl FnOnce(io::Error) -> StoreError {
        let path = self.path.clone();
        move |source| StoreError::Io { act, path, source }
    }
}

/// Keeps what only the old head file knows before a new one is written.
pub(super) fn found(doubt: Doubt, tip: &Tip, place: &OwnedPath) -> Result<Found, StoreError> {
    match doubt {
        Doubt::Lost { head } => {
            let loss = Loss { head, left: tip.count };
            missing::keep(place, &loss)?;
            Ok(Found::Lost(loss))
        }
        Doubt::Unwitnessed => Ok(Found::Unwitnessed),
        Doubt::Forged => Ok(Found::Forged),
    }
}

/// The head file of a store that is locked, open.
pub(super) struct Head {
    // The file and what it holds; none when it is not there.
    open: Option<(File, Vec<u8>)>,
    length: u64,
}

impl Head {
    pub(super) fn open(place: &OwnedPath) -> Result<Self, StoreError> {
        let name = place.beside(HEAD);
        let Some((mut file, length)) = place.folder.write(&name)? else {
            return Ok(Self { open: None, length: 0 });
        };
        let mut text = Vec::with_capacity(usize::try_from(length.min(HEAD_LIMIT)).unwrap_or(0) + 1);
        let read = (&mut file).take(HEAD_LIMIT).read_to_end(&mut text);
        read.map_err(|source| cannot_write(place, &name, source))?;
        Ok(Self { open: Some((file, text)), length })
    }

    /// Returns what it holds; that is not believed without proof.
    pub(super) fn text(&self) -> Option<&[u8]> {
        self.open.as_ref().map(|(_, text)| text.as_slice())
    }

    /// Opens what the next head is written to.
    pub(super) fn next(self, place: &OwnedPath, tip: &Tip) -> Result<NewHead, StoreError> {
        let text = super::canonical::spaced(&json!({"count": tip.count, "hash": tip.hash}));
        match self.open {
            // A shorter text would leave the end of the old one.
            Some((file, _)) if self.length <= text.len() as u64 => {
                Ok(NewHead { file, aside: false, text })
            }
            _ => {
                let file = place.folder.create(&place.beside(HEAD_ASIDE))?;
                Ok(NewHead { file, aside: true, text })
            }
        }
    }
}

/// A head that is to be written when the records stand.
///
/// It is written over the old one, in one write: the lock keeps readers away, and a process is not
/// killed within so short a write. To rename a new file over the old one makes a journalling file
/// system write to the disk at once, which took up to 100 ms on a busy one, with all other writers
/// waiting. It is done where there is no old head, or a longer one.
pub(super) struct NewHead {
    file: File,
    // Whether it is to be renamed over the old one.
    aside: bool,
    text: String,
}

impl NewHead {
    pub(super) fn put(mut self, place: &OwnedPath) -> Result<(), StoreError> {
        let head = place.beside(HEAD);
        let written = self
            .file
            .seek(SeekFrom::Start(0))
            .and_then(|_| self.file.write_all(self.text.as_bytes()));
        let put = written.and_then(|()| {
            if self.aside { place.folder.rename(&place.beside(HEAD_ASIDE), &head) } else { Ok(()) }
        });
        put.map_err(|source| cannot_write(place, &head, source))
    }
}

fn cannot_write(place: &OwnedPath, name: &OsStr, source: io::Error) -> StoreError {
    StoreError::Io { act: "write", path: place.folder.path().join(name), source }
}

#[cfg(test)]
mod tests;
