//! Which characters does a class, or one character under `(?i)`, stand for?
//!
//! The sets are Python's: a letter or a digit is what Unicode files under L or N (a combining
//! mark is neither), white space includes U+001C to U+001F.

use regex_syntax::hir::{self, ClassUnicode, ClassUnicodeRange, Hir, HirKind};
use std::fmt::Write as _;
use std::sync::OnceLock;

/// Which letters, digits and spaces there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine) enum Letters {
    /// Those of Unicode.
    Unicode,
    /// Those of ASCII, under `(?a)`.
    Ascii,
}

/// Whether upper and lower case differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Case {
    Differs,
    Same(Letters),
}

/// A named set of characters, `\d`, `\s` or `\w`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Digit,
    Space,
    Word,
}

/// A set of characters.
#[derive(Clone, Debug)]
pub(super) struct Class {
    ranges: ClassUnicode,
    /// Named sets of Unicode, each with whether it is negated. They stay names, as the word
    /// characters alone are some 800 ranges.
    kinds: Vec<(Kind, bool)>,
    negated: bool,
}

impl Class {
    /// Makes the set of the characters in `ranges`, whatever case they are in if `case` says so.
    ///
    /// Surrogates are characters for Python. They never occur in UTF-8, so they are left out.
    pub(super) fn new(ranges: &[(u32, u32)], case: Case) -> Self {
        let ranges = ranges.iter().filter_map(|&(first, last)| scalars(first, last));
        let mut ranges = ClassUnicode::new(ranges);
        match case {
            Case::Differs => {}
            Case::Same(Letters::Ascii) => fold_ascii(&mut ranges),
            Case::Same(Letters::Unicode) => fold(&mut ranges),
        }
        Self { ranges, kinds: Vec::new(), negated: false }
    }

    /// Makes the set of no characters.
    pub(super) fn nothing() -> Self {
        Self::new(&[], Case::Differs)
    }

    /// Makes the set of all characters.
    pub(super) fn everything() -> Self {
        Self { negated: true, ..Self::nothing() }
    }

    /// Makes the set of all word characters.
    pub(super) fn word(letters: Letters) -> Self {
        let mut class = Self::nothing();
        class.add(Kind::Word, false, letters);
        class
    }

    /// Makes the set of all characters that a `.` matches.
    pub(super) fn dot() -> Self {
        Self { negated: true, ..Self::new(&[('\n'.into(), '\n'.into())], Case::Differs) }
    }

    /// Adds a named set, or with `negated` all characters outside of it.
    pub(super) fn add(&mut self, kind: Kind, negated: bool, letters: Letters) {
        if letters == Letters::Unicode {
            if !self.kinds.contains(&(kind, negated)) {
                self.kinds.push((kind, negated));
            }
            return;
        }
        let ranges: &[(u8, u8)] = match kind {
            Kind::Digit => &[(b'0', b'9')],
            Kind::Space => &[(b'\t', b'\r'), (b' ', b' ')],
            Kind::Word => &[(b'0', b'9'), (b'A', b'Z'), (b'_', b'_'), (b'a', b'z')],
        };
        let ranges = ranges.iter();
        let mut set = ClassUnicode::new(
            ranges.map(|&(first, last)| ClassUnicodeRange::new(first.into(), last.into())),
        );
        if negated {
            set.negate();
        }
        self.ranges.union(&set);
    }

    /// Turns the set into all other characters.
    pub(super) fn negate(&mut self) {
        self.negated = !self.negated;
    }

    /// Returns the only character of the set.
    pub(super) fn only_char(&self) -> Option<char> {
        match self.ranges.ranges() {
            [range] if !self.negated && self.kinds.is_empty() && range.len() == 1 => {
                Some(range.start())
            }
            _ => None,
        }
    }

    /// Tells whether the set is given by what is outside of it, or by a name: it has many members,
    /// or may have.
    pub(super) fn is_open(&self) -> bool {
        self.negated || !self.kinds.is_empty()
    }

