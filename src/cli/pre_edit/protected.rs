//! Which of the files that an edit changes are protected, by what they are on disk?
//!
//! A protected file may be reached by another name: a linked folder, a hard link, a separate folder
//! of git, a settings folder that a variable names. So each changed file is compared with every
//! protected one by identity. That costs one look at each folder that may hold some, and one at each
//! file in those that are there; anything dearer is done only for a file that it can concern.

use super::super::rule_sources::RULES_FILES;
use super::super::world::World;
use super::projects::OtherProject;
use crate::clients::settings_files::{FILE_VARIABLES, MACHINE, USER_FOLDERS};
use crate::clients::wiring::wirings;
use crate::domain::{Change, Content, Place, Verdict};
use crate::engine::own_files::{
    GIT, GIT_SETTINGS, NEW_GIT, PROGRAM, ProtectedFile, RULES, SETTINGS, TRACES, folded,
};
use crate::git::Repo;
use crate::store::files::DiskFiles;
use crate::store::identity::{Identity, Match, Seen, Target};
use crate::store::roots::{GitFolders, home};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// The hooks that git runs.
const GIT_HOOKS: &[&str] = &[
    "applypatch-msg",
    "commit-msg",
    "fsmonitor-watchman",
    "p4-changelist",
    "p4-post-changelist",
    "p4-pre-submit",
    "p4-prepare-changelist",
    "post-applypatch",
    "post-checkout",
    "post-commit",
    "post-index-change",
    "post-merge",
    "post-receive",
    "post-rewrite",
    "post-update",
    "pre-applypatch",
    "pre-auto-gc",
    "pre-commit",
    "pre-merge-commit",
    "pre-push",
    "pre-rebase",
    "pre-receive",
    "prepare-commit-msg",
    "proc-receive",
    "push-to-checkout",
    "reference-transaction",
    "sendemail-validate",
    "update",
];

/// Where a program's own files of a person are: the variable, and the folder in the home.
#[cfg(not(any(windows, target_os = "macos")))]
const OURS: &[(&str, &str)] = &[
    ("XDG_STATE_HOME", ".local/state"),
    ("XDG_CACHE_HOME", ".cache"),
    ("XDG_CONFIG_HOME", ".config"),
    ("XDG_DATA_HOME", ".local/share"),
];
#[cfg(target_os = "macos")]
const OURS: &[(&str, &str)] =
    &[("XDG_STATE_HOME", "Library/Application Support"), ("XDG_CACHE_HOME", "Library/Caches")];
#[cfg(windows)]
const OURS: &[(&str, &str)] = &[("LOCALAPPDATA", "AppData/Local"), ("APPDATA", "AppData/Roaming")];

const BY_PROCESS: &str = "This path leads through what is different in each program (/proc, \
    /dev/fd), so the agent may write another file than the one that was looked at.";
const MANY_NAMES: &str = "This file has several names (hard links), and there are too many files \
    to tell whether one of them is protected.";

/// The files and folders that are protected.
pub struct Protected<'a> {
    files: &'a DiskFiles,
    roots: Vec<PathBuf>,
    entries: Vec<Entry>,
}

/// One of them.
struct Entry {
    path: PathBuf,
    /// Whether it takes all below.
    folder: bool,
    verdict: Verdict,
    why: &'static str,
}

impl<'a> Protected<'a> {
    /// Lists them: for the project and the others that an edit concerns, and for the person.
    pub fn of(files: &'a DiskFiles, others: &[OtherProject], world: &World) -> Self {
        let mut roots = vec![files.root().to_owned()];
        roots.extend(others.iter().map(|project| project.root.clone()));
        let mut all = Self { files, roots, entries: Vec::new() };
        for root in all.roots.clone() {
            for file in RULES_FILES {
                all.add(root.join(file), false, Verdict::Ask, RULES);
            }
            all.add(root.join(".solvi"), true, Verdict::Deny, TRACES);
            let git = GitFolders::of(&root);
            all.add(root.join(".git"), false, Verdict::Deny, GIT);
            // A file `.git` may lead anywhere.
            let holds_root = |folder: &Path| root.starts_with(folder) && !is_git_folder(folder);
            if git.common != git.own && !holds_root(&git.common) {
                all.add(git.common, true, Verdict::Deny, GIT);
            }
            if !holds_root(&git.own) {
                all.add(git.own, true, Verdict::Deny, GIT);
            }
            all.add_settings(&root);
        }
        for folder in files.folders() {
            if !all.roots.contains(folder) {
                all.add_settings(folder);
            }
        }
        all.add_users(world);
        all
    }

