//! Is the end of a store sound? Only the end is looked at, and nothing is written.

use super::chain::{Tip, record_hash};
use super::database::{self, LastRow};
use super::missing::{self, Losses};
use super::owned_path::OwnedPath;
use super::segments;
use super::tail::{self, Tail};
use super::traces::StoreError;
use serde_json::{Map, Value};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// How much of the end is read in search of the last record.
const WINDOW: u64 = 8 << 20;

/// How much of a head file is read.
const HEAD_LIMIT: u64 = 1 << 12;

/// The end of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Last {
    /// The end of the chain; it counts the records of the sealed files before, too.
    pub tip: Tip,
    /// What is wrong with the end; none when it is sound.
    pub wrong: Option<&'static str>,
}

/// Looks at the end of a store; none when there is no store.
pub fn last(path: &Path) -> Result<Option<Last>, StoreError> {
    let cannot = |source| StoreError::Io { act: "read", path: path.to_owned(), source };
    let Some(place) = OwnedPath::of(path)? else { return Ok(None) };
    let Some(mut file) = place.folder.read(&place.name)? else { return Ok(None) };
    if database::begins(&mut file).map_err(cannot)? {
        return last_row(path).map(Some);
    }
    let before = segments::before(path)?;
    let head = place.folder.read_up_to(&place.beside(".head"), HEAD_LIMIT).ok().flatten();
    let Tail { tip, torn, .. } = tail::find(&mut file, head.as_deref()).map_err(cannot)?;
    let newest = newest(&mut file).map_err(cannot)?;
    let wrong = wrong(newest, &tip, head.as_deref(), torn, &missing::losses(path));
    let tip = Tip { count: before.saturating_add(tip.count), hash: tip.hash };
    Ok(Some(Last { tip, wrong }))
}

/// Looks at the end of a database.
fn last_row(path: &Path) -> Result<Last, StoreError> {
    let LastRow { tip, body, head } = database::last(path)?;
    let newest = body.and_then(|body| serde_json::from_slice(&body).ok());
    let wrong = wrong(newest, &tip, head.as_deref(), false, &missing::losses(path));
    Ok(Last { tip, wrong })
}

/// Says what is wrong with the end of a chain, of which the last record was read.
fn wrong(
    newest: Option<Map<String, Value>>,
    tip: &Tip,
    head: Option<&[u8]>,
    torn: bool,
    losses: &Losses,
) -> Option<&'static str> {
    match newest {
        _ if torn => Some("its last line is torn: a writer was stopped in the middle of it"),
        None if *tip == Tip::default() => None,
        None => Some("its last line is no record"),
        Some(record) if record.get("hash") != Some(&tip.hash.clone().into()) => {
            Some("its last line is no record of the chain")
        }
        Some(record) if record_hash(&record) != tip.hash => {
            Some("its last record is not what its hash was taken over")
        }
        Some(_) if head.is_none() => {
            Some("its head file is gone, so that missing records would not show")
        }
        Some(_) if head.and_then(|head| serde_json::from_slice(head).ok()) != Some(tip.clone()) => {
            Some("its head file does not agree with its last record")
        }
        Some(_) if losses.wrong.is_some() => {
            Some("its list of lost records holds what no writer leaves")
        }
        Some(_) if !losses.list.is_empty() => Some("records were lost before the newest ones"),
        Some(_) => None,
    }
}

/// Returns the record in the last line.
fn newest(file: &mut File) -> io::Result<Option<Map<String, Value>>> {
    let length = file.seek(SeekFrom::End(0))?;
    file.seek(SeekFrom::Start(length.saturating_sub(WINDOW)))?;
    let mut bytes = Vec::new();
    file.take(WINDOW).read_to_end(&mut bytes)?;
    let line = bytes.trim_ascii_end().rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    Ok(serde_json::from_slice(line).ok())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use crate::store::chain::Entry;
    use crate::store::traces::Traces;
    use serde_json::json;
    use std::fs;
    use std::time::Duration;

    #[test]
    fn the_end_of_a_store_is_sound_until_somebody_changes_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.jsonl");
        assert_eq!(last(&path).unwrap(), None);
        let store = Traces::at(&path, Duration::from_secs(9)).unwrap();
        for text in ["one", "two"] {
            let Value::Object(record) = json!({"v": 2, "kind": "ask", "meta": text}) else {
                unreachable!()
            };
            store.append(&[Entry::whole(record)]).unwrap();
        }
        let Last { tip, wrong } = last(&path).unwrap().unwrap();
        assert_eq!((tip.count, wrong), (2, None));
        let text = fs::read_to_string(&path).unwrap();
        let wrong = |text: &str| {
            fs::write(&path, text).unwrap();
            last(&path).unwrap().unwrap().wrong.unwrap_or_default()
        };
        assert!(wrong(&text.replace("two", "too")).contains("hash"));
        assert!(wrong(text.trim_end()).contains("torn"));
        assert!(wrong(&format!("{text}more\n")).contains("no record"));
        let first = text.lines().next().unwrap();
        assert!(wrong(&format!("{first}\n")).contains("head file does not agree"));
        fs::remove_file(folder.path().join("t.jsonl.head")).unwrap();
        assert!(wrong(&text).contains("head file is gone"));
    }
}
