//! What `check-staged`, `check-diff` and `pre-push` share: many files judged, one report, one
//! exit status.
//!
//! Files are read and judged one at a time on several threads; of a file that nothing stands
//! against only its count is kept.

use super::broken_rules::{self, BrokenRules};
use super::check_budget::CheckBudget;
use super::check_rules::Rules;
use super::defaults;
use super::failure::Failure;
use super::lists;
use super::progress::Progress;
use super::terminal;
use super::world::World;
use crate::domain::{Change, Content, Decision, Place, RepoPath, Ruling, Verdict};
use crate::engine::pattern::Budget;
use crate::engine::{self, Judge, redaction::Redactor, tripwire::Tripwire};
use crate::git::{Delta, Fetching, GitError, Reading, Repo, Unchecked};
use crate::report::{self, Commit, Format, NotChecked, RuleSet, Subject};
use crate::store::rest;
use clap::Args;
use clap::builder::TypedValueParser;
use std::borrow::Cow;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// How files are judged and reported.
#[derive(Clone, Debug, Args)]
pub struct Options {
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = format())]
    pub format: Shape,
    /// Do not look for prompt injection in the added lines
    #[arg(long)]
    pub no_instruction_check: bool,
    /// Exit with 0 also when a check could not run
    #[arg(long)]
    pub allow_unknown: bool,
    /// Number of files read in parallel [default: number of processors]
    #[arg(long, value_name = "N", value_parser = lists::count)]
    pub jobs: Option<NonZeroUsize>,
    #[command(flatten)]
    network: Network,
}

/// Whether a server may be asked.
#[derive(Clone, Copy, Debug, Default, Args)]
struct Network {
    /// Fetch what a partial clone lacks, as git does, by the clone's own configuration
    ///
    /// git then runs the programs that `core.sshCommand`, `remote.*.uploadpack`, a credential
    /// helper and the like name in the clone's configuration. Without this, no program is run for
    /// a check, and a file that is not in the clone could not be checked.
    #[arg(long)]
    fetch: bool,
    /// Fetch nothing (always so without `--fetch`)
    #[arg(long, hide = true, conflicts_with = "fetch")]
    offline: bool,
}

impl Options {
    /// Opens the repository that a folder is in. Returns its root too: of a bare one, the folder.
    pub fn open(&self, project: Option<&Path>, world: &World) -> Result<(Repo, PathBuf), Failure> {
        let folder = defaults::folder(project, world)?;
        let repo = Repo::open_with(&folder, self.fetching())?;
        let root = repo.root().unwrap_or(&folder).to_owned();
        Ok((repo, root))
    }

    /// Returns how files are judged where no report is written: nothing is fetched for it.
    #[must_use]
    pub fn silent(no_instruction_check: bool) -> Self {
        let format = Shape(report::FORMATS[0]);
        Self {
            format,
            no_instruction_check,
            allow_unknown: true,
            jobs: None,
            network: Network::default(),
        }
    }

    /// Tells whether what a partial clone lacks is fetched.
    #[must_use]
    pub fn fetching(&self) -> Fetching {
        if self.network.fetch && !self.network.offline {
            Fetching::WhenNeeded
        } else {
            Fetching::Never
        }
    }
}

/// A report's format.
#[derive(Clone, Copy)]
pub struct Shape(&'static dyn Format);

impl Shape {
    /// Tells whether it is the format for people.
    #[must_use]
    pub fn is_text(self) -> bool {
        self.0.name() == "text"
    }
}

impl std::fmt::Debug for Shape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0.name())
    }
}

fn format() -> impl TypedValueParser<Value = Shape> {
    let names = report::FORMATS.iter().map(|format| format.name());
    lists::one_of(names, |name| report::by_name(name).map(Shape))
}

/// What was found so far.
#[derive(Debug, Default)]
pub struct Survey {
    /// What was checked, for the report.
    pub title: String,
    /// How many files were looked at.
    pub files: usize,
    /// The files that no rule could look at.
    pub not_checked: Vec<NotChecked>,
    /// What else a reader should know.
    pub notes: Vec<String>,
    rulings: Vec<Ruling>,
    commits: Vec<Option<Commit>>,
    unread: Unread,
    broken: BrokenRules,
    /// What backtracking patterns may still do.
    pub budget: CheckBudget,
}

/// What the repository did not hold.
#[derive(Debug, Default)]
struct Unread {
    /// How many files and folders it is.
    paths: usize,
    /// A rule covers one of them, or may: below a folder any rule may apply.
    matters: bool,
    /// What to do about it.
    next: Option<String>,
}

/// What is kept of one file.
pub struct Kept {
    /// What was found.
    pub ruling: Option<Ruling>,
    not_checked: Option<NotChecked>,
}

