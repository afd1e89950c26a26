//! What do `Edit`, `Write`, `MultiEdit` and `NotebookEdit` make of a file, by their input?
//!
//! Each call becomes one change. Where the client would refuse it, or the file cannot be read,
//! the file after it is unknown and the lines of the new text are judged by themselves.

use super::claude_edit::{self, Encoding, Replacement};
use super::fields::{Fields, PayloadError, has};
use super::notebook::{self, CellEdit, Mode};
use crate::domain::{Change, Files, Place, Stored, diff};
use serde_json::{Map, Value};

pub(super) const EDIT: &str = "Edit";
const WRITE: &str = "Write";
const MULTI_EDIT: &str = "MultiEdit";
const NOTEBOOK_EDIT: &str = "NotebookEdit";

/// The tools whose input is read here.
pub(super) const TOOLS: [&str; 4] = [EDIT, WRITE, MULTI_EDIT, NOTEBOOK_EDIT];

// The names of fields, the client's own first.
const PATH: &[&str] = &["file_path", "path"];
const NOTEBOOK_PATH: &[&str] = &["notebook_path", "file_path", "path"];
const CONTENT: &[&str] = &["content"];
const OLD: &[&str] = &["old_string", "old_str"];
const NEW: &[&str] = &["new_string", "new_str"];
const EVERYWHERE: &[&str] = &["replace_all", "replace_name"];
const EDITS: &str = "edits";
const SOURCE: &[&str] = &["new_source"];

/// Returns what an edit of a file really is, by its fields: they decide, not the tool's name.
pub(super) fn shape(tool: &str, input: &Map<String, Value>) -> Option<&'static str> {
    if has(input, CONTENT) && (tool == WRITE || !(has(input, OLD) || has(input, &[EDITS]))) {
        Some(WRITE)
    } else if has(input, &[EDITS]) {
        Some(MULTI_EDIT)
    } else if has(input, NEW) {
        Some(EDIT)
    } else {
        None
    }
}

/// Tells whether an input names a file and what becomes of it.
pub(super) fn is_complete(tool: &str, input: &Map<String, Value>) -> bool {
    if tool == NOTEBOOK_EDIT {
        return has(input, NOTEBOOK_PATH) && has(input, SOURCE);
    }
    has(input, PATH) && shape(tool, input).is_some()
}

/// Reads the input of one of these tools.
pub(super) fn change(
    tool: &str,
    input: Map<String, Value>,
    files: &dyn Files,
) -> Result<Change, PayloadError> {
    let form = if tool == NOTEBOOK_EDIT { tool } else { shape(tool, &input).unwrap_or(tool) };
    let mut input = Fields::new("tool_input", input);
    if form == NOTEBOOK_EDIT {
        return cell_edit(tool, &mut input, files);
    }
    let path = input.path(PATH)?;
    let place = place(&path, files)?;
    let stored = files.read(&place);
    let edits = match form {
        WRITE => return Ok(write(tool, place, input.text(CONTENT)?, stored)),
        MULTI_EDIT => {
            input.objects(EDITS)?.into_iter().map(replacement).collect::<Result<Vec<_>, _>>()?
        }
        _ => vec![replacement(input)?],
    };
    let notebook = path.rsplit_once('.').is_some_and(|(_, ending)| ending == "ipynb");
    Ok(edit(tool, place, &edits, notebook, stored))
}

pub(super) fn place(written: &str, files: &dyn Files) -> Result<Place, PayloadError> {
    files.place(written).map_err(PayloadError)
}

/// The byte order mark.
pub(super) const MARK: char = '\u{feff}';

fn write(tool: &str, place: Place, content: String, stored: Stored) -> Change {
    match stored {
        Stored::Absent => Change::of_text(tool, place, "", content),
        Stored::Bytes(bytes) => {
            let before = Encoding::of(&bytes).decode(&bytes);
            let change = Change::of_text(tool, place, kept_lines(&before, &content), content);
            in_bytes(change, &bytes)
        }
        Stored::Unknown(why) => {
            Change { unsure: Some(why), ..Change::of_text(tool, place, "", content) }
        }
    }
}

