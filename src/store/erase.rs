//! How is the content of a record erased, when it should never have been kept? The record stays in
//! its place with its hash, so the chain holds; a new record says who erased it, and why.
//!
//! The store is written anew beside the old one, synced and renamed over it, under the lock that
//! every writer takes: whoever waits for it finds another file in its place and opens that. A
//! process that is killed leaves the old store or the new one, whole. It may leave the head file
//! of the old one beside the new one; the next writer corrects that, as after any writer.
//!
//! A record in a sealed file is erased in the same way, and noted in the store: first noted, then
//! erased, so that a process that is killed in between leaves one that can be erased again.

use super::chain::{self, Entry, Tip};
use super::find::{self, Found, Placed};
use super::interrupted;
use super::owned_path::OwnedPath;
use super::private;
use super::reader::Reader;
use super::segments::{self, Segment};
use super::stored::{Kind, Stored};
use super::tail;
use super::traces::{self, Head, Kind as Layout, Locked, StoreError, Traces};
use super::{database, wipe};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

/// Which record is erased, by whom and why.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Erasure<'a> {
    /// The record's id, or the beginning of it.
    pub id: &'a str,
    /// Who erases.
    pub by: &'a str,
    /// Why.
    pub note: &'a str,
    /// When, in seconds since the Unix epoch.
    pub time: f64,
}

/// What was erased.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Erased {
    /// The id of the record whose content is gone.
    pub id: String,
    /// The id of the record that says so.
    pub noted: String,
}

/// Why nothing was erased.
#[derive(Debug, thiserror::Error)]
pub enum EraseError {
    /// The store cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// There is no store.
    #[error("there is no such file")]
    NoStore,
    /// There is no such record.
    #[error("no record of the store has an id that begins with `{0}`")]
    Unknown(String),
    /// More than one record is meant.
    #[error("more than one id begins like that: {}", .0.join(", "))]
    Many(Vec<String>),
    /// A sealed file was named, in place of the store.
    #[error("it is a sealed file of `{store}`, and what is erased is noted there", store = .0.display())]
    Sealed(PathBuf),
    /// It was erased before.
    #[error("record {0} is redacted already")]
    Already(String),
    /// There is nothing in it that could be erased.
    #[error("record {0} has no content that could be erased")]
    Empty(String),
    /// It is not what was written, and erasing it would hide that.
    #[error("record {0} was changed after it was written, or is of a format without digests")]
    Unsound(String),
}

impl Traces {
    /// Erases the content of a record, in whichever file of the store it stands.
    pub fn erase(&self, erasure: &Erasure<'_>) -> Result<Erased, EraseError> {
        // To lock a store makes one where there is none.
        let place = OwnedPath::of(self.path()).map_err(StoreError::from)?;
        let file = place.map(|place| place.folder.read(&place.name)).transpose();
        let Some(mut file) = file.map_err(StoreError::from)?.flatten() else {
            return Err(EraseError::NoStore);
        };
        let is_database = database::begins(&mut file).map_err(self.cannot("read"))?;
        if self.kind() == Layout::Database || is_database {
            return wipe::erase(self.path(), erasure, self.patience());
        }
        // The record that says so is added at the end, and a sealed file has its end.
        if let Some(store) = segments::store_of(self.path()).filter(|store| store.exists()) {
            return Err(EraseError::Sealed(store));
        }
        let Locked { place, mut file } = self.locked()?;
        self.expect_lines(&mut file)?;
        let mut sealed = segments::segments(self.path())?;
        sealed.pop();
        let placed = self.find(&sealed, &file, erasure.id)?;
        let head = Head::open(&place)?;
        let tail = tail::find(&mut file, head.text()).map_err(self.cannot("read"))?;
        let id = placed.record.id().to_owned();
        let line = match erased(&placed.record, erasure) {
            Ok(line) => line,
            Err(error) => {
                // Whoever erased it may have been stopped before the head was written.
                mend_head(head, &place, &tail.tip)?;
                return Err(error);
            }
        };
        let (mut lines, time) = (String::new(), erasure.time.into());
        let mut tip = interrupted::end_line(&mut file, &tail, Some(&time), &mut lines)
            .map_err(self.cannot("read"))?;
        if let Some(doubt) = tail.doubt {
            traces::found(doubt, &tail.tip, &place)?;
        }
        let record = chain::redaction(erasure.by, erasure.note, erasure.time, &placed.record);
        let noted = Entry::whole(record).place(&mut tip, &mut lines);
        if let Some(segment) = sealed.get(placed.file) {
            let sealed = Self::at(&segment.path, self.patience())?;
            let mut old = sealed.locked()?;
            // All that may fail is done before it is noted, but for the renaming.
            let rewrite = sealed.rewrite(&mut old, &placed, &line, "")?;
            let head = head.next(&place, &tip)?;
            self.write(&mut file, &lines)?;
            head.put(&place)?;
            rewrite.put().map_err(sealed.cannot("replace"))?;
        } else {
            let mut old = Locked { place, file };
            let rewrite = self.rewrite(&mut old, &placed, &line, &lines)?;
            let place = rewrite.place;
            let head = head.next(place, &tip)?;
            let _locked = rewrite.put().map_err(self.cannot("replace"))?;
            head.put(place)?;
        }
        Ok(Erased { id, noted })
    }

