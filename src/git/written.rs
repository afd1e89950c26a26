//! When was the index written? Without opening the repository: a look at a time.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Returns when the index of the working tree at `root` was written; none where there is none.
#[must_use]
pub fn index_written(root: &Path) -> Option<SystemTime> {
    fs::metadata(folder(root)?.join("index")).ok()?.modified().ok()
}

/// Returns the folder that git keeps for a working tree: `.git`, or where the file `.git` points.
fn folder(root: &Path) -> Option<PathBuf> {
    let git = root.join(".git");
    if fs::metadata(&git).ok()?.is_dir() {
        return Some(git);
    }
    let pointer = fs::read_to_string(&git).ok()?;
    pointer.strip_prefix("gitdir:").map(|target| root.join(target.trim()))
}
