//! Which rules evaluate a file of another repository than the project's?
//!
//! A rules file speaks of its own repository, from that repository's root. The rules of every
//! repository that holds a file apply to it, and none takes another's away: an agent can make a
//! repository anywhere. A linked worktree inside the project is the project once more: there the
//! project's rules apply to paths from the worktree's root.

use super::super::rule_sources::{RuleSource, RulesFile};
use super::Broken;
use crate::domain::byte_name;
use crate::domain::{Change, Moment};
use crate::engine::rules::{Realm, Rulebook};
use crate::store::files::DiskFiles;
use crate::store::roots::{GitFolders, above};
use std::path::{MAIN_SEPARATOR, Path, PathBuf};

/// The projects beside the one whose store is used.
#[derive(Default)]
pub struct OtherProjects {
    /// Where each begins.
    pub found: Vec<OtherProject>,
    /// Stands in for rules files that cannot be read.
    pub broken: Vec<Broken>,
}

/// A project beside the one whose store is used.
pub struct OtherProject {
    /// Its root.
    pub root: PathBuf,
    /// The files that its rules speak of.
    pub realm: Realm,
    /// Its folder as messages name it.
    name: String,
}

impl OtherProjects {
    /// Finds the projects of the session and of the files that are changed.
    #[must_use]
    pub fn of(changes: &[Change], files: &DiskFiles) -> Self {
        let mut roots: Vec<PathBuf> = Vec::new();
        let mut add = |root: PathBuf| {
            if root != files.root() && !roots.contains(&root) {
                roots.push(root);
            }
        };
        files.roots().iter().cloned().for_each(&mut add);
        for change in changes {
            for place in [Some(&change.place), change.moved_from.as_ref()].into_iter().flatten() {
                let path = files.path(place);
                path.parent().map(above).into_iter().flatten().for_each(&mut add);
            }
        }
        let found = roots.into_iter().map(|root| OtherProject::at(root, files)).collect();
        Self { found, broken: Vec::new() }
    }

    /// Adds the rules of these projects to those of `source`, as far as they speak of a change.
    pub fn add_rules(
        &mut self,
        book: &mut Rulebook,
        source: &RuleSource,
        changes: &[Change],
        files: &DiskFiles,
    ) {
        for project in &self.found {
            let concerns = |change: &Change| {
                let places = [Some(&change.place), change.moved_from.as_ref()];
                let mut places = places.into_iter().flatten();
                places.any(|place| project.realm.inside(place.as_str()).is_some())
            };
            if !changes.iter().any(concerns) {
                continue;
            }
            if project.is_worktree(files)
                && let Ok(mut again) = source.load()
            {
                again.keep_for(Moment::Edit);
                book.leave_out(&project.name);
                book.add(again, &project.realm);
            }
            match project.rules() {
                Ok(Some(mut own)) => {
                    own.keep_for(Moment::Edit);
                    book.add(own, &project.realm);
                }
                Ok(None) => {}
                Err(trouble) => {
                    self.broken.push(Broken { realm: project.realm.clone(), trouble });
                }
            }
        }
    }
}

impl OtherProject {
    fn at(root: PathBuf, files: &DiskFiles) -> Self {
        let (realm, name) = realm(&root, files);
        Self { root, realm, name }
    }

    /// Reads its rules; nothing where it has no rules file.
    fn rules(&self) -> Result<Option<Rulebook>, String> {
        let source = RuleSource::find_in(&self.root).map_err(|failure| failure.causes.join(" "))?;
        let source = match source {
            RuleSource::BuiltIn => return Ok(None),
            RuleSource::WorkingTree(file) | RuleSource::File(file) => {
                let name = format!("{}/{}", self.name.trim_end_matches('/'), file.name);
                RuleSource::File(RulesFile { name, ..file })
            }
            source => source,
        };
        source.load().map(Some).map_err(|error| error.to_string())
    }

    /// Tells whether this is a linked worktree, inside the project, of the project's repository.
    fn is_worktree(&self, files: &DiskFiles) -> bool {
        self.root.starts_with(files.root())
            && GitFolders::of(&self.root).is_worktree_of(&GitFolders::of(files.root()))
    }
}

/// Returns the files below each folder that an agent may have been started in, or that is between
/// one and its project's root: agents read settings there too.
#[must_use]
pub fn started(files: &DiskFiles) -> Vec<Realm> {
    let mut folders: Vec<&Path> = Vec::new();
    for start in files.folders() {
        let inside = start.starts_with(files.root());
        let above = start.ancestors().take_while(|folder| *folder != files.root());
        for folder in above.take(if inside { usize::MAX } else { 1 }) {
            if !folders.contains(&folder) {
                folders.push(folder);
            }
        }
    }
    folders.into_iter().map(|folder| realm(folder, files).0).collect()
}

/// Returns the files below a folder, and the folder's name.
pub fn realm(folder: &Path, files: &DiskFiles) -> (Realm, String) {
    if folder == files.root() {
        (Realm::default(), String::new())
    } else if let Ok(inside) = folder.strip_prefix(files.root()) {
        let name = text(inside);
        (Realm::below(&name), name)
    } else if let Ok(project) = files.root().strip_prefix(folder) {
        (Realm::around(&text(folder), &text(project)), text(folder))
    } else {
        (Realm::below(&text(folder)), text(folder))
    }
}

/// Spells a path as places are spelled.
fn text(path: &Path) -> String {
    byte_name::of_path(path).replace(MAIN_SEPARATOR, "/")
}
