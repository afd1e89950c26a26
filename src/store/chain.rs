//! How records hang together: what a record's hash is taken over, and how a record takes its
//! place behind another.
//!
//! A hash is taken over the fields that last and over digests of the rest. So a record may be
//! erased later, or be born erased, and the chain still holds.

use super::canonical::{digest, digest_of, spaced};
use super::stored::Stored;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::fmt;
use std::str::FromStr;

/// The record format; the reference program's second.
pub const FORMAT: u64 = 2;

/// The fields that outlast the erasing of a record.
pub(super) const LASTING: &[&str] = &[
    "v",
    "kind",
    "seq",
    "time",
    "prev",
    "init_hash",
    "catalog",
    "records",
    "flow",
    "producers",
    "models",
    "guards",
    "safeguards",
    "teach",
    "source",
    "of",
    "of_hash",
    "by",
    "note",
    "segment",
    "run",
];

/// The fields that neither last nor are content.
pub(super) const ASIDE: &[&str] = &["answers", "id", "hash", "redacted"];

/// The most records that a chain is believed to have: more than any JSON reader counts exactly.
const MOST: u64 = 1 << 53;

/// Tells whether a text is a hash: 64 hexadecimal digits in lower case.
#[must_use]
pub fn is_hash(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// The end of a chain; the head file holds the same.
///
/// What is read as one has a hash that is one and a count that can be, so that no other text is
/// carried from one file into another.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "TipText")]
pub struct Tip {
    /// How many records the chain has.
    pub count: u64,
    /// The hash of the last one; empty when there is none.
    pub hash: String,
}

/// A tip as it is written, before it is believed.
#[derive(Deserialize)]
struct TipText {
    count: u64,
    hash: String,
}

impl TryFrom<TipText> for Tip {
    type Error = NoAnchor;

    fn try_from(TipText { count, hash }: TipText) -> Result<Self, NoAnchor> {
        // A store without records has an end too.
        let none = count == 0 && hash.is_empty();
        if none || count <= MOST && is_hash(&hash) {
            Ok(Self { count, hash })
        } else {
            Err(NoAnchor)
        }
    }
}

/// An anchor is a tip that is kept elsewhere: `COUNT:HASH`.
impl fmt::Display for Tip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.count, self.hash)
    }
}

/// Why a text is no anchor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an anchor is COUNT:HASH, the hash 64 hexadecimal digits in lower case")]
pub struct NoAnchor;

impl FromStr for Tip {
    type Err = NoAnchor;

    fn from_str(text: &str) -> Result<Self, NoAnchor> {
        let (count, hash) = text.trim().split_once(':').ok_or(NoAnchor)?;
        let count = count.parse().map_err(|_| NoAnchor)?;
        TipText { count, hash: hash.to_owned() }.try_into()
    }
}

/// A decision that waits for its place in a chain.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    decision: Unplaced,
    // The record that says that the decision was erased, but for what it must say of its place.
    redaction: Option<Map<String, Value>>,
}

impl Entry {
    /// Makes the entry of a record that is kept in full.
    #[must_use]
    pub fn whole(record: Map<String, Value>) -> Self {
        Self { decision: Unplaced::of(record), redaction: None }
    }

    /// Makes the entry of a record whose content is erased before anything of it is written.
    #[must_use]
    pub fn born_erased(record: Map<String, Value>, by: &str, note: &str) -> Self {
        let redaction = note_of(by, note, record.get("time").cloned().unwrap_or_default());
        Self { decision: Unplaced::of(erased(record, by, note)), redaction: Some(redaction) }
    }

    /// Returns the time that the record says.
    #[must_use]
    pub fn time(&self) -> Option<&Value> {
        self.decision.body.get("time")
    }

    /// Takes the next place of a chain: moves its tip, adds its lines, returns the record's id.
    pub fn place(&self, tip: &mut Tip, lines: &mut String) -> String {
        let id = self.decision.place(tip, lines);
        if let Some(redaction) = &self.redaction {
            let mut redaction = redaction.clone();
            redaction.insert("of".to_owned(), id.clone().into());
            redaction.insert("of_hash".to_owned(), tip.hash.clone().into());
            Unplaced::of(redaction).place(tip, lines);
        }
        id
    }
}

