//! What does an edit of a notebook's cell bring?
//!
//! The client rewrites the whole notebook around the cell (and gives a new cell a random id),
//! so the file after the edit stays unknown: the cell's new lines are judged, numbered within
//! the cell.

use crate::domain::{Change, Line, Numbering, Place, Stored, diff};
use serde::Deserialize;

/// What happens to a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Its source is replaced.
    #[default]
    Replace,
    /// A new cell is put after it.
    Insert,
    /// It goes.
    Delete,
}

/// One edit of a notebook.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CellEdit {
    /// What happens.
    pub mode: Mode,
    /// The cell: its id, or `cell-N` for the one at index N.
    pub cell: Option<String>,
    /// The source that the cell gets.
    pub source: String,
}

/// Makes the change of a notebook.
#[must_use]
pub fn change(tool: &str, place: Place, edit: &CellEdit, stored: &Stored) -> Change {
    let why = match stored {
        Stored::Unknown(why) => why.as_str(),
        Stored::Absent => "there is no such notebook",
        Stored::Bytes(_) => "the client writes the notebook anew around the cell",
    };
    Change {
        numbering: Numbering::Cell,
        unsure: matches!(stored, Stored::Unknown(_)).then(|| why.to_owned()),
        ..Change::of_lines(tool, place, added(edit, stored), why)
    }
}

fn added(edit: &CellEdit, stored: &Stored) -> Vec<Line> {
    match (edit.mode, &edit.cell, stored) {
        (Mode::Delete, ..) => Vec::new(),
        (Mode::Replace, Some(cell), Stored::Bytes(notebook)) => {
            diff::added(&source(notebook, cell).unwrap_or_default(), &edit.source)
        }
        _ => diff::numbered(&edit.source),
    }
}

/// A notebook, as far as we read it.
#[derive(Deserialize)]
struct Notebook {
    cells: Vec<Cell>,
}

#[derive(Deserialize)]
struct Cell {
    id: Option<String>,
    source: Source,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Source {
    Text(String),
    Lines(Vec<String>),
}

/// Returns the source of a cell; nothing when there is no such cell, or no notebook.
fn source(notebook: &[u8], cell: &str) -> Option<String> {
    let Notebook { cells } = serde_json::from_slice(notebook).ok()?;
    let by_id = cells.iter().position(|each| each.id.as_deref() == Some(cell));
    let at = by_id.or_else(|| cell.strip_prefix("cell-")?.parse().ok())?;
    Some(match cells.into_iter().nth(at)?.source {
        Source::Text(text) => text,
        Source::Lines(lines) => lines.concat(),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::domain::{Content, RepoPath};

    const NOTEBOOK: &str = r##"{"cells": [
        {"cell_type": "code", "id": "aaa", "source": ["x = 1\n", "y = 2"], "outputs": [{}]},
        {"cell_type": "markdown", "source": "# t"}
    ], "nbformat": 4}"##;

    fn lines(mode: Mode, cell: &str, source: &str, notebook: &str) -> Vec<(usize, String)> {
        let edit = CellEdit { mode, cell: Some(cell.to_owned()), source: source.to_owned() };
        let place = Place::Inside(RepoPath::new("n.ipynb").unwrap());
        let change = change("NotebookEdit", place, &edit, &Stored::Bytes(notebook.into()));
        assert_eq!(change.numbering, Numbering::Cell);
        change.added.into_iter().map(|line| (line.number, line.text)).collect()
    }

    #[test]
    fn a_replaced_cell_adds_what_its_old_source_lacks() {
        let new = "x = 1\nz = 3";
        assert_eq!(lines(Mode::Replace, "aaa", new, NOTEBOOK), [(2, "z = 3".to_owned())]);
        assert_eq!(lines(Mode::Replace, "cell-0", new, NOTEBOOK), [(2, "z = 3".to_owned())]);
        assert_eq!(lines(Mode::Replace, "cell-1", "# t", NOTEBOOK), []);
    }

    #[test]
    fn an_inserted_cell_is_new_as_a_whole_and_a_deleted_one_adds_nothing() {
        assert_eq!(lines(Mode::Insert, "aaa", "x = 1", NOTEBOOK), [(1, "x = 1".to_owned())]);
        assert_eq!(lines(Mode::Delete, "aaa", "x = 1", NOTEBOOK), []);
    }

    #[test]
    fn a_cell_that_cannot_be_found_is_new_as_a_whole() {
        for notebook in [NOTEBOOK, "", "[]", "{\"cells\": 1}"] {
            assert_eq!(lines(Mode::Replace, "zzz", "a", notebook), [(1, "a".to_owned())]);
        }
    }

    #[test]
    fn a_notebook_that_cannot_be_read_leaves_us_unsure() {
        let place = Place::Outside("/n.ipynb".to_owned());
        let edit = CellEdit { source: "a".to_owned(), ..CellEdit::default() };
        let change = change("NotebookEdit", place, &edit, &Stored::Unknown("a folder".to_owned()));
        assert_eq!(change.unsure.as_deref(), Some("a folder"));
        assert_eq!(change.after, Content::Unknown("a folder".to_owned()));
        assert_eq!(change.added.len(), 1);
    }
}
