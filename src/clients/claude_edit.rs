//! What does Claude Code write for an edit: which text, in which encoding?
//!
//! The client does not simply replace the first occurrence. It folds line ends, forgives curly
//! quotes and `\uXXXX` escapes, wants the place to be unique, restyles the new string and takes
//! a newline along with a deletion. [`after`] gives the text byte for byte, or the reason why
//! the client turns the edit down and writes nothing. `tests/vectors/claude-edit-cases.json`
//! holds what version 2.1.197 was seen to do.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

/// One replacement of an edit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replacement {
    /// The text to be replaced; empty to fill a new or blank file.
    pub old: String,
    /// The text in its place.
    pub new: String,
    /// Whether every occurrence is meant (`replace_all`).
    pub everywhere: bool,
}

/// How the client stores the text of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8; also for files that are no valid UTF-8, which every edit damages.
    #[default]
    Utf8,
    /// UTF-16, low byte first, for files that start with its mark.
    Utf16Le,
}

impl Encoding {
    /// Returns the encoding in which the client takes these bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        if bytes.starts_with(&[0xff, 0xfe]) { Self::Utf16Le } else { Self::Utf8 }
    }

    /// Reads bytes as the client does: what cannot be decoded becomes U+FFFD, a mark stays.
    #[must_use]
    pub fn decode(self, bytes: &[u8]) -> Cow<'_, str> {
        match self {
            Self::Utf8 => String::from_utf8_lossy(bytes),
            Self::Utf16Le => {
                let units = bytes.as_chunks::<2>().0.iter().map(|pair| u16::from_le_bytes(*pair));
                let chars = char::decode_utf16(units);
                Cow::Owned(chars.map(|char| char.unwrap_or(char::REPLACEMENT_CHARACTER)).collect())
            }
        }
    }

    /// Returns the bytes that the client writes for a text.
    #[must_use]
    pub fn encode(self, text: &str) -> Vec<u8> {
        match self {
            Self::Utf8 => text.as_bytes().to_vec(),
            Self::Utf16Le => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        }
    }
}

/// An edit that the client turns down: nothing is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Which replacement is the cause, counted from 1.
    pub edit: usize,
    /// The cause.
    pub cause: Cause,
}

/// Why the client turns an edit down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Cause {
    /// Nothing would change.
    #[error("`old_string` and `new_string` are the same")]
    Same,
    /// There is a text to be replaced, but no file.
    #[error("there is no such file")]
    NoFile,
    /// An empty `old_string` creates a file; here is one with text in it.
    #[error("`old_string` is empty, but the file is not")]
    NotBlank,
    /// Notebooks have a tool of their own.
    #[error("the file is a notebook, which only `NotebookEdit` edits")]
    Notebook,
    /// The text to be replaced does not occur.
    #[error("the file does not contain `old_string`")]
    NotFound,
    /// The text to be replaced occurs so often, and `replace_all` is not set.
    #[error("the file contains `old_string` {0} times, and `replace_all` is not set")]
    NotUnique(usize),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.edit {
            1 => write!(f, "the client refuses this edit: {}", self.cause),
            edit => write!(f, "the client refuses this edit: in its part {edit}, {}", self.cause),
        }
    }
}

/// Returns the text that the client writes when it makes these replacements, one after another,
/// in a file with the text `before` (as [`Encoding::decode`] gives it; `None`: no such file).
///
/// ```
/// use solvi_hook::clients::claude_edit::{Replacement, after};
///
/// let edit = Replacement { old: "two".to_owned(), ..Replacement::default() };
/// assert_eq!(after(Some("one\r\ntwo\r\nthree\r\n"), &[edit], false).unwrap(), "one\r\nthree\r\n");
/// ```
pub fn after(
    before: Option<&str>,
    edits: &[Replacement],
    notebook: bool,
) -> Result<String, Refusal> {
    let Some((first, rest)) = edits.split_first() else {
        let unchanged = before.map(str::to_owned);
        return unchanged.ok_or(Refusal { edit: 1, cause: Cause::NoFile });
    };
    let crlf = before.is_some_and(mostly_crlf);
    let folded = before.map(fold_line_ends);
    let mut text =
        applied(folded.as_deref(), first, notebook).map_err(|cause| Refusal { edit: 1, cause })?;
    for (edit, replacement) in (2..).zip(rest) {
        text =
            applied(Some(&text), replacement, notebook).map_err(|cause| Refusal { edit, cause })?;
    }
    if crlf {
        return Ok(fold_line_ends(&text).replace('\n', "\r\n"));
    }
    Ok(text)
}

/// The line ends of the first characters (UTF-16 units) decide for the whole file.
const HEAD: usize = 4096;

