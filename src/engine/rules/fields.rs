//! From the keys of one rule to the rule.

use super::load::{Mistakes, strings, unknown_key};
use super::realm::Realm;
use super::{Question, Rule, RulesError, Spelled, limits};
use crate::domain::sanitize::excerpt;
use crate::domain::{Moment, Verdict};
use crate::engine::checks::{KINDS, forbid};
use crate::engine::document::{Entry, Node, Position, Value};
use crate::engine::glob::{Dialect, Globs};
use crate::engine::redaction::SecretPatterns;
use std::sync::{Arc, OnceLock};

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

/// The keys of one rule.
pub(super) struct Fields<'a> {
    /// How messages name the file.
    pub file: &'a str,
    /// How globs are read.
    pub dialect: Dialect,
    /// Where the rule begins.
    pub at: Position,
    /// The rule's id, or its number.
    pub label: String,
    /// Its keys.
    pub entries: &'a [Entry],
}

impl Fields<'_> {
    /// Reads the rule; every key is read, also when another one is wrong. What is wrong is left
    /// out of the rule, which then evaluates nothing: its book is not used.
    pub fn rule(&self, mistakes: &mut Mistakes) -> Rule {
        mistakes.0.extend(self.unknown_keys());
        let id = mistakes.take(self.id());
        let paths = mistakes.take(self.paths());
        let mut checks = Vec::new();
        for (index, kind) in KINDS.iter().enumerate() {
            let spelled = mistakes.take(self.strings(kind.key)).unwrap_or_default();
            if !spelled.is_empty() {
                checks.push((index, spelled));
            }
        }
        let when = mistakes.take(self.strings("when"));
        let on_fail = mistakes.take(self.on_fail());
        let question = when.and_then(|when| mistakes.take(self.question(when)));
        let asks = question.as_ref().is_none_or(Option::is_some);
        let calibration = mistakes.take(self.calibration(asks));
        let redact = mistakes.take(self.redact());
        let why = mistakes.take(self.words("why"));
        let instead = mistakes.take(self.words("instead"));
        let only = mistakes.take(self.limit("only", limits::only));
        let on = mistakes.take(self.limit("on", limits::on));
        let id = id.unwrap_or_else(|| self.label.clone());
        let (paths, globs) = paths.unwrap_or_default();
        let redact = redact.unwrap_or_default();
        let forbidden = checks.iter().filter(|(index, _)| {
            redact && KINDS.get(*index).is_some_and(|kind| kind.key == forbid::KIND.key)
        });
        let forbidden = forbidden.flat_map(|(_, spelled)| spelled).map(|it| it.text.as_str());
        let secrets = SecretPatterns::new(forbidden, globs.name_all());
        let secrets = Arc::new(secrets);
        Rule {
            globs,
            dialect: self.dialect,
            realm: Realm::default(),
            ready: OnceLock::new(),
            secrets,
            name: record_name(&id),
            id,
            paths,
            why: why.flatten().unwrap_or_default(),
            instead: instead.flatten(),
            on_fail: on_fail.unwrap_or(Verdict::Deny),
            only: only.flatten().unwrap_or_default(),
            on: on.flatten().unwrap_or(Moment::ALL.to_vec()),
            redact,
            question: question.flatten(),
            calibration: calibration.flatten(),
            checks,
            file: self.file.to_owned(),
            at: self.at,
        }
    }

    fn get(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    fn error(&self, at: Position, problem: impl Into<String>, fix: &str) -> RulesError {
        RulesError {
            file: self.file.to_owned(),
            at: Some(at),
            rule: Some(self.label.clone()),
            problem: problem.into(),
            fix: Some(fix).filter(|fix| !fix.is_empty()).map(ToOwned::to_owned),
            first: None,
        }
    }

    fn unknown_keys(&self) -> Vec<RulesError> {
        let known: Vec<&str> =
            RULE_KEYS.iter().copied().chain(KINDS.iter().map(|kind| kind.key)).collect();
        let unknown = self.entries.iter().filter(|entry| !known.contains(&entry.key.as_str()));
        unknown.map(|entry| self.error(entry.at, unknown_key(&entry.key, &known), "")).collect()
    }

    fn id(&self) -> Result<String, RulesError> {
        match self.get("id").map(|entry| (entry.at, &entry.node.value)) {
            Some((_, Value::Text(id))) if !id.is_empty() => Ok(id.clone()),
            Some((line, value)) => {
                let problem = match value {
                    Value::Text(_) => "`id` is empty".to_owned(),
                    value => format!("`id` is {}, where a string is expected", value.kind()),
                };
                Err(self.error(line, problem, "write something like `id = \"no-debug\"`"))
            }
            None => Err(self.error(
                self.at,
                "`id` is missing",
                "write something like `id = \"no-debug\"`",
            )),
        }
    }

    fn paths(&self) -> Result<(Vec<String>, Globs), RulesError> {
        const FIX: &str = "write something like `paths = [\"src/**\"]`";
        let paths = self.strings("paths")?;
        if paths.is_empty() {
            return Err(self.error(self.at, "`paths` is missing or empty", FIX));
        }
        if let Some(bare) = paths.iter().find(|path| path.text == "!") {
            return Err(self.error(bare.at, "`paths` holds a `!` with nothing behind it", FIX));
        }
        let globs = Globs::read(&paths, self.dialect).map_err(|bad| {
            let at = paths.iter().find(|path| path.text == bad.glob).map(|path| path.at);
            let problem = format!("`paths` holds `{}`: {}", excerpt(&bad.glob), bad.problem);
            self.error(at.unwrap_or(self.at), problem, &bad.fix)
        })?;
        Ok((paths.into_iter().map(|path| path.text).collect(), globs))
    }

    /// Reads a string or a list of strings, none of them empty.
    fn strings(&self, key: &str) -> Result<Vec<Spelled>, RulesError> {
        let Some(entry) = self.get(key) else { return Ok(Vec::new()) };
        strings(&entry.node).map_err(|(at, kind)| {
            let problem =
                format!("`{key}` holds {kind}, where a string that is not empty is expected");
            self.error(at, problem, &format!("write `{key} = [\"…\"]`"))
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
                Err(self.error(entry.at, problem, ""))
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
                Err(self.error(entry.at, format!("`on_fail` is {got}"), fix))
            }
        }
    }

    fn limit<T>(
        &self,
        key: &str,
        read: fn(&Node) -> Result<T, limits::Wrong>,
    ) -> Result<Option<T>, RulesError> {
        let limit = self.get(key).map(|entry| read(&entry.node)).transpose();
        limit.map_err(|(at, problem, fix)| self.error(at, problem, fix))
    }

    fn redact(&self) -> Result<bool, RulesError> {
        match self.get("redact").map(|entry| (entry.at, &entry.node.value)) {
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
                    spelled.at,
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
                Err(self.error(entry.at, format!("`question` is {kind}"), fix))
            }
        }
    }

    fn no_checks(&self) -> bool {
        KINDS.iter().all(|kind| self.get(kind.key).is_none())
    }

    fn calibration(&self, asks: bool) -> Result<Option<String>, RulesError> {
        match self.get("calibration").map(|entry| (entry.at, &entry.node.value)) {
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
