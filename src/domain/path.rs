//! Where a file is: inside the project, by a path relative to its root, or outside, by its
//! absolute path.
//!
//! Rules are matched against [`Place::as_str`]. A place is made after `..`, `~`, symbolic links
//! and the recorded spelling have been resolved, so that a rule meets the file that would
//! really be written.

use super::byte_name;
use std::borrow::Cow;
use std::fmt;

/// A `/`-separated path below the project root: not empty, no `.` or `..` component.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RepoPath(String);

impl RepoPath {
    /// Returns the path when `text` is one: relative, without empty, `.` or `..` components.
    ///
    /// ```
    /// use solvi_hook::domain::RepoPath;
    ///
    /// assert!(RepoPath::new("src/main.rs").is_some());
    /// assert!(RepoPath::new("..hidden/a").is_some());
    /// assert!(RepoPath::new("../a").is_none());
    /// assert!(RepoPath::new("/etc/hosts").is_none());
    /// ```
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let plain = text.split('/').all(|part| !matches!(part, "" | "." | ".."));
        plain.then(|| Self(text.to_owned()))
    }

    /// Returns the path as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the last component.
    #[must_use]
    pub fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }
}

/// A file's place, with everything resolved.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// Below the project root.
    Inside(RepoPath),
    /// Anywhere else: the absolute path, with `/`.
    Outside(String),
}

impl Place {
    /// Returns the text that a rule's globs are held against.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Inside(path) => path.as_str(),
            Self::Outside(path) => path,
        }
    }

    /// Returns the path as it is shown: as git shows it, between quotes where it has to be.
    #[must_use]
    pub fn shown(&self) -> Cow<'_, str> {
        byte_name::shown(self.as_str())
    }

    /// Returns the path as JSON and records hold it; see [`byte_name::spelled`].
    #[must_use]
    pub fn spelled(&self) -> Cow<'_, str> {
        byte_name::spelled(self.as_str())
    }

    /// Returns the last component.
    #[must_use]
    pub fn name(&self) -> &str {
        let text = self.as_str();
        text.rsplit('/').next().unwrap_or(text)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown())
    }
}
