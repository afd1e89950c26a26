//! A store is closed, and another continues it; old ones are deleted when somebody asks.
//!
//! All is done under the lock of the store, in an order in which a process may be killed anywhere:
//! the sealed file first becomes a second name of the store, then the new store, with the record
//! that says what it continues, is renamed over the first. Until then the store is the old one,
//! and the next rotation begins again. A file that is deleted is first named in the list of
//! retired files.

use super::chain::{Entry, FORMAT, Tip};
use super::owned_dir::OwnedError;
use super::owned_path::{self, OwnedPath};
use super::segments::{self, Link, Retired, Segment, Segmental};
use super::tail;
use super::traces::{self, Head, Kind, Locked, StoreError, Traces};
use super::{canonical, interrupted, missing, reader};
use serde_json::{Map, Value, json};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};

/// What is wanted of a rotation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rotation {
    /// The store is closed only when it is larger, in bytes.
    pub larger_than: Option<u64>,
    /// Sealed files are deleted that were sealed longer ago, in seconds.
    pub keep: Option<f64>,
    /// The time now, in seconds since the Unix epoch.
    pub now: f64,
}

/// What a rotation came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rotated {
    /// The file that the store became, and how many records it holds; none when it goes on.
    pub sealed: Option<(PathBuf, u64)>,
    /// The files that were deleted.
    pub retired: Vec<Retired>,
}

impl Traces {
    /// Closes the store and begins the next, and deletes old ones, as far as it is wanted.
    pub fn rotate(&self, wanted: &Rotation) -> Result<Rotated, StoreError> {
        let sealed = self.seal(wanted)?;
        let retired = match wanted.keep {
            Some(keep) => self.retire(wanted.now - keep, wanted.now)?,
            None => Vec::new(),
        };
        Ok(Rotated { sealed, retired })
    }

    fn seal(&self, wanted: &Rotation) -> Result<Option<(PathBuf, u64)>, StoreError> {
        let store = self.path();
        if self.kind() == Kind::Database {
            let path = store.to_owned();
            return Err(StoreError::Kind {
                path,
                found: "an SQLite database",
                named: "what can be rotated",
            });
        }
        let Locked { place, mut file } = self.locked()?;
        self.expect_lines(&mut file)?;
        let head = Head::open(&place)?;
        let tail = tail::find(&mut file, head.text()).map_err(self.cannot("read"))?;
        let length = file.metadata().map_err(self.cannot("look at"))?.len();
        // A store that holds no more than its beginning is not worth a file.
        let begun = tail.tip.count == 1 && segments::first_link(store)?.is_some();
        if tail.tip.count == 0 || begun || wanted.larger_than.is_some_and(|size| length <= size) {
            return Ok(None);
        }
        let (mut lines, now) = (String::new(), wanted.now.into());
        let tip = interrupted::end_line(&mut file, &tail, Some(&now), &mut lines)
            .map_err(self.cannot("read"))?;
        if let Some(doubt) = tail.doubt {
            traces::found(doubt, &tail.tip, &place)?;
        }
        self.write(&mut file, &lines)?;
        let sealed = self.next_sealed()?;
        let name = sealed.file_name().unwrap_or_default();
        let beside = |ending: &str| owned_path::beside(name, ending);
        write_head(&place, name, &tip)?;
        let losses = place.beside(missing::ENDING);
        // It is about to be the sealed file's, and so must be a file of ours.
        if place.folder.write(&losses)?.is_some() {
            second_name(&place, &losses, &beside(missing::ENDING))?;
        }
        second_name(&place, &place.name, name)?;
        let previous = name.to_string_lossy().into_owned();
        let _next = begin(&place, &Link { previous, tip: tip.clone() }, wanted.now)?;
        place.folder.remove(&losses)?;
        Ok(Some((sealed, tip.count)))
    }

    /// Returns the path that the store will have when it is sealed.
    fn next_sealed(&self) -> Result<PathBuf, StoreError> {
        let store = self.path();
        let retired = segments::retired(store);
        let retired =
            retired.iter().filter_map(|it| segments::number_of(it.link.previous.as_ref()));
        let sealed = segments::segments(store)?;
        let sealed = sealed.iter().filter_map(|segment| segment.number);
        let number = retired.chain(sealed).max().unwrap_or(0).saturating_add(1);
        Ok(segments::sealed_path(store, number))
    }

