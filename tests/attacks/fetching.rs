//! Programs that a clone's own configuration names are not started by a check.

use crate::checks::desk::{BANNED, Desk, RULES};
use crate::git::yard::Yard;
use serde_json::json;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

/// Settings of a clone that name a program to run, each with `$` in place of one.
const PROGRAMS: &[(&str, &str)] = &[
    ("remote.origin.uploadpack", "$"),
    ("core.sshCommand", "$"),
    ("ssh.variant", "ssh"),
    ("core.gitProxy", "$"),
    ("core.askPass", "$"),
    ("core.fsmonitor", "$"),
    ("core.hooksPath", "evil-hooks"),
    ("core.pager", "$"),
    ("pager.log", "$"),
    ("core.editor", "$"),
    ("sequence.editor", "$"),
    ("core.alternateRefsCommand", "$"),
    ("credential.helper", "!$"),
    ("diff.external", "$"),
    ("diff.evil.command", "$"),
    ("diff.evil.textconv", "$"),
    ("merge.evil.driver", "$"),
    ("filter.evil.clean", "$"),
    ("filter.evil.smudge", "$"),
    ("filter.evil.process", "$"),
    ("filter.evil.required", "true"),
    ("gpg.program", "$"),
    ("gpg.ssh.program", "$"),
    ("gpg.x509.program", "$"),
    ("commit.gpgSign", "true"),
    ("log.showSignature", "true"),
    ("protocol.allow", "always"),
    ("protocol.ext.allow", "always"),
    ("alias.rev-parse", "!$"),
    ("alias.cat-file", "!$"),
    ("alias.notes", "!$"),
    ("trailer.evil.command", "$"),
    ("interactive.diffFilter", "$"),
    ("uploadpack.packObjectsHook", "$"),
    ("submodule.recurse", "true"),
    ("fetch.recurseSubmodules", "true"),
    ("hook.evil.command", "$"),
    ("hook.evil.event", "reference-transaction"),
];

/// A partial clone of a repository whose second commit adds a forbidden line, and a program that
/// leaves a mark when it runs.
struct Trap {
    desk: Desk,
    program: String,
    mark: PathBuf,
}

