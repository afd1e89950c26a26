//! The built-in rules as a tree, read before the program runs: to read them as TOML takes a tenth
//! of an ordinary edit's time.
//!
//! The tree is made from `templates/rules.toml` by a test below, which also fails when it is out of
//! date.

use super::inherit::BUILT_IN_NAME;
use super::load::{Mistakes, Reader};
use super::{Rulebook, RulesError};
use crate::engine::document::{Entry, Node, Position, Value};

/// A node that needs no memory of its own: where it begins, and its value.
struct Leaf(usize, usize, Tree);

/// What [`Value`] is, without memory of its own. The keys of a table stand with their places.
enum Tree {
    Text(&'static str),
    Flag(bool),
    Other(&'static str),
    List(&'static [Leaf]),
    Table(&'static [(&'static str, usize, usize, Leaf)]),
}

include!("builtin_tree.in");

/// Reads the built-in rules.
pub fn built_in() -> Result<Rulebook, RulesError> {
    let mut mistakes = Mistakes::default();
    let book = Reader { file: BUILT_IN_NAME }.book(&RULES.node(), &mut mistakes);
    match mistakes.0.into_iter().next() {
        Some(mistake) => Err(mistake),
        None => Ok(book.unwrap_or_default()),
    }
}

impl Leaf {
    fn node(&self) -> Node {
        let Self(line, column, tree) = self;
        Node { at: Position::new(*line, *column), value: tree.value() }
    }
}

impl Tree {
    fn value(&self) -> Value {
        match self {
            Self::Text(text) => Value::Text((*text).to_owned()),
            Self::Flag(flag) => Value::Flag(*flag),
            Self::Other(text) => Value::Other((*text).to_owned()),
            Self::List(items) => Value::List(items.iter().map(Leaf::node).collect()),
            Self::Table(entries) => {
                let entry = |(key, line, column, leaf): &(&str, usize, usize, Leaf)| Entry {
                    key: (*key).to_owned(),
                    at: Position::new(*line, *column),
                    node: leaf.node(),
                };
                Value::Table(entries.iter().map(entry).collect())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::engine::document;
    use crate::engine::rules::BUILT_IN;
    use std::fmt::Write as _;
    use std::path::Path;

    fn leaf(node: &Node, out: &mut String) {
        write!(out, "Leaf({}, {}, Tree::", node.at.line(), node.at.column()).unwrap();
        match &node.value {
            Value::Text(text) => write!(out, "Text({text:?})").unwrap(),
            Value::Flag(flag) => write!(out, "Flag({flag})").unwrap(),
            Value::Other(text) => write!(out, "Other({text:?})").unwrap(),
            Value::List(items) => {
                out.push_str("List(&[");
                for item in items {
                    leaf(item, out);
                    out.push_str(", ");
                }
                out.push_str("])");
            }
            Value::Table(entries) => {
                out.push_str("Table(&[\n");
                for Entry { key, at, node } in entries {
                    write!(out, "({key:?}, {}, {}, ", at.line(), at.column()).unwrap();
                    leaf(node, out);
                    out.push_str("),\n");
                }
                out.push_str("])");
            }
        }
        out.push(')');
    }

    /// `SNAPSHOTS=overwrite cargo test --lib builtin` writes the tree anew.
    #[test]
    fn the_tree_is_that_of_the_built_in_rules() {
        let node = document::toml(BUILT_IN).unwrap();
        let mut tree = String::from("const RULES: Leaf = ");
        leaf(&node, &mut tree);
        tree.push_str(";\n");
        if std::env::var_os("SNAPSHOTS").is_some_and(|value| value == "overwrite") {
            let path = "src/engine/rules/builtin_tree.in";
            std::fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join(path), &tree).unwrap();
        }
        assert_eq!(tree, include_str!("builtin_tree.in"), "the tree is out of date");
        assert_eq!(RULES.node(), node);
    }
}
