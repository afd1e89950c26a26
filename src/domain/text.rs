//! The one decoder: which text do a file's bytes hold, and how else may a program read them?
//!
//! git calls a file with one NUL byte binary and shows none of it, while a shell passes over that
//! byte and runs the rest. So every file has lines here. Most files have one reading. Where
//! another program may read other lines in the same bytes, these are in [`Decoded::others`], and
//! what is found in any reading counts. Only what is truly no text is [`Content::Binary`], and
//! even then its readable lines are evaluated.

use super::change::Content;
use super::{declared, magic};
use std::borrow::Cow;

/// Of this many bytes, one may be unreadable in a file with a NUL byte before it is no text.
const READABLE: usize = 8;

/// Of this many characters, one may be unreadable in UTF-16.
const READABLE_WIDE: usize = 64;

/// The mark of byte order.
pub const MARK: char = '\u{feff}';

/// What the bytes of a file hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded {
    /// The content, as most programs read it.
    pub content: Content,
    /// What other programs may read in the same bytes.
    pub others: Vec<Decoding>,
}

/// Another text in the same bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoding {
    /// How it is read.
    pub way: Way,
    /// The text.
    pub text: String,
}

/// How bytes are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Byte by byte: as UTF-8, without NUL bytes. Of a binary file, the lines that can be read.
    Bytes,
    /// As UTF-16.
    Utf16,
    /// In the encoding that one of the first two lines declares.
    Declared,
    /// As the code of a notebook's cells.
    Cells,
}

impl Default for Decoded {
    fn default() -> Self {
        Self::text(String::new(), Vec::new())
    }
}

impl Decoded {
    fn text(text: String, others: Vec<Decoding>) -> Self {
        Self { content: Content::Text(text), others }
    }

    /// Returns the main text, as [`Decoded::read_main`] does.
    #[must_use]
    pub fn into_main(self) -> String {
        match self.content {
            Content::Text(text) => text,
            _ => self.read(Way::Bytes).to_owned(),
        }
    }

    /// Returns the main text; of a file that is no text, its lines that can be read.
    #[must_use]
    pub fn read_main(&self) -> &str {
        self.content.text().unwrap_or_else(|| self.read(Way::Bytes))
    }

    /// Returns the text that is read this way; the main one where there is no other.
    #[must_use]
    pub fn read(&self, way: Way) -> &str {
        let other = self.others.iter().find(|other| other.way == way);
        other.map(|other| other.text.as_str()).or_else(|| self.content.text()).unwrap_or_default()
    }
}

/// Decodes the bytes of a file: UTF-8, with `U+FFFD` for what is not; UTF-16 and UTF-32 by their
/// mark, or without one where hardly anything else is possible. The mark is not part of the text.
#[must_use]
pub fn decode(bytes: Vec<u8>) -> Decoded {
    match mark(&bytes) {
        None => unmarked(bytes),
        Some((Mark::Utf8, rest)) => unmarked(rest.to_vec()),
        Some((Mark::Utf16(read), rest)) => marked_wide(&utf16(rest, read), rest),
        Some((Mark::Utf32(read), rest)) => match utf32(rest, read) {
            Some(text) => Decoded::text(text, vec![by_bytes(rest)]),
            None => unmarked(rest.to_vec()),
        },
    }
}

/// Returns the other readings of a text that an agent writes as UTF-8; nearly always none.
#[must_use]
pub fn others(text: &str) -> Vec<Decoding> {
    let mut others: Vec<Decoding> = in_declared(text.as_bytes(), text).into_iter().collect();
    if text.contains('\0') {
        others.push(Decoding { way: Way::Bytes, text: text.replace('\0', "") });
    }
    others
}

/// Tells whether the beginning of a file that is too large to read shows that it is no text.
#[must_use]
pub fn begins_like_binary(bytes: &[u8]) -> bool {
    bytes.contains(&0) && decode(bytes.to_vec()).content == Content::Binary
}

/// Decodes bytes without a mark.
fn unmarked(bytes: Vec<u8>) -> Decoded {
    if !bytes.contains(&0) {
        let text = match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                let text = lossily(error.as_bytes()).into_owned();
                let others = in_declared(error.as_bytes(), &text).into_iter().collect();
                return Decoded::text(text, others);
            }
        };
        let others = in_declared(text.as_bytes(), &text).into_iter().collect();
        return Decoded::text(text, others);
    }
    if magic::is_binary(&bytes) {
        let text = readable_lines(&lossily(&bytes));
        return Decoded {
            content: Content::Binary,
            others: vec![Decoding { way: Way::Bytes, text }],
        };
    }
    if let Some(text) = utf16_by_its_look(&bytes) {
        return Decoded::text(text, vec![by_bytes(&bytes)]);
    }
    let plain = without_nul(&bytes);
    let reading = Decoding { way: Way::Bytes, text: lossily(&plain).into_owned() };
    if is_readable(&plain) {
        let text = lossily(&bytes).into_owned();
        let declared = in_declared(&bytes, &text);
        return Decoded::text(text, declared.into_iter().chain([reading]).collect());
    }
    Decoded { content: Content::Binary, others: vec![reading] }
}