    /// Writes the set as both engines read it.
    pub(super) fn spell(&self, out: &mut String) {
        match (self.ranges.ranges(), self.kinds.as_slice(), self.negated) {
            ([], [], true) => return out.push_str("(?s:.)"),
            ([newline], [], true) if (newline.start(), newline.end()) == ('\n', '\n') => {
                return out.push('.');
            }
            // Neither engine reads an empty class.
            ([], [], false) => return out.push_str(r"[^\x00-\x{10FFFF}]"),
            // One name may carry the negation of the class, which spares a nested one.
            ([], &[(kind, negated)], outer) => {
                out.push_str(if negated == outer { "[" } else { "[^" });
                out.push_str(members(kind));
            }
            (ranges, kinds, negated) => {
                out.push_str(if negated { "[^" } else { "[" });
                for range in ranges {
                    spell_member(range.start(), out);
                    if range.end() > range.start() {
                        out.push('-');
                        spell_member(range.end(), out);
                    }
                }
                for &(kind, negated) in kinds {
                    let (open, close) = if negated { ("[^", "]") } else { ("", "") };
                    out.extend([open, members(kind), close]);
                }
            }
        }
        out.push(']');
    }
}

/// Tells whether Python and the Rust engines disagree on a character being a word character.
pub(super) fn is_disputed(char: char) -> bool {
    static WORD: OnceLock<Option<ClassUnicode>> = OnceLock::new();
    let word = WORD.get_or_init(|| {
        let mut source = String::new();
        Class::word(Letters::Unicode).spell(&mut source);
        match regex_syntax::parse(&source).map(Hir::into_kind) {
            Ok(HirKind::Class(hir::Class::Unicode(class))) => Some(class),
            _ => None,
        }
    });
    let ranges = word.as_ref().map_or(&[][..], ClassUnicode::ranges);
    let place = ranges.partition_point(|range| range.end() < char);
    let found = ranges.get(place).is_some_and(|range| range.start() <= char);
    found != regex_syntax::is_word_character(char)
}

/// Returns the members of a named set of Unicode, as they are written in a class.
fn members(kind: Kind) -> &'static str {
    match kind {
        Kind::Digit => r"\d",
        Kind::Space => r"\s\x1C-\x1F",
        Kind::Word => r"\p{L}\p{N}_",
    }
}

fn spell_member(char: char, out: &mut String) {
    if char.is_ascii_alphanumeric() {
        out.push(char);
    } else {
        // Writing to a string cannot fail.
        let _ = write!(out, r"\x{{{:X}}}", u32::from(char));
    }
}

/// Returns the range without what is not a character of UTF-8, unless nothing is left.
fn scalars(first: u32, last: u32) -> Option<ClassUnicodeRange> {
    let surrogate = |code| (0xD800..0xE000).contains(&code);
    let first = char::from_u32(if surrogate(first) { 0xE000 } else { first })?;
    let last = char::from_u32(if surrogate(last) { 0xD7FF } else { last })?;
    (first <= last).then(|| ClassUnicodeRange::new(first, last))
}

/// Adds the other case of all letters of ASCII, and of nothing else.
fn fold_ascii(ranges: &mut ClassUnicode) {
    for (first, last, other) in [('a', 'z', 'A'), ('A', 'Z', 'a')] {
        let mut letters = ClassUnicode::new([ClassUnicodeRange::new(first, last)]);
        letters.intersect(ranges);
        for range in letters.ranges() {
            let swap = |char: char| char::from_u32(u32::from(char) ^ 0x20).unwrap_or(other);
            ranges.push(ClassUnicodeRange::new(swap(range.start()), swap(range.end())));
        }
    }
}

/// Adds the other cases of all characters: Unicode's simple folding, and Python's own idea that
/// all four kinds of i are one letter. Nothing else differs between the two.
fn fold(ranges: &mut ClassUnicode) {
    ranges.case_fold_simple();
    let mut found = ClassUnicode::new(['I', 'i', 'İ', 'ı'].map(|i| ClassUnicodeRange::new(i, i)));
    let all = found.clone();
    found.intersect(ranges);
    if !found.ranges().is_empty() {
        ranges.union(&all);
    }
}
