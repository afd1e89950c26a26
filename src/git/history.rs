//! Which commits does a range name, and what does each of them change?

use super::delta::{Deltas, join};
use super::error::GitError;
use super::objects::Objects;
use super::renames;
use super::repo::{Id, Repo};
use super::tree;
use gix::objs::{Data, Find};
use gix::traverse::commit::Simple;
use gix::traverse::commit::simple::{CommitTimeOrder, Sorting};
use gix::{ObjectId, oid};
use std::cell::RefCell;

/// Two states to compare: what `tip` brings that `base` does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The older state: a commit, or a tree (the empty one, say).
    pub base: Id,
    /// The newer state, a commit or the empty tree.
    pub tip: Id,
}

impl Repo {
    /// Resolves a range as a person writes it: `A..B` compares A with B, `A...B` the point where
    /// they parted with B, and `A` alone A with HEAD.
    ///
    /// The zero id is the empty tree. Fails where a side is empty: what is missing may be the value
    /// of a variable, and HEAD in its place would be compared with itself.
    pub fn resolve(&self, spec: &str) -> Result<Range, GitError> {
        let (base, tip) = sides(spec)?;
        let (base, tip) = (self.side(base)?, self.side(tip)?);
        let trees = [base, tip].contains(&self.empty_tree());
        if spec.contains("...") && !trees {
            return Ok(Range { base: self.merge_base(base, tip)?, tip });
        }
        Ok(Range { base, tip })
    }

    /// Returns the empty tree, with which everything is new.
    #[must_use]
    pub fn empty_tree(&self) -> Id {
        Id(ObjectId::empty_tree(self.objects().hash()))
    }

    /// Returns the commit at which two histories parted; of several the one that git prefers.
    pub fn merge_base(&self, one: Id, two: Id) -> Result<Id, GitError> {
        let bases = self.merge_bases(one, two)?;
        let none = || GitError::NoMergeBase { one, two, shallow: self.is_shallow() };
        bases.first().copied().ok_or_else(none)
    }

    /// Returns every commit at which two histories parted, best first.
    pub fn merge_bases(&self, one: Id, two: Id) -> Result<Vec<Id>, GitError> {
        self.merge_bases_of(one, &[two])
    }

    /// Returns every commit at which a history parted from several others, best first.
    pub fn merge_bases_of(&self, one: Id, others: &[Id]) -> Result<Vec<Id>, GitError> {
        let objects = self.objects();
        let others: Vec<ObjectId> = others.iter().map(|id| id.0).collect();
        let bases = objects
            .local
            .merge_bases_many(one.0, &others)
            .map_err(|source| GitError::Other { doing: "looking for a common ancestor", source })?;
        Ok(bases.into_iter().map(|id| Id(id.detach())).collect())
    }

    /// Tells whether a commit is an ancestor of another, or the same.
    pub fn is_ancestor(&self, old: Id, new: Id) -> Result<bool, GitError> {
        Ok(old == new || self.merge_bases(old, new)?.contains(&old))
    }

    /// Tells whether an object is in the repository, without fetching it.
    #[must_use]
    pub fn has(&self, id: Id) -> bool {
        self.objects().has(id.0)
    }

    /// Compares two states: commits, tags or trees.
    pub fn range(&self, base: Id, tip: Id) -> Result<Deltas, GitError> {
        self.beyond(&[base], &[], tip)
    }

    /// Compares a state with its bases and with others beside it: what it has that none of them has.
    /// What became of a path is said by comparison with the first base. A file of a state beside it
    /// counts under its own path alone.
    pub fn beyond(&self, bases: &[Id], beside: &[Id], tip: Id) -> Result<Deltas, GitError> {
        let objects = self.objects();
        let mut olds = Vec::new();
        for (states, moves) in [(bases, Moves::Paired), (beside, Moves::Apart)] {
            for state in states {
                olds.push((Some(objects.tree_of(state.0)?), moves));
            }
        }
        compare(&objects, &olds, objects.tree_of(tip.0)?)
    }

    /// Returns the commits that `tip` brings and `base` does not have, oldest first.
    pub fn commits(&self, base: Id, tip: Id) -> Result<Vec<Id>, GitError> {
        self.commits_beyond(&[base], &[tip])
    }

