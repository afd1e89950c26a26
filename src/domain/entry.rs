//! A hook entry: what stands in an agent's settings so that the agent calls us.
//!
//! A client says which entries it wants; the store writes them into the settings file.

/// One command that an agent is to run at an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The agent's name of the event.
    pub event: String,
    /// Which tools it is for, in the agent's own spelling; none means all.
    pub matcher: Option<String>,
    /// The command, as a shell reads it.
    pub command: String,
    /// When the agent gives up waiting, in the agent's unit.
    pub timeout: u32,
    /// What the agent shows while it waits.
    pub status: String,
    /// How it is written.
    pub shape: Shape,
}

/// How an agent writes an entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shape {
    /// A group with a matcher, and in it the handler with its status: Claude Code, Codex.
    #[default]
    Group,
    /// A group with a matcher, and in it the handler with a name: Gemini CLI.
    NamedGroup,
    /// An object with `bash` and `timeoutSec`: Copilot CLI.
    Bash,
    /// An object with `command`, told to refuse when it fails.
    Closed,
    /// An object with `command`, where nothing can be refused.
    Plain,
}
