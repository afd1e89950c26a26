//! Python read with tree-sitter. (to be written)

use crate::domain::Change;

/// A parsed Python module.
pub struct Module;

impl Module {
    /// Parses the file that a change leaves behind, or its added lines.
    #[must_use]
    pub fn of(_change: &Change) -> Self {
        Self
    }
}
