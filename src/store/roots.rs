//! The repositories around a file or folder, and the one among them whose project it is.

use std::fs;
use std::path::{Path, PathBuf};

/// Returns the repositories that hold a folder, innermost first: every folder with `.git` from it
/// upwards, links resolved, also where the folder as written and the real one have different ones
/// above them.
#[must_use]
pub fn holding(folder: &Path) -> Vec<PathBuf> {
    let real = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    let mut found = above(&real);
    if real != folder {
        for root in above(folder) {
            let root = fs::canonicalize(&root).unwrap_or(root);
            if !found.contains(&root) {
                found.push(root);
            }
        }
    }
    found
}

/// Returns the repositories that hold a folder whose links are resolved, innermost first.
#[must_use]
pub fn above(folder: &Path) -> Vec<PathBuf> {
    let is_root = |folder: &&Path| folder.join(".git").exists();
    folder.ancestors().filter(is_root).map(Path::to_owned).collect()
}

/// Returns the person's home, links resolved.
#[must_use]
pub fn home() -> Option<PathBuf> {
    let home = directories::BaseDirs::new()?.home_dir().to_owned();
    Some(fs::canonicalize(&home).unwrap_or(home))
}

/// Tells whether a folder is the person's home, or above it. A repository there (of settings, say)
/// is not the project of everything that the person works on.
#[must_use]
pub fn is_home(folder: &Path) -> bool {
    home().is_some_and(|home| home.starts_with(folder))
}

/// Git's own folder of a working tree, and the one that its linked worktrees share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitFolders {
    /// `.git`, or where that file points to in a linked worktree or a submodule.
    pub own: PathBuf,
    /// Where the repository of a linked worktree is; the same as `own` elsewhere.
    pub common: PathBuf,
}

impl GitFolders {
    /// Finds the folders of the working tree at `root`.
    #[must_use]
    pub fn of(root: &Path) -> Self {
        let named = root.join(".git");
        let target = short_text(&named).and_then(|text| {
            let target = text.strip_prefix("gitdir:")?.trim();
            Some(root.join(target))
        });
        let Some(own) = target else { return Self { common: named.clone(), own: named } };
        let common = short_text(&own.join("commondir"))
            .map_or_else(|| own.clone(), |common| own.join(common.trim()));
        let real = |path: PathBuf| fs::canonicalize(&path).unwrap_or(path);
        let (own, common) = (real(own), real(common));
        Self { own, common }
    }

    /// Tells whether a repository may be there: an empty folder `.git` is none.
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
        fs::symlink_metadata(self.own.join(name)).is_ok()
    }

    /// Tells whether this is a linked worktree of the repository that another working tree has.
    #[must_use]
    pub fn is_worktree_of(&self, other: &Self) -> bool {
        let same = |one: &Path, other: &Path| {
            fs::canonicalize(one).is_ok_and(|one| fs::canonicalize(other).is_ok_and(|it| it == one))
        };
        self.own != self.common && same(&self.common, &other.common)
    }
}

/// Reads a file of one path; whatever else bears that name is not read: a pipe would never end.
fn short_text(file: &Path) -> Option<String> {
    let is_short = fs::metadata(file).is_ok_and(|meta| meta.is_file() && meta.len() < 8192);
    if is_short { fs::read_to_string(file).ok() } else { None }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn every_repository_above_a_folder_holds_it() {
        let dir = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(dir.path()).unwrap();
        for folder in ["a/.git", "a/b/.git", "a/b/c"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        let found = holding(&root.join("a/b/c"));
        assert_eq!(found, [root.join("a/b"), root.join("a")]);
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_behind_a_link_has_the_repositories_of_both_places() {
        let dir = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(dir.path()).unwrap();
        fs::create_dir_all(root.join("a/.git")).unwrap();
        fs::create_dir_all(root.join("b/.git")).unwrap();
        std::os::unix::fs::symlink("../b", root.join("a/link")).unwrap();
        assert_eq!(holding(&root.join("a/link")), [root.join("b"), root.join("a")]);
    }

    #[test]
    fn a_linked_worktree_shares_the_repository_of_another() {
        let dir = tempfile::tempdir().unwrap();
        let git = dir.path().join("a/.git/worktrees/w");
        fs::create_dir_all(&git).unwrap();
        fs::create_dir_all(dir.path().join("w")).unwrap();
        fs::write(git.join("commondir"), "../..\n").unwrap();
        fs::write(dir.path().join("w/.git"), format!("gitdir: {}\n", git.display())).unwrap();
        let main = GitFolders::of(&dir.path().join("a"));
        let linked = GitFolders::of(&dir.path().join("w"));
        assert!(linked.is_worktree_of(&main) && !main.is_worktree_of(&linked));
    }
}
