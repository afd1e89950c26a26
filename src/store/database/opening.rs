//! How a database is opened: the file that was checked and no other, and nothing in it that runs.
//!
//! `SQLite` opens files by their names. It follows no link in any of them; the file and those
//! beside it are checked as all files of ours are, and whether the name still is that of the
//! checked file is asked again when `SQLite` has it open. Triggers and views are switched off, the
//! schema may call no function that could do harm, and a file with any part that no writer makes is
//! refused.

use super::Refusal;
use crate::store::owned_dir::OwnedError;
use crate::store::owned_path::OwnedPath;
use crate::store::traces::StoreError;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use std::fs::{self, File};
use std::path::Path;
use std::time::Duration;

/// The files that `SQLite` keeps beside a database.
const BESIDE: [&str; 3] = ["-journal", "-wal", "-shm"];

/// What is switched on or off in every connection.
const SAFE: [(DbConfig, bool); 4] = [
    (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
    (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
    (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
    (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false),
];

/// The tables of a store, each with its columns.
pub const TABLES: [(&str, &[&str]); 5] = [
    ("records", &["seq", "id", "kind", "time", "init_hash", "catalog", "prev", "hash", "body"]),
    ("answers", &["seq", "question", "answer", "status", "guard"]),
    ("safeguards", &["seq", "kind", "fact", "question"]),
    ("models", &["seq", "fp", "id", "type"]),
    ("meta", &["key", "value"]),
];

/// Opens a database to write to it, and makes it where it is not there.
pub fn to_write(path: &Path, patience: Duration) -> Result<(Connection, OwnedPath), Refusal> {
    let place = OwnedPath::make(path).map_err(StoreError::from)?;
    // The file is its owner's alone before anything is in it.
    let file = place.folder.append(&place.name).map_err(StoreError::from)?;
    let database = open(&place, &file, OpenFlags::SQLITE_OPEN_READ_WRITE, patience)?;
    // One flush less; a power cut may cost the last records, as it may in a file of lines.
    database.pragma_update(None, "synchronous", "NORMAL")?;
    Ok((database, place))
}

/// Opens a database to read it.
pub fn to_read(path: &Path, patience: Duration) -> Result<(Connection, OwnedPath), Refusal> {
    let gone = || Refusal::Io(std::io::ErrorKind::NotFound.into());
    let place = OwnedPath::of(path).map_err(StoreError::from)?.ok_or_else(gone)?;
    let file = place.folder.read(&place.name).map_err(StoreError::from)?.ok_or_else(gone)?;
    let database = open(&place, &file, OpenFlags::SQLITE_OPEN_READ_ONLY, patience)?;
    Ok((database, place))
}

fn open(
    place: &OwnedPath,
    file: &File,
    access: OpenFlags,
    patience: Duration,
) -> Result<Connection, Refusal> {
    for ending in BESIDE {
        place.folder.own(&place.beside(ending)).map_err(StoreError::from)?;
    }
    // No link is followed in any part of the path, so that those a person chose are resolved first.
    let path = fs::canonicalize(place.folder.path())?.join(&place.name);
    let flags = access | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let database = Connection::open_with_flags(path, flags)?;
    database.busy_timeout(patience)?;
    for (option, on) in SAFE {
        database.set_db_config(option, on)?;
    }
    // Only now does it open the file.
    database.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
    let again = OwnedPath::of(&place.path()).map_err(StoreError::from)?;
    let same = again.map(|again| again.folder.names(&again.name, file)).transpose();
    if same.map_err(StoreError::from)? != Some(true) {
        let error = OwnedError::Untrusted {
            path: place.path(),
            wanted: "a file",
            found: "one that was exchanged while it was opened".to_owned(),
        };
        return Err(StoreError::from(error).into());
    }
    Ok(database)
}

/// Refuses a database with any part that no writer makes; returns how many tables it has.
pub fn check_schema(database: &Connection, path: &Path) -> Result<usize, Refusal> {
    let refused =
        |found: String| -> Refusal { StoreError::Schema { path: path.to_owned(), found }.into() };
    let listed = "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema";
    let mut statement = database.prepare(listed)?;
    let mut rows = statement.query([])?;
    let mut tables = 0;
    while let Some(row) = rows.next()? {
        let text = |at: usize| row.get::<_, String>(at);
        let (kind, name, table, sql) = (text(0)?, text(1)?, text(2)?, text(3)?);
        let known = TABLES.iter().any(|(known, _)| *known == table);
        // What `ANALYZE` keeps.
        let statistics = table.starts_with("sqlite_stat");
        match kind.as_str() {
            "table" if statistics => {}
            "table" if known && !is_virtual(&sql) => tables += 1,
            "index" if known || statistics => {}
            _ => return Err(refused(format!("the {kind} `{name}`"))),
        }
    }
    if tables == 0 {
        return Ok(0);
    }
    for (table, columns) in TABLES {
        let listed = "SELECT name, hidden FROM pragma_table_xinfo(?1) ORDER BY cid";
        let mut statement = database.prepare(listed)?;
        let mut rows = statement.query([table])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            let (name, hidden): (String, i64) = (row.get(0)?, row.get(1)?);
            if hidden != 0 {
                return Err(refused(format!("the computed column `{name}`")));
            }
            found.push(name);
        }
        if found != columns {
            return Err(refused(format!("a table `{table}` of other columns")));
        }
    }
    Ok(tables)
}

fn is_virtual(sql: &str) -> bool {
    let mut words = sql.split_ascii_whitespace();
    words.next().is_some_and(|word| word.eq_ignore_ascii_case("create"))
        && words.next().is_some_and(|word| word.eq_ignore_ascii_case("virtual"))
}
