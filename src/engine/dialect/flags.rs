//! What do the flags at one place of a pattern say?

use super::class::{Case, Letters};
use super::reader::Reader;
use super::{Node, PatternError};

/// The flags in force at one place of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Flags(u8);

impl Flags {
    pub(super) const FOLD: Self = Self(1);
    pub(super) const MANY_LINES: Self = Self(2);
    pub(super) const DOT_ALL: Self = Self(4);
    pub(super) const VERBOSE: Self = Self(8);
    const ASCII: Self = Self(16);
    const UNICODE: Self = Self(32);
    pub(super) const NONE: Self = Self(0);

    fn named(letter: char) -> Option<Self> {
        Some(match letter {
            'i' => Self::FOLD,
            'm' => Self::MANY_LINES,
            's' => Self::DOT_ALL,
            'x' => Self::VERBOSE,
            'a' => Self::ASCII,
            'u' => Self::UNICODE,
            _ => return None,
        })
    }

    pub(super) fn has(self, flag: Self) -> bool {
        self.0 & flag.0 != 0
    }

    fn with(self, flag: Self) -> Self {
        Self(self.0 | flag.0)
    }

    fn without(self, flag: Self) -> Self {
        Self(self.0 & !flag.0)
    }

    /// Which letters are letters.
    pub(super) fn letters(self) -> Letters {
        if self.has(Self::ASCII) { Letters::Ascii } else { Letters::Unicode }
    }

    pub(super) fn case(self) -> Case {
        if self.has(Self::FOLD) { Case::Same(self.letters()) } else { Case::Differs }
    }
}

impl Reader<'_> {
    /// Reads flags from the first `letter` on, and the group they are for.
    pub(super) fn flag_group(
        &mut self,
        letter: char,
        from: usize,
        depth: usize,
        start: bool,
    ) -> Result<Option<Node>, PatternError> {
        let mut letter = letter;
        let (mut on, mut off) = (Flags::NONE, Flags::NONE);
        let mut switching_off = false;
        loop {
            match (letter, Flags::named(letter)) {
                (')' | ':', _) => break,
                ('-', _) if !switching_off => switching_off = true,
                (_, Some(flag)) if switching_off => off = off.with(flag),
                (_, Some(flag)) => on = on.with(flag),
                ('L', _) => {
                    return self.refuse(
                        from,
                        "asks for the letters of a locale: write `(?a)` for those of ASCII, \
                     or nothing for those of Unicode",
                    );
                }
                _ => {
                    return self.refuse(
                        from,
                        "holds a flag that is not known: there are `a`, `i`, `m`, `s`, `u` and `x`",
                    );
                }
            }
            letter = match self.next() {
                Some(letter) => letter,
                None => return self.refuse(from, "is never closed: add `)` or `:…)`"),
            };
        }
        let letters = Flags::ASCII.with(Flags::UNICODE);
        if switching_off && (off == Flags::NONE || letter == ')') {
            return self.refuse(from, "switches flags off for nothing: write `(?-i:…)`");
        }
        let both = if letter == ')' { on.with(self.flags) } else { on };
        if off.has(letters) || on.has(off) || both.0 & letters.0 == letters.0 {
            return self.refuse(
                from,
                "holds flags that exclude each other: `a` and `u` do, and cannot be switched off",
            );
        }
        if letter == ':' {
            let outer = self.flags;
            self.flags = self.with_flags(on).without(off);
            let inside = self.inside(from, depth)?;
            self.flags = outer;
            return Ok(Some(Node::Group(None, inside)));
        }
        if !start {
            return self.refuse(
                from,
                "sets flags for the whole pattern, which only its beginning may do: \
                 move it there, or put it around a part as in `(?i:…)`",
            );
        }
        self.flags = self.with_flags(on);
        Ok(None)
    }

    fn with_flags(&self, on: Flags) -> Flags {
        let letters = Flags::ASCII.with(Flags::UNICODE);
        let kept = if on.has(letters) { self.flags.without(letters) } else { self.flags };
        kept.with(on)
    }
}
