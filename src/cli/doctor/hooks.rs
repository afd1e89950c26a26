//! The hooks of git: which run, which would stop a commit.

use super::Report;
use super::{ours, trial};
use crate::cli::hook_managers::{names_us, that_runs_us};
use crate::cli::install_git::Yard;
use crate::cli::rule_sources::RULES_FILES;
use crate::cli::world::World;
use crate::git::rehearsal::{Rehearsed, rehearse};
use crate::git::shims::{HOOKS, Hook, Standing, programs};
use std::path::Path;

pub(super) const GIT: &str = "git";

/// The rules of a rehearsal, and texts that they refuse and allow.
const RULES: &str = "[[rule]]\nid = \"doctor\"\npaths = [\"**\"]\nforbid = ['^refused$']\n";
const REFUSED: &str = "refused\n";
const HARMLESS: &str = "harmless\n";

const INSTALL: &str = "`solvi-hook install --git`";

/// Looks at the hooks of a project's repository.
pub fn look(root: &Path, world: &World, report: &mut Report) {
    let yard = match Yard::open(Some(root), world) {
        Ok(yard) => yard,
        Err(failure) => {
            let (text, next) = (failure.causes.join(": "), failure.next.unwrap_or_default());
            return report.warn(GIT, text, next);
        }
    };
    shadowed(&yard, report);
    for hook in HOOKS {
        let name = yard.shown(&yard.hooks.file(hook));
        match yard.hooks.look(hook) {
            Err(error) => report.bad(GIT, error.to_string(), "make it readable to you"),
            Ok(standing) => Seen { yard: &yard, hook, name: &name }.look(&standing, root, report),
        }
    }
}

/// Tells which hooks `core.hooksPath` leads git past.
fn shadowed(yard: &Yard, report: &mut Report) {
    let (Some(led), Ok(Some(passed))) = (yard.led(), yard.repo.hooks_passed_by()) else { return };
    for hook in HOOKS {
        if matches!(passed.look(hook), Ok(Standing::Ours { .. })) {
            let file = yard.shown(&passed.file(hook));
            report.bad(
                GIT,
                format!("{file} never runs: hook shadowed by core.hooksPath: {led}"),
                format!("{INSTALL} writes into that folder, or says what to add there"),
            );
        }
    }
    let folder = yard.shown(&passed.path);
    report.ok(GIT, format!("{led}; any hook in {folder} is shadowed by core.hooksPath"));
}

/// A hook that is looked at.
struct Seen<'a> {
    yard: &'a Yard,
    hook: &'static Hook,
    name: &'a str,
}

