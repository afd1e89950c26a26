//! A store in one `SQLite` file: the same records, the same chain, found by index.
//!
//! The tables are those of the reference program, so that both read and continue each other's
//! files; `body` holds a record's line as a file of lines would hold it, and `meta` holds the head.
//! An append is one transaction, so that records and head agree whatever happens.
//!
//! The journal is the one that is rolled back, not the write-ahead log: a hook is a process that
//! opens the file, writes once and closes it, and the last one to close would write the log back
//! each time. So the store stays one file, also where many have it open, and on file systems
//! without shared memory.

pub(super) mod columns;
pub(super) mod opening;

use super::canonical;
use super::chain::{Entry, Tip, is_hash};
use super::missing::{self, Loss};
use super::owned_path::OwnedPath;
use super::tail::Doubt;
use super::traces::{Appended, Found, StoreError};
use columns::Row;
use rusqlite::{
    Connection, OptionalExtension, Transaction, TransactionBehavior, params, params_from_iter,
};
use serde_json::json;
use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::path::Path;
use std::time::Duration;

/// What the file of a database begins with.
pub const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// How many records are read at once.
const PIECE: i64 = 64;

/// How long a reader waits for a writer.
const PATIENCE: Duration = Duration::from_secs(1);

const TABLES: &str = r#"
    CREATE TABLE IF NOT EXISTS records (
        seq INTEGER PRIMARY KEY, "id" TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, "time" REAL NOT NULL,
        init_hash TEXT, "catalog" TEXT, prev TEXT NOT NULL, hash TEXT NOT NULL, body TEXT NOT NULL);
    CREATE INDEX IF NOT EXISTS records_time ON records("time");
    CREATE INDEX IF NOT EXISTS records_catalog ON records("catalog");
    CREATE INDEX IF NOT EXISTS records_init ON records(init_hash);
    CREATE TABLE IF NOT EXISTS answers (
        seq INTEGER NOT NULL, question TEXT NOT NULL, answer TEXT NOT NULL, status TEXT NOT NULL,
        guard TEXT);
    CREATE INDEX IF NOT EXISTS answers_question ON answers(question, answer);
    CREATE INDEX IF NOT EXISTS answers_answer ON answers(answer);
    CREATE INDEX IF NOT EXISTS answers_seq ON answers(seq);
    CREATE TABLE IF NOT EXISTS safeguards (
        seq INTEGER NOT NULL, kind TEXT NOT NULL, fact TEXT NOT NULL, question TEXT);
    CREATE INDEX IF NOT EXISTS safeguards_kind ON safeguards(kind, question);
    CREATE INDEX IF NOT EXISTS safeguards_seq ON safeguards(seq);
    CREATE TABLE IF NOT EXISTS models (seq INTEGER NOT NULL, fp TEXT, "id" TEXT, "type" TEXT);
    CREATE INDEX IF NOT EXISTS models_fp ON models(fp);
    CREATE INDEX IF NOT EXISTS models_id ON models("id");
    CREATE INDEX IF NOT EXISTS models_seq ON models(seq);
    CREATE TABLE IF NOT EXISTS meta ("key" TEXT PRIMARY KEY, "value" TEXT NOT NULL);
"#;

