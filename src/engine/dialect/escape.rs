//! What does a backslash mean, outside of a class and inside of one?

use super::class::{Class, Kind, Letters};
use super::reader::Reader;
use super::{Anchor, Node, PatternError};

/// Escapes of other dialects, each with what says the same here.
const INSTEAD: &[(char, &str)] = &[
    ('z', r"`\Z` for the end of the text"),
    ('p', r"`[^\W\d_]` for a letter, or list the characters"),
    ('P', r"`[\W\d_]` for what is no letter, or list the characters"),
    ('N', r"the character itself, or `\u` and its four hexadecimal digits"),
    ('Q', "a backslash before each character that needs one"),
    ('E', "a backslash before each character that needs one"),
    ('k', "`(?P=name)` for what a group matched"),
    ('g', r"`\1` or `(?P=name)` for what a group matched"),
    ('K', "what stands before it as a look-behind, `(?<=…)`"),
    ('G', r"`\A` for the start of the text"),
    ('h', r"`[ \t]`"),
    ('H', r"`[^ \t]`"),
    ('R', r"`(?:\r\n|\r|\n)`"),
    ('X', "`.`"),
    ('e', r"`\x1b`"),
    ('c', r"`\x` and two hexadecimal digits"),
    ('o', "a backslash and three octal digits"),
];

/// One member of a class.
enum Member {
    Char(u32),
    Set(Kind, bool),
}

