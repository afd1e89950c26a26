//! Which repository is it, and what does it point at?
//!
//! Opening follows the environment that git sets for its hooks (`GIT_DIR`, `GIT_WORK_TREE`,
//! `GIT_INDEX_FILE`): only so is the index of `git commit -a` and of `git commit PATH` seen.
//! Nothing is ever written, and replacement objects are not followed: what is pushed is the real
//! object, so that is what is read.

use super::error::GitError;
use super::fetching::{Asked, Fetching};
use super::index::Index;
use super::objects::{self, Objects, SMALL};
use super::{object_dirs, program, revision};
use gix::ObjectId;
use gix::index::State;
use gix::odb::store::init::Slots;
use gix::open::Options;
use gix::sec::Permission;
use gix::sec::Trust;
use gix::sec::trust::{DefaultForLevel, Mapping};
use std::fmt;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

/// The name of an object: 40 hexadecimal digits, 64 in a SHA-256 repository.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(pub(super) ObjectId);

impl Id {
    /// Returns the id that these hexadecimal digits spell: 40 or 64 of them.
    #[must_use]
    pub fn from_hex(hex: &str) -> Option<Self> {
        ObjectId::from_hex(hex.as_bytes()).ok().map(Self)
    }

    /// Tells whether every digit is zero: git's word for "no such object".
    #[must_use]
    pub fn is_zero(self) -> bool {
        self.0.is_null()
    }

    /// Returns the first ten digits, for a person to read.
    #[must_use]
    pub fn short(self) -> String {
        self.0.to_hex_with_len(10).to_string()
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A repository, opened for reading; may be shared between threads.
pub struct Repo {
    pub(super) shared: gix::ThreadSafeRepository,
    root: Option<PathBuf>,
    /// Where refs are kept in tables that gix does not read: ids come from `git rev-parse`.
    reftable: bool,
    /// Objects may be missing here and fetched from a server.
    pub(super) partial: bool,
    pub(super) fetching: Fetching,
    /// Whether the environment may say which repository it is, and where its parts are.
    pub(super) by_environment: bool,
    /// The directory that lists the object directories of the environment, where it names any.
    _object_list: Option<tempfile::TempDir>,
    /// Files that are large are read one at a time, whoever asks.
    pub(super) lane: Mutex<()>,
    pub(super) asked: Mutex<Asked>,
    /// Whether objects may be in another repository's folder.
    pub(super) alternates: OnceLock<bool>,
    /// A handle that nobody uses now.
    pub(super) spare: Mutex<Option<gix::Repository>>,
    pub(super) index: OnceLock<Index>,
    pub(super) state: OnceLock<Arc<State>>,
}

impl Repo {
    /// Opens the repository that the environment names, or else the one around `from`.
    pub fn open(from: &Path) -> Result<Self, GitError> {
        Self::open_with(from, Fetching::Never)
    }

    /// Opens a repository as [`Repo::open`] does, and says whether what a partial clone lacks is
    /// fetched.
    pub fn open_with(from: &Path, fetching: Fetching) -> Result<Self, GitError> {
        Self::opened(from, fetching, true)
    }

    /// Opens the repository around `from`, whatever the environment names: for a hook of an agent,
    /// whose environment a project may have a say in.
    pub fn open_around(from: &Path) -> Result<Self, GitError> {
        Self::opened(from, Fetching::Never, false)
    }

    fn opened(from: &Path, fetching: Fetching, by_environment: bool) -> Result<Self, GitError> {
        // Paths that are found from an absolute one are absolute, also in messages.
        let from = std::path::absolute(from).unwrap_or_else(|_| from.to_owned());
        let options = Mapping {
            full: options(Trust::Full, fetching, by_environment),
            reduced: options(Trust::Reduced, fetching, by_environment),
        };
        let search = gix::discover::upwards::Options {
            match_ceiling_dir_or_error: false,
            ..Default::default()
        };
        // In a hook of a push that arrives, git is in its own folder and says so. gix would look for
        // a `.git` in it.
        let here = by_environment && std::env::var_os("GIT_DIR").is_some_and(|it| it == ".");
        let from = if here { std::env::current_dir().unwrap_or(from) } else { from };
        let open = if by_environment && !here {
            gix::ThreadSafeRepository::discover_with_environment_overrides_opts
        } else {
            gix::ThreadSafeRepository::discover_opts
        };
        let mut shared = open(&from, search, options).map_err(|source| {
            let from = match std::env::var_os("GIT_DIR") {
                Some(named) if by_environment => PathBuf::from(named),
                _ => from,
            };
            let nothing = source.downcast_any_ref::<gix::discover::upwards::Error>();
            if nothing.is_some() || !from.exists() {
                GitError::NoRepository { from }
            } else {
                GitError::Open { from, source }
            }
        })?;
        let mut object_list = None;
        if by_environment && object_dirs::are_named() {
            let hash = shared.to_thread_local().object_hash();
            let own = shared.common_dir.as_deref().unwrap_or(shared.refs.git_dir()).join("objects");
            let (store, list) = object_dirs::open(own, hash)?;
            (shared.objects, object_list) = (store, Some(list));
        }
        let local = objects::handle(&shared);
        let (reftable, partial) = kind_of(&local.config_snapshot());
        let root = shared
            .work_tree
            .as_deref()
            .map(|root| std::path::absolute(root).unwrap_or_else(|_| root.to_owned()));
        Ok(Self {
            shared,
            root,
            reftable,
            partial,
            fetching,
            by_environment,
            _object_list: object_list,
            lane: Mutex::new(()),
            asked: Mutex::default(),
            alternates: OnceLock::new(),
            spare: Mutex::new(Some(local)),
            index: OnceLock::new(),
            state: OnceLock::new(),
        })
    }

    /// Returns where the configuration says that hooks are, without asking git; relative paths are
    /// meant from the working tree.
    #[must_use]
    pub fn configured_hooks(&self) -> Option<PathBuf> {
        let local = self.shared.to_thread_local();
        let path = local.config_snapshot().trusted_path("core.hooksPath").ok()??;
        Some(self.root.as_deref().unwrap_or(Path::new("")).join(path))
    }

    /// Returns the folder of the working tree, as an absolute path; a bare repository has none.
    #[must_use]
    pub fn root(&self) -> Option<&Path> {
        self.root.as_deref()
    }

    /// Returns git's own folder of this working tree.
    #[must_use]
    pub fn git_dir(&self) -> &Path {
        self.shared.refs.git_dir()
    }

    /// Tells whether refs are kept in tables.
    pub(super) fn is_reftable(&self) -> bool {
        self.reftable
    }

    /// Tells whether the repository belongs to whoever runs us, or is listed in `safe.directory`.
    ///
    /// Where it does not, git refuses to work at all. We read it, and run no program in it.
    #[must_use]
    pub fn trusted(&self) -> bool {
        self.local().git_dir_trust() == Trust::Full
    }

    /// Tells whether the clone was cut off at a depth.
    #[must_use]
    pub fn is_shallow(&self) -> bool {
        self.local().is_shallow().unwrap_or(false)
    }

    /// Returns how many hexadecimal digits an id has here.
    #[must_use]
    pub fn hex_len(&self) -> usize {
        self.local().object_hash().len_in_hex()
    }

    /// Returns the commit that HEAD is at; a branch without commits has none.
    pub fn head(&self) -> Result<Option<Id>, GitError> {
        self.head_by(&self.local())
    }

    /// Returns the commit that HEAD is at, by a handle that is at hand.
    pub(super) fn head_by(&self, local: &gix::Repository) -> Result<Option<Id>, GitError> {
        if self.reftable {
            return program::rev_parse(self, "HEAD");
        }
        let failed = |source| GitError::Other { doing: "reading HEAD", source };
        let head = local.head().map_err(failed)?;
        Ok(head.id().map(|id| Id(id.detach())))
    }

    /// Returns the commits that a merge in progress brings in besides HEAD.
    pub fn merge_heads(&self) -> Result<Vec<Id>, GitError> {
        let path = self.git_dir().join("MERGE_HEAD");
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(source) => return Err(GitError::Read { path, source }),
        };
        text.lines()
            .map(|line| {
                Id::from_hex(line.trim()).ok_or_else(|| GitError::Revision {
                    spec: "MERGE_HEAD".to_owned(),
                    shallow: false,
                    why: format!("its line `{line}` is not an object id"),
                })
            })
            .collect()
    }

    /// Returns the commit that a revision names (a tag is followed to its commit).
    pub fn commit(&self, spec: &str) -> Result<Id, GitError> {
        let unknown = |why: String| GitError::Revision {
            spec: spec.to_owned(),
            shallow: self.is_shallow(),
            why,
        };
        // gix reads `A^!` as A.
        if revision::is_set(spec) {
            return Err(unknown(self.why_no_commit(spec)));
        }
        if self.reftable && Id::from_hex(spec).is_none() {
            let named = program::rev_parse(self, spec)?;
            return named.ok_or_else(|| unknown(self.why_no_commit(spec)));
        }
        let local = self.local();
        let named = local.rev_parse_single(spec).map_err(|_| unknown(self.why_no_commit(spec)))?;
        let not_one = || unknown("what it names is no commit".to_owned());
        self.objects().peel(named.detach())?.ok_or_else(not_one)
    }

    /// Returns the name of the ref that a symbolic ref stands for.
    pub(super) fn symbolic(&self, name: &str) -> Result<Option<String>, GitError> {
        if self.reftable {
            return program::symbolic_ref(self, name);
        }
        let local = self.local();
        let found = local
            .try_find_reference(name)
            .map_err(|source| GitError::Other { doing: "reading a ref", source })?;
        let target = found.and_then(|found| found.target().try_name().map(ToString::to_string));
        Ok(target)
    }

    /// Returns a handle to the objects, for one thread.
    pub(super) fn objects(&self) -> Objects<'_> {
        Objects::new(self)
    }
}

