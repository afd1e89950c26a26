//! How Python text becomes a syntax tree, within limits.
//!
//! The parser is C: what would make it abort or run for seconds is refused before or during
//! the parse, so that a hostile file costs a verdict and never the process.

use super::repair;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use tree_sitter::{Node, ParseOptions, ParseState, Parser, Tree};

/// How many steps a parse may take, each a hundred of the parser's own. A step takes 20 µs, or
/// half a millisecond in the worst of errors. A megabyte of code takes 6,400, and dense data up
/// to five times that; of 11,000 files that were measured, the longest (4 MB) took 8,600.
const STEPS: usize = 20_000;

/// How many different indentations a text may have. The parser keeps the open ones in 1,024
/// bytes and aborts the process when they do not fit, which takes at least 384 of them; Python
/// itself refuses more than 100 nested blocks.
const INDENTATIONS: usize = 350;

/// A text with its tree.
pub struct Parsed<'a> {
    /// The text that was parsed: Python ends a line at a lone `\r` too, so it is `\n` here.
    pub text: Cow<'a, str>,
    /// Its tree.
    pub tree: Tree,
    /// Where each line of the given text begins, when the parsed one is spelled otherwise.
    starts: Option<Vec<usize>>,
}

/// Parses a text; nothing when it is too large or nested too deep.
pub fn parse(given: &str) -> Option<Parsed<'_>> {
    if too_deep(given) {
        return None;
    }
    let text = with_line_ends(given);
    let found = tree(&text, STEPS)?;
    if found.root_node().has_error()
        && let Some(spelled) = repair::spelled_for_the_grammar(&text)
        && let Some(tree) = tree(&spelled, STEPS).filter(|tree| !tree.root_node().has_error())
    {
        return Some(Parsed { text: Cow::Owned(spelled), tree, starts: Some(starts(given)) });
    }
    let starts = matches!(text, Cow::Owned(_)).then(|| starts(given));
    Some(Parsed { text, tree: found, starts })
}

impl Parsed<'_> {
    /// Returns the row in the given text of the place where a node begins.
    pub fn row(&self, node: Node<'_>) -> usize {
        match &self.starts {
            None => node.start_position().row,
            Some(_) => self.row_at(node.start_byte()),
        }
    }

    /// Returns the row in the given text of the place where a node ends.
    pub fn last_row(&self, node: Node<'_>) -> usize {
        match &self.starts {
            None => node.end_position().row,
            Some(_) => self.row_at(node.end_byte()),
        }
    }

    /// Every spelling has the length of the given text.
    fn row_at(&self, byte: usize) -> usize {
        let starts = self.starts.as_deref().unwrap_or_default();
        starts.partition_point(|start| *start <= byte).saturating_sub(1)
    }
}

fn tree(text: &str, mut steps: usize) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_python::LANGUAGE.into()).ok()?;
    let mut progress = |_: &ParseState| {
        steps = steps.saturating_sub(1);
        if steps == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let bytes = text.as_bytes();
    parser.parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or(&[]), None, Some(options))
}

/// Returns the text with each `\r` that stands alone as `\n`: to the parser it is a blank, so a
/// comment would hide what Python runs after it.
fn with_line_ends(text: &str) -> Cow<'_, str> {
    if text.split('\r').skip(1).all(|after| after.starts_with('\n')) {
        return Cow::Borrowed(text);
    }
    let mut spelled = String::with_capacity(text.len());
    let mut parts = text.split('\r').peekable();
    while let Some(part) = parts.next() {
        spelled.push_str(part);
        match parts.peek() {
            Some(after) if after.starts_with('\n') => spelled.push('\r'),
            Some(_) => spelled.push('\n'),
            None => {}
        }
    }
    Cow::Owned(spelled)
}

fn starts(given: &str) -> Vec<usize> {
    let ends = given.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
    [0].into_iter().chain(ends.map(|(at, _)| at + 1)).collect()
}

fn too_deep(text: &str) -> bool {
    if indentations(text).all(|columns| columns < INDENTATIONS) {
        return false;
    }
    indentations(text).collect::<BTreeSet<_>>().len() > INDENTATIONS
}

/// Returns the columns before each line's text, counted as the parser's scanner counts them: a
/// tab is 8, a form feed starts over, and a lone `\` at a line's end carries on.
fn indentations(text: &str) -> impl Iterator<Item = usize> {
    let mut carried = 0;
    text.split('\n').map(move |line| {
        let mut columns = carried;
        carried = 0;
        for (at, byte) in line.bytes().enumerate() {
            match byte {
                b' ' => columns += 1,
                b'\t' => columns += 8,
                b'\x0c' | b'\r' => columns = 0,
                b'\\' if matches!(line.get(at..), Some("\\" | "\\\r")) => {
                    carried = columns;
                    break;
                }
                _ => break,
            }
        }
        columns
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indentations_that_the_parser_cannot_keep_are_refused() {
        let nested = |blank: &str, depth: usize| -> String {
            let lines = (0..depth).map(|at| format!("{}if x:\n", blank.repeat(at)));
            lines.chain([blank.repeat(depth) + "f'{x}'\n"]).collect()
        };
        assert!(parse(&nested(" ", 300)).is_some());
        assert!(parse(&nested(" ", 600)).is_none());
        assert!(parse(&nested("\t", 600)).is_none());
        let carried = (0..600).map(|at| format!("{}\\\n if x:\n", " ".repeat(at)));
        assert!(parse(&carried.collect::<String>()).is_none());
        // One deep line is no deep nesting.
        assert!(parse(&format!("x = (\n{}1)\n", " ".repeat(5000))).is_some());
    }

    #[test]
    fn a_text_that_takes_too_many_steps_is_given_up() {
        let text = "x = 1\n".repeat(1_000);
        assert!(tree(&text, 1_000).is_some());
        assert!(tree(&text, 100).is_none());
    }
}
