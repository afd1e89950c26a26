//! The tools of well-known servers whose result is computed: the file after a write or an edit.
//!
//! [`ROWS`] says how such a tool calls its fields. A call that has a field which its row does not
//! know is left to [`super::unknown_tool`], and so are moves and deletions, which it computes for
//! any server. Where the old text of an edit is not found, or found more often than the tool
//! takes, the new lines are evaluated and the result could not be checked.
//! `tests/vectors/server-edits.jsonl` holds what the real servers did.

mod edits;

use super::fields::PayloadError;
use super::unknown_tool::{Call, places, tool_name};
use crate::domain::text::decode;
use crate::domain::{Change, Files, Stored, diff};
use edits::{Edit, Refused};
use serde_json::{Map, Value};

/// How one kind of tool calls its fields.
struct Row {
    /// Names of tools, as words joined with `_`.
    names: &'static [&'static str],
    /// What it does.
    does: Does,
    /// Fields beside those of `does` and [`ASIDE`].
    also: &'static [&'static str],
}

/// What a tool does with a file.
#[derive(Clone, Copy)]
enum Does {
    /// Writes the whole file.
    Write,
    /// Replaces one text by another.
    Replace,
    /// Replaces texts in a list, as the reference server for files does it.
    Edits,
    /// Replaces, deletes or inserts lines, counted from 0, as Serena does it.
    Lines,
    /// Writes the files of a list.
    Files,
    /// Does what its field `command` says, as the text editor tool does it.
    Editor,
}

const PATH: &[&str] = &[
    "path",
    "file_path",
    "filePath",
    "filepath",
    "relative_path",
    "relativePath",
    "pathInProject",
    "filename",
    "file",
    "absolute_path",
    "target_file",
    "abs_path",
];
const TEXT: &[&str] = &["content", "contents", "text", "file_text", "fileText", "code"];
const OLD: &[&str] = &[
    "old_string",
    "old_str",
    "oldText",
    "old_text",
    "oldString",
    "oldStr",
    "needle",
    "search",
    "find",
];
const NEW: &[&str] = &[
    "new_string",
    "new_str",
    "newText",
    "new_text",
    "newString",
    "newStr",
    "repl",
    "replace",
    "replacement",
];
const EVERYWHERE: &[&str] =
    &["replace_all", "replaceAll", "allow_multiple_occurrences", "allow_multiple"];
const TIMES: &[&str] = &["expected_replacements", "expectedReplacements"];
/// Fields that ask for a trial. Another server may not know them, so the edit is evaluated.
const TRIAL: &[&str] = &["dryRun", "dry_run", "preview_only"];

/// What the names of tools hold whose servers can append.
const APPENDING: &[&str] = &["commander", "fast_"];

/// Fields that change nothing of what is written.
const ASIDE: &[&str] = &[
    "backup",
    "branch",
    "createDirectories",
    "create_dirs",
    "create_directories",
    "description",
    "encoding",
    "explanation",
    "force_remove_emojis",
    "instructions",
    "message",
    "mode",
    "origin",
    "overwrite",
    "owner",
    "projectPath",
    "project_path",
    "repo",
    "sha",
    "verify_write",
];

const ROWS: &[Row] = &[
    Row {
        names: &[
            "create_file",
            "create_new_file",
            "create_new_file_with_text",
            "create_or_update_file",
            "create_text_file",
            "large_write_file",
            "overwrite_file",
            "replace_file_text_by_path",
            "save_file",
            "write",
            "write_file",
            "write_text_file",
            "write_to_file",
        ],
        does: Does::Write,
        also: &["append", "chunk_size", "retry_attempts"],
    },
    Row {
        names: &[
            "edit",
            "edit_block",
            "edit_file",
            "replace",
            "replace_content",
            "replace_in_file",
            "replace_specific_text",
            "replace_string_in_file",
            "replace_text",
            "replace_text_in_file",
            "safe_edit",
            "search_and_replace",
            "search_replace",
            "str_replace",
        ],
        does: Does::Replace,
        also: &["caseSensitive", "case_sensitive"],
    },
    Row {
        names: &["edit_blocks", "edit_file", "edit_multiple_blocks", "multi_edit"],
        does: Does::Edits,
        also: &["edits"],
    },
    Row {
        names: &["delete_lines", "insert_at_line", "replace_lines"],
        does: Does::Lines,
        also: &["end_line", "line", "start_line"],
    },
    Row {
        names: &["create_files", "push_files", "write_files", "write_multiple_files"],
        does: Does::Files,
        also: &["files"],
    },
    Row {
        names: &["str_replace_based_edit_tool", "str_replace_editor", "text_editor"],
        does: Does::Editor,
        also: &["command", "insert_line", "insert_text", "view_range"],
    },
];

/// Returns the changes of a call whose result is computed; nothing if it is none of these.
pub fn changes(call: Call<'_>, files: &dyn Files) -> Result<Option<Vec<Change>>, PayloadError> {
    let words = tool_name::words(call.own_name).join("_");
    let name = words.strip_prefix("fast_").unwrap_or(&words);
    let rows = ROWS.iter().filter(|row| row.names.contains(&name));
    for row in rows {
        if let Some(changes) = row.read(call, name, files)? {
            return Ok(Some(changes));
        }
    }
    Ok(None)
}

