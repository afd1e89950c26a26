//! `doctor`: is the guard in force?
//!
//! What is written in a file proves nothing: each entry and each shim of ours is started as an agent
//! or git would start it, with something harmless and with something that must be refused. What is
//! not ours is named and never started ([`ours`]). Nothing is mended here; each line that is not
//! well says what to do.

mod agents;
mod hooks;
pub(super) mod ours;
mod project;
mod trial;

use super::defaults;
use super::failure::Failure;
use super::world::World;
use crate::domain::sanitize::visible;
use crate::store::files::repository_root;
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;

/// Tell whether the guard is in force, and what to do if it is not
///
/// Looks at the agents' settings, the hooks of git, the rules and the records of a project. Each
/// entry and each hook of ours (what `install` wrote on this machine, for a program outside the
/// project) is started with a harmless event and with one that is always
/// refused: an edit of `.git/solvi-hook-doctor`, which is never made (its refusal is recorded like
/// any other), and a commit in a repository of its own.
///
/// With `--json`, one object: `version` and `project`; `in_force`, true or false; `guards`, what
/// is guarded; and `checks`, a list of objects with `about`, `state` (ok, warn or bad), `text` and
/// `next`, which is what to do, or null.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    solvi-hook doctor\n  \
    solvi-hook doctor --json | jq .in_force\n\n\
    Exit status: 0 an agent's edits or git's commits are guarded, 1 neither is, or a hook \
    of git that should guard does not, 2 it cannot be told.")]
pub struct Args {
    /// The project's folder [default: the repository that this folder is in]
    #[arg(long, value_name = "DIR")]
    project: Option<PathBuf>,
    /// Write one JSON object
    #[arg(long)]
    json: bool,
}

/// How well something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Ok,
    Warn,
    Bad,
}

impl State {
    fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warn => "warn",
            Self::Bad => "bad",
        }
    }
}

/// One thing that was looked at.
#[derive(Debug)]
struct Check {
    about: &'static str,
    state: State,
    text: String,
    next: Option<String>,
}

/// What was found.
#[derive(Debug, Default)]
struct Report {
    checks: Vec<Check>,
    /// What is guarded, in words.
    guards: Vec<String>,
}

impl Report {
    fn ok(&mut self, about: &'static str, text: impl Into<String>) {
        self.found(about, State::Ok, text.into(), String::new());
    }

    fn warn(&mut self, about: &'static str, text: impl Into<String>, next: impl Into<String>) {
        self.found(about, State::Warn, text.into(), next.into());
    }

    fn bad(&mut self, about: &'static str, text: impl Into<String>, next: impl Into<String>) {
        self.found(about, State::Bad, text.into(), next.into());
    }

    fn found(&mut self, about: &'static str, state: State, text: String, next: String) {
        let next = (!next.is_empty()).then_some(next);
        self.checks.push(Check { about, state, text, next });
    }

    fn guarded(&mut self, what: &str) {
        if !self.guards.iter().any(|guard| guard == what) {
            self.guards.push(what.to_owned());
        }
    }
}

/// Runs the sub-command.
pub fn run(args: &Args, world: &World, out: &mut dyn Write) -> Result<u8, Failure> {
    let root = defaults::project(args.project.as_deref(), None, world);
    if !root.is_dir() {
        return Err(defaults::no_project(&root));
    }
    let mut report = Report::default();
    for name in world.clone().of_an_agent().ignored() {
        let text = format!("${name} is set: no hook of an agent reads it");
        report.warn("environment", text, "say it with `solvi-hook install --rules PATH`");
    }
    project::rules(&root, world, &mut report);
    agents::look(&root, args.project.as_deref().unwrap_or(&world.cwd), world, &mut report);
    // A commit runs the hooks of the nearest repository: in a submodule, its own.
    let nearest = args.project.is_none().then(|| repository_root(&world.cwd)).flatten();
    hooks::look(nearest.as_deref().unwrap_or(&root), world, &mut report);
    project::records(&root, &mut report);
    if args.json {
        writeln!(out, "{}", report.json(&root.to_string_lossy()))?;
    } else {
        out.write_all(report.text().as_bytes())?;
    }
    Ok(u8::from(report.guards.is_empty() || report.has_a_gap()))
}

impl Report {
    /// Tells whether a hook of git that should guard does not.
    fn has_a_gap(&self) -> bool {
        self.checks.iter().any(|check| check.state == State::Bad && check.about == hooks::GIT)
    }

    fn json(&self, project: &str) -> Value {
        let check = |check: &Check| {
            json!({
                "about": check.about,
                "state": check.state.word(),
                "text": check.text,
                "next": check.next,
            })
        };
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "project": project,
            "in_force": !self.guards.is_empty(),
            "guards": self.guards,
            "checks": self.checks.iter().map(check).collect::<Vec<_>>(),
        })
    }

    fn text(&self) -> String {
        let mut lines = Vec::new();
        for Check { about, state, text, next } in &self.checks {
            lines.push(format!("{:<5} {about}: {}\n", state.word(), visible(text)));
            lines.extend(next.iter().map(|next| format!("      next: {}\n", visible(next))));
        }
        lines.push(if self.guards.is_empty() {
            "the guard is NOT in force: neither edits nor commits are refused\n".to_owned()
        } else {
            format!("in force for {}\n", self.guards.join(", "))
        });
        lines.concat()
    }
}
