//! The code of a notebook that is written, staged or pushed as a whole.
//!
//! A notebook is JSON, so its lines are not the lines of its code. The code cells' lines become
//! another reading of the file, each at the line of the JSON where it stands, so that a rule finds
//! in the file what it would find in an edit of the cell.

use crate::domain::text::Way;
use crate::domain::{Change, Content, Numbering, OtherReading, diff};
use jsonc_parser::ast::{Array, Object, Value};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

/// Adds the code of a notebook's cells to what is read in it.
pub fn read(change: &mut Change) {
    let is_notebook = change
        .place
        .name()
        .rsplit_once('.')
        .is_some_and(|(_, ending)| ending.eq_ignore_ascii_case("ipynb"));
    if !is_notebook || change.numbering != Numbering::File {
        return;
    }
    let Content::Text(after) = &change.after else { return };
    let Some(text) = code(after) else { return };
    let olds = change.before.iter_mut().flatten();
    let mut added = diff::numbered(&text);
    for before in olds {
        *before = code(before).unwrap_or_default();
        let new = diff::added(before, &text);
        added.retain(|line| new.binary_search_by_key(&line.number, |new| new.number).is_ok());
    }
    added.retain(|line| !line.text.is_empty());
    change.others.push(OtherReading { way: Way::Cells, text, added });
}

/// Returns the lines of the code cells, each at the line of the JSON where it begins, or at the
/// next that is free.
fn code(json: &str) -> Option<String> {
    let parsed = parse_to_ast(json, &CollectOptions::default(), &ParseOptions::default()).ok()?;
    let Some(Value::Object(notebook)) = parsed.value else { return None };
    let mut lines = Lines { json, counted: 0, row: 0, text: String::new(), rows: 0 };
    let mut cells = Vec::new();
    for list in lists(&notebook, "cells") {
        cells.extend(&list.elements);
    }
    // Notebooks of format 3 have them in worksheets.
    for sheet in lists(&notebook, "worksheets").flat_map(|list| &list.elements) {
        if let Value::Object(sheet) = sheet {
            cells.extend(lists(sheet, "cells").flat_map(|list| &list.elements));
        }
    }
    for cell in cells {
        let Value::Object(cell) = cell else { continue };
        // Of a key that comes twice, nobody knows which one counts.
        let mut kinds = named(cell, "cell_type").peekable();
        let is_text =
            |kind: &Value<'_>| matches!(kind, Value::StringLit(kind) if kind.value != "code");
        if kinds.peek().is_some() && kinds.all(is_text) {
            continue;
        }
        for source in named(cell, "source").chain(named(cell, "input")) {
            lines.put_source(source);
        }
    }
    Some(lines.text)
}

fn named<'a, 'j>(object: &'a Object<'j>, key: &'a str) -> impl Iterator<Item = &'a Value<'j>> {
    let named = object.properties.iter().filter(move |property| property.name.as_str() == key);
    named.map(|property| &property.value)
}

fn lists<'a, 'j>(object: &'a Object<'j>, key: &'a str) -> impl Iterator<Item = &'a Array<'j>> {
    named(object, key).filter_map(|value| match value {
        Value::Array(list) => Some(list),
        _ => None,
    })
}

/// Lines put where they stand in a JSON text.
struct Lines<'j> {
    json: &'j str,
    /// Up to which byte the rows of the JSON are counted, and how many these are.
    counted: usize,
    row: usize,
    text: String,
    /// How many lines are put.
    rows: usize,
}

impl Lines<'_> {
    fn put_source(&mut self, source: &Value<'_>) {
        match source {
            Value::StringLit(source) => self.put(source.range.start, &source.value),
            Value::Array(parts) => {
                let mut whole = String::new();
                let mut start = None;
                for part in &parts.elements {
                    let Value::StringLit(part) = part else { continue };
                    start.get_or_insert(part.range.start);
                    whole.push_str(&part.value);
                    if part.value.ends_with('\n') {
                        self.put(start.take().unwrap_or_default(), &whole);
                        whole.clear();
                    }
                }
                if let Some(start) = start {
                    self.put(start, &whole);
                }
            }
            _ => {}
        }
    }

    fn put(&mut self, start: usize, source: &str) {
        let passed = self.json.get(self.counted..start).unwrap_or_default();
        self.row += passed.bytes().filter(|byte| *byte == b'\n').count();
        self.counted = self.counted.max(start);
        while self.rows < self.row {
            self.text.push('\n');
            self.rows += 1;
        }
        for line in diff::lines(source) {
            // A command for the notebook itself is no Python.
            let magic = line.trim_start().starts_with(['%', '!']);
            self.text.push_str(if magic { "# " } else { "" });
            self.text.push_str(line);
            self.text.push('\n');
            self.rows += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_stands_where_the_json_has_it() {
        let json = "{\"cells\": [\n {\"cell_type\": \"markdown\", \"source\": [\"a\"]},\n {\"cell_type\": \
                    \"code\",\n  \"source\": [\n   \"x = 1\\n\",\n   \"%time\\n\",\n   \"y\"\n  ]},\n \
                    {\"cell_type\": \"code\", \"source\": \"b\\nc\"}\n]}";
        assert_eq!(code(json).as_deref(), Some("\n\n\n\nx = 1\n# %time\ny\n\nb\nc\n"));
        assert_eq!(code("[]"), None);
        assert_eq!(code("{"), None);
    }
}
