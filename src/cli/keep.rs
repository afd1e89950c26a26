//! Keeps what a check of many files came to: a record for each file with a finding, and one that
//! sums it up.

use super::check::Outcome;
use super::world::World;
use crate::domain::{Event, Ruling, sanitize};
use crate::git::Repo;
use crate::store::record::{self, Facts, Occasion, Summary, Written};
use crate::store::traces::{StoreError, Traces};
use std::path::Path;
use std::time::Duration;

/// How long a locked store is waited for; well below a hook's deadline.
pub const PATIENCE: Duration = Duration::from_secs(2);

/// Our folder in a project.
const OURS: &str = ".solvi";

/// Where and how a decision is kept.
#[derive(Clone, Copy)]
pub struct Keep<'a> {
    /// The repository, where it is open already.
    pub repo: Option<&'a Repo>,
    /// The project's root.
    pub root: &'a Path,
    /// The store, as it was named.
    pub named: &'a Path,
    /// What the decision was made for.
    pub occasion: Occasion,
    /// Whether text that speaks to the reviewer was looked for.
    pub instruction_check: bool,
}

impl Keep<'_> {
    /// Keeps the decision about an edit; returns the sentence that says where.
    pub fn edit(
        &self,
        event: &Event,
        decision: &crate::domain::Decision,
        world: &World,
    ) -> Result<String, StoreError> {
        let facts = self.facts(world);
        let entries: Vec<_> =
            decision.rulings.iter().map(|ruling| record::of(ruling, event, &facts)).collect();
        let ids = self.append(&entries)?;
        let named = self.named.to_string_lossy();
        Ok(format!("(recorded as {} in {})", ids.join(", "), sanitize::visible(&named)))
    }

    /// Keeps how what was written stands to what was judged.
    pub fn written(
        &self,
        event: &Event,
        written: &[(Ruling, Written)],
        world: &World,
    ) -> Result<(), StoreError> {
        let facts = self.facts(world);
        let entries: Vec<_> = written
            .iter()
            .map(|(ruling, written)| {
                // What is as it was judged is not searched again.
                let searched = facts.instruction_check && written.differs != Some(false);
                let facts = Facts { instruction_check: searched, ..facts };
                record::written(written, ruling, event, &facts)
            })
            .collect();
        self.append(&entries).map(drop)
    }

    /// Keeps the outcome of a check.
    pub fn outcome(
        &self,
        outcome: &Outcome,
        answered: Option<bool>,
        world: &World,
    ) -> Result<(), StoreError> {
        let facts = self.facts(world);
        let event = Event { tool: crate::git::TOOL.to_owned(), ..Event::default() };
        let rulings = outcome.decision.rulings.iter();
        let mut entries: Vec<_> =
            rulings.map(|ruling| record::of(ruling, &event, &facts)).collect();
        let not_checked = outcome.not_checked.iter().map(|file| file.place.to_string());
        entries.push(record::summary(
            &Summary {
                title: outcome.title.clone(),
                verdict: outcome.decision.verdict(),
                files: outcome.files,
                not_checked: not_checked.collect(),
                answered,
            },
            &facts,
        ));
        self.append(&entries).map(drop)
    }

    fn facts(&self, world: &World) -> Facts {
        Facts {
            occasion: self.occasion,
            time: world.now(),
            instruction_check: self.instruction_check,
        }
    }

    /// Returns a file below our folder that git tracks. Where no repository is open, one is
    /// opened for the first record only: an edit's hook has no time to look each time.
    fn tracked(&self, store: &Path) -> Option<String> {
        let folder = format!("{OURS}/");
        match self.repo {
            Some(repo) => repo.first_below(&folder).ok().flatten(),
            None if store.exists() => None,
            None => Repo::open(self.root).ok()?.first_below(&folder).ok().flatten(),
        }
    }

    fn append(&self, entries: &[crate::store::chain::Entry]) -> Result<Vec<String>, StoreError> {
        let path = self.root.join(self.named);
        if path.starts_with(self.root.join(OURS))
            && let Some(path) = self.tracked(&path)
        {
            return Err(StoreError::Tracked { path });
        }
        let store = Traces::at(path, PATIENCE)?;
        store.ensure_ignored(self.root)?;
        store.append(entries)
    }
}
