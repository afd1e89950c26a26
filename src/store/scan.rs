//! Is a line JSON, and is it spelled as the writers of a store spell? It is read once, in place.
//!
//! What Python's reader takes is taken, `NaN` and its like included, but for half a surrogate pair
//! (which no hash can be taken over) and for what is nested without end. A hash is taken over
//! values, so a spelling that says the same in other bytes does not break a chain; it still shows
//! that somebody else than a writer was at the file, and is noted.

use super::spelling::float;
use super::tree::{Node, Nodes, Place, Shape, Tree};
use std::fmt;

/// How deep values may be nested.
const DEEPEST: usize = 500;

/// A reader of lines.
#[derive(Debug, Default)]
pub struct Scanner {
    kept: Nodes,
}

/// What is odd about the spelling of a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Oddities {
    /// A key that stands twice in one object.
    pub twice: Option<String>,
    /// A carriage return stands between values or at the end.
    pub carriage: bool,
    /// The first place, in bytes from 0, where a writer would have spelled otherwise.
    pub otherwise: Option<usize>,
}

/// Why a line is not JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// Where, in bytes from 0.
    pub at: usize,
    /// What is wrong there.
    pub what: &'static str,
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.what, self.at + 1)
    }
}

impl Scanner {
    /// Reads a line; the tree lives until the next is read.
    pub fn scan<'a>(&'a mut self, line: &'a [u8]) -> Result<(Tree<'a>, Oddities), Flaw> {
        if let Err(error) = std::str::from_utf8(line) {
            return Err(Flaw { at: error.valid_up_to(), what: "a byte that is not UTF-8" });
        }
        self.kept.all.clear();
        self.kept.anew.clear();
        self.kept.orders.clear();
        let mut scan =
            Scan { line, at: 0, kept: &mut self.kept, odd: Oddities::default(), keys: Vec::new() };
        scan.space(0);
        scan.value(0)?;
        scan.space(0);
        if scan.at < line.len() {
            return Err(scan.flaw("something after the end of the value"));
        }
        let odd = scan.odd;
        Ok((Tree { line, kept: &self.kept }, odd))
    }
}

struct Scan<'a> {
    line: &'a [u8],
    at: usize,
    kept: &'a mut Nodes,
    odd: Oddities,
    // The keys of the object that is put in order, each with its first bytes.
    keys: Vec<(u64, usize)>,
}

