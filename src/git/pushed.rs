//! What is a push about to send?
//!
//! git tells its pre-push hook about each ref in a line of four words. Only the commit that is
//! checked out can be verified, so of all the branches that are pushed there is one range at
//! most; a push of which that cannot be said is refused in words. What is known of the history
//! comes through [`History`], so that the decision itself reads nothing.

use super::error::GitError;
use super::repo::{Id, Repo};
use gix::bstr::ByteSlice;

/// What the decision must know of a repository.
pub trait History {
    /// Returns how many hexadecimal digits an id has.
    fn hex_len(&self) -> usize;
    /// Returns the commit that is checked out.
    fn head(&self) -> Result<Option<Id>, GitError>;
    /// Tells whether a commit is in the repository.
    fn has(&self, commit: Id) -> bool;
    /// Returns every commit at which two histories parted.
    fn merge_bases(&self, one: Id, two: Id) -> Result<Vec<Id>, GitError>;
    /// Returns the default branch of the remote as it was last fetched: the one that the remote
    /// named, or else the first that is there of `init.defaultBranch`, `main` and `master`.
    /// `remote` is a name or, for a push to a URL, the URL.
    fn default_branch(&self, remote: &str) -> Result<Option<Branch>, GitError>;
    /// Tells whether the clone holds a part of the history only.
    fn is_shallow(&self) -> bool;
}

/// A branch of a remote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// Its full name there: `refs/heads/main`.
    pub name: String,
    /// The commit that it was last seen at.
    pub commit: Id,
}

/// What a push changes on branches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pushed {
    /// The commits that it brings; none when it brings none.
    pub range: Option<PushedRange>,
    /// What the remote has of the branches that are updated; of a new one, its default branch.
    pub theirs: Vec<Id>,
    /// The branches of the remote whose history it rewrites.
    pub rewrites: Vec<String>,
    /// The branches that it deletes on the remote.
    pub deletes: Vec<String>,
    /// It deletes the remote's default branch.
    pub deletes_default: bool,
    /// What it brings to refs that are no branches: tags, notes and the like.
    pub elsewhere: Vec<Elsewhere>,
}

/// A ref of the remote that is no branch, and what a push makes of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Elsewhere {
    /// Its name on the remote: `refs/tags/v1`.
    pub name: String,
    /// The object that it will name: a tag, a commit or any other.
    pub object: Id,
    /// What it names now; zeros when it is new.
    pub theirs: Id,
}

/// The commits that a push brings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PushedRange {
    /// What the remote has already.
    pub base: Id,
    /// What it will have.
    pub tip: Id,
}

/// Why a push cannot be verified.
#[derive(Debug, thiserror::Error)]
pub enum PushError {
    /// git's line is in no known form.
    #[error("git's line about the push cannot be read: {line:?}")]
    Line {
        /// The line.
        line: String,
    },
    /// What is pushed is not what is checked out.
    #[error(
        "`{branch}` is pushed at {pushed}, and only the commit that is checked out can be verified"
    )]
    NotHead {
        /// The local name.
        branch: String,
        /// The commit, shortened.
        pushed: String,
    },
    /// The remote has commits that were never fetched.
    #[error("`{branch}` is at {theirs} on the remote, which is not in this repository")]
    NotFetched {
        /// The remote name.
        branch: String,
        /// The commit, shortened.
        theirs: String,
    },
    /// A new branch has nothing to be compared with.
    #[error(
        "`{branch}` is new on `{remote}`, and the default branch of `{remote}` is not known here"
    )]
    NoDefault {
        /// The remote name of the branch.
        branch: String,
        /// The remote.
        remote: String,
    },
    /// A branch has no history in common with what the remote has.
    #[error("`{branch}` has no commit in common with `{other}` in this repository")]
    Unrelated {
        /// The remote name.
        branch: String,
        /// What it was compared with.
        other: String,
        /// The clone holds a part of the history only.
        shallow: bool,
    },
    /// Several points may be the one at which a branch began.
    #[error(
        "`{branch}` and `{other}` parted at {count} points, so what the push brings is not clear"
    )]
    Ambiguous {
        /// The remote name.
        branch: String,
        /// What it was compared with.
        other: String,
        /// How many points.
        count: usize,
    },
    /// Several branches bring different commits.
    #[error("`{one}` and `{two}` bring different commits")]
    Mixed {
        /// A branch.
        one: String,
        /// Another.
        two: String,
    },
    /// The repository could not be read.
    #[error(transparent)]
    Git(#[from] GitError),
}

