//! Files and folders in an open folder, with no link followed (Windows).
//!
//! There is no opening relative to a folder here without code of our own that is not safe. A folder
//! that is held open without the right to delete it cannot be renamed, removed or replaced, so that
//! names below it stay what they were; links are opened themselves and seen by their attributes.
//! Who owns a file is left to the permissions that it takes from its folder.

use super::owned_dir::{Kind, Owner, Stat};
use std::ffi::{OsStr, OsString};
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::windows::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

/// An open folder.
pub type Handle = File;

// The names are those of the system.
const FILE_FLAG_BACKUP_SEMANTICS: u32 = 0x0200_0000;
const FILE_FLAG_OPEN_REPARSE_POINT: u32 = 0x0020_0000;
const FILE_SHARE_READ: u32 = 1;
const FILE_SHARE_WRITE: u32 = 2;
const FILE_ATTRIBUTE_REPARSE_POINT: u32 = 0x400;

pub fn open_folder(path: &Path) -> io::Result<Handle> {
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(FILE_FLAG_BACKUP_SEMANTICS);
    let folder = options.share_mode(FILE_SHARE_READ | FILE_SHARE_WRITE).open(path)?;
    if folder.metadata()?.is_dir() { Ok(folder) } else { Err(io::ErrorKind::NotADirectory.into()) }
}

pub fn open_folder_at(_folder: &Handle, path: &Path, name: &OsStr) -> io::Result<Handle> {
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT);
    let folder = options.share_mode(FILE_SHARE_READ | FILE_SHARE_WRITE).open(path.join(name))?;
    match read(&folder.metadata()?).kind {
        Kind::Folder => Ok(folder),
        _ => Err(io::ErrorKind::NotADirectory.into()),
    }
}

pub fn make_private(_builder: &mut DirBuilder) {}

pub fn make_folder_at(_: &Handle, path: &Path, name: &OsStr, _: Owner) -> io::Result<()> {
    fs::create_dir(path.join(name))
}

pub fn open_at(_folder: &Handle, path: &Path, name: &OsStr, write: bool) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(write).custom_flags(FILE_FLAG_OPEN_REPARSE_POINT);
    options.open(path.join(name))
}

pub fn append_at(_folder: &Handle, path: &Path, name: &OsStr) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).custom_flags(FILE_FLAG_OPEN_REPARSE_POINT);
    options.open(path.join(name))
}

/// Makes a file where nothing is, not even a link.
pub fn create_at(
    _folder: &Handle,
    path: &Path,
    name: &OsStr,
    append: bool,
    _owner: Owner,
) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).create_new(true).custom_flags(FILE_FLAG_OPEN_REPARSE_POINT);
    if append {
        options.append(true)
    } else {
        options.write(true)
    };
    options.open(path.join(name))
}

pub fn rename_at(_folder: &Handle, path: &Path, from: &OsStr, to: &OsStr) -> io::Result<()> {
    fs::rename(path.join(from), path.join(to))
}

pub fn link_at(_folder: &Handle, path: &Path, name: &OsStr, second: &OsStr) -> io::Result<()> {
    fs::hard_link(path.join(name), path.join(second))
}

pub fn remove_at(_folder: &Handle, path: &Path, name: &OsStr) -> io::Result<()> {
    fs::remove_file(path.join(name))
}

pub fn list(_folder: &Handle, path: &Path) -> io::Result<Vec<OsString>> {
    fs::read_dir(path)?.map(|entry| entry.map(|entry| entry.file_name())).collect()
}

pub fn sync(_folder: &Handle) {}

pub fn stat(open: &File) -> io::Result<Stat> {
    Ok(read(&open.metadata()?))
}

/// Looks at what a name names; a link is looked at itself.
pub fn stat_at(_folder: &Handle, path: &Path, name: &OsStr) -> io::Result<Stat> {
    Ok(read(&fs::symlink_metadata(path.join(name))?))
}

/// Returns the number of the user: there are none here.
pub fn user() -> u32 {
    0
}

fn read(there: &fs::Metadata) -> Stat {
    let kind = if there.file_attributes() & FILE_ATTRIBUTE_REPARSE_POINT != 0 {
        Kind::Link
    } else if there.is_dir() {
        Kind::Folder
    } else if there.is_file() {
        Kind::File
    } else {
        Kind::Special
    };
    // Two files of one time are taken for one: an open file cannot be moved away here.
    let id = (there.creation_time(), 0);
    Stat { kind, id, owner: Owner::default(), names: 1, length: there.file_size() }
}
