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
    /// Which of the files it stands in, from 0.
    pub file: usize,
    /// The number of its line, from 1.
    pub line: u64,
    /// Where its line begins, in bytes.
    pub offset: u64,
    /// How long its line is, without its line end.
    pub length: u64,
}

/// Finds the record whose id, or hash, begins with `name`, in the files of a store.
pub fn by_id<'a, R: BufRead + 'a>(
    files: impl IntoIterator<Item = &'a mut Reader<R>>,
    name: &str,
) -> io::Result<Found> {
    let mut found: Option<Placed> = None;
    let mut alike: Vec<String> = Vec::new();
    for (file, lines) in files.into_iter().enumerate() {
        while let Some(line) = lines.next_line()? {
            // A name is looked for in the bytes first: reading a record takes much longer.
            let placed = holds(&line, name).then(|| placed(&line, file)).flatten();
            let Some(placed) = placed else { continue };
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
    }
    Ok(match found {
        None => Found::None,
        Some(_) if alike.len() > 1 => Found::Many(alike),
        Some(placed) => Found::One(Box::new(placed)),
    })
}

/// Finds the last record that is wanted in the files of a store.
pub fn last<'a, R: BufRead + 'a>(
    files: impl DoubleEndedIterator<Item = &'a mut Reader<R>> + ExactSizeIterator,
    wanted: impl Fn(&Stored) -> bool,
) -> io::Result<Found> {
    for (file, lines) in files.enumerate().rev() {
        let mut found = None;
        while let Some(line) = lines.next_line()? {
            found = placed(&line, file).filter(|it| wanted(&it.record)).or(found);
        }
        if let Some(placed) = found {
            return Ok(Found::One(Box::new(placed)));
        }
    }
    Ok(Found::None)
}

fn holds(line: &Line<'_>, name: &str) -> bool {
    !name.is_empty() && std::str::from_utf8(line.bytes).is_ok_and(|text| text.contains(name))
}

fn placed(line: &Line<'_>, file: usize) -> Option<Placed> {
    let record = Stored::parse(line.bytes).ok().filter(|_| !line.cut)?;
    let length = line.bytes.len() as u64;
    Some(Placed { record, file, line: line.number, offset: line.offset, length })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    const SAMPLE: &str = include_str!("../../tests/vectors/trace-sample.jsonl");

    fn find(store: &str, name: &str) -> Found {
        by_id([&mut Reader::of(store.as_bytes())], name).unwrap()
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

    #[test]
    fn all_files_are_looked_through_and_the_last_is_in_the_newest_that_has_one() {
        let files = [
            "{\"hash\": \"ab1\", \"v\": 1}\n{\"hash\": \"c\", \"v\": 1}\n",
            "\n{\"hash\": \"ab2\"}\n",
        ];
        let readers = || files.map(|text| Reader::of(text.as_bytes()));
        let place = |found| match found {
            Found::One(placed) => (placed.file, placed.line),
            other => panic!("{other:?}"),
        };
        assert_eq!(place(by_id(&mut readers(), "ab2").unwrap()), (1, 2));
        assert_eq!(place(by_id(&mut readers(), "c").unwrap()), (0, 2));
        assert!(matches!(by_id(&mut readers(), "ab").unwrap(), Found::Many(_)));
        assert_eq!(place(last(readers().iter_mut(), |_| true).unwrap()), (1, 2));
        let first = last(readers().iter_mut(), |it| it.at(&["v"]).is_some());
        assert_eq!(place(first.unwrap()), (0, 2));
    }
}
