//! The file after an edit is the one that Claude Code writes.

#![allow(clippy::unwrap_used, reason = "tests")]

use super::*;
use proptest::prelude::*;

fn replacement(old: &str, new: &str) -> Replacement {
    Replacement { old: old.to_owned(), new: new.to_owned(), everywhere: false }
}

#[track_caller]
fn writes(before: &str, old: &str, new: &str, expected: &str) {
    let after = after(Some(before), &[replacement(old, new)], false);
    assert_eq!(after.as_deref(), Ok(expected));
}

#[track_caller]
fn refuses(before: Option<&str>, edits: &[(&str, &str)], edit: usize, cause: Cause) {
    let edits: Vec<_> = edits.iter().map(|(old, new)| replacement(old, new)).collect();
    assert_eq!(after(before, &edits, false), Err(Refusal { edit, cause }));
}

#[test]
fn the_head_of_a_file_decides_on_its_line_ends() {
    let astral = "😀".repeat(HEAD / 2 - 2);
    writes(&format!("{astral}\n\r\n\r\nx"), "x", "y", &format!("{astral}\n\n\ny"));
    writes("\r\n\n\r\nx", "x", "y", "\r\n\r\n\r\ny");
}

#[test]
fn escapes_are_forgiven_both_ways_beyond_the_basic_plane() {
    writes(r"s = '\ud83d\ude00'", "'😀'", "'😁 é'", r"s = '\ud83d\ude01 \u00e9'");
    writes(r"A \u00E9 a \u00E9A", "a é", "b é", r"A \u00E9 b \u00E9A");
    writes("s = '😀 “q”'", r#"😀 "q""#, r#"😁 "r""#, "s = '😁 “r”'");
    writes("a é b", r"\u00e9 b", r"\u00e8 c", "a è c");
}

#[test]
fn an_escape_that_is_none_is_left_alone() {
    refuses(Some("é"), &[(r"\\u00e9", "x")], 1, Cause::NotFound);
    refuses(Some("é"), &[(r"\ud800", "x")], 1, Cause::NotFound);
    refuses(Some("é"), &[(r"\u00g9", "x")], 1, Cause::NotFound);
    refuses(Some(r"\u00e8"), &[("é", "x")], 1, Cause::NotFound);
}

#[test]
fn an_edit_that_changes_nothing_is_refused() {
    refuses(Some("x"), &[("x", "x")], 1, Cause::Same);
    refuses(Some("say “a”"), &[("say \"a\"", "say “a”")], 1, Cause::Same);
}

#[test]
fn only_a_blank_file_is_filled() {
    writes("\u{feff}\r\n", "", "a\n", "a\r\n");
    refuses(Some("\u{85}"), &[("", "a")], 1, Cause::NotBlank);
    refuses(None, &[("x", "a")], 1, Cause::NoFile);
    refuses(None, &[], 1, Cause::NoFile);
}

#[test]
fn several_edits_follow_one_another() {
    let edits = [replacement("", "a\nb\n"), replacement("b", "c")];
    assert_eq!(after(None, &edits, false).as_deref(), Ok("a\nc\n"));
    refuses(Some("x\n"), &[("x", "y"), ("x", "z")], 2, Cause::NotFound);
    refuses(Some("x\n"), &[("x", "y y"), ("y", "z")], 2, Cause::NotUnique(2));
}

#[test]
fn half_a_unit_at_the_end_of_utf_16_is_dropped() {
    let bytes = [0xff, 0xfe, b'a', 0, 0x00, 0xd8, b'b'];
    assert_eq!(Encoding::of(&bytes).decode(&bytes), "\u{feff}a\u{fffd}");
}

proptest! {
    #[test]
    fn replacing_what_occurs_once_is_plain_replacement(
        head in "[a-c\n\"'“’\\\\u0é😀]{0,12}",
        old in "[a-c\n\"'“’\\\\u0é😀]{1,6}",
        new in "[a-c\n\"'“’\\\\u0é😀$&]{1,6}",
        tail in "[a-c\n\"'“’\\\\u0é😀]{0,12}",
        crlf: bool,
    ) {
        let text = format!("{head}{old}{tail}");
        prop_assume!(text.matches(&old).count() == 1 && old != new);
        let crlf = crlf && text.contains('\n');
        let ends = |text: String| if crlf { text.replace('\n', "\r\n") } else { text };
        let plain = ends(text.replacen(&old, &new, 1));
        let after = after(Some(&ends(text)), &[replacement(&old, &new)], false);
        prop_assert_eq!(after, Ok(plain));
    }

    #[test]
    fn no_edit_panics(text in "[ab\n\r\"“‘'\\\\u0123é😀]{0,16}", old in "[ab\n\"“'\\\\u0123é😀]{0,4}", new in ".{0,4}", everywhere: bool) {
        let _ = after(Some(&text), &[Replacement { old, new, everywhere }], false);
    }
}
