//! How Python spells things, where a record must hold the very words of the reference program:
//! floats, quoted text, and which characters belong to a word.
//!
//! Held against Python 3.11 for every assigned character and a million random floats.

use std::fmt::Write as _;
use unicode_normalization::char::is_combining_mark;

/// Returns a float as Python writes it: the fewest digits that read back as the same number,
/// with an exponent below `0.0001` and from `1e+16`.
#[must_use]
pub fn float(value: f64) -> String {
    let scientific = fewest_digits(value);
    let Some((mantissa, exponent)) = scientific.split_once('e') else {
        return scientific;
    };
    let exponent: i32 = exponent.parse().expect("a float's exponent is a small integer");
    if !(-4..16).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{mantissa}e{sign}{:02}", exponent.unsigned_abs());
    }
    let (sign, digits) = match mantissa.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", mantissa),
    };
    let mut digits = digits.replace('.', "");
    for _ in exponent..0 {
        digits.insert(0, '0');
    }
    let before_point = usize::try_from(exponent).unwrap_or(0) + 1;
    while digits.len() <= before_point {
        digits.push('0');
    }
    digits.insert(before_point, '.');
    digits.insert_str(0, sign);
    digits
}

/// Returns the fewest digits that read back as the same number, with an exponent. Of two that
/// are equally near Python takes the even one, and Rust may take the other.
fn fewest_digits(value: f64) -> String {
    let shortest = format!("{value:e}");
    let decimals = shortest
        .split_once('e')
        .and_then(|(mantissa, _)| mantissa.split_once('.'))
        .map_or(0, |(_, decimals)| decimals.len());
    let even = format!("{value:.decimals$e}");
    if even.parse() == Ok(value) { even } else { shortest }
}

/// Returns text as Python quotes it.
#[must_use]
pub fn quoted(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut out = String::from(quote);
    for char in text.chars() {
        match char {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            char if char == quote || char == '\\' => out.extend(['\\', char]),
            char if is_printable(char) => out.push(char),
            char => {
                let _ = match u32::from(char) {
                    code @ ..=0xff => write!(out, "\\x{code:02x}"),
                    code @ ..=0xffff => write!(out, "\\u{code:04x}"),
                    code => write!(out, "\\U{code:08x}"),
                };
            }
        }
    }
    out.push(quote);
    out
}

/// Tells whether Python's `\w` matches a character: letters and numbers, but neither marks nor
/// the letters in circles and squares, which Unicode calls alphabetic.
#[must_use]
pub fn is_word(char: char) -> bool {
    let enclosed = matches!(char,
        '\u{24b6}'..='\u{24e9}' | '\u{1f130}'..='\u{1f149}' | '\u{1f150}'..='\u{1f169}'
        | '\u{1f170}'..='\u{1f189}');
    char == '_' || char.is_alphanumeric() && !is_combining_mark(char) && !enclosed
}

/// Tells whether Python shows a character in quotes as it is.
fn is_printable(char: char) -> bool {
    // After the first character of a string Rust escapes what Python escapes, and quotes.
    matches!(char, '\'' | '"') || format!("a{char}").escape_debug().nth(1) == Some(char)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use proptest::prelude::*;

    #[test]
    fn floats_are_spelled_as_python_spells_them() {
        let table = [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1.0, "1.0"),
            (0.1 + 0.2, "0.30000000000000004"),
            (0.0001, "0.0001"),
            (0.000_099_9, "9.99e-05"),
            (1e-5, "1e-05"),
            (1.5e-7, "1.5e-07"),
            (123_456_789.123, "123456789.123"),
            (9_999_999_999_999_998.0, "9999999999999998.0"),
            (1e16, "1e+16"),
            (-1.25e17, "-1.25e+17"),
            (5e-324, "5e-324"),
            (f64::MAX, "1.7976931348623157e+308"),
            (1_700_000_000.25, "1700000000.25"),
            (4_237_753_143_705_017.0 / 4.0, "1059438285926254.2"),
            (-421_823_707_942_549.0 / 16.0, "-26363981746409.312"),
        ];
        for (value, spelled) in table {
            assert_eq!(float(value), spelled);
        }
    }

    #[test]
    fn text_is_quoted_as_python_quotes_it() {
        let table = [
            ("lib/ü.py", "'lib/ü.py'"),
            ("it's.py", "\"it's.py\""),
            ("'\"", r#"'\'"'"#),
            ("a\\b\n\u{85}", r"'a\\b\n\x85'"),
            ("\u{a0}\u{202e}\u{e0001}", r"'\xa0\u202e\U000e0001'"),
            ("e\u{301}", "'e\u{301}'"),
        ];
        for (text, spelled) in table {
            assert_eq!(quoted(text), spelled);
        }
    }

    #[test]
    fn marks_and_enclosed_letters_belong_to_no_word() {
        assert!("_aé9٣ªⅧ½名".chars().all(is_word));
        assert!(!"-. \u{301}\u{93f}ⓐⒶ🅰".chars().any(is_word));
    }

    proptest! {
        #[test]
        fn a_float_reads_back_as_itself(bits: u64) {
            let value = f64::from_bits(bits);
            prop_assume!(value.is_finite());
            let spelled = float(value);
            prop_assert_eq!(spelled.parse::<f64>().unwrap().to_bits(), bits);
            let (digits, exponent) = match spelled.split_once('e') {
                Some((digits, exponent)) => (digits, Some(exponent)),
                None => (spelled.as_str(), None),
            };
            match exponent {
                None => prop_assert!(digits.contains('.')),
                Some(exponent) => {
                    prop_assert!(exponent.starts_with(['+', '-']) && exponent.len() >= 3);
                    prop_assert!(!digits.ends_with(".0"));
                    let exponent: i32 = exponent.parse().unwrap();
                    prop_assert!(!(-4..16).contains(&exponent));
                }
            }
        }
    }
}
