//! How are the fields of a tool's input taken out, and what is said of one that is amiss?
//!
//! A field that is `null` counts as missing. Nothing is guessed from a wrong type.

use serde_json::{Map, Value};

/// A payload that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PayloadError(pub String);

/// The fields of one JSON object, taken out one by one.
pub(super) struct Fields {
    // How messages name the object: `tool_input`, `tool_input.edits[1]`.
    at: String,
    map: Map<String, Value>,
}

impl Fields {
    pub(super) fn new(at: impl Into<String>, map: Map<String, Value>) -> Self {
        Self { at: at.into(), map }
    }

    /// Takes a string that must be there, under the first of its names that is.
    pub(super) fn text(&mut self, names: &[&str]) -> Result<String, PayloadError> {
        self.text_if_any(names)?.ok_or_else(|| self.complain(names, "missing", "a string"))
    }

    /// Takes a string that may be missing.
    pub(super) fn text_if_any(&mut self, names: &[&str]) -> Result<Option<String>, PayloadError> {
        match self.take(names) {
            None => Ok(None),
            Some((_, Value::String(text))) => Ok(Some(text)),
            Some((name, other)) => Err(self.complain(&[name], kind_of(&other), "a string")),
        }
    }

    /// Takes a path: a string that is not empty.
    pub(super) fn path(&mut self, names: &[&str]) -> Result<String, PayloadError> {
        let path = self.text(names)?;
        if path.is_empty() {
            return Err(self.complain(names, "empty", "the path of a file"));
        }
        Ok(path)
    }

    /// Takes a yes or no, which may be written as a string; missing means no.
    pub(super) fn flag(&mut self, names: &[&str]) -> Result<bool, PayloadError> {
        let Some((name, value)) = self.take(names) else { return Ok(false) };
        match &value {
            Value::Bool(flag) => Ok(*flag),
            Value::String(text) if text == "true" => Ok(true),
            Value::String(text) if text == "false" => Ok(false),
            other => Err(self.complain(&[name], kind_of(other), "true or false")),
        }
    }

    /// Tells whether one of the fields is there.
    pub(super) fn has(&self, names: &[&str]) -> bool {
        has(&self.map, names)
    }

    /// Takes whatever a field holds.
    pub(super) fn value(&mut self, name: &str) -> Option<Value> {
        self.map.remove(name).filter(|value| !value.is_null())
    }

    /// Takes the objects of a list that must be there, skipping what is no object.
    pub(super) fn objects(&mut self, name: &str) -> Result<Vec<Self>, PayloadError> {
        let at = &self.at;
        match self.map.remove(name) {
            Some(Value::Array(items)) => Ok((0..)
                .zip(items)
                .filter_map(|(index, item)| match item {
                    Value::Object(map) => Some(Self::new(format!("{at}.{name}[{index}]"), map)),
                    _ => None,
                })
                .collect()),
            None | Some(Value::Null) => Err(self.complain(&[name], "missing", "a list")),
            Some(other) => Err(self.complain(&[name], kind_of(&other), "a list")),
        }
    }

    /// Returns the complaint about a field that is named here as it is best known.
    pub(super) fn complain(&self, names: &[&str], is: &str, expected: &str) -> PayloadError {
        let name = names.first().unwrap_or(&"");
        PayloadError(format!("`{}.{name}` is {is}; {expected} was expected.", self.at))
    }

    fn take<'n>(&mut self, names: &[&'n str]) -> Option<(&'n str, Value)> {
        let name = names.iter().find(|name| has(&self.map, &[name]))?;
        Some((name, self.map.remove(*name)?))
    }
}

/// Tells whether one of the fields is there.
pub(super) fn has(map: &Map<String, Value>, names: &[&str]) -> bool {
    names.iter().any(|name| map.get(*name).is_some_and(|value| !value.is_null()))
}

/// Returns what a value is, in words.
pub(super) fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "missing",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
