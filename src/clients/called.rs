//! At which of a client's events are we called, as far as our answer differs?

use crate::domain::Event;

/// The events of a client, by what may be answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum On {
    /// A tool is about to run: it can be refused.
    Tool,
    /// The client is about to ask a person, or to decide for one.
    Permission,
    /// Anything else, which we let pass in silence: a hook that always spoke at a stop, say, would
    /// never let the agent stop.
    #[default]
    Other,
}

/// One call of a hook.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Call {
    /// Where in the client's course it comes.
    pub on: On,
    /// What is about to happen; nothing at all at [`On::Other`].
    pub event: Event,
}
