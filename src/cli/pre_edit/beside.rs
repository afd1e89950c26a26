//! What should be known of an edit that stands beside it: in the index, in the working tree, on
//! the way to the file?
//!
//! An edit is judged against the file in the working tree. The index is opened only where it can
//! change something, because opening it takes longer than judging a line: for a rule that is
//! limited by `only`, for a file that is not there, while something is being merged, and when a
//! line that the edit does not add may break a rule. It then sets what git knows of the file,
//! and leaves warnings; no verdict becomes milder by it. Nothing is fetched and nothing is
//! written, and what cannot be read is said where it mattered.

use crate::domain::byte_name;
use crate::domain::{
    Change, Content, Finding, Line, Numbering, Part, Place, Spot, Standing, Verdict, diff,
};
use crate::engine::Judge;
use crate::engine::pattern::Budget;
use crate::engine::rules::{Only, Rule, Rulebook};
use crate::git::{GitError, Index, Repo, Tracked};
use crate::store::files::{DiskFiles, repository_root};
use crate::store::roots::GitFolders;
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// The name under which this judge's own warnings are told.
const NAME: &str = crate::domain::checks::GIT_INDEX;

/// Judges what stands beside an edit.
pub struct Beside<'a> {
    book: &'a Rulebook,
    files: &'a DiskFiles,
    views: RefCell<Vec<(PathBuf, View)>>,
    told: Vec<(Place, Finding)>,
    /// Why the index could not be read, where that changed no verdict.
    pub notes: Vec<String>,
}

/// A repository whose index was read.
struct Opened {
    repo: Repo,
    index: Index,
}

/// What came of opening a repository; the error says why the index is not to be had.
type View = Result<Rc<Opened>, String>;

/// Where a file is in its repository.
struct Home {
    root: PathBuf,
    git: GitFolders,
    path: String,
}

impl<'a> Beside<'a> {
    /// Prepares the changes of an edit: says of each whether git tracks the file, as far as that
    /// matters, and which of its lines are new when git keeps the file out of the working tree.
    pub fn of(changes: &mut [Change], book: &'a Rulebook, files: &'a DiskFiles) -> Self {
        let (views, told, notes) = (RefCell::default(), Vec::new(), Vec::new());
        let mut beside = Self { book, files, views, told, notes };
        for change in changes {
            beside.prepare(change);
        }
        beside
    }

    fn prepare(&mut self, change: &mut Change) {
        let Some(home) = self.home(&change.place) else { return };
        let place = change.place.as_str();
        let is_limited = |rule: &Rule| rule.only != Only::Any && rule.covers(place);
        let limited = self.book.rules.iter().find(|rule| is_limited(rule));
        let absent = !change.deletes() && is_absent(&self.files.path(&change.place));
        if limited.is_none() && !absent && !home.git.is_merging() {
            return;
        }
        if !home.git.has_index() {
            // Nothing was ever added here, if this is a repository at all.
            if home.git.is_repository() {
                change.standing = Standing::New;
            }
            return;
        }
        match self.view(&home) {
            Ok(opened) => self.see(change, absent, &home.path, &opened),
            Err(why) => match limited {
                Some(rule) => {
                    let unknown =
                        format!("whether git tracks this file, so the rule counts: {why}");
                    let finding = Finding { unknown: Some(unknown), ..about(rule, "") };
                    self.told.push((change.place.clone(), finding));
                }
                None => self.notes.push(format!("What the index holds is not known: {why}")),
            },
        }
    }

