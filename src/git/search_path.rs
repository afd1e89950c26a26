//! Finds a program in the folders that `$PATH` names, as a shell does, but neither in a relative
//! one nor in the repository: what stands there is the repository's choice, not the person's.

use super::executable;
use std::env::{self, consts::EXE_SUFFIX};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// Returns where a program is, links left as they are; `None` when it is in no trusted folder.
#[must_use]
pub fn program(name: &str, repository: Option<&Path>) -> Option<PathBuf> {
    let repository = repository.map(real);
    folders(repository.as_deref())
        .into_iter()
        .map(|folder| folder.join(format!("{name}{EXE_SUFFIX}")))
        .find(|file| {
            let runs =
                fs::metadata(file).is_ok_and(|found| found.is_file() && executable::is(&found));
            runs && repository.as_deref().is_none_or(|root| !real(file).starts_with(root))
        })
}

/// Returns `$PATH` without the folders that are relative or in the repository.
#[must_use]
pub fn trusted(repository: &Path) -> OsString {
    env::join_paths(folders(Some(&real(repository)))).unwrap_or_default()
}

/// Returns what a shell in a folder would start under a name, trusted or not.
#[must_use]
pub fn first(name: &str, started_in: &Path) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path)
        .map(|folder| started_in.join(folder).join(format!("{name}{EXE_SUFFIX}")))
        .find(|file| {
            fs::metadata(file).is_ok_and(|found| found.is_file() && executable::is(&found))
        })
}

fn folders(repository: Option<&Path>) -> Vec<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let outside = |folder: &PathBuf| repository.is_none_or(|root| !real(folder).starts_with(root));
    env::split_paths(&path).filter(|folder| folder.is_absolute() && outside(folder)).collect()
}

/// Returns a path with its links resolved, as far as it is there.
#[must_use]
pub fn real(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}
