//! By which rules a change is judged.

use super::desk::{BANNED, Desk, RULES};

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