    /// Finds a record in the sealed files, and in the store.
    fn find(&self, sealed: &[Segment], store: &File, id: &str) -> Result<Box<Placed>, EraseError> {
        let gone = || self.cannot("read")(io::ErrorKind::NotFound.into());
        let mut opened = Vec::new();
        for segment in sealed {
            let place = OwnedPath::of(&segment.path).map_err(StoreError::from)?.ok_or_else(gone)?;
            let file = place.folder.read(&place.name).map_err(StoreError::from)?;
            opened.push(file.ok_or_else(gone)?);
        }
        let mut store = store.try_clone().map_err(self.cannot("read"))?;
        store.seek(SeekFrom::Start(0)).map_err(self.cannot("read"))?;
        opened.push(store);
        let reader = |file| Reader::new(BufReader::with_capacity(1 << 18, file));
        let mut files: Vec<_> = opened.into_iter().map(reader).collect();
        match find::by_id(&mut files, id).map_err(self.cannot("read"))? {
            Found::One(placed) => Ok(placed),
            Found::None => Err(EraseError::Unknown(id.to_owned())),
            Found::Many(ids) => Err(EraseError::Many(ids)),
        }
    }

    /// Writes a file beside this one that has another line at the record's place, and more lines
    /// at its end.
    fn rewrite<'s>(
        &self,
        store: &'s mut Locked,
        placed: &Placed,
        line: &str,
        more: &str,
    ) -> Result<Rewrite<'s>, StoreError> {
        let Locked { place, file } = store;
        let beside = place.beside(".rewrite");
        let fresh = place.folder.create(&beside)?;
        let rewrite = Rewrite { fresh, beside, place };
        let copied =
            rewrite.take_after(file).and_then(|()| copy(file, &rewrite.fresh, placed, line, more));
        copied.map_err(self.cannot("write beside")).map(|()| rewrite)
    }
}

fn mend_head(head: Head, place: &OwnedPath, tip: &Tip) -> Result<(), StoreError> {
    let said = head.text().and_then(|head| serde_json::from_slice::<Tip>(head).ok());
    if said.as_ref() == Some(tip) {
        return Ok(());
    }
    head.next(place, tip)?.put(place)
}

/// A file that is to take the place of another; it is removed if it never does.
struct Rewrite<'s> {
    fresh: File,
    beside: OsString,
    place: &'s OwnedPath,
}

impl Rewrite<'_> {
    /// Takes owner and mode of the other, and locks the file before anybody has it for the store.
    fn take_after(&self, old: &File) -> io::Result<()> {
        private::take_after(&self.fresh, &old.metadata()?)?;
        self.fresh.lock()
    }

    /// Puts it there; it stays locked as long as what is returned lives.
    fn put(self) -> io::Result<Self> {
        self.place.folder.rename(&self.beside, &self.place.name)?;
        self.place.folder.sync();
        Ok(self)
    }
}

impl Drop for Rewrite<'_> {
    fn drop(&mut self) {
        let _ = self.place.folder.remove(&self.beside);
    }
}

/// Returns the line of a record without its content.
pub(super) fn erased(record: &Stored, erasure: &Erasure<'_>) -> Result<String, EraseError> {
    let id = record.id().to_owned();
    if record.is_redacted() {
        return Err(EraseError::Already(id));
    }
    if matches!(record.kind(), Kind::Redaction | Kind::Segment | Kind::Recovery) {
        return Err(EraseError::Empty(id));
    }
    let hash = record.hash();
    let left = chain::erased(record.fields().clone(), erasure.by, erasure.note);
    if chain::record_hash(record.fields()) != hash || chain::record_hash(&left) != hash {
        return Err(EraseError::Unsound(id));
    }
    Ok(super::canonical::spaced(&left.into()) + "\n")
}

