//! `completions`: a script that completes the command line in a shell.

use clap::CommandFactory;
use clap_complete::Shell;
use std::io::Write;

/// Print a script that completes solvi-hook's command line in your shell
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  solvi-hook completions bash > \
    ~/.local/share/bash-completion/completions/solvi-hook")]
pub struct Args {
    /// The shell that will read the script
    shell: Shell,
}

/// Prints the script.
pub fn run(args: &Args, out: &mut dyn Write) {
    clap_complete::generate(args.shell, &mut super::Cli::command(), "solvi-hook", &mut &mut *out);
}
