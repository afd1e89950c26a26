//! Which dotted name an expression has.

use super::literal::plain_string;
use super::node::{named_children, slice};
use super::source::folded;
use std::borrow::Cow;
use tree_sitter::Node;

/// How many attributes and brackets are followed inwards; longer chains have no name.
const STEPS: usize = 1000;

/// Returns the dotted name of an expression: a chain of attributes of a name, also when a link
/// is spelled as a call with constant text: `getattr(os, 'system')`, `__import__('os').system`,
/// `importlib.import_module('os').system`.
pub fn of(mut node: Node<'_>, text: &str) -> Option<String> {
    let mut tail: Vec<Cow<'_, str>> = Vec::new();
    for _ in 0..STEPS {
        match node.kind() {
            "identifier" => {
                tail.push(folded(slice(node, text)));
                tail.reverse();
                return Some(tail.join("."));
            }
            "attribute" => {
                tail.push(folded(slice(node.child_by_field_name("attribute")?, text)));
                node = node.child_by_field_name("object")?;
            }
            // The grammar takes the star of `[*f()]` for a part of the callee.
            "parenthesized_expression" | "list_splat" => node = *named_children(node).first()?,
            // The value is an alias of the name; it need not be followed twice.
            "named_expression" => node = node.child_by_field_name("name")?,
            "call" => match link(node, text)? {
                Link::Attribute(object, name) => {
                    tail.push(Cow::Borrowed(name));
                    node = object;
                }
                Link::Module(name) => {
                    tail.push(Cow::Borrowed(name));
                    tail.reverse();
                    return Some(tail.join("."));
                }
            },
            _ => return None,
        }
    }
    None
}

/// Returns a dotted name as imports write it, with blanks and line continuations left out.
pub fn dotted(node: Node<'_>, text: &str) -> String {
    let parts = named_children(node).into_iter().filter(|part| part.kind() == "identifier");
    let parts: Vec<Cow<'_, str>> = parts.map(|part| folded(slice(part, text))).collect();
    parts.join(".")
}

enum Link<'tree, 'a> {
    Attribute(Node<'tree>, &'a str),
    Module(&'a str),
}

fn link<'tree, 'a>(call: Node<'tree>, text: &'a str) -> Option<Link<'tree, 'a>> {
    let mut function = call.child_by_field_name("function")?;
    if function.kind() == "list_splat" {
        function = *named_children(function).first()?;
    }
    let function = match function.kind() {
        "identifier" => slice(function, text),
        "attribute" => slice(function.child_by_field_name("attribute")?, text),
        _ => return None,
    };
    if !matches!(function, "getattr" | "__import__" | "import_module") {
        return None;
    }
    let arguments = named_children(call.child_by_field_name("arguments")?);
    let first = *arguments.first()?;
    if function == "getattr" {
        return Some(Link::Attribute(first, plain_string(*arguments.get(1)?, text)?));
    }
    let module = plain_string(first, text)?;
    let relative = module.is_empty() || module.starts_with('.');
    if relative {
        return None;
    }
    // `__import__('a.b')` is `a`; `import_module('a.b')` is `a.b`.
    let top = module.split('.').next()?;
    Some(Link::Module(if function == "__import__" { top } else { module }))
}
