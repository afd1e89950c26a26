//! Which names does a part of a file settle by itself, whatever the rest of the file holds?
//!
//! A name that the part binds (with a `def`, an import, a `for`) is settled where it is bound; one
//! that is only given another name is no more settled than that. Any other name may come from an
//! import that is not seen. Names of builtins count as settled: nearly nobody imports others
//! over them.

use super::alias::{EVERYWHERE, NAMES, PARTS, needs_no_import, prefixes};
use super::module::Call;
use super::name;
use super::node::{named_children, slice};
use super::parse::Parsed;
use super::source::folded;
use super::walk::imported_name;
use std::collections::HashMap;
use std::ops::Range;
use tree_sitter::Node;

/// The exceptions that need no import.
const EXCEPTIONS: &str = "\
    ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup \
    BlockingIOError BrokenPipeError BufferError BytesWarning ChildProcessError \
    ConnectionAbortedError ConnectionError ConnectionRefusedError ConnectionResetError \
    DeprecationWarning EOFError EncodingWarning EnvironmentError Exception ExceptionGroup \
    FileExistsError FileNotFoundError FloatingPointError FutureWarning GeneratorExit IOError \
    ImportError ImportWarning IndentationError IndexError InterruptedError IsADirectoryError \
    KeyError KeyboardInterrupt LookupError MemoryError ModuleNotFoundError NameError \
    NotADirectoryError NotImplementedError OSError OverflowError PendingDeprecationWarning \
    PermissionError ProcessLookupError RecursionError ReferenceError ResourceWarning \
    RuntimeError RuntimeWarning StopAsyncIteration StopIteration SyntaxError SyntaxWarning \
    SystemError SystemExit TabError TimeoutError TypeError UnboundLocalError \
    UnicodeDecodeError UnicodeEncodeError UnicodeError UnicodeTranslateError UnicodeWarning \
    UserWarning ValueError Warning ZeroDivisionError";

/// The names that a part of a file binds.
#[derive(Debug, Default)]
pub struct Bound {
    names: HashMap<String, Vec<Binding>>,
}

#[derive(Debug)]
struct Binding {
    scope: Range<usize>,
    /// The name that is given to it, where it is one.
    value: Option<String>,
}

impl Bound {
    /// Reads the names that a text binds.
    pub fn of(parsed: &Parsed<'_>) -> Self {
        let mut walk = Walk { text: &parsed.text, ..Walk::default() };
        let mut cursor = parsed.tree.walk();
        loop {
            walk.enter(cursor.node());
            if cursor.goto_first_child() {
                continue;
            }
            loop {
                walk.leave(cursor.node());
                if cursor.goto_next_sibling() {
                    break;
                }
                if !cursor.goto_parent() {
                    return walk.bound;
                }
            }
        }
    }

    /// Returns the names of what a call calls, of which the first part is not settled.
    pub fn unsettled(&self, call: &Call) -> Vec<String> {
        let mut names = vec![call.name.clone()];
        let mut unsettled = Vec::new();
        let mut next = 0;
        while let Some(name) = names.get(next).cloned() {
            next += 1;
            for (prefix, rest) in prefixes(&name) {
                let values = self.at(prefix, call.at).filter_map(|binding| binding.value.as_ref());
                for new in values.map(|value| format!("{value}{rest}")) {
                    if names.contains(&new) {
                        continue;
                    }
                    if names.len() == NAMES || new.split('.').count() > PARTS {
                        // Too many to follow: they may be anything, as a bare name may.
                        return vec![first_of(&call.name).to_owned()];
                    }
                    names.push(new);
                }
            }
            let first = first_of(&name);
            if !is_settled_anywhere(first) && self.at(first, call.at).next().is_none() {
                unsettled.push(name);
            }
        }
        unsettled
    }

