//! Which project, which store: flag, environment, default.

use super::failure::Failure;
use super::roots::Roots;
use super::world::World;
use crate::domain::sanitize::visible;
use std::path::{Path, PathBuf};

/// Where the records of hooks are kept, from the project's root.
pub const STORE: &str = ".solvi/traces/hooks.jsonl";

/// Returns the root of the project whose store is used; see [`Roots`].
#[must_use]
pub fn project(flag: Option<&Path>, session: Option<&str>, world: &World) -> PathBuf {
    Roots::of(flag, session, world).project
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