    /// Adds a file that is named where protected files usually are not.
    pub fn add_rules_file(&mut self, path: PathBuf) {
        self.add(path, false, Verdict::Ask, RULES);
    }

    /// Adds the file of a store, wherever it is.
    pub fn add_store(&mut self, path: &Path) {
        for ending in ["", ".head", ".missing", ".retired", "-journal", "-shm", "-wal"] {
            let mut path = path.as_os_str().to_owned();
            path.push(ending);
            self.add(path.into(), false, Verdict::Deny, TRACES);
        }
    }

    fn add(&mut self, path: PathBuf, folder: bool, verdict: Verdict, why: &'static str) {
        self.entries.push(Entry { path, folder, verdict, why });
    }

    fn add_settings(&mut self, folder: &Path) {
        for path in wirings().flat_map(|wiring| wiring.guarded) {
            self.add_named(folder, path, SETTINGS);
        }
    }

    /// Adds a path that takes all below when it ends with `/`.
    fn add_named(&mut self, folder: &Path, path: &str, why: &'static str) {
        let is_folder = path.ends_with('/');
        self.add(folder.join(path.trim_end_matches('/')), is_folder, Verdict::Ask, why);
    }

    fn add_users(&mut self, world: &World) {
        let home = home();
        for folder in USER_FOLDERS {
            let named = folder.variable.and_then(|variable| world.env(variable));
            let named = named.map(|named| world.path(named.as_ref()).join(folder.below_variable));
            let usual = home.as_ref().map(|home| home.join(folder.home));
            for place in [named, usual].into_iter().flatten() {
                for file in folder.files {
                    self.add_named(&place, file, SETTINGS);
                }
            }
        }
        for variable in FILE_VARIABLES {
            if let Some(file) = world.env(variable) {
                self.add(world.path(file.as_ref()), false, Verdict::Ask, SETTINGS);
            }
        }
        for (variable, usual) in OURS {
            let named = world.env(variable).map(|named| world.path(named.as_ref()));
            let usual = home.as_ref().map(|home| home.join(usual));
            for place in [named, usual].into_iter().flatten() {
                self.add(place.join("solvi-hook"), true, Verdict::Ask, PROGRAM);
            }
        }
        if let Ok(program) = std::env::current_exe() {
            self.add(program, false, Verdict::Ask, PROGRAM);
        }
    }

    /// Returns the protected ones among the files that an edit changes.
    #[must_use]
    pub fn among(&self, changes: &[Change]) -> Vec<ProtectedFile> {
        let mut seen = Seen::default();
        let mut found = Vec::new();
        for change in changes {
            for place in [Some(&change.place), change.moved_from.as_ref()].into_iter().flatten() {
                let target = Target::of(&self.files.path(place), &mut seen);
                let what = self.what(change, place, &target, &mut seen);
                found.extend(what.into_iter().map(|(verdict, why)| ProtectedFile {
                    place: place.clone(),
                    verdict,
                    why,
                }));
            }
        }
        found
    }

