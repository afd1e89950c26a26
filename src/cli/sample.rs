//! `rules sample`: the built-in rules.

use super::failure::Failure;
use crate::engine::rules::BUILT_IN;
use std::io::Write;

/// Print the built-in rules, to begin a rules file of your own
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  solvi-hook rules sample > solvi-rules.toml")]
pub struct Args {}

/// Prints the built-in rules.
pub fn run(_args: &Args, out: &mut dyn Write) -> Result<u8, Failure> {
    out.write_all(BUILT_IN.as_bytes()).map_err(|error| Failure::new("no output").because(error))?;
    Ok(0)
}
