//! An agent that runs no commands loads a program of ours: the extension is written whole and removed
//! whole. It names the program that it starts by its path and digest, or, in the project's own
//! settings, by its name.

use super::{
    NAME, Options, Program, about_agent, about_places, next_steps, rules, sample_unless_there,
};
use crate::cli::agent_settings::{DRY_RUN, Target, verb};
use crate::cli::failure::Failure;
use crate::clients::pi;
use crate::domain::sanitize::{self, visible};
use crate::store::digests;
use crate::store::settings::Settings;
use std::path::{Path, PathBuf};

/// Writes the extension, and returns the lines to print.
pub fn install(template: &str, options: &Options) -> Result<Vec<String>, Failure> {
    let Options { target, dry_run, .. } = options;
    let settings = target.read()?;
    let name = target.name();
    ours(&settings, &name)?;
    if !options.edits {
        return uninstall(&settings, target, *dry_run);
    }
    let Found { program, digest, notes } = program(&options.program, target)?;
    let mut arguments: Vec<String> =
        ["hook", "--agent", target.wiring.name].map(str::to_owned).into();
    if let Some(rules) = &options.rules {
        arguments.extend(["--rules".to_owned(), rules.to_string_lossy().into_owned()]);
    }
    let new = pi::extension(template, &program, &digest, &arguments);
    let rules = rules(options)?;

    let deed = match settings.on_disk() {
        None => "added",
        Some(old) if old == new => "unchanged",
        Some(_) => "replaced",
    };
    let told = verb(*dry_run, deed);
    let mut lines = vec![format!("{name}: {told}, starts {}", visible(&program))];
    if deed != "unchanged" {
        lines.extend(target.put(&settings, Some(&new), *dry_run)?);
    }
    if let Some(rules) = &rules {
        lines.extend(sample_unless_there(rules, options)?);
    }
    lines.extend(about_places(target));
    lines.extend(about_agent(target));
    lines.extend(notes);
    lines.extend(next_steps(target, rules.as_ref()));
    if *dry_run {
        lines.push(DRY_RUN.to_owned());
    }
    Ok(lines)
}

/// Removes the extension, and returns the lines to print.
pub fn uninstall(
    settings: &Settings,
    target: &Target,
    dry_run: bool,
) -> Result<Vec<String>, Failure> {
    let name = target.shown(settings.file());
    ours(settings, &name)?;
    if !settings.is_there() {
        return Ok(vec![format!("{name}: not there, nothing to remove")]);
    }
    target.put(settings, None, dry_run)
}

/// Refuses to touch a file of that name that somebody else wrote.
fn ours(settings: &Settings, name: &str) -> Result<(), Failure> {
    match settings.on_disk() {
        Some(text) if !pi::is_extension(text) => Err(Failure::new(format!("{name} is not ours"))
            .because("it does not begin as the extension that solvi-hook writes")
            .next("move it away, then install again")),
        _ => Ok(()),
    }
}

/// What the extension starts.
struct Found {
    /// A path, or the name that is found on PATH.
    program: String,
    /// The digest of the file of a path; empty for a name.
    digest: String,
    /// What to say about it.
    notes: Vec<String>,
}

/// Returns what the extension starts, without a shell: by its name where a team shares the extension.
fn program(program: &Program, target: &Target) -> Result<Found, Failure> {
    let (path, mut notes) = match program {
        Program::Given(command) => match shlex::split(command).as_deref() {
            Some([name]) if name == NAME => return Ok(named(Vec::new())),
            Some([path]) if Path::new(path).is_absolute() => (PathBuf::from(path), Vec::new()),
            _ => {
                return Err(Failure::new("`--command` is not the path of a program")
                    .because("the extension starts it without a shell, and knows it by its digest")
                    .next("give the absolute path of solvi-hook, or its name"));
            }
        },
        Program::Found { this, .. } => match super::program(program, target)? {
            (name, notes) if name == NAME => return Ok(named(notes)),
            (_, notes) => (this.clone(), notes),
        },
    };
    let shown = sanitize::path(&path);
    let digest = digests::of_file(&path)
        .map_err(|error| Failure::new(format!("`{shown}` cannot be read")).because(error))?;
    let program = path.to_str().map(str::to_owned).ok_or_else(|| {
        Failure::new(format!("`{shown}` cannot be named in an extension"))
            .because("its name is not UTF-8")
    })?;
    notes.push(
        "note: Pi: the extension knows this program by its digest: install again after an update"
            .to_owned(),
    );
    Ok(Found { program, digest, notes })
}

/// Returns the name that is found on PATH.
fn named(notes: Vec<String>) -> Found {
    Found { program: NAME.to_owned(), digest: String::new(), notes }
}
