//! What a name on disk leads to, whatever it is called: links, hard links and other spellings of a
//! file have the same identity.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf, is_separator};

/// How many entries of a folder are compared with a file that has several names.
const ENTRIES: usize = 5_000;

/// A file or folder on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity(Id);

#[cfg(unix)]
type Id = (u64, u64);
#[cfg(not(unix))]
type Id = PathBuf;

impl Identity {
    /// Returns what a path leads to, links followed; nothing when nothing is there.
    #[must_use]
    pub fn of(path: &Path) -> Option<Self> {
        let meta = fs::metadata(path).ok()?;
        Self::from(path, &meta)
    }

    #[cfg(unix)]
    #[expect(clippy::unnecessary_wraps, reason = "elsewhere it may not be known")]
    fn from(_path: &Path, meta: &Metadata) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        Some(Self((meta.dev(), meta.ino())))
    }

    #[cfg(not(unix))]
    fn from(path: &Path, _meta: &Metadata) -> Option<Self> {
        fs::canonicalize(path).ok().map(Self)
    }
}

/// A file that is about to be changed.
#[derive(Debug)]
pub struct Target {
    path: PathBuf,
    meta: Option<Metadata>,
    own: Option<Identity>,
    // Of each folder that holds it, innermost first.
    folders: Vec<Option<Identity>>,
}

/// Whether a target is a protected file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Match {
    /// It is another file.
    No,
    /// It is that file, or in that folder, or the folder that holds it.
    Yes,
    /// It has several names, and there are too many files to compare it with.
    Unknown,
}

/// Looks at folders once. They are known by their text: to compare paths part by part takes longer
/// than to look at the disk.
#[derive(Debug, Default)]
pub struct Seen(BTreeMap<OsString, Option<Identity>>);

impl Seen {
    fn of(&mut self, folder: &Path) -> Option<Identity> {
        if let Some(known) = self.0.get(folder.as_os_str()) {
            return known.clone();
        }
        let identity = Identity::of(folder);
        self.0.insert(folder.as_os_str().to_owned(), identity.clone());
        identity
    }
}

impl Target {
    /// Looks at a file whose path has its links resolved.
    #[must_use]
    pub fn of(path: &Path, seen: &mut Seen) -> Self {
        let meta = fs::symlink_metadata(path).ok();
        let own = meta.as_ref().and_then(|meta| Identity::from(path, meta));
        let folders = path.ancestors().skip(1).map(|folder| seen.of(folder)).collect();
        Self { path: path.to_owned(), meta, own, folders }
    }

    /// Returns its path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Tells whether it is this file, by what is on disk.
    #[must_use]
    pub fn is_file(&self, file: &Path, seen: &mut Seen) -> Match {
        if same_text(&self.path, file) {
            return Match::Yes;
        }
        let (Some(folder), Some(name)) = (file.parent(), file.file_name()) else {
            return Match::No;
        };
        // Where the folder is not there, no other name leads into it.
        let Some(folder) = seen.of(folder) else { return Match::No };
        if let Some(identity) = Identity::of(file) {
            let yes = self.own.as_ref() == Some(&identity) || self.holds(file);
            return if yes { Match::Yes } else { Match::No };
        }
        let named = self.path.file_name().is_some_and(|own| own.eq_ignore_ascii_case(name));
        if named && self.folders.first() == Some(&Some(folder)) {
            return Match::Yes;
        }
        // A link to a file that is not there yet.
        let leads = fs::read_link(file).ok().is_some_and(|target| {
            let target = file.parent().map(|folder| folder.join(&target)).unwrap_or(target);
            let folder = target.parent().and_then(|folder| seen.of(folder));
            folder.is_some()
                && self.folders.first() == Some(&folder)
                && target.file_name() == self.path.file_name()
        });
        if leads { Match::Yes } else { Match::No }
    }

    /// Tells whether it is this folder or anything in it.
    #[must_use]
    pub fn is_below(&self, folder: &Path, seen: &mut Seen) -> Match {
        if starts_with(&self.path, folder) {
            return Match::Yes;
        }
        if folder.parent().is_some_and(|parent| seen.of(parent).is_none()) {
            return Match::No;
        }
        let Some(identity) = seen.of(folder) else { return Match::No };
        let identity = Some(identity);
        if self.own == identity || self.folders.contains(&identity) || self.holds(folder) {
            return Match::Yes;
        }
        match (&self.own, self.has_other_names()) {
            (Some(own), true) => among(folder, own),
            _ => Match::No,
        }
    }