impl PushError {
    /// Returns what to do now.
    #[must_use]
    pub fn next(&self) -> Option<String> {
        match self {
            Self::Line { .. } => None,
            Self::NotHead { branch, .. } => {
                let name = branch.strip_prefix("refs/heads/").unwrap_or(branch);
                Some(format!("check it out first: `git switch {name}`"))
            }
            Self::NotFetched { .. } => Some("fetch first: `git fetch`".to_owned()),
            Self::NoDefault { remote, .. } => {
                Some(format!("ask for it: `git remote set-head {remote} --auto`"))
            }
            Self::Unrelated { shallow: true, .. } => {
                Some("fetch the whole history: `git fetch --unshallow`".to_owned())
            }
            Self::Unrelated { .. } | Self::Ambiguous { .. } => Some(
                "rebase it, or check the range by hand: `solvi-hook check-diff OLD..NEW`"
                    .to_owned(),
            ),
            Self::Mixed { .. } => Some("push one branch at a time".to_owned()),
            Self::Git(error) => error.next(),
        }
    }
}

/// One line of git's: a local ref and what the remote's ref is to become.
#[derive(Debug)]
struct Update<'t> {
    local_ref: &'t str,
    local: Id,
    remote_ref: &'t str,
    remote: Id,
}

/// Reads git's lines and decides what is to be verified.
pub fn pushed(lines: &str, remote: &str, history: &impl History) -> Result<Pushed, PushError> {
    let mut pushed = Pushed::default();
    let mut ranges: Vec<(&str, PushedRange)> = Vec::new();
    for line in lines.lines().filter(|line| !line.trim().is_empty()) {
        let update = read(line, history.hex_len())?;
        let branch = update.remote_ref;
        // A review server takes commits for a branch at a ref of its own.
        if !branch.starts_with("refs/heads/") && !branch.starts_with("refs/for/") {
            if !update.local.is_zero() {
                pushed.elsewhere.push(Elsewhere {
                    name: branch.to_owned(),
                    object: update.local,
                    theirs: update.remote,
                });
            }
            continue;
        }
        if update.local.is_zero() {
            let default = history.default_branch(remote)?;
            pushed.deletes_default |= default.is_some_and(|default| default.name == branch);
            pushed.deletes.push(branch.to_owned());
            continue;
        }
        if history.head()? != Some(update.local) {
            return Err(PushError::NotHead {
                branch: update.local_ref.to_owned(),
                pushed: update.local.short(),
            });
        }
        let (base, theirs) = base(&update, remote, history)?;
        if !pushed.theirs.contains(&theirs) {
            pushed.theirs.push(theirs);
        }
        if !update.remote.is_zero() && base != update.remote {
            pushed.rewrites.push(branch.to_owned());
        }
        ranges.push((branch, PushedRange { base, tip: update.local }));
    }
    let Some((first, range)) = ranges.first().copied() else { return Ok(pushed) };
    if let Some((other, _)) = ranges.iter().find(|(_, other)| *other != range) {
        return Err(PushError::Mixed { one: first.to_owned(), two: (*other).to_owned() });
    }
    pushed.range = Some(range);
    Ok(pushed)
}

fn read(line: &str, hex_len: usize) -> Result<Update<'_>, PushError> {
    let unreadable = || PushError::Line { line: line.to_owned() };
    let id =
        |word: &str| Id::from_hex(word).filter(|_| word.len() == hex_len).ok_or_else(unreadable);
    let words: Vec<&str> = line.split(' ').collect();
    let [local_ref, local, remote_ref, remote] = words.as_slice() else {
        return Err(unreadable());
    };
    Ok(Update { local_ref, local: id(local)?, remote_ref, remote: id(remote)? })
}

