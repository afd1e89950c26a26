//! When are two lines the same to Copilot, and what are a file's lines to it?
//!
//! Copilot's edit tools look past white space, letter case and typography. What they do beyond
//! that (half a line, lines that are not there) is not told here: who meets it must say that
//! the outcome is not known.

use unicode_normalization::UnicodeNormalization;

/// Tells what the client trims: white space as JavaScript has it.
pub(super) fn is_space(char: char) -> bool {
    char == '\u{feff}' || (char.is_whitespace() && char != '\u{85}')
}

/// Returns a line without white space at its ends.
pub(super) fn bare(line: &str) -> &str {
    line.trim_matches(is_space)
}

/// Returns the white space with which a line begins.
pub(super) fn indent(line: &str) -> &str {
    let rest = line.trim_start_matches(|char| is_space(char) && char != '\u{feff}');
    line.get(..line.len() - rest.len()).unwrap_or_default()
}

/// Returns what of a text counts where the client looks most loosely for whole lines.
pub(super) fn loose(text: &str) -> String {
    let kept = |char: &char| *char != ';' && (*char == '\n' || !is_space(*char));
    if text.is_ascii() {
        return text.chars().filter(kept).map(|char| char.to_ascii_lowercase()).collect();
    }
    text.nfkc().map(plain).flat_map(char::to_lowercase).filter(kept).collect()
}

/// Returns the character of a keyboard for its typographic relatives.
pub(super) fn plain(char: char) -> char {
    match char {
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{2018}'..='\u{201b}' | '\u{2039}' | '\u{203a}' => '\'',
        '\u{201c}'..='\u{201f}' | '\u{ab}' | '\u{bb}' => '"',
        '\u{a0}' | '\u{2002}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => ' ',
        '\u{2022}' => '*',
        '\u{d7}' => 'x',
        char => char,
    }
}

/// Returns the new lines with the file's indentation in place of the old lines'.
///
/// Where an old line and the file's line for it differ in their indentation, a new line that
/// begins like the one gets the other; the longest beginning counts, and of equals the last.
pub(super) fn indented<'l>(new: &[&'l str], old: &[&str], found: &[&str]) -> Vec<String> {
    let pairs: Vec<(&str, &str)> = old
        .iter()
        .zip(found)
        .filter(|(old, _)| !bare(old).is_empty())
        .map(|(old, found)| (indent(old), indent(found)))
        .filter(|(old, found)| old != found)
        .collect();
    let one = |line: &'l str| {
        let fits = pairs.iter().filter(|(old, _)| indent(line).starts_with(old));
        let best = fits.max_by_key(|(old, _)| old.len()).filter(|_| !bare(line).is_empty());
        let swapped =
            best.and_then(|(old, found)| Some(format!("{found}{}", line.strip_prefix(old)?)));
        swapped.unwrap_or_else(|| line.to_owned())
    };
    new.iter().map(|line| one(line)).collect()
}

/// The lines of a file as the patch tool takes them up and puts them down.
pub(super) struct Sheet<'a> {
    /// Its lines; a final line break makes no further one.
    pub(super) lines: Vec<&'a str>,
    closed: bool,
    crlf: bool,
}

/// How many line breaks the client looks at to learn which kind a file has.
const SAMPLE: usize = 5;

impl<'a> Sheet<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        let breaks = text.split_inclusive('\n').filter(|line| line.ends_with('\n')).take(SAMPLE);
        let (crlf, lf): (Vec<&str>, Vec<&str>) = breaks.partition(|line| line.ends_with("\r\n"));
        let lines = text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line));
        let mut lines: Vec<&str> = lines.collect();
        if lines.last() == Some(&"") {
            lines.pop();
        }
        Self { lines, closed: text.ends_with('\n'), crlf: crlf.len() > lf.len() }
    }

    /// Returns the text of other lines in this file; a blank last line counts as its end.
    pub(super) fn text(&self, lines: &[String]) -> String {
        let mut text = lines.join("\n");
        if self.closed && !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        if self.crlf { text.replace('\n', "\r\n") } else { text }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_case_and_typography_do_not_count() {
        for (one, other) in [
            ("Return  Foo;", "return foo"),
            ("\u{201c}a\u{2026}\u{201d} \u{2013} b", "\"a...\" - b"),
            ("caf\u{e9}", "cafe\u{301}"),
            ("\u{ff21}\u{a0}1", "a1"),
        ] {
            assert_eq!(loose(one), loose(other));
        }
        for (one, other) in [("a\u{200b}b", "ab"), ("caf\u{e9}", "cafe"), ("a\u{85}b", "ab")] {
            assert_ne!(loose(one), loose(other));
        }
    }

    #[test]
    fn new_lines_take_the_indentation_of_the_file() {
        let to = |new: &[&str], old: &[&str], found: &[&str]| indented(new, old, found).join("|");
        assert_eq!(to(&["x", "  y", "", " "], &["a"], &["    a"]), "    x|      y|| ");
        assert_eq!(to(&["    b", "c"], &["    a"], &["a"]), "b|c");
        assert_eq!(
            to(&["c", "    e"], &["a", "    b"], &["    a", "        b"]),
            "    c|        e"
        );
        assert_eq!(to(&["c"], &["a", "b"], &["    a", "  b"]), "  c");
    }

    #[test]
    fn the_first_line_breaks_decide_for_the_file() {
        let rewritten = |text: &str| {
            let sheet = Sheet::of(text);
            let lines: Vec<String> = sheet.lines.iter().map(ToString::to_string).collect();
            sheet.text(&lines)
        };
        assert_eq!(rewritten("a\r\nb\nc\r\n"), "a\r\nb\r\nc\r\n");
        assert_eq!(rewritten("a\r\nb\n"), "a\nb\n");
        assert_eq!(rewritten("1\n2\n3\n4\r\n5\r\n6\r\n7\r\n8\r\n"), "1\n2\n3\n4\n5\n6\n7\n8\n");
        assert_eq!(rewritten("a\r\nb"), "a\r\nb");
        assert_eq!(rewritten("a\n\n"), "a\n");
    }
}
