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
    let able = ("TERM", "xterm");
    assert!(escapes(check(), &[able]) > 0);
    for envs in [
        &[able, ("NO_COLOR", "1")][..],
        &[able, ("CLICOLOR", "0")],
        &[("TERM", "dumb")],
        &[("TERM", "dumb"), ("CLICOLOR", "1")],
        &[],
    ] {
        let mut command = check();
        command.env_remove("TERM");
        assert_eq!(escapes(command, envs), 0, "{envs:?}");
    }
    assert!(escapes(check(), &[("TERM", "dumb"), ("CLICOLOR_FORCE", "1")]) > 0);
}

#[test]
fn findings_and_files_are_counted_and_named() {
    let desk = Desk::new();
    for at in 0..3 {
        desk.write(format!("{at}.txt"), format!("{BANNED}\n").repeat(4));
    }
    desk.write("fine.txt", "fine\n").stage();
    let text = desk.run(&["check-staged", "--no-store"], "").stdout;
    let said = "staged changes: 12 findings in 3 of 4 files: 12 blocked.\n";
    assert!(text.ends_with(said), "{text}");
    let told = desk.staged();
    let summary = &told.report["summary"];
    assert_eq!((&summary["denied"], &summary["spots"]["denied"]), (&3.into(), &12.into()));
    assert_eq!(summary["files_with_findings"], 3);
}

#[test]
fn a_finding_about_a_whole_file_says_what_is_done_to_it() {
    let rules = "version = 1\n[[rule]]\nid = \"settled\"\npaths = [\"db/**\"]\n";
    let desk = Desk::judged_by(rules, &[("db/old.sql", "1\n")]);
    desk.write("db/new.sql", "2\n").remove("db/old.sql").stage();
    for format in
        ["text", "json", "jsonl", "sarif", "github", "gitlab", "junit", "rdjson", "markdown"]
    {
        let said = desk.run(&["check-staged", "--no-store", "--format", format], "").stdout;
        for words in ["the file is changed", "the file is deleted"] {
            assert!(said.contains(words), "{format}: {said}");
        }
        let bare = said.lines().any(|line| {
            matches!(line.trim(), "*" | "= *" | "\"what\": \"*\",") || line.ends_with(": *")
        });
        assert!(!bare, "{format}: {said}");
    }
    let reply = desk.proposes("db/new.sql", "3\n").reason();
    assert!(reply.contains("\n    the file is changed"), "{reply}");
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
