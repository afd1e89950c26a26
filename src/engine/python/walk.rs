//! From a syntax tree to what it calls, defines and names.
//!
//! One pass with a cursor, never by recursion: a text nested 100,000 deep needs no more stack
//! than a flat one.

use super::alias::{Bindings, EVERYWHERE};
use super::bound::Bound;
use super::literal::{Truth, is_constant, plain_string};
use super::module::{Arguments, Flaw, Function, Module};
use super::name::{self, Lookups};
use super::node::{bare, named_children, slice};
use super::parse::{Parsed, parse};
use super::source::folded;
use std::collections::HashSet;
use std::ops::Range;
use tree_sitter::Node;

/// Reads a text.
pub fn module(text: &str) -> Module {
    match parse(text) {
        Some(parsed) => read(text, &parsed),
        None => too_large(),
    }
}

/// Reads a text that is a part of a file, with the names that it settles.
pub fn part(text: &str) -> Module {
    match parse(text) {
        Some(parsed) => Module { bound: Some(Bound::of(&parsed)), ..read(text, &parsed) },
        None => too_large(),
    }
}

fn too_large() -> Module {
    Module { flaw: Some(Flaw::TooLarge), ..Module::default() }
}

/// How often a text is walked anew because a function that looks names up has another name there.
const AGAIN: usize = 3;

fn read(text: &str, parsed: &Parsed<'_>) -> Module {
    let mut walk = Walk::new(parsed, Lookups::default());
    walk.run();
    for _ in 0..AGAIN {
        if !walk.learned {
            break;
        }
        walk = Walk::new(parsed, walk.lookups);
        walk.run();
    }
    let mut module = walk.module;
    // Python refuses a NUL wherever it stands; the parser takes some for blanks.
    if let Some((before, _)) = text.split_once('\0') {
        let row = before.matches('\n').count();
        module.flaw = Some(match module.flaw {
            Some(Flaw::Broken(first)) => Flaw::Broken(first.min(row)),
            _ => Flaw::Broken(row),
        });
    }
    module
}

/// What a node is to the walk.
#[derive(Clone, Copy)]
enum Kind {
    Call,
    /// Python 2 calls these two without brackets.
    Exec,
    Print,
    TypeAlias,
    Import,
    ImportFrom,
    Assignment,
    Decorator,
    For,
    Global,
    /// A list, a tuple or a set.
    List,
    Pair,
    Return,
    /// A comprehension, which hands on what stands before its `for`.
    Comprehension,
    Match,
    /// A name that gets a value inside an expression or a parameter list.
    Binding,
    Class,
    Function,
    Lambda,
    If,
    Elif,
    /// Any other statement that holds statements.
    Block,
    Other,
}

impl Kind {
    fn of(name: &str) -> Self {
        match name {
            "call" => Self::Call,
            "exec_statement" => Self::Exec,
            "print_statement" => Self::Print,
            "type_alias_statement" => Self::TypeAlias,
            "import_statement" => Self::Import,
            "import_from_statement" => Self::ImportFrom,
            "assignment" => Self::Assignment,
            "decorator" => Self::Decorator,
            "for_statement" | "for_in_clause" => Self::For,
            "global_statement" | "nonlocal_statement" => Self::Global,
            "list" | "tuple" | "set" | "expression_list" => Self::List,
            "pair" => Self::Pair,
            "return_statement" | "yield" => Self::Return,
            "generator_expression" | "list_comprehension" | "set_comprehension" => {
                Self::Comprehension
            }
            "match_statement" => Self::Match,
            "named_expression" | "default_parameter" | "typed_default_parameter" => Self::Binding,
            "class_definition" => Self::Class,
            "function_definition" => Self::Function,
            "lambda" => Self::Lambda,
            "if_statement" => Self::If,
            "elif_clause" => Self::Elif,
            "while_statement" | "with_statement" | "try_statement" | "except_clause"
            | "case_clause" => Self::Block,
            _ => Self::Other,
        }
    }

