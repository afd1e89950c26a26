//! Forms of repositories and of the index.

use super::yard::{Seen, Yard};
use solvi_hook::git::{Fetching, GitError, Lack, Repo};

fn with_change(arguments: &[&str]) -> Yard {
    let yard = Yard::with(arguments);
    yard.write("a.py", "1\n").write("in/b.py", "b\n").write("out/c.py", "c\n").commit("first");
    yard
}

fn check(yard: &Yard) {
    yard.write("a.py", "1\ntoken\n").stage();
    assert_eq!(yard.staged().added("a.py"), ["2:token"]);
}

#[test]
fn a_split_index_is_read_and_not_rewritten() {
    let yard = with_change(&[]);
    yard.git(&["update-index", "--split-index"]);
    yard.write("a.py", "1\ntoken\n").write("new.py", "n\n").stage();
    let index = std::fs::read(yard.root.join(".git/index")).unwrap();
    assert_eq!(yard.staged().paths(), ["a.py", "new.py"]);
    assert_eq!(std::fs::read(yard.root.join(".git/index")).unwrap(), index);
}

#[test]
fn an_index_of_version_4_is_read() {
    let yard = with_change(&[]);
    yard.git(&["update-index", "--index-version", "4"]);
    check(&yard);
}

#[test]
fn an_index_without_a_checksum_or_what_it_remembers_is_read() {
    let yard = with_change(&[]);
    yard.git(&["config", "index.skipHash", "true"]);
    yard.git(&["config", "core.untrackedCache", "true"]);
    check(&yard);
    yard.git(&["reset", "-q", "HEAD"]);
    yard.git(&["read-tree", "--empty"]);
    check(&yard);
}

#[test]
fn a_sparse_index_is_read() {
    let yard = with_change(&[]);
    yard.write("out/deep/d.py", "d\n").write("new.py", "n\n").commit("more");
    yard.git(&["sparse-checkout", "set", "--cone", "--sparse-index", "in"]);
    let sparse = yard.git(&["ls-files", "--sparse"]);
    assert!(String::from_utf8(sparse).unwrap().contains("out/\n"));
    check(&yard);
    // A folder that is one entry, with another tree than HEAD's.
    yard.git(&["reset", "-q", "--soft", "HEAD~1"]);
    let seen = yard.staged();
    assert_eq!(seen.paths(), ["a.py", "new.py", "out/deep/d.py"]);
}

#[test]
fn a_repository_of_sha256_is_read() {
    let yard = Yard::with(&["--object-format=sha256"]);
    yard.write("a.py", "1\n").stage();
    assert_eq!(yard.staged().added("a.py"), ["1:1"]);
    yard.commit("first");
    check(&yard);
    yard.commit("second");
    assert_eq!(yard.range("HEAD~1..HEAD").added("a.py"), ["2:token"]);
    assert_eq!(yard.repo().hex_len(), 64);
}

#[test]
fn refs_in_tables_are_asked_of_git() {
    let yard = Yard::with(&["--ref-format=reftable"]);
    yard.write("a.py", "1\n").stage();
    assert_eq!(yard.repo().head().unwrap(), None);
    assert_eq!(yard.staged().paths(), ["a.py"]);
    yard.commit("first");
    check(&yard);
    yard.commit("second").git(&["tag", "-m", "t", "v1"]);
    assert_eq!(yard.range("HEAD~1..v1").added("a.py"), ["2:token"]);
    assert_eq!(yard.range("HEAD~1...HEAD").paths(), ["a.py"]);
    yard.git(&["checkout", "-q", "-b", "side", "HEAD~1"]);
    yard.write("side.py", "s\n").commit("side");
    yard.git(&["merge", "-q", "--no-commit", "main"]);
    let deltas = yard.repo().staged().unwrap();
    assert_eq!((deltas.list.len(), deltas.inherited), (0, 1));
    let unknown = yard.repo().resolve("nowhere..HEAD");
    assert!(matches!(unknown, Err(GitError::Revision { .. })));
}

#[test]
fn a_linked_working_tree_is_its_own() {
    let yard = with_change(&[]);
    let linked = yard.beside("linked");
    yard.git(&["worktree", "add", "-q", "-b", "side", linked.to_str().unwrap()]);
    yard.write("in/b.py", "main\n").stage();
    let yard = yard.at(linked.clone());
    check(&yard);
    assert_eq!(yard.repo().root(), Some(linked.as_path()));
    let inner = Repo::open(&linked.join("in")).unwrap();
    assert_eq!(inner.staged().unwrap().list.len(), 1);
}

