//! How Gemini CLI resolves a path, from the source of 0.61.0.
//!
//! A NUL is dropped. Where no file has the name as written, an `@` in front goes, unless a file or
//! folder of its own begins with it. The path is made absolute, and then its `%XX` are decoded, all
//! of them or, where one is wrong, none. `~` stays. `replace` looks for a relative path that is not
//! there: below the workspace, for the one file whose path ends so.

use super::distinct;
use super::url::decoded;
use crate::domain::Files;

/// Returns the candidates of a path of `write_file`.
#[must_use]
pub fn gemini(written: &str, files: &dyn Files) -> Vec<String> {
    vec![real(&sanitized(written, files), files)]
}

/// Returns the candidates of a path of `replace`.
///
/// The client looks into 50 folders at most and passes by what git ignores, and whatever else the
/// workspace holds is not told: so each file that fits is a candidate, and the path as written too.
#[must_use]
pub fn gemini_search(written: &str, files: &dyn Files) -> Vec<String> {
    if is_absolute(written) {
        return vec![real(&written.replace('\0', ""), files)];
    }
    let path = sanitized(written, files);
    let literal = real(&path, files);
    if files.exists(&path) {
        return vec![literal];
    }
    let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let Some(found) = files.named(name) else { return vec![literal] };
    let end = path.replace('\\', "/");
    let found = found.into_iter().filter(|path| path.replace('\\', "/").ends_with(&end));
    let mut all: Vec<String> = found.map(|path| real(&path, files)).collect();
    all.push(literal);
    distinct(all)
}

/// Returns a path without NUL, and without its `@`.
fn sanitized(written: &str, files: &dyn Files) -> String {
    let path = written.replace('\0', "");
    let separator = ['/', '\\'];
    let Some(rest) = path.strip_prefix('@').filter(|rest| !rest.is_empty()) else { return path };
    if files.exists(&path) {
        return path;
    }
    let stripped = rest.trim_start_matches(separator);
    let first = stripped.split(separator).next().unwrap_or_default();
    let whole =
        stripped.is_empty() || !rest.starts_with(separator) && files.exists(&format!("@{first}"));
    if whole { path } else { stripped.to_owned() }
}

/// Returns the path from the session's folder, decoded.
fn real(path: &str, files: &dyn Files) -> String {
    let cwd = files.cwd();
    if !path.contains('%') && (is_absolute(path) || !cwd.contains('%')) {
        return path.to_owned();
    }
    // What the folder's own name holds is decoded with the rest, so it has to be there; and what a
    // `..` takes away is gone by then.
    let whole = if is_absolute(path) { path.to_owned() } else { format!("{cwd}/{path}") };
    let mut parts: Vec<&str> = Vec::new();
    for part in whole.split(['/', if cfg!(windows) { '\\' } else { '/' }]) {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    let start = if whole.starts_with('/') { "/" } else { "" };
    let whole = format!("{start}{}", parts.join("/"));
    decoded(&whole).unwrap_or(whole)
}

fn is_absolute(path: &str) -> bool {
    path.starts_with('/')
        || cfg!(windows) && (path.starts_with('\\') || path.get(1..2) == Some(":"))
}
