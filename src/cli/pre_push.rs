//! `pre-push`: the commits that a push would bring, held against the rules.

use super::check::Options;
use super::check_rules::Wanted;
use super::failure::Failure;
use super::push_check::{self, PushCheck};
use super::world::World;
use super::{defaults, terminal};
use crate::domain::{Moment, Verdict, sanitize};
use crate::git::pushed::{Remote, pushed};
use crate::store::record::Occasion;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Judge the commits of a push, as the git hook pre-push does
///
/// Reads git's lines on standard input. Branches, tags and all other refs are checked for what the
/// remote does not have: the commits that none of its refs reaches, as `git rev-list NEW --not
/// --remotes=REMOTE` lists them. The files of what is pushed are compared with the newest commits
/// that both sides have. Where there are several, as after a merge of two pushed branches, only
/// what is in none of them is new. Where there is none, as in the first push, all of it is.
///
/// What the remote has is what git says of the refs that are pushed, and what `refs/remotes/REMOTE/`
/// says of the others; of a URL that no remote has, only the former is known. `git fetch` renews it.
///
/// The rules that are committed on the remote and in what is pushed evaluate: a finding of either
/// counts, and a rule that the push loosens is a finding of its own. Rules with `redact = true` look
/// at every commit of the push. Deleted refs are not checked.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Example:\n  git config --get remote.origin.url\n  \
    echo \"refs/heads/main $(git rev-parse HEAD) refs/heads/main $(git rev-parse origin/main)\" \
    \\\n    | solvi-hook pre-push origin\n\n\
    Exit status: 0 push, 1 a rule stands against it, 2 it could not be judged.\n\
    `git push --no-verify` pushes without asking.")]
pub struct Args {
    /// The remote's name, or its URL when it has none
    #[arg(value_name = "REMOTE")]
    remote: String,
    /// The remote's URL
    #[arg(value_name = "URL")]
    url: Option<String>,
    /// Let a push rewrite a branch's history, or delete the default branch
    #[arg(long)]
    allow_rewrite: bool,
    #[command(flatten)]
    options: Options,
    /// The rules file, from the project's root; as it is committed where it is
    #[arg(long, value_name = "PATH")]
    rules: Option<PathBuf>,
    /// Keep no record of the decision
    #[arg(long)]
    no_store: bool,
    /// A folder in the repository [default: this folder]
    #[arg(long, value_name = "DIR")]
    project: Option<PathBuf>,
}

/// Runs the sub-command.
pub fn run(args: &Args, world: &World, out: &mut dyn Write) -> Result<u8, Failure> {
    let (repo, root) = args.options.open(args.project.as_deref(), world)?;
    let remote = Remote::Named(&args.remote);
    let pushed = pushed(&push_check::lines()?, remote, &repo)?;
    if !args.allow_rewrite {
        let mut rewritten = pushed.rewrites.clone();
        if pushed.deletes_default {
            rewritten.extend(pushed.deletes.iter().cloned());
        }
        if !rewritten.is_empty() {
            let names = world.secrets.redactor(args.rules.as_deref(), &root, world);
            let names = names.text(&rewritten.join(", ")).into_owned();
            let names = sanitize::visible(&names);
            writeln!(out, "refused: this push rewrites or deletes {names} on the remote")?;
            terminal::write_err("`git push --no-verify` pushes all the same.\n");
            return Ok(1);
        }
    }
    let wanted =
        Wanted { named: args.rules.as_deref(), root: &root, only: &[], moment: Moment::Push };
    PushCheck {
        options: &args.options,
        world,
        repo: &repo,
        remote,
        pushed: &pushed,
        wanted,
        fail_on: Verdict::Ask,
        store: (!args.no_store).then_some((Path::new(defaults::STORE), Occasion::PUSH)),
        approval: "a person can push with `git push --no-verify`",
    }
    .all(out)
}
