//! By which rules a change is judged.

use super::desk::{BANNED, Desk, RULES};
use crate::support::{payload, said};
use serde_json::json;

#[test]
fn the_staged_rules_judge_a_commit_whatever_the_working_tree_says() {
    let desk = Desk::new();
    desk.write("a.py", BANNED).stage().write("solvi-rules.toml", "");
    let note = "solvi-rules.toml differs in the working tree; the staged version judges";
    let told = desk.staged();
    assert!(told.refuses(&["no-token a.py:1"]).notes().contains(note), "{told:#?}");
    desk.remove("solvi-rules.toml");
    let told = desk.staged();
    assert!(told.refuses(&["no-token a.py:1"]).notes().contains(note), "{told:#?}");
}

#[test]
fn a_change_is_judged_by_the_rules_of_its_base() {
    let desk = Desk::new();
    desk.git(&["checkout", "-q", "-b", "topic"]);
    desk.write("solvi-rules.toml", "version = 1\n").write("a.py", BANNED).commit("weaker");
    let changes = "the rules file solvi-rules.toml changes here";
    let told = desk.diff(&["main...HEAD"]);
    assert_eq!(told.status, 1, "{told:#?}");
    assert_eq!(told.found()[0], "no-token a.py:1");
    assert!(told.found()[1].starts_with("rules-loosened"), "{told:#?}");
    assert!(told.notes().contains(changes), "{told:#?}");
    let told = desk.diff(&["main...HEAD", "--rules-from", "main"]);
    assert!(told.refuses(&["no-token a.py:1"]).notes().contains(changes), "{told:#?}");
}

#[test]
fn rules_of_a_revision_that_has_none_are_the_built_in_ones() {
    let desk = Desk::of(&[("x", "1\n")]);
    desk.git(&["rm", "-q", "solvi-rules.toml"]);
    desk.commit("no rules").write("solvi-rules.toml", RULES).write("a.py", BANNED).commit("rules");
    let told = desk.diff(&["HEAD~1..HEAD", "--rules-from", "HEAD~1"]);
    assert!(told.notes().contains("HEAD~1 has no rules file; the built-in rules judge"));
    let told = desk.diff(&["HEAD", "--rules-from", "none"]);
    assert_eq!(told.status, 2);
    assert!(told.said.stderr.contains("`none` names no commit"), "{}", told.said.stderr);
}

#[test]
fn rules_that_cannot_be_read_are_no_pass() {
    let desk = Desk::judged_by("[[rule]]\nid = 1\n", &[]);
    desk.write("a.py", BANNED).stage();
    let told = desk.staged();
    assert_eq!(told.status, 2);
    assert!(told.said.stderr.contains("solvi-rules.toml@index:"), "{}", told.said.stderr);
}

#[test]
fn a_rules_file_that_changes_is_read_as_a_whole() {
    let broken =
        format!("{RULES}\n[[rule]]\nid = \"la\"\npaths = [\"none/**\"]\nforbid = [\"(\"]\n");
    let refused = |desk: &Desk, arguments: &[&str]| {
        let said = desk.run(arguments, "");
        assert_eq!(said.status, Some(2), "{arguments:?}: {said:?}");
        let told = said.stderr.contains("1 of 5 rules cannot be read");
        assert!(told && said.stderr.contains("`la`"), "{arguments:?}: {}", said.stderr);
    };
    let desk = Desk::of(&[("a.py", "1\n")]);
    desk.write("solvi-rules.toml", &broken).stage();
    refused(&desk, &["check-staged", "--no-store"]);
    refused(&desk, &["check-diff", "--staged"]);
    refused(&desk, &["check-diff"]);
    let patch = desk.git(&["diff", "HEAD"]);
    desk.commit("broken");
    refused(&desk, &["check-diff", "HEAD~1..HEAD"]);
    refused(&desk, &["check-diff", &format!("{}..HEAD", "0".repeat(40))]);
    desk.git(&["checkout", "-q", "HEAD~1"]);
    let file = desk.beside("patch");
    std::fs::write(&file, patch).unwrap();
    refused(&desk, &["check-diff", "--patch", file.to_str().unwrap()]);
    desk.git(&["checkout", "-q", "main"]);
    // What the change leaves alone stops no work, and neither does the correction.
    desk.write("b.py", "1\n").stage();
    assert_eq!(desk.run(&["check-staged", "--no-store"], "").status, Some(0));
    desk.write("solvi-rules.toml", RULES).stage();
    assert_ne!(desk.run(&["check-staged", "--no-store"], "").status, Some(2));
}

