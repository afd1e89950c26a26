//! What an unknown tool may change, by what it is called with.

#![allow(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::domain::RepoPath;
use serde_json::json;

/// A project with `src/b.py` and `.git/config`.
struct Project;

impl Files for Project {
    fn place(&self, written: &str) -> Result<Place, String> {
        let path = written.strip_prefix("/r/").unwrap_or(written);
        let outside = || Place::Outside(path.to_owned());
        Ok(RepoPath::new(path).map_or_else(outside, Place::Inside))
    }

    fn exists(&self, path: &str) -> bool {
        self.place(path).is_ok_and(|place| self.read(&place) != Stored::Absent)
    }

    fn read(&self, place: &Place) -> Stored {
        match place.as_str() {
            "src/b.py" => Stored::Bytes(b"x\ny\n".to_vec()),
            "src" | ".git" | ".git/hooks" => Stored::Unknown("a folder stands there".to_owned()),
            _ => Stored::Absent,
        }
    }
}

/// Returns place and lines of each change: `-` before one that is deleted.
fn read(tool: &str, input: &Value) -> Vec<String> {
    let call = Call { tool, own_name: tool, input: input.as_object().unwrap() };
    let mut read: Vec<String> = changes(call, &Project)
        .unwrap()
        .iter()
        .map(|change| {
            let lines = change.added.iter().map(|line| format!(" {}:{}", line.number, line.text));
            let sign = if change.deletes() { "-" } else { "" };
            format!("{sign}{}{}", change.place, lines.collect::<String>())
        })
        .collect();
    read.sort_unstable();
    read
}

#[track_caller]
fn reads(input: &Value, changes: &[&str]) {
    assert_eq!(read("t", input), changes, "{input}");
}

#[test]
fn a_path_with_text_is_a_write() {
    for (input, change) in [
        (json!({"path": "a", "text": "x\ny"}), "a 1:x 2:y"),
        (json!({"TargetFile": "a", "Code_Edit": "x"}), "a 1:x"),
        (json!({"notebook-path": "a", "new_source": ["x\n", "y"]}), "a 1:x 2:y"),
        (json!({"file": "a", "content": ""}), "a"),
        (json!({"file": "a", "content": 5}), "a 1:5"),
        (json!({"pathInProject": "a", "oldText": "o", "newText": "n"}), "a 1:n"),
        (json!({"relative_path": "a", "needle": "o", "repl": "n"}), "a 1:n"),
        (json!({"uri": "file:///r/a%62", "text": "x"}), "a%62 1:x ab 1:x"),
        (json!({"location": "a.py", "payload": "x"}), "a.py 1:x"),
        (json!({"what": "src/b.py", "how": "x"}), "src/b.py 1:x"),
        (json!({"what": ".solvi/a", "how": "x"}), ".solvi/a 1:x"),
        (json!({"input": "{\"path\": \"a\", \"content\": \"x\"}"}), "a 1:x"),
        (
            json!({"data": "{\"path\": \"a\", \"text\": \"x\"}"}),
            "a 1:x 1:{\"path\": \"a\", \"text\": \"x\"}",
        ),
        (json!({"args": {"deep": [{"path": "a"}]}, "body": "x"}), "a 1:x"),
        (json!({"path": "a", "content": "eA==", "encoding": "base64"}), "a 1:x 1:eA=="),
        (json!({"path": "a", "content": [120, 10, 121, 10]}), "a 1:x 2:y"),
        (json!({"path": "a", "message": "x"}), "a 1:x"),
        (json!({"path": "a", "content": "x", "message": "why"}), "a 1:x"),
    ] {
        assert_eq!(read("t", &input).join(" "), change, "{input}");
    }
}

#[test]
fn each_path_counts() {
    reads(&json!({"paths": ["a", "b"], "text": "x"}), &["a 1:x", "b 1:x"]);
    reads(&json!({"files": {"a.py": "x", "src/c": {"content": "y"}}}), &["a.py 1:x", "src/c 1:y"]);
    reads(&json!({"directory": "src", "name": "c", "text": "x"}), &["src", "src/c 1:x"]);
    reads(&json!({"projectPath": "/r/src", "file": "c"}), &["c", "src/c"]);
    let files = json!({"files": [{"path": "a", "content": "x"}, {"path": "b", "content": "y"}]});
    reads(&files, &["a 1:x", "b 1:y"]);
    let apart = json!({"file": {"path": "a"}, "change": {"text": "x"}});
    reads(&apart, &["a 1:x"]);
    let patch = "--- a/src/b.py\n+++ b/src/b.py\n@@ -1 +1 @@\n-x\n+z\n";
    reads(&json!({"patch": patch}), &["src/b.py 5:z"]);
}

#[test]
fn nested_text_belongs_to_the_nearest_path() {
    let edits = json!({"path": "a", "edits": [{"oldText": "o", "newText": "x"}, {"newText": "y"}]});
    reads(&edits, &["a 1:x 1:y"]);
    let blocks = json!({"path": "a", "content": [{"type": "text", "text": "x"}]});
    reads(&blocks, &["a 1:x"]);
}

#[test]
fn what_reads_or_runs_or_talks_is_no_edit() {
    for (tool, input) in [
        ("grep", json!({"pattern": "x", "glob": "*.rs"})),
        ("t", json!({"command": "cat a", "description": "x"})),
        ("t", json!({"description": "x", "prompt": "y", "subagent_type": "z"})),
        ("t", json!({"url": "https://x.test/", "prompt": "y"})),
        ("t", json!({"todos": [{"content": "x"}]})),
        ("t", json!({"code": "x"})),
        ("t", json!({"uri": "https://x.test/a", "body": "x"})),
        ("t", json!({"repo": "owner/name", "title": "a/b", "body": "x"})),
        ("t", json!({"from": "A", "to": "B", "text": "x"})),
        ("t", json!({"path": 5, "content": "x"})),
        ("t", json!({"method": "POST", "path": "/api/x", "body": "x"})),
        ("read_file", json!({"path": "a"})),
        ("create_review", json!({"comments": [{"path": "a", "body": "x"}]})),
        ("run", json!({"command": "/bin/sh", "script": "src/b.py"})),
    ] {
        assert_eq!(read(tool, &input), [""; 0], "{tool} {input}");
    }
}

#[test]
fn what_goes_away_and_what_moves_is_told_by_the_name() {
    let input = json!({"path": "src/b.py"});
    assert_eq!(read("delete_file", &input), ["-src/b.py"]);
    let ends = json!({"source": "src/b.py", "destination": "c"});
    assert_eq!(read("move_file", &ends), ["-src/b.py", "c"]);
    assert_eq!(read("copy_file", &ends), ["c 1:x 2:y"]);
    let into = json!({"from": "src/b.py", "to": ".git/hooks"});
    assert_eq!(read("mv", &into), ["-src/b.py", ".git/hooks", ".git/hooks/b.py"]);
    let name = json!({"path": "src/b.py", "newName": "c.py"});
    assert_eq!(read("rename_file", &name), ["-src/b.py", "src/c.py"]);
}
