//! Why the repository could not be read: what was asked, which revision, object or path, and
//! what stood against it.
//!
//! Each error says the cause in a sentence; [`GitError::next`] says what to do about it. None of
//! them is about a change: they mean that a change could not be looked at.

use super::repo::Id;
use std::io;
use std::path::PathBuf;

/// A question about a repository that could not be answered.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// There is no repository.
    #[error("`{}` is in no git repository", from.display())]
    NoRepository {
        /// Where the search began.
        from: PathBuf,
    },
    /// There is a repository, and it cannot be opened.
    #[error("the git repository at `{}` cannot be opened", from.display())]
    Open {
        /// Where the search began.
        from: PathBuf,
        /// What gix says.
        #[source]
        source: gix::Error,
    },
    /// A bare repository stages nothing.
    #[error("`{}` is a bare repository: it has no index and no working tree", git_dir.display())]
    Bare {
        /// The repository.
        git_dir: PathBuf,
    },
    /// The index is damaged, or in a form that is not known.
    #[error("the index `{}` cannot be read", path.display())]
    Index {
        /// The index file.
        path: PathBuf,
        /// What gix says.
        #[source]
        source: gix::Error,
    },
    /// A range lacks a side, or is empty altogether.
    #[error("the range `{spec}` has an empty side")]
    EmptySide {
        /// The range as it was given.
        spec: String,
    },
    /// A revision names no commit.
    #[error("`{spec}` names no commit in this repository")]
    Revision {
        /// The revision as it was given.
        spec: String,
        /// The clone holds a part of the history only.
        shallow: bool,
        /// Why, as far as can be told.
        why: String,
    },
    /// An object that is needed is not in the repository.
    #[error("object {id} is missing: {lack}")]
    Missing {
        /// The object.
        id: Id,
        /// Why, as far as can be told.
        lack: Lack,
    },
    /// An object is there and cannot be decoded, or is of another kind than it should be.
    #[error("object {id} cannot be read")]
    Object {
        /// The object.
        id: Id,
        /// What gix says.
        #[source]
        source: gix::Error,
    },
    /// Two commits have no common ancestor.
    #[error("{one} and {two} have no common ancestor in this repository")]
    NoMergeBase {
        /// One commit.
        one: Id,
        /// The other.
        two: Id,
        /// The clone holds a part of the history only.
        shallow: bool,
    },
    /// A tree or an index holds a name that no file can have (`..`, an empty one).
    #[error("the repository holds a path that no file can have: {path}")]
    Path {
        /// The path, as it is shown.
        path: String,
    },
    /// What is at a path is not a file that can be used.
    #[error("`{path}` {why}")]
    NoFile {
        /// The path.
        path: String,
        /// What it is.
        why: String,
    },
    /// Folders are nested deeper than git itself goes.
    #[error("folders are nested more than {} deep below `{path}`", super::tree::DEEPEST)]
    Deep {
        /// The path, as it is shown.
        path: String,
    },
    /// A file or a folder of the working tree, or of git's own folder, cannot be read.
    #[error("`{}` cannot be read", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        #[source]
        source: io::Error,
    },
    /// The `git` program was needed and failed.
    #[error("`git {doing}` failed: {said}")]
    Program {
        /// The sub-command with its arguments.
        doing: String,
        /// What it said.
        said: String,
    },
    /// The `git` program was needed, and the repository belongs to somebody else.
    #[error("the repository belongs to another user, so no program is run in it")]
    Distrusted {
        /// Its git folder.
        git_dir: PathBuf,
    },
    /// Anything else that gix cannot do.
    #[error("{doing} failed")]
    Other {
        /// What was asked.
        doing: &'static str,
        /// What gix says.
        #[source]
        source: gix::Error,
    },
}

/// Why an object may be missing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Lack {
    /// The clone was cut off at a depth.
    #[error("this is a shallow clone, which holds a part of the history only")]
    Shallow,
    /// The clone leaves objects on the server, and nobody asked to fetch them.
    #[error("this is a partial clone, and it is not fetched")]
    NotFetched,
    /// The clone leaves objects on the server, and fetching them failed.
    #[error("this is a partial clone, and git could not fetch it: {0}")]
    Unfetched(String),
    /// The repository is damaged.
    #[error("the repository is damaged")]
    Gone,
}

