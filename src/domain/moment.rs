//! When a change is judged: from the edit itself to the pipeline that runs on it.

/// A moment at which changes are judged; the order is that in which a change meets them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Moment {
    /// An agent is about to write a file.
    Edit,
    /// What is staged is about to be committed.
    Commit,
    /// Commits are about to be pushed.
    Push,
    /// A range or a patch is looked at, as a pipeline does.
    Ci,
}

impl Moment {
    /// Every moment, in order.
    pub const ALL: [Self; 4] = [Self::Edit, Self::Commit, Self::Push, Self::Ci];

    /// Returns the word for it in rules files.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Edit => "edit",
            Self::Commit => "commit",
            Self::Push => "push",
            Self::Ci => "ci",
        }
    }

    /// Returns the moment that a word of a rules file names.
    ///
    /// ```
    /// use solvi_hook::domain::Moment;
    ///
    /// assert_eq!(Moment::of_word("commit"), Some(Moment::Commit));
    /// assert_eq!(Moment::of_word("merge"), None);
    /// ```
    #[must_use]
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|moment| moment.word() == word)
    }
}
