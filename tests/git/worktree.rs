//! The working tree against HEAD.

use super::yard::{Seen, Yard, latin1};
use solvi_hook::domain::Content;
use solvi_hook::git::{Fate, Unchecked};
use std::os::unix::fs::PermissionsExt;

#[test]
fn staged_or_not_tracked_or_not_everything_that_differs_is_seen() {
    let yard =
        Yard::of(&[("a", "1\n"), ("b", "1\n"), ("c", "1\n"), ("d/e", "1\n"), ("same", "s\n")]);
    yard.write("a", "1\nstaged\n").write("staged-new", "n\n").stage();
    yard.write("a", "1\nstaged\nunstaged\n").write("b", "1\nb\n").remove("c").write("u/new", "u\n");
    yard.write(latin1(), "l\n");
    let seen = yard.worktree();
    assert_eq!(seen.added("a"), ["2:staged", "3:unstaged"]);
    assert_eq!(seen.added("b"), ["2:b"]);
    assert_eq!(seen.fate("c"), Fate::Deleted);
    assert_eq!(seen.added("u/new"), ["1:u"]);
    assert_eq!(seen.fate("staged-new"), Fate::Added);
}

#[test]
fn untracked_files_are_left_out_when_they_are_not_wanted() {
    let yard = Yard::of(&[("a", "1\n")]);
    yard.write("new", "n\n").write("a", "2\n");
    let deltas = yard.repo().worktree(false).unwrap();
    assert_eq!(Seen::of(&yard.repo(), &deltas).paths(), ["a"]);
}

#[test]
fn what_was_staged_and_taken_back_is_no_change() {
    let yard = Yard::of(&[("a", "1\n"), ("b", "1\n")]);
    yard.write("a", "2\n").write("new", "n\n").stage().write("a", "1\n").remove("new");
    yard.git(&["rm", "-q", "--cached", "b"]);
    assert!(yard.repo().worktree(true).unwrap().list.is_empty());
}

#[test]
fn a_file_touched_and_not_changed_is_no_change() {
    let yard = Yard::of(&[("a", "1\n")]);
    yard.write("a", "1\n");
    assert!(yard.worktree().paths().is_empty());
}

#[test]
fn ignored_files_are_not_seen_unless_they_are_tracked() {
    let yard = Yard::of(&[("kept.log", "k\n"), ("out/kept", "k\n")]);
    yard.write(".gitignore", "*.log\nout/\n!wanted.log\n").commit("ignore");
    yard.write("kept.log", "k\nmore\n").write("x.log", "x\n").write("wanted.log", "w\n");
    yard.write("out/kept", "k\nmore\n").write("out/x", "x\n").write("sub/x.log", "x\n");
    yard.write("sub/.gitignore", "y\n").write("sub/y", "y\n");
    yard.write(".git/info/exclude", "z\n").write("z", "z\n");
    let seen = yard.worktree();
    assert_eq!(seen.paths(), ["kept.log", "out/kept", "sub/.gitignore", "wanted.log"]);
}

#[test]
fn types_and_modes_are_seen() {
    let yard = Yard::of(&[("file", "f\n"), ("link", ""), ("run", "r\n"), ("folder", "x\n")]);
    yard.remove("link").link("file", "link").commit("link");
    yard.remove("file").link("/etc/hosts", "file").remove("link").write("link", "l\n");
    let run = yard.root.join("run");
    std::fs::set_permissions(run, std::fs::Permissions::from_mode(0o755)).unwrap();
    yard.remove("folder").write("folder/inner", "i\n");
    let seen = yard.worktree();
    assert_eq!(seen.text("file"), "/etc/hosts");
    assert_eq!(seen.added("link"), ["1:l"]);
    assert!(seen.added("run").is_empty());
    assert_eq!(seen.fate("folder"), Fate::Deleted);
    yard.git(&["config", "core.fileMode", "false"]);
    assert!(!yard.worktree().paths().contains(&"run"));
}

#[test]
fn a_folder_that_became_a_link_is_not_entered() {
    let yard = Yard::of(&[("d/a", "1\n")]);
    std::fs::create_dir(yard.beside("elsewhere")).unwrap();
    std::fs::write(yard.beside("elsewhere").join("a"), "secret\n").unwrap();
    yard.remove("d/a");
    std::fs::remove_dir(yard.root.join("d")).unwrap();
    yard.link("../elsewhere", "d");
    let seen = yard.worktree();
    assert_eq!(seen.fate("d/a"), Fate::Deleted);
    assert_eq!(seen.text("d"), "../elsewhere");
}

#[test]
fn no_flag_of_the_index_hides_a_change() {
    let yard = Yard::of(&[("a", "1\n"), ("b", "1\n"), ("c", "1\n")]);
    yard.git(&["update-index", "--assume-unchanged", "a"]);
    yard.git(&["update-index", "--skip-worktree", "b", "c"]);
    yard.write("a", "1\na\n").write("b", "1\nb\n").remove("c");
    let seen = Seen::of(&yard.repo(), &yard.repo().worktree(true).unwrap());
    assert_eq!(seen.paths(), ["a", "b"]);
    assert_eq!(seen.added("a"), ["2:a"]);
}