    /// Deletes the files that were sealed before a moment, oldest first.
    fn retire(&self, before: f64, now: f64) -> Result<Vec<Retired>, StoreError> {
        // The file that was locked when the store was sealed is no longer the store.
        let Locked { place, file: _lock } = self.locked()?;
        let listed = segments::segments(self.path())?;
        // What is missing without a word must not come to look as if it had been retired.
        let begin = listed.first().map(|first| segments::first_link(&first.path)).transpose()?;
        let known = segments::retired(self.path()).pop().map(|it| it.link);
        if begin.flatten().is_some_and(|begin| Some(begin) != known) {
            return Ok(Vec::new());
        }
        let mut retired = Vec::new();
        for pair in listed.windows(2) {
            let [Segment { path, .. }, Segment { path: next, .. }] = pair else { break };
            // When a file was sealed stands in the one behind it, and so does how it ends.
            let Some(Segmental { segment: link, time, .. }) = first(next)? else { break };
            if time >= before || path.file_name() != Some(link.previous.as_ref()) {
                break;
            }
            let tombstone = Retired { link, retired: now };
            bury(&place, &tombstone)?;
            let name = path.file_name().unwrap_or_default();
            for ending in ["", ".head", missing::ENDING] {
                place.folder.remove(&owned_path::beside(name, ending))?;
            }
            retired.push(tombstone);
        }
        Ok(retired)
    }
}

/// Puts a store that continues another in the place of this one. It is locked before anybody can
/// see it, and as long as what is returned lives: whoever writes to it finds its head written.
fn begin(place: &OwnedPath, link: &Link, now: f64) -> Result<File, StoreError> {
    let Link { previous, tip } = link;
    let segment = json!({"previous": previous, "count": tip.count, "hash": tip.hash});
    let record = [
        ("v", FORMAT.into()),
        ("kind", "segment".into()),
        ("time", now.into()),
        ("segment", segment),
    ];
    let record: Map<String, Value> =
        record.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
    let (mut tip_of_next, mut text) = (Tip::default(), String::new());
    Entry::whole(record).place(&mut tip_of_next, &mut text);
    let aside = place.beside(".next");
    let mut next = place.folder.create(&aside)?;
    let put = next.lock().and_then(|()| {
        next.write_all(text.as_bytes())?;
        next.sync_all()?;
        place.folder.rename(&aside, &place.name)
    });
    put.map_err(|source| StoreError::Io { act: "write", path: place.path(), source })?;
    write_head(place, &place.name, &tip_of_next)?;
    Ok(next)
}

/// Adds a file to the list of retired ones.
fn bury(place: &OwnedPath, retired: &Retired) -> Result<(), StoreError> {
    let Retired { link: Link { previous, tip }, retired } = retired;
    let line = canonical::spaced(&json!({
        "previous": previous, "count": tip.count, "hash": tip.hash, "retired": retired,
    }));
    let name = place.beside(".retired");
    let mut list = place.folder.append(&name)?;
    let written = list.write_all(format!("{line}\n").as_bytes()).and_then(|()| list.sync_all());
    let path = place.folder.path().join(name);
    written.map_err(|source| StoreError::Io { act: "write", path, source })
}

/// Reads what a file says about the one before it.
fn first(file: &Path) -> Result<Option<Segmental>, StoreError> {
    let cannot = |source| StoreError::Io { act: "read", path: file.to_owned(), source };
    let place = OwnedPath::of(file)?;
    let opened = place.map(|place| place.folder.read(&place.name)).transpose()?.flatten();
    let opened = opened.ok_or_else(|| cannot(io::ErrorKind::NotFound.into()))?;
    let mut lines =
        reader::Reader::new(BufReader::new(opened)).with_longest(segments::LONGEST_LINK);
    let line = lines.next_line().map_err(cannot)?;
    Ok(line.and_then(|line| Segmental::read(line.bytes)))
}

