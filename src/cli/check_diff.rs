//! `check-diff`: a range, the working tree, the index or a patch, held against the rules.

use super::check::{Options, Survey, moved_out};
use super::check_rules::{Ends, Named, Rules, Wanted};
use super::defaults;
use super::failure::Failure;
use super::keep::Keep;
use super::lists::{self, GlobList};
use super::rule_sources::from_root;
use super::world::World;
use crate::domain::{Moment, Verdict, sanitize};
use crate::engine::glob::Globs;
use crate::git::patch::{self, Patched};
use crate::git::{self, Delta, GitError, Repo};
use crate::report::Commit;
use crate::store::record::Occasion;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// Judge a range of commits, the working tree, the index or a patch
///
/// Without an argument: what would be refused if everything in the working tree were committed
/// now. `A..B` compares A with B; `A...B` compares the point where they parted with B; `REV`
/// compares REV with HEAD. A side of zeros alone, as CI systems send it for a new branch, is the
/// empty tree: all that the other side holds is new.
///
/// The rules of both sides evaluate: those of A (of HEAD, for the working tree and the index) and
/// those of the change. A finding of either counts, and a rule that the change loosens, disables or
/// deletes is a finding of its own, `rules-loosened`, which asks.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Examples:\n  solvi-hook check-diff\n  \
    solvi-hook check-diff origin/main...HEAD --fail-on ask --format github\n  \
    git diff | solvi-hook check-diff --patch -\n\n\
    Exit status: 0 passed, 1 findings at or above `--fail-on`, 2 the check could not run.")]
pub struct Args {
    /// The range: A..B, A...B or REV
    #[arg(value_name = "RANGE", conflicts_with_all = ["staged", "worktree", "patch"])]
    range: Option<String>,
    /// The index against HEAD
    #[arg(long, conflicts_with_all = ["worktree", "patch"])]
    staged: bool,
    /// The working tree against HEAD, with files that are not tracked (the default)
    #[arg(long, conflicts_with = "patch")]
    worktree: bool,
    /// A unified diff, from a file or from standard input (`-`)
    #[arg(long, value_name = "FILE")]
    patch: Option<PathBuf>,
    /// Evaluate by this rules file alone, from the current folder
    #[arg(long, value_name = "PATH")]
    rules: Option<PathBuf>,
    /// Evaluate by the rules of this revision alone
    #[arg(long, value_name = "REV")]
    rules_from: Option<String>,
    /// Exit with 1 at or above this verdict
    #[arg(long, value_name = "VERDICT", default_value = "deny", value_parser = lists::verdict(STOPPING))]
    fail_on: Verdict,
    /// Only these paths (globs as in rules; a leading `!` excludes), with commas between; may be
    /// given several times
    #[arg(long, value_name = "GLOB", value_parser = lists::globs)]
    paths: Vec<GlobList>,
    /// Only these rules, with commas between; may be given several times
    #[arg(long, value_name = "ID", value_delimiter = ',', value_parser = lists::id())]
    rule: Vec<String>,
    /// Judge each commit of the range by itself: a line that a later commit removes counts too
    #[arg(long, requires = "range")]
    each_commit: bool,
    #[command(flatten)]
    options: Options,
    /// Record the decision there, from the project's root
    #[arg(long, value_name = "PATH")]
    store: Option<PathBuf>,
    /// A folder in the repository [default: the current folder]
    #[arg(long, value_name = "DIR")]
    project: Option<PathBuf>,
}

/// The verdicts that a check can fail on.
pub const STOPPING: &[Verdict] = &[Verdict::Warn, Verdict::Ask, Verdict::Deny];

