//! Moved files: what they are compared with, and that they are always looked at.

use super::yard::{Yard, lines};
use solvi_hook::domain::Standing;
use solvi_hook::git::Fate;

#[test]
fn a_pure_move_adds_no_line_and_deletes_its_source() {
    let yard = Yard::of(&[("a.py", "x\ntoken\n")]);
    std::fs::create_dir(yard.root.join("lib")).unwrap();
    yard.git(&["mv", "a.py", "lib/a.py"]);
    let seen = yard.staged();
    assert!(seen.added("lib/a.py").is_empty());
    assert_eq!(seen.moved_from("lib/a.py"), Some("a.py"));
    assert_eq!(seen.fate("lib/a.py"), Fate::Added);
    assert_eq!(seen.fate("a.py"), Fate::Deleted);
    assert_eq!(seen.text("lib/a.py"), "x\ntoken\n");
}

#[test]
fn a_moved_file_is_compared_with_what_it_was() {
    let yard = Yard::of(&[("src/a.py", &lines("x", 60))]);
    std::fs::create_dir(yard.root.join("legacy")).unwrap();
    yard.git(&["mv", "src/a.py", "legacy/b.py"]);
    yard.write("legacy/b.py", lines("x", 60) + "token\n").stage();
    let seen = yard.staged();
    assert_eq!(seen.added("legacy/b.py"), ["61:token"]);
    assert_eq!(seen.moved_from("legacy/b.py"), Some("src/a.py"));
}

#[test]
fn a_copy_is_new() {
    let yard = Yard::of(&[("a.py", "x\ntoken\n")]);
    yard.write("b.py", "x\ntoken\n").stage();
    let seen = yard.staged();
    assert_eq!(seen.added("b.py"), ["1:x", "2:token"]);
    assert_eq!(seen.moved_from("b.py"), None);
}

#[test]
fn a_file_that_is_too_different_was_not_moved() {
    let yard = Yard::of(&[("a.py", &lines("x", 10))]);
    yard.remove("a.py").write("b.py", lines("x", 4) + &lines("y", 6)).stage();
    let seen = yard.staged();
    assert_eq!(seen.moved_from("b.py"), None);
    assert_eq!(seen.added("b.py").len(), 10);
}

#[test]
fn pairs_are_the_ones_that_git_finds() {
    let yard = Yard::new();
    for number in 0..12 {
        yard.write(format!("old/f{number}.rs"), lines(&format!("file {number}"), 30));
    }
    yard.commit("all");
    for number in 0..12 {
        yard.remove(&format!("old/f{number}.rs"));
        let same = lines(&format!("file {number}"), 30 - number);
        let (folder, name) = if number % 2 == 0 { ("new", number) } else { ("other", number + 20) };
        yard.write(format!("{folder}/f{name}.rs"), same + &lines("extra", number));
    }
    yard.stage();
    let seen = yard.staged();
    let listed = yard.git(&["diff", "--cached", "--name-status", "-z", "-M"]);
    let words: Vec<String> = listed
        .split(|byte| *byte == 0)
        .map(|word| String::from_utf8_lossy(word).into_owned())
        .collect();
    let mut renames = 0;
    for (at, word) in words.iter().enumerate().filter(|(_, word)| word.starts_with('R')) {
        assert_eq!(seen.moved_from(&words[at + 2]), Some(words[at + 1].as_str()), "{word}");
        renames += 1;
    }
    assert_eq!(renames, 12);
}

#[test]
fn a_link_moves_and_does_not_become_a_file() {
    let yard = Yard::of(&[("a", "target")]);
    yard.link("elsewhere", "link").commit("link");
    yard.remove("a").link("target", "b").remove("link").link("elsewhere", "moved").stage();
    let seen = yard.staged();
    assert_eq!(seen.moved_from("b"), None);
    assert_eq!(seen.moved_from("moved"), Some("link"));
    assert!(seen.added("moved").is_empty());
}

#[test]
fn a_file_that_is_moved_is_no_new_one() {
    let yard = Yard::of(&[("old", &lines("kept", 20)), ("gone", "x\n")]);
    yard.git(&["mv", "old", "moved"]);
    yard.write("new", "n\n").remove("gone").stage();
    let seen = yard.staged();
    assert_eq!(seen.change("moved").standing, Standing::Tracked);
    assert_eq!(seen.change("new").standing, Standing::New);
    assert_eq!(seen.change("gone").standing, Standing::Tracked);
    let patch = yard.git(&["diff", "--cached", "-M"]);
    let files = solvi_hook::git::patch::read(&patch).unwrap();
    for file in files {
        let change = file.change;
        let new = change.place.as_str() == "new";
        assert_eq!(change.standing == Standing::New, new, "{change:?}");
        assert_ne!(change.standing, Standing::Unknown, "{change:?}");
    }
}
