//! The changes that a tool may make that is not known: which files it names, and which lines it
//! brings there.
//!
//! Agents gain tools daily (each server brings its own). A call that names a file, by a tool whose
//! name does not say that it only reads, may write there: rules about paths and the protection of
//! our own files hold for each of these paths, and every text among the inputs is evaluated there
//! as added lines. What the file then holds is not known, and that alone asks nobody: see
//! [`Certainty::Possible`].

mod keys;
mod texts;
pub mod tool_name;
mod walk;
mod written_path;

use super::fields::PayloadError;
use crate::domain::text::decode;
use crate::domain::{Certainty, Change, Files, Line, PROJECT_FOLDER, Place, Stored};
use keys::Role;
use serde_json::{Map, Value};
use tool_name::Purpose;
use walk::{Group, Piece, TextKind, Walk, Written};

/// How many places one call may name.
const MOST_PLACES: usize = 2_000;

/// How many files of a folder are looked at that is deleted or moved.
const MOST_BELOW: usize = 1_000;

/// A call of a tool that is not known.
#[derive(Clone, Copy)]
pub struct Call<'a> {
    /// The tool, as the agent names it.
    pub tool: &'a str,
    /// The tool's name without the server's.
    pub own_name: &'a str,
    /// What it is called with.
    pub input: &'a Map<String, Value>,
}

/// Returns the changes that the call may make; nothing when it is no edit.
pub fn changes(call: Call<'_>, files: &dyn Files) -> Result<Vec<Change>, PayloadError> {
    let purpose = purpose(call);
    if purpose == Purpose::Reads || is_request(call.input) {
        return Ok(Vec::new());
    }
    let walk = Walk::over(call.input, purpose, files)?;
    let maker = Maker { tool: call.tool, purpose, walk: &walk, files };
    let mut changes = match purpose {
        Purpose::Deletes => maker.deletions()?,
        Purpose::Moves | Purpose::Copies => maker.moves()?,
        Purpose::Reads | Purpose::Runs | Purpose::Writes => Vec::new(),
    };
    let moved = !changes.is_empty();
    changes.extend(maker.writes(moved)?);
    let mut seen: Vec<Change> = Vec::new();
    for change in changes {
        if !seen.contains(&change) {
            seen.push(change);
        }
    }
    let changes = seen;
    if changes.len() > MOST_PLACES {
        return Err(PayloadError(format!("the call names more than {MOST_PLACES} files.")));
    }
    Ok(changes)
}

/// Returns what the call does: by the tool's name or, where that says little, by the field that
/// says what to do.
fn purpose(call: Call<'_>) -> Purpose {
    let fields =
        ["action", "operation", "op", "command", "subtool", "tool", "tool_name", "toolName"];
    let is_own = tool_name::is_own(call.tool);
    let purpose = if is_own { Purpose::Reads } else { Purpose::of(call.own_name) };
    match purpose {
        // `fetch {url, output_path}`: a read that is saved.
        Purpose::Reads if call.input.keys().any(|key| keys::is_output(key)) => Purpose::Writes,
        Purpose::Writes if !tool_name::writes(call.own_name) => {
            let said = fields.iter().find_map(|field| call.input.get(*field)?.as_str());
            let word = said.filter(|said| !said.contains([' ', '/']));
            word.map_or(Purpose::Writes, |word| Purpose::of(tool_name::own_name(word)))
        }
        _ => purpose,
    }
}

/// Tells whether the call is a request over the network, whose path is one of a server.
fn is_request(input: &Map<String, Value>) -> bool {
    let method = input.get("method").or_else(|| input.get("httpMethod")).and_then(Value::as_str);
    let verbs = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];
    method.is_some_and(|method| verbs.iter().any(|verb| verb.eq_ignore_ascii_case(method)))
}

/// Returns every place that a written path may mean.
pub fn places(written: &str, files: &dyn Files) -> Result<Vec<Place>, String> {
    let mut places = Vec::new();
    for reading in written_path::readings(written) {
        for place in places_of(&reading, files)? {
            if !places.contains(&place) {
                places.push(place);
            }
        }
    }
    Ok(places)
}

