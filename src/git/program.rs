//! What only the `git` program can do: ids in a repository whose refs are tables, its hooks folder,
//! and fetching what a partial clone lacks.
//!
//! It is called in its machine forms alone, with replacement objects off, without a pager and
//! without questions on the terminal, and never in a repository that belongs to somebody else.
//! No call but [`fetch`] may reach a server or start a program that the repository's configuration
//! names.

use super::error::GitError;
use super::repo::{Id, Repo};
use super::search_path;
use gix::ObjectId;
use std::env;
use std::fmt;
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

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

/// Returns a command that sees no repository but the one it is started in, and no program of
/// `project`'s; none when the program is nowhere else.
pub(super) fn apart(program: &str, project: &Path) -> Option<Command> {
    let mut command = Command::new(search_path::program(program, Some(project))?);
    command.env("PATH", search_path::trusted(project));
    for name in LOCAL {
        command.env_remove(name);
    }
    Some(command)
}

/// What a call of ours may inherit besides, where it has nothing to do with a server. Other
/// variables of git's name programs to run or files to write (`GIT_EXEC_PATH`, `GIT_TRACE`).
const HARMLESS: &[&str] = &[
    "GIT_AUTHOR_DATE",
    "GIT_AUTHOR_EMAIL",
    "GIT_AUTHOR_NAME",
    "GIT_CEILING_DIRECTORIES",
    "GIT_COMMITTER_DATE",
    "GIT_COMMITTER_EMAIL",
    "GIT_COMMITTER_NAME",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CONFIG_SYSTEM",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM",
    "GIT_QUARANTINE_PATH",
];

/// Returns a command that runs git in a repository, and in which it reaches no server.
pub(super) fn git(repo: &Repo) -> Result<Command, GitError> {
    let mut command = started(repo)?;
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        let kept = LOCAL.contains(&&*text)
            || HARMLESS.contains(&&*text)
            || text.starts_with("GIT_CONFIG_KEY_")
            || text.starts_with("GIT_CONFIG_VALUE_");
        if text.starts_with("GIT_") && !kept {
            command.env_remove(&name);
        }
    }
    command
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_OPTIONAL_LOCKS", "0")
        // A partial clone would be completed on the way. Older versions know only the second.
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_ALLOW_PROTOCOL", "none")
        .args(["-c", "core.fsmonitor=false"]);
    Ok(command)
}

/// Returns a command that runs git in a repository.
fn started(repo: &Repo) -> Result<Command, GitError> {
    if !repo.trusted() {
        return Err(GitError::Distrusted { git_dir: repo.git_dir().to_owned() });
    }
    let program = search_path::program("git", repo.root())
        .ok_or_else(|| failed("", "it is in no folder of $PATH outside the repository"))?;
    let mut command = Command::new(program);
    let in_a_hook = env::var_os("GIT_DIR").is_some() || env::var_os("GIT_INDEX_FILE").is_some();
    if !repo.by_environment || !in_a_hook {
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
            None => Err(failed("rev-parse", format!("it answered `{}`", text.trim_end()))),
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

/// Returns the refs below a prefix that are no symbolic ones: their names, and what they name.
pub(super) fn refs(repo: &Repo, prefix: &str) -> Result<Vec<(String, Id)>, GitError> {
    let output = git(repo)?
        .args(["for-each-ref", "--format=%(objectname) %(refname) %(symref)", prefix])
        .stdin(Stdio::null())
        .output()
        .map_err(|error| failed("for-each-ref", error))?;
    if !output.status.success() {
        return Err(failed("for-each-ref", String::from_utf8_lossy(&output.stderr).trim()));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let direct = |line: &str| {
        let (id, name) = line.strip_suffix(' ')?.split_once(' ')?;
        Some((name.to_owned(), Id::from_hex(id)?))
    };
    Ok(text.lines().filter_map(direct).collect())
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

/// Asks a remote for objects in one go, as git does when it lacks them: whatever programs the
/// repository's configuration names for that (`core.sshCommand`, `remote.*.uploadpack`, a
/// credential helper) are run, but no hook and no upkeep.
pub(super) fn fetch(repo: &Repo, remote: &str, ids: &[ObjectId]) -> Result<(), GitError> {
    let settings = [
        "fetch.negotiationAlgorithm=noop",
        "fetch.writeCommitGraph=false",
        "gc.auto=0",
        "maintenance.auto=false",
        "core.hooksPath=/dev/null",
    ];
    let mut child = started(repo)?
        .args(settings.iter().flat_map(|setting| ["-c", setting]))
        .args(["fetch", "--quiet", "--no-tags", "--no-prune", "--no-write-fetch-head"])
        .args(["--recurse-submodules=no", "--refmap=", "--filter=blob:none", "--stdin", "--"])
        .arg(remote)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| failed("fetch", error))?;
    if let Some(stdin) = child.stdin.take() {
        let mut stdin = BufWriter::new(stdin);
        // A git that ends early says why.
        drop(ids.iter().try_for_each(|id| writeln!(stdin, "{id}")).and_then(|()| stdin.flush()));
    }
    let output = child.wait_with_output().map_err(|error| failed("fetch", error))?;
    if output.status.success() {
        return Ok(());
    }
    Err(failed("fetch", String::from_utf8_lossy(&output.stderr).trim()))
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
