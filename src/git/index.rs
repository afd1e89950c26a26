//! What does the index hold?
//!
//! A check searches the paths and looks at a few hundred entries, so no more than they need is
//! read of an index in the usual form ([`Light`]): `check-staged` of 30 among 11,000 files touches
//! 590 pages of memory in place of 820 for that, and takes 0.8 of the time. Any other form is read
//! whole, by gix, which also says what is wrong with one that is damaged: version 4, which spells
//! each path by the one before it; one that is split over two files; one that holds folders in
//! place of files. And so it is for the comparison with the working tree, which needs the times
//! and sizes too ([`Repo::state`]).

mod folders;
mod light;

use super::error::GitError;
use super::repo::Repo;
use folders::Node;
use gix::ObjectId;
use gix::bstr::{BStr, ByteSlice};
use gix::index::State;
use gix::index::entry::{Flags, Mode, Stage};
use gix::index::extension::Tree;
use light::Light;
use std::io::ErrorKind;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// The index as it was when it was read; a copy is the same one.
#[derive(Clone)]
pub struct Index(Form);

#[derive(Clone)]
enum Form {
    Light(Arc<Light>),
    Whole(Arc<State>),
}

/// An entry of the index, without its path and without what is remembered of the file on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) mode: Mode,
    pub(super) id: ObjectId,
    pub(super) flags: Flags,
}

/// What the index remembers of a folder.
#[derive(Clone, Copy)]
pub(super) struct Known<'i>(Memory<'i>);

#[derive(Clone, Copy)]
enum Memory<'i> {
    Light(&'i Light, &'i Node),
    Whole(&'i Tree),
}

impl Repo {
    /// Returns the index as it was when it was first asked for: reading it is most of the work of
    /// a small check, and several questions go to it.
    pub fn read_index(&self) -> Result<Index, GitError> {
        if let Some(index) = self.index.get() {
            return Ok(index.clone());
        }
        let index = match self.light() {
            Some(light) => Index(Form::Light(Arc::new(light))),
            None => Index(Form::Whole(self.state()?)),
        };
        Ok(self.index.get_or_init(|| index).clone())
    }

    fn light(&self) -> Option<Light> {
        // What was read whole needs no second reading.
        if self.state.get().is_some() {
            return None;
        }
        let local = self.local();
        Light::read(&local.index_path(), local.object_hash())
    }

    /// Returns the whole index as it was when it was first asked for.
    pub(super) fn state(&self) -> Result<Arc<State>, GitError> {
        if let Some(state) = self.state.get() {
            return Ok(Arc::clone(state));
        }
        let state = self.read_state()?;
        Ok(Arc::clone(self.state.get_or_init(|| Arc::new(state))))
    }

    /// Reads the index; a repository in which nothing was ever added has an empty one.
    ///
    /// Its trailing checksum is not verified, as git itself does not: for 100,000 entries that
    /// saves 13 of 21 ms.
    fn read_state(&self) -> Result<State, GitError> {
        let local = self.local();
        let (path, hash) = (local.index_path(), local.object_hash());
        let read = gix::index::File::at(
            &path,
            hash,
            true,
            gix::index::decode::Options { thread_limit: Some(1), ..Default::default() },
        );
        match read {
            Ok(file) => Ok(file.into()),
            Err(error) if absent(&error, &path) => {
                if self.root().is_none() {
                    return Err(GitError::Bare { git_dir: self.git_dir().to_owned() });
                }
                Ok(State::new(hash))
            }
            Err(source) => Err(GitError::Index { path, source }),
        }
    }
}

/// The index itself is not there; a missing shared part of a split index is another matter.
fn absent(error: &gix::Error, path: &Path) -> bool {
    error
        .downcast_any_ref::<gix::index::file::init::OpenError>()
        .is_some_and(|error| error.path == path && error.source.kind() == ErrorKind::NotFound)
}

impl Index {
    /// Returns an index that was read whole.
    pub(super) fn of(state: &Arc<State>) -> Self {
        Self(Form::Whole(Arc::clone(state)))
    }

    /// Tells whether nothing at all is staged.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns how many entries there are.
    pub(super) fn len(&self) -> usize {
        match &self.0 {
            Form::Light(light) => light.len(),
            Form::Whole(state) => state.entries().len(),
        }
    }

