//! What do Gemini CLI's `replace` and `write_file` write: which text, byte for byte?
//!
//! Four ways are tried in turn, and the first that finds a place is the one: the text as it is;
//! its lines without the white space around them; its words with any white space between them,
//! from the start of a line; whole lines that differ little ([`super::gemini_nearly`]). All but
//! the first indent the new text like the place. A file that holds one CRLF ends with nothing
//! but CRLF. `tests/vectors/gemini-edit-cases.jsonl` holds what version 0.61.0 was seen to do.
//!
//! Not followed: the client refuses a new text that is a placeholder ("rest of code ..."). It
//! is judged like any other.

use super::claude_edit::Replacement;
use super::gemini_nearly;
use super::javascript::{is_space, trim};

/// An edit that the client turns down: nothing is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// There is a text to be replaced, but no file.
    #[error("the client refuses this edit: there is no such file")]
    NoFile,
    /// An empty `old_string` makes a file, and here is one.
    #[error("the client refuses this edit: `old_string` is empty, but the file is there")]
    Exists,
    /// The file holds nothing like the text.
    #[error("the client refuses this edit: the file does not contain `old_string`")]
    NotFound,
    /// The file holds it so often.
    #[error(
        "the client refuses this edit: the file contains `old_string` {0} times, and \
         `allow_multiple` is not set"
    )]
    NotUnique(usize),
    /// Nothing would change.
    #[error("the client refuses this edit: nothing would change")]
    Same,
}

/// Returns the text that `replace` writes in a file with the text `before` (`None`: no such
/// file).
///
/// ```
/// use solvi_hook::clients::{claude_edit::Replacement, gemini_edit::after};
///
/// let (old, new) = ("if a:\n    b()".to_owned(), "if a:\n    c()".to_owned());
/// let edit = Replacement { old, new, everywhere: false };
/// assert_eq!(after(Some("  if a: \n      b()\n"), &edit).unwrap(), "  if a:\n      c()\n");
/// ```
pub fn after(before: Option<&str>, edit: &Replacement) -> Result<String, Refusal> {
    let Some(before) = before else {
        return if edit.old.is_empty() { Ok(edit.new.clone()) } else { Err(Refusal::NoFile) };
    };
    if edit.old.is_empty() {
        return Err(Refusal::Exists);
    }
    let text = plain_ends(before);
    let (old, new) = (plain_ends(&edit.old), plain_ends(&edit.new));
    let found = exactly(&text, &old, &new)
        .or_else(|| by_lines(&text, &old, &new))
        .or_else(|| by_words(&text, &old, &new, edit.everywhere))
        .or_else(|| gemini_nearly::replaced(&text, &old, &new))
        .ok_or(Refusal::NotFound)?;
    if found.times > 1 && !edit.everywhere {
        return Err(Refusal::NotUnique(found.times));
    }
    let after = with_final_end_of(&text, found.text);
    if old == new {
        return Err(Refusal::Same);
    }
    Ok(with_ends_of(before, after))
}

/// Returns the text that `write_file` leaves.
#[must_use]
pub fn written(before: Option<&str>, content: &str) -> String {
    with_ends_of(before.unwrap_or_default(), content.to_owned())
}

/// A text with its replacements made, and how many there are.
pub(super) struct Found {
    pub text: String,
    pub times: usize,
}

fn plain_ends(text: &str) -> String {
    text.replace("\r\n", "\n")
}

fn with_ends_of(before: &str, text: String) -> String {
    if before.contains("\r\n") { plain_ends(&text).replace('\n', "\r\n") } else { text }
}

/// Gives the text the final line end that the file had, or takes away the one that it had not.
fn with_final_end_of(before: &str, mut text: String) -> String {
    match (before.ends_with('\n'), text.ends_with('\n')) {
        (true, false) => text.push('\n'),
        (false, true) => {
            text.pop();
        }
        _ => {}
    }
    text
}

fn exactly(text: &str, old: &str, new: &str) -> Option<Found> {
    let times = text.matches(old).count();
    (times > 0).then(|| Found { text: text.replace(old, new), times })
}

