//! On which paths do two states of the repository differ?
//!
//! A [`Delta`] is light: it names the path and the objects, and holds no content; that is read
//! when [`Repo::change`](super::Repo::change) is asked for it. A state may be compared with
//! several others at once (a merge with each parent): a path that equals one of them is not new
//! to the repository, and makes no delta.

use super::error::GitError;
use crate::domain::byte_name;
use crate::domain::{Place, RepoPath};
use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};
use gix::objs::tree::{EntryKind, EntryMode};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// What kind of entry git stores at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// A regular file.
    File,
    /// A regular file that may be executed.
    Executable,
    /// A symbolic link; its content is the path it points to.
    Symlink,
    /// The commit of another repository.
    Submodule,
}

impl Mode {
    /// Returns the mode of an entry; a folder has none.
    pub(super) fn of(mode: EntryMode) -> Option<Self> {
        match mode.kind() {
            EntryKind::Tree => None,
            EntryKind::Blob => Some(Self::File),
            EntryKind::BlobExecutable => Some(Self::Executable),
            EntryKind::Link => Some(Self::Symlink),
            EntryKind::Commit => Some(Self::Submodule),
        }
    }

    pub(super) fn is_file(self) -> bool {
        matches!(self, Self::File | Self::Executable)
    }
}

/// What became of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is new.
    Added,
    /// It is gone.
    Deleted,
    /// Its content, its mode or its type is another.
    Modified,
    /// It is in conflict: a merge left several versions of it, and none is chosen yet.
    Unmerged,
}

/// One stored version of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Version {
    pub(super) mode: Mode,
    pub(super) id: ObjectId,
}

/// What is at a path now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Now {
    Nothing,
    Stored(Version),
    /// In the working tree, with this mode.
    OnDisk(Mode),
    Unmerged,
    /// A folder whose tree, on either side, is not in the repository: this one.
    Unread(ObjectId),
}

impl Now {
    pub(super) fn stored(self) -> Option<Version> {
        match self {
            Self::Stored(version) => Some(version),
            Self::Nothing | Self::OnDisk(_) | Self::Unmerged | Self::Unread(_) => None,
        }
    }
}

/// A path on which two states differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Difference {
    pub(super) path: BString,
    pub(super) before: Option<Version>,
    pub(super) now: Now,
    /// The path that `before` is taken from, when the file was moved.
    pub(super) moved_from: Option<BString>,
}

impl Difference {
    pub(super) fn new(path: &BStr, before: Option<Version>, now: Now) -> Self {
        Self { path: path.to_owned(), before, now, moved_from: None }
    }
}

/// A path on which the repository changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delta {
    /// Where it is; bytes that are not UTF-8 are shown as `U+FFFD`.
    pub place: Place,
    /// Where it was, when the file was moved. The old path has a delta of its own, a deletion.
    pub moved_from: Option<Place>,
    /// What became of it.
    pub fate: Fate,
    /// Its mode after the change.
    pub mode: Option<Mode>,
    /// Its mode before the change.
    pub mode_before: Option<Mode>,
    pub(super) path: BString,
    /// Its version in each state that it is compared with.
    pub(super) before: Vec<Option<Version>>,
    pub(super) now: Now,
}

impl Delta {
    /// Returns the bytes of the path as git keeps them.
    #[must_use]
    pub fn path(&self) -> &[u8] {
        &self.path
    }

    /// Tells whether it stands for a folder whose entries could not be compared.
    #[must_use]
    pub fn is_unread_folder(&self) -> bool {
        matches!(self.now, Now::Unread(_))
    }

