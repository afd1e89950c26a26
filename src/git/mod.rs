//! What does the repository say?
//!
//! A state of the repository (the index, a commit, the working tree) is compared with another;
//! the paths that differ are [`Delta`]s, and each becomes a [`Change`](crate::domain::Change)
//! when it is read. Everything is read raw: neither configuration nor attributes, replacement
//! objects or diff drivers have a say in what is looked at. Nothing is written but our own hooks
//! ([`shims`]) and the notes that a person asks for, and no program of the repository's choosing is
//! run.
//!
//! This is the only room that names gix, and the only one that calls `git` itself.

mod delta;
mod error;
#[cfg(not(unix))]
#[path = "executable_other.rs"]
mod executable;
#[cfg(unix)]
#[path = "executable_unix.rs"]
mod executable;
mod fetching;
mod follow;
mod history;
mod index;
mod lookup;
mod notes;
mod object_dirs;
mod objects;
pub mod patch;
mod program;
pub mod pushed;
mod reading;
pub mod rehearsal;
mod remote_refs;
mod renames;
mod repo;
mod revision;
pub mod search_path;
pub mod shims;
mod staged;
mod text;
mod tree;
mod untracked;
mod worktree;
mod written;

pub use delta::{Delta, Deltas, Fate, Mode};
pub use error::{GitError, Lack};
pub use fetching::Fetching;
pub use follow::{FileAt, State};
pub use history::{Range, sides};
pub use index::Index;
pub use lookup::Tracked;
pub use notes::{NOTES, Note};
pub use objects::LARGEST;
pub use reading::{MOST_LINES, Reading, TOOL, Unchecked};
pub use repo::{Id, Repo};
pub use written::{index_may_name, index_written};
