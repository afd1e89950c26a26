//! Names, moves and the types of files.

use super::desk::{BANNED, Desk};
use crate::git::yard::{latin1, lines};
use solvi_hook::domain::byte_name;

#[test]
fn names_are_told_as_they_are() {
    let names = ["café.py", "Привет мир.py", "人工智慧.py", "tab\there.py", "\"quoted\".py"];
    for quotes in ["true", "false"] {
        let desk = Desk::new();
        desk.git(&["config", "core.quotePath", quotes]);
        for name in names {
            desk.write(name, BANNED);
        }
        desk.stage();
        let mut found = names.map(|name| format!("no-token {}:1", byte_name::spelled(name)));
        found.sort();
        desk.staged().refuses(&found.each_ref().map(String::as_str));
    }
}

#[test]
fn a_name_that_is_no_utf8_is_judged() {
    let desk = Desk::new();
    desk.write(latin1(), BANNED).stage();
    desk.staged().refuses(&["no-token \"caf\\351.txt\":1"]);
}

#[test]
fn names_that_differ_in_case_are_two_files() {
    let desk = Desk::new();
    desk.write("Readme.py", "ok\n").write("README.py", BANNED).stage();
    desk.staged().refuses(&["no-token README.py:1"]);
}

#[test]
fn a_pure_move_makes_no_old_line_new() {
    let desk = Desk::of(&[("a.py", &format!("{}BANNED_WORD\n", lines("line", 60)))]);
    std::fs::create_dir(desk.root.join("lib")).unwrap();
    desk.git(&["mv", "a.py", "lib/a.py"]);
    desk.staged().passes();
}

#[test]
fn a_move_into_the_reach_of_a_rule_is_judged_whole() {
    let desk = Desk::of(&[("legacy/a.py", &format!("{}BANNED_WORD\n", lines("line", 60)))]);
    desk.git(&["mv", "legacy/a.py", "a.py"]);
    desk.staged().refuses(&["no-token a.py:61"]);
}

#[test]
fn a_link_that_becomes_a_file_is_judged() {
    let desk = Desk::new();
    desk.link("/etc/hosts", "link.py").commit("link");
    desk.remove("link.py").write("link.py", "BANNED_WORD\n").stage();
    desk.staged().refuses(&["no-token link.py:1"]);
}

#[test]
fn a_link_is_not_followed() {
    let desk = Desk::new();
    std::fs::write(desk.beside("outside.txt"), BANNED).unwrap();
    desk.link("../outside.txt", "notes.py");
    desk.diff(&[]).passes();
    desk.stage();
    desk.staged().passes();
}

#[test]
fn a_deletion_breaks_no_rule_about_text() {
    let desk = Desk::of(&[("old.py", BANNED), ("b.py", "import os\nos.system('x')\n")]);
    desk.remove("old.py").remove("b.py").stage();
    desk.staged().passes();
}

#[test]
fn deleting_what_a_rule_requires_is_remarked_on_and_stops_nothing() {
    let desk = Desk::of(&[("src/a.rs", "// SPDX-License-Identifier: MIT\n")]);
    desk.remove("src/a.rs").stage();
    let told = desk.staged();
    assert_eq!((told.status, told.report["verdict"].as_str()), (0, Some("warn")), "{told:#?}");
}

#[test]
fn too_many_moved_and_edited_files_are_told() {
    let desk = Desk::new();
    let file = |number: usize, more: &str| format!("{number} of many\nthe same line\n{more}");
    for number in 0..1001 {
        desk.write(format!("old/{number}.txt"), file(number, ""));
    }
    desk.commit("old");
    for number in 0..1001 {
        desk.remove(&format!("old/{number}.txt"));
        desk.write(format!("new/_{number}.txt"), file(number, "more\n"));
    }
    let note = "1001 new files are too many to look for those that were moved and edited";
    desk.stage();
    assert!(desk.staged().notes().contains(note));
    desk.git(&["reset", "-q"]);
    assert!(desk.diff(&[]).notes().contains("so every line of theirs counts as new"));
    desk.commit("new");
    assert!(desk.diff(&["HEAD~1..HEAD"]).notes().contains(note));
    assert!(desk.diff(&["HEAD~1..HEAD", "--each-commit"]).notes().contains(note));
    // What is moved as it is is found, however much there is.
    desk.git(&["mv", "new", "newer"]);
    assert_eq!(desk.staged().passes().notes(), "");
}
