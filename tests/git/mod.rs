//! Every test makes a small repository with git and reads it with us. The paths on which we see
//! a change must be those that git names, in each of them.

#![allow(clippy::unwrap_used, reason = "tests")]

pub mod yard;

mod content;
mod forms;
mod hooks;
mod lookups;
mod merges;
mod moves;
mod ranges;
mod staged;
mod worktree;
