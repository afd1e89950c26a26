//! What does an object hold?
//!
//! Objects are read raw: no filter, no attribute and no replacement stands between the store and
//! us. What a partial clone lacks is fetched where that is asked for; whatever is still missing is
//! an error that says why.

use super::error::{GitError, Lack};
use super::repo::{Id, Repo};
use gix::ObjectId;
use gix::bstr::ByteSlice;
use gix::hash::Kind as Hash;
use gix::objs::{CommitRefIter, Data, Find, Kind, TagRefIter};
use gix::odb::pack::cache::lru::MemoryCappedHashmap;
use std::ops::Deref;
use std::sync::PoisonError;

/// Objects up to this size are read by any thread at any time.
pub(super) const SMALL: usize = 8 << 20;

/// Files larger than this are not read at all: 100 MiB.
pub const LARGEST: u64 = 100 << 20;

/// How many bytes of objects a handle remembers, as bases that other objects are stored as
/// differences from: git's own default for one thread (`core.deltaBaseCacheLimit`).
const REMEMBERED: usize = 96 << 20;

/// A handle to the objects, for one thread.
pub(super) struct Objects<'r> {
    pub(super) repo: &'r Repo,
    pub(super) local: Handle<'r>,
}

/// A handle to the whole repository, for one thread. It is kept for the next who needs one: what
/// objects are unpacked with takes 45 KB of fresh memory, and what was unpacked is remembered.
pub(super) struct Handle<'r> {
    repo: &'r Repo,
    /// Here until it is given back.
    local: Option<gix::Repository>,
}

impl Repo {
    /// Returns a handle, for one thread.
    pub(super) fn local(&self) -> Handle<'_> {
        let spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner).take();
        Handle { repo: self, local: Some(spare.unwrap_or_else(|| handle(&self.shared))) }
    }
}

/// Makes a handle.
pub(super) fn handle(shared: &gix::ThreadSafeRepository) -> gix::Repository {
    let mut local = shared.to_thread_local();
    local.objects.ignore_replacements = true;
    // Most objects of a pack are stored as differences from one another.
    local.objects.set_pack_cache(|| Box::new(MemoryCappedHashmap::new(REMEMBERED)));
    local
}

impl Deref for Handle<'_> {
    type Target = gix::Repository;

    fn deref(&self) -> &gix::Repository {
        self.local.as_ref().expect("only dropping gives it back")
    }
}

impl Drop for Handle<'_> {
    fn drop(&mut self) {
        *self.repo.spare.lock().unwrap_or_else(PoisonError::into_inner) = self.local.take();
    }
}

/// A commit, as far as it matters here.
pub(super) struct Commit {
    pub(super) tree: ObjectId,
    pub(super) parents: Vec<ObjectId>,
    /// The first line of its message.
    pub(super) subject: String,
}

/// What came of asking for an object of at most a certain size.
pub(super) enum Found {
    /// Here it is.
    Whole(Kind),
    /// It is there, and holds so many bytes.
    TooLarge(u64),
}

impl<'r> Objects<'r> {
    pub(super) fn new(repo: &'r Repo) -> Self {
        Self { repo, local: repo.local() }
    }

    pub(super) fn hash(&self) -> Hash {
        self.local.object_hash()
    }

    /// Reads an object of any kind that is no file's content.
    pub(super) fn read(&self, id: ObjectId, buf: &mut Vec<u8>) -> Result<Kind, GitError> {
        match self.find(id, LARGEST, buf)? {
            Found::Whole(kind) => Ok(kind),
            Found::TooLarge(size) => Err(GitError::Object {
                id: Id(id),
                source: gix::Error::from_error(gix::error::message!("it has {size} bytes")),
            }),
        }
    }

    /// Reads an object when it has at most `limit` bytes.
    pub(super) fn find(
        &self,
        id: ObjectId,
        limit: u64,
        buf: &mut Vec<u8>,
    ) -> Result<Found, GitError> {
        if let Some(found) = self.stored(id, limit, buf)? {
            return Ok(found);
        }
        let again = if self.want([id]) { self.stored(id, limit, buf)? } else { None };
        again.ok_or_else(|| self.missing(id))
    }

    /// Reads an object that is in the repository.
    fn stored(
        &self,
        id: ObjectId,
        limit: u64,
        buf: &mut Vec<u8>,
    ) -> Result<Option<Found>, GitError> {
        buf.clear();
        if id.is_empty_tree() {
            return Ok(Some(Found::Whole(Kind::Tree)));
        }
        let damaged = |source| GitError::Object { id: Id(id), source };
        match self.local.objects.try_find(&id, buf) {
            Ok(Some(object)) => self.sound(id, &object).map(|kind| Some(Found::Whole(kind))),
            Ok(None) => Ok(None),
            // The store of this handle refuses what is not small, and what is stored as a
            // difference from something that is not.
            Err(source) => match self.local.find_header(id) {
                Ok(header) if header.size() > limit => Ok(Some(Found::TooLarge(header.size()))),
                Ok(_) => self.find_large(id, buf).map(Some),
                Err(_) => Err(damaged(source)),
            },
        }
    }