/// Makes the clone; `filter` says what it lacks, `form` how its refs are kept.
fn trap(filter: &str, form: &[&str]) -> Trap {
    let desk = Desk(Yard::with(form));
    desk.git(&["config", "uploadpack.allowFilter", "true"]);
    desk.git(&["config", "uploadpack.allowAnySHA1InWant", "true"]);
    desk.write("solvi-rules.toml", RULES).write("in/a.py", "one\n").write("b.py", "b\n");
    desk.write(".gitattributes", "* diff=evil filter=evil merge=evil\n").commit("first");
    desk.write("in/a.py", "one\nBANNED_WORD\n").write("new.py", BANNED).commit("second");
    let (url, clone) = (format!("file://{}", desk.root.display()), desk.beside("clone"));
    let there = ["clone", "-q", "--no-checkout", filter, &url, clone.to_str().unwrap()];
    desk.git(&there);
    let (program, mark) = (desk.beside("program"), desk.beside("ran"));
    let script = format!("#!/bin/sh\necho \"$0 $*\" >>'{}'\nexit 1\n", mark.display());
    let desk = Desk(desk.0.at(clone));
    for path in ["program", "clone/evil-hooks/reference-transaction", "clone/.git/hooks/pre-commit"]
    {
        let path = desk.beside(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &script).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    desk.write("solvi-rules.toml", RULES);
    Trap { desk, program: program.to_str().unwrap().to_owned(), mark }
}

impl Trap {
    /// Sets everything that may name a program.
    fn set(&self) {
        for (name, value) in PROGRAMS {
            self.desk.git(&["config", name, &value.replace('$', &self.program)]);
        }
    }

    /// Runs the binary, and asserts that nothing else ran.
    #[track_caller]
    fn nothing_runs(&self, arguments: &[&str], stdin: &str) -> Option<i32> {
        let said = self.desk.run(arguments, stdin);
        let ran = fs::read_to_string(&self.mark).unwrap_or_default();
        assert!(ran.is_empty(), "{arguments:?} ran {ran}: {said:?}");
        said.status
    }
}

#[test]
fn no_sub_command_runs_what_a_partial_clones_configuration_names() {
    for (filter, form) in [
        ("--filter=blob:none", &[][..]),
        ("--filter=tree:0", &[]),
        ("--filter=blob:none", &["--ref-format=reftable"]),
    ] {
        let trap = trap(filter, form);
        let head = trap.desk.word(&["rev-parse", "HEAD"]);
        // A branch that is pushed, and an index that lacks its contents.
        trap.desk.git(&[
            "update-index",
            "--add",
            "--cacheinfo",
            &format!("100644,{},c", "1".repeat(40)),
        ]);
        trap.set();
        let pushed = format!("refs/heads/main {head} refs/heads/main {}\n", "0".repeat(40));
        let cwd = trap.desk.root.clone();
        let event = |name: &str, input: serde_json::Value| {
            json!({"session_id": "s", "cwd": cwd, "hook_event_name": name, "tool_name": "Edit",
                   "tool_input": input, "tool_response": {}, "stop_hook_active": false})
            .to_string()
        };
        let edit = json!({"file_path": "b.py", "old_string": "b", "new_string": "BANNED_WORD"});
        for (arguments, stdin) in [
            (&["check-diff", "HEAD~1..HEAD"][..], ""),
            (&["check-diff", "HEAD~1..HEAD", "--each-commit"], ""),
            (&["check-diff", "HEAD~1..HEAD", "--rules-from", "HEAD~1"], ""),
            (&["check-diff", "HEAD~1...HEAD", "--offline"], ""),
            (&["check-diff"], ""),
            (&["check-diff", "--staged"], ""),
            (
                &["check-diff", "--patch", "-"],
                "--- a/b.py\n+++ b/b.py\n@@ -1 +1 @@\n-b\n+BANNED_WORD\n",
            ),
            (&["check-staged", "--no-store"], ""),
            (&["check-staged"], ""),
            (&["pre-push", "origin"], &pushed),
            (&["pre-push", "ext::sh -c $0", "--allow-rewrite"], &pushed),
            (&["pre-edit"], &event("PreToolUse", edit.clone())),
            (&["hook"], &event("PreToolUse", edit.clone())),
            (&["hook"], &event("PostToolUse", edit.clone())),
            (&["hook"], &event("Stop", json!({}))),
            (&["rules", "check"], ""),
            (&["doctor"], ""),
            (&["install", "--client", "git", "--dry-run"], ""),
            (&["anchor"], ""),
            (&["anchor", "--git-note"], ""),
            (&["verify"], ""),
            (&["verify", "--anchor", "git-note"], ""),
            (&["audit"], ""),
            (&["report"], ""),
        ] {
            trap.nothing_runs(arguments, stdin);
        }
    }
}

#[test]
fn what_a_partial_clone_lacks_could_not_be_checked_and_the_rest_is() {
    let trap = trap("--filter=blob:none", &[]);
    // One of the two files is here.
    trap.desk.git(&["cat-file", "blob", "HEAD:new.py"]);
    trap.desk.git(&["config", "remote.origin.uploadpack", &trap.program]);
    let told = trap.desk.diff(&["HEAD~1..HEAD"]);
    assert_eq!(told.status, 1, "{told:?}");
    let found = ["no-token new.py:1"];
    assert_eq!(told.found(), found);
    let not_checked = told.not_checked();
    assert!(not_checked[0].starts_with("in/a.py: object "), "{not_checked:?}");
    assert!(told.notes().contains("`--fetch`"), "{told:?}");
    let told = trap.desk.diff(&["HEAD~1..HEAD", "--paths", "in/*"]);
    assert_eq!(told.status, 2, "{told:?}");
    assert_eq!(trap.desk.diff(&["HEAD~1..HEAD", "--allow-unknown", "--paths", "in/*"]).status, 0);
    assert!(!trap.mark.exists());
    // Whoever asks to fetch has git run what the clone says, and fetching fails here.
    let told = trap.desk.diff(&["HEAD~1..HEAD", "--paths", "in/*", "--fetch"]);
    assert_eq!(told.status, 2, "{told:?}");
    assert!(trap.mark.exists());
}

#[test]
fn a_folder_that_a_clone_lacks_could_not_be_checked() {
    let trap = trap("--filter=tree:0", &[]);
    // The tree at the top is here, those below are not.
    for revision in ["HEAD", "HEAD~1"] {
        trap.desk.git(&["cat-file", "tree", &format!("{revision}^{{tree}}")]);
    }
    let folder = trap.desk.word(&["rev-parse", "HEAD^{tree}"]);
    let packs = trap.desk.root.join(".git/objects/pack");
    let bytes = trap.desk.git(&["cat-file", "tree", &folder]);
    let older = trap.desk.git(&["cat-file", "tree", "HEAD~1^{tree}"]);
    let commits: Vec<Vec<u8>> =
        ["HEAD", "HEAD~1"].iter().map(|at| trap.desk.git(&["cat-file", "commit", at])).collect();
    // What came with them goes again.
    fs::remove_dir_all(&packs).unwrap();
    for (kind, object) in
        [("tree", &bytes), ("tree", &older), ("commit", &commits[0]), ("commit", &commits[1])]
    {
        let file = trap.desk.beside("object");
        fs::write(&file, object).unwrap();
        trap.desk.git(&["hash-object", "-w", "--literally", "-t", kind, file.to_str().unwrap()]);
    }
    let told = trap.desk.diff(&["HEAD~1..HEAD"]);
    assert_eq!(told.status, 2, "{told:?}");
    assert!(told.not_checked().iter().any(|file| file.starts_with("in: object ")), "{told:?}");
    let told = trap.desk.diff(&["HEAD~1..HEAD", "--fetch"]);
    assert_eq!(told.found(), ["no-token in/a.py:2", "no-token new.py:1"], "{told:?}");
}

#[test]
fn many_missing_files_are_fetched_in_one_go() {
    let desk = Desk::new();
    desk.git(&["config", "uploadpack.allowFilter", "true"]);
    for number in 0..150 {
        desk.write(format!("d{}/f{number}.py", number % 7), format!("x = {number}\n"));
    }
    desk.commit("old");
    for number in 0..150 {
        desk.write(format!("d{}/f{number}.py", number % 7), format!("x = {number}\ny = 1\n"));
    }
    desk.write("d1/last.py", BANNED).commit("new");
    let (url, clone) = (format!("file://{}", desk.root.display()), desk.beside("clone"));
    desk.git(&[
        "clone",
        "-q",
        "--no-checkout",
        "--filter=blob:none",
        &url,
        clone.to_str().unwrap(),
    ]);
    let desk = Desk(desk.0.at(clone));
    desk.write("solvi-rules.toml", RULES);
    let packs = || fs::read_dir(desk.root.join(".git/objects/pack")).unwrap().count();
    let before = packs();
    for arguments in
        [&["HEAD~1..HEAD", "--fetch"][..], &["HEAD~1..HEAD", "--fetch", "--each-commit"]]
    {
        let told = desk.diff(arguments);
        assert_eq!((told.status, told.found()), (1, vec!["no-token d1/last.py:1".to_owned()]));
        assert!(packs() <= before + 6, "{} packs", packs());
    }
}

#[test]
fn an_object_that_is_damaged_or_gone_is_one_file_that_could_not_be_checked() {
    let desk = Desk::of(&[("a.py", "1\n"), ("b.py", "2\n")]);
    desk.write("a.py", "1\nBANNED_WORD\n").write("b.py", "2\nx\n").commit("second");
    let object = |name: &str| {
        let id = desk.word(&["rev-parse", &format!("HEAD:{name}")]);
        desk.root.join(".git/objects").join(&id[..2]).join(&id[2..])
    };
    let file = object("b.py");
    let bytes = fs::read(&file).unwrap();
    fs::remove_file(&file).unwrap();
    for broken in [None, Some(&bytes[..5]), Some(&b"no object"[..])] {
        if let Some(broken) = broken {
            fs::write(&file, broken).unwrap();
        }
        let told = desk.diff(&["HEAD~1..HEAD"]);
        assert_eq!(told.status, 1, "{told:?}");
        assert_eq!(told.found(), ["no-token a.py:2"]);
        assert!(told.not_checked()[0].starts_with("b.py: object "), "{told:?}");
        assert_eq!(desk.diff(&["HEAD~1..HEAD", "--paths", "b.py"]).status, 2);
    }
}

#[test]
fn git_is_not_taken_from_the_repository_or_a_relative_folder() {
    let desk = Desk(Yard::with(&["--ref-format=reftable"]));
    desk.write("solvi-rules.toml", RULES).write("a.py", "1\n").commit("first");
    let mark = desk.beside("ran");
    let script = format!("#!/bin/sh\ntouch '{}'\nexit 1\n", mark.display());
    desk.write("bin/git", &script).write("git", &script).write("bin/sh", &script);
    for name in ["bin/git", "git", "bin/sh"] {
        fs::set_permissions(desk.root.join(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    std::os::unix::fs::symlink(desk.root.join("bin"), desk.beside("linked")).unwrap();
    let path = std::env::var("PATH").unwrap();
    let inside = desk.root.join("bin").display().to_string();
    let linked = desk.beside("linked").display().to_string();
    for first in ["bin", ".", "", "./bin/../bin", &inside, &linked] {
        for arguments in [&["check-diff"][..], &["doctor"], &["verify", "--anchor", "git-note"]] {
            let mut command = desk.command(arguments);
            command.env("PATH", format!("{first}:{path}"));
            let said = crate::support::said(command, b"");
            assert!(!mark.exists(), "{first} {arguments:?} {said:?}");
        }
    }
}
