//! The index against HEAD.

use super::yard::{Yard, latin1, lines};
use solvi_hook::domain::Content;
use solvi_hook::domain::byte_name;
use solvi_hook::git::{Fate, Mode, Unchecked};

#[test]
fn only_the_lines_that_are_staged_are_new() {
    let yard = Yard::of(&[("a.py", "x=1\n"), ("sub/b.py", "b\n")]);
    yard.write("a.py", "x=1\ny=2\n").write("sub/b.py", "a\nb\n").stage();
    yard.write("a.py", "x=1\ny=2\nunstaged\n").write("untracked.py", "u\n");
    let seen = yard.staged();
    assert_eq!(seen.added("a.py"), ["2:y=2"]);
    assert_eq!(seen.added("sub/b.py"), ["1:a"]);
    assert_eq!(seen.text("a.py"), "x=1\ny=2\n");
}

#[test]
fn a_file_staged_and_then_removed_from_disk_is_still_staged() {
    let yard = Yard::of(&[("a.py", "x=1\n")]);
    yard.write("gone.py", "x\n").stage().remove("gone.py");
    assert_eq!(yard.staged().added("gone.py"), ["1:x"]);
}

#[test]
fn before_the_first_commit_everything_is_new() {
    let yard = Yard::new();
    assert!(yard.staged().paths().is_empty());
    yard.write("a.py", "x\n").write("deep/er/b.py", "y\n").stage();
    assert_eq!(yard.staged().added("deep/er/b.py"), ["1:y"]);
}

#[test]
fn on_an_orphan_branch_everything_is_new() {
    let yard = Yard::of(&[("a.py", "x\n"), ("b.py", "y\n")]);
    yard.git(&["checkout", "-q", "--orphan", "fresh"]);
    yard.write("a.py", "x\nmore\n").stage();
    let seen = yard.staged();
    assert_eq!(seen.paths(), ["a.py", "b.py"]);
    assert_eq!(seen.added("a.py"), ["1:x", "2:more"]);
}

#[test]
fn a_deletion_leaves_no_content() {
    let yard = Yard::of(&[("a.py", "x\n"), ("sub/b.py", "y\n"), ("c.py", "z\n")]);
    yard.git(&["rm", "-q", "a.py", "sub/b.py"]);
    let seen = yard.staged();
    assert_eq!(seen.fate("a.py"), Fate::Deleted);
    assert_eq!(seen.change("sub/b.py").after, Content::Absent);
}

#[test]
fn a_file_that_becomes_a_folder_is_a_deletion_and_additions() {
    let yard = Yard::of(&[("a", "x\n"), ("a.b", "y\n"), ("d/e", "z\n"), ("d.f", "z\n")]);
    yard.remove("a").write("a/inner", "x\n").remove("d/e");
    std::fs::remove_dir(yard.root.join("d")).unwrap();
    yard.write("d", "z\n").stage();
    let seen = yard.staged();
    assert_eq!(seen.paths(), ["a", "a/inner", "d", "d/e"]);
    assert_eq!(seen.fate("a"), Fate::Deleted);
    assert_eq!(seen.fate("d"), Fate::Added);
}

#[test]
fn a_link_is_its_target_path_and_is_not_followed() {
    let yard = Yard::of(&[("was-link", ""), ("was-file", "text\n")]);
    yard.remove("was-link").link("/etc/hosts", "was-link").commit("link");
    std::fs::write(yard.beside("outside.txt"), "secret\n").unwrap();
    yard.remove("was-link").write("was-link", "now a file\n");
    yard.remove("was-file").link("../outside.txt", "was-file").stage();
    let seen = yard.staged();
    assert_eq!(seen.added("was-link"), ["1:now a file"]);
    assert_eq!(seen.text("was-file"), "../outside.txt");
    assert_eq!(seen.get("was-file").0.mode, Some(Mode::Symlink));
    assert_eq!(seen.get("was-file").0.mode_before, Some(Mode::File));
}

