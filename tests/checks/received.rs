//! `pre-receive` through real pushes to a bare repository, where the shipped hook runs.

use super::desk::{BANNED, Desk, RULES};
use crate::git::yard::Yard;
use crate::support::binary;
use std::path::PathBuf;

/// A repository with rules, and a bare one with the hook in place, to which nothing was pushed yet.
fn desk_with(desk: Desk, init: &[&str], name: &str) -> Desk {
    let bare = desk.beside(name);
    let bare = bare.to_str().unwrap();
    desk.git(&[&["init", "-q", "--bare", "-b", "main"], init, &[bare]].concat());
    desk.git(&["remote", "add", "origin", bare]);
    let said = desk.run(&["install", "--git", "--project", bare], "");
    assert_eq!(said.status, Some(0), "{said:?}");
    desk
}

/// The same, with `main` pushed.
fn desk() -> Desk {
    let desk = desk_with(Desk::of(&[("a.py", "1\n")]), &[], "remote.git");
    desk.taken(&["origin", "main"]);
    desk
}

impl Desk {
    fn bare(&self) -> PathBuf {
        self.word(&["config", "remote.origin.url"]).into()
    }

    /// Returns what the bare repository holds: its objects and its refs.
    fn holds(&self) -> Vec<u8> {
        let bare = self.bare();
        let bare = bare.to_str().unwrap();
        let objects = self.git(&["-C", bare, "count-objects", "-v"]);
        let refs = self.git(&["-C", bare, "for-each-ref"]);
        let quarantine = std::fs::read_dir(self.bare().join("objects")).unwrap();
        let left = quarantine.filter(|it| {
            it.as_ref().unwrap().file_name().to_string_lossy().starts_with("tmp_objdir")
        });
        assert_eq!(left.count(), 0);
        [objects, refs].concat()
    }

    /// Pushes, which the server refuses with these words and which leaves nothing there.
    #[track_caller]
    fn stopped(&self, arguments: &[&str], words: &[&str]) {
        let before = self.holds();
        self.refused(arguments, words);
        assert_eq!(self.holds(), before);
    }

    /// Pushes, and reads nothing of it.
    #[track_caller]
    fn taken(&self, arguments: &[&str]) {
        let said = self.push(arguments, true);
        assert!(!said.stderr.contains("remote:"), "{said:?}");
    }

    /// Writes a hook of the bare repository, which runs the binary.
    fn served(&self, name: &str, body: &str) {
        self.hook_in(&self.bare().join("hooks"), name, "");
        let path = self.bare().join("hooks").join(name);
        std::fs::write(path, body.replace("PROGRAM", binary().to_str().unwrap())).unwrap();
    }
}

#[test]
fn what_arrives_is_checked_before_it_is_taken_in() {
    let desk = desk_with(Desk::of(&[("a.py", BANNED)]), &[], "remote.git");
    // All of a first push is new.
    desk.stopped(&["origin", "main"], &["no-token", "a.py:1", "everything at "]);
    desk.write("a.py", "1\n").commit("good");
    desk.taken(&["origin", "main"]);
    desk.write("a.py", "1\nBANNED_WORD\n").commit("bad");
    desk.stopped(&["origin", "main"], &["no-token", "a.py:2", "pre-receive hook declined"]);
    desk.stopped(&["--no-verify", "origin", "main"], &["no-token"]);
    desk.stopped(&["origin", "main:new", "main~1:refs/heads/old"], &["no-token", "a.py:2"]);
    desk.write("a.py", "1\n2\n").commit("good");
    desk.taken(&["origin", "main", "main:new"]);
    desk.taken(&["origin", "--delete", "new"]);
    desk.taken(&["origin", "main:refs/heads/again"]);
}

#[test]
fn objects_that_git_holds_back_are_found_however_they_are_stored() {
    for (name, init, settings) in [
        ("packs.git", &[][..], &["receive.unpackLimit=1"][..]),
        ("loose.git", &[], &["receive.unpackLimit=1000"]),
        ("checked.git", &[], &["receive.fsckObjects=true"]),
        ("a:b \"c.git", &[], &[]),
        ("tables.git", &["--ref-format=reftable"], &[]),
        ("long.git", &["--object-format=sha256"], &["receive.unpackLimit=1"]),
    ] {
        let of = |init: &[&str]| {
            let kept: Vec<&str> = init.iter().copied().filter(|it| it.contains("object")).collect();
            let desk = Desk(Yard::with(&kept));
            desk.write("solvi-rules.toml", RULES).commit("first");
            desk
        };
        let desk = desk_with(of(init), init, name);
        for setting in settings {
            let (key, value) = setting.split_once('=').unwrap();
            desk.git(&["-C", desk.bare().to_str().unwrap(), "config", key, value]);
        }
        desk.taken(&["origin", "main"]);
        // Where it is a pack or not, also larger than what is read at once.
        let lines = if name == "packs.git" || name == "loose.git" { 210_000 } else { 9 };
        let large = "a line of a large file, many times over\n".repeat(lines);
        desk.write("large.txt", &large).write("b.py", "1\n").commit("large");
        desk.taken(&["origin", "main"]);
        desk.write("large.txt", format!("{large}{BANNED}\n")).commit("bad");
        desk.stopped(&["origin", "main"], &["no-token", &format!("large.txt:{}", lines + 1)]);
    }
}