impl GitError {
    /// Returns what to do now, as a sentence that may hold a command.
    #[must_use]
    pub fn next(&self) -> Option<String> {
        let next = match self {
            Self::NoRepository { .. } => {
                "run this in a git repository, or name one with `--project`".to_owned()
            }
            Self::Open { .. } => "run `git status` there to see whether git can open it".to_owned(),
            Self::Bare { .. } => "run this in a checkout of it (`git worktree add`)".to_owned(),
            Self::Index { path, .. } => {
                format!("move `{}` away and run `git reset`", path.display())
            }
            Self::Revision { shallow: true, .. }
            | Self::NoMergeBase { shallow: true, .. }
            | Self::Missing { lack: Lack::Shallow, .. } => UNSHALLOW.to_owned(),
            Self::EmptySide { .. } => {
                "see whether a variable is unset; write both sides, as in `origin/main...HEAD`, \
                 or no range at all for the working tree"
                    .to_owned()
            }
            Self::Revision { why, .. } if why.ends_with("is damaged") => {
                "run `git fsck`".to_owned()
            }
            Self::Revision { spec, .. } if is_plain(spec) => {
                format!("check the name (`git rev-parse '{spec}'`), or fetch it first: `git fetch`")
            }
            Self::Revision { .. } => "check the name, or fetch it first: `git fetch`".to_owned(),
            Self::NoMergeBase { .. } => {
                "compare the two directly: `OLD..NEW` in place of `OLD...NEW`".to_owned()
            }
            Self::Missing { lack: Lack::NotFetched, .. } => {
                "run it again with `--fetch`, if you trust the clone's configuration".to_owned()
            }
            Self::Missing { id, lack: Lack::Unfetched(_) } => {
                format!("see whether `git cat-file -t {id}` can fetch it")
            }
            Self::Missing { .. }
            | Self::Object { .. }
            | Self::Path { .. }
            | Self::Deep { .. }
            | Self::Other { .. } => "run `git fsck`".to_owned(),
            Self::Distrusted { git_dir } => format!(
                "if you trust it: `git config --global --add safe.directory '{}'`",
                git_dir.display()
            ),
            Self::Program { .. } => "see whether git itself works here: `git status`".to_owned(),
            Self::NoFile { .. } => "keep a file there".to_owned(),
            Self::Read { .. } => return None,
        };
        Some(next)
    }

    /// Returns the whole chain of causes below this error's own sentence, when there is one.
    #[must_use]
    pub fn cause(&self) -> Option<String> {
        match self {
            Self::Open { source, .. }
            | Self::Index { source, .. }
            | Self::Object { source, .. }
            | Self::Other { source, .. } => Some(words(source)),
            Self::Read { source, .. } => Some(source.to_string()),
            Self::Revision { why, .. } if !why.is_empty() => Some(why.clone()),
            Self::EmptySide { .. } => Some("nothing would be checked by it".to_owned()),
            _ => None,
        }
    }
}

/// Tells whether a revision can stand between quotes in a command.
fn is_plain(spec: &str) -> bool {
    !spec.trim().is_empty() && !spec.contains(|char: char| char == '\'' || char.is_control())
}

/// Returns what is wrong with git's own files, in our words: those of gix quote what it parsed.
fn words(source: &gix::Error) -> String {
    let said: Vec<String> =
        source.iter_errors_with_locations().map(|error| format!("{error:#}")).collect();
    // Our own are one sentence.
    if let [own] = said.as_slice()
        && own.starts_with("it ")
    {
        return own.clone();
    }
    let known = [
        ("format version", "its format is newer than what solvi-hook knows"),
        ("extensions.", "it uses an extension of git's format that solvi-hook does not know"),
        ("onfiguration", "its configuration file cannot be parsed"),
        ("acked reference", "its file `packed-refs` is damaged"),
        ("eference", "a ref is damaged"),
        ("small even for header", "the file is cut off, or is not an index"),
        ("should have been", "its content is not what its id says"),
        ("Empty loose object", "it is empty"),
    ];
    let found = known.iter().find(|(words, _)| said.iter().any(|said| said.contains(words)));
    found.map_or("it is damaged", |(_, words)| words).to_owned()
}

const UNSHALLOW: &str = "fetch the history that is needed: `git fetch --unshallow` (in a CI \
                         checkout step: `fetch-depth: 0`)";

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn a_missing_object_is_told_with_its_cause_and_a_remedy() {
        let id = Id::from_hex(&"a".repeat(40)).unwrap();
        let error = GitError::Missing { id, lack: Lack::Shallow };
        assert!(error.to_string().contains("shallow clone"), "{error}");
        assert!(error.next().unwrap().contains("git fetch --unshallow"));
        let error = GitError::Missing { id, lack: Lack::Unfetched("no route".to_owned()) };
        assert!(error.to_string().ends_with("could not fetch it: no route"), "{error}");
    }
}