#[test]
fn a_working_tree_inside_a_bare_repository_is_found() {
    let yard = with_change(&[]);
    let bare = yard.beside("b.git");
    yard.git(&["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
    let tree = bare.join("main-wt");
    yard.git(&[
        "--git-dir",
        bare.to_str().unwrap(),
        "worktree",
        "add",
        "-q",
        tree.to_str().unwrap(),
    ]);
    check(&yard.at(tree));
}

#[test]
fn a_bare_repository_stages_nothing() {
    let yard = with_change(&[]);
    let bare = yard.beside("b.git");
    yard.git(&["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
    let repo = Repo::open(&bare).unwrap();
    assert_eq!(repo.root(), None);
    assert!(matches!(repo.staged(), Err(GitError::Bare { .. })));
    assert!(matches!(repo.worktree(true), Err(GitError::Bare { .. })));
}

#[test]
fn a_submodule_is_a_repository_of_its_own() {
    let yard = with_change(&[]);
    let origin = yard.beside("origin");
    yard.git(&["clone", "-q", ".", origin.to_str().unwrap()]);
    yard.git(&[
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "add",
        "-q",
        origin.to_str().unwrap(),
        "sub",
    ]);
    let seen = yard.staged();
    assert_eq!(seen.paths(), [".gitmodules", "sub"]);
    yard.commit("sub");
    let inner = yard.root.join("sub");
    let outer = yard.root.clone();
    let yard = yard.at(inner);
    check(&yard);
    yard.commit("inner");
    let yard = yard.at(outer);
    assert_eq!(yard.worktree().paths(), ["sub"]);
}

#[test]
fn objects_in_packs_and_in_another_repository_are_found() {
    let yard = with_change(&[]);
    yard.write("a.py", "1\ntoken\n").commit("second");
    yard.git(&["repack", "-q", "-a", "-d"]);
    let clone = yard.beside("clone");
    yard.git(&["clone", "-q", "--shared", ".", clone.to_str().unwrap()]);
    let yard = yard.at(clone);
    assert_eq!(yard.range("HEAD~1..HEAD").added("a.py"), ["2:token"]);
    yard.write("a.py", "1\n").commit("back");
    check(&yard);
}

#[test]
fn a_damaged_index_is_an_error_that_names_it() {
    let yard = with_change(&[]);
    let path = yard.root.join(".git/index");
    std::fs::write(&path, b"DIRC\0\0\0\x02\0\0\0\x09short").unwrap();
    let error = yard.repo().staged().unwrap_err();
    assert!(matches!(&error, GitError::Index { path: named, .. } if *named == path));
    assert!(error.next().is_some_and(|next| next.contains("git reset")));
}

#[test]
fn no_index_at_all_is_an_empty_one() {
    let yard = with_change(&[]);
    yard.remove(".git/index");
    assert_eq!(yard.staged().paths(), ["a.py", "in/b.py", "out/c.py"]);
}

#[test]
fn outside_of_a_repository_is_an_error() {
    let folder = tempfile::TempDir::new().unwrap();
    let error = Repo::open(folder.path()).err();
    assert!(matches!(error, Some(GitError::NoRepository { .. })), "{error:?}");
}

#[test]
fn a_shallow_clone_says_so_when_history_is_missing() {
    let yard = with_change(&[]);
    for number in 0..4 {
        yard.write("a.py", format!("{number}\n")).commit("more");
    }
    let (url, clone) = (format!("file://{}", yard.root.display()), yard.beside("shallow"));
    yard.git(&["clone", "-q", "--depth", "2", &url, clone.to_str().unwrap()]);
    let yard = yard.at(clone);
    assert_eq!(yard.range("HEAD~1..HEAD").added("a.py"), ["1:3"]);
    let repo = yard.repo();
    let range = repo.resolve("HEAD~1..HEAD").unwrap();
    assert_eq!(repo.commits(range.base, range.tip).unwrap(), [range.tip]);
    for spec in ["HEAD~2..HEAD", "HEAD~1^..HEAD", "HEAD~1^1...HEAD"] {
        let error = repo.resolve(spec).unwrap_err();
        assert!(error.next().is_some_and(|next| next.contains("--unshallow")), "{spec}: {error:?}");
    }
    let error = repo.commits(repo.empty_tree(), range.tip).unwrap_err();
    assert!(error.next().is_some_and(|next| next.contains("--unshallow")), "{error:?}");
    assert!(Seen::of(&repo, &repo.range(repo.empty_tree(), range.tip).unwrap()).0.len() == 3);
}

#[test]
fn a_partial_clone_fetches_what_it_lacks_or_says_what_is_missing() {
    let yard = Yard::of(&[("a.py", "old\ntoken\n"), ("b.py", "b\n")]);
    yard.git(&["config", "uploadpack.allowFilter", "true"]);
    yard.write("a.py", "old\ntoken\nz=1\n").commit("two");
    yard.write("b.py", "b\nmore\n").commit("three");
    let (url, clone) = (format!("file://{}", yard.root.display()), yard.beside("partial"));
    let filter = "--filter=blob:none";
    yard.git(&["clone", "-q", "--no-checkout", filter, &url, clone.to_str().unwrap()]);
    let yard = yard.at(clone);
    let lack_of = |repo: &Repo, spec: &str| {
        let range = repo.resolve(spec).unwrap();
        let deltas = repo.range(range.base, range.tip).unwrap();
        match repo.change(&deltas.list[0]).unwrap_err() {
            GitError::Missing { lack, .. } => lack,
            other => panic!("{other:?}"),
        }
    };
    let fetching = || Repo::open_with(&yard.root, Fetching::WhenNeeded).unwrap();
    assert_eq!(lack_of(&yard.repo(), "HEAD~2..HEAD~1"), Lack::NotFetched);
    let repo = fetching();
    let range = repo.resolve("HEAD~2..HEAD~1").unwrap();
    let seen = Seen::of(&repo, &repo.range(range.base, range.tip).unwrap());
    assert_eq!(seen.added("a.py"), ["3:z=1"]);
    std::fs::rename(yard.beside("repo"), yard.beside("gone")).unwrap();
    assert!(matches!(lack_of(&fetching(), "HEAD~1..HEAD"), Lack::Unfetched(_)));
}
