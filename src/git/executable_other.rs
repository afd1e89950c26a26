//! Files that may be run, and links (systems without the Unix bits: git runs any hook there is).

use std::fs::Metadata;
use std::io;
use std::path::Path;

/// Does nothing: any file may be run.
#[expect(clippy::unnecessary_wraps, reason = "as on Unix, where it may fail")]
pub fn make(_file: &Path) -> io::Result<()> {
    Ok(())
}

/// Says yes: any file may be run.
pub fn is(_meta: &Metadata) -> bool {
    true
}

/// Fails: a link of unknown kind is better left where it is.
pub fn link(_target: &Path, _at: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
