//! `pre-push` through a real `git push` to a bare repository beside.

use super::desk::{BANNED, Desk, RULES};
use crate::git::yard::Yard;
use crate::support::Said;

/// A repository whose `main` is on the remote, with the hook in place.
fn desk() -> Desk {
    remote(Desk::of(&[("a.py", "1\n")]), &[])
}

fn remote(desk: Desk, init: &[&str]) -> Desk {
    let bare = desk.beside("remote.git");
    let bare = bare.to_str().unwrap();
    desk.git(&[&["init", "-q", "--bare", "-b", "main"], init, &[bare]].concat());
    desk.git(&["remote", "add", "origin", bare]);
    desk.git(&["push", "-q", "origin", "main"]);
    desk.git(&["remote", "set-head", "origin", "main"]);
    desk.hook("pre-push", "pre-push \"$@\"");
    desk
}

impl Desk {
    #[track_caller]
    pub(super) fn push(&self, arguments: &[&str], goes: bool) -> Said {
        let said = self.told_by_git(&[&["push", "-q"], arguments].concat());
        assert_eq!(said.status, Some(i32::from(!goes)), "{said:#?}");
        said
    }

    /// Pushes, which is refused with these words.
    #[track_caller]
    pub(super) fn refused(&self, arguments: &[&str], words: &[&str]) {
        let there = self.word(&["ls-remote", "origin"]);
        let said = self.push(arguments, false);
        let told = format!("{}{}", said.stdout, said.stderr);
        for word in words {
            assert!(told.contains(word), "`{word}` is missing in: {told}");
        }
        assert_eq!(self.word(&["ls-remote", "origin"]), there);
    }
}

#[test]
fn a_push_is_refused_for_what_it_brings() {
    let desk = desk();
    desk.write("a.py", "1\nBANNED_WORD\n").commit("bad");
    desk.refused(&["origin", "main"], &["no-token", "a.py:2"]);
    desk.push(&["--no-verify", "origin", "main"], true);
    desk.write("a.py", "1\nBANNED_WORD\n3\n").commit("good");
    desk.push(&["origin", "main"], true);
}

#[test]
fn the_first_push_brings_the_whole_history() {
    let desk = Desk::of(&[("a.py", BANNED)]);
    let bare = desk.beside("remote.git");
    let url = bare.to_str().unwrap();
    desk.git(&["init", "-q", "--bare", "-b", "main", url]);
    desk.git(&["remote", "add", "origin", url]);
    desk.hook("pre-push", "pre-push \"$@\"");
    desk.refused(&["-u", "origin", "main"], &["no-token", "a.py:1", "everything at "]);
    desk.refused(&[url, "main"], &["no-token", "a.py:1"]);
    desk.refused(&["--mirror", "origin"], &["no-token", "a.py:1"]);
    desk.write("a.py", "1\n").commit("good");
    desk.push(&["-u", "origin", "main"], true);
    desk.write("a.py", BANNED).commit("bad");
    // A root of its own has nothing in common with the remote either.
    desk.git(&["checkout", "-q", "--orphan", "pages"]);
    desk.git(&["rm", "-q", "-r", "--cached", "."]);
    desk.refused(&["origin", "main:x"], &["no-token", "a.py:1"]);
    desk.write("b.py", BANNED);
    desk.git(&["add", "b.py"]);
    desk.git(&["commit", "-q", "--no-verify", "-m", "pages"]);
    desk.refused(&["origin", "pages"], &["no-token", "b.py:1", "everything at "]);
}

#[test]
fn of_a_new_branch_only_what_no_branch_of_the_remote_has_is_new() {
    let desk = desk();
    desk.git(&["checkout", "-q", "-b", "develop"]);
    desk.write("old.py", BANNED).commit("old");
    desk.git(&["push", "-q", "--no-verify", "origin", "develop"]);
    desk.git(&["checkout", "-q", "-b", "topic"]);
    desk.write("b.py", BANNED).commit("bad");
    desk.refused(
        &["-u", "origin", "topic"],
        &["no-token", "b.py:1", "1 finding in 1 file: 1 blocked"],
    );
    desk.remove("b.py").commit("good");
    desk.push(&["-u", "origin", "topic"], true);
    // By the URL of the remote the same is known; without any ref of it nothing is.
    desk.write("c.py", "1\n").commit("c");
    let url = desk.beside("remote.git");
    let url = url.to_str().unwrap();
    desk.push(&[url, "topic:one"], true);
    for name in ["main", "develop", "topic"] {
        desk.git(&["update-ref", "-d", &format!("refs/remotes/origin/{name}")]);
    }
    desk.refused(&["origin", "topic:two"], &["no-token", "old.py:1"]);
    // What git says of the updated branch itself is known nevertheless.
    desk.push(&["origin", "topic:develop"], true);
}