    fn holds_statements(self) -> bool {
        matches!(
            self,
            Self::Class | Self::Function | Self::If | Self::For | Self::Match | Self::Block
        )
    }
}

pub(super) struct Walk<'a> {
    pub(super) parsed: &'a Parsed<'a>,
    pub(super) text: &'a str,
    broken: bool,
    pub(super) module: Module,
    /// Other names of the functions that look a name up.
    pub(super) lookups: Lookups,
    /// Whether there are more of these than the walk began with.
    learned: bool,
    /// The kinds met so far, by the number that the grammar gives them.
    kinds: Vec<Option<Kind>>,
    /// The functions around the current node, as byte ranges.
    pub(super) scopes: Vec<Range<usize>>,
    /// The classes around the current node, each with how many functions are around it.
    classes: Vec<Class>,
    /// The lists that are unpacked into names.
    pub(super) unpacked: HashSet<usize>,
    /// The names that belong to the module, each with the function that says so.
    pub(super) globals: Vec<(Option<usize>, String)>,
    /// How many statements that hold statements are around the current node.
    depth: usize,
    /// For each `if` around the current node: how many of its `elif`s have begun.
    elifs: Vec<usize>,
    /// The targets of an assignment with several (`a = b = c`) until its value comes.
    targets: Vec<Node<'a>>,
}

/// A class around the current node.
struct Class {
    name: String,
    range: Range<usize>,
    /// How many functions are around it.
    functions: usize,
}

impl<'a> Walk<'a> {
    fn new(parsed: &'a Parsed<'a>, lookups: Lookups) -> Self {
        Self {
            parsed,
            text: &parsed.text,
            broken: parsed.tree.root_node().has_error(),
            module: Module::default(),
            lookups,
            learned: false,
            kinds: vec![None; parsed.tree.language().node_kind_count()],
            scopes: Vec::new(),
            classes: Vec::new(),
            unpacked: HashSet::new(),
            globals: Vec::new(),
            depth: 0,
            elifs: Vec::new(),
            targets: Vec::new(),
        }
    }

    fn run(&mut self) {
        let mut cursor = self.parsed.tree.walk();
        loop {
            self.enter(cursor.node());
            if cursor.goto_first_child() {
                continue;
            }
            loop {
                self.leave(cursor.node());
                if cursor.goto_next_sibling() {
                    break;
                }
                if !cursor.goto_parent() {
                    return;
                }
            }
        }
    }

    fn enter(&mut self, node: Node<'a>) {
        if self.broken && (node.is_error() || node.is_missing()) {
            let row = self.row(node);
            self.module.flaw.get_or_insert(Flaw::Broken(row));
            self.module.errors.push(row..=self.parsed.last_row(node));
        }
        let kind = self.kind(node);
        match kind {
            Kind::Other | Kind::Block => {}
            Kind::Call => self.call(node),
            Kind::Exec => self.statement(node, "exec"),
            Kind::Print => self.statement(node, "print"),
            Kind::TypeAlias => self.type_alias(node),
            Kind::Import => self.import(node),
            Kind::ImportFrom => self.import_from(node),
            Kind::Assignment => self.assignment(node),
            Kind::Decorator => self.decorator(node),
            Kind::For => self.for_each(node),
            Kind::Global => self.global(node),
            // What is unpacked into names was followed there.
            Kind::List if self.unpacked.contains(&node.id()) => {}
            Kind::List => named_children(node).into_iter().for_each(|value| self.pass(value)),
            Kind::Pair => {
                if let Some(value) = node.child_by_field_name("value") {
                    self.pass(value);
                }
            }
            Kind::Return => {
                if let Some(value) = named_children(node).first() {
                    self.pass(*value);
                }
            }
            Kind::Comprehension => {
                if let Some(value) = node.child_by_field_name("body") {
                    self.pass(value);
                }
            }
            // `match eval:` gives it to the name in `case run:`.
            Kind::Match => {
                let mut cursor = node.walk();
                for subject in node.children_by_field_name("subject", &mut cursor) {
                    self.pass(subject);
                }
            }
            Kind::Binding => self.bind(node),
            Kind::Class => self.class(node),
            Kind::Function => {
                self.function(node);
                self.scopes.push(node.byte_range());
            }
            Kind::Lambda => {
                if let Some(value) = node.child_by_field_name("body") {
                    self.pass(value);
                }
                self.scopes.push(node.byte_range());
            }
            Kind::If => self.elifs.push(0),
            // To Python's tree an `elif` is an `if` within the one before it.
            Kind::Elif => {
                if let Some(begun) = self.elifs.last_mut() {
                    *begun += 1;
                    self.depth += 1;
                }
            }
        }
        self.depth += usize::from(kind.holds_statements());
    }

