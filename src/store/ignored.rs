//! Keeps the project's `.solvi` folder out of git, and out of other places.
//!
//! Traces hold what agents meant to write. The folder therefore holds a `.gitignore` that
//! ignores everything, itself included, before anything else is written there; and neither the
//! folder nor anything on the way to the store may be a symbolic link, which could lead the
//! traces into a folder that git does see.

use super::owned_dir::{OwnedDir, SOLVI};
use super::traces::StoreError;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::path::Path;
use std::time::SystemTime;

/// The text of the `.gitignore` that we write.
const EVERYTHING: &str = "*\n";

/// How much of one is read.
const LIMIT: u64 = 64 << 10;

const NAME: &str = ".gitignore";

/// The project's folder of ours, as far as it is there.
#[derive(Debug)]
pub struct Ignored {
    root: OwnedDir,
    folder: Option<OwnedDir>,
    gitignore: Option<File>,
}

impl Ignored {
    /// Opens what is there.
    pub fn open(root: &Path) -> Result<Self, StoreError> {
        let gone = || StoreError::Io {
            act: "open",
            path: root.to_owned(),
            source: ErrorKind::NotFound.into(),
        };
        let root = OwnedDir::open(root)?.ok_or_else(gone)?;
        let folder = root.folder(OsStr::new(SOLVI))?;
        let gitignore = match &folder {
            Some(folder) => folder.own(OsStr::new(NAME))?,
            None => None,
        };
        Ok(Self { root, folder, gitignore })
    }

    /// Tells whether there is a `.gitignore` yet.
    #[must_use]
    pub fn is_begun(&self) -> bool {
        self.gitignore.is_some()
    }

    /// Returns the time that the `.gitignore` was given.
    #[must_use]
    pub fn time(&self) -> Option<SystemTime> {
        self.gitignore.as_ref()?.metadata().ok()?.modified().ok()
    }

    /// Makes sure that git ignores the folder; returns it. Gives the `.gitignore` a time.
    pub fn ensure(self, time: Option<SystemTime>) -> Result<OwnedDir, StoreError> {
        let Self { root, folder, gitignore } = self;
        let folder = match folder {
            Some(folder) => folder,
            None => root.folder_or_make(OsStr::new(SOLVI))?,
        };
        let mut gitignore = match gitignore {
            Some(gitignore) => gitignore,
            None => write(&folder)?,
        };
        let path = || folder.path().join(NAME);
        let cannot = |act| move |path, source| StoreError::Io { act, path, source };
        let mut text = Vec::new();
        let read = (&mut gitignore).take(LIMIT).read_to_end(&mut text);
        read.map_err(|source| cannot("read")(path(), source))?;
        if !ignores_everything(&String::from_utf8_lossy(&text)) {
            return Err(StoreError::NotIgnored { path: path() });
        }
        if let Some(time) = time {
            // Where the time cannot be set, the next one looks again.
            let _ = gitignore.set_modified(time);
        }
        Ok(folder)
    }
}

/// Writes the `.gitignore`, whole or not at all.
fn write(folder: &OwnedDir) -> Result<File, StoreError> {
    let name = OsStr::new(NAME);
    let path = || folder.path().join(NAME);
    let cannot = |source| StoreError::Io { act: "write", path: path(), source };
    // Two processes may be at it at once.
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let aside = format!("{NAME}.{}", now.as_nanos());
    let aside = OsStr::new(&aside);
    let mut file = folder.create(aside)?;
    let written = file.write_all(EVERYTHING.as_bytes()).and_then(|()| folder.rename(aside, name));
    written.map_err(cannot)?;
    folder.own(name)?.ok_or_else(|| cannot(ErrorKind::NotFound.into()))
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use std::fs;
    use tempfile::TempDir;

    fn project() -> TempDir {
        tempfile::tempdir().unwrap()
    }

    fn ensure(root: &Path) -> Result<OwnedDir, StoreError> {
        Ignored::open(root)?.ensure(None)
    }

    #[test]
    fn a_gitignore_is_written_first_and_once() {
        let root = project();
        ensure(root.path()).unwrap();
        ensure(root.path()).unwrap();
        let there: Vec<_> = fs::read_dir(root.path().join(".solvi")).unwrap().collect();
        assert_eq!(there.len(), 1);
        assert_eq!(fs::read_to_string(root.path().join(".solvi/.gitignore")).unwrap(), "*\n");
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
            let root = project();
            fs::create_dir(root.path().join(".solvi")).unwrap();
            fs::write(root.path().join(".solvi/.gitignore"), text).unwrap();
            let ensured = ensure(root.path());
            assert_eq!(ensured.is_ok(), enough, "{text:?}");
            assert!(enough || matches!(ensured, Err(StoreError::NotIgnored { .. })));
        }
    }

    #[test]
    fn a_file_in_the_place_of_the_folder_is_told() {
        let root = project();
        fs::write(root.path().join(".solvi"), "").unwrap();
        assert!(matches!(ensure(root.path()), Err(StoreError::Occupied { .. })));
    }

    #[cfg(unix)]
    #[test]
    fn no_symbolic_link_leads_the_traces_elsewhere() {
        use std::os::unix::fs::symlink;

        for link in [".solvi", ".solvi/.gitignore"] {
            let root = project();
            let elsewhere = tempfile::tempdir().unwrap();
            let link = root.path().join(link);
            fs::create_dir_all(link.parent().unwrap()).unwrap();
            symlink(elsewhere.path(), &link).unwrap();
            let told = ensure(root.path()).unwrap_err().to_string();
            assert!(told.contains(&link.display().to_string()), "{told}");
            assert!(told.contains("is a symbolic link"), "{told}");
            assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
        }
    }
}