#[test]
fn after_a_merge_of_pushed_branches_only_the_merge_is_new() {
    let desk = desk();
    desk.write("m.py", BANNED).commit("m");
    desk.git(&["checkout", "-q", "-b", "develop", "HEAD~1"]);
    desk.write("d.py", BANNED).commit("d");
    desk.git(&["push", "-q", "--no-verify", "origin", "main", "develop"]);
    desk.git(&["merge", "-q", "--no-ff", "-m", "both", "main"]);
    desk.git(&["checkout", "-q", "-b", "topic"]);
    desk.push(&["origin", "topic"], true);
    desk.git(&["reset", "-q", "--hard", "HEAD~1"]);
    desk.git(&["merge", "-q", "--no-ff", "--no-commit", "main"]);
    desk.write("evil.py", BANNED).write("d.py", "1\nBANNED_WORD2\n").commit("evil");
    let words = ["evil.py:1", "d.py:2", "2 findings in 2 files: 2 blocked"];
    desk.refused(&["origin", "topic:evil"], &words);
}

#[test]
fn what_was_seen_of_a_pushed_ref_or_of_another_remote_is_not_what_the_remote_has() {
    let desk = desk();
    desk.write("b.py", BANNED).commit("bad");
    // The branch was deleted on the remote since, or moved back; another remote has it.
    desk.git(&["update-ref", "refs/remotes/origin/topic", "HEAD"]);
    desk.refused(&["origin", "main:topic"], &["no-token", "b.py:1"]);
    desk.git(&["update-ref", "-d", "refs/remotes/origin/topic"]);
    desk.git(&["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main"]);
    desk.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
    desk.refused(&["origin", "main"], &["no-token", "b.py:1"]);
    desk.git(&["update-ref", "refs/remotes/origin/main", "HEAD~1"]);
    for name in ["fork", "origin/fork"] {
        // Newer versions of git refuse such a name.
        desk.git(&["config", &format!("remote.{name}.url"), "../fork.git"]);
        desk.git(&["update-ref", &format!("refs/remotes/{name}/main"), "HEAD"]);
        desk.refused(&["origin", "main"], &["no-token", "b.py:1"]);
    }
}

#[test]
fn every_kind_of_ref_is_checked() {
    let desk = desk();
    desk.git(&["branch", "topic"]);
    desk.push(&["origin", "topic"], true);
    desk.git(&["tag", "v0"]);
    desk.push(&["origin", "v0"], true);
    desk.write("b.py", BANNED).commit("bad").git(&["tag", "v1"]);
    desk.git(&["tag", "-a", "-m", "two", "v2"]);
    desk.git(&["tag", "-a", "-m", "of a tag", "v3", "v2"]);
    desk.git(&["tag", "tree", "HEAD^{tree}"]);
    desk.git(&["tag", "-a", "-m", "m", "tree2", "HEAD^{tree}"]);
    let words = ["no-token", "b.py:1"];
    for name in ["v1", "v2", "v3", "tree", "tree2", "HEAD:refs/notes/x", "HEAD:refs/for/main"] {
        desk.refused(&["origin", name], &words);
    }
    desk.refused(&["origin", "topic", "v0", "v2"], &words);
    desk.refused(&["--tags", "origin"], &words);
    desk.git(&["tag", "file", "HEAD:b.py"]);
    let said = desk.told_by_git(&["push", "-q", "origin", "file"]);
    assert!(said.stderr.contains("a file without a path") && said.status != Some(0), "{said:?}");
    // A tag is a state that can be had, also where the branch has been corrected.
    desk.remove("b.py").commit("good");
    desk.refused(&["origin", "main", "v1"], &["b.py:1", "(refs/tags/v1)"]);
    desk.push(&["origin", "main"], true);
    // Its commits are on the remote now.
    desk.push(&["origin", "v1"], true);
    desk.push(&["--delete", "origin", "topic", "v1"], true);
    // Notes are files too.
    desk.git(&["notes", "add", "-m", "fine"]);
    desk.push(&["origin", "refs/notes/commits"], true);
    desk.git(&["notes", "add", "-f", "-m", BANNED]);
    desk.refused(&["origin", "refs/notes/commits"], &["no-token"]);
}

