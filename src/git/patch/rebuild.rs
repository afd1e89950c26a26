//! What does a file hold after a patch, when the repository holds what it was?
//!
//! The old file is looked for by the id that the patch names it with, and at its path: in the
//! working tree, in the index, in HEAD. Where the patch names an id, it must be that. Every line
//! that the patch takes out or leaves must stand where the patch says; one that does not fit leaves
//! the file unknown, as before.

use super::binary::{self, Stored};
use super::head::Fate;
use super::hunks::Hunk;
use super::names::Pair;
use super::{Head, Patched, Problem, names};
use crate::domain::text::decode;
use crate::domain::{Content, Place, diff};
use crate::git::objects::{Found, LARGEST, Objects};
use crate::git::{Repo, Unchecked};
use crate::git::{delta, lookup, reading};
use gix::ObjectId;
use gix::bstr::ByteSlice;
use gix::hash::Prefix;
use gix::objs::{Kind, compute_hash};
use std::fs;
use std::iter::once_with;

/// What the file after a patch can be worked out from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OldSide {
    /// Where the old file is.
    place: Place,
    /// Its object, by its abbreviated id.
    id: Option<String>,
    /// Whether the file is a copy, so that every line of it is added.
    copied: bool,
    /// What the patch replaces in it.
    pub(super) hunks: Vec<Hunk>,
}

impl OldSide {
    /// Returns where a patched file comes from; a new one comes from nowhere.
    pub(super) fn of(head: &Head, pair: &Pair) -> Result<Option<Self>, Problem> {
        let Some(old) = pair.old.as_ref().filter(|_| head.fate == Fate::Kept) else {
            return Ok(None);
        };
        Ok(Some(Self {
            place: names::place(old)?,
            id: head.was.clone(),
            copied: head.copied_from.is_some(),
            hunks: Vec::new(),
        }))
    }

    /// Returns the file after the patch; `None` when this is not the file before it.
    fn apply(&self, old: &[u8]) -> Option<Vec<u8>> {
        let mut new = Vec::with_capacity(old.len());
        let mut lines = old.split_inclusive(|byte| *byte == b'\n');
        let mut line = 1;
        for hunk in &self.hunks {
            while line < hunk.first {
                new.extend_from_slice(lines.next()?);
                line += 1;
            }
            for expected in hunk.old.split_inclusive(|byte| *byte == b'\n') {
                if lines.next()? != expected {
                    return None;
                }
                line += 1;
            }
            new.extend_from_slice(&hunk.new);
        }
        lines.for_each(|rest| new.extend_from_slice(rest));
        Some(new)
    }
}

/// What is known of a content that a patch does not show as lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hidden {
    /// Its object, by its abbreviated id.
    pub(super) becomes: Option<String>,
    /// What the patch holds of it.
    pub(super) stored: Stored,
}

impl Patched {
    /// Shows a content that the patch holds as a whole: as long as the old one is not known, every
    /// line of it is new.
    pub(super) fn show_whole(&mut self) {
        if let Some(Hidden { stored: Stored::Whole(content), .. }) = &self.hidden {
            let content = content.clone();
            self.show(None, content);
        }
    }

    /// Takes in both contents of a file that the patch does not show as lines, as those of a file
    /// in the repository are read.
    fn show(&mut self, old: Option<Vec<u8>>, new: Vec<u8>) {
        let (old, new) = (decode(old.unwrap_or_default()), decode(new));
        let added = match new.content.text() {
            Some(text) => reading::added(std::iter::once(old.read_main()), text),
            None => Ok(Vec::new()),
        };
        let others = || reading::others(new.others, std::slice::from_ref(&old));
        let change = &mut self.change;
        match added.and_then(|added| Ok((added, others()?))) {
            Ok((added, others)) => {
                (change.added, change.others) = (added, others);
                change.after = new.content;
                let binary = change.after == Content::Binary;
                self.not_checked = binary.then(|| Unchecked::Binary.to_string());
            }
            Err(lines) => {
                let why = Unchecked::TooLong(lines).to_string();
                change.after = Content::Unknown(why.clone());
                (change.unsure, self.not_checked) = (Some(why.clone()), Some(why));
            }
        }
        change.before = Some(vec![old.into_main()]);
    }
}

/// A repository in which the old side of patches is looked for.
pub struct OldFiles<'r> {
    objects: Objects<'r>,
    head: Option<ObjectId>,
}

impl Repo {
    /// Returns where the old side of patches is looked for.
    #[must_use]
    pub fn old_files(&self) -> OldFiles<'_> {
        let objects = self.objects();
        let head = self.head().ok().flatten();
        let head = head.and_then(|head| objects.tree_of(head.0).ok());
        OldFiles { objects, head }
    }
}

