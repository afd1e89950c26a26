//! `rules check`, `rules sample`, `rules schema`: for whoever writes the rules.

use super::check_rules::{counted, readable};
use super::defaults;
use super::failure::Failure;
use super::roots::Roots;
use super::rule_sources::RuleSource;
use super::sample;
use super::world::World;
use crate::domain::Moment;
use crate::engine::rules::{Only, Rule};
use clap::Subcommand;
use std::io::Write;
use std::path::PathBuf;

/// The JSON Schema of the rules file.
const SCHEMA: &str = include_str!("../../templates/rules.schema.json");

/// Check the rules, print the starter rules, or print the rules file's schema
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  solvi-hook rules check\n  \
    solvi-hook rules sample > solvi-rules.toml\n  solvi-hook rules schema > rules.schema.json")]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Check(Check),
    Sample(sample::Args),
    Schema(Schema),
}

/// Read every rule and every pattern of the rules file
///
/// Hooks read patterns only of rules whose paths meet an edit; this reads all of them.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  solvi-hook rules check --rules solvi-rules.toml\n\n\
    Exit status: 0 every rule can be read, 2 otherwise.")]
struct Check {
    /// The rules file; by default the one that hooks would use
    #[arg(long, value_name = "PATH")]
    rules: Option<PathBuf>,
    /// The project's root; by default the repository that this folder is in
    #[arg(long, value_name = "DIR")]
    project: Option<PathBuf>,
}

/// Print the JSON Schema of the rules file, for editors
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  solvi-hook rules schema > solvi-rules.schema.json")]
struct Schema {}

/// Runs the sub-command.
pub fn run(args: &Args, world: &World, out: &mut dyn Write) -> Result<u8, Failure> {
    match &args.command {
        Command::Check(args) => check(args, world, out),
        Command::Sample(args) => sample::run(args, out),
        Command::Schema(_) => {
            out.write_all(SCHEMA.as_bytes())?;
            Ok(0)
        }
    }
}

fn check(args: &Check, world: &World, out: &mut dyn Write) -> Result<u8, Failure> {
    let roots = Roots::of(args.project.as_deref(), None, world);
    let root = &roots.project;
    if !root.is_dir() {
        return Err(defaults::no_project(root));
    }
    // A path on the command line is meant from where the person stands.
    let named = args.rules.as_ref().map(|path| world.path(path));
    let source = RuleSource::find(named.as_deref(), root, world)?;
    let is_found = !matches!(source, RuleSource::File(_));
    let inner = defaults::inner(root, world).filter(|_| is_found && args.project.is_none());
    if inner.is_none() {
        return read(&source, out);
    }
    // The rules of every repository around the folder hold for its files.
    let around = |root: &&PathBuf| roots.folders.first().is_some_and(|it| it.starts_with(root));
    let mut none = true;
    for root in roots.all.iter().filter(around) {
        let mut source = RuleSource::find_in(root)?;
        if let RuleSource::WorkingTree(file) = &mut source {
            file.name = file.path.display().to_string();
        }
        if source != RuleSource::BuiltIn {
            none = false;
            read(&source, out)?;
        }
    }
    if none { read(&source, out) } else { Ok(0) }
}

/// Reads the rules of one source, and lists them.
fn read(source: &RuleSource, out: &mut dyn Write) -> Result<u8, Failure> {
    let book = source.load()?;
    readable(&book)?;
    writeln!(out, "{}: {}; every pattern can be read", source.name_and_target(), counted(&book))?;
    for rule in &book.rules {
        let kinds = crate::engine::checks::KINDS.iter().map(|kind| kind.key);
        let mut parts: Vec<&str> = kinds.filter(|key| rule.under(key).next().is_some()).collect();
        if rule.question.is_some() {
            parts.push("question");
        }
        if rule.touch_only() {
            parts.push("any change");
        }
        writeln!(
            out,
            "  {} ({}{}): {} in {}",
            rule.id,
            if rule.is_built_in() && book.inherits { "built-in, " } else { "" },
            limited(rule),
            parts.join(", "),
            rule.paths.join(" ")
        )?;
    }
    Ok(0)
}

/// Returns what a broken rule leads to, and what the rule is limited to.
fn limited(rule: &Rule) -> String {
    let mut words = rule.on_fail.word().to_owned();
    if rule.only != Only::Any {
        words = format!("{words}, only {}", rule.only.word());
    }
    if Moment::ALL.iter().any(|moment| !rule.on.contains(moment)) {
        let on: Vec<&str> = rule.on.iter().map(|moment| moment.word()).collect();
        words = format!("{words}, on {}", on.join(" "));
    }
    words
}