/// Returns the hash of a record as it stands in the store. An erased record is taken at the word
/// of its mark: whoever checks one must see that no content stands beside it.
#[must_use]
pub fn record_hash(record: &Map<String, Value>) -> String {
    digest_of(body(record).iter())
}

/// Returns what a record's hash is taken over. What was erased is known by the digests that the
/// mark of an erased record holds.
fn body(record: &Map<String, Value>) -> Map<String, Value> {
    let lasting = |key: &&str| Some(((*key).to_owned(), record.get(*key)?.clone()));
    let mut body: Map<String, Value> = LASTING.iter().filter_map(lasting).collect();
    let mark = |key: &str| record.get("redacted").and_then(|mark| mark.get(key)).cloned();
    let answers = match record.get("answers") {
        Some(answers) => digest(answers).into(),
        None => mark("answers").unwrap_or_else(|| digest(&Value::Null).into()),
    };
    body.insert("#answers".to_owned(), answers);
    let content = mark("content").unwrap_or_else(|| content_digest(record).into());
    body.insert("#content".to_owned(), content);
    body
}

/// Returns the record that says that another was erased, but for its place.
#[must_use]
pub fn redaction(by: &str, note: &str, time: f64, of: &Stored) -> Map<String, Value> {
    let mut record = note_of(by, note, time.into());
    record.insert("of".to_owned(), of.id().into());
    record.insert("of_hash".to_owned(), of.hash().into());
    record
}

fn note_of(by: &str, note: &str, time: Value) -> Map<String, Value> {
    let fields = [
        ("v", FORMAT.into()),
        ("kind", "redaction".into()),
        ("time", time),
        ("by", by.into()),
        ("note", note.into()),
    ];
    fields.map(|(key, value)| (key.to_owned(), value)).into_iter().collect()
}

/// Erases the content of a record: only its digest stays, in the mark.
#[must_use]
pub fn erased(mut record: Map<String, Value>, by: &str, note: &str) -> Map<String, Value> {
    let content = content_digest(&record);
    record.retain(|key, _| !is_content(key));
    record.insert("redacted".to_owned(), json!({"by": by, "note": note, "content": content}));
    record
}

fn content_digest(record: &Map<String, Value>) -> String {
    digest_of(record.iter().filter(|(key, _)| is_content(key)))
}

fn is_content(key: &str) -> bool {
    !LASTING.contains(&key) && !ASIDE.contains(&key)
}

/// A record without its place: what can be hashed and spelled before the chain is locked.
#[derive(Clone, Debug, PartialEq)]
struct Unplaced {
    // What its hash is taken over, but for `seq` and `prev`.
    body: Map<String, Value>,
    // Its line, up to where its place comes.
    line: String,
}

impl Unplaced {
    fn of(record: Map<String, Value>) -> Self {
        let body = body(&record);
        let mut line = spaced(&Value::Object(record));
        line.pop();
        Self { body, line }
    }