    /// Returns the kind of an object whose content has the hash that it is named by.
    ///
    /// Neither git nor gix looks at that when it reads an object of its own file, so that another
    /// content could be checked than the one that is committed. What is in a pack has been hashed
    /// when it came there, and to hash it once more would take a tenth of a large range.
    fn sound(&self, id: ObjectId, object: &Data<'_>) -> Result<Kind, GitError> {
        if self.is_loose(id) {
            let damaged = |source| GitError::Object { id: Id(id), source };
            object.verify_checksum(&id).map_err(damaged)?;
        }
        Ok(object.kind)
    }

    /// Tells whether an object has a file of its own.
    fn is_loose(&self, id: ObjectId) -> bool {
        let folder = self.local.objects.store_ref().path();
        let name = id.to_string();
        let (first, rest) = name.split_at(2);
        if folder.join(first).join(rest).exists() {
            return true;
        }
        // It may be in another repository's folder.
        let elsewhere = *self.repo.alternates.get_or_init(|| {
            folder.join("info/alternates").exists()
                || std::env::var_os("GIT_ALTERNATE_OBJECT_DIRECTORIES").is_some()
        });
        elsewhere && matches!(self.local.find_header(id), Ok(gix::odb::find::Header::Loose { .. }))
    }

    /// Opens the store anew with room for large objects; they are rare.
    fn find_large(&self, id: ObjectId, buf: &mut Vec<u8>) -> Result<Found, GitError> {
        let options = gix::odb::store::init::Options {
            // Room for what it may be a difference from.
            alloc_limit_bytes: usize::try_from(4 * LARGEST).ok(),
            ..Default::default()
        };
        let folder = self.local.objects.store_ref().path().to_owned();
        let store = gix::odb::at_opts(&folder, self.hash(), None, options)
            .map_err(|source| GitError::Read { path: folder, source })?;
        match store.try_find(&id, buf) {
            Ok(Some(object)) => self.sound(id, &object).map(Found::Whole),
            Ok(None) => Err(self.missing(id)),
            Err(source) => Err(GitError::Object { id: Id(id), source }),
        }
    }

    /// Returns the error of an object that is not here, with why, as far as can be told.
    pub(super) fn missing(&self, id: ObjectId) -> GitError {
        let lack = if let Some(lack) = self.unfetched() {
            lack
        } else if self.local.is_shallow().unwrap_or(false) {
            Lack::Shallow
        } else {
            Lack::Gone
        };
        GitError::Missing { id: Id(id), lack }
    }

    /// Tells whether an object is in the repository, without fetching it.
    pub(super) fn has(&self, id: ObjectId) -> bool {
        self.local.has_object(id)
    }

    /// Reads a commit.
    pub(super) fn commit(&self, id: ObjectId) -> Result<Commit, GitError> {
        let mut buf = Vec::new();
        let kind = self.read(id, &mut buf)?;
        if kind != Kind::Commit {
            return Err(GitError::Object {
                id: Id(id),
                source: gix::Error::from_error(gix::error::message!("it is a {kind}, no commit")),
            });
        }
        let mut commit = CommitRefIter::from_bytes(&buf, self.hash());
        let tree = commit.tree_id().map_err(|source| GitError::Object { id: Id(id), source })?;
        let parents = commit.parent_ids().collect();
        let message = CommitRefIter::from_bytes(&buf, self.hash()).message().unwrap_or_default();
        let subject = message.lines().next().unwrap_or_default().to_str_lossy().into_owned();
        Ok(Commit { tree, parents, subject })
    }

    /// Follows tags to the commit they name; `None` when they name something else.
    pub(super) fn peel(&self, id: ObjectId) -> Result<Option<Id>, GitError> {
        let (id, kind) = self.target(id)?;
        Ok((kind == Kind::Commit).then_some(id))
    }

    /// Follows tags to what they name, and returns its kind.
    pub(super) fn target(&self, id: ObjectId) -> Result<(Id, Kind), GitError> {
        let (mut id, mut buf) = (id, Vec::new());
        let mut kind = self.read(id, &mut buf)?;
        // A tag can name a tag; nobody nests them so deep, and a forged chain ends here.
        for _ in 0..64 {
            if kind != Kind::Tag {
                break;
            }
            id = TagRefIter::from_bytes(&buf, self.hash())
                .target_id()
                .map_err(|source| GitError::Object { id: Id(id), source })?;
            kind = self.read(id, &mut buf)?;
        }
        Ok((Id(id), kind))
    }

    /// Returns the tree of a commit or of a tag, or the tree itself.
    pub(super) fn tree_of(&self, id: ObjectId) -> Result<ObjectId, GitError> {
        match self.target(id)? {
            (commit, Kind::Commit) => Ok(self.commit(commit.0)?.tree),
            (other, _) => Ok(other.0),
        }
    }
}
