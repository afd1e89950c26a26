//! A text with its split strings joined: `"to" + "ken"`, `'to' 'ken'`, and a line that goes on
//! behind a backslash.

use std::ops::Range;

/// A text whose joints are taken out.
pub struct Joined {
    /// The text without them.
    pub text: String,
    // Where a piece begins in `text`, and where in the original.
    pieces: Vec<(usize, usize)>,
}

impl Joined {
    /// Joins the strings of a text; nothing when there is nothing to join.
    pub fn of(text: &str) -> Option<Self> {
        let mut joined = Self { text: String::new(), pieces: vec![(0, 0)] };
        let mut at = 0;
        let mut from = 0;
        while let Some(next) = text.get(at..).and_then(|rest| rest.find(['"', '\'', '`', '\\'])) {
            let place = at + next;
            let Some(length) = joint(text.get(place..)?) else {
                at = place + 1;
                continue;
            };
            joined.text.push_str(text.get(from..place)?);
            at = place + length;
            from = at;
            joined.pieces.push((joined.text.len(), from));
        }
        joined.text.push_str(text.get(from..)?);
        (joined.pieces.len() > 1).then_some(joined)
    }

    /// Returns where a part stands in the original, if a joint is inside of it.
    pub fn across(&self, part: &Range<usize>) -> Option<Range<usize>> {
        let (first, last) = (self.piece(part.start), self.piece(part.end.checked_sub(1)?));
        let original = |piece: usize, at: usize| {
            self.pieces.get(piece).map(|(joined, original)| original + (at - joined))
        };
        let range = original(first, part.start)?..original(last, part.end)?;
        (first != last).then_some(range)
    }

    fn piece(&self, at: usize) -> usize {
        self.pieces.partition_point(|(joined, _)| *joined <= at).saturating_sub(1)
    }
}

/// Returns the length of the joint that a text begins with: a quote, perhaps an operator, the
/// next quote; or a backslash at a line's end with the indent behind it.
fn joint(text: &str) -> Option<usize> {
    let mut rest = text;
    if let Some(behind) = rest.strip_prefix('\\') {
        if let Some(line) = behind.strip_prefix('\n').or_else(|| behind.strip_prefix("\r\n")) {
            return Some(text.len() - line.trim_start_matches([' ', '\t']).len());
        }
        // A quote inside of another language's string: `\"a\" + \"b\"`.
        rest = behind;
    }
    let quote = rest.chars().next().filter(|char| matches!(char, '"' | '\'' | '`'))?;
    rest = rest.get(1..)?;
    let inside = rest;
    let mut operators = 0;
    loop {
        rest = rest.trim_start();
        let line_end = |more: &&str| more.starts_with(['\n', '\r']);
        let operator =
            rest.strip_prefix(['+', '.', '&']).or_else(|| rest.strip_prefix('\\').filter(line_end));
        match operator {
            Some(more) if operators < 3 => rest = more,
            _ => break,
        }
        operators += 1;
    }
    if rest.len() < inside.len() {
        // Perhaps a prefix such as `f` or `b`.
        let letters = rest.len() - rest.trim_start_matches(['f', 'b', 'r', 'u']).len();
        rest = rest.get(letters.min(2)..)?;
    }
    rest = rest.strip_prefix('\\').unwrap_or(rest);
    let behind = rest.strip_prefix(quote)?;
    let length = text.len() - behind.len();
    // Two quotes side by side are an empty string, or the edge of one in three quotes.
    (length > 2 && !text.get(..length)?.trim_matches(['\\', quote]).is_empty()).then_some(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(text: &str) -> Option<String> {
        Joined::of(text).map(|joined| joined.text)
    }

    #[test]
    fn split_strings_are_joined() {
        for (text, expected) in [
            (r#"x = "ab" + "cd""#, r#"x = "abcd""#),
            ("x = 'ab'\n    'cd'", "x = 'abcd'"),
            (r#""ab" . "cd""#, r#""abcd""#),
            (r#""ab" f"cd""#, r#""abcd""#),
            ("\"ab\" \\\n  \"cd\"", "\"abcd\""),
            ("K=ab\\\n  cd", "K=abcd"),
            (r#"\"ab\" + \"cd\""#, r#"\"abcd\""#),
        ] {
            assert_eq!(joined(text).as_deref(), Some(expected), "{text}");
        }
        for text in ["plain", r#"["ab", "cd"]"#, r#""""#, r#"f("ab", x + "cd")"#, r"a\nb"] {
            assert_eq!(joined(text), None, "{text}");
        }
    }

    #[test]
    fn a_part_across_a_joint_is_found_in_the_original() {
        let text = r#"k = "hou" + "se_1""#;
        let joined = Joined::of(text).unwrap_or_else(|| panic!("{text}"));
        let at = joined.text.find("house_1").unwrap_or_default();
        let part = joined.across(&(at..at + 7)).and_then(|range| text.get(range));
        assert_eq!(part, Some(r#"hou" + "se_1"#));
        assert_eq!(joined.across(&(0..3)), None);
    }
}
