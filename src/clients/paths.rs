//! Paths as agents read them: the same text names one file to one agent and another to the next.
//!
//! Every agent has its own resolution, found in its source or by running it;
//! `tests/vectors/path-cases.jsonl` holds what the real programs wrote. A resolution returns
//! *candidates*: literal paths, absolute or from the session's folder, likeliest first. An event is
//! read once for each candidate, and all the changes are evaluated, so the stricter verdict counts.
//! Nearly every path has one candidate, and nothing is read twice.

mod claude;
mod gemini;
mod pi;
mod url;

use super::payload::PayloadError;
use super::{Client, Phase};
use crate::domain::{Action, Change, Event, Files, Place, Stored};
pub use claude::claude;
pub use gemini::{gemini, gemini_search};
pub use pi::pi;
use std::cell::Cell;

/// How many candidates one path may have; a path with more is an error, and a person decides.
const MOST: usize = 64;

/// Returns the candidates of a path of which nobody knows how it is resolved: those of every agent,
/// and the forms that other programs take.
#[must_use]
pub fn anyone(written: &str, files: &dyn Files) -> Vec<String> {
    if is_plain(written) {
        let opened = files.as_opened(written).filter(|_| written.contains(".."));
        return distinct(std::iter::once(written.to_owned()).chain(opened).collect());
    }
    let mut all = vec![written.to_owned(), written.trim().to_owned()];
    all.extend(claude(written, files));
    all.extend(pi(written, files));
    all.extend(gemini(written, files));
    let trimmed = written.trim();
    all.extend(url::path(trimmed));
    if trimmed.contains('\\') && !files.exists(trimmed) {
        all.push(trimmed.replace('\\', "/"));
    }
    let opened: Vec<String> = all.iter().filter_map(|path| files.as_opened(path)).collect();
    all.extend(opened);
    all.retain(|path| !path.is_empty());
    if all.is_empty() {
        all.push(String::new());
    }
    distinct(all)
}

/// Tells whether every agent takes a path as it is written.
fn is_plain(written: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-+,=()[]{}$&!'".contains(&byte);
    !written.is_empty() && written.bytes().all(plain)
}

fn distinct(paths: Vec<String>) -> Vec<String> {
    let mut distinct = Vec::with_capacity(paths.len());
    for path in paths {
        if !distinct.contains(&path) {
            distinct.push(path);
        }
    }
    distinct
}

/// Returns a path with the home folder in the place of a leading `~`.
fn home(path: &str, files: &dyn Files) -> Option<String> {
    let rest = path.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/'))?;
    Some(format!("{}/{}", files.home()?, rest.trim_start_matches('/')))
}

/// Returns a path of Git Bash, Cygwin or WSL as Windows has it: `/c/x`, `/mnt/c/x` and
/// `/cygdrive/c/x` are `C:\x`.
fn of_windows_shell(path: &str) -> Option<String> {
    let rest = path.strip_prefix('/').filter(|_| !path.contains('\\'))?;
    let rest = ["mnt/", "cygdrive/"].iter().find_map(|at| rest.strip_prefix(at)).unwrap_or(rest);
    let (drive, rest) = rest.split_at_checked(1)?;
    let drive = drive.chars().next().filter(char::is_ascii_alphabetic)?.to_ascii_uppercase();
    let rest = if rest.is_empty() { rest } else { rest.strip_prefix('/')? };
    Some(format!("{drive}:\\{}", rest.replace('/', "\\")))
}

/// Reads a payload: once for each candidate of its paths, by the resolutions of these clients.
pub fn read(
    client: &dyn Client,
    resolvers: &[&dyn Client],
    phase: Phase,
    payload: &[u8],
    files: &dyn Files,
) -> Result<Event, PayloadError> {
    let first = Resolved { files, resolvers, choice: 0, most: Cell::new(1) };
    let mut event = client.read(payload, &first)?;
    let most = first.most.get();
    if most > MOST {
        return Err(PayloadError(format!("a path of this call may mean more than {MOST} files.")));
    }
    for choice in 1..most {
        let next = Resolved { files, resolvers, choice, most: Cell::new(1) };
        match client.read(payload, &next) {
            Ok(other) => join(&mut event, other, |change| {
                // What was not written was another candidate.
                phase != Phase::After || files.read(&change.place) != Stored::Absent
            }),
            Err(error) => doubt(&mut event, &error),
        }
    }
    Ok(event)
}

fn join(event: &mut Event, other: Event, counts: impl Fn(&Change) -> bool) {
    let Action::Edit(more) = other.action else { return };
    if let Action::Edit(changes) = &mut event.action {
        let new: Vec<Change> = more.into_iter().filter(|it| !changes.contains(it)).collect();
        changes.extend(new.into_iter().filter(counts));
    } else {
        event.action = Action::Edit(more);
    }
    for note in other.notes {
        if !event.notes.contains(&note) {
            event.notes.push(note);
        }
    }
}

fn doubt(event: &mut Event, error: &PayloadError) {
    let Action::Edit(changes) = &mut event.action else { return };
    for change in changes {
        change.unsure.get_or_insert_with(|| error.to_string());
    }
}

/// The files of a project, with paths as some clients resolve them.
struct Resolved<'a> {
    files: &'a dyn Files,
    resolvers: &'a [&'a dyn Client],
    /// Which candidate of each path is meant; the first where there are fewer.
    choice: usize,
    /// The most candidates that a path had so far.
    most: Cell<usize>,
}

impl Resolved<'_> {
    fn chosen(&self, candidates: impl Fn(&dyn Client) -> Vec<String>) -> Result<Place, String> {
        let all = self.resolvers.iter().flat_map(|client| candidates(*client)).collect();
        let all = distinct(all);
        self.most.set(self.most.get().max(all.len()));
        match all.get(self.choice).or(all.first()) {
            Some(path) => self.files.place(path),
            None => Err("the agent takes this for no path".to_owned()),
        }
    }
}

impl Files for Resolved<'_> {
    fn place(&self, written: &str) -> Result<Place, String> {
        self.chosen(|client| client.paths(written, self.files))
    }

    fn search(&self, written: &str) -> Result<Place, String> {
        self.chosen(|client| client.searched_paths(written, self.files))
    }

    fn places(&self, written: &str) -> Result<Vec<Place>, String> {
        let mut places = Vec::new();
        for path in anyone(written, self.files) {
            let place = self.files.place(&path)?;
            if !places.contains(&place) {
                places.push(place);
            }
        }
        Ok(places)
    }

    fn as_opened(&self, written: &str) -> Option<String> {
        self.files.as_opened(written)
    }

    fn read(&self, place: &Place) -> Stored {
        self.files.read(place)
    }

    fn folders(&self) -> Option<Vec<String>> {
        self.files.folders()
    }

    fn below(&self, folder: &Place, most: usize) -> Option<Vec<Place>> {
        self.files.below(folder, most)
    }

    fn root(&self) -> String {
        self.files.root()
    }

    fn cwd(&self) -> String {
        self.files.cwd()
    }

    fn home(&self) -> Option<String> {
        self.files.home()
    }

    fn exists(&self, path: &str) -> bool {
        self.files.exists(path)
    }

    fn named(&self, name: &str) -> Option<Vec<String>> {
        self.files.named(name)
    }
}

#[cfg(test)]
mod tests;
