//! By which rules a repository is judged: those of the index, of a revision, or of the working
//! tree.

use super::failure::Failure;
use super::rule_sources::{RULES_FILES, RuleSource};
use super::world::World;
use crate::domain::{Moment, Place};
use crate::engine::rules::Rulebook;
use crate::git::{Delta, Repo};
use std::path::{Path, PathBuf};

/// The rules that judge, and where they come from.
#[derive(Debug)]
pub struct Rules {
    /// The rules.
    pub book: Rulebook,
    /// Whether every rule judges, or only those that were named.
    pub every_rule: bool,
    /// What a reader should know about their origin.
    pub notes: Vec<String>,
    // The rules files of the project, as paths in the repository.
    files: Vec<String>,
}

/// Where rules are looked for.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// The file that was named.
    pub named: Option<&'a Path>,
    /// The project's root.
    pub root: &'a Path,
    /// The only rules that are wanted; all when empty.
    pub only: &'a [String],
    /// When they judge.
    pub moment: Moment,
}

impl Rules {
    /// Takes the rules that are staged, because those are what the commit will hold; the working
    /// tree's where none is tracked.
    pub fn staged(wanted: Wanted<'_>, repo: &Repo, world: &World) -> Result<Self, Failure> {
        let Some(source) = RuleSource::staged(repo, &candidates(wanted, world))? else {
            return Self::on_disk(wanted, world);
        };
        let mut rules = Self::of(&source)?;
        if let RuleSource::Index(stored) = &source {
            let name = &stored.name;
            let there = std::fs::read(wanted.root.join(name)).ok();
            if there.as_deref().map(without_returns) != Some(without_returns(stored.bytes())) {
                rules.notes.push(format!(
                    "{name} differs in the working tree; the staged version judges this commit"
                ));
            }
        }
        rules.choose(wanted)
    }

    /// Takes the rules of a revision, so that a change cannot weaken the rules that judge it.
    pub fn of_revision(
        wanted: Wanted<'_>,
        revision: &str,
        repo: &Repo,
        world: &World,
    ) -> Result<Self, Failure> {
        let names = candidates(wanted, world);
        let commit = repo.commit(revision)?;
        let rules = match RuleSource::at(repo, commit, revision, &names)? {
            Some(source) => Self::of(&source)?,
            None if wanted.named.is_some() => {
                return Err(Failure::new(format!(
                    "`{revision}` has no rules file `{}`",
                    names.join("`, `")
                ))
                .next("name a revision that has one with `--rules-from`"));
            }
            None => {
                let mut rules = Self::of(&RuleSource::BuiltIn)?;
                rules.notes.push(format!("{revision} has no rules file; the built-in rules judge"));
                rules
            }
        };
        rules.choose(wanted)
    }

    /// Takes the rules of the working tree.
    pub fn on_disk(wanted: Wanted<'_>, world: &World) -> Result<Self, Failure> {
        let source = RuleSource::find(wanted.named, wanted.root, world)?;
        let book = source.load()?;
        let files = candidates(wanted, world);
        Self { book, every_rule: true, notes: Vec::new(), files }.choose(wanted)
    }

    fn of(source: &RuleSource) -> Result<Self, Failure> {
        let book = source.load()?;
        let files = source.file().map_or_else(usual, |file| vec![file.to_owned()]);
        Ok(Self { book, every_rule: true, notes: Vec::new(), files })
    }

    /// Keeps the rules that are wanted: of this moment, and, where some are named, these alone.
    fn choose(mut self, wanted: Wanted<'_>) -> Result<Self, Failure> {
        let only = wanted.only;
        if only.is_empty() {
            self.book.keep_for(wanted.moment);
            return Ok(self);
        }
        let known = |id: &&String| !self.book.rules.iter().any(|rule| rule.id == **id);
        if let Some(stranger) = only.iter().find(known) {
            let ids: Vec<&str> = self.book.rules.iter().map(|rule| rule.id.as_str()).collect();
            return Err(Failure::new(format!("there is no rule `{stranger}`")).because(format!(
                "{} has {}",
                self.book.file,
                ids.join(", ")
            )));
        }
        self.book.rules.retain(|rule| only.contains(&rule.id));
        self.book.keep_for(wanted.moment);
        self.every_rule = false;
        Ok(self)
    }

    /// Returns a note for each rules file that the changes touch.
    #[must_use]
    pub fn touched<'a>(&self, deltas: impl IntoIterator<Item = &'a Delta>) -> Vec<String> {
        let is_rules = |place: &Place| {
            let path = place.as_str();
            RULES_FILES.contains(&path) || self.files.iter().any(|file| file == path)
        };
        let places = deltas.into_iter().map(|delta| &delta.place);
        let mut touched: Vec<String> = places
            .filter(|place| is_rules(place))
            .map(|place| format!("the rules file {place} changes here"))
            .collect();
        touched.dedup();
        touched
    }
}

/// Returns the paths in the repository at which the rules file may be.
fn candidates(wanted: Wanted<'_>, world: &World) -> Vec<String> {
    let variable = world.env("SOLVI_HOOK_RULES").map(PathBuf::from);
    match wanted.named.map(Path::to_owned).or(variable) {
        None => usual(),
        Some(named) => {
            let path = wanted.root.join(named);
            let inside = path.strip_prefix(wanted.root).unwrap_or(&path);
            vec![inside.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/")]
        }
    }
}

fn usual() -> Vec<String> {
    RULES_FILES.map(ToOwned::to_owned).to_vec()
}

fn without_returns(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().copied().filter(|byte| *byte != b'\r').collect()
}
