//! How a JSON value is spelled where its spelling counts, and the two hashes of a trace.
//!
//! A record's hash is taken over parsed values spelled again, not over the bytes of its line.
//! So every program that checks a chain must spell alike: keys in code point order, no
//! character escaped that need not be, and floats as Python writes them (`1.0`, `1e-05`,
//! `1e+16`, where Rust would say `1`, `1e-5`, `1e16`).

use super::spelling::float;
use serde::ser::{Serialize, Serializer};
use serde_json::Value;
use serde_json::ser::Formatter;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::io;

/// Returns the canonical spelling: what record hashes are taken over.
#[must_use]
pub fn canonical(value: &Value) -> String {
    text(&Sorted(value), Spelling { spaced: false, rounded: false })
}

/// Returns the spelling of a line in the store: the same, with spaces after `,` and `:`.
#[must_use]
pub fn spaced(value: &Value) -> String {
    text(&Sorted(value), Spelling { spaced: true, rounded: false })
}

/// Returns the digest of a value: SHA-256 over its canonical spelling, 64 hex digits.
#[must_use]
pub fn digest(value: &Value) -> String {
    sha256(&Sorted(value), Spelling { spaced: false, rounded: false })
}

/// Returns the digest of an object that is given by its fields, in any order.
pub fn digest_of<'a>(fields: impl Iterator<Item = (&'a String, &'a Value)>) -> String {
    let fields: BTreeMap<&str, Sorted<'_>> =
        fields.map(|(key, value)| (key.as_str(), Sorted(value))).collect();
    sha256(&fields, Spelling { spaced: false, rounded: false })
}

/// Returns the digest of many values: SHA-256 over their canonical spellings, a line each.
#[must_use]
pub fn digest_of_all(values: impl Iterator<Item = Value>) -> String {
    let mut hash = Sha256::new();
    for value in values {
        hash.update(canonical(&value));
        hash.update(b"\n");
    }
    hex(&hash.finalize())
}

/// Returns the digest of a text's own bytes: SHA-256, 64 hex digits.
#[must_use]
pub fn text_digest(text: &str) -> String {
    bytes_digest(text.as_bytes())
}

/// Returns the digest of bytes: SHA-256, 64 hex digits.
#[must_use]
pub fn bytes_digest(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Returns the hash by which steps of a trace name a value: 16 hex digits over the spaced
/// spelling, with floats rounded to 9 decimals.
#[must_use]
pub fn value_hash(value: &Value) -> String {
    let mut hash = sha256(&Sorted(value), Spelling { spaced: true, rounded: true });
    hash.truncate(16);
    hash
}

/// A value whose objects are written in key order, even where some other crate of the build
/// has switched on `serde_json/preserve_order`.
struct Sorted<'a>(&'a Value);

impl Serialize for Sorted<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Array(items) => serializer.collect_seq(items.iter().map(Sorted)),
            Value::Object(fields) if fields.keys().is_sorted() => {
                serializer.collect_map(fields.iter().map(|(key, value)| (key, Sorted(value))))
            }
            Value::Object(fields) => {
                let fields: BTreeMap<&str, Sorted<'_>> =
                    fields.iter().map(|(key, value)| (key.as_str(), Sorted(value))).collect();
                serializer.collect_map(fields)
            }
            scalar => scalar.serialize(serializer),
        }
    }
}

/// How values are laid out.
#[derive(Clone, Copy)]
struct Spelling {
    spaced: bool,
    rounded: bool,
}

impl Formatter for Spelling {
    fn write_f64<W: io::Write + ?Sized>(&mut self, out: &mut W, value: f64) -> io::Result<()> {
        let value = if self.rounded { rounded(value) } else { value };
        out.write_all(float(value).as_bytes())
    }

    fn begin_array_value<W: io::Write + ?Sized>(
        &mut self,
        out: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.comma(out, first)
    }

    fn begin_object_key<W: io::Write + ?Sized>(
        &mut self,
        out: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.comma(out, first)
    }

    fn begin_object_value<W: io::Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(if self.spaced { b": " } else { b":" })
    }
}

impl Spelling {
    fn comma<W: io::Write + ?Sized>(self, out: &mut W, first: bool) -> io::Result<()> {
        match (first, self.spaced) {
            (true, _) => Ok(()),
            (false, true) => out.write_all(b", "),
            (false, false) => out.write_all(b","),
        }
    }
}

/// Rounds to 9 decimals, halves of the exact binary value to even, as Python's `round` does.
fn rounded(value: f64) -> f64 {
    format!("{value:.9}").parse().unwrap_or(value)
}

fn text(value: &impl Serialize, spelling: Spelling) -> String {
    let mut out = Vec::new();
    write(value, spelling, &mut out);
    String::from_utf8(out).expect("JSON of strings is UTF-8")
}

fn sha256(value: &impl Serialize, spelling: Spelling) -> String {
    let mut hash = Sha256::new();
    // JSON is written in many small pieces, and a hash takes large ones faster.
    write(value, spelling, io::BufWriter::with_capacity(4096, Sink(&mut hash)));
    hex(&hash.finalize())
}

/// Spells bytes in hexadecimal digits, two a byte.
fn hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 0xf]);
    digits.filter_map(|digit| char::from_digit(digit.into(), 16)).collect()
}

fn write(value: &impl Serialize, spelling: Spelling, mut out: impl io::Write) {
    let mut serializer = serde_json::Serializer::with_formatter(&mut out, spelling);
    value
        .serialize(&mut serializer)
        .map_err(io::Error::from)
        .and_then(|()| out.flush())
        .expect("neither memory nor a hash refuses bytes");
}

/// A hash that is written to, so that the text of a large value never exists as a whole.
struct Sink<'a>(&'a mut Sha256);

impl io::Write for Sink<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_what_must_be_escaped_is() {
        let text = "\"\\/\u{8}\t\n\u{c}\r\u{1f}\u{7f}é\u{2028}😀";
        let spelled = "\"\\\"\\\\/\\b\\t\\n\\f\\r\\u001f\u{7f}é\u{2028}😀\"";
        assert_eq!(canonical(&json!(text)), spelled);
    }

    #[test]
    fn keys_stand_in_code_point_order() {
        let value =
            json!({"b": 1, "a": {"é": null, "z": [true, 2.0]}, "#c": -3, "😀": 0, "\u{ffff}": 0});
        let canonical = canonical(&value);
        assert_eq!(
            canonical,
            "{\"#c\":-3,\"a\":{\"z\":[true,2.0],\"é\":null},\"b\":1,\"\u{ffff}\":0,\"😀\":0}"
        );
        assert_eq!(spaced(&json!({"b": [1, {}], "a": []})), r#"{"a": [], "b": [1, {}]}"#);
    }

    #[test]
    fn the_hash_of_a_value_rounds_its_floats() {
        assert_eq!(value_hash(&json!([])), "4f53cda18c2baa0c");
        assert_eq!(value_hash(&json!(null)), "74234e98afe7498f");
        assert_eq!(value_hash(&json!([0.1 + 0.2])), value_hash(&json!([0.3])));
        assert_ne!(value_hash(&json!(1)), value_hash(&json!(1.0)));
        assert_eq!(value_hash(&json!(0.000_976_562_5)), value_hash(&json!(0.000_976_562)));
    }

    #[test]
    fn the_digest_of_nothing_is_known() {
        let null = "74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b";
        let empty = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";
        assert_eq!(digest(&Value::Null), null);
        assert_eq!(digest(&json!({})), empty);
        assert_eq!(digest_of(std::iter::empty()), empty);
    }
}
