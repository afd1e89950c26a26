//! The store of traces: one record a line, each hashed onto the one before, added to by many
//! processes at once.
//!
//! A writer locks the data file (flock, as the reference program does), finds the end of the
//! chain, adds its lines in one write and renames a new head file into place. It never waits
//! longer than it was told to, and it reads only the end of the file. Nothing is synced to the
//! disk: a power cut may cost the last records, a killed process costs none.

use super::chain::{Entry, Tip};
use super::tail::{self, Tail};
use super::{ignored, private};
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
    patience: Duration,
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
    /// A database was named.
    #[error("{store} names a database, which is not supported yet; name a .jsonl file")]
    Database {
        /// The store, as given.
        store: String,
    },
}

impl Traces {
    /// Returns the store at a path; nothing is opened yet. A writer waits for others no longer
    /// than `patience`.
    pub fn at(path: impl Into<PathBuf>, patience: Duration) -> Result<Self, StoreError> {
        let path = path.into();
        if is_database(&path) {
            return Err(StoreError::Database { store: path.display().to_string() });
        }
        Ok(Self { path, patience })
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

    /// Appends records, in one piece, and returns their ids.
    pub fn append(&self, entries: &[Entry]) -> Result<Vec<String>, StoreError> {
        if entries.is_empty() {
            return Ok(Vec::new());
        }
        let mut file = self.locked()?;
        let head = self.head();
        let Tail { mut tip, torn } =
            tail::find(&mut file, head.as_deref()).map_err(self.cannot("read"))?;
        let mut lines = String::new();
        if torn {
            lines.push('\n');
        }
        let ids = entries.iter().map(|entry| entry.place(&mut tip, &mut lines)).collect();
        // A head that could not be written later must stop us before the records stand.
        let new_head = self.new_head()?;
        self.write(&mut file, &lines)?;
        self.replace_head(new_head, &tip)?;
        Ok(ids)
    }

    /// Opens the store and locks it for this writer alone; the lock ends with the file.
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

    fn make_folder(&self) -> Result<(), StoreError> {
        let Some(folder) = self.path.parent() else { return Ok(()) };
        private::folder().recursive(true).create(folder).map_err(|source| StoreError::Io {
            act: "make the folder",
            path: folder.to_owned(),
            source,
        })
    }

    /// Adds lines to the store; what was written of them is taken back when they do not fit.
    fn write(&self, file: &mut File, lines: &str) -> Result<(), StoreError> {
        let length = file.metadata().map_err(self.cannot("look at"))?.len();
        file.write_all(lines.as_bytes()).map_err(|error| {
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

    pub(super) fn new_head(&self) -> Result<File, StoreError> {
        let path = self.beside(".head.tmp");
        let open = || private::file().write(true).create_new(true).open(&path);
        let file = match open() {
            // Left behind by a writer that was stopped; the lock says that none is at it now.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                fs::remove_file(&path).and_then(|()| open())
            }
            opened => opened,
        };
        file.map_err(|source| StoreError::Io { act: "write", path, source })
    }

    pub(super) fn replace_head(&self, mut file: File, tip: &Tip) -> Result<(), StoreError> {
        let text = super::canonical::spaced(&json!({"count": tip.count, "hash": tip.hash}));
        let (from, to) = (self.beside(".head.tmp"), self.beside(".head"));
        file.write_all(text.as_bytes())
            .and_then(|()| fs::rename(from, &to))
            .map_err(|source| StoreError::Io { act: "write", path: to, source })
    }

    /// Returns the path of a file beside the store.
    fn beside(&self, ending: &str) -> PathBuf {
        let mut path = self.path.clone().into_os_string();
        path.push(ending);
        path.into()
    }

    pub(super) fn cannot(&self, act: &'static str) -> impl FnOnce(io::Error) -> StoreError {
        let path = self.path.clone();
        move |source| StoreError::Io { act, path, source }
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

fn is_database(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let endings = ["db", "sqlite", "sqlite3", "duckdb"];
    // A URL keeps its `://` also when it has been joined to a folder.
    path.to_string_lossy().contains("://") || endings.contains(&ending)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::store::chain::record_hash;
    use serde_json::{Map, Value};
    use tempfile::TempDir;

    const PATIENCE: Duration = Duration::from_secs(20);

    fn entry(text: &str) -> Entry {
        let Value::Object(record) = json!({"v": 2, "kind": "ask", "meta": text}) else {
            unreachable!()
        };
        Entry::whole(record)
    }

    fn store() -> (TempDir, Traces) {
        let folder = tempfile::tempdir().unwrap();
        let traces = Traces::at(folder.path().join("traces/hooks.jsonl"), PATIENCE).unwrap();
        (folder, traces)
    }

    /// Reads the records of a store and checks that they are one chain, with its head.
    fn chain(traces: &Traces) -> Vec<Map<String, Value>> {
        let text = fs::read_to_string(&traces.path).unwrap();
        let parsed = text.split('\n').filter_map(|line| serde_json::from_str(line).ok());
        let records: Vec<Map<String, Value>> = parsed.collect();
        let mut tip = Tip::default();
        for record in &records {
            assert_eq!((&record["seq"], &record["prev"]), (&json!(tip.count), &json!(tip.hash)));
            tip = Tip { count: tip.count + 1, hash: record_hash(record) };
            assert_eq!(record["hash"], json!(tip.hash));
            assert!(tip.hash.starts_with(record["id"].as_str().unwrap()));
        }
        let head: Tip = serde_json::from_slice(&fs::read(traces.beside(".head")).unwrap()).unwrap();
        assert_eq!(head, tip);
        assert!(!traces.beside(".head.tmp").exists());
        records
    }

    #[test]
    fn records_of_one_call_follow_each_other() {
        let (_folder, traces) = store();
        let mut ids = traces.append(&[entry("a"), entry("b")]).unwrap();
        ids.extend(traces.append(&[entry("c")]).unwrap());
        let records = chain(&traces);
        assert_eq!(
            records.iter().map(|record| &record["id"]).collect::<Vec<_>>(),
            ids.iter().collect::<Vec<_>>()
        );
        assert_eq!(records[2]["meta"], "c");
    }

    #[test]
    fn many_writers_make_one_chain() {
        let (_folder, traces) = store();
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..25 {
                        traces.append(&[entry("x")]).unwrap();
                    }
                });
            }
        });
        assert_eq!(chain(&traces).len(), 200);
    }

