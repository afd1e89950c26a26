//! What can each client be made to do at each of its events?
//!
//! A guard is worth what its client honours. One [`Contract`] a client says what a verdict still
//! comes to, event by event, what happens when we fail or are late, and with which version that
//! was seen. Each stands in its client's file.

use crate::domain::Verdict;

/// What can still be done with a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Strength {
    /// Nothing: whatever is answered, the client takes no notice.
    Nothing,
    /// The agent or the person is told; what happens, happens.
    Tell,
    /// It can be refused, but no person can be asked.
    Deny,
    /// It can be refused, and a person can be asked.
    Ask,
}

impl Strength {
    /// Returns what a verdict comes to: where no person can be asked, an *ask* is a refusal.
    ///
    /// ```
    /// use solvi_hook::{clients::contract::Strength, domain::Verdict};
    ///
    /// assert_eq!(Strength::Deny.limit(Verdict::Ask), Verdict::Deny);
    /// assert_eq!(Strength::Tell.limit(Verdict::Deny), Verdict::Warn);
    /// ```
    #[must_use]
    pub fn limit(self, verdict: Verdict) -> Verdict {
        match self {
            Self::Nothing => Verdict::Allow,
            Self::Tell => verdict.min(Verdict::Warn),
            Self::Deny if verdict == Verdict::Ask => Verdict::Deny,
            Self::Deny | Self::Ask => verdict,
        }
    }

    /// Returns the word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Tell => "tell",
            Self::Deny => "deny",
            Self::Ask => "ask",
        }
    }
}

/// What a client does when we give no proper answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Without {
    /// It goes on as if nothing stood against it.
    Lets,
    /// It refuses.
    Refuses,
    /// It is not known.
    Unknown,
}

impl Without {
    /// Returns the word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Lets => "goes on",
            Self::Refuses => "refuses",
            Self::Unknown => "not known",
        }
    }
}

/// How it is known what a client honours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// It was seen in runs of this version.
    Seen(&'static str),
    /// It stands in documents, and was not seen in a run.
    Read,
    /// It is our own form: the program that speaks it must do as it is told.
    Ours,
}

/// One event of a client.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Its name.
    pub event: &'static str,
    /// What can be done with a verdict there.
    pub strength: Strength,
    /// What else there is to know.
    pub note: &'static str,
}

/// What one client honours.
#[derive(Clone, Copy, Debug)]
pub struct Contract {
    /// What `--agent` calls it.
    pub name: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// How this is known.
    pub known: Known,
    /// What happens when the hook crashes, is missing or speaks nonsense, before an edit.
    pub failed: Without,
    /// What happens when it is late.
    pub late: Without,
    /// Its events, the edit first.
    pub rows: &'static [Row],
}

/// Makes a row.
pub(super) const fn row(event: &'static str, strength: Strength, note: &'static str) -> Row {
    Row { event, strength, note }
}

impl Contract {
    /// Says in one line where this client is held less strictly than a guard would like; nothing
    /// when it is not.
    #[must_use]
    pub fn banner(&self) -> Option<String> {
        let mut weak = Vec::new();
        match self.rows.first().map(|row| row.strength) {
            Some(Strength::Ask) | None => {}
            Some(Strength::Deny) => weak.push("no person can be asked, so an ask is a refusal"),
            Some(_) => weak.push("an edit cannot be refused"),
        }
        match (self.failed, self.late) {
            (Without::Lets, Without::Lets) => {
                weak.push("a hook that crashes or is late lets the edit through");
            }
            (Without::Lets, _) => weak.push("a hook that crashes lets the edit through"),
            (_, Without::Lets) => weak.push("a hook that is late lets the edit through"),
            _ => {}
        }
        if self.known == Known::Read {
            weak.push("all this is from documents, not seen in a run");
        }
        (!weak.is_empty()).then(|| format!("{}: {}", self.title, weak.join("; ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_is_spoken_as_strictly_as_it_can_be() {
        for (strength, said) in [
            (Strength::Ask, [Verdict::Warn, Verdict::Ask, Verdict::Deny]),
            (Strength::Deny, [Verdict::Warn, Verdict::Deny, Verdict::Deny]),
            (Strength::Tell, [Verdict::Warn, Verdict::Warn, Verdict::Warn]),
            (Strength::Nothing, [Verdict::Allow, Verdict::Allow, Verdict::Allow]),
        ] {
            let verdicts = [Verdict::Warn, Verdict::Ask, Verdict::Deny];
            assert_eq!(verdicts.map(|verdict| strength.limit(verdict)), said, "{strength:?}");
        }
    }
}
