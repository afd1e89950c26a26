//! Paths of this system: text.

use std::path::PathBuf;

/// Returns the path that the text of a place stands for.
pub fn path(text: &str) -> PathBuf {
    PathBuf::from(text)
}
