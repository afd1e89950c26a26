//! `redact`: what should never have been kept is erased from the store.

use super::failure::Failure;
use super::world::World;
use super::{defaults, keep, verify};
use crate::domain::sanitize::{self, visible};
use crate::store::erase::{EraseError, Erasure};
use crate::store::traces::Traces;
use std::io::Write;
use std::path::PathBuf;

/// Who is named when nobody can be.
const NOBODY: &str = "solvi-hook";

/// Erase the content of one record, and note who did it and why
///
/// The record keeps its place, its hash, its time and its answer; the path, the lines, the reasons
/// and the values of the steps go. A new record names the erased one. The chain still holds, and
/// an anchor that was kept before is still good. The hashes of the steps stay as well, from which
/// a very short secret could be guessed: change a password that was kept. Copies of the store are
/// not reached. A record in a sealed file of the store, or in a database, is erased there.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Example:\n  \
    solvi-hook redact 131822ec --note \"a customer's name\" && solvi-hook verify\n\n\
    Exit status: 0 it is erased, 2 nothing was erased.")]
pub struct Args {
    /// The record's id, or the beginning of it when no other begins alike
    #[arg(value_name = "ID")]
    id: String,
    /// The store [default: .solvi/traces/hooks.jsonl of the project]
    #[arg(value_name = "STORE")]
    store: Option<PathBuf>,
    /// Why it is erased; this is kept, so it must not say what is erased
    #[arg(long, value_name = "TEXT")]
    note: String,
    /// Who erases it [default: your user name]
    #[arg(long, value_name = "NAME")]
    by: Option<String>,
    /// The project's folder [default: the repository that this folder is in]
    #[arg(long, value_name = "DIR", alias = "root")]
    project: Option<PathBuf>,
}

/// Runs the sub-command.
pub fn run(args: &Args, world: &World, out: &mut dyn Write) -> Result<u8, Failure> {
    let root = defaults::recorded(args.project.as_deref(), world);
    let (path, name) = verify::store(args.store.as_deref(), &root, world)?;
    let traces =
        Traces::at(path, keep::UNHURRIED).map_err(|error| verify::unreadable(&name, error))?;
    let user = || ["USER", "LOGNAME", "USERNAME"].iter().find_map(|name| world.env(name));
    let by = args.by.clone().or_else(|| user().map(|name| name.to_string_lossy().into_owned()));
    let erasure = Erasure {
        id: &args.id,
        by: by.as_deref().unwrap_or(NOBODY),
        note: &args.note,
        time: world.now(),
    };
    let erased = traces.erase(&erasure).map_err(|error| refused(&name, &error))?;
    writeln!(
        out,
        "redacted {} in {}; noted as {}",
        visible(&erased.id),
        visible(&name),
        visible(&erased.noted)
    )?;
    Ok(0)
}

fn refused(name: &str, error: &EraseError) -> Failure {
    let said = visible(&error.to_string()).into_owned();
    let failure = Failure::new(format!("nothing was erased in `{}`", visible(name))).because(said);
    match error {
        EraseError::Unsound(_) => failure.next("see what is wrong: `solvi-hook verify`"),
        EraseError::Unknown(_) => failure.next("give the id that a reply or `audit --all` names"),
        EraseError::Many(_) => failure.next("give more of the id"),
        EraseError::Sealed(store) => failure
            .next(format!("name the store: `solvi-hook redact ID {}`", sanitize::path(store))),
        EraseError::NoStore => failure.next("name a store that is there"),
        EraseError::Store(_) | EraseError::Already(_) | EraseError::Empty(_) => failure,
    }
}
