//! Object directories that the environment names, as git does in a hook that runs before it takes in
//! what was pushed: `GIT_OBJECT_DIRECTORY`, `GIT_ALTERNATE_OBJECT_DIRECTORIES`.
//!
//! gix reads neither variable, but it reads lists of alternates. So a temporary directory of ours
//! lists all of these directories as its alternates. Nothing is written into the repository: git
//! would take it in together with what was pushed.

use super::error::GitError;
use super::objects::SMALL;
use gix::bstr::{BStr, ByteSlice};
use gix::odb::Store;
use gix::odb::store::init::Options;
use gix::quote::ansi_c;
use std::env;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;

/// Where git writes objects.
const MAIN: &str = "GIT_OBJECT_DIRECTORY";

/// Where there are more.
const MORE: &str = "GIT_ALTERNATE_OBJECT_DIRECTORIES";

/// Between two directories of [`MORE`].
const SEPARATOR: u8 = if cfg!(windows) { b';' } else { b':' };

/// Tells whether the environment names any object directory.
pub(super) fn are_named() -> bool {
    [MAIN, MORE].into_iter().any(|name| env::var_os(name).is_some())
}

/// Opens the object directories that the environment names as one store, which needs the temporary
/// directory for as long as it is used. `own` is the repository's own object directory.
pub(super) fn open(own: PathBuf, hash: gix::hash::Kind) -> Result<(Arc<Store>, TempDir), GitError> {
    let main = env::var_os(MAIN).map_or(own, PathBuf::from);
    let failed = |path: &Path, source| GitError::Read { path: path.to_owned(), source };
    if !main.is_dir() {
        return Err(failed(&main, ErrorKind::NotFound.into()));
    }
    let more = env::var_os(MORE).unwrap_or_default();
    let more = directories(more.as_encoded_bytes().as_bstr());
    let mut list = Vec::new();
    // As git does, it passes over what is not there.
    for directory in std::iter::once(main.clone()).chain(more.into_iter().filter(|it| it.is_dir()))
    {
        let path = std::path::absolute(&directory).map_err(|error| failed(&directory, error))?;
        list.extend_from_slice(&ansi_c::quote(path.as_os_str().as_encoded_bytes().as_bstr()));
        list.push(b'\n');
    }
    let folder = tempfile::tempdir().map_err(|error| failed(&env::temp_dir(), error))?;
    let info = folder.path().join("info");
    fs::create_dir(&info)
        .and_then(|()| fs::write(info.join("alternates"), list))
        .map_err(|error| failed(&info, error))?;
    let options = Options { alloc_limit_bytes: Some(SMALL), ..Options::default() };
    let store = Store::at_opts(folder.path().to_owned(), hash, &mut std::iter::empty(), options);
    Ok((Arc::new(store.map_err(|error| failed(&main, error))?), folder))
}

/// Reads a list of directories. One that begins with a quotation mark is quoted as in C.
fn directories(list: &BStr) -> Vec<PathBuf> {
    let mut directories = Vec::new();
    let mut rest = list;
    while !rest.is_empty() {
        let quoted = rest.starts_with(b"\"").then(|| ansi_c::undo(rest).ok()).flatten();
        let (path, length) = if let Some((path, length)) = &quoted {
            (path.as_bstr(), *length)
        } else {
            let length = rest.find_byte(SEPARATOR).unwrap_or(rest.len());
            (rest.get(..length).unwrap_or_default().as_bstr(), length)
        };
        if let Ok(path) = gix::path::from_bstr(path)
            && !path.as_os_str().is_empty()
        {
            directories.push(path.into_owned());
        }
        rest = rest.get(length + 1..).unwrap_or_default().as_bstr();
    }
    directories
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_list_of_directories_is_read_as_git_reads_it() {
        for (list, expected) in [
            ("", &[][..]),
            ("/a", &["/a"]),
            ("/a:/b c:", &["/a", "/b c"]),
            (":/a::b", &["/a", "b"]),
            (r#""/a:b":/c"#, &["/a:b", "/c"]),
            (r#"/c:"/a\"b""#, &["/c", "/a\"b"]),
            (r#""/a"#, &["\"/a"]),
        ] {
            let expected: Vec<PathBuf> = expected.iter().map(PathBuf::from).collect();
            assert_eq!(directories(list.into()), expected, "{list}");
        }
    }
}
