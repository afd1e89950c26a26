//! What did a head file say that turned out to be gone? The witnesses of lost records.
//!
//! A head file counts the records of a store. When it counts some that are not there, the next
//! append writes a new head, and with the old one would go the only thing that knows of them. So
//! it is kept, one line of JSON for each loss, in a file beside the store, until somebody has
//! looked into it and removes the file.

use super::canonical::spaced;
use super::chain::Tip;
use super::owned_path::OwnedPath;
use super::traces::StoreError;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// What the name of the file ends in.
pub(super) const ENDING: &str = ".missing";

/// How much of the file is read: some hundred thousand losses.
const LIMIT: u64 = 32 << 20;

/// A loss of records.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loss {
    /// What the head file said.
    #[serde(flatten)]
    pub head: Tip,
    /// How many records there were then.
    pub left: u64,
}

/// Returns where the losses of a store are kept.
#[must_use]
pub fn file_of(store: &Path) -> PathBuf {
    let mut path = store.as_os_str().to_owned();
    path.push(".missing");
    path.into()
}

/// Keeps a loss.
pub(super) fn keep(place: &OwnedPath, loss: &Loss) -> Result<(), StoreError> {
    let Loss { head: Tip { count, hash }, left } = loss;
    let line = spaced(&json!({"count": count, "hash": hash, "left": left}));
    let name = place.beside(ENDING);
    let mut file = place.folder.append(&name)?;
    // A line that has no end must not swallow this one.
    let mut last = [b'\n'];
    let read = file.seek(SeekFrom::End(0)).and_then(|length| match length {
        0 => Ok(()),
        _ => file.seek(SeekFrom::End(-1)).and_then(|_| file.read_exact(&mut last)),
    });
    let begin = if last == *b"\n" { "" } else { "\n" };
    let kept = read.and_then(|()| file.write_all(format!("{begin}{line}\n").as_bytes()));
    kept.map_err(|source| {
        let path = place.folder.path().join(name);
        StoreError::Io { act: "write", path, source }
    })
}

/// What is known of the losses of a store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Losses {
    /// The losses, each once.
    pub list: Vec<Loss>,
    /// What is wrong with the file that names them: what no writer leaves hides losses.
    pub wrong: Option<String>,
}

/// Returns the losses of a store.
#[must_use]
pub fn losses(store: &Path) -> Losses {
    let read = OwnedPath::of(store).and_then(|place| match place {
        Some(place) => place.folder.read_up_to(&place.beside(ENDING), LIMIT + 1),
        None => Ok(None),
    });
    let text = match read {
        Ok(text) => text.unwrap_or_default(),
        Err(error) => return Losses { list: Vec::new(), wrong: Some(error.to_string()) },
    };
    let mut losses = of_text(&text);
    if text.len() as u64 > LIMIT {
        losses.wrong = Some(format!("it is longer than {} MiB", LIMIT >> 20));
    }
    losses
}

/// Reads the losses in the text of the file.
#[must_use]
pub fn of_text(text: &[u8]) -> Losses {
    let mut losses = Losses::default();
    for (at, line) in text.split(|byte| *byte == b'\n').enumerate() {
        match serde_json::from_slice(line) {
            Ok(loss) => losses.list.push(loss),
            Err(_) if line.is_empty() => {}
            Err(_) => {
                let wrong = || format!("line {} of it is none that solvi-hook writes", at + 1);
                losses.wrong.get_or_insert_with(wrong);
            }
        }
    }
    // A writer that was stopped before it wrote the new head told it twice.
    losses.list.dedup();
    losses
}
