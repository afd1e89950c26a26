//! The mode of a file, where a file has no owner of its own.

use std::fs::{File, Metadata};
use std::io;

/// Gives a new file the mode of the one in whose place it will stand.
pub fn take_after(new: &File, old: &Metadata) -> io::Result<()> {
    new.set_permissions(old.permissions())
}
