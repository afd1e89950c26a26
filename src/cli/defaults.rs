//! Which project, which store: flag, environment, default.

use super::failure::Failure;
use super::roots::Roots;
use super::world::World;
use crate::domain::sanitize;
use crate::store::roots::holding;
use std::path::{Path, PathBuf};

/// Where the records of hooks are kept, from the project's root.
pub const STORE: &str = ".solvi/traces/hooks.jsonl";

/// Returns the root of the project whose store is used; see [`Roots`].
#[must_use]
pub fn project(flag: Option<&Path>, session: Option<&str>, world: &World) -> PathBuf {
    Roots::of(flag, session, world).project
}

/// Returns the root of the project whose records a person reads: that of [`project`], unless only
/// the nearest repository, which is inside it, has a store.
#[must_use]
pub fn recorded(flag: Option<&Path>, world: &World) -> PathBuf {
    let root = project(flag, None, world);
    match inner(&root, world) {
        Some(inner) if flag.is_none() && !root.join(STORE).exists() => {
            if inner.join(STORE).exists() { inner } else { root }
        }
        _ => root,
    }
}

/// Returns the repository that the process was started in, when it is inside another project.
#[must_use]
pub fn inner(root: &Path, world: &World) -> Option<PathBuf> {
    let nearest = holding(&world.cwd).into_iter().next()?;
    let root = std::fs::canonicalize(root).ok()?;
    (nearest != root && nearest.starts_with(root)).then_some(nearest)
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
        .because(format!("`{}` is not a directory", sanitize::path(folder)))
        .next("name the project's folder with `--project`")
}
