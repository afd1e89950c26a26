//! How Claude Code resolves a path, from the source of 2.1.197.
//!
//! White space as JavaScript has it is cut from both ends, and `~` is the home folder. The payload
//! holds the path after that, so what has blanks at an end comes from another version or program:
//! then both readings count.

use super::{distinct, home, of_windows_shell};
use crate::clients::javascript;
use crate::domain::Files;

/// Returns the candidates of a path.
#[must_use]
pub fn claude(written: &str, files: &dyn Files) -> Vec<String> {
    let trimmed = javascript::trim(written);
    let mut all = vec![home(trimmed, files).unwrap_or_else(|| trimmed.to_owned())];
    if cfg!(windows) {
        all.extend(of_windows_shell(trimmed));
    }
    if trimmed != written {
        all.push(written.to_owned());
    }
    distinct(all)
}
