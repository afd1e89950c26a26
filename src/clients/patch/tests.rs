//! A patch in any of the forms that agents write is read into changes.

#![allow(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::domain::{Numbering, RepoPath};
use proptest::prelude::*;

/// Files by their path; a text that starts with `?` says why a file cannot be read.
struct Table<'a>(&'a [(&'a str, &'a str)]);

impl Files for Table<'_> {
    fn place(&self, written: &str) -> Result<Place, String> {
        RepoPath::new(written).map(Place::Inside).ok_or_else(|| "no such place.".to_owned())
    }

    fn read(&self, place: &Place) -> Stored {
        let found = self.0.iter().find(|(path, _)| *path == place.as_str());
        found.map_or(Stored::Absent, |(_, text)| match text.strip_prefix('?') {
            Some(why) => Stored::Unknown(why.to_owned()),
            None => Stored::Bytes(text.as_bytes().to_vec()),
        })
    }
}

fn read(files: &[(&str, &str)], sections: &str) -> Result<Vec<Change>, PatchError> {
    let text = format!("apply_patch <<'EOF'\n{MARKER}\n{sections}*** End Patch\nEOF\n");
    changes("apply_patch", &[&text], &Table(files))
}

fn numbered(change: &Change) -> Vec<String> {
    change.added.iter().map(|line| format!("{}:{}", line.number, line.text)).collect()
}

/// Holds an update of `f` against the text and the added lines that it should give.
#[track_caller]
fn updates(before: &str, hunks: &str, after: &str, added: &[&str]) {
    let changes = read(&[("f", before)], &format!("*** Update File: f\n{hunks}")).unwrap();
    assert_eq!(changes.len(), 1);
    assert_eq!(changes[0].after, Content::Text(after.to_owned()));
    assert_eq!(numbered(&changes[0]), added);
    assert_eq!(changes[0].numbering, Numbering::File);
}

#[track_caller]
fn leaves_unknown(files: &[(&str, &str)], hunks: &str, added: &[&str]) -> Change {
    let mut changes = read(files, &format!("*** Update File: f\n{hunks}")).unwrap();
    assert!(matches!(changes[0].after, Content::Unknown(_)));
    assert_eq!(numbered(&changes[0]), added);
    assert_eq!(changes[0].numbering, Numbering::NewText);
    changes.remove(0)
}

#[test]
fn hunks_are_carried_out_in_order() {
    updates(
        "a\nb\nc\nd\n",
        "@@\n-a\n+A\n+AA\n@@\n c\n-d\n+D\n",
        "A\nAA\nb\nc\nD\n",
        &["1:A", "2:AA", "5:D"],
    );
    updates("a\nb\n", " a\n+x\n", "a\nx\nb\n", &["2:x"]);
    updates("a\n\nb\n", "@@\n a\n\n+x\n", "a\n\nx\nb\n", &["3:x"]);
    updates("a\n", "", "a\n", &[]);
}

#[test]
fn a_hunk_without_old_lines_is_put_at_the_end() {
    updates("a\nb\n", "@@\n+x\n@@\n-a\n", "b\nx\n", &["2:x"]);
    updates("", "@@\n+x\n", "x\n", &["1:x"]);
}

#[test]
fn a_header_leads_the_search_on_where_it_is_a_line() {
    let twice = "f:\n x\ng:\n x\n";
    updates(twice, "@@ g:\n- x\n+ y\n", "f:\n x\ng:\n y\n", &["4: y"]);
    updates(twice, "@@ -1,2 +1,2 @@\n- x\n+ y\n", "f:\n y\ng:\n x\n", &["2: y"]);
}

#[test]
fn the_line_ends_of_the_file_stay() {
    updates("a\r\nb\r\n", "@@\n a\n+x\n", "a\r\nx\r\nb\r\n", &["2:x"]);
    updates("a\r\nb\n", "@@\r\n b\r\n+x\r\n", "a\r\nb\nx\r\n", &["3:x"]);
    updates("a\nb", "@@\n b\n+x\n*** End of File\n", "a\nb\nx", &["3:x"]);
    updates("a\r\nb", "@@\n-b\n", "a", &[]);
}

#[test]
fn lines_that_are_not_found_leave_the_file_unknown() {
    let file = [("f", "a\nb\n")];
    leaves_unknown(&file, "@@\n nope\n+x\n@@\n b\n+y\n", &["1:x", "2:y"]);
    leaves_unknown(&file, "@@\n-b\n+x\n@@\n-a\n+y\n", &["1:x", "2:y"]);
    leaves_unknown(&file, "@@\n a \n+x\n", &["1:x"]);
    let missing = leaves_unknown(&[], "@@\n+x\n", &["1:x"]);
    assert_eq!(missing.unsure, None);
    let unread = leaves_unknown(&[("f", "?a folder")], "@@\n+x\n", &["1:x"]);
    assert_eq!(unread.unsure.as_deref(), Some("a folder"));
}