fn by_lines(text: &str, old: &str, new: &str) -> Option<Found> {
    let lines = lines(text);
    let old: Vec<&str> = old.split('\n').map(trim).collect();
    let mut found = Found { text: String::with_capacity(text.len()), times: 0 };
    let mut rest = lines.as_slice();
    while let Some((first, more)) = rest.split_first() {
        let window = rest.get(..old.len()).unwrap_or_default();
        let fits = window.len() == old.len()
            && window.iter().zip(&old).all(|(line, old)| trim(line) == *old);
        if !fits {
            found.text.push_str(first);
            rest = more;
            continue;
        }
        found.times += 1;
        let block = indented(new, indent(first));
        let ends = window.last().is_some_and(|last| last.ends_with('\n'));
        let end = if ends && !new.is_empty() && !block.ends_with('\n') { "\n" } else { "" };
        found.text.push_str(&block);
        found.text.push_str(end);
        rest = rest.get(old.len()..).unwrap_or_default();
    }
    (found.times > 0).then_some(found)
}

/// What stands by itself whatever is around it.
const DELIMITERS: [char; 10] = ['(', ')', ':', '[', ']', '{', '}', '>', '<', '='];

fn by_words(text: &str, old: &str, new: &str, everywhere: bool) -> Option<Found> {
    let words = words(old);
    let (first, more) = words.split_first()?;
    let mut found = Found { text: String::with_capacity(text.len()), times: 0 };
    let mut at = 0;
    let mut starts_line = true;
    let mut rest = text;
    while let Some(char) = rest.chars().next() {
        let place = starts_line.then(|| words_at(rest, first, more)).flatten();
        let Some((indent, length)) = place else {
            starts_line = matches!(char, '\n' | '\r' | '\u{2028}' | '\u{2029}');
            rest = rest.get(char.len_utf8()..).unwrap_or_default();
            continue;
        };
        found.times += 1;
        let start = text.len() - rest.len();
        if everywhere || found.times == 1 {
            found.text.push_str(text.get(at..start).unwrap_or_default());
            found.text.push_str(&indented(new, indent));
            at = start + length;
        }
        rest = rest.get(length..).unwrap_or_default();
        starts_line = false;
    }
    found.text.push_str(text.get(at..).unwrap_or_default());
    (found.times > 0).then_some(found)
}

/// Splits a text at white space and around delimiters.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    for part in text.split(is_space) {
        for part in part.split_inclusive(DELIMITERS) {
            let delimiter = part.char_indices().next_back().filter(|(_, c)| DELIMITERS.contains(c));
            let (word, delimiter) = part.split_at(delimiter.map_or(part.len(), |(at, _)| at));
            words.extend([word, delimiter].into_iter().filter(|word| !word.is_empty()));
        }
    }
    words
}

/// Returns the indentation and the whole length of the words at the start of a text.
fn words_at<'t>(text: &'t str, first: &str, more: &[&str]) -> Option<(&'t str, usize)> {
    let indent = indent(text);
    let mut rest = text.get(indent.len()..)?.strip_prefix(first)?;
    for word in more {
        rest = rest.trim_start_matches(is_space).strip_prefix(word)?;
    }
    Some((indent, text.len() - rest.len()))
}

/// Splits a text into its lines, each with its end. What stands before a lone carriage return
/// or a line separator is lost: the client loses it too.
pub(super) fn lines(text: &str) -> Vec<&str> {
    let kept = |line: &'_ str| {
        line.rfind(['\r', '\u{2028}', '\u{2029}']).map_or(0, |at| {
            at + line.get(at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8)
        })
    };
    let lines = text.split_inclusive('\n').map(|line| line.get(kept(line)..).unwrap_or_default());
    lines.filter(|line| !line.is_empty()).collect()
}

/// Returns the blanks and tabs with which a line begins.
pub(super) fn indent(line: &str) -> &str {
    line.get(..line.len() - line.trim_start_matches([' ', '\t']).len()).unwrap_or_default()
}

/// Moves a text to another indentation: that of its first line is taken for none. A line that is
/// indented otherwise loses what it has, and a blank line is emptied.
pub(super) fn indented(text: &str, indentation: &str) -> String {
    let own = indent(text);
    let line = |line: &str| {
        if trim(line).is_empty() {
            return String::new();
        }
        let bare = line.strip_prefix(own);
        format!("{indentation}{}", bare.unwrap_or_else(|| line.trim_start_matches(is_space)))
    };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_edit_panics(text in "[ab\n\r ( \u{2028}é]{0,16}", old in "[ab\n (é]{0,12}", new in ".{0,4}", everywhere: bool) {
            let _ = after(Some(&text), &Replacement { old, new, everywhere });
        }
    }
}