impl Row {
    fn read(
        &self,
        call: Call<'_>,
        name: &str,
        files: &dyn Files,
    ) -> Result<Option<Vec<Change>>, PayloadError> {
        let input = call.input;
        let tables: &[&[&str]] = match self.does {
            Does::Write | Does::Lines => &[PATH, TEXT],
            Does::Replace => &[PATH, OLD, NEW, EVERYWHERE, TIMES, TRIAL],
            Does::Edits => &[PATH, EVERYWHERE, TRIAL],
            Does::Files => &[],
            Does::Editor => &[PATH, TEXT, OLD, NEW],
        };
        let known = |key: &&String| {
            let own = [ASIDE, self.also];
            tables.iter().chain(&own).any(|table| table.contains(&key.as_str()))
        };
        let coded = input.get("encoding").and_then(Value::as_str).is_some_and(|encoding| {
            let plain: String = encoding.chars().filter(char::is_ascii_alphanumeric).collect();
            !["utf8", "utf8bom", "ascii"].contains(&plain.to_ascii_lowercase().as_str())
        });
        if coded || !input.keys().all(|key| known(&key)) {
            return Ok(None);
        }
        // Which of two fields of one meaning a server reads is not known.
        let twice =
            |table: &[&str]| table.iter().filter(|key| input.contains_key(**key)).count() > 1;
        if [PATH, TEXT, OLD, NEW].into_iter().any(twice) {
            return Ok(None);
        }
        if let Does::Files = self.does {
            return listed(call, files);
        }
        let (Some(path), Some(edit)) = (text(input, PATH), self.edit(name, input)) else {
            return Ok(None);
        };
        let mut changes = one(call.tool, path, &edit, files)?;
        // Of another server the field that says "append" may mean nothing.
        if let Edit::Append(text) = edit
            && !APPENDING.iter().any(|server| call.tool.contains(server))
        {
            changes.extend(one(call.tool, path, &Edit::Write(text), files)?);
        }
        Ok(Some(changes))
    }

    /// Returns the edit of a call, if it can be read.
    fn edit(&self, name: &str, input: &Map<String, Value>) -> Option<Edit> {
        let edit = match self.does {
            Does::Write => {
                let added = text(input, &["mode"]).is_some_and(|mode| mode == "append")
                    || is_true(input, &["append"]);
                let content = text(input, TEXT)?.to_owned();
                if added { Edit::Append(content) } else { Edit::Write(content) }
            }
            // A pattern is not run here: its replacement is evaluated as the lines that it is.
            Does::Replace if text(input, &["mode"]).is_some_and(|mode| mode != "literal") => {
                return None;
            }
            Does::Replace => Edit::Replace {
                old: text(input, OLD)?.to_owned(),
                new: text(input, NEW)?.to_owned(),
                times: TIMES.iter().find_map(|name| input.get(*name)?.as_u64()),
                everywhere: is_true(input, EVERYWHERE),
            },
            Does::Edits => {
                let replacement = |item: &Value| {
                    let item = item.as_object()?;
                    Some((text(item, OLD)?.to_owned(), text(item, NEW)?.to_owned()))
                };
                let parsed;
                let edits = match input.get("edits")? {
                    Value::String(text) => {
                        parsed = serde_json::from_str::<Value>(text).ok()?;
                        parsed.as_array()?
                    }
                    edits => edits.as_array()?,
                };
                Edit::Each(edits.iter().map(replacement).collect::<Option<_>>()?)
            }
            Does::Lines => {
                let number = |key: &str| usize::try_from(input.get(key)?.as_u64()?).ok();
                let content = text(input, TEXT).unwrap_or_default().to_owned();
                match name {
                    "insert_at_line" => {
                        let at = number("line")?;
                        Edit::Lines { range: at..at, content }
                    }
                    _ => Edit::Lines {
                        range: number("start_line")?..number("end_line")?.checked_add(1)?,
                        content,
                    },
                }
            }
            Does::Editor => match text(input, &["command"])? {
                "view" => Edit::Nothing,
                "create" => Edit::Write(text(input, TEXT)?.to_owned()),
                "str_replace" => Edit::Replace {
                    old: text(input, OLD)?.to_owned(),
                    new: text(input, NEW).unwrap_or_default().to_owned(),
                    times: Some(1),
                    everywhere: false,
                },
                "insert" => {
                    let at = usize::try_from(input.get("insert_line")?.as_u64()?).ok()?;
                    let content = text(input, &["insert_text"]).or_else(|| text(input, NEW))?;
                    let end = if content.ends_with('\n') { "" } else { "\n" };
                    Edit::Lines { range: at..at, content: format!("{content}{end}") }
                }
                _ => return None,
            },
            Does::Files => return None,
        };
        Some(edit)
    }
}

