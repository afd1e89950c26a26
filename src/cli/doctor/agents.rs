//! The entries in agents' settings: each is started by the very command that stands there.

use super::Report;
use super::trial;
use crate::cli::agent_settings::{Scope, Target};
use crate::cli::world::World;
use crate::clients::wiring::{Plan, WIRINGS, Wiring, brief};
use crate::store::hook_groups::{Handler, handlers};
use crate::store::own_entries::Owner;
use crate::store::settings::{Settings, user_folder};
use std::path::Path;

/// Looks at every agent's settings.
pub fn look(root: &Path, world: &World, report: &mut Report) {
    for wiring in WIRINGS {
        let user = user_folder(world.env(wiring.user_variable), wiring.user_folder);
        let target = Target { wiring, project: root.to_owned(), scope: Scope::Project, user };
        Agent { target }.look(report);
    }
}

struct Agent {
    target: Target,
}

/// A settings file that is there.
struct File {
    name: String,
    text: String,
}

impl Agent {
    fn wiring(&self) -> &'static Wiring {
        self.target.wiring
    }

    fn look(&self, report: &mut Report) {
        let about = self.wiring().name;
        let files = self.files(report);
        let silent = files.iter().any(|file| (self.wiring().silences)(&file.text));
        let mut wired = false;
        for File { name, text } in &files {
            let traps = (self.wiring().traps)(text);
            for trap in &traps {
                report.bad(about, format!("{name}: {trap}"), format!("mend {name}"));
            }
            // What is no JSON has been told as a trap.
            let found = handlers(text).unwrap_or_default();
            for handler in &found {
                if let Owner::Ours(sub_command) = handler.owner {
                    wired = true;
                    let works = self.entry(name, handler, sub_command, report);
                    if works && traps.is_empty() && !silent {
                        report.guarded(&format!("edits of {}", self.wiring().title));
                    }
                }
            }
        }
        if !wired {
            report.warn(
                about,
                format!("no settings of {} have an entry of ours", self.wiring().title),
                format!("`solvi-hook install --agent {about}`, if you use it"),
            );
        }
    }

    /// Returns the settings files that are there; says which cannot be read.
    fn files(&self, report: &mut Report) -> Vec<File> {
        let mut files: Vec<File> = Vec::new();
        for scope in [Scope::Project, Scope::Local, Scope::User] {
            let Some(path) = self.target.file(scope) else { continue };
            let name = self.target.shown(&path);
            // In the home directory the project's file and the user's are one.
            if files.iter().any(|file| file.name == name) {
                continue;
            }
            match Settings::read(&path, None) {
                Ok(settings) => {
                    let text = settings.on_disk().filter(|text| !text.trim().is_empty());
                    files.extend(text.map(|text| File { name, text: text.to_owned() }));
                }
                Err(error) => report.bad(
                    self.wiring().name,
                    error.to_string(),
                    format!("see whether {} can read it", self.wiring().title),
                ),
            }
        }
        files
    }

    /// Tries one entry, and tells whether it refuses what must be refused before an edit.
    fn entry(&self, file: &str, handler: &Handler, runs: &str, report: &mut Report) -> bool {
        let about = self.wiring().name;
        let command = brief(&handler.command);
        let entry = format!("{file}: {} → {command}", handler.event);
        let again = format!("`solvi-hook install --agent {about}` writes the entry anew");
        self.version(&entry, command, runs, report);
        // Only entries for edits can be tried so far.
        if !matches!(runs, "pre-edit" | "hook") {
            report.ok(about, format!("{entry}: not tried"));
            return false;
        }
        let wanted = (self.wiring().edits)(&Plan::default()).into_iter().next();
        if wanted.as_ref().is_some_and(|wanted| wanted.event != handler.event) {
            report.bad(about, format!("{entry}: is not asked before an edit is made"), again);
            return false;
        }
        let trial = (self.wiring().trial)(&self.target.project.to_string_lossy());
        let run = |payload: &str| trial::run(&handler.command, &self.target.project, payload);
        let refuses = self.wiring().refuses;
        match (run(&trial.harmless), run(&trial.refused)) {
            (Err(trouble), _) | (_, Err(trouble)) => {
                report.bad(about, format!("{entry}: cannot be tried: {trouble}"), again);
                return false;
            }
            (Ok(said), _) if !said.well || refuses(&said.reply) => {
                let text = format!("{entry}: stands against what is harmless: {}", said.trouble);
                report.bad(about, text, again);
                return false;
            }
            (Ok(_), Ok(said)) if !said.well || !refuses(&said.reply) => {
                let text = format!("{entry}: does not refuse what must be: {}", said.trouble);
                let next =
                    format!("run `solvi-hook --version` to see whether it can be started; {again}");
                report.bad(about, text, next);
                return false;
            }
            (Ok(_), Ok(_)) => {}
        }
        let everything = |matcher: &str| matches!(matcher, "" | "*");
        let matcher = handler.matcher.as_deref().unwrap_or_default();
        let ours = wanted.and_then(|wanted| wanted.matcher).unwrap_or_default();
        if everything(matcher) || matcher == ours {
            report.ok(about, format!("{entry}: refuses what must be refused"));
        } else {
            let text = format!("{entry}: works, but only for `{matcher}`, and not for `{ours}`");
            report.warn(about, text, again);
        }
        true
    }

    /// Says so when an entry starts another version than this one.
    fn version(&self, entry: &str, command: &str, runs: &str, report: &mut Report) {
        // What starts us is all before the sub-command.
        let Some((program, _)) = command.split_once(&format!(" {runs}")) else { return };
        let command = format!("{program} --version");
        if let Some(version) = trial::other_version(&command, &self.target.project) {
            let this = env!("CARGO_PKG_VERSION");
            report.warn(
                self.wiring().name,
                format!("{entry}: starts version {version}, and this is {this}"),
                "install one of them in the place of the other, then install the hook again",
            );
        }
    }
}
