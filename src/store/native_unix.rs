//! Paths of this system: bytes (Unix).

use crate::domain::byte_name;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

/// Returns the path that the text of a place stands for.
pub fn path(text: &str) -> PathBuf {
    OsString::from_vec(byte_name::bytes(text).into_owned()).into()
}
