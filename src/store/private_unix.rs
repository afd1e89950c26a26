//! Files and folders that only their owner may read (Unix).

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

/// Returns options under which a file that is created is its owner's alone.
#[must_use]
pub fn file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.mode(0o600);
    options
}

/// Returns a builder of folders that are their owner's alone.
#[must_use]
pub fn folder() -> DirBuilder {
    let mut builder = DirBuilder::new();
    builder.mode(0o700);
    builder
}

/// Tells whether an open file is still the one at `path`, and not one that was moved away.
pub fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    let (open, there) = (file.metadata()?, fs::metadata(path));
    Ok(there.is_ok_and(|there| (there.dev(), there.ino()) == (open.dev(), open.ino())))
}

/// Gives a new file the owner and the mode of the one in whose place it will stand.
pub fn take_after(new: &File, old: &Metadata) -> io::Result<()> {
    let own = new.metadata()?;
    if (own.uid(), own.gid()) != (old.uid(), old.gid()) {
        std::os::unix::fs::fchown(new, Some(old.uid()), Some(old.gid()))?;
    }
    new.set_permissions(old.permissions())
}

/// Tells whether two paths are two names of one file.
pub fn is_same(one: &Path, other: &Path) -> bool {
    let place = |path| fs::metadata(path).map(|there| (there.dev(), there.ino())).ok();
    place(one).is_some_and(|there| Some(there) == place(other))
}

/// Opens a file to be written over from its beginning by a text of some length. None, unless it is
/// a plain file that has no other name, no link leads to it, and all of it will be written over.
pub fn only_name(path: &Path, length: usize) -> Option<File> {
    let named = fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file)?;
    let file = OpenOptions::new().write(true).open(path).ok()?;
    let open = file.metadata().ok()?;
    let same = (open.dev(), open.ino()) == (named.dev(), named.ino());
    (same && open.nlink() == 1 && open.len() <= length as u64).then_some(file)
}
