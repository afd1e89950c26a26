//! Every form in which git makes a commit is judged by what the commit would hold.

use super::desk::{BANNED, Desk};
use crate::git::yard::Yard;
use std::fs;

/// Asserts that git refuses to commit and that the finding is named.
#[track_caller]
fn refused(desk: &Desk, arguments: &[&str], place: &str) {
    let before = desk.told_by_git(&["rev-parse", "-q", "--verify", "HEAD"]).stdout;
    let said = desk.told_by_git(arguments);
    assert_eq!(said.status, Some(1), "{said:?}");
    let told = format!("{}{}", said.stdout, said.stderr);
    assert!(told.contains("no-token") && told.contains(place), "{told}");
    assert!(!told.contains("HEAD") && !told.contains("index.lock"), "{told}");
    assert_eq!(desk.told_by_git(&["rev-parse", "-q", "--verify", "HEAD"]).stdout, before);
}

#[test]
fn commit_all_is_refused_for_what_it_would_stage() {
    let desk = Desk::of(&[("a.py", "x=1\n")]);
    desk.guarded().write("a.py", "x=1\nBANNED_WORD\n");
    refused(&desk, &["commit", "-qam", "m"], "a.py:2");
    refused(&desk, &["commit", "-qm", "m", "a.py"], "a.py:2");
    assert!(desk.tries(&["commit", "-qnam", "m"]), "--no-verify commits");
}

#[test]
fn an_index_that_git_has_locked_is_read_all_the_same() {
    let desk = Desk::new();
    desk.write("a.py", BANNED).stage();
    fs::write(desk.root.join(".git/index.lock"), "").unwrap();
    desk.staged().refuses(&["no-token a.py:1"]);
}

#[test]
fn amending_judges_what_it_adds_and_the_range_the_rest() {
    let desk = Desk::of(&[("a.py", "1\n")]);
    desk.write("a.py", "1\nBANNED_WORD\n").commit("bad");
    desk.guarded().write("a.py", "1\nBANNED_WORD\ny=1\n").stage();
    let said = desk.told_by_git(&["commit", "-q", "--amend", "-m", "better"]);
    assert_eq!(said.status, Some(0), "{said:?}");
    desk.diff(&["HEAD~1..HEAD"]).refuses(&["no-token a.py:2"]);
}

#[test]
fn what_is_staged_is_judged_and_the_working_tree_left_alone() {
    let desk = Desk::of(&[("a.py", "x=1\n")]);
    desk.write("a.py", "x=1\ny=2\n").stage().write("a.py", "x=1\ny=2\nBANNED_WORD\n");
    let look = || {
        let file = fs::metadata(desk.root.join("a.py")).unwrap();
        (file.modified().unwrap(), fs::read(desk.root.join(".git/index")).unwrap())
    };
    let before = look();
    desk.staged().passes();
    assert!(look() == before, "touched");
    assert_eq!(desk.word(&["stash", "list"]), "");
}

#[test]
fn a_file_that_is_staged_and_gone_from_disk_is_judged() {
    let desk = Desk::new();
    desk.write("gone.py", "BANNED_WORD\n").stage().remove("gone.py");
    let told = desk.staged();
    told.refuses(&["no-token gone.py:1"]);
    assert_eq!(told.said.stderr, "");
}

#[test]
fn a_first_commit_is_refused() {
    let desk = Desk(Yard::new());
    desk.write("solvi-rules.toml", super::desk::RULES).write("a.py", "BANNED_WORD\n").stage();
    desk.guarded();
    refused(&desk, &["commit", "-qm", "first"], "a.py:1");
}

#[test]
fn on_an_orphan_branch_everything_is_new() {
    let desk = Desk::of(&[("a.py", "1\n"), ("old.py", "BANNED_WORD\n")]);
    desk.git(&["checkout", "-q", "--orphan", "fresh"]);
    desk.write("a.py", "1\nBANNED_WORD\n").stage();
    desk.staged().refuses(&["no-token a.py:2", "no-token old.py:1"]);
}

#[test]
fn a_working_tree_inside_a_bare_repository_is_judged() {
    let desk = Desk::of(&[("a.py", "1\n")]);
    let bare = desk.beside("b.git");
    desk.git(&["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
    let desk = Desk(desk.0.at(bare.clone()));
    desk.git(&["worktree", "add", "-q", "-b", "side", "side"]);
    let desk = Desk(desk.0.at(bare.join("side")));
    desk.write("a.py", "1\nBANNED_WORD\n").stage();
    desk.staged().refuses(&["no-token a.py:2"]);
    desk.guarded();
    refused(&desk, &["commit", "-qm", "m"], "a.py:2");
}

#[test]
fn a_working_tree_apart_from_its_repository_is_judged() {
    let desk = Desk(Yard::new());
    let (bare, home) = (desk.beside("dots.git"), desk.beside("home"));
    desk.git(&["init", "-q", "--bare", bare.to_str().unwrap()]);
    desk.hook_in(&bare.join("hooks"), "pre-commit", "check-staged");
    fs::create_dir(&home).unwrap();
    let desk = Desk(desk.0.at(home.clone()));
    desk.write("solvi-rules.toml", super::desk::RULES).write(".profile", "BANNED_WORD\n");
    let dots = ["--git-dir", bare.to_str().unwrap(), "--work-tree", home.to_str().unwrap()];
    desk.git(&[&dots, ["add", ".profile"].as_slice()].concat());
    let said = desk.told_by_git(&[&dots, ["commit", "-qm", "m"].as_slice()].concat());
    assert_eq!(said.status, Some(1), "{said:?}");
    assert!(format!("{}{}", said.stdout, said.stderr).contains(".profile:1"), "{said:?}");
}

#[test]
fn a_repository_inside_is_named_and_stops_nothing() {
    let desk = Desk::new();
    desk.git(&["init", "-q", "inner"]);
    desk.git(&["-C", "inner", "commit", "-q", "--allow-empty", "-m", "m"]);
    desk.git(&["-c", "advice.addEmbeddedRepo=false", "add", "inner"]);
    let told = desk.staged();
    assert_eq!(told.passes().not_checked(), ["inner: it is a commit of another repository"]);
}

#[test]
fn a_merge_brings_nothing_new_but_its_resolution() {
    let desk = Desk::of(&[("a.py", "1\n")]);
    desk.git(&["checkout", "-q", "-b", "topic"]);
    desk.write("a.py", "t\n").commit("t").git(&["checkout", "-q", "main"]);
    desk.write("a.py", "m\n").write("theirs.py", "BANNED_WORD\n").commit("m");
    desk.git(&["checkout", "-q", "topic"]);
    assert!(!desk.tries(&["merge", "-q", "main"]));
    desk.guarded();

    let told = desk.staged();
    assert_eq!(told.status, 2, "{told:?}");
    assert_eq!(told.not_checked(), ["a.py: it has conflicts that are not resolved yet"]);
    assert!(desk.root.join(".git/MERGE_HEAD").exists());
    assert!(desk.word(&["status", "--short"]).contains("UU a.py"));

    desk.write("a.py", "BANNED_WORD\n").stage();
    refused(&desk, &["commit", "-qm", "merged"], "a.py:1");
    desk.write("a.py", "both\n").stage();
    let said = desk.told_by_git(&["commit", "-qm", "merged"]);
    assert_eq!(said.status, Some(0), "{said:?}");
}
