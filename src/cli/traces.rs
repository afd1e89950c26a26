//! `traces`: what is done with a store as a whole.

mod amount;
mod csv;
mod export;
mod otlp;
mod rotate;

use super::failure::Failure;
use super::world::World;
use super::{anchor, audit, query, redact, report, verify};
use clap::Subcommand;
use std::io::Write;

/// Close a store and begin the next, or write its records in other formats
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Examples:\n  solvi-hook traces rotate --max-size 50MB --keep 90d\n  \
    solvi-hook traces export --format csv --since 7d > week.csv\n\n\
    verify, report, query, audit, redact and anchor, which stand beside this sub-command, are taken \
    here too.")]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Clone, Debug, Subcommand)]
enum Command {
    Rotate(rotate::Args),
    Export(export::Args),
    // Who looks for all that is done with a store in one place finds it here as well.
    #[command(hide = true)]
    Verify(verify::Args),
    #[command(hide = true)]
    Report(report::Args),
    #[command(hide = true)]
    Query(query::Args),
    #[command(hide = true)]
    Audit(audit::Args),
    #[command(hide = true)]
    Redact(redact::Args),
    #[command(hide = true)]
    Anchor(anchor::Args),
}

/// Runs the sub-command.
pub fn run(args: &Args, world: &World, out: &mut dyn Write) -> Result<u8, Failure> {
    match &args.command {
        Command::Rotate(args) => rotate::run(args, world, out),
        Command::Export(args) => export::run(args, world),
        Command::Verify(args) => verify::run(args, world, out),
        Command::Report(args) => report::run(args, world, out),
        Command::Query(args) => query::run(args, world),
        Command::Audit(args) => audit::run(args, world, out),
        Command::Redact(args) => redact::run(args, world, out),
        Command::Anchor(args) => anchor::run(args, world, out),
    }
}
