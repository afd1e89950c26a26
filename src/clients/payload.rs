//! (to be written)

use crate::domain::{Event, Files};

/// A payload that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PayloadError(pub String);

/// Reads the payload of a tool call that is about to run.
pub fn read(_payload: &[u8], _files: &dyn Files) -> Result<Event, PayloadError> {
    Ok(Event::default())
}
