//! What the columns of a database say about a record, and whether they do.
//!
//! Records are found by columns and read from `body`, which alone the chain's hashes cover. A
//! column that says something else would hide a record from a search, or show it under another
//! name. So all of them are worked out from the line, when a record is written and when it is
//! checked.

use super::opening::{self, TABLES};
use super::{PATIENCE, Refusal, refused};
use crate::store::canonical;
use crate::store::traces::StoreError;
use rusqlite::Connection;
use rusqlite::types::Value as Cell;
use serde_json::{Map, Value};
use std::path::Path;

/// How many mismatches are told.
const MOST: usize = 1000;

/// A row of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The table.
    pub table: &'static str,
    /// What each of its columns holds.
    pub cells: Vec<Cell>,
}

/// A column that does not say what the record says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The record's number, from 1, as lines are counted; none for the database as a whole.
    pub line: Option<u64>,
    /// The table, or the table and the column.
    pub place: String,
}

/// Returns the names of a table's columns, and a place for each.
pub fn names(table: &str) -> (String, String) {
    let columns = TABLES.iter().find(|(name, _)| *name == table).map_or(&[][..], |(_, it)| *it);
    let names: Vec<String> = columns.iter().map(|name| format!("\"{name}\"")).collect();
    let places: Vec<String> = (1..=columns.len()).map(|at| format!("?{at}")).collect();
    (names.join(", "), places.join(", "))
}

/// Works out the rows for the record in a line.
pub fn of_line(line: &str) -> Result<Vec<Row>, serde_json::Error> {
    let record: Map<String, Value> = serde_json::from_str(line)?;
    let text = |key: &str| optional(record.get(key));
    let seq = record.get("seq").and_then(Value::as_i64).map_or(Cell::Null, Cell::Integer);
    let time = record.get("time").and_then(Value::as_f64).unwrap_or(0.0);
    let kind = record.get("kind").and_then(Value::as_str).unwrap_or("ask");
    let mut rows = Vec::new();
    let mut add = |table: &'static str, cells: Vec<Cell>| rows.push(Row { table, cells });
    add(
        "records",
        vec![
            seq.clone(),
            text("id"),
            Cell::Text(kind.to_owned()),
            Cell::Real(time),
            text("init_hash"),
            text("catalog"),
            text("prev"),
            text("hash"),
            Cell::Text(line.to_owned()),
        ],
    );
    let guards = record.get("guards");
    for (question, answer) in record.get("answers").and_then(Value::as_object).into_iter().flatten()
    {
        let guard = optional(guards.and_then(|guards| guards.get(question)));
        let status = answer.get(2).and_then(Value::as_str).unwrap_or_default().to_owned();
        let answer = canonical::spaced(answer.get(0).unwrap_or(&Value::Null));
        let [question, answer, status] = [question.clone(), answer, status].map(Cell::Text);
        add("answers", vec![seq.clone(), question, answer, status, guard]);
    }
    let list = |key: &str| record.get(key).and_then(Value::as_array).into_iter().flatten();
    for safeguard in list("safeguards") {
        let part = |at: usize| safeguard.get(at).and_then(Value::as_str).unwrap_or_default();
        let [kind, fact] = [part(0), part(1)].map(|part| Cell::Text(part.to_owned()));
        for question in safeguard.get(2).and_then(Value::as_array).into_iter().flatten() {
            let question = optional(Some(question));
            add("safeguards", vec![seq.clone(), kind.clone(), fact.clone(), question]);
        }
    }
    for model in list("models") {
        let [fp, id, kind] = ["fp", "id", "type"].map(|key| optional(model.get(key)));
        add("models", vec![seq.clone(), fp, id, kind]);
    }
    Ok(rows)
}

fn optional(value: Option<&Value>) -> Cell {
    value.and_then(Value::as_str).map_or(Cell::Null, |text| Cell::Text(text.to_owned()))
}

