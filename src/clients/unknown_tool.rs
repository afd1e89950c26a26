//! Is a call of a tool that we do not know an edit of a file, and which lines would it bring?
//!
//! Agents gain tools daily (each server brings its own). A call that names a file and carries
//! text is taken for a write whose result is not known; anything else is none of our business.
//! The names below are what such tools call their fields, lower-cased and without `_` and `-`.

use crate::domain::{Line, diff};
use serde_json::{Map, Value};

/// Fields that name the file.
const PATHS: &[&str] = &[
    "absolutepath",
    "dest",
    "destination",
    "destinationpath",
    "destpath",
    "documenturi",
    "file",
    "filename",
    "filepath",
    "fileuri",
    "newpath",
    "notebookpath",
    "outputfile",
    "outputpath",
    "path",
    "relativepath",
    "relativeworkspacepath",
    "savepath",
    "targetfile",
    "targetfilepath",
    "targetpath",
    "uri",
];

/// Fields that hold new text.
const TEXTS: &[&str] = &[
    "body",
    "code",
    "codeedit",
    "content",
    "contents",
    "data",
    "filecontent",
    "filecontents",
    "filetext",
    "insert",
    "inserttext",
    "lines",
    "newcode",
    "newcontent",
    "newcontents",
    "newlines",
    "newsource",
    "newstr",
    "newstring",
    "newtext",
    "replacement",
    "replacementtext",
    "replacewith",
    "snippet",
    "text",
    "textcontent",
    "updatedcontent",
];

/// Fields that hold a diff, in one form or another.
const DIFFS: &[&str] = &["diff", "patch", "unifieddiff"];

/// What an unknown tool brings to one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Target {
    /// The paths given for it; mostly one.
    pub paths: Vec<String>,
    /// Every line of its text fields; numbers start anew with each field.
    pub lines: Vec<Line>,
    // Empty text is text: it empties the file.
    written: bool,
}

/// Returns the files that the call names, each with the text that it carries for them.
#[must_use]
pub fn targets(input: &Map<String, Value>) -> Vec<Target> {
    let mut targets = vec![Target::default()];
    look_into(input, 0, None, &mut targets);
    targets.retain(|target| target.written && !target.paths.is_empty());
    targets
}

/// How the text of a field is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Text {
    /// Every line is new.
    Plain,
    /// If it is a unified diff, its added lines are.
    Diff,
}

impl Text {
    fn of(key: &str) -> Option<Self> {
        match key {
            key if names(TEXTS, key) => Some(Self::Plain),
            key if names(DIFFS, key) => Some(Self::Diff),
            _ => None,
        }
    }
}

/// Looks into an object; what has no path of its own belongs to the file around it.
fn look_into(
    object: &Map<String, Value>,
    outer: usize,
    text: Option<Text>,
    targets: &mut Vec<Target>,
) {
    let mut paths: Vec<String> = object
        .iter()
        .filter(|(key, _)| names(PATHS, key))
        .filter_map(|(_, value)| value.as_str().and_then(file))
        .collect();
    paths.sort_unstable();
    paths.dedup();
    let mut target = outer;
    if !paths.is_empty() {
        target = targets.len();
        targets.push(Target { paths, ..Target::default() });
    }
    // Within text, all is text, unless the object says which of its fields is.
    let inherited = text.filter(|_| !object.keys().any(|key| Text::of(key).is_some()));
    for (key, value) in object.iter().filter(|(key, _)| !names(PATHS, key)) {
        look_at(value, target, Text::of(key).or(inherited), targets);
    }
}

fn look_at(value: &Value, target: usize, text: Option<Text>, targets: &mut Vec<Target>) {
    let string = match (value, text) {
        (Value::Object(object), _) => return look_into(object, target, text, targets),
        (Value::Array(items), text) => match strings(items).filter(|_| text.is_some()) {
            Some(joined) => joined,
            None => return items.iter().for_each(|item| look_at(item, target, text, targets)),
        },
        (Value::String(string), Some(_)) => string.clone(),
        (Value::Number(number), Some(_)) => number.to_string(),
        _ => return,
    };
    if let Some(target) = targets.get_mut(target) {
        target.written = true;
        target.lines.extend(brought(&string, text == Some(Text::Diff)));
    }
}

fn brought(text: &str, diff: bool) -> Vec<Line> {
    let mut lines = diff::numbered(text);
    if diff && lines.iter().any(|line| line.text.starts_with("@@ -")) {
        lines.retain_mut(|line| line.text.starts_with('+') && line.text.remove(0) == '+');
    }
    lines
}

/// Joins a list of lines, with or without their ends.
fn strings(items: &[Value]) -> Option<String> {
    items.iter().try_fold(String::new(), |out, item| {
        let line = item.as_str()?;
        Some(out + line + if line.ends_with('\n') { "" } else { "\n" })
    })
}

