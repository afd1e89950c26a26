//! `uninstall`: takes our entries out of an agent's settings, and our hooks out of git's.
//!
//! Nothing else goes: neither the rules file nor what was recorded.

use super::agent_settings::{Target, Where, differences, others, print, told};
use super::failure::Failure;
use super::install_git;
use super::world::World;

/// Remove what `install` wrote into an agent's settings
///
/// Everything else in them stays as it is, and so do the rules file and .solvi/.
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
    /// Show what would be written, and write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Remove the hooks of git that are ours
    #[arg(long, conflicts_with_all = ["agent", "scope"])]
    pub git: bool,
}

/// Runs the sub-command.
pub fn run(args: &Args, world: &World, out: &mut dyn std::io::Write) -> Result<u8, Failure> {
    if args.git {
        return install_git::uninstall(args, world, out);
    }
    let target = Target::of(&args.place, world)?;
    print(out, &uninstall(&target, args.dry_run)?)?;
    Ok(0)
}

/// Uninstalls, and returns the lines to print.
pub fn uninstall(target: &Target, dry_run: bool) -> Result<Vec<String>, Failure> {
    let settings = target.read()?;
    let name = target.name();
    let mut lines = Vec::new();
    if settings.is_there() {
        let outcome = settings.unmerge()?;
        lines.extend(outcome.done.iter().map(|done| told(&name, done)));
        if outcome.done.is_empty() {
            lines.push(format!("{name}: no solvi-hook entries"));
        } else if dry_run {
            lines.extend(differences(&name, settings.on_disk(), &outcome.text));
        } else {
            settings.write(&outcome.text)?;
        }
        lines.extend(others(&name, &outcome.others));
    } else {
        lines.push(format!("{name}: not there, nothing to remove"));
    }
    for (scope, file) in target.elsewhere() {
        let scope = scope.name();
        lines.push(format!(
            "note: {file} has an entry of ours: `solvi-hook uninstall --scope {scope}` removes it"
        ));
    }
    if dry_run {
        lines.push("(dry run: nothing written)".to_owned());
    }
    Ok(lines)
}
