//! A rules file as a tree that knows the line of every value.
//!
//! TOML and JSON become the same tree, so that there is one reader of rules and every error can
//! say where it is.

use jsonc_parser::ast;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

/// A value and the line it stands on, counted from 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The line.
    pub line: usize,
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
    /// The line that the key stands on.
    pub line: usize,
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
    /// The line, when the parser names one.
    pub line: Option<usize>,
    /// What the parser says.
    pub message: String,
}

/// Reads a TOML document; its top level is always a table.
pub fn toml(text: &str) -> Result<Node, SyntaxError> {
    let lines = Lines::of(text);
    let table = DeTable::parse(text).map_err(|error| SyntaxError {
        line: error.span().map(|span| lines.at(span.start)),
        message: error.message().to_owned(),
    })?;
    Ok(Node { line: 1, value: toml_table(table.get_ref(), &lines) })
}

fn toml_table(table: &DeTable<'_>, lines: &Lines) -> Value {
    let entry = |(key, value): (&Spanned<DeString<'_>>, &Spanned<DeValue<'_>>)| Entry {
        key: key.get_ref().to_string(),
        line: lines.at(key.span().start),
        node: Node {
            line: lines.at(value.span().start),
            value: toml_value(value.get_ref(), lines),
        },
    };
    let mut entries: Vec<Entry> = table.iter().map(entry).collect();
    entries.sort_by_key(|entry| entry.line);
    Value::Table(entries)
}

fn toml_value(value: &DeValue<'_>, lines: &Lines) -> Value {
    match value {
        DeValue::String(text) => Value::Text(text.clone().into_owned()),
        DeValue::Boolean(flag) => Value::Flag(*flag),
        DeValue::Array(items) => Value::List(
            items
                .iter()
                .map(|item| Node {
                    line: lines.at(item.span().start),
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
        SyntaxError { line: Some(error.line_display()), message: error.kind().to_string() }
    })?;
    match result.value {
        Some(value) => Ok(json_node(&value, &lines)),
        None => Err(SyntaxError { line: None, message: "the file is empty".to_owned() }),
    }
}

fn json_node(value: &ast::Value<'_>, lines: &Lines) -> Node {
    use jsonc_parser::common::Ranged;
    let line = lines.at(value.range().start);
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
                line: lines.at(property.range.start),
                node: json_node(&property.value, lines),
            };
            Value::Table(object.properties.iter().map(entry).collect())
        }
    };
    Node { line, value }
}

/// Where the lines of a text begin.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Self {
        Self(
            text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at).collect(),
        )
    }

    /// Returns the number of the line that holds the byte at `offset`.
    fn at(&self, offset: usize) -> usize {
        self.0.partition_point(|end| *end < offset) + 1
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    fn entries(node: Node) -> Vec<(String, usize)> {
        match node.value {
            Value::Table(entries) => {
                entries.into_iter().map(|entry| (entry.key, entry.node.line)).collect()
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
        assert_eq!(toml("a = 1\nb = \n").unwrap_err().line, Some(2));
        assert_eq!(json("{\n\"a\": ,}").unwrap_err().line, Some(2));
        assert!(json("{\"a\": 1, }").is_err());
        assert!(json("// note\n{}").is_err());
    }
}
