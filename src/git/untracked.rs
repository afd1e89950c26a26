//! Which files of the working tree does git neither track nor ignore?
//!
//! Folders of other repositories are named and not entered, links are not followed, and of what
//! is neither file nor link git knows nothing. A folder that cannot be read is named like a file,
//! so that reading it says why.

use super::delta::{Mode, Now};
use super::error::GitError;
use super::lookup::IGNORE;
use super::objects::Objects;
use super::worktree::{Disk, OnDisk};
use gix::bstr::{BStr, BString, ByteSlice};
use gix::index::entry::Mode as IndexMode;
use gix::index::{Entry, State};
use std::collections::BTreeMap;
use std::fs::{self, DirEntry, FileType};

impl Disk<'_> {
    pub(super) fn untracked(
        &self,
        objects: &Objects<'_>,
    ) -> Result<BTreeMap<BString, OnDisk>, GitError> {
        let failed = |source| GitError::Other { doing: "reading what is ignored", source };
        let mut ignored = objects.local.excludes(self.index, None, IGNORE).map_err(failed)?;
        let mut is_ignored = |path: &BString, kind: FileType| {
            let mode = if kind.is_dir() { IndexMode::DIR } else { IndexMode::FILE };
            let found = ignored.at_entry(path.as_bstr(), Some(mode)).map_err(failed)?;
            Ok(found.is_excluded())
        };
        let mut untracked = BTreeMap::new();
        let mut add = |path, mode| {
            untracked.insert(path, OnDisk { now: Now::OnDisk(mode), ids: None });
        };
        // The name of each is empty or ends with a slash; beside it what the index holds below.
        let mut folders = vec![(BString::default(), self.index.entries())];
        while let Some((folder, tracked)) = folders.pop() {
            let place = self.place(folder.as_bstr())?;
            let found = match fs::read_dir(&place).and_then(Iterator::collect) {
                Ok(found) => found,
                Err(source) if folder.is_empty() => {
                    return Err(GitError::Read { path: place, source });
                }
                Err(_) => {
                    add(folder.trim_end_with(|char| char == '/').into(), Mode::File);
                    Vec::new()
                }
            };
            for found in found {
                let kind = match found.file_type() {
                    Ok(kind) => kind,
                    Err(source) => return Err(GitError::Read { path: found.path(), source }),
                };
                let name = gix::path::os_string_into_bstring(found.file_name()).map_err(failed)?;
                let mut path = folder.clone();
                path.extend_from_slice(&name);
                if name == ".git" {
                    continue;
                }
                let entry = entry_among(self.index, tracked, path.as_bstr());
                if kind.is_dir() {
                    if entry.is_some_and(|entry| entry.mode.is_submodule()) {
                        continue;
                    }
                    let mut inner = path.clone();
                    inner.push(b'/');
                    let below = below(self.index, tracked, inner.as_bstr());
                    if below.is_empty() {
                        if is_ignored(&path, kind)? {
                            continue;
                        }
                        if gix::discover::is_git(&found.path().join(".git")).is_ok() {
                            add(path, Mode::Submodule);
                            continue;
                        }
                    }
                    folders.push((inner, below));
                } else if entry.is_none()
                    && (kind.is_file() || kind.is_symlink())
                    && !is_ignored(&path, kind)?
                {
                    add(path, self.mode(&found, kind));
                }
            }
        }
        Ok(untracked)
    }

    fn mode(&self, found: &DirEntry, kind: FileType) -> Mode {
        let is_executable = || {
            let found = gix::index::fs::Metadata::from_path_no_follow(&found.path());
            found.is_ok_and(|found| found.is_executable())
        };
        if kind.is_symlink() {
            Mode::Symlink
        } else if self.executable && is_executable() {
            Mode::Executable
        } else {
            Mode::File
        }
    }
}

/// Returns the entry of a path among some neighbours.
fn entry_among<'i>(index: &State, entries: &'i [Entry], path: &BStr) -> Option<&'i Entry> {
    let at = entries.partition_point(|entry| entry.path(index) < path);
    entries.get(at).filter(|entry| entry.path(index) == path)
}

/// Returns the entries below a folder, whose name ends with a slash.
fn below<'i>(index: &State, entries: &'i [Entry], folder: &BStr) -> &'i [Entry] {
    let start = entries.partition_point(|entry| entry.path(index) < folder);
    let rest = entries.get(start..).unwrap_or_default();
    let end = rest.partition_point(|entry| entry.path(index).starts_with(folder));
    rest.get(..end).unwrap_or_default()
}
