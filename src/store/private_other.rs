//! Files and folders that only their owner may read: what the system's defaults give.

use std::fs::{DirBuilder, File, Metadata, OpenOptions};
use std::io;
use std::path::Path;

/// Returns options for files that are their owner's alone, as far as the folder says so.
#[must_use]
pub fn file() -> OpenOptions {
    OpenOptions::new()
}

/// Returns a builder of folders.
#[must_use]
pub fn folder() -> DirBuilder {
    DirBuilder::new()
}

/// Tells whether an open file is still the one at `path`: an open file cannot be moved here.
pub fn is_at(_file: &File, path: &Path) -> io::Result<bool> {
    path.try_exists()
}

/// Gives a new file the mode of the one in whose place it will stand.
pub fn take_after(new: &File, old: &Metadata) -> io::Result<()> {
    new.set_permissions(old.permissions())
}
