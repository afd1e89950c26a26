//! The entries in agents' settings: each is started by the very command that stands there.

use super::Report;
use super::{ours, trial};
use crate::cli::agent_settings::{Scope, Target, Where, is_ours};
use crate::cli::world::World;
use crate::clients::wiring::{Form, Plan, Wiring, brief};
use crate::clients::{self, pi};
use crate::git::search_path::real;
use crate::store::digests::{self, CodexTrust};
use crate::store::hook_groups::Handler;
use crate::store::installed::Installed;
use crate::store::own_entries::Owner;
use crate::store::settings::{Settings, handlers};
use std::fs;
use std::path::{Path, PathBuf};

/// Looks at the settings of every agent that is used here, or has an entry of ours.
///
/// An agent is taken to be started in the folder `start`.
pub fn look(root: &Path, start: &Path, world: &World, report: &mut Report) {
    let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let below = real(root) != real(&root.join(start));
    let asked = Where { project: Some(root.to_owned()), ..Where::default() };
    let agents: Vec<Agent> =
        Target::all(&asked, world).into_iter().map(|target| Agent { target, below }).collect();
    let matters = |agent: &&Agent| agent.target.is_used(world) || agent.is_wired();
    let mut found: Vec<&Agent> = agents.iter().filter(matters).collect();
    if found.is_empty() {
        found.extend(agents.first());
    }
    for agent in found {
        agent.look(report);
    }
}

struct Agent {
    target: Target,
    /// Whether the agent is started in a folder below the project's root.
    below: bool,
}

/// A settings file that is there.
struct File {
    path: PathBuf,
    scope: Scope,
    name: String,
    text: String,
}

