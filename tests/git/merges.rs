//! Merges: only what no parent has is new.

use super::yard::{Seen, Yard};
use solvi_hook::domain::Content;
use solvi_hook::git::{Fate, Unchecked};

/// Two branches that both changed `a.py`; `main` also brings `theirs.py`, and `topic` is checked
/// out.
fn conflict() -> Yard {
    let yard = Yard::of(&[("a.py", "1\n2\n3\n"), ("b.py", "b\n")]);
    yard.git(&["checkout", "-q", "-b", "topic"]);
    yard.write("a.py", "t\n2\n3\n").commit("topic");
    yard.git(&["checkout", "-q", "main"]);
    yard.write("a.py", "m\n2\n3\nmain\n")
        .write("theirs.py", "token\n")
        .remove("b.py")
        .commit("main");
    yard.git(&["checkout", "-q", "topic"]);
    assert!(!yard.tries(&["merge", "-q", "main"]));
    yard
}

#[test]
fn an_unresolved_conflict_is_named_and_nothing_is_touched() {
    let yard = conflict();
    let before = std::fs::read(yard.root.join(".git/index")).unwrap();
    let seen = Seen::of(&yard.repo(), &yard.repo().staged().unwrap());
    assert_eq!(seen.paths(), ["a.py"]);
    assert_eq!(seen.fate("a.py"), Fate::Unmerged);
    assert_eq!(seen.unchecked("a.py"), Some(&Unchecked::Unmerged));
    assert!(matches!(seen.change("a.py").after, Content::Unknown(_)));
    assert!(seen.change("a.py").unsure.is_some(), "no rule about lines passes");
    assert_eq!(std::fs::read(yard.root.join(".git/index")).unwrap(), before);
}

#[test]
fn an_unmerged_path_is_a_path_of_gits() {
    let yard = conflict();
    yard.remove("a.py");
    std::fs::remove_file(yard.root.join(".git/MERGE_HEAD")).unwrap();
    assert_eq!(yard.staged().paths(), ["a.py", "b.py", "theirs.py"]);
}

#[test]
fn during_a_merge_only_what_no_parent_has_is_new() {
    let yard = conflict();
    yard.write("a.py", "t\nm\nboth\n2\n3\nmain\n").stage();
    let deltas = yard.repo().staged().unwrap();
    let seen = Seen::of(&yard.repo(), &deltas);
    assert_eq!(seen.paths(), ["a.py"]);
    assert_eq!(seen.added("a.py"), ["3:both"]);
    assert_eq!(deltas.inherited, 2);
    yard.git(&["commit", "-q", "-m", "merged"]);
    let combined = ["diff-tree", "-c", "-r", "--name-only", "-z", "--no-commit-id", "HEAD"];
    let known = yard.git(&combined);
    let commit = yard.repo().commit("HEAD").unwrap();
    let deltas = yard.repo().commit_changes(commit).unwrap();
    let seen = Seen::of(&yard.repo(), &deltas);
    seen.are(&known);
    assert_eq!(seen.added("a.py"), ["3:both"]);
}

#[test]
fn a_file_that_a_merge_changes_on_the_side_is_seen() {
    let yard = conflict();
    yard.write("a.py", "t\n2\n3\n").write("theirs.py", "token\nevil\n").stage();
    let seen = Seen::of(&yard.repo(), &yard.repo().staged().unwrap());
    assert_eq!(seen.paths(), ["theirs.py"]);
    assert_eq!(seen.added("theirs.py"), ["2:evil"]);
}

#[test]
fn a_merge_of_three_has_three_parents() {
    let yard = Yard::of(&[("a", "1\n")]);
    for branch in ["one", "two"] {
        yard.git(&["checkout", "-q", "-b", branch, "main"]);
        yard.write(branch, format!("{branch}\n")).commit(branch);
    }
    yard.git(&["checkout", "-q", "main"]);
    yard.write("a", "2\n").commit("main");
    yard.git(&["merge", "-q", "--no-commit", "one", "two"]);
    yard.write("two", "two\nmore\n").stage();
    let deltas = yard.repo().staged().unwrap();
    let seen = Seen::of(&yard.repo(), &deltas);
    assert_eq!(seen.paths(), ["two"]);
    assert_eq!(seen.added("two"), ["2:more"]);
}

#[test]
fn a_file_moved_on_one_side_and_changed_on_the_other_brings_nothing_new() {
    let text = super::yard::lines("x", 20);
    let yard = Yard::of(&[("a.py", &text)]);
    yard.git(&["checkout", "-q", "-b", "topic"]);
    yard.git(&["mv", "a.py", "b.py"]);
    yard.commit("moved");
    yard.git(&["checkout", "-q", "main"]);
    yard.write("a.py", format!("{text}main\n")).commit("changed");
    yard.git(&["merge", "-q", "--no-commit", "topic"]);
    yard.write("b.py", format!("{text}main\nnew\n")).stage();
    let seen = Seen::of(&yard.repo(), &yard.repo().staged().unwrap());
    assert_eq!(seen.added("b.py"), ["22:new"]);
}