#[test]
fn a_rule_that_cannot_be_read_is_told_once_with_the_number_of_files() {
    let rules = "[[rule]]\nid = \"bad\"\npaths = [\"**/*.py\"]\nforbid = [\"(\"]\n\
        [[rule]]\nid = \"no-token\"\npaths = [\"**/*.py\"]\nforbid = [\"BANNED[_]WORD\"]\n";
    let desk = Desk::judged_by(rules, &[("a.py", "1\n"), ("b.py", "1\n"), ("c.py", "1\n")]);
    for (path, text) in [("a.py", "2\n"), ("b.py", "BANNED_WORD\n"), ("c.py", "3\n")] {
        desk.write(path, text);
    }
    let told = desk.diff(&[]);
    told.is(1, &["bad a.py", "no-token b.py:1"]);
    let unknown = told.list("findings")[0]["unknown"].as_str().unwrap().to_owned();
    assert!(unknown.ends_with("so it checked none of 3 files"), "{unknown}");
    assert!(unknown.contains("`(`"), "{unknown}");
    // One file is worth no number.
    desk.write("c.py", "1\n").write("b.py", "1\n");
    let told = desk.diff(&[]);
    told.is(2, &["bad a.py"]);
    assert!(!told.list("findings")[0]["unknown"].as_str().unwrap().contains("none of"));
}

#[test]
fn why_a_rule_cannot_be_read_is_written_out_once_for_an_edit_of_several_files() {
    let rules = "[[rule]]\nid = \"bad\"\npaths = [\"**/*.py\"]\nforbid = [\"(\"]\n";
    let desk = Desk::judged_by(rules, &[]);
    let file = |at: usize| format!("*** Add File: {at}.py\n+x\n");
    let files = [0, 1, 2].map(file).concat();
    let payload = payload(
        "apply_patch",
        &json!({"command": format!("*** Begin Patch\n{files}*** End Patch")}),
    );
    let said = desk.run(&["hook", "--agent", "codex", "--no-store"], payload.to_string());
    let reply: serde_json::Value = serde_json::from_str(&said.stdout).unwrap();
    let reason = reply["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap();
    assert_eq!(reason.matches("never closed").count(), 1, "{reason}");
    assert_eq!(reason.matches("bad: cannot be checked here either").count(), 2, "{reason}");
}

#[test]
fn a_rules_file_is_named_from_the_current_folder() {
    let desk = Desk::judged_by("", &[("sub/x", "1\n"), ("sub/own.toml", RULES)]);
    desk.write("a.py", BANNED).stage();
    let refuses = |folder: &str, rules: &str, arguments: &[&str]| {
        let mut command = desk.command(&[arguments, &["--rules", rules]].concat());
        command.current_dir(desk.repo().root().unwrap().join(folder));
        let told = said(command, b"");
        assert_eq!(told.status, Some(1), "{folder} {rules} {arguments:?}: {told:?}");
        assert!(told.stdout.contains("no-token"), "{told:?}");
        told.stdout
    };
    for (folder, rules) in [("sub", "own.toml"), (".", "sub/own.toml"), ("sub", "../sub/own.toml")]
    {
        let told = refuses(folder, rules, &["check-staged", "--no-store"]);
        assert!(told.contains("rules: sub/own.toml@"), "{told}");
        refuses(folder, rules, &["check-diff", "--staged"]);
        refuses(folder, rules, &["check-diff"]);
    }
    desk.git(&["commit", "-q", "-m", "more"]);
    refuses("sub", "own.toml", &["check-diff", "HEAD~1..HEAD"]);
}
