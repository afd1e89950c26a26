//! `traces`: what is done with a store as a whole.

mod amount;
mod csv;
mod export;
mod otlp;
mod rotate;

use super::failure::Failure;
use super::world::World;
use clap::Subcommand;
use std::io::Write;

/// Close a store and begin the next, or write its records in other formats
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Examples:\n  solvi-hook traces rotate --max-size 50MB --keep 90d\n  \
    solvi-hook traces export --format csv --since 7d > week.csv")]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Clone, Debug, Subcommand)]
enum Command {
    Rotate(rotate::Args),
    Export(export::Args),
}

/// Runs the sub-command.
pub fn run(args: &Args, world: &World, out: &mut dyn Write) -> Result<u8, Failure> {
    match &args.command {
        Command::Rotate(args) => rotate::run(args, world, out),
        Command::Export(args) => export::run(args, world),
    }
}
