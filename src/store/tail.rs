//! Where a store's chain ends, without reading the store.
//!
//! The head file says how many records there are and what the last one's hash is. When the last
//! record says the same, that is the end, however large the store is. Otherwise (the head is
//! missing, stale or damaged) every line is read once, and the next append writes a new head. A
//! head that names a record which is not there is a witness that records were lost: it is handed
//! out, so that it can be kept.

use super::chain::{Tip, is_hash};
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;
use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

/// How much of the file's end is read at first: more than most records take.
const WINDOW: u64 = 64 << 10;

/// How much of it is read at most in search of the last record, before all lines are read.
const WIDEST: u64 = 64 << 20;

/// The end of a store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tail {
    /// The end of the chain.
    pub tip: Tip,
    /// Whether the last line has no line end: its writer was stopped in the middle.
    pub torn: bool,
    /// What the head file gives to think about.
    pub doubt: Option<Doubt>,
}

/// Why the end that was found may not be the end that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// The head names a record that is not there.
    Lost {
        /// What it says.
        head: Tip,
    },
    /// There are records, and no head that says how many there should be.
    Unwitnessed,
    /// The head is there and is none that a writer leaves.
    Forged,
}

/// Finds the end of the store that `file` holds, with what the head file says.
pub fn find(file: &mut (impl Read + Seek), head: Option<&[u8]>) -> io::Result<Tail> {
    let length = file.seek(SeekFrom::End(0))?;
    // A power cut leaves a file that is empty or holds zeros.
    let is_forged = head.is_some_and(|head| {
        head.iter().any(|byte| *byte != 0) && serde_json::from_slice::<Tip>(head).is_err()
    });
    let head: Option<Tip> = head.and_then(|head| serde_json::from_slice(head).ok());
    if length == 0 {
        let lost = head.filter(|head| head.count > 0).map(|head| Doubt::Lost { head });
        let doubt = lost.or(is_forged.then_some(Doubt::Forged));
        return Ok(Tail { doubt, ..Tail::default() });
    }
    let (last, torn) = last_link(file, length)?;
    let head = match (head, last) {
        (Some(tip), Some(last)) if last.is_end_of(&tip) => {
            return Ok(Tail { tip, torn, doubt: None });
        }
        (head, _) => head,
    };
    let (tip, known) = count(file, head.as_ref())?;
    let doubt = match head {
        Some(_) if known => None,
        Some(head) => Some(Doubt::Lost { head }),
        None if is_forged => Some(Doubt::Forged),
        None => (tip.count > 0).then_some(Doubt::Unwitnessed),
    };
    Ok(Tail { tip, torn, doubt })
}

/// Returns the last line that belongs to the chain, and whether the very last line is torn.
fn last_link(file: &mut (impl Read + Seek), length: u64) -> io::Result<(Option<Link>, bool)> {
    let mut window = WINDOW;
    loop {
        let start = length.saturating_sub(window);
        file.seek(SeekFrom::Start(start))?;
        let mut bytes = Vec::with_capacity(usize::try_from(length - start).unwrap_or(0));
        file.take(length - start).read_to_end(&mut bytes)?;
        let torn = bytes.last().is_some_and(|last| *last != b'\n');
        // The window may begin in the middle of a line.
        let whole = match bytes.iter().position(|byte| *byte == b'\n') {
            _ if start == 0 => Some(bytes.as_slice()),
            Some(end) => bytes.get(end + 1..),
            None => None,
        };
        let last = whole.and_then(|whole| whole.rsplit(|byte| *byte == b'\n').find_map(link));
        if last.is_some() || start == 0 || window >= WIDEST {
            return Ok((last, torn));
        }
        window *= 8;
    }
}

/// Reads the whole chain; tells whether what the head says was the end of it at some time. The
/// head of a store that continues another may still be that of the other.
fn count(file: &mut (impl Read + Seek), head: Option<&Tip>) -> io::Result<(Tip, bool)> {
    file.seek(SeekFrom::Start(0))?;
    let mut reader = BufReader::with_capacity(1 << 20, file);
    let mut tip = Tip::default();
    let mut known = head.is_none_or(|head| head.count == 0);
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line)? > 0 {
        if let Some(link) = link(&line) {
            known |= tip.count == 0 && link.segment.is_some() && link.segment.as_ref() == head;
            tip = Tip { count: tip.count + 1, hash: link.hash };
            known |= head == Some(&tip);
        }
        line.clear();
    }
    Ok((tip, known))
}

/// What ties a line to the chain.
struct Link {
    hash: String,
    seq: Value,
    // The end of the store that this one continues.
    segment: Option<Tip>,
}

impl Link {
    fn is_end_of(&self, tip: &Tip) -> bool {
        let next = self.seq.as_u64().and_then(|seq| seq.checked_add(1));
        self.hash == tip.hash && next == Some(tip.count)
    }
}

/// Reads a line: it belongs to the chain when it is an object with a `hash` that is one. The hash
/// goes into the next record and into the head file, and so may be no other text.
fn link(line: &[u8]) -> Option<Link> {
    let mut json = serde_json::Deserializer::from_slice(line);
    let [hash, seq, segment] = json.deserialize_map(Fields).ok()?;
    json.end().ok()?;
    match hash {
        Value::String(hash) if is_hash(&hash) => {
            Some(Link { hash, seq, segment: Tip::deserialize(segment).ok() })
        }
        _ => None,
    }
}

/// Reads `hash`, `seq` and `segment` of an object and passes over the rest. Of a key that stands twice the
/// last counts, as it does for the reference program.
struct Fields;

