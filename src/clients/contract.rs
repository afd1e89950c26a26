//! What can each client be made to do at each of its events?
//!
//! A guard is worth what its client honours. One [`Contract`] a client says what a verdict still
//! comes to, event by event, what happens when we fail or are late, and with which version that
//! was seen. The facts stand beside each other so that they can be printed as one table.

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

const fn row(event: &'static str, strength: Strength, note: &'static str) -> Row {
    Row { event, strength, note }
}

/// The contracts of all clients, in the order of the documents.
pub const CONTRACTS: &[Contract] = &[
    Contract {
        name: "claude",
        title: "Claude Code",
        known: Known::Seen("2.1.197"),
        failed: Without::Lets,
        late: Without::Lets,
        rows: &[
            row("PreToolUse", Strength::Ask, "in `claude -p` an ask is a refusal"),
            row("PostToolUse", Strength::Tell, "the edit stays; the model reads the reason"),
            row("UserPromptSubmit", Strength::Deny, "the prompt is not worked on"),
            row("Stop", Strength::Deny, "the agent goes on, 8 times in a row at most"),
        ],
    },
    Contract {
        name: "codex",
        title: "Codex",
        known: Known::Seen("0.171.0"),
        failed: Without::Lets,
        late: Without::Lets,
        rows: &[
            row("PreToolUse", Strength::Deny, "text typed into a running shell is not seen"),
            row("PostToolUse", Strength::Tell, "the edit stays; the reason replaces the result"),
            row("Stop", Strength::Deny, "the agent goes on, without a limit of the client's"),
        ],
    },
    Contract {
        name: "copilot",
        title: "GitHub Copilot CLI",
        known: Known::Seen("1.0.102"),
        failed: Without::Refuses,
        late: Without::Lets,
        rows: &[
            row("preToolUse", Strength::Ask, "in `copilot -p` an ask is a refusal"),
            row("permissionRequest", Strength::Deny, "one file at a time, the earlier ones made"),
            row("postToolUse", Strength::Tell, "the edit stays; the model reads the reason"),
            row("userPromptSubmitted", Strength::Deny, "the run ends"),
            row("agentStop", Strength::Deny, "the agent goes on, 8 times in a row at most"),
        ],
    },
    Contract {
        name: "gemini",
        title: "Gemini CLI",
        known: Known::Seen("0.61.0"),
        failed: Without::Lets,
        late: Without::Lets,
        rows: &[
            row("BeforeTool", Strength::Deny, "an ask would hang a run without a person"),
            row("AfterTool", Strength::Tell, "the edit stays; the reason replaces the result"),
            row("BeforeAgent", Strength::Deny, "the run ends"),
            row("AfterAgent", Strength::Deny, "the agent goes on, without a limit of the client's"),
        ],
    },
    Contract {
        name: "pi",
        title: "Pi",
        known: Known::Seen("1.6.0"),
        failed: Without::Refuses,
        late: Without::Refuses,
        rows: &[
            row("tool_call", Strength::Ask, "without a person at it an ask is a refusal"),
            row("tool_result", Strength::Tell, "a warning is added to the result"),
            row("before_agent_start", Strength::Tell, "a failure keeps every tool shut"),
            row("agent_before_settle", Strength::Deny, "the agent goes on once, then it is shown"),
        ],
    },
    Contract {
        name: "cursor",
        title: "Cursor",
        known: Known::Read,
        failed: Without::Lets,
        late: Without::Unknown,
        rows: &[
            row("preToolUse", Strength::Ask, ""),
            row("beforeMCPExecution", Strength::Ask, ""),
            row("afterFileEdit", Strength::Nothing, "the edit is made"),
            row("stop", Strength::Deny, "the agent goes on, 5 times by default"),
        ],
    },
    Contract {
        name: "universal",
        title: "universal JSON",
        known: Known::Ours,
        failed: Without::Unknown,
        late: Without::Unknown,
        rows: &[row("pre-*", Strength::Ask, ""), row("post-*, stop", Strength::Tell, "")],
    },
];

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

/// Returns the contract of a client.
#[must_use]
pub fn of(name: &str) -> Option<&'static Contract> {
    CONTRACTS.iter().find(|contract| contract.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clients::CLIENTS;

    #[test]
    fn every_client_has_its_contract() {
        for client in CLIENTS {
            assert!(of(client.name()).is_some(), "{}", client.name());
        }
    }

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