/// Holds every column of every record against its line.
pub fn verify(path: &Path) -> Result<Vec<Mismatch>, StoreError> {
    let found = || -> Result<Vec<Mismatch>, Refusal> {
        let (database, _) = opening::to_read(path, PATIENCE)?;
        // One transaction, so that all is of one moment.
        let moment = database.unchecked_transaction()?;
        opening::check_schema(&moment, path)?;
        let mut mismatches = Vec::new();
        records(&moment, &mut mismatches)?;
        whole(&moment, &mut mismatches)?;
        Ok(mismatches)
    };
    found().map_err(|refusal| refused("read", path, PATIENCE, refusal))
}

fn records(database: &Connection, found: &mut Vec<Mismatch>) -> Result<(), Refusal> {
    let (names, _) = names("records");
    let mut statement = database.prepare(&format!("SELECT {names} FROM records ORDER BY seq"))?;
    let mut rows = statement.query([])?;
    let mut line = 0;
    while let Some(row) = rows.next()? {
        line += 1;
        let columns = TABLES.first().map_or(&[][..], |(_, columns)| *columns);
        let cells = (0..columns.len()).map(|at| row.get::<_, Cell>(at));
        let cells: Vec<Cell> = cells.collect::<Result<_, _>>()?;
        let mut note = |place: String| {
            if found.len() < MOST {
                found.push(Mismatch { line: Some(line), place });
            }
        };
        let Some(Cell::Text(body)) = cells.last() else {
            note("records.body".to_owned());
            continue;
        };
        // What is no record is told by the chain.
        let Ok(expected) = of_line(body) else { continue };
        let (first, others) = expected.split_at(1);
        for ((column, cell), wanted) in
            columns.iter().zip(&cells).zip(first.iter().flat_map(|it| &it.cells))
        {
            if cell != wanted {
                note(format!("records.{column}"));
            }
        }
        // A line end within a record would make two lines of it.
        if body.contains('\n') {
            note("records.body".to_owned());
        }
        for (table, _) in TABLES.iter().skip(1).filter(|(table, _)| *table != "meta") {
            let wanted = others.iter().filter(|row| row.table == *table).map(|row| &row.cells);
            if sorted(wanted) != sorted(&beside(database, table, cells.first())?) {
                note((*table).to_owned());
            }
        }
    }
    Ok(())
}

/// Returns the rows of a table that are about a record.
fn beside(
    database: &Connection,
    table: &str,
    seq: Option<&Cell>,
) -> Result<Vec<Vec<Cell>>, rusqlite::Error> {
    let (names, _) = names(table);
    let sql = format!("SELECT {names} FROM {table} WHERE seq = ?1");
    let mut statement = database.prepare(&sql)?;
    let mut rows = statement.query([seq])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let width = row.as_ref().column_count();
        let cells = (0..width).map(|at| row.get::<_, Cell>(at));
        found.push(cells.collect::<Result<_, _>>()?);
    }
    Ok(found)
}

/// Returns rows in an order of their own; the one in which they were added is not part of a record.
fn sorted<'a>(rows: impl IntoIterator<Item = &'a Vec<Cell>>) -> Vec<String> {
    let mut rows: Vec<String> = rows.into_iter().map(|row| format!("{row:?}")).collect();
    rows.sort();
    rows
}

/// Looks for rows that belong to no record, and at what the database itself can check: an index
/// that leaves a row out would hide it.
fn whole(database: &Connection, found: &mut Vec<Mismatch>) -> Result<(), Refusal> {
    let note = |found: &mut Vec<Mismatch>, place: String| {
        found.push(Mismatch { line: None, place });
    };
    for (table, _) in TABLES.iter().skip(1).filter(|(table, _)| *table != "meta") {
        let sql =
            format!("SELECT count(*) FROM {table} WHERE seq NOT IN (SELECT seq FROM records)");
        if database.query_row(&sql, [], |row| row.get::<_, i64>(0))? > 0 {
            note(found, format!("{table}.seq"));
        }
    }
    let sound: String = database.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    if sound != "ok" {
        note(found, sound);
    }
    Ok(())
}