impl Scan<'_> {
    fn flaw(&self, what: &'static str) -> Flaw {
        Flaw { at: self.at, what }
    }

    fn peek(&self) -> Option<u8> {
        self.line.get(self.at).copied()
    }

    /// Passes over white space, of which a writer leaves so many spaces and nothing else.
    fn space(&mut self, expected: usize) {
        let start = self.at;
        while let Some(byte @ (b' ' | b'\t' | b'\r' | b'\n')) = self.peek() {
            self.odd.carriage |= byte == b'\r';
            self.at += 1;
        }
        let passed = self.line.get(start..self.at).unwrap_or_default();
        let others = passed.iter().filter(|byte| **byte != b'\r');
        if (passed.len() != expected || expected == 1 && passed != b" ")
            && !others.eq([b' '].iter().take(expected))
        {
            self.odd(start);
        }
    }

    fn odd(&mut self, at: usize) {
        self.odd.otherwise.get_or_insert(at);
    }

    fn push(&mut self, shape: Shape, place: Place, escaped: bool) -> usize {
        let at = self.kept.all.len();
        self.kept.all.push(Node { shape, escaped, place, next: at + 1 });
        at
    }

    /// Ends a list or an object behind the last of its children.
    fn close(&mut self, at: usize, place: Place) {
        let next = self.kept.all.len();
        if let Some(node) = self.kept.all.get_mut(at) {
            (node.next, node.place) = (next, place);
        }
    }

    fn value(&mut self, depth: usize) -> Result<(), Flaw> {
        match self.peek() {
            Some(b'{' | b'[') if depth >= DEEPEST => Err(self.flaw("values nested too deep")),
            Some(b'{') => self.object(depth),
            Some(b'[') => self.list(depth),
            Some(b'"') => self.string().map(drop),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word("true", Shape::Truth),
            Some(b'f') => self.word("false", Shape::Truth),
            Some(b'n') => self.word("null", Shape::Null),
            Some(b'N') => self.word("NaN", Shape::Float),
            Some(b'I') => self.word("Infinity", Shape::Float),
            Some(_) => Err(self.flaw("something that is no value")),
            None => Err(self.flaw("no end of the value")),
        }
    }

    fn word(&mut self, word: &str, shape: Shape) -> Result<(), Flaw> {
        let rest = self.line.get(self.at..).unwrap_or_default();
        if !rest.starts_with(word.as_bytes()) {
            return Err(self.flaw("something that is no value"));
        }
        let start = self.at;
        self.at += word.len();
        self.push(shape, Place::Line(start, self.at), false);
        Ok(())
    }

    fn list(&mut self, depth: usize) -> Result<(), Flaw> {
        let list = self.push(Shape::List, Place::InOrder, false);
        self.at += 1;
        self.space(0);
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(());
        }
        loop {
            self.value(depth + 1)?;
            if self.comma_or(b']')? {
                self.close(list, Place::InOrder);
                return Ok(());
            }
        }
    }

    /// Passes over a comma, or over the end of a list or object; tells whether it was the end.
    fn comma_or(&mut self, end: u8) -> Result<bool, Flaw> {
        self.space(0);
        match self.peek() {
            Some(b',') => {
                self.at += 1;
                self.space(1);
                Ok(false)
            }
            Some(byte) if byte == end => {
                self.at += 1;
                Ok(true)
            }
            Some(_) => Err(self.flaw("no comma between values")),
            None => Err(self.flaw("no end of the value")),
        }
    }

    fn object(&mut self, depth: usize) -> Result<(), Flaw> {
        let object = self.push(Shape::Object, Place::InOrder, false);
        self.at += 1;
        self.space(0);
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(());
        }
        let (mut before, mut in_order) = (None, true);
        loop {
            if self.peek() != Some(b'"') {
                return Err(self.flaw("no key"));
            }
            let key = self.string()?;
            in_order &=
                before.is_none_or(|before| self.kept.compare(before, key, self.line).is_lt());
            before = Some(key);
            self.space(0);
            if self.peek() != Some(b':') {
                return Err(self.flaw("no colon after a key"));
            }
            self.at += 1;
            self.space(1);
            self.value(depth + 1)?;
            if self.comma_or(b'}')? {
                break;
            }
        }
        self.close(object, Place::InOrder);
        if !in_order {
            let place = self.order(object);
            self.close(object, place);
        }
        Ok(())
    }

    /// Puts the keys of an object in order.
    fn order(&mut self, object: usize) -> Place {
        let mut keys = std::mem::take(&mut self.keys);
        keys.clear();
        let (mut key, end) = (object + 1, self.kept.node(object).next);
        while key < end {
            keys.push((self.beginning(key), key));
            key = self.kept.node(key + 1).next;
        }
        if keys.iter().any(|(_, key)| self.kept.node(*key).escaped) {
            for (beginning, _) in &mut keys {
                *beginning = 0;
            }
        }
        let compare = |one: &(u64, usize), other: &(u64, usize)| {
            one.0.cmp(&other.0).then_with(|| self.kept.compare(one.1, other.1, self.line))
        };
        // Keys that are the same stay in the order in which they stand.
        keys.sort_by(compare);
        let mut twice = None;
        keys.dedup_by(|next, key| {
            let same = compare(key, next).is_eq();
            if same {
                twice = Some(key.1);
                // The last one counts.
                *key = *next;
            }
            same
        });
        if let Some(key) = twice {
            self.odd.twice = serde_json::from_slice(self.kept.text(key, self.line)).ok();
        }
        let from = self.kept.orders.len();
        self.kept.orders.extend(keys.iter().map(|(_, key)| *key));
        self.keys = keys;
        Place::Order(from, self.kept.orders.len())
    }

    /// Returns the first bytes of a key as a number: most keys differ in them.
    fn beginning(&self, key: usize) -> u64 {
        let mut first = [0; 8];
        let text = self.kept.text(key, self.line);
        let text = text.strip_prefix(b"\"").and_then(|text| text.strip_suffix(b"\""));
        for (to, from) in first.iter_mut().zip(text.unwrap_or_default()) {
            *to = *from;
        }
        u64::from_be_bytes(first)
    }

    fn string(&mut self) -> Result<usize, Flaw> {
        let start = self.at;
        self.at += 1;
        let (mut escaped, mut canonical) = (false, true);
        loop {
            self.at += unremarkable(self.line.get(self.at..).unwrap_or_default());
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => {
                    escaped = true;
                    canonical &= self.escape()?;
                }
                Some(_) => return Err(self.flaw("a control character in a string")),
                None => return Err(self.flaw("no end of a string")),
            }
        }
        self.at += 1;
        if canonical {
            return Ok(self.push(Shape::Text, Place::Line(start, self.at), escaped));
        }
        self.odd(start);
        let spelled = self.line.get(start..self.at).unwrap_or_default();
        let text: String = serde_json::from_slice(spelled)
            .map_err(|_| Flaw { at: start, what: "half a character in a string" })?;
        let text = super::canonical::canonical(&text.into());
        Ok(self.push_anew(Shape::Text, &text, text.contains('\\')))
    }

    fn push_anew(&mut self, shape: Shape, text: &str, escaped: bool) -> usize {
        let from = self.kept.anew.len();
        self.kept.anew.extend_from_slice(text.as_bytes());
        self.push(shape, Place::Anew(from, self.kept.anew.len()), escaped)
    }

    /// Passes over an escape; tells whether it is the one that the canonical spelling has.
    fn escape(&mut self) -> Result<bool, Flaw> {
        let canonical = match self.line.get(self.at + 1) {
            Some(b'"' | b'\\' | b'b' | b'f' | b'n' | b'r' | b't') => true,
            Some(b'/') => false,
            Some(b'u') => {
                let digits = self.line.get(self.at + 2..self.at + 6).unwrap_or_default();
                if digits.len() < 4 || !digits.iter().all(u8::is_ascii_hexdigit) {
                    return Err(self.flaw("an escape without its four digits"));
                }
                self.at += 4;
                // Control characters, but for those that have an escape of one letter.
                matches!(digits, [b'0', b'0', b'0', b'0'..=b'7' | b'b' | b'e' | b'f']
                    | [b'0', b'0', b'1', b'0'..=b'9' | b'a'..=b'f'])
            }
            _ => return Err(self.flaw("an escape that there is not")),
        };
        self.at += 2;
        Ok(canonical)
    }

    fn number(&mut self) -> Result<(), Flaw> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
            if self.peek() == Some(b'I') {
                self.word("Infinity", Shape::Float)?;
                self.kept.all.pop();
                self.push(Shape::Float, Place::Line(start, self.at), false);
                return Ok(());
            }
        }
        let zero = self.peek() == Some(b'0');
        let digits = self.digits()?;
        if zero && digits > 1 {
            return Err(self.flaw("a number that begins with a zero"));
        }
        let mut shape = Shape::Integer;
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
            shape = Shape::Float;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            self.digits()?;
            shape = Shape::Float;
        }
        let text = self.line.get(start..self.at).unwrap_or_default();
        let anew = match (shape, text) {
            (Shape::Float, b"0.0" | b"1.0") => None,
            (Shape::Float, text) => respelled(text),
            (_, b"-0") => Some("0".to_owned()),
            _ => None,
        };
        match anew {
            Some(anew) => {
                self.odd(start);
                self.push_anew(shape, &anew, false);
            }
            None => _ = self.push(shape, Place::Line(start, self.at), false),
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<usize, Flaw> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at == start {
            Err(self.flaw("a number without digits"))
        } else {
            Ok(self.at - start)
        }
    }
}

