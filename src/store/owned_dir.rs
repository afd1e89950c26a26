//! A folder of ours, held open. Its files are opened relative to it, with no link followed, and
//! checked by what was opened: what was looked at is what is read or written.
//!
//! A file or folder counts as ours when it belongs to whoever runs the program, or to the owner of
//! the folder that `.solvi` is in. That owner can put another `.solvi` there at any time, so that
//! nothing is gained by distrust, and root in a container, `sudo` and file systems that give every
//! file one owner all work. What root makes is given to that owner, who would else be locked out.
//!
//! A file that is written to must also have no other name, except the numbered one beside it that a
//! rotation leaves when it is stopped: a second name would be another file to write to.

use super::owned_os as os;
use std::ffi::{OsStr, OsString};
use std::fs::{DirBuilder, File};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

/// The folder of a project below which everything is ours.
pub const SOLVI: &str = ".solvi";

const A_FILE: &str = "a file";
const A_FOLDER: &str = "a folder";

/// How often a file is opened again when others make and remove it at the same time.
const TRIES: usize = 100;

/// How often the names of a file are looked at, and how long is waited in between.
const LOOKS: u32 = 10;
const BETWEEN: Duration = Duration::from_millis(1);

/// Why a file or folder of ours cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum OwnedError {
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
    /// It is not a file or folder that we made.
    #[error("{path} must be {wanted}, and is {found}", path = path.display())]
    Untrusted {
        /// Where.
        path: PathBuf,
        /// What belongs there.
        wanted: &'static str,
        /// What is there.
        found: String,
    },
}

/// What the system says about an open file or folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stat {
    pub kind: Kind,
    /// The device and the number of the file there.
    pub id: (u64, u64),
    pub owner: Owner,
    /// How many names it has.
    pub names: u64,
    pub length: u64,
}

/// A user and a group; both are 0 where the system has neither.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Owner {
    pub user: u32,
    pub group: u32,
}

/// What stands at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    File,
    Folder,
    Link,
    Special,
}

impl Kind {
    fn words(self) -> &'static str {
        match self {
            Self::File => A_FILE,
            Self::Folder => A_FOLDER,
            Self::Link => "a symbolic link",
            Self::Special => "a device, a pipe or a socket",
        }
    }
}

/// An open folder.
#[derive(Debug)]
pub struct OwnedDir {
    handle: os::Handle,
    // For messages, and for what can only be named.
    path: PathBuf,
    // Whom the folder belongs to that ours are in.
    owner: Owner,
}

/// What a file is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    /// It is read, whosever it is.
    Read,
    /// It is ours, and is read.
    Own,
    /// It is ours, and is written to.
    Write,
}

impl OwnedDir {
    /// Opens a folder that a person chose; links on the way to it are followed. None when it is
    /// not there.
    pub fn open(path: &Path) -> Result<Option<Self>, OwnedError> {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        let cannot = |act| move |source| OwnedError::Io { act, path: path.to_owned(), source };
        let handle = match os::open_folder(path) {
            Ok(handle) => handle,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(cannot("open the folder")(error)),
        };
        let owner = os::stat(&handle).map_err(cannot("look at"))?.owner;
        Ok(Some(Self { handle, path: path.to_owned(), owner }))
    }

    /// Opens a folder that a person chose, and makes it where it is not there.
    pub fn open_or_make(path: &Path) -> Result<Self, OwnedError> {
        if let Some(folder) = Self::open(path)? {
            return Ok(folder);
        }
        let cannot =
            |source| OwnedError::Io { act: "make the folder", path: path.to_owned(), source };
        let mut builder = DirBuilder::new();
        os::make_private(&mut builder);
        builder.recursive(true).create(path).map_err(cannot)?;
        Self::open(path)?.ok_or_else(|| cannot(ErrorKind::NotFound.into()))
    }

    /// Opens a folder of ours in this one; none when it is not there.
    pub fn folder(&self, name: &OsStr) -> Result<Option<Self>, OwnedError> {
        let path = self.path.join(name);
        let handle = match os::open_folder_at(&self.handle, &self.path, name) {
            Ok(handle) => handle,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(self.refused("open the folder", name, A_FOLDER, error)),
        };
        let stat = os::stat(&handle);
        let stat = stat.map_err(|source| self.cannot("look at", name)(source))?;
        self.check(name, A_FOLDER, &stat)?;
        Ok(Some(Self { handle, path, owner: self.owner }))
    }

