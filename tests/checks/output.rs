//! Colour is for terminals.

use super::desk::{BANNED, Desk, sound};
use crate::support::said;
use std::process::Command;

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("a.py", BANNED).stage();
    desk
}

/// Runs a check and counts the escape codes in what it says.
fn escapes(mut command: Command, envs: &[(&str, &str)]) -> usize {
    command.envs(envs.iter().copied());
    let said = sound(said(command, b""));
    assert!(said.stdout.contains("no-token"), "{said:?}");
    said.stdout.matches('\u{1b}').count() + said.stderr.matches('\u{1b}').count()
}

#[test]
fn a_log_gets_no_colour_unless_somebody_asks_for_it() {
    let desk = desk();
    for sub_command in ["check-staged", "check-diff"] {
        let check = || desk.command(&[sub_command]);
        assert_eq!(escapes(check(), &[]), 0);
        assert_eq!(escapes(check(), &[("CLICOLOR_FORCE", "0")]), 0);
        assert!(escapes(check(), &[("CLICOLOR_FORCE", "1")]) > 0);
        assert_eq!(escapes(check(), &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]), 0);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_terminal_gets_colour_unless_somebody_asks_against_it() {
    let desk = desk();
    let check = || {
        let mut command = desk.program("script");
        let check = format!("'{}' check-staged", crate::support::binary().display());
        command.args(["-qec", &check, "/dev/null"]);
        command
    };
    assert!(escapes(check(), &[]) > 0);
    assert_eq!(escapes(check(), &[("NO_COLOR", "1")]), 0);
}
