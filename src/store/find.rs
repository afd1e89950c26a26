//! Where is the record that somebody names? By its id or the beginning of it, as long as no other
//! begins alike.

use super::reader::{Line, Reader};
use super::stored::Stored;
use std::io::{self, BufRead};

/// How many ids are kept of those that begin alike.
const ALIKE: usize = 5;

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    /// No record of that name.
    None,
    /// The record, with its place in the file.
    One(Box<Placed>),
    /// More than one begins like that; the first few ids.
    Many(Vec<String>),
}

/// A record and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Placed {
    /// The record.
    pub record: Stored,
    /// The number of its line, from 1.
    pub line: u64,
    /// Where its line begins, in bytes.
    pub offset: u64,
    /// How long its line is, without its line end.
    pub length: u64,
}

/// Finds the record whose id, or hash, begins with `name`.
pub fn by_id<R: BufRead>(lines: &mut Reader<R>, name: &str) -> io::Result<Found> {
    let mut found: Option<Placed> = None;
    let mut alike: Vec<String> = Vec::new();
    while let Some(line) = lines.next_line()? {
        // A name is looked for in the bytes first: reading a record takes much longer.
        let Some(placed) = holds(&line, name).then(|| placed(&line)).flatten() else { continue };
        let record = &placed.record;
        if record.id() == name || record.hash() == name {
            return Ok(Found::One(Box::new(placed)));
        }
        if record.id().starts_with(name) || record.hash().starts_with(name) {
            alike.push(record.id().to_owned());
            alike.truncate(ALIKE);
            found.get_or_insert(placed);
        }
    }
    Ok(match found {
        None => Found::None,
        Some(_) if alike.len() > 1 => Found::Many(alike),
        Some(placed) => Found::One(Box::new(placed)),
    })
}

/// Finds the last record that is wanted.
pub fn last<R: BufRead>(
    lines: &mut Reader<R>,
    wanted: impl Fn(&Stored) -> bool,
) -> io::Result<Found> {
    let mut found = Found::None;
    while let Some(line) = lines.next_line()? {
        if let Some(placed) = placed(&line).filter(|placed| wanted(&placed.record)) {
            found = Found::One(Box::new(placed));
        }
    }
    Ok(found)
}

fn holds(line: &Line<'_>, name: &str) -> bool {
    !name.is_empty() && std::str::from_utf8(line.bytes).is_ok_and(|text| text.contains(name))
}

fn placed(line: &Line<'_>) -> Option<Placed> {
    let record = Stored::parse(line.bytes).ok().filter(|_| !line.cut)?;
    let length = line.bytes.len() as u64;
    Some(Placed { record, line: line.number, offset: line.offset, length })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    const SAMPLE: &str = include_str!("../../tests/vectors/trace-sample.jsonl");

    fn find(store: &str, name: &str) -> Found {
        by_id(&mut Reader::of(store.as_bytes()), name).unwrap()
    }

    #[test]
    fn a_record_is_found_by_its_id_its_hash_or_their_beginning() {
        let second = "9989706c45e4fd5f25d5095d7390c5f975e85960d4dccfc6b626693c70c0ab72";
        for length in [2, 16, 40, 64] {
            let Found::One(placed) = find(SAMPLE, &second[..length]) else { panic!("{length}") };
            assert_eq!((placed.line, placed.record.hash()), (2, second));
            let start = usize::try_from(placed.offset).unwrap();
            let end = start + usize::try_from(placed.length).unwrap();
            assert_eq!(&SAMPLE[start..=end], SAMPLE.split_inclusive('\n').nth(1).unwrap());
        }
        assert_eq!(find(SAMPLE, "ffff"), Found::None);
        assert_eq!(find(SAMPLE, ""), Found::None);
    }

    #[test]
    fn what_begins_alike_is_told() {
        let store = "{\"hash\": \"ab1\", \"id\": \"ab1\"}\n{\"hash\": \"ab\", \"id\": \"ab\"}\n\
                     {\"hash\": \"ab2\", \"id\": \"ab2\"}\n";
        let Found::Many(ids) = find(store, "a") else { panic!() };
        assert_eq!(ids, ["ab1", "ab", "ab2"]);
        assert!(matches!(find(store, "ab"), Found::One(placed) if placed.line == 2));
    }
}
