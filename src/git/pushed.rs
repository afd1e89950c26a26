//! What is a push about to send?
//!
//! git names each ref in a line for its hooks: `LOCAL-REF NEW REF OLD` before a push, `OLD NEW REF`
//! where one arrives. What counts is what the remote does not have: for each ref, whatever its kind,
//! the commits that no ref of the remote reaches. The refs of the remote are those of git's lines
//! and, as they were last seen, `refs/remotes/NAME/`; where a push arrives, all refs that are here.
//! The files of the pushed state are compared with the newest commits that both sides have (git's
//! merge bases; there are several after a merge of several branches): a line that one of them holds
//! was pushed before, and is not new. Where both sides have no commit, every line is new.
//!
//! What is known of the history comes through [`History`], so that the decision itself reads
//! nothing.

use super::delta::Deltas;
use super::error::GitError;
use super::repo::{Id, Repo};
use std::collections::HashSet;

/// What the decision must know of a repository.
pub trait History {
    /// Returns how many hexadecimal digits an id has.
    fn hex_len(&self) -> usize;
    /// Tells whether an object is in the repository.
    fn has(&self, object: Id) -> bool;
    /// Returns what an object names in the end, when tags are followed.
    fn goal(&self, object: Id) -> Result<Goal, GitError>;
    /// Tells whether a commit is an ancestor of another, or the same.
    fn is_ancestor(&self, old: Id, new: Id) -> Result<bool, GitError>;
    /// Returns the refs of the remote: as they were last seen, its branches. Of a URL nothing is
    /// known, unless a remote has it.
    fn remote_refs(&self, remote: Remote<'_>) -> Result<Vec<Branch>, GitError>;
    /// Returns the default branch of the remote: the one that it named when it was last fetched, or
    /// else the first that is there of `init.defaultBranch`, `main` and `master`.
    fn default_branch(&self, remote: Remote<'_>) -> Result<Option<Branch>, GitError>;
}

/// Where a push goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remote<'a> {
    /// To a remote of this repository, by its name or its URL.
    Named(&'a str),
    /// To this repository.
    Here,
}

/// What a pushed object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// A commit.
    Commit(Id),
    /// A tree without a commit.
    Tree(Id),
    /// A file without a tree.
    File,
}

/// A branch of a remote, or another ref.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// Its full name there: `refs/heads/main`.
    pub name: String,
    /// The commit that it was last seen at; of a ref that is not a branch, any object.
    pub commit: Id,
}

/// What a push changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pushed {
    /// What it sends, each state once: branches first.
    pub tips: Vec<Tip>,
    /// What the remote has: every commit at which it is known to have a ref.
    pub known: Vec<Id>,
    /// What the remote has of the branches that are updated; for any other ref, its default branch.
    pub theirs: Vec<Id>,
    /// The refs that name the content of a file, without a path.
    pub files: Vec<String>,
    /// The branches of the remote whose history it rewrites.
    pub rewrites: Vec<String>,
    /// The branches that it deletes on the remote.
    pub deletes: Vec<String>,
    /// It deletes the remote's default branch.
    pub deletes_default: bool,
}

/// A state that is pushed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tip {
    /// The ref on the remote that is to have it, the first when there are several.
    pub name: String,
    /// The commit or tree; tags are followed.
    pub id: Id,
    /// It is a commit.
    pub is_commit: bool,
    /// It is to be a branch.
    pub is_branch: bool,
}

