//! Files and folders that only their owner may read (Unix).

use std::fs::{self, DirBuilder, File, OpenOptions};
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
