//! From the text of a rules file to its rules: every key checked, every error placed.

use super::fields::Fields;
use super::inherit::Inherits;
use super::{Rule, Rulebook, RulesError, Spelled};
use crate::engine::document::{self, Entry, Node, Position, Value};
use crate::engine::glob::Dialect;
use crate::engine::nearest::nearest;
use std::collections::HashMap;

/// How a rules file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// TOML 1.0.
    Toml,
    /// JSON, for a file whose name ends with `.json`.
    Json,
}

impl Form {
    /// Returns the form that a file's name promises.
    #[must_use]
    pub fn of_name(name: &str) -> Self {
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
        if ending.eq_ignore_ascii_case("json") { Self::Json } else { Self::Toml }
    }
}

/// The keys that may stand beside the rules. `$schema` is how a JSON file names its schema for
/// editors; it is not read.
const TOP_KEYS: &[&str] =
    &["version", "extends", "disable", "glob", "rule", "rules", "guard", "$schema"];

/// What `glob` may say.
const EXTENDED: &str = "extended";

/// Names of the record format that a rule's name must not take.
const RESERVED: &[&str] = &[
    "path",
    "added_lines",
    "result_text",
    "change_text",
    "instructions",
    "no_instructions",
    "own_files",
    "edit",
    "edit_verdict",
    "rules_loosened",
];

/// The endings under which a rule's parts stand in a record.
const PARTS: &[&str] = &["", "_lines", "_trigger", "_judged", "_answer"];

/// Reads a rules file. `file` is how messages name it.
///
/// ```
/// use solvi_hook::engine::rules::{Form, load};
///
/// let text = "[[rule]]\nid = \"no-debug\"\npaths = [\"src/**\"]\nforbid = [\"DEBUG\"]\n";
/// let book = load(text, Form::Toml, "solvi-rules.toml").unwrap();
/// assert!(book.rules[0].covers("src/a/b.py"));
/// ```
pub fn load(text: &str, form: Form, file: &str) -> Result<Rulebook, RulesError> {
    Reader { file }.load(text, form)
}

/// Reads one rules file.
pub(super) struct Reader<'a> {
    /// How messages name it.
    pub file: &'a str,
}

impl Reader<'_> {
    /// Reads the file's text; the first mistake is the error.
    pub fn load(&self, text: &str, form: Form) -> Result<Rulebook, RulesError> {
        let (book, mistakes) = self.all(text, form);
        mistakes.into_iter().next().map_or(Ok(book), Err)
    }

    /// Reads the file's text to its end: the rules that can be read, and every mistake.
    pub fn all(&self, text: &str, form: Form) -> (Rulebook, Vec<RulesError>) {
        let top = match form {
            Form::Toml => document::toml(text),
            Form::Json => document::json(text),
        };
        let top = top.map_err(|bad| {
            let form = if form == Form::Json { "JSON" } else { "TOML" };
            self.error(bad.at, format!("this is no {form}: {}", bad.message))
        });
        let mut mistakes = Mistakes::default();
        let empty = || Rulebook { file: self.file.to_owned(), ..Rulebook::default() };
        let top = mistakes.take(top);
        let book = top.and_then(|top| self.book(&top, &mut mistakes));
        (book.unwrap_or_else(empty), mistakes.0)
    }

    /// Makes an error at a place of the file, with what to write instead.
    pub fn error_with(&self, at: Position, problem: impl Into<String>, fix: &str) -> RulesError {
        RulesError { fix: Some(fix.to_owned()), ..self.error(Some(at), problem) }
    }

    fn error(&self, at: Option<Position>, problem: impl Into<String>) -> RulesError {
        let (file, problem) = (self.file.to_owned(), problem.into());
        RulesError { file, at, problem, ..RulesError::default() }
    }

    /// Reads the tree of a file.
    pub fn book(&self, top: &Node, mistakes: &mut Mistakes) -> Option<Rulebook> {
        let Value::Table(entries) = &top.value else {
            let kind = top.value.kind();
            let problem = format!("the file holds {kind}, where a table with `rule` is expected");
            return mistakes.take(Err(self.error(Some(top.at), problem)));
        };
        for entry in entries.iter().filter(|entry| !TOP_KEYS.contains(&entry.key.as_str())) {
            let problem = unknown_key(&entry.key, TOP_KEYS);
            mistakes.0.push(self.error(Some(entry.at), problem));
        }
        mistakes.take(self.version(entries));
        let mut book = Rulebook { file: self.file.to_owned(), ..Rulebook::default() };
        let extends = mistakes.take(self.list(entries, "extends"));
        let disable = mistakes.take(self.list(entries, "disable"));
        let inherits =
            Inherits { extends: extends.unwrap_or_default(), disable: disable.unwrap_or_default() };
        let dialect = mistakes.take(self.dialect(entries, &inherits)).unwrap_or(Dialect::Extended);
        let items = mistakes.take(self.items(entries)).unwrap_or_default();
        for (number, item) in (1..).zip(items) {
            book.rules.extend(self.rule(number, item, dialect, mistakes));
        }
        let book = mistakes.take(inherits.apply(book, self))?;
        names(&book.rules, mistakes);
        Some(book)
    }

    /// Returns the list of rules. Of its two spellings the first one named here counts, as in the
    /// reference.
    fn items<'n>(&self, entries: &'n [Entry]) -> Result<&'n [Node], RulesError> {
        let named = |key: &&str| entries.iter().find(|entry| entry.key == **key);
        let Some(entry) = ["rule", "rules"].iter().find_map(named) else { return Ok(&[]) };
        let Value::List(items) = &entry.node.value else {
            let kind = entry.node.value.kind();
            let problem = format!("`{}` is {kind}, where a list is expected", entry.key);
            let fix = format!("write each rule under `[[{}]]`", entry.key);
            return Err(self.error_with(entry.at, problem, &fix));
        };
        Ok(items)
    }

    /// Reads a string or a list of strings at the top of the file.
    fn list(&self, entries: &[Entry], key: &str) -> Result<Vec<Spelled>, RulesError> {
        let Some(entry) = entries.iter().find(|entry| entry.key == key) else {
            return Ok(Vec::new());
        };
        strings(&entry.node).map_err(|(at, kind)| {
            let problem = format!("`{key}` holds {kind}, where a string is expected");
            self.error_with(at, problem, &format!("write `{key} = [\"…\"]`"))
        })
    }

    fn version(&self, entries: &[Entry]) -> Result<(), RulesError> {
        let Some(entry) = entries.iter().find(|entry| entry.key == "version") else {
            return Ok(());
        };
        if entry.node.value == Value::Other("1".to_owned()) {
            return Ok(());
        }
        let mut error = self.error(Some(entry.at), "`version` names a format unknown to me");
        error.fix = Some("write `version = 1`".to_owned());
        Err(error)
    }

    /// Returns the dialect of the globs: a file that knows what it inherits is none of the
    /// reference's, which knows plain ones alone.
    fn dialect(&self, entries: &[Entry], inherits: &Inherits) -> Result<Dialect, RulesError> {
        let Some(entry) = entries.iter().find(|entry| entry.key == "glob") else {
            let plain = inherits.extends.is_empty();
            return Ok(if plain { Dialect::Plain } else { Dialect::Extended });
        };
        match &entry.node.value {
            Value::Text(text) if text == EXTENDED => Ok(Dialect::Extended),
            value => {
                let got = match value {
                    Value::Text(text) => format!("\"{text}\""),
                    value => value.kind().to_owned(),
                };
                let fix = "write `glob = \"extended\"`, or leave it out";
                Err(self.error_with(entry.at, format!("`glob` is {got}"), fix))
            }
        }
    }

    fn rule(
        &self,
        number: usize,
        item: &Node,
        dialect: Dialect,
        mistakes: &mut Mistakes,
    ) -> Option<Rule> {
        let Value::Table(entries) = &item.value else {
            let problem = format!("rule number {number} is {}, not a table", item.value.kind());
            return mistakes.take(Err(self.error(Some(item.at), problem)));
        };
        let id = entries.iter().find(|entry| entry.key == "id").map(|entry| &entry.node.value);
        let label = match id {
            Some(Value::Text(id)) => id.clone(),
            _ => number.to_string(),
        };
        let at = entries.iter().map(|entry| entry.at).min().unwrap_or(item.at);
        Some(Fields { file: self.file, dialect, at, label, entries }.rule(mistakes))
    }
}