/// Why a push cannot be checked.
#[derive(Debug, thiserror::Error)]
pub enum PushError {
    /// git's line is in no known form.
    #[error("git's line about the push cannot be read: `{line}`")]
    Line {
        /// The line.
        line: String,
    },
    /// The remote has commits that were never fetched.
    #[error("`{branch}` is at {theirs} on the remote, which is not in this repository")]
    NotFetched {
        /// The remote name.
        branch: String,
        /// The commit, shortened.
        theirs: String,
    },
    /// A ref names the content of a file, without a path.
    #[error("`{name}` is a file without a path, which no rule can check")]
    File {
        /// The remote name.
        name: String,
    },
    /// The part of the history that is here has nothing in common with the remote.
    #[error("`{name}` has no commit in common with the remote in this shallow clone")]
    Shallow {
        /// The remote name.
        name: String,
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
            Self::Line { .. } | Self::File { .. } => None,
            Self::NotFetched { .. } => Some("fetch first: `git fetch`".to_owned()),
            Self::Shallow { .. } => {
                Some("fetch the whole history: `git fetch --unshallow`".to_owned())
            }
            Self::Git(error) => error.next(),
        }
    }
}

/// One line of git's: what the remote's ref is to become, and what it is.
#[derive(Debug)]
struct Update<'t> {
    new: Id,
    name: &'t str,
    old: Id,
}

/// Reads git's lines and decides what is to be checked.
pub fn pushed(
    lines: &str,
    remote: Remote<'_>,
    history: &impl History,
) -> Result<Pushed, PushError> {
    let mut updates = Vec::new();
    for line in lines.lines().filter(|line| !line.trim().is_empty()) {
        updates.push(read(line, remote, history.hex_len())?);
    }
    let mut pushed = Pushed::default();
    if updates.is_empty() {
        return Ok(pushed);
    }
    // A line says what the remote has now; what was seen of the same ref before may be gone.
    let seen = history.remote_refs(remote)?.into_iter();
    let seen = seen.filter(|seen| updates.iter().all(|update| update.name != seen.name));
    pushed.known.extend(seen.map(|seen| seen.commit));
    let olds = updates.iter().map(|update| update.old);
    pushed.known.extend(olds.filter(|old| !old.is_zero() && history.has(*old)));
    pushed.known.sort();
    pushed.known.dedup();
    let mut others = Vec::new();
    for update in &updates {
        let name = update.name.to_owned();
        let is_branch = name.starts_with("refs/heads/");
        if update.new.is_zero() {
            if is_branch {
                let default = history.default_branch(remote)?;
                pushed.deletes_default |= default.is_some_and(|default| default.name == name);
                pushed.deletes.push(name);
            }
            continue;
        }
        let (id, is_commit) = match history.goal(update.new)? {
            Goal::Commit(id) => (id, true),
            Goal::Tree(id) => (id, false),
            Goal::File => {
                pushed.files.push(name);
                continue;
            }
        };
        let known_old = !update.old.is_zero() && history.has(update.old);
        if is_branch && !update.old.is_zero() {
            if !known_old {
                let theirs = update.old.short();
                return Err(PushError::NotFetched { branch: name, theirs });
            }
            if !history.is_ancestor(update.old, id)? {
                pushed.rewrites.push(name.clone());
            }
        }
        // A ref that is not a branch holds no rules for the next one.
        let theirs = if known_old && is_branch {
            Some(update.old)
        } else {
            history.default_branch(remote)?.map(|default| default.commit)
        };
        pushed.theirs.extend(theirs.filter(|theirs| !pushed.theirs.contains(theirs)));
        let tip = Tip { name, id, is_commit, is_branch };
        if is_branch { &mut pushed.tips } else { &mut others }.push(tip);
    }
    // git sorts by name: the newest version of several is the last, and is compared first.
    pushed.tips.extend(others.into_iter().rev());
    let mut seen = HashSet::new();
    pushed.tips.retain(|tip| seen.insert(tip.id));
    Ok(pushed)
}

fn read<'t>(line: &'t str, remote: Remote<'_>, hex_len: usize) -> Result<Update<'t>, PushError> {
    let unreadable = || PushError::Line { line: line.to_owned() };
    let id =
        |word: &str| Id::from_hex(word).filter(|_| word.len() == hex_len).ok_or_else(unreadable);
    let words: Vec<&str> = line.split(' ').collect();
    let ((Remote::Named(_), [_, new, name, old]) | (Remote::Here, [old, new, name])) =
        (remote, words.as_slice())
    else {
        return Err(unreadable());
    };
    Ok(Update { new: id(new)?, name, old: id(old)? })
}

