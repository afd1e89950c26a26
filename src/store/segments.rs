//! Which files does a store consist of? The sealed ones before it, oldest first, then the store.
//!
//! A store `hooks.jsonl` that is closed becomes `hooks.000001.jsonl`, the next one
//! `hooks.000002.jsonl`, so that names sort by time. The first record of every file but the first
//! is of the kind `segment` and names the file before it, how many records that has and the hash
//! of the last; so all of them are one chain. Files that were deleted on purpose are named in
//! `hooks.jsonl.retired`, one line of JSON each.

use super::chain::Tip;
use super::owned_path::OwnedPath;
use super::reader::{Reader, Snapshot};
use super::traces::StoreError;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::{self, BufReader, ErrorKind};
use std::path::{Path, PathBuf};

/// How many digits the number in the name of a sealed file has at least.
const DIGITS: usize = 6;

/// How often the list is made again because the store was rotated meanwhile.
const TRIES: usize = 5;

/// How much of the list of retired files is read: some hundred thousand files.
const RETIRED_LIMIT: u64 = 32 << 20;

/// The longest first record that can be one that continues another store.
pub(super) const LONGEST_LINK: u64 = 64 << 10;

/// One file of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Where it is.
    pub path: PathBuf,
    /// Its number; none for the file that is appended to.
    pub number: Option<u32>,
}

impl Segment {
    /// Returns how messages about a store name this file of it; none for the store itself.
    #[must_use]
    pub fn name_in(&self, store: &Path) -> Option<String> {
        let name = self.path.file_name().filter(|_| self.path != store)?;
        Some(name.to_string_lossy().into_owned())
    }
}

/// What a file says about the one before it, in its first record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// The name of the file before.
    pub previous: String,
    /// The end of it.
    #[serde(flatten)]
    pub tip: Tip,
}

/// A sealed file that was deleted on purpose.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Retired {
    /// The file, as the one behind it names it.
    #[serde(flatten)]
    pub link: Link,
    /// When it was deleted, in seconds since the Unix epoch.
    pub retired: f64,
}

/// Returns the files of a store in order; the store itself comes last, also when it is not there.
/// Of a sealed file the ones before it are returned, and it.
pub fn segments(store: &Path) -> Result<Vec<Segment>, StoreError> {
    let (name, last) = match sealed(store) {
        Some((name, number)) => (name, Some(number)),
        None => (Name::of(store), None),
    };
    let folder = store.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let cannot = |source| StoreError::Io { act: "list", path: folder.to_owned(), source };
    let entries = match fs::read_dir(folder) {
        Ok(entries) => Some(entries),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(cannot(error)),
    };
    let mut found = Vec::new();
    for entry in entries.into_iter().flatten() {
        let file = entry.map_err(cannot)?.file_name();
        let number = file.to_str().and_then(|file| name.number(file));
        if let Some(number) = number.filter(|number| last.is_none_or(|last| *number < last)) {
            found.push(Segment { path: store.with_file_name(file), number: Some(number) });
        }
    }
    found.sort_by_key(|segment| segment.number);
    // A rotation that was stopped half way left two names of one file.
    if found.last().is_some_and(|newest| are_same(&newest.path, store)) {
        found.pop();
    }
    found.push(Segment { path: store.to_owned(), number: last });
    Ok(found)
}

/// Tells whether two files in one folder are one.
fn are_same(one: &Path, other: &Path) -> bool {
    let place = OwnedPath::of(other).ok().flatten();
    let name = one.file_name();
    place.zip(name).is_some_and(|(place, name)| place.folder.are_same(name, &place.name))
}

/// Opens the files of a store that are there, in order, as they are at one moment.
pub fn open(store: &Path) -> Result<Vec<(Segment, Snapshot)>, StoreError> {
    let mut listed = segments(store)?;
    for _ in 0..TRIES {
        let mut opened = Vec::new();
        for segment in &listed {
            let snapshot = Snapshot::open(&segment.path)?;
            opened.extend(snapshot.map(|snapshot| (segment.clone(), snapshot)));
        }
        let again = segments(store)?;
        if again == listed {
            return Ok(opened);
        }
        listed = again;
    }
    let source = io::Error::from(ErrorKind::ResourceBusy);
    Err(StoreError::Io { act: "read", path: store.to_owned(), source })
}

/// Returns how many records stand in the files before a store, the retired ones included.
pub fn before(store: &Path) -> Result<u64, StoreError> {
    let (mut count, mut file) = (0_u64, store.to_owned());
    let retired = retired(store);
    while let Some(Link { previous, tip }) = first_link(&file)? {
        count = count.saturating_add(tip.count);
        file = store.with_file_name(&previous);
        if sealed(&file).is_none_or(|(name, _)| name != Name::of(store)) {
            break;
        }
        if !file.exists() {
            let earlier = retired.iter().take_while(|it| it.link.previous != previous);
            count = earlier.fold(count, |count, it| count.saturating_add(it.link.tip.count));
            break;
        }
    }
    Ok(count)
}