/// Returns what the remote has of a branch already, and what it has at all.
fn base(update: &Update<'_>, remote: &str, history: &impl History) -> Result<(Id, Id), PushError> {
    let branch = update.remote_ref.to_owned();
    let (theirs, other) = if update.remote.is_zero() {
        let default = history.default_branch(remote)?;
        let Some(default) = default else {
            return Err(PushError::NoDefault { branch, remote: remote.to_owned() });
        };
        (default.commit, default.name)
    } else if history.has(update.remote) {
        (update.remote, format!("what `{remote}` has"))
    } else {
        return Err(PushError::NotFetched { branch, theirs: update.remote.short() });
    };
    let bases = history.merge_bases(update.local, theirs)?;
    match bases.as_slice() {
        [base] => Ok((*base, theirs)),
        [] => Err(PushError::Unrelated { branch, other, shallow: history.is_shallow() }),
        several => Err(PushError::Ambiguous { branch, other, count: several.len() }),
    }
}

impl Repo {
    /// Returns the commits of the branches that a remote was last known to have.
    pub fn remote_commits(&self, remote: &str) -> Result<Vec<Id>, GitError> {
        let local = self.local();
        let Some(name) = remote_name(&local, remote) else { return Ok(Vec::new()) };
        // Refs in tables are not listed; more commits than needed are looked at then.
        if self.is_reftable() {
            return Ok(Vec::new());
        }
        let failed = |source| GitError::Other { doing: "listing the refs of a remote", source };
        let prefix = format!("refs/remotes/{name}/");
        let refs = local.references().map_err(failed)?;
        let mut commits = Vec::new();
        for found in refs.prefixed(prefix.as_str()).map_err(failed)? {
            // A ref that is broken hides no commit.
            let Some(id) = found.ok().and_then(|found| found.into_fully_peeled_id().ok()) else {
                continue;
            };
            if self.has(Id(id.detach())) {
                commits.push(Id(id.detach()));
            }
        }
        Ok(commits)
    }
}

impl History for Repo {
    fn hex_len(&self) -> usize {
        self.hex_len()
    }

    fn head(&self) -> Result<Option<Id>, GitError> {
        self.head()
    }

    fn has(&self, commit: Id) -> bool {
        self.has(commit)
    }

    fn merge_bases(&self, one: Id, two: Id) -> Result<Vec<Id>, GitError> {
        self.merge_bases(one, two)
    }