    fn what(
        &self,
        change: &Change,
        place: &Place,
        target: &Target,
        seen: &mut Seen,
    ) -> Vec<(Verdict, &'static str)> {
        let mut what = Vec::new();
        for entry in &self.entries {
            // Working trees may lie in the folder of their repository.
            let is_tree = |root: &PathBuf| {
                *root != entry.path
                    && root.starts_with(&entry.path)
                    && target.path().starts_with(root)
                    && !target.path().starts_with(root.join(".git"))
            };
            if entry.why == GIT && self.roots.iter().any(is_tree) {
                continue;
            }
            let is = if entry.folder {
                target.is_below(&entry.path, seen)
            } else {
                target.is_file(&entry.path, seen)
            };
            match is {
                Match::No => {}
                Match::Yes => what.push((entry.verdict, entry.why)),
                Match::Unknown => what.push((Verdict::Ask, MANY_NAMES)),
            }
        }
        if self.files.is_named_by_process(place) {
            what.push((Verdict::Ask, BY_PROCESS));
        }
        if let Place::Outside(path) = place {
            let path = folded(path);
            let is = |machine: &&&str| match machine.strip_suffix('/') {
                Some(folder) => path == folder || path.starts_with(**machine),
                None => path == **machine,
            };
            what.extend(MACHINE.iter().find(is).map(|_| (Verdict::Ask, SETTINGS)));
        }
        if is_in_git_folder(target.path()) || makes_git_folder(change, place) {
            what.push((Verdict::Ask, NEW_GIT));
        }
        if self.is_hook(target) {
            what.push((Verdict::Ask, GIT_SETTINGS));
        }
        what
    }

    /// Tells whether git runs a file as a hook: it lies where `core.hooksPath` leads, or a link in
    /// a hooks folder leads to it.
    fn is_hook(&self, target: &Target) -> bool {
        if target.is_executable() {
            let mut folders =
                self.roots.iter().map(|root| GitFolders::of(root).common.join("hooks"));
            if folders.any(|folder| target.is_linked_from(&folder)) {
                return true;
            }
        }
        let name = target.path().file_name().map(|name| folded(&name.to_string_lossy()));
        let name = name.unwrap_or_default();
        let name = name.strip_suffix(".exe").unwrap_or(&name);
        if !GIT_HOOKS.contains(&name) {
            return false;
        }
        let Some(folder) = target.path().parent() else { return false };
        let mut hooks =
            self.roots.iter().filter_map(|root| Repo::open_around(root).ok()?.configured_hooks());
        hooks.any(|hooks| {
            hooks == folder
                || Identity::of(&hooks).is_some_and(|hooks| Identity::of(folder) == Some(hooks))
        })
    }
}

/// Tells whether a file lies in a folder that git takes for its own, `.git` or not, or makes one of
/// a folder. A working tree in such a folder is none of it.
fn is_in_git_folder(path: &Path) -> bool {
    let folders = path.ancestors().skip(1);
    let mut folders =
        folders.take_while(|folder| fs::symlink_metadata(folder.join(".git")).is_err());
    folders.any(|folder| {
        let next = path.strip_prefix(folder).ok().and_then(|rest| rest.iter().next());
        is_git_folder_with(folder, next)
    })
}

fn is_git_folder(folder: &Path) -> bool {
    is_git_folder_with(folder, None)
}

/// Tells whether git takes a folder for its own once it has one more name in it: one with `HEAD`,
/// `objects` and `refs`, or with `HEAD` and `commondir`.
fn is_git_folder_with(folder: &Path, next: Option<&OsStr>) -> bool {
    let has = |name: &str| {
        next.is_some_and(|next| next.eq_ignore_ascii_case(name))
            || fs::symlink_metadata(folder.join(name)).is_ok()
    };
    has("HEAD") && (has("objects") && has("refs") || has("commondir"))
}

/// Tells whether a change writes what makes a folder one of git's own, once the rest is there.
fn makes_git_folder(change: &Change, place: &Place) -> bool {
    if !folded(place.name()).eq_ignore_ascii_case("head") {
        return false;
    }
    let Content::Text(text) = &change.after else { return false };
    let text = text.trim();
    let is_id = |text: &str| {
        matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    is_id(text) || text.strip_prefix("ref:").is_some_and(|name| name.trim().starts_with("refs/"))
}