/// Why a database could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// The database says no.
    #[error(transparent)]
    Database(#[from] rusqlite::Error),
    /// The system says no.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A record is none.
    #[error(transparent)]
    Record(#[from] serde_json::Error),
    /// A file is not one of ours, or holds what none of ours does.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Tells whether a file is a database, by its beginning; the file then stands where it stood.
pub fn begins(file: &mut File) -> io::Result<bool> {
    let mut begin = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.take(MAGIC.len() as u64).read_to_end(&mut begin)?;
    file.seek(SeekFrom::Start(0))?;
    Ok(begin == MAGIC)
}

/// Appends records to the database at a path, in one piece.
pub fn append(path: &Path, entries: &[Entry], patience: Duration) -> Result<Appended, StoreError> {
    written(path, entries, patience).map_err(|refusal| refused("write to", path, patience, refusal))
}

fn written(path: &Path, entries: &[Entry], patience: Duration) -> Result<Appended, Refusal> {
    let (mut database, place) = opening::to_write(path, patience)?;
    let transaction = database.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if opening::check_schema(&transaction, path)? == 0 {
        transaction.execute_batch(TABLES)?;
    }
    let (mut tip, doubt) = end(&transaction)?;
    let found = match doubt {
        Some(Doubt::Lost { head }) => {
            let loss = Loss { head, left: tip.count };
            missing::keep(&place, &loss)?;
            Some(Found::Lost(loss))
        }
        Some(Doubt::Forged) => Some(Found::Forged),
        Some(Doubt::Unwitnessed) | None => None,
    };
    let mut lines = String::new();
    let ids = entries.iter().map(|entry| entry.place(&mut tip, &mut lines)).collect();
    for line in lines.split('\n').filter(|line| !line.is_empty()) {
        insert(&transaction, line)?;
    }
    put_head(&transaction, &tip)?;
    transaction.commit()?;
    Ok(Appended { ids, found })
}

/// Writes the new head.
pub(super) fn put_head(transaction: &Transaction<'_>, tip: &Tip) -> Result<(), rusqlite::Error> {
    let head = canonical::spaced(&json!({"count": tip.count, "hash": tip.hash}));
    let put = r#"INSERT OR REPLACE INTO meta("key", "value") VALUES ('head', ?1)"#;
    transaction.execute(put, [head]).map(drop)
}

/// Returns the end of the chain, and what the head says if that is not there.
pub(super) fn end(database: &Connection) -> Result<(Tip, Option<Doubt>), Refusal> {
    let last = "SELECT seq, hash FROM records ORDER BY seq DESC LIMIT 1";
    let last = database.query_row(last, [], |row| Ok((row.get::<_, i64>(0)?, row.get(1)?)));
    let tip = match last.optional()? {
        None => Tip::default(),
        Some((seq, hash)) => {
            let count = u64::try_from(seq).ok().and_then(|seq| seq.checked_add(1));
            let hash: String = hash;
            // It goes into the next record, and so may be no other text.
            let count = count.filter(|_| is_hash(&hash)).ok_or_else(|| {
                let what = "its last record has no place or no hash";
                Refusal::Io(io::Error::new(io::ErrorKind::InvalidData, what))
            })?;
            Tip { count, hash }
        }
    };
    let head = match head(database)?.map(|head| serde_json::from_str::<Tip>(&head)) {
        None => None,
        Some(Ok(head)) => Some(head),
        Some(Err(_)) => return Ok((tip, Some(Doubt::Forged))),
    };
    let Some(head) = head.filter(|head| head.count > 0 && *head != tip) else {
        return Ok((tip, None));
    };
    let there = "SELECT 1 FROM records WHERE seq = ?1 AND hash = ?2";
    let place = i64::try_from(head.count - 1).unwrap_or(i64::MAX);
    let there = database.query_row(there, params![place, head.hash], |_| Ok(())).optional()?;
    Ok((tip, there.is_none().then_some(Doubt::Lost { head })))
}

fn head(database: &Connection) -> Result<Option<String>, rusqlite::Error> {
    let head = r#"SELECT "value" FROM meta WHERE "key" = 'head'"#;
    database.query_row(head, [], |row| row.get(0)).optional()
}

/// Puts the record of a line into its tables.
pub(super) fn insert(transaction: &Transaction<'_>, line: &str) -> Result<(), Refusal> {
    for Row { table, cells } in columns::of_line(line)? {
        let (names, places) = columns::names(table);
        let sql = format!("INSERT INTO {table}({names}) VALUES ({places})");
        transaction.prepare(&sql)?.execute(params_from_iter(cells))?;
    }
    Ok(())
}

pub(super) fn refused(
    act: &'static str,
    path: &Path,
    patience: Duration,
    refusal: Refusal,
) -> StoreError {
    use rusqlite::ErrorCode::{DatabaseBusy, DatabaseLocked};

    let path = path.to_owned();
    match refusal {
        Refusal::Database(error)
            if matches!(error.sqlite_error_code(), Some(DatabaseBusy | DatabaseLocked)) =>
        {
            StoreError::Locked { path, patience }
        }
        Refusal::Io(source) => StoreError::Io { act, path, source },
        Refusal::Store(error) => error,
        other => StoreError::Io { act, path, source: io::Error::other(other) },
    }
}

/// The lines of a database, as they were when it was opened: each record's, in order.
#[derive(Debug)]
pub struct Rows {
    database: Connection,
    // No record before this one is wanted.
    first: i64,
    // Those from the first on and before the second are still to be read.
    next: i64,
    end: i64,
    newest_first: bool,
    piece: Cursor<Vec<u8>>,
}

impl Rows {
    /// Opens the database at a path; returns the lines, what the head says, and how many bytes
    /// the file has.
    pub fn open(path: &Path) -> Result<(Self, Option<Vec<u8>>, u64), StoreError> {
        let refused = |refusal| refused("read", path, PATIENCE, refusal);
        let (rows, head, place) = Self::opened(path).map_err(refused)?;
        let file = place.folder.read(&place.name)?;
        let length = file.and_then(|file| file.metadata().ok()).map_or(0, |there| there.len());
        Ok((rows, head, length))
    }

    fn opened(path: &Path) -> Result<(Self, Option<Vec<u8>>, OwnedPath), Refusal> {
        let (mut database, place) = opening::to_read(path, PATIENCE)?;
        let (end, head) = {
            // One transaction, so that both are of one moment.
            let moment = database.transaction()?;
            opening::check_schema(&moment, path)?;
            let end = "SELECT coalesce(max(seq), -1) + 1 FROM records";
            (moment.query_row(end, [], |row| row.get(0))?, head(&moment)?)
        };
        let (newest_first, piece) = (false, Cursor::default());
        let first = i64::MIN;
        let rows = Self { database, first, next: first, end, newest_first, piece };
        Ok((rows, head.map(String::into_bytes), place))
    }

    /// Begins anew, at the end: the newest record comes first.
    #[must_use]
    pub fn newest_first(self) -> Self {
        Self { next: self.first, newest_first: true, piece: Cursor::default(), ..self }
    }

    /// Passes over the records before the first and behind the last one of a time, which is found
    /// by index; nothing may have been read yet. Times are seconds since the Unix epoch, and a
    /// record between those two may have another.
    pub fn within(&mut self, since: Option<f64>, until: Option<f64>) -> io::Result<()> {
        let ask = |sql: &str, time: f64| {
            let found = self.database.query_row(sql, [time], |row| row.get::<_, Option<i64>>(0));
            found.map_err(io::Error::other)
        };
        if let Some(since) = since {
            let first = ask(r#"SELECT min(seq) FROM records WHERE "time" >= ?1"#, since)?;
            self.first = first.unwrap_or(self.end);
        }
        if let Some(until) = until {
            let last = ask(r#"SELECT max(seq) FROM records WHERE "time" <= ?1"#, until)?;
            self.end = self.end.min(last.map_or(i64::MIN, |last| last.saturating_add(1)));
        }
        self.next = self.first;
        Ok(())
    }

    /// Reads some more lines; none are left when there are none.
    fn refill(&mut self) -> Result<(), rusqlite::Error> {
        let more = if self.newest_first {
            "SELECT seq, body FROM records WHERE seq >= ?1 AND seq < ?2 ORDER BY seq DESC LIMIT ?3"
        } else {
            "SELECT seq, body FROM records WHERE seq >= ?1 AND seq < ?2 ORDER BY seq LIMIT ?3"
        };
        let mut statement = self.database.prepare(more)?;
        let mut rows = statement.query(params![self.next, self.end, PIECE])?;
        let mut piece = Vec::new();
        while let Some(row) = rows.next()? {
            let seq: i64 = row.get(0)?;
            if self.newest_first {
                self.end = seq;
            } else {
                self.next = seq.saturating_add(1);
            }
            piece.extend_from_slice(row.get_ref(1)?.as_bytes()?);
            piece.push(b'\n');
        }
        self.piece = Cursor::new(piece);
        Ok(())
    }
}

impl Read for Rows {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.piece.read(into)?;
        if read > 0 || into.is_empty() {
            return Ok(read);
        }
        self.refill().map_err(io::Error::other)?;
        self.piece.read(into)
    }
}

/// Returns the line of the record whose id begins so, found by index; none when there is none.
pub fn by_id(path: &Path, id: &str) -> Result<Option<Vec<u8>>, StoreError> {
    let found = || -> Result<Option<Vec<u8>>, Refusal> {
        let (rows, ..) = Rows::opened(path)?;
        // No id holds a character behind `g`, so that this is every id with this beginning.
        let by = r#"SELECT body FROM records WHERE "id" >= ?1 AND "id" < ?1 || 'g' LIMIT 1"#;
        let body = rows.database.query_row(by, [id], |row| row.get::<_, String>(0)).optional()?;
        Ok(body.map(String::into_bytes))
    };
    found().map_err(|refusal| refused("read", path, PATIENCE, refusal))
}

/// Looks at the records of the database at a path, the newest first, until something is found in
/// one or `most` bytes were read; there is nothing to be found where there is no such file.
pub(super) fn newest<T>(
    path: &Path,
    most: u64,
    mut look: impl FnMut(&str) -> Option<T>,
) -> Result<Option<T>, StoreError> {
    if !path.exists() {
        return Ok(None);
    }
    let mut found = || -> Result<Option<T>, Refusal> {
        let (rows, ..) = Rows::opened(path)?;
        let mut statement = rows.database.prepare("SELECT body FROM records ORDER BY seq DESC")?;
        let (mut rows, mut read) = (statement.query([])?, 0);
        while let Some(row) = rows.next()?.filter(|_| read < most) {
            let body: String = row.get(0)?;
            read += body.len() as u64;
            if let Some(found) = look(&body) {
                return Ok(Some(found));
            }
        }
        Ok(None)
    };
    found().map_err(|refusal| refused("read", path, PATIENCE, refusal))
}

/// The end of a database.
pub(super) struct LastRow {
    pub tip: Tip,
    // The line of the last record, and what the head says.
    pub body: Option<Vec<u8>>,
    pub head: Option<Vec<u8>>,
}

/// Returns the end of a database.
pub(super) fn last(path: &Path) -> Result<LastRow, StoreError> {
    let found = || -> Result<_, Refusal> {
        let (rows, head, _) = Rows::opened(path)?;
        let (tip, _) = end(&rows.database)?;
        let body = "SELECT body FROM records ORDER BY seq DESC LIMIT 1";
        let body = rows.database.query_row(body, [], |row| row.get::<_, String>(0)).optional()?;
        Ok(LastRow { tip, body: body.map(String::into_bytes), head })
    };
    found().map_err(|refusal| refused("read", path, PATIENCE, refusal))
}

#[cfg(test)]
mod tests;
