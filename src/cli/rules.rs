//! `rules check`, `rules sample`, `rules schema`: for whoever writes the rules.

use super::failure::Failure;
use super::world::World;
use super::{rules_check, sample};
use clap::Subcommand;
use std::io::Write;

/// The JSON Schema of the rules file.
const SCHEMA: &str = include_str!("../../templates/rules.schema.json");

/// Check the rules, print the starter rules, or print the rules file's schema
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  solvi-hook rules check\n  \
    solvi-hook rules sample > solvi-rules.toml\n  solvi-hook rules schema > rules.schema.json")]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Check(rules_check::Args),
    Sample(sample::Args),
    Schema(Schema),
}

/// Print the JSON Schema of the rules file, for editors
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  solvi-hook rules schema > solvi-rules.schema.json")]
struct Schema {}

/// Runs the sub-command.
pub fn run(args: &Args, world: &World, out: &mut dyn Write) -> Result<u8, Failure> {
    match &args.command {
        Command::Check(args) => rules_check::run(args, world, out),
        Command::Sample(args) => sample::run(args, out),
        Command::Schema(_) => {
            out.write_all(SCHEMA.as_bytes())?;
            Ok(0)
        }
    }
}