/// Decodes what follows a mark of UTF-16. Two bytes would turn a script into Chinese, so the mark
/// is not believed before what reads as UTF-8, and both readings count.
fn marked_wide(wide: &str, rest: &[u8]) -> Decoded {
    let lines = || Decoding { way: Way::Utf16, text: readable_lines(wide) };
    if !rest.contains(&0) && is_readable(rest) {
        return Decoded::text(lossily(rest).into_owned(), vec![lines()]);
    }
    if is_readable_wide(wide) {
        return Decoded::text(wide.to_owned(), vec![by_bytes(rest)]);
    }
    let mut decoded = unmarked(rest.to_vec());
    decoded.others.push(lines());
    decoded
}

/// Reads byte by byte what is taken for UTF-16 or UTF-32.
fn by_bytes(bytes: &[u8]) -> Decoding {
    Decoding { way: Way::Bytes, text: readable_lines(&lossily(&without_nul(bytes))) }
}

/// Decodes UTF-16 without a mark: when a quarter of its units are ASCII, in one byte order, and
/// nearly all can be read.
fn utf16_by_its_look(bytes: &[u8]) -> Option<String> {
    let (units, rest) = bytes.as_chunks::<2>();
    let readable = |byte: u8| byte != 0 && !is_control(byte) && byte.is_ascii();
    let little = units.iter().filter(|[low, high]| *high == 0 && readable(*low)).count();
    let big = units.iter().filter(|[high, low]| *high == 0 && readable(*low)).count();
    let read = if little >= big { u16::from_le_bytes } else { u16::from_be_bytes };
    if rest.len() > 1 || little.max(big).saturating_mul(4) < units.len() {
        return None;
    }
    Some(utf16(bytes, read)).filter(|text| is_readable_wide(text))
}

/// Returns the text in the encoding that it declares itself, where that makes another one of it.
fn in_declared(bytes: &[u8], text: &str) -> Option<Decoding> {
    let declared = declared::decode(bytes, text).filter(|declared| declared != text)?;
    Some(Decoding { way: Way::Declared, text: declared })
}

/// An encoding that a mark can name, with how its units are read.
enum Mark {
    Utf8,
    Utf16(fn([u8; 2]) -> u16),
    Utf32(fn([u8; 4]) -> u32),
}

/// Returns the encoding that the first bytes name, and what follows them.
fn mark(bytes: &[u8]) -> Option<(Mark, &[u8])> {
    Some(match bytes {
        [0xef, 0xbb, 0xbf, rest @ ..] => (Mark::Utf8, rest),
        // The mark of UTF-32 begins like the one of UTF-16.
        [0xff, 0xfe, 0, 0, rest @ ..] => (Mark::Utf32(u32::from_le_bytes), rest),
        [0, 0, 0xfe, 0xff, rest @ ..] => (Mark::Utf32(u32::from_be_bytes), rest),
        [0xff, 0xfe, rest @ ..] => (Mark::Utf16(u16::from_le_bytes), rest),
        [0xfe, 0xff, rest @ ..] => (Mark::Utf16(u16::from_be_bytes), rest),
        _ => return None,
    })
}

