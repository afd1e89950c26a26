//! The guard under the real clients: each is installed, told by `solvi-hook install` to ask us,
//! and run against a model that only plays a script. What counts is what stands on the disk
//! afterwards and what the model was told. `README.md` beside this file says how to run one.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

#[cfg(unix)]
mod claude;
#[cfg(unix)]
mod codex;
#[cfg(unix)]
mod copilot;
#[cfg(unix)]
mod gemini;
#[cfg(unix)]
mod house;
#[cfg(unix)]
mod installed;
#[cfg(unix)]
mod limited;
#[cfg(unix)]
mod mock;
#[cfg(unix)]
mod paths;
#[cfg(unix)]
mod pi;
#[cfg(unix)]
mod resolvers;
