//! Values of options: lists, and words of closed sets, which help and completions list.
//!
//! A list takes one value a flag, so that no other argument is taken for one of its values. A flag
//! may be given several times, and a value may be several with commas between.

use crate::clients::CLIENTS;
use crate::domain::Verdict;
use clap::builder::{
    NonEmptyStringValueParser, PossibleValue, PossibleValuesParser, TypedValueParser,
};
use std::num::NonZeroUsize;

/// The globs of one value.
#[derive(Clone, Debug)]
pub struct GlobList(Vec<String>);

/// Returns what reads an id. An empty one comes from a variable that is unset.
#[must_use]
pub fn id() -> NonEmptyStringValueParser {
    NonEmptyStringValueParser::new()
}

/// Reads a number of things, of which there must be one.
pub fn count(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| "a whole number above 0 is expected".to_owned())
}

/// Reads a number of things.
pub fn number(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| "a whole number is expected".to_owned())
}

/// Returns what reads one word of a closed set.
pub fn one_of<T: Clone + Send + Sync + 'static>(
    words: impl IntoIterator<Item = impl Into<PossibleValue>>,
    of: fn(&str) -> Option<T>,
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(words).try_map(move |word| of(&word).ok_or("unknown value"))
}

/// Returns what reads one of some verdicts.
pub fn verdict(verdicts: &'static [Verdict]) -> impl TypedValueParser<Value = Verdict> {
    one_of(verdicts.iter().map(|verdict| verdict.word()), Verdict::of_word)
}

/// Returns the names of the agents, and their other names, which are not listed.
pub fn agents() -> impl Iterator<Item = PossibleValue> {
    CLIENTS.iter().map(|client| {
        let aliases = client.wiring().map(|wiring| wiring.aliases).unwrap_or_default();
        PossibleValue::new(client.name()).aliases(aliases.iter().copied())
    })
}

/// Reads globs with commas between.
pub fn globs(text: &str) -> Result<GlobList, String> {
    if has_choice(text) {
        let ways = "a glob knows no choice in braces; write both: `*.ts,*.tsx`";
        return Err(ways.to_owned());
    }
    let globs: Vec<String> = text.split(',').map(ToOwned::to_owned).collect();
    if globs.iter().any(|glob| glob.trim_start_matches('!').trim().is_empty()) {
        return Err("a glob is empty; a variable may be unset".to_owned());
    }
    Ok(GlobList(globs))
}

/// Tells whether a comma stands between braces: each half would be a glob that matches nothing.
fn has_choice(text: &str) -> bool {
    let mut depth = 0_usize;
    text.chars().any(|char| {
        match char {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        char == ',' && depth > 0
    })
}

/// Returns the globs of all values.
#[must_use]
pub fn all(lists: &[GlobList]) -> Vec<String> {
    lists.iter().flat_map(|GlobList(globs)| globs).cloned().collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn a_list_of_globs_is_cut_at_its_commas() {
        let read = |text| globs(text).map(|list| all(&[list]));
        assert_eq!(read("a/**").unwrap(), ["a/**"]);
        assert_eq!(read("*.ts,!b/*,{{x}}/c").unwrap(), ["*.ts", "!b/*", "{{x}}/c"]);
        for text in ["", "a,", ",a", "a,,b", "!", "a, ", "*.{ts,tsx}", "x,*.{ts,tsx}"] {
            assert!(read(text).is_err(), "{text:?}");
        }
    }
}
