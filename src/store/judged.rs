//! Which decision was made about an edit that has been made since? Looked for from the end of the
//! store, where it nearly always is; a decision further up than the window is not found.

use super::stored::Stored;
use crate::domain::Session;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
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

/// Returns the newest decision about an edit; none when there is no such record.
pub fn find(store: &Path, wanted: &Wanted) -> io::Result<Option<Stored>> {
    let mut file = match File::open(store) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let length = file.seek(SeekFrom::End(0))?;
    file.seek(SeekFrom::Start(length.saturating_sub(WINDOW)))?;
    let mut bytes = Vec::new();
    file.take(WINDOW).read_to_end(&mut bytes)?;
    // What is named in a record stands in its line; only such a line is worth reading.
    let id = wanted.session.tool_use_id.as_deref().or(wanted.session.session_id.as_deref());
    let id = id.filter(|id| id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'));
    let lines = bytes.rsplit(|byte| *byte == b'\n').filter_map(|line| str::from_utf8(line).ok());
    let likely = lines.filter(|line| id.is_none_or(|id| line.contains(id)));
    let records = likely.filter_map(|line| Stored::parse(line.as_bytes()).ok());
    Ok(records.into_iter().find(|record| is_about(record, wanted)))
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
