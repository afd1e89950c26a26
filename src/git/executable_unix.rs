//! Files that may be run, and links (Unix).

use std::fs::{self, Metadata, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Lets everybody read and run a file, and its owner write it.
pub fn make(file: &Path) -> io::Result<()> {
    fs::set_permissions(file, Permissions::from_mode(0o755))
}

/// Tells whether git would run a file as a hook.
pub fn is(meta: &Metadata) -> bool {
    meta.permissions().mode() & 0o111 != 0
}

/// Makes a symbolic link.
pub fn link(target: &Path, at: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, at)
}