impl<'de> Visitor<'de> for Fields {
    type Value = [Value; 3];

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a record")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let [mut hash, mut seq, mut segment] = [Value::Null, Value::Null, Value::Null];
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "hash" => hash = map.next_value()?,
                "seq" => seq = map.next_value()?,
                "segment" => segment = map.next_value()?,
                _ => _ = map.next_value::<IgnoredAny>()?,
            }
        }
        Ok([hash, seq, segment])
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use std::io::Cursor;

    const TWO: &str = "{\"hash\": \"a\", \"seq\": 0}\n{\"hash\": \"b\", \"seq\": 1}\n";

    /// Makes a hash of every letter that stands in the place of one.
    fn whole(text: &str) -> String {
        ["a", "b", "c", "e", "f"].iter().fold(text.to_owned(), |text, letter| {
            let hash = format!("\"hash\": \"{}\"", letter.repeat(64));
            text.replace(&format!("\"hash\": \"{letter}\""), &hash)
        })
    }

    fn end(store: &str, head: &str) -> Tail {
        let (store, head) = (whole(store), whole(head));
        find(&mut Cursor::new(store.as_bytes()), Some(head.as_bytes())).unwrap()
    }

    /// Returns the end that is found, its hash by its first letter.
    fn found(store: &str, head: &str) -> (u64, String, bool) {
        let Tail { tip, torn, .. } = end(store, head);
        (tip.count, tip.hash.chars().take(1).collect(), torn)
    }

    fn doubt(store: &str, head: &str) -> Option<Doubt> {
        end(store, head).doubt
    }

    #[test]
    fn a_head_that_names_what_is_not_there_is_a_witness() {
        let lost =
            |count, hash: &str| Some(Doubt::Lost { head: Tip { count, hash: hash.repeat(64) } });
        assert_eq!(doubt("", r#"{"count": 7, "hash": "a"}"#), lost(7, "a"));
        assert_eq!(doubt(TWO, r#"{"count": 3, "hash": "c"}"#), lost(3, "c"));
        assert_eq!(doubt(TWO, r#"{"count": 2, "hash": "e"}"#), lost(2, "e"));
        assert_eq!(doubt(TWO, r#"{"count": 1, "hash": "e"}"#), lost(1, "e"));
        for stale in [r#"{"count": 1, "hash": "a"}"#, r#"{"count": 0, "hash": ""}"#] {
            assert_eq!(doubt(TWO, stale), None, "{stale}");
        }
        for forged in ["{", "x", r#"{"count": 2, "hash": "$(id)"}"#, r#"{"count": "2"}"#] {
            assert_eq!(doubt(TWO, forged), Some(Doubt::Forged), "{forged}");
            assert_eq!(doubt("", forged), Some(Doubt::Forged), "{forged}");
        }
        for cut in ["", "\0\0\0"] {
            assert_eq!(doubt(TWO, cut), Some(Doubt::Unwitnessed), "{cut:?}");
            assert_eq!(doubt("no record\n", cut), None, "{cut:?}");
        }
    }

    #[test]
    fn the_head_of_the_store_before_is_no_witness() {
        let segment = r#""segment": {"previous": "t.000001.jsonl", "count": 9, "hash": "e"}"#;
        let store = format!("{{{segment}, \"hash\": \"a\", \"seq\": 0}}\n");
        assert_eq!(doubt(&store, r#"{"count": 9, "hash": "e"}"#), None);
        assert_ne!(doubt(&store, r#"{"count": 9, "hash": "f"}"#), None);
    }

    #[test]
    fn an_empty_store_has_no_end() {
        assert_eq!(found("", r#"{"count": 7, "hash": "a"}"#), (0, String::new(), false));
    }

    #[test]
    fn a_head_that_agrees_with_the_last_record_is_believed() {
        let last = "not read\n{\"hash\": \"b\", \"seq\": 6}\n";
        assert_eq!(found(last, r#"{"count": 7, "hash": "b"}"#), (7, "b".to_owned(), false));
    }

    #[test]
    fn a_head_that_disagrees_is_not() {
        for head in ["", "{", "[]", r#"{"count": 2}"#, r#"{"count": 1, "hash": "a"}"#] {
            assert_eq!(found(TWO, head), (2, "b".to_owned(), false), "{head}");
        }
    }

    #[test]
    fn a_torn_line_leaves_the_end_where_it_was() {
        let torn = format!("{TWO}{{\"hash\": \"c\", \"se");
        let head = r#"{"count": 2, "hash": "b"}"#;
        assert_eq!(found(&torn, head), (2, "b".to_owned(), true));
        assert_eq!(found(&torn, ""), (2, "b".to_owned(), true));
    }

    #[test]
    fn lines_that_are_no_records_do_not_count() {
        let store =
            "\n[1]\n{\"hash\": 5}\nnull\n{\"seq\": 0}\n{\"hash\": \"a\"}\n{\"hash\": \"e\"} y\n";
        assert_eq!(found(store, ""), (1, "a".to_owned(), false));
    }

    #[test]
    fn of_a_key_that_stands_twice_the_last_counts() {
        assert_eq!(found("{\"hash\": 1, \"hash\": \"a\"}\n", ""), (1, "a".to_owned(), false));
    }

    #[test]
    fn a_record_longer_than_the_window_is_read_whole() {
        let long = "e".repeat(3 * usize::try_from(WINDOW).unwrap());
        let store = format!(
            "no record\n{{\"text\": \"{long}\\u2028\u{2028}\", \"hash\": \"b\", \"seq\": 4}}\n"
        );
        let head = r#"{"count": 5, "hash": "b"}"#;
        assert_eq!(found(&store, head), (5, "b".to_owned(), false));
    }
}
