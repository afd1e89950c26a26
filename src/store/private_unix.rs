//! The owner and the mode of a file (Unix).

use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;

/// Gives a new file the owner and the mode of the one in whose place it will stand.
pub fn take_after(new: &File, old: &Metadata) -> io::Result<()> {
    let own = new.metadata()?;
    if (own.uid(), own.gid()) != (old.uid(), old.gid()) {
        std::os::unix::fs::fchown(new, Some(old.uid()), Some(old.gid()))?;
    }
    new.set_permissions(old.permissions())
}
