//! The checks of a repository, seen from outside: real git, the real binary, a closed world.
//!
//! Each test is the smallest repository in which a tool of this kind was once wrong.

#![allow(clippy::unwrap_used, reason = "tests")]

// These need a terminal, which `script` of util-linux gives them.
#[cfg(target_os = "linux")]
mod asks;
mod budgets;
mod commits;
mod content;
mod damage;
pub mod desk;
mod evasions;
mod globs;
mod inherited;
mod names;
mod output;
mod paths;
mod pushes;
mod python;
mod ranges;
mod received;
mod rules;
mod same;
mod settings;
mod starter;
mod traces;
