//! The ways besides a plain call in which a name is called, given to another name, or handed on.
//!
//! What is certain becomes a call or an alias. A name that is handed on (an argument, an element
//! of a list, a returned value) is kept in [`Module::passed`](super::Module): whoever gets it may
//! call it.

use super::module::{Arguments, Call};
use super::name;
use super::node::{bare, named_children, slice};
use super::source::folded;
use super::walk::Walk;
use tree_sitter::Node;

/// How many values one expression may have (`a if b else c`).
const VALUES: usize = 64;

/// Tells whether a function calls its first argument.
fn calls_its_first(name: &str) -> bool {
    matches!(
        name,
        "apply_async" | "filter" | "map" | "partial" | "partialmethod" | "reduce" | "starmap"
    )
}

/// Tells whether a function only looks at what it is given.
fn only_looks(name: &str) -> bool {
    matches!(
        name,
        "callable"
            | "dir"
            | "getattr"
            | "hasattr"
            | "hash"
            | "help"
            | "id"
            | "isinstance"
            | "issubclass"
            | "len"
            | "print"
            | "repr"
            | "signature"
            | "str"
            | "type"
            | "wraps"
    )
}

impl<'a> Walk<'a> {
    /// Reads a call of whatever its callee stands for.
    pub(super) fn call(&mut self, node: Node<'a>) {
        let Some(callee) = node.child_by_field_name("function") else { return };
        let list = node.child_by_field_name("arguments");
        let arguments = list.map(|list| self.arguments(list)).unwrap_or_default();
        match bare(callee).kind() {
            "conditional_expression" | "boolean_operator" => {
                for value in values(callee) {
                    if let Some(name) = self.name(value) {
                        self.push_call(node, name, arguments.clone());
                    }
                }
            }
            _ => match self.name(callee) {
                Some(name) => self.push_call(node, name, arguments),
                None => self.method_called(callee, node, arguments),
            },
        }
        if let Some(list) = list.filter(|list| list.kind() == "argument_list") {
            self.hand_over(node, list);
        }
    }

