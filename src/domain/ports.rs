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

/// Why a path is no file's: the error of [`Files::place`] for the project's own folder.
pub const PROJECT_FOLDER: &str = "the path is the project's folder, not a file";

/// The files that an edit may meet.
pub trait Files {
    /// Resolves a path to the place where the file really is: absolute or relative to the
    /// session's folder, `..`, through symbolic links. Every other character means itself, unless
    /// these are files as some agent reads their paths.
    ///
    /// The error is a sentence for a person: why no such place exists.
    fn place(&self, written: &str) -> Result<Place, String>;

    /// Resolves the path of a file that an agent looks for elsewhere if it is not there.
    fn search(&self, written: &str) -> Result<Place, String> {
        self.place(written)
    }

    /// Resolves a path of which nobody knows how it is read to every place that it may mean; see
    /// [`crate::clients::paths::anyone`].
    fn places(&self, written: &str) -> Result<Vec<Place>, String> {
        self.place(written).map(|place| vec![place])
    }

    /// Returns the absolute path that a path with `..` has where links are followed first and `..`
    /// is taken then, as a program does that opens a path as it is written; nothing when it has
    /// none, or nobody can say.
    fn as_opened(&self, _written: &str) -> Option<String> {
        None
    }

    /// Reads the file at a place.
    fn read(&self, place: &Place) -> Stored;

    /// Returns the files below a folder, none if it is no folder; nothing when there are more than
    /// `most`.
    fn below(&self, _folder: &Place, _most: usize) -> Option<Vec<Place>> {
        Some(Vec::new())
    }

    /// Returns the project's folders, its root among them, each as a client may write it; nothing
    /// when there are more than can be looked at, or nobody can say.
    fn folders(&self) -> Option<Vec<String>> {
        None
    }

    /// Returns the project's root, as an absolute path; empty when nobody can say.
    fn root(&self) -> String {
        String::new()
    }

    /// Returns the session's folder; empty when nobody can say.
    fn cwd(&self) -> String {
        String::new()
    }

    /// Returns the person's home folder.
    fn home(&self) -> Option<String> {
        None
    }

    /// Tells whether anything has a path, which is taken as it is.
    fn exists(&self, _path: &str) -> bool {
        false
    }

    /// Returns the paths of the regular files of a name in the project and below the session's
    /// folder, git's own left out; nothing when there are more folders than can be looked at.
    fn named(&self, _name: &str) -> Option<Vec<String>> {
        Some(Vec::new())
    }
}