#[test]
fn a_change_of_the_same_size_at_the_same_time_is_seen() {
    let yard = Yard::of(&[("a", "1\n")]);
    yard.git(&["config", "core.trustctime", "false"]);
    yard.git(&["config", "core.checkStat", "minimal"]);
    let path = yard.root.join("a");
    let time = std::fs::metadata(&path).unwrap().modified().unwrap();
    yard.write("a", "2\n");
    std::fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
    let seen = Seen::of(&yard.repo(), &yard.repo().worktree(true).unwrap());
    assert_eq!(seen.added("a"), ["1:2"]);
}

#[test]
fn other_line_ends_are_no_change() {
    let yard = Yard::new();
    yard.git(&["config", "core.autocrlf", "true"]);
    yard.git(&["config", "core.safecrlf", "false"]);
    yard.write("w", "a\r\nb\r\n").commit("first").write("w", "a\r\nb\r\n");
    assert!(yard.worktree().paths().is_empty());
    yard.write("w", "a\r\nb\r\nc\r\n");
    assert_eq!(yard.worktree().added("w"), ["3:c"]);
}

#[test]
fn no_filter_is_run() {
    let yard = Yard::of(&[(".gitattributes", "*.x filter=f\n"), ("a.x", "1\n")]);
    yard.git(&["config", "filter.f.clean", "touch ran; cat"]);
    yard.write("a.x", "1\n2\n");
    let seen = Seen::of(&yard.repo(), &yard.repo().worktree(true).unwrap());
    assert_eq!(seen.added("a.x"), ["2:2"]);
    assert!(!yard.root.join("ran").exists());
}

#[test]
fn a_moved_file_is_compared_with_what_it_was() {
    let text = super::yard::lines("x", 20);
    let yard = Yard::of(&[("a", &text), ("c", "pure\n")]);
    std::fs::rename(yard.root.join("a"), yard.root.join("b")).unwrap();
    std::fs::rename(yard.root.join("c"), yard.root.join("d")).unwrap();
    yard.write("b", format!("{text}new\n"));
    let seen = yard.worktree();
    assert_eq!(seen.added("b"), ["21:new"]);
    assert_eq!(seen.moved_from("b"), Some("a"));
    assert!(seen.added("d").is_empty());
}

#[test]
fn an_untracked_repository_is_one_thing() {
    let yard = Yard::of(&[("a", "1\n")]);
    yard.git(&["init", "-q", "inner"]);
    yard.write("inner/x", "x\n");
    yard.git(&["-C", "inner", "commit", "-q", "--allow-empty", "-m", "x"]);
    yard.write("not-one/.git/x", "x\n").write("not-one/y", "y\n");
    let seen = yard.worktree();
    assert_eq!(seen.paths(), ["inner", "not-one/y"]);
    assert_eq!(seen.unchecked("inner"), Some(&Unchecked::Submodule));
}

#[test]
fn a_path_in_conflict_is_judged_as_it_stands() {
    let yard = Yard::of(&[("a", "1\n")]);
    yard.git(&["checkout", "-q", "-b", "topic"]);
    yard.write("a", "t\n").commit("topic");
    yard.git(&["checkout", "-q", "main"]);
    yard.write("a", "m\n").commit("main");
    assert!(!yard.tries(&["merge", "-q", "topic"]));
    let seen = Seen::of(&yard.repo(), &yard.repo().worktree(true).unwrap());
    let added = seen.added("a");
    assert!(added.iter().any(|line| line.contains("<<<<<<<")), "{added:?}");
    assert!(!added.iter().any(|line| line.ends_with(":t") || line.ends_with(":m")), "{added:?}");
}

#[test]
fn a_file_that_will_be_added_is_new() {
    let yard = Yard::of(&[("a", "1\n")]);
    yard.write("later", "z\n");
    yard.git(&["add", "--intent-to-add", "later"]);
    assert_eq!(yard.worktree().added("later"), ["1:z"]);
}

#[test]
fn a_file_over_the_limit_is_named() {
    let yard = Yard::of(&[("a", "1\n")]);
    for (name, head) in [("zeros", ""), ("program", "\x7fELF\x02\x01\x01\0")] {
        yard.write(name, head);
        let file = std::fs::File::options().write(true).open(yard.root.join(name)).unwrap();
        file.set_len(solvi_hook::git::LARGEST + 1).unwrap();
    }
    let mut text = "line\n".repeat(20_000).into_bytes();
    text.resize(100_000, b'x');
    yard.write("text", text);
    let file = std::fs::File::options().write(true).open(yard.root.join("text")).unwrap();
    file.set_len(solvi_hook::git::LARGEST + 1).unwrap();
    let seen = yard.worktree();
    assert_eq!(seen.unchecked("program"), Some(&Unchecked::Binary));
    // A shell runs what stands behind them.
    assert!(matches!(seen.unchecked("zeros"), Some(Unchecked::TooLarge(_))));
    assert!(matches!(seen.unchecked("text"), Some(Unchecked::TooLarge(_))));
    assert!(matches!(seen.change("text").after, Content::Unknown(_)));
    assert!(seen.change("text").unsure.is_some(), "no rule about lines passes");
}
