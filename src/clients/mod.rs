//! Languages: one file an agent says how it is answered; one reader for the edits that all of
//! them propose.
//!
//! A reply is exactly what the client honours (found by running the real programs) and nothing
//! beside it: one JSON object on standard output, or nothing.

pub mod called;
pub mod claude;
pub mod claude_edit;
pub mod codex;
pub mod codex_patch;
pub mod codex_search;
mod codex_shell;
pub mod copilot;
pub mod copilot_edit;
pub mod copilot_patch;
mod copilot_permission;
pub mod copilot_search;
mod copilot_text;
mod fields;
mod file_tools;
pub mod notebook;
pub mod patch;
pub mod patch_grammar;
mod patched;
pub mod payload;
#[cfg(test)]
mod recorded;
pub mod unknown_tool;
pub mod wiring;

use crate::domain::{Decision, wording};

/// An agent program that calls us.
pub trait Client: Sync {
    /// Returns the name that `--agent` takes.
    fn name(&self) -> &'static str;

    /// Writes the reply to a tool call that is about to run; empty when there is nothing to say.
    fn write(&self, decision: &Decision, voice: &Voice) -> String;
}

/// Every client, in the order of the documents.
pub const CLIENTS: &[&dyn Client] = &[&claude::Claude, &codex::Codex, &copilot::Copilot];

/// How a decision is told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Voice {
    /// Whether an edit that nothing stands against is approved in so many words, which skips the
    /// client's own prompt.
    pub approve: bool,
    /// Whether the event was an edit that was judged; nothing else is ever approved.
    pub judged: bool,
    /// What else a person should know, one sentence each (the record could not be written, say).
    pub notes: Vec<String>,
}

impl Voice {
    /// Returns the whole text for a decision: its reason, then the notes.
    #[must_use]
    pub fn text(&self, decision: &Decision) -> String {
        let reason = Some(wording::reason(decision)).filter(|reason| !reason.is_empty());
        let notes = self.notes.iter().cloned();
        reason.into_iter().chain(notes).collect::<Vec<_>>().join("\n")
    }
}

/// Returns the client of a name, as `--agent` takes it; other spellings that are in use count.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static dyn Client> {
    let name = if name == "claude-code" { "claude" } else { name };
    CLIENTS.iter().copied().find(|client| client.name() == name)
}

/// Returns the folder that a payload says the session is in; nothing when it says none.
#[must_use]
pub fn working_folder(payload: &[u8]) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct Peek {
        cwd: Option<String>,
    }
    // Everything else is skipped without being kept, so looking twice costs next to nothing.
    let peek: Peek = serde_json::from_slice(payload).ok()?;
    peek.cwd.filter(|cwd| !cwd.is_empty())
}

/// Writes a refusal that Claude Code (nested form) and Copilot (flat form) both read as one, for
/// when it is not known who is asking.
#[must_use]
pub fn refuse_whoever_asks(reason: &str) -> String {
    serde_json::json!({
        "permissionDecision": "deny",
        "permissionDecisionReason": reason,
        "hookSpecificOutput": {
            "hookEventName": claude::PRE_TOOL_USE,
            "permissionDecision": "deny",
            "permissionDecisionReason": reason,
        },
    })
    .to_string()
}
