//! Would a shim really stop a commit?
//!
//! Tried in a repository made for it, with the shim alone: hooks that run before it are not ours
//! to start.

use super::program::apart;
use std::fs;
use std::io;
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

/// Stages a text in a new repository in `folder`, which is empty, beside a rules file that is not
/// staged, and runs a shim as git would.
pub fn rehearse(
    shim: &str,
    folder: &Path,
    rules: (&str, &str),
    text: &str,
) -> io::Result<Rehearsed> {
    let git = |arguments: &[&str]| {
        let output =
            apart("git").current_dir(folder).args(arguments).stdin(Stdio::null()).output()?;
        let said = String::from_utf8_lossy(&output.stderr);
        let doing = arguments.join(" ");
        if output.status.success() {
            return Ok(());
        }
        Err(io::Error::other(format!("`git {doing}` failed: {}", said.trim())))
    };
    // No template: what a person puts into every new repository has no part in this.
    git(&["init", "--quiet", "--template="])?;
    fs::write(folder.join(rules.0), rules.1)?;
    fs::write(folder.join(STAGED), text)?;
    git(&["add", "--", STAGED])?;
    let hook = folder.join(".git/shim");
    fs::write(&hook, shim)?;
    let mut shell = apart("sh");
    let output = shell
        .arg(&hook)
        .current_dir(folder)
        // The rules of the rehearsal are to judge, and no others.
        .env_remove("SOLVI_HOOK_RULES")
        .stdin(Stdio::null())
        .output()?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    Ok(Rehearsed { status: output.status.code(), said })
}
