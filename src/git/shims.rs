//! Which hooks does git run here, and which of them are ours?
//!
//! A shim of ours is a few lines of shell that start solvi-hook, known by a line of their own. It
//! is written whole or not at all, into the folder whose hooks git really runs. A hook that is
//! somebody else's is never changed: at most it is moved into the folder beside the shim, where
//! the shim runs it first, and from where it comes back as it was. Nothing is written through a
//! symbolic link.

use super::error::GitError;
use super::repo::Repo;
use super::{executable, program};
use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// A hook that we have a shim for.
#[derive(Debug, PartialEq, Eq)]
pub struct Hook {
    /// What git calls it.
    pub name: &'static str,
    /// The sub-command that the shim runs.
    pub runs: &'static str,
    /// The shim, which finds solvi-hook on PATH.
    pub text: &'static str,
}

/// Stops a commit.
pub const PRE_COMMIT: &Hook = &Hook {
    name: "pre-commit",
    runs: "check-staged",
    text: include_str!("../../hooks/pre-commit"),
};

/// Stops a merge, for which git does not run `pre-commit`.
pub const PRE_MERGE_COMMIT: &Hook = &Hook {
    name: "pre-merge-commit",
    runs: "check-staged",
    text: include_str!("../../hooks/pre-merge-commit"),
};

/// Stops a push.
pub const PRE_PUSH: &Hook =
    &Hook { name: "pre-push", runs: "pre-push", text: include_str!("../../hooks/pre-push") };

/// Stops a push where it arrives.
pub const PRE_RECEIVE: &Hook = &Hook {
    name: "pre-receive",
    runs: "pre-receive",
    text: include_str!("../../hooks/pre-receive"),
};

/// Every hook that we have a shim for.
pub const HOOKS: [&Hook; 4] = [PRE_COMMIT, PRE_MERGE_COMMIT, PRE_PUSH, PRE_RECEIVE];

/// The line by which a shim is known.
const MARK: &str =
    "# solvi-hook: this file is its own; `solvi-hook uninstall --git` takes it away.";

/// The line of a shim that names the programs to try.
const PROGRAMS: &str = "\nfor program in solvi-hook; do\n";

/// What a hook that was there before is called in the folder beside the shim.
const ORIGINAL: &str = "original";

/// How much of a hook is read.
const LIMIT: u64 = 1 << 20;

impl Hook {
    /// Tells whether a repository has this hook where nothing else is asked for: a bare one, which
    /// others push to, or one in which commits are made.
    #[must_use]
    pub fn is_usual(&self, repo: &Repo) -> bool {
        match self.name {
            "pre-receive" => repo.root().is_none(),
            "pre-push" => false,
            _ => repo.root().is_some(),
        }
    }

    /// Returns the shim; it tries a program first, which is given as a shell reads it.
    #[must_use]
    pub fn shim(&self, program: Option<&str>) -> String {
        match program {
            Some(program) => {
                let programs = format!("\nfor program in {program} solvi-hook; do\n");
                self.text.replacen(PROGRAMS, &programs, 1)
            }
            None => self.text.to_owned(),
        }
    }
}

/// Returns the words that a shim names as the programs to try, as a shell reads them.
#[must_use]
pub fn programs(shim: &str) -> Option<&str> {
    shim.lines().find_map(|line| line.strip_prefix("for program in ")?.strip_suffix("; do"))
}

/// Whose ground a hooks folder is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ground {
    /// Inside git's own folder: this repository's, and nobody else's business.
    Own,
    /// In the working tree: a part of the project.
    Tree,
    /// Anywhere else, also by way of a link: other repositories may use it too.
    Elsewhere,
}

/// A folder of hooks.
#[derive(Clone, Debug)]
pub struct HooksFolder {
    /// Where it is.
    pub path: PathBuf,
    /// Whose ground it is on.
    pub ground: Ground,
    /// What `core.hooksPath` says when that is what leads here, and where it says so.
    pub configured: Option<(String, String)>,
}

/// What stands in a hook's place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Nothing.
    Absent,
    /// Our shim.
    Ours {
        /// Its text.
        text: String,
        /// Whether git would run it.
        runs: bool,
    },
    /// Somebody else's hook.
    Stranger {
        /// Its text, as far as it is text.
        text: String,
        /// Whether git would run it.
        runs: bool,
    },
    /// A symbolic link to nothing, and where it points.
    DeadLink(PathBuf),
    /// Something that is no file.
    NoFile,
}

