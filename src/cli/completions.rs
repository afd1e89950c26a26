//! `completions`: a script that completes the command line in a shell.

use super::failure::Failure;
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
pub fn run(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut super::Cli::command(), NAME, &mut script);
    if args.shell == Shell::Bash {
        script = mended(&String::from_utf8_lossy(&script)).into_bytes();
    }
    out.write_all(&script)?;
    Ok(())
}

const NAME: &str = "solvi-hook";

/// Mends a script for bash. `clap_complete` 4.6 leaves a state by another name than the one by which
/// it enters it when the program's name has a hyphen (clap#6421), so that nothing completes after a
/// sub-command; and it takes the `=` of `--format=t`, which is a word of its own to bash, for what
/// stands before the value.
fn mended(script: &str) -> String {
    let before = "    prev=\"$3\"\n";
    let equals = "    [[ \"${prev}\" == \"=\" ]] && prev=\"${COMP_WORDS[COMP_CWORD-2]}\"\n";
    script.replace("solvi__subcmd__hook__subcmd__", "solvi__hook__subcmd__").replacen(
        before,
        &format!("{before}{equals}"),
        1,
    )
}
