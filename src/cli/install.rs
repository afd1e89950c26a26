//! `install`: adds our hook to an agent's settings, or to git.
//!
//! Everything is read and worked out before anything is written. What is written: the agent's
//! settings with our entry in them, and, when the project has no rules file, the sample.

use super::agent_settings::{
    DRY_RUN, Scope, Target, Where, differences, others, print, told, verb,
};
use super::failure::Failure;
use super::install_git;
use super::rule_sources::RULES_FILES;
use super::world::World;
use crate::clients;
use crate::clients::wiring::{Form, Plan};
use crate::domain::Entry;
use crate::domain::sanitize::{self, visible};
use crate::store::hook_groups::{Deed, Done};
use crate::store::installed;
use crate::store::own_entries::{Owner, owner};
use crate::store::settings::create;
use std::fs;
use std::path::{Path, PathBuf};

pub(super) mod extension;

/// Install the hook for coding agents, or for git
///
/// Adds hook entries to the agent's settings: one before an edit, one after it, and one before the
/// agent stops. Everything else in the settings stays as it is. Installing again replaces the
/// entries. Without a rules file, one that takes over the built-in rules is written. Pi runs no commands, so it gets an extension.
///
/// With `--git`, the git hooks of the repository are written instead: nothing is committed or merged
/// unless the rules allow it. An existing hook is never changed.
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    solvi-hook install                   for everybody who works on this project\n  \
    solvi-hook install --scope user      for you, in every project\n  \
    solvi-hook install --dry-run         print a patch of what would be written\n  \
    solvi-hook install --git --pre-push  for commits, merges and pushes")]
pub struct Args {
    /// Where to write.
    #[command(flatten)]
    pub place: Where,
    /// The rules file, from the project's root [default: the one that is found]
    #[arg(long, value_name = "PATH")]
    pub rules: Option<PathBuf>,
    /// Let an edit without findings run without the agent's own prompt
    #[arg(long)]
    pub approve: bool,
    /// The command that starts solvi-hook, quoted for a shell [default: detected]
    #[arg(long, value_name = "CMD")]
    pub command: Option<String>,
    /// Remove existing entries and add none
    #[arg(long)]
    pub no_edits: bool,
    /// Do not pick skills (not implemented yet)
    #[arg(long)]
    pub no_skills: bool,
    /// Where skills are (not implemented yet)
    #[arg(long, value_name = "DIR")]
    pub skills_dir: Vec<PathBuf>,
    /// Who answers questions (not implemented yet)
    #[arg(long, alias = "model", value_name = "SPEC")]
    pub decider: Option<String>,
    /// Replace entries of solvi; the rules file that they name stays in use
    #[arg(long)]
    pub replace_solvi: bool,
    /// Print what would be done, as a patch, and write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Install git hooks instead of an agent's: pre-commit and pre-merge-commit
    #[arg(long, conflicts_with_all = [
        "agent", "scope", "rules", "approve", "command", "no_edits", "no_skills", "skills_dir",
        "decider", "replace_solvi",
    ])]
    pub git: bool,
    /// Install the git hook pre-push too
    #[arg(long, requires = "git")]
    pub pre_push: bool,
    /// Move an existing git hook aside; ours runs it first
    #[arg(long, requires = "git")]
    pub chain: bool,
}

