//! What we keep: traces, and other programs' settings with our entries in them.

pub mod canonical;
pub mod files;
pub mod record;
pub mod settings;
pub mod traces;