#[test]
fn a_change_of_mode_adds_no_line() {
    let yard = Yard::of(&[("run.sh", "echo\n")]);
    yard.git(&["update-index", "--chmod=+x", "run.sh"]);
    let seen = yard.staged();
    assert_eq!(seen.get("run.sh").0.mode, Some(Mode::Executable));
    assert!(seen.added("run.sh").is_empty());
    assert_eq!(seen.text("run.sh"), "echo\n");
}

#[test]
fn an_embedded_repository_is_named_as_not_checked() {
    let yard = Yard::of(&[("a", "x\n")]);
    yard.git(&["init", "-q", "inner"]);
    yard.git(&["-C", "inner", "commit", "-q", "--allow-empty", "-m", "x"]);
    yard.git(&["-c", "advice.addEmbeddedRepo=false", "add", "inner"]);
    let seen = yard.staged();
    assert_eq!(seen.unchecked("inner"), Some(&Unchecked::Submodule));
    assert_eq!(seen.get("inner").0.mode, Some(Mode::Submodule));
}

#[test]
fn a_path_that_will_be_added_is_not_staged_yet() {
    let yard = Yard::of(&[("a", "x\n"), ("tracked", "y\n")]);
    yard.write("later", "z\n");
    yard.git(&["add", "--intent-to-add", "later"]);
    assert!(yard.staged().paths().is_empty());
    yard.git(&["rm", "-q", "--cached", "tracked"]);
    yard.git(&["add", "--intent-to-add", "tracked"]);
    assert_eq!(yard.staged().fate("tracked"), Fate::Deleted);
}

#[test]
fn names_are_bytes() {
    let yard = Yard::of(&[("a", "x\n")]);
    for name in ["café.py", "人工智慧.py", "two\nlines", "tab\tquote\"", "-dash", "Case", "case"]
    {
        yard.write(name, format!("{name}\n"));
    }
    yard.write(latin1(), "latin\n").stage();
    for quoted in ["true", "false"] {
        yard.git(&["config", "core.quotePath", quoted]);
        let seen = yard.staged();
        assert_eq!(seen.text("人工智慧.py"), "人工智慧.py\n");
        assert_eq!(seen.text("two\nlines"), "two\nlines\n");
        assert_eq!(seen.text("Case"), "Case\n");
        let (delta, _) = seen.get(&byte_name::text(b"caf\xe9.txt"));
        assert_eq!(delta.path(), b"caf\xe9.txt");
    }
}

#[test]
fn a_staged_folder_of_many_levels_is_walked() {
    let yard = Yard::of(&[("a", "x\n")]);
    let deep = vec!["d"; 300].join("/");
    yard.write(format!("{deep}/f"), "deep\n").stage();
    assert_eq!(yard.staged().added(&format!("{deep}/f")), ["1:deep"]);
}

#[test]
fn among_many_folders_only_the_changed_ones_differ() {
    let yard = Yard::new();
    for number in 0..60 {
        yard.write(format!("d{}/e{}/f{number}", number % 7, number % 3), lines("x", 3));
    }
    yard.commit("all");
    yard.write("d3/e1/f10", "y\n").write("d6/new/f", "n\n").remove("d0/e0/f0").stage();
    assert_eq!(yard.staged().paths(), ["d0/e0/f0", "d3/e1/f10", "d6/new/f"]);
}

#[test]
fn what_the_index_remembers_of_its_folders_is_what_a_commit_would_hold() {
    let yard = Yard::of(&[("d/a", "x\n"), ("d/b", "y\n")]);
    let clean = yard.word(&["rev-parse", "HEAD:d/a"]);
    let other = yard.word(&["rev-parse", "HEAD:d/b"]);
    // Another content under an entry whose folder the index remembers as unchanged.
    let path = yard.root.join(".git/index");
    let mut index = std::fs::read(&path).unwrap();
    let bytes = |hex: &str| -> Vec<u8> {
        (0..20).map(|at| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).unwrap()).collect()
    };
    let at = index.windows(20).position(|window| window == bytes(&clean)).unwrap();
    index.splice(at..at + 20, bytes(&other));
    std::fs::write(&path, index).unwrap();
    assert!(yard.staged().paths().is_empty());
    assert_eq!(yard.word(&["write-tree"]), yard.word(&["rev-parse", "HEAD^{tree}"]));
}