/// Returns the file before a write as its lines are compared: the first line is not new because
/// its byte order mark goes.
pub(super) fn kept_lines<'a>(before: &'a str, after: &str) -> &'a str {
    before.strip_prefix(MARK).filter(|_| !after.starts_with(MARK)).unwrap_or(before)
}

/// Adds the other readings of a file that the client keeps in UTF-16.
fn in_bytes(change: Change, before: &[u8]) -> Change {
    let encoding = Encoding::of(before);
    match change.after.text() {
        Some(after) if encoding != Encoding::Utf8 => {
            let after = encoding.encode(after);
            change.written_as(before, after)
        }
        _ => change,
    }
}

fn replacement(mut fields: Fields) -> Result<Replacement, PayloadError> {
    Ok(Replacement {
        old: fields.text(OLD)?,
        new: fields.text(NEW)?,
        everywhere: fields.flag(EVERYWHERE)?,
    })
}

fn edit(tool: &str, place: Place, edits: &[Replacement], notebook: bool, stored: Stored) -> Change {
    let lines = || edits.iter().flat_map(|edit| diff::added(&edit.old, &edit.new)).collect();
    let bytes = match stored {
        Stored::Absent => None,
        Stored::Bytes(bytes) => Some(bytes),
        Stored::Unknown(why) => {
            let unsure = Some(why.clone());
            return Change { unsure, ..Change::of_lines(tool, place, lines(), why) };
        }
    };
    let before = bytes.as_deref().map(|bytes| Encoding::of(bytes).decode(bytes));
    match claude_edit::after(before.as_deref(), edits, notebook) {
        Ok(after) => {
            let text = before.as_deref().unwrap_or_default();
            let change = Change::of_text(tool, place, text, after);
            in_bytes(change, bytes.as_deref().unwrap_or_default())
        }
        Err(refusal) => Change::of_lines(tool, place, lines(), refusal.to_string()),
    }
}

