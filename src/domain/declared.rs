//! The encoding that a text declares in its first two lines, as Python and some editors read it.

use encoding_rs::{Encoding, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE};

/// An encoding that a text declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Declared<'a> {
    /// One that can be decoded and is not UTF-8.
    Known(&'static Encoding),
    /// One that cannot; its name.
    Unknown(&'a str),
}

/// Returns the encoding that a text declares; nothing when that is UTF-8 or ASCII.
///
/// ```
/// use solvi_hook::domain::declared::{Declared, of};
///
/// assert_eq!(of("#!/usr/bin/python\n# -*- coding: utf-7 -*-\n"), Some(Declared::Unknown("utf-7")));
/// assert_eq!(of("# coding: utf-8\n"), None);
/// ```
#[must_use]
pub fn of(text: &str) -> Option<Declared<'_>> {
    let blank = [' ', '\t', '\x0c', '\0', super::text::MARK];
    let text = text.trim_start_matches(blank);
    // Most files begin with code.
    if !text.starts_with(['#', '\n', '\r']) {
        return None;
    }
    let first = text.split(['\n', '\r']).next().unwrap_or_default();
    let rest = text.get(first.len()..).unwrap_or_default();
    let rest = rest.strip_prefix("\r\n").or(rest.get(1..)).unwrap_or_default();
    let second = || {
        let line = rest.split(['\n', '\r']).next().unwrap_or_default();
        named(line.trim_start_matches(blank))
    };
    let name = named(first).or_else(second)?;
    let spelled = name.to_ascii_lowercase().replace('_', "-");
    if spelled.starts_with("utf-8")
        || matches!(spelled.as_str(), "utf8" | "u8" | "ascii" | "us-ascii")
    {
        return None;
    }
    let label = label(&spelled);
    match Encoding::for_label(label.as_bytes()) {
        Some(found) if found == UTF_8 => None,
        Some(found) if ![REPLACEMENT, UTF_16BE, UTF_16LE].contains(&found) => {
            Some(Declared::Known(found))
        }
        _ => Some(Declared::Unknown(name)),
    }
}

/// Decodes bytes in the encoding that their text declares, where that is possible and can make a
/// difference.
#[must_use]
pub fn decode(bytes: &[u8], text: &str) -> Option<String> {
    let Declared::Known(encoding) = of(text)? else { return None };
    // An escape begins other letters in the encodings that need no bytes beyond ASCII.
    let differs = !bytes.is_ascii() || bytes.contains(&0x1b);
    differs.then(|| encoding.decode_without_bom_handling(bytes).0.into_owned())
}

/// Returns the name in a comment `coding: NAME` or `coding=NAME`.
fn named(line: &str) -> Option<&str> {
    let mut comment = line.strip_prefix('#')?;
    while let Some((_, rest)) = comment.split_once("coding") {
        comment = rest;
        let Some(name) = rest.strip_prefix([':', '=']) else { continue };
        let name = name.trim_start_matches([' ', '\t']);
        let word = |char: char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_' | '.');
        let end = name.find(|char| !word(char)).unwrap_or(name.len());
        if let Some(name) = name.get(..end).filter(|name| !name.is_empty()) {
            return Some(name);
        }
    }
    None
}

/// Returns the label that the encoding standard has for one of Python's names.
fn label(spelled: &str) -> String {
    let known = match spelled {
        "latin-1" | "latin1" | "l1" | "iso-latin-1" | "8859" => "iso-8859-1",
        "cp932" | "ms932" | "mskanji" | "ms-kanji" | "sjis" | "s-jis" | "shiftjis"
        | "shift-jis" => "shift_jis",
        "cp936" | "ms936" | "936" => "gbk",
        "cp949" | "ms949" | "uhc" | "euckr" | "949" => "euc-kr",
        "cp950" | "ms950" | "big5-tw" | "950" => "big5",
        "eucjp" | "ujis" | "u-jis" => "euc-jp",
        "iso2022-jp" | "iso2022jp" => "iso-2022-jp",
        "gb2312-1980" | "euccn" | "euc-cn" | "eucgb2312-cn" | "chinese" => "gb2312",
        other => other,
    };
    if known.starts_with("latin-1-") || known.starts_with("iso-8859-1-") {
        return "iso-8859-1".to_owned();
    }
    match (known.strip_prefix("cp125"), known.strip_prefix("iso8859-")) {
        (Some(page), _) => format!("windows-125{page}"),
        (_, Some(part)) => format!("iso-8859-{part}"),
        _ => known.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn an_encoding_is_declared_as_python_reads_it() {
        let known = |text: &str| match of(text) {
            Some(Declared::Known(encoding)) => encoding.name().to_owned(),
            Some(Declared::Unknown(name)) => format!("? {name}"),
            None => String::new(),
        };
        for (text, name) in [
            ("# coding: latin-1", "windows-1252"),
            ("#!/x\n# vim: set fileencoding=cp1251 :", "windows-1251"),
            ("# -*- coding: shift_jis -*-", "Shift_JIS"),
            ("# coding=gbk\n", "GBK"),
            ("\n# coding: koi8-r", "KOI8-R"),
            ("# coding: iso2022_jp", "ISO-2022-JP"),
            ("# coding: iso8859_5", "ISO-8859-5"),
            ("# coding: utf_7", "? utf_7"),
            ("# coding: unicode_escape", "? unicode_escape"),
            ("# coding: hz", "? hz"),
            ("# coding: utf-16", "? utf-16"),
            ("# coding:utf8", ""),
            ("# coding: UTF-8-unix", ""),
            ("# coding utf-7", ""),
            ("x = 1\n# coding: utf-7", ""),
            ("\n\n# coding: utf-7", ""),
            ("coding: utf-7", ""),
        ] {
            assert_eq!(known(text), name, "{text:?}");
        }
    }

    #[test]
    fn only_what_is_otherwise_in_that_encoding_is_decoded() {
        assert_eq!(decode(b"# coding: gbk\nx = 1", "# coding: gbk\nx = 1"), None);
        let bytes = b"# coding: shift_jis\n'\x95\x5c' + f() #'\n";
        let text = String::from_utf8_lossy(bytes);
        assert_eq!(decode(bytes, &text).unwrap(), "# coding: shift_jis\n'表' + f() #'\n");
    }
}
