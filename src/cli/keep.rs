//! Keeps what a check of many files came to: a record for each file with a finding, and one that
//! sums it up.

use super::check::Outcome;
use super::world::World;
use crate::domain::{Event, Ruling, Session, Verdict, sanitize};
use crate::git::{self, Repo};
use crate::store::ignored::Ignored;
use crate::store::owned_dir::SOLVI;
use crate::store::record::{self, Facts, Occasion, Summary, Written};
use crate::store::rest;
use crate::store::traces::{Appended, Found, StoreError, Traces};
use std::cmp::Reverse;
use std::path::{Component, Path};
use std::time::Duration;

/// How long a locked store is waited for; well below a hook's deadline.
pub const PATIENCE: Duration = Duration::from_secs(2);

/// How long a person's own command waits for it: nothing waits for the command.
pub const UNHURRIED: Duration = Duration::from_mins(1);

/// How many ids of records are named in a reply.
const LISTED: usize = 10;

/// The variable that asks for each record to be on the disk before the decision is told.
const SYNC: &str = "SOLVI_HOOK_SYNC";

/// What keeping a decision came to, in sentences for whoever made the edit.
pub struct Kept {
    /// Where the decision is kept.
    pub place: String,
    /// What is wrong with the store, although the decision is kept.
    pub trouble: Option<String>,
    /// Whether somebody must have put it there, so that a person has to see it.
    pub is_tampering: bool,
}

