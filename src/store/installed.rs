//! What `install` wrote on this machine: which entries it put into which settings files.
//!
//! The record lies in the person's own folder for state, never in a checkout: what a clone brings
//! is not in it, however much it looks like an entry of ours.

use serde_json::{Map, Value, json};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// The name of the record.
const NAME: &str = "installed.json";

/// How much of a record is read.
const LIMIT: u64 = 4 << 20;

/// The record, as it was read.
#[derive(Clone, Debug, Default)]
pub struct Installed {
    files: Map<String, Value>,
}

impl Installed {
    /// Reads the record of this machine. Where there is none, where something other than a file of
    /// the person's is in its place, or where it lies below `project`, nothing is known.
    #[must_use]
    pub fn read(project: &Path) -> Self {
        let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let folder = folder().filter(|folder| !real(folder).starts_with(real(project)));
        folder.and_then(|folder| read(&folder.join(NAME)).ok()).unwrap_or_default()
    }

    /// Tells whether `install` wrote this very entry into this file.
    #[must_use]
    pub fn holds(&self, file: &Path, entry: &str) -> bool {
        let entries = key(file).and_then(|key| self.files.get(&key)).and_then(Value::as_array);
        entries.is_some_and(|entries| entries.iter().any(|known| known == entry))
    }
}

/// Records which entries a settings file holds now; without any, nothing is left of the file in the
/// record.
pub fn record(file: &Path, entries: &[String]) -> io::Result<()> {
    let folder = folder().ok_or_else(|| io::Error::other("there is no home directory"))?;
    let path = folder.join(NAME);
    let mut installed = match read(&path) {
        Ok(installed) => installed,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Installed::default(),
        Err(error) => return Err(error),
    };
    let Some(key) = key(file) else { return Ok(()) };
    let before = installed.files.clone();
    if entries.is_empty() {
        installed.files.remove(&key);
    } else {
        installed.files.insert(key, json!(entries));
    }
    if installed.files == before {
        return Ok(());
    }
    if installed.files.is_empty() {
        fs::remove_file(&path)?;
        // Other state may be there too.
        drop(fs::remove_dir(&folder));
        return Ok(());
    }
    fs::create_dir_all(&folder)?;
    let mut new = tempfile::Builder::new().prefix(".solvi-hook-").tempfile_in(&folder)?;
    writeln!(new, "{}", json!({"version": 1, "files": installed.files}))?;
    new.persist(&path)?;
    Ok(())
}

/// Returns the person's folder for our state.
fn folder() -> Option<PathBuf> {
    let folders = directories::ProjectDirs::from("", "", "solvi-hook")?;
    Some(folders.state_dir().unwrap_or_else(|| folders.data_local_dir()).to_owned())
}

/// Returns the name of a settings file in the record.
fn key(file: &Path) -> Option<String> {
    let file = std::path::absolute(file).ok()?;
    // The file itself may be gone already, and its folder too.
    let known = |folder: &Path| {
        let rest = file.strip_prefix(folder).ok()?;
        Some(fs::canonicalize(folder).ok()?.join(rest))
    };
    file.parent()?.ancestors().find_map(known)?.to_str().map(str::to_owned)
}

/// Reads a record; a link or anything that is no regular file is none.
fn read(path: &Path) -> io::Result<Installed> {
    if !fs::symlink_metadata(path)?.is_file() {
        return Err(io::Error::other(format!("`{}` is not a regular file", path.display())));
    }
    let mut text = String::new();
    File::open(path)?.take(LIMIT).read_to_string(&mut text)?;
    let value: Value = serde_json::from_str(&text)?;
    let files = value.get("files").and_then(Value::as_object).cloned().unwrap_or_default();
    Ok(Installed { files })
}
