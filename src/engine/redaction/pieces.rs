//! Secrets that were found in a run, and the masking of any piece of them elsewhere.
//!
//! A secret may be quoted in part: by a message that cuts a line, by an edit that begins in the
//! middle of it. Any [`PIECE`] characters in a row that a found secret has are masked.

use std::collections::HashSet;
use std::ops::Range;

/// How many characters of a secret in a row are a piece of it.
pub const PIECE: usize = 9;

/// How many pieces are remembered.
const MOST: usize = 1 << 17;

type Window = [char; PIECE];

/// The pieces of the secrets that were found.
#[derive(Clone, Debug, Default)]
pub struct Pieces(HashSet<Window>);

impl Pieces {
    /// Tells whether no secret was found.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Remembers a secret.
    pub fn add(&mut self, secret: &str) {
        if self.0.len() < MOST {
            self.0.extend(windows(secret).map(|(_, window)| window).filter(is_telling));
        }
    }

    /// Remembers what others found.
    pub fn extend(&mut self, other: &Self) {
        self.0.extend(other.0.iter().copied());
    }

    /// Returns where pieces of these secrets stand in a text, as few parts as possible.
    pub fn find(&self, text: &str) -> Vec<Range<usize>> {
        let mut found: Vec<Range<usize>> = Vec::new();
        if self.is_empty() {
            return found;
        }
        for (range, _) in windows(text).filter(|(_, window)| self.0.contains(window)) {
            match found.last_mut() {
                Some(last) if range.start <= last.end => last.end = range.end,
                _ => found.push(range),
            }
        }
        found
    }
}

/// Returns every row of [`PIECE`] characters in a text, with its place.
fn windows(text: &str) -> impl Iterator<Item = (Range<usize>, Window)> {
    let starts = text.char_indices().map(|(at, _)| at);
    let ends = text.char_indices().map(|(at, char)| at + char.len_utf8()).skip(PIECE - 1);
    let mut chars = text.chars();
    let mut window = ['\0'; PIECE];
    for place in window.iter_mut().skip(1) {
        *place = chars.next().unwrap_or('\0');
    }
    starts.zip(ends).map_while(move |(start, end)| {
        window.rotate_left(1);
        *window.last_mut()? = chars.next()?;
        Some((start..end, window))
    })
}

/// Tells whether a row of characters says anything: a rule of dashes or an indent does not.
fn is_telling(window: &Window) -> bool {
    let blanks = window.iter().filter(|char| char.is_whitespace()).count();
    let mut kinds: Vec<char> = Vec::new();
    for char in window {
        if !kinds.contains(char) {
            kinds.push(*char);
        }
    }
    blanks < 3 && kinds.len() > 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nine_characters_in_a_row_are_a_piece() {
        let mut pieces = Pieces::default();
        pieces.add("tok_0123456789");
        for (text, found) in [
            ("x 0123456789 y", Some(2..12)),
            ("x 012345678 y", Some(2..11)),
            ("x 01234567 y", None),
            ("é tok_0123456789é", Some(3..17)),
        ] {
            assert_eq!(pieces.find(text).first().cloned(), found, "{text}");
        }
    }

    #[test]
    fn what_any_text_has_is_no_piece() {
        let mut pieces = Pieces::default();
        pieces.add("---------- ========== a   b   c d");
        assert!(pieces.is_empty());
        pieces.add("short");
        assert!(pieces.is_empty());
    }
}
