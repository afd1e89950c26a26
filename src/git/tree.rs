//! Where do two trees differ?
//!
//! Folders with equal ids are skipped; every other entry of the newer tree is looked at. So even
//! a tree whose entries are out of order can only make more differences, never fewer.

use super::delta::{Difference, Mode, Now, Version};
use super::error::GitError;
use super::objects::Objects;
use super::repo::Id;
use crate::domain::byte_name;
use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};
use gix::objs::tree::{EntryMode, EntryRef, name_order};
use gix::objs::{Kind, TreeRefIter};
use std::cmp::Ordering;

/// How deep folders may be nested; git's own limit.
pub const DEEPEST: usize = 2048;

/// An entry of a tree or of an index, seen from its folder.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    pub(super) mode: EntryMode,
    pub(super) id: ObjectId,
}

impl Entry {
    fn version(self) -> Option<Version> {
        Mode::of(self.mode).map(|mode| Version { mode, id: self.id })
    }
}

impl From<EntryRef<'_>> for Entry {
    fn from(entry: EntryRef<'_>) -> Self {
        Self { mode: entry.mode, id: entry.oid.to_owned() }
    }
}

/// A walk that collects differences.
pub(super) struct Walk<'o, 'r> {
    pub(super) objects: &'o Objects<'r>,
    pub(super) found: Vec<Difference>,
    /// The folder that the walk is in: empty, or ending with `/`.
    folder: BString,
    depth: usize,
}

/// Returns the differences between two trees; no tree at all is an empty one.
pub(super) fn between(
    objects: &Objects<'_>,
    old: Option<ObjectId>,
    new: Option<ObjectId>,
) -> Result<Vec<Difference>, GitError> {
    let mut walk = Walk::new(objects);
    walk.trees(old, new)?;
    Ok(walk.found)
}

impl<'o, 'r> Walk<'o, 'r> {
    pub(super) fn new(objects: &'o Objects<'r>) -> Self {
        Self { objects, found: Vec::new(), folder: BString::default(), depth: 0 }
    }

    pub(super) fn folder(&self) -> &BStr {
        self.folder.as_bstr()
    }

    /// Walks two versions of the same folder.
    pub(super) fn trees(
        &mut self,
        old: Option<ObjectId>,
        new: Option<ObjectId>,
    ) -> Result<(), GitError> {
        if old == new {
            return Ok(());
        }
        let (old_bytes, new_bytes) = match (self.tree(old), self.tree(new)) {
            (Ok(old), Ok(new)) => (old, new),
            (Err(error), _) | (_, Err(error)) => return self.unread(error),
        };
        let mut olds = Entries::new(self.objects, old, &old_bytes);
        let mut news = Entries::new(self.objects, new, &new_bytes);
        loop {
            let (before, now) = match (olds.peek()?, news.peek()?) {
                (None, None) => return Ok(()),
                (Some(_), None) => (olds.next(), None),
                (None, Some(_)) => (None, news.next()),
                (Some(before), Some(now)) => match order(before, now) {
                    Ordering::Less => (olds.next(), None),
                    Ordering::Greater => (None, news.next()),
                    Ordering::Equal => (olds.next(), news.next()),
                },
            };
            if let Some(name) = before.or(now).map(|entry| entry.filename) {
                self.entry(name, before.map(Entry::from), now.map(Entry::from))?;
            }
        }
    }

    /// Notes that the folder could not be compared; the rest of the walk goes on. Of the folder
    /// at the top there is no rest.
    pub(super) fn unread(&mut self, error: GitError) -> Result<(), GitError> {
        let (GitError::Missing { id, .. }, Some(name)) = (&error, self.folder.strip_suffix(b"/"))
        else {
            return Err(error);
        };
        self.found.push(Difference::new(name.as_bstr(), None, Now::Unread(id.0)));
        Ok(())
    }

    /// Notes all that is below an entry as gone.
    pub(super) fn gone(&mut self, before: EntryRef<'_>) -> Result<(), GitError> {
        self.entry(before.filename, Some(before.into()), None)
    }

    /// Compares two entries of one name, both folders or neither.
    fn entry(
        &mut self,
        name: &BStr,
        before: Option<Entry>,
        now: Option<Entry>,
    ) -> Result<(), GitError> {
        if before.or(now).is_some_and(|entry| entry.mode.is_tree()) {
            let ids = (before.map(|entry| entry.id), now.map(|entry| entry.id));
            return self.within(name, |walk| walk.trees(ids.0, ids.1));
        }
        let (before, now) = (before.and_then(Entry::version), now.and_then(Entry::version));
        self.compare(name, before, now.map_or(Now::Nothing, Now::Stored));
        Ok(())
    }

    /// Notes a path on which the two sides differ.
    pub(super) fn compare(&mut self, name: &BStr, before: Option<Version>, now: Now) {
        if before != now.stored() || now == Now::Unmerged {
            let mut path = self.folder.clone();
            path.extend_from_slice(name);
            self.found.push(Difference::new(path.as_bstr(), before, now));
        }
    }

    /// Walks a folder of the current one.
    pub(super) fn within(
        &mut self,
        name: &BStr,
        walk: impl FnOnce(&mut Self) -> Result<(), GitError>,
    ) -> Result<(), GitError> {
        if self.depth == DEEPEST {
            let path = byte_name::text(self.folder.get(..200).unwrap_or(&self.folder));
            let path = byte_name::shown(&path).into_owned();
            return Err(GitError::Deep { path });
        }
        let length = self.folder.len();
        self.folder.extend_from_slice(name);
        self.folder.push(b'/');
        self.depth += 1;
        let walked = walk(self);
        self.depth -= 1;
        self.folder.truncate(length);
        walked
    }

    /// Reads a tree; no tree at all is an empty one.
    pub(super) fn tree(&self, id: Option<ObjectId>) -> Result<Vec<u8>, GitError> {
        let mut bytes = Vec::new();
        let Some(id) = id else { return Ok(bytes) };
        match self.objects.read(id, &mut bytes)? {
            Kind::Tree => Ok(bytes),
            kind => Err(GitError::Object {
                id: Id(id),
                source: gix::Error::from_error(gix::error::message!("it is a {kind}, no tree")),
            }),
        }
    }
}

fn order(one: EntryRef<'_>, two: EntryRef<'_>) -> Ordering {
    name_order(one.filename, one.mode.is_tree(), two.filename, two.mode.is_tree())
}

/// The entries of a tree, with a view of the next one.
pub(super) struct Entries<'b> {
    id: Option<ObjectId>,
    left: TreeRefIter<'b>,
    next: Option<EntryRef<'b>>,
}

impl<'b> Entries<'b> {
    pub(super) fn new(objects: &Objects<'_>, id: Option<ObjectId>, bytes: &'b [u8]) -> Self {
        Self { id, left: TreeRefIter::from_bytes(bytes, objects.hash()), next: None }
    }

    pub(super) fn peek(&mut self) -> Result<Option<EntryRef<'b>>, GitError> {
        if self.next.is_none() {
            self.next = self.left.next().transpose().map_err(|source| {
                let id = self.id.unwrap_or_else(|| ObjectId::null(gix::hash::Kind::Sha1));
                GitError::Object { id: Id(id), source }
            })?;
        }
        Ok(self.next)
    }

    /// Takes the entry that was seen last.
    pub(super) fn next(&mut self) -> Option<EntryRef<'b>> {
        self.next.take()
    }
}