impl Reader<'_> {
    /// Reads an escape outside of a class.
    pub(super) fn escape(&mut self) -> Result<Node, PatternError> {
        let from = self.advance();
        let Some(char) = self.next() else { return self.trailing(from) };
        let letters = self.flags.letters();
        let anchor = match char {
            'A' => Anchor::TextStart,
            'Z' => Anchor::TextEnd,
            'b' => Anchor::Boundary(letters),
            'B' => Anchor::NoBoundary(letters),
            '1'..='9' => return self.back_or_octal(from),
            char => {
                let Some(set) = named_set(char) else {
                    let code = self.code(char, from)?;
                    return self.char(code, from);
                };
                let mut class = Class::nothing();
                self.add(&mut class, set, from)?;
                return Ok(Node::Set(class));
            }
        };
        self.boundary |= matches!(
            anchor,
            Anchor::Boundary(Letters::Unicode) | Anchor::NoBoundary(Letters::Unicode)
        );
        Ok(Node::Anchor(anchor))
    }

    /// Reads a number after a backslash: three octal digits are a character, all else is a group.
    fn back_or_octal(&mut self, from: usize) -> Result<Node, PatternError> {
        self.at = from + 1;
        let octal = self.take(3, is_octal);
        if octal.len() == 3 {
            let code = self.octal(octal, from)?;
            return self.char(code, from);
        }
        self.at = from + 1;
        let digits = self.take(2, |char| char.is_ascii_digit());
        // Two digits always are a number.
        self.back(digits.parse().unwrap_or_default(), from)
    }

    /// Reads the rest of an escape that stands for one character.
    fn code(&mut self, char: char, from: usize) -> Result<u32, PatternError> {
        Ok(match char {
            'a' => 0x07,
            'f' => 0x0C,
            'n' => 0x0A,
            'r' => 0x0D,
            't' => 0x09,
            'v' => 0x0B,
            'x' => return self.hexadecimal(2, from),
            'u' => return self.hexadecimal(4, from),
            'U' => return self.hexadecimal(8, from),
            '0' => {
                let digits = self.take(2, is_octal);
                u32::from_str_radix(digits, 8).unwrap_or_default()
            }
            char if char.is_ascii_alphanumeric() => {
                let other = INSTEAD.iter().find(|(letter, _)| *letter == char);
                let instead = other
                    .map_or("the letter alone, or two backslashes to match one", |(_, instead)| {
                        instead
                    });
                return self.refuse(from, &format!("is not an escape here: write {instead}"));
            }
            char => char.into(),
        })
    }

    fn octal(&self, digits: &str, from: usize) -> Result<u32, PatternError> {
        match u32::from_str_radix(digits, 8) {
            Ok(code) if code <= 0o377 => Ok(code),
            _ => self.refuse(from, r"is past `\377`: write `\u` and four hexadecimal digits"),
        }
    }

    fn hexadecimal(&mut self, length: usize, from: usize) -> Result<u32, PatternError> {
        let digits = self.take(length, |char| char.is_ascii_hexdigit());
        match u32::from_str_radix(digits, 16) {
            Ok(code) if digits.len() == length && code <= char::MAX.into() => Ok(code),
            Ok(_) if digits.len() == length => {
                self.refuse(from, r"is past the last character, `\U0010ffff`")
            }
            _ => self.refuse(
                from,
                &format!("has too few digits: write exactly {length} hexadecimal ones, no braces"),
            ),
        }
    }

    /// Reads a class.
    pub(super) fn class(&mut self) -> Result<Class, PatternError> {
        let from = self.advance();
        let negated = self.eat("^");
        let mut ranges = Vec::new();
        let mut sets = Vec::new();
        // A `]` that comes first stands for itself.
        let mut first = true;
        while first || !self.eat("]") {
            first = false;
            let start = self.at;
            let member = self.member(from)?;
            let dash = self.at;
            if !self.eat("-") || self.peek() == Some(']') {
                self.at = dash;
                match member {
                    Member::Char(code) => ranges.push((code, code)),
                    Member::Set(kind, negated) => sets.push((kind, negated)),
                }
                continue;
            }
            match (member, self.member(from)?) {
                (Member::Char(low), Member::Char(high)) if low <= high => ranges.push((low, high)),
                (Member::Char(_), Member::Char(_)) => {
                    return self.refuse(
                        start,
                        "is a range that ends before it begins: write the smaller end first",
                    );
                }
                _ => {
                    return self.refuse(
                        start,
                        r"is not a range: write `\-` for the character, or put it last",
                    );
                }
            }
        }
        let mut class = self.set(&ranges, from)?;
        for set in sets {
            self.add(&mut class, set, from)?;
        }
        if negated {
            class.negate();
        }
        Ok(class)
    }

    /// Reads one member of the class that begins at `class`.
    fn member(&mut self, class: usize) -> Result<Member, PatternError> {
        let from = self.at;
        match self.next() {
            Some('\\') => {}
            Some(char) => return Ok(Member::Char(char.into())),
            None => {
                self.at = class + 1;
                return self.refuse(
                    class,
                    r"opens a class that is never closed: add `]`, or write `\[` for the character",
                );
            }
        }
        let Some(char) = self.next() else { return self.trailing(from) };
        if let Some((kind, negated)) = named_set(char) {
            return Ok(Member::Set(kind, negated));
        }
        if char == 'b' {
            return Ok(Member::Char(0x08));
        }
        if is_octal(char) {
            self.at = from + 1;
            let digits = self.take(3, is_octal);
            return self.octal(digits, from).map(Member::Char);
        }
        if matches!(char, 'A' | 'B' | 'Z') {
            return self.refuse(from, "is a place, not a character: take it out of the class");
        }
        self.code(char, from).map(Member::Char)
    }

    fn trailing<T>(&self, from: usize) -> Result<T, PatternError> {
        self.refuse(from, "ends the pattern: double it to match a backslash")
    }
}

/// Returns the set that a letter after a backslash names, and whether it is negated.
fn named_set(letter: char) -> Option<(Kind, bool)> {
    let kind = match letter.to_ascii_lowercase() {
        'd' => Kind::Digit,
        's' => Kind::Space,
        'w' => Kind::Word,
        _ => return None,
    };
    Some((kind, letter.is_ascii_uppercase()))
}

fn is_octal(char: char) -> bool {
    matches!(char, '0'..='7')
}
