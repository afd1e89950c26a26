//! Which settings file of which agent a person means, and what there is to say about it.
//!
//! Shared by `install` and `uninstall`: both look at all three files that an agent reads for a
//! project, write at most one of them, and say one line for each thing they did or noticed.

use super::defaults;
use super::failure::Failure;
use super::lists;
use super::world::World;
use crate::clients::wiring::{self, Form, Wiring, at_worst, brief, wirings};
use crate::domain::sanitize::{self, visible};
use crate::engine::redaction::Redactor;
use crate::report::count;
use crate::store::hook_groups::{Deed, Done, Handler};
use crate::store::own_entries::Owner;
use crate::store::settings::{Settings, handlers, user_folder};
use clap::builder::{PossibleValue, TypedValueParser};
use similar::TextDiff;
use std::fs;
use std::path::{Path, PathBuf};

/// Which settings file.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Where {
    /// The project's folder [default: the current folder]
    #[arg(long, value_name = "DIR")]
    pub project: Option<PathBuf>,
    /// The agents, with commas between, or all [default: those that are found in the project or on
    /// PATH]
    #[arg(long, value_name = "AGENT", value_delimiter = ',', value_parser = agent())]
    pub agent: Vec<String>,
    /// Whose settings: the project's, shared by its team; yours in this project; yours everywhere
    #[arg(long, value_enum, default_value_t)]
    pub scope: Scope,
}

impl Where {
    /// Returns what the project's rules redact: settings may hold a secret.
    #[must_use]
    pub fn redactor(&self, world: &World) -> Redactor {
        let root = defaults::project(self.project.as_deref(), None, world);
        world.secrets.redactor(None, &root, world)
    }
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
    /// Returns what a person names; nothing when no agent is named.
    pub fn named(asked: &Where, world: &World) -> Result<Vec<Self>, Failure> {
        let mut named: Vec<&'static Wiring> = Vec::new();
        for agent in &asked.agent {
            let more = match agent.as_str() {
                "all" => wirings().collect(),
                // The reference program's word.
                "both" => vec![wiring("claude")?, wiring("codex")?],
                agent => vec![wiring(agent)?],
            };
            named.extend(more);
        }
        let mut targets: Vec<Self> = Vec::new();
        for wiring in named {
            if !targets.iter().any(|target| target.wiring.name == wiring.name) {
                targets.push(Self::of(wiring, asked, world));
            }
        }
        Ok(targets)
    }

    /// Returns the settings of every agent that there is.
    #[must_use]
    pub fn all(asked: &Where, world: &World) -> Vec<Self> {
        wirings().map(|wiring| Self::of(wiring, asked, world)).collect()
    }

    fn of(wiring: &'static Wiring, asked: &Where, world: &World) -> Self {
        let variable = wiring.user_variable.and_then(|variable| world.env(variable));
        let user = user_folder(variable, wiring.user_folder);
        let project = asked.project.as_deref().map_or(world.cwd.clone(), |dir| world.path(dir));
        Self { wiring, project, scope: asked.scope, user }
    }

    /// Tells whether the agent is used here: the project has files of its, or its program is on
    /// PATH.
    #[must_use]
    pub fn is_used(&self, world: &World) -> bool {
        let path = world.env("PATH").unwrap_or_default();
        let mut folders = std::env::split_paths(&path);
        let signs = || self.wiring.signs.iter().any(|sign| self.project.join(sign).exists());
        let starts = |folder: PathBuf| {
            let ending = std::env::consts::EXE_SUFFIX;
            self.wiring.programs.iter().any(|name| folder.join(format!("{name}{ending}")).is_file())
        };
        self.scope != Scope::User && signs() || folders.any(starts)
    }

    /// Returns every file of a scope that may hold hooks.
    #[must_use]
    pub fn files(&self, scope: Scope) -> Vec<PathBuf> {
        let file = match scope {
            Scope::Project => Some(self.project.join(self.wiring.project)),
            Scope::Local => self.wiring.local.map(|local| self.project.join(local)),
            Scope::User => self.user.as_ref().map(|folder| folder.join(self.wiring.user)),
        };
        let beside =
            file.as_ref().zip(self.wiring.beside).map(|(file, name)| file.with_file_name(name));
        file.into_iter().chain(beside).collect()
    }

