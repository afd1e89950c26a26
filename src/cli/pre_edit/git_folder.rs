//! What can be told of a repository without opening it: a look at a few names in git's own
//! folder takes some microseconds.

use std::fs;
use std::path::{Path, PathBuf};

/// Git's own folder of a working tree.
pub struct GitFolder(PathBuf);

impl GitFolder {
    /// Finds the folder: `.git`, or where that file points to in a linked worktree or a
    /// submodule.
    #[must_use]
    pub fn of(root: &Path) -> Self {
        let named = root.join(".git");
        // Whatever else bears that name is not read: a pipe would never end.
        let is_pointer = fs::metadata(&named).is_ok_and(|meta| meta.is_file() && meta.len() < 8192);
        let pointer = if is_pointer { fs::read_to_string(&named).ok() } else { None };
        let target = pointer.as_deref().and_then(|text| text.strip_prefix("gitdir:"));
        Self(target.map_or(named, |target| root.join(target.trim())))
    }

    /// Tells whether a repository may be there.
    #[must_use]
    pub fn is_repository(&self) -> bool {
        self.has("HEAD")
    }

    /// Tells whether anything was ever added.
    #[must_use]
    pub fn has_index(&self) -> bool {
        self.has("index")
    }

    /// Tells whether something is being merged, so that paths may be in conflict. git leaves
    /// `AUTO_MERGE` behind whenever its merge met a conflict, whichever command merged.
    #[must_use]
    pub fn is_merging(&self) -> bool {
        let signs = ["AUTO_MERGE", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD"];
        signs.iter().chain(&["rebase-merge", "rebase-apply"]).any(|sign| self.has(sign))
    }

    fn has(&self, name: &str) -> bool {
        fs::symlink_metadata(self.0.join(name)).is_ok()
    }
}
