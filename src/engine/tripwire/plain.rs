//! A line written plainly: as a reader, or a model, takes it.
//!
//! Compatibility forms (full width, mathematical, ligatures) become letters, accents on Latin
//! letters go, and so do characters that nobody sees. Cyrillic and Greek letters stay, since
//! they may be Cyrillic and Greek; [`latin`] says what they look like.

use crate::domain::sanitize::hidden;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::{decompose_canonical, is_combining_mark};

/// Returns the line without disguises.
pub fn written(line: &str) -> String {
    let seen = line.chars().filter(|char| !hidden(*char) || char.is_whitespace());
    seen.nfkc().filter(|char| !is_combining_mark(*char)).map(bare).collect()
}

/// Returns the letter without its accents, if it is a Latin one.
fn bare(char: char) -> char {
    if char.is_ascii() {
        return char;
    }
    let mut base = char;
    decompose_canonical(char, |part| {
        if part.is_ascii_alphabetic() {
            base = part;
        }
    });
    match base {
        '\u{2010}' => '-',
        '’' | 'ʼ' => '\'',
        'ı' => 'i',
        'ɑ' => 'a',
        'ɡ' => 'g',
        'ł' => 'l',
        'ø' => 'o',
        base => base,
    }
}

/// Tells whether a line has a Cyrillic letter.
pub fn has_cyrillic(line: &str) -> bool {
    line.contains(|char| matches!(char, '\u{400}'..='\u{52f}'))
}

/// Returns the text with every letter that passes for a Latin one replaced by that one.
pub fn latin(text: &str) -> String {
    text.chars().map(look_alike).collect()
}

fn look_alike(char: char) -> char {
    match char {
        'а' | 'А' | 'α' | 'Α' => 'a',
        'в' | 'В' | 'β' | 'Β' => 'b',
        'с' | 'С' | 'ϲ' => 'c',
        'ԁ' => 'd',
        'е' | 'Е' | 'ε' | 'Ε' => 'e',
        'н' | 'Н' | 'һ' | 'Һ' | 'Η' => 'h',
        'і' | 'І' | 'ι' | 'Ι' => 'i',
        'ј' | 'Ј' => 'j',
        'к' | 'К' | 'κ' | 'Κ' => 'k',
        'ӏ' | 'Ӏ' => 'l',
        'м' | 'М' | 'Μ' => 'm',
        'п' | 'η' | 'Ν' => 'n',
        'о' | 'О' | 'ο' | 'Ο' | 'σ' => 'o',
        'р' | 'Р' | 'ρ' | 'Ρ' => 'p',
        'ԛ' => 'q',
        'г' => 'r',
        'ѕ' | 'Ѕ' => 's',
        'т' | 'Т' | 'τ' | 'Τ' => 't',
        'υ' => 'u',
        'ѵ' | 'ν' => 'v',
        'ԝ' | 'ω' => 'w',
        'х' | 'Х' | 'χ' | 'Χ' => 'x',
        'у' | 'У' | 'γ' | 'Υ' => 'y',
        'ᴢ' | 'Ζ' => 'z',
        char => char,
    }
}
