//! Which settings file of which agent a person means, and what there is to say about it.
//!
//! Shared by `install` and `uninstall`: both look at all three files that an agent reads for a
//! project, write at most one of them, and say one line for each thing they did or noticed.

use super::failure::Failure;
use super::world::World;
use crate::clients::wiring::{WIRINGS, Wiring, brief};
use crate::domain::sanitize::visible;
use crate::store::hook_groups::{Deed, Done, Handler, handlers};
use crate::store::own_entries::Owner;
use crate::store::settings::{Settings, user_folder};
use similar::TextDiff;
use std::fs;
use std::path::{Path, PathBuf};

/// Which settings file.
#[derive(Clone, Debug, clap::Args)]
pub struct Where {
    /// The project's folder [default: the current folder]
    #[arg(long, value_name = "DIR")]
    pub project: Option<PathBuf>,
    /// The agent; only Claude Code so far
    #[arg(long, value_name = "AGENT", default_value = "claude")]
    pub agent: String,
    /// Whose settings: the project's, shared by its team; yours in this project; yours everywhere
    #[arg(long, value_enum, default_value_t)]
    pub scope: Scope,
}

/// Whose settings a file holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub enum Scope {
    /// Those of the project, shared by everybody who works on it.
    #[default]
    Project,
    /// Those of one person in this project.
    Local,
    /// Those of one person in every project.
    User,
}

impl Scope {
    const ALL: [Self; 3] = [Self::Project, Self::Local, Self::User];

    /// Returns what `--scope` calls it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::Local => "local",
            Self::User => "user",
        }
    }
}

/// The settings of an agent for a project.
#[derive(Clone, Debug)]
pub struct Target {
    /// The agent.
    pub wiring: &'static Wiring,
    /// The project's folder.
    pub project: PathBuf,
    /// Which of the files is meant.
    pub scope: Scope,
    /// The folder of the person's own settings, when there is a home.
    pub user: Option<PathBuf>,
}

impl Target {
    /// Returns what a person means.
    pub fn of(asked: &Where, world: &World) -> Result<Self, Failure> {
        let wiring = wiring(&asked.agent)?;
        let user = user_folder(world.env(wiring.user_variable), wiring.user_folder);
        let project = asked.project.as_deref().map_or(world.cwd.clone(), |dir| world.path(dir));
        Ok(Self { wiring, project, scope: asked.scope, user })
    }

    /// Returns the file of a scope.
    #[must_use]
    pub fn file(&self, scope: Scope) -> Option<PathBuf> {
        match scope {
            Scope::Project => Some(self.project.join(self.wiring.project)),
            Scope::Local => Some(self.project.join(self.wiring.local)),
            Scope::User => self.user.as_ref().map(|folder| folder.join(self.wiring.user)),
        }
    }

    /// Reads the file that is meant.
    pub fn read(&self) -> Result<Settings, Failure> {
        let file = self.file(self.scope).ok_or_else(|| {
            Failure::new("there is no home directory for `--scope user`")
                .next(format!("set `{}`", self.wiring.user_variable))
        })?;
        let fence = (self.scope != Scope::User).then_some(self.project.as_path());
        Ok(Settings::read(&file, fence)?)
    }

    /// Returns a path as it is shown: from the project when it is inside.
    #[must_use]
    pub fn shown(&self, path: &Path) -> String {
        let path = path.strip_prefix(&self.project).unwrap_or(path);
        visible(&path.to_string_lossy()).into_owned()
    }

    /// Returns the name of the file that is meant.
    #[must_use]
    pub fn name(&self) -> String {
        self.file(self.scope).map(|file| self.shown(&file)).unwrap_or_default()
    }

    /// Returns the root of the repository, when the project is a folder further down in it.
    #[must_use]
    pub fn repository(&self) -> Option<PathBuf> {
        let project = fs::canonicalize(&self.project).unwrap_or_else(|_| self.project.clone());
        let root = project.ancestors().find(|folder| folder.join(".git").exists())?;
        (root != project).then(|| root.to_owned())
    }

    /// Returns what keeps the agent from running hooks, file by file; `text` is what will stand
    /// in the file that is meant.
    #[must_use]
    pub fn traps(&self, text: &str) -> Vec<String> {
        let mut files = self.others();
        files.extend(self.file(self.scope).map(|file| (self.scope, file, text.to_owned())));
        files.sort_by_key(|(scope, ..)| *scope);
        let traps = files.iter().flat_map(|(_, file, text)| {
            let traps = (self.wiring.traps)(text);
            traps
                .into_iter()
                .map(|trap| format!("warning: {}: {}", self.shown(file), visible(&trap)))
        });
        traps.collect()
    }