#[test]
fn of_a_branch_only_what_no_ref_here_reaches_is_new() {
    let desk = desk();
    let bare = desk.bare();
    desk.write("old.py", BANNED).commit("old");
    // Whatever came in without the hook is here; a ref of any kind says so.
    desk.git(&[
        "-C",
        bare.to_str().unwrap(),
        "fetch",
        "-q",
        desk.root.to_str().unwrap(),
        "main:x/1",
    ]);
    desk.write("b.py", "1\n").commit("good");
    desk.taken(&["origin", "main:topic"]);
    desk.taken(&["origin", "main~1:main"]);
    desk.write("b.py", BANNED).commit("bad");
    desk.stopped(&["origin", "main"], &["b.py:1", "1 finding in 1 file: 1 blocked"]);
    // Another history in place of a branch.
    desk.git(&["checkout", "-q", "-b", "other", "main~3"]);
    desk.write("c.py", "1\n").commit("other");
    desk.taken(&["--force", "origin", "other:topic"]);
    desk.write("c.py", BANNED).commit("worse");
    desk.stopped(
        &["--force", "origin", "other:main"],
        &["c.py:1", "1 finding in 1 file: 1 blocked"],
    );
}

#[test]
fn tags_notes_and_other_refs_bring_commits_too() {
    let desk = desk();
    desk.git(&["tag", "-a", "-m", "m", "v1"]);
    desk.taken(&["origin", "v1"]);
    desk.git(&["checkout", "-q", "--detach"]);
    desk.write("t.py", BANNED).commit("bad");
    desk.git(&["tag", "-a", "-m", "m", "v2"]);
    for name in ["v2", "HEAD:refs/tags/v3", "HEAD:refs/changes/1", "HEAD:refs/notes/n"] {
        desk.stopped(&["origin", name], &["no-token", "t.py:1"]);
    }
    desk.stopped(&["origin", "HEAD^{tree}:refs/tags/tree"], &["no-token", "t.py:1"]);
    desk.stopped(&["origin", "HEAD:t.py:refs/tags/file"], &["is a file without a path"]);
    desk.git(&["notes", "add", "-m", "a note"]);
    desk.taken(&["origin", "refs/notes/commits"]);
    desk.taken(&["origin", "--delete", "v1"]);
}

#[test]
fn a_secret_that_a_later_commit_removes_is_found() {
    let desk = desk();
    let secret = "[[rule]]\nid = \"secret\"\npaths = [\"**\"]\nforbid = [\"house_[0-9a-f]{8}\"]\n\
                  redact = true\n";
    desk.write("solvi-rules.toml", format!("{RULES}{secret}")).commit("rules");
    desk.taken(&["origin", "main"]);
    desk.write("k.py", "house_01234567\n").commit("with").write("k.py", "1\n").commit("without");
    desk.stopped(&["origin", "main"], &["secret", "k.py:1", "with"]);
    let told = desk.push(&["origin", "main"], false).stderr;
    assert!(!told.contains("house_01234567"), "{told}");
}

#[test]
fn rules_come_from_both_sides_and_a_looser_one_needs_approval() {
    let desk = desk();
    let loose = RULES.replace("BANNED[_]WORD", "OTHE[R]");
    desk.write("solvi-rules.toml", &loose).write("b.py", BANNED).commit("both");
    let sides = ["rules-loosened", "no-token", "b.py:1"];
    desk.stopped(&["origin", "main"], &sides);
    desk.stopped(&["origin", "main:topic"], &sides);
    desk.write("b.py", "1\n").commit("loosened alone");
    desk.stopped(&["origin", "main"], &["rules-loosened", "Needs approval: an administrator"]);
    desk.served("pre-receive", "#!/bin/sh\nexec 'PROGRAM' pre-receive --fail-on deny\n");
    let said = desk.push(&["origin", "main"], true);
    assert!(said.stderr.contains("rules-loosened"), "{said:?}");
    // A file of rules that cannot be used stops the push, whatever else it brings.
    desk.write("solvi-rules.toml", "[[rule]]\nid = 1\n").commit("broken");
    desk.stopped(&["origin", "main"], &["solvi-rules.toml@"]);
    desk.write("solvi-rules.toml", loose.replace("OTHE[R]", "(")).commit("broken");
    desk.stopped(&["origin", "main"], &["rules cannot be read"]);
    desk.stopped(&["origin", "main~1:refs/tags/v1"], &["solvi-rules.toml@"]);
}

#[test]
fn the_hook_update_calls_it_for_each_ref() {
    let desk = desk();
    std::fs::remove_file(desk.bare().join("hooks/pre-receive")).unwrap();
    desk.served("update", "#!/bin/sh\necho \"$2 $3 $1\" | 'PROGRAM' pre-receive\n");
    desk.write("b.py", "1\n").commit("good").git(&["branch", "good"]);
    desk.write("b.py", BANNED).commit("bad");
    let said = desk.push(&["origin", "good", "main"], false);
    assert!(said.stderr.contains("b.py:1"), "{said:?}");
    let refs = desk.git(&["ls-remote", "origin"]);
    let refs = String::from_utf8(refs).unwrap();
    assert!(refs.contains("refs/heads/good"), "{refs}");
    assert_eq!(refs.matches(&desk.word(&["rev-parse", "main"])).count(), 0, "{refs}");
}