    fn leave(&mut self, node: Node<'a>) {
        let kind = self.kind(node);
        self.depth -= usize::from(kind.holds_statements());
        match kind {
            Kind::Function | Kind::Lambda => {
                self.scopes.pop();
            }
            Kind::Class => drop(self.classes.pop()),
            Kind::If => self.depth -= self.elifs.pop().unwrap_or(0),
            _ => {}
        }
    }

    /// Returns the kind of a node. Its name is a C string, so it is read once for each kind and
    /// not for each node, which would add a tenth to the time of the parse.
    fn kind(&mut self, node: Node<'a>) -> Kind {
        let id = usize::from(node.kind_id());
        if let Some(Some(known)) = self.kinds.get(id) {
            return *known;
        }
        let kind = if node.is_named() { Kind::of(node.kind()) } else { Kind::Other };
        if let Some(slot) = self.kinds.get_mut(id) {
            *slot = Some(kind);
        }
        kind
    }

    pub(super) fn row(&self, node: Node<'_>) -> usize {
        self.parsed.row(node)
    }

    fn statement(&mut self, node: Node<'a>, name: &str) {
        self.push(node, name.to_owned(), Arguments::default(), false);
    }

    /// The grammar takes `type(x).y = z` for `type X = z`.
    fn type_alias(&mut self, node: Node<'a>) {
        let left = node.child_by_field_name("left");
        if left.is_some_and(|left| slice(left, self.text).starts_with('(')) {
            self.statement(node, "type");
        }
    }

    pub(super) fn arguments(&self, list: Node<'a>) -> Arguments {
        let mut arguments = Arguments::default();
        let mut cursor = list.walk();
        let mut counts = true;
        for argument in list.named_children(&mut cursor) {
            match argument.kind() {
                "comment" => {}
                // How many are unpacked is known of what is written out.
                "list_splat" => {
                    let list = named_children(argument).first().copied().map(bare);
                    let list = list.filter(|list| matches!(list.kind(), "list" | "tuple"));
                    counts &= list.is_some();
                    for value in list.map(named_children).unwrap_or_default() {
                        arguments.add(|| Truth::of(value, self.text));
                    }
                }
                "keyword_argument" => {
                    let name = argument.child_by_field_name("name");
                    let value = argument.child_by_field_name("value");
                    if let (Some(name), Some(value)) = (name, value) {
                        let name = folded(slice(name, self.text)).into_owned();
                        arguments.named.push((name, Truth::of(value, self.text)));
                    }
                }
                "dictionary_splat" => self.unpacked(argument, &mut arguments),
                _ if counts => arguments.add(|| Truth::of(argument, self.text)),
                _ => {}
            }
        }
        arguments
    }

