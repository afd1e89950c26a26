//! Keeps the project's `.solvi` folder out of git, and out of other places.
//!
//! Traces hold what agents meant to write. The folder therefore holds a `.gitignore` that
//! ignores everything, itself included, before anything else is written there; and neither the
//! folder nor anything on the way to the store may be a symbolic link, which could lead the
//! traces into a folder that git does see.

use super::private;
use super::traces::{StoreError, kind};
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Component, Path};

/// The folder that is kept out, from the project's root.
const FOLDER: &str = ".solvi";

/// The text of the `.gitignore` that we write.
const EVERYTHING: &str = "*\n";

const A_FILE: &str = "a file";
const A_FOLDER: &str = "a folder";

/// Makes sure that a store inside the project's `.solvi` is ignored by git. A store anywhere
/// else is none of our business.
pub fn ensure(root: &Path, store: &Path) -> Result<(), StoreError> {
    let folder = root.join(FOLDER);
    let Ok(inner) = store.strip_prefix(&folder) else { return Ok(()) };
    if inner.components().any(|part| part == Component::ParentDir) {
        return Ok(());
    }
    ensure_folder(&folder)?;
    let mut place = folder.clone();
    for part in inner.parent().into_iter().flatten() {
        place.push(part);
        expect(&place, A_FOLDER)?;
    }
    expect(store, A_FILE)?;
    ensure_gitignore(&folder)
}

/// Accepts what is at a place when it is what is wanted, or when nothing is there; returns
/// whether something is.
fn expect(place: &Path, wanted: &'static str) -> Result<bool, StoreError> {
    let found = match fs::symlink_metadata(place) {
        Ok(there) => kind(there.file_type()),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(cannot("look at", place)(error)),
    };
    if found == wanted {
        return Ok(true);
    }
    Err(StoreError::Occupied { path: place.to_owned(), wanted, found })
}

fn ensure_folder(folder: &Path) -> Result<(), StoreError> {
    if expect(folder, A_FOLDER)? {
        return Ok(());
    }
    match private::folder().create(folder) {
        // Another process was quicker; what it made is looked at like anything else.
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            expect(folder, A_FOLDER).map(|_| ())
        }
        made => made.map_err(cannot("make the folder", folder)),
    }
}

fn ensure_gitignore(folder: &Path) -> Result<(), StoreError> {
    let path = folder.join(".gitignore");
    if !expect(&path, A_FILE)? {
        write_gitignore(folder, &path)?;
    }
    let text = fs::read(&path).map_err(cannot("read", &path))?;
    if ignores_everything(&String::from_utf8_lossy(&text)) {
        return Ok(());
    }
    Err(StoreError::NotIgnored { path })
}

/// Writes the `.gitignore`, whole or not at all; one that came to be in the meantime stays.
fn write_gitignore(folder: &Path, path: &Path) -> Result<(), StoreError> {
    let written = tempfile::Builder::new()
        .prefix(".gitignore")
        .tempfile_in(folder)
        .and_then(|mut file| file.write_all(EVERYTHING.as_bytes()).map(|()| file))
        .and_then(|file| file.persist_noclobber(path).map_err(|error| error.error));
    match written {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(cannot("write", path)(error)),
        _ => Ok(()),
    }
}

/// Tells whether a `.gitignore` ignores all that is in its folder; that it may let git see
/// itself does no harm.
fn ignores_everything(text: &str) -> bool {
    let mut everything = false;
    for line in text.lines().map(str::trim_end) {
        match line {
            "*" | "/*" | "**" | "/**" => everything = true,
            "!.gitignore" | "!/.gitignore" => {}
            line if line.starts_with('!') => everything = false,
            _ => {}
        }
    }
    everything
}

fn cannot(act: &'static str, path: &Path) -> impl FnOnce(io::Error) -> StoreError {
    let path = path.to_owned();
    move |source| StoreError::Io { act, path, source }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use std::path::PathBuf;
    use tempfile::TempDir;

    fn project() -> (TempDir, PathBuf) {
        let root = tempfile::tempdir().unwrap();
        let store = root.path().join(".solvi/traces/hooks.jsonl");
        (root, store)
    }

    #[test]
    fn a_gitignore_is_written_first_and_once() {
        let (root, store) = project();
        ensure(root.path(), &store).unwrap();
        ensure(root.path(), &store).unwrap();
        let there: Vec<_> = fs::read_dir(root.path().join(".solvi")).unwrap().collect();
        assert_eq!(there.len(), 1);
        assert_eq!(fs::read_to_string(root.path().join(".solvi/.gitignore")).unwrap(), "*\n");
    }

    #[test]
    fn a_store_outside_the_folder_is_none_of_our_business() {
        let (root, _) = project();
        for store in ["traces.jsonl", ".solvi/../traces.jsonl", ".solvi-old/traces.jsonl"] {
            ensure(root.path(), &root.path().join(store)).unwrap();
        }
        assert!(!root.path().join(".solvi").exists());
    }

    #[test]
    fn a_gitignore_that_lets_traces_through_is_told() {
        for (text, enough) in [
            ("*\n", true),
            ("# ours\n*\n!.gitignore\n", true),
            ("/**", true),
            ("", false),
            ("*.tmp\n", false),
            ("*\n!traces/\n", false),
        ] {
            let (root, store) = project();
            fs::create_dir(root.path().join(".solvi")).unwrap();
            fs::write(root.path().join(".solvi/.gitignore"), text).unwrap();
            let ensured = ensure(root.path(), &store);
            assert_eq!(ensured.is_ok(), enough, "{text:?}");
            assert!(enough || matches!(ensured, Err(StoreError::NotIgnored { .. })));
        }
    }

    #[test]
    fn a_file_in_the_place_of_the_folder_is_told() {
        let (root, store) = project();
        fs::write(root.path().join(".solvi"), "").unwrap();
        assert!(matches!(ensure(root.path(), &store), Err(StoreError::Occupied { .. })));
    }

    #[cfg(unix)]
    #[test]
    fn no_symbolic_link_leads_the_traces_elsewhere() {
        use std::os::unix::fs::symlink;

        for link in [".solvi", ".solvi/traces", ".solvi/traces/hooks.jsonl", ".solvi/.gitignore"] {
            let (root, store) = project();
            let elsewhere = tempfile::tempdir().unwrap();
            let link = root.path().join(link);
            fs::create_dir_all(link.parent().unwrap()).unwrap();
            symlink(elsewhere.path(), &link).unwrap();
            assert!(matches!(ensure(root.path(), &store), Err(StoreError::Occupied { .. })));
            assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
        }
    }
}
