//! Text from outside, made safe to show.
//!
//! Control characters, marks that change the direction of writing and characters without width
//! are written as `\u{…}`, so that a line of somebody's code can neither move a terminal's
//! cursor nor pass for a line of ours.

use super::byte_name;
use std::borrow::Cow;
use std::fmt::Write;
use std::path::Path;

/// The longest excerpt of a line, in characters; longer ones end with `…`.
pub const EXCERPT: usize = 120;

/// Returns `text` with every character that is not plainly visible written as an escape.
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(hidden) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for char in text.chars() {
        match char {
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            char if hidden(char) => match byte_name::byte_of(char) {
                Some(byte) => drop(write!(out, "\\{byte:03o}")),
                None => out.extend(char.escape_unicode()),
            },
            char => out.push(char),
        }
    }
    Cow::Owned(out)
}

/// Returns a text of several lines with every character that is not plainly visible written as an
/// escape, line ends and tabs excepted.
#[must_use]
pub fn lines(text: &str) -> Cow<'_, str> {
    let plain = |char: char| matches!(char, '\n' | '\t') || !hidden(char);
    if text.chars().all(plain) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for char in text.chars() {
        if plain(char) {
            out.push(char);
        } else {
            out.push_str(&visible(char.encode_utf8(&mut [0; 4])));
        }
    }
    Cow::Owned(out)
}

/// Returns what a system says without its number: ` (os error 2)`.
#[must_use]
pub fn without_number(text: &str) -> Cow<'_, str> {
    const NUMBER: &str = " (os error ";
    let Some((before, rest)) = text.split_once(NUMBER) else { return Cow::Borrowed(text) };
    match rest.split_once(')') {
        Some((number, rest)) if number.bytes().all(|byte| byte.is_ascii_digit()) => {
            Cow::Owned(format!("{before}{}", without_number(rest)))
        }
        _ => Cow::Borrowed(text),
    }
}

/// Returns a path of this system as it is shown.
#[must_use]
pub fn path(path: &Path) -> String {
    byte_name::shown(&byte_name::of_path(path)).into_owned()
}

/// Returns a line as it is quoted in a message: trimmed, at most [`EXCERPT`] characters, visible.
#[must_use]
pub fn excerpt(line: &str) -> String {
    let line = line.trim();
    if line.chars().nth(EXCERPT).is_none() {
        return visible(line).into_owned();
    }
    let kept: String = line.chars().take(EXCERPT - 1).collect();
    format!("{}…", visible(&kept))
}

/// Tells whether a character is one that a reader would not see, or that changes how others are
/// seen (Unicode 17: Cc, the bidirectional controls, the zero-width and deprecated format
/// characters, tags, the line and paragraph separators, and what stands for a byte in a name).
#[must_use]
pub fn hidden(char: char) -> bool {
    char.is_control()
        || matches!(char,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff9}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}' | '\u{10ff00}'..='\u{10ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_spelled_out() {
        assert_eq!(visible("a\u{1b}[2Kb\nc"), "a\\u{1b}[2Kb\\nc");
        assert_eq!(visible("x\u{202e}y\u{200b}z"), "x\\u{202e}y\\u{200b}z");
        assert_eq!(visible("naïve 名"), "naïve 名");
    }

    #[test]
    fn a_long_line_is_cut_with_an_ellipsis() {
        assert_eq!(excerpt(&"x".repeat(120)), "x".repeat(120));
        assert_eq!(excerpt(&"é".repeat(121)), format!("{}…", "é".repeat(119)));
        assert_eq!(excerpt("  a  "), "a");
    }
}
