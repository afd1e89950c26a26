//! What tests of the clients share: a project out of a recorded case, and what is left of it.

#![allow(clippy::unwrap_used, reason = "tests")]

use crate::domain::{Change, Content, Files, Place, RepoPath, Stored};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// Files by their path; a folder is what lies above one of them.
pub(super) struct Table(Map<String, Value>);

impl Table {
    pub(super) fn of(files: &Value) -> Self {
        Self(files.as_object().unwrap().clone())
    }

    pub(super) fn is_folder(&self, place: &Place) -> bool {
        let folder = format!("{place}/");
        self.0.keys().any(|path| path.starts_with(&folder))
    }
}

impl Files for Table {
    fn place(&self, written: &str) -> Result<Place, String> {
        let mut parts = Vec::new();
        for part in written.split('/') {
            match part {
                "." => {}
                ".." if !parts.is_empty() => drop(parts.pop()),
                part => parts.push(part),
            }
        }
        let path = parts.join("/");
        Ok(RepoPath::new(&path).map_or(Place::Outside(path), Place::Inside))
    }

    fn read(&self, place: &Place) -> Stored {
        match self.0.get(place.as_str()).and_then(Value::as_str) {
            Some(text) => Stored::Bytes(text.as_bytes().to_vec()),
            None if self.is_folder(place) => Stored::Unknown("a folder stands there".to_owned()),
            None => Stored::Absent,
        }
    }

    fn folders(&self) -> Option<Vec<String>> {
        let above = |path: &String| {
            path.match_indices('/').map(|(end, _)| path[..end].to_owned()).collect::<Vec<_>>()
        };
        let folders: BTreeSet<String> = self.0.keys().flat_map(above).collect();
        Some(folders.into_iter().collect())
    }
}

/// Returns the project after the changes.
pub(super) fn left(before: &Value, changes: &[Change]) -> Value {
    let mut files = before.as_object().unwrap().clone();
    for change in changes {
        let path = change.place.to_string();
        match &change.after {
            Content::Text(text) => drop(files.insert(path, text.as_str().into())),
            Content::Absent => drop(files.remove(&path)),
            Content::Binary | Content::Unknown(_) => {}
        }
    }
    files.into()
}

/// Returns the recorded payloads of a client by their names, for a project in `/r`.
// The mark tells the test of the rooms' walls that no product code reads these files.
#[cfg(test)]
pub(super) fn payloads(client: &str) -> Vec<(String, String)> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/payloads");
    let mut payloads = Vec::new();
    for entry in std::fs::read_dir(folder.join(client)).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if name.contains(".reply") {
            continue;
        }
        payloads.push((name, std::fs::read_to_string(path).unwrap().replace("{ROOT}", "/r")));
    }
    payloads.sort();
    payloads
}