    fn at(&self, name: &str, at: usize) -> impl Iterator<Item = &Binding> {
        let bindings = self.names.get(name).into_iter().flatten();
        bindings.filter(move |binding| binding.scope.contains(&at))
    }
}

fn first_of(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

fn is_settled_anywhere(name: &str) -> bool {
    matches!(name, "self" | "cls" | "__import__")
        || needs_no_import(name)
        || EXCEPTIONS.split(' ').any(|known| known == name)
}

/// What the names of a statement are bound in.
enum Scope {
    /// A function or a comprehension, as its range of bytes.
    Within(Range<usize>),
    /// The body of a class, whose names its methods do not see.
    Class,
}

#[derive(Default)]
struct Walk<'a> {
    text: &'a str,
    bound: Bound,
    scopes: Vec<Scope>,
    /// The targets of an assignment with several (`a = b = c`) until its value comes.
    targets: Vec<Node<'a>>,
}

impl<'a> Walk<'a> {
    fn enter(&mut self, node: Node<'a>) {
        let part = |field| node.child_by_field_name(field);
        match node.kind() {
            "import_statement" | "import_from_statement" => self.import(node),
            "assignment" => self.assignment(node),
            "named_expression" | "default_parameter" | "typed_default_parameter" => {
                if let Some(name) = part("name") {
                    self.give(name, part("value"));
                }
            }
            "for_statement" | "for_in_clause" => self.bind_all(part("left")),
            "as_pattern" => self.bind_all(part("alias")),
            "parameters" | "lambda_parameters" => {
                for parameter in named_children(node) {
                    self.bind_all(Some(parameter));
                }
            }
            "class_definition" => {
                self.bind_all(part("name"));
                self.scopes.push(Scope::Class);
            }
            "function_definition" => {
                self.bind_all(part("name"));
                self.scopes.push(Scope::Within(node.byte_range()));
            }
            kind if is_own_scope(kind) => self.scopes.push(Scope::Within(node.byte_range())),
            _ => {}
        }
    }

    fn leave(&mut self, node: Node<'a>) {
        let kind = node.kind();
        if matches!(kind, "class_definition" | "function_definition") || is_own_scope(kind) {
            self.scopes.pop();
        }
    }

    fn import(&mut self, node: Node<'a>) {
        let mut cursor = node.walk();
        for imported in node.children_by_field_name("name", &mut cursor) {
            let (name, alias) = imported_name(imported, self.text);
            self.bind(alias.as_deref().unwrap_or(first_of(&name)), None);
        }
    }

    fn assignment(&mut self, node: Node<'a>) {
        let Some(right) = node.child_by_field_name("right") else {
            self.targets.clear();
            return;
        };
        self.targets.extend(node.child_by_field_name("left"));
        if right.kind() != "assignment" {
            for target in std::mem::take(&mut self.targets) {
                self.give(target, Some(right));
            }
        }
    }

    /// Binds what a value is given to.
    fn give(&mut self, target: Node<'a>, value: Option<Node<'a>>) {
        let value = value.and_then(|value| name::of(value, self.text));
        match name::of(target, self.text) {
            Some(name) => self.bind(&name, value),
            None => self.bind_all(Some(target)),
        }
    }

    /// Binds the names in a target or a parameter.
    fn bind_all(&mut self, target: Option<Node<'a>>) {
        let mut open: Vec<Node<'a>> = target.into_iter().collect();
        while let Some(node) = open.pop() {
            match node.kind() {
                "identifier" => self.bind(&folded(slice(node, self.text)), None),
                "as_pattern_target"
                | "dictionary_splat_pattern"
                | "list"
                | "list_pattern"
                | "list_splat"
                | "list_splat_pattern"
                | "parenthesized_expression"
                | "pattern_list"
                | "tuple"
                | "tuple_pattern"
                | "typed_parameter" => {
                    open.extend(named_children(node));
                }
                _ => {}
            }
        }
    }

