//! What the repository says about one path.

use super::yard::Yard;
use solvi_hook::domain::Content;
use solvi_hook::git::Tracked;

#[test]
fn content_is_found_in_commits_and_in_the_index() {
    let yard = Yard::of(&[("a", "1\n"), ("d/e/b", "b\n")]);
    yard.write("a", "2\n").stage().write("a", "3\n");
    let repo = yard.repo();
    assert_eq!(repo.blob_at("HEAD", "a").unwrap().unwrap(), b"1\n");
    assert_eq!(repo.staged_blob("a").unwrap().unwrap(), b"2\n");
    assert_eq!(repo.blob_at("HEAD", "d/e/b").unwrap().unwrap(), b"b\n");
    for nothing in ["d/e", "d/e/b/c", "nowhere", "a/", ""] {
        assert_eq!(repo.blob_at("HEAD", nothing).unwrap(), None, "{nothing}");
        assert_eq!(repo.staged_blob(nothing).unwrap(), None, "{nothing}");
    }
    assert!(repo.blob_at("nowhere", "a").is_err());
}

#[test]
fn the_index_knows_how_it_holds_a_path() {
    let yard = Yard::of(&[("a", "1\n"), ("b", "1\n"), ("out/x/c", "c\n"), ("in/d", "d\n")]);
    yard.git(&["init", "-q", "sub"]);
    yard.git(&["-C", "sub", "commit", "-q", "--allow-empty", "-m", "x"]);
    yard.git(&["-c", "advice.addEmbeddedRepo=false", "add", "sub"]);
    yard.write("later", "l\n").git(&["add", "--intent-to-add", "later"]);
    yard.git(&["update-index", "--skip-worktree", "b"]);
    let repo = yard.repo();
    let tracked = |path| repo.index_entry(path).unwrap();
    assert_eq!(tracked("a"), Tracked::Yes { skip_worktree: false });
    assert_eq!(tracked("b"), Tracked::Yes { skip_worktree: true });
    assert_eq!(tracked("in"), Tracked::No);
    assert_eq!(tracked("untracked"), Tracked::No);
    assert_eq!(tracked("later"), Tracked::Intended);
    assert_eq!(tracked("sub"), Tracked::Submodule);
    assert_eq!(tracked("sub/deep/file"), Tracked::InSubmodule);
    yard.commit("sub").git(&["sparse-checkout", "set", "--cone", "--sparse-index", "in"]);
    let repo = yard.repo();
    assert_eq!(repo.index_entry("out/x/c").unwrap(), Tracked::InSparseFolder);
    assert_eq!(repo.staged_blob("out/x/c").unwrap().unwrap(), b"c\n");
}

#[test]
fn a_path_in_conflict_is_known() {
    let yard = Yard::of(&[("a", "1\n")]);
    yard.git(&["checkout", "-q", "-b", "topic"]);
    yard.write("a", "t\n").commit("topic");
    yard.git(&["checkout", "-q", "main"]);
    yard.write("a", "m\n").commit("main");
    assert!(!yard.tries(&["merge", "-q", "topic"]));
    assert_eq!(yard.repo().index_entry("a").unwrap(), Tracked::Unmerged);
    assert_eq!(yard.repo().staged_blob("a").unwrap(), None);
}

#[test]
fn ignored_paths_are_known() {
    let yard = Yard::of(&[(".gitignore", "*.log\nout/\n")]);
    let repo = yard.repo();
    assert!(repo.is_ignored("x/y.log", false).unwrap());
    assert!(repo.is_ignored("out", true).unwrap());
    assert!(repo.is_ignored("out/deep/file", false).unwrap());
    assert!(!repo.is_ignored("out", false).unwrap());
    assert!(!repo.is_ignored("y.txt", false).unwrap());
}

#[test]
fn the_index_knows_a_path_in_other_letters() {
    let index =
        Yard::of(&[("src/Readme.md", "x\n"), ("É.txt", "x\n")]).repo().read_index().unwrap();
    assert_eq!(index.spelled_otherwise("SRC/README.md").unwrap(), "src/Readme.md");
    assert_eq!(index.spelled_otherwise("é.txt").unwrap(), "É.txt");
    assert_eq!(index.spelled_otherwise("src/Readme.md"), None);
    assert_eq!(index.spelled_otherwise("src/readme"), None);
}

#[test]
fn the_pointer_of_lfs_is_none_of_a_files_text() {
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n";
    let yard = Yard::of(&[("a", "x\n"), ("b", pointer)]);
    let (repo, index) = (yard.repo(), yard.repo().read_index().unwrap());
    assert_eq!(index.content(&repo, "a").unwrap(), Some(Content::Text("x\n".to_owned())));
    assert_eq!(index.content(&repo, "b").unwrap(), Some(Content::Binary));
    assert_eq!(index.content(&repo, "c").unwrap(), None);
}
