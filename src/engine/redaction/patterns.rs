//! The patterns by which a redacting rule finds its secrets, each read when it is first needed.

use crate::engine::pattern::{Pattern, Scope};
use std::sync::{Arc, OnceLock};

/// The patterns under `forbid` of a redacting rule.
#[derive(Debug, Default)]
pub struct SecretPatterns(Vec<SecretPattern>);

#[derive(Debug)]
struct SecretPattern {
    source: String,
    // It says what a line of the rule's files looks like, and nothing about any other text.
    of_lines: bool,
    read: OnceLock<Option<Arc<Pattern>>>,
}

impl SecretPatterns {
    /// Makes the patterns from their sources; `anywhere` tells that the rule covers every file.
    #[must_use]
    pub fn new<'s>(sources: impl IntoIterator<Item = &'s str>, anywhere: bool) -> Self {
        let pattern = |source: &str| SecretPattern {
            source: source.to_owned(),
            of_lines: !anywhere && begins_a_line(source),
            read: OnceLock::new(),
        };
        Self(sources.into_iter().map(pattern).collect())
    }

    /// Tells whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns all of them; nothing when one cannot be read.
    #[must_use]
    pub fn all(&self) -> Option<Vec<Arc<Pattern>>> {
        self.0.iter().map(|pattern| pattern.read().cloned()).collect()
    }

    /// Returns those that can be read: all, or those that hold for any text.
    pub(super) fn readable(&self, all: bool) -> impl Iterator<Item = &Pattern> {
        let wanted = self.0.iter().filter(move |pattern| all || !pattern.of_lines);
        wanted.filter_map(|pattern| pattern.read().map(|read| &**read))
    }

    /// Tells whether one cannot be read, so that nobody knows what it would find.
    pub(super) fn is_broken(&self) -> bool {
        self.0.iter().any(|pattern| pattern.read().is_none())
    }
}

impl SecretPattern {
    fn read(&self) -> Option<&Arc<Pattern>> {
        let read = || Pattern::new(&self.source, Scope::Line).ok().map(Arc::new);
        self.read.get_or_init(read).as_ref()
    }
}

/// Tells whether a pattern can match only from the beginning of a line: `^…` in all its branches.
fn begins_a_line(source: &str) -> bool {
    let flags = source.strip_prefix("(?").and_then(|rest| rest.split_once(')'));
    let body = match flags {
        Some((flags, body)) if flags.bytes().all(|byte| byte.is_ascii_alphabetic()) => body,
        _ => source,
    };
    (body.starts_with('^') || body.starts_with(r"\A")) && !has_branches(body)
}

/// Tells whether a `|` stands outside of groups and classes.
fn has_branches(pattern: &str) -> bool {
    let (mut depth, mut class, mut escaped) = (0_usize, false, false);
    for byte in pattern.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b']' => class = false,
            _ if class => {}
            b'[' => class = true,
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            b'|' if depth == 0 => return true,
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_of_whole_lines_is_known_by_its_beginning() {
        for (source, of_lines) in [
            ("^a", true),
            ("(?i)^a", true),
            (r"\Aa", true),
            ("^(?:a|b)[|]", true),
            ("^a|b", false),
            ("a^", false),
            ("(?:^|x)a", false),
            ("(?!x)^a", false),
        ] {
            assert_eq!(begins_a_line(source), of_lines, "{source}");
        }
    }
}
