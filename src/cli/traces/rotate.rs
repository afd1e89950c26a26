//! `traces rotate`: closes a store, begins the next, and deletes old ones when asked.

use super::amount;
use crate::cli::failure::Failure;
use crate::cli::keep::UNHURRIED;
use crate::cli::world::World;
use crate::cli::{defaults, verify};
use crate::domain::sanitize::visible;
use crate::store::rotate::{Rotated, Rotation};
use crate::store::traces::Traces;
use std::io::Write;
use std::path::PathBuf;

/// Close a store, and begin the next
///
/// The store becomes a sealed file beside it (hooks.000001.jsonl, the next one hooks.000002.jsonl),
/// and the first record of the new one names it, how many records it has and the hash of the last:
/// `verify` and all readers see them as one chain. It is done under the lock of the store, and may
/// be stopped anywhere. Nothing is deleted without `--keep`; of what is deleted, the end of the
/// chain stays in hooks.jsonl.retired, so that `verify` says what was retired and when.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    solvi-hook traces rotate\n  \
    solvi-hook traces rotate --max-size 50MB --keep 90d\n\n\
    Exit status: 0 it is done or there was nothing to do, 2 it could not be done.")]
pub struct Args {
    /// The store [default: .solvi/traces/hooks.jsonl of the project]
    #[arg(value_name = "STORE")]
    store: Option<PathBuf>,
    /// Delete sealed files that were sealed longer ago (90d, 12w)
    #[arg(long, value_name = "SPAN", value_parser = amount::seconds)]
    keep: Option<f64>,
    /// Close the store only when it is larger (50MB, 1GiB)
    #[arg(long, value_name = "SIZE", value_parser = amount::bytes)]
    max_size: Option<u64>,
    /// The project's folder [default: the repository that this folder is in]
    #[arg(long, value_name = "DIR", alias = "root")]
    project: Option<PathBuf>,
}

/// Runs the sub-command.
pub fn run(args: &Args, world: &World, out: &mut dyn Write) -> Result<u8, Failure> {
    let root = defaults::recorded(args.project.as_deref(), world);
    let (path, name) = verify::store(args.store.as_deref(), &root, world)?;
    if !path.exists() {
        return Err(verify::unreadable(&name, "there is no such file"));
    }
    let wanted = Rotation { larger_than: args.max_size, keep: args.keep, now: world.now() };
    let rotated = Traces::at(&path, UNHURRIED).and_then(|store| store.rotate(&wanted));
    let Rotated { sealed, retired } = rotated.map_err(|error| {
        Failure::new(format!("the store `{}` cannot be rotated", visible(&name)))
            .because(error)
            .next("see whether it is whole: `solvi-hook verify`")
    })?;
    match sealed {
        Some((path, count)) => {
            let file = path.file_name().unwrap_or_default().to_string_lossy();
            writeln!(out, "sealed {count} records as {}", visible(&file))?;
        }
        None => writeln!(out, "nothing to seal")?,
    }
    for retired in retired {
        let (count, file) = (retired.link.tip.count, visible(&retired.link.previous).into_owned());
        writeln!(out, "retired {count} records in {file}")?;
    }
    Ok(0)
}
