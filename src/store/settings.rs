//! An agent's settings file on disk: read, and written whole or not at all.
//!
//! A file behind symbolic links is written where it really is, its mode and a byte order mark
//! stay, and a file that changed since it was read is not written over. Only the text between
//! our own entries' ends is ever another one (see [`super::hook_groups`]), and what we made out of
//! nothing becomes nothing again (see [`super::origin`]).

use super::hook_groups::{self, Handler, HooksError, Outcome};
use super::hook_tables;
use super::origin;
use crate::domain::Entry;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A settings file that cannot be read or written; it is as it was.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// It is there but cannot be read.
    #[error("{}: cannot be read: {source}", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It is not UTF-8.
    #[error("{}: is not text in UTF-8", file.display())]
    NotText {
        /// The file.
        file: PathBuf,
    },
    /// It is not JSON, or its hooks are of another shape.
    #[error("{}: {source}", file.display())]
    Hooks {
        /// The file.
        file: PathBuf,
        /// What and where.
        source: HooksError,
    },
    /// A symbolic link leads out of the project.
    #[error("{}: leads out of the project, to {}", file.display(), target.display())]
    Outside {
        /// The file.
        file: PathBuf,
        /// Where it leads.
        target: PathBuf,
    },
    /// Somebody else wrote it meanwhile.
    #[error("{}: was changed by another program meanwhile", file.display())]
    Changed {
        /// The file.
        file: PathBuf,
    },
    /// It cannot be written.
    #[error("{}: cannot be written: {source}", file.display())]
    Unwritable {
        /// The file.
        file: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl SettingsError {
    /// Returns the file.
    #[must_use]
    pub fn file(&self) -> &Path {
        match self {
            Self::Unreadable { file, .. }
            | Self::NotText { file }
            | Self::Hooks { file, .. }
            | Self::Outside { file, .. }
            | Self::Changed { file }
            | Self::Unwritable { file, .. } => file,
        }
    }
}

const MARK: &str = "\u{feff}";

/// What a JSON file that is not there, or holds nothing, is taken for.
const EMPTY: &str = "{}\n";

/// Returns every handler in the text of a settings file of this name.
pub fn handlers(file: &Path, text: &str) -> Result<Vec<Handler>, HooksError> {
    if is_toml(file) { hook_tables::handlers(text) } else { hook_groups::handlers(text) }
}

fn is_toml(file: &Path) -> bool {
    file.extension().is_some_and(|ending| ending == "toml")
}

/// A settings file as it was read.
#[derive(Debug)]
pub struct Settings {
    file: PathBuf,
    target: PathBuf,
    bytes: Option<Vec<u8>>,
    /// What it says, without a byte order mark.
    text: String,
    /// What it is taken for when it says nothing.
    skeleton: &'static str,
}

impl Settings {
    /// Reads a file; one that is not there, or blank, is an empty object.
    ///
    /// With a `fence` (the project), a link that leads out of it is an error.
    pub fn read(file: &Path, fence: Option<&Path>) -> Result<Self, SettingsError> {
        let file = file.to_owned();
        let unreadable = |source| SettingsError::Unreadable { file: file.clone(), source };
        let target = real(&follow(&file).map_err(unreadable)?);
        if fence.is_some_and(|fence| !target.starts_with(real(fence))) {
            return Err(SettingsError::Outside { file, target });
        }
        let bytes = contents(&target).map_err(unreadable)?;
        let text = match &bytes {
            Some(bytes) => {
                str::from_utf8(bytes).map_err(|_| SettingsError::NotText { file: file.clone() })?
            }
            None => "",
        };
        let text = text.strip_prefix(MARK).unwrap_or(text).to_owned();
        Ok(Self { file, target, bytes, text, skeleton: EMPTY })
    }

    /// Takes a file that is not there, or holds nothing, for this text.
    #[must_use]
    pub fn or_else(self, skeleton: &'static str) -> Self {
        Self { skeleton, ..self }
    }

    /// Returns where the file is, before any link.
    #[must_use]
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Tells whether the file is there.
    #[must_use]
    pub fn is_there(&self) -> bool {
        self.bytes.is_some()
    }

    /// Returns the text as it is on disk, without a byte order mark; none when it is not there.
    #[must_use]
    pub fn on_disk(&self) -> Option<&str> {
        let text = str::from_utf8(self.bytes.as_deref()?).unwrap_or_default();
        Some(text.strip_prefix(MARK).unwrap_or(text))
    }

    /// Returns the text with these entries in it and no other of ours.
    pub fn merge(&self, entries: &[Entry]) -> Result<Outcome, SettingsError> {
        let merge = if is_toml(&self.file) { hook_tables::merge } else { hook_groups::merge };
        let mut outcome = merge(self.said(), entries).map_err(|source| self.hooks_error(source))?;
        if self.is_blank() && !entries.is_empty() {
            let blank = self.is_there().then_some(self.text.as_str());
            outcome.text = origin::laid_out(&outcome.text, blank);
        }
        Ok(outcome)
    }

    /// Returns the file as if the reference program had no entry in it, and what goes for that.
    pub fn without_solvi(mut self) -> Result<(Self, Outcome), SettingsError> {
        let out = if is_toml(&self.file) {
            hook_tables::without_solvi
        } else {
            hook_groups::without_solvi
        };
        let outcome = out(self.said()).map_err(|source| self.hooks_error(source))?;
        if !outcome.done.is_empty() {
            outcome.text.clone_into(&mut self.text);
        }
        Ok((self, outcome))
    }

    /// Returns the text without any entry of ours.
    pub fn unmerge(&self) -> Result<Outcome, SettingsError> {
        let unmerge = if is_toml(&self.file) { hook_tables::unmerge } else { hook_groups::unmerge };
        unmerge(self.said()).map_err(|source| self.hooks_error(source))
    }

    /// Returns what is to stand on disk for an outcome: none when the file is to go, because we
    /// made it and nothing is in it but what we began with.
    #[must_use]
    pub fn left(&self, outcome: &Outcome) -> Option<String> {
        if is_toml(&self.file) {
            return Some(outcome.text.clone());
        }
        origin::left(&self.text, &outcome.text, self.skeleton)
    }

    /// Returns the folders below another one that hold this file and nothing else, the inner first.
    #[must_use]
    pub fn folders_of_its_own(&self, below: &Path) -> Vec<PathBuf> {
        let is_link = |path: &Path| fs::symlink_metadata(path).is_ok_and(|it| it.is_symlink());
        let inside = |folder: &&Path| *folder != below && folder.starts_with(below);
        let alone = |folder: &&Path| {
            let one = fs::read_dir(folder).is_ok_and(|held| held.take(2).count() == 1);
            one && !is_link(folder)
        };
        // Of a link only what it leads to goes.
        let folders = self.file.ancestors().skip(1).take_while(|_| !is_link(&self.file));
        let folders = folders.take_while(inside).take_while(alone);
        folders.map(Path::to_owned).collect()
    }

    /// Removes the file that was read, and then these folders, as far as they are empty.
    pub fn remove(&self, folders: &[PathBuf]) -> Result<(), SettingsError> {
        let unwritable = |source| SettingsError::Unwritable { file: self.file.clone(), source };
        if contents(&self.target).map_err(unwritable)? != self.bytes {
            return Err(SettingsError::Changed { file: self.file.clone() });
        }
        fs::remove_file(&self.target).map_err(unwritable)?;
        // The system itself keeps one that somebody has put something into meanwhile.
        let _ = folders.iter().try_for_each(fs::remove_dir);
        Ok(())
    }

    /// Writes another text in the place of the one that was read.
    pub fn write(&self, text: &str) -> Result<(), SettingsError> {
        let unwritable = |source| SettingsError::Unwritable { file: self.file.clone(), source };
        if contents(&self.target).map_err(unwritable)? != self.bytes {
            return Err(SettingsError::Changed { file: self.file.clone() });
        }
        let marked = self.bytes.as_ref().is_some_and(|bytes| bytes.starts_with(MARK.as_bytes()));
        let mark = if marked { MARK } else { "" };
        let mode = self.bytes.as_ref().map(|_| fs::metadata(&self.target)).transpose();
        let mode = mode.map_err(unwritable)?.map(|found| found.permissions());
        put(&self.target, format!("{mark}{text}").as_bytes(), mode).map_err(|source| {
            match source.kind() {
                io::ErrorKind::AlreadyExists => SettingsError::Changed { file: self.file.clone() },
                _ => unwritable(source),
            }
        })
    }

    /// Returns what the text says, or else what it is taken for.
    fn said(&self) -> &str {
        if self.is_blank() { self.skeleton } else { &self.text }
    }

    fn is_blank(&self) -> bool {
        origin::is_blank(&self.text) && !is_toml(&self.file)
    }

    fn hooks_error(&self, source: HooksError) -> SettingsError {
        SettingsError::Hooks { file: self.file.clone(), source }
    }
}

/// Writes a file that is not there yet, with its folders.
pub fn create(file: &Path, text: &str) -> Result<(), SettingsError> {
    put(file, text.as_bytes(), None)
        .map_err(|source| SettingsError::Unwritable { file: file.to_owned(), source })
}

/// Returns the folder of a user's own settings: the one that a variable names, else a folder in
/// the home directory.
#[must_use]
pub fn user_folder(named: Option<OsString>, folder: &str) -> Option<PathBuf> {
    let home = || directories::BaseDirs::new().map(|dirs| dirs.home_dir().join(folder));
    named.map(PathBuf::from).or_else(home)
}

/// Puts a finished file in its place: over the old one, or, without one, only if none came to be.
fn put(target: &Path, bytes: &[u8], old: Option<fs::Permissions>) -> io::Result<()> {
    let folder = target.parent().ok_or(io::ErrorKind::InvalidInput)?;
    fs::create_dir_all(folder)?;
    // Made with plain `create_new`, so that a new file gets the mode that any new file gets.
    let mut new = tempfile::Builder::new()
        .prefix(".solvi-hook-")
        .make_in(folder, |path| File::create_new(path))?;
    new.write_all(bytes)?;
    new.as_file().sync_all()?;
    match old {
        Some(mode) => {
            new.as_file().set_permissions(mode)?;
            new.persist(target)?;
        }
        None => drop(new.persist_noclobber(target)?),
    }
    Ok(())
}

/// Returns what a regular file holds; none when nothing is there.
fn contents(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::metadata(path) {
        Ok(found) if found.is_file() => fs::read(path).map(Some),
        Ok(_) => Err(io::Error::other("it is not a regular file")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns where a chain of links ends, also when nothing is there.
fn follow(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    // As many links as Linux follows.
    for _ in 0..40 {
        let Ok(next) = fs::read_link(&path) else { return Ok(path) };
        path = path.parent().unwrap_or(Path::new("")).join(next);
    }
    Err(io::Error::other("its symbolic links lead in a circle"))
}

/// Returns a path without links and `..` as far as it exists.
fn real(path: &Path) -> PathBuf {
    let known = |folder: &Path| {
        let rest = path.strip_prefix(folder).ok()?;
        let known = fs::canonicalize(folder).ok()?;
        Some(known.components().chain(rest.components()).collect())
    };
    path.ancestors().find_map(known).unwrap_or_else(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn house() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("project/.claude/settings.json");
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        (folder, file)
    }

    #[test]
    fn a_byte_order_mark_stays() {
        let (_folder, file) = house();
        fs::write(&file, "\u{feff}{\"a\": 1}").unwrap();
        let settings = Settings::read(&file, None).unwrap();
        assert_eq!(settings.unmerge().unwrap().text, "{\"a\": 1}");
        settings.write("{}").unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "\u{feff}{}");
    }

    #[test]
    fn a_file_that_changed_meanwhile_is_not_written_over() {
        let (_folder, file) = house();
        let absent = Settings::read(&file, None).unwrap();
        fs::write(&file, "{}").unwrap();
        assert!(matches!(absent.write("{ }"), Err(SettingsError::Changed { .. })));
        let present = Settings::read(&file, None).unwrap();
        fs::write(&file, "{\"b\": 2}").unwrap();
        assert!(matches!(present.write("{ }"), Err(SettingsError::Changed { .. })));
        assert_eq!(fs::read_to_string(&file).unwrap(), "{\"b\": 2}");
    }

    #[test]
    fn what_is_no_file_is_an_error() {
        let (_folder, file) = house();
        fs::create_dir(&file).unwrap();
        assert!(matches!(Settings::read(&file, None), Err(SettingsError::Unreadable { .. })));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_written_through_and_the_mode_stays() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let (folder, file) = house();
        let real = folder.path().join("project/real.json");
        fs::write(&real, "{}").unwrap();
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
        symlink("../real.json", &file).unwrap();
        let project = folder.path().join("project");
        Settings::read(&file, Some(&project)).unwrap().write("[]").unwrap();
        assert!(fs::symlink_metadata(&file).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&real).unwrap(), "[]");
        assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_out_of_the_project_is_refused() {
        use std::os::unix::fs::symlink;
        let (folder, file) = house();
        let project = folder.path().join("project");
        for target in ["../../there.json", "../../missing.json"] {
            fs::write(folder.path().join("there.json"), "{}").unwrap();
            let _ = fs::remove_file(&file);
            symlink(target, &file).unwrap();
            let read = Settings::read(&file, Some(&project));
            assert!(matches!(read, Err(SettingsError::Outside { .. })), "{target}");
            assert!(Settings::read(&file, None).is_ok());
        }
        let _ = fs::remove_file(&file);
        symlink(&file, &file).unwrap();
        assert!(matches!(Settings::read(&file, None), Err(SettingsError::Unreadable { .. })));
    }
}
