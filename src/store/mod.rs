//! What we keep: traces, and other programs' settings with our entries in them.

mod agree;
pub mod canonical;
pub mod chain;
pub mod choices;
pub mod database;
pub mod differ;
pub mod digests;
pub mod erase;
pub mod files;
pub mod find;
pub mod hook_groups;
pub mod hook_tables;
pub mod identity;
pub mod ignored;
pub mod installed;
pub mod interrupted;
pub mod json_text;
pub mod judged;
pub mod last;
pub mod missing;
pub mod origin;
pub mod own_entries;
pub mod owned_dir;
pub mod owned_path;
mod plan;
pub mod problem;
pub mod reader;
pub mod record;
mod recorded;
pub mod redaction_note;
pub mod replay;
pub mod rest;
pub mod roots;
pub mod rotate;
pub mod scan;
mod seal;
pub mod segments;
pub mod settings;
mod spelling;
mod steps;
pub mod stored;
mod tail;
pub mod traces;
pub mod tree;
pub mod verify;
mod wipe;

pub use crate::domain::utc;

#[cfg(unix)]
#[path = "owned_unix.rs"]
mod owned_os;
#[cfg(not(unix))]
#[path = "owned_windows.rs"]
mod owned_os;

#[cfg(not(unix))]
#[path = "native_other.rs"]
mod native;
#[cfg(unix)]
#[path = "native_unix.rs"]
mod native;

#[cfg(not(unix))]
#[path = "private_other.rs"]
mod private;
#[cfg(unix)]
#[path = "private_unix.rs"]
mod private;