impl Kept {
    /// Tells whether anything stands against the file.
    fn matters(&self) -> bool {
        self.ruling.is_some()
    }

    /// Makes what is kept of a file, which was not checked for this reason.
    fn of(place: Place, ruling: Option<Ruling>, why: Option<String>) -> Self {
        // A binary file with a finding was checked.
        let found = ruling.as_ref().is_some_and(|ruling| {
            ruling.change.after == Content::Binary
                && ruling.findings.iter().any(|it| it.objects() && !it.spots.is_empty())
        });
        let not_checked = why.filter(|_| !found).map(|why| NotChecked { place, why });
        Self { ruling, not_checked }
    }

    /// Leaves out the findings of rules that could not look. Returns whether there were any.
    fn drop_unknown(&mut self) -> bool {
        let Some(mut ruling) = self.ruling.take() else { return false };
        let all = ruling.findings.len();
        ruling.findings.retain(|it| !it.objects() || it.unknown.is_none());
        let dropped = ruling.findings.len() < all;
        let ruling = Ruling::of(ruling.change, ruling.findings, ruling.redaction);
        self.ruling = Some(ruling).filter(|ruling| ruling.verdict() > Verdict::Allow);
        dropped
    }
}

impl Survey {
    /// Begins a check.
    #[must_use]
    pub fn of(title: impl Into<String>) -> Self {
        Self { title: title.into(), ..Self::default() }
    }

    /// Judges the changes of a repository; `commit` is the one that brings them, where one does.
    pub fn judge(
        &mut self,
        repo: &Repo,
        deltas: &[Delta],
        commit: Option<&Commit>,
        rules: &Rules,
        options: &Options,
    ) {
        let progress = Progress::of(deltas.len());
        let (unread, found) = (Mutex::new(Unread::default()), AtomicUsize::new(0));
        let look = |delta: &Delta, reading: Result<Reading, GitError>, budget: &Budget| {
            let reading = reading.unwrap_or_else(|error| {
                unread.lock().unwrap_or_else(PoisonError::into_inner).note(delta, &error);
                Reading::failed(delta, &error)
            });
            let hasty = reading.hasty;
            let failed = matches!(reading.unchecked, Some(Unchecked::Failed(_)));
            let mut kept = keep(reading, rules, options, budget);
            // That it could not be read is said once, and not again by each rule that covers it.
            if failed && kept.drop_unknown() {
                unread.lock().unwrap_or_else(PoisonError::into_inner).matters = true;
            }
            // Threads may come to files a little out of order.
            if let Some(ruling) = kept.ruling.as_mut().filter(|_| !hasty)
                && found.fetch_add(1, Ordering::Relaxed) >= 2 * rest::FILES
            {
                ruling.keep_found_lines();
            }
            if !hasty || !kept.matters() {
                progress.step();
            }
            kept
        };
        let kept = self.budget.each(repo, deltas, options.jobs, look, Kept::matters);
        progress.end();
        let broken = broken_rules::of(rules);
        for kept in kept {
            let kept = self.broken.once(kept, &broken);
            self.add(kept, commit);
        }
        self.unread.join(unread.into_inner().unwrap_or_else(PoisonError::into_inner));
    }

    /// Judges one change that is at hand.
    pub fn judge_one(
        &mut self,
        change: Change,
        unchecked: Option<String>,
        rules: &Rules,
        options: &Options,
    ) {
        let place = change.place.clone();
        let change = change.as_read();
        let ruling = self.budget.one(|budget| ruling(change, rules, options, budget));
        let broken = broken_rules::of(rules);
        let kept = self.broken.once(Kept::of(place, ruling, unchecked), &broken);
        self.add(kept, None);
    }

    fn add(&mut self, kept: Kept, commit: Option<&Commit>) {
        self.files += 1;
        self.not_checked.extend(kept.not_checked);
        if let Some(mut ruling) = kept.ruling {
            // Only what has a record of its own is kept whole.
            if self.rulings.len() >= rest::FILES {
                ruling.keep_found_lines();
            }
            self.rulings.push(ruling);
            self.commits.push(commit.cloned());
        }
    }

    /// Takes in what is known of a change before any file is read: what is noted of its rules, and
    /// which of them it loosens.
    pub fn begin(&mut self, rules: &Rules) {
        self.notes.extend(rules.notes.iter().cloned());
        if let Some(loosened) = &rules.loosened {
            self.rulings.push(loosened.clone());
            self.commits.push(None);
        }
    }

