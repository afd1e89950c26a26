//! What does the repository say?

pub mod patch;
