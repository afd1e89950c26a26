//! What does the working tree hold that HEAD does not?
//!
//! Tracked files are compared by what the index remembers of them (times, size, inode), and by
//! their content when that differs. Whatever hides a file from `git status` hides none here:
//! `assume-unchanged` is not believed, `skip-worktree` only while there is no such file,
//! settings about what to trust of a file's status are not read. No filter program is run: where
//! git would store other line ends, that is no difference, and what a filter would make of a
//! file is judged as it stands on disk. A file that cannot be read is a difference, and reading
//! it is the error.

use super::delta::{self, Deltas, Difference, Mode, Now, join};
use super::error::GitError;
use super::index::{self, Index};
use super::objects::{LARGEST, Objects};
use super::renames;
use super::repo::Repo;
use super::staged::{against, stored};
use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};
use gix::hash::Kind as Hash;
use gix::index::entry::stat::Options as StatOptions;
use gix::index::entry::{Flags, Stat};
use gix::index::{Entry, State};
use gix::objs::Kind;
use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::thread;

/// A path as it is on disk, where the index says otherwise.
pub(super) struct OnDisk {
    pub(super) now: Now,
    /// The ids that git may store its content under. Of a file that is not tracked they are not
    /// known yet.
    pub(super) ids: Option<Vec<ObjectId>>,
}

/// Where the working tree and the index differ.
type Changed = BTreeMap<BString, OnDisk>;

impl Repo {
    /// Compares the working tree with HEAD, and during a merge with the commits that it brings
    /// in too: tracked files, and with `untracked` also those that are neither tracked nor
    /// ignored.
    pub fn worktree(&self, untracked: bool) -> Result<Deltas, GitError> {
        let Some(root) = self.root() else {
            return Err(GitError::Bare { git_dir: self.git_dir().to_owned() });
        };
        let (objects, state) = (self.objects(), self.state()?);
        let disk = Disk::new(&objects, &state, root)?;
        let index = Index::of(&state);
        let changed = disk.changed(untracked.then_some(&objects))?;
        let (mut lists, mut unpaired) = (Vec::new(), 0);
        for tree in self.compared(&objects)? {
            let staged = against(&objects, &index, tree)?;
            let mut differences = disk.over(&index, staged, &changed)?;
            unpaired = renames::pair(&objects, &mut differences).max(unpaired);
            lists.push(differences);
        }
        join(lists, unpaired)
    }
}

/// A working tree, and the index that it is compared with.
pub(super) struct Disk<'i> {
    pub(super) index: &'i State,
    root: &'i Path,
    hash: Hash,
    /// Whether the file system keeps the executable bit.
    pub(super) executable: bool,
    /// Whether it keeps links.
    links: bool,
}

const STAT: StatOptions =
    StatOptions { trust_ctime: true, check_stat: true, use_nsec: true, use_stdev: false };

/// How many entries one thread looks at, at least.
const SHARE: usize = 2000;

impl<'i> Disk<'i> {
    fn new(objects: &Objects<'_>, index: &'i State, root: &'i Path) -> Result<Self, GitError> {
        let abilities = objects.local.filesystem_options().map_err(|source| GitError::Other {
            doing: "reading what the file system can do",
            source,
        })?;
        Ok(Self {
            index,
            root,
            hash: objects.hash(),
            executable: abilities.executable_bit,
            links: abilities.symlink,
        })
    }

