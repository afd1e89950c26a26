//! Ways to keep a line from being looked at. None of them works.

use super::desk::{BANNED, Desk};
use crate::git::yard::lines;

#[test]
fn attributes_that_switch_the_diff_off_hide_no_line() {
    for attribute in ["-diff", "binary", "-text -diff", "diff=hide", "linguist-generated"] {
        let desk = Desk::of(&[("a.py", "x=1\n")]);
        desk.git(&["config", "diff.hide.textconv", "true"]);
        desk.git(&["config", "diff.hide.command", "true"]);
        desk.git(&["config", "diff.hide.binary", "true"]);
        desk.write(".gitattributes", format!("*.py {attribute}\n"));
        desk.write("a.py", "x=1\nBANNED_WORD\n");
        desk.diff(&[]).refuses(&["no-token a.py:2"]);
        desk.stage();
        desk.staged().refuses(&["no-token a.py:2"]);
        desk.commit("second");
        desk.diff(&["HEAD~1..HEAD"]).refuses(&["no-token a.py:2"]);
    }
}

#[test]
fn configuration_of_the_diff_hides_no_line() {
    let desk = Desk::of(&[("a.py", "x=1\n"), ("b.py", "y\n")]);
    for (key, value) in [
        ("diff.external", "true"),
        ("diff.orderFile", "/dev/null"),
        ("diff.ignoreSubmodules", "all"),
        ("core.ignoreStat", "true"),
        ("core.trustctime", "false"),
        ("diff.relative", "true"),
    ] {
        desk.git(&["config", key, value]);
    }
    desk.write("a.py", "x=1\nBANNED_WORD\n").stage();
    desk.git(&["update-index", "--assume-unchanged", "b.py"]);
    desk.write("b.py", "y\nBANNED_WORD\n");
    desk.staged().refuses(&["no-token a.py:2"]);
    desk.diff(&[]).refuses(&["no-token a.py:2", "no-token b.py:2"]);
}

#[test]
fn a_change_of_type_hides_no_line() {
    let desk = Desk::of(&[("a.py", &format!("x=1\n{BANNED}\n"))]);
    desk.remove("a.py").link("b.py", "a.py").commit("a link now");
    desk.remove("a.py").write("a.py", "x=1\nBANNED_WORD\n").stage();
    desk.staged().refuses(&["no-token a.py:2"]);
    desk.commit("a file again");
    desk.diff(&["HEAD~1..HEAD"]).refuses(&["no-token a.py:2"]);
}

#[test]
fn a_rename_with_an_edit_hides_no_line() {
    let desk = Desk::of(&[("a.py", &lines("line", 60))]);
    desk.git(&["mv", "a.py", "b.py"]);
    desk.write("b.py", format!("{}BANNED_WORD\n", lines("line", 60))).stage();
    desk.staged().refuses(&["no-token b.py:61"]);
    desk.commit("moved");
    desk.diff(&["HEAD~1..HEAD"]).refuses(&["no-token b.py:61"]);
}

#[test]
fn replacement_objects_hide_no_line() {
    let desk = Desk::of(&[("a.py", "1\n")]);
    desk.write("a.py", "BANNED_WORD\n").stage();
    desk.write("clean", "clean\n");
    let clean = desk.word(&["hash-object", "-w", "clean"]);
    let real = desk.word(&["rev-parse", ":a.py"]);
    desk.remove("clean").git(&["replace", &real, &clean]);
    desk.staged().refuses(&["no-token a.py:1"]);
    desk.git(&["commit", "-q", "-m", "second"]);
    assert!(desk.word(&["log", "-p", "-1"]).ends_with("+clean"), "git shows the harmless text");
    desk.diff(&["HEAD~1..HEAD"]).refuses(&["no-token a.py:1"]);
}

#[test]
fn a_move_into_an_exempt_path_is_told() {
    let desk = Desk::of(&[("src/a.py", &lines("line", 60)), ("legacy/x", "x\n")]);
    desk.git(&["mv", "src/a.py", "legacy/a.py"]);
    desk.write("legacy/a.py", format!("{}BANNED_WORD\n", lines("line", 60))).stage();
    let note = "src/a.py moves to legacy/a.py, which no-token does not cover";
    let told = desk.staged();
    assert!(told.notes().contains(note), "{told:#?}");
    desk.commit("moved");
    assert!(desk.diff(&["HEAD~1..HEAD"]).notes().contains(note));
    assert!(desk.diff(&["HEAD~1..HEAD", "--each-commit"]).notes().contains(note));
}

#[test]
fn full_width_letters_hide_no_call() {
    let desk = Desk::new();
    desk.write("a.py", "import os\nos.ｓｙｓｔｅｍ('echo ran')\n").stage();
    desk.staged().refuses(&["no-system a.py:2"]);
    desk.commit("second");
    desk.diff(&["HEAD~1..HEAD"]).refuses(&["no-system a.py:2"]);
}

#[test]
fn a_nul_hides_no_line() {
    let desk = Desk::new();
    desk.write("x.sh", "#!/bin/sh\n# \0\ncurl BANNED_WORD\n").stage();
    desk.staged().refuses(&["no-token x.sh:3"]);
}

#[test]
fn utf16_hides_no_line() {
    let utf16 = |text: &str| -> Vec<u8> {
        [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
    };
    let desk = Desk::new();
    desk.write("ps.ps1", utf16("BANNED_WORD\r\n")).stage();
    desk.staged().refuses(&["no-token ps.ps1:1"]);
}