fn lossily(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

fn without_nul(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().copied().filter(|byte| *byte != 0).collect()
}

fn utf16(bytes: &[u8], read: fn([u8; 2]) -> u16) -> String {
    let (units, rest) = bytes.as_chunks::<2>();
    let mut text: String = char::decode_utf16(units.iter().map(|unit| read(*unit)))
        .map(|char| char.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect();
    if !rest.is_empty() {
        text.push(char::REPLACEMENT_CHARACTER);
    }
    text
}

fn utf32(bytes: &[u8], read: fn([u8; 4]) -> u32) -> Option<String> {
    let (units, rest) = bytes.as_chunks::<4>();
    let text = units.iter().map(|unit| char::from_u32(read(*unit))).collect();
    if rest.is_empty() { text } else { None }
}

/// Tells whether hardly anything in bytes cannot be read as UTF-8.
fn is_readable(bytes: &[u8]) -> bool {
    let controls = bytes.iter().filter(|byte| is_control(**byte)).count();
    let invalid: usize = bytes.utf8_chunks().map(|chunk| chunk.invalid().len()).sum();
    (controls + invalid).saturating_mul(READABLE) <= bytes.len()
}

fn is_readable_wide(text: &str) -> bool {
    let odd = text.chars().filter(|char| is_odd(*char)).count();
    // A file may be cut in the middle of its last character.
    odd.saturating_sub(1).saturating_mul(READABLE_WIDE) <= text.chars().count()
}

/// Keeps the lines of which most can be read, and leaves the others empty.
fn readable_lines(text: &str) -> String {
    let mut kept = String::with_capacity(text.len() / 4);
    for line in text.split_inclusive('\n') {
        let (odd, all) = line.chars().fold((0_usize, 0_usize), |(odd, all), char| {
            (odd + usize::from(is_odd(char)), all + 1)
        });
        if odd.saturating_mul(READABLE) <= all {
            kept.push_str(line);
        } else if line.ends_with('\n') {
            kept.push('\n');
        }
    }
    kept
}

/// A control character that no editor writes.
fn is_control(byte: u8) -> bool {
    byte.is_ascii_control() && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0c | 0x1b)
}

/// A character that stands in no text: a control, what could not be decoded, or one that Unicode
/// leaves to private use.
fn is_odd(char: char) -> bool {
    match char {
        '\u{80}'..='\u{84}'
        | '\u{86}'..='\u{9f}'
        | '\u{e000}'..='\u{f8ff}'
        | '\u{fff0}'..='\u{fff8}'
        | '\u{fffd}'..='\u{ffff}' => true,
        char => u8::try_from(char).is_ok_and(is_control),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    fn text(bytes: &[u8]) -> Option<String> {
        decode(bytes.to_vec()).content.text().map(str::to_owned)
    }

    /// Returns every text that is read in bytes.
    fn texts(bytes: &[u8]) -> Vec<String> {
        let Decoded { content, others } = decode(bytes.to_vec());
        let main = content.text().map(str::to_owned);
        main.into_iter().chain(others.into_iter().map(|other| other.text)).collect()
    }

    fn wide(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(bytes).collect()
    }

    #[test]
    fn ordinary_text_has_one_reading() {
        for bytes in [&b"a\nb\n"[..], "é\n".as_bytes(), b"caf\xe9\nnext\n", b"", b"\xef\xbb\xbfa"]
        {
            assert_eq!(decode(bytes.to_vec()).others, [], "{bytes:?}");
        }
        assert_eq!(text(b"caf\xe9\nnext\n").unwrap(), "caf\u{fffd}\nnext\n");
        assert_eq!(text(b"\xef\xbb\xbfa").unwrap(), "a");
    }

    #[test]
    fn a_nul_byte_hides_nothing() {
        for bytes in [
            &b"#!/bin/sh\n# \0\nrun this\n"[..],
            b"run\0 th\0is\n",
            b"\0\0\0run this\n",
            &[b"run this\n".as_slice(), &[0; 500]].concat(),
            &[&[0; 500], b"run this\n".as_slice()].concat(),
            &[b"run this\n".as_slice(), &[0, 1, 2, 3, 200, 201].repeat(80)].concat(),
            b"r\0u\0n\0 \0t\0h\0i\0s\0",
            b"\0r\0u\0n\0 \0t\0h\0i\0s",
            b"r\0\0\0u\0\0\0n\0\0\0 \0\0\0t\0\0\0h\0\0\0i\0\0\0s\0\0\0",
        ] {
            let texts = texts(bytes);
            assert!(texts.iter().any(|text| text.contains("run this")), "{bytes:?} {texts:?}");
        }
    }

    #[test]
    fn a_known_binary_is_no_text_and_keeps_the_lines_that_can_be_read() {
        let elf =
            b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\n\x01KEY\0\x02\0\nrun this\nKEY\0\0\0\0\n";
        assert_eq!(decode(elf.to_vec()).content, Content::Binary);
        assert_eq!(texts(elf), ["\n\nrun this\n\n"]);
    }

    #[test]
    fn a_mark_chooses_the_encoding_and_is_not_part_of_the_text() {
        let little = wide("é\r\n", u16::to_le_bytes);
        let big = wide("é\r\n", u16::to_be_bytes);
        assert_eq!(text(&[b"\xff\xfe", little.as_slice()].concat()).unwrap(), "é\r\n");
        assert_eq!(text(&[b"\xfe\xff", big.as_slice()].concat()).unwrap(), "é\r\n");
        assert_eq!(text(b"\xff\xfe\0\0a\0\0\0").unwrap(), "a");
        assert_eq!(text(b"\xff\xfea\0b").unwrap(), "a\u{fffd}");
    }

    #[test]
    fn where_two_readings_are_possible_both_count() {
        for bytes in [
            &b"\xff\xferun this\n"[..],
            b"\xfe\xffrun this\n",
            b"\xff\xfe\0\0run this\n",
            b"\xff\xfe\nrun this\n#\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\n",
            b"\xff\xfe\nrun this\n#\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\0\0\0\n",
            &[b"\xff\xfe\nrun this\n#".as_slice(), &wide("漢字漢字", u16::to_le_bytes)].concat(),
        ] {
            let texts = texts(bytes);
            assert!(texts.iter().any(|text| text.contains("run this")), "{bytes:?} {texts:?}");
        }
        let words = wide("пароль\nrun\n", u16::to_le_bytes);
        let marked = [b"\xff\xfe", words.as_slice()].concat();
        assert!(texts(&marked).iter().any(|text| text.contains("пароль")));
    }
}