fn mostly_crlf(text: &str) -> bool {
    let (mut units, mut crlf, mut lf, mut last) = (0, 0_usize, 0_usize, ' ');
    for char in text.chars() {
        units += char.len_utf16();
        if units > HEAD {
            break;
        }
        match (last, char) {
            ('\r', '\n') => crlf += 1,
            (_, '\n') => lf += 1,
            _ => {}
        }
        last = char;
    }
    crlf > lf
}

fn fold_line_ends(text: &str) -> Cow<'_, str> {
    if text.contains("\r\n") { Cow::Owned(text.replace("\r\n", "\n")) } else { Cow::Borrowed(text) }
}

/// Makes one replacement in a text without CRLF.
fn applied(text: Option<&str>, edit: &Replacement, notebook: bool) -> Result<String, Cause> {
    if edit.old == edit.new {
        return Err(Cause::Same);
    }
    let Some(text) = text else {
        return if edit.old.is_empty() { Ok(edit.new.clone()) } else { Err(Cause::NoFile) };
    };
    if edit.old.is_empty() {
        return if is_blank(text) { Ok(edit.new.clone()) } else { Err(Cause::NotBlank) };
    }
    if notebook {
        return Err(Cause::Notebook);
    }
    let (place, way) = find(text, &edit.old).ok_or(Cause::NotFound)?;
    let found = text.get(place).ok_or(Cause::NotFound)?;
    if !edit.everywhere
        && let times @ 2.. = text.matches(found).count()
    {
        return Err(Cause::NotUnique(times));
    }
    let new = restyled(&edit.new, &edit.old, found, way);
    let longer = format!("{found}\n");
    // Where the found text stands alone before a line end, a deletion takes that line end too;
    // then the places where it does not are left as they are.
    let takes_line_end = new.is_empty() && !found.ends_with('\n') && text.contains(&longer);
    let gone = if takes_line_end { longer.as_str() } else { found };
    let after =
        if edit.everywhere { text.replace(gone, &new) } else { text.replacen(gone, &new, 1) };
    if after == text { Err(Cause::Same) } else { Ok(after) }
}

/// Tells whether a text is blank to a JavaScript `trim`, to which a byte order mark is white
/// space and U+0085 is not.
fn is_blank(text: &str) -> bool {
    text.chars().all(|char| char == '\u{feff}' || (char.is_whitespace() && char != '\u{85}'))
}

/// By which reading of `old_string` its place was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// As it is.
    Verbatim,
    /// With curly quotes taken for straight ones, in the file and in `old_string`.
    Quotes,
    /// With the `\uXXXX` escapes of `old_string` decoded.
    Decoded,
    /// With the characters of `old_string` beyond ASCII spelled as `\uXXXX`.
    Spelled,
}

/// Returns the first place that the client takes for `old`.
fn find(text: &str, old: &str) -> Option<(Range<usize>, Way)> {
    let at = |needle: &str| text.find(needle).map(|start| start..start + needle.len());
    if let Some(place) = at(old) {
        return Some((place, Way::Verbatim));
    }
    if let Some(place) = find_with_any_quotes(text, old) {
        return Some((place, Way::Quotes));
    }
    if let Some(place) = decoded(old).and_then(|plain| at(&plain)) {
        return Some((place, Way::Decoded));
    }
    find_spelled(text, old).map(|place| (place, Way::Spelled))
}

fn straight(char: char) -> char {
    match char {
        '\u{2018}' | '\u{2019}' => '\'',
        '\u{201c}' | '\u{201d}' => '"',
        char => char,
    }
}

fn is_curly(char: char) -> bool {
    straight(char) != char
}

fn find_with_any_quotes(text: &str, old: &str) -> Option<Range<usize>> {
    if !text.contains(is_curly) && !old.contains(is_curly) {
        return None; // the verbatim search has seen the same
    }
    let plain_old: String = old.chars().map(straight).collect();
    let plain_text: String = text.chars().map(straight).collect();
    let start = plain_text.find(&plain_old)?;
    let end = start + plain_old.len();
    // Characters are one to one, their lengths are not.
    let (mut at, mut range) = (0, 0..text.len());
    for (index, char) in text.char_indices() {
        if at == start {
            range.start = index;
        }
        if at == end {
            range.end = index;
            break;
        }
        at += straight(char).len_utf8();
    }
    Some(range)
}

/// Returns the four hex digits of the escape with which a text starts.
fn escape_at(text: &str) -> Option<&str> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then_some(digits)
}

