//! Which project, which store: flag, environment, default.

use super::failure::Failure;
use super::world::World;
use crate::domain::sanitize::visible;
use crate::store::files::repository_root;
use std::path::{Path, PathBuf};

/// Where the records of hooks are kept, from the project's root.
pub const STORE: &str = ".solvi/traces/hooks.jsonl";

/// Returns the project's root for a hook: the flag; else the repository that the session's folder
/// is in; else `$CLAUDE_PROJECT_DIR`; else that folder itself.
#[must_use]
pub fn project(flag: Option<&Path>, session: Option<&str>, world: &World) -> PathBuf {
    if let Some(flag) = flag {
        return world.path(flag);
    }
    let folder = session.map_or_else(|| world.cwd.clone(), |folder| world.path(folder.as_ref()));
    repository_root(&folder)
        .or_else(|| world.env("CLAUDE_PROJECT_DIR").map(PathBuf::from).filter(|dir| dir.is_dir()))
        .unwrap_or(folder)
}

/// Returns the folder that `--project` names, or the one that the process was started in.
pub fn folder(flag: Option<&Path>, world: &World) -> Result<PathBuf, Failure> {
    let Some(flag) = flag else { return Ok(world.cwd.clone()) };
    let folder = world.path(flag);
    if folder.is_dir() { Ok(folder) } else { Err(no_project(&folder)) }
}

/// Makes the failure of a project that is not there.
#[must_use]
pub fn no_project(folder: &Path) -> Failure {
    Failure::new("the project cannot be looked at")
        .because(format!("`{}` is no folder", visible(&folder.to_string_lossy())))
        .next("name the project's folder with `--project`")
}
