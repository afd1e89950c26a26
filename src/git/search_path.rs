//! Finds a program in the folders that `$PATH` names, as a shell does, but neither in a relative
//! one nor in the repository: what stands there is the repository's choice, not the person's.

use super::executable;
use std::env::{self, consts::EXE_SUFFIX};
use std::fs;
use std::path::{Path, PathBuf};

/// Returns where a program is, links left as they are; `None` when it is in no trusted folder.
#[must_use]
pub fn program(name: &str, repository: Option<&Path>) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let repository = repository.map(real);
    let outside =
        |file: &Path| repository.as_ref().is_none_or(|root| !real(file).starts_with(root));
    env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(format!("{name}{EXE_SUFFIX}")))
        .find(|file| {
            let runs =
                fs::metadata(file).is_ok_and(|found| found.is_file() && executable::is(&found));
            runs && outside(file)
        })
}

fn real(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}
