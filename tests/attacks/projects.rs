//! Repositories inside and around the project, and whose rules apply.

use super::super::support::{House, payload};
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const OUTER: &str = "version = 1\n[[rule]]\nid = \"outer\"\npaths = [\"src/**\"]\nforbid = \
    [\"FORBIDDEN\"]\n[[rule]]\nid = \"secret\"\npaths = [\"**\"]\nforbid = \
    [\"house_[0-9a-f]{8}\"]\nredact = true\n";
const INNER: &str =
    "version = 1\n[[rule]]\nid = \"inner\"\npaths = [\"src/**\"]\nforbid = [\"INNER\"]\n";

/// A session somewhere, and what it is told about a file written somewhere.
struct Session<'a> {
    house: &'a House,
    cwd: PathBuf,
    variables: Vec<(&'static str, PathBuf)>,
}

impl Session<'_> {
    fn write(&self, path: &Path, content: &str) -> String {
        let input = json!({"file_path": path, "content": content});
        let mut payload = payload("Write", &input);
        payload["cwd"] = json!(self.cwd);
        let mut command = self.house.command(&["hook", "--agent", "claude"]);
        command.envs(self.variables.iter().map(|(name, value)| (*name, value)));
        super::super::support::said(command, payload.to_string().as_bytes()).verdict()
    }
}

fn at(house: &House, cwd: impl Into<PathBuf>) -> Session<'_> {
    Session { house, cwd: cwd.into(), variables: Vec::new() }
}

pub fn git(folder: &Path, args: &[&str]) {
    let mut git = Command::new("git");
    git.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
    git.env("HOME", folder).env("GIT_CONFIG_NOSYSTEM", "1");
    for role in ["AUTHOR", "COMMITTER"] {
        git.env(format!("GIT_{role}_NAME"), "a").env(format!("GIT_{role}_EMAIL"), "a@b.invalid");
    }
    let status = git.current_dir(folder).args(args).output().unwrap();
    assert!(status.status.success(), "git {args:?}: {status:?}");
}

#[test]
fn a_repository_in_the_project_hides_no_rule_of_it() {
    for make in ["empty", "file", "init", "bare", "rules"] {
        let house = House::new().rules(OUTER).file("vendor/x/a.txt", "x\n");
        let (root, inner) = (house.root(), house.root().join("vendor/x"));
        match make {
            "empty" => fs::create_dir(inner.join(".git")).unwrap(),
            "file" => fs::write(inner.join(".git"), "gitdir: /nonexistent\n").unwrap(),
            "bare" => git(&inner, &["init", "-q", "--bare"]),
            _ => git(&inner, &["init", "-q"]),
        }
        if make == "rules" {
            fs::write(inner.join("solvi-rules.toml"), INNER).unwrap();
        }
        let session = at(&house, &inner);
        let said = |path: &str, content: &str| session.write(&root.join(path), content);
        assert_eq!(said("src/x.py", "FORBIDDEN\n"), "deny", "{make}");
        assert_eq!(said("vendor/x/b.txt", "k = house_0123abcd\n"), "deny", "{make}");
        assert_eq!(said("solvi-rules.toml", ""), "ask", "{make}");
        assert_eq!(said(".git/hooks/pre-commit", "x\n"), "deny", "{make}");
        assert_eq!(said("src/y.py", "fine\n"), "allow", "{make}");
        let records = fs::read_to_string(root.join(".solvi/traces/hooks.jsonl")).unwrap();
        assert!(!records.contains("house_0123abcd"), "{make}: {records}");
        assert!(!inner.join(".solvi").exists(), "{make}");
    }
}

#[test]
fn a_file_of_another_project_meets_the_rules_of_both() {
    let house = House::new().rules(OUTER);
    let other = house.home().join("other");
    fs::create_dir_all(other.join("src")).unwrap();
    git(&other, &["init", "-q"]);
    fs::write(other.join("solvi-rules.toml"), INNER).unwrap();
    let session = at(&house, house.root());
    assert_eq!(session.write(&other.join("src/a"), "INNER\n"), "deny");
    assert_eq!(session.write(&other.join("a"), "INNER\n"), "allow");
    assert_eq!(session.write(&other.join("a"), "house_0123abcd\n"), "deny");
    assert_eq!(session.write(&other.join(".git/config"), "x\n"), "deny");
    assert_eq!(session.write(&other.join("solvi-rules.toml"), "x\n"), "ask");
    fs::write(other.join("solvi-rules.toml"), "x = \n").unwrap();
    assert_eq!(session.write(&other.join("a"), "x\n"), "ask");
    assert_eq!(session.write(&house.root().join("a"), "x\n"), "allow");
}

#[test]
fn a_session_in_no_project_is_in_the_files() {
    let house = House::new().rules(OUTER);
    let root = house.root();
    for cwd in [house.home(), root.parent().unwrap().to_owned()] {
        let session = at(&house, &cwd);
        assert_eq!(session.write(&root.join("src/a"), "FORBIDDEN\n"), "deny");
        assert_eq!(session.write(&root.join("src/a"), "exec(x)\n"), "allow");
        assert!(!cwd.join(".solvi").exists());
    }
    assert!(root.join(".solvi/traces/hooks.jsonl").exists());
}

