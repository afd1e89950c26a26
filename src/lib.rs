//! solvi-hook (the map is drawn when the rooms stand)
pub mod cli;
pub mod clients;
pub mod domain;
pub mod engine;
pub mod store;
