//! What only the `git` program can say: ids in a repository whose refs are tables, and objects
//! that a partial clone has not fetched.
//!
//! It is called in its machine forms alone, with replacement objects off, without a pager and
//! without questions on the terminal, and never in a repository that belongs to somebody else.

use super::error::GitError;
use super::objects::Found;
use super::repo::{Id, Repo};
use gix::ObjectId;
use gix::objs::Kind;
use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::PoisonError;

/// What git sets for the programs it starts, and what would lead our own call astray when it was
/// somebody else who set it. In a hook they are git's, and stay.
const LOCAL: &[&str] = &[
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_INDEX_FILE",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
];

/// Returns a command that sees no repository but the one it is started in.
pub(super) fn apart(program: &str) -> Command {
    let mut command = Command::new(program);
    for name in LOCAL {
        command.env_remove(name);
    }
    command
}

/// Returns a command that runs git in a repository.
pub(super) fn git(repo: &Repo) -> Result<Command, GitError> {
    if !repo.trusted() {
        return Err(GitError::Distrusted { git_dir: repo.git_dir().to_owned() });
    }
    let mut command = Command::new("git");
    if std::env::var_os("GIT_DIR").is_none() && std::env::var_os("GIT_INDEX_FILE").is_none() {
        for name in LOCAL {
            command.env_remove(name);
        }
    }
    command
        .env("GIT_TERMINAL_PROMPT", "0")
        .arg("--no-replace-objects")
        .arg("--no-pager")
        .arg("--git-dir")
        // Absolute, because some calls are made from another folder.
        .arg(std::path::absolute(repo.git_dir()).unwrap_or_else(|_| repo.git_dir().to_owned()));
    Ok(command)
}

/// Returns the commit that a revision names, or nothing when it names none.
pub(super) fn rev_parse(repo: &Repo, spec: &str) -> Result<Option<Id>, GitError> {
    let output = git(repo)?
        .args(["rev-parse", "--verify", "--quiet", "--end-of-options"])
        .arg(format!("{spec}^{{commit}}"))
        .stdin(Stdio::null())
        .output()
        .map_err(|error| failed("rev-parse", error))?;
    if output.status.success() {
        let text = String::from_utf8_lossy(&output.stdout);
        return match Id::from_hex(text.trim()) {
            Some(id) => Ok(Some(id)),
            None => Err(failed("rev-parse", format!("it answered {text:?}"))),
        };
    }
    // `--quiet` says nothing when there is no such revision; anything said is a real failure.
    let said = String::from_utf8_lossy(&output.stderr);
    if said.trim().is_empty() { Ok(None) } else { Err(failed("rev-parse", said.trim())) }
}

/// Returns the name of the ref that a symbolic ref stands for, or nothing when it is no such ref.
pub(super) fn symbolic_ref(repo: &Repo, name: &str) -> Result<Option<String>, GitError> {
    let output = git(repo)?
        .args(["symbolic-ref", "--quiet", name])
        .stdin(Stdio::null())
        .output()
        .map_err(|error| failed("symbolic-ref", error))?;
    let target = String::from_utf8_lossy(&output.stdout);
    Ok(output.status.success().then(|| target.trim().to_owned()))
}

