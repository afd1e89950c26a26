//! What a constant written in Python is worth.

use super::node::{bare, named_children, slice};
use tree_sitter::Node;

/// Whether a value is true where Python asks for a truth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    /// A constant that is true.
    Yes,
    /// A constant that is false.
    No,
    /// No constant: it shows at run time.
    Unsure,
}

impl Truth {
    /// Reads the truth of an expression.
    pub fn of(node: Node<'_>, text: &str) -> Self {
        let node = bare(node);
        match node.kind() {
            "true" | "ellipsis" => Self::Yes,
            "false" | "none" => Self::No,
            "integer" | "float" => number(slice(node, text)),
            "string" => string(node),
            "concatenated_string" => {
                let parts: Vec<Self> = named_children(node).into_iter().map(string).collect();
                let found = |truth: &Self| parts.contains(truth);
                [Self::Yes, Self::Unsure].into_iter().find(found).unwrap_or(Self::No)
            }
            // A minus sign changes no truth of a number.
            "unary_operator" if slice(node, text).starts_with('-') => {
                match node.child_by_field_name("argument") {
                    Some(inner) if matches!(inner.kind(), "integer" | "float") => {
                        number(slice(inner, text))
                    }
                    _ => Self::Unsure,
                }
            }
            _ => Self::Unsure,
        }
    }
}

/// Tells whether an expression is a constant, so that it does nothing as a statement.
pub fn is_constant(node: Node<'_>) -> bool {
    let node = bare(node);
    match node.kind() {
        "true" | "false" | "none" | "ellipsis" | "integer" | "float" => true,
        "string" => !interpolates(node),
        "concatenated_string" => !named_children(node).into_iter().any(interpolates),
        _ => false,
    }
}

/// Returns what a string is when it is written out plainly: not in bytes, no escapes, nothing
/// interpolated.
pub fn plain_string<'a>(node: Node<'_>, text: &'a str) -> Option<&'a str> {
    let node = bare(node);
    if node.kind() != "string" || interpolates(node) {
        return None;
    }
    let parts = named_children(node);
    let start = parts.iter().find(|part| part.kind() == "string_start")?;
    let quote = slice(*start, text).trim_start_matches(['u', 'U', 'r', 'R', 'f', 'F']);
    if !quote.starts_with(['"', '\'']) {
        return None;
    }
    let content = parts.iter().find(|part| part.kind() == "string_content");
    let content = content.map_or("", |part| slice(*part, text));
    (!content.contains('\\')).then_some(content)
}

fn string(node: Node<'_>) -> Truth {
    let parts = named_children(node);
    if parts.iter().any(|part| part.kind() == "string_content") {
        return Truth::Yes;
    }
    if interpolates(node) { Truth::Unsure } else { Truth::No }
}

fn interpolates(node: Node<'_>) -> bool {
    named_children(node).iter().any(|part| part.kind() == "interpolation")
}

fn number(written: &str) -> Truth {
    let lower = written.to_ascii_lowercase();
    let counts = match lower.strip_prefix("0x") {
        Some(digits) => digits.chars().any(|digit| matches!(digit, '1'..='9' | 'a'..='f')),
        // An exponent makes nothing else of a zero.
        None => lower.split('e').next().unwrap_or("").contains(|digit| matches!(digit, '1'..='9')),
    };
    if counts { Truth::Yes } else { Truth::No }
}
