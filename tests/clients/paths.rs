//! Which file does each client write for a path? `tests/vectors/path-cases.jsonl` holds what was
//! seen: the clients are run without us, and the whole closed world is searched for what they wrote.
//!
//! A few rows of each client are checked at each run. `SOLVI_PATHS=all` checks every row,
//! `SOLVI_PATHS=record` writes down what is seen now.

use super::house::House;
use super::limited::Ran;
use super::mock::{Mock, Say, Wire, call, patch};
use super::{claude, codex, copilot, gemini, mock, pi};
use serde_json::{Value, json};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

const TABLE: &str = "tests/vectors/path-cases.jsonl";

/// Every fifth row is checked at each run.
const STEP: usize = 5;

/// How many rows one session takes: after 30 turns a client may wonder whether it goes in circles.
const MOST: usize = 25;

struct Table {
    layout: Value,
    rows: Vec<Value>,
}

impl Table {
    fn read() -> Self {
        let text = fs::read_to_string(path()).unwrap();
        let mut lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        Self { layout: lines.next().unwrap()["layout"].take(), rows: lines.collect() }
    }

    fn write(&self) {
        let layout = json!({"layout": self.layout}).to_string();
        let lines = [layout].into_iter().chain(self.rows.iter().map(Value::to_string));
        let text: String = lines.map(|line| line + "\n").collect();
        fs::write(path(), escaped(&text)).unwrap();
    }
}

/// Writes what nobody would see as an escape.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for char in text.chars() {
        match char {
            ' '..='~' | '\n' => out.push(char),
            char => {
                for unit in char.encode_utf16(&mut [0; 2]) {
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
        }
    }
    out
}

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(TABLE)
}

fn leaked(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}

/// Makes what the rows of a client need, and returns a session of its calls.
fn lay_out(house: &House, layout: &Value, rows: &[&Value]) {
    let put = |path: &str, text: &str| match path.strip_prefix("{HOME}/") {
        Some(path) => house.write_home(path, text),
        None => house.write(path, text),
    };
    for file in layout["files"].as_array().unwrap() {
        put(file.as_str().unwrap(), "");
    }
    for (link, target) in layout["links"].as_object().unwrap() {
        std::os::unix::fs::symlink(target.as_str().unwrap(), house.root().join(link)).unwrap();
    }
    for row in rows {
        for file in row["has"].as_array().into_iter().flatten() {
            put(file.as_str().unwrap(), "x = 1\n");
        }
    }
}

fn turns(house: &House, row: &Value) -> Vec<Vec<Say>> {
    let text = |key: &str| row[key].as_str().unwrap();
    let mark = format!("x = 'MARK {}'", text("name"));
    let path = text("written")
        .replace("{ROOT}", house.root().to_str().unwrap())
        .replace("{HOME}", house.home().to_str().unwrap());
    let id = leaked(text("name").to_owned());
    let one = |tool: &'static str, input: Value| vec![call(id, tool, input)];
    match text("tool") {
        "Write" => one("Write", json!({"file_path": path, "content": mark})),
        "Edit" => {
            // Files may be edited once they were read.
            let read = |(at, file): (usize, &Value)| {
                let file = file.as_str().unwrap();
                let file = match file.strip_prefix("{HOME}/") {
                    Some(file) => house.home().join(file).to_str().unwrap().to_owned(),
                    None => house.path(file),
                };
                call(leaked(format!("{id}-read-{at}")), "Read", json!({"file_path": file}))
            };
            let edit = json!({"file_path": path, "old_string": "x = 1", "new_string": mark});
            let files = row["has"].as_array().unwrap().iter().enumerate();
            files.map(read).chain([call(id, "Edit", edit)]).collect()
        }
        "add" => vec![patch(id, "apply_patch", &format!("*** Add File: {path}\n+{mark}\n"))],
        "update" => {
            let sections = format!("*** Update File: {path}\n@@\n-x = 1\n+{mark}\n");
            vec![patch(id, "apply_patch", &sections)]
        }
        "move" => {
            let from = row["has"][0].as_str().unwrap();
            let sections =
                format!("*** Update File: {from}\n*** Move to: {path}\n@@\n-x = 1\n+{mark}\n");
            vec![patch(id, "apply_patch", &sections)]
        }
        "create" => one("create", json!({"path": path, "file_text": mark})),
        "edit" if text("agent") == "copilot" => {
            one("edit", json!({"path": path, "old_str": "x = 1", "new_str": mark}))
        }
        "edit" => {
            let edits = json!([{"oldText": "x = 1", "newText": mark}]);
            one("edit", json!({"path": path, "edits": edits}))
        }
        "write" => one("write", json!({"path": path, "content": mark})),
        "write_file" => one("write_file", json!({"file_path": path, "content": mark})),
        "replace" => one(
            "replace",
            json!({"file_path": path, "instruction": "go", "old_string": "x = 1", "new_string": mark}),
        ),
        other => panic!("{other} is no tool of this test"),
    }
}

