//! How is JSON written so that nothing hides in it?
//!
//! Every character that [`hidden`] names is written as `\uXXXX`: a program reads exactly the
//! text that there was, and a terminal or a review page that shows the document shows it as it
//! is. Without it a right-to-left mark in somebody's code could rearrange the report about it.

use crate::domain::sanitize::hidden;
use serde::Serialize;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Writes a value over several lines, for people too.
pub fn document(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", shown(&serde_json::to_string_pretty(value)?))
}

/// Writes a value in one line.
pub fn line(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", shown(&serde_json::to_string(value)?))
}

fn shown(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for char in json.chars() {
        // Control characters of ASCII are escaped already, or they lay out the document;
        // whatever else is hidden can only stand in a string.
        if char < ' ' || !hidden(char) {
            text.push(char);
            continue;
        }
        for unit in char.encode_utf16(&mut [0; 2]) {
            let _ = write!(text, "\\u{unit:04x}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn what_hides_is_written_as_an_escape_and_read_back_as_it_was() {
        let nasty = "a\u{1b}[2K\u{7f}\u{85}\u{202e}\u{e0041}名\"\n";
        let mut out = Vec::new();
        line(&nasty, &mut out).unwrap();
        let json = String::from_utf8(out).unwrap();
        assert_eq!(json, "\"a\\u001b[2K\\u007f\\u0085\\u202e\\udb40\\udc41名\\\"\\n\"\n");
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), nasty);
    }
}