    fn default_branch(&self, remote: &str) -> Result<Option<Branch>, GitError> {
        let local = self.local();
        let Some(name) = remote_name(&local, remote) else { return Ok(None) };
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

    fn is_shallow(&self) -> bool {
        self.is_shallow()
    }
}

/// Returns the name of a remote that is given by its name or its URL.
fn remote_name(local: &gix::Repository, remote: &str) -> Option<String> {
    let names: Vec<String> =
        local.remote_names().iter().map(|name| name.to_str_lossy().into_owned()).collect();
    if names.iter().any(|name| name == remote) {
        return Some(remote.to_owned());
    }
    let config = local.config_snapshot();
    names.into_iter().find(|name| {
        ["url", "pushurl"].iter().any(|key| {
            let url = config.string(format!("remote.{name}.{key}").as_str());
            url.is_some_and(|url| url.as_bstr() == remote.as_bytes().as_bstr())
        })
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    /// A line of commits 1 to 9; 5 is checked out, the remote's `main` is at 2, 8 parts from it
    /// at 3, and 9 is not here.
    #[derive(Default)]
    struct Line {
        no_default: bool,
        two_bases: bool,
    }

    fn id(digit: u32) -> Id {
        Id::from_hex(&digit.to_string().repeat(40)).unwrap()
    }

    impl History for Line {
        fn hex_len(&self) -> usize {
            40
        }
        fn head(&self) -> Result<Option<Id>, GitError> {
            Ok(Some(id(5)))
        }
        fn has(&self, commit: Id) -> bool {
            commit != id(9)
        }
        fn merge_bases(&self, _one: Id, two: Id) -> Result<Vec<Id>, GitError> {
            Ok(match two {
                _ if self.two_bases => vec![id(1), id(2)],
                two if two == id(8) => vec![id(3)],
                two if two == id(7) => vec![],
                two => vec![two],
            })
        }
        fn default_branch(&self, _remote: &str) -> Result<Option<Branch>, GitError> {
            let main = Branch { name: "refs/heads/main".to_owned(), commit: id(2) };
            Ok((!self.no_default).then_some(main))
        }
        fn is_shallow(&self) -> bool {
            false
        }
    }

    fn line(local: u32, branch: &str, remote: u32) -> String {
        format!("refs/heads/x {} {branch} {}\n", id(local), id(remote))
    }

    fn decide(lines: &str) -> Result<Pushed, PushError> {
        pushed(lines, "origin", &Line::default())
    }

    fn range(base: u32) -> PushedRange {
        PushedRange { base: id(base), tip: id(5) }
    }

    #[test]
    fn an_update_begins_where_the_remote_is() {
        assert_eq!(decide(&line(5, "refs/heads/x", 4)).unwrap().range, Some(range(4)));
    }

    #[test]
    fn a_new_branch_begins_where_it_left_the_default_branch() {
        assert_eq!(decide(&line(5, "refs/heads/x", 0)).unwrap().range, Some(range(2)));
        let unknown = pushed(
            &line(5, "refs/heads/x", 0),
            "origin",
            &Line { no_default: true, ..Line::default() },
        );
        assert!(matches!(unknown, Err(PushError::NoDefault { .. })));
    }

    #[test]
    fn a_forced_update_begins_where_the_histories_parted_and_is_named() {
        let forced = decide(&line(5, "refs/heads/x", 8)).unwrap();
        assert_eq!(forced.range, Some(range(3)));
        assert_eq!(forced.rewrites, ["refs/heads/x"]);
    }

    #[test]
    fn tags_and_deletions_bring_nothing_to_a_branch() {
        let lines = line(4, "refs/tags/v1", 0) + &line(0, "refs/heads/old", 4);
        let pushed = decide(&lines).unwrap();
        assert_eq!(pushed.range, None);
        assert_eq!(pushed.elsewhere.len(), 1);
        assert_eq!(pushed.elsewhere[0].object, id(4));
        assert_eq!(pushed.deletes, ["refs/heads/old"]);
        assert!(!pushed.deletes_default);
        assert!(decide(&line(0, "refs/heads/main", 2)).unwrap().deletes_default);
        assert_eq!(decide("").unwrap(), Pushed::default());
    }

    #[test]
    fn only_what_is_checked_out_can_be_verified() {
        assert!(matches!(decide(&line(4, "refs/heads/x", 3)), Err(PushError::NotHead { .. })));
    }

    #[test]
    fn what_the_remote_has_must_be_here_and_related() {
        assert!(matches!(decide(&line(5, "refs/heads/x", 9)), Err(PushError::NotFetched { .. })));
        assert!(matches!(decide(&line(5, "refs/heads/x", 7)), Err(PushError::Unrelated { .. })));
        let two = Line { two_bases: true, ..Line::default() };
        let decided = pushed(&line(5, "refs/heads/x", 0), "origin", &two);
        assert!(matches!(decided, Err(PushError::Ambiguous { count: 2, .. })));
    }

    #[test]
    fn branches_with_one_base_are_verified_once_and_with_several_refused() {
        let same = line(5, "refs/heads/x", 4) + &line(5, "refs/heads/y", 4);
        assert_eq!(decide(&same).unwrap().range, Some(range(4)));
        let mixed = line(5, "refs/heads/x", 4) + &line(5, "refs/heads/y", 3);
        assert!(matches!(decide(&mixed), Err(PushError::Mixed { .. })));
    }

    #[test]
    fn a_line_in_another_form_is_refused() {
        for wrong in ["refs/heads/x", "a b c d", &format!("a {} b {} c", id(5), id(4))] {
            assert!(matches!(decide(wrong), Err(PushError::Line { .. })), "{wrong}");
        }
        let sha256 = format!("a {} b {}", "5".repeat(64), "4".repeat(64));
        assert!(matches!(decide(&sha256), Err(PushError::Line { .. })));
    }
}