/// Returns a path as the table writes it: from the project's folder, or with `{HOME}`; `{root}` is
/// the project's folder without its first slash.
fn shown(house: &House, path: &Path) -> String {
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    let shown = match (path.strip_prefix(house.root()), path.strip_prefix(house.home())) {
        (Ok(inside), _) => text(inside),
        (_, Ok(home)) => format!("{{HOME}}/{}", text(home)),
        _ => text(path),
    };
    shown.replace(text(&house.root()).trim_start_matches('/'), "{root}")
}

/// Returns the files of the closed world that hold a text, as the table writes them.
fn holding(house: &House, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![house.root(), house.home()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let (path, kind) = (entry.path(), entry.file_type().unwrap());
            let ours = [".codex", ".claude", ".copilot", ".gemini", ".pi", ".git", ".claude.json"];
            if ours.iter().any(|ours| entry.file_name() == *ours) {
                continue;
            }
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_file()
                && String::from_utf8_lossy(&fs::read(&path).unwrap()).contains(text)
            {
                found.push(shown(house, &path));
            }
        }
    }
    found
}

fn check(agent: &'static str, tools: &[&str], wire: Wire, session: impl Fn(&House, &Mock) -> Ran) {
    let Some(house) = House::of(agent) else { return };
    let mut table = Table::read();
    let mode = std::env::var("SOLVI_PATHS").unwrap_or_default();
    let mut number = 0;
    let mut chosen = |row: &Value| {
        let ours = row["agent"] == agent && tools.iter().any(|tool| row["tool"] == *tool);
        number += usize::from(ours);
        ours && (!mode.is_empty() || number % STEP == 0)
    };
    let chosen: Vec<bool> = table.rows.iter().map(&mut chosen).collect();
    let rows: Vec<&Value> =
        table.rows.iter().zip(&chosen).filter(|(_, yes)| **yes).map(|(row, _)| row).collect();
    lay_out(&house, &table.layout, &rows);
    house.commit();
    let mut seen = Vec::new();
    for rows in rows.chunks(MOST) {
        let mock = Mock::start(wire, rows.iter().flat_map(|row| turns(&house, row)).collect());
        let ran = session(&house, &mock);
        for row in rows {
            let name = row["name"].as_str().unwrap();
            let found = holding(&house, &format!("MARK {name}'"));
            assert!(found.len() < 2, "{row} wrote {found:?}");
            let file = found.into_iter().next().map_or(Value::Null, Value::from);
            if mode != "record" {
                let told = mock.told(name).unwrap_or_default();
                assert_eq!(row["file"], file, "{row}. The model was told: {told}. {ran}");
            }
            seen.push(file);
        }
    }
    if mode == "record" {
        let mut seen = seen.into_iter();
        for (row, _) in table.rows.iter_mut().zip(chosen).filter(|(_, yes)| *yes) {
            row["file"] = seen.next().unwrap();
        }
        table.write();
    }
}

#[test]
fn claude_writes_where_the_table_says() {
    check("claude", &["Write", "Edit"], mock::anthropic::WIRE, |house, mock| {
        claude::session_with(house, mock, &["--allowedTools", "Write,Edit,Read"])
    });
}

#[test]
fn codex_writes_where_the_table_says() {
    check("codex", &["add", "update", "move"], mock::responses::WIRE, codex::session);
}

#[test]
fn copilot_writes_where_the_table_says() {
    check("copilot", &["create", "edit"], mock::chat::WIRE, |house, mock| {
        copilot::session_with(house, mock, copilot::WITH_EDITS, &["--allow-all-paths"])
    });
}

#[test]
fn copilot_patches_where_the_table_says() {
    check("copilot", &["add", "update", "move"], mock::chat::WIRE, |house, mock| {
        copilot::session_with(house, mock, copilot::WITH_PATCHES, &["--allow-all-paths"])
    });
}

#[test]
fn gemini_writes_where_the_table_says() {
    check("gemini", &["write_file", "replace"], mock::gemini::WIRE, gemini::session);
}

#[test]
fn pi_writes_where_the_table_says() {
    check("pi", &["write", "edit"], mock::chat::WIRE, pi::session);
}
