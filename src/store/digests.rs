//! Digests by which agents know again what a person has trusted.

use super::hook_groups::Handler;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::fs::File;
use std::io;
use std::path::Path;

/// Returns the SHA-256 of a file, in hexadecimal digits.
pub fn of_file(path: &Path) -> io::Result<String> {
    let mut hash = Sha256::new();
    io::copy(&mut File::open(path)?, &mut Hashing(&mut hash))?;
    Ok(hexadecimal(&hash.finalize()))
}

/// Returns the SHA-256 of a text, in hexadecimal digits.
#[must_use]
pub fn of_text(text: &str) -> String {
    hexadecimal(&Sha256::digest(text))
}

struct Hashing<'a>(&'a mut Sha256);

impl io::Write for Hashing<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Whether Codex runs a hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodexTrust {
    /// A person has trusted this very definition.
    Trusted,
    /// A person has trusted another one in its place.
    Changed,
    /// Nobody has trusted it.
    Unknown,
    /// A person has switched it off.
    Off,
}

/// Looks in the person's `config.toml` for the trust in a hook.
///
/// The hash is taken over the definition: the event, the matcher, the handler with what it leaves
/// unsaid; the place is the file, the event and two numbers.
#[must_use]
pub fn codex_trust(config: &str, file: &str, handler: &Handler) -> CodexTrust {
    let (group, at) = handler.place();
    let event = snake_case(&handler.event);
    let config: Value = toml::from_str(config).unwrap_or_default();
    let key = format!("{file}:{event}:{group}:{at}");
    let state = config.get("hooks").and_then(|hooks| hooks.get("state")?.get(&key));
    let kept = state.and_then(|state| state.get("trusted_hash")?.as_str());
    if state.and_then(|state| state.get("enabled")) == Some(&Value::Bool(false)) {
        return CodexTrust::Off;
    }
    match kept {
        None => CodexTrust::Unknown,
        Some(kept) if codex_hash(&event, handler).as_deref() == Some(kept) => CodexTrust::Trusted,
        Some(_) => CodexTrust::Changed,
    }
}

fn codex_hash(event: &str, handler: &Handler) -> Option<String> {
    let (_, at) = handler.place();
    let own = handler.group().get("hooks")?.get(at)?.as_object()?;
    let unsaid = json!({"type": "command", "async": false, "timeout": 600});
    let mut full = unsaid.as_object().cloned().unwrap_or_default();
    full.extend(own.clone());
    let mut identity = Map::new();
    identity.insert("event_name".to_owned(), event.into());
    identity.insert("hooks".to_owned(), Value::Array(vec![Value::Object(full)]));
    if let Some(matcher) = &handler.matcher {
        identity.insert("matcher".to_owned(), matcher.as_str().into());
    }
    // Keys of a `Map` stand in order.
    let text = Value::Object(identity).to_string();
    Some(format!("sha256:{}", hexadecimal(&Sha256::digest(text))))
}

fn snake_case(name: &str) -> String {
    name.chars().enumerate().fold(String::new(), |mut text, (at, char)| {
        if at > 0 && char.is_uppercase() {
            text.push('_');
        }
        text.extend(char.to_lowercase());
        text
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::store::hook_groups;

    #[test]
    fn a_definition_is_trusted_until_it_changes() {
        let text = r#"{"hooks": {"PreToolUse": [{"matcher": "Edit", "hooks": [{"type": "command", "command": "solvi-hook hook", "timeout": 30}]}]}}"#;
        let handler = hook_groups::handlers(text).unwrap().remove(0);
        // Taken with Python's json and hashlib over the definition in sorted, compact form.
        let hash = "sha256:bbdb2cf302e90d9c72a28c9ff1e60c24f2fe98ed0ed3096fe9589d9894107efe";
        let config =
            |more: &str| format!("[hooks.state.\"/p/hooks.json:pre_tool_use:0:0\"]\n{more}\n");
        let trust = |config: &str| codex_trust(config, "/p/hooks.json", &handler);
        assert_eq!(trust(&config(&format!("trusted_hash = \"{hash}\""))), CodexTrust::Trusted);
        assert_eq!(trust(&config("trusted_hash = \"sha256:00\"")), CodexTrust::Changed);
        assert_eq!(trust(&config("enabled = false")), CodexTrust::Off);
        assert_eq!(trust(""), CodexTrust::Unknown);
    }
}
