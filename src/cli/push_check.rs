//! What `pre-push` and `pre-receive` share: everything that a push sends, checked by the rules of
//! both sides.

use super::check::{Options, Outcome, Survey, moved_out};
use super::check_rules::{Ends, Named, Rules, Wanted};
use super::failure::Failure;
use super::keep::Keep;
use super::push_history::History;
use super::rule_sources::RuleSource;
use super::terminal;
use super::world::World;
use crate::domain::{Verdict, sanitize};
use crate::git::pushed::{Branch, History as _, NewPart, PushError, Pushed, Remote, Tip};
use crate::git::{Id, Repo};
use crate::store::record::Occasion;
use std::io::{Read, Write};
use std::path::Path;
use std::slice;

/// Reads what git says of a push on standard input.
pub fn lines() -> Result<String, Failure> {
    let mut lines = String::new();
    std::io::stdin().lock().read_to_string(&mut lines).map_err(|error| {
        Failure::new("git's lines about the push cannot be read").because(error)
    })?;
    Ok(lines)
}

/// What a reader should know of a push of several commits.
const NET: &str = "rules with `redact = true` look at every commit of the push, the others at what \
    it changes in the end";

/// A check of everything that a push sends.
pub struct PushCheck<'a> {
    /// How files are checked and reported.
    pub options: &'a Options,
    /// What is around the program.
    pub world: &'a World,
    /// Where the commits are.
    pub repo: &'a Repo,
    /// Where the push goes.
    pub remote: Remote<'a>,
    /// What it sends.
    pub pushed: &'a Pushed,
    /// Where the rules are.
    pub wanted: Wanted<'a>,
    /// The least verdict that stops the push.
    pub fail_on: Verdict,
    /// Where decisions are recorded, if they are, and as what.
    pub store: Option<(&'a Path, Occasion)>,
    /// How to go on with what needs approval.
    pub approval: &'static str,
}

impl PushCheck<'_> {
    /// Checks each state that is sent. Of several those are reported of which there is something
    /// to say, or else the first.
    pub fn all(&self, out: &mut dyn Write) -> Result<u8, Failure> {
        let options = self.options;
        if let Some(name) = self.pushed.files.first().filter(|_| !options.allow_unknown) {
            let failure = Failure::from(PushError::File { name: name.clone() });
            return Err(failure.next(format!("read it; {}", self.approval)));
        }
        let mut statuses = Vec::new();
        let (mut first, mut reported, mut worst) = (None, false, Verdict::Allow);
        let mut checked: Vec<(Id, RuleSource)> = Vec::new();
        for tip in &self.pushed.tips {
            let Some((outcome, rules)) = self.one(tip, &checked)? else { continue };
            checked.push((tip.id, rules.source.clone()));
            self.record(&outcome);
            statuses.push(outcome.status(self.fail_on, options));
            worst = worst.join(outcome.decision.verdict());
            if outcome.decision.rulings.is_empty() && outcome.not_checked.is_empty() {
                first = first.or(Some((outcome, rules)));
            } else {
                outcome.report(&rules, options, self.world, out)?;
                reported = true;
            }
        }
        // A push without findings needs no words where it arrives.
        let quiet = self.remote == Remote::Here;
        if let Some((outcome, rules)) = first.filter(|_| !reported && !quiet) {
            outcome.report(&rules, options, self.world, out)?;
        }
        // What is certain counts first.
        let status = [1, 2].into_iter().find(|status| statuses.contains(status));
        if status == Some(1) && worst == Verdict::Ask {
            terminal::write_err(&format!("Needs approval: {}.\n", self.approval));
        }
        Ok(status.unwrap_or_default())
    }

    /// Checks one state; none when it has nothing that the remote lacks. What a state that is
    /// `checked` already has is not new: of a branch, where that was by the same rules.
    fn one(
        &self,
        tip: &Tip,
        checked: &[(Id, RuleSource)],
    ) -> Result<Option<(Outcome, Rules)>, Failure> {
        let (repo, options) = (self.repo, self.options);
        let mut part = repo.new_part(&self.pushed.known, tip)?;
        if !tip.is_commit {
            part.bases.clone_from(&self.pushed.theirs);
        }
        if tip.is_commit && part.commits.is_empty() {
            return Ok(None);
        }
        let rules = if tip.is_branch { Some(self.rules(&part, tip)?) } else { None };
        // Without a base on the remote, each state may have rules of another one.
        let same_base = part.bases.is_empty() || !self.pushed.theirs.is_empty();
        let known = checked.iter().rev().find(|(_, source)| match &rules {
            Some(rules) => same_base && source.is_same(&rules.source),
            None => true,
        });
        let deltas = repo.new_files(&part, tip, known.map_or(&[], |it| slice::from_ref(&it.0)))?;
        // Each commit is looked at once.
        let mut known = self.pushed.known.clone();
        known.extend(checked.iter().map(|(id, _)| *id));
        let commits =
            if tip.is_commit { repo.commits_beyond(&known, &[tip.id])? } else { Vec::new() };
        if !tip.is_branch && deltas.list.is_empty() && commits.is_empty() {
            return Ok(None);
        }
        let rules = match rules {
            Some(rules) => rules,
            None => self.rules(&part, tip)?,
        };
        self.world.secrets.remember(rules.redactor.clone());
        let mut survey = Survey::of(self.title(&part, tip));
        survey.begin(&rules);
        survey.notes.extend(deltas.unpaired_note());
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
        let Some((named, occasion)) = self.store else { return };
        let instruction_check = !self.options.no_instruction_check;
        let (repo, root) = (Some(self.repo), self.wanted.root);
        let keep = Keep { repo, root, named, occasion, instruction_check };
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
            let Some(default) = repo.default_branch(self.remote)? else { return Ok(None) };
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
