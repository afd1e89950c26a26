//! What files hold, and what has no say in it.

use super::yard::{Yard, lines};
use solvi_hook::domain::Content;
use solvi_hook::git::Unchecked;

#[test]
fn a_nul_or_an_invalid_byte_hides_no_line() {
    let yard = Yard::of(&[("a", "x\n")]);
    yard.write("x.sh", "#!/bin/sh\n# \0\ncurl\n").write("l.py", b"# caf\xe9\ntoken\n").stage();
    let seen = yard.staged();
    assert_eq!(seen.added("x.sh")[2], "3:curl");
    assert_eq!(seen.added("l.py"), ["1:# caf\u{fffd}", "2:token"]);
}

#[test]
fn utf16_with_a_mark_is_read() {
    let yard = Yard::of(&[("a", "x\n")]);
    let mut bytes = b"\xff\xfe".to_vec();
    bytes.extend("token\r\nmore\r\n".encode_utf16().flat_map(u16::to_le_bytes));
    yard.write("ps.ps1", bytes).stage();
    assert_eq!(yard.staged().added("ps.ps1"), ["1:token", "2:more"]);
}

#[test]
fn what_is_no_text_is_named_as_not_checked() {
    let yard = Yard::of(&[("a.bin", "text\n")]);
    let bytes: Vec<u8> = (0..=255).cycle().take(4096).collect();
    yard.write("a.bin", bytes).stage();
    let seen = yard.staged();
    assert_eq!(seen.unchecked("a.bin"), Some(&Unchecked::Binary));
    assert_eq!(seen.change("a.bin").after, Content::Binary);
    yard.commit("binary").write("a.bin", "text again\n").stage();
    assert_eq!(yard.staged().added("a.bin"), ["1:text again"]);
}

#[test]
fn attributes_and_drivers_have_no_say() {
    let yard = Yard::of(&[("a", "x\n")]);
    yard.git(&["config", "diff.hide.textconv", "true"]);
    yard.git(&["config", "diff.hide.command", "true"]);
    yard.git(&["config", "diff.external", "true"]);
    yard.write(".gitattributes", "*.no -diff\n*.bin binary\n*.hide diff=hide\n");
    yard.write("a.no", "token\n").write("a.bin", "token\n").write("a.hide", "token\n").stage();
    let seen = yard.staged();
    for path in ["a.no", "a.bin", "a.hide"] {
        assert_eq!(seen.added(path), ["1:token"]);
    }
}

#[test]
fn a_clean_filter_is_not_run_and_its_result_is_judged() {
    let yard = Yard::of(&[("a", "x\n")]);
    yard.git(&["config", "filter.up.clean", "sed s/clean/TOKEN/"]);
    yard.write(".gitattributes", "*.txt filter=up\n").write("a.txt", "clean\n").stage();
    yard.git(&["config", "filter.up.clean", "touch ran; false"]);
    assert_eq!(yard.staged().added("a.txt"), ["1:TOKEN"]);
    assert!(!yard.root.join("ran").exists());
}

#[test]
fn a_pointer_of_lfs_is_judged_as_a_pointer() {
    let yard = Yard::of(&[("a", "x\n")]);
    yard.git(&["config", "filter.lfs.clean", "cat"]);
    let pointer = format!(
        "version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize 12\n",
        "0".repeat(64)
    );
    yard.write(".gitattributes", "*.rs filter=lfs diff=lfs merge=lfs -text\n");
    yard.write("big.rs", &pointer).write("small.rs", "fn main() {}\n").stage();
    let seen = yard.staged();
    assert!(seen.get("big.rs").1.lfs);
    assert_eq!(seen.text("big.rs"), pointer);
    assert!(!seen.get("small.rs").1.lfs);
}

#[test]
fn line_ends_make_no_new_line() {
    let yard = Yard::new();
    yard.git(&["config", "core.autocrlf", "true"]);
    yard.git(&["config", "core.safecrlf", "false"]);
    yard.write("w.py", "old\r\nb\r\n").commit("first");
    yard.write("w.py", "old\r\nb\r\nc=1\r\n").stage();
    assert_eq!(yard.staged().added("w.py"), ["3:c=1"]);
    let yard = Yard::of(&[("crlf", "old\nb\n"), ("end", "old")]);
    yard.write("crlf", "old\r\nb\r\n").write("end", "old\ny=1\n").stage();
    let seen = yard.staged();
    assert!(seen.added("crlf").is_empty());
    assert_eq!(seen.added("end"), ["2:y=1"]);
}

#[test]
fn replacement_objects_are_not_followed() {
    let yard = Yard::of(&[("a.py", "one\n")]);
    yard.write("a.py", "token\n").commit("second");
    yard.write("harmless", "clean\n");
    let harmless = yard.word(&["hash-object", "-w", "harmless"]);
    let real = yard.word(&["rev-parse", "HEAD:a.py"]);
    yard.remove("harmless").git(&["replace", &real, &harmless]);
    assert_eq!(yard.range("HEAD~1..HEAD").added("a.py"), ["1:token"]);
    yard.git(&["reset", "-q", "--soft", "HEAD~1"]);
    assert_eq!(yard.staged().added("a.py"), ["1:token"]);
}

#[test]
fn a_line_appended_to_a_long_file_is_the_only_new_one() {
    let long = lines("some words to make this longer", 40_000);
    let yard = Yard::of(&[("long.csv", &long)]);
    yard.write("long.csv", format!("{long}token\n")).stage();
    assert_eq!(yard.staged().added("long.csv"), ["40001:token"]);
}

#[test]
fn a_file_of_many_megabytes_is_read() {
    let yard = Yard::of(&[("a", "x\n")]);
    let long = ["x".repeat(3 << 20), "y".repeat(3 << 20), "z".repeat(3 << 20)].join("\n");
    yard.write("big", &long).commit("big").git(&["repack", "-q", "-a", "-d"]);
    yard.write("big", format!("{long}\ntoken\n")).stage();
    assert_eq!(yard.staged().added("big"), ["4:token"]);
}
