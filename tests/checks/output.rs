//! Colour is for terminals.

use super::desk::{BANNED, Desk, sound};
use crate::support::said;
use std::fmt::Write as _;
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

#[test]
fn a_long_list_of_locations_is_cut_in_text_and_whole_in_json() {
    let desk = Desk::new();
    let lines = (0..20_000).fold(String::new(), |mut lines, number| {
        let _ = writeln!(lines, "{BANNED} {number}");
        lines
    });
    desk.write("a.txt", &lines).stage();
    let text = desk.run(&["check-staged", "--no-store"], "").stdout;
    assert!(text.contains("… and 19950 more"), "{text}");
    assert!(text.len() < 10_000, "{}", text.len());
    let json = desk.run(&["check-staged", "--no-store", "--format", "json"], "").stdout;
    assert_eq!(json.matches("forbidden pattern").count(), 20_000);
}
