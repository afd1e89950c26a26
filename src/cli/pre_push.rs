//! `pre-push`: the commits that a push would bring, held against the rules.

use super::check::{Options, Outcome, Survey, moved_out};
use super::check_rules::{Ends, Named, Rules, Wanted};
use super::failure::Failure;
use super::keep::Keep;
use super::push_history::History;
use super::world::World;
use super::{defaults, terminal};
use crate::domain::{Moment, Verdict, sanitize};
use crate::git::pushed::{Branch, Elsewhere, History as _, PushError, Pushed, PushedRange, pushed};
use crate::git::{Id, Repo};
use crate::store::record::Occasion;
use std::io::{Read, Write};
use std::path::PathBuf;

/// Judge the commits of a push, as the git hook pre-push does
///
/// Reads git's lines on standard input. Of branches, and of `refs/for/` of a review server, only the
/// commit that is checked out can be verified; what the remote has already is the base. The rules
/// that are committed there and in what is pushed evaluate: a finding of either counts, and a rule
/// that the push loosens is a finding of its own. Rules with `redact = true` look at every commit of
/// the push, also at those that only tags, notes and other refs bring.
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
    let wanted =
        Wanted { named: args.rules.as_deref(), root: &root, only: &[], moment: Moment::Push };
    let push = Push { args, repo: &repo, wanted, world };
    let mut known = repo.remote_commits(&args.remote)?;
    let mut survey = Survey::of(title(&pushed));
    let mut rules = None;
    if let Some(range) = pushed.range {
        let both = range_rules(&pushed, range, &args.remote, &repo, wanted, world)?;
        known.push(range.base);
        push.range(range, &known, &both, &mut survey)?;
        known.push(range.tip);
        rules = Some(both);
    }
    let Some(rules) = push.elsewhere(&pushed.elsewhere, known, rules, &mut survey)? else {
        return Ok(0);
    };
    let outcome = survey.decide(&rules.redactor);
    outcome.report(&rules, &args.options, world, out)?;
    if !args.no_store {
        push.keep(&outcome);
    }
    let status = outcome.status(Verdict::Ask, &args.options);
    if status == 1 && outcome.decision.verdict() == Verdict::Ask {
        terminal::write_err("Needs approval: a person can push with `git push --no-verify`.\n");
    }
    Ok(status)
}

/// A push that is verified.
struct Push<'a> {
    args: &'a Args,
    repo: &'a Repo,
    wanted: Wanted<'a>,
    world: &'a World,
}

impl Push<'_> {
    /// Evaluates what a push brings to branches. `known` is what the remote has.
    fn range(
        &self,
        range: PushedRange,
        known: &[Id],
        rules: &Rules,
        survey: &mut Survey,
    ) -> Result<(), Failure> {
        let Self { args, repo, .. } = self;
        self.world.secrets.remember(rules.redactor.clone());
        let deltas = repo.range(range.base, range.tip)?;
        survey.begin(rules);
        survey.notes.extend(rules.touched(&deltas.list));
        survey.notes.extend(moved_out(&deltas.list, rules));
        survey.judge(repo, &deltas.list, None, rules, &args.options);
        let commits = repo.commits_beyond(known, &[range.tip])?;
        // One commit on top of the base is the net change itself.
        if commits != [range.tip] || repo.parents(range.tip)? != [range.base] {
            let history = History { repo, rules, options: &args.options };
            if history.survey(&commits, &deltas.list, survey)? {
                survey.notes.push(NET.to_owned());
            }
        }
        Ok(())
    }

    /// Evaluates the commits that only refs bring that are no branches, by the rules that redact:
    /// by those of the branches where some are pushed too, else by those of the remote's default
    /// branch and of the commits. Returns the rules; none when nothing is evaluated at all.
    fn elsewhere(
        &self,
        refs: &[Elsewhere],
        mut known: Vec<Id>,
        rules: Option<Rules>,
        survey: &mut Survey,
    ) -> Result<Option<Rules>, Failure> {
        let Self { args, repo, wanted, world } = *self;
        let mut tips = Vec::new();
        for found in refs {
            if !found.theirs.is_zero() && repo.has(found.theirs) {
                known.push(found.theirs);
            }
            match repo.peeled(found.object)? {
                Some(commit) => tips.push(commit),
                None if args.options.allow_unknown => {}
                None => return Err(no_commit(&found.name)),
            }
        }
        let mut commits = Vec::new();
        if !tips.is_empty() {
            commits = repo.commits_beyond(&known, &tips)?;
        }
        if commits.is_empty() {
            return Ok(rules);
        }
        let rules = if let Some(rules) = rules {
            rules
        } else {
            tips.retain(|tip| commits.contains(tip));
            let names: Vec<(Id, String)> = tips.iter().map(|id| (*id, id.short())).collect();
            let mut sides: Vec<Named<'_>> =
                names.iter().map(|(id, name)| Named { id: *id, name }).collect();
            let default = repo.default_branch(&args.remote)?;
            if let Some(default) = &default {
                sides.push(Named { id: default.commit, name: &default.name });
            }
            let Some((tip, bases)) = sides.split_last() else { return Ok(None) };
            let ends = Ends { bases, before: None, tip: *tip, merged: &|| Ok(None) };
            let mut rules = Rules::range(wanted, ends, repo, world)?;
            // A commit of the past may have had fewer rules; that loosens none.
            rules.loosened = None;
            world.secrets.remember(rules.redactor.clone());
            survey.begin(&rules);
            rules
        };
        survey.notes.push(ELSEWHERE.to_owned());
        History { repo, rules: &rules, options: &args.options }.survey(&commits, &[], survey)?;
        Ok(Some(rules))
    }

    /// Keeps the decision.
    fn keep(&self, outcome: &Outcome) {
        let named = PathBuf::from(defaults::STORE);
        let keep = Keep {
            repo: Some(self.repo),
            root: self.wanted.root,
            named: &named,
            occasion: Occasion::PUSH,
            instruction_check: !self.args.options.no_instruction_check,
        };
        match keep.outcome(outcome, None, self.world) {
            Ok(None) => {}
            Ok(Some(trouble)) => terminal::write_note(&trouble),
            Err(error) => {
                terminal::write_note(&format!("this decision is not recorded: {error}"));
            }
        }
    }
}

/// Returns the name of a push in reports.
fn title(pushed: &Pushed) -> String {
    match (pushed.range, pushed.elsewhere.as_slice()) {
        (Some(range), _) => format!("{}..{}", range.base.short(), range.tip.short()),
        (None, [one]) => one.name.clone(),
        (None, several) => format!("{} refs", several.len()),
    }
}

fn no_commit(name: &str) -> Failure {
    Failure::new(format!("`{name}` names no commit, so what it brings could not be checked"))
        .next("look at it yourself, and push it with `git push --no-verify`")
}

/// What a reader should know of a push of tags and the like.
const ELSEWHERE: &str =
    "of commits that only tags, notes or other refs bring, rules with `redact = true` look at each";

/// What a reader should know of a push of several commits.
const NET: &str = "rules with `redact = true` look at every commit of the push, the others at what \
    it changes in the end";

/// Returns the rules that evaluate a push: what the remote has and what it is to have, as they are
/// committed. What is not committed evaluates no push.
fn range_rules(
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