    fn bind(&mut self, name: &str, value: Option<String>) {
        // `x = x.y` says nothing of where `x` comes from.
        if value.as_deref().is_some_and(|value| first_of(value) == first_of(name)) {
            return;
        }
        let scope = match self.scopes.last() {
            // An attribute is seen wherever the object is.
            _ if name.contains('.') => EVERYWHERE,
            None => EVERYWHERE,
            Some(Scope::Within(range)) => range.clone(),
            Some(Scope::Class) => return,
        };
        self.bound.names.entry(name.to_owned()).or_default().push(Binding { scope, value });
    }
}

fn is_own_scope(kind: &str) -> bool {
    matches!(
        kind,
        "lambda"
            | "list_comprehension"
            | "set_comprehension"
            | "dictionary_comprehension"
            | "generator_expression"
    )
}

#[cfg(test)]
mod tests {
    use crate::engine::python::Module;

    /// Returns the unsettled names of the last call.
    fn unsettled(text: &str) -> Vec<String> {
        let module = Module::read_part(text);
        module.calls.last().map(|call| module.unsettled(call)).unwrap_or_default()
    }

    #[test]
    fn a_name_that_is_bound_in_sight_is_settled() {
        for text in [
            "import r; r()",
            "import r.x; r.x.y()",
            "import os as r; r.x()",
            "from os import r; r()",
            "from . import x as r; r()",
            "def r(): pass\nr()",
            "class r: pass\nr()",
            "r = 1; r()",
            "r: int = 1; r()",
            "a, (b, *r) = x; r()",
            "a = [b, r] = x; r()",
            "(r := f()); r()",
            "for a, r in x: r()",
            "with f() as r: r()",
            "with f() as (a, r): r()",
            "try: pass\nexcept E as r: r()",
            "def f(r): r()",
            "def f(a, *r): r()",
            "def f(a, **r): r()",
            "def f(a, *, r: T = 1): r()",
            "def f(r: T): r()",
            "lambda a, r=1: r()",
            "[r() for a, r in x]",
            "{r() for r in x}",
            "def f():\n  r = 1\n  lambda: r()",
            "class A:\n  def f(self): self.r()",
            "@classmethod\ndef f(cls): cls.r.x()",
            "len(x)",
            "str.join(x)",
            "raise KeyError(x)",
            "ｒ = 1; r()",
            "def a(): pass\nr = a; r()",
        ] {
            assert_eq!(unsettled(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn any_other_name_may_come_from_an_import_that_is_not_seen() {
        for (text, names) in [
            ("r()", vec!["r"]),
            ("a.b.c()", vec!["a.b.c"]),
            ("r: int; r()", vec!["r"]),
            ("def f(r): pass\nr()", vec!["r"]),
            ("def f():\n  r = 1\nr()", vec!["r"]),
            ("[r for r in x]; r()", vec!["r"]),
            ("class A:\n  def r(self): r()", vec!["r"]),
            ("x.r = 1; r()", vec!["r"]),
            ("x[r] = 1; r()", vec!["r"]),
            ("from os import *; r()", vec!["r"]),
            ("r = a.b; r()", vec!["a.b"]),
            ("q = a; r = q.b; r.c()", vec!["a.b.c"]),
            ("p = r = a; r()", vec!["a"]),
            ("def f(r=a.b): r()", vec!["a.b"]),
            ("self.r = a.b; self.r()", vec!["a.b"]),
            ("r = 1; r = a; r()", vec!["a"]),
            ("r = r.x; r()", vec!["r"]),
        ] {
            assert_eq!(unsettled(text), names, "{text}");
        }
    }

    #[test]
    fn names_that_cannot_be_followed_to_their_end_are_not_settled() {
        for text in ["a = b.c; b = a.d; a.x()", "a = 1; a = b.c; a = b.d; b = a; b = 1; a.x()"] {
            assert_eq!(unsettled(text), ["a"], "{text}");
        }
    }
}
