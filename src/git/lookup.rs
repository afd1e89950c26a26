//! What does the repository say about one path?

use super::delta::Version;
use super::error::GitError;
use super::index::{Entry, Index};
use super::objects::{Found, LARGEST, Objects};
use super::repo::{Id, Repo};
use super::staged::stored;
use super::text;
use super::tree::Entries;
use crate::domain::Content;
use crate::domain::byte_name;
use crate::domain::text::decode;
use gix::ObjectId;
use gix::bstr::{BStr, ByteSlice};
use gix::index::entry::{Flags, Mode as IndexMode, Stage};
use gix::objs::Kind;
use gix::objs::tree::EntryKind;
use std::borrow::Cow;
use std::path::Path;

/// How the index knows a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tracked {
    /// It does not.
    No,
    /// It holds a version of it.
    Yes {
        /// It is outside a sparse checkout, or marked so: git expects no such file on disk.
        skip_worktree: bool,
    },
    /// It will be added: `git add --intent-to-add`.
    Intended,
    /// A merge left several versions of it.
    Unmerged,
    /// It is below the folder of another repository, whose commit is what is tracked.
    InSubmodule,
    /// It is the folder of another repository, whose commit is what is tracked.
    Submodule,
    /// It is in a folder that a sparse index holds as one entry.
    InSparseFolder,
}

impl Repo {
    /// Reads the content of a path in a commit; `None` when no file is there.
    ///
    /// A symbolic link's content is the path it points to.
    pub fn blob_at(&self, revision: &str, path: &str) -> Result<Option<Vec<u8>>, GitError> {
        let commit = self.commit(revision)?;
        let objects = self.objects();
        let tree = objects.commit(commit.0)?.tree;
        match find(&objects, tree, path.as_bytes().as_bstr())? {
            Some(blob) => blob_of(&objects, blob).map(Some),
            None => Ok(None),
        }
    }

    /// Reads the content of a path in the index; `None` when no file is there, or when it is in
    /// conflict.
    pub fn staged_blob(&self, path: &str) -> Result<Option<Vec<u8>>, GitError> {
        self.read_index()?.blob(self, path)
    }

    /// Returns how the index knows a path.
    pub fn index_entry(&self, path: &str) -> Result<Tracked, GitError> {
        self.read_index().map(|index| index.entry(path))
    }

    /// Returns the first path below a folder (named with its `/`) that the index holds.
    pub fn first_below(&self, folder: &str) -> Result<Option<String>, GitError> {
        let index = self.read_index()?;
        let at = index.position(folder.as_bytes().as_bstr());
        let first = (at < index.len()).then(|| index.path(at));
        Ok(first.filter(|path| path.starts_with(folder.as_bytes())).map(ToString::to_string))
    }

    /// Returns the paths below a folder of the working tree that the index holds, from that folder;
    /// none where a sparse index leaves files out.
    pub fn tracked_below(&self, folder: &Path) -> Result<Vec<String>, GitError> {
        let index = self.read_index()?;
        let below = self.root().and_then(|root| folder.strip_prefix(root).ok());
        let mut prefix = below.map_or(Cow::Borrowed(""), byte_name::of_path).into_owned();
        if !prefix.is_empty() {
            prefix = prefix.replace(std::path::MAIN_SEPARATOR, "/") + "/";
        }
        let paths = (0..index.len()).map(|at| index.path(at));
        let paths: Vec<String> = paths
            .filter_map(|path| byte_name::text(path).strip_prefix(&prefix).map(str::to_owned))
            .collect();
        let is_sparse = paths.iter().any(|path| path.ends_with('/'));
        Ok(if is_sparse { Vec::new() } else { paths })
    }

    /// Tells whether git ignores a path that is not tracked (by `.gitignore`, `info/exclude` or
    /// the person's own list).
    pub fn is_ignored(&self, path: &str, is_folder: bool) -> Result<bool, GitError> {
        let index = self.read_index()?.ignoring();
        let objects = self.objects();
        let failed = |source| GitError::Other { doing: "reading what is ignored", source };
        let mut ignored = objects.local.excludes(&index, None, IGNORE).map_err(failed)?;
        let mode = if is_folder { IndexMode::DIR } else { IndexMode::FILE };
        let path = byte_name::bytes(path);
        let path = path.as_bstr();
        Ok(ignored.at_entry(path, Some(mode)).map_err(failed)?.is_excluded())
    }
}

impl Index {
    /// Returns how it knows a path.
    #[must_use]
    pub fn entry(&self, path: &str) -> Tracked {
        let path = byte_name::bytes(path);
        let path = path.as_bstr();
        match self.get(path) {
            Some(entry) if entry.stage() != Stage::Unconflicted => Tracked::Unmerged,
            Some(entry) if entry.is_intended() => Tracked::Intended,
            Some(entry) if entry.mode.is_submodule() => Tracked::Submodule,
            Some(entry) => {
                Tracked::Yes { skip_worktree: entry.flags.contains(Flags::SKIP_WORKTREE) }
            }
            None => match self.above(path) {
                Some((_, entry)) if entry.mode.is_submodule() => Tracked::InSubmodule,
                Some((_, entry)) if entry.mode.is_sparse() => Tracked::InSparseFolder,
                _ => Tracked::No,
            },
        }
    }

