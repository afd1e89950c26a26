//! The starter rules: built in, printed by `rules sample`, and written by `install`.

use super::failure::Failure;
use std::io::Write;

/// The text of the starter rules.
pub const TEXT: &str = include_str!("../../templates/rules.toml");

/// Print the starter rules, to begin a rules file of your own
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  solvi-hook rules sample > solvi-rules.toml")]
pub struct Args {}

/// Prints the starter rules.
pub fn run(_args: &Args, out: &mut dyn Write) -> Result<u8, Failure> {
    out.write_all(TEXT.as_bytes()).map_err(|error| Failure::new("no output").because(error))?;
    Ok(0)
}