    /// Reads `**{'shell': True}` as what it is; every other mapping stays unknown.
    fn unpacked(&self, splat: Node<'a>, arguments: &mut Arguments) {
        let mapping = named_children(splat).first().copied().map(bare);
        let Some(mapping) = mapping.filter(|node| node.kind() == "dictionary") else {
            arguments.open = true;
            return;
        };
        for pair in named_children(mapping) {
            let key = pair.child_by_field_name("key").and_then(|key| plain_string(key, self.text));
            match (key, pair.child_by_field_name("value")) {
                (Some(key), Some(value)) => {
                    arguments.named.push((key.to_owned(), Truth::of(value, self.text)));
                }
                _ => arguments.open = true,
            }
        }
    }

    fn import(&mut self, node: Node<'a>) {
        let mut cursor = node.walk();
        for imported in node.children_by_field_name("name", &mut cursor) {
            match imported_name(imported, self.text) {
                (module, Some(alias)) => self.stands_for(alias, module),
                (module, None) => {
                    let top = module.split('.').next().unwrap_or(&module).to_owned();
                    self.bindings().own(top);
                }
            }
        }
    }

    fn import_from(&mut self, node: Node<'a>) {
        let Some(module) = node.child_by_field_name("module_name") else { return };
        let relative = module.kind() != "dotted_name";
        let module = name::dotted(module, self.text);
        let mut cursor = node.walk();
        for imported in node.children_by_field_name("name", &mut cursor) {
            let (name, alias) = imported_name(imported, self.text);
            let alias = alias.unwrap_or_else(|| name.clone());
            if relative {
                self.bindings().own(alias);
            } else {
                self.stands_for(alias, format!("{module}.{name}"));
            }
        }
        if !relative && named_children(node).iter().any(|part| part.kind() == "wildcard_import") {
            self.bindings().star(module);
        }
    }

    fn assignment(&mut self, node: Node<'a>) {
        let Some(right) = node.child_by_field_name("right") else {
            self.targets.clear();
            return;
        };
        self.targets.extend(node.child_by_field_name("left"));
        if right.kind() == "assignment" {
            return;
        }
        for target in std::mem::take(&mut self.targets) {
            if self.depth == 0 && slice(target, self.text) == "down_revision" {
                self.module.merges = is_several(right);
            }
            self.give(target, right);
        }
    }

    fn bind(&mut self, node: Node<'a>) {
        let part = |field| node.child_by_field_name(field);
        if let (Some(name), Some(value)) = (part("name"), part("value")) {
            self.give(name, value);
        }
    }

    /// A name is seen within its function; an attribute of something (`self.run`) everywhere, and
    /// what a class's body binds is an attribute of the class.
    pub(super) fn alias(&mut self, name: String, value: String) {
        self.learned |= self.lookups.add(&name, &value);
        if name.contains('.') {
            self.bindings().add(name, value, EVERYWHERE);
            return;
        }
        let functions = self.scopes.len();
        if let Some(class) = self.classes.last().filter(|class| class.functions == functions) {
            let (class_name, range) = (class.name.clone(), class.range.clone());
            for of in [class_name.as_str(), "self", "cls"] {
                let scope = if of == class_name { EVERYWHERE } else { range.clone() };
                self.bindings().add(format!("{of}.{name}"), value.clone(), scope);
            }
            self.bindings().add(name, value, range);
            return;
        }
        let function = self.scopes.last().map(|range| range.start);
        let is_global = self.globals.iter().any(|(by, it)| *by == function && *it == name);
        let scope = self.scopes.last().filter(|_| !is_global);
        let scope = scope.cloned().unwrap_or(EVERYWHERE);
        self.bindings().add(name, value, scope);
    }

    fn stands_for(&mut self, name: String, target: String) {
        self.learned |= self.lookups.add(&name, &target);
        self.bindings().add(name, target, EVERYWHERE);
    }

    fn function(&mut self, node: Node<'a>) {
        let Some(name) = node.child_by_field_name("name") else { return };
        self.own(name);
        let statements = node.child_by_field_name("body").map(named_children);
        let idle = statements.unwrap_or_default().into_iter().all(does_nothing);
        let name = folded(slice(name, self.text)).into_owned();
        let row = self.row(node);
        self.module.functions.push(Function { name, row, idle, depth: self.depth });
    }