/// A hook that could not be read, written or moved; all is as it was.
#[derive(Debug, thiserror::Error)]
#[error("`{}`: {source}", path.display())]
pub struct ShimError {
    /// Which file.
    pub path: PathBuf,
    /// What the system says.
    pub source: io::Error,
}

impl Repo {
    /// Returns the folder whose hooks git runs here.
    pub fn hooks(&self) -> Result<HooksFolder, GitError> {
        let (common, path) = program::hooks(self)?;
        let configured = program::hooks_path(self);
        let ground = match real(&path) {
            path if path.starts_with(real(&common)) || path.starts_with(real(self.git_dir())) => {
                Ground::Own
            }
            path if self.root().is_some_and(|root| path.starts_with(real(root))) => Ground::Tree,
            _ => Ground::Elsewhere,
        };
        Ok(HooksFolder { path, ground, configured })
    }

    /// Returns git's own hooks folder, when `core.hooksPath` leads git past it.
    pub fn hooks_passed_by(&self) -> Result<Option<HooksFolder>, GitError> {
        let (common, path) = program::hooks(self)?;
        let passed = common.join("hooks");
        let same = real(&passed) == real(&path);
        let folder = HooksFolder { path: passed, ground: Ground::Own, configured: None };
        Ok((!same).then_some(folder))
    }
}

impl HooksFolder {
    /// Returns where a hook's file is.
    #[must_use]
    pub fn file(&self, hook: &Hook) -> PathBuf {
        self.path.join(hook.name)
    }

    /// Returns the folder whose hooks a shim runs first.
    #[must_use]
    pub fn beside(&self, hook: &Hook) -> PathBuf {
        self.path.join(format!("{}.d", hook.name))
    }

    /// Returns where a hook that was there before is kept.
    #[must_use]
    pub fn original(&self, hook: &Hook) -> PathBuf {
        self.beside(hook).join(ORIGINAL)
    }

    /// Looks at what stands in a hook's place.
    pub fn look(&self, hook: &Hook) -> Result<Standing, ShimError> {
        let path = self.file(hook);
        let cannot = |source| ShimError { path: path.clone(), source };
        let Some(there) = meta(&path)? else { return Ok(Standing::Absent) };
        let target = match fs::metadata(&path) {
            Ok(target) => target,
            Err(error) if there.is_symlink() && error.kind() == ErrorKind::NotFound => {
                return Ok(Standing::DeadLink(fs::read_link(&path).map_err(cannot)?));
            }
            Err(error) => return Err(cannot(error)),
        };
        if !target.is_file() {
            return Ok(Standing::NoFile);
        }
        let mut bytes = Vec::new();
        let file = File::open(&path).map_err(cannot)?;
        file.take(LIMIT).read_to_end(&mut bytes).map_err(cannot)?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let runs = executable::is(&target);
        // A link to a shim is whoever's who made the link.
        let ours = !there.is_symlink() && text.lines().take(5).any(|line| line == MARK);
        Ok(if ours { Standing::Ours { text, runs } } else { Standing::Stranger { text, runs } })
    }

    /// Writes a shim where nothing is, or where one of ours is.
    pub fn write(&self, hook: &Hook, text: &str) -> Result<(), ShimError> {
        let path = self.file(hook);
        fs::create_dir_all(&self.path)
            .map_err(|source| ShimError { path: self.path.clone(), source })?;
        let new = self.new_file(hook, text)?;
        // Somebody may have been quicker.
        let there = self.look(hook);
        let placed = match there {
            Ok(Standing::Absent | Standing::Ours { .. }) => {
                fs::rename(&new, &path).map_err(|source| ShimError { path, source })
            }
            Ok(_) => Err(ShimError { path, source: ErrorKind::AlreadyExists.into() }),
            Err(error) => Err(error),
        };
        placed.inspect_err(|_| drop(fs::remove_file(&new)))
    }

    /// Writes a shim where a stranger's hook is, which moves into the folder beside it.
    pub fn chain(&self, hook: &Hook, text: &str) -> Result<(), ShimError> {
        let (path, original) = (self.file(hook), self.original(hook));
        let cannot = |path: &Path| {
            let path = path.to_owned();
            move |source| ShimError { path, source }
        };
        let beside = self.beside(hook);
        match meta(&beside)? {
            None => fs::create_dir(&beside).map_err(cannot(&beside))?,
            Some(there) if there.is_dir() => {}
            Some(_) => return Err(cannot(&beside)(ErrorKind::NotADirectory.into())),
        }
        if meta(&original)?.is_some() {
            return Err(cannot(&original)(ErrorKind::AlreadyExists.into()));
        }
        let new = self.new_file(hook, text)?;
        let moved = move_hook(&path, &original, deeper).map_err(cannot(&original)).and_then(|()| {
            fs::rename(&new, &path).map_err(|source| {
                drop(move_hook(&original, &path, shallower));
                cannot(&path)(source)
            })
        });
        moved.inspect_err(|_| {
            drop(fs::remove_file(&new));
            drop(fs::remove_dir(&beside));
        })
    }

