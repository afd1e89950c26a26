//! What does Pi's `edit` write: which text, byte for byte?
//!
//! Every old text is looked for in the file as it is, must be there once, and no two may overlap.
//! Where one of them is not there exactly, file and old texts are compared after folding (see
//! [`fold`]), and then every line that is touched is written folded. [`after`] gives the text, or
//! the reason why the client turns the edit down and writes nothing.
//! `tests/vectors/pi-edit-cases.jsonl` holds what version 1.6.0 was seen to do.

use super::file_tools::MARK;
use super::javascript::trim_end;
use std::fmt;
use std::ops::Range;
use unicode_normalization::UnicodeNormalization;

/// One replacement of an edit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// The text to be replaced.
    pub old: String,
    /// The text in its place.
    pub new: String,
}

/// An edit that the client turns down: nothing is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// There is no such file.
    NoFile,
    /// It names no replacement.
    NoBlock,
    /// The old text of a block (counted from 0, as the client does) is empty.
    Empty(usize),
    /// The file does not hold the old text of a block.
    NotFound(usize),
    /// The file holds the old text of a block so often, after folding.
    NotUnique(usize, usize),
    /// Folding would be needed and would take the last line, which is blank and does not end.
    LastLine,
    /// Two blocks want the same text.
    Overlap(usize, usize),
    /// Nothing would change.
    Same,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the client refuses this edit: ")?;
        match self {
            Self::NoFile => f.write_str("there is no such file"),
            Self::NoBlock => f.write_str("`edits` is empty"),
            Self::Empty(at) => write!(f, "the `oldText` of edits[{at}] is empty"),
            Self::NotFound(at) => {
                write!(f, "the file does not contain the `oldText` of edits[{at}]")
            }
            Self::NotUnique(at, times) => {
                write!(f, "the file contains the `oldText` of edits[{at}] {times} times")
            }
            Self::LastLine => f.write_str("the file ends with a blank line that does not end"),
            Self::Overlap(one, other) => write!(f, "edits[{one}] and edits[{other}] overlap"),
            Self::Same => f.write_str("nothing would change"),
        }
    }
}

/// Returns the text that the client writes when it makes these replacements in a file with the
/// text `before` (`None`: no such file).
///
/// ```
/// use solvi_hook::clients::pi_edit::{Block, after};
///
/// let edit = Block { old: "x = \"a\"".to_owned(), new: "x = 'b'".to_owned() };
/// assert_eq!(after(Some("x = “a”\r\n–\r\n"), &[edit]).unwrap(), "x = 'b'\r\n–\r\n");
/// ```
pub fn after(before: Option<&str>, blocks: &[Block]) -> Result<String, Refusal> {
    let before = before.ok_or(Refusal::NoFile)?;
    if blocks.is_empty() {
        return Err(Refusal::NoBlock);
    }
    let (mark, bare) = match before.strip_prefix(MARK) {
        Some(bare) => ("\u{feff}", bare),
        None => ("", before),
    };
    let lines = Lines::of(bare);
    let blocks: Vec<Block> = blocks.iter().map(Block::with_plain_ends).collect();
    let folded = fold(&lines.text);
    let exact = blocks.iter().all(|block| lines.text.contains(&block.old));
    let searched = if exact { &lines.text } else { &folded };
    let places = places(searched, &folded, &blocks)?;
    if !exact && ends_line(&lines.text) != ends_line(&folded) {
        return Err(Refusal::LastLine);
    }
    let pieces = if exact { places } else { touched_lines(&lines.text, &folded, &places) };
    if pieces.iter().all(|piece| lines.text.get(piece.place.clone()) == Some(&piece.new)) {
        return Err(Refusal::Same);
    }
    Ok(format!("{mark}{}", lines.replaced(&pieces)))
}

impl Block {
    fn with_plain_ends(&self) -> Self {
        Self { old: Lines::of(&self.old).text, new: Lines::of(&self.new).text }
    }
}

/// Returns the text as it is compared: without white space at the ends of its lines, in
/// compatibility form, with plain quotes, dashes and spaces.
fn fold(text: &str) -> String {
    let text: String = text.nfkc().collect();
    let lines: Vec<&str> = text.split('\n').map(trim_end).collect();
    let plain = |char| match char {
        '\u{2018}'..='\u{201b}' => '\'',
        '\u{201c}'..='\u{201f}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{a0}' | '\u{2002}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => ' ',
        char => char,
    };
    lines.join("\n").chars().map(plain).collect()
}

/// A part of a text, and what comes in its place.
struct Piece {
    place: Range<usize>,
    new: String,
}

