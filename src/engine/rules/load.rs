//! From the text of a rules file to its rules: every key checked, every error placed.

use super::inherit::Inherits;
use super::limits;
use super::realm::Realm;
use super::{Question, Rule, Rulebook, RulesError, Spelled};
use crate::domain::{Moment, Verdict};
use crate::engine::checks::{KINDS, forbid};
use crate::engine::document::{self, Entry, Node, Value};
use crate::engine::glob::Globs;
use crate::engine::nearest::nearest;
use crate::engine::redaction::SecretPatterns;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

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

/// The keys of a rule that are not the name of a check.
pub const RULE_KEYS: &[&str] = &[
    "id",
    "paths",
    "why",
    "instead",
    "question",
    "when",
    "on_fail",
    "only",
    "on",
    "calibration",
    "redact",
];

/// The keys that may stand beside the rules. `$schema` is how a JSON file names its schema for
/// editors; it is not read.
const TOP_KEYS: &[&str] = &["version", "extends", "disable", "rule", "rules", "guard", "$schema"];

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
    /// Reads the file's text.
    pub fn load(&self, text: &str, form: Form) -> Result<Rulebook, RulesError> {
        let top = match form {
            Form::Toml => document::toml(text),
            Form::Json => document::json(text),
        };
        let top = top.map_err(|bad| {
            let form = if form == Form::Json { "JSON" } else { "TOML" };
            self.error(bad.line, format!("this is no {form}: {}", bad.message))
        })?;
        self.book(&top)
    }

    /// Makes an error at a line of the file, with what to write instead.
    pub fn error_with(&self, line: usize, problem: impl Into<String>, fix: &str) -> RulesError {
        RulesError { fix: Some(fix.to_owned()), ..self.error(Some(line), problem) }
    }

    fn error(&self, line: Option<usize>, problem: impl Into<String>) -> RulesError {
        let (file, problem) = (self.file.to_owned(), problem.into());
        RulesError { file, line, rule: None, problem, fix: None }
    }

    fn book(&self, top: &Node) -> Result<Rulebook, RulesError> {
        let Value::Table(entries) = &top.value else {
            let kind = top.value.kind();
            let problem = format!("the file holds {kind}, where a table with `rule` is expected");
            return Err(self.error(Some(top.line), problem));
        };
        if let Some(entry) = entries.iter().find(|entry| !TOP_KEYS.contains(&entry.key.as_str())) {
            let problem = unknown_key(&entry.key, TOP_KEYS);
            return Err(self.error(Some(entry.line), problem));
        }
        self.version(entries)?;
        // Of two spellings the first one named here counts, as in the reference.
        let list =
            ["rule", "rules"].iter().find_map(|key| entries.iter().find(|entry| entry.key == *key));
        let mut book = Rulebook { file: self.file.to_owned(), ..Rulebook::default() };
        if let Some(entry) = list {
            let Value::List(items) = &entry.node.value else {
                let kind = entry.node.value.kind();
                let problem = format!("`{}` is {kind}, where a list is expected", entry.key);
                let mut error = self.error(Some(entry.line), problem);
                error.fix = Some(format!("write each rule under `[[{}]]`", entry.key));
                return Err(error);
            };
            for (number, item) in (1..).zip(items) {
                book.rules.push(self.rule(number, item)?);
            }
        }
        let inherits = Inherits {
            extends: self.list(entries, "extends")?,
            disable: self.list(entries, "disable")?,
        };
        let book = inherits.apply(book, self)?;
        names(&book.rules)?;
        Ok(book)
    }

    /// Reads a string or a list of strings at the top of the file.
    fn list(&self, entries: &[Entry], key: &str) -> Result<Vec<Spelled>, RulesError> {
        let Some(entry) = entries.iter().find(|entry| entry.key == key) else {
            return Ok(Vec::new());
        };
        strings(&entry.node).map_err(|(line, kind)| {
            let problem = format!("`{key}` holds {kind}, where a string is expected");
            self.error_with(line, problem, &format!("write `{key} = [\"…\"]`"))
        })
    }

    fn version(&self, entries: &[Entry]) -> Result<(), RulesError> {
        let Some(entry) = entries.iter().find(|entry| entry.key == "version") else {
            return Ok(());
        };
        if entry.node.value == Value::Other("1".to_owned()) {
            return Ok(());
        }
        let mut error = self.error(Some(entry.line), "`version` names a format unknown to me");
        error.fix = Some("write `version = 1`".to_owned());
        Err(error)
    }

    fn rule(&self, number: usize, item: &Node) -> Result<Rule, RulesError> {
        let Value::Table(entries) = &item.value else {
            let problem = format!("rule number {number} is {}, not a table", item.value.kind());
            return Err(self.error(Some(item.line), problem));
        };
        let id = entries.iter().find(|entry| entry.key == "id").map(|entry| &entry.node.value);
        let label = match id {
            Some(Value::Text(id)) => id.clone(),
            _ => number.to_string(),
        };
        let line = entries.iter().map(|entry| entry.line).min().unwrap_or(item.line);
        let fields = Fields { file: self.file, line, label, entries };
        fields.rule()
    }
}

