//! Which part of the project are a rule's globs about?
//!
//! A rules file speaks of paths from the root of its own repository. Where that is a repository
//! inside the project or elsewhere, the folders above it are cut off first; where it is one around
//! the project, those between the two are put before.

use std::borrow::Cow;

/// The files that a rules file speaks of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Realm {
    view: View,
    // Each ends with `/`.
    without: Vec<String>,
}

/// How a repository's root stands to the project's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum View {
    /// It is the project's: all files, also those outside.
    #[default]
    Project,
    /// It is another folder, with `/` at its end: from the project's root, or absolute.
    Below(String),
    /// It holds the project: the project's folder in it, and its own absolute path, each with `/`
    /// at its end.
    Around { project: String, root: String },
}

impl Realm {
    /// Makes the realm of a folder: from the project's root, or absolute.
    #[must_use]
    pub fn below(folder: &str) -> Self {
        let folder = format!("{}/", folder.trim_end_matches('/'));
        Self { view: View::Below(folder), without: Vec::new() }
    }

    /// Makes the realm of a folder around the project: its absolute path, and where the project is
    /// in it.
    ///
    /// ```
    /// use solvi_hook::engine::rules::Realm;
    ///
    /// let realm = Realm::around("/home/u", "work/a");
    /// assert_eq!(realm.inside("src/x.py").as_deref(), Some("work/a/src/x.py"));
    /// assert_eq!(realm.inside("/home/u/.bashrc").as_deref(), Some(".bashrc"));
    /// assert_eq!(realm.inside("/etc/hosts"), None);
    /// ```
    #[must_use]
    pub fn around(root: &str, project: &str) -> Self {
        let folder = |path: &str| format!("{}/", path.trim_end_matches('/'));
        let view = View::Around { project: folder(project), root: folder(root) };
        Self { view, without: Vec::new() }
    }

    /// Returns a path as the rules file spells it; nothing when it does not speak of that path.
    #[must_use]
    pub fn inside<'p>(&self, path: &'p str) -> Option<Cow<'p, str>> {
        if self.without.iter().any(|folder| path.starts_with(folder)) {
            return None;
        }
        match &self.view {
            View::Project => Some(Cow::Borrowed(path)),
            View::Below(folder) => path.strip_prefix(folder).map(Cow::Borrowed),
            View::Around { project, root } => match path.strip_prefix(root) {
                Some(inside) => Some(Cow::Borrowed(inside)),
                None if is_absolute(path) => None,
                None => Some(Cow::Owned(format!("{project}{path}"))),
            },
        }
    }

    pub(super) fn leave_out(&mut self, folder: &str) {
        self.without.push(format!("{}/", folder.trim_end_matches('/')));
    }
}

/// Tells whether a place is outside the project: no path inside begins like this.
fn is_absolute(path: &str) -> bool {
    path.starts_with('/') || path.get(1..3) == Some(":/")
}
