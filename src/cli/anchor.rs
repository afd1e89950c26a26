//! `anchor`: the end of the store in one line, to be kept where nobody who writes to the store
//! writes.

use super::failure::Failure;
use super::world::World;
use super::{defaults, verify};
use crate::domain::sanitize::visible;
use crate::git::Repo;
use crate::store::chain::Tip;
use crate::store::last::{self, Last};
use std::io::Write;
use std::path::PathBuf;

/// Print the end of a store as COUNT:HASH, to be kept elsewhere
///
/// Whoever cuts the end off a store, or writes it anew, can write its head file anew as well. An
/// anchor that is kept elsewhere shows it: `verify --anchor` asks that the record at its place is
/// still the same. Only the end of the store is looked at; it must be sound.
///
/// With `--git-note` the anchor is also kept as a note on HEAD, under `refs/notes/solvi-hook`. To
/// have it in CI, push it (`git push origin refs/notes/solvi-hook`) and fetch it there.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    solvi-hook anchor\n  \
    solvi-hook anchor --git-note && solvi-hook verify --anchor git-note\n\n\
    Exit status: 0 the anchor is printed, 2 there is none to give, or it could not be kept.")]
pub struct Args {
    /// The store [default: .solvi/traces/hooks.jsonl of the project]
    #[arg(value_name = "STORE")]
    store: Option<PathBuf>,
    /// Keep the anchor as a git note on HEAD
    #[arg(long)]
    git_note: bool,
    /// The project's folder [default: the repository that this folder is in]
    #[arg(long, value_name = "DIR", alias = "root")]
    project: Option<PathBuf>,
}

/// Runs the sub-command.
pub fn run(args: &Args, world: &World, out: &mut dyn Write) -> Result<u8, Failure> {
    let root = defaults::recorded(args.project.as_deref(), world);
    let (path, name) = verify::store(args.store.as_deref(), &root, world)?;
    let end = last::last(&path).map_err(|error| verify::unreadable(&name, error))?;
    let Last { tip, wrong } =
        end.ok_or_else(|| verify::unreadable(&name, "there is no such file"))?;
    if let Some(wrong) = wrong {
        return Err(Failure::new("the end of the store is not sound")
            .because(format!("`{}`: {wrong}", visible(&name)))
            .next("see what else is wrong: `solvi-hook verify`"));
    }
    if args.git_note {
        keep(&tip, &Repo::open(&root)?)?;
    }
    writeln!(out, "{}", visible(&tip.to_string()))?;
    Ok(0)
}

/// Keeps an anchor on HEAD. One that counts more records is not replaced: the store was cut.
fn keep(tip: &Tip, repo: &Repo) -> Result<(), Failure> {
    if let Some(kept) = kept(repo)?
        && (kept.count > tip.count || kept.count == tip.count && kept != *tip)
    {
        return Err(Failure::new("the store does not hold what an earlier anchor names")
            .because(format!("the git note says {kept}, and the store ends at {tip}"))
            .next("see what is missing: `solvi-hook verify --anchor git-note`"));
    }
    repo.keep_note(&tip.to_string())?;
    Ok(())
}

/// Returns the anchor that is kept nearest to HEAD.
pub fn kept(repo: &Repo) -> Result<Option<Tip>, Failure> {
    let Some(note) = repo.note()? else { return Ok(None) };
    let first = note.text.lines().next().unwrap_or_default();
    let tip = first.parse().map_err(|error| {
        Failure::new("the git note is no anchor")
            .because(format!("on {}: `{}`: {error}", note.commit.short(), visible(first)))
            .next(format!(
                "look at it: `git notes --ref {} show {}`",
                crate::git::NOTES,
                note.commit
            ))
    })?;
    Ok(Some(tip))
}
