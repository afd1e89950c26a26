//! Which lines do the hunks of a file add, and where?
//!
//! A head such as `@@ -3,2 +3,4 @@` promises two lines of the old file and four of the new one;
//! exactly so many are read, whatever they look like.

use super::head::Fate;
use super::lines::Lines;
use super::{PatchError, Problem};
use crate::domain::{Line, diff};

/// What the hunks of one file hold.
#[derive(Default)]
pub struct Hunks {
    /// The added lines, with their numbers in the new file. A line that is taken out and put in
    /// again with another line end is none of them.
    pub added: Vec<Line>,
    /// What they replace, by what.
    pub list: Vec<Hunk>,
    /// Whether an added line is not UTF-8; what cannot be read of it is replaced.
    pub lossy: bool,
    /// Whether there is a line that the old file has.
    keeps: bool,
}

/// A run of lines, as it is before and after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk {
    /// The number of the first line in the old file; of the line that would come next when there
    /// is none.
    pub first: usize,
    /// The lines of the old file, with their line ends.
    pub old: Vec<u8>,
    /// The lines of the new file, with their line ends.
    pub new: Vec<u8>,
}

impl Hunk {
    fn take(&mut self, sign: u8, line: &[u8]) {
        for side in self.sides(sign) {
            side.extend_from_slice(line);
            side.push(b'\n');
        }
    }

    /// Takes back the line end of the last line.
    fn cut(&mut self, sign: u8) {
        for side in self.sides(sign) {
            side.pop();
        }
    }

    /// Returns the sides that a line belongs to.
    fn sides(&mut self, sign: u8) -> impl Iterator<Item = &mut Vec<u8>> {
        let old = (sign != b'+').then_some(&mut self.old);
        old.into_iter().chain((sign != b'-').then_some(&mut self.new))
    }
}

/// The head of a hunk.
struct Head {
    old: Span,
    new: Span,
}

/// Lines of one of the two files.
struct Span {
    /// The first line; the one that would come next when there is none.
    first: usize,
    count: usize,
}

/// What a hunk takes out and puts in between two lines that stay.
struct Block {
    /// The lines that are taken out.
    removed: String,
    /// How many lines had been added before it.
    begins: usize,
}

impl Block {
    fn remove(&mut self, line: &[u8]) {
        self.removed.push_str(&String::from_utf8_lossy(line));
        self.removed.push('\n');
    }
}

impl Hunks {
    /// Reads every hunk of a file, at least one.
    pub fn read(lines: &mut Lines<'_>) -> Result<Self, PatchError> {
        let mut hunks = Self::default();
        let (mut old, mut new) = (0, 0);
        let mut any = false;
        while let Some(line) = lines.peek().filter(|line| line.starts_with(b"@@")) {
            if line.starts_with(b"@@@") {
                return Err(lines.error(Problem::Combined));
            }
            let head = head(line).ok_or_else(|| lines.error(Problem::Head))?;
            if head.old.first < old || head.new.first < new {
                return Err(lines.error(Problem::Order));
            }
            (old, new) = (head.old.first + head.old.count, head.new.first + head.new.count);
            lines.advance();
            hunks.body(&head, lines)?;
            any = true;
        }
        if any { Ok(hunks) } else { Err(lines.error(Problem::Head)) }
    }

    fn body(&mut self, head: &Head, lines: &mut Lines<'_>) -> Result<(), PatchError> {
        let (mut old, mut new) = (head.old.count, head.new.count);
        let mut number = head.new.first;
        let mut block = Block { removed: String::new(), begins: self.added.len() };
        let mut hunk = Hunk { first: head.old.first, old: Vec::new(), new: Vec::new() };
        while old > 0 || new > 0 {
            let short = || lines.error(Problem::Short { old, new });
            let (sign, rest) = match lines.raw() {
                // An empty line whose space was taken for one at the line's end.
                Some([] | [b'\r']) => (b' ', [].as_slice()),
                Some([sign, rest @ ..]) => (*sign, rest),
                None => return Err(short()),
            };
            match sign {
                b' ' if old > 0 && new > 0 => {
                    (old, new, number) = (old - 1, new - 1, number + 1);
                    self.keeps = true;
                    self.settle(&mut block);
                }
                b'-' if old > 0 => {
                    old -= 1;
                    self.keeps = true;
                    block.remove(rest);
                }
                b'+' if new > 0 => {
                    self.add(number, rest);
                    (new, number) = (new - 1, number + 1);
                }
                _ => return Err(short()),
            }
            hunk.take(sign, rest);
            lines.advance();
            // `\ No newline at end of file`, in whatever language, speaks of the line before it.
            if lines.peek().is_some_and(|line| line.starts_with(b"\\ ")) {
                hunk.cut(sign);
                lines.advance();
            }
        }
        self.list.push(hunk);
        self.settle(&mut block);
        match lines.peek() {
            Some([b'+' | b' ', ..]) => Err(lines.error(Problem::Long)),
            // The next file, or the signature of a mail.
            Some([b'-', ..]) if !next_file(lines) && !signature(lines) => {
                Err(lines.error(Problem::Long))
            }
            _ => Ok(()),
        }
    }