    /// Returns the commits that `tips` bring and none of `bases` has, oldest first.
    pub fn commits_beyond(&self, bases: &[Id], tips: &[Id]) -> Result<Vec<Id>, GitError> {
        let objects = self.objects();
        let mut ends = Vec::new();
        for tip in tips {
            ends.extend(objects.peel(tip.0)?.map(|tip| tip.0));
        }
        if ends.is_empty() {
            return Ok(Vec::new());
        }
        let mut hidden = Vec::new();
        for base in bases {
            hidden.extend(objects.peel(base.0)?.map(|base| base.0));
        }
        let store = Asked { objects: &objects, failure: RefCell::new(None) };
        let failed = |source| {
            let said = store.failure.take();
            said.unwrap_or(GitError::Other { doing: "walking the history", source })
        };
        let walk = Simple::new(ends, &store)
            .sorting(Sorting::ByCommitTime(CommitTimeOrder::NewestFirst))
            .and_then(|walk| walk.hide(hidden))
            .map_err(failed)?;
        let mut commits = Vec::new();
        for commit in walk {
            commits.push(Id(commit.map_err(failed)?.id));
        }
        commits.reverse();
        Ok(commits)
    }

    /// Returns what a commit changes: compared with its parent, with every parent of a merge,
    /// with nothing when it is the first.
    pub fn commit_changes(&self, commit: Id) -> Result<Deltas, GitError> {
        self.changes_of(commit, Moves::Paired)
    }

    /// Returns what a commit changes, as [`Repo::commit_changes`] does, without looking for files
    /// that were moved: each of these is one that is gone and one that is new.
    pub fn commit_paths(&self, commit: Id) -> Result<Deltas, GitError> {
        self.changes_of(commit, Moves::Apart)
    }

    /// Returns the parents of a commit.
    pub fn parents(&self, commit: Id) -> Result<Vec<Id>, GitError> {
        let parents = self.objects().commit(commit.0)?.parents;
        Ok(parents.into_iter().map(Id).collect())
    }

    fn changes_of(&self, commit: Id, moves: Moves) -> Result<Deltas, GitError> {
        let objects = self.objects();
        let commit = objects.commit(commit.0)?;
        let mut parents = Vec::new();
        for parent in commit.parents {
            parents.push((Some(objects.commit(parent)?.tree), moves));
        }
        if parents.is_empty() {
            parents.push((None, moves));
        }
        compare(&objects, &parents, commit.tree)
    }

    /// Returns the first line of a commit's message.
    pub fn subject(&self, commit: Id) -> Result<String, GitError> {
        Ok(self.objects().commit(commit.0)?.subject)
    }
}

/// Whether files that were moved are looked for, which reads contents.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Moves {
    Paired,
    Apart,
}

/// Returns the two sides of a range as they are written: what the change is for, and what it comes
/// to, HEAD where one revision stands alone. Fails where a side is empty.
pub fn sides(spec: &str) -> Result<(&str, &str), GitError> {
    let split = spec.split_once("...").or_else(|| spec.split_once(".."));
    let (base, tip) = split.unwrap_or((spec, "HEAD"));
    if base.trim().is_empty() || tip.trim().is_empty() {
        return Err(GitError::EmptySide { spec: spec.to_owned() });
    }
    Ok((base, tip))
}

/// Compares a tree with each of several others.
fn compare(
    objects: &Objects<'_>,
    olds: &[(Option<ObjectId>, Moves)],
    new: ObjectId,
) -> Result<Deltas, GitError> {
    let (mut lists, mut unpaired) = (Vec::new(), 0);
    for (old, moves) in olds {
        let mut differences = tree::between(objects, *old, Some(new))?;
        if *moves == Moves::Paired {
            unpaired = renames::pair(objects, &mut differences).max(unpaired);
        }
        lists.push(differences);
    }
    join(lists, unpaired)
}

/// The objects as a walk of gix asks for them, with our own words for what failed.
struct Asked<'o, 'r> {
    objects: &'o Objects<'r>,
    failure: RefCell<Option<GitError>>,
}

impl Find for Asked<'_, '_> {
    fn try_find<'a>(&self, id: &oid, buf: &'a mut Vec<u8>) -> gix::Result<Option<Data<'a>>> {
        match self.objects.read(id.to_owned(), buf) {
            Ok(kind) => Ok(Some(Data::new(buf, kind, self.objects.hash()))),
            Err(error) => {
                let told = match error {
                    // Beyond what is needed, a walk may do without; it fails where it may not.
                    GitError::Missing { .. } => Ok(None),
                    _ => Err(gix::Error::from_error(gix::error::message!("{error}"))),
                };
                self.failure.replace(Some(error));
                told
            }
        }
    }
}
