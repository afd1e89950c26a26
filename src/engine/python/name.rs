//! Which dotted name an expression has.

use super::literal::plain_string;
use super::node::{named_children, slice};
use super::source::folded;
use std::borrow::Cow;
use std::collections::HashMap;
use tree_sitter::Node;

/// How many attributes and brackets are followed inwards; longer chains have no name.
const STEPS: usize = 1000;

/// The functions that look a name up by its text.
const LOOKUPS: [&str; 5] = ["getattr", "__import__", "import_module", "attrgetter", "methodcaller"];

/// Other names of the functions that look a name up by its text (`from importlib import
/// import_module as load`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lookups(HashMap<String, &'static str>);

impl Lookups {
    /// Takes in that a name stands for another; tells whether that is news.
    pub fn add(&mut self, name: &str, target: &str) -> bool {
        let last = target.rsplit('.').next().unwrap_or(target);
        let known = LOOKUPS.iter().find(|known| **known == last).copied();
        match known.or_else(|| self.0.get(target).copied()) {
            Some(known) if known != name => self.0.insert(name.to_owned(), known).is_none(),
            _ => false,
        }
    }

    fn meant<'a>(&self, name: &'a str) -> &'a str {
        self.0.get(name).copied().unwrap_or(name)
    }
}

/// Returns the dotted name of an expression: a chain of attributes of a name, also when a link
/// is spelled as a call or an item with constant text: `getattr(os, 'system')`,
/// `__import__('os').system`, `sys.modules['os'].system`, `globals()['eval']`.
pub fn of(node: Node<'_>, text: &str) -> Option<String> {
    with(node, text, &Lookups::default())
}

/// Returns the dotted name of an expression as [`of`] does, where some functions have other names.
pub fn with(mut node: Node<'_>, text: &str, lookups: &Lookups) -> Option<String> {
    let mut tail: Vec<Cow<'_, str>> = Vec::new();
    for _ in 0..STEPS {
        let link = match node.kind() {
            "identifier" => Link::Name(folded(slice(node, text))),
            "attribute" => {
                let name = folded(slice(node.child_by_field_name("attribute")?, text));
                let object = node.child_by_field_name("object")?;
                // To call this is to call the object.
                if name == "__call__" {
                    node = object;
                    continue;
                }
                Link::Attribute(object, name)
            }
            // The grammar takes the star of `[*f()]` for a part of the callee.
            "parenthesized_expression" | "list_splat" => {
                node = *named_children(node).first()?;
                continue;
            }
            // The value is an alias of the name; it need not be followed twice.
            "named_expression" => {
                node = node.child_by_field_name("name")?;
                continue;
            }
            "subscript" => {
                let key = plain_string(node.child_by_field_name("subscript")?, text)?;
                item(node.child_by_field_name("value")?, key, text)?
            }
            "call" => link(node, text, lookups)?,
            _ => return None,
        };
        match link {
            Link::Attribute(object, name) => {
                tail.push(name);
                node = object;
            }
            Link::Name(name) => {
                tail.push(name);
                tail.reverse();
                return Some(tail.join("."));
            }
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

/// Returns the last part of the name of what a call calls, as it is meant.
pub fn last<'a>(call: Node<'_>, text: &'a str, lookups: &Lookups) -> Option<&'a str> {
    let mut function = call.child_by_field_name("function")?;
    if function.kind() == "list_splat" {
        function = *named_children(function).first()?;
    }
    match function.kind() {
        "identifier" => Some(lookups.meant(slice(function, text))),
        "attribute" => Some(slice(function.child_by_field_name("attribute")?, text)),
        _ => None,
    }
}

enum Link<'tree, 'a> {
    /// An attribute of what an expression stands for.
    Attribute(Node<'tree>, Cow<'a, str>),
    /// A name by itself.
    Name(Cow<'a, str>),
}

/// Reads an item of a mapping of names.
fn item<'tree, 'a>(mapping: Node<'tree>, key: &'a str, text: &str) -> Option<Link<'tree, 'a>> {
    let key = Cow::Borrowed(key);
    let is = |node: Node<'_>, name: &str| slice(node, text) == name;
    match mapping.kind() {
        "call" => {
            let function = mapping.child_by_field_name("function")?;
            let arguments = named_children(mapping.child_by_field_name("arguments")?);
            match (slice(function, text), arguments.as_slice()) {
                ("globals" | "locals" | "vars", []) => Some(Link::Name(key)),
                ("vars", [object]) => Some(Link::Attribute(*object, key)),
                _ => None,
            }
        }
        "identifier" if is(mapping, "modules") => Some(Link::Name(key)),
        "identifier" if is(mapping, "__builtins__") => Some(Link::Attribute(mapping, key)),
        "attribute" => {
            let object = mapping.child_by_field_name("object")?;
            match slice(mapping.child_by_field_name("attribute")?, text) {
                "__dict__" => Some(Link::Attribute(object, key)),
                "modules" if is(object, "sys") => Some(Link::Name(key)),
                "__builtins__" => Some(Link::Name(key)),
                _ => None,
            }
        }
        "subscript" => {
            let name = plain_string(mapping.child_by_field_name("subscript")?, text)?;
            (name == "__builtins__").then_some(Link::Name(key))
        }
        _ => None,
    }
}

fn link<'tree, 'a>(call: Node<'tree>, text: &'a str, lookups: &Lookups) -> Option<Link<'tree, 'a>> {
    let function = call.child_by_field_name("function")?;
    let arguments = named_children(call.child_by_field_name("arguments")?);
    let first = value_of(*arguments.first()?);
    if function.kind() == "call" {
        // `attrgetter('system')(os)`
        if last(function, text, lookups)? != "attrgetter" {
            return None;
        }
        let inner = named_children(function.child_by_field_name("arguments")?);
        let name = plain_string(*inner.first()?, text)?;
        return Some(Link::Attribute(first, Cow::Borrowed(name)));
    }
    let object = || function.child_by_field_name("object");
    match last(call, text, lookups)? {
        "getattr" => {
            let name = plain_string(*arguments.get(1)?, text)?;
            Some(Link::Attribute(first, Cow::Borrowed(name)))
        }
        "__getattribute__" => match arguments.get(1) {
            Some(name) => Some(Link::Attribute(first, Cow::Borrowed(plain_string(*name, text)?))),
            None => Some(Link::Attribute(object()?, Cow::Borrowed(plain_string(first, text)?))),
        },
        "get" | "__getitem__" | "pop" | "setdefault" => {
            item(object()?, plain_string(first, text)?, text)
        }
        looked_up @ ("__import__" | "import_module") => {
            let module = plain_string(first, text)?;
            let relative = module.is_empty() || module.starts_with('.');
            if relative {
                return None;
            }
            // `__import__('a.b')` is `a`; `import_module('a.b')` is `a.b`.
            let top = module.split('.').next()?;
            let name = if looked_up == "__import__" { top } else { module };
            Some(Link::Name(Cow::Borrowed(name)))
        }
        _ => None,
    }
}

/// Takes the keyword off an argument.
fn value_of(argument: Node<'_>) -> Node<'_> {
    match argument.kind() {
        "keyword_argument" => argument.child_by_field_name("value").unwrap_or(argument),
        _ => argument,
    }
}