/// What is wrong in a rules file, in the order in which it was found.
#[derive(Default)]
pub(super) struct Mistakes(pub Vec<RulesError>);

impl Mistakes {
    /// Returns what could be read, or keeps why it could not.
    pub fn take<T>(&mut self, read: Result<T, RulesError>) -> Option<T> {
        read.map_err(|mistake| self.0.push(mistake)).ok()
    }
}

/// Refuses rules whose parts would meet in a record.
fn names(rules: &[Rule], mistakes: &mut Mistakes) {
    let mut taken: HashMap<String, &Rule> = HashMap::new();
    for rule in rules {
        let mut clash = |problem: String, other: Option<&Rule>| {
            // A line of another file is no help.
            let other = other.filter(|other| other.file == rule.file);
            mistakes.0.push(RulesError {
                file: rule.file.clone(),
                at: Some(rule.at),
                rule: Some(rule.id.clone()),
                problem,
                fix: Some("give it another id".to_owned()),
                first: other.map(|other| other.at),
            });
        };
        if RESERVED.contains(&rule.name.as_str()) {
            let name = &rule.name;
            clash(format!("its name in records, `{name}`, is one of the record's own"), None);
            continue;
        }
        let parts = || PARTS.iter().map(|part| format!("{}{part}", rule.name));
        if let Some((name, other)) = parts().find_map(|name| taken.get(&name).map(|it| (name, *it)))
        {
            let problem = if other.id == rule.id {
                "its id stands twice".to_owned()
            } else {
                format!("its name in records, `{name}`, is taken by rule `{}`", other.id)
            };
            clash(problem, Some(other));
            continue;
        }
        taken.extend(parts().map(|name| (name, rule)));
    }
}

/// Reads a string or a list of strings, none of them empty; the error is where something else
/// stands, and what.
pub(super) fn strings(node: &Node) -> Result<Vec<Spelled>, (Position, &'static str)> {
    let text = |node: &Node| match &node.value {
        Value::Text(text) if !text.is_empty() => Ok(Spelled { text: text.clone(), at: node.at }),
        Value::Text(_) => Err((node.at, "an empty string")),
        value => Err((node.at, value.kind())),
    };
    match &node.value {
        Value::List(items) => items.iter().map(text).collect(),
        _ => Ok(vec![text(node)?]),
    }
}

/// Returns what is wrong with a key, and which one was probably meant.
pub(super) fn unknown_key(key: &str, known: &[&str]) -> String {
    match nearest(key, known.iter().copied()) {
        Some(candidate) => format!("unknown key `{key}`; did you mean `{candidate}`?"),
        None => format!("unknown key `{key}`; known are {}", known.join(", ")),
    }
}
