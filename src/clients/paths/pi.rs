//! How Pi resolves a path, from the source of 1.6.0.
//!
//! In this order: Unicode's spaces become plain ones, one `@` in front goes, `~` is the home
//! folder, and what begins with `file://` is read as a browser reads it. Nothing is trimmed.

use super::{home, of_windows_shell, url};
use crate::domain::Files;

/// Returns the candidates of a path.
#[must_use]
pub fn pi(written: &str, files: &dyn Files) -> Vec<String> {
    let space = |char| match char {
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => ' ',
        char => char,
    };
    let path: String = written.chars().map(space).collect();
    let path = path.strip_prefix('@').unwrap_or(&path);
    let drive = of_windows_shell(path).filter(|_| cfg!(windows));
    let path = drive.as_deref().unwrap_or(path);
    if let Some(path) = home(path, files) {
        return vec![path];
    }
    if path.starts_with("file://")
        && let Some(path) = url::path(path)
    {
        return vec![path];
    }
    vec![path.to_owned()]
}