    /// Returns the file of a scope that entries are written to: the second one only if hooks stand
    /// there and in no other.
    #[must_use]
    pub fn file(&self, scope: Scope) -> Option<PathBuf> {
        let mut files = self.files(scope).into_iter();
        let (file, beside) = (files.next()?, files.next());
        let wired = |file: &PathBuf| {
            let text = Settings::read(file, None).ok()?.on_disk()?.to_owned();
            let found = handlers(file, &text).unwrap_or_default();
            Some((!found.is_empty(), found.iter().any(is_ours)))
        };
        let Some(beside) = beside else { return Some(file) };
        let ((_, ours), (hooks, ours_beside)) =
            (wired(&file).unwrap_or_default(), wired(&beside).unwrap_or_default());
        let there = fs::symlink_metadata(&file).is_ok();
        Some(if !ours && (ours_beside || hooks && !there) { beside } else { file })
    }

    /// Reads the file that is meant.
    pub fn read(&self) -> Result<Settings, Failure> {
        let file = self.file(self.scope).ok_or_else(|| self.no_file())?;
        self.read_file(&file)
    }

    /// Reads a file of the scope that is meant.
    pub fn read_file(&self, file: &Path) -> Result<Settings, Failure> {
        let fence = (self.scope != Scope::User).then_some(self.project.as_path());
        let settings = Settings::read(file, fence)?;
        Ok(match self.wiring.form {
            // The file beside is of another form.
            Form::Entries(empty)
                if self.files(self.scope).first().is_some_and(|first| first == file) =>
            {
                settings.or_else(empty)
            }
            _ => settings,
        })
    }

    /// Writes what is to stand in a file of the scope that is meant; without a text it goes, and
    /// so do the folders that held nothing else. Returns what to say about that; a dry run shows
    /// it and does nothing.
    ///
    /// The project's folder stays, and so does the agent's own in a person's home, which the agent
    /// may have made. Others that were there before, empty, cannot be told from those that we made;
    /// git does not keep them either.
    pub fn put(
        &self,
        settings: &Settings,
        text: Option<&str>,
        dry_run: bool,
    ) -> Result<Vec<String>, Failure> {
        let name = self.shown(settings.file());
        let mut lines = Vec::new();
        if dry_run {
            lines.push(differences(&name, settings.on_disk(), text));
        }
        let Some(text) = text else {
            let below = if self.scope == Scope::User { self.user.as_deref() } else { None };
            let folders = settings.folders_of_its_own(below.unwrap_or(&self.project));
            let removed = verb(dry_run, "removed");
            lines.push(format!("{name}: {removed}, nothing else is in it"));
            let folder =
                |folder: &PathBuf| format!("{}: {removed}, it is empty", self.shown(folder));
            lines.extend(folders.iter().map(folder));
            if !dry_run {
                settings.remove(&folders)?;
            }
            return Ok(lines);
        };
        if !dry_run {
            settings.write(text)?;
        }
        Ok(lines)
    }

    /// Says why there is no file of the scope that is meant.
    #[must_use]
    pub fn no_file(&self) -> Failure {
        if self.scope == Scope::Local {
            let title = self.wiring.title;
            return Failure::new(format!("{title} has no settings of one person in a project"))
                .next("use `--scope project` or `--scope user`");
        }
        let failure = Failure::new("there is no home directory for `--scope user`");
        match self.wiring.user_variable {
            Some(variable) => failure.next(format!("set `{variable}`")),
            None => failure,
        }
    }

    /// Returns a path as it is shown: from the project when it is inside.
    #[must_use]
    pub fn shown(&self, path: &Path) -> String {
        let path = path.strip_prefix(&self.project).unwrap_or(path);
        sanitize::path(path)
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
            let mut traps = (self.wiring.traps)(text);
            traps.extend((self.wiring.softens)(text));
            traps
                .into_iter()
                .map(|trap| format!("warning: {}: {}", self.shown(file), visible(&trap)))
        });
        traps.collect()
    }

    /// Returns in which of the other files entries of ours stand.
    #[must_use]
    pub fn elsewhere(&self) -> Vec<(Scope, String)> {
        let wired = |file: &Path, text: &str| {
            handlers(file, text).is_ok_and(|found| found.iter().any(is_ours))
        };
        let others = self.others().into_iter().filter(|(_, file, text)| wired(file, text));
        others.map(|(scope, file, _)| (scope, self.shown(&file))).collect()
    }

    /// Returns the other files that the agent reads, as far as they hold something.
    fn others(&self) -> Vec<(Scope, PathBuf, String)> {
        let meant = self.file(self.scope);
        let named = |(scope, file): (Scope, PathBuf)| {
            // In the home directory the project's file and the user's are one.
            let file = Some(file).filter(|file| Some(file) != meant.as_ref())?;
            let text = Settings::read(&file, None).ok()?.on_disk()?.to_owned();
            (!text.trim().is_empty()).then_some((scope, file, text))
        };
        let all = Scope::ALL.into_iter();
        all.flat_map(|scope| self.files(scope).into_iter().map(move |file| (scope, file)))
            .filter_map(named)
            .collect()
    }
}