fn names(table: &[&str], key: &str) -> bool {
    let plain: String =
        key.chars().filter(|char| !"_-".contains(*char)).flat_map(char::to_lowercase).collect();
    table.binary_search(&plain.as_str()).is_ok()
}

/// Returns the path of a local file: as given, or out of a `file:` address.
fn file(written: &str) -> Option<String> {
    let Some((scheme, rest)) = written.split_once("://") else {
        return Some(written.to_owned()).filter(|path| !path.is_empty());
    };
    if !scheme.eq_ignore_ascii_case("file") {
        return None;
    }
    let path = rest.find('/').and_then(|at| rest.get(at..))?;
    let mut bytes = Vec::with_capacity(path.len());
    for (index, part) in path.split('%').enumerate() {
        let escape = part.split_at_checked(2).filter(|_| index > 0);
        if let Some((digits, rest)) = escape
            && let Ok(byte) = u8::from_str_radix(digits, 16)
        {
            bytes.push(byte);
            bytes.extend_from_slice(rest.as_bytes());
            continue;
        }
        bytes.extend_from_slice(if index > 0 { b"%" } else { b"" });
        bytes.extend_from_slice(part.as_bytes());
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use serde_json::json;

    fn read(input: &Value) -> Vec<(String, Vec<String>)> {
        let targets = targets(input.as_object().unwrap()).into_iter();
        targets
            .map(|target| {
                let lines = target.lines.into_iter();
                let lines = lines.map(|line| format!("{}:{}", line.number, line.text));
                (target.paths.join(" "), lines.collect())
            })
            .collect()
    }

    #[track_caller]
    fn reads(input: &Value, path: &str, lines: &[&str]) {
        let lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        assert_eq!(read(input), [(path.to_owned(), lines)], "{input}");
    }

    #[test]
    fn the_tables_are_sorted() {
        assert!(PATHS.is_sorted());
        assert!(TEXTS.is_sorted());
        assert!(DIFFS.is_sorted());
    }

    #[test]
    fn a_path_with_text_is_a_write() {
        reads(&json!({"path": "a", "text": "x\ny"}), "a", &["1:x", "2:y"]);
        reads(&json!({"TargetFile": "a", "Code_Edit": "x"}), "a", &["1:x"]);
        reads(&json!({"notebook-path": "a", "new_source": ["x\n", "y"]}), "a", &["1:x", "2:y"]);
        reads(&json!({"file": "a", "content": ""}), "a", &[]);
        reads(&json!({"file": "a", "content": 5}), "a", &["1:5"]);
    }

    #[test]
    fn nested_text_belongs_to_the_nearest_path() {
        let edits =
            json!({"path": "a", "edits": [{"oldText": "o", "newText": "x"}, {"newText": "y"}]});
        reads(&edits, "a", &["1:x", "1:y"]);
        let blocks = json!({"path": "a", "content": [{"type": "text", "text": "x"}]});
        reads(&blocks, "a", &["1:x"]);
        let files =
            json!({"files": [{"path": "a", "content": "x"}, {"path": "b", "content": "y"}]});
        let paths: Vec<String> = read(&files).into_iter().map(|(path, _)| path).collect();
        assert_eq!(paths, ["a", "b"]);
    }

    #[test]
    fn a_unified_diff_brings_its_added_lines() {
        let diff = "--- a\n+++ b\n@@ -1 +1,2 @@\n-old\n kept\n+new";
        reads(&json!({"path": "a", "diff": diff}), "a", &["2:++ b", "6:new"]);
        reads(&json!({"path": "a", "diff": "=======\nnew"}), "a", &["1:=======", "2:new"]);
        // Elsewhere such a line is a line like others.
        reads(&json!({"path": "a", "content": "@@ -\nx"}), "a", &["1:@@ -", "2:x"]);
    }

    #[test]
    fn what_reads_or_runs_is_no_edit() {
        for input in [
            json!({"file_path": "a", "offset": 1, "limit": 2}),
            json!({"pattern": "x", "path": "src", "glob": "*.rs"}),
            json!({"path": "src", "query": "x"}),
            json!({"command": "cat a", "description": "x"}),
            json!({"description": "x", "prompt": "y", "subagent_type": "z"}),
            json!({"url": "https://x.test/", "prompt": "y"}),
            json!({"todos": [{"content": "x"}]}),
            json!({"code": "x"}),
            json!({"uri": "https://x.test/a", "body": "x"}),
            json!({"path": 5, "content": "x"}),
        ] {
            assert_eq!(read(&input), [], "{input}");
        }
    }

    #[test]
    fn a_file_address_is_a_path() {
        for (uri, path) in [
            ("file:///a/b%20c", "/a/b c"),
            ("FILE://localhost/a", "/a"),
            ("file:///100%/%zz", "/100%/%zz"),
        ] {
            reads(&json!({"uri": uri, "text": "x"}), path, &["1:x"]);
        }
    }
}