#[test]
fn the_folder_that_an_agent_was_started_in_is_a_project() {
    for name in
        ["CLAUDE_PROJECT_DIR", "COPILOT_PROJECT_DIR", "CURSOR_PROJECT_DIR", "GEMINI_PROJECT_DIR"]
    {
        let house = House::new().rules(OUTER);
        let (root, elsewhere) = (house.root(), house.home().join("else"));
        fs::create_dir_all(&elsewhere).unwrap();
        git(&elsewhere, &["init", "-q"]);
        let mut session = at(&house, &elsewhere);
        session.variables.push((name, root.clone()));
        assert_eq!(session.write(&root.join("src/a"), "FORBIDDEN\n"), "deny", "{name}");
        assert_eq!(session.write(&elsewhere.join("a"), "x\n"), "allow", "{name}");
        assert!(elsewhere.join(".solvi").exists(), "{name}");
    }
}

#[test]
fn a_home_under_git_is_not_the_project_of_what_is_in_it() {
    let house = House::new();
    let home = fs::canonicalize(house.home()).unwrap();
    let project = home.join("work/p");
    fs::create_dir_all(&project).unwrap();
    git(&home, &["init", "-q"]);
    git(&project, &["init", "-q"]);
    fs::write(home.join("solvi-rules.toml"), OUTER.replace("src/**", "work/p/src/**")).unwrap();
    for cwd in [&project, &home] {
        let session = at(&house, cwd);
        assert_eq!(session.write(&project.join("src/a"), "FORBIDDEN\n"), "deny");
        assert_eq!(session.write(&project.join("src/a"), "fine\n"), "allow");
        assert!(!home.join(".solvi").exists() && project.join(".solvi").exists());
    }
    // What is in no other repository is in that of the home.
    let session = at(&house, &home);
    assert_eq!(session.write(&home.join("notes"), "house_0123abcd\n"), "deny");
    assert!(home.join(".solvi").exists());
}

#[test]
fn a_linked_worktree_is_held_against_the_rules_of_both_trees() {
    let house = House::new().rules(OUTER).file("src/a", "x\n");
    let root = house.root();
    git(&root, &["init", "-q"]);
    git(&root, &["add", "-A"]);
    git(&root, &["commit", "-q", "-m", "x"]);
    let tree = root.join(".claude/worktrees/w");
    git(&root, &["worktree", "add", "-q", tree.to_str().unwrap()]);
    let session = at(&house, &tree);
    assert_eq!(session.write(&tree.join("src/a"), "FORBIDDEN\n"), "deny");
    assert_eq!(session.write(&tree.join("src/a"), "fine\n"), "allow");
    fs::write(tree.join("solvi-rules.toml"), INNER).unwrap();
    assert_eq!(session.write(&tree.join("src/a"), "FORBIDDEN\n"), "deny");
    assert_eq!(session.write(&tree.join("src/a"), "INNER\n"), "deny");
    assert_eq!(session.write(&root.join("src/a"), "INNER\n"), "allow");
    assert!(!tree.join(".solvi").exists() && root.join(".solvi").exists());
}

#[test]
fn making_a_repository_asks() {
    let house = House::new().rules(OUTER).file("x/y", "");
    let root = house.root();
    let session = at(&house, &root);
    for path in
        ["x/.git", "x/.git/HEAD", "x/z/.git/config", "x/.GIT/hooks/pre-commit", "x/.solvi/a"]
    {
        assert_eq!(session.write(&root.join(path), "x\n"), "ask", "{path}");
    }
    assert_eq!(session.write(&root.parent().unwrap().join(".git/HEAD"), "x\n"), "ask");
    for path in [".git", ".git/HEAD", ".solvi/x"] {
        assert_eq!(session.write(&root.join(path), "x\n"), "deny", "{path}");
    }
    for path in ["x/.gitignore", "x/.github/a", "x/git/HEAD"] {
        assert_eq!(session.write(&root.join(path), "x\n"), "allow", "{path}");
    }
}

#[test]
fn what_a_command_wrote_outside_a_nested_repository_stops_the_agent() {
    let house = House::new().rules(OUTER).file("vendor/x/a", "x\n");
    let (root, inner) = (house.root(), house.root().join("vendor/x"));
    git(&root, &["init", "-q"]);
    git(&root, &["add", "-A"]);
    git(&root, &["commit", "-q", "-m", "x"]);
    git(&inner, &["init", "-q"]);
    fs::create_dir_all(root.join("src")).unwrap();
    let stop = |stopped: bool| {
        let payload = json!({"session_id": "s", "hook_event_name": "Stop", "cwd": inner,
            "stop_hook_active": false});
        let said = house.run(&["hook", "--agent", "claude", "--no-store"], payload.to_string());
        assert_eq!(said.reply()["decision"] == "block", stopped, "{said:?}");
    };
    stop(false);
    fs::write(root.join("src/a"), "FORBIDDEN\n").unwrap();
    stop(true);
    fs::remove_file(root.join("src/a")).unwrap();
    fs::write(inner.join("solvi-rules.toml"), INNER).unwrap();
    fs::create_dir_all(inner.join("src")).unwrap();
    fs::write(inner.join("src/a"), "INNER\n").unwrap();
    stop(true);
}