    #[test]
    fn a_torn_line_is_ended_and_left() {
        let (_folder, traces) = store();
        traces.append(&[entry("a")]).unwrap();
        let mut file = File::options().append(true).open(&traces.path).unwrap();
        file.write_all(b"{\"v\": 2, \"ki").unwrap();
        traces.append(&[entry("b")]).unwrap();
        assert_eq!(chain(&traces).len(), 2);
        assert_eq!(fs::read_to_string(&traces.path).unwrap().lines().count(), 3);
    }

    #[test]
    fn a_head_that_is_missing_stale_or_garbage_is_written_anew() {
        let (_folder, traces) = store();
        traces.append(&[entry("a")]).unwrap();
        let stale = fs::read(traces.beside(".head")).unwrap();
        traces.append(&[entry("b")]).unwrap();
        fs::write(traces.beside(".head"), stale).unwrap();
        traces.append(&[entry("c")]).unwrap();
        fs::write(traces.beside(".head"), "garbage").unwrap();
        fs::write(traces.beside(".head.tmp"), "left behind").unwrap();
        traces.append(&[entry("d")]).unwrap();
        fs::remove_file(traces.beside(".head")).unwrap();
        traces.append(&[entry("e")]).unwrap();
        assert_eq!(chain(&traces).len(), 5);
    }

    #[test]
    fn a_lock_is_not_waited_for_without_end() {
        let (_folder, traces) = store();
        traces.append(&[entry("a")]).unwrap();
        let holder = File::open(&traces.path).unwrap();
        holder.lock().unwrap();
        let hasty = Traces::at(&traces.path, Duration::ZERO).unwrap();
        assert!(matches!(hasty.append(&[entry("b")]), Err(StoreError::Locked { .. })));
        holder.unlock().unwrap();
        assert!(hasty.append(&[entry("b")]).is_ok());
    }

    #[test]
    fn a_folder_in_the_place_of_the_store_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let traces = Traces::at(folder.path(), PATIENCE).unwrap();
        let told = traces.append(&[entry("a")]).unwrap_err().to_string();
        assert!(told.ends_with("must be a file, and is a folder; nothing was written"), "{told}");
    }

    #[test]
    fn a_database_is_refused_by_name() {
        for store in ["sqlite:///x", "postgresql://h/d", "a/x.db", "x.sqlite3"] {
            let refused = Traces::at(store, PATIENCE).unwrap_err();
            assert!(matches!(refused, StoreError::Database { .. }), "{store}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_may_read() {
        use std::os::unix::fs::PermissionsExt;

        let (_folder, traces) = store();
        traces.append(&[entry("a")]).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&traces.path), 0o600);
        assert_eq!(mode(&traces.beside(".head")), 0o600);
        assert_eq!(mode(traces.path.parent().unwrap()), 0o700);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_store_where_nothing_can_be_written_is_told() {
        // Even root may make no folder there.
        let traces = Traces::at("/proc/self/traces/hooks.jsonl", PATIENCE).unwrap();
        let told = traces.append(&[entry("a")]).unwrap_err().to_string();
        assert!(told.starts_with("cannot make the folder /proc/self/traces: "), "{told}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_device_is_no_store() {
        let traces = Traces::at("/dev/null", PATIENCE).unwrap();
        assert!(matches!(traces.append(&[entry("a")]), Err(StoreError::Occupied { .. })));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_head_that_is_no_file_is_not_read() {
        let (_folder, traces) = store();
        traces.append(&[entry("a")]).unwrap();
        fs::remove_file(traces.beside(".head")).unwrap();
        std::os::unix::fs::symlink("/dev/zero", traces.beside(".head")).unwrap();
        traces.append(&[entry("b")]).unwrap();
        assert_eq!(chain(&traces).len(), 2);
    }
}
