//! A folder with repositories in it, and a git that sees nothing of the machine around.

use solvi_hook::domain::{Change, Content};
use solvi_hook::git::{Delta, Deltas, Fate, Reading, Repo, Unchecked};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::num::NonZeroUsize;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// A repository in a temporary folder of its own.
pub struct Yard {
    folder: TempDir,
    /// The working tree.
    pub root: PathBuf,
}

impl Yard {
    /// Makes an empty repository.
    pub fn new() -> Self {
        Self::with(&[])
    }

    /// Makes an empty repository with more arguments for `git init`.
    pub fn with(arguments: &[&str]) -> Self {
        let folder = TempDir::new().unwrap();
        let root = folder.path().join("repo");
        fs::create_dir(&root).unwrap();
        let yard = Self { folder, root };
        yard.git(&[&["init", "-q", "-b", "main"], arguments].concat());
        yard
    }

    /// Makes a repository with a first commit of these files.
    pub fn of(files: &[(&str, &str)]) -> Self {
        let yard = Self::new();
        for (path, text) in files {
            yard.write(path, text);
        }
        yard.commit("first");
        yard
    }

    /// Returns a path beside the repository.
    pub fn beside(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Returns a view of another working tree in the same temporary folder.
    pub fn at(self, root: PathBuf) -> Self {
        Self { root, ..self }
    }

    pub fn write(&self, path: impl AsRef<OsStr>, text: impl AsRef<[u8]>) -> &Self {
        let path = self.root.join(path.as_ref());
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    pub fn remove(&self, path: &str) -> &Self {
        fs::remove_file(self.root.join(path)).unwrap();
        self
    }

    pub fn link(&self, target: &str, path: &str) -> &Self {
        std::os::unix::fs::symlink(target, self.root.join(path)).unwrap();
        self
    }

    /// Stages everything.
    pub fn stage(&self) -> &Self {
        self.git(&["add", "-A"]);
        self
    }

    /// Commits everything.
    pub fn commit(&self, message: &str) -> &Self {
        self.stage();
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
        self
    }

    /// Returns a git command in the working tree.
    pub fn command(&self) -> Command {
        self.program("git")
    }

    /// Returns a command in the working tree that sees what git sees.
    pub fn program(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", self.folder.path())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_AUTHOR_NAME", "a")
            .env("GIT_AUTHOR_EMAIL", "a@example.org")
            .env("GIT_AUTHOR_DATE", "2024-01-01T00:00:00Z")
            .env("GIT_COMMITTER_NAME", "a")
            .env("GIT_COMMITTER_EMAIL", "a@example.org")
            .env("GIT_COMMITTER_DATE", "2024-01-01T00:00:00Z")
            .current_dir(&self.root);
        command
    }

    /// Runs git and returns what it printed.
    pub fn git(&self, arguments: &[&str]) -> Vec<u8> {
        let output = self.command().args(arguments).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {arguments:?}: {said}");
        output.stdout
    }

    /// Runs git, which may fail, and tells whether it did not.
    pub fn tries(&self, arguments: &[&str]) -> bool {
        let quiet = self.command().args(arguments).stderr(Stdio::null()).output().unwrap();
        quiet.status.success()
    }

    /// Runs git and returns the word that it printed.
    pub fn word(&self, arguments: &[&str]) -> String {
        String::from_utf8(self.git(arguments)).unwrap().trim().to_owned()
    }

    pub fn repo(&self) -> Repo {
        Repo::open(&self.root).unwrap()
    }

    /// Reads what is staged; the paths must be git's.
    pub fn staged(&self) -> Seen {
        let repo = self.repo();
        let seen = Seen::of(&repo, &repo.staged().unwrap());
        let known = self.git(&["diff", "--cached", "--name-only", "-z", "--no-renames"]);
        seen.are(&known);
        seen
    }

    /// Reads a range; the paths must be git's.
    pub fn range(&self, spec: &str) -> Seen {
        let repo = self.repo();
        let range = repo.resolve(spec).unwrap();
        let seen = Seen::of(&repo, &repo.range(range.base, range.tip).unwrap());
        let known = self.git(&["diff", "--name-only", "-z", "--no-renames", spec]);
        seen.are(&known);
        seen
    }

    /// Reads the working tree; the paths must be git's.
    pub fn worktree(&self) -> Seen {
        let repo = self.repo();
        let seen = Seen::of(&repo, &repo.worktree(true).unwrap());
        let mut known = self.git(&[
            "diff",
            "--name-only",
            "-z",
            "--no-renames",
            "--ignore-submodules=dirty",
            "HEAD",
        ]);
        known.extend(self.git(&["ls-files", "--others", "--exclude-standard", "-z"]));
        seen.are(&known);
        seen
    }
}

/// The changes that were seen.
pub struct Seen(pub Vec<(Delta, Reading)>);

impl Seen {
    pub fn of(repo: &Repo, deltas: &Deltas) -> Self {
        let read = repo.each(
            &deltas.list,
            NonZeroUsize::new(2),
            |delta, reading| (delta.clone(), reading.unwrap()),
            |_| true,
        );
        Self(read)
    }

    /// Asserts that the paths are those in a list of git's.
    pub fn are(&self, known: &[u8]) {
        // git names an untracked repository with a slash.
        let known: BTreeSet<&[u8]> = known
            .split(|byte| *byte == 0)
            .map(|path| path.strip_suffix(b"/").unwrap_or(path))
            .filter(|path| !path.is_empty())
            .collect();
        let seen: BTreeSet<&[u8]> = self.0.iter().map(|(delta, _)| delta.path()).collect();
        let shown = |paths: &BTreeSet<&[u8]>| -> Vec<String> {
            paths.iter().map(|path| String::from_utf8_lossy(path).into_owned()).collect()
        };
        assert_eq!(shown(&seen), shown(&known), "ours, then git's");
        assert_eq!(seen.len(), self.0.len(), "a path twice");
    }

    pub fn get(&self, path: &str) -> &(Delta, Reading) {
        let found = self.0.iter().find(|(delta, _)| delta.place.as_str() == path);
        found.unwrap_or_else(|| panic!("no change of {path:?}"))
    }

    pub fn change(&self, path: &str) -> &Change {
        &self.get(path).1.change
    }

    pub fn fate(&self, path: &str) -> Fate {
        self.get(path).0.fate
    }

    pub fn unchecked(&self, path: &str) -> Option<&Unchecked> {
        self.get(path).1.unchecked.as_ref()
    }

    /// Returns the added lines of a path, as `NUMBER:TEXT`.
    pub fn added(&self, path: &str) -> Vec<String> {
        let lines = self.change(path).added.iter();
        lines.map(|line| format!("{}:{}", line.number, line.text)).collect()
    }

    pub fn text(&self, path: &str) -> &str {
        match &self.change(path).after {
            Content::Text(text) => text,
            other => panic!("{path} is {other:?}"),
        }
    }

    pub fn moved_from(&self, path: &str) -> Option<&str> {
        self.change(path).moved_from.as_ref().map(solvi_hook::domain::Place::as_str)
    }

    pub fn paths(&self) -> Vec<&str> {
        self.0.iter().map(|(delta, _)| delta.place.as_str()).collect()
    }
}

/// Returns numbered lines, `word 1` to `word N`.
pub fn lines(word: &str, count: usize) -> String {
    let numbered: Vec<String> = (1..=count).map(|number| format!("{word} {number}\n")).collect();
    numbered.concat()
}

/// A file name that is no UTF-8.
pub fn latin1() -> &'static OsStr {
    OsStr::from_bytes(b"caf\xe9.txt")
}
