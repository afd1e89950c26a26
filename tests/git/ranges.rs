//! Ranges, commits, revisions.

use super::yard::{Seen, Yard};
use solvi_hook::git::{GitError, Id};

/// `main` with three commits, and `topic` that left it after the second.
fn branches() -> Yard {
    let yard = Yard::of(&[("a", "1\n"), ("d/b", "b\n")]);
    yard.write("a", "1\n2\n").commit("second");
    yard.git(&["checkout", "-q", "-b", "topic"]);
    yard.write("a", "1\n2\ntopic\n").commit("topic one");
    yard.write("d/b", "b\ntopic\n").write("d/new", "n\n").commit("topic two");
    yard.git(&["checkout", "-q", "main"]);
    yard.write("a", "main\n1\n2\n").commit("third");
    yard
}

#[test]
fn two_dots_compare_and_three_dots_begin_where_the_branches_parted() {
    let yard = branches();
    let two = yard.range("main..topic");
    assert_eq!(two.paths(), ["a", "d/b", "d/new"]);
    assert_eq!(two.added("a"), ["3:topic"]);
    let three = yard.range("main...topic");
    assert_eq!(three.added("a"), ["3:topic"]);
    assert_eq!(three.added("d/b"), ["2:topic"]);
    assert_eq!(yard.range("topic...main").added("a"), ["1:main"]);
    assert!(yard.range("main..main").paths().is_empty());
}

#[test]
fn one_revision_is_compared_with_head() {
    let yard = branches();
    let repo = yard.repo();
    let range = repo.resolve("topic").unwrap();
    assert_eq!(range.base, repo.commit("topic").unwrap());
    assert_eq!(Some(range.tip), repo.head().unwrap());
}

#[test]
fn everything_is_new_beside_the_empty_tree() {
    let yard = branches();
    let empty = yard.repo().empty_tree();
    assert_eq!(empty.to_string(), "4b825dc642cb6eb9a060e54bf8d69288fbee4904");
    let seen = yard.range(&format!("{empty}..topic"));
    assert_eq!(seen.added("d/b"), ["1:b", "2:topic"]);
}

#[test]
fn tags_short_ids_and_reflogs_name_commits() {
    let yard = branches();
    yard.git(&["tag", "-m", "t", "v1", "topic"]);
    let repo = yard.repo();
    let topic = repo.commit("topic").unwrap();
    assert_eq!(repo.commit("v1").unwrap(), topic);
    assert_eq!(repo.commit(&topic.short()).unwrap(), topic);
    assert_eq!(repo.commit("v1^{commit}~1").unwrap(), repo.commit("topic^").unwrap());
    for wrong in ["nowhere", "main:a", "HEAD~99", "", "..", "main^{tree}"] {
        let error = repo.commit(wrong).unwrap_err();
        assert!(matches!(error, GitError::Revision { shallow: false, .. }), "{wrong}: {error:?}");
        assert!(error.next().is_some());
    }
}

#[test]
fn commits_come_one_by_one_oldest_first() {
    let yard = branches();
    let repo = yard.repo();
    let range = repo.resolve("main..topic").unwrap();
    let commits = repo.commits(range.base, range.tip).unwrap();
    let known = yard.word(&["rev-list", "--reverse", "main..topic"]);
    let known: Vec<Id> = known.lines().map(|id| Id::from_hex(id).unwrap()).collect();
    assert_eq!(commits, known);
    let last = Seen::of(&repo, &repo.commit_changes(commits[1]).unwrap());
    assert_eq!(last.paths(), ["d/b", "d/new"]);
    let first = repo.commit("main~2").unwrap();
    assert_eq!(Seen::of(&repo, &repo.commit_changes(first).unwrap()).added("a"), ["1:1"]);
}

#[test]
fn histories_that_share_nothing_have_no_merge_base() {
    let yard = branches();
    yard.git(&["checkout", "-q", "--orphan", "fresh"]);
    yard.commit("fresh");
    let error = yard.repo().resolve("main...fresh").unwrap_err();
    assert!(matches!(error, GitError::NoMergeBase { shallow: false, .. }), "{error:?}");
    assert_eq!(yard.range("main..fresh").paths(), Vec::<&str>::new());
}

#[test]
fn an_ancestor_is_known() {
    let yard = branches();
    let repo = yard.repo();
    let (old, new) = (repo.commit("main~1").unwrap(), repo.commit("topic").unwrap());
    assert!(repo.is_ancestor(old, new).unwrap());
    assert!(!repo.is_ancestor(new, old).unwrap());
    assert!(repo.has(new));
    assert!(!repo.has(Id::from_hex(&"1".repeat(40)).unwrap()));
}

#[test]
fn a_missing_commit_is_an_error_that_names_it() {
    let yard = branches();
    let gone = yard.word(&["rev-parse", "topic~1"]);
    yard.remove(&format!(".git/objects/{}/{}", &gone[..2], &gone[2..]));
    let repo = yard.repo();
    let range = repo.resolve("main..topic").unwrap();
    let error = repo.commits(range.base, range.tip).unwrap_err();
    assert!(matches!(&error, GitError::Missing { id, .. } if id.to_string() == gone), "{error:?}");
}

#[test]
fn modes_links_and_deletions_show_in_a_range() {
    let yard = Yard::of(&[("run", "x\n"), ("gone", "g\n"), ("file", "f\n")]);
    yard.git(&["update-index", "--chmod=+x", "run"]);
    yard.git(&["commit", "-q", "-m", "mode"]);
    yard.git(&["checkout", "-q", "--", "run"]);
    yard.remove("gone").remove("file").link("run", "file").commit("more");
    let seen = yard.range("HEAD~2..HEAD");
    assert_eq!(seen.paths(), ["file", "gone", "run"]);
    assert_eq!(seen.text("file"), "run");
}

#[test]
fn a_tree_with_a_name_that_no_file_can_have_is_an_error() {
    let yard = Yard::of(&[("a", "x\n")]);
    let blob = yard.word(&["rev-parse", "HEAD:a"]);
    let mut raw = b"100644 ..\0".to_vec();
    raw.extend((0..20).map(|at| u8::from_str_radix(&blob[2 * at..2 * at + 2], 16).unwrap()));
    yard.write("raw", raw);
    let tree = yard.word(&["hash-object", "-t", "tree", "-w", "--literally", "raw"]);
    let commit = yard.word(&["commit-tree", &tree, "-m", "bad"]);
    let repo = yard.repo();
    let commit = Id::from_hex(&commit).unwrap();
    let error = repo.range(repo.empty_tree(), commit).unwrap_err();
    assert!(matches!(error, GitError::Path { .. }), "{error:?}");
}
