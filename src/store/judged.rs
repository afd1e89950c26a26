//! Which decision was made about an edit that has been made since? Looked for from the end of the
//! store, where it nearly always is; a decision further up than the window is not found.

use super::owned_path::OwnedPath;
use super::stored::Stored;
use super::traces::StoreError;
use crate::domain::Session;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

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

/// The end of a store.
#[derive(Clone, Debug, Default)]
pub struct Recent(Vec<u8>);

impl Recent {
    /// Reads the end of a store; one that is not there has none.
    pub fn of(store: &Path) -> Result<Self, StoreError> {
        let place = OwnedPath::of(store)?;
        let Some(mut file) = place.map(|it| it.folder.read(&it.name)).transpose()?.flatten() else {
            return Ok(Self::default());
        };
        let mut bytes = Vec::new();
        let read = file.seek(SeekFrom::End(0)).and_then(|length| {
            file.seek(SeekFrom::Start(length.saturating_sub(WINDOW)))?;
            file.take(WINDOW).read_to_end(&mut bytes)
        });
        let cannot = |source| StoreError::Io { act: "read", path: store.to_owned(), source };
        read.map_err(cannot).map(|_| Self(bytes))
    }

    /// Returns the newest decision about an edit; none when there is no such record.
    #[must_use]
    pub fn find(&self, wanted: &Wanted) -> Option<Stored> {
        // What is named in a record stands in its line; only such a line is worth reading.
        let id = wanted.session.tool_use_id.as_deref().or(wanted.session.session_id.as_deref());
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        let id = id.filter(|id| id.bytes().all(plain));
        let lines = self.0.rsplit(|byte| *byte == b'\n').filter_map(|it| str::from_utf8(it).ok());
        let likely = lines.filter(|line| id.is_none_or(|id| line.contains(id)));
        let mut records = likely.filter_map(|line| Stored::parse(line.as_bytes()).ok());
        records.find(|record| is_about(record, wanted))
    }

    /// Tells whether the agent of a session was kept from stopping for the same reasons, by the
    /// name that these have.
    #[must_use]
    pub fn held(&self, session: &Session, reasons: &str) -> bool {
        let Some(session) = session.session_id.as_deref() else { return false };
        let lines = self.0.rsplit(|byte| *byte == b'\n').filter_map(|it| str::from_utf8(it).ok());
        let likely = lines.filter(|line| line.contains(reasons));
        likely.filter_map(|line| Stored::parse(line.as_bytes()).ok()).any(|record| {
            let text = |path: &[&str]| record.at(path).and_then(|it| it.as_str());
            text(&["meta", "session_id"]) == Some(session)
                && text(&["meta", "solvi_hook", "reasons"]) == Some(reasons)
        })
    }
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
        assert!(Recent::of(&store).unwrap().0.is_empty());
        let lines = [
            line("1", "edit", "c_1", "a"),
            line("2", "edit", "c_1", "a"),
            line("3", "written", "c_1", "a"),
            line("4", "edit", "c_2", "a"),
            line("5", "edit", "c_1", "b"),
            "no record of c_1".to_owned(),
        ];
        std::fs::write(&store, lines.join("\n")).unwrap();
        let recent = Recent::of(&store).unwrap();
        let find = |call: Option<&str>, path| {
            let session = Session {
                tool_use_id: call.map(str::to_owned),
                session_id: Some("s".to_owned()),
                ..Session::default()
            };
            let found = recent.find(&Wanted { session: &session, path });
            found.map(|record| record.hash().to_owned()).unwrap_or_default()
        };
        assert_eq!(find(Some("c_1"), "a"), "2");
        assert_eq!(find(Some("c_3"), "a"), "");
        // A client that names no call is known by its session.
        assert_eq!(find(None, "a"), "4");
    }
}
