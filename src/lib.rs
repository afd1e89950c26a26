//! solvi-hook: an event comes in, judges leave findings, findings join to one decision.

pub mod cli;
pub mod clients;
pub mod domain;
pub mod engine;
pub mod store;

pub use engine::front_matter::front_matter;
pub use engine::glob::glob_regex;