/// Runs the sub-command.
pub fn run(args: &Args, world: &World, out: &mut dyn std::io::Write) -> Result<u8, Failure> {
    if args.git {
        return install_git::install(args, world, out);
    }
    if args.decider.is_some() {
        return Err(Failure::new("`--decider` is not built yet")
            .because("no rule's question is answered by a model so far; each asks a person")
            .next("run the same command without `--decider`"));
    }
    let this = std::env::current_exe()
        .map_err(|error| Failure::new("this program's own file is not known").because(error));
    let program = match &args.command {
        Some(command) => Program::Given(command.clone()),
        None => Program::Found { this: this?, on_path: on_path(world) },
    };
    let mut lines = Vec::new();
    if !args.skills_dir.is_empty() {
        let note = "note: picking skills is not built yet; `--skills-dir` has no effect";
        lines.push(note.to_owned());
    }
    let options = |target: Target, dry_run| Options {
        target,
        rules: args.rules.clone(),
        approve: args.approve,
        program: program.clone(),
        edits: !args.no_edits,
        replace_solvi: args.replace_solvi,
        dry_run,
        sample: FIRST_RULES,
    };
    let targets = targets(args, world, &mut lines)?;
    // What fails for one agent must leave nothing half done for the others.
    for target in &targets {
        install(&options(target.clone(), true))?;
    }
    for target in targets {
        let options = options(target, args.dry_run);
        let mut told = install(&options)?;
        if !options.dry_run {
            told.extend(recorded(&options));
        }
        for line in told {
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
    }
    print(out, &lines, &args.place.redactor(world))?;
    Ok(0)
}

/// Records what was written, so that `doctor` knows it from what a clone brings; returns what to say
/// when that fails.
fn recorded(options: &Options) -> Option<String> {
    let file = options.target.file(options.target.scope)?;
    let entries = match options.target.wiring.form {
        Form::Entries(_) => entries(options).map(|(entries, _)| entries).unwrap_or_default(),
        Form::Extension(_) => Vec::new(),
    };
    let mut entries: Vec<String> = entries.into_iter().map(|entry| entry.command).collect();
    if options.edits && matches!(options.target.wiring.form, Form::Extension(_)) {
        let text = fs::read_to_string(&file).ok()?;
        entries.push(super::doctor::ours::recorded(&text));
    }
    let error = installed::record(&file, &entries).err()?;
    Some(format!(
        "note: this installation is not recorded, so `doctor` will not try it: {}",
        visible(&error.to_string())
    ))
}

/// Returns the settings of the agents that are named, or else of those that are used here.
fn targets(args: &Args, world: &World, lines: &mut Vec<String>) -> Result<Vec<Target>, Failure> {
    let named = Target::named(&args.place, world)?;
    if !named.is_empty() {
        return Ok(named);
    }
    let all = Target::all(&args.place, world);
    let suits = |target: &Target| !target.files(target.scope).is_empty();
    let used = |target: &&Target| target.is_used(world) && suits(target);
    let found: Vec<Target> = all.iter().filter(used).cloned().collect();
    if found.is_empty() {
        let first = all.into_iter().next();
        lines.extend(first.iter().map(|first| {
            format!(
                "note: no agent found in this project or on PATH, so this is for {}; choose \
                 another with `--agent`",
                first.wiring.title
            )
        }));
        return Ok(first.into_iter().collect());
    }
    Ok(found)
}

/// What to install, and where.
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
#[derive(Clone, Debug)]
pub struct Options {
    /// The agent and its settings.
    pub target: Target,
    /// The rules file, when it is not to be looked for.
    pub rules: Option<PathBuf>,
    /// Whether an edit that breaks no rule runs without the agent's own question.
    pub approve: bool,
    /// What starts us.
    pub program: Program,
    /// Whether edits are judged at all.
    pub edits: bool,
    /// Whether entries of the reference program go.
    pub replace_solvi: bool,
    /// Whether nothing is to be written.
    pub dry_run: bool,
    /// The text of a first rules file.
    pub sample: &'static str,
}

/// What starts us.
#[derive(Clone, Debug)]
pub enum Program {
    /// As a person gave it.
    Given(String),
    /// As it was found.
    Found {
        /// The file that is running.
        this: PathBuf,
        /// The file that the bare name stands for.
        on_path: Option<PathBuf>,
    },
}

/// Installs, and returns the lines to print.
///
/// ```
/// use solvi_hook::cli::agent_settings::{Scope, Target};
/// use solvi_hook::cli::install::{Options, Program};
/// use solvi_hook::clients::wiring;
///
/// let folder = tempfile::tempdir().unwrap();
/// let project = folder.path().to_owned();
/// let wiring = wiring::of("claude").unwrap();
/// let target = Target { wiring, project, scope: Scope::Project, user: None };
/// let options = Options {
///     target: target.clone(),
///     rules: None,
///     approve: false,
///     program: Program::Given("solvi-hook".to_owned()),
///     edits: true,
///     replace_solvi: false,
///     dry_run: false,
///     sample: "version = 1\n",
/// };
/// solvi_hook::install(&options).unwrap();
/// let settings = folder.path().join(".claude/settings.json");
/// assert!(std::fs::read_to_string(&settings).unwrap().contains("solvi-hook hook"));
///
/// solvi_hook::uninstall(&target, false).unwrap();
/// assert!(!folder.path().join(".claude").exists());
/// ```
pub fn install(options: &Options) -> Result<Vec<String>, Failure> {
    let Options { target, dry_run, .. } = options;
    if let Form::Extension(template) = target.wiring.form {
        return extension::install(template, options);
    }
    let mut settings = target.read()?;
    let mut options = options.clone();
    let mut gone = Vec::new();
    if options.replace_solvi {
        let (without, outcome) = settings.without_solvi()?;
        options.rules = options.rules.or_else(|| rules_of_solvi(&outcome.done));
        (settings, gone) = (without, outcome.done);
    }
    let options = &options;
    let (entries, mut notes) = entries(options)?;
    let mut outcome = settings.merge(&entries)?;
    outcome.done.extend(gone);
    let rules = if options.edits { rules(options)? } else { None };

    let name = target.name();
    let mut lines: Vec<String> =
        outcome.done.iter().map(|done| told(&name, done, *dry_run)).collect();
    if lines.is_empty() {
        lines.push(format!("{name}: no solvi-hook entries"));
    }
    let changed = outcome.done.iter().any(|done| done.deed != Deed::Unchanged);
    // The rules come first: as soon as the entries stand, they are asked for.
    let about_rules =
        rules.as_ref().map(|rules| sample_unless_there(rules, options)).transpose()?;
    let mut left = settings.on_disk().map(str::to_owned);
    if changed {
        left = settings.left(&outcome);
        lines.extend(target.put(&settings, left.as_deref(), *dry_run)?);
    }
    lines.extend(others(&name, &outcome.others));
    lines.extend(about_rules.unwrap_or_default());
    let left = left.filter(|text| !text.trim().is_empty());
    lines.extend(target.traps(left.as_deref().unwrap_or("{}")));
    if options.edits {
        notes.extend(about_places(target));
        notes.extend(about_agent(target));
        notes.extend(next_steps(target, rules.as_ref()));
    }
    lines.extend(notes);
    if *dry_run {
        lines.push(DRY_RUN.to_owned());
    }
    Ok(lines)
}

/// Returns the rules file that the reference program's entries name, unless it is found anyway.
fn rules_of_solvi(gone: &[Done]) -> Option<PathBuf> {
    gone.iter().find_map(|done| {
        let words = shlex::split(&done.command)?;
        let at = words.iter().position(|word| word == "--rules")?;
        let named = words.get(at + 1)?;
        (!RULES_FILES.contains(&named.as_str())).then(|| PathBuf::from(named))
    })
}

/// Writes a first rules file, and returns what to say about the one that judges.
fn sample_unless_there(rules: &Rules, options: &Options) -> Result<Vec<String>, Failure> {
    let name = options.target.shown(&rules.file);
    if rules.is_there {
        return Ok(vec![format!("{name}: unchanged, these rules apply")]);
    }
    let written = verb(options.dry_run, "written");
    let mut lines = vec![format!("{name}: {written}, with the built-in rules")];
    if options.dry_run {
        lines.push(differences(&name, None, Some(options.sample)));
    } else {
        create(&rules.file, options.sample)?;
    }
    Ok(lines)
}

/// Returns the entries to write, and what to say about what starts us.
fn entries(options: &Options) -> Result<(Vec<Entry>, Vec<String>), Failure> {
    if !options.edits {
        return Ok((Vec::new(), Vec::new()));
    }
    let (program, notes) = program(&options.program, &options.target)?;
    let rules = options.rules.as_deref().map(quoted).transpose()?;
    let plan = Plan { program, rules, approve: options.approve };
    let entries = (options.target.wiring.entries)(&plan);
    // What we would not know again would be doubled by the next install and never removed.
    match entries.iter().find(|entry| !matches!(owner(&entry.command), Owner::Ours(_))) {
        None => Ok((entries, notes)),
        Some(entry) => Err(Failure::new("`--command` makes an entry that would not run us")
            .because(format!("the agent would run: {}", visible(&entry.command)))
            .next("give a command that `hook` and its options can follow")),
    }
}

/// The text of a first rules file.
const FIRST_RULES: &str = include_str!("../../templates/first-rules.toml");

/// The name by which a shell finds this program on PATH.
const NAME: &str = "solvi-hook";

/// Returns what starts us, as a shell reads it, and what to say about it.
fn program(program: &Program, target: &Target) -> Result<(String, Vec<String>), Failure> {
    let (this, on_path) = match program {
        Program::Given(command) if command.trim().is_empty() => {
            return Err(Failure::new("`--command` is empty"));
        }
        Program::Given(command) => return Ok((command.clone(), Vec::new())),
        Program::Found { this, on_path } => (this, on_path),
    };
    let shown = sanitize::path(this);
    // A file that a team shares names nobody's machine.
    match on_path.as_ref().filter(|_| target.scope == Scope::Project) {
        Some(found) => {
            let same = fs::canonicalize(found).ok() == fs::canonicalize(this).ok();
            let note = format!(
                "note: `solvi-hook` on PATH is {}, not {shown}, which you are running",
                sanitize::path(found)
            );
            Ok((NAME.to_owned(), if same { Vec::new() } else { vec![note] }))
        }
        None if target.scope == Scope::Project => {
            let note = format!(
                "note: `solvi-hook` is not on PATH, so {} names {shown}; others who share this \
                 file have no such program: put it on PATH and install again",
                target.name()
            );
            Ok((quoted(this)?, vec![note]))
        }
        None => Ok((quoted(this)?, Vec::new())),
    }
}

/// Returns a path as a shell reads it; with `/`, because agents run a POSIX shell on Windows too.
pub(super) fn quoted(path: &Path) -> Result<String, Failure> {
    let text = path.to_str().map(|text| text.replace(std::path::MAIN_SEPARATOR, "/"));
    let quoted = text.as_deref().and_then(|text| shlex::try_quote(text).ok());
    quoted.map(std::borrow::Cow::into_owned).ok_or_else(|| {
        let path = path.to_string_lossy();
        Failure::new(format!("`{}` cannot stand in a settings file", visible(&path)))
            .because("its name is not text in UTF-8")
    })
}

/// Returns the file that the bare name stands for.
pub(super) fn on_path(world: &World) -> Option<PathBuf> {
    let file = format!("solvi-hook{}", std::env::consts::EXE_SUFFIX);
    let path = world.env("PATH")?;
    std::env::split_paths(&path)
        .map(|folder| world.path(&folder).join(&file))
        .find(|path| path.is_file())
}

/// A project's rules file.
struct Rules {
    file: PathBuf,
    is_there: bool,
}

/// Returns the rules file that will judge; none when it is another one in each project.
fn rules(options: &Options) -> Result<Option<Rules>, Failure> {
    let Options { target, rules, .. } = options;
    if target.scope == Scope::User && !rules.as_ref().is_some_and(|file| file.is_absolute()) {
        return Ok(None);
    }
    // Rules hold for the whole repository, wherever the agent is started in it.
    let root = target.repository().unwrap_or_else(|| target.project.clone());
    let is_there = |file: &PathBuf| fs::symlink_metadata(file).is_ok();
    if let Some(given) = rules {
        let file = root.join(given);
        return Ok(Some(Rules { is_there: is_there(&file), file }));
    }
    let found: Vec<PathBuf> =
        RULES_FILES.map(|file| root.join(file)).into_iter().filter(is_there).collect();
    match found.as_slice() {
        [] => Ok(Some(Rules { file: root.join(RULES_FILES[0]), is_there: false })),
        [file] => Ok(Some(Rules { file: file.clone(), is_there: true })),
        several => {
            let names: Vec<String> = several.iter().map(|file| target.shown(file)).collect();
            Err(Failure::new("the project has more than one rules file")
                .because(names.join(", "))
                .next("keep one of them, or say which with `--rules PATH`"))
        }
    }
}

/// Returns what a person must know about where the agent looks.
fn about_places(target: &Target) -> Vec<String> {
    let mut notes = Vec::new();
    if target.scope != Scope::User
        && let Some(root) = target.repository()
    {
        notes.push(format!(
            "warning: {} is not the root of its repository ({}): {} reads these settings at most \
             when it is started in that very folder",
            sanitize::path(&target.project),
            sanitize::path(&root),
            target.wiring.title
        ));
    }
    for (scope, file) in target.elsewhere() {
        notes.push(format!(
            "note: {file} has an entry of solvi-hook too, so an edit may be checked twice; \
             `solvi-hook uninstall --scope {}` removes it",
            scope.name()
        ));
    }
    notes
}

/// Returns where the agent holds us less strictly than it seems.
fn about_agent(target: &Target) -> Vec<String> {
    let banner = clients::by_name(target.wiring.name).and_then(|client| client.contract().banner());
    let banner = banner.map(|banner| format!("note: {banner}"));
    let silent = target.wiring.silent.iter().map(|trap| format!("note: {trap}"));
    banner.into_iter().chain(silent).collect()
}

/// Returns how to see that it works, and what happens from now on.
fn next_steps(target: &Target, rules: Option<&Rules>) -> [String; 2] {
    let folder = match target.scope {
        Scope::User => "any project".into(),
        _ => sanitize::path(&target.project),
    };
    let rules = rules.map_or("the project's rules file".into(), |rules| target.shown(&rules.file));
    [
        format!("check: start {} in {folder} and {}", target.wiring.title, target.wiring.look),
        format!(
            "next: every edit is checked against {rules}; decisions are recorded in .solvi/, which \
             git ignores"
        ),
    ]
}

#[cfg(test)]
mod given_back;
#[cfg(test)]
mod tests;
