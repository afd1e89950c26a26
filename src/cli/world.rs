//! What a sub-command may know of the outside: handed to it, so that tests can hand it another.

use super::redaction::Secrets;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// The outside.
#[derive(Clone, Debug)]
pub struct World {
    /// The folder that the process was started in.
    pub cwd: PathBuf,
    /// When the process was started, or nearly so.
    pub begun: Instant,
    /// What the rules that were loaded in this run redact.
    pub secrets: Secrets,
    /// Whether variables of ours count: not where an agent runs us, because a project may have a
    /// say in the agent's environment (`.gemini/.env`).
    ours: bool,
}

/// Variables that choose the rules and who answers questions.
const OURS: [&str; 3] = ["SOLVI_HOOK_RULES", "SOLVI_HOOK_DECIDER", "SOLVI_HOOK_MODEL"];

impl World {
    /// Returns the world of this process.
    #[must_use]
    pub fn here() -> Self {
        let cwd = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
        Self::at(cwd)
    }

    /// Returns the world of this process, seen from another folder.
    #[must_use]
    pub fn at(cwd: PathBuf) -> Self {
        Self { cwd, begun: Instant::now(), ours: true, secrets: Secrets::default() }
    }

    /// Returns the same world as an agent's hook sees it.
    #[must_use]
    pub fn of_an_agent(self) -> Self {
        Self { ours: false, ..self }
    }

    /// Returns the variables of ours that are set and do not count here.
    #[must_use]
    pub fn ignored(&self) -> Vec<&'static str> {
        let set = |name: &&str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        if self.ours { Vec::new() } else { OURS.into_iter().filter(set).collect() }
    }

    /// Returns an environment variable; an empty one counts as not set.
    #[must_use]
    pub fn env(&self, name: &str) -> Option<OsString> {
        if !self.ours && OURS.contains(&name) {
            return None;
        }
        std::env::var_os(name).filter(|value| !value.is_empty())
    }

    /// Returns seconds since the Unix epoch, with their fraction.
    #[must_use]
    pub fn now(&self) -> f64 {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64())
    }

    /// Returns a path given on the command line, from the folder the process was started in.
    #[must_use]
    pub fn path(&self, given: &Path) -> PathBuf {
        self.cwd.join(given)
    }
}