    fn place(&self, tip: &mut Tip, lines: &mut String) -> String {
        let Tip { count, hash: prev } = &*tip;
        let mut body = self.body.clone();
        body.insert("seq".to_owned(), (*count).into());
        body.insert("prev".to_owned(), prev.clone().into());
        let hash = digest_of(body.iter());
        let id: String = hash.chars().take(16).collect();
        let place = spaced(&json!({"seq": count, "prev": prev, "hash": hash, "id": id}));
        lines.push_str(&self.line);
        lines.push_str(", ");
        lines.push_str(place.strip_prefix('{').unwrap_or(&place));
        lines.push('\n');
        *tip = Tip { count: count.saturating_add(1), hash };
        id
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    const SAMPLE: &str = include_str!("../../tests/vectors/trace-sample.jsonl");
    const HEAD: &str = include_str!("../../tests/vectors/trace-sample.jsonl.head");

    fn records(lines: &str) -> Vec<Map<String, Value>> {
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn without_place(mut record: Map<String, Value>) -> Map<String, Value> {
        record.retain(|key, _| !["seq", "prev", "hash", "id"].contains(&key.as_str()));
        record
    }

    fn object(value: &Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn the_sample_chain_has_the_hashes_that_it_says() {
        for record in records(SAMPLE) {
            assert_eq!(record_hash(&record), record["hash"]);
        }
    }

    #[test]
    fn the_sample_records_take_their_places_again() {
        let (mut tip, mut lines) = (Tip::default(), String::new());
        for record in records(SAMPLE) {
            let id = Unplaced::of(without_place(record.clone())).place(&mut tip, &mut lines);
            assert_eq!(id, record["id"]);
        }
        assert_eq!(records(&lines), records(SAMPLE));
        assert_eq!(tip, serde_json::from_str(HEAD).unwrap());
    }

    #[test]
    fn a_record_born_erased_is_the_one_that_erasing_leaves() {
        let whole = object(&json!({
            "v": 2, "kind": "ask", "time": 1_700_000_001.5,
            "init_hash": "e8b473ee08d0868a", "answers": {"edit": ["allow", 1.0, "ok"]},
            "flow": [], "records": [], "guards": {}, "safeguards": [], "models": [],
            "meta": {"hook": "pre-edit", "outcome": "allow", "path": "a.txt"},
            "response": {
                "results": {"edit": {
                    "answer": "allow", "confidence": 1.0, "why": "no rule objects", "status": "ok",
                }},
                "flow": {"steps": []},
                "trace": {
                    "init_hash": "e8b473ee08d0868a",
                    "init": {"path": "a.txt", "added_lines": [[1, "x"]], "result_text": "x\n"},
                    "records": [],
                },
            },
        }));
        let sample = records(SAMPLE);
        let (first, second, third) = (&sample[0], &sample[1], &sample[2]);
        let mut tip = Tip { count: 1, hash: first["hash"].as_str().unwrap().to_owned() };
        let mut lines = String::new();
        Entry::whole(whole.clone()).place(&mut tip.clone(), &mut lines);
        assert_eq!(records(&lines)[0]["hash"], second["hash"]);

        lines.clear();
        let (by, note) = ("solvi hook", "redact = true: no-secret");
        Entry::born_erased(whole, by, note).place(&mut tip, &mut lines);
        let [erased, mut redaction] = records(&lines).try_into().unwrap();
        assert_eq!(erased, *second);
        assert_eq!(record_hash(&redaction), redaction["hash"]);
        // The sample was erased later than it was written, so only its time differs.
        redaction.insert("time".to_owned(), third["time"].clone());
        assert_eq!(record_hash(&redaction), third["hash"]);
    }

    #[test]
    fn a_digest_in_the_mark_stands_for_answers_that_were_erased_too() {
        let whole = object(&json!({"v": 2, "answers": {"edit": ["deny", 1.0, "ok"]}}));
        let mut erased = erased(whole.clone(), "x", "y");
        let answers = erased.remove("answers").unwrap();
        erased["redacted"]["answers"] = digest(&answers).into();
        assert_eq!(record_hash(&erased), record_hash(&whole));
    }

    #[test]
    fn an_anchor_is_read_as_it_is_written() {
        let tip: Tip = serde_json::from_str(HEAD).unwrap();
        assert_eq!(tip.to_string().parse(), Ok(tip.clone()));
        assert_eq!("0:\n".parse(), Ok(Tip::default()));
        let upper = tip.to_string().to_uppercase();
        for wrong in ["", "3", "3:", "x:ab", "3:ab", "-1:", &upper] {
            assert_eq!(wrong.parse::<Tip>(), Err(NoAnchor), "{wrong}");
        }
    }

    #[test]
    fn every_lasting_field_and_all_content_is_hashed() {
        let base = object(&json!({"v": 2}));
        for key in LASTING.iter().chain(&["answers", "meta", "anything"]) {
            let mut other = base.clone();
            other.insert((*key).to_owned(), "x".into());
            assert_ne!(record_hash(&other), record_hash(&base), "{key}");
        }
    }
}
