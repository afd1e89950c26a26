//! Which decision was made about an edit that has been made since? Looked for from the end of the
//! store, where it nearly always is; a decision further up than the window is not found.

use super::database;
use super::owned_path::OwnedPath;
use super::segments::{self, Segmental};
use super::stored::Stored;
use super::traces::{self, Kind, StoreError};
use crate::domain::Session;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// How much of the end is read: a record takes up to 2 MiB, most a few KiB.
const WINDOW: u64 = 8 << 20;

/// The edit whose decision is looked for.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// The client's own names for the call.
    pub session: &'a Session,
    /// The file.
    pub path: &'a str,
}

/// The newest records of a store, of whatever kind it is and in whichever of its files they stand.
///
/// Nothing is read before something is looked for, and no more than it takes to find it.
#[derive(Clone, Debug)]
pub struct Recent {
    store: PathBuf,
    kind: Kind,
    // The ends of the files that were read, the newest file first.
    ends: Vec<Vec<u8>>,
}

impl Recent {
    /// Returns the newest records of the store that was named, see [`traces::place`].
    pub fn named(base: &Path, named: &Path) -> Result<Self, StoreError> {
        let (store, kind) = traces::place(base, named)?;
        Ok(Self { store, kind, ends: Vec::new() })
    }

    /// Returns the newest decision about an edit; none when there is no such record.
    pub fn find(&mut self, wanted: &Wanted) -> Result<Option<Stored>, StoreError> {
        // What is named in a record stands in its line; only such a line is worth reading.
        let id = wanted.session.tool_use_id.as_deref().or(wanted.session.session_id.as_deref());
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        let id = id.filter(|id| id.bytes().all(plain));
        self.newest(|line| {
            let likely = id.is_none_or(|id| line.contains(id));
            let record = likely.then(|| Stored::parse(line.as_bytes()).ok()).flatten()?;
            is_about(&record, wanted).then_some(record)
        })
    }

    /// Tells whether the agent of a session was kept from stopping for the same reasons, by the
    /// name that these have.
    pub fn held(&mut self, session: &Session, reasons: &str) -> Result<bool, StoreError> {
        let Some(session) = session.session_id.as_deref() else { return Ok(false) };
        let held = self.newest(|line| {
            let likely = line.contains(reasons);
            let record = likely.then(|| Stored::parse(line.as_bytes()).ok()).flatten()?;
            let text = |path: &[&str]| record.at(path).and_then(|it| it.as_str());
            let same = text(&["meta", "session_id"]) == Some(session)
                && text(&["meta", "solvi_hook", "reasons"]) == Some(reasons);
            same.then_some(())
        });
        held.map(|held| held.is_some())
    }

    /// Looks at the lines, the newest first, until something is found in one.
    fn newest<T>(
        &mut self,
        mut look: impl FnMut(&str) -> Option<T>,
    ) -> Result<Option<T>, StoreError> {
        if self.kind == Kind::Database {
            return database::newest(&self.store, WINDOW, look);
        }
        let (mut at, mut left) = (0, WINDOW);
        let mut file = self.store.clone();
        while left > 0 {
            if at == self.ends.len() {
                let Some(end) = end_of(&file, left)? else { break };
                self.ends.push(end);
            }
            let Some(end) = self.ends.get(at) else { break };
            let lines = end.rsplit(|byte| *byte == b'\n');
            let found = lines.filter_map(|line| str::from_utf8(line).ok()).find_map(&mut look);
            if found.is_some() {
                return Ok(found);
            }
            at += 1;
            left = left.saturating_sub(end.len() as u64);
            // A file that continues another names it in its first record.
            let first = end.split(|byte| *byte == b'\n').next().unwrap_or_default();
            let previous =
                Segmental::read(first).map(|it| file.with_file_name(it.segment.previous));
            match previous.filter(|it| segments::store_of(it).as_ref() == Some(&self.store)) {
                Some(previous) => file = previous,
                None => break,
            }
        }
        Ok(None)
    }
}

/// Returns the end of a file, up to a length; none when there is no such file.
fn end_of(file: &Path, most: u64) -> Result<Option<Vec<u8>>, StoreError> {
    let place = OwnedPath::of(file)?;
    let opened = place.map(|it| it.folder.read(&it.name)).transpose()?.flatten();
    let Some(mut opened) = opened else { return Ok(None) };
    let mut bytes = Vec::new();
    let read = opened.seek(SeekFrom::End(0)).and_then(|length| {
        opened.seek(SeekFrom::Start(length.saturating_sub(most)))?;
        opened.take(most).read_to_end(&mut bytes)
    });
    let cannot = |source| StoreError::Io { act: "read", path: file.to_owned(), source };
    read.map_err(cannot).map(|_| Some(bytes))
}

fn is_about(record: &Stored, wanted: &Wanted) -> bool {
    let named = |key: &str| record.at(&["meta", key]).and_then(|name| name.as_str());
    let (call, session) = (&wanted.session.tool_use_id, &wanted.session.session_id);
    let same_call = match (call, named("tool_use_id")) {
        (Some(call), name) => name == Some(call),
        (None, _) => named("session_id") == session.as_deref(),
    };
    same_call && record.question() == Some("edit") && record.path() == Some(wanted.path)
}

/// Returns the file as it was expected when the edit was judged, where the record kept it.
#[must_use]
pub fn text(record: &Stored) -> Option<&str> {
    // A record that was born erased holds a masked text at most.
    let kept = record.at(&["response", "trace", "init", "result_text"])?;
    kept.as_str().filter(|_| !record.is_redacted())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use serde_json::json;

    #[test]
    fn the_newest_decision_about_the_same_call_and_file_is_found() {
        let line = |hash: &str, question: &str, call: &str, path: &str| {
            let meta = json!({"tool_use_id": call, "session_id": "s", "path": path});
            json!({"hash": hash, "answers": {question: []}, "meta": meta}).to_string()
        };
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("t.jsonl");
        let named = || Recent::named(folder.path(), Path::new("t.jsonl")).unwrap();
        let nobody = Wanted { session: &Session::default(), path: "a" };
        assert_eq!(named().find(&nobody).unwrap(), None);
        let lines = [
            line("1", "edit", "c_1", "a"),
            line("2", "edit", "c_1", "a"),
            line("3", "written", "c_1", "a"),
            line("4", "edit", "c_2", "a"),
            line("5", "edit", "c_1", "b"),
            "no record of c_1".to_owned(),
        ];
        std::fs::write(&store, lines.join("\n")).unwrap();
        let mut recent = named();
        let mut find = |call: Option<&str>, path| {
            let session = Session {
                tool_use_id: call.map(str::to_owned),
                session_id: Some("s".to_owned()),
                ..Session::default()
            };
            let found = recent.find(&Wanted { session: &session, path }).unwrap();
            found.map(|record| record.hash().to_owned()).unwrap_or_default()
        };
        assert_eq!(find(Some("c_1"), "a"), "2");
        assert_eq!(find(Some("c_3"), "a"), "");
        // A client that names no call is known by its session.
        assert_eq!(find(None, "a"), "4");
    }
}