    /// Takes a shim of ours away; the hook that was there before comes back, and whether there
    /// was one is returned.
    pub fn remove(&self, hook: &Hook) -> Result<bool, ShimError> {
        let (path, original) = (self.file(hook), self.original(hook));
        let back = meta(&original)?.is_some();
        let removed =
            if back { move_hook(&original, &path, shallower) } else { fs::remove_file(&path) };
        removed.map_err(|source| ShimError { path, source })?;
        // Only an empty one goes: what else is in it is a person's.
        drop(fs::remove_dir(self.beside(hook)));
        Ok(back)
    }

    /// Returns the names of the hooks that a shim would run first.
    #[must_use]
    pub fn before(&self, hook: &Hook) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.beside(hook)) else { return Vec::new() };
        let runs = |path: &Path| {
            fs::metadata(path).is_ok_and(|meta| meta.is_file() && executable::is(&meta))
        };
        let mut names: Vec<String> = entries
            .filter_map(Result::ok)
            .filter(|entry| runs(&entry.path()))
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    /// Writes a finished shim under a name that git does not know.
    fn new_file(&self, hook: &Hook, text: &str) -> Result<PathBuf, ShimError> {
        let path = self.path.join(format!(".{}.{}", hook.name, std::process::id()));
        let written = File::create_new(&path).and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            executable::make(&path)
        });
        match written {
            Ok(()) => Ok(path),
            Err(source) => {
                if source.kind() != ErrorKind::AlreadyExists {
                    drop(fs::remove_file(&path));
                }
                Err(ShimError { path, source })
            }
        }
    }
}

/// Returns what is at a path, links not followed; none when nothing is.
fn meta(path: &Path) -> Result<Option<Metadata>, ShimError> {
    match fs::symlink_metadata(path) {
        Ok(there) => Ok(Some(there)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(source) => Err(ShimError { path: path.to_owned(), source }),
    }
}

/// Moves a hook; a link that is relative is made anew, so that it leads to the same place.
fn move_hook(from: &Path, to: &Path, turned: fn(&Path) -> PathBuf) -> io::Result<()> {
    let target = match fs::read_link(from) {
        Ok(target) if target.is_relative() => target,
        _ => return fs::rename(from, to),
    };
    let new = to.with_extension(format!("{}.link", std::process::id()));
    executable::link(&turned(&target), &new)?;
    fs::rename(&new, to).inspect_err(|_| drop(fs::remove_file(&new)))?;
    fs::remove_file(from)
}

/// Returns a relative link's target as it is spelled one folder further down.
fn deeper(target: &Path) -> PathBuf {
    Path::new("..").join(target)
}

/// Returns a relative link's target as it was before it went one folder down.
fn shallower(target: &Path) -> PathBuf {
    // As text where it is text: comparing parts would lose a `./`.
    let text = target.to_str().and_then(|target| target.strip_prefix("../")).map(PathBuf::from);
    let parts = || target.strip_prefix("..").map_or_else(|_| target.to_owned(), Path::to_owned);
    text.unwrap_or_else(parts)
}

/// Returns a path without links and `..` as far as it exists.
fn real(path: &Path) -> PathBuf {
    let known = |folder: &Path| {
        let rest = path.strip_prefix(folder).ok()?;
        let known = fs::canonicalize(folder).ok()?;
        Some(known.components().chain(rest.components()).collect())
    };
    path.ancestors().find_map(known).unwrap_or_else(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shim_is_known_by_its_mark_and_names_its_program() {
        for hook in HOOKS {
            assert_eq!(hook.text.lines().nth(1), Some(MARK), "{}", hook.name);
            let shim = hook.shim(Some("'/opt/my tools/solvi-hook'"));
            let programs = "for program in '/opt/my tools/solvi-hook' solvi-hook; do";
            assert!(shim.lines().any(|line| line == programs), "{shim}");
            assert!(shim.contains(&format!(" {}", hook.runs)), "{shim}");
        }
    }
}