impl OldFiles<'_> {
    /// Works out the file after a patch from what the repository holds; where that is not to be
    /// had, nothing changes.
    pub fn rebuild(&self, patched: &mut Patched) {
        let old_side = patched.old_side.take();
        if let Some(hidden) = patched.hidden.take() {
            let old = old_side.as_ref().and_then(|old_side| self.before(old_side).next());
            if let Some(new) = self.after(&patched.change.place, hidden, old.as_deref()) {
                patched.show(old, new);
            }
            return;
        }
        let Some(old_side) = old_side else { return };
        let applied = |old: Vec<u8>| old_side.apply(&old).map(|new| (old, new));
        let Some((old, new)) = self.before(&old_side).find_map(applied) else { return };
        let change = &mut patched.change;
        let (old, new) = (decode(if old_side.copied { Vec::new() } else { old }), decode(new));
        change.after = new.content;
        if let Content::Text(text) = &change.after
            && old_side.copied
        {
            change.added = diff::numbered(text);
            change.unsure = None;
        }
        change.others = reading::others(new.others, std::slice::from_ref(&old)).unwrap_or_default();
        change.before = Some(vec![old.read_main().to_owned()]);
    }

    /// Returns a file after a patch that does not show it as lines.
    fn after(&self, place: &Place, hidden: Hidden, old: Option<&[u8]>) -> Option<Vec<u8>> {
        let Hidden { becomes, stored } = hidden;
        match stored {
            Stored::Whole(content) => return Some(content),
            Stored::Delta(delta) => {
                if let Some(content) = old.and_then(|old| binary::apply(&delta, old)) {
                    return Some(content);
                }
            }
            Stored::Nothing => {}
        }
        let id = becomes?;
        let on_disk = || self.in_working_tree(place.as_str());
        self.object(&id).or_else(|| on_disk().filter(|file| self.is_object(&id, file)))
    }

    /// Returns what may be the file before a patch, most likely first.
    fn before<'a>(&'a self, old: &'a OldSide) -> impl Iterator<Item = Vec<u8>> + 'a {
        let path = old.place.as_str();
        let named = once_with(move || self.by_id(old));
        let on_disk = once_with(move || self.in_working_tree(path));
        let staged = once_with(move || self.staged(path));
        let head = once_with(move || self.at_head(path));
        let at_path = on_disk.chain(staged).chain(head).flatten();
        named.flatten().chain(at_path.filter(move |file| self.is_named(old, file)))
    }

    /// Finds the object that a patch names. A copy must be one of a file that is there: all of
    /// its lines count.
    fn by_id(&self, old: &OldSide) -> Option<Vec<u8>> {
        self.object(old.id.as_ref().filter(|_| !old.copied)?)
    }

    /// Finds a file by its abbreviated id.
    fn object(&self, id: &str) -> Option<Vec<u8>> {
        let prefix = Prefix::from_hex(id).ok()?;
        let found = self.objects.local.objects.lookup_prefix(prefix, None).ok()??.ok()?;
        let mut bytes = Vec::new();
        match self.objects.find(found, LARGEST, &mut bytes).ok()? {
            Found::Whole(Kind::Blob) => Some(bytes),
            Found::Whole(_) | Found::TooLarge(_) => None,
        }
    }

    fn in_working_tree(&self, path: &str) -> Option<Vec<u8>> {
        let root = self.objects.repo.root()?;
        let file = delta::on_disk(root, path.as_bytes().as_bstr()).ok()?;
        let there = fs::symlink_metadata(&file).ok()?;
        (there.is_file() && there.len() <= LARGEST).then(|| fs::read(file).ok()).flatten()
    }

    fn staged(&self, path: &str) -> Option<Vec<u8>> {
        let index = self.objects.repo.read_index().ok()?;
        index.blob_among(&self.objects, path).ok().flatten()
    }

    fn at_head(&self, path: &str) -> Option<Vec<u8>> {
        let blob = lookup::find(&self.objects, self.head?, path.as_bytes().as_bstr()).ok()??;
        lookup::blob_of(&self.objects, blob).ok()
    }

    /// Tells whether a content is the object that the patch names, if it names one.
    fn is_named(&self, old: &OldSide, content: &[u8]) -> bool {
        old.id.as_ref().is_none_or(|id| self.is_object(id, content))
    }

    /// Tells whether a content is the object with this abbreviated id.
    fn is_object(&self, id: &str, content: &[u8]) -> bool {
        let found = compute_hash(self.objects.hash(), Kind::Blob, content);
        found.is_ok_and(|found| found.to_string().starts_with(id))
    }
}
