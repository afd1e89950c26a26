//! Languages: one file an agent, both directions.

pub mod claude_edit;
pub mod patch;
pub mod payload;