fn write_head(place: &OwnedPath, name: &OsStr, tip: &Tip) -> Result<(), StoreError> {
    let beside = |ending: &str| owned_path::beside(name, ending);
    let text = canonical::spaced(&json!({"count": tip.count, "hash": tip.hash}));
    Ok(place.folder.replace(&beside(".head.tmp"), &beside(".head"), &text)?)
}

/// Gives a file a second name. A second name that an earlier try left is given anew.
fn second_name(place: &OwnedPath, name: &OsStr, second: &OsStr) -> Result<(), OwnedError> {
    if place.folder.are_same(name, second) {
        place.folder.remove(second)?;
    }
    place.folder.link(name, second).map_err(|source| {
        let path = place.folder.path().join(second);
        OwnedError::Io { act: "make the file", path, source }
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::store::verify;
    use std::fs;
    use std::time::Duration;

    const DAY: f64 = 86_400.0;

    struct Shelf {
        _folder: tempfile::TempDir,
        traces: Traces,
    }

    impl Shelf {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let traces = Traces::at(folder.path().join("t.jsonl"), Duration::from_secs(9)).unwrap();
            Self { _folder: folder, traces }
        }

        fn add(&self, text: &str) {
            let record = json!({"v": 2, "kind": "note", "meta": text}).as_object().unwrap().clone();
            assert_eq!(self.traces.append(&[Entry::whole(record)]).unwrap().found, None);
        }

        fn rotate(&self, day: f64, keep: Option<f64>) -> Rotated {
            let keep = keep.map(|days| days * DAY);
            let wanted = Rotation { larger_than: None, keep, now: day * DAY };
            self.traces.rotate(&wanted).unwrap()
        }

        fn wrong(&self, anchor: Option<&Tip>) -> Vec<&'static str> {
            let report = verify::store(self.traces.path(), anchor).unwrap().unwrap();
            report.problems.iter().map(|problem| problem.trouble.word()).collect()
        }

        fn tip(&self) -> Tip {
            verify::store(self.traces.path(), None).unwrap().unwrap().tip
        }

        fn sealed(&self, number: u32) -> PathBuf {
            segments::sealed_path(self.traces.path(), number)
        }
    }

    #[test]
    fn a_rotated_store_is_one_chain() {
        let shelf = Shelf::new();
        let mut anchors = vec![];
        for day in [1.0, 2.0, 3.0] {
            shelf.add("a");
            shelf.add("b");
            anchors.push(shelf.tip());
            assert!(shelf.rotate(day, None).sealed.is_some());
            // What was just begun is not closed again.
            assert_eq!(shelf.rotate(day, None), Rotated::default());
        }
        shelf.add("c");
        anchors.push(shelf.tip());
        assert_eq!(anchors.iter().map(|tip| tip.count).collect::<Vec<_>>(), [2, 5, 8, 10]);
        for anchor in &anchors {
            assert_eq!(shelf.wrong(Some(anchor)), [""; 0], "{anchor}");
            let other = Tip { hash: "0".repeat(64), ..anchor.clone() };
            assert_eq!(shelf.wrong(Some(&other)), ["anchor"]);
            assert_eq!(segments::before(shelf.traces.path()).unwrap(), 8);
        }
        let last = crate::store::last::last(shelf.traces.path()).unwrap().unwrap();
        assert_eq!((&last.tip, last.wrong), (&anchors[3], None));
        // Each file is sound in itself, and a sealed one is a store with what stands before it.
        assert_eq!(verify::store(&shelf.sealed(2), Some(&anchors[1])).unwrap().unwrap().files, 2);
    }

    #[test]
    fn a_file_that_was_changed_or_removed_shows() {
        let shelf = Shelf::new();
        for day in [1.0, 2.0, 3.0] {
            shelf.add("a");
            shelf.rotate(day, None);
        }
        let middle = fs::read(shelf.sealed(2)).unwrap();
        fs::remove_file(shelf.sealed(2)).unwrap();
        assert_eq!(shelf.wrong(None), ["segment"]);
        fs::write(shelf.sealed(2), &middle[..=middle.iter().position(|it| *it == b'\n').unwrap()])
            .unwrap();
        assert_eq!(shelf.wrong(None), ["cut", "segment"]);
        fs::write(shelf.sealed(2), middle).unwrap();
        assert_eq!(shelf.wrong(None), [""; 0]);
        fs::remove_file(shelf.sealed(1)).unwrap();
        assert_eq!(shelf.wrong(None), ["segment"]);
        fs::remove_file(shelf.traces.path()).unwrap();
        assert!(shelf.wrong(None).contains(&"segment"));
    }

    #[test]
    fn only_what_is_old_is_retired_and_its_end_is_kept() {
        let shelf = Shelf::new();
        let mut anchors = vec![];
        for day in [1.0, 50.0, 95.0] {
            shelf.add("a");
            anchors.push(shelf.tip());
            shelf.rotate(day, None);
        }
        shelf.add("b");
        let retired = shelf.rotate(100.0, Some(90.0)).retired;
        assert_eq!(retired.len(), 1);
        assert_eq!(
            (retired[0].link.tip.clone(), retired[0].retired),
            (anchors[0].clone(), 100.0 * DAY)
        );
        assert!(!shelf.sealed(1).exists() && shelf.sealed(2).exists());
        for anchor in &anchors {
            assert_eq!(shelf.wrong(Some(anchor)), [""; 0]);
        }
        // A tombstone alone excuses nothing that is still needed.
        fs::remove_file(shelf.sealed(2)).unwrap();
        assert_eq!(shelf.wrong(None), ["segment"]);
        assert_eq!(shelf.rotate(1e6, Some(0.0)).retired.len(), 0);
    }

    #[test]
    fn an_interrupted_write_is_recorded_before_the_store_is_sealed() {
        let shelf = Shelf::new();
        shelf.add("a");
        let text = fs::read_to_string(shelf.traces.path()).unwrap();
        fs::write(shelf.traces.path(), text + "{\"v\": 2").unwrap();
        assert_eq!(shelf.rotate(1.0, None).sealed, Some((shelf.sealed(1), 2)));
        shelf.add("b");
        assert_eq!(shelf.wrong(None), [""; 0]);
        let report = verify::store(shelf.traces.path(), None).unwrap().unwrap();
        let [spot] = &report.recovered[..] else { panic!("{report:?}") };
        assert_eq!((spot.file.as_deref(), spot.line), (Some("t.000001.jsonl"), 2));
    }

    #[test]
    fn a_rotation_that_was_stopped_anywhere_is_made_good() {
        let shelf = Shelf::new();
        shelf.add("a");
        let store = shelf.traces.path().to_owned();
        // Stopped when the sealed file was a second name.
        fs::write(reader::head_of(&shelf.sealed(1)), "half").unwrap();
        fs::hard_link(&store, shelf.sealed(1)).unwrap();
        fs::write(store.with_extension("jsonl.next"), "half").unwrap();
        assert_eq!(shelf.wrong(None), [""; 0]);
        shelf.add("b");
        assert_eq!(shelf.rotate(1.0, None).sealed, Some((shelf.sealed(1), 2)));
        assert_eq!(shelf.wrong(None), [""; 0]);
        // Stopped when the new store had the head of the old one.
        fs::copy(reader::head_of(&shelf.sealed(1)), reader::head_of(&store)).unwrap();
        assert_eq!(shelf.wrong(None), ["head"]);
        shelf.add("c");
        assert_eq!(shelf.wrong(None), [""; 0]);
        // Stopped when the tombstone stood, and the file too.
        let link = segments::first_link(&store).unwrap().unwrap();
        let place = OwnedPath::of(&store).unwrap().unwrap();
        bury(&place, &Retired { link, retired: 1.0 }).unwrap();
        assert_eq!(shelf.wrong(None), [""; 0]);
        assert_eq!(shelf.tip().count, 4);
        assert_eq!(shelf.rotate(1e6, Some(1.0)).retired.len(), 1);
        assert_eq!(shelf.wrong(None), [""; 0]);
    }
}
