//! The door: one file a sub-command.

pub mod failure;
pub mod install;
pub mod uninstall;
pub mod world;
