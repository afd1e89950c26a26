//! `rules check`: everything that can be said of a rules file before it evaluates anything.

use super::check_rules::counted;
use super::defaults;
use super::failure::Failure;
use super::lists;
use super::roots::Roots;
use super::rule_sources::RuleSource;
use super::terminal;
use super::world::World;
use crate::domain::Moment;
use crate::engine::document::Position;
use crate::engine::rules::{Only, Review, Rule, RulesError, Warning, review};
use crate::git::{GitError, Repo};
use crate::report::notices::{self, Notice, Severity};
use crate::report::{Style, count};
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Read every rule and every pattern of the rules file, and list the rules
///
/// Hooks stop at the first mistake and read patterns only of rules whose paths meet an edit; this
/// reads all of it and tells every mistake with its line. It also warns about what is no mistake
/// and probably not meant, such as a rule that covers none of git's files.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  solvi-hook rules check --rules solvi-rules.toml\n\n\
    Exit status: 0 every rule can be read, also where there are warnings; 2 otherwise.")]
pub struct Args {
    /// The rules file; by default the one that hooks would use
    #[arg(long, value_name = "PATH")]
    rules: Option<PathBuf>,
    /// The project's root; by default the repository that this folder is in
    #[arg(long, value_name = "DIR")]
    project: Option<PathBuf>,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text",
        value_parser = lists::one_of(["text", "json"], Shape::of))]
    format: Shape,
}

/// For whom it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Text,
    Json,
}

impl Shape {
    fn of(name: &str) -> Option<Self> {
        match name {
            "text" => Some(Self::Text),
            "json" => Some(Self::Json),
            _ => None,
        }
    }
}

/// Runs the sub-command.
pub fn run(args: &Args, world: &World, out: &mut dyn Write) -> Result<u8, Failure> {
    let mut checked = Vec::new();
    for (source, root) in sources(args, world)? {
        checked.push(Checked::of(&source, &root)?);
    }
    if args.format == Shape::Json {
        let files: Vec<_> = checked.iter().map(Checked::json).collect();
        writeln!(out, "{:#}", json!({"version": 1, "files": files}))?;
    } else {
        for file in &checked {
            file.write(terminal::style(world), out)?;
        }
    }
    let wrong: usize = checked.iter().map(|file| file.review.mistakes.len()).sum();
    if wrong == 0 {
        return Ok(0);
    }
    let wrong_files = checked.iter().filter(|file| file.is_wrong());
    let names: Vec<&str> = wrong_files.map(|file| file.name.as_str()).collect();
    let failure = Failure::new(format!("{}: {}", names.join(", "), count(wrong, "mistake")));
    Err(failure.next("correct them; until then every edit asks"))
}

/// Returns the rules files to check, each with the folder that its rules are for.
fn sources(args: &Args, world: &World) -> Result<Vec<(RuleSource, PathBuf)>, Failure> {
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
        return Ok(vec![(source, root.clone())]);
    }
    // The rules of every repository around the folder hold for its files.
    let around = |root: &&PathBuf| roots.folders.first().is_some_and(|it| it.starts_with(root));
    let mut found = Vec::new();
    for root in roots.all.iter().filter(around) {
        let mut source = RuleSource::find_in(root)?;
        if let RuleSource::WorkingTree(file) = &mut source {
            file.name = file.path.display().to_string();
        }
        if source != RuleSource::BuiltIn {
            found.push((source, root.clone()));
        }
    }
    Ok(if found.is_empty() { vec![(source, root.clone())] } else { found })
}

/// One rules file, and what was found in it.
struct Checked {
    name: String,
    text: String,
    review: Review,
}

impl Checked {
    fn of(source: &RuleSource, root: &Path) -> Result<Self, Failure> {
        let (text, form) = source.text()?;
        let mut review = review(&text, form, &source.name());
        if *source != RuleSource::BuiltIn {
            review.warnings.extend(without_files(&review, root)?);
            review.warnings.sort_by_key(|warning| warning.at);
        }
        Ok(Self { name: source.name_and_target(), text: text.into_owned(), review })
    }

    fn is_wrong(&self) -> bool {
        !self.review.mistakes.is_empty()
    }

    fn notices(&self) -> Vec<Notice> {
        let mistakes = self.review.mistakes.iter().map(mistake);
        mistakes.chain(self.review.warnings.iter().map(warning)).collect()
    }

    /// Writes what was found for a person, then the rules.
    fn write(&self, style: Style, out: &mut dyn Write) -> Result<(), Failure> {
        notices::write(&self.notices(), &self.name, &self.text, style, out)?;
        if self.is_wrong() {
            return Ok(());
        }
        let book = &self.review.book;
        writeln!(out, "{}: {}; every pattern can be read", self.name, counted(book))?;
        for rule in &book.rules {
            writeln!(
                out,
                "  {} ({}{}): {} in {}",
                rule.id,
                if rule.is_built_in() && book.inherits { "built-in, " } else { "" },
                limited(rule),
                parts(rule).join(", "),
                rule.paths.join(" ")
            )?;
        }
        Ok(())
    }

    fn json(&self) -> serde_json::Value {
        let rule = |rule: &Rule| {
            json!({
                "id": rule.id, "built_in": rule.is_built_in(), "on_fail": rule.on_fail.word(),
                "checks": parts(rule), "paths": rule.paths,
            })
        };
        json!({
            "file": self.name,
            "notices": notices::json(&self.notices()),
            "rules": self.review.book.rules.iter().map(rule).collect::<Vec<_>>(),
        })
    }
}

fn place(at: Position) -> (usize, usize) {
    (at.line(), at.column())
}

fn mistake(error: &RulesError) -> Notice {
    Notice {
        severity: Severity::Error,
        text: error.headline(),
        at: error.at.map(place),
        other: error.first.map(|at| (place(at), "it stands first here")),
        help: error.fix.clone(),
    }
}

fn warning(warning: &Warning) -> Notice {
    let text = match &warning.rule {
        Some(rule) => format!("rule `{rule}`: {}", warning.text),
        None => warning.text.clone(),
    };
    let at = warning.at.map(place);
    Notice { severity: Severity::Warning, text, at, other: None, help: None }
}

/// Warns about the file's own rules that cover none of the files that git tracks, where there are
/// any.
fn without_files(review: &Review, root: &Path) -> Result<Vec<Warning>, Failure> {
    let files = match Repo::open_around(root) {
        Ok(repo) => repo.tracked_below(root)?,
        Err(GitError::NoRepository { .. }) => return Ok(Vec::new()),
        Err(error) => return Err(error.into()),
    };
    let own = review.book.rules.iter().filter(|rule| !rule.is_built_in() && !rule.paths.is_empty());
    let idle = own.filter(|rule| !files.is_empty() && !files.iter().any(|file| rule.covers(file)));
    let warning = |rule: &Rule| Warning {
        at: Some(rule.position()),
        rule: Some(rule.id.clone()),
        text: format!("`paths` covers none of {} that git tracks", count(files.len(), "file")),
    };
    Ok(idle.map(warning).collect())
}

/// Returns what a rule checks, by its keys.
fn parts(rule: &Rule) -> Vec<&'static str> {
    let kinds = crate::engine::checks::KINDS.iter().map(|kind| kind.key);
    let mut parts: Vec<&str> = kinds.filter(|key| rule.under(key).next().is_some()).collect();
    if rule.question.is_some() {
        parts.push("question");
    }
    if rule.touch_only() {
        parts.push("any change");
    }
    parts
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
