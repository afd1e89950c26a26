//! A rules file as a tree that knows the line of every value.
//!
//! TOML and JSON become the same tree, so that there is one reader of rules and every error can
//! say where it is.

use jsonc_parser::ast;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

/// A place in a rules file; line and column are counted from 1, columns in characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    // Small, because every error holds one: no rules file has as many lines.
    line: u32,
    column: u32,
}

impl Position {
    /// Makes the place of a line and a column.
    #[must_use]
    pub fn new(line: usize, column: usize) -> Self {
        let small = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Self { line: small(line), column: small(column) }
    }

    /// Returns the line.
    #[must_use]
    pub fn line(self) -> usize {
        self.line as usize
    }

    /// Returns the column.
    #[must_use]
    pub fn column(self) -> usize {
        self.column as usize
    }
}

/// A value and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Where it begins.
    pub at: Position,
    /// The value.
    pub value: Value,
}

/// A value of a rules file.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A string.
    Text(String),
    /// A truth value.
    Flag(bool),
    /// A list.
    List(Vec<Node>),
    /// A table, in the order of the file where the format keeps it.
    Table(Vec<Entry>),
    /// A number or a date, as it is spelled; `null` in JSON.
    Other(String),
}

/// One key of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// Where the key begins.
    pub at: Position,
    /// Its value.
    pub node: Node,
}

impl Value {
    /// Returns what kind of value this is, with its article.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Text(_) => "a string",
            Self::Flag(_) => "a truth value",
            Self::List(_) => "a list",
            Self::Table(_) => "a table",
            Self::Other(text) if text == "null" => "null",
            Self::Other(_) => "a number or date",
        }
    }
}

/// A file that is not TOML or not JSON: where, and what the parser says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// Where, when the parser names a place.
    pub at: Option<Position>,
    /// What the parser says.
    pub message: String,
}

/// Reads a TOML document; its top level is always a table.
pub fn toml(text: &str) -> Result<Node, SyntaxError> {
    let lines = Lines::of(text);
    let table = DeTable::parse(text).map_err(|error| SyntaxError {
        at: error.span().map(|span| lines.at(span.start)),
        message: error.message().to_owned(),
    })?;
    Ok(Node { at: Position::new(1, 1), value: toml_table(table.get_ref(), &lines) })
}

fn toml_table(table: &DeTable<'_>, lines: &Lines<'_>) -> Value {
    let entry = |(key, value): (&Spanned<DeString<'_>>, &Spanned<DeValue<'_>>)| Entry {
        key: key.get_ref().to_string(),
        at: lines.at(key.span().start),
        node: Node { at: lines.at(value.span().start), value: toml_value(value.get_ref(), lines) },
    };
    let mut entries: Vec<Entry> = table.iter().map(entry).collect();
    entries.sort_by_key(|entry| entry.at);
    Value::Table(entries)
}

fn toml_value(value: &DeValue<'_>, lines: &Lines<'_>) -> Value {
    match value {
        DeValue::String(text) => Value::Text(text.clone().into_owned()),
        DeValue::Boolean(flag) => Value::Flag(*flag),
        DeValue::Array(items) => Value::List(
            items
                .iter()
                .map(|item| Node {
                    at: lines.at(item.span().start),
                    value: toml_value(item.get_ref(), lines),
                })
                .collect(),
        ),
        DeValue::Table(table) => toml_table(table, lines),
        DeValue::Integer(number) => Value::Other(number.as_str().to_owned()),
        DeValue::Float(number) => Value::Other(number.as_str().to_owned()),
        DeValue::Datetime(date) => Value::Other(date.to_string()),
    }
}

/// Reads a JSON document: strictly, without comments or trailing commas.
pub fn json(text: &str) -> Result<Node, SyntaxError> {
    let lines = Lines::of(text);
    let strict = ParseOptions {
        allow_comments: false,
        allow_loose_object_property_names: false,
        allow_trailing_commas: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_extended_string_escapes: false,
        allow_non_finite_numbers: false,
    };
    let result = parse_to_ast(text, &CollectOptions::default(), &strict).map_err(|error| {
        let at = Position::new(error.line_display(), error.column_display());
        SyntaxError { at: Some(at), message: error.kind().to_string() }
    })?;
    match result.value {
        Some(value) => Ok(json_node(&value, &lines)),
        None => Err(SyntaxError { at: None, message: "the file is empty".to_owned() }),
    }
}

fn json_node(value: &ast::Value<'_>, lines: &Lines<'_>) -> Node {
    use jsonc_parser::common::Ranged;
    let at = lines.at(value.range().start);
    let value = match value {
        ast::Value::StringLit(text) => Value::Text(text.value.clone().into_owned()),
        ast::Value::NumberLit(number) => Value::Other(number.value.to_owned()),
        ast::Value::BooleanLit(flag) => Value::Flag(flag.value),
        ast::Value::NullKeyword(_) => Value::Other("null".to_owned()),
        ast::Value::Array(array) => {
            Value::List(array.elements.iter().map(|item| json_node(item, lines)).collect())
        }
        ast::Value::Object(object) => {
            let entry = |property: &ast::ObjectProp<'_>| Entry {
                key: property.name.as_str().to_owned(),
                at: lines.at(property.range.start),
                node: json_node(&property.value, lines),
            };
            Value::Table(object.properties.iter().map(entry).collect())
        }
    };
    Node { at, value }
}

/// A text, and where its lines end.
struct Lines<'a> {
    text: &'a str,
    ends: Vec<usize>,
}

impl<'a> Lines<'a> {
    fn of(text: &'a str) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Self { text, ends: ends.map(|(at, _)| at).collect() }
    }

    /// Returns the place of the byte at `offset`.
    fn at(&self, offset: usize) -> Position {
        let before = self.ends.partition_point(|end| *end < offset);
        let start =
            before.checked_sub(1).and_then(|last| self.ends.get(last)).map_or(0, |end| end + 1);
        let column = self.text.get(start..offset).map_or(0, |text| text.chars().count()) + 1;
        Position::new(before + 1, column)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    fn entries(node: Node) -> Vec<(String, usize)> {
        match node.value {
            Value::Table(entries) => {
                entries.into_iter().map(|entry| (entry.key, entry.node.at.line())).collect()
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn every_value_knows_its_line() {
        let toml = entries(toml("b = 1\n\n# note\na = [\n  2,\n]\n").unwrap());
        assert_eq!(toml, [("b".to_owned(), 1), ("a".to_owned(), 4)]);
        let json = entries(json("{\n  \"b\": 1,\n  \"a\": true\n}").unwrap());
        assert_eq!(json, [("b".to_owned(), 2), ("a".to_owned(), 3)]);
    }

    #[test]
    fn a_syntax_error_names_its_line() {
        assert_eq!(toml("a = 1\nb = \n").unwrap_err().at.map(Position::line), Some(2));
        assert_eq!(json("{\n\"a\": ,}").unwrap_err().at.map(Position::line), Some(2));
        assert!(json("{\"a\": 1, }").is_err());
        assert!(json("// note\n{}").is_err());
    }
}
