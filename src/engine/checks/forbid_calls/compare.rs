//! Which of the calls in a file are new: not those that the file before made as well.
//!
//! Calls are compared as a whole file's, by what they call and by their text without its layout.
//! So a call that moves is none that is new, and an old line is a new call when an import, an
//! assignment or a quote above it makes it one.

use super::{Evidence, evidence};
use crate::domain::Line;
use crate::engine::python::{Call, CallPattern, Flaw, Module};
use std::collections::HashMap;

/// A call with what was found out about it.
pub(super) struct Found<'a> {
    pub(super) call: &'a Call,
    /// The first judged line of it; none when the edit adds none of its lines.
    pub(super) line: Option<&'a Line>,
    /// Whether it is certain.
    pub(super) sure: bool,
    /// What is told of it.
    pub(super) what: String,
}

/// What two calls must share to be the same.
type Key = (String, String);

/// Keeps the calls that no version of the file before makes.
pub(super) fn keep_new(
    found: &mut Vec<Found<'_>>,
    text: &str,
    before: &[String],
    patterns: &[&CallPattern],
) {
    // An edit's own lines first: of two equal calls, these are the new ones.
    found.sort_by_key(|one| (one.line.is_none(), one.call.at));
    let mut new = vec![true; found.len()];
    for old in before {
        let Some(mut known) = calls(old, patterns) else {
            // Nothing is known of that version: what stands on the edit's lines counts.
            for (new, one) in new.iter_mut().zip(&*found) {
                *new &= one.line.is_some();
            }
            continue;
        };
        // Those that are found last are the old ones.
        for (new, one) in new.iter_mut().zip(&*found).rev() {
            let key = (one.what.clone(), plain(one.call.text(text)));
            if let Some(left) = known.get_mut(&key).filter(|left| **left > 0) {
                *left -= 1;
                *new = false;
            }
        }
    }
    let mut new = new.into_iter();
    found.retain(|_| new.next().unwrap_or(true));
}

/// Counts the calls of a text that patterns are about; nothing when it cannot be read.
fn calls(text: &str, patterns: &[&CallPattern]) -> Option<HashMap<Key, usize>> {
    let mut known = HashMap::new();
    let patterns: Vec<_> = patterns.iter().copied().filter(|one| one.may_be_in(text)).collect();
    if patterns.is_empty() {
        return Some(known);
    }
    let module = Module::read(text);
    if module.flaw == Some(Flaw::TooLarge) {
        return None;
    }
    let reach = module.reach(&patterns);
    for call in module.calls.iter().chain(&module.passed) {
        let what = match evidence(call, &patterns, &reach, &module) {
            Evidence::None => continue,
            Evidence::Sure(what) | Evidence::Doubtful(what) => what,
        };
        *known.entry((what, plain(call.text(text)))).or_default() += 1;
    }
    Some(known)
}

/// Returns the text of a call without its layout.
fn plain(text: &str) -> String {
    let mut plain: String = text.chars().filter(|char| !char.is_whitespace()).collect();
    if plain.contains(",)") {
        plain = plain.replace(",)", ")");
    }
    plain.replace('\'', "\"")
}