    /// Takes in what the index says about a change.
    fn see(&mut self, change: &mut Change, absent: bool, path: &str, opened: &Opened) {
        let Opened { repo, index } = opened;
        let tracked = index.entry(path);
        change.standing = match tracked {
            Tracked::Unmerged | Tracked::Yes { .. } => Standing::Tracked,
            Tracked::No | Tracked::Intended => Standing::New,
            Tracked::InSubmodule | Tracked::Submodule | Tracked::InSparseFolder => {
                Standing::Unknown
            }
        };
        match tracked {
            Tracked::Unmerged => self.tell(
                change,
                "The path is in conflict: a merge left several versions of it.",
                "take out what is left of the conflict, then `git add` the file",
            ),
            Tracked::Yes { skip_worktree: false } if absent => self.tell(
                change,
                "The file is deleted in the working tree and still staged.",
                "`git add` the file, or a commit holds the staged version and not this one",
            ),
            Tracked::Yes { skip_worktree: true } | Tracked::InSparseFolder if absent => {
                match index.content(repo, path) {
                    Ok(Some(staged)) => self.compare(change, &staged),
                    Ok(None) => change.standing = Standing::New,
                    Err(error) => {
                        let why = caused(&error);
                        self.notes.push(format!("The staged version is not known: {why}"));
                    }
                }
            }
            Tracked::No if absent && change.moved_from.is_none() => {
                if let Some(other) = index.spelled_otherwise(path) {
                    let why = format!(
                        "git tracks `{other}`, which differs from this path in upper and lower \
                         case alone; many file systems take the two for one."
                    );
                    self.tell(change, &why, &format!("write `{other}`, or choose another name"));
                }
            }
            _ => {}
        }
    }

    /// Judges a file that git keeps out of the working tree against its staged version.
    fn compare(&mut self, change: &mut Change, staged: &Content) {
        change.standing = Standing::Tracked;
        if let (Content::Text(after), Content::Text(staged)) = (&change.after, staged)
            && change.numbering == Numbering::File
        {
            change.added = diff::added(staged, after);
        }
        self.tell(
            change,
            "git keeps this file out of the working tree (a sparse checkout, or skip-worktree), \
             so the edit is held against the staged version.",
            "`git add --sparse` the file if it is meant to be committed",
        );
    }

    fn tell(&mut self, change: &Change, why: &str, instead: &str) {
        let finding = Finding { instead: Some(instead.to_owned()), ..warning(NAME, why) };
        self.told.push((change.place.clone(), finding));
    }

    /// Returns warnings about lines that break a rule, that the edit does not add, and that are
    /// not staged: a shell command wrote them, perhaps.
    fn not_staged(&self, change: &Change, budget: &Budget) -> Vec<Finding> {
        let Content::Text(after) = &change.after else { return Vec::new() };
        if change.numbering != Numbering::File || change.moved_from.is_some() {
            return Vec::new();
        }
        let suspects: Vec<&Rule> = self.book.suspecting(change).collect();
        if suspects.is_empty() {
            return Vec::new();
        }
        let rest = without(diff::numbered(after), &change.added);
        let broken: Vec<(&Rule, Vec<Spot>)> = suspects
            .into_iter()
            .map(|rule| (rule, rule.breaches(change, &rest, budget)))
            .filter(|(_, spots)| !spots.is_empty())
            .collect();
        if broken.is_empty() {
            return Vec::new();
        }
        let Some(home) = self.home(&change.place).filter(|home| home.git.is_repository()) else {
            return Vec::new();
        };
        match unstaged(self.view(&home), &home.path, after) {
            Ok(None) => Vec::new(),
            Ok(Some(lines)) => {
                let lines = without(lines, &change.added);
                let told = broken.into_iter().map(|(rule, _)| Finding {
                    spots: rule.breaches(change, &lines, budget),
                    ..about(rule, will_be_refused(rule))
                });
                told.filter(|finding| !finding.spots.is_empty()).collect()
            }
            Err(why) => {
                let unknown = format!("whether these lines are staged: {why}");
                let told = broken.into_iter().map(|(rule, spots)| Finding {
                    spots,
                    unknown: Some(unknown.clone()),
                    ..about(rule, "Already in the working tree.")
                });
                told.collect()
            }
        }
    }

