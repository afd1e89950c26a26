//! Are these bytes text, and which?
//!
//! git calls a file with one NUL byte binary and shows none of it, so a NUL would hide whatever
//! follows. Here such a file is text as long as most of it can be read; only what is truly no
//! text is [`Content::Binary`], and that is listed as not checked.

use crate::domain::Content;
use std::borrow::Cow;

/// Of this many bytes, one may be unreadable in a file with a NUL byte before it is no text.
const READABLE: usize = 8;

/// Decodes the content of a file: UTF-8, with `U+FFFD` for what is not; UTF-16 and UTF-32 by
/// their mark. The mark itself is no part of the text. A mark before what reads as UTF-8 is not
/// believed, or two bytes would turn a script into Chinese.
pub(super) fn content(bytes: Vec<u8>) -> Content {
    let text = match mark(&bytes) {
        Some((_, rest)) if is_readable(rest) => Some(lossily(rest).into_owned()),
        Some((Encoding::Utf8, rest)) => is_text(rest).then(|| lossily(rest).into_owned()),
        Some((Encoding::Utf16(read), rest)) => Some(utf16(rest, read)),
        Some((Encoding::Utf32(read), rest)) => utf32(rest, read),
        None if is_text(&bytes) => Some(match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => lossily(error.as_bytes()).into_owned(),
        }),
        None => None,
    };
    text.map_or(Content::Binary, Content::Text)
}

/// An encoding that a mark can name, with how its units are read.
enum Encoding {
    Utf8,
    Utf16(fn([u8; 2]) -> u16),
    Utf32(fn([u8; 4]) -> u32),
}

/// Returns the encoding that the first bytes name, and what follows them.
fn mark(bytes: &[u8]) -> Option<(Encoding, &[u8])> {
    Some(match bytes {
        [0xef, 0xbb, 0xbf, rest @ ..] => (Encoding::Utf8, rest),
        // The mark of UTF-32 begins like the one of UTF-16.
        [0xff, 0xfe, 0, 0, rest @ ..] => (Encoding::Utf32(u32::from_le_bytes), rest),
        [0, 0, 0xfe, 0xff, rest @ ..] => (Encoding::Utf32(u32::from_be_bytes), rest),
        [0xff, 0xfe, rest @ ..] => (Encoding::Utf16(u16::from_le_bytes), rest),
        [0xfe, 0xff, rest @ ..] => (Encoding::Utf16(u16::from_be_bytes), rest),
        _ => return None,
    })
}

fn lossily(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
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

/// Tells whether bytes in no marked encoding are text: they hold no NUL, or hardly anything
/// that cannot be read.
pub(super) fn is_text(bytes: &[u8]) -> bool {
    !bytes.contains(&0) || is_readable(bytes)
}

fn is_readable(bytes: &[u8]) -> bool {
    let controls = bytes.iter().filter(|byte| is_control(**byte)).count();
    let invalid: usize = bytes.utf8_chunks().map(|chunk| chunk.invalid().len()).sum();
    (controls + invalid).saturating_mul(READABLE) <= bytes.len()
}

/// A control character that no editor writes.
fn is_control(byte: u8) -> bool {
    byte.is_ascii_control() && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0c | 0x1b)
}

/// Tells whether a text is the pointer that Git LFS stores in place of a file.
pub(super) fn is_lfs_pointer(text: &str) -> bool {
    text.len() < 1024
        && ["version https://git-lfs.github.com/spec/", "version https://hawser.github.com/spec/"]
            .iter()
            .any(|start| text.starts_with(start))
        && text.lines().any(|line| line.starts_with("oid sha256:"))
        && text.lines().any(|line| line.starts_with("size "))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    fn text(bytes: &[u8]) -> Option<String> {
        content(bytes.to_vec()).text().map(str::to_owned)
    }

    #[test]
    fn an_invalid_byte_hides_nothing() {
        assert_eq!(text(b"caf\xe9\nnext\n").unwrap(), "caf\u{fffd}\nnext\n");
    }

    #[test]
    fn a_nul_byte_hides_nothing() {
        assert_eq!(text(b"#!/bin/sh\n# \0\nrun\n").unwrap(), "#!/bin/sh\n# \0\nrun\n");
    }

    #[test]
    fn what_is_mostly_unreadable_is_no_text() {
        assert_eq!(content(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0".to_vec()), Content::Binary);
        assert_eq!(content("F\0O\0R\0".into()), Content::Binary);
    }

    #[test]
    fn a_mark_chooses_the_encoding_and_is_no_part_of_the_text() {
        let utf16: Vec<u16> = "é\r\n".encode_utf16().collect();
        let little: Vec<u8> = utf16.iter().flat_map(|unit| unit.to_le_bytes()).collect();
        let big: Vec<u8> = utf16.iter().flat_map(|unit| unit.to_be_bytes()).collect();
        assert_eq!(text(&[b"\xff\xfe", little.as_slice()].concat()).unwrap(), "é\r\n");
        assert_eq!(text(&[b"\xfe\xff", big.as_slice()].concat()).unwrap(), "é\r\n");
        assert_eq!(text(b"\xff\xfe\0\0a\0\0\0").unwrap(), "a");
        assert_eq!(text(b"\xef\xbb\xbfa").unwrap(), "a");
        assert_eq!(text(b"\xff\xfea\0b").unwrap(), "a\u{fffd}");
    }

    #[test]
    fn a_mark_before_plain_text_is_not_believed() {
        assert!(text(b"\xff\xferun this\n").unwrap().ends_with("run this\n"));
        assert!(text(b"\xff\xfe\0\0run this\n").unwrap().ends_with("run this\n"));
    }

    #[test]
    fn a_pointer_of_lfs_is_known_by_its_lines() {
        let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n";
        assert!(is_lfs_pointer(pointer));
        assert!(!is_lfs_pointer("version https://git-lfs.github.com/spec/v1\n"));
        assert!(!is_lfs_pointer(&format!("{pointer}{}", "x".repeat(2000))));
    }
}
