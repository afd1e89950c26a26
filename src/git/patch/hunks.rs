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
    /// The files whose last line, by its mark, was read.
    ended: Ended,
}

/// Which of the two files has come to its end.
#[derive(Clone, Copy, Default)]
struct Ended {
    old: bool,
    new: bool,
}

impl Ended {
    /// Tells whether a line with this sign belongs to a file that has ended.
    fn excludes(self, sign: u8) -> bool {
        (self.old && sign != b'+') || (self.new && sign != b'-')
    }

    /// Takes in that the line with this sign is the last one.
    fn end(&mut self, sign: u8) {
        self.old |= sign != b'+';
        self.new |= sign != b'-';
    }
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
        let (mut removed, mut put_in) = (0_usize, 0_usize);
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
            // Where the lines come to stand in the file: a hunk may have been taken out of the
            // patch since its heads were written.
            let number = (head.old.first + put_in).saturating_sub(removed);
            hunks.body(&head, number, lines)?;
            (removed, put_in) = (removed + head.old.count, put_in + head.new.count);
        }
        if hunks.list.is_empty() { Err(lines.error(Problem::Head)) } else { Ok(hunks) }
    }

    fn body(
        &mut self,
        head: &Head,
        mut number: usize,
        lines: &mut Lines<'_>,
    ) -> Result<(), PatchError> {
        let first = lines.number();
        let (mut old, mut new) = (head.old.count, head.new.count);
        let mut changes = false;
        let mut block = Block { removed: String::new(), begins: self.added.len() };
        let mut hunk = Hunk { first: head.old.first, old: Vec::new(), new: Vec::new() };
        while old > 0 || new > 0 {
            let short = || lines.error(Problem::Short { old, new });
            let (sign, rest) = match lines.raw() {
                // An empty line whose space was taken for one at the line's end.
                Some([]) => (b' ', [].as_slice()),
                Some([sign, rest @ ..]) => (*sign, rest),
                None => return Err(short()),
            };
            if self.ended.excludes(sign) {
                return Err(lines.error(Problem::Ended));
            }
            changes |= sign != b' ';
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
            if lines.is_cut() {
                return Err(lines.error(Problem::Line));
            }
            // `\ No newline at end of file`, in whatever language, speaks of the line before it.
            if lines.peek().is_some_and(is_mark) {
                hunk.cut(sign);
                self.ended.end(sign);
                lines.pass_mark();
            }
        }
        if !changes {
            return Err(PatchError { line: first, problem: Problem::Unchanged });
        }
        self.list.push(hunk);
        self.settle(&mut block);
        match lines.peek() {
            Some([b'+' | b' ' | b'\\', ..]) => Err(lines.error(Problem::Long)),
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
            Fate::New if self.list.len() > 1 => "a new file, in one hunk",
            Fate::Deleted if !self.added.is_empty() => "a deleted file, which gets no lines",
            _ => return Ok(()),
        };
        Err(Problem::Contradiction { expected: expected.to_owned() })
    }
}

/// Tells whether a line is the mark of a last line without a line end; git takes none that is
/// shorter.
fn is_mark(line: &[u8]) -> bool {
    line.starts_with(b"\\ ") && line.len() > 10
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
