//! Options that take a list: one value a flag, so that no other argument is taken for one of
//! theirs. A flag may be given several times, and a value may be several with commas between.

use clap::builder::NonEmptyStringValueParser;

/// The globs of one value.
#[derive(Clone, Debug)]
pub struct GlobList(Vec<String>);

/// Returns what reads an id. An empty one comes from a variable that is unset.
#[must_use]
pub fn id() -> NonEmptyStringValueParser {
    NonEmptyStringValueParser::new()
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