    /// Returns the objects that hold its contents, now and before.
    pub(super) fn contents(&self) -> impl Iterator<Item = ObjectId> + '_ {
        let versions = self.before.iter().copied().flatten().chain(self.now.stored());
        versions.filter(|version| version.mode != Mode::Submodule).map(|version| version.id)
    }

    fn new(difference: Difference, also: Vec<Option<Version>>) -> Result<Self, GitError> {
        let Difference { path, before, now, moved_from } = difference;
        let (fate, mode) = match now {
            Now::Unmerged => (Fate::Unmerged, None),
            Now::Nothing => (Fate::Deleted, None),
            Now::Unread(_) => (Fate::Modified, None),
            Now::Stored(Version { mode, .. }) | Now::OnDisk(mode) => {
                let is_new = before.is_none() || moved_from.is_some();
                (if is_new { Fate::Added } else { Fate::Modified }, Some(mode))
            }
        };
        let mut versions = vec![before];
        versions.extend(also);
        Ok(Self {
            place: place(path.as_bstr())?,
            moved_from: moved_from.map(|path| place(path.as_bstr())).transpose()?,
            fate,
            mode,
            mode_before: before.map(|version| version.mode),
            path,
            before: versions,
            now,
        })
    }
}

/// Returns the place of a path as git stores it.
pub(super) fn place(path: &BStr) -> Result<Place, GitError> {
    let text = byte_name::text(path);
    match RepoPath::new(&text) {
        Some(path) => Ok(Place::Inside(path)),
        None => Err(GitError::Path { path: byte_name::shown(&text).into_owned() }),
    }
}

/// Returns where a path of the repository is on disk.
pub(super) fn on_disk(root: &Path, path: &BStr) -> Result<PathBuf, GitError> {
    match gix::path::from_bstr(path) {
        Ok(path) => Ok(root.join(path)),
        Err(_) => {
            Err(GitError::Path { path: byte_name::shown(&byte_name::text(path)).into_owned() })
        }
    }
}

/// The paths on which a state differs from every state that it is compared with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Deltas {
    /// One for each path, in git's order.
    pub list: Vec<Delta>,
    /// How many more paths differ from the first state, and equal another one: a merge brings
    /// them in as they were.
    pub inherited: usize,
    /// How many new files may be old ones that were moved and edited, which was not looked for: every
    /// line of theirs counts as new.
    pub unpaired: usize,
}

impl Deltas {
    /// Returns what a reader should know of files that may have been moved.
    #[must_use]
    pub fn unpaired_note(&self) -> Option<String> {
        (self.unpaired > 0).then(|| {
            format!(
                "{} new files are too many to look for those that were moved and edited, so every \
                 line of theirs counts as new",
                self.unpaired
            )
        })
    }
}

/// Joins the differences from several states, the first of which (HEAD, the first parent) counts
/// for what became of a path and where it was.
pub(super) fn join(mut lists: Vec<Vec<Difference>>, unpaired: usize) -> Result<Deltas, GitError> {
    let mut deltas = Deltas { unpaired, ..Deltas::default() };
    if lists.is_empty() {
        return Ok(deltas);
    }
    let first = lists.remove(0);
    let mut unread: Vec<Difference> = Vec::new();
    for other in lists.iter().flatten() {
        if matches!(other.now, Now::Unread(_)) {
            unread.push(other.clone());
        }
    }
    let others: Vec<HashMap<BString, Option<Version>>> = lists
        .into_iter()
        .map(|list| list.into_iter().map(|other| (other.path, other.before)).collect())
        .collect();
    for difference in first {
        if matches!(difference.now, Now::Unread(_)) {
            unread.push(difference);
            continue;
        }
        let also: Option<Vec<_>> =
            others.iter().map(|other| other.get(&difference.path).copied()).collect();
        match also {
            Some(also) => deltas.list.push(Delta::new(difference, also)?),
            None => deltas.inherited += 1,
        }
    }
    // Whatever is below them may differ from every state.
    unread.sort_by(|one, two| one.path.cmp(&two.path));
    unread.dedup_by(|one, two| one.path == two.path);
    for folder in unread {
        deltas.list.push(Delta::new(folder, Vec::new())?);
    }
    Ok(deltas)
}