    fn class(&mut self, node: Node<'a>) {
        let mut class = String::new();
        if let Some(name) = node.child_by_field_name("name") {
            self.own(name);
            class = folded(slice(name, self.text)).into_owned();
        }
        let functions = self.scopes.len();
        self.classes.push(Class { name: class, range: node.byte_range(), functions });
    }

    fn own(&mut self, name: Node<'a>) {
        let name = folded(slice(name, self.text)).into_owned();
        self.bindings().own(name);
    }

    fn bindings(&mut self) -> &mut Bindings {
        &mut self.module.bindings
    }
}

/// Tells whether a value is a list or a tuple of several.
fn is_several(value: Node<'_>) -> bool {
    matches!(value.kind(), "tuple" | "list" | "expression_list") && named_children(value).len() > 1
}

/// Returns what is imported, and the name that it is given.
pub(super) fn imported_name(node: Node<'_>, text: &str) -> (String, Option<String>) {
    let name = node.child_by_field_name("name").unwrap_or(node);
    let alias = node.child_by_field_name("alias");
    let alias = alias.map(|alias| folded(slice(alias, text)).into_owned());
    (name::dotted(name, text), alias)
}

fn does_nothing(statement: Node<'_>) -> bool {
    match statement.kind() {
        "pass_statement" => true,
        "expression_statement" => match named_children(statement).as_slice() {
            [value] => is_constant(*value),
            _ => false,
        },
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::engine::python::CallPattern;

    #[test]
    fn a_text_nested_deep_is_walked_without_recursion() {
        let deep = 20_000;
        let nested = |open: &str, inner: &str, close: &str| {
            format!("{}{inner}{}\n", open.repeat(deep), close.repeat(deep))
        };
        let cases = [
            (nested("(", "f()", ")"), 1),
            (nested("f(", "", ")"), deep),
            (nested("f(a=(", "1", "))"), deep),
            (nested("(a:=", "f", ")()"), deep),
            (nested("", "f", "()"), 1),
            (nested("getattr(", "f", ", 'a')"), deep),
            (nested("a = ", "f()", ""), 1),
            (nested("-", "f()", ""), 1),
        ];
        for (text, calls) in cases {
            let begin = text.get(..20);
            assert_eq!(module(&text).calls.len(), calls, "{begin:?}");
        }
    }

    #[test]
    fn the_function_that_counts_is_the_last_one_level_by_level() {
        let cases = [
            ("def f(): pass\ndef f(): x()\n", 1),
            ("class A:\n  def f(self): x()\ndef f(): pass\n", 1),
            ("if a:\n  def f(): x()\nelif b:\n  def f(): y()\nelse:\n  def f(): z()\n", 5),
            ("try:\n  def f(): x()\nexcept E:\n  def f(): y()\nfinally:\n  def f(): z()\n", 3),
            ("if a: pass\nelif b: pass\ndef f(): x()\nclass A:\n  def f(self): y()\n", 4),
            ("@g\n@h\nasync def f(): x()\n", 2),
        ];
        for (text, row) in cases {
            let function = module(text).function("f").cloned();
            assert_eq!(function.map(|function| function.row), Some(row), "{text}");
        }
    }

    #[test]
    fn names_that_grow_in_a_circle_end_and_names_beyond_count_are_told() {
        let cases = [
            ("x = x.y; x = os; x()\n", "f", 1, false),
            ("x = x.y; x = os; x()\n", "os.system", 32, false),
            ("x = x.y; x = x.z; x = os; x()\n", "os.system", 256, true),
        ];
        for (text, pattern, known, cut) in cases {
            let module = module(text);
            let pattern = CallPattern::new(pattern).unwrap();
            let names = module.reach(&[&pattern]).names(module.calls.last().unwrap());
            assert_eq!((names.known.len(), names.cut), (known, cut), "{text}");
        }
    }
}