#[test]
fn an_added_file_is_held_against_what_it_replaces() {
    let changes = read(&[("f", "a\n")], "*** Add File: f\n+a\nb\n").unwrap();
    assert_eq!(changes[0].after, Content::Text("a\nb\n".to_owned()));
    assert_eq!(numbered(&changes[0]), ["2:b"]);
    let changes = read(&[("f", "?a folder")], "*** Add File: f\n+a\n").unwrap();
    assert_eq!(changes[0].unsure.as_deref(), Some("a folder"));
}

#[test]
fn a_move_deletes_its_source_and_changes_its_target() {
    let moved = "*** Update File: f\n*** Move to: g\n";
    for (hunks, after, added) in [("", "a\n", vec![]), ("@@\n a\n+b\n", "a\nb\n", vec!["2:b"])] {
        let changes = read(&[("f", "a\n")], &format!("{moved}{hunks}")).unwrap();
        let [source, target] = changes.as_slice() else { panic!("{changes:?}") };
        assert!(source.deletes() && source.place.as_str() == "f");
        assert_eq!(target.place.as_str(), "g");
        assert_eq!(target.moved_from.as_ref(), Some(&source.place));
        assert_eq!(target.after, Content::Text(after.to_owned()));
        assert_eq!(numbered(target), added);
    }
    // What moves along is not known, so nothing can be said of it.
    let changes = read(&[], &format!("{moved}@@\n+b\n")).unwrap();
    assert!(changes[1].unsure.is_some());
}

#[test]
fn sections_of_one_file_follow_one_another() {
    let changes = read(
        &[],
        "*** Add File: f\n+a\n*** Update File: f\n@@\n-a\n+b\n*** Delete File: f\n*** Add File: f\n+b\n",
    )
    .unwrap();
    let after: Vec<_> = changes.iter().map(|change| change.after.text()).collect();
    assert_eq!(after, [Some("a\n"), Some("b\n"), None, Some("b\n")]);
    assert_eq!(numbered(&changes[1]), ["1:b"]);
    assert!(changes[2].deletes());
    assert_eq!(numbered(&changes[3]), ["1:b"]);
}

#[test]
fn only_a_line_of_an_update_may_look_like_an_indented_header() {
    let changes = read(&[], "*** Add File: f\n+a\n  *** Add File: g\n+b\n").unwrap();
    assert_eq!(changes[1].place.as_str(), "g");
    updates(" *** Add File: g\n", "@@\n  *** Add File: g\n+x\n", " *** Add File: g\nx\n", &["2:x"]);
}

#[test]
fn a_section_after_the_end_of_a_patch_still_counts() {
    let two = "*** Add File: f\n+a\n*** End Patch\nEOF\nls\n*** Begin Patch\n*** Add File: g\n+b\n";
    let changes = read(&[], two).unwrap();
    assert_eq!(changes[0].after.text(), Some("a\n"));
    assert_eq!(changes[1].after.text(), Some("b\n"));
}

#[test]
fn a_patch_that_names_no_file_is_an_error() {
    for (sections, error) in [
        ("", PatchError::NoSection),
        ("+x\n", PatchError::NoSection),
        ("*** Add File: \n+x\n", PatchError::NoPath("*** Add File:")),
        ("*** Update File: f\n*** Move to:\n", PatchError::NoPath("*** Move to:")),
        ("*** Add File: f\n*** Move to: g\n", PatchError::StrayMove),
        ("*** Delete File: ../f\n", PatchError::Place("no such place.".to_owned())),
    ] {
        assert_eq!(read(&[], sections), Err(error));
    }
}

proptest! {
    #[test]
    fn no_patch_panics_and_what_it_finds_comes_out(
        before in "([ab]?\r?\n){0,6}[ab]?",
        lines in proptest::collection::vec("(@@|@@ a|[ +-]?[ab]?|\\*\\*\\* (Add|Update) File: f|\\*\\*\\* Move to: g)\r?", 0..9),
    ) {
        let sections = format!("*** Update File: f\n{}\n", lines.join("\n"));
        let found = [("f", before.as_str())];
        for change in read(&found, &sections).unwrap_or_default() {
            let Content::Text(after) = change.after else { continue };
            for line in change.added {
                prop_assert_eq!(diff::lines(&after).nth(line.number - 1), Some(line.text.as_str()));
            }
        }
    }
}
