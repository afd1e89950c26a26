//! In a hook of git's, with the environment that git sets for it.
//!
//! The hook is this test program itself, which git starts to run one test: the one that reads
//! the repository and writes down what it sees.

use super::yard::{Seen, Yard};
use solvi_hook::git::pushed::{NewPart, Pushed, Remote, pushed};
use solvi_hook::git::{Id, Repo};
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

const REPORT: &str = "SOLVI_HOOK_TEST_REPORT";

/// Does nothing unless git runs it as a hook.
#[test]
fn as_a_hook() {
    let Some(report) = std::env::var_os(REPORT) else { return };
    let repo = Repo::open(Path::new(".")).unwrap();
    assert!(repo.root().unwrap().is_absolute());
    let text = if std::env::var_os("SOLVI_HOOK_TEST_REMOTE").is_some() {
        let remote = std::env::var("SOLVI_HOOK_TEST_REMOTE").unwrap();
        let mut lines = String::new();
        std::io::stdin().read_to_string(&mut lines).unwrap();
        let pushed = pushed(&lines, Remote::Named(&remote), &repo).unwrap();
        let part = |tip| repo.new_part(&pushed.known, tip).unwrap();
        let parts: Vec<_> = pushed.tips.iter().map(part).collect();
        seen_of(&pushed, &parts)
    } else {
        let seen = Seen::of(&repo, &repo.staged().unwrap());
        seen.are(&known());
        let paths: Vec<String> = seen
            .paths()
            .into_iter()
            .map(|path| format!("{path} {}\n", seen.added(path).join(" ")))
            .collect();
        paths.concat()
    };
    std::fs::write(report, text).unwrap();
}

/// Returns what is told of a push.
fn seen_of(pushed: &Pushed, parts: &[NewPart]) -> String {
    let refs: Vec<&str> = pushed.tips.iter().map(|tip| tip.name.as_str()).collect();
    let Pushed { theirs, rewrites, deletes, .. } = pushed;
    format!("{refs:?} {parts:?} {theirs:?} {rewrites:?} {deletes:?}")
}

/// Returns what git says in the same environment.
fn known() -> Vec<u8> {
    let mut git = std::process::Command::new("git");
    git.args(["diff", "--cached", "--name-only", "-z", "--no-renames"]).output().unwrap().stdout
}

