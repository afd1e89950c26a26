//! Would a shim really stop a commit, or a push?
//!
//! Tried in a repository made for it, with the shim alone: hooks that run before it are not ours
//! to start.

use super::program::apart;
use super::shims::{Hook, PRE_PUSH, PRE_RECEIVE};
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::Stdio;

/// The name of the file that is staged.
const STAGED: &str = "staged.txt";

/// What a shim did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rehearsed {
    /// Its exit status; none when a signal ended it.
    pub status: Option<i32>,
    /// What it said on standard error.
    pub said: String,
}

/// Stages a text in a new repository in `folder`, which is empty, beside a rules file, and runs
/// a shim as git would; what is to be pushed is committed first, the rules before it.
/// No program of `project`'s is started.
pub fn rehearse(
    (hook, shim): (&Hook, &str),
    project: &Path,
    folder: &Path,
    rules: (&str, &str),
    text: &str,
) -> io::Result<Rehearsed> {
    let git = |arguments: &[&str]| git(project, folder, arguments);
    // No template: what a person puts into every new repository has no part in this.
    git(&["init", "--quiet", "--template="])?;
    let received = hook == PRE_RECEIVE;
    let pushed = received || hook == PRE_PUSH;
    fs::write(folder.join(rules.0), rules.1)?;
    let mut base = String::new();
    if pushed {
        // A push is evaluated by what is committed.
        git(&["add", "--", rules.0])?;
        base = committed(&git, &[])?;
        git(&["update-ref", "HEAD", &base])?;
    }
    fs::write(folder.join(STAGED), text)?;
    git(&["add", "--", STAGED])?;
    let mut refs = String::new();
    if pushed {
        let commit = committed(&git, &["-p", &base])?;
        refs = if received {
            format!("{base} {commit} refs/heads/tried\n")
        } else {
            format!("refs/heads/tried {commit} refs/heads/tried {base}\n")
        };
    }
    let file = folder.join(".git/shim");
    fs::write(&file, shim)?;
    let mut shell = apart("sh", project).ok_or_else(|| nowhere("sh"))?;
    shell
        .arg(&file)
        .current_dir(folder)
        // The rules of the rehearsal are to judge, and no others.
        .env_remove("SOLVI_HOOK_RULES")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    if pushed && !received {
        shell.args(["nowhere", "file:///nowhere"]);
    }
    let mut child = shell.spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // A shim that does not read is told by its status.
        drop(stdin.write_all(refs.as_bytes()));
    }
    let output = child.wait_with_output()?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    Ok(Rehearsed { status: output.status.code(), said })
}

/// Commits what is staged, past every hook, and returns the commit.
fn committed(git: &dyn Fn(&[&str]) -> io::Result<String>, parent: &[&str]) -> io::Result<String> {
    let tree = git(&["write-tree"])?;
    let person = ["-c", "user.name=solvi-hook", "-c", "user.email=solvi-hook@localhost"];
    let commit = ["commit-tree", "--no-gpg-sign", "-m", "tried", &tree];
    git(&[&person[..], &commit, parent].concat())
}

/// Runs git and returns what it says, without the line end.
fn git(project: &Path, folder: &Path, arguments: &[&str]) -> io::Result<String> {
    let mut program = apart("git", project).ok_or_else(|| nowhere("git"))?;
    let output = program.current_dir(folder).args(arguments).stdin(Stdio::null()).output()?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned());
    }
    let (doing, said) = (arguments.join(" "), String::from_utf8_lossy(&output.stderr));
    Err(io::Error::other(format!("`git {doing}` failed: {}", said.trim())))
}

fn nowhere(program: &str) -> io::Error {
    io::Error::other(format!("`{program}` is in no folder of $PATH outside the project"))
}