fn copy(old: &mut File, new: &File, placed: &Placed, line: &str, more: &str) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 18, new);
    old.seek(SeekFrom::Start(0))?;
    io::copy(&mut old.take(placed.offset), &mut out)?;
    out.write_all(line.as_bytes())?;
    old.seek(SeekFrom::Start(placed.offset + placed.length + 1))?;
    let rest = io::copy(old, &mut out)?;
    // A torn last line is ended; when it is the one that was erased, it has its end already.
    let more = if rest == 0 { more.strip_prefix('\n').unwrap_or(more) } else { more };
    out.write_all(more.as_bytes())?;
    out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::store::reader::Snapshot;
    use crate::store::rotate::Rotation;
    use crate::store::verify::{self, verify};
    use serde_json::{Map, Value, json};
    use std::fs;
    use std::time::Duration;
    use tempfile::TempDir;

    fn entry(text: &str) -> Entry {
        let trace = json!({"init_hash": "0", "init": {}, "records": []});
        let result = json!({"answer": "deny", "confidence": 1.0, "status": "ok"});
        let Value::Object(record) = json!({
            "v": 2, "kind": "ask", "time": 1.5, "init_hash": "0", "meta": {"path": text},
            "answers": {"edit": ["deny", 1.0, "ok"]}, "records": [],
            "response": {"results": {"edit": result}, "flow": {"steps": []}, "trace": trace},
        }) else {
            unreachable!()
        };
        Entry::whole(record)
    }

    fn store(count: usize) -> (TempDir, Traces, Vec<String>) {
        let folder = tempfile::tempdir().unwrap();
        let traces = Traces::at(folder.path().join("t.jsonl"), Duration::from_secs(20)).unwrap();
        let ids = (0..count).map(|at| traces.append(&[entry(&format!("a-secret-{at}"))]).unwrap());
        let ids = ids.flat_map(|appended| appended.ids).collect();
        (folder, traces, ids)
    }

    fn erasure(id: &str) -> Erasure<'_> {
        Erasure { id, by: "Ada", note: "a key", time: 2.5 }
    }

    fn text(traces: &Traces) -> String {
        fs::read_to_string(traces.path()).unwrap()
    }

    #[track_caller]
    fn assert_sound(traces: &Traces, count: u64) {
        let mut snapshot = Snapshot::open(traces.path()).unwrap().unwrap();
        let report = verify(&mut snapshot.lines, snapshot.head.as_deref(), None).unwrap();
        assert_eq!((report.problems, report.tip.count), (vec![], count));
    }

    #[test]
    fn the_content_goes_and_the_chain_stays() {
        let (folder, traces, ids) = store(3);
        let before = text(&traces);
        let erased = traces.erase(&erasure(&ids[1][..9])).unwrap();
        assert_eq!(erased.id, ids[1]);
        assert_sound(&traces, 4);
        let after = text(&traces);
        assert!(!after.contains("a-secret-1") && after.contains("a-secret-2"));
        let lines: Vec<&str> = after.lines().collect();
        assert_eq!(
            (lines[0], lines[2]),
            (before.lines().next().unwrap(), before.lines().nth(2).unwrap())
        );
        let noted: Map<String, Value> = serde_json::from_str(lines[3]).unwrap();
        assert_eq!((&noted["id"], &noted["of"]), (&json!(erased.noted), &json!(ids[1])));
        assert_eq!((&noted["by"], &noted["note"]), (&json!("Ada"), &json!("a key")));
        traces.append(&[entry("more")]).unwrap();
        assert_sound(&traces, 5);
        let names = fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(names, 2, "the store and its head");
    }

    #[test]
    fn what_cannot_be_erased_is_told_and_nothing_changes() {
        let (_folder, traces, ids) = store(2);
        traces.erase(&erasure(&ids[0])).unwrap();
        let before = text(&traces);
        let noted: Value = serde_json::from_str(before.lines().last().unwrap()).unwrap();
        let refused = |id: &str| traces.erase(&erasure(id)).unwrap_err();
        assert!(matches!(refused(&ids[0]), EraseError::Already(id) if id == ids[0]));
        assert!(matches!(refused("0123456789"), EraseError::Unknown(_)));
        assert!(matches!(refused(""), EraseError::Unknown(_)));
        assert!(matches!(refused(noted["id"].as_str().unwrap()), EraseError::Empty(_)));
        assert_eq!(text(&traces), before);
        fs::write(traces.path(), before.replace("a-secret-1", "a-secret-7")).unwrap();
        assert!(matches!(refused(&ids[1]), EraseError::Unsound(_)));
        let none = Traces::at(traces.path().with_extension("none"), Duration::ZERO).unwrap();
        assert!(matches!(none.erase(&erasure("a")), Err(EraseError::NoStore)));
        assert!(!none.path().exists());
    }

    #[test]
    fn a_head_that_was_left_behind_is_corrected() {
        let (_folder, traces, ids) = store(2);
        let head = crate::store::reader::head_of(traces.path());
        let stale = fs::read(&head).unwrap();
        traces.erase(&erasure(&ids[0])).unwrap();
        fs::write(&head, stale).unwrap();
        assert!(matches!(traces.erase(&erasure(&ids[0])), Err(EraseError::Already(_))));
        assert_sound(&traces, 3);
    }

    #[test]
    fn a_torn_line_stays_a_line_of_its_own() {
        let (_folder, traces, ids) = store(2);
        fs::write(traces.path(), text(&traces) + "{\"v\": 2, \"ki").unwrap();
        traces.erase(&erasure(&ids[0])).unwrap();
        assert_eq!(text(&traces).lines().nth(2), Some("{\"v\": 2, \"ki"));
        assert_eq!(text(&traces).lines().count(), 5);
        assert_sound(&traces, 4);
        let told: Value = serde_json::from_str(text(&traces).lines().nth(3).unwrap()).unwrap();
        let refused = traces.erase(&erasure(told["id"].as_str().unwrap()));
        assert!(matches!(refused, Err(EraseError::Empty(_))), "{told}");
        let (_folder, traces, ids) = store(2);
        fs::write(traces.path(), text(&traces).trim_end()).unwrap();
        traces.erase(&erasure(&ids[1])).unwrap();
        assert_sound(&traces, 3);
    }

    #[test]
    fn whoever_waits_for_the_old_store_writes_to_the_new_one() {
        let (_folder, traces, ids) = store(30);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..25).for_each(|_| drop(traces.append(&[entry("x")]).unwrap())));
            }
            let traces = &traces;
            scope.spawn(move || {
                for id in ids {
                    traces.erase(&erasure(&id)).unwrap();
                }
            });
        });
        assert_sound(&traces, 30 + 100 + 30);
        assert!(!text(&traces).contains("a-secret"));
    }

    #[cfg(unix)]
    #[test]
    fn the_mode_stays_and_a_link_is_refused() {
        use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

        let (folder, traces, ids) = store(2);
        let mode = |path: &std::path::Path| fs::metadata(path).unwrap().mode() & 0o777;
        traces.erase(&erasure(&ids[0])).unwrap();
        assert_eq!(mode(traces.path()), 0o600);
        fs::set_permissions(traces.path(), fs::Permissions::from_mode(0o640)).unwrap();
        let link = folder.path().join("link.jsonl");
        symlink(traces.path(), &link).unwrap();
        let linked = Traces::at(&link, Duration::ZERO).unwrap();
        let refused = linked.erase(&erasure(&ids[1])).unwrap_err().to_string();
        assert!(refused.contains("is a symbolic link"), "{refused}");
        assert!(text(&traces).contains("a-secret-1"));
        traces.erase(&erasure(&ids[1])).unwrap();
        assert_eq!(mode(traces.path()), 0o640);
        assert!(!text(&traces).contains("a-secret"));
    }

    #[test]
    fn what_was_noted_and_not_erased_in_a_sealed_file_is_erased_by_the_next_try() {
        let (_folder, traces, ids) = store(2);
        traces.rotate(&Rotation::default()).unwrap();
        let sealed = segments::sealed_path(traces.path(), 1);
        let first = fs::read_to_string(&sealed).unwrap();
        let record = Stored::parse(first.lines().next().unwrap().as_bytes()).unwrap();
        traces.append(&[Entry::whole(chain::redaction("Ada", "a key", 2.0, &record))]).unwrap();
        assert_eq!(traces.erase(&erasure(&ids[0])).unwrap().id, ids[0]);
        assert!(!fs::read_to_string(&sealed).unwrap().contains("a-secret-0"));
        let report = verify::store(traces.path(), None).unwrap().unwrap();
        assert_eq!((report.problems, report.tip.count), (vec![], 5));
    }
}