/// Reads a list of files, each with its content.
fn listed(call: Call<'_>, files: &dyn Files) -> Result<Option<Vec<Change>>, PayloadError> {
    let Some(Value::Array(items)) = call.input.get("files") else { return Ok(None) };
    let mut changes = Vec::new();
    for item in items {
        let Some(item) = item.as_object() else { return Ok(None) };
        let known = |key: &String| [PATH, TEXT, ASIDE].iter().any(|it| it.contains(&key.as_str()));
        let (Some(path), Some(content)) = (text(item, PATH), text(item, TEXT)) else {
            return Ok(None);
        };
        if !item.keys().all(known) {
            return Ok(None);
        }
        changes.extend(one(call.tool, path, &Edit::Write(content.to_owned()), files)?);
    }
    Ok(Some(changes))
}

/// Returns the changes of one edit, at each place that its path may mean. Of several, those where
/// the edit does not fit are left out if it fits elsewhere.
fn one(
    tool: &str,
    path: &str,
    edit: &Edit,
    files: &dyn Files,
) -> Result<Vec<Change>, PayloadError> {
    let (mut fit, mut unfit) = (Vec::new(), Vec::new());
    for place in places(path, files).map_err(PayloadError)? {
        if *edit == Edit::Nothing {
            break;
        }
        let lines = || diff::numbered(&edit.new_text());
        let before = match files.read(&place) {
            Stored::Absent => None,
            Stored::Bytes(bytes) => Some(decode(bytes).into_main()),
            Stored::Unknown(why) => {
                let unsure = Some(why.clone());
                unfit.push(Change { unsure, ..Change::of_lines(tool, place, lines(), why) });
                continue;
            }
        };
        match edit.after(before.as_deref()) {
            Ok(after) => {
                let before = before.unwrap_or_default();
                fit.push(Change::of_text(tool, place, &before, after));
            }
            Err(Refused(why)) => {
                let unsure = Some(why.to_owned());
                unfit.push(Change { unsure, ..Change::of_lines(tool, place, lines(), why) });
            }
        }
    }
    Ok(if fit.is_empty() { unfit } else { fit })
}

fn text<'a>(input: &'a Map<String, Value>, names: &[&str]) -> Option<&'a str> {
    names.iter().find_map(|name| input.get(*name)?.as_str())
}

fn is_true(input: &Map<String, Value>, names: &[&str]) -> bool {
    names.iter().any(|name| input.get(*name) == Some(&Value::Bool(true)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::domain::{Place, RepoPath};

    /// A project with one file.
    struct One(Option<String>);

    impl Files for One {
        fn place(&self, written: &str) -> Result<Place, String> {
            RepoPath::new(written).map(Place::Inside).ok_or_else(|| "no such place.".to_owned())
        }

        fn read(&self, _place: &Place) -> Stored {
            self.0.clone().map_or(Stored::Absent, |text| Stored::Bytes(text.into_bytes()))
        }
    }

    #[test]
    fn every_recorded_call_ends_as_it_did_with_the_server() {
        let (mut written, mut refused) = (0, 0);
        for line in include_str!("../../tests/vectors/server-edits.jsonl").lines() {
            let case: Value = serde_json::from_str(line).unwrap();
            let before = case["before"].as_str().map(str::to_owned);
            let tool = case["tool"].as_str().unwrap();
            let input = case["input"].as_object().unwrap();
            let named = format!("mcp__{}__{tool}", case["server"].as_str().unwrap());
            let call = Call { tool: &named, own_name: tool, input };
            let changes = changes(call, &One(before.clone())).unwrap();
            let changes = changes.unwrap_or_else(|| panic!("not read: {line}"));
            if case["refused"] == true {
                let unsure = changes.iter().all(|change| change.unsure.is_some());
                assert!(!changes.is_empty() && unsure, "{line}");
                refused += 1;
                continue;
            }
            let after = changes.first().map_or(before.as_deref(), |change| change.after.text());
            assert_eq!(after, case["after"].as_str(), "{line}");
            written += 1;
        }
        assert!(written >= 30 && refused >= 6, "{written} {refused}");
    }

    #[test]
    fn a_field_that_is_not_known_leaves_the_call_to_the_general_reader() {
        let input = serde_json::json!({"path": "a", "content": "x", "offset": 3});
        let input = input.as_object().unwrap();
        let call = Call { tool: "write_file", own_name: "write_file", input };
        assert_eq!(changes(call, &One(None)), Ok(None));
        let input = serde_json::json!({"path": "a", "file_path": "b", "content": "x"});
        let call = Call { input: input.as_object().unwrap(), ..call };
        assert_eq!(changes(call, &One(None)), Ok(None));
        // What cannot append writes.
        let input = serde_json::json!({"path": "a", "content": "x", "mode": "append"});
        let call = Call { input: input.as_object().unwrap(), ..call };
        let both = changes(call, &One(Some("y\n".to_owned()))).unwrap().unwrap();
        let after: Vec<_> = both.iter().map(|change| change.after.text()).collect();
        assert_eq!(after, [Some("y\nx"), Some("x")]);
    }
}
