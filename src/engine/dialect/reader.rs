//! Reads a pattern, part by part, as Python would.
//!
//! What Python refuses is refused, so that a rule means the same to every tool that reads it;
//! what other dialects spell differently is answered with Python's spelling.

use super::class::{Class, Kind};
use super::flags::Flags;
use super::{Anchor, Greed, LONGEST, Node, PatternError, Scope, Times, Tree, Width};
use crate::domain::sanitize::visible;
use std::collections::HashMap;

/// How much work reading may be: one unit is about a nanosecond. Folding the case of a range
/// costs its length, a named set the length of its table.
const EFFORT: u32 = 5_000_000;

/// Reads a pattern.
pub(super) fn read(source: &str, scope: Scope) -> Result<Tree, PatternError> {
    let mut reader = Reader::new(source, scope);
    if source.len() > LONGEST {
        let length = source.len();
        return Err(PatternError(format!(
            "the pattern has {length} bytes, more than the {LONGEST} that are read: \
             split it into a list of patterns"
        )));
    }
    let root = reader.alternation(0)?;
    if reader.peek().is_some() {
        let from = reader.advance();
        return reader.refuse(from, r"closes no group: write `\)` for the character");
    }
    reader.check_conditions()?;
    Ok(Tree { root, stepwise: reader.stepwise, boundary: reader.boundary })
}

/// A pattern and how far it was read.
pub(super) struct Reader<'p> {
    source: &'p str,
    scope: Scope,
    /// The byte at which reading goes on.
    pub(super) at: usize,
    pub(super) flags: Flags,
    /// The widths of the groups opened so far, by number; unknown while a group is open. The
    /// whole match is number 0.
    pub(super) groups: Vec<Option<Width>>,
    pub(super) names: HashMap<&'p str, usize>,
    /// How many there were when the outermost look-behind around this place began.
    pub(super) groups_before_look_behind: Option<usize>,
    /// Group numbers that conditions name, which may come later: number and place.
    pub(super) conditions: Vec<(usize, usize)>,
    effort: u32,
    pub(super) stepwise: bool,
    pub(super) boundary: bool,
}

impl<'p> Reader<'p> {
    fn new(source: &'p str, scope: Scope) -> Self {
        let flags = match scope {
            Scope::Line => Flags::NONE,
            Scope::File => Flags::MANY_LINES,
        };
        Self {
            source,
            scope,
            at: 0,
            flags,
            groups: vec![None],
            names: HashMap::new(),
            groups_before_look_behind: None,
            conditions: Vec::new(),
            effort: EFFORT,
            stepwise: false,
            boundary: false,
        }
    }

    /// Reads branches up to the end or to a `)`.
    pub(super) fn alternation(&mut self, depth: usize) -> Result<Node, PatternError> {
        let mut branches = vec![self.sequence(depth, depth == 0)?];
        while self.eat("|") {
            branches.push(self.sequence(depth, false)?);
        }
        match branches.pop() {
            Some(only) if branches.is_empty() => Ok(only),
            last => {
                branches.extend(last);
                Ok(Node::Alternation(branches))
            }
        }
    }

    /// Reads parts up to the end, a `|` or a `)`; flags for all may stand at the `start`.
    pub(super) fn sequence(&mut self, depth: usize, start: bool) -> Result<Node, PatternError> {
        let mut parts = Vec::new();
        while let Some(char) = self.peek_part() {
            let from = self.at;
            let part = match char {
                '|' | ')' => break,
                '*' | '+' | '?' | '{' => {
                    self.repetition(&mut parts)?;
                    continue;
                }
                '(' => match self.group(depth + 1, start && parts.is_empty())? {
                    Some(node) => node,
                    None => continue,
                },
                '[' => Node::Set(self.class()?),
                '\\' => self.escape()?,
                '.' => {
                    self.advance();
                    let all = self.flags.has(Flags::DOT_ALL);
                    Node::Set(if all { Class::everything() } else { Class::dot() })
                }
                '^' => {
                    self.advance();
                    Node::Anchor(self.line_start())
                }
                '$' => {
                    self.advance();
                    Node::Anchor(self.line_end())
                }
                char => {
                    self.advance();
                    self.char(char.into(), from)?
                }
            };
            parts.push(part);
        }
        Ok(match parts.pop() {
            Some(only) if parts.is_empty() => only,
            last => {
                parts.extend(last);
                Node::Concat(parts)
            }
        })
    }

    /// Returns the first character of the next part, past white space and comments if these do
    /// not count.
    fn peek_part(&mut self) -> Option<char> {
        if self.flags.has(Flags::VERBOSE) {
            loop {
                match self.peek()? {
                    ' ' | '\t' | '\n' | '\r' | '\x0B' | '\x0C' => self.at += 1,
                    '#' => {
                        let line = self.rest().find('\n');
                        self.at = line.map_or(self.source.len(), |length| self.at + length + 1);
                    }
                    _ => break,
                }
            }
        }
        self.peek()
    }

    fn line_start(&self) -> Anchor {
        if self.flags.has(Flags::MANY_LINES) { Anchor::LineStart } else { Anchor::TextStart }
    }

    fn line_end(&mut self) -> Anchor {
        if self.flags.has(Flags::MANY_LINES) {
            return Anchor::LineEnd;
        }
        match self.scope {
            // A line has no newline that could end it.
            Scope::Line => Anchor::TextEnd,
            Scope::File => {
                self.stepwise = true;
                Anchor::LastLineEnd
            }
        }
    }

