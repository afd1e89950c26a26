//! The verdict lattice: allow < warn < ask < deny.
//!
//! Joining can only raise a verdict: whoever looks, however often and in whatever order, the
//! strictest answer stands.

use serde::{Deserialize, Serialize};

/// What should happen to an edit, from the mildest answer to the strictest.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Nothing stands against it.
    #[default]
    Allow,
    /// It may go ahead; agent and person are told something about it.
    Warn,
    /// A person decides.
    Ask,
    /// It is refused.
    Deny,
}

impl Verdict {
    /// Returns the stricter of two verdicts.
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        self.max(other)
    }

    /// Returns the word used for this verdict in replies, records, reports and rules files.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Warn => "warn",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }

    /// Returns the verdict that a word stands for.
    #[must_use]
    pub fn of_word(word: &str) -> Option<Self> {
        [Self::Allow, Self::Warn, Self::Ask, Self::Deny].into_iter().find(|it| it.word() == word)
    }
}

#[cfg(test)]
mod tests {
    use super::Verdict::{Allow, Ask, Deny, Warn};

    #[test]
    fn the_stricter_verdict_wins() {
        assert_eq!(Allow.join(Warn), Warn);
        assert_eq!(Deny.join(Ask), Deny);
        assert_eq!(Ask.join(Ask), Ask);
    }
}
