//! Which part of the project are a rule's globs about?
//!
//! A rules file speaks of paths from the root of its own repository. Where that is a repository
//! inside the project, the folders above it are cut off first.

/// The part of the project that a rules file speaks of.
#[derive(Debug, Default)]
pub(super) struct Realm {
    // Each ends with `/`; `below` is empty for the whole project and all that is outside of it.
    below: String,
    without: Vec<String>,
}

impl Realm {
    /// Returns a path as the rules file spells it; nothing when it does not speak of that path.
    pub(super) fn inside<'p>(&self, path: &'p str) -> Option<&'p str> {
        let inside = path.strip_prefix(&self.below)?;
        (!self.without.iter().any(|folder| path.starts_with(folder))).then_some(inside)
    }

    pub(super) fn move_below(&mut self, folder: &str) {
        self.below = format!("{folder}/");
    }

    pub(super) fn leave_out(&mut self, folder: &str) {
        self.without.push(format!("{folder}/"));
    }
}