fn cell_edit(tool: &str, input: &mut Fields, files: &dyn Files) -> Result<Change, PayloadError> {
    let place = place(&input.path(NOTEBOOK_PATH)?, files)?;
    let mode = match input.text_if_any(&["edit_mode"])?.as_deref() {
        None | Some("replace") => Mode::Replace,
        Some("insert") => Mode::Insert,
        Some("delete") => Mode::Delete,
        Some(_) => {
            return Err(input.complain(&["edit_mode"], "unknown", "replace, insert or delete"));
        }
    };
    let cell = input.text_if_any(&["cell_id"])?;
    input.text_if_any(&["cell_type"])?;
    let source = match mode {
        Mode::Delete => String::new(),
        Mode::Replace | Mode::Insert => input.text(SOURCE)?,
    };
    let stored = files.read(&place);
    Ok(notebook::change(tool, place, &CellEdit { mode, cell, source }, &stored))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::domain::{Content, Numbering, RepoPath};
    use serde_json::json;

    /// A project where one thing stands at every place.
    struct Everywhere(Stored);

    impl Files for Everywhere {
        fn place(&self, written: &str) -> Result<Place, String> {
            let outside = || Place::Outside(written.to_owned());
            Ok(RepoPath::new(written).map_or_else(outside, Place::Inside))
        }

        fn read(&self, _place: &Place) -> Stored {
            self.0.clone()
        }
    }

    fn text(text: &str) -> Stored {
        Stored::Bytes(text.as_bytes().to_vec())
    }

    fn read(tool: &str, input: &Value, stored: &Stored) -> Result<Change, PayloadError> {
        change(tool, input.as_object().unwrap().clone(), &Everywhere(stored.clone()))
    }

    fn numbered(change: &Change) -> Vec<String> {
        change.added.iter().map(|line| format!("{}:{}", line.number, line.text)).collect()
    }

    /// Holds a call against the text that it should leave and the lines that it should add.
    #[track_caller]
    fn leaves(tool: &str, mut input: Value, stored: &Stored, after: &str, added: &[&str]) {
        input["file_path"] = "f".into();
        let change = read(tool, &input, stored).unwrap();
        assert_eq!(change.after, Content::Text(after.to_owned()));
        assert_eq!(change.numbering, Numbering::File);
        assert_eq!(numbered(&change), added);
        assert_eq!((change.tool.as_str(), change.place.as_str()), (tool, "f"));
    }

    /// Holds a call whose outcome is unknown against the lines that it should add.
    #[track_caller]
    fn leaves_unknown(tool: &str, mut input: Value, stored: &Stored, why: &str, added: &[&str]) {
        input["file_path"] = "f".into();
        let change = read(tool, &input, stored).unwrap();
        assert_eq!(change.after, Content::Unknown(why.to_owned()));
        assert_eq!(change.numbering, Numbering::NewText);
        assert_eq!(numbered(&change), added);
    }

    #[track_caller]
    fn fails(tool: &str, input: &Value, error: &str) {
        let result = read(tool, input, &Stored::Absent);
        assert_eq!(result, Err(PayloadError(format!("`tool_input.{error} was expected."))));
    }

    /// What a recorded case says of a file: its text, its bytes in base 64, that it is a folder,
    /// or that there is none.
    fn recorded(file: &Value) -> Stored {
        const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let coded = match file {
            Value::Null => return Stored::Absent,
            Value::String(text) => return Stored::Bytes(text.clone().into_bytes()),
            coded => match coded["base64"].as_str() {
                Some(coded) => coded,
                None => return Stored::Unknown("it is a folder".to_owned()),
            },
        };
        let digit = |char: u8| DIGITS.iter().position(|digit| *digit == char);
        let bits: Vec<usize> = coded
            .bytes()
            .map_while(digit)
            .flat_map(|six| (0..6).rev().map(move |bit| (six >> bit) & 1))
            .collect();
        let byte = |bits: &[usize]| bits.iter().fold(0, |byte, bit| byte << 1 | bit);
        Stored::Bytes(bits.chunks_exact(8).map(|bits| byte(bits).try_into().unwrap()).collect())
    }

    #[test]
    fn every_recorded_call_ends_as_it_did_with_the_client() {
        let cases = include_str!("../../tests/vectors/claude-edit-cases.json");
        let cases: Vec<Value> = serde_json::from_str(cases).unwrap();
        // Refused for what happened in the session, or for a field that the client does not
        // know: nothing is wrong with these edits.
        let sound = ["extra.txt", "unread.txt", "target3.txt", "bash.txt", "wr.txt", "alias.txt"];
        let (mut written, mut refused, mut not_ours) = (0, 0, 0);
        for case in &cases {
            let tool = case["tool"].as_str().unwrap();
            let before = recorded(&case["before"]);
            if let Some(input) = case.get("tool_input") {
                let change = read(tool, input, &before).unwrap();
                let encoding = match &before {
                    Stored::Bytes(bytes) => Encoding::of(bytes),
                    _ => Encoding::Utf8,
                };
                let bytes = encoding.encode(change.after.text().unwrap());
                assert_eq!(Stored::Bytes(bytes), recorded(&case["after"]), "{input}");
                written += 1;
                continue;
            }
            let sent = &case["sent"];
            let path = sent["file_path"].as_str().or(sent["path"].as_str()).unwrap();
            if sound.iter().any(|name| path.ends_with(name)) {
                not_ours += 1;
                continue;
            }
            let known = read(tool, sent, &before).is_ok_and(|change| change.after.text().is_some());
            assert!(!known, "{sent}");
            refused += 1;
        }
        assert_eq!((written, refused, not_ours), (104, 22, 8));
    }

    #[test]
    fn several_edits_follow_one_another() {
        let edits = json!({"edits": ["no edit",
            {"old_string": "one", "new_string": "two two"},
            {"old_string": "two", "new_string": "x", "replace_all": true}]});
        leaves("MultiEdit", edits, &text("one\r\ntwo\r\n"), "x x\r\nx\r\n", &["1:x x", "2:x"]);
        let edits = json!({"edits": [{"old_string": "", "new_string": "a\nb\n"},
            {"old_string": "a", "new_string": "c"}]});
        leaves("MultiEdit", edits, &Stored::Absent, "c\nb\n", &["1:c", "2:b"]);
        leaves("MultiEdit", json!({"edits": []}), &text("a\n"), "a\n", &[]);
    }

    #[test]
    fn what_an_edit_leaves_alone_is_not_new() {
        let edit = json!({"old_string": "x", "new_string": "y"});
        leaves("Edit", edit.clone(), &text("a\r\nb\nx\r\n"), "a\r\nb\r\ny\r\n", &["3:y"]);
        leaves(
            "Edit",
            edit.clone(),
            &Stored::Bytes(b"\xe9\nx\n".into()),
            "\u{fffd}\ny\n",
            &["2:y"],
        );
        let wide = Stored::Bytes(b"\xff\xfea\0\n\0x\0".into());
        leaves("Edit", edit, &wide, "\u{feff}a\ny", &["2:y"]);
        leaves("Write", json!({"content": "a\ny"}), &wide, "a\ny", &["2:y"]);
        leaves("Write", json!({"content": "a\nb\n"}), &text("\u{feff}a\r\n"), "a\nb\n", &["2:b"]);
        leaves(
            "Write",
            json!({"content": "\u{feff}a\n"}),
            &text("\u{feff}a\n"),
            "\u{feff}a\n",
            &[],
        );
    }

    #[test]
    fn the_fields_decide_what_a_call_is() {
        let all = json!({"content": "a\n", "old_string": "x", "new_string": "y"});
        for (tool, input, after, added) in [
            ("Edit", json!({"content": "a\n"}), "a\n", "1:a"),
            ("Write", all.clone(), "a\n", "1:a"),
            ("Edit", all, "y\n", "1:y"),
            ("Write", json!({"old_string": "x", "new_string": "y"}), "y\n", "1:y"),
            ("Edit", json!({"content": null, "old_str": "x", "new_str": "y"}), "y\n", "1:y"),
            ("Edit", json!({"edits": [{"old_string": "x", "new_string": "y"}]}), "y\n", "1:y"),
        ] {
            leaves(tool, input, &text("x\n"), after, &[added]);
        }
        let other_names = json!({"path": "f", "old_str": "x", "new_str": "y"});
        assert_eq!(read("Edit", &other_names, &text("x")).unwrap().after.text(), Some("y"));
    }

    #[test]
    fn replace_all_means_what_it_says() {
        let file = text("x\nx\n");
        for all in [
            json!({"replace_all": true}),
            json!({"replace_all": "true"}),
            json!({"replace_name": true}),
        ] {
            let mut edit = all;
            edit["old_string"] = "x".into();
            edit["new_string"] = "y".into();
            leaves("Edit", edit, &file, "y\ny\n", &["1:y", "2:y"]);
        }
        for all in [json!(false), json!("false"), json!(null)] {
            let edit = json!({"old_string": "x", "new_string": "y", "replace_all": all});
            let why = "the client refuses this edit: the file contains `old_string` 2 times, \
                and `replace_all` is not set";
            leaves_unknown("Edit", edit, &file, why, &["1:y"]);
        }
    }

    #[test]
    fn the_new_lines_of_a_refused_edit_are_judged() {
        let edit = |old: &str, new: &str| json!({"old_string": old, "new_string": new});
        let why = "the client refuses this edit: the file does not contain `old_string`";
        leaves_unknown("Edit", edit("keep\nold", "keep\nnew"), &text("x\n"), why, &["2:new"]);
        let why = "the client refuses this edit: there is no such file";
        leaves_unknown("Edit", edit("x", "y"), &Stored::Absent, why, &["1:y"]);
        let edits = json!({"edits": [edit("x", "q\nr"), edit("nope", "s")]});
        let why =
            "the client refuses this edit: in its part 2, the file does not contain `old_string`";
        leaves_unknown("MultiEdit", edits, &text("x\n"), why, &["1:q", "2:r", "1:s"]);
    }

    #[test]
    fn a_file_that_cannot_be_read_leaves_us_unsure() {
        let folder = Stored::Unknown("it is a folder".to_owned());
        let edit = json!({"file_path": "f", "old_string": "a\nb", "new_string": "a\nc"});
        leaves_unknown("Edit", edit.clone(), &folder, "it is a folder", &["2:c"]);
        leaves("Write", json!({"content": "a\n"}), &folder, "a\n", &["1:a"]);
        for (tool, input) in [("Edit", edit), ("Write", json!({"path": "f", "content": ""}))] {
            let change = read(tool, &input, &folder).unwrap();
            assert_eq!(change.unsure.as_deref(), Some("it is a folder"));
        }
    }

    #[test]
    fn a_notebook_is_judged_by_its_cell() {
        let notebook = text(r#"{"cells": [{"id": "a", "source": "x\ny"}]}"#);
        let cell = json!({"notebook_path": "n.ipynb", "cell_id": "a", "new_source": "x\nz"});
        let change = read("NotebookEdit", &cell, &notebook).unwrap();
        assert_eq!(numbered(&change), ["2:z"]);
        let gone = json!({"notebook_path": "n.ipynb", "cell_id": "a", "edit_mode": "delete"});
        assert_eq!(numbered(&read("NotebookEdit", &gone, &notebook).unwrap()), [""; 0]);
        assert!(is_complete("NotebookEdit", cell.as_object().unwrap()));
    }

    #[test]
    fn a_field_that_is_missing_or_wrong_is_named() {
        let write = |path: Value, content: Value| json!({"file_path": path, "content": content});
        fails("Write", &write(json!(null), json!("")), "file_path` is missing; a string");
        fails("Write", &write(json!(5), json!("")), "file_path` is a number; a string");
        fails("Write", &write(json!(""), json!("")), "file_path` is empty; the path of a file");
        fails("Write", &write(json!("f"), json!(5)), "content` is a number; a string");
        fails("Write", &json!({"file_path": "f"}), "content` is missing; a string");
        let edit = |old: Value, new: Value, all: Value| json!({"path": "f", "old_string": old, "new_string": new, "replace_all": all});
        fails(
            "Edit",
            &edit(json!("x"), json!(null), json!(false)),
            "new_string` is missing; a string",
        );
        fails("Edit", &edit(json!([]), json!(""), json!(false)), "old_string` is a list; a string");
        fails(
            "Edit",
            &edit(json!("x"), json!(""), json!(1)),
            "replace_all` is a number; true or false",
        );
        fails(
            "Edit",
            &edit(json!("x"), json!(""), json!("no")),
            "replace_all` is a string; true or false",
        );
        let edits = |edits: Value| json!({"file_path": "f", "edits": edits});
        fails("MultiEdit", &edits(json!({})), "edits` is an object; a list");
        let second = json!([1, {"old_string": "x"}]);
        fails("MultiEdit", &edits(second), "edits[1].new_string` is missing; a string");
        let cell = |mode: Value| json!({"notebook_path": "n", "edit_mode": mode});
        fails(
            "NotebookEdit",
            &cell(json!("x")),
            "edit_mode` is unknown; replace, insert or delete",
        );
        fails("NotebookEdit", &cell(json!(null)), "new_source` is missing; a string");
    }
}
