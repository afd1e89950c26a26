//! What this run must not show: the redacting rules of every rules file that was loaded, and the
//! masking of what leaves the program by another way than a decision.

use super::defaults;
use super::failure::Failure;
use super::rule_sources::RuleSource;
use super::world::World;
use crate::engine::redaction::Redactor;
use crate::store::stored::Stored;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// What the rules that were loaded redact. Copies share it.
#[derive(Clone, Debug, Default)]
pub struct Secrets(Arc<Mutex<Option<Redactor>>>);

impl Secrets {
    /// Remembers what rules redact that were loaded; returns what all of this run do.
    pub fn remember(&self, redactor: Redactor) -> Redactor {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let all = match known.as_ref() {
            Some(known) => known.and(&redactor),
            None => redactor,
        };
        *known = Some(all.clone());
        all
    }

    /// Returns what the rules redact that were loaded; where none were, reads those of a project.
    pub fn redactor(&self, named: Option<&Path>, root: &Path, world: &World) -> Redactor {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        known.unwrap_or_else(|| {
            let source = RuleSource::find(named, root, world).ok();
            let book = source.and_then(|source| source.load().ok());
            self.remember(book.map_or_else(built_in, |book| Redactor::of([&book])))
        })
    }

    /// Returns the same for the project that this folder is in.
    pub fn of_this_folder(&self, world: &World) -> Redactor {
        self.redactor(None, &defaults::project(None, None, world), world)
    }
}

/// Returns what the built-in rules redact: for when a project's own cannot be read.
pub fn built_in() -> Redactor {
    RuleSource::BuiltIn.load().map(|book| Redactor::of([&book])).unwrap_or_default()
}

/// Masks an error.
pub fn failure(failure: Failure, redactor: &Redactor) -> Failure {
    let text = |text: String| redactor.text(&text).into_owned();
    Failure {
        headline: text(failure.headline),
        causes: failure.causes.into_iter().map(text).collect(),
        next: failure.next.map(text),
    }
}

/// Names of fields by which records know one another, and which hold digests alone.
const DIGESTS: &[&str] = &["hash", "id", "prev", "of", "of_hash", "init_hash", "inputs"];

/// Masks a stored record as it is shown: one that was kept before there was a rule for its secret.
/// Returns nothing when there is nothing to mask.
pub fn record(record: &Stored, line: &[u8], redactor: &Redactor) -> Option<Stored> {
    if redactor.is_empty() {
        return None;
    }
    let line = String::from_utf8_lossy(line);
    // As it is spelled, and with its escapes taken back.
    let plain = |line: &str| line.replace("\\\"", "\"").replace("\\\\", "\\");
    let escaped = || line.contains('\\') && redactor.may_mask(&plain(&line));
    if !redactor.may_mask(&line) && !escaped() {
        return None;
    }
    let mut fields = Value::Object(record.fields().clone());
    let touched = value(&mut fields, redactor);
    let fields = touched.then_some(fields)?;
    Stored::parse(fields.to_string().as_bytes()).ok()
}

/// Masks every string in a value, keys too; tells whether there was something to mask.
pub fn value(it: &mut Value, redactor: &Redactor) -> bool {
    match it {
        Value::String(text) => match redactor.text(text) {
            Cow::Borrowed(_) => false,
            Cow::Owned(masked) => {
                *text = masked;
                true
            }
        },
        // Every one is looked at, also behind the first that is touched.
        Value::Array(items) => {
            items.iter_mut().fold(false, |touched, item| value(item, redactor) | touched)
        }
        Value::Object(fields) => {
            let mut touched = false;
            for (key, item) in fields.iter_mut() {
                if !DIGESTS.contains(&key.as_str()) {
                    touched |= value(item, redactor);
                }
            }
            if fields.keys().any(|key| matches!(redactor.text(key), Cow::Owned(_))) {
                touched = true;
                let masked = |(key, item)| (redactor.text(&key as &String).into_owned(), item);
                *fields = std::mem::take(fields).into_iter().map(masked).collect::<Map<_, _>>();
            }
            touched
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Masks finished output: the strings of a JSON object, or text.
pub fn output(bytes: Vec<u8>, redactor: &Redactor) -> Vec<u8> {
    let Ok(text) = str::from_utf8(&bytes) else { return bytes };
    if !redactor.may_mask(text) {
        return bytes;
    }
    if text.starts_with('{')
        && let Ok(mut object) = serde_json::from_str(text)
    {
        return if value(&mut object, redactor) {
            format!("{object}\n").into_bytes()
        } else {
            bytes
        };
    }
    match redactor.text(text) {
        Cow::Borrowed(_) => bytes,
        Cow::Owned(masked) => masked.into_bytes(),
    }
}
