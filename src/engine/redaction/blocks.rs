//! Keys that are written as a block: `-----BEGIN … KEY-----`, lines of base64, `-----END …-----`.
//!
//! A pattern finds the heading, or the heading and what stands in the same line; what must not be
//! shown is the whole block. It may be spelled as the text of another language: with `\n` between
//! its lines, indented, in quotes that are joined by `+`, as the items of a list.

use memchr::memmem;
use std::ops::Range;

/// A block of key material.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// All of it, from the first dash.
    pub range: Range<usize>,
    /// Its heading as it would stand in a file of its own.
    pub heading: String,
    /// The runs of base64 in it.
    pub runs: Vec<Range<usize>>,
}

/// How far the end of a block may be from its heading, in bytes.
const LONGEST: usize = 256 << 10;

/// How long the label of a heading may be.
const LABEL: usize = 64;

/// From which length on a run of base64 cannot be a word of a language.
const RUN: usize = 16;

/// How much may stand between two lines of a block: an indent, quotes, a number.
const GAP: usize = 256;

/// How much may stand above the first line of an armored block.
const HEADERS: usize = 512;

/// Returns the blocks of a text, in order; a heading without key material behind it is none.
#[must_use]
pub fn blocks(text: &str) -> Vec<Block> {
    let mut found: Vec<Block> = Vec::new();
    for at in memmem::find_iter(text.as_bytes(), "BEGIN ") {
        let end = found.last().map_or(0, |block| block.range.end);
        if at >= end
            && let Some(block) = block(text, at)
        {
            found.push(block);
        }
    }
    found
}

/// Reads the block whose `BEGIN` stands at a place.
fn block(text: &str, begin: usize) -> Option<Block> {
    let before = text.get(..begin)?;
    let start = before.trim_end_matches(' ').trim_end_matches('-').len();
    let (_, behind) = text.split_at_checked(begin + "BEGIN ".len())?;
    let label = behind.get(..behind.find('-')?).filter(|label| label.len() <= LABEL)?.trim();
    let word = |char: char| char.is_ascii_uppercase() || char.is_ascii_digit() || char == ' ';
    if begin - start < 3 || label.is_empty() || !label.chars().all(word) {
        return None;
    }
    let dashes = behind.find('-')?;
    let rest = behind.get(dashes..)?.trim_start_matches('-');
    let body = text.len() - rest.len();
    let heading = format!("-----BEGIN {label}-----");
    let limit = text.floor_char_boundary(body.saturating_add(LONGEST));
    let (end, runs) =
        to_end_mark(text, body..limit, label).or_else(|| as_far_as_it_goes(text, body..limit))?;
    Some(Block { range: start..end, heading, runs })
}

/// Returns the block up to the mark of its end, if what stands between is key material.
fn to_end_mark(text: &str, room: Range<usize>, label: &str) -> Option<(usize, Vec<Range<usize>>)> {
    let body = text.get(room.clone())?;
    let mark = format!("END {label}");
    let at = memmem::find(body.as_bytes(), mark.as_bytes())?;
    if memmem::find(body.as_bytes(), b"BEGIN ").is_some_and(|next| next < at) {
        return None;
    }
    let end = room.start + at + mark.len();
    let end = end + text.get(end..)?.len() - text.get(end..)?.trim_start_matches('-').len();
    let runs = runs(text, room.start..room.start + at);
    let inside: usize = runs.iter().filter(|run| run.len() >= RUN).map(Range::len).sum();
    let shown = body.get(..at)?.bytes().filter(|byte| !byte.is_ascii_whitespace()).count();
    (inside > 0 && inside * 2 >= shown).then_some((end, runs))
}

/// Follows the lines of a block whose end is not marked.
fn as_far_as_it_goes(text: &str, room: Range<usize>) -> Option<(usize, Vec<Range<usize>>)> {
    let mut kept: Vec<Range<usize>> = Vec::new();
    let (mut end, mut last, mut long) = (room.start, room.start, 0);
    for run in runs(text, room.clone()) {
        let gap = text.get(last..run.start).unwrap_or_default();
        let written = text.get(run.clone()).unwrap_or_default();
        let first = last == room.start;
        last = run.end;
        if gap.len() > GAP || long == 0 && run.start > room.start + HEADERS {
            break;
        }
        if run.len() >= if long > 0 || first { RUN } else { 2 * RUN } && is_mixed(written) {
            long += 1;
        } else if long == 0 && is_armor(gap, written) {
            continue;
        } else if long == 0 || !(is_mixed(written) || written.ends_with('=')) {
            break;
        }
        end = run.end;
        kept.push(run);
    }
    (long > 0).then_some((end, kept))
}