    /// Makes a part of one character.
    pub(super) fn char(&mut self, code: u32, from: usize) -> Result<Node, PatternError> {
        let class = self.set(&[(code, code)], from)?;
        Ok(match class.only_char() {
            Some(char) => Node::Char(char),
            None => Node::Set(class),
        })
    }

    /// Makes a set of characters, in every case if that is asked for.
    pub(super) fn set(
        &mut self,
        ranges: &[(u32, u32)],
        from: usize,
    ) -> Result<Class, PatternError> {
        if self.flags.has(Flags::FOLD) {
            let lengths = ranges.iter().map(|(first, last)| 10 + last.saturating_sub(*first));
            self.spend(lengths.fold(0, u32::saturating_add), from)?;
        }
        Ok(Class::new(ranges, self.flags.case()))
    }

    /// Adds a named set.
    pub(super) fn add(
        &mut self,
        class: &mut Class,
        (kind, negated): (Kind, bool),
        from: usize,
    ) -> Result<(), PatternError> {
        self.spend(1000, from)?;
        class.add(kind, negated, self.flags.letters());
        Ok(())
    }

    fn spend(&mut self, work: u32, from: usize) -> Result<(), PatternError> {
        match self.effort.checked_sub(work) {
            Some(left) => {
                self.effort = left;
                Ok(())
            }
            None => self.refuse(
                from,
                "is one class too many for one pattern: split it into a list of patterns",
            ),
        }
    }

    /// Reads a repetition and applies it to the last part; a `{` that is none stands for itself.
    fn repetition(&mut self, parts: &mut Vec<Node>) -> Result<(), PatternError> {
        let from = self.at;
        let (least, most) = match self.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            _ => {
                let Some(bounds) = self.bounds()? else {
                    self.advance();
                    let brace = self.char('{'.into(), from)?;
                    parts.push(brace);
                    return Ok(());
                };
                bounds
            }
        };
        if self.at == from {
            self.advance();
        }
        let escape =
            r"has nothing before it to repeat: write a backslash before it for the character";
        let inner = match parts.pop() {
            None | Some(Node::Anchor(_)) => return self.refuse(from, escape),
            Some(Node::Repeat(..)) => {
                return self.refuse(
                    from,
                    "repeats a repetition: put what is before it into a group, `(?:…)`",
                );
            }
            Some(inner) => Box::new(inner),
        };
        let greed = if self.eat("?") {
            Greed::Lazy
        } else if self.eat("+") {
            self.stepwise = true;
            Greed::Possessive
        } else {
            Greed::Greedy
        };
        parts.push(Node::Repeat(inner, Times { least, most, greed }));
        Ok(())
    }

    /// Reads `{m}`, `{m,}`, `{,n}`, `{,}` or `{m,n}`, if that is what stands here.
    fn bounds(&mut self) -> Result<Option<(u32, Option<u32>)>, PatternError> {
        let from = self.advance();
        let low = self.digits();
        let comma = self.eat(",");
        let high = if comma { self.digits() } else { low };
        if !self.eat("}") || (low.is_empty() && !comma) {
            self.at = from;
            return Ok(None);
        }
        // Python's largest count, 2³² - 1, stands for "without end" there.
        let number = |text: &str| text.parse().ok().filter(|&count| count < u32::MAX);
        let least = if low.is_empty() { Some(0) } else { number(low) };
        let most = if high.is_empty() { Some(None) } else { number(high).map(Some) };
        match (least, most) {
            (Some(least), Some(Some(most))) if least > most => {
                self.refuse(from, "has its larger count first: write the smaller one first")
            }
            (Some(least), Some(most)) => Ok(Some((least, most))),
            _ => self.refuse(from, "asks for more repetitions than can be counted"),
        }
    }

    /// Fails for the piece from `from` to where reading stands.
    pub(super) fn refuse<T>(&self, from: usize, what: &str) -> Result<T, PatternError> {
        const PIECE: usize = 24;
        let (before, rest) = self.source.split_at_checked(from).unwrap_or((self.source, ""));
        let piece = rest.get(..self.at.saturating_sub(from)).unwrap_or(rest);
        let (piece, more) = match piece.char_indices().nth(PIECE) {
            Some((length, _)) => (piece.get(..length).unwrap_or(piece), "…"),
            None => (piece, ""),
        };
        let place = before.chars().count() + 1;
        let piece = visible(piece);
        Err(PatternError(format!("`{piece}{more}` at character {place} {what}")))
    }

    pub(super) fn rest(&self) -> &'p str {
        self.source.get(self.at..).unwrap_or_default()
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let char = self.peek()?;
        self.at += char.len_utf8();
        Some(char)
    }

    /// Steps over a character and returns where it stood.
    pub(super) fn advance(&mut self) -> usize {
        let from = self.at;
        self.next();
        from
    }

    pub(super) fn eat(&mut self, text: &str) -> bool {
        let found = self.rest().starts_with(text);
        if found {
            self.at += text.len();
        }
        found
    }

    fn digits(&mut self) -> &'p str {
        self.take(usize::MAX, |char| char.is_ascii_digit())
    }

    /// Steps over at most `most` characters that are `wanted`, all of ASCII.
    pub(super) fn take(&mut self, most: usize, wanted: fn(char) -> bool) -> &'p str {
        let rest = self.rest();
        let length = rest.chars().take(most).take_while(|&char| wanted(char)).count();
        self.at += length;
        rest.get(..length).unwrap_or_default()
    }
}
