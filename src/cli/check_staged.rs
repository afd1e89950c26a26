//! `check-staged`: evaluates the rules on what is about to be committed.

use super::check::{Options, Outcome, Survey, moved_out};
use super::check_rules::{Rules, Wanted};
use super::failure::Failure;
use super::rule_sources::from_root;
use super::terminal;
use super::world::World;
use super::{defaults, keep};
use crate::domain::{Moment, Verdict};
use crate::store::record::Occasion;
use std::io::Write;
use std::path::PathBuf;

/// Check staged changes, as the git hook pre-commit does
///
/// Compares the index with HEAD object by object, so that no attribute or setting hides a line, and
/// evaluates the rules on the lines that the commit would add. Rules come from the index where they
/// are tracked. Where a rule asks, the person at the terminal is asked. In a git hook nothing is
/// printed when there is nothing to report.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Examples:\n  solvi-hook check-staged\n  \
    solvi-hook check-staged --format json\n\n\
    Exit status: 0 passed, 1 findings block the commit, 2 the check could not run.\n\
    `git commit --no-verify` skips the check.")]
pub struct Args {
    #[command(flatten)]
    options: Options,
    /// The rules file, from the current folder; its staged version where it is tracked
    #[arg(long, value_name = "PATH")]
    rules: Option<PathBuf>,
    /// Where the decision is recorded, from the project's root [default:
    /// .solvi/traces/hooks.jsonl]
    #[arg(long, value_name = "PATH", conflicts_with = "no_store")]
    store: Option<PathBuf>,
    /// Do not record the decision; approval is then impossible, because it must be on record
    #[arg(long)]
    no_store: bool,
    /// A folder in the repository [default: the current folder]
    #[arg(long, value_name = "DIR")]
    project: Option<PathBuf>,
}

/// Runs the sub-command.
pub fn run(args: &Args, world: &World, out: &mut dyn Write) -> Result<u8, Failure> {
    let (repo, root) = args.options.open(args.project.as_deref(), world)?;
    let named = args.rules.as_ref().map(|named| from_root(named, &root, world));
    let wanted = Wanted { named: named.as_deref(), root: &root, only: &[], moment: Moment::Commit };
    let rules = Rules::staged(wanted, &repo, world)?;
    world.secrets.remember(rules.redactor.clone());
    let deltas = repo.staged()?;
    let mut survey = Survey::of("staged changes");
    survey.begin(&rules);
    survey.notes.extend(deltas.unpaired_note());
    survey.notes.extend(rules.touched(&deltas.list));
    survey.notes.extend(moved_out(&deltas.list, &rules));
    survey.judge(&repo, &deltas.list, None, &rules, &args.options);
    let outcome = survey.decide(&rules.redactor);
    let status = outcome.status(Verdict::Ask, &args.options);
    let for_a_person = status == 1 && only_asks(&outcome);
    // A person's yes counts only when it is on record.
    let answered = if for_a_person && !args.no_store { ask(&outcome, world) } else { None };
    let is_text = args.options.format.is_text();
    // Whoever answered has read the findings in the question, and a clean commit needs no words.
    let silent = is_text && (answered.is_some() || outcome.is_clean() && in_a_git_hook(world));
    if !silent {
        outcome.report(&rules, &args.options, world, out)?;
    }
    if !args.no_store {
        let named = args.store.clone().unwrap_or_else(|| PathBuf::from(defaults::STORE));
        let kept = keep::Keep {
            repo: Some(&repo),
            root: &root,
            named: &named,
            occasion: Occasion::COMMIT,
            instruction_check: !args.options.no_instruction_check,
        };
        match kept.outcome(&outcome, answered, world) {
            Ok(None) => {}
            Ok(Some(trouble)) => terminal::write_note(&trouble),
            Err(error) => {
                terminal::write_note(&format!("this decision is not recorded: {error}"));
                if answered == Some(true) {
                    return Ok(1);
                }
            }
        }
    }
    match answered {
        Some(true) => Ok(0),
        Some(false) => {
            terminal::write_err("Commit aborted: it was not approved.\n");
            Ok(1)
        }
        None => {
            if for_a_person {
                let to_be_asked = if args.no_store {
                    "leave out `--no-store`, because an approval must be on record, and run \
                     `git commit` in a terminal"
                } else {
                    "run `git commit` in a terminal"
                };
                let text = format!(
                    "Needs approval: {to_be_asked}, or skip the check with `git commit \
                     --no-verify`.\n"
                );
                // Behind the findings, where those are for people too.
                if is_text {
                    out.write_all(text.as_bytes())?;
                } else {
                    terminal::write_err(&text);
                }
            }
            Ok(status)
        }
    }
}

/// Tells whether git runs us: it names its index to the hooks of a commit.
fn in_a_git_hook(world: &World) -> bool {
    world.env("GIT_INDEX_FILE").is_some()
}

fn only_asks(outcome: &Outcome) -> bool {
    outcome.decision.verdict() == Verdict::Ask && !outcome.unknown()
}

/// Asks the person at the terminal; `None` when there is none, or when an agent runs us.
fn ask(outcome: &Outcome, world: &World) -> Option<bool> {
    if terminal::agent(world) {
        return None;
    }
    let reason = crate::domain::wording::reason(&outcome.decision, Verdict::Ask);
    terminal::yes_or_no(&format!("{reason}\nCommit anyway? [y/N] "))
}