    /// Returns in which of the other files entries of ours stand.
    #[must_use]
    pub fn elsewhere(&self) -> Vec<(Scope, String)> {
        let ours = |handler: &Handler| matches!(handler.owner, Owner::Ours(_));
        let wired = |text: &str| handlers(text).is_ok_and(|found| found.iter().any(ours));
        let others = self.others().into_iter().filter(|(_, _, text)| wired(text));
        others.map(|(scope, file, _)| (scope, self.shown(&file))).collect()
    }

    /// Returns the other files that the agent reads, as far as they hold something.
    fn others(&self) -> Vec<(Scope, PathBuf, String)> {
        let meant = self.file(self.scope);
        let file = |scope| {
            // In the home directory the project's file and the user's are one.
            let file = self.file(scope).filter(|file| Some(file) != meant.as_ref())?;
            let text = Settings::read(&file, None).ok()?.on_disk()?.to_owned();
            (!text.trim().is_empty()).then_some((scope, file, text))
        };
        Scope::ALL.into_iter().filter_map(file).collect()
    }
}

fn wiring(agent: &str) -> Result<&'static Wiring, Failure> {
    let known = |wiring: &&Wiring| wiring.name == agent || wiring.aliases.contains(&agent);
    WIRINGS.iter().find(known).ok_or_else(|| {
        let names: Vec<String> = WIRINGS.iter().map(|it| format!("`{}`", it.name)).collect();
        let agent = visible(agent);
        let failure = match &*agent {
            "both" | "codex" | "copilot" | "gemini" | "pi" => {
                Failure::new(format!("`--agent {agent}` is not built yet"))
            }
            _ => Failure::new(format!("`--agent {agent}` names no agent that is known")),
        };
        failure.because(format!("known so far: {}", names.join(", ")))
    })
}

/// Returns the line that tells what was done with an entry.
#[must_use]
pub fn told(file: &str, done: &Done) -> String {
    let deed = match done.deed {
        Deed::Added => "added",
        Deed::Replaced => "replaced",
        Deed::Unchanged => "unchanged",
        Deed::Removed => "removed",
    };
    let event = visible(&done.event);
    let matcher = done.matcher.as_deref().filter(|matcher| !matcher.is_empty());
    let matcher = matcher.map(|it| format!(" ({})", visible(it))).unwrap_or_default();
    let command = brief(&done.command);
    let fallback = if command == done.command { "" } else { " (asks if it cannot run)" };
    format!("{file}: {deed} {event}{matcher} → {}{fallback}", visible(command))
}

/// Returns what there is to say about the handlers that are not ours.
#[must_use]
pub fn others(file: &str, others: &[Handler]) -> Vec<String> {
    let mut lines = Vec::new();
    if !others.is_empty() {
        lines.push(format!("{file}: kept {} other hook handler(s)", others.len()));
    }
    for handler in others.iter().filter(|handler| handler.owner == Owner::Solvi) {
        lines.push(format!(
            "note: {file}: {} also runs `{}`, which is solvi's: both judge each edit and the \
             stricter answer counts; `solvi hook uninstall` removes it",
            visible(&handler.event),
            visible(&handler.command)
        ));
    }
    lines
}

/// Returns the lines in which two texts differ, as `diff -u` writes them.
#[must_use]
pub fn differences(name: &str, old: Option<&str>, new: &str) -> Vec<String> {
    let diff = TextDiff::from_lines(old.unwrap_or_default(), new);
    let from = if old.is_some() { name } else { "/dev/null" };
    let text = diff.unified_diff().header(from, name).to_string();
    // Tabs stay: they are how the file is indented.
    let plain = |line: &str| line.split('\t').map(visible).collect::<Vec<_>>().join("\t");
    text.lines().map(plain).collect()
}

/// Writes lines for a person.
pub fn print(out: &mut dyn std::io::Write, lines: &[String]) -> Result<(), Failure> {
    let text: String = lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect();
    out.write_all(text.as_bytes())
        .map_err(|error| Failure::new("the report cannot be written").because(error))
}