    /// Returns the path of an entry; past the last one that is an empty path.
    pub(super) fn path(&self, at: usize) -> &BStr {
        match &self.0 {
            Form::Light(light) => light.path(at),
            Form::Whole(state) => {
                let entry = state.entries().get(at);
                entry.map_or(b"".as_bstr(), |entry| entry.path(state))
            }
        }
    }

    /// Returns the entry at a position.
    pub(super) fn entry_at(&self, at: usize) -> Option<Entry> {
        match &self.0 {
            Form::Light(light) => light.entry(at),
            Form::Whole(state) => state.entries().get(at).map(Entry::from),
        }
    }

    /// Returns the entry of a path: its first version when it is in conflict.
    pub(super) fn get(&self, path: &BStr) -> Option<Entry> {
        let at = self.position(path);
        if self.path(at) == path { self.entry_at(at) } else { None }
    }

    /// Returns where a path is, or would be.
    pub(super) fn position(&self, path: &BStr) -> usize {
        self.partition_point(0..self.len(), |other| other < path)
    }

    /// Returns where the entries end that meet a condition, which those before others do.
    pub(super) fn partition_point(
        &self,
        entries: Range<usize>,
        meets: impl Fn(&BStr) -> bool,
    ) -> usize {
        let Range { mut start, mut end } = entries;
        while start < end {
            let middle = start.midpoint(end);
            if meets(self.path(middle)) {
                start = middle + 1;
            } else {
                end = middle;
            }
        }
        start
    }

    /// Returns what the index remembers of the topmost folder.
    pub(super) fn root(&self) -> Option<Known<'_>> {
        Some(Known(match &self.0 {
            Form::Light(light) => Memory::Light(light, light.folders()?.root()?),
            Form::Whole(state) => Memory::Whole(state.tree()?),
        }))
    }

    /// Returns an index that holds the same lists of ignored paths, and maybe nothing else.
    pub(super) fn ignoring(&self) -> Arc<State> {
        match &self.0 {
            Form::Light(light) => Arc::new(light.ignoring()),
            Form::Whole(state) => Arc::clone(state),
        }
    }
}

impl Entry {
    /// Returns which version of its path it is.
    pub(super) fn stage(&self) -> Stage {
        self.flags.stage()
    }

    /// Tells whether the path is to be added, and nothing of it is here yet.
    pub(super) fn is_intended(&self) -> bool {
        self.flags.contains(Flags::INTENT_TO_ADD)
    }

    /// Tells whether it is the one version of its path, and not only the wish to add it.
    pub(super) fn is_settled(&self) -> bool {
        self.stage() == Stage::Unconflicted && !self.is_intended()
    }
}

impl From<&gix::index::Entry> for Entry {
    fn from(entry: &gix::index::Entry) -> Self {
        Self { mode: entry.mode, id: entry.id, flags: entry.flags }
    }
}

impl Known<'_> {
    /// Returns the tree that a commit would hold of the folder; none when something in it was
    /// staged since its tree was written.
    pub(super) fn tree(self) -> Option<ObjectId> {
        match self.0 {
            Memory::Light(light, node) => light.tree_of(node),
            Memory::Whole(tree) => tree.num_entries.map(|_| tree.id),
        }
    }

    /// Returns how many entries are below it, as the index says; that may be wrong.
    pub(super) fn claimed(self) -> usize {
        match self.0 {
            Memory::Light(_, node) => node.entries as usize,
            Memory::Whole(tree) => tree.num_entries.unwrap_or_default() as usize,
        }
    }

    /// Returns what is remembered of a folder in this one.
    pub(super) fn child(self, name: &BStr) -> Option<Self> {
        Some(Self(match self.0 {
            Memory::Light(light, node) => {
                Memory::Light(light, light.folders()?.child(light.bytes(), node, name)?)
            }
            Memory::Whole(tree) => {
                let by_name = |child: &Tree| child.name.as_slice().cmp(name);
                let at = tree.children.binary_search_by(by_name).ok()?;
                Memory::Whole(tree.children.get(at)?)
            }
        }))
    }
}

#[cfg(test)]
mod tests;
