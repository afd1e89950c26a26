//! Which files does a patch leave behind, section after section?
//!
//! Codex and Copilot carry the sections of a patch out in order, each on what the ones before
//! left. [`Desk`] holds what that is, and turns what was done into changes.

use super::patch::{self, PatchError};
use crate::domain::{Change, Content, Files, Place, Stored};

/// A section that is not carried out, or not for sure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// The client refuses it, and carries nothing out from there on.
    Refused(String),
    /// What the client does with it cannot be told.
    Unclear(String),
}

/// Adds what is read of the sections that were not carried out: should we be wrong about the
/// client, their lines were judged.
pub(super) fn finished(
    tool: &str,
    text: &str,
    files: &dyn Files,
    (mut done, stop): (Vec<Change>, Option<Stop>),
) -> Result<Vec<Change>, PatchError> {
    if stop.is_some() {
        let read = patch::changes(tool, &[text], files)?;
        done.extend(read.into_iter().skip(done.len()));
    }
    if done.is_empty() { Err(PatchError::NoSection) } else { Ok(done) }
}

/// The files as the sections so far leave them.
pub(super) struct Desk<'f> {
    tool: &'f str,
    files: &'f dyn Files,
    changes: Vec<Change>,
}

impl<'f> Desk<'f> {
    pub(super) fn new(tool: &'f str, files: &'f dyn Files) -> Self {
        Self { tool, files, changes: Vec::new() }
    }

    /// Returns the changes that were made.
    pub(super) fn changes(self) -> Vec<Change> {
        self.changes
    }

    /// Returns what a file holds now: text only if it is valid UTF-8.
    pub(super) fn read(&self, place: &Place) -> Content {
        if let Some(change) = self.changes.iter().rfind(|change| change.place == *place) {
            return change.after.clone();
        }
        match self.files.read(place) {
            Stored::Absent => Content::Absent,
            Stored::Unknown(why) => Content::Unknown(why),
            Stored::Bytes(bytes) => String::from_utf8(bytes).map_or(Content::Binary, Content::Text),
        }
    }

    /// Tells whether a file stands where a folder of this path would have to be.
    pub(super) fn is_below_a_file(&self, written: &str) -> bool {
        let folders = written.match_indices('/').filter_map(|(at, _)| written.get(..at));
        folders.filter(|folder| !folder.is_empty()).any(|folder| {
            let place = self.files.place(folder);
            let content = place.map(|place| self.read(&place));
            matches!(content, Ok(Content::Text(_) | Content::Binary))
        })
    }

    /// Writes a whole file.
    pub(super) fn write(&mut self, place: Place, text: String) {
        let before = self.read(&place);
        let mut change = Change::of_text(self.tool, place, before.text().unwrap_or_default(), text);
        if let Content::Unknown(why) = before {
            change.unsure = Some(why);
        }
        self.changes.push(change);
    }

    /// Changes a file from one text to another, and moves it if a target is given.
    pub(super) fn update(&mut self, place: Place, before: &str, after: String, to: Option<Place>) {
        let Some(target) = to else {
            self.changes.push(Change::of_text(self.tool, place, before, after));
            return;
        };
        self.delete(place.clone());
        let moved_from = Some(place);
        let change = Change::of_text(self.tool, target, before, after);
        self.changes.push(Change { moved_from, ..change });
    }

    /// Deletes a file.
    pub(super) fn delete(&mut self, place: Place) {
        self.changes.push(Change::of_deletion(self.tool, place));
    }
}