/// Returns the text with its `\uXXXX` escapes decoded, if that changes it. A backslash that is
/// itself escaped starts none. A lone surrogate cannot be written down: then there is no text.
fn decoded(text: &str) -> Option<String> {
    if !text.contains("\\u") {
        return None;
    }
    let mut units: Vec<u16> = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(char) = rest.chars().next() {
        let length = if rest.starts_with("\\\\") {
            units.extend([u16::from(b'\\'); 2]);
            2
        } else if let Some(digits) = escape_at(rest) {
            units.push(u16::from_str_radix(digits, 16).ok()?);
            6
        } else {
            units.extend(char.encode_utf16(&mut [0; 2]).iter());
            char.len_utf8()
        };
        rest = rest.get(length..)?;
    }
    String::from_utf16(&units).ok().filter(|plain| plain != text)
}

/// Finds `old` with every unit beyond ASCII spelled as an escape, its digits in either case.
fn find_spelled(text: &str, old: &str) -> Option<Range<usize>> {
    if old.is_ascii() || !text.contains("\\u") {
        return None;
    }
    // Without case everything that may fit is found at once; the digits alone may differ in it.
    let (lower_text, lower_old) =
        (text.to_ascii_lowercase(), spelled_low(old).to_ascii_lowercase());
    let mut from = 0;
    while let Some(at) = lower_text.get(from..)?.find(&lower_old) {
        let start = from + at;
        let place = start..start + lower_old.len();
        if text.get(place.clone()).is_some_and(|found| spells(found, old).is_some()) {
            return Some(place);
        }
        from = start + lower_text.get(start..)?.chars().next()?.len_utf8();
    }
    None
}

fn spelled_low(text: &str) -> String {
    text.encode_utf16().fold(String::with_capacity(text.len()), |out, unit| match ascii(unit) {
        Some(char) => out + char.encode_utf8(&mut [0; 4]),
        None => out + &format!("\\u{unit:04x}"),
    })
}

fn ascii(unit: u16) -> Option<char> {
    u8::try_from(unit).ok().filter(u8::is_ascii).map(char::from)
}

/// Returns the units of `old` beyond ASCII with their digits, when `found` is `old` so spelled.
fn spells<'a>(found: &'a str, old: &str) -> Option<Vec<(u16, &'a str)>> {
    let mut spellings = Vec::new();
    let mut rest = found;
    for unit in old.encode_utf16() {
        if let Some(char) = ascii(unit) {
            rest = rest.strip_prefix(char)?;
        } else {
            let digits = escape_at(rest)?;
            if u16::from_str_radix(digits, 16) != Ok(unit) {
                return None;
            }
            spellings.push((unit, digits));
            rest = rest.get(6..)?;
        }
    }
    rest.is_empty().then_some(spellings)
}

/// Returns the new string in the style of the text that was found.
fn restyled<'a>(new: &'a str, old: &str, found: &str, way: Way) -> Cow<'a, str> {
    match way {
        Way::Verbatim => Cow::Borrowed(new),
        Way::Quotes => Cow::Owned(curled(new, found)),
        Way::Decoded => {
            let new = curled(new, found);
            Cow::Owned(decoded(&new).unwrap_or(new))
        }
        Way::Spelled => Cow::Owned(spelled_like(new, old, found)),
    }
}

/// Curls the straight quotes of each kind that `found` has curly. An apostrophe closes like any
/// quote that does not follow a start, a blank, an opening bracket or a dash.
fn curled(new: &str, found: &str) -> String {
    let double = found.contains(['\u{201c}', '\u{201d}']);
    let single = found.contains(['\u{2018}', '\u{2019}']);
    let mut opens = true;
    new.chars()
        .map(|char| {
            let curly = match char {
                '"' if double && opens => '\u{201c}',
                '"' if double => '\u{201d}',
                '\'' if single && opens => '\u{2018}',
                '\'' if single => '\u{2019}',
                other => other,
            };
            opens = " \t\n\r([{\u{2014}\u{2013}".contains(char);
            curly
        })
        .collect()
}

/// Spells the new string's units beyond ASCII as escapes: known ones as `found` has them, others
/// in the case that most of its letter digits have.
fn spelled_like(new: &str, old: &str, found: &str) -> String {
    let spellings = spells(found, old).unwrap_or_default();
    let digits = || spellings.iter().flat_map(|(_, digits)| digits.bytes());
    let upper = digits().filter(u8::is_ascii_uppercase).count()
        > digits().filter(u8::is_ascii_lowercase).count();
    let known: BTreeMap<u16, &str> = spellings.iter().copied().collect();
    new.encode_utf16().fold(String::with_capacity(new.len()), |out, unit| {
        match (ascii(unit), known.get(&unit)) {
            (Some(char), _) => out + char.encode_utf8(&mut [0; 4]),
            (None, Some(digits)) => out + "\\u" + digits,
            (None, None) if upper => out + &format!("\\u{unit:04X}"),
            (None, None) => out + &format!("\\u{unit:04x}"),
        }
    })
}

#[cfg(test)]
mod tests;