/// Returns what the first record of a file says about the file before it; none when it is no file
/// that continues another.
pub fn first_link(file: &Path) -> Result<Option<Link>, StoreError> {
    let cannot = |source| StoreError::Io { act: "read", path: file.to_owned(), source };
    let place = OwnedPath::of(file)?;
    let Some(opened) = place.map(|place| place.folder.read(&place.name)).transpose()?.flatten()
    else {
        return Ok(None);
    };
    let mut lines = Reader::new(BufReader::new(opened)).with_longest(LONGEST_LINK);
    let line = lines.next_line().map_err(cannot)?;
    Ok(line.and_then(|line| Segmental::read(line.bytes)).map(|record| record.segment))
}

/// The first record of a file that continues another.
#[derive(Deserialize)]
pub(super) struct Segmental {
    kind: String,
    pub segment: Link,
    pub time: f64,
}

impl Segmental {
    pub fn read(line: &[u8]) -> Option<Self> {
        serde_json::from_slice(line).ok().filter(|record: &Self| record.kind == "segment")
    }
}

/// Returns where the retired files of a store are listed.
#[must_use]
pub fn retired_list(store: &Path) -> PathBuf {
    let mut path = store_of(store).unwrap_or_else(|| store.to_owned()).into_os_string();
    path.push(".retired");
    path.into()
}

/// Returns the retired files of a store, oldest first, each once.
#[must_use]
pub fn retired(store: &Path) -> Vec<Retired> {
    // What cannot be read retires nothing: files that are gone are then missing.
    let place = OwnedPath::of(&retired_list(store)).ok().flatten();
    let text =
        place.and_then(|place| place.folder.read_up_to(&place.name, RETIRED_LIMIT).ok().flatten());
    let text = text.unwrap_or_default();
    let lines = text.split(|byte| *byte == b'\n');
    let mut listed: Vec<Retired> = Vec::new();
    for retired in lines.filter_map(|line| serde_json::from_slice::<Retired>(line).ok()) {
        if listed.last().is_none_or(|last| last.link != retired.link) {
            listed.push(retired);
        }
    }
    listed
}

/// Returns the path of a sealed file of a store.
#[must_use]
pub fn sealed_path(store: &Path, number: u32) -> PathBuf {
    let Name { stem, ending } = Name::of(store);
    store.with_file_name(format!("{stem}.{number:0DIGITS$}{ending}"))
}

/// Returns the store that a file is a sealed one of, by its name.
#[must_use]
pub fn store_of(file: &Path) -> Option<PathBuf> {
    sealed(file).map(|(name, _)| file.with_file_name(name.whole()))
}

/// Returns the number of a sealed file in its name.
#[must_use]
pub fn number_of(file: &Path) -> Option<u32> {
    sealed(file).map(|(_, number)| number)
}

/// The name of a store, in two parts.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Name {
    stem: String,
    // With its dot; empty when there is none.
    ending: String,
}

impl Name {
    fn of(store: &Path) -> Self {
        let part = |part: Option<&std::ffi::OsStr>| {
            part.map(|part| part.to_string_lossy().into_owned()).unwrap_or_default()
        };
        let ending = store.extension().map(|_| format!(".{}", part(store.extension())));
        Self { stem: part(store.file_stem()), ending: ending.unwrap_or_default() }
    }

    fn whole(&self) -> String {
        format!("{}{}", self.stem, self.ending)
    }

    /// Returns the number of a sealed file of this store, from its name.
    fn number(&self, file: &str) -> Option<u32> {
        let number = file.strip_prefix(&self.stem)?.strip_prefix('.')?;
        let number = number.strip_suffix(&self.ending)?;
        let digits = number.len() >= DIGITS && number.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| number.parse().ok()).flatten()
    }
}

/// Returns of which store a file is the sealed one, and its number, by its name.
fn sealed(file: &Path) -> Option<(Name, u32)> {
    let Name { stem, ending } = Name::of(file);
    let (stem, _) = stem.rsplit_once('.')?;
    let name = Name { stem: stem.to_owned(), ending };
    let number = name.number(file.file_name()?.to_str()?)?;
    Some((name, number))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn the_files_of_a_store_are_listed_by_their_numbers() {
        let folder = tempfile::tempdir().unwrap();
        for name in [
            "t.000002.jsonl",
            "t.000010.jsonl",
            "t.1000000.jsonl",
            "t.000001.jsonl",
            "t.jsonl",
            "t.00001.jsonl",
            "t.00000x.jsonl",
            "u.000001.jsonl",
            "t.000001.jsonl.head",
            "t.000003",
        ] {
            fs::write(folder.path().join(name), name).unwrap();
        }
        let numbers = |name: &str| {
            let found = segments(&folder.path().join(name)).unwrap();
            found.iter().map(|segment| segment.number).collect::<Vec<_>>()
        };
        assert_eq!(numbers("t.jsonl"), [Some(1), Some(2), Some(10), Some(1_000_000), None]);
        assert_eq!(numbers("t.000010.jsonl"), [Some(1), Some(2), Some(10)]);
        assert_eq!(numbers("v.jsonl"), [None]);
        assert_eq!(numbers("t"), [Some(3), None]);
        let sealed = sealed_path(&folder.path().join("t.jsonl"), 2);
        assert_eq!(sealed, folder.path().join("t.000002.jsonl"));
    }

    #[cfg(unix)]
    #[test]
    fn two_names_of_one_file_are_one_segment() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("t.jsonl");
        fs::write(&store, "").unwrap();
        fs::hard_link(&store, sealed_path(&store, 1)).unwrap();
        assert_eq!(segments(&store).unwrap().len(), 1);
    }
}