/// Returns how Python spells a float, when that is not how it is spelled here.
fn respelled(text: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(text).ok()?;
    let value: f64 = text.parse().ok()?;
    let spelled = match value {
        f64::INFINITY => "Infinity".to_owned(),
        f64::NEG_INFINITY => "-Infinity".to_owned(),
        value => float(value),
    };
    (spelled != text).then_some(spelled)
}

/// Returns how many bytes there are before a quote, a backslash or a control character. Eight
/// are looked at together: in a store most bytes are in strings.
fn unremarkable(bytes: &[u8]) -> usize {
    const ONES: u64 = u64::MAX / 255;
    const HIGH: u64 = ONES << 7;
    let below = |word: u64, limit: u64| word.wrapping_sub(ONES * limit) & !word & HIGH;
    let (words, rest) = bytes.as_chunks::<8>();
    for (at, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let quote = below(word ^ (ONES * u64::from(b'"')), 1);
        let backslash = below(word ^ (ONES * u64::from(b'\\')), 1);
        // A borrow may mark bytes behind the first that is meant, and only those.
        let found = quote | backslash | below(word, 0x20);
        if found != 0 {
            return at * 8 + found.trailing_zeros() as usize / 8;
        }
    }
    let remarkable = |byte: &u8| matches!(byte, b'"' | b'\\' | ..0x20);
    words.len() * 8 + rest.iter().position(remarkable).unwrap_or(rest.len())
}

#[cfg(test)]
mod tests;
