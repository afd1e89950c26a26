//! A note of ours beside a commit: kept by git under a ref of its own, so that it travels with the
//! repository and whoever changes what it is about does not change it too.

use super::error::GitError;
use super::program::{failed, git};
use super::repo::{Id, Repo};
use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

/// The ref under which our notes are.
pub const NOTES: &str = "refs/notes/solvi-hook";

/// A note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The commit that it is on.
    pub commit: Id,
    /// What it says.
    pub text: String,
}

impl Repo {
    /// Returns the note on HEAD, or else on the nearest commit before it that has one.
    pub fn note(&self) -> Result<Option<Note>, GitError> {
        if self.head()?.is_none() {
            return Ok(None);
        }
        let listed = said("notes list", git(self)?.args(["notes", "--ref", NOTES, "list"]))?;
        let notes: HashMap<&str, &str> = listed
            .lines()
            .filter_map(|line| line.split_once(' '))
            .map(|(note, commit)| (commit, note))
            .collect();
        if notes.is_empty() {
            return Ok(None);
        }
        let Some(commit) = self.nearest(|commit| notes.contains_key(commit))? else {
            return Ok(None);
        };
        let (Some(note), Some(commit)) = (notes.get(commit.as_str()), Id::from_hex(&commit)) else {
            return Ok(None);
        };
        let text = said("cat-file blob", git(self)?.args(["cat-file", "blob", note]))?;
        Ok(Some(Note { commit, text }))
    }

    /// Returns the first commit that meets a condition, from HEAD backwards.
    fn nearest(&self, meets: impl Fn(&str) -> bool) -> Result<Option<String>, GitError> {
        let mut child = git(self)?
            .args(["rev-list", "HEAD"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| failed("rev-list HEAD", error))?;
        let lines = child.stdout.take().map(|out| BufReader::new(out).lines());
        let nearest = lines.into_iter().flatten().map_while(Result::ok).find(|line| meets(line));
        if nearest.is_some() {
            // The rest of the history is not asked for.
            let _ = child.kill();
            let _ = child.wait();
            return Ok(nearest);
        }
        let ended = child.wait().map_err(|error| failed("rev-list HEAD", error))?;
        if ended.success() { Ok(None) } else { Err(failed("rev-list HEAD", ended)) }
    }

    /// Keeps a note on HEAD, in the place of one that is there; returns the commit.
    pub fn keep_note(&self, text: &str) -> Result<Id, GitError> {
        let head = self.head()?.ok_or_else(|| failed("notes add", "HEAD has no commit yet"))?;
        let mut command = git(self)?;
        // A hook of the repository is not ours to start.
        command.args(["-c", "core.hooksPath=/dev/null", "notes", "--ref", NOTES]);
        command.args(["add", "--force", "--message", text]).arg(head.to_string());
        said("notes add", &mut command)?;
        Ok(head)
    }
}

/// Runs a command of git and returns what it says.
fn said(doing: &str, command: &mut Command) -> Result<String, GitError> {
    let output = command.stdin(Stdio::null()).output().map_err(|error| failed(doing, error))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(failed(doing, String::from_utf8_lossy(&output.stderr).trim()))
}
