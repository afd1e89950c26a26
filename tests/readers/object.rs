//! How is a reply taken apart, so that nothing of it is overlooked?

use serde_json::{Map, Value};

/// The keys of an object, taken out as a client knows them; an error says why the object is none
/// that the client takes.
pub struct Object(Map<String, Value>);

impl Object {
    /// Reads the one object that a reply is.
    pub fn alone(reply: &str) -> Result<Self, String> {
        match serde_json::from_str(reply) {
            Ok(Value::Object(map)) => Ok(Self(map)),
            Ok(_) => Err("it is no object".to_owned()),
            Err(error) => Err(format!("it is no JSON: {error}")),
        }
    }

    /// Takes an explicit null for a key that is not there.
    pub fn without_nulls(mut self) -> Self {
        self.0.retain(|_, value| !value.is_null());
        self
    }

    pub fn text(&mut self, key: &str) -> Result<Option<String>, String> {
        match self.0.remove(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(format!("`{key}` is no string")),
        }
    }

    pub fn object(&mut self, key: &str) -> Result<Option<Self>, String> {
        match self.0.remove(key) {
            None => Ok(None),
            Some(Value::Object(map)) => Ok(Some(Self(map))),
            Some(_) => Err(format!("`{key}` is no object")),
        }
    }

    pub fn value(&mut self, key: &str) -> Option<Value> {
        self.0.remove(key)
    }

    /// Returns the keys that nobody has asked for.
    pub fn rest(self) -> impl Iterator<Item = String> {
        self.0.into_iter().map(|(key, _)| key)
    }
}
