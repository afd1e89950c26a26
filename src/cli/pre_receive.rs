//! `pre-receive`: what is pushed to this repository, checked before git accepts it.

use super::check::Options;
use super::check_diff::STOPPING;
use super::check_rules::Wanted;
use super::failure::Failure;
use super::lists;
use super::push_check::{self, PushCheck};
use super::world::World;
use crate::domain::{Moment, Verdict};
use crate::git::pushed::{Remote, pushed};
use crate::store::record::Occasion;
use std::io::Write;
use std::path::PathBuf;

/// Check what is pushed to this repository, as the git hook pre-receive does
///
/// Reads git's lines `OLD NEW REF` on standard input. Branches, tags and all other refs are checked
/// for the commits that no ref of this repository reaches; the files are compared with the newest
/// commits that both have. Of the first push all lines are new. Deleted refs are not checked. Which
/// histories may be rewritten is for git to say: `receive.denyNonFastForwards`,
/// `receive.denyDeletes`.
///
/// The rules that are committed here (in the branch that is updated; for a new ref, in HEAD) and in
/// what is pushed evaluate: a finding of either counts, and a rule that the push loosens is a finding
/// of its own. Rules with `redact = true` look at every commit of the push.
///
/// Objects that git holds back until the hook agrees are found. Without a finding nothing is written.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Examples:\n  solvi-hook install --git --project /srv/git/project.git\n  \
    echo \"$2 $3 $1\" | solvi-hook pre-receive    in a hook `update`\n\n\
    Exit status: 0 passed, 1 findings at or above `--fail-on`, 2 the check could not run.\n\
    git accepts all refs of a push or none. `git push --no-verify` does not skip this hook.")]
pub struct Args {
    #[command(flatten)]
    options: Options,
    /// Reject the push at or above this verdict; with `deny`, what needs approval is only reported
    #[arg(long, value_name = "VERDICT", default_value = "ask", value_parser = lists::verdict(STOPPING))]
    fail_on: Verdict,
    /// The rules file, from the repository's root; as it is committed where it is
    #[arg(long, value_name = "PATH")]
    rules: Option<PathBuf>,
    /// Where decisions are recorded, from the repository [default: they are not recorded]
    #[arg(long, value_name = "PATH")]
    store: Option<PathBuf>,
    /// The repository [default: this folder]
    #[arg(long, value_name = "DIR")]
    project: Option<PathBuf>,
}

/// Runs the sub-command.
pub fn run(args: &Args, world: &World, out: &mut dyn Write) -> Result<u8, Failure> {
    let (repo, root) = args.options.open(args.project.as_deref(), world)?;
    let remote = Remote::Here;
    let pushed = pushed(&push_check::lines()?, remote, &repo)?;
    let wanted =
        Wanted { named: args.rules.as_deref(), root: &root, only: &[], moment: Moment::Push };
    PushCheck {
        options: &args.options,
        world,
        repo: &repo,
        remote,
        pushed: &pushed,
        wanted,
        fail_on: args.fail_on,
        store: args.store.as_deref().map(|store| (store, Occasion::RECEIVE)),
        approval: "an administrator can accept it with `git fetch` in the repository",
    }
    .all(out)
}