/// What a state has that the remote does not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewPart {
    /// The commits that no ref of the remote reaches, oldest first.
    pub commits: Vec<Id>,
    /// The newest commits that both sides have; none when they have none.
    pub bases: Vec<Id>,
}

impl Repo {
    /// Returns what a state has that the remote does not.
    pub fn new_part(&self, known: &[Id], tip: &Tip) -> Result<NewPart, PushError> {
        if !tip.is_commit {
            return Ok(NewPart::default());
        }
        let commits = self.commits_beyond(known, &[tip.id])?;
        let new: HashSet<Id> = commits.iter().copied().collect();
        let mut border = Vec::new();
        for commit in &commits {
            border.extend(self.parents(*commit)?.into_iter().filter(|it| !new.contains(it)));
        }
        border.sort();
        border.dedup();
        // In a shallow clone a parent may be missing.
        border.retain(|commit| self.has(*commit));
        let bases = match border.as_slice() {
            [] if self.is_shallow() && !known.is_empty() && !commits.is_empty() => {
                return Err(PushError::Shallow { name: tip.name.clone() });
            }
            [] | [_] => border,
            several => self.merge_bases_of(tip.id, several)?,
        };
        Ok(NewPart { commits, bases })
    }

    /// Compares a pushed state with the remote's, and with other states that are checked already.
    pub fn new_files(&self, part: &NewPart, tip: &Tip, checked: &[Id]) -> Result<Deltas, GitError> {
        let mut bases = part.bases.clone();
        if bases.is_empty() {
            bases.push(self.empty_tree());
        }
        self.beyond(&bases, checked, tip.id)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    /// A line of commits 1 to 9; the remote's `main` is at 2 and its `x` was seen at 4, 8 parts
    /// from the line, 9 is not here, 6 is a tree and 7 a file.
    #[derive(Default)]
    struct Line {
        empty: bool,
    }

    fn id(digit: u32) -> Id {
        Id::from_hex(&digit.to_string().repeat(40)).unwrap()
    }

    impl History for Line {
        fn hex_len(&self) -> usize {
            40
        }
        fn has(&self, object: Id) -> bool {
            object != id(9)
        }
        fn goal(&self, object: Id) -> Result<Goal, GitError> {
            Ok(match object {
                it if it == id(6) => Goal::Tree(it),
                it if it == id(7) => Goal::File,
                it => Goal::Commit(it),
            })
        }
        fn is_ancestor(&self, old: Id, new: Id) -> Result<bool, GitError> {
            Ok(old <= new && old != id(8))
        }
        fn remote_refs(&self, _remote: Remote<'_>) -> Result<Vec<Branch>, GitError> {
            let branch = |name: &str, at| Branch { name: name.to_owned(), commit: id(at) };
            let all = vec![branch("refs/heads/main", 2), branch("refs/heads/x", 4)];
            Ok(if self.empty { Vec::new() } else { all })
        }
        fn default_branch(&self, remote: Remote<'_>) -> Result<Option<Branch>, GitError> {
            Ok(self.remote_refs(remote)?.into_iter().next())
        }
    }

    fn line(local: u32, name: &str, remote: u32) -> String {
        format!("refs/heads/x {} {name} {}\n", id(local), id(remote))
    }

    fn decide(lines: &str) -> Result<Pushed, PushError> {
        pushed(lines, Remote::Named("origin"), &Line::default())
    }

    #[test]
    fn the_remote_has_what_its_refs_were_seen_at_and_what_git_says() {
        let known = |lines: &str| decide(lines).unwrap().known;
        assert_eq!(known(&line(5, "refs/heads/new", 0)), [id(2), id(4)]);
        assert_eq!(known(&line(5, "refs/heads/x", 3)), [id(2), id(3)], "it was moved back");
        assert_eq!(known(&line(5, "refs/heads/x", 0)), [id(2)], "it was deleted there");
        assert_eq!(known(&line(5, "refs/tags/v1", 9)), [id(2), id(4)]);
        let first =
            pushed(&line(5, "refs/heads/x", 0), Remote::Named("url"), &Line { empty: true })
                .unwrap();
        assert_eq!((first.known, first.theirs, first.tips.len()), (vec![], vec![], 1));
    }

    #[test]
    fn the_rules_of_what_is_updated_evaluate_and_for_a_new_ref_the_default_branch() {
        let theirs = |lines: &str| decide(lines).unwrap().theirs;
        assert_eq!(theirs(&line(5, "refs/heads/x", 4)), [id(4)]);
        assert_eq!(theirs(&line(5, "refs/heads/new", 0)), [id(2)]);
        assert_eq!(theirs(&line(5, "refs/notes/n", 4)), [id(2)]);
        assert_eq!(theirs(&(line(5, "refs/heads/x", 4) + &line(5, "refs/tags/t", 0))).len(), 2);
    }

    #[test]
    fn a_forced_update_of_a_branch_is_named() {
        assert_eq!(decide(&line(5, "refs/heads/x", 8)).unwrap().rewrites, ["refs/heads/x"]);
        assert!(decide(&line(5, "refs/tags/x", 8)).unwrap().rewrites.is_empty());
    }

    #[test]
    fn every_kind_of_ref_is_sent_and_a_deletion_sends_nothing() {
        let lines = line(4, "refs/heads/y", 0)
            + &line(5, "refs/tags/v1", 0)
            + &line(6, "refs/notes/n", 0)
            + &line(4, "refs/tags/v0", 0);
        let tips = decide(&lines).unwrap().tips;
        let tips: Vec<_> =
            tips.iter().map(|tip| (&*tip.name, tip.id, tip.is_commit, tip.is_branch)).collect();
        let expected = [
            ("refs/heads/y", id(4), true, true),
            ("refs/notes/n", id(6), false, false),
            ("refs/tags/v1", id(5), true, false),
        ];
        assert_eq!(tips, expected);
        let deleted = decide(&(line(0, "refs/heads/old", 4) + &line(0, "refs/tags/v1", 4)));
        let deleted = deleted.unwrap();
        assert_eq!((deleted.tips.len(), deleted.deletes), (0, vec!["refs/heads/old".to_owned()]));
        assert!(!deleted.deletes_default);
        assert!(decide(&line(0, "refs/heads/main", 2)).unwrap().deletes_default);
        assert_eq!(decide("").unwrap(), Pushed::default());
    }

    #[test]
    fn what_cannot_be_checked_is_said() {
        assert!(matches!(decide(&line(5, "refs/heads/x", 9)), Err(PushError::NotFetched { .. })));
        assert_eq!(decide(&line(7, "refs/tags/x", 0)).unwrap().files, ["refs/tags/x"]);
    }

    #[test]
    fn a_line_in_another_form_is_refused() {
        for wrong in ["refs/heads/x", "a b c d", &format!("a {} b {} c", id(5), id(4))] {
            assert!(matches!(decide(wrong), Err(PushError::Line { .. })), "{wrong}");
        }
        let received = format!("{} {} refs/heads/x", id(4), id(5));
        assert!(matches!(decide(&received), Err(PushError::Line { .. })));
        let received = pushed(&received, Remote::Here, &Line::default()).unwrap();
        assert_eq!((received.tips[0].id, received.known), (id(5), vec![id(2), id(4)]));
        let sent = pushed(&line(5, "refs/heads/x", 4), Remote::Here, &Line::default());
        assert!(matches!(sent, Err(PushError::Line { .. })));
        let sha256 = format!("a {} b {}", "5".repeat(64), "4".repeat(64));
        assert!(matches!(decide(&sha256), Err(PushError::Line { .. })));
    }
}
