//! The hall: the nouns every room speaks, in reading order.
//!
//! An **event** comes in ([`Event`]: a proposed edit with its [`Change`]s); judges leave
//! **findings** ([`Finding`]); findings join to one **decision** ([`Decision`], whose
//! [`Verdict`] only ever rises). Nothing here touches a file, a clock, the environment or a
//! process: what must be read of the outside comes through [`Files`].

pub mod byte_name;
pub mod change;
pub mod checks;
pub mod decision;
pub mod declared;
pub mod diff;
pub mod entry;
pub mod event;
pub mod finding;
mod magic;
pub mod moment;
pub mod path;
pub mod ports;
pub mod sanitize;
pub mod text;
pub mod utc;
pub mod verdict;
pub mod wording;

pub use change::{Certainty, Change, Content, Line, Numbering, OtherReading, Standing};
pub use decision::{Decision, Ruling};
pub use entry::{Entry, Shape};
pub use event::{Action, Event, Session};
pub use finding::{Finding, Part, Spot};
pub use moment::Moment;
pub use path::{Place, RepoPath};
pub use ports::{Files, PROJECT_FOLDER, Stored};
pub use utc::Utc;
pub use verdict::Verdict;