fn agent() -> impl TypedValueParser<Value = String> {
    // The last is the reference program's word.
    let sets = [PossibleValue::new("all"), PossibleValue::new("both").hide(true)];
    let known = lists::agents().filter(|agent| wiring::of(agent.get_name()).is_some());
    lists::one_of(known.chain(sets), |name| Some(name.to_owned()))
}

/// Tells whether an entry is ours.
#[must_use]
pub fn is_ours(handler: &Handler) -> bool {
    matches!(handler.owner, Owner::Ours(_))
}

fn wiring(agent: &str) -> Result<&'static Wiring, Failure> {
    wiring::of(agent).ok_or_else(|| {
        let names: Vec<String> = wirings().map(|it| format!("`{}`", it.name)).collect();
        Failure::new(format!("`--agent {}` names no agent that is known", visible(agent)))
            .because(format!("known are {}, and `all`", names.join(", ")))
    })
}

/// The last line of a dry run.
pub const DRY_RUN: &str = "dry run: nothing was written";

/// Returns a verb as it is said of what was done, or, in a dry run, of what would be.
#[must_use]
pub fn verb(dry_run: bool, done: &'static str) -> &'static str {
    match done {
        _ if !dry_run => done,
        "added" => "would add",
        "removed" => "would remove",
        "replaced" => "would replace",
        "written" => "would write",
        unchanged => unchanged,
    }
}

/// Returns the line that tells what was done with an entry, or would be.
#[must_use]
pub fn told(file: &str, done: &Done, dry_run: bool) -> String {
    let deed = match done.deed {
        Deed::Added => "added",
        Deed::Replaced => "replaced",
        Deed::Unchanged => "unchanged",
        Deed::Removed => "removed",
    };
    let deed = verb(dry_run, deed);
    let event = visible(&done.event);
    let matcher = done.matcher.as_deref().filter(|matcher| !matcher.is_empty());
    let matcher = matcher.map(|it| format!(" ({})", visible(it))).unwrap_or_default();
    let command = brief(&done.command);
    format!("{file}: {deed} {event}{matcher} → {}{}", visible(command), at_worst(&done.command))
}

/// Returns what there is to say about the handlers that are not ours.
#[must_use]
pub fn others(file: &str, others: &[Handler]) -> Vec<String> {
    let mut lines = Vec::new();
    if !others.is_empty() {
        let others = count(others.len(), "other hook");
        lines.push(format!("{file}: {others} unchanged"));
    }
    for handler in others.iter().filter(|handler| handler.owner == Owner::Solvi) {
        lines.push(format!(
            "note: {file}: {} also runs `{}`, which is solvi's: both judge each edit and the \
             stricter answer counts; `solvi-hook install --replace-solvi` takes its place",
            visible(&handler.event),
            visible(&handler.command)
        ));
    }
    lines
}

/// Returns how two texts differ, as a patch that `git apply` takes where the project is; one may be
/// no file. It is one text: its lines stand as they are, also where one is there twice.
///
/// What cannot be seen is written as an escape, and then the patch is only to be read.
#[must_use]
pub fn differences(name: &str, old: Option<&str>, new: Option<&str>) -> String {
    let diff = TextDiff::from_lines(old.unwrap_or_default(), new.unwrap_or_default());
    let side = |side: &str, text: Option<&str>| match text {
        // A tab ends a name with spaces, as git writes it.
        Some(_) if name.contains(' ') => format!("{side}/{}\t", name.trim_start_matches('/')),
        Some(_) => format!("{side}/{}", name.trim_start_matches('/')),
        None => "/dev/null".to_owned(),
    };
    let (from, to) = (side("a", old), side("b", new));
    let text = diff.unified_diff().header(&from, &to).to_string();
    // Tabs and the ends of lines stay: they are how the file is written.
    let plain = |line: &str| {
        let (line, end) = line.strip_suffix('\r').map_or((line, ""), |line| (line, "\r"));
        line.split('\t').map(visible).collect::<Vec<_>>().join("\t") + end
    };
    text.trim_end_matches('\n').split('\n').map(plain).collect::<Vec<_>>().join("\n")
}

/// Writes lines for a person, without what rules redact.
pub fn print(
    out: &mut dyn std::io::Write,
    lines: &[String],
    redactor: &Redactor,
) -> Result<(), Failure> {
    let text: String = lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect();
    out.write_all(redactor.text(&text).as_bytes())
        .map_err(|error| Failure::new("the report cannot be written").because(error))
}
