//! What do clients that are written in JavaScript call white space?
//!
//! Its set is not Rust's: a byte order mark belongs to it, U+0085 does not. An edit that folds
//! white space ends differently where that matters.

/// Tells whether a character is white space to `trim` and `\s`.
pub(super) fn is_space(char: char) -> bool {
    char == '\u{feff}' || (char.is_whitespace() && char != '\u{85}')
}

/// Returns a text without white space at both ends.
pub(super) fn trim(text: &str) -> &str {
    text.trim_matches(is_space)
}

/// Returns a text without white space at its beginning.
pub(super) fn trim_start(text: &str) -> &str {
    text.trim_start_matches(is_space)
}

/// Returns a text without white space at its end.
pub(super) fn trim_end(text: &str) -> &str {
    text.trim_end_matches(is_space)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_white_space_and_a_next_line_is_not() {
        assert_eq!(trim("\u{feff}\u{2028} a\u{a0}\r"), "a");
        assert_eq!(trim_end(" a\u{85}\t"), " a\u{85}");
    }
}