/// Returns the folder that all working trees share, and the one whose hooks git runs here.
pub(super) fn hooks(repo: &Repo) -> Result<(PathBuf, PathBuf), GitError> {
    // A relative `core.hooksPath` is meant from where hooks run: the top of the working tree.
    let top = repo.root().unwrap_or_else(|| repo.git_dir());
    let output = git(repo)?
        .current_dir(top)
        .args(["rev-parse", "--path-format=absolute", "--git-common-dir", "--git-path", "hooks"])
        .stdin(Stdio::null())
        .output()
        .map_err(|error| failed("rev-parse --git-path hooks", error))?;
    let text = String::from_utf8(output.stdout);
    let mut lines = text.as_deref().unwrap_or_default().lines();
    if let (Some(common), Some(hooks), None) = (lines.next(), lines.next(), lines.next()) {
        return Ok((top.join(common), top.join(hooks)));
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(failed("rev-parse --git-path hooks", said.trim()))
}

/// Returns what `core.hooksPath` says, and the scope and file that say it.
pub(super) fn hooks_path(repo: &Repo) -> Option<(String, String)> {
    let output = git(repo)
        .ok()?
        .args(["config", "--null", "--show-scope", "--show-origin", "--get", "core.hooksPath"])
        .stdin(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut words = text.split('\0');
    let (scope, origin, value) = (words.next()?, words.next()?, words.next()?);
    let file = origin.strip_prefix("file:").unwrap_or(origin);
    Some((value.to_owned(), format!("{scope}, {file}")))
}

pub(super) fn failed(doing: &str, said: impl fmt::Display) -> GitError {
    GitError::Program { doing: doing.to_owned(), said: said.to_string() }
}

/// A running `git cat-file --batch`, asked for one object after the other.
pub(super) struct CatFile {
    child: Child,
    asked: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Drop for CatFile {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads an object through git, which fetches it when it has to; `None` when git has none.
pub(super) fn cat_file(
    repo: &Repo,
    id: ObjectId,
    limit: u64,
    buf: &mut Vec<u8>,
) -> Result<Option<Found>, GitError> {
    let mut running = repo.fetcher.lock().unwrap_or_else(PoisonError::into_inner);
    let mut cat = match running.take() {
        Some(cat) => cat,
        None => start(repo)?,
    };
    match ask(&mut cat, id, limit, buf) {
        Ok(found) => {
            *running = Some(cat);
            Ok(found)
        }
        // A program that failed once is in an unknown state, so it is not asked again.
        Err(error) => {
            let mut said = String::new();
            if let Some(mut stderr) = cat.child.stderr.take() {
                let _ = cat.child.kill();
                let _ = stderr.read_to_string(&mut said);
            }
            let said = said.trim();
            Err(failed(
                "cat-file --batch",
                if said.is_empty() { error.to_string() } else { said.to_owned() },
            ))
        }
    }
}

fn start(repo: &Repo) -> Result<CatFile, GitError> {
    let mut child = git(repo)?
        .args(["cat-file", "--batch"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| failed("cat-file --batch", error))?;
    let (Some(asked), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(failed("cat-file --batch", "it has no input or output"));
    };
    Ok(CatFile { child, asked, answers: BufReader::new(answers) })
}

fn ask(
    cat: &mut CatFile,
    id: ObjectId,
    limit: u64,
    buf: &mut Vec<u8>,
) -> io::Result<Option<Found>> {
    writeln!(cat.asked, "{id}")?;
    cat.asked.flush()?;
    let mut head = String::new();
    cat.answers.read_line(&mut head)?;
    // `ID KIND SIZE`, or `ID missing`.
    let mut words = head.split_ascii_whitespace().skip(1);
    let (kind, size) = match (words.next(), words.next()) {
        (Some("missing"), None) => return Ok(None),
        (Some(kind), Some(size)) => (kind, size),
        _ => return Err(io::Error::other(format!("it answered {head:?}"))),
    };
    let kind = Kind::from_bytes(kind.as_bytes())
        .map_err(|_| io::Error::other(format!("it answered {head:?}")))?;
    let size: u64 = size.parse().map_err(io::Error::other)?;
    buf.clear();
    let found = if size > limit {
        io::copy(&mut (&mut cat.answers).take(size), &mut io::sink())?;
        Found::TooLarge(size)
    } else {
        (&mut cat.answers).take(size).read_to_end(buf)?;
        Found::Whole(kind)
    };
    let mut end = [0];
    cat.answers.read_exact(&mut end)?;
    Ok(Some(found))
}

/// Returns the first bytes of a file's content that is too large to read; `None` when git
/// cannot say.
pub(super) fn beginning(repo: &Repo, id: ObjectId, bytes: u64) -> Option<Vec<u8>> {
    let mut child = git(repo)
        .ok()?
        .args(["cat-file", "blob"])
        .arg(id.to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut start = Vec::new();
    let read = child.stdout.take()?.take(bytes).read_to_end(&mut start);
    let _ = child.kill();
    let _ = child.wait();
    read.ok().filter(|read| *read > 0).map(|_| start)
}