/// Runs the sub-command.
pub fn run(args: &Args, world: &World, out: &mut dyn Write) -> Result<u8, Failure> {
    let folder = defaults::folder(args.project.as_deref(), world)?;
    let repo = Repo::open_with(&folder, args.options.fetching());
    let root = repo.as_ref().ok().and_then(Repo::root).unwrap_or(&folder).to_owned();
    let named = args.rules.as_ref().map(|named| from_root(named, &root, world));
    let wanted =
        Wanted { named: named.as_deref(), root: &root, only: &args.rule, moment: Moment::Ci };
    let (rules, survey) = match (&args.patch, repo) {
        (Some(patch), repo) => of_patch(args, patch, repo, wanted, world)?,
        (None, repo) => {
            let repo = repo?;
            let rules = rules(args, &repo, wanted, world)?;
            let survey = of_repository(args, &repo, &rules)?;
            (rules, survey)
        }
    };
    world.secrets.remember(rules.redactor.clone());
    let outcome = survey.decide(&rules.redactor);
    outcome.report(&rules, &args.options, world, out)?;
    if let Some(named) = &args.store {
        let instruction_check = !args.options.no_instruction_check;
        let keep =
            Keep { repo: None, root: &root, named, occasion: Occasion::DIFF, instruction_check };
        let trouble = keep
            .outcome(&outcome, None, world)
            .map_err(|error| Failure::new("the decision is not recorded").because(error))?;
        if let Some(trouble) = trouble {
            super::pen::write_err(&format!("note: {trouble}\n"));
        }
    }
    Ok(outcome.status(args.fail_on, &args.options))
}

/// Returns the rules that evaluate what is asked for.
fn rules(args: &Args, repo: &Repo, wanted: Wanted<'_>, world: &World) -> Result<Rules, Failure> {
    if let Some(revision) = &args.rules_from {
        return Rules::of_revision(wanted, revision, repo, world);
    }
    let Some(spec) = &args.range else {
        return if args.staged {
            Rules::staged(wanted, repo, world)
        } else {
            Rules::worktree(wanted, repo, world)
        };
    };
    if wanted.named.is_some() {
        return Rules::on_disk(wanted, world);
    }
    let (base, tip) = git::sides(spec)?;
    let range = repo.resolve(spec)?;
    // The empty tree has no rules, and is no reason to take the built-in ones.
    let from_nothing = range.base == repo.empty_tree();
    let base = if from_nothing { None } else { Some(Named { id: repo.commit(base)?, name: base }) };
    let parted = range.base.short();
    let before = match base {
        Some(base) if base.id != range.base => Some(Named { id: range.base, name: &parted }),
        base => base,
    };
    let bases: Vec<Named<'_>> = base.into_iter().collect();
    let before: Vec<Named<'_>> = before.into_iter().collect();
    let tip = Named { id: range.tip, name: tip };
    Rules::range(
        wanted,
        Ends { bases: &bases, before: &before, tip, merged: &|| Ok(None) },
        repo,
        world,
    )
}

fn of_repository(args: &Args, repo: &Repo, rules: &Rules) -> Result<Survey, Failure> {
    if args.each_commit {
        return each_commit(args, repo, rules);
    }
    let (title, deltas) = match &args.range {
        Some(spec) => {
            let range = repo.resolve(spec)?;
            (sanitize::visible(spec).into_owned(), repo.range(range.base, range.tip)?)
        }
        None if args.staged => ("staged changes".to_owned(), repo.staged()?),
        None => ("the working tree".to_owned(), repo.worktree(true)?),
    };
    let any = !deltas.list.is_empty();
    let unpaired = deltas.unpaired_note();
    let deltas = chosen(deltas.list, &args.paths);
    let mut survey = Survey::of(title);
    survey.begin(rules);
    survey.notes.extend((any && deltas.is_empty()).then(none_covered));
    survey.notes.extend(unpaired);
    survey.notes.extend(rules.touched(&deltas));
    survey.notes.extend(moved_out(&deltas, rules));
    survey.judge(repo, &deltas, None, rules, &args.options);
    Ok(survey)
}

