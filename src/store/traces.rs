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
use super::missing::{self, Loss};
use super::tail::{self, Doubt, Tail};
use super::{database, ignored, private};
use serde_json::json;
use std::fs::{self, File, FileType, TryLockError};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

/// Where a project keeps its traces, from its root.
pub const DEFAULT: &str = ".solvi/traces/hooks.jsonl";

/// How long a writer sleeps before it tries a held lock again: about as long as one is held.
const RETRY: Duration = Duration::from_millis(1);

/// How much of a head file is read; one that we know takes 100 bytes.
const HEAD_LIMIT: u64 = 1 << 12;

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
        found: &'static str,
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

    /// Makes sure that git ignores the store, when it is inside the project's `.solvi`: a
    /// `.gitignore` that ignores everything must stand there before anything else is written.
    pub fn ensure_ignored(&self, project_root: &Path) -> Result<(), StoreError> {
        ignored::ensure(project_root, &self.path)
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
            Kind::Lines => self.append_lines(entries),
            Kind::Database => database::append(&self.path, entries, self.patience),
        }
    }

    fn append_lines(&self, entries: &[Entry]) -> Result<Appended, StoreError> {
        let mut file = self.locked()?;
        self.expect_lines(&mut file)?;
        let head = self.head();
        let Tail { mut tip, torn, doubt } =
            tail::find(&mut file, head.as_deref()).map_err(self.cannot("read"))?;
        let found = doubt.map(|doubt| self.found(doubt, &tip)).transpose()?;
        let mut lines = String::new();
        if torn {
            lines.push('\n');
        }
        let ids = entries.iter().map(|entry| entry.place(&mut tip, &mut lines)).collect();
        // A head that could not be written later must stop us before the records stand.
        let new_head = self.new_head(&tip)?;
        self.write(&mut file, &lines)?;
        new_head.put()?;
        Ok(Appended { ids, found })
    }

    /// Keeps what only the old head file knows before a new one is written.
    pub(super) fn found(&self, doubt: Doubt, tip: &Tip) -> Result<Found, StoreError> {
        let Doubt::Lost { head } = doubt else { return Ok(Found::Unwitnessed) };
        let loss = Loss { head, left: tip.count };
        missing::keep(&self.path, &loss).map_err(|source| {
            let path = missing::file_of(&self.path);
            StoreError::Io { act: "write", path, source }
        })?;
        Ok(Found::Lost(loss))
    }

    /// Opens the store and locks it for this writer alone; the lock ends with the file.
    ///
    /// It is tried again and again. The system's own queue hands the lock to a process that still
    /// has to be woken, and on a busy machine sixty writers waited for each other's waking; whoever
    /// tries takes the lock while it runs.
    pub(super) fn locked(&self) -> Result<File, StoreError> {
        let deadline = Instant::now() + self.patience;
        let mut file = self.open()?;
        loop {
            match file.try_lock() {
                Ok(()) if private::is_at(&file, &self.path).map_err(self.cannot("look at"))? => {
                    return Ok(file);
                }
                // While we waited, another file was put in its place.
                Ok(()) => file = self.open()?,
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

    fn open(&self) -> Result<File, StoreError> {
        match fs::metadata(&self.path) {
            Ok(there) => self.expect_file(&there)?,
            Err(error) if error.kind() == ErrorKind::NotFound => self.make_folder()?,
            Err(error) => return Err(self.cannot("look at")(error)),
        }
        let opened = private::file().read(true).append(true).create(true).open(&self.path);
        let file = opened.map_err(self.cannot("open"))?;
        self.expect_file(&file.metadata().map_err(self.cannot("look at"))?)?;
        Ok(file)
    }

    fn expect_file(&self, there: &fs::Metadata) -> Result<(), StoreError> {
        if there.is_file() {
            return Ok(());
        }
        let (path, found) = (self.path.clone(), kind(there.file_type()));
        Err(StoreError::Occupied { path, wanted: "a file", found })
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

    fn make_folder(&self) -> Result<(), StoreError> {
        let Some(folder) = self.path.parent() else { return Ok(()) };
        private::folder().recursive(true).create(folder).map_err(|source| StoreError::Io {
            act: "make the folder",
            path: folder.to_owned(),
            source,
        })
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

    /// Reads the head file, if it is a file; what is in it is not believed without proof.
    pub(super) fn head(&self) -> Option<Vec<u8>> {
        let path = self.beside(".head");
        fs::metadata(&path).ok().filter(fs::Metadata::is_file)?;
        let mut head = Vec::new();
        File::open(path).ok()?.take(HEAD_LIMIT).read_to_end(&mut head).ok()?;
        Some(head)
    }

    /// Opens what the next head is written to.
    pub(super) fn new_head(&self, tip: &Tip) -> Result<NewHead, StoreError> {
        let text = super::canonical::spaced(&json!({"count": tip.count, "hash": tip.hash}));
        let (path, aside) = (self.beside(".head"), self.beside(".head.tmp"));
        if let Some(file) = private::only_name(&path, text.len()) {
            return Ok(NewHead { file, aside: None, path, text });
        }
        let open = || private::file().write(true).create_new(true).open(&aside);
        let file = match open() {
            // Left behind by a writer that was stopped; the lock says that none is at it now.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                fs::remove_file(&aside).and_then(|()| open())
            }
            opened => opened,
        };
        match file {
            Ok(file) => Ok(NewHead { file, aside: Some(aside), path, text }),
            Err(source) => Err(StoreError::Io { act: "write", path: aside, source }),
        }
    }

    /// Returns the path of a file beside the store.
    pub(super) fn beside(&self, ending: &str) -> PathBuf {
        let mut path = self.path.clone().into_os_string();
        path.push(ending);
        path.into()
    }

    pub(super) fn cannot(&self, act: &'static str) -> impl FnOnce(io::Error) -> StoreError {
        let path = self.path.clone();
        move |source| StoreError::Io { act, path, source }
    }
}

/// A head that is to be written when the records stand.
///
/// It is written over the old one, in one write: the lock keeps readers away, and a process is not
/// killed within so short a write. To rename a new file over the old one makes a journalling file
/// system write to the disk at once, which took up to 100 ms on a busy one, with all other writers
/// waiting. It is done where there is no old head that is a plain file of ours and no longer.
pub(super) struct NewHead {
    file: File,
    // Where it is, if it is to be renamed over the old one.
    aside: Option<PathBuf>,
    path: PathBuf,
    text: String,
}

impl NewHead {
    pub(super) fn put(mut self) -> Result<(), StoreError> {
        let written = self.file.write_all(self.text.as_bytes());
        let put = written.and_then(|()| match &self.aside {
            Some(aside) => fs::rename(aside, &self.path),
            None => Ok(()),
        });
        put.map_err(|source| StoreError::Io { act: "write", path: self.path, source })
    }
}

/// Returns what stands at a place, in words.
pub(super) fn kind(there: FileType) -> &'static str {
    match there {
        there if there.is_symlink() => "a symbolic link",
        there if there.is_dir() => "a folder",
        there if there.is_file() => "a file",
        _ => "a device or a pipe",
    }
}

#[cfg(test)]
mod tests;
