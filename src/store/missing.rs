//! What did a head file say that turned out to be gone? The witnesses of lost records.
//!
//! A head file counts the records of a store. When it counts some that are not there, the next
//! append writes a new head, and with the old one would go the only thing that knows of them. So
//! it is kept, one line of JSON for each loss, in a file beside the store, until somebody has
//! looked into it and removes the file.

use super::canonical::spaced;
use super::chain::Tip;
use super::private;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// How much of the file is read.
const LIMIT: u64 = 64 << 10;

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
pub(super) fn keep(store: &Path, loss: &Loss) -> io::Result<()> {
    let Loss { head: Tip { count, hash }, left } = loss;
    let mut line = spaced(&json!({"count": count, "hash": hash, "left": left}));
    line.push('\n');
    private::file().append(true).create(true).open(file_of(store))?.write_all(line.as_bytes())
}

/// Returns the losses of a store, each once.
#[must_use]
pub fn losses(store: &Path) -> Vec<Loss> {
    let path = file_of(store);
    let mut text = Vec::new();
    // What cannot be read tells of no loss; the store itself is read elsewhere.
    if fs::metadata(&path).is_ok_and(|there| there.is_file()) {
        let _ = File::open(path).and_then(|file| file.take(LIMIT).read_to_end(&mut text));
    }
    let lines = text.split(|byte| *byte == b'\n');
    let mut losses: Vec<Loss> =
        lines.filter_map(|line| serde_json::from_slice(line).ok()).collect();
    // A writer that was stopped before it wrote the new head told it twice.
    losses.dedup();
    losses
}