/// Judges what each commit of a range adds, so that a line is told with the commit that brings it.
fn each_commit(args: &Args, repo: &Repo, rules: &Rules) -> Result<Survey, Failure> {
    let spec = args.range.as_deref().unwrap_or_default();
    let range = repo.resolve(spec)?;
    let mut survey = Survey::of(format!("each commit of {}", sanitize::visible(spec)));
    survey.begin(rules);
    let mut commits = Vec::new();
    let mut any = false;
    for id in repo.commits(range.base, range.tip)? {
        let changes = repo.commit_changes(id)?;
        any |= !changes.list.is_empty();
        let unpaired = changes.unpaired_note().map(|note| format!("{}: {note}", id.short()));
        survey.notes.extend(unpaired);
        commits.push((id, chosen(changes.list, &args.paths)));
    }
    let none = commits.iter().all(|(_, deltas)| deltas.is_empty());
    survey.notes.extend((any && none).then(none_covered));
    repo.want(commits.iter().flat_map(|(_, deltas)| deltas));
    for (id, deltas) in commits {
        let commit = Commit { id: id.to_string(), subject: repo.subject(id)? };
        let name = id.short();
        let notes = rules.touched(&deltas).into_iter().chain(moved_out(&deltas, rules));
        survey.notes.extend(notes.map(|note| format!("{name}: {note}")));
        survey.judge(repo, &deltas, Some(&commit), rules, &args.options);
    }
    Ok(survey)
}

fn of_patch(
    args: &Args,
    file: &Path,
    repo: Result<Repo, GitError>,
    wanted: Wanted<'_>,
    world: &World,
) -> Result<(Rules, Survey), Failure> {
    let mut text = Vec::new();
    let read = if file == Path::new("-") {
        std::io::stdin().lock().read_to_end(&mut text)
    } else {
        std::fs::File::open(world.path(file)).and_then(|mut file| file.read_to_end(&mut text))
    };
    let name = sanitize::path(file);
    read.map_err(|error| Failure::new(format!("`{name}` cannot be read")).because(error))?;
    let mut patched = patch::read(&text).map_err(|error| {
        Failure::new("the patch cannot be read")
            .because(format!("{name}: {error}"))
            .next("make it anew with `git diff`")
    })?;
    let repo = match (repo, &args.rules_from) {
        (Ok(repo), _) => Some(repo),
        (Err(GitError::NoRepository { .. }), None) => None,
        (Err(error), _) => return Err(error.into()),
    };
    if let Some(repo) = &repo {
        let old_files = repo.old_files();
        for file in &mut patched {
            old_files.rebuild(file);
        }
    }
    let changes = patched.iter().map(|file| &file.change);
    let rules = match (&repo, &args.rules_from) {
        (Some(repo), Some(revision)) => Rules::of_revision(wanted, revision, repo, world)?,
        (repo, _) => Rules::patched(wanted, repo.as_ref(), changes, world)?,
    };
    let globs = globs(&args.paths);
    let mut survey = Survey::of("the patch");
    survey.begin(&rules);
    let covered = |file: &Patched| globs.cover(file.change.place.as_str());
    survey.notes.extend((!patched.is_empty() && !patched.iter().any(covered)).then(none_covered));
    for file in patched {
        if covered(&file) {
            survey.judge_one(file.change, file.not_checked, &rules, &args.options);
        }
    }
    Ok((rules, survey))
}

/// Keeps the deltas that somebody asked for.
fn chosen(mut deltas: Vec<Delta>, paths: &[GlobList]) -> Vec<Delta> {
    let globs = globs(paths);
    deltas.retain(|delta| globs.cover(delta.place.as_str()));
    deltas
}

fn none_covered() -> String {
    "no changed file is covered by `--paths`".to_owned()
}

fn globs(paths: &[GlobList]) -> Globs {
    let mut globs = lists::all(paths);
    if globs.iter().all(|glob| glob.starts_with('!')) {
        globs.push("**".to_owned());
    }
    Globs::new(&globs)
}