impl Agent {
    fn wiring(&self) -> &'static Wiring {
        self.target.wiring
    }

    fn is_extension(&self) -> bool {
        matches!(self.wiring().form, Form::Extension(_))
    }

    fn is_wired(&self) -> bool {
        self.files(&mut Report::default()).iter().any(|file| {
            if self.is_extension() {
                return pi::is_extension(&file.text);
            }
            handlers(&file.path, &file.text).unwrap_or_default().iter().any(is_ours)
        })
    }

    fn look(&self, report: &mut Report) {
        let about = self.wiring().name;
        let files = self.files(report);
        let silent = files.iter().any(|file| (self.wiring().silences)(&file.text));
        let mut wired = false;
        let mut works = false;
        for file in &files {
            let File { path, name, text, .. } = file;
            let traps = (self.wiring().traps)(text);
            for trap in &traps {
                report.bad(about, format!("{name}: {trap}"), format!("mend {name}"));
            }
            for softening in (self.wiring().softens)(text) {
                report.warn(about, format!("{name}: {softening}"), "see whether they should");
            }
            // What cannot be read has been told as a trap.
            let found = handlers(path, text).unwrap_or_default();
            let ours = if self.is_extension() { Vec::new() } else { found };
            for handler in &ours {
                if let Owner::Ours(sub_command) = handler.owner {
                    wired = true;
                    if let Some(why) = self.not_ours(file, &handler.command) {
                        self.named(
                            file,
                            &format!("{} → {}", handler.event, handler.command),
                            &why,
                            report,
                        );
                        continue;
                    }
                    let works_here = self.entry(name, handler, sub_command, report);
                    let runs = works_here
                        && self.is_found(file, report)
                        && self.is_trusted(file, Some(handler), report);
                    works |= runs && traps.is_empty() && !silent;
                }
            }
            if self.is_extension() && pi::is_extension(text) {
                wired = true;
                if let Some(why) = self.not_ours(file, text) {
                    let runs = pi::filled(text).map(|(program, _, arguments)| {
                        [&[program][..], &arguments].concat().join(" ")
                    });
                    self.named(file, &runs.unwrap_or_default(), &why, report);
                    continue;
                }
                works |= self.extension(file, report)
                    && self.is_found(file, report)
                    && self.is_trusted(file, None, report);
            }
        }
        if works {
            report.guarded(&format!("edits of {}", self.wiring().title));
            let banner = clients::by_name(about).and_then(|client| client.contract().banner());
            if let Some(banner) = banner {
                report.ok(about, format!("know that with {banner}"));
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

    /// Returns why an entry (or an extension) is not to be run: it is not what `install` writes, or
    /// nobody on this machine had it written there.
    fn not_ours(&self, file: &File, text: &str) -> Option<String> {
        let (wiring, project) = (self.wiring(), self.target.project.as_path());
        let (not, entry) = if self.is_extension() {
            (ours::not_an_extension(text, wiring, project), ours::recorded(text))
        } else {
            (ours::not_an_entry(text, wiring, project), text.to_owned())
        };
        let persons = file.scope == Scope::User && !real(&file.path).starts_with(real(project));
        let known = persons || Installed::read(project).holds(&file.path, &entry);
        not.or_else(|| (!known).then(|| "nobody installed it here, on this machine".to_owned()))
    }

    /// Names an entry that is not run.
    fn named(&self, file: &File, entry: &str, why: &str, report: &mut Report) {
        let about = self.wiring().name;
        report.warn(
            about,
            format!("{}: not ours, and not run: {why}: {entry}", file.name),
            format!("look at it; `solvi-hook install --agent {about}` writes ours"),
        );
    }

    /// Returns the settings files that are there; says which cannot be read.
    fn files(&self, report: &mut Report) -> Vec<File> {
        let mut files: Vec<File> = Vec::new();
        let scopes = [Scope::Project, Scope::Local, Scope::User].into_iter();
        let paths = scopes
            .flat_map(|scope| self.target.files(scope).into_iter().map(move |it| (scope, it)));
        for (scope, path) in paths {
            let name = self.target.shown(&path);
            // In the home directory the project's file and the user's are one.
            if files.iter().any(|file| file.name == name) {
                continue;
            }
            match Settings::read(&path, None) {
                Ok(settings) => {
                    let text = settings.on_disk().filter(|text| !text.trim().is_empty());
                    let text = text.map(str::to_owned);
                    files.extend(text.map(|text| File { path, scope, name, text }));
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

    /// Tells whether the agent finds a file where it is started, and says so if not.
    fn is_found(&self, file: &File, report: &mut Report) -> bool {
        if file.scope == Scope::User || self.wiring().from_below || !self.below {
            return true;
        }
        let title = self.wiring().title;
        report.bad(
            self.wiring().name,
            format!("{}: {title} does not find it when it is started in this folder", file.name),
            format!("start {title} in the project's root, or install with `--scope user`"),
        );
        false
    }

    /// Tells whether the agent trusts an entry enough to run it, and says what is missing.
    fn is_trusted(&self, file: &File, handler: Option<&Handler>, report: &mut Report) -> bool {
        let Some(trust) = self.wiring().trust else { return true };
        let kept = self.target.user.as_ref().and_then(|folder| {
            let settings = Settings::read(&folder.join(trust.file), None).ok()?;
            settings.on_disk().map(str::to_owned)
        });
        let kept = kept.unwrap_or_default();
        let (about, title) = (self.wiring().name, self.wiring().title);
        let root = fs::canonicalize(&self.target.project).unwrap_or(self.target.project.clone());
        let mut trusted = true;
        if file.scope != Scope::User && !(trust.trusts)(&kept, &root.to_string_lossy()) {
            trusted = false;
            let text =
                format!("{}: {title} does not trust this folder, and leaves it out", file.name);
            report.bad(about, text, trust.how);
        }
        if let Some(handler) = handler.filter(|_| about == "codex") {
            let path = fs::canonicalize(&file.path).unwrap_or(file.path.clone());
            let state = digests::codex_trust(&kept, &path.to_string_lossy(), handler);
            let what = match state {
                CodexTrust::Trusted => None,
                CodexTrust::Unknown => Some("nobody has trusted this hook, so Codex leaves it out"),
                CodexTrust::Changed => Some("it changed since it was trusted: Codex leaves it out"),
                CodexTrust::Off => Some("a person has switched it off"),
            };
            if let Some(what) = what {
                trusted = false;
                let text = format!("{}: {}: {what}", file.name, handler.event);
                report.bad(about, text, "start `codex`, type /hooks, and trust it");
            }
        }
        trusted
    }

    /// Tries the extension's program, and tells whether it refuses what must be refused.
    fn extension(&self, file: &File, report: &mut Report) -> bool {
        let (about, name) = (self.wiring().name, &file.name);
        let again = format!("`solvi-hook install --agent {about}` writes it anew");
        let Some((program, digest, arguments)) = pi::filled(&file.text) else {
            report.bad(about, format!("{name}: does not say what it starts"), again);
            return false;
        };
        // Without a digest it is a name, which the trial looks for.
        let other = || digests::of_file(Path::new(&program)).ok().as_ref() != Some(&digest);
        if !digest.is_empty() && other() {
            let text = format!("{name}: `{program}` is not the program that was installed");
            report.bad(about, text, again);
            return false;
        }
        let words = [&[program][..], &arguments].concat();
        let command = shlex::try_join(words.iter().map(String::as_str)).unwrap_or_default();
        let entry = format!("{name} → {command}");
        let refuses = self.tried(&entry, &command, &again, report);
        if refuses {
            report.ok(about, format!("{entry}: refuses what must be refused"));
        }
        refuses
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
        let mut wanted = (self.wiring().entries)(&Plan::default()).into_iter();
        let first = wanted.next();
        if first.as_ref().is_some_and(|first| first.event != handler.event) {
            if runs == "hook" && wanted.any(|entry| entry.event == handler.event) {
                report.ok(about, format!("{entry}: not tried"));
            } else {
                report.bad(about, format!("{entry}: is not asked before an edit is made"), again);
            }
            return false;
        }
        let wanted = first;
        if !self.tried(&entry, &handler.command, &again, report) {
            return false;
        }
        let patience = wanted.as_ref().map_or(0.0, |wanted| f64::from(wanted.timeout));
        // Ours is a third of what is written; a number in another unit is far from both.
        if timeout(handler).is_some_and(|timeout| timeout * 3.0 <= patience) {
            let text = format!("{entry}: its time-out is below our own deadline (another unit?)");
            report.bad(about, text, again);
            return false;
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

    /// Starts a command with what is harmless and with what must be refused.
    fn tried(&self, entry: &str, command: &str, again: &str, report: &mut Report) -> bool {
        let about = self.wiring().name;
        let trial = (self.wiring().trial)(&self.target.project.to_string_lossy());
        // What is tried is no decision about the project, and belongs in no store.
        let hook = format!(" hook --agent {about}");
        let command = command.replacen(&hook, &format!("{hook} --no-store"), 1);
        let run = |payload: &str| trial::run(&command, &self.target.project, payload);
        let refuses = self.wiring().refuses;
        match (run(&trial.harmless), run(&trial.refused)) {
            (Err(trouble), _) | (_, Err(trouble)) => {
                report.bad(about, format!("{entry}: cannot be tried: {trouble}"), again);
                false
            }
            (Ok(said), _) if !said.well || refuses(&said.reply) => {
                let text = format!("{entry}: stands against what is harmless: {}", said.trouble);
                report.bad(about, text, again);
                false
            }
            (Ok(_), Ok(said)) if !said.well || !refuses(&said.reply) => {
                let text = format!("{entry}: does not refuse what must be: {}", said.trouble);
                let next =
                    format!("run `solvi-hook --version` to see whether it can be started; {again}");
                report.bad(about, text, next);
                false
            }
            (Ok(_), Ok(_)) => true,
        }
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

/// Returns when the agent gives up waiting, in its own unit.
fn timeout(handler: &Handler) -> Option<f64> {
    let (_, at) = handler.place();
    let whole = handler.group();
    let own = whole.get("hooks").and_then(|hooks| hooks.get(at)).unwrap_or(whole);
    ["timeout", "timeoutSec"].iter().find_map(|name| own.get(name)?.as_f64())
}