    fn add(&mut self, number: usize, line: &[u8]) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let text = String::from_utf8_lossy(line).into_owned();
        self.lossy |= text.as_bytes() != line;
        self.added.push(Line { number, text });
    }

    /// Keeps those lines of a block that it does not take out as well.
    fn settle(&mut self, block: &mut Block) {
        if !block.removed.is_empty() {
            let put_in = self.added.split_off(block.begins);
            let text: String = put_in.iter().flat_map(|line| [line.text.as_str(), "\n"]).collect();
            let new = diff::added(&block.removed, &text);
            let mut new = new.into_iter().map(|line| line.number).peekable();
            let kept = put_in.into_iter().zip(1..).filter(|(_, at)| new.next_if_eq(at).is_some());
            self.added.extend(kept.map(|(line, _)| line));
        }
        *block = Block { removed: String::new(), begins: self.added.len() };
    }

    /// Holds the lines against what is known of the file: a new one has had none, a deleted one
    /// gets none.
    pub fn fit(&self, fate: Fate) -> Result<(), Problem> {
        let expected = match fate {
            Fate::New if self.keeps => "a new file, all of whose lines are added",
            Fate::Deleted if !self.added.is_empty() => "a deleted file, which gets no lines",
            _ => return Ok(()),
        };
        Err(Problem::Contradiction { expected: expected.to_owned() })
    }
}

fn next_file(lines: &Lines<'_>) -> bool {
    lines.peek().is_some_and(|line| line.starts_with(b"--- "))
        && lines.second().is_some_and(|line| line.starts_with(b"+++ "))
}

fn signature(lines: &Lines<'_>) -> bool {
    lines.peek().is_some_and(|line| matches!(line, b"--" | b"-- "))
}

fn head(line: &[u8]) -> Option<Head> {
    let text = line.strip_prefix(b"@@ -")?;
    let end = text.windows(3).position(|part| part == b" @@")?;
    let (old, new) = std::str::from_utf8(text.get(..end)?).ok()?.split_once(" +")?;
    Some(Head { old: span(old)?, new: span(new)? })
}

fn span(text: &str) -> Option<Span> {
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (start, count) = text.split_once(',').unwrap_or((text, "1"));
    if !digits(start) || !digits(count) {
        return None;
    }
    let (start, count): (usize, usize) = (start.parse().ok()?, count.parse().ok()?);
    let first = match (start, count) {
        (0, 1..) => return None,
        (_, 0) => start.checked_add(1)?,
        _ => start,
    };
    first.checked_add(count)?;
    Some(Span { first, count })
}

/// Passes over a binary patch: one or two blocks of encoded lines, each with an empty line
/// behind it.
pub fn skip_binary(lines: &mut Lines<'_>) -> Result<(), PatchError> {
    lines.advance();
    let block = |line: &[u8]| line.starts_with(b"literal ") || line.starts_with(b"delta ");
    if !lines.peek().is_some_and(block) {
        return Err(lines.error(Problem::Binary));
    }
    while lines.peek().is_some_and(block) {
        lines.advance();
        while let Some(line) = lines.peek().filter(|line| !line.is_empty()) {
            // The code has no space, so no header can be swallowed here.
            if line.contains(&b' ') {
                return Err(lines.error(Problem::Binary));
            }
            lines.advance();
        }
        lines.advance();
    }
    Ok(())
}
