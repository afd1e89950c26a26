//! `pre-push`: the commits that a push would bring, held against the rules.

use super::check::{Options, Survey, moved_out};
use super::check_rules::{Ends, Named, Rules, Wanted};
use super::failure::Failure;
use super::keep::Keep;
use super::push_history::History;
use super::world::World;
use super::{defaults, terminal};
use crate::domain::{Moment, Verdict, sanitize};
use crate::git::pushed::{Branch, History as _, PushError, Pushed, PushedRange, pushed};
use crate::git::{Id, Repo};
use crate::store::record::Occasion;
use std::io::{Read, Write};
use std::path::PathBuf;

/// Judge the commits of a push, as the git hook pre-push does
///
/// Reads git's lines on standard input. Only branches count, and only the commit that is checked
/// out can be verified; what the remote has already is the base. The rules that are committed there
/// and in what is pushed evaluate: a finding of either counts, and a rule that the push loosens is a
/// finding of its own. Rules with `redact = true` look at every commit of the push.
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
    let mut lines = String::new();
    std::io::stdin().lock().read_to_string(&mut lines).map_err(|error| {
        Failure::new("git's lines about the push cannot be read").because(error)
    })?;
    let folder = defaults::folder(args.project.as_deref(), world)?;
    let repo = Repo::open_with(&folder, args.options.fetching())?;
    let root = repo.root().unwrap_or(&folder).to_owned();
    let pushed = pushed(&lines, &args.remote, &repo)?;
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
    let Some(range) = pushed.range else { return Ok(0) };
    let wanted =
        Wanted { named: args.rules.as_deref(), root: &root, only: &[], moment: Moment::Push };
    let rules = rules(&pushed, range, &args.remote, &repo, wanted, world)?;
    world.secrets.remember(rules.redactor.clone());
    let deltas = repo.range(range.base, range.tip)?;
    let title = format!("{}..{}", range.base.short(), range.tip.short());
    let mut survey = Survey::of(title);
    survey.begin(&rules);
    survey.notes.extend(rules.touched(&deltas.list));
    survey.notes.extend(moved_out(&deltas.list, &rules));
    survey.judge(&repo, &deltas.list, None, &rules, &args.options);
    let mut known = repo.remote_commits(&args.remote)?;
    known.push(range.base);
    let commits = repo.commits_beyond(&known, range.tip)?;
    // One commit on top of the base is the net change itself.
    if commits != [range.tip] || repo.parents(range.tip)? != [range.base] {
        survey.notes.push(NET.to_owned());
        let history = History { repo: &repo, rules: &rules, options: &args.options };
        history.survey(&commits, &mut survey)?;
    }
    let outcome = survey.decide(&rules.redactor);
    outcome.report(&rules, &args.options, world, out)?;
    if !args.no_store {
        let named = PathBuf::from(defaults::STORE);
        let instruction_check = !args.options.no_instruction_check;
        let repo = Some(&repo);
        let keep =
            Keep { repo, root: &root, named: &named, occasion: Occasion::PUSH, instruction_check };
        match keep.outcome(&outcome, None, world) {
            Ok(None) => {}
            Ok(Some(trouble)) => terminal::write_note(&trouble),
            Err(error) => {
                terminal::write_note(&format!("this decision is not recorded: {error}"));
            }
        }
    }
    Ok(outcome.status(Verdict::Ask, &args.options))
}

/// What a reader should know of a push of several commits.
const NET: &str = "rules with `redact = true` look at every commit of the push, the others at what \
    it changes in the end";

/// Returns the rules that evaluate a push: what the remote has and what it is to have, as they are
/// committed. What is not committed evaluates no push.
fn rules(
    pushed: &Pushed,
    range: PushedRange,
    remote: &str,
    repo: &Repo,
    wanted: Wanted<'_>,
    world: &World,
) -> Result<Rules, Failure> {
    let names: Vec<(Id, String)> = pushed.theirs.iter().map(|id| (*id, id.short())).collect();
    let bases: Vec<Named<'_>> = names.iter().map(|(id, name)| Named { id: *id, name }).collect();
    let (base, tip) = (range.base.short(), range.tip.short());
    let before = Some(Named { id: range.base, name: &base });
    let merged = || {
        let Some(Branch { commit, .. }) = repo.default_branch(remote)? else { return Ok(None) };
        let comes_in =
            repo.is_ancestor(commit, range.tip)? && !repo.is_ancestor(commit, range.base)?;
        Ok(comes_in.then_some(commit))
    };
    let tip = Named { id: range.tip, name: &tip };
    Rules::range(wanted, Ends { bases: &bases, before, tip, merged: &merged }, repo, world)
}

impl From<PushError> for Failure {
    fn from(error: PushError) -> Self {
        let failure = Self::new(error.to_string());
        match error.next() {
            Some(next) => failure.next(next),
            None => failure,
        }
    }
}
