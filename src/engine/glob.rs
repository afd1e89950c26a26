//! The path globs of a rule. (to be written)

/// The globs of one rule: some positive one matches, and no excluding one (`!…`) does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Globs {
    globs: Vec<String>,
}

impl Globs {
    /// Makes the globs of a rule; a leading `!` excludes.
    #[must_use]
    pub fn new(globs: &[String]) -> Self {
        Self { globs: globs.to_vec() }
    }

    /// Tells whether a path is covered.
    #[must_use]
    pub fn cover(&self, _path: &str) -> bool {
        !self.globs.is_empty()
    }
}
