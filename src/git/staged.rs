//! What does the index hold that HEAD does not?
//!
//! The index is walked folder by folder beside the tree. Its TREE extension knows the tree id of
//! every folder in which nothing was staged, so those are skipped: of 100,000 files with 150
//! staged, a few hundred folders are read. The extension's entry counts are not trusted: where a
//! folder ends is seen from the paths. git itself writes the tree of a commit from the same
//! ids, so what the extension claims is what a commit would hold.

use super::delta::{Deltas, Difference, Mode, Now, Version, join};
use super::error::GitError;
use super::index::{Entry, Index, Known};
use super::objects::Objects;
use super::renames;
use super::repo::Repo;
use super::tree::{Entries, Walk};
use gix::ObjectId;
use gix::bstr::{BStr, ByteSlice};
use gix::index::entry::Stage;
use gix::objs::tree::{EntryRef, name_order};
use std::cmp::Ordering;
use std::ops::Range;

impl Repo {
    /// Compares the index with HEAD, and during a merge with the commits that it brings in too.
    ///
    /// Files added with `git add --intent-to-add` are not in the index yet. A commit that is
    /// being amended is HEAD itself: what it already holds is not staged.
    pub fn staged(&self) -> Result<Deltas, GitError> {
        let objects = self.objects();
        let index = self.read_index()?;
        let (mut lists, mut unpaired) = (Vec::new(), 0);
        for tree in self.compared(&objects)? {
            let mut differences = against(&objects, &index, tree)?;
            unpaired = renames::pair(&objects, &mut differences).max(unpaired);
            lists.push(differences);
        }
        join(lists, unpaired)
    }

    /// Returns the trees that the next commit is compared with: HEAD's first (none while the
    /// branch has no commits), then those that a merge brings in.
    pub(super) fn compared(
        &self,
        objects: &Objects<'_>,
    ) -> Result<Vec<Option<ObjectId>>, GitError> {
        let head = match self.head_by(&objects.local)? {
            Some(head) => Some(objects.tree_of(head.0)?),
            None => None,
        };
        let mut trees = vec![head];
        for parent in self.merge_heads()? {
            trees.push(Some(objects.tree_of(parent.0)?));
        }
        Ok(trees)
    }
}

/// Returns the differences between a tree and the index.
pub(super) fn against(
    objects: &Objects<'_>,
    index: &Index,
    tree: Option<ObjectId>,
) -> Result<Vec<Difference>, GitError> {
    let mut walk = Walk::new(objects);
    folder(&mut walk, index, 0..index.len(), tree, index.root())?;
    Ok(walk.found)
}

/// Walks one folder: `entries` are all entries of the index below it, `known` is what the index
/// remembers of it.
fn folder(
    walk: &mut Walk<'_, '_>,
    index: &Index,
    mut entries: Range<usize>,
    tree: Option<ObjectId>,
    known: Option<Known<'_>>,
) -> Result<(), GitError> {
    if tree.is_some() && known.and_then(Known::tree) == tree {
        return Ok(());
    }
    let bytes = match walk.tree(tree) {
        Ok(bytes) => bytes,
        Err(error) => return walk.unread(error),
    };
    let mut olds = Entries::new(walk.objects, tree, &bytes);
    loop {
        let staged = Head::of(index, &entries, walk.folder());
        let (before, now) = match (olds.peek()?, staged) {
            (None, None) => return Ok(()),
            (before, None) => (before, None),
            (None, now) => (None, now),
            (Some(before), Some(now)) => match now.order(before) {
                Ordering::Less => (None, Some(now)),
                Ordering::Greater => (Some(before), None),
                Ordering::Equal => (Some(before), Some(now)),
            },
        };
        if before.is_some() {
            olds.next();
        }
        let Some(now) = now else {
            let before = before.expect("one of the two is there");
            walk.gone(before)?;
            continue;
        };
        if now.is_folder {
            let subtree = before.map(|entry| entry.oid.to_owned());
            if now.entry.mode.is_sparse() {
                // A folder outside a sparse checkout is one entry with the id of its tree.
                entries.start += 1;
                walk.within(now.name, |walk| walk.trees(subtree, Some(now.entry.id)))?;
                continue;
            }
            let known = known.and_then(|known| known.child(now.name));
            let claimed = known.map_or(0, Known::claimed);
            let below = below(index, &entries, (walk.folder(), now.name), claimed);
            entries.start = below.end;
            walk.within(now.name, |walk| folder(walk, index, below, subtree, known))?;
        } else {
            let before = before.and_then(|entry| {
                Mode::of(entry.mode).map(|mode| Version { mode, id: entry.oid.to_owned() })
            });
            let path = index.path(entries.start);
            entries.start += 1;
            if now.entry.stage() != Stage::Unconflicted {
                while !entries.is_empty() && index.path(entries.start) == path {
                    entries.start += 1;
                }
                walk.compare(now.name, before, Now::Unmerged);
            } else if now.entry.is_intended() {
                walk.compare(now.name, before, Now::Nothing);
            } else {
                walk.compare(now.name, before, stored(now.entry));
            }
        }
    }
}

/// Returns what an entry of the index holds. A mode that nobody knows is taken for a file's, so
/// that the entry is looked at.
pub(super) fn stored(entry: Entry) -> Now {
    let mode = entry.mode.to_tree_entry_mode().and_then(Mode::of).unwrap_or(Mode::File);
    Now::Stored(Version { mode, id: entry.id })
}

/// The first entry of the index that a folder still has, seen from that folder.
#[derive(Clone, Copy)]
struct Head<'i> {
    entry: Entry,
    name: &'i BStr,
    is_folder: bool,
}

impl<'i> Head<'i> {
    fn of(index: &'i Index, entries: &Range<usize>, folder: &BStr) -> Option<Self> {
        if entries.is_empty() {
            return None;
        }
        let entry = index.entry_at(entries.start).expect("the walk stays within the index");
        let below = index.path(entries.start).get(folder.len()..).unwrap_or_default();
        Some(match below.find_byte(b'/') {
            Some(end) => Self {
                entry,
                name: below.get(..end).unwrap_or_default().as_bstr(),
                is_folder: true,
            },
            None => Self { entry, name: below.as_bstr(), is_folder: false },
        })
    }

    fn order(self, other: EntryRef<'_>) -> Ordering {
        name_order(self.name, self.is_folder, other.filename, other.mode.is_tree())
    }
}

/// Returns those first entries of the current folder that are below a folder in it.
///
/// Whether they are as many as claimed is seen from two paths, which mostly spares the search.
fn below(
    index: &Index,
    entries: &Range<usize>,
    (folder, name): (&BStr, &BStr),
    claimed: usize,
) -> Range<usize> {
    let is_below = |path: &BStr| {
        path.get(folder.len()..)
            .and_then(|path| path.strip_prefix(name.as_bytes()))
            .is_some_and(|path| path.first() == Some(&b'/'))
    };
    // The first entry is known to be below it, so that the walk always moves on.
    let Range { start, end } = *entries;
    let likely = start.saturating_add(claimed);
    if (start + 1..=end).contains(&likely)
        && is_below(index.path(likely - 1))
        && (likely == end || !is_below(index.path(likely)))
    {
        return start..likely;
    }
    start..index.partition_point(start + 1..end, is_below)
}
