//! Ordinary projects that the protection must leave alone: linked folders, repositories in others.

use super::projects::git;
use crate::support::{House, Said, said};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

const BROKEN: &str = "version = 1\n[[rule]]\nid = \"n\"\npaths = [\"**\"]\nforbid = [\"(Z\"]\n";

/// Runs the program in a folder.
fn run_in(house: &House, folder: &Path, args: &[&str]) -> Said {
    let mut command = house.command(args);
    command.current_dir(folder);
    said(command, b"")
}

/// A repository with a commit, `.claude` and `.config` being links.
fn linked(claude: &str, config: &str) -> House {
    let house = House::new().file("dot/notes.md", "x\n").file("a", "a\n");
    let root = house.root();
    git(&root, &["init", "-q"]);
    git(&root, &["commit", "-q", "--allow-empty", "-m", "first"]);
    symlink(claude, root.join(".claude")).unwrap();
    symlink(config, root.join(".config")).unwrap();
    git(&root, &["add", "-A"]);
    house
}

#[test]
fn a_linked_folder_without_rules_stops_no_commit() {
    for (claude, config) in [("dot", "dot"), ("../team", "/etc"), (".config", "dot")] {
        let house = linked(claude, config);
        fs::create_dir_all(house.root().join("../team")).unwrap();
        let (root, what) = (house.root(), format!("{claude} {config}"));
        let told = house.run(&["check-staged", "--no-store"], "");
        assert_eq!(told.status, Some(0), "{what}: {told:?}");
        git(&root, &["commit", "-q", "-m", "second"]);
        let told = house.run(&["check-diff", "HEAD~1..HEAD"], "");
        assert_eq!(told.status, Some(0), "{what}: {told:?}");
    }
}

#[test]
fn rules_behind_a_linked_folder_are_named() {
    let house = linked("../team", "dot");
    let team = house.root().join("../team");
    fs::create_dir_all(&team).unwrap();
    fs::write(team.join("solvi-rules.toml"), "version = 1\n").unwrap();
    let told = house.run(&["check-staged", "--no-store"], "");
    assert_eq!(told.status, Some(2), "{told:?}");
    let why = "is behind `.claude`, which leads out of the repository";
    assert!(told.stderr.contains(why), "{told:?}");
}

#[test]
fn rules_check_reads_the_rules_of_a_repository_inside_another() {
    let house = House::new().rules("version = 1\n").file("in/solvi-rules.toml", BROKEN);
    let (root, inner) = (house.root(), house.root().join("in"));
    git(&root, &["init", "-q"]);
    git(&inner, &["init", "-q"]);
    let told = run_in(&house, &inner, &["rules", "check"]);
    assert_eq!(told.status, Some(2), "{told:?}");
    assert!(told.stdout.contains("in/solvi-rules.toml:5:"), "{told:?}");
    assert!(told.stdout.contains("rule `n`: "), "{told:?}");
    fs::write(inner.join("solvi-rules.toml"), "version = 1\n").unwrap();
    let told = run_in(&house, &inner, &["rules", "check"]);
    assert_eq!(told.stdout.matches("/solvi-rules.toml: 0 rules").count(), 2, "{told:?}");
    // Elsewhere the outer rules are read, and are told by their short name.
    let told = house.run(&["rules", "check"], "");
    assert!(told.stdout.contains("\nsolvi-rules.toml: 0 rules"), "{told:?}");
}

#[test]
fn the_records_of_a_repository_inside_another_are_found() {
    let house = House::new().file("in/a", "a\n");
    let (root, inner) = (house.root(), house.root().join("in"));
    git(&root, &["init", "-q"]);
    git(&inner, &["init", "-q"]);
    git(&inner, &["add", "-A"]);
    let told = run_in(&house, &inner, &["check-staged"]);
    assert_eq!(told.status, Some(0), "{told:?}");
    let told = run_in(&house, &inner, &["verify"]);
    assert!(told.stdout.starts_with(".solvi/traces/hooks.jsonl: "), "{told:?}");
    // The outer store is where edits are kept; it is named so that it is not mistaken.
    house.write("b", "b\n").expect("allow", &[]);
    let told = run_in(&house, &inner, &["verify"]);
    assert!(told.stdout.starts_with('/'), "{told:?}");
    let told = run_in(&house, &inner, &["verify", "--project", "."]);
    assert!(told.stdout.starts_with(".solvi/traces/hooks.jsonl: "), "{told:?}");
}

#[test]
fn doctor_looks_at_the_hooks_of_the_nearest_repository() {
    let house = House::new().rules("version = 1\n").file("in/a", "a\n");
    let (root, inner) = (house.root(), house.root().join("in"));
    git(&root, &["init", "-q"]);
    git(&inner, &["init", "-q"]);
    let missing = "pre-commit is not there";
    assert_eq!(run_in(&house, &root, &["install", "--git"]).status, Some(0));
    let told = run_in(&house, &inner, &["doctor"]);
    assert!(told.stdout.contains(missing), "{told:?}");
    assert!(!run_in(&house, &root, &["doctor"]).stdout.contains(missing));
    assert_eq!(run_in(&house, &inner, &["install", "--git"]).status, Some(0));
    let told = run_in(&house, &inner, &["doctor"]);
    assert!(!told.stdout.contains(missing), "{told:?}");
}
