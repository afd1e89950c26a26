//! Which rules judge a file of a repository inside the project?
//!
//! A rules file speaks of its own repository, from that repository's root. A file of a submodule
//! is judged by the submodule's rules file if it has one. Any other repository in a folder of the
//! project (one that nobody has committed as a submodule) may add rules by its own file and takes
//! none away: an agent can make a repository anywhere.

use super::super::rule_sources::{RuleSource, RulesFile};
use super::super::world::World;
use super::Broken;
use crate::domain::{Change, Moment, Place};
use crate::engine::rules::Rulebook;
use crate::git::{Repo, Tracked};
use crate::store::files::{DiskFiles, repository_root};
use std::path::Path;

/// The repositories inside the project that an edit touches.
#[derive(Default)]
pub struct Nested {
    /// Their folders, each with `/` at its end.
    pub folders: Vec<String>,
    /// Stands in for rules files that cannot be read.
    pub broken: Vec<Broken>,
}

impl Nested {
    /// Finds the repositories inside the project that changes belong to.
    #[must_use]
    pub fn of(changes: &[Change], files: &DiskFiles) -> Self {
        let mut nested = Self::default();
        for change in changes {
            let Place::Inside(_) = &change.place else { continue };
            let mut at = files.path(&change.place).parent().map(Path::to_owned);
            // Above the project's root, and at it, there is nothing to find.
            while let Some(folder) = at.filter(|folder| folder != files.root())
                && let Some(root) = repository_root(&folder)
                && let Ok(inside) = root.strip_prefix(files.root())
                && root != files.root()
            {
                let folder = inside.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/") + "/";
                if !nested.folders.contains(&folder) {
                    nested.folders.push(folder);
                }
                at = root.parent().map(Path::to_owned);
            }
        }
        nested
    }

    /// Adds the rules of these repositories to the project's.
    pub fn add_rules(&mut self, book: &mut Rulebook, files: &DiskFiles, world: &World) {
        for folder in &self.folders {
            let folder = folder.trim_end_matches('/');
            let root = files.root().join(folder);
            let source = match RuleSource::find(None, &root, world) {
                Ok(RuleSource::WorkingTree(file) | RuleSource::File(file)) => {
                    let name = format!("{folder}/{}", file.name);
                    RuleSource::File(RulesFile { name, ..file })
                }
                Ok(RuleSource::BuiltIn) => continue,
                Ok(source) => source,
                Err(failure) => {
                    self.broken.push(Broken::below(folder, failure.causes.join(" ")));
                    continue;
                }
            };
            match source.load() {
                Ok(mut own) => {
                    own.keep_for(Moment::Edit);
                    if is_submodule(&root) {
                        book.leave_out(folder);
                    }
                    book.add_below(folder, own);
                }
                Err(error) => self.broken.push(Broken::below(folder, error.to_string())),
            }
        }
    }
}

/// Tells whether the repository around a folder holds it as a submodule. One that cannot be read
/// does not, so that its rules stay in force.
fn is_submodule(root: &Path) -> bool {
    let Some(outer) = root.parent().and_then(repository_root) else { return false };
    let Ok(folder) = root.strip_prefix(&outer) else { return false };
    let folder = folder.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/");
    let entry = Repo::open(&outer).and_then(|repo| repo.index_entry(&folder));
    matches!(entry, Ok(Tracked::Submodule))
}
