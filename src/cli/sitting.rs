//! One run of a hook: what each of its judges needs to know, whatever the event.

use super::defaults;
use super::world::World;
use crate::engine::redaction::Redactor;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What holds for every event.
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
#[derive(Clone, Debug, clap::Args)]
pub struct Settings {
    /// The rules file, from the project's root; by default the one of solvi-rules.toml,
    /// .config/solvi-rules.toml and .claude/solvi-rules.toml that exists, else the built-in rules
    #[arg(long, value_name = "PATH")]
    pub rules: Option<PathBuf>,
    /// Where the decision is recorded, from the project's root [default:
    /// .solvi/traces/hooks.jsonl]
    #[arg(long, value_name = "PATH", conflicts_with = "no_store")]
    store: Option<PathBuf>,
    /// Do not record the decision
    #[arg(long)]
    no_store: bool,
    /// Reply "allow" explicitly when there are no findings, which skips the agent's own prompt
    #[arg(long)]
    pub approve: bool,
    /// Do not look for prompt injection in the added lines
    #[arg(long)]
    pub no_instruction_check: bool,
    /// The project's root [default: the repository that the session is in]
    #[arg(long, value_name = "DIR")]
    pub project: Option<PathBuf>,
    /// Timeout in seconds; on timeout the verdict is `ask`
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    pub deadline: Duration,
    /// Explain on standard error what was checked, by which rules, and how long it took
    #[arg(long)]
    pub explain: bool,
    /// Accepted for the day when models answer questions; until then a person does
    #[arg(long, value_name = "SPEC", alias = "model", hide = true)]
    decider: Option<String>,
}

impl Settings {
    /// Returns the store as it is named; none when nothing is kept.
    pub fn store(&self) -> Option<&Path> {
        let named = self.store.as_deref().unwrap_or(Path::new(defaults::STORE));
        (!self.no_store).then_some(named)
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "a number of seconds is expected".to_owned())?;
    match Duration::try_from_secs_f64(seconds) {
        Ok(duration) if !duration.is_zero() => Ok(duration),
        _ => Err("a number of seconds above 0 is expected".to_owned()),
    }
}

/// One run of a hook: what its judges need to know.
pub struct Sitting {
    /// What holds for every event.
    pub settings: Settings,
    /// The outside.
    pub world: World,
}

impl Sitting {
    /// Returns what must not be shown: what the rules redact that were loaded, or those of the
    /// project.
    pub fn redactor(&self, root: &Path) -> Redactor {
        self.world.secrets.redactor(self.settings.rules.as_deref(), root, &self.world)
    }
}