/// Tells whether a word may belong to the headers of an armored block, or to an escape:
/// `Proc-Type: 4,ENCRYPTED` and its like stand above the first line.
fn is_armor(gap: &str, word: &str) -> bool {
    word.len() <= 2 || gap.ends_with(['-', ' ', ':', ',', '\\', '\n', '"']) && word.len() < 48
}

/// Tells whether a run looks drawn by lot: it has capitals, small letters, and a figure or sign.
fn is_mixed(run: &str) -> bool {
    run.contains(|char: char| char.is_ascii_uppercase())
        && run.contains(|char: char| char.is_ascii_lowercase())
        && run.contains(|char: char| char.is_ascii_digit() || matches!(char, '+' | '/'))
}

/// Returns the runs of base64 in a part of a text; the letter of an escape (`\n`) is in none.
fn runs(text: &str, part: Range<usize>) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    let mut escaped = false;
    let bytes = text.as_bytes().get(part.clone()).unwrap_or_default();
    for (byte, at) in bytes.iter().zip(part.start..) {
        let letter = std::mem::replace(&mut escaped, *byte == b'\\') && byte.is_ascii_alphabetic();
        if letter || !(byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')) {
            continue;
        }
        match runs.last_mut() {
            Some(run) if run.end == at => run.end = at + 1,
            _ => runs.push(at..at + 1),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: [&str; 3] = [
        "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj",
        "MzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDuictGeurT8jNbvJZHtCSuYEvu",
        "Nw4aB3x=",
    ];

    fn left(text: &str) -> String {
        let mut left = text.to_owned();
        for block in blocks(text).iter().rev() {
            left.replace_range(block.range.clone(), "*");
        }
        left
    }

    #[test]
    fn a_block_is_known_in_any_spelling() {
        let join = |between: &str| {
            let lines = ["-----BEGIN RSA PRIVATE KEY-----"].into_iter().chain(LINES);
            lines.chain(["-----END RSA PRIVATE KEY-----"]).collect::<Vec<_>>().join(between)
        };
        for between in [
            "\n",
            "\r\n",
            "\\n",
            "\\r\\n",
            "\\\\n",
            "\n    ",
            "\\n\" +\n    \"",
            "\",\n  \"",
            " ",
            "\n\n",
            "\\n\\\n",
            "%0A",
            "&#10;",
            "\n# ",
            "\n// ",
        ] {
            let text = format!("before {} after", join(between));
            assert_eq!(left(&text), "before * after", "{between:?}");
        }
    }

    #[test]
    fn a_block_without_its_end_goes_as_far_as_its_lines() {
        let text = format!("-----BEGIN PRIVATE KEY-----\n{}\nthe end of it\n", LINES.join("\n"));
        assert_eq!(left(&text), "*\nthe end of it\n");
        let text = format!("x = '-----BEGIN EC PRIVATE KEY-----\\n{}' + y", LINES.join("\\n"));
        assert_eq!(left(&text), "x = '*' + y");
        let encrypted = format!(
            "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: \
             AES-128-CBC,7FA0B1C2D3E4F5061728394A5B6C7D8E\n\n{}\n",
            LINES.join("\n")
        );
        assert_eq!(left(&encrypted), "*\n");
    }

    #[test]
    fn code_about_a_heading_is_no_block() {
        for text in [
            "if text.startswith('-----BEGIN PRIVATE KEY-----'):\n    return readPrivateKeyBlock(x)\n",
            "BEGIN = '-----BEGIN PRIVATE KEY-----'\nEND = '-----END PRIVATE KEY-----'\n",
            "-----BEGIN \nBEGIN PRIVATE KEY\n-----BEGIN",
        ] {
            assert_eq!(left(text), text);
        }
    }
}