    /// Reads the content of a path of this index of `repo`; `None` when no file is there, or when
    /// it is in conflict.
    pub fn blob(&self, repo: &Repo, path: &str) -> Result<Option<Vec<u8>>, GitError> {
        self.blob_among(&repo.objects(), path)
    }

    /// Reads the content of a path as [`Index::blob`] does, from objects that are at hand.
    pub(super) fn blob_among(
        &self,
        objects: &Objects<'_>,
        path: &str,
    ) -> Result<Option<Vec<u8>>, GitError> {
        let path = byte_name::bytes(path);
        let path = path.as_bstr();
        if let Some(entry) = self.get(path) {
            if !entry.is_settled() || !is_content(entry.mode) {
                return Ok(None);
            }
            let version = stored(entry).stored();
            return version.map(|Version { id, .. }| blob_of(objects, id)).transpose();
        }
        let Some((folder, above)) = self.above(path) else { return Ok(None) };
        if !above.mode.is_sparse() {
            return Ok(None);
        }
        let below = path.get(folder.len()..).unwrap_or_default().as_bstr();
        match find(objects, above.id, below)? {
            Some(blob) => blob_of(objects, blob).map(Some),
            None => Ok(None),
        }
    }

    /// Reads a path as [`Index::blob`] does, and decodes it; the pointer that Git LFS stores in
    /// place of a file is none of its text.
    pub fn content(&self, repo: &Repo, path: &str) -> Result<Option<Content>, GitError> {
        let content = self.blob(repo, path)?.map(|bytes| decode(bytes).content);
        Ok(content.map(|content| match content {
            Content::Text(text) if text::is_lfs_pointer(&text) => Content::Binary,
            content => content,
        }))
    }

    /// Returns a path that differs from this one in upper and lower case alone.
    #[must_use]
    pub fn spelled_otherwise(&self, path: &str) -> Option<String> {
        let folded = path.to_lowercase();
        let is_ascii = path.is_ascii();
        let same = |other: &&BStr| {
            if is_ascii && other.is_ascii() {
                other.eq_ignore_ascii_case(path.as_bytes())
            } else {
                byte_name::text(other).to_lowercase() == folded
            }
        };
        let mut paths = (0..self.len()).map(|at| self.path(at));
        let own = byte_name::bytes(path);
        let found = paths.find(|other| *other != &*own && same(other));
        found.map(|other| byte_name::text(other).into_owned())
    }

    /// Returns the folder above a path that the index holds as one entry, and that entry.
    pub(super) fn above<'p>(&self, path: &'p BStr) -> Option<(&'p BStr, Entry)> {
        path.find_iter("/").find_map(|end| {
            let folder = path.get(..=end)?.as_bstr();
            let name = path.get(..end)?.as_bstr();
            self.get(name).or_else(|| self.get(folder)).map(|entry| (folder, entry))
        })
    }
}

/// Files of patterns are read from the working tree first, then from the index.
pub(super) const IGNORE: gix::worktree::stack::state::ignore::Source =
    gix::worktree::stack::state::ignore::Source::WorktreeThenIdMappingIfNotSkipped;

fn is_content(mode: IndexMode) -> bool {
    !mode.is_submodule() && !mode.is_sparse()
}

/// Returns the content that a tree has at a path, unless a folder or nothing is there.
pub(super) fn find(
    objects: &Objects<'_>,
    tree: ObjectId,
    path: &BStr,
) -> Result<Option<ObjectId>, GitError> {
    let entry = entry_of(objects, tree, path)?;
    Ok(entry
        .filter(|(kind, _)| !matches!(kind, EntryKind::Tree | EntryKind::Commit))
        .map(|it| it.1))
}

/// Returns what a tree has at a path.
pub(super) fn entry_of(
    objects: &Objects<'_>,
    tree: ObjectId,
    path: &BStr,
) -> Result<Option<(EntryKind, ObjectId)>, GitError> {
    let mut tree = tree;
    let mut parts = path.split(|byte| *byte == b'/').peekable();
    let mut buf = Vec::new();
    while let Some(part) = parts.next() {
        if objects.read(tree, &mut buf)? != Kind::Tree {
            return Ok(None);
        }
        let mut entries = Entries::new(objects, Some(tree), &buf);
        let mut found = None;
        while let Some(entry) = entries.peek()? {
            if entry.filename == part.as_bstr() {
                found = Some((entry.mode.kind(), entry.oid.to_owned()));
                break;
            }
            entries.next();
        }
        match found {
            Some((EntryKind::Tree, id)) if parts.peek().is_some() => tree = id,
            Some(_) if parts.peek().is_some() => return Ok(None),
            found => return Ok(found),
        }
    }
    Ok(None)
}

pub(super) fn blob_of(objects: &Objects<'_>, id: ObjectId) -> Result<Vec<u8>, GitError> {
    let mut bytes = Vec::new();
    match objects.find(id, LARGEST, &mut bytes)? {
        Found::Whole(_) => Ok(bytes),
        Found::TooLarge(size) => Err(GitError::Object {
            id: Id(id),
            source: gix::Error::from_error(gix::error::message!("it has {size} bytes")),
        }),
    }
}