    /// Looks at every tracked path, and for untracked ones when objects are given to read lists
    /// of ignored files from.
    fn changed(&self, objects: Option<&Objects<'_>>) -> Result<Changed, GitError> {
        let entries = self.index.entries();
        let jobs = thread::available_parallelism().map_or(1, |jobs| jobs.get().min(8));
        let share = entries.len().div_ceil(jobs).max(SHARE);
        thread::scope(|scope| {
            let helpers: Vec<_> = entries
                .chunks(share)
                .map(|entries| scope.spawn(|| Tracked::new(self).look(entries)))
                .collect();
            let mut changed = match objects {
                Some(objects) => self.untracked(objects)?,
                None => Changed::new(),
            };
            for helper in helpers {
                match helper.join() {
                    Ok(more) => changed.extend(more?),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            Ok(changed)
        })
    }

    /// Puts what is on disk over what is staged.
    fn over(
        &self,
        index: &Index,
        staged: Vec<Difference>,
        changed: &Changed,
    ) -> Result<Vec<Difference>, GitError> {
        let mut all: BTreeMap<BString, Difference> =
            staged.into_iter().map(|difference| (difference.path.clone(), difference)).collect();
        for (path, disk) in changed {
            // What is not staged is in the index as it was before.
            let tracked = index.get(path.as_bstr()).filter(index::Entry::is_settled);
            let before = match all.get(path) {
                Some(staged) => staged.before,
                None => tracked.and_then(|entry| stored(entry).stored()),
            };
            let same = match (before, disk.now) {
                (None, Now::Nothing) => true,
                (Some(before), Now::OnDisk(mode)) if before.mode == mode => match &disk.ids {
                    Some(ids) => ids.contains(&before.id),
                    None => self.ids(&self.place(path.as_bstr())?, mode).contains(&before.id),
                },
                _ => false,
            };
            if same {
                all.remove(path);
            } else {
                let difference = Difference::new(path.as_bstr(), before, disk.now);
                all.insert(path.clone(), difference);
            }
        }
        Ok(all.into_values().collect())
    }

    /// Returns the ids that git may store a file's content under: as it is, and with line ends
    /// of `\n`. What cannot be read has none.
    fn ids(&self, place: &Path, mode: Mode) -> Vec<ObjectId> {
        let small = place.symlink_metadata().is_ok_and(|found| found.len() <= LARGEST);
        if mode == Mode::Submodule || !small {
            return Vec::new();
        }
        let Ok(bytes) = read(place, mode) else { return Vec::new() };
        let id_of = |bytes: &[u8]| gix::objs::compute_hash(self.hash, Kind::Blob, bytes).ok();
        let folded = (mode.is_file() && bytes.contains_str("\r\n"))
            .then(|| id_of(&bytes.replace("\r\n", "\n")))
            .flatten();
        id_of(&bytes).into_iter().chain(folded).collect()
    }

    pub(super) fn place(&self, path: &BStr) -> Result<PathBuf, GitError> {
        delta::on_disk(self.root, path)
    }
}

/// Looks at tracked paths on one thread.
struct Tracked<'d, 'i> {
    disk: &'d Disk<'i>,
    /// Which folders are folders, and no links to elsewhere.
    folders: HashMap<BString, bool>,
}

impl<'d, 'i> Tracked<'d, 'i> {
    fn new(disk: &'d Disk<'i>) -> Self {
        Self { disk, folders: HashMap::new() }
    }

    fn look(mut self, entries: &[Entry]) -> Result<Changed, GitError> {
        let mut changed = Changed::new();
        for entry in entries.iter().filter(|entry| !entry.mode.is_sparse()) {
            let path = entry.path(self.disk.index);
            if let Some(on_disk) = self.entry(entry, path)? {
                changed.insert(path.to_owned(), on_disk);
            }
        }
        Ok(changed)
    }

    /// Returns how a path differs from what the index holds.
    fn entry(&mut self, entry: &Entry, path: &BStr) -> Result<Option<OnDisk>, GitError> {
        let disk = self.disk;
        let place = disk.place(path)?;
        let unreadable = OnDisk { now: Now::OnDisk(Mode::File), ids: Some(Vec::new()) };
        let gone = OnDisk { now: Now::Nothing, ids: None };
        let found = match gix::index::fs::Metadata::from_path_no_follow(&place) {
            Ok(found) if self.is_reached(path)? => Some(found),
            Ok(_) => None,
            Err(error) if is_absent(&error) || !self.is_reached(path)? => None,
            Err(_) => return Ok(Some(unreadable)),
        };
        let Some(found) = found else {
            let expected = entry.flags.contains(Flags::SKIP_WORKTREE);
            return Ok((!expected).then_some(gone));
        };
        if entry.mode.is_submodule() && found.is_dir() {
            return Ok(submodule(entry, &place));
        }
        if found.is_dir() {
            let nested = gix::discover::is_git(&place.join(".git")).is_ok();
            let now = if nested { Now::OnDisk(Mode::Submodule) } else { Now::Nothing };
            return Ok(Some(OnDisk { now, ..gone }));
        }
        let before = stored(entry.into()).stored().map(|version| version.mode);
        // Where there are no links, a file with the link's text stands for it.
        let stands_for_link = !disk.links && before == Some(Mode::Symlink);
        let mode = if found.is_symlink() || stands_for_link {
            Mode::Symlink
        } else if !found.is_file() {
            return Ok(Some(gone));
        } else if disk.executable {
            if found.is_executable() { Mode::Executable } else { Mode::File }
        } else {
            before.filter(|mode| mode.is_file()).unwrap_or(Mode::File)
        };
        let settled = index::Entry::from(entry).is_settled() && before == Some(mode);
        if settled
            && Stat::from_fs(&found).is_ok_and(|stat| stat.matches(&entry.stat, STAT))
            && !entry.stat.is_racy(disk.index.timestamp(), STAT)
        {
            return Ok(None);
        }
        let ids = disk.ids(&place, mode);
        let same = settled && ids.contains(&entry.id);
        Ok((!same).then_some(OnDisk { now: Now::OnDisk(mode), ids: Some(ids) }))
    }

    /// Tells whether every folder above a path is a folder: behind a link begins another place.
    fn is_reached(&mut self, path: &BStr) -> Result<bool, GitError> {
        let Some(end) = path.rfind_byte(b'/') else { return Ok(true) };
        let folder = path.get(..end).unwrap_or_default().as_bstr();
        if let Some(known) = self.folders.get(folder) {
            return Ok(*known);
        }
        let reached = self.is_reached(folder)?
            && fs::symlink_metadata(self.disk.place(folder)?).is_ok_and(|found| found.is_dir());
        self.folders.insert(folder.to_owned(), reached);
        Ok(reached)
    }
}

/// Compares the commit that a submodule is at; one that is not checked out is left alone.
fn submodule(entry: &Entry, place: &Path) -> Option<OnDisk> {
    let nested = gix::open(place).ok()?;
    let head = nested.head_id().ok()?.detach();
    (head != entry.id).then(|| OnDisk { now: Now::OnDisk(Mode::Submodule), ids: Some(vec![head]) })
}

/// Reads a file, or where a link points to.
pub(super) fn read(place: &Path, mode: Mode) -> io::Result<Vec<u8>> {
    if mode == Mode::Symlink
        && let Ok(target) = fs::read_link(place)
    {
        return Ok(target.into_os_string().into_encoded_bytes());
    }
    let mut bytes = Vec::new();
    // A file may grow while it is read.
    File::open(place)?.take(LARGEST + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}