#[test]
fn several_branches_are_each_checked_whatever_is_checked_out() {
    let desk = desk();
    desk.git(&["checkout", "-q", "-b", "one"]);
    desk.write("one.py", BANNED).commit("one");
    desk.git(&["checkout", "-q", "-b", "two", "main"]);
    desk.write("two.py", BANNED).commit("two");
    desk.git(&["checkout", "-q", "-b", "three", "main"]);
    desk.write("three.py", "1\n").commit("three");
    desk.refused(&["origin", "one", "two", "three"], &["one.py:1", "two.py:1", "refs/heads/two"]);
    desk.refused(&["--all", "origin"], &["one.py:1", "two.py:1"]);
    desk.refused(&["origin", "one"], &["one.py:1"]);
    desk.git(&["checkout", "-q", "one"]);
    let said = desk.push(&["origin", "three", "main"], true);
    assert!(said.stdout.contains("no findings in 1 file"), "{said:?}");
    // What the one corrects the other still has.
    desk.git(&["branch", "as-it-was"]);
    desk.remove("one.py").commit("good");
    desk.refused(&["origin", "one", "as-it-was"], &["one.py:1", "(refs/heads/as-it-was)"]);
    desk.push(&["origin", "one"], true);
}

#[test]
fn refs_in_tables_are_known_too() {
    let desk = Desk(Yard::with(&["--ref-format=reftable"]));
    desk.write("solvi-rules.toml", RULES).write("old.py", BANNED).commit("first");
    let desk = remote(desk, &[]);
    desk.git(&["push", "-q", "--no-verify", "origin", "main:develop"]);
    desk.write("b.py", "1\n").commit("good");
    desk.push(&["origin", "main:topic"], true);
    desk.write("b.py", BANNED).commit("bad");
    desk.refused(&["origin", "main:topic"], &["b.py:1", "1 finding in 1 file: 1 blocked"]);
}

#[test]
fn rewriting_history_is_refused() {
    let desk = desk();
    desk.write("b.py", "1\n").commit("two");
    desk.push(&["origin", "main"], true);
    desk.git(&["commit", "-q", "--amend", "-m", "other"]);
    let words =
        ["refused: this push rewrites or deletes refs/heads/main", "`git push --no-verify`"];
    desk.refused(&["--force", "origin", "main"], &words);
    desk.refused(&["--force", "--delete", "origin", "main"], &words);
    desk.hook("pre-push", "pre-push --allow-rewrite \"$@\"");
    desk.push(&["--force", "origin", "main"], true);
}

#[test]
fn a_repository_of_sha256_is_pushed() {
    let desk = Desk(Yard::with(&["--object-format=sha256"]));
    desk.write("solvi-rules.toml", RULES).commit("first");
    let desk = remote(desk, &["--object-format=sha256"]);
    desk.write("a.py", BANNED).commit("bad");
    desk.refused(&["origin", "main"], &["no-token", "a.py:1"]);
    desk.write("a.py", "1\n").commit("good");
    desk.push(&["origin", "main"], true);
}

#[test]
fn lines_that_git_does_not_write_are_no_pass() {
    let desk = desk();
    for lines in ["refs/heads/main abc\n", "a b c d\n", "refs/heads/main 1 refs/heads/main 2 3\n"] {
        let said = desk.run(&["pre-push", "origin"], lines);
        assert_eq!((said.status, said.stdout.as_str()), (Some(2), ""), "{lines}");
        assert!(said.stderr.contains("git's line about the push cannot be read"), "{said:?}");
    }
    assert_eq!(desk.run(&["pre-push", "origin"], "").status, Some(0), "nothing is pushed");
}
