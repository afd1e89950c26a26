//! A hook entry: what stands in an agent's settings so that the agent calls us.
//!
//! A client says which entries it wants; the store writes them into the settings file. The shape
//! is the one that agents share: an event, a group with a matcher, one handler that runs a command.

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
}
