//! `uninstall`: takes our entries out of an agent's settings, and our hooks out of git's.
//!
//! Nothing else goes: neither the rules file nor what was recorded.

use super::agent_settings::{DRY_RUN, Target, Where, others, print, told};
use super::failure::Failure;
use super::install::extension;
use super::install_git;
use super::world::World;
use crate::clients::wiring::Form;
use crate::domain::sanitize::visible;
use crate::store::installed;
use std::fs;
use std::path::{Path, PathBuf};

/// Remove what `install` wrote into an agent's settings
///
/// Everything else in them stays as it is, and so do the rules file and .solvi/. A settings file
/// that `install` made goes when nothing else is in it any more, and so do folders of the project
/// that are empty then (`.claude`, say); the agent's own folder in your home stays. A file that
/// was there before stays, an empty one too. Where a program has written such a file anew, it
/// cannot be told any more who made it: then it stays, with an empty object.
///
/// With `--git`, the hooks of the repository that are ours go instead, and hooks that were there
/// before come back.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    solvi-hook uninstall                from the settings of this project\n  \
    solvi-hook uninstall --scope user   from your own settings\n  \
    solvi-hook uninstall --git          from the hooks of this repository")]
pub struct Args {
    /// Where to remove.
    #[command(flatten)]
    pub place: Where,
    /// Print what would be done, as a patch, and write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Remove the git hooks of solvi-hook
    #[arg(long, conflicts_with_all = ["agent", "scope"])]
    pub git: bool,
}

/// Runs the sub-command.
pub fn run(args: &Args, world: &World, out: &mut dyn std::io::Write) -> Result<u8, Failure> {
    if args.git {
        return install_git::uninstall(args, world, out);
    }
    let mut targets = Target::named(&args.place, world)?;
    if args.place.agent.is_empty() {
        targets = Target::all(&args.place, world);
        let nothing_of = |target: &Target| {
            !target.files(target.scope).iter().any(|file| fs::symlink_metadata(file).is_ok())
        };
        // Where nothing is, one line says so.
        let mut first = targets.iter().all(nothing_of);
        targets.retain(|target| std::mem::take(&mut first) || !nothing_of(target));
    }
    for target in targets {
        let mut lines = uninstall(&target, args.dry_run)?;
        let files = target.files(target.scope);
        for file in files.iter().filter(|_| !args.dry_run) {
            if let Err(error) = installed::record(file, &[]) {
                let error = error.to_string();
                lines.push(format!("note: the record of installations: {}", visible(&error)));
            }
        }
        print(out, &lines, &args.place.redactor(world))?;
    }
    Ok(0)
}

/// Uninstalls, and returns the lines to print.
pub fn uninstall(target: &Target, dry_run: bool) -> Result<Vec<String>, Failure> {
    let mut lines = Vec::new();
    let files = target.files(target.scope);
    if files.is_empty() {
        return Err(target.no_file());
    }
    let there = |file: &&PathBuf| fs::symlink_metadata(file).is_ok();
    let mut found: Vec<&PathBuf> = files.iter().filter(there).collect();
    if found.is_empty() {
        found.extend(files.first());
    }
    for file in found {
        lines.extend(out_of(file, target, dry_run)?);
    }
    for (scope, file) in target.elsewhere() {
        let scope = scope.name();
        lines.push(format!(
            "note: {file} has an entry of ours: `solvi-hook uninstall --scope {scope}` removes it"
        ));
    }
    if dry_run {
        lines.push(DRY_RUN.to_owned());
    }
    Ok(lines)
}

/// Takes our entries out of one file.
fn out_of(file: &Path, target: &Target, dry_run: bool) -> Result<Vec<String>, Failure> {
    let settings = target.read_file(file)?;
    let name = target.shown(file);
    if !settings.is_there() {
        return Ok(vec![format!("{name}: not there, nothing to remove")]);
    }
    if let Form::Extension(_) = target.wiring.form {
        return extension::uninstall(&settings, target, dry_run);
    }
    let outcome = settings.unmerge()?;
    let mut lines: Vec<String> =
        outcome.done.iter().map(|done| told(&name, done, dry_run)).collect();
    if outcome.done.is_empty() {
        lines.push(format!("{name}: no solvi-hook entries"));
    } else {
        lines.extend(target.put(&settings, settings.left(&outcome).as_deref(), dry_run)?);
    }
    lines.extend(others(&name, &outcome.others));
    Ok(lines)
}