/// The keys of one rule.
struct Fields<'a> {
    file: &'a str,
    line: usize,
    /// The rule's id, or its number.
    label: String,
    entries: &'a [Entry],
}

impl Fields<'_> {
    fn rule(&self) -> Result<Rule, RulesError> {
        self.known_keys()?;
        let id = self.id()?;
        let paths = self.paths()?;
        let mut checks = Vec::new();
        for (index, kind) in KINDS.iter().enumerate() {
            let spelled = self.strings(kind.key)?;
            if !spelled.is_empty() {
                checks.push((index, spelled));
            }
        }
        let when = self.strings("when")?;
        let on_fail = self.on_fail()?;
        let question = self.question(when)?;
        let calibration = self.calibration(question.is_some())?;
        let name = record_name(&id);
        let redact = self.redact()?;
        let forbidden = checks.iter().filter(|(index, _)| {
            redact && KINDS.get(*index).is_some_and(|kind| kind.key == forbid::KIND.key)
        });
        let forbidden = forbidden.flat_map(|(_, spelled)| spelled).map(|it| it.text.as_str());
        let secrets = SecretPatterns::new(forbidden, paths.iter().any(|path| path == "**"));
        let secrets = Arc::new(secrets);
        Ok(Rule {
            globs: Globs::new(&paths),
            realm: Realm::default(),
            ready: OnceLock::new(),
            secrets,
            name,
            id,
            paths,
            why: self.words("why")?.unwrap_or_default(),
            instead: self.words("instead")?,
            on_fail,
            only: self.limit("only", limits::only)?.unwrap_or_default(),
            on: self.limit("on", limits::on)?.unwrap_or(Moment::ALL.to_vec()),
            redact,
            question,
            calibration,
            checks,
            file: self.file.to_owned(),
            line: self.line,
        })
    }

    fn get(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    fn error(&self, line: usize, problem: impl Into<String>, fix: &str) -> RulesError {
        RulesError {
            file: self.file.to_owned(),
            line: Some(line),
            rule: Some(self.label.clone()),
            problem: problem.into(),
            fix: Some(fix).filter(|fix| !fix.is_empty()).map(ToOwned::to_owned),
        }
    }

    fn known_keys(&self) -> Result<(), RulesError> {
        let known: Vec<&str> =
            RULE_KEYS.iter().copied().chain(KINDS.iter().map(|kind| kind.key)).collect();
        match self.entries.iter().find(|entry| !known.contains(&entry.key.as_str())) {
            Some(entry) => Err(self.error(entry.line, unknown_key(&entry.key, &known), "")),
            None => Ok(()),
        }
    }

    fn id(&self) -> Result<String, RulesError> {
        match self.get("id").map(|entry| (entry.line, &entry.node.value)) {
            Some((_, Value::Text(id))) if !id.is_empty() => Ok(id.clone()),
            Some((line, value)) => {
                let problem = match value {
                    Value::Text(_) => "`id` is empty".to_owned(),
                    value => format!("`id` is {}, where a string is expected", value.kind()),
                };
                Err(self.error(line, problem, "write something like `id = \"no-debug\"`"))
            }
            None => Err(self.error(
                self.line,
                "`id` is missing",
                "write something like `id = \"no-debug\"`",
            )),
        }
    }

    fn paths(&self) -> Result<Vec<String>, RulesError> {
        const FIX: &str = "write something like `paths = [\"src/**\"]`";
        let paths = self.strings("paths")?;
        if paths.is_empty() {
            return Err(self.error(self.line, "`paths` is missing or empty", FIX));
        }
        if let Some(bare) = paths.iter().find(|path| path.text == "!") {
            return Err(self.error(bare.line, "`paths` holds a `!` with nothing behind it", FIX));
        }
        Ok(paths.into_iter().map(|path| path.text).collect())
    }

    /// Reads a string or a list of strings, none of them empty.
    fn strings(&self, key: &str) -> Result<Vec<Spelled>, RulesError> {
        let Some(entry) = self.get(key) else { return Ok(Vec::new()) };
        strings(&entry.node).map_err(|(line, kind)| {
            let problem =
                format!("`{key}` holds {kind}, where a string that is not empty is expected");
            self.error(line, problem, &format!("write `{key} = [\"…\"]`"))
        })
    }

    /// Reads words for a person; a number or truth value is taken as it is spelled.
    fn words(&self, key: &str) -> Result<Option<String>, RulesError> {
        let Some(entry) = self.get(key) else { return Ok(None) };
        match &entry.node.value {
            Value::Text(text) | Value::Other(text) => Ok(Some(text.clone())),
            Value::Flag(flag) => Ok(Some(flag.to_string())),
            value => {
                let problem = format!("`{key}` is {}, where a string is expected", value.kind());
                Err(self.error(entry.line, problem, ""))
            }
        }
    }

    fn on_fail(&self) -> Result<Verdict, RulesError> {
        let Some(entry) = self.get("on_fail") else { return Ok(Verdict::Deny) };
        match &entry.node.value {
            Value::Text(text) if text == "deny" => Ok(Verdict::Deny),
            Value::Text(text) if text == "ask" => Ok(Verdict::Ask),
            Value::Text(text) if text == "warn" => Ok(Verdict::Warn),
            value => {
                let got = match value {
                    Value::Text(text) => format!("\"{text}\""),
                    value => value.kind().to_owned(),
                };
                let fix = "write \"deny\", \"ask\" or \"warn\"";
                Err(self.error(entry.line, format!("`on_fail` is {got}"), fix))
            }
        }
    }

    fn limit<T>(
        &self,
        key: &str,
        read: fn(&Node) -> Result<T, limits::Wrong>,
    ) -> Result<Option<T>, RulesError> {
        let limit = self.get(key).map(|entry| read(&entry.node)).transpose();
        limit.map_err(|(line, problem, fix)| self.error(line, problem, fix))
    }

    fn redact(&self) -> Result<bool, RulesError> {
        match self.get("redact").map(|entry| (entry.line, &entry.node.value)) {
            None => Ok(false),
            Some((_, Value::Flag(flag))) => Ok(*flag),
            Some((line, value)) => {
                let problem = format!("`redact` is {}", value.kind());
                Err(self.error(line, problem, "write `redact = true` or `redact = false`"))
            }
        }
    }

    fn question(&self, when: Vec<Spelled>) -> Result<Option<Question>, RulesError> {
        let Some(entry) = self.get("question") else {
            return match when.first() {
                Some(spelled) if self.no_checks() => Err(self.error(
                    spelled.line,
                    "`when` has no effect without a `question`",
                    "add the question, or use `forbid` for lines that must not be there",
                )),
                _ => Ok(None),
            };
        };
        match &entry.node.value {
            Value::Text(text) if !text.trim().is_empty() => {
                Ok(Some(Question { text: text.clone(), when }))
            }
            value => {
                let kind = if let Value::Text(_) = value { "blank" } else { value.kind() };
                let fix = "write a yes/no question, such as `question = \"Does it log names?\"`";
                Err(self.error(entry.line, format!("`question` is {kind}"), fix))
            }
        }
    }

    fn no_checks(&self) -> bool {
        KINDS.iter().all(|kind| self.get(kind.key).is_none())
    }

    fn calibration(&self, asks: bool) -> Result<Option<String>, RulesError> {
        match self.get("calibration").map(|entry| (entry.line, &entry.node.value)) {
            None => Ok(None),
            Some((_, Value::Text(text))) if asks && !text.is_empty() => Ok(Some(text.clone())),
            Some((line, Value::Text(text))) if !text.is_empty() => Err(self.error(
                line,
                "`calibration` stands without a `question`",
                "add the question that it calibrates, or remove it",
            )),
            Some((line, value)) => {
                let problem = format!("`calibration` is {}", value.kind());
                Err(self.error(line, problem, "write the name of a file"))
            }
        }
    }
}

