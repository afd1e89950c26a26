//! Repositories that are damaged: told in our own words, with a next step, and never in those of a
//! library.

use super::desk::Desk;
use std::fs;
use std::path::{Path, PathBuf};

/// What only a library says.
const LIBRARY: [&str; 9] = [
    "input=",
    "path=",
    "key=",
    "zip stream",
    "Could not",
    "Invalid ",
    "os error",
    "at line 1 column",
    "while parsing",
];

fn object(desk: &Desk, spec: &str) -> PathBuf {
    let id = desk.word(&["rev-parse", spec]);
    desk.root.join(".git/objects").join(&id[..2]).join(&id[2..])
}

fn overwrite(path: &Path, text: &str) {
    drop(fs::remove_file(path));
    fs::write(path, text).unwrap();
}

#[test]
fn what_is_damaged_is_told_in_our_own_words() {
    type Damage = fn(&Desk);
    let damages: [(&str, Damage); 14] = [
        ("index", |desk| overwrite(&desk.root.join(".git/index"), "garbage")),
        ("empty index", |desk| overwrite(&desk.root.join(".git/index"), "")),
        ("HEAD", |desk| overwrite(&desk.root.join(".git/HEAD"), "garbage")),
        ("ref in HEAD", |desk| overwrite(&desk.root.join(".git/HEAD"), "ref: x")),
        ("branch", |desk| overwrite(&desk.root.join(".git/refs/heads/main"), "garbage")),
        ("configuration", |desk| overwrite(&desk.root.join(".git/config"), "[core")),
        ("version", |desk| {
            let text = "[core]\n\trepositoryformatversion = 9\n";
            overwrite(&desk.root.join(".git/config"), text);
        }),
        ("extension", |desk| {
            let text =
                "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectformat = sha9\n";
            overwrite(&desk.root.join(".git/config"), text);
        }),
        ("commit", |desk| overwrite(&object(desk, "HEAD"), "bad")),
        ("tree", |desk| overwrite(&object(desk, "HEAD^{tree}"), "bad")),
        ("file", |desk| overwrite(&object(desk, "HEAD:a.py"), "bad")),
        ("empty file", |desk| overwrite(&object(desk, "HEAD:a.py"), "")),
        ("missing file", |desk| fs::remove_file(object(desk, "HEAD:a.py")).unwrap()),
        ("packed-refs", |desk| {
            desk.git(&["pack-refs", "--all"]);
            overwrite(&desk.root.join(".git/packed-refs"), "garbage");
        }),
    ];
    for (what, damage) in damages {
        let desk = Desk::of(&[("a.py", "one\n")]);
        desk.write("a.py", "two\n").commit("second");
        desk.write("a.py", "three\n").stage();
        damage(&desk);
        let mut failed = 0;
        for arguments in [&["check-staged"][..], &["check-diff"], &["check-diff", "HEAD~1..HEAD"]] {
            let said = desk.run(arguments, "");
            let told = format!("{}{}", said.stdout, said.stderr);
            for words in LIBRARY {
                assert!(!told.contains(words), "{what}: {arguments:?}: `{words}`: {told}");
            }
            if said.status == Some(2) {
                failed += 1;
                let next = told.contains("next: ") || told.contains("cannot be checked: ");
                assert!(next, "{what}: {arguments:?}: {told}");
            }
        }
        assert!(failed > 0, "{what}");
    }
}
