//! The sides of a range as a person or a CI system writes them, and why one names no commit.

use super::error::GitError;
use super::repo::{Id, Repo};
use gix::hash::Prefix;

impl Repo {
    /// Resolves a side of a range: a commit, or the empty tree, by its id or by the zero id that CI
    /// systems send where there is no earlier commit.
    pub(super) fn side(&self, spec: &str) -> Result<Id, GitError> {
        let empty = Id::from_hex(spec).is_some_and(|id| id.0.is_empty_tree());
        if empty || is_zero(spec) { Ok(self.empty_tree()) } else { self.commit(spec) }
    }

    /// Returns why a revision names no commit, as far as its form and the repository tell.
    pub(super) fn why_no_commit(&self, spec: &str) -> String {
        let spec = spec.trim_end();
        if spec.is_empty() {
            return "it is empty; a variable may be unset".to_owned();
        }
        if is_zero(spec) {
            return "the zero id stands for no commit at all".to_owned();
        }
        if is_set(spec) {
            return "it names a set of commits and not one; a range is written `A..B`".to_owned();
        }
        let end = spec.find(['~', '^', ':']).into_iter().chain(spec.find("@{")).min();
        let (base, suffix) = spec.split_at(end.unwrap_or(spec.len()));
        let forbidden = |char: char| char.is_whitespace() || char.is_control();
        if base.contains(forbidden) {
            return "no name in git holds a space or a control character".to_owned();
        }
        if matches!(base, "HEAD" | "@" | "") && !self.exists("HEAD") {
            return match self.local().head() {
                Ok(head) if head.is_unborn() => "there is no commit on this branch yet".to_owned(),
                _ => "HEAD, or the commit that it names, is damaged".to_owned(),
            };
        }
        let start = if base.is_empty() && suffix.starts_with('@') { "HEAD" } else { base };
        if !suffix.is_empty() && !start.is_empty() && self.exists(start) {
            return format!("`{start}` is there, and `{suffix}` leads to no commit from it");
        }
        if base.is_empty() {
            return "no commit fits it".to_owned();
        }
        let local = self.local();
        let found = |prefix| local.objects.lookup_prefix(prefix, None).ok().flatten();
        match Prefix::from_hex(base).ok().and_then(found) {
            Some(Err(())) => "more than one object has an id that begins so".to_owned(),
            Some(Ok(_)) => "the object of this id is no commit".to_owned(),
            None if local.find_reference(base).is_ok() => {
                "the ref is there, and the commit that it names is damaged".to_owned()
            }
            None => {
                "there is no branch, tag or other ref of this name here, nor a commit of this id"
                    .to_owned()
            }
        }
    }

    fn exists(&self, name: &str) -> bool {
        if self.is_reftable() && Id::from_hex(name).is_none() {
            return super::program::rev_parse(self, name).is_ok_and(|id| id.is_some());
        }
        self.local().rev_parse_single(name).is_ok()
    }
}

/// Tells whether a revision stands for several commits: `^A`, `A^!`, `A^@`, `A^-1`.
pub(super) fn is_set(spec: &str) -> bool {
    let parents = spec.rsplit_once("^-").map(|(_, count)| count);
    spec.starts_with('^')
        || spec.ends_with("^!")
        || spec.ends_with("^@")
        || parents.is_some_and(|count| count.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Tells whether a text is the id of no object, by SHA-1 or SHA-256.
fn is_zero(spec: &str) -> bool {
    matches!(spec.len(), 40 | 64) && spec.bytes().all(|byte| byte == b'0')
}
