//! The window to the outside for rooms that may not look themselves.
//!
//! A client's reader must know the file that an edit starts from; it asks through [`Files`],
//! so that the same code reads a disk, a git tree or a test's table.

use super::path::Place;

/// What stands at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stored {
    /// Nothing is there.
    Absent,
    /// A regular file with these bytes.
    Bytes(Vec<u8>),
    /// Something is there that cannot be known; the text says why (a folder, a device, too
    /// large, not readable).
    Unknown(String),
}

/// The files that an edit may meet.
pub trait Files {
    /// Resolves a path as a client wrote it (absolute, relative to the session's folder, `~`,
    /// `..`, through symbolic links) to the place where the file really is.
    ///
    /// The error is a sentence for a person: why no such place exists.
    fn place(&self, written: &str) -> Result<Place, String>;

    /// Reads the file at a place.
    fn read(&self, place: &Place) -> Stored;

    /// Returns the project's folders, its root among them, each as a client may write it; nothing
    /// when there are more than can be looked at, or nobody can say.
    fn folders(&self) -> Option<Vec<String>> {
        None
    }
}