    /// Finds the repository that a file of the project belongs to.
    fn home(&self, place: &Place) -> Option<Home> {
        let Place::Inside(_) = place else { return None };
        let path = self.files.path(place);
        let root = repository_root(path.parent()?)?;
        let inside = byte_name::of_path(path.strip_prefix(&root).ok()?);
        let inside = inside.replace(std::path::MAIN_SEPARATOR, "/");
        Some(Home { git: GitFolders::of(&root), path: inside, root })
    }

    fn view(&self, home: &Home) -> View {
        let mut views = self.views.borrow_mut();
        if let Some((_, view)) = views.iter().find(|(root, _)| *root == home.root) {
            return view.clone();
        }
        let view = open(&home.root).map(Rc::new);
        views.push((home.root.clone(), view.clone()));
        view
    }
}

impl Judge for Beside<'_> {
    fn look(&self, change: &Change, budget: &Budget) -> Vec<Finding> {
        let mut findings = Vec::new();
        for link in self.files.links_to(&change.place) {
            findings.extend(self.book.look_at_path(link.as_str(), change));
        }
        let told = self.told.iter().filter(|(place, _)| *place == change.place);
        findings.extend(told.map(|(_, finding)| finding.clone()));
        findings.extend(self.not_staged(change, budget));
        findings
    }
}

/// Opens a repository and reads its index; what a partial clone lacks is not fetched.
fn open(root: &Path) -> Result<Opened, String> {
    let opened = Repo::open_around(root).and_then(|repo| {
        let index = repo.read_index()?;
        Ok(Opened { repo, index })
    });
    let opened = opened.map_err(|error| caused(&error))?;
    let real = opened.repo.root().and_then(|root| std::fs::canonicalize(root).ok());
    if real.as_deref() == Some(root) {
        Ok(opened)
    } else {
        Err("its working tree is said to be elsewhere".to_owned())
    }
}

fn caused(error: &GitError) -> String {
    match error.cause() {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}

/// Returns the lines of a file that are not staged; nothing when git does not look at that file
/// at a commit, or not as it is.
fn unstaged(view: View, path: &str, after: &str) -> Result<Option<Vec<Line>>, String> {
    let opened = view?;
    let Opened { repo, index } = &*opened;
    match index.entry(path) {
        Tracked::Yes { skip_worktree: false } => {}
        // Where nothing was ever staged, no line can have come past the index.
        Tracked::No if index.is_empty() => return Ok(None),
        Tracked::No if repo.is_ignored(path, false).map_err(|error| caused(&error))? => {
            return Ok(None);
        }
        Tracked::No | Tracked::Intended => return Ok(Some(diff::numbered(after))),
        Tracked::Yes { .. }
        | Tracked::Unmerged
        | Tracked::Submodule
        | Tracked::InSubmodule
        | Tracked::InSparseFolder => return Ok(None),
    }
    match index.content(repo, path).map_err(|error| caused(&error))? {
        Some(Content::Text(staged)) => Ok(Some(diff::added(&staged, after))),
        _ => Ok(None),
    }
}

/// Returns the lines that are not among others; both are in order.
fn without(mut lines: Vec<Line>, others: &[Line]) -> Vec<Line> {
    lines.retain(|line| others.binary_search_by_key(&line.number, |other| other.number).is_err());
    lines
}

fn is_absent(path: &Path) -> bool {
    let found = std::fs::symlink_metadata(path);
    found.is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound)
}

fn warning(rule: &str, why: &str) -> Finding {
    Finding {
        rule: rule.to_owned(),
        part: Part::Beside,
        verdict: Verdict::Warn,
        spots: Vec::new(),
        unknown: None,
        why: why.to_owned(),
        instead: None,
    }
}

fn about(rule: &Rule, why: &str) -> Finding {
    let why = format!("{why} {}", rule.why);
    Finding { instead: rule.instead.clone(), ..warning(&rule.id, why.trim()) }
}

fn will_be_refused(rule: &Rule) -> &'static str {
    match rule.on_fail {
        Verdict::Deny => "Already in the working tree, not staged; will be refused at commit.",
        _ => "Already in the working tree, not staged; a commit will stop for it.",
    }
}