impl Seen<'_> {
    fn look(&self, standing: &Standing, root: &Path, report: &mut Report) {
        let name = self.name;
        let what = self.what();
        match standing {
            // Pushes are checked where that was asked for.
            Standing::Absent if !self.hook.is_usual(&self.yard.repo) => {}
            Standing::Absent => {
                report.warn(GIT, format!("{name} is not there: {what} are not checked"), INSTALL);
            }
            Standing::DeadLink(target) => report.bad(
                GIT,
                format!("{name} is a link to {}, where nothing is: no hook runs", target.display()),
                format!("`rm {name}`, then {INSTALL}"),
            ),
            Standing::NoFile => report.bad(
                GIT,
                format!("{name} is no file: no hook runs"),
                format!("move it away, then {INSTALL}"),
            ),
            Standing::Ours { text, runs } => self.ours(text, *runs, root, report),
            Standing::Stranger { text, runs } => {
                let file = if names_us(text) {
                    Some(name.to_owned())
                } else {
                    that_runs_us(self.hook, root)
                };
                match file {
                    None if !self.hook.is_usual(&self.yard.repo) => {}
                    None => report.warn(
                        GIT,
                        format!("{name} is somebody else's and does not run solvi-hook"),
                        format!("{INSTALL} says what to add"),
                    ),
                    Some(_) if !runs => self.not_executable(report),
                    // What it starts is a `solvi-hook` on PATH, as the shim as it is shipped does.
                    Some(file) => {
                        let by = format!("is somebody else's; {file} names solvi-hook");
                        match ours::not_a_script(self.hook.text, self.hook, root) {
                            Some(why) => {
                                let text = format!("{name} {by}, and is not tried: {why}");
                                report.warn(GIT, text, INSTALL);
                            }
                            None => self.rehearsed(self.hook.text, &by, root, report),
                        }
                    }
                }
            }
        }
    }

    /// Returns what the hook stands before.
    fn what(&self) -> &'static str {
        match self.hook.name {
            "pre-push" | "pre-receive" => "pushes",
            "pre-merge-commit" => "merges",
            _ => "commits",
        }
    }

    fn not_executable(&self, report: &mut Report) {
        let name = self.name;
        report.bad(
            GIT,
            format!("{name} is not executable, so git passes it by"),
            format!("`chmod +x {name}`"),
        );
    }

    fn ours(&self, text: &str, runs: bool, root: &Path, report: &mut Report) {
        if !runs {
            return self.not_executable(report);
        }
        if let Some(why) = ours::not_a_script(text, self.hook, root) {
            return report.warn(
                GIT,
                format!("{} is not ours, and not run: {why}", self.name),
                format!("look at it; {INSTALL} writes ours"),
            );
        }
        let before = self.yard.hooks.before(self.hook);
        let by = match before.len() {
            0 => "is ours".to_owned(),
            _ => format!("is ours, and runs {} first", before.join(", ")),
        };
        self.rehearsed(text, &by, root, report);
    }

    /// Tries a shim, and says what it did.
    fn rehearsed(&self, shim: &str, by: &str, root: &Path, report: &mut Report) {
        let name = self.name;
        self.version(shim, root, report);
        let tried = |text| tried((self.hook, shim), root, text);
        match (tried(HARMLESS), tried(REFUSED)) {
            (Err(trouble), _) | (_, Err(trouble)) => report.warn(
                GIT,
                format!("{name} {by}, and cannot be tried: {trouble}"),
                "see whether `git init` works in your folder of temporary files",
            ),
            (Ok(harmless), _) if harmless.status != Some(0) => report.bad(
                GIT,
                format!("{name} {by}, and stops what is harmless: {}", first_line(&harmless)),
                format!("{INSTALL} writes our hooks anew"),
            ),
            (_, Ok(refused)) if refused.status == Some(0) => report.bad(
                GIT,
                format!("{name} {by}, and does not stop what must be stopped"),
                "see which `solvi-hook` it starts: `command -v solvi-hook`",
            ),
            _ => {
                report.ok(GIT, format!("{name} {by}: stops what must be stopped"));
                report.guarded(self.what());
            }
        }
    }

    /// Says so when a shim starts another version than this one.
    fn version(&self, shim: &str, root: &Path, report: &mut Report) {
        let Some(programs) = programs(shim) else { return };
        let command = format!(
            "for program in {programs}; do found=$(command -v \"$program\") && [ -x \"$found\" ] \
             && exec \"$found\" --version; done"
        );
        if let Some(version) = trial::other_version(&command, root) {
            let this = env!("CARGO_PKG_VERSION");
            report.warn(
                GIT,
                format!("{} starts version {version}, and this is {this}", self.name),
                format!("{INSTALL} with the version that you want"),
            );
        }
    }
}

/// Runs a shim in a repository of its own.
fn tried(shim: (&Hook, &str), root: &Path, text: &str) -> Result<Rehearsed, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let [rules, ..] = RULES_FILES;
    rehearse(shim, root, folder.path(), (rules, RULES), text).map_err(|error| error.to_string())
}

fn first_line(rehearsed: &Rehearsed) -> String {
    let line = rehearsed.said.lines().find(|line| !line.trim().is_empty());
    match (line, rehearsed.status) {
        (Some(line), _) => line.trim().to_owned(),
        (None, Some(status)) => format!("exit status {status}"),
        (None, None) => "it was killed".to_owned(),
    }
}
