//! What is the hash of a record that was read from a line? The same that [`super::chain`] makes
//! of a record that is to be written, without making the record.

use super::chain::{ASIDE, LASTING};
use super::tree::{Item, write_field};
use sha2::{Digest, Sha256};

/// Makes hashes of records; keeps its room from record to record.
#[derive(Debug, Default)]
pub struct Sealer {
    content: Vec<u8>,
    lasting: Vec<u8>,
}

/// 64 hexadecimal digits.
pub type Hex = [u8; 64];

impl Sealer {
    /// Tells whether a record of a format has the hash that it says.
    pub fn holds(&mut self, record: Item<'_>, format: u64, hash: &str) -> bool {
        let own = if format < 2 { self.flat(record) } else { self.layered(record) };
        own == hash.as_bytes()
    }

    /// The first format: one hash over everything.
    fn flat(&mut self, record: Item<'_>) -> Hex {
        self.content.clear();
        for field in record.fields().into_iter().flatten() {
            if !matches!(field.0, b"\"id\"" | b"\"hash\"") {
                add(&mut self.content, b'{', field);
            }
        }
        hex(&[object(&mut self.content)])
    }

    /// The second format: a hash over what lasts, and over digests of the rest.
    fn layered(&mut self, record: Item<'_>) -> Hex {
        self.content.clear();
        self.lasting.clear();
        let (mut answers, mut mark) = (None, None);
        for field in record.fields().into_iter().flatten() {
            let key = field.0.strip_prefix(b"\"").and_then(|key| key.strip_suffix(b"\""));
            let is = |name: &str| key == Some(name.as_bytes());
            if LASTING.iter().any(|name| is(name)) {
                // Every name that lasts comes behind the two that begin with `#`.
                add(&mut self.lasting, b',', field);
            } else if !ASIDE.iter().any(|name| is(name)) {
                add(&mut self.content, b'{', field);
            } else if is("answers") {
                answers = Some(field.1);
            } else if is("redacted") {
                mark = Some(field.1);
            }
        }
        let marked = |key| mark.and_then(|mark: Item<'_>| mark.get(key));
        let content = hex(&[object(&mut self.content)]);
        let content = digest(marked("content"), content);
        self.content.clear();
        match answers {
            Some(answers) => answers.write(&mut self.content),
            None => self.content.extend_from_slice(b"null"),
        }
        let answers = digest(marked("answers"), hex(&[&self.content]));
        hex(&[b"{\"#answers\":", &answers, b",\"#content\":", &content, &self.lasting, b"}"])
    }
}

/// Returns a hash over values, by which they are known again; one that is not there is `null`.
pub fn fingerprint<const N: usize>(values: [Option<Item<'_>>; N]) -> Hex {
    let mut out = Vec::new();
    for value in values {
        match value {
            Some(value) => value.write(&mut out),
            None => out.extend_from_slice(b"null"),
        }
        out.push(b'\n');
    }
    hex(&[&out])
}

/// Adds a field; `first` stands before the first one, a comma before every other.
fn add(out: &mut Vec<u8>, first: u8, field: (&[u8], Item<'_>)) {
    out.push(if out.is_empty() { first } else { b',' });
    write_field(field, out);
}

/// Ends an object that [`add`] began.
fn object(out: &mut Vec<u8>) -> &[u8] {
    if out.is_empty() {
        out.push(b'{');
    }
    out.push(b'}');
    out
}

/// Returns a digest as it is hashed: what the mark of an erased record says, or else our own.
fn digest(marked: Option<Item<'_>>, own: Hex) -> Vec<u8> {
    let mut out = Vec::with_capacity(66);
    if let Some(marked) = marked {
        marked.write(&mut out);
        return out;
    }
    out.push(b'"');
    out.extend_from_slice(&own);
    out.push(b'"');
    out
}

fn hex(pieces: &[&[u8]]) -> Hex {
    let mut hash = Sha256::new();
    for piece in pieces {
        hash.update(piece);
    }
    let digit = |half: u8| if half < 10 { b'0' + half } else { b'a' + half - 10 };
    let mut hex = [0; 64];
    for (pair, byte) in hex.chunks_exact_mut(2).zip(hash.finalize()) {
        pair.copy_from_slice(&[digit(byte >> 4), digit(byte & 15)]);
    }
    hex
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::store::chain::record_hash;
    use crate::store::scan::Scanner;
    use serde_json::{Map, Value, json};

    const SAMPLE: &str = include_str!("../../tests/vectors/trace-sample.jsonl");
    const REFERENCE: &str = include_str!("../../tests/vectors/trace-reference.jsonl");

    fn holds(line: &str, format: u64, hash: &str) -> bool {
        let mut scanner = Scanner::default();
        let (tree, _) = scanner.scan(line.as_bytes()).unwrap();
        Sealer::default().holds(tree.root(), format, hash)
    }

    #[test]
    fn the_records_of_the_samples_have_the_hashes_that_they_say() {
        for line in SAMPLE.lines().chain(REFERENCE.lines()) {
            let record: Value = serde_json::from_str(line).unwrap();
            assert!(holds(line, 2, record["hash"].as_str().unwrap()), "{line}");
            assert!(!holds(&line.replace("\"ask\"", "\"ska\""), 2, record["id"].as_str().unwrap()));
        }
    }

    #[test]
    fn a_hash_is_the_one_that_a_writer_makes() {
        let records = [
            json!({}),
            json!({"v": 2, "answers": null, "x": 1, "a": 2, "note": "n", "#": 0}),
            json!({"answers": {"q": ["a"]}, "redacted": {"by": "x"}, "time": 1.5, "meta": {}}),
            json!({"redacted": {"content": "c", "answers": 5}, "hash": "h", "id": "i"}),
        ];
        for record in records {
            let fields: Map<String, Value> = record.as_object().unwrap().clone();
            assert!(holds(&record.to_string(), 2, &record_hash(&fields)), "{record}");
        }
    }

    #[test]
    fn the_first_format_is_hashed_as_a_whole() {
        let hash = crate::store::canonical::digest(&json!({"kind": "ask", "answers": {}}));
        let line = r#"{"kind": "ask", "answers": {}, "id": "i", "hash": "h"}"#;
        assert!(holds(line, 1, &hash));
    }
}
