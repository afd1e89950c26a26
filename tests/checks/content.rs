//! What files hold: encodings, line ends, filters, sizes, and the formats of repositories.

use super::desk::{BANNED, Desk, RULES};
use crate::git::yard::{Yard, lines};
use std::time::{Duration, Instant};

#[test]
fn one_invalid_byte_hides_no_line() {
    let desk = Desk::new();
    let text = b"# caf\xe9\nBANNED_WORD\nimport os\nos.system(\"x\")\n";
    desk.write("l.py", text).stage();
    desk.staged().refuses(&["no-token l.py:2", "no-system l.py:4"]);
}

#[test]
fn appending_to_a_file_with_windows_line_ends_adds_one_line() {
    let desk = Desk::new();
    desk.git(&["config", "core.autocrlf", "true"]);
    desk.git(&["config", "core.safecrlf", "warn"]);
    desk.write("w.py", "BANNED_WORD\r\nb\r\n").commit("old");
    desk.write("w.py", "BANNED_WORD\r\nb\r\nc=1\r\n").stage();
    desk.staged().passes();
    desk.write("w.py", "BANNED_WORD\r\nb\r\nc=1\r\nBANNED_WORD\r\n");
    desk.diff(&[]).refuses(&["no-token w.py:4"]);
}

#[test]
fn a_text_of_carriage_returns_alone_is_one_line() {
    let desk = Desk::new();
    desk.write("m.py", "a\rb\rBANNED_WORD\r").stage();
    desk.staged().refuses(&["no-token m.py:1"]);
}

#[test]
fn a_line_end_added_to_the_last_line_makes_it_no_new_line() {
    let desk = Desk::of(&[("n.py", BANNED)]);
    desk.write("n.py", "BANNED_WORD\ny=1\n").stage();
    desk.staged().passes();
}

#[test]
fn what_a_clean_filter_made_is_judged_and_no_filter_is_run() {
    let desk = Desk::new();
    desk.git(&["config", "filter.up.clean", "sed s/CLEAN/BANNED_WORD/"]);
    desk.write(".gitattributes", "*.txt filter=up\n").write("a.txt", "CLEAN\n").stage();
    desk.git(&["config", "filter.up.clean", "touch ran; false"]);
    desk.git(&["config", "filter.up.required", "true"]);
    desk.staged().refuses(&["no-token a.txt:1"]);
    assert!(!desk.root.join("ran").exists());
}

#[test]
fn a_pointer_of_lfs_is_named_and_rules_about_content_leave_it_alone() {
    let desk = Desk::new();
    desk.git(&["config", "filter.lfs.clean", "cat"]);
    let pointer = |word: &str| {
        let zeros = "0".repeat(64);
        format!("version https://git-lfs.github.com/spec/v1\n{word}oid sha256:{zeros}\nsize 12\n")
    };
    desk.write(".gitattributes", "src/*.rs filter=lfs diff=lfs merge=lfs -text\n");
    desk.write("src/big.rs", pointer("")).stage();
    desk.git(&["config", "filter.lfs.clean", "touch ran; false"]);
    let told = desk.staged();
    assert!(told.passes().not_checked()[0].starts_with("src/big.rs: it is a Git LFS pointer"));
    assert!(!desk.root.join("ran").exists());
}

#[test]
fn a_split_index_is_judged_and_not_rewritten() {
    let desk = Desk::of(&[("a.py", "1\n")]);
    desk.git(&["update-index", "--split-index"]);
    desk.write("a.py", "1\nBANNED_WORD\n").stage();
    let index = || std::fs::read(desk.root.join(".git/index")).unwrap();
    let before = index();
    desk.staged().refuses(&["no-token a.py:2"]);
    assert!(index() == before);
}

#[test]
fn a_repository_of_sha256_is_judged() {
    let desk = Desk(Yard::with(&["--object-format=sha256"]));
    desk.write("solvi-rules.toml", RULES).write("a.py", BANNED).stage();
    desk.staged().refuses(&["no-token a.py:1"]);
    desk.commit("x").write("b.py", "2\n").commit("y");
    desk.diff(&["HEAD~1..HEAD"]).passes();
}

#[test]
fn a_partial_clone_fetches_what_it_lacks_or_says_what_is_missing() {
    let desk = Desk::of(&[("a.py", &format!("{}BANNED_WORD\n", lines("line", 20)))]);
    desk.git(&["config", "uploadpack.allowFilter", "true"]);
    desk.write("a.py", format!("{}BANNED_WORD\nz=1\n", lines("line", 20))).commit("two");
    let (url, clone) = (format!("file://{}", desk.root.display()), desk.beside("clone"));
    let clone_there = ["clone", "-q", "--no-checkout", "--filter=blob:none", &url];
    desk.git(&[&clone_there, [clone.to_str().unwrap()].as_slice()].concat());
    let desk = Desk(desk.0.at(clone));
    desk.write("solvi-rules.toml", RULES);
    let told = desk.diff(&["HEAD~1..HEAD"]);
    assert_eq!(told.status, 2, "{told:?}");
    assert!(told.not_checked()[0].starts_with("a.py: object "), "{told:?}");
    assert!(told.notes().contains("run it again with `--fetch`"), "{told:?}");
    desk.diff(&["HEAD~1..HEAD", "--fetch"]).passes();
    desk.diff(&["HEAD~1..HEAD", "--offline"]).passes();
}

#[test]
fn a_large_text_is_read_and_large_bytes_are_named() {
    let desk = Desk::new();
    let noise = |n: u32| n.wrapping_mul(2_654_435_761).to_le_bytes();
    let mut bytes = b"\x7fELF\x02\x01\x01\0".to_vec();
    bytes.extend((0..2_000_000).flat_map(noise));
    bytes.extend(BANNED.as_bytes());
    desk.write("big.csv", format!("{}BANNED_WORD\n", lines("", 200_000)));
    desk.write("big.bin", bytes).stage();
    let begun = Instant::now();
    let told = desk.staged();
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    assert_eq!(
        told.refuses(&["no-token big.csv:200001"]).not_checked(),
        ["big.bin: it is a binary file"]
    );
}

#[test]
fn many_staged_files_and_many_moves_are_judged_in_time() {
    let desk = Desk::new();
    for number in 0..1_500 {
        desk.write(format!("d{}/f{number}.py", number % 30), lines(&format!("x{number}"), 20));
    }
    desk.stage();
    let begun = Instant::now();
    desk.staged().passes();
    desk.git(&["commit", "-q", "-m", "all"]);
    desk.git(&["mv", "d1", "e1"]);
    desk.git(&["mv", "d2", "e2"]);
    desk.staged().passes();
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}

#[test]
fn a_required_line_end_is_found_before_any_line_end() {
    let rules = "[[rule]]\nid = \"licence\"\npaths = [\"src/**\"]\nrequire = ['MIT$', '^x']\n";
    for (text, found) in [
        ("MIT\r\nx\r\n", true),
        ("MIT\nx\n", true),
        ("y\r\nMIT\r\nx", true),
        ("MIT \r\nx\r\n", false),
    ] {
        let desk = Desk::judged_by(rules, &[]);
        desk.write("src/a.rs", text).stage();
        if found {
            desk.staged().passes();
        } else {
            desk.staged().refuses(&["licence src/a.rs"]);
        }
    }
    let desk = Desk::judged_by(&rules.replace("MIT$", r"MIT\r\n"), &[]);
    desk.write("src/a.rs", "MIT\r\nx\r\n").stage();
    desk.staged().passes();
}