/// Tells whether refs are kept in tables, and whether objects may be left on a server.
fn kind_of(config: &gix::config::Snapshot<'_>) -> (bool, bool) {
    let storage = config.string("extensions.refStorage");
    let reftable = storage.is_some_and(|storage| storage.eq_ignore_ascii_case(b"reftable"));
    let promised = config
        .plumbing()
        .sections_by_name("remote")
        .is_some_and(|mut remotes| remotes.any(|remote| remote.value("promisor").is_some()));
    (reftable, promised || config.string("extensions.partialClone").is_some())
}

/// Replacement objects are off, and no object larger than [`SMALL`] is read without our saying so.
fn options(trust: Trust, fetching: Fetching, by_environment: bool) -> Options {
    let mut options = Options::default_for_level(trust).config_overrides([
        "core.useReplaceRefs=false".to_owned(),
        format!("gitoxide.objects.allocLimit={SMALL}"),
    ]);
    if !by_environment {
        options.permissions.env.git_prefix = Permission::Deny;
        options.permissions.env.objects = Permission::Deny;
        options.permissions.config.env = false;
    }
    match fetching {
        Fetching::Never => options,
        // Each fetch brings a pack, and room for all of them is made at the beginning.
        Fetching::WhenNeeded => options
            .object_store_slots(Slots::AsNeededByDiskState { multiplier: 1.1, minimum: 1024 }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_may_be_shared_between_threads() {
        fn shared<T: Send + Sync>() {}
        shared::<Repo>();
    }
}
