//! The `key: value` lines at the head of a Markdown file.
//!
//! A small part of YAML, read as skill files use it: plain values, quoted values, and `>` or `|`
//! blocks. Lists and values that go on in the next line are left out, so no YAML reader is needed.

use crate::domain::diff::lines;
use std::collections::BTreeMap;

/// What opens a block: the lines below it, as far as they are indented or blank, are its value.
const BLOCKS: [&str; 6] = [">", "|", ">-", "|-", ">+", "|+"];

/// Returns the front matter of a Markdown text; empty when it does not begin with `---`.
///
/// ```
/// use solvi_hook::front_matter;
///
/// let keys = front_matter("---\nname: deploy\ndescription: >\n  Roll out\n  a release.\n---\n");
/// assert_eq!(keys["name"], "deploy");
/// assert_eq!(keys["description"], "Roll out a release.");
/// ```
#[must_use]
pub fn front_matter(text: &str) -> BTreeMap<String, String> {
    let mut keys = BTreeMap::new();
    if !text.starts_with("---") {
        return keys;
    }
    let mut lines = lines(text).skip(1).take_while(|line| line.trim() != "---").peekable();
    while let Some(line) = lines.next() {
        let Some((key, value)) = pair(line) else { continue };
        let value = if BLOCKS.contains(&value) {
            let mut block = Vec::new();
            while let Some(line) = lines.next_if(|line| indented(line) || line.trim().is_empty()) {
                block.extend(Some(line.trim()).filter(|line| !line.is_empty()));
            }
            block.join(" ")
        } else {
            unquoted(value).to_owned()
        };
        keys.insert(key.to_owned(), value);
    }
    keys
}

fn indented(line: &str) -> bool {
    line.starts_with(char::is_whitespace)
}

fn pair(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(':')?;
    let key = key.trim_end();
    let word = |char: char| char.is_alphanumeric() || char == '_' || char == '-';
    let begins = key.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_');
    (begins && key.chars().all(word)).then(|| (key, value.trim()))
}

fn unquoted(value: &str) -> &str {
    let inside = |quote| value.strip_prefix(quote).and_then(|value| value.strip_suffix(quote));
    inside('"').or_else(|| inside('\'')).unwrap_or(value)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn the_recorded_cases_are_read_alike() {
        #[derive(serde::Deserialize)]
        struct Case {
            text: String,
            keys: BTreeMap<String, String>,
        }
        for line in include_str!("../../tests/vectors/front-matter-cases.jsonl").lines() {
            let case: Case = serde_json::from_str(line).unwrap();
            assert_eq!(front_matter(&case.text), case.keys, "{:?}", case.text);
        }
    }
}
