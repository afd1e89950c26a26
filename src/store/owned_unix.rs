//! Files and folders relative to an open folder, with no link followed (Unix).

use super::owned_dir::{Kind, Owner, Stat};
use rustix::fs::{self, AtFlags, FileType, Mode, OFlags};
use std::ffi::{OsStr, OsString};
use std::fs::{DirBuilder, File};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

/// An open folder.
pub type Handle = OwnedFd;

/// How a folder is opened: where the system can, without the right to list it.
#[cfg(any(target_os = "linux", target_os = "android"))]
const FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// How a file is opened: at a pipe that nobody writes to, opening must not wait.
const FILE: OFlags =
    OFlags::NOFOLLOW.union(OFlags::CLOEXEC).union(OFlags::NONBLOCK).union(OFlags::NOCTTY);

const PRIVATE_FILE: Mode = Mode::RUSR.union(Mode::WUSR);
const PRIVATE_FOLDER: Mode = Mode::RWXU;

pub fn open_folder(path: &Path) -> io::Result<Handle> {
    Ok(fs::open(path, FOLDER, Mode::empty())?)
}

pub fn open_folder_at(folder: &Handle, _path: &Path, name: &OsStr) -> io::Result<Handle> {
    Ok(fs::openat(folder, name, FOLDER | OFlags::NOFOLLOW, Mode::empty())?)
}

pub fn make_private(builder: &mut DirBuilder) {
    builder.mode(0o700);
}

pub fn make_folder_at(folder: &Handle, path: &Path, name: &OsStr, owner: Owner) -> io::Result<()> {
    fs::mkdirat(folder, name, PRIVATE_FOLDER)?;
    let made = open_folder_at(folder, path, name)?;
    if user() == 0 && owner.user != 0 {
        give_folder(&made, owner);
    }
    Ok(())
}

/// Gives a folder that root made to whom the folder around it belongs.
fn give_folder(made: &Handle, owner: Owner) {
    // A handle that is a place only can be owned by nobody else; it is opened to be read.
    if let Ok(made) = fs::openat(made, ".", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()) {
        give(&made, owner);
    }
}

fn give(made: impl AsFd, owner: Owner) {
    let user = fs::Uid::from_raw(owner.user);
    let group = fs::Gid::from_raw(owner.group);
    // Where it cannot be given away, it stays root's.
    let _ = fs::fchown(made, Some(user), Some(group));
}

pub fn open_at(folder: &Handle, _path: &Path, name: &OsStr, write: bool) -> io::Result<File> {
    let access = if write { OFlags::RDWR } else { OFlags::RDONLY };
    Ok(fs::openat(folder, name, access | FILE, Mode::empty())?.into())
}

pub fn append_at(folder: &Handle, _path: &Path, name: &OsStr) -> io::Result<File> {
    Ok(fs::openat(folder, name, OFlags::RDWR | OFlags::APPEND | FILE, Mode::empty())?.into())
}

/// Makes a file where nothing is, not even a link.
pub fn create_at(
    folder: &Handle,
    _path: &Path,
    name: &OsStr,
    append: bool,
    owner: Owner,
) -> io::Result<File> {
    let append = if append { OFlags::APPEND } else { OFlags::empty() };
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | append | FILE;
    let made = fs::openat(folder, name, flags, PRIVATE_FILE)?;
    if user() == 0 && owner.user != 0 {
        give(&made, owner);
    }
    Ok(made.into())
}

pub fn rename_at(folder: &Handle, _path: &Path, from: &OsStr, to: &OsStr) -> io::Result<()> {
    Ok(fs::renameat(folder, from, folder, to)?)
}

pub fn link_at(folder: &Handle, _path: &Path, name: &OsStr, second: &OsStr) -> io::Result<()> {
    Ok(fs::linkat(folder, name, folder, second, AtFlags::empty())?)
}

pub fn remove_at(folder: &Handle, _path: &Path, name: &OsStr) -> io::Result<()> {
    Ok(fs::unlinkat(folder, name, AtFlags::empty())?)
}

pub fn list(folder: &Handle, _path: &Path) -> io::Result<Vec<OsString>> {
    let listed = fs::openat(folder, ".", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
    let mut names = Vec::new();
    for entry in fs::Dir::read_from(listed)? {
        names.push(OsStr::from_bytes(entry?.file_name().to_bytes()).to_owned());
    }
    Ok(names)
}

pub fn sync(folder: &Handle) {
    if let Ok(folder) = fs::openat(folder, ".", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()) {
        let _ = fs::fsync(folder);
    }
}

pub fn stat(open: impl AsFd) -> io::Result<Stat> {
    Ok(read(&fs::fstat(open)?))
}

/// Looks at what a name names; a link is looked at itself.
pub fn stat_at(folder: &Handle, _path: &Path, name: &OsStr) -> io::Result<Stat> {
    Ok(read(&fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?))
}

/// Returns the number of the user whose rights this process has.
pub fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

#[allow(
    clippy::useless_conversion,
    clippy::cast_sign_loss,
    clippy::unnecessary_cast,
    reason = "the widths of these fields differ between systems"
)]
fn read(stat: &fs::Stat) -> Stat {
    let kind = match FileType::from_raw_mode(stat.st_mode as _) {
        FileType::RegularFile => Kind::File,
        FileType::Directory => Kind::Folder,
        FileType::Symlink => Kind::Link,
        _ => Kind::Special,
    };
    Stat {
        kind,
        id: (stat.st_dev as u64, stat.st_ino as u64),
        owner: Owner { user: stat.st_uid, group: stat.st_gid },
        names: u64::from(stat.st_nlink),
        length: u64::try_from(stat.st_size).unwrap_or(0),
    }
}