/// Refuses rules whose parts would meet in a record.
fn names(rules: &[Rule]) -> Result<(), RulesError> {
    let mut taken: HashMap<String, &Rule> = HashMap::new();
    for rule in rules {
        let clash = |name: &str, problem: String| RulesError {
            file: rule.file.clone(),
            line: Some(rule.line),
            rule: Some(rule.id.clone()),
            problem: format!("its name in records, `{name}`, {problem}"),
            fix: Some("give it another id".to_owned()),
        };
        if RESERVED.contains(&rule.name.as_str()) {
            return Err(clash(&rule.name, "is one of the record's own".to_owned()));
        }
        for part in PARTS {
            let name = format!("{}{part}", rule.name);
            if let Some(other) = taken.get(&name) {
                return Err(clash(&name, format!("is taken by rule `{}`", other.id)));
            }
            taken.insert(name, rule);
        }
    }
    Ok(())
}

/// Reads a string or a list of strings, none of them empty; the error is the line and what stands
/// there.
fn strings(node: &Node) -> Result<Vec<Spelled>, (usize, &'static str)> {
    let text = |node: &Node| match &node.value {
        Value::Text(text) if !text.is_empty() => {
            Ok(Spelled { text: text.clone(), line: node.line })
        }
        Value::Text(_) => Err((node.line, "an empty string")),
        value => Err((node.line, value.kind())),
    };
    match &node.value {
        Value::List(items) => items.iter().map(text).collect(),
        _ => Ok(vec![text(node)?]),
    }
}

/// Returns a rule's name in records.
fn record_name(id: &str) -> String {
    let word = |char: char| if char.is_alphanumeric() || char == '_' { char } else { '_' };
    let name: String = id.chars().map(word).collect();
    if name.starts_with(|first: char| first.is_ascii_digit()) {
        format!("rule_{name}")
    } else {
        name
    }
}

/// Returns what is wrong with a key, and which one was probably meant.
fn unknown_key(key: &str, known: &[&str]) -> String {
    match nearest(key, known.iter().copied()) {
        Some(candidate) => format!("unknown key `{key}`; did you mean `{candidate}`?"),
        None => format!("unknown key `{key}`; known are {}", known.join(", ")),
    }
}
