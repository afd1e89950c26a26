//! A file of ours by its open folder and its name.
//!
//! Of a path, the folders before the last `.solvi` are a person's own choice, and links there are
//! followed; from `.solvi` on, or in the folder of a file elsewhere, none is.

use super::owned_dir::{OwnedDir, OwnedError, SOLVI};
use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};

/// A file of ours in its folder.
#[derive(Debug)]
pub struct OwnedPath {
    /// The folder, open.
    pub folder: OwnedDir,
    /// The file's name.
    pub name: OsString,
}

impl OwnedPath {
    /// Opens the folder of a file; none when it is not there. Below `.solvi` no folder may be a
    /// link; any other folder is the person's own choice.
    pub fn of(path: &Path) -> Result<Option<Self>, OwnedError> {
        let (base, inner, name) = parts(path)?;
        let Some(mut folder) = OwnedDir::open(&base)? else { return Ok(None) };
        for part in &inner {
            let Some(next) = folder.folder(part)? else { return Ok(None) };
            folder = next;
        }
        Ok(Some(Self { folder, name }))
    }

    /// Opens the folder of a file, and makes it where it is not there.
    pub fn make(path: &Path) -> Result<Self, OwnedError> {
        let (base, inner, name) = parts(path)?;
        let folder = OwnedDir::open_or_make(&base)?;
        Self::below(folder, &inner, name)
    }

    /// Opens the folder of a file at a path from a folder, and makes it where it is not there.
    pub fn make_below(folder: &OwnedDir, path: &Path) -> Result<Self, OwnedError> {
        let (_, _, name) = parts(path)?;
        let inner = path.parent().into_iter().flatten().map(OsStr::to_owned);
        let mut opened: Option<OwnedDir> = None;
        for part in inner {
            opened = Some(opened.as_ref().unwrap_or(folder).folder_or_make(&part)?);
        }
        match opened {
            Some(folder) => Ok(Self { folder, name }),
            None => Ok(Self { folder: folder.again()?, name }),
        }
    }

    fn below(folder: OwnedDir, inner: &[OsString], name: OsString) -> Result<Self, OwnedError> {
        let mut folder = folder;
        for part in inner {
            folder = folder.folder_or_make(part)?;
        }
        Ok(Self { folder, name })
    }

    /// Returns the name of a file beside this one.
    #[must_use]
    pub fn beside(&self, ending: &str) -> OsString {
        beside(&self.name, ending)
    }

    /// Returns where the file is, for messages.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.folder.path().join(&self.name)
    }
}

/// Returns the name of a file beside the one of this name.
#[must_use]
pub fn beside(name: &OsStr, ending: &str) -> OsString {
    let mut name = name.to_owned();
    name.push(ending);
    name
}

/// Takes the path of a file apart: the folder that a person chose, the folders of ours below it,
/// and the name.
fn parts(path: &Path) -> Result<(PathBuf, Vec<OsString>, OsString), OwnedError> {
    let none = || OwnedError::Io {
        act: "open",
        path: path.to_owned(),
        source: io::Error::new(ErrorKind::InvalidInput, "it names no file"),
    };
    let name = path.file_name().ok_or_else(none)?.to_owned();
    let folder = path.parent().unwrap_or(Path::new(""));
    let components: Vec<Component<'_>> = folder.components().collect();
    let is_ours = |part: &Component<'_>| *part == Component::Normal(OsStr::new(SOLVI));
    let ours = components
        .iter()
        .rposition(is_ours)
        .filter(|at| !components.iter().skip(*at).any(|part| *part == Component::ParentDir));
    let at = ours.unwrap_or(components.len());
    let (base, inner) = components.split_at_checked(at).ok_or_else(none)?;
    let inner = inner.iter().map(|part| part.as_os_str().to_owned()).collect();
    Ok((base.iter().collect(), inner, name))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn parts_of(path: &str) -> (String, String, String) {
        let (base, inner, name) = parts(Path::new(path)).unwrap();
        let inner: PathBuf = inner.iter().collect();
        let text = |it: &Path| it.to_string_lossy().into_owned();
        (text(&base), text(&inner), name.to_string_lossy().into_owned())
    }

    #[test]
    fn ours_begins_at_the_last_folder_of_our_name() {
        let row = |base: &str, inner: &str, name: &str| {
            (base.to_owned(), inner.to_owned(), name.to_owned())
        };
        for (path, expected) in [
            ("/p/.solvi/traces/t.jsonl", row("/p", ".solvi/traces", "t.jsonl")),
            ("/a/.solvi/b/.solvi/t", row("/a/.solvi/b", ".solvi", "t")),
            (".solvi/t", row("", ".solvi", "t")),
            ("/p/.solvi/../t", row("/p/.solvi/..", "", "t")),
            ("../.solvi/t", row("..", ".solvi", "t")),
            ("t", row("", "", "t")),
        ] {
            assert_eq!(parts_of(path), expected, "{path}");
        }
        assert!(parts(Path::new("..")).is_err());
    }
}