    /// Opens a folder of ours in this one, and makes it where it is not there.
    pub fn folder_or_make(&self, name: &OsStr) -> Result<Self, OwnedError> {
        if let Some(folder) = self.folder(name)? {
            return Ok(folder);
        }
        match os::make_folder_at(&self.handle, &self.path, name, self.owner) {
            // Another process was quicker; what it made is looked at like anything else.
            Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                return Err(self.cannot("make the folder", name)(error));
            }
            _ => {}
        }
        let made = self.folder(name)?;
        made.ok_or_else(|| self.cannot("make the folder", name)(ErrorKind::NotFound.into()))
    }

    /// Opens a file to be read; none when it is not there. It need not be the person's own.
    pub fn read(&self, name: &OsStr) -> Result<Option<File>, OwnedError> {
        self.file(name, Purpose::Read).map(|file| file.map(|(file, _)| file))
    }

    /// Opens a file of ours to be read; none when it is not there.
    pub fn own(&self, name: &OsStr) -> Result<Option<File>, OwnedError> {
        self.file(name, Purpose::Own).map(|file| file.map(|(file, _)| file))
    }

    /// Reads a file of at most `limit` bytes; of a longer one no more is read.
    pub fn read_up_to(&self, name: &OsStr, limit: u64) -> Result<Option<Vec<u8>>, OwnedError> {
        self.up_to(name, Purpose::Read, limit)
    }

    /// Reads a file of ours as [`Self::read_up_to`] does.
    pub fn own_up_to(&self, name: &OsStr, limit: u64) -> Result<Option<Vec<u8>>, OwnedError> {
        self.up_to(name, Purpose::Own, limit)
    }

    fn up_to(
        &self,
        name: &OsStr,
        purpose: Purpose,
        limit: u64,
    ) -> Result<Option<Vec<u8>>, OwnedError> {
        let Some((file, stat)) = self.file(name, purpose)? else { return Ok(None) };
        let mut held = Vec::with_capacity(usize::try_from(stat.length.min(limit)).unwrap_or(0) + 1);
        file.take(limit).read_to_end(&mut held).map_err(self.cannot("read", name))?;
        Ok(Some(held))
    }

    /// Opens a file of ours to be read and written over; none when it is not there. Also returns
    /// how long it is.
    pub fn write(&self, name: &OsStr) -> Result<Option<(File, u64)>, OwnedError> {
        let opened = self.file(name, Purpose::Write)?;
        Ok(opened.map(|(file, stat)| (file, stat.length)))
    }

    /// Opens a file of ours to be read and added to, and makes it where it is not there.
    pub fn append(&self, name: &OsStr) -> Result<File, OwnedError> {
        for _ in 0..TRIES {
            let opened = os::append_at(&self.handle, &self.path, name);
            match opened {
                Ok(file) => return self.checked(name, file, Purpose::Write).map(|(file, _)| file),
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(self.refused("open", name, A_FILE, error)),
            }
            match os::create_at(&self.handle, &self.path, name, true, self.owner) {
                Ok(file) => return Ok(file),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(self.refused("open", name, A_FILE, error)),
            }
        }
        Err(self.cannot("open", name)(ErrorKind::ResourceBusy.into()))
    }

    /// Makes a file that is to take the place of another. One that was left behind by a process
    /// that was stopped goes; a link in its place goes, and not what it leads to.
    pub fn create(&self, name: &OsStr) -> Result<File, OwnedError> {
        let create = || os::create_at(&self.handle, &self.path, name, false, self.owner);
        let made = match create() {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                os::remove_at(&self.handle, &self.path, name).and_then(|()| create())
            }
            made => made,
        };
        made.map_err(|error| self.refused("write", name, A_FILE, error))
    }

    /// Tells whether a name is that of an open file, and not of one that was put in its place.
    pub fn names(&self, name: &OsStr, file: &File) -> Result<bool, OwnedError> {
        let open = os::stat(file).map_err(self.cannot("look at", name))?;
        let there = os::stat_at(&self.handle, &self.path, name);
        Ok(there.is_ok_and(|there| there.id == open.id))
    }

    /// Puts a file in the place of another.
    pub fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        os::rename_at(&self.handle, &self.path, from, to)
    }

    /// Gives a file a second name.
    pub fn link(&self, name: &OsStr, second: &OsStr) -> io::Result<()> {
        os::link_at(&self.handle, &self.path, name, second)
    }

    /// Removes a file or a link; one that is not there is no error.
    pub fn remove(&self, name: &OsStr) -> Result<(), OwnedError> {
        match os::remove_at(&self.handle, &self.path, name) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(self.cannot("remove", name)(error))
            }
            _ => Ok(()),
        }
    }

    /// Tells whether two names are those of one file.
    #[must_use]
    pub fn are_same(&self, one: &OsStr, other: &OsStr) -> bool {
        let id = |name| os::stat_at(&self.handle, &self.path, name).map(|stat| stat.id).ok();
        id(one).is_some_and(|there| Some(there) == id(other))
    }

    /// Writes a file whole or not at all; it is on the disk before it takes its place.
    pub fn replace(&self, aside: &OsStr, name: &OsStr, text: &str) -> Result<(), OwnedError> {
        let mut file = self.create(aside)?;
        let written = file.write_all(text.as_bytes()).and_then(|()| {
            file.sync_all()?;
            self.rename(aside, name)
        });
        written.map_err(self.cannot("write", name))
    }

    /// Makes what was renamed last; where a folder cannot be synced, the system does so in its own
    /// time.
    pub fn sync(&self) {
        os::sync(&self.handle);
    }

    /// Returns where the folder is, for messages.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn file(&self, name: &OsStr, purpose: Purpose) -> Result<Option<(File, Stat)>, OwnedError> {
        let write = purpose == Purpose::Write;
        match os::open_at(&self.handle, &self.path, name, write) {
            Ok(file) => self.checked(name, file, purpose).map(Some),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.refused("open", name, A_FILE, error)),
        }
    }

    /// Accepts an open file when it is one that may be used so.
    fn checked(
        &self,
        name: &OsStr,
        file: File,
        purpose: Purpose,
    ) -> Result<(File, Stat), OwnedError> {
        let stat = os::stat(&file).map_err(self.cannot("look at", name))?;
        if stat.kind != Kind::File {
            return Err(self.untrusted(name, A_FILE, stat.kind.words()));
        }
        if purpose != Purpose::Read {
            self.check(name, A_FILE, &stat)?;
            // Nearly every file has one name, and needs no second look.
            let ours = stat.names <= 1 || {
                let ours = self.has_only_our_names(name, &file);
                ours.map_err(self.cannot("look at", name))?
            };
            if !ours {
                let found = "one with another name (a hard link)";
                return Err(self.untrusted(name, A_FILE, found));
            }
        }
        Ok((file, stat))
    }

    /// Accepts what belongs to the person.
    fn check(&self, name: &OsStr, wanted: &'static str, stat: &Stat) -> Result<(), OwnedError> {
        let user = stat.owner.user;
        if user == self.owner.user || user == os::user() {
            return Ok(());
        }
        Err(self.untrusted(name, wanted, format!("one of another user (number {user})")))
    }

    /// Tells whether a file has no name but those that a rotation gives it. One that is going on
    /// changes them between two looks, so that only what stays so is believed.
    fn has_only_our_names(&self, name: &OsStr, file: &File) -> io::Result<bool> {
        for _ in 0..LOOKS {
            let stat = os::stat(file)?;
            if stat.names <= 1 || stat.names == self.names_of(name, &stat) {
                return Ok(true);
            }
            thread::sleep(BETWEEN);
        }
        Ok(false)
    }

    /// Returns how many names a file has in this folder that a rotation gives it.
    fn names_of(&self, name: &OsStr, stat: &Stat) -> u64 {
        let mut names = os::list(&self.handle, &self.path).unwrap_or_default();
        names.retain(|other| unnumbered(other) == unnumbered(name));
        let same = |name: &&OsString| {
            os::stat_at(&self.handle, &self.path, name).is_ok_and(|there| there.id == stat.id)
        };
        names.iter().filter(same).count() as u64
    }

    /// Says why something was not opened: what stands there explains more than what the system
    /// says.
    fn refused(
        &self,
        act: &'static str,
        name: &OsStr,
        wanted: &'static str,
        error: io::Error,
    ) -> OwnedError {
        match os::stat_at(&self.handle, &self.path, name) {
            Ok(stat) if stat.kind.words() != wanted => {
                self.untrusted(name, wanted, stat.kind.words())
            }
            _ => self.cannot(act, name)(error),
        }
    }

    fn untrusted(
        &self,
        name: &OsStr,
        wanted: &'static str,
        found: impl Into<String>,
    ) -> OwnedError {
        OwnedError::Untrusted { path: self.path.join(name), wanted, found: found.into() }
    }

    fn cannot(&self, act: &'static str, name: &OsStr) -> impl FnOnce(io::Error) -> OwnedError {
        let path = self.path.join(name);
        move |source| OwnedError::Io { act, path, source }
    }
}

impl OwnedDir {
    /// Opens the same folder a second time.
    pub(super) fn again(&self) -> Result<Self, OwnedError> {
        let cannot = |source| OwnedError::Io { act: "open", path: self.path.clone(), source };
        let handle = self.handle.try_clone().map_err(cannot)?;
        Ok(Self { handle, path: self.path.clone(), owner: self.owner })
    }
}

/// Returns a name without the number that a rotation puts into it.
fn unnumbered(name: &OsStr) -> String {
    let name = name.to_string_lossy();
    let is_number = |part: &&str| part.len() >= 6 && part.bytes().all(|it| it.is_ascii_digit());
    let mut parts: Vec<&str> = name.split('.').collect();
    if let Some(at) = parts.iter().position(is_number) {
        parts.remove(at);
    }
    parts.join(".")
}

#[cfg(test)]
mod tests;
