//! Hands the arguments to the library and returns its exit status; nothing else.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(solvi_hook::cli::main(std::env::args_os()))
}