/// Returns where each block's old text stands in `base`, in order of place.
fn places(base: &str, folded: &str, blocks: &[Block]) -> Result<Vec<Piece>, Refusal> {
    let mut places = Vec::with_capacity(blocks.len());
    for (at, block) in blocks.iter().enumerate() {
        if block.old.is_empty() {
            return Err(Refusal::Empty(at));
        }
        let find = |old: &str| base.find(old).map(|start| start..start + old.len());
        let old = fold(&block.old);
        let place = find(&block.old).or_else(|| find(&old)).ok_or(Refusal::NotFound(at))?;
        if let times @ 2.. = count(folded, &old) {
            return Err(Refusal::NotUnique(at, times));
        }
        places.push((at, Piece { place, new: block.new.clone() }));
    }
    places.sort_by_key(|(_, piece)| piece.place.start);
    for pair in places.windows(2) {
        if let [(first, one), (second, other)] = pair
            && one.place.end > other.place.start
        {
            return Err(Refusal::Overlap(*first.min(second), *first.max(second)));
        }
    }
    Ok(places.into_iter().map(|(_, piece)| piece).collect())
}

/// Counts as a script does that splits at the text: nothing stands between any two units.
fn count(text: &str, part: &str) -> usize {
    if part.is_empty() {
        return text.encode_utf16().count().saturating_sub(1);
    }
    text.matches(part).count()
}

/// Returns the pieces of the folded text as pieces of the text itself: whole lines, folded.
fn touched_lines(text: &str, folded: &str, pieces: &[Piece]) -> Vec<Piece> {
    let (lines, plain) = (line_starts(text), line_starts(folded));
    let line_of = |at: usize| plain.partition_point(|start| *start <= at).saturating_sub(1);
    let start_of =
        |starts: &[usize], line: usize, text: &str| starts.get(line).copied().unwrap_or(text.len());
    let mut groups: Vec<(Range<usize>, Vec<&Piece>)> = Vec::new();
    for piece in pieces {
        // A line end that is taken along is the end of its own line: the next is not touched.
        let last = piece.place.end.saturating_sub(1).max(piece.place.start);
        let (first, end) = (line_of(piece.place.start), line_of(last) + 1);
        match groups.last_mut() {
            Some((lines, members)) if first < lines.end => {
                lines.end = lines.end.max(end);
                members.push(piece);
            }
            _ => groups.push((first..end, vec![piece])),
        }
    }
    let group = |(range, members): (Range<usize>, Vec<&Piece>)| {
        let mut at = start_of(&plain, range.start, folded);
        let mut new = String::new();
        for piece in members {
            new.push_str(folded.get(at..piece.place.start).unwrap_or_default());
            new.push_str(&piece.new);
            at = piece.place.end;
        }
        let end = start_of(&plain, range.end, folded);
        new.push_str(folded.get(at..end).unwrap_or_default());
        let place = start_of(&lines, range.start, text)..start_of(&lines, range.end, text);
        Piece { place, new }
    };
    groups.into_iter().map(group).collect()
}

fn ends_line(text: &str) -> bool {
    text.is_empty() || text.ends_with('\n')
}

fn line_starts(text: &str) -> Vec<usize> {
    std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect()
}

/// A text whose lines all end with `\n`, and how they really end.
struct Lines {
    text: String,
    ends: Vec<&'static str>,
}

impl Lines {
    fn of(text: &str) -> Self {
        let mut lines = Self { text: String::with_capacity(text.len()), ends: Vec::new() };
        let mut rest = text;
        while let Some((line, end)) = rest.split_once(['\r', '\n']) {
            let cut = rest.get(line.len()..).unwrap_or_default();
            let (end, next) = match cut.strip_prefix("\r\n") {
                Some(next) => ("\r\n", next),
                None if cut.starts_with('\r') => ("\r", end),
                None => ("\n", end),
            };
            lines.text.push_str(line);
            lines.text.push('\n');
            lines.ends.push(end);
            rest = next;
        }
        lines.text.push_str(rest);
        lines
    }

    /// Returns the text with the pieces in their places and the lines' own ends: the lines of a
    /// piece end as the line does at which it begins.
    fn replaced(&self, pieces: &[Piece]) -> String {
        let mut out = String::with_capacity(self.text.len());
        let (mut at, mut line) = (0, 0);
        let keep = |out: &mut String, text: &str, line: &mut usize| {
            for part in text.split_inclusive('\n') {
                match part.strip_suffix('\n') {
                    Some(part) => {
                        out.push_str(part);
                        out.push_str(self.end_at(*line));
                        *line += 1;
                    }
                    None => out.push_str(part),
                }
            }
        };
        for Piece { place, new } in pieces {
            keep(&mut out, self.text.get(at..place.start).unwrap_or_default(), &mut line);
            out.push_str(&new.replace('\n', self.end_at(line)));
            line += self.text.get(place.clone()).unwrap_or_default().matches('\n').count();
            at = place.end;
        }
        keep(&mut out, self.text.get(at..).unwrap_or_default(), &mut line);
        out
    }

    /// Returns how a line ends; the last one, which may not, as the one before does.
    fn end_at(&self, line: usize) -> &'static str {
        self.ends.get(line).or(self.ends.last()).copied().unwrap_or("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_edit_panics(text in "[ab\n\r “’ﬁé ]{0,16}", old in "[ab\n “\"]{0,4}", new in ".{0,4}") {
            let block = Block { old, new };
            let _ = after(Some(&text), &[block.clone(), block]);
        }
    }
}
