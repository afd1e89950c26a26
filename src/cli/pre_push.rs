//! `pre-push`: the commits that a push would bring, held against the rules.

use super::check::{Options, Outcome, Survey, moved_out};
use super::check_rules::{Ends, Named, Rules, Wanted};
use super::failure::Failure;
use super::keep::Keep;
use super::push_history::History;
use super::world::World;
use super::{defaults, terminal};
use crate::domain::{Moment, Verdict, sanitize};
use crate::git::pushed::{Branch, History as _, NewPart, PushError, Pushed, Tip, pushed};
use crate::git::{Id, Repo};
use crate::store::record::Occasion;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::slice;

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
    if let Some(name) = pushed.files.first().filter(|_| !args.options.allow_unknown) {
        return Err(PushError::File { name: name.clone() }.into());
    }
    let wanted =
        Wanted { named: args.rules.as_deref(), root: &root, only: &[], moment: Moment::Push };
    Check { args, world, repo: &repo, root: &root, pushed: &pushed, wanted }.all(out)
}

/// What a reader should know of a push of several commits.
const NET: &str = "rules with `redact = true` look at every commit of the push, the others at what \
    it changes in the end";

/// A check of everything that a push sends.
struct Check<'a> {
    args: &'a Args,
    world: &'a World,
    repo: &'a Repo,
    root: &'a Path,
    pushed: &'a Pushed,
    wanted: Wanted<'a>,
}

impl Check<'_> {
    /// Checks each state that is sent. Of several those are reported of which there is something
    /// to say, or else the first.
    fn all(&self, out: &mut dyn Write) -> Result<u8, Failure> {
        let options = &self.args.options;
        let mut statuses = Vec::new();
        let (mut first, mut reported, mut worst) = (None, false, Verdict::Allow);
        let mut checked: Vec<Id> = Vec::new();
        for tip in &self.pushed.tips {
            let Some((outcome, rules)) = self.one(tip, &checked)? else { continue };
            checked.push(tip.id);
            self.record(&outcome);
            statuses.push(outcome.status(Verdict::Ask, options));
            worst = worst.join(outcome.decision.verdict());
            if outcome.decision.rulings.is_empty() && outcome.not_checked.is_empty() {
                first = first.or(Some((outcome, rules)));
            } else {
                outcome.report(&rules, options, self.world, out)?;
                reported = true;
            }
        }
        if let Some((outcome, rules)) = first.filter(|_| !reported) {
            outcome.report(&rules, options, self.world, out)?;
        }
        // What is certain counts first.
        let status = [1, 2].into_iter().find(|status| statuses.contains(status));
        if status == Some(1) && worst == Verdict::Ask {
            terminal::write_err("Needs approval: a person can push with `git push --no-verify`.\n");
        }
        Ok(status.unwrap_or_default())
    }

    /// Checks one state; none when it has nothing that the remote lacks. A branch is checked in
    /// full. Of a tag or another ref, what a state that is `checked` already has is not new.
    fn one(&self, tip: &Tip, checked: &[Id]) -> Result<Option<(Outcome, Rules)>, Failure> {
        let (repo, options) = (self.repo, &self.args.options);
        let mut part = repo.new_part(&self.pushed.known, tip)?;
        if !tip.is_commit {
            part.bases.clone_from(&self.pushed.theirs);
        }
        if tip.is_commit && part.commits.is_empty() {
            return Ok(None);
        }
        let last = checked.last().filter(|_| !tip.is_branch);
        let deltas = repo.new_files(&part, tip, last.map_or(&[], slice::from_ref))?;
        // Each commit is looked at once.
        let mut known = self.pushed.known.clone();
        known.extend(checked);
        let commits =
            if tip.is_commit { repo.commits_beyond(&known, &[tip.id])? } else { Vec::new() };
        if !tip.is_branch && deltas.list.is_empty() && commits.is_empty() {
            return Ok(None);
        }
        let rules = self.rules(&part, tip)?;
        self.world.secrets.remember(rules.redactor.clone());
        let mut survey = Survey::of(self.title(&part, tip));
        survey.begin(&rules);
        survey.notes.extend(rules.touched(&deltas.list));
        survey.notes.extend(moved_out(&deltas.list, &rules));
        survey.judge(repo, &deltas.list, None, &rules, options);
        // One commit on top of the base is the net change itself.
        if !commits.is_empty() && (commits != [tip.id] || repo.parents(tip.id)? != part.bases) {
            let history = History { repo, rules: &rules, options };
            if history.survey(&commits, &deltas.list, &mut survey)? {
                survey.notes.push(NET.to_owned());
            }
        }
        Ok(Some((survey.decide(&rules.redactor), rules)))
    }

    /// Returns what a report is about: a range as git reads one, and of several refs which.
    fn title(&self, part: &NewPart, tip: &Tip) -> String {
        let id = tip.id.short();
        let range = match part.bases.as_slice() {
            [] => format!("everything at {id}"),
            [base] => format!("{}..{id}", base.short()),
            several => {
                let bases = several.iter().map(|base| format!("^{}", base.short()));
                let range: Vec<String> = bases.chain([id]).collect();
                range.join(" ")
            }
        };
        if self.pushed.tips.len() == 1 {
            return range;
        }
        format!("{range} ({})", sanitize::visible(&tip.name))
    }

    fn record(&self, outcome: &Outcome) {
        if self.args.no_store {
            return;
        }
        let named = PathBuf::from(defaults::STORE);
        let instruction_check = !self.args.options.no_instruction_check;
        let (repo, root) = (Some(self.repo), self.root);
        let keep = Keep { repo, root, named: &named, occasion: Occasion::PUSH, instruction_check };
        match keep.outcome(outcome, None, self.world) {
            Ok(None) => {}
            Ok(Some(trouble)) => terminal::write_note(&trouble),
            Err(error) => {
                terminal::write_note(&format!("this decision is not recorded: {error}"));
            }
        }
    }

    /// Returns the rules that evaluate a state: what the remote has and what it is to have, as they
    /// are committed. What is not committed evaluates no push.
    fn rules(&self, part: &NewPart, tip: &Tip) -> Result<Rules, Failure> {
        let repo = self.repo;
        let named =
            |ids: &[Id]| -> Vec<(Id, String)> { ids.iter().map(|id| (*id, id.short())).collect() };
        // Where nothing is known of the ref, what the push builds upon says by which rules.
        let theirs = if self.pushed.theirs.is_empty() { &part.bases } else { &self.pushed.theirs };
        let (theirs, before) = (named(theirs), named(&part.bases));
        let bases: Vec<Named<'_>> =
            theirs.iter().map(|(id, name)| Named { id: *id, name }).collect();
        let before: Vec<Named<'_>> =
            before.iter().map(|(id, name)| Named { id: *id, name }).collect();
        let merged = || {
            let Some(default) = repo.default_branch(&self.args.remote)? else { return Ok(None) };
            let Branch { commit, .. } = default;
            if !tip.is_commit || !repo.is_ancestor(commit, tip.id)? {
                return Ok(None);
            }
            for (their, _) in &theirs {
                if repo.is_ancestor(commit, *their)? {
                    return Ok(None);
                }
            }
            Ok(Some(commit))
        };
        let name = tip.id.short();
        let tip = Named { id: tip.id, name: &name };
        let ends = Ends { bases: &bases, before: &before, tip, merged: &merged };
        Rules::range(self.wanted, ends, repo, self.world)
    }
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
