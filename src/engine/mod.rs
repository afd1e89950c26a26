//! Judgement: a change comes in, findings come out. Pure: no file, no clock, no environment.

pub mod checks;
pub mod dialect;
pub mod glob;
pub mod pattern;
pub mod python;
pub mod tripwire;