/// Returns every place that a path may mean: from the session's folder and from the root.
fn places_of(path: &str, files: &dyn Files) -> Result<Vec<Place>, String> {
    let mut places = files.places(path)?;
    let root = files.root();
    if written_path::is_relative(path) && root != files.cwd() {
        places.extend(files.places(&format!("{root}/{path}"))?);
    }
    Ok(places)
}

struct Maker<'a> {
    tool: &'a str,
    purpose: Purpose,
    walk: &'a Walk<'a>,
    files: &'a dyn Files,
}

/// A place that a group of inputs names.
struct Named<'g> {
    place: Place,
    written: &'g Written,
}

impl Maker<'_> {
    /// Returns every place that the group may mean.
    fn places<'g>(&self, group: &'g Group) -> Result<Vec<Named<'g>>, PayloadError> {
        let mut named: Vec<Named<'g>> = Vec::new();
        let bases = self.walk.bases_of(group);
        for written in &group.paths {
            let mut paths = Vec::new();
            for reading in written_path::readings(&written.text) {
                if written_path::is_relative(&reading) {
                    for base in bases.iter().filter(|base| **base != written.text) {
                        paths.push(format!("{}/{reading}", base.trim_end_matches('/')));
                    }
                }
                if !written.joined_only {
                    paths.push(reading);
                }
            }
            for path in paths {
                match places_of(&path, self.files) {
                    Ok(places) => {
                        for place in places {
                            if !named.iter().any(|other| other.place == place) {
                                named.push(Named { place, written });
                            }
                        }
                    }
                    Err(error) if error == PROJECT_FOLDER && !self.takes_away() => {}
                    Err(error) if error == PROJECT_FOLDER && written.role == Role::Source => {
                        return Err(PayloadError(error));
                    }
                    Err(_) if !written.sure => {}
                    Err(error) => return Err(PayloadError(error)),
                }
            }
        }
        Ok(named)
    }

    /// Returns the path of a place.
    fn path(&self, place: &Place) -> String {
        match place {
            Place::Inside(path) if !self.files.root().is_empty() => {
                format!("{}/{}", self.files.root(), path.as_str())
            }
            Place::Inside(_) | Place::Outside(_) => place.as_str().to_owned(),
        }
    }

    fn takes_away(&self) -> bool {
        matches!(self.purpose, Purpose::Deletes | Purpose::Moves)
    }

    fn deletions(&self) -> Result<Vec<Change>, PayloadError> {
        let mut changes = Vec::new();
        for group in &self.walk.groups {
            for named in self.places(group)? {
                self.delete(named.place, &mut changes)?;
            }
        }
        Ok(changes)
    }

    fn delete(&self, place: Place, changes: &mut Vec<Change>) -> Result<(), PayloadError> {
        for below in self.below(&place)? {
            changes.push(Change::of_deletion(self.tool, below));
        }
        changes.push(Change::of_deletion(self.tool, place));
        Ok(())
    }

    fn below(&self, place: &Place) -> Result<Vec<Place>, PayloadError> {
        self.files.below(place, MOST_BELOW).ok_or_else(|| {
            let many = format!("holds more than {MOST_BELOW} files, too many to look at each");
            PayloadError(format!("the folder `{place}` {many}."))
        })
    }

    /// Returns the changes of a move or a copy: what goes, and what comes where.
    fn moves(&self) -> Result<Vec<Change>, PayloadError> {
        let mut changes = Vec::new();
        let mut loose: (Vec<Place>, Vec<Place>) = Default::default();
        for group in &self.walk.groups {
            let (mut from, mut to) = (Vec::new(), Vec::new());
            for named in self.places(group)? {
                match named.written.role {
                    Role::Destination => to.push(named.place),
                    Role::Source | Role::Any => from.push(named.place),
                }
            }
            for name in &group.new_names {
                to.extend(from.iter().flat_map(|place| self.beside(place, name)));
            }
            if from.is_empty() || to.is_empty() {
                loose.0.extend(from);
                loose.1.extend(to);
            } else {
                self.transfer(&from, &to, &mut changes)?;
            }
        }
        self.transfer(&loose.0, &loose.1, &mut changes)?;
        Ok(changes)
    }

    fn transfer(
        &self,
        from: &[Place],
        to: &[Place],
        changes: &mut Vec<Change>,
    ) -> Result<(), PayloadError> {
        for source in from {
            let below = self.below(source)?;
            for target in to {
                for file in below.iter().chain([source]) {
                    let rest = file.as_str().strip_prefix(source.as_str()).unwrap_or_default();
                    let path = format!("{}{rest}", self.path(target));
                    let into = format!("{}/{}{rest}", self.path(target), source.name());
                    changes.extend(self.arrivals(file, &path));
                    if matches!(self.files.read(target), Stored::Unknown(_)) {
                        changes.extend(self.arrivals(file, &into));
                    }
                }
            }
            if self.purpose == Purpose::Moves {
                self.delete(source.clone(), changes)?;
            }
        }
        if from.is_empty() {
            let to = to.iter().cloned();
            changes.extend(to.map(|place| self.possible(place, Vec::new())));
        }
        Ok(())
    }

    /// Returns the changes of the place where a file arrives.
    fn arrivals(&self, file: &Place, path: &str) -> Vec<Change> {
        let places = self.files.places(path).unwrap_or_default();
        places.into_iter().map(|place| self.arrival(file, place)).collect()
    }

    fn arrival(&self, file: &Place, place: Place) -> Change {
        let moved_from = Some(file.clone()).filter(|_| self.purpose == Purpose::Moves);
        let change = match self.files.read(file) {
            Stored::Bytes(bytes) => {
                let before = match self.files.read(&place) {
                    Stored::Bytes(bytes) => bytes,
                    // What was there before under its other name is not new.
                    _ if moved_from.is_some() => bytes.clone(),
                    _ => Vec::new(),
                };
                let text = |bytes: &[u8]| decode(bytes.to_vec()).into_main();
                let change = Change::of_text(self.tool, place, &text(&before), text(&bytes));
                change.written_as(&before, bytes)
            }
            Stored::Absent | Stored::Unknown(_) => self.possible(place, Vec::new()),
        };
        Change { moved_from, ..change }
    }

    /// Returns the places of another name in the same folder.
    fn beside(&self, place: &Place, name: &str) -> Vec<Place> {
        let path = self.path(place);
        let (folder, _) = path.rsplit_once('/').unwrap_or(("", &path));
        self.files.places(&format!("{folder}/{name}")).unwrap_or_default()
    }

    /// Returns the changes of what may be written. Where files go or come, only text is.
    fn writes(&self, moved: bool) -> Result<Vec<Change>, PayloadError> {
        let mut changes = Vec::new();
        for (at, group) in self.walk.groups.iter().enumerate() {
            let pieces = self.walk.pieces_for(at);
            if moved && !pieces.iter().any(|piece| piece.kind == TextKind::Stated) {
                continue;
            }
            let lines = lines(&pieces);
            for named in self.places(group)? {
                let lines = if named.written.folder { Vec::new() } else { lines.clone() };
                changes.push(self.possible(named.place, lines));
            }
        }
        for file in &self.walk.diffs {
            let lines = texts::lines(&file.text, true);
            for path in &file.paths {
                for place in places_of(path, self.files).map_err(PayloadError)? {
                    if !changes.iter().any(|change: &Change| change.place == place) {
                        changes.push(self.possible(place, lines.clone()));
                    }
                }
            }
        }
        Ok(changes)
    }

    fn possible(&self, place: Place, lines: Vec<Line>) -> Change {
        let why = format!("what the tool `{}` makes of its inputs is not known", self.tool);
        let change = Change::of_lines(self.tool, place, lines, why);
        Change { certainty: Certainty::Possible, ..change }
    }
}

fn lines(pieces: &[&Piece]) -> Vec<Line> {
    pieces.iter().flat_map(|piece| texts::lines(&piece.text, piece.diff)).collect()
}

#[cfg(test)]
mod tests;