    /// Tells whether a regular file may have another name somewhere.
    fn has_other_names(&self) -> bool {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            self.meta.as_ref().is_some_and(|meta| meta.is_file() && meta.nlink() > 1)
        }
        #[cfg(not(unix))]
        false
    }

    /// Tells whether somebody may run it.
    #[must_use]
    pub fn is_executable(&self) -> bool {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = |meta: &Metadata| meta.is_file() && meta.permissions().mode() & 0o111 != 0;
            self.meta.as_ref().is_some_and(mode)
        }
        #[cfg(not(unix))]
        self.meta.is_some()
    }

    /// Tells whether it is one of the files that links in a folder lead to.
    #[must_use]
    pub fn is_linked_from(&self, folder: &Path) -> bool {
        let Some(own) = &self.own else { return false };
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let mut links = entries.filter(|entry| entry.file_type().is_ok_and(|it| it.is_symlink()));
        links.any(|entry| Identity::of(&entry.path()).as_ref() == Some(own))
    }

    /// Tells whether it is a folder that holds a file.
    fn holds(&self, file: &Path) -> bool {
        self.meta.as_ref().is_some_and(Metadata::is_dir)
            && fs::canonicalize(file).is_ok_and(|file| file.starts_with(&self.path))
    }
}

/// Tells whether a file is one of those in a folder; git's objects are never changed in place.
fn among(folder: &Path, wanted: &Identity) -> Match {
    let mut todo = vec![folder.to_owned()];
    let mut seen = 0;
    while let Some(folder) = todo.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            seen += 1;
            if seen > ENTRIES {
                return Match::Unknown;
            }
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() {
                if entry.file_name() != "objects" {
                    todo.push(entry.path());
                }
            } else if Identity::of(&entry.path()).as_ref() == Some(wanted) {
                return Match::Yes;
            }
        }
    }
    Match::No
}

fn same_text(one: &Path, other: &Path) -> bool {
    one.as_os_str().eq_ignore_ascii_case(other.as_os_str())
}

/// Tells whether a path is a folder or below it, upper and lower case being the same.
fn starts_with(path: &Path, folder: &Path) -> bool {
    let (path, folder) =
        (path.as_os_str().as_encoded_bytes(), folder.as_os_str().as_encoded_bytes());
    let begins = path.get(..folder.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(folder));
    begins && path.get(folder.len()).is_none_or(|next| is_separator(char::from(*next)))
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_file_is_known_by_every_name_that_leads_to_it() {
        let dir = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(dir.path()).unwrap();
        for folder in ["dot", "src", "git/hooks", "git/objects"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        for file in ["dot/a.json", "src/b", "git/config", "src/free"] {
            fs::write(root.join(file), "x").unwrap();
        }
        symlink("dot", root.join(".claude")).unwrap();
        symlink("../src/b", root.join("dot/b.json")).unwrap();
        symlink("../src/new", root.join("dot/new.json")).unwrap();
        symlink("git", root.join(".git")).unwrap();
        fs::hard_link(root.join("git/config"), root.join("src/config")).unwrap();
        let file = |target: &str, file: &str| {
            let mut seen = Seen::default();
            Target::of(&root.join(target), &mut seen).is_file(&root.join(file), &mut seen)
        };
        let below = |target: &str, folder: &str| {
            let mut seen = Seen::default();
            Target::of(&root.join(target), &mut seen).is_below(&root.join(folder), &mut seen)
        };
        assert_eq!(file("dot/a.json", ".claude/a.json"), Match::Yes);
        assert_eq!(file("dot/c.json", ".claude/c.json"), Match::Yes);
        assert_eq!(file("src/b", ".claude/b.json"), Match::Yes);
        assert_eq!(file("src/new", ".claude/new.json"), Match::Yes);
        assert_eq!(file("dot", ".claude/a.json"), Match::Yes);
        assert_eq!(file("src/free", ".claude/a.json"), Match::No);
        assert_eq!(file("none/c.json", ".claude/c.json"), Match::No);
        assert_eq!(below("git/hooks/pre-commit", ".git"), Match::Yes);
        assert_eq!(below("src/config", ".git"), Match::Yes);
        assert_eq!(below("src/free", ".git"), Match::No);
    }
}