/// The end of an agent's work, as it is kept.
#[derive(Clone, Copy)]
pub struct Stop<'a> {
    /// Whose work it is.
    pub session: &'a Session,
    /// A name for what is refused.
    pub reasons: Option<&'a str>,
    /// Whether it is on record already what is refused, file by file.
    pub told: bool,
}

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
    /// Keeps the decision about an edit.
    pub fn edit(
        &self,
        event: &Event,
        decision: &crate::domain::Decision,
        world: &World,
    ) -> Result<Kept, StoreError> {
        let facts = self.facts(world);
        // The strictest come first where not all have a record of their own.
        let mut rulings: Vec<&Ruling> = decision.rulings.iter().collect();
        if rulings.len() > rest::FILES {
            rulings.sort_by_key(|ruling| Reverse(ruling.verdict()));
        }
        let (whole, others) = parted(&rulings);
        let mut entries: Vec<_> =
            whole.iter().map(|ruling| record::of(ruling, event, &facts)).collect();
        if let Some(told) = rest::files(others) {
            let (title, verdict) = ("an edit of many files".to_owned(), decision.verdict());
            let session_id = event.session.session_id.clone();
            let summary = Summary { title, verdict, session_id, ..Summary::default() };
            let summary = Summary { files: rulings.len(), rest: Some(told), ..summary };
            entries.push(record::summary(&summary, &facts));
        }
        let Appended { ids, found } = self.append(&entries, world)?;
        let named = self.named.to_string_lossy();
        let named = sanitize::visible(&named);
        Ok(Kept {
            place: format!("(recorded as {} in {named})", listed(&ids)),
            is_tampering: found == Some(Found::Forged),
            trouble: found.map(|found| trouble(&found, &named)),
        })
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
            // Of the others the decision has no record of its own either.
            .take(rest::FILES)
            .map(|(ruling, written)| {
                // What is as it was judged is not searched again.
                let searched = facts.instruction_check && written.differs != Some(false);
                let facts = Facts { instruction_check: searched, ..facts };
                record::written(written, ruling, event, &facts)
            })
            .collect();
        self.append(&entries, world).map(drop)
    }

    /// Keeps the outcome of a check; returns what is wrong with the store all the same.
    pub fn outcome(
        &self,
        outcome: &Outcome,
        answered: Option<bool>,
        world: &World,
    ) -> Result<Option<String>, StoreError> {
        let summary = Summary { answered, ..summary(outcome) };
        self.check(outcome, &Session::default(), &summary, world)
    }

    /// Keeps what was found in the working tree when an agent was about to stop; returns what is
    /// wrong with the store all the same.
    pub fn stop(
        &self,
        outcome: &Outcome,
        stop: &Stop,
        world: &World,
    ) -> Result<Option<String>, StoreError> {
        let reasons = stop.reasons.map(str::to_owned);
        let session_id = stop.session.session_id.clone();
        let summary = Summary { session_id, reasons, ..summary(outcome) };
        if stop.told {
            let summary = record::summary(&summary, &self.facts(world));
            return self.append(&[summary], world).map(|appended| self.trouble(appended.found));
        }
        self.check(outcome, stop.session, &summary, world)
    }

    /// Keeps a record for each of the first files that something stands against, and the one that
    /// sums up, with what is told of the rest.
    fn check(
        &self,
        outcome: &Outcome,
        session: &Session,
        summary: &Summary,
        world: &World,
    ) -> Result<Option<String>, StoreError> {
        let facts = self.facts(world);
        let tool = git::TOOL.to_owned();
        let event = Event { tool, session: session.clone(), ..Event::default() };
        let rulings: Vec<&Ruling> = outcome.decision.rulings.iter().collect();
        let (whole, others) = parted(&rulings);
        let mut entries: Vec<_> =
            whole.iter().map(|ruling| record::of(ruling, &event, &facts)).collect();
        let summary = Summary { rest: rest::files(others), ..summary.clone() };
        entries.push(record::summary(&summary, &facts));
        self.append(&entries, world).map(|appended| self.trouble(appended.found))
    }

    fn trouble(&self, found: Option<Found>) -> Option<String> {
        let named = self.named.to_string_lossy();
        found.map(|found| trouble(&found, &sanitize::visible(&named)))
    }

    fn facts(&self, world: &World) -> Facts {
        Facts {
            occasion: self.occasion,
            time: world.now(),
            ms: (world.begun.elapsed().as_secs_f64() * 1e6).round() / 1e3,
            instruction_check: self.instruction_check,
        }
    }

    /// Returns a file below our folder that git tracks; `changed` tells whether the index was
    /// written since we last looked, or whether nobody has looked yet.
    fn tracked(&self, changed: bool) -> Option<String> {
        let folder = format!("{SOLVI}/");
        match self.repo {
            Some(repo) => repo.first_below(&folder).ok().flatten(),
            None if !changed => None,
            None => Repo::open_around(self.root).ok()?.first_below(&folder).ok().flatten(),
        }
    }

    fn append(
        &self,
        entries: &[crate::store::chain::Entry],
        world: &World,
    ) -> Result<Appended, StoreError> {
        let store = Traces::named(self.root, self.named, PATIENCE)?;
        let store = store.synced(world.env(SYNC).is_some_and(|value| value != "0"));
        let Ok(inner) = store.path().strip_prefix(self.root.join(SOLVI)) else {
            return store.append(entries);
        };
        if inner.components().any(|part| part == Component::ParentDir) {
            return store.append(entries);
        }
        // To open a repository takes milliseconds, and an edit's hook runs each time. So the file
        // that keeps git out of our folder has the time of the index that we looked into: two
        // looks at times tell whether there is a new one.
        let ignored = Ignored::open(self.root)?;
        let written = git::index_written(self.root);
        let changed = written.filter(|written| ignored.time() != Some(*written));
        if let Some(path) = self.tracked(changed.is_some() || !ignored.is_begun()) {
            return Err(StoreError::Tracked { path });
        }
        let folder = ignored.ensure(changed)?;
        store.append_below(&folder, inner, entries)
    }
}

/// Lists the ids of records, of many the first.
fn listed(ids: &[String]) -> String {
    let first = ids.get(..LISTED).filter(|first| first.len() < ids.len());
    match first {
        Some(first) => format!("{} and {} more", first.join(", "), ids.len() - first.len()),
        None => ids.join(", "),
    }
}

/// Parts files into those that have a record of their own, and the rest.
fn parted<'a, 'r>(rulings: &'a [&'r Ruling]) -> (&'a [&'r Ruling], &'a [&'r Ruling]) {
    rulings.split_at(rulings.len().min(rest::FILES))
}

fn summary(outcome: &Outcome) -> Summary {
    let not_checked = outcome.not_checked.iter().map(|file| file.place.spelled().into_owned());
    Summary {
        title: outcome.title.clone(),
        // What could not be checked needs a person, whatever else was found.
        verdict: outcome.decision.verdict().join(if outcome.unknown() {
            Verdict::Ask
        } else {
            Verdict::Allow
        }),
        files: outcome.files,
        not_checked: not_checked.take(rest::FILES).collect(),
        not_checked_more: outcome.not_checked.len().saturating_sub(rest::FILES),
        ..Summary::default()
    }
}

/// Says what a writer found, and who tells more.
fn trouble(found: &Found, named: &str) -> String {
    format!("In {named}, {found}; `solvi-hook verify` says what to do.")
}