#[test]
fn a_server_with_a_working_tree_is_checked_by_what_it_has_committed() {
    let desk = desk();
    let server = desk.beside("server");
    desk.git(&["clone", "-q", "--no-hardlinks", ".", server.to_str().unwrap()]);
    desk.git(&[
        "-C",
        server.to_str().unwrap(),
        "config",
        "receive.denyCurrentBranch",
        "updateInstead",
    ]);
    desk.git(&["remote", "set-url", "origin", server.to_str().unwrap()]);
    let hooks = server.join(".git/hooks");
    desk.hook_in(&hooks, "pre-receive", "pre-receive");
    std::fs::write(server.join("solvi-rules.toml"), "version = 1\n").unwrap();
    desk.write("b.py", BANNED).commit("bad");
    desk.refused(&["origin", "main"], &["no-token", "b.py:1"]);
    desk.git(&["-C", server.to_str().unwrap(), "checkout", "-q", "."]);
    desk.write("b.py", "1\n").commit("good");
    desk.push(&["origin", "main"], true);
    assert!(server.join("b.py").exists());
}

#[test]
fn what_git_does_not_write_is_no_pass() {
    let desk = desk();
    let head = desk.word(&["rev-parse", "HEAD"]);
    let bare = desk.bare();
    let receive =
        |lines: &str| desk.run(&["pre-receive", "--project", bare.to_str().unwrap()], lines);
    for lines in ["x\n", "a b c\n", &format!("x {head} refs/heads/x {head}\n")] {
        let said = receive(lines);
        assert_eq!((said.status, said.stdout.as_str()), (Some(2), ""), "{lines}");
        assert!(said.stderr.contains("git's line about the push cannot be read"), "{said:?}");
    }
    let gone = "1".repeat(head.len());
    let said = receive(&format!("{head} {gone} refs/heads/x\n"));
    assert_eq!(said.status, Some(2), "{said:?}");
    let quiet = receive("");
    assert_eq!((quiet.status, quiet.stdout.as_str(), quiet.stderr.as_str()), (Some(0), "", ""));
    let nowhere = desk.run(&["pre-receive", "--project", "/"], "");
    assert_eq!(nowhere.status, Some(2), "{nowhere:?}");
    // Object directories that are not there.
    let mut command = desk.command(&["pre-receive", "--project", bare.to_str().unwrap()]);
    command.env("GIT_OBJECT_DIRECTORY", "/nonexistent/objects");
    let said = crate::support::said(command, format!("{head} {head} refs/heads/x\n").as_bytes());
    assert_eq!(said.status, Some(2), "{said:?}");
    assert!(said.stderr.contains("/nonexistent/objects"), "{said:?}");
}

#[test]
fn decisions_are_recorded_where_that_is_asked_for() {
    let desk = desk();
    desk.served(
        "pre-receive",
        "#!/bin/sh\nexec 'PROGRAM' pre-receive --store .solvi/traces/hooks.jsonl\n",
    );
    desk.write("b.py", BANNED).commit("bad");
    desk.stopped(&["origin", "main"], &["no-token", "b.py:1"]);
    let records = std::fs::read_to_string(desk.bare().join(".solvi/traces/hooks.jsonl")).unwrap();
    assert!(records.contains("\"pre-receive\"") && records.contains("no-token"), "{records}");
    let bare = desk.bare();
    let verify = desk.run(&["verify", "--project", bare.to_str().unwrap()], "");
    assert_eq!(verify.status, Some(0), "{verify:?}");
}

#[test]
fn of_several_branches_each_line_is_told_once_and_by_the_rules_of_its_branch() {
    let desk = desk_with(Desk::of(&[("a.py", BANNED), ("b.py", "STRICT\n")]), &[], "remote.git");
    let strict = "[[rule]]\nid = \"strict\"\npaths = [\"b.py\"]\nforbid = [\"STRICT\"]\n";
    for (branch, rules) in [("a", ""), ("b", ""), ("c", strict)] {
        desk.git(&["checkout", "-q", "-b", branch, "main"]);
        desk.write("solvi-rules.toml", format!("{RULES}{rules}"));
        desk.write(if branch == "a" { "legacy/t.py" } else { "t.py" }, BANNED).commit(branch);
    }
    let told = desk.push(&["origin", "refs/heads/*"], false).stderr;
    // Once for the branches with the same rules, once for the one with others.
    assert_eq!(told.matches("a.py:1").count(), 2, "{told}");
    assert_eq!(told.matches("b.py:1").count(), 1, "{told}");
    assert!(told.contains("(refs/heads/c)"), "{told}");
    // What another branch has elsewhere is new here.
    assert_eq!(told.matches("> t.py:1").count(), 2, "{told}");
}