    /// `methodcaller('system', 'x')(os)`
    fn method_called(&mut self, callee: Node<'a>, node: Node<'a>, arguments: Arguments) {
        if callee.kind() != "call"
            || name::last(callee, self.text, &self.lookups) != Some("methodcaller")
        {
            return;
        }
        let first = |call: Node<'a>| {
            let list = call.child_by_field_name("arguments")?;
            named_children(list).first().copied()
        };
        let method = first(callee).and_then(|name| super::literal::plain_string(name, self.text));
        let object = first(node).and_then(|object| self.name(object));
        if let (Some(object), Some(method)) = (object, method) {
            self.push_call(node, format!("{object}.{method}"), arguments);
        }
    }

    /// Reads the names among the arguments of a call.
    fn hand_over(&mut self, call: Node<'a>, list: Node<'a>) {
        let callee = name::last(call, self.text, &self.lookups).unwrap_or_default();
        if only_looks(callee) {
            return;
        }
        let mut arguments = named_children(list).into_iter();
        if calls_its_first(callee)
            && let Some(first) = arguments.next()
        {
            let mut given = self.arguments(list);
            given.shift();
            for value in values(first) {
                if let Some(name) = self.name(value) {
                    self.push(call, name, given.clone(), true);
                }
            }
        }
        for argument in arguments {
            match argument.kind() {
                "keyword_argument" => {
                    if let Some(value) = argument.child_by_field_name("value") {
                        self.pass(value);
                    }
                }
                _ => self.pass(argument),
            }
        }
    }

    /// Keeps the names that an expression hands on.
    pub(super) fn pass(&mut self, value: Node<'a>) {
        if matches!(value.kind(), "identifier" | "attribute" | "named_expression") {
            self.pass_name(value);
        } else if is_choice(value) {
            for value in values(value) {
                if matches!(value.kind(), "identifier" | "attribute") {
                    self.pass_name(value);
                }
            }
        }
    }

    fn pass_name(&mut self, value: Node<'a>) {
        if let Some(name) = self.name(value) {
            let call = self.made(value, name, Arguments::default(), true);
            self.module.passed.push(Call { passed: true, ..call });
        }
    }

    /// `@os.system` calls what it names.
    pub(super) fn decorator(&mut self, node: Node<'a>) {
        let decorator = named_children(node).first().copied();
        let decorator = decorator.filter(|node| matches!(node.kind(), "identifier" | "attribute"));
        if let Some(name) = decorator.and_then(|decorator| self.name(decorator)) {
            self.push(node, name, Arguments::default(), true);
        }
    }

    /// `for f in (eval, exec)`
    pub(super) fn for_each(&mut self, node: Node<'a>) {
        let (left, right) = (node.child_by_field_name("left"), node.child_by_field_name("right"));
        let (Some(left), Some(right)) = (left, right.map(bare)) else { return };
        if matches!(right.kind(), "tuple" | "list" | "set" | "expression_list") {
            self.unpacked.insert(right.id());
            for value in named_children(right) {
                self.give(left, value);
            }
        }
    }

    /// Gives a value to a target, part by part where both have parts.
    pub(super) fn give(&mut self, target: Node<'a>, value: Node<'a>) {
        let mut open = vec![(target, value)];
        while let Some((target, value)) = open.pop() {
            if !is_list(target) {
                self.give_one(target, value);
                continue;
            }
            let value = bare(value);
            if !is_list(value) {
                continue;
            }
            let (targets, values) = (named_children(target), named_children(value));
            let is_splat = |node: &Node<'_>| node.kind().starts_with("list_splat");
            if targets.len() == values.len() && !targets.iter().any(is_splat) {
                self.unpacked.insert(value.id());
            }
            let ahead = targets.iter().position(is_splat).unwrap_or(targets.len());
            let ahead = ahead.min(values.iter().position(is_splat).unwrap_or(values.len()));
            open.extend(targets.iter().copied().zip(values.iter().copied()).take(ahead));
            if ahead < targets.len() && !values.iter().any(is_splat) {
                let behind = targets.iter().rev().take_while(|target| !is_splat(target)).count();
                let pairs = targets.iter().rev().copied().zip(values.iter().rev().copied());
                open.extend(pairs.take(behind.min(values.len().saturating_sub(ahead))));
            }
        }
    }

    fn give_one(&mut self, target: Node<'a>, value: Node<'a>) {
        let Some(name) = self.name(target) else {
            self.pass(value);
            return;
        };
        if target.kind() == "subscript" {
            self.pass(value);
        }
        if !is_choice(value) {
            if let Some(value) = self.name(value) {
                self.alias(name, value);
            }
            return;
        }
        for value in values(value) {
            if let Some(value) = self.name(value) {
                self.alias(name.clone(), value);
            }
        }
    }

    /// `global run`: the name belongs to the module.
    pub(super) fn global(&mut self, node: Node<'a>) {
        let function = self.scopes.last().map(|range| range.start);
        for name in named_children(node) {
            let name = folded(slice(name, self.text)).into_owned();
            self.globals.push((function, name));
        }
    }

    pub(super) fn name(&self, node: Node<'a>) -> Option<String> {
        name::with(node, self.text, &self.lookups)
    }

    fn push_call(&mut self, node: Node<'a>, name: String, arguments: Arguments) {
        self.push(node, name, arguments, false);
    }

    pub(super) fn push(
        &mut self,
        node: Node<'a>,
        name: String,
        arguments: Arguments,
        implied: bool,
    ) {
        let call = self.made(node, name, arguments, implied);
        self.module.calls.push(call);
    }

    fn made(&self, node: Node<'a>, name: String, arguments: Arguments, implied: bool) -> Call {
        let rows = self.row(node)..=self.parsed.last_row(node);
        Call {
            name,
            rows,
            arguments,
            at: node.start_byte(),
            end: node.end_byte(),
            implied,
            passed: false,
        }
    }
}

/// Returns what an expression may be worth: more than one value where it chooses.
fn values(node: Node<'_>) -> Vec<Node<'_>> {
    let mut values = Vec::new();
    let mut open = vec![node];
    while let Some(node) = open.pop().filter(|_| values.len() < VALUES) {
        match node.kind() {
            "parenthesized_expression" => open.extend(named_children(node).first()),
            "conditional_expression" => {
                let parts = named_children(node);
                open.extend(parts.first());
                open.extend(parts.get(2));
            }
            "boolean_operator" => {
                open.extend(node.child_by_field_name("left"));
                open.extend(node.child_by_field_name("right"));
            }
            "named_expression" => values.extend(node.child_by_field_name("name")),
            _ => values.push(node),
        }
    }
    values
}

fn is_choice(node: Node<'_>) -> bool {
    matches!(bare(node).kind(), "conditional_expression" | "boolean_operator")
}

fn is_list(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "pattern_list" | "tuple_pattern" | "list_pattern" | "tuple" | "list" | "expression_list"
    )
}
