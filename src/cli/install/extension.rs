//! An agent that runs no commands loads a program of ours: the extension is written whole, names
//! the program that it starts by its place and its digest, and goes whole.

use super::{Options, Program, about_agent, about_places, next_steps, rules, sample_unless_there};
use crate::cli::agent_settings::{DRY_RUN, Target, verb};
use crate::cli::failure::Failure;
use crate::clients::pi;
use crate::domain::sanitize::visible;
use crate::store::digests;
use crate::store::settings::Settings;
use std::path::PathBuf;

/// Writes the extension, and returns the lines to print.
pub fn install(template: &str, options: &Options) -> Result<Vec<String>, Failure> {
    let Options { target, dry_run, .. } = options;
    let settings = target.read()?;
    let name = target.name();
    ours(&settings, &name)?;
    if !options.edits {
        return uninstall(&settings, target, *dry_run);
    }
    let program = program(&options.program)?;
    let shown = program.to_string_lossy();
    let digest = digests::of_file(&program).map_err(|error| {
        Failure::new(format!("`{}` cannot be read", visible(&shown))).because(error)
    })?;
    let text = program.to_str().ok_or_else(|| {
        Failure::new(format!("`{}` cannot stand in an extension", visible(&shown)))
            .because("its name is not text in UTF-8")
    })?;
    let mut arguments: Vec<String> =
        ["hook", "--agent", target.wiring.name].map(str::to_owned).into();
    if let Some(rules) = &options.rules {
        arguments.extend(["--rules".to_owned(), rules.to_string_lossy().into_owned()]);
    }
    let new = pi::extension(template, text, &digest, &arguments);
    let rules = rules(options)?;

    let deed = match settings.on_disk() {
        None => "added",
        Some(old) if old == new => "unchanged",
        Some(_) => "replaced",
    };
    let told = verb(*dry_run, deed);
    let mut lines = vec![format!("{name}: {told}, starts {}", visible(text))];
    if deed != "unchanged" {
        lines.extend(target.put(&settings, Some(&new), *dry_run)?);
    }
    if let Some(rules) = &rules {
        lines.extend(sample_unless_there(rules, options)?);
    }
    lines.extend(about_places(target));
    lines.extend(about_agent(target));
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

/// Returns the file of the program: it is started without a shell.
fn program(program: &Program) -> Result<PathBuf, Failure> {
    match program {
        Program::Found { this, .. } => Ok(this.clone()),
        Program::Given(command) => match shlex::split(command).as_deref() {
            Some([path]) if PathBuf::from(path).is_absolute() => Ok(PathBuf::from(path)),
            _ => Err(Failure::new("`--command` must be the path of a program here")
                .because("the extension starts it without a shell, and knows it by its digest")
                .next("give the absolute path of solvi-hook, and nothing else")),
        },
    }
}
