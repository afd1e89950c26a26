//! Which projects does an event concern, and whose is the store?
//!
//! Every repository that holds the session's folder or the folder that an agent was started in is
//! one, and so is every repository that holds a file of the edit: the rules of all of them apply to
//! the files below each. An agent can make a repository anywhere; so none takes another's rules
//! away.
//!
//! The store is the outermost one's. A repository without a rules file does not move the store of
//! one inside it that has one, and neither does one in the person's home or above: who keeps their
//! settings in git there does not work on one project.

use super::rule_sources::RULES_FILES;
use super::world::World;
use crate::store::roots::{GitFolders, holding, is_home};
use std::fs;
use std::path::{Path, PathBuf};

/// The variables by which agents say which folder they were started in, or work on.
pub const PROJECT_VARIABLES: [&str; 4] =
    ["CLAUDE_PROJECT_DIR", "COPILOT_PROJECT_DIR", "CURSOR_PROJECT_DIR", "GEMINI_PROJECT_DIR"];

/// The projects of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roots {
    /// The project from whose root paths are told, and whose store is used.
    pub project: PathBuf,
    /// Whether that is only where the session happens to be: an edit of files of a project is that
    /// project's.
    pub provisional: bool,
    /// Every project of the session.
    pub all: Vec<PathBuf>,
    /// The session's folder and those that agents name, links resolved.
    pub folders: Vec<PathBuf>,
}

impl Roots {
    /// Finds the projects: the flag's; those that hold the session's folder; those that hold the
    /// folders which agents name.
    #[must_use]
    pub fn of(flag: Option<&Path>, session: Option<&str>, world: &World) -> Self {
        let folder =
            session.map_or_else(|| world.cwd.clone(), |folder| world.path(folder.as_ref()));
        let mut all = holding(&folder);
        let mut named = Vec::new();
        for variable in PROJECT_VARIABLES {
            let Some(start) = world.env(variable).map(PathBuf::from) else { continue };
            if start.is_absolute() && start.is_dir() && !named.contains(&start) {
                named.push(start);
            }
        }
        let real = fs::canonicalize(&folder).unwrap_or_else(|_| folder.clone());
        for start in &named {
            let mut roots = holding(start);
            if roots.is_empty() {
                roots.push(fs::canonicalize(start).unwrap_or_else(|_| start.clone()));
            }
            for root in roots {
                if !all.contains(&root) {
                    all.push(root);
                }
            }
        }
        let here: Vec<PathBuf> =
            all.iter().filter(|root| real.starts_with(root)).cloned().collect();
        let chosen = outermost(&here).or_else(|| outermost(&all));
        let provisional = flag.is_none() && chosen.as_ref().is_none_or(|root| is_home(root));
        let project = flag.map(|flag| world.path(flag)).or(chosen).unwrap_or(folder);
        let mut folders = vec![real];
        folders.extend(named.iter().filter_map(|start| fs::canonicalize(start).ok()));
        Self { project, provisional, all, folders }
    }
}

/// Returns the one of several roots whose store is used.
#[must_use]
pub fn outermost(roots: &[PathBuf]) -> Option<PathBuf> {
    let mut roots: Vec<&PathBuf> = roots.iter().collect();
    // A folder is shorter than what it holds.
    roots.sort_by_key(|root| root.as_os_str().len());
    let below: Vec<&PathBuf> = roots.iter().copied().filter(|root| !is_home(root)).collect();
    let with_rules = |root: &&PathBuf| RULES_FILES.iter().any(|file| root.join(file).exists());
    match below[..] {
        // Nothing but the home: the nearest.
        [] => roots.last().copied().cloned(),
        [only] => Some(only.clone()),
        _ => {
            let mut real = below.iter().filter(|root| GitFolders::of(root).is_repository());
            let found = below.iter().find(|root| with_rules(root)).or_else(|| real.next());
            found.or(below.last()).map(|root| (*root).clone())
        }
    }
}
