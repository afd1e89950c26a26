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
    fn push(&self, arguments: &[&str], goes: bool) -> Said {
        let said = self.told_by_git(&[&["push", "-q"], arguments].concat());
        assert_eq!(said.status, Some(i32::from(!goes)), "{said:#?}");
        said
    }

    /// Pushes, which is refused with these words.
    #[track_caller]
    fn refused(&self, arguments: &[&str], words: &[&str]) {
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
fn a_new_branch_is_compared_with_the_default_branch() {
    let desk = desk();
    desk.git(&["checkout", "-q", "-b", "topic"]);
    desk.write("b.py", BANNED).commit("bad");
    desk.refused(&["-u", "origin", "topic"], &["no-token", "b.py:1"]);
    desk.remove("b.py").commit("good");
    desk.push(&["-u", "origin", "topic"], true);
    desk.git(&["remote", "set-head", "origin", "--delete"]);
    desk.git(&["update-ref", "-d", "refs/remotes/origin/main"]);
    desk.git(&["checkout", "-q", "-b", "other"]);
    desk.refused(&["origin", "other"], &["`git remote set-head origin --auto`"]);
}

#[test]
fn a_default_branch_that_the_remote_was_not_asked_for_is_the_configured_one_or_a_usual_one() {
    let desk = desk();
    desk.git(&["remote", "set-head", "origin", "--delete"]);
    desk.write("b.py", BANNED).commit("bad");
    desk.git(&["push", "-q", "--no-verify", "origin", "main:master", "main:trunk"]);
    desk.write("c.py", "1\n").commit("good");
    // The bad commit is on `trunk` and `master` of the remote already, and not on its `main`.
    desk.git(&["config", "init.defaultBranch", "trunk"]);
    desk.push(&["origin", "main:one"], true);
    let url = desk.beside("remote.git");
    desk.push(&[url.to_str().unwrap(), "main:two"], true);
    desk.git(&["config", "init.defaultBranch", "nowhere"]);
    desk.refused(&["origin", "main:three"], &["no-token", "b.py:1"]);
    desk.git(&["update-ref", "-d", "refs/remotes/origin/main"]);
    desk.push(&["origin", "main:three"], true);
    // What the remote says of itself comes first.
    desk.git(&["config", "init.defaultBranch", "trunk"]);
    desk.git(&["fetch", "-q", "origin"]);
    desk.git(&["remote", "set-head", "origin", "main"]);
    desk.refused(&["origin", "main:four"], &["no-token", "b.py:1"]);
}

#[test]
fn tags_and_deletions_are_let_through() {
    let desk = desk();
    desk.git(&["branch", "topic"]);
    desk.push(&["origin", "topic"], true);
    desk.write("b.py", BANNED).commit("bad").git(&["tag", "v1"]);
    desk.push(&["origin", "v1"], true);
    desk.push(&["--delete", "origin", "topic"], true);
    desk.push(&["--delete", "origin", "v1"], true);
    desk.refused(&["origin", "main"], &["no-token", "b.py:1"]);
}

#[test]
fn branches_that_bring_different_commits_are_refused() {
    let desk = desk();
    desk.git(&["push", "-q", "--no-verify", "origin", "main:one"]);
    desk.write("b.py", "1\n").commit("two");
    desk.git(&["push", "-q", "--no-verify", "origin", "main:two"]);
    desk.write("c.py", "1\n").commit("three");
    desk.refused(
        &["origin", "main:one", "main:two"],
        &["bring different commits", "next: push one branch at a time"],
    );
    desk.push(&["origin", "main:one"], true);
    desk.push(&["origin", "main:two"], true);
}

#[test]
fn only_what_is_checked_out_can_be_pushed() {
    let desk = desk();
    desk.git(&["branch", "topic"]);
    desk.write("b.py", "1\n").commit("two").git(&["checkout", "-q", "topic"]);
    desk.refused(
        &["origin", "main"],
        &["only the commit that is checked out", "`git switch main`"],
    );
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