fn install(folder: &Path, name: &str, report: &Path, before: &str) {
    let program = std::env::current_exe().unwrap();
    let script = format!(
        "#!/bin/sh\n{before}\n{REPORT}='{}' exec '{}' --exact git::hooks::as_a_hook >&2\n",
        report.display(),
        program.display(),
    );
    std::fs::create_dir_all(folder).unwrap();
    let path = folder.join(name);
    std::fs::write(&path, script).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// Runs git with the hook, and returns what the hook saw.
fn commit(yard: &Yard, arguments: &[&str]) -> String {
    let report = yard.beside("report");
    install(&yard.root.join(".git/hooks"), "pre-commit", &report, "");
    yard.git(arguments);
    std::fs::read_to_string(report).unwrap()
}

#[test]
fn commit_all_is_judged_by_its_own_index() {
    let yard = Yard::of(&[("a.py", "x=1\n"), ("b.py", "b\n")]);
    yard.write("a.py", "x=1\ntoken\n");
    assert_eq!(commit(&yard, &["commit", "-q", "-a", "-m", "m"]), "a.py 2:token\n");
}

#[test]
fn a_commit_of_some_paths_is_judged_by_those() {
    let yard = Yard::of(&[("a.py", "x=1\n"), ("b.py", "b\n")]);
    yard.write("b.py", "b\nstaged\n").stage().write("a.py", "x=1\ntoken\n");
    assert_eq!(commit(&yard, &["commit", "-q", "-m", "m", "a.py"]), "a.py 2:token\n");
}

#[test]
fn an_amended_commit_is_compared_with_the_one_it_replaces() {
    let yard = Yard::of(&[("a.py", "1\n")]);
    yard.write("a.py", "1\ntoken\n").commit("bad");
    yard.write("a.py", "1\ntoken\ny=1\n").stage();
    assert_eq!(commit(&yard, &["commit", "-q", "--amend", "-m", "better"]), "a.py 3:y=1\n");
    assert_eq!(yard.range("HEAD~1..HEAD").added("a.py"), ["2:token", "3:y=1"]);
}

#[test]
fn a_first_commit_is_judged() {
    let yard = Yard::new();
    yard.write("a.py", "token\n").stage();
    assert_eq!(commit(&yard, &["commit", "-q", "-m", "m"]), "a.py 1:token\n");
}

#[test]
fn a_commit_in_a_linked_working_tree_is_judged_there() {
    let yard = Yard::of(&[("a.py", "1\n"), ("sub/b.py", "b\n")]);
    let (report, linked) = (yard.beside("report"), yard.beside("linked"));
    install(&yard.root.join(".git/hooks"), "pre-commit", &report, "");
    yard.git(&["worktree", "add", "-q", "-b", "side", linked.to_str().unwrap()]);
    let yard = yard.at(linked);
    yard.write("sub/b.py", "b\ntoken\n");
    let inner = yard.root.join("sub");
    let yard = yard.at(inner);
    yard.git(&["commit", "-q", "-a", "-m", "m"]);
    assert_eq!(std::fs::read_to_string(report).unwrap(), "sub/b.py 2:token\n");
}

#[test]
fn a_working_tree_apart_from_its_repository_is_judged() {
    let yard = Yard::new();
    let (report, bare, home) =
        (yard.beside("report"), yard.beside("dots.git"), yard.beside("home"));
    yard.git(&["init", "-q", "--bare", bare.to_str().unwrap()]);
    install(&bare.join("hooks"), "pre-commit", &report, "");
    std::fs::create_dir(&home).unwrap();
    let yard = yard.at(home.clone());
    yard.write(".profile", "token\n");
    let (bare, home) = (bare.to_str().unwrap(), home.to_str().unwrap());
    let dots = ["--git-dir", bare, "--work-tree", home];
    yard.git(&[&dots, ["add", ".profile"].as_slice()].concat());
    yard.git(&[&dots, ["commit", "-q", "-m", "m"].as_slice()].concat());
    assert_eq!(std::fs::read_to_string(report).unwrap(), ".profile 1:token\n");
}

#[test]
fn a_push_brings_what_the_remote_lacks() {
    let yard = Yard::of(&[("a", "1\n")]);
    let (report, bare) = (yard.beside("report"), yard.beside("remote.git"));
    yard.git(&["init", "-q", "--bare", "-b", "main", bare.to_str().unwrap()]);
    yard.git(&["remote", "add", "origin", bare.to_str().unwrap()]);
    yard.git(&["push", "-q", "origin", "main"]);
    yard.git(&["remote", "set-head", "origin", "main"]);
    install(
        &yard.root.join(".git/hooks"),
        "pre-push",
        &report,
        "export SOLVI_HOOK_TEST_REMOTE=\"$1\"",
    );
    let id = |spec: &str| Id::from_hex(&yard.word(&["rev-parse", spec])).unwrap();
    let expect = |branch: &str, base: &str, theirs: &str, rewrites: &[&str]| {
        let part = NewPart { commits: vec![id("HEAD")], bases: vec![id(base)] };
        let (theirs, none) = (vec![id(theirs)], Vec::<String>::new());
        let wanted = format!("{:?} {:?} {theirs:?} {rewrites:?} {none:?}", [branch], [part]);
        assert_eq!(std::fs::read_to_string(&report).unwrap(), wanted);
    };
    yard.git(&["checkout", "-q", "-b", "topic"]);
    yard.write("a", "1\n2\n").commit("two");
    yard.git(&["push", "-q", "origin", "topic"]);
    let topic = "refs/heads/topic";
    expect(topic, "main", "main", &[]);
    yard.write("a", "1\n2\n3\n").commit("three");
    yard.git(&["push", "-q", "origin", "topic"]);
    expect(topic, "HEAD~1", "HEAD~1", &[]);
    yard.git(&["commit", "-q", "--amend", "-m", "other"]);
    yard.git(&["push", "-q", "--force", "origin", "topic"]);
    expect(topic, "HEAD~1", "HEAD@{1}", &[topic]);
    yard.write("a", "1\n2\n3\n4\n").commit("four");
    yard.git(&["push", "-q", bare.to_str().unwrap(), "topic:elsewhere"]);
    expect("refs/heads/elsewhere", "HEAD~1", "main", &[]);
    yard.git(&["push", "-q", "--delete", "origin", "topic"]);
    assert!(std::fs::read_to_string(&report).unwrap().ends_with("[\"refs/heads/topic\"]"));
}
