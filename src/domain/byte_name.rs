//! Names of files that are not UTF-8, as text in which nothing is lost.
//!
//! git and Unix know names as bytes. In a [`Place`](super::Place) each byte that is not part of
//! a character stands as one character of its own, so that globs meet it and two files never become
//! one. Outside it is written as git writes it: between quotes, with octal escapes. A name that is
//! text stays as it is.

use super::sanitize::hidden;
use std::borrow::Cow;
use std::fmt::Write;
use std::path::Path;

/// The character that stands for byte 0; the last ones that there are stand for the last bytes. A
/// name that really holds one of these is taken apart into bytes too.
const FIRST: u32 = 0x10_ff00;

/// Returns the byte that a character stands for.
#[must_use]
pub fn byte_of(char: char) -> Option<u8> {
    u32::from(char).checked_sub(FIRST).and_then(|byte| u8::try_from(byte).ok())
}

fn char_of(byte: u8) -> char {
    char::from_u32(FIRST + u32::from(byte)).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// Returns a name as text.
#[must_use]
pub fn text(name: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(name) {
        // The first byte of all characters that stand for bytes.
        Ok(text) if !name.contains(&0xf4) => return Cow::Borrowed(text),
        _ => {}
    }
    let mut text = String::with_capacity(name.len() + 8);
    for chunk in name.utf8_chunks() {
        for char in chunk.valid().chars() {
            match byte_of(char) {
                Some(_) => text.extend(char.encode_utf8(&mut [0; 4]).bytes().map(char_of)),
                None => text.push(char),
            }
        }
        text.extend(chunk.invalid().iter().copied().map(char_of));
    }
    Cow::Owned(text)
}

/// Returns a path of this system as text.
#[must_use]
pub fn of_path(path: &Path) -> Cow<'_, str> {
    text(path.as_os_str().as_encoded_bytes())
}

/// Returns the bytes that a text stands for.
#[must_use]
pub fn bytes(text: &str) -> Cow<'_, [u8]> {
    if !text.contains(|char| byte_of(char).is_some()) {
        return Cow::Borrowed(text.as_bytes());
    }
    let mut bytes = Vec::with_capacity(text.len());
    for char in text.chars() {
        match byte_of(char) {
            Some(byte) => bytes.push(byte),
            None => bytes.extend(char.encode_utf8(&mut [0; 4]).bytes()),
        }
    }
    Cow::Owned(bytes)
}

/// Returns a name as git shows it to a person: as it is, or between quotes where a byte or a
/// character of it cannot be shown, or where it could be taken for a quoted one.
#[must_use]
pub fn shown(text: &str) -> Cow<'_, str> {
    let plain = |char| !(hidden(char) || matches!(char, '"' | '\\'));
    if text.chars().all(plain) { Cow::Borrowed(text) } else { Cow::Owned(quoted(text)) }
}

/// Returns a name as JSON and records hold it: as it is where it is text.
#[must_use]
pub fn spelled(text: &str) -> Cow<'_, str> {
    if text.starts_with('"') || text.contains(|char| byte_of(char).is_some()) {
        Cow::Owned(quoted(text))
    } else {
        Cow::Borrowed(text)
    }
}

/// Returns the name that [`spelled`] wrote.
#[must_use]
pub fn read(spelled: &str) -> Cow<'_, str> {
    unquoted(spelled).map_or(Cow::Borrowed(spelled), |name| Cow::Owned(text(&name).into_owned()))
}

fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    out.push('"');
    for char in text.chars() {
        let short = match char {
            '\u{7}' => 'a',
            '\u{8}' => 'b',
            '\t' => 't',
            '\n' => 'n',
            '\u{b}' => 'v',
            '\u{c}' => 'f',
            '\r' => 'r',
            '"' | '\\' => char,
            char if hidden(char) => {
                for byte in bytes(char.encode_utf8(&mut [0; 4])).iter() {
                    let _ = write!(out, "\\{byte:03o}");
                }
                continue;
            }
            char => {
                out.push(char);
                continue;
            }
        };
        out.extend(['\\', short]);
    }
    out.push('"');
    out
}

fn unquoted(text: &str) -> Option<Vec<u8>> {
    let inner = text.strip_prefix('"')?.strip_suffix('"')?;
    let mut bytes = inner.bytes();
    let mut name = Vec::with_capacity(inner.len());
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            name.push(byte);
            continue;
        }
        name.push(match bytes.next()? {
            b'a' => 7,
            b'b' => 8,
            b't' => b'\t',
            b'n' => b'\n',
            b'v' => 11,
            b'f' => 12,
            b'r' => b'\r',
            byte @ (b'"' | b'\\') => byte,
            first => {
                let mut value = 0_u32;
                for digit in [first, bytes.next()?, bytes.next()?] {
                    value = value * 8 + char::from(digit).to_digit(8)?;
                }
                u8::try_from(value).ok()?
            }
        });
    }
    Some(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    #[test]
    fn a_name_is_written_as_git_writes_it() {
        for (name, wanted) in [
            (&b"caf\xe9.txt"[..], "\"caf\\351.txt\""),
            (b"a\tb\"c\\d\n", "\"a\\tb\\\"c\\\\d\\n\""),
            ("naïve 名".as_bytes(), "naïve 名"),
            ("x\u{202e}y\u{1b}".as_bytes(), "\"x\\342\\200\\256y\\033\""),
            (b"plain name.txt", "plain name.txt"),
            (b"\xc3\xa9\xc3", "\"é\\303\""),
        ] {
            assert_eq!(shown(&text(name)), wanted);
        }
        assert_eq!(spelled("a\\b"), "a\\b");
        assert_eq!(spelled("\"a\""), "\"\\\"a\\\"\"");
    }

    #[test]
    fn names_that_look_alike_stay_apart() {
        let names: [&[u8]; 9] = [
            b"a\xe9",
            b"a\\351",
            "a\u{10ffe9}".as_bytes(),
            "a\u{fffd}".as_bytes(),
            b"\"a\\351\"",
            b"a\xff",
            b"a\xfe",
            "a\u{10fffe}".as_bytes(),
            "aé".as_bytes(),
        ];
        for write in [shown, spelled] {
            let all: HashSet<String> =
                names.iter().map(|name| write(&text(name)).into_owned()).collect();
            assert_eq!(all.len(), names.len(), "{all:?}");
        }
    }

    proptest! {
        #[test]
        fn nothing_of_a_name_is_lost(
            name in prop::collection::vec(any::<u8>(), 0..12),
            odd in "[\u{10ff00}-\u{10ffff}a\"\\\\é\t]{0,6}",
        ) {
            let name = [&name[..], odd.as_bytes(), &name].concat();
            let inside = text(&name);
            prop_assert!(*bytes(&inside) == name);
            prop_assert!(read(&spelled(&inside)) == inside);
            prop_assert!(!shown(&inside).contains(hidden));
            prop_assert!(!spelled(&inside).chars().any(|char| byte_of(char).is_some()));
        }
    }
}
