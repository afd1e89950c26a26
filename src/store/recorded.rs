//! What the file system has recorded about a name: its spelling, where upper and lower case or
//! composed and decomposed letters are the same file, and whether it is a file at all.

use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use unicode_normalization::UnicodeNormalization;

/// Returns the path of `name` in `folder` with the spelling that the folder lists.
///
/// Only a folder in which another spelling finds the same file is listed at all; the test costs
/// one look-up a name.
#[must_use]
pub fn spelling(folder: &Path, name: &OsStr, meta: &Metadata) -> PathBuf {
    let path = folder.join(name);
    let Some(text) = name.to_str() else { return path };
    let folds = other_spellings(text)
        .iter()
        .any(|other| fs::symlink_metadata(folder.join(other)).is_ok_and(|it| same(&it, meta)));
    if !folds {
        return path;
    }
    let Ok(entries) = fs::read_dir(folder) else { return path };
    let key = folded(text);
    let listed = entries.flatten().find(|entry| {
        let listed = entry.file_name();
        listed.to_str().is_some_and(|listed| folded(listed) == key)
            && entry.metadata().is_ok_and(|it| same(&it, meta))
    });
    listed.map_or(path, |entry| entry.path())
}

/// Returns spellings of a name that only a folding file system takes for the same file.
fn other_spellings(name: &str) -> Vec<String> {
    let swapped = |char: char| {
        if char.is_lowercase() {
            char.to_uppercase().collect::<String>()
        } else {
            char.to_lowercase().collect()
        }
    };
    let mut others = vec![name.chars().map(swapped).collect::<String>()];
    if !name.is_ascii() {
        others.push(name.nfc().collect());
        others.push(name.nfd().collect());
    }
    others.retain(|other| other != name);
    others
}

fn folded(name: &str) -> String {
    name.nfc().collect::<String>().to_lowercase()
}

#[cfg(unix)]
fn same(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    // A second name of the same file (a hard link) is no other spelling of a single entry.
    one.dev() == other.dev() && one.ino() == other.ino() && (one.is_dir() || one.nlink() == 1)
}

#[cfg(not(unix))]
fn same(one: &Metadata, other: &Metadata) -> bool {
    one.len() == other.len() && one.modified().ok() == other.modified().ok()
}

/// Returns what stands at a place that is not a regular file.
#[must_use]
pub fn special(meta: &Metadata) -> Option<&'static str> {
    if meta.is_file() {
        None
    } else if meta.is_dir() {
        Some("a folder")
    } else if meta.is_symlink() {
        Some("a symbolic link")
    } else {
        Some("a device, pipe or socket")
    }
}
