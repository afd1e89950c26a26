//! What a client tells us: one event, with the edit that it proposes.

use super::change::Change;

/// One call of a hook, as read from the client's payload.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// The tool that is about to run, as the client names it.
    pub tool: String,
    /// Who asks.
    pub session: Session,
    /// What is about to happen.
    pub action: Action,
    /// What a reader of the decision should know about how this was read, one sentence each.
    pub notes: Vec<String>,
}

/// The client's own names for the call, kept in the record; each may be missing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Session {
    /// The session.
    pub session_id: Option<String>,
    /// The tool call.
    pub tool_use_id: Option<String>,
    /// The person's prompt that led to it.
    pub prompt_id: Option<String>,
    /// The sub-agent that makes it.
    pub agent_id: Option<String>,
}

/// What an event is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Action {
    /// Files are about to be written or deleted, one change a file.
    Edit(Vec<Change>),
    /// The agent is about to stop.
    Stop {
        /// Whether it was kept from stopping just before; also where the client does not say so.
        again: bool,
    },
    /// A tool that changes no file that we can see; the client's own rules apply.
    #[default]
    Other,
}
