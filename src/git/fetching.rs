//! Fetches what a partial clone left on its server, many objects in one go, and only where that was
//! asked for: git runs programs for it that the clone's own configuration names.

use super::delta::Delta;
use super::error::{GitError, Lack};
use super::objects::Objects;
use super::program;
use super::repo::Repo;
use gix::ObjectId;
use std::collections::HashSet;
use std::sync::PoisonError;

/// Whether what a partial clone lacks may be fetched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fetching {
    /// What is not here is missing.
    #[default]
    Never,
    /// It is fetched when it is needed.
    WhenNeeded,
}

/// What was asked of the server so far.
#[derive(Debug, Default)]
pub(super) struct Asked {
    ids: HashSet<ObjectId>,
    /// What git said when it failed last.
    failure: Option<String>,
}

impl Repo {
    /// Fetches the contents that deltas are about, as far as they are not here.
    pub fn want<'d>(&self, deltas: impl IntoIterator<Item = &'d Delta>) {
        if self.fetches() {
            self.objects().want(deltas.into_iter().flat_map(Delta::contents));
        }
    }

    /// Tells whether anything may be fetched here at all.
    fn fetches(&self) -> bool {
        self.partial && self.fetching == Fetching::WhenNeeded
    }

    /// Returns the remotes that promised to keep what the clone lacks.
    fn promisors(&self) -> Vec<String> {
        let local = self.local();
        let config = local.config_snapshot();
        let named = config.string("extensions.partialClone").map(|name| name.to_string());
        let sections = config.plumbing().sections_by_name("remote").into_iter().flatten();
        let promised = sections
            .filter(|remote| remote.value("promisor").is_some())
            .filter_map(|remote| remote.header().subsection_name().map(ToString::to_string));
        let mut all: Vec<String> = Vec::new();
        for name in promised.chain(named) {
            if !all.contains(&name) {
                all.push(name);
            }
        }
        all
    }
}

impl Objects<'_> {
    /// Fetches those of some objects that are not here, in one go; tells whether it tried to.
    pub(super) fn want(&self, ids: impl IntoIterator<Item = ObjectId>) -> bool {
        if !self.repo.fetches() {
            return false;
        }
        let mut asked = self.repo.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let mut missing: Vec<ObjectId> =
            ids.into_iter().filter(|id| !asked.ids.contains(id) && !self.has(*id)).collect();
        missing.sort_unstable();
        missing.dedup();
        if missing.is_empty() {
            return true;
        }
        asked.ids.extend(&missing);
        for remote in self.repo.promisors() {
            match program::fetch(self.repo, &remote, &missing) {
                Ok(()) => {}
                Err(GitError::Program { said, .. }) => asked.failure = Some(said),
                Err(other) => asked.failure = Some(other.to_string()),
            }
            missing.retain(|id| !self.has(*id));
            if missing.is_empty() {
                break;
            }
        }
        true
    }

    /// Returns why an object that a partial clone lacks is still missing.
    pub(super) fn unfetched(&self) -> Option<Lack> {
        if !self.repo.partial {
            return None;
        }
        if !self.repo.fetches() {
            return Some(Lack::NotFetched);
        }
        let asked = self.repo.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let said = asked.failure.clone();
        Some(Lack::Unfetched(said.unwrap_or_else(|| "it is not there either".to_owned())))
    }
}