    /// Takes in what was found in a commit of the past, without what is found in its file anyway.
    pub fn add_past(&mut self, ruling: Ruling, commit: &Commit) {
        let Ruling { change, mut findings, redaction, .. } = ruling;
        for finding in &mut findings {
            let known =
                self.rulings.iter().zip(&self.commits).filter(|(known, commit)| {
                    commit.is_none() && known.change.place == change.place
                });
            let known = known.flat_map(|(known, _)| &known.findings);
            let known: Vec<&str> = known
                .filter(|known| known.rule == finding.rule)
                .flat_map(|known| &known.spots)
                .map(|spot| spot.text.as_str())
                .collect();
            finding.spots.retain(|spot| !known.contains(&spot.text.as_str()));
        }
        findings.retain(|finding| !finding.spots.is_empty());
        if !findings.is_empty() {
            self.rulings.push(Ruling::of(change, findings, redaction));
            self.commits.push(Some(commit.clone()));
        }
    }

    /// Takes in that a file of a commit of the past could not be read.
    pub fn add_unread(&mut self, delta: &Delta, error: &GitError) {
        self.unread.note(delta, error);
        self.unread.matters = true;
    }

    /// Joins what was found, and masks what is told beside the findings.
    #[must_use]
    pub fn decide(mut self, redactor: &Redactor) -> Outcome {
        let unread = self.unread.told();
        self.notes.extend(unread.clone());
        self.broken.count_in(&mut self.rulings);
        let mut decision = Decision::of(self.rulings);
        redactor.settle(&mut decision);
        let text = |text: String| match redactor.text(&text) {
            Cow::Borrowed(_) => text,
            Cow::Owned(masked) => masked,
        };
        let commit = |Commit { id, subject }: Commit| Commit { id, subject: text(subject) };
        let file = |NotChecked { place, why }: NotChecked| NotChecked {
            place: redactor.place(place),
            why: text(why),
        };
        Outcome {
            unread: unread.map(text),
            unread_matters: self.unread.matters,
            decision,
            commits: self.commits.into_iter().map(|it| it.map(commit)).collect(),
            title: text(self.title),
            files: self.files,
            not_checked: self.not_checked.into_iter().map(file).collect(),
            notes: self.notes.into_iter().map(text).collect(),
        }
    }
}

impl Unread {
    fn note(&mut self, delta: &Delta, error: &GitError) {
        self.paths += 1;
        self.matters |= delta.is_unread_folder();
        self.next = self.next.take().or_else(|| error.next());
    }

    fn join(&mut self, other: Self) {
        self.paths += other.paths;
        self.matters |= other.matters;
        self.next = self.next.take().or(other.next);
    }

    /// Returns what a reader should know and do.
    fn told(&self) -> Option<String> {
        let next = self.next.as_ref().map(|next| format!("; next: {next}")).unwrap_or_default();
        match self.paths {
            0 => None,
            1 => Some(format!("1 path could not be read{next}")),
            many => Some(format!("{many} paths could not be read{next}")),
        }
    }
}

fn keep(reading: Reading, rules: &Rules, options: &Options, budget: &Budget) -> Kept {
    let place = reading.change.place.clone();
    let why = match (&reading.unchecked, reading.lfs) {
        (Some(why), _) => Some(why.to_string()),
        (None, true) => Some("it is a Git LFS pointer; what it points to is elsewhere".to_owned()),
        (None, false) => None,
    };
    let ruling = if reading.lfs {
        pointer(reading.change, rules, options, budget)
    } else {
        ruling(reading.change, rules, options, budget)
    };
    Kept::of(place, ruling, why)
}

/// Judges the pointer that Git LFS keeps in place of a file: rules about the content as a whole
/// have nothing to say about it.
fn pointer(change: Change, rules: &Rules, options: &Options, budget: &Budget) -> Option<Ruling> {
    let mut found = ruling(change, rules, options, budget)?;
    let line = |finding: &crate::domain::Finding| {
        finding.objects() && finding.spots.iter().any(|spot| spot.line > 0)
    };
    found.findings.retain(line);
    let found = Ruling::of(found.change, found.findings, found.redaction);
    (found.verdict() > Verdict::Allow).then_some(found)
}

/// Judges a change; nothing is kept when nothing stands against it.
fn ruling(change: Change, rules: &Rules, options: &Options, budget: &Budget) -> Option<Ruling> {
    let mut judges: Vec<&dyn Judge> = vec![&rules.book];
    if !options.no_instruction_check && rules.instruction_check {
        judges.push(&Tripwire);
    }
    let decision = engine::decide_within(vec![change], &judges, &rules.redactor, budget);
    decision.rulings.into_iter().find(|ruling| ruling.verdict() > Verdict::Allow)
}

