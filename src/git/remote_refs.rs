//! What a remote has, as far as this repository knows. It may be the remote itself.
//!
//! A fetch and a push leave the branches of a remote in `refs/remotes/NAME/`. Tags that are here
//! may be here alone, so they say nothing about a remote.

use super::error::GitError;
use super::program;
use super::pushed::{Branch, Goal, History, Remote};
use super::repo::{Id, Repo};
use gix::bstr::ByteSlice;
use gix::objs::Kind;

impl History for Repo {
    fn hex_len(&self) -> usize {
        self.hex_len()
    }

    fn has(&self, object: Id) -> bool {
        self.has(object)
    }

    fn goal(&self, object: Id) -> Result<Goal, GitError> {
        Ok(match self.objects().target(object.0)? {
            (id, Kind::Commit) => Goal::Commit(id),
            (id, Kind::Tree) => Goal::Tree(id),
            (_, Kind::Blob | Kind::Tag) => Goal::File,
        })
    }

    fn is_ancestor(&self, old: Id, new: Id) -> Result<bool, GitError> {
        self.is_ancestor(old, new)
    }

    fn remote_refs(&self, remote: Remote<'_>) -> Result<Vec<Branch>, GitError> {
        let local = self.local();
        let Remote::Named(remote) = remote else {
            let refs = self.refs_below(&local, "refs/")?.into_iter();
            let here = refs.map(|(name, commit)| Branch { name, commit });
            return Ok(here.filter(|it| self.has(it.commit)).collect());
        };
        let mut branches = Vec::new();
        for name in remote_names(&local, remote) {
            let prefix = format!("refs/remotes/{name}/");
            // `a/b` may be a remote of its own beside `a`.
            let others: Vec<String> = local
                .remote_names()
                .iter()
                .map(|other| format!("refs/remotes/{other}/"))
                .filter(|other| other.starts_with(&prefix) && *other != prefix)
                .collect();
            for (full, commit) in self.refs_below(&local, &prefix)? {
                let Some(branch) = full.strip_prefix(&prefix) else { continue };
                if !others.iter().any(|other| full.starts_with(other)) && self.has(commit) {
                    branches.push(Branch { name: format!("refs/heads/{branch}"), commit });
                }
            }
        }
        Ok(branches)
    }

    fn default_branch(&self, remote: Remote<'_>) -> Result<Option<Branch>, GitError> {
        let Remote::Named(remote) = remote else {
            let (name, commit) = (self.symbolic("HEAD")?, self.head()?);
            let branch = |commit| Branch { name: name.unwrap_or_default(), commit };
            return Ok(commit.map(branch));
        };
        let local = self.local();
        let Some(name) = remote_names(&local, remote).into_iter().next() else { return Ok(None) };
        let prefix = format!("refs/remotes/{name}/");
        let mut names = Vec::new();
        if let Some(head) = self.symbolic(&format!("{prefix}HEAD"))? {
            names.push(head);
        }
        let configured = local.config_snapshot().string("init.defaultBranch");
        let usual = ["main".to_owned(), "master".to_owned()];
        let guesses = configured.map(|name| name.to_str_lossy().into_owned()).into_iter();
        names.extend(guesses.chain(usual).map(|branch| format!("{prefix}{branch}")));
        for name in names {
            let Some(branch) = name.strip_prefix(&prefix) else { continue };
            match self.commit(&name) {
                Ok(commit) => {
                    return Ok(Some(Branch { name: format!("refs/heads/{branch}"), commit }));
                }
                Err(GitError::Revision { .. }) => {}
                Err(other) => return Err(other),
            }
        }
        Ok(None)
    }
}

impl Repo {
    /// Returns the refs below a prefix, without symbolic and broken ones.
    fn refs_below(
        &self,
        local: &gix::Repository,
        prefix: &str,
    ) -> Result<Vec<(String, Id)>, GitError> {
        if self.is_reftable() {
            return program::refs(self, prefix);
        }
        let failed = |source| GitError::Other { doing: "listing the refs of a remote", source };
        let refs = local.references().map_err(failed)?;
        let mut direct = Vec::new();
        for found in refs.prefixed(prefix).map_err(failed)?.filter_map(Result::ok) {
            if let Some(id) = found.target().try_id() {
                direct.push((found.name().as_bstr().to_string(), Id(id.to_owned())));
            }
        }
        Ok(direct)
    }
}

/// Returns the names of a remote that is given by its name or its URL.
fn remote_names(local: &gix::Repository, remote: &str) -> Vec<String> {
    let names: Vec<String> =
        local.remote_names().iter().map(|name| name.to_str_lossy().into_owned()).collect();
    if names.iter().any(|name| name == remote) {
        return vec![remote.to_owned()];
    }
    let config = local.config_snapshot();
    let is_url = |name: &String| {
        ["url", "pushurl"].iter().any(|key| {
            let url = config.string(format!("remote.{name}.{key}").as_str());
            url.is_some_and(|url| url.as_bstr() == remote.as_bytes().as_bstr())
        })
    };
    names.into_iter().filter(is_url).collect()
}