/// What a check came to.
#[derive(Debug, Default)]
pub struct Outcome {
    /// What was decided.
    pub decision: Decision,
    /// What was checked.
    pub title: String,
    /// How many files were looked at.
    pub files: usize,
    /// The files that no rule could look at.
    pub not_checked: Vec<NotChecked>,
    /// How much could not be read, and what to do about it.
    pub unread: Option<String>,
    notes: Vec<String>,
    commits: Vec<Option<Commit>>,
    unread_matters: bool,
}

impl Outcome {
    /// Takes in what a check of a repository in a folder of this one came to.
    pub fn add_below(&mut self, folder: &str, other: Self) {
        let below = |place: &mut Place| {
            let path = format!("{folder}/{}", place.as_str());
            *place = RepoPath::new(&path).map_or(Place::Outside(path), Place::Inside);
        };
        let mut rulings = other.decision.rulings;
        for ruling in &mut rulings {
            below(&mut ruling.change.place);
        }
        let mut not_checked = other.not_checked;
        for file in &mut not_checked {
            below(&mut file.place);
        }
        let mut all = std::mem::take(&mut self.decision.rulings);
        all.extend(rulings);
        self.decision = Decision::of(all);
        self.files += other.files;
        self.not_checked.extend(not_checked);
        self.notes.extend(other.notes);
        self.commits.extend(other.commits);
    }

    /// Tells whether there is nothing to report.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.decision.verdict() == Verdict::Allow
            && self.not_checked.is_empty()
            && self.notes.is_empty()
    }

    /// Writes the report.
    pub fn report(
        &self,
        rules: &Rules,
        options: &Options,
        world: &World,
        out: &mut dyn Write,
    ) -> Result<(), Failure> {
        // A set is named by its revision, which may be a branch.
        let set = |set: &RuleSet| RuleSet {
            name: rules.redactor.text(&set.name).into_owned(),
            ..set.clone()
        };
        let sets: Vec<RuleSet> = rules.sets.iter().map(set).collect();
        let rules: Vec<report::Rule> = rules.book.rules.iter().map(about).collect();
        let subject = Subject {
            title: &self.title,
            decision: &self.decision,
            commits: &self.commits,
            not_checked: &self.not_checked,
            notes: &self.notes,
            rules: &rules,
            rule_sets: &sets,
            files: self.files,
            version: env!("CARGO_PKG_VERSION"),
            style: terminal::style(world),
        };
        options.format.0.write(&subject, out)?;
        Ok(())
    }

    /// Tells whether a check could not be carried out.
    #[must_use]
    pub fn unknown(&self) -> bool {
        let findings = self.decision.rulings.iter().flat_map(|ruling| &ruling.findings);
        let mut objecting = findings.filter(|finding| finding.objects());
        self.unread_matters || objecting.any(|finding| finding.unknown.is_some())
    }

    /// Returns the exit status: 1 when the verdict is `fail_on` or stricter, 2 when a check
    /// could not be carried out, 0 otherwise.
    #[must_use]
    pub fn status(&self, fail_on: Verdict, options: &Options) -> u8 {
        // What is certain counts first: a refusal is one, whatever else is not known.
        let certain = self.decision.rulings.iter().flat_map(|ruling| &ruling.findings);
        let certain = certain.filter(|finding| !finding.spots.is_empty());
        let verdict = certain.map(|finding| finding.verdict).fold(Verdict::Allow, Verdict::join);
        if verdict >= fail_on {
            1
        } else if self.unknown() && !options.allow_unknown {
            2
        } else {
            0
        }
    }
}

fn about(rule: &engine::rules::Rule) -> report::Rule {
    report::Rule {
        id: rule.id.clone(),
        why: rule.why.clone(),
        instead: rule.instead.clone(),
        on_fail: rule.on_fail,
    }
}

/// Returns what a reader must know about moves out of the reach of rules.
#[must_use]
pub fn moved_out(deltas: &[Delta], rules: &Rules) -> Vec<String> {
    let left = |delta: &Delta| {
        let from = delta.moved_from.as_ref()?;
        let lost: Vec<&str> = rules
            .book
            .rules
            .iter()
            .filter(|rule| rule.covers(from.as_str()) && !rule.covers(delta.place.as_str()))
            .map(|rule| rule.id.as_str())
            .collect();
        let (from, to) = (shown(from), shown(&delta.place));
        (!lost.is_empty())
            .then(|| format!("{from} moves to {to}, which {} does not cover", lost.join(", ")))
    };
    deltas.iter().filter_map(left).collect()
}

fn shown(place: &Place) -> String {
    place.to_string()
}

impl From<GitError> for Failure {
    fn from(error: GitError) -> Self {
        let mut failure = Self::new(error.to_string());
        failure.causes.extend(error.cause());
        failure.next = error.next();
        failure
    }
}
