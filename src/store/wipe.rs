//! How is the content of a record erased that stands in a database? In one transaction: its row is
//! put anew without the content, and the record that says so is added.
//!
//! What is deleted is overwritten in the file. The journal that is rolled back held it too, and is
//! deleted with the transaction, as the old file is when a file of lines is written anew.

use super::chain::{self, Entry, Tip};
use super::database::{self, Refusal, opening};
use super::erase::{EraseError, Erased, Erasure, erased};
use super::missing::{self, Loss};
use super::stored::Stored;
use super::tail::Doubt;
use rusqlite::{Transaction, TransactionBehavior, params};
use std::path::Path;
use std::time::Duration;

/// The length of an id; a longer name is a hash.
const ID: usize = 16;

/// How many ids are told of those that begin alike.
const ALIKE: i64 = 5;

/// Erases the content of a record in the database at a path.
pub(super) fn erase(
    path: &Path,
    erasure: &Erasure<'_>,
    patience: Duration,
) -> Result<Erased, EraseError> {
    done(path, erasure, patience).map_err(|trouble| match trouble {
        Trouble::Database(refusal) => database::refused("write to", path, patience, refusal).into(),
        Trouble::Erase(error) => error,
    })
}

enum Trouble {
    Database(Refusal),
    Erase(EraseError),
}

impl From<Refusal> for Trouble {
    fn from(refusal: Refusal) -> Self {
        Self::Database(refusal)
    }
}

impl From<rusqlite::Error> for Trouble {
    fn from(error: rusqlite::Error) -> Self {
        Self::Database(error.into())
    }
}

fn done(path: &Path, erasure: &Erasure<'_>, patience: Duration) -> Result<Erased, Trouble> {
    let (mut database, place) = opening::to_write(path, patience)?;
    database.pragma_update(None, "secure_delete", "ON")?;
    let transaction = database.transaction_with_behavior(TransactionBehavior::Immediate)?;
    opening::check_schema(&transaction, path)?;
    let (seq, record) = find(&transaction, erasure.id)?;
    let line = erased(&record, erasure).map_err(Trouble::Erase)?;
    for table in ["records", "answers", "safeguards", "models"] {
        transaction.execute(&format!("DELETE FROM {table} WHERE seq = ?1"), [seq])?;
    }
    database::insert(&transaction, line.trim_end())?;
    let (mut tip, doubt): (Tip, _) = database::end(&transaction)?;
    if let Some(Doubt::Lost { head }) = doubt {
        missing::keep(&place, &Loss { head, left: tip.count }).map_err(Refusal::from)?;
    }
    let mut noted = String::new();
    let note = chain::redaction(erasure.by, erasure.note, erasure.time, &record);
    let id = Entry::whole(note).place(&mut tip, &mut noted);
    database::insert(&transaction, noted.trim_end())?;
    database::put_head(&transaction, &tip)?;
    transaction.commit()?;
    Ok(Erased { id: record.id().to_owned(), noted: id })
}

/// Finds the record that is meant, and the number of its row.
fn find(transaction: &Transaction<'_>, name: &str) -> Result<(i64, Stored), Trouble> {
    let unknown = || Trouble::Erase(EraseError::Unknown(name.to_owned()));
    // No id holds a character behind `g`, so that this is every id with this beginning.
    let alike = r#"SELECT seq, body FROM records WHERE "id" >= ?1 AND "id" < ?1 || 'g'
                   ORDER BY "id" LIMIT ?2"#;
    let mut statement = transaction.prepare(alike)?;
    let begin = name.get(..ID).unwrap_or(name);
    let mut rows = statement.query(params![begin, ALIKE])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let record = row.get::<_, String>(1)?;
        let record = Stored::parse(record.as_bytes()).map_err(|_| unknown())?;
        if record.id().starts_with(name) || record.hash().starts_with(name) {
            found.push((row.get(0)?, record));
        }
    }
    if found.len() > 1 && found.iter().all(|(_, record)| record.id() != name) {
        let ids = found.iter().map(|(_, record)| record.id().to_owned()).collect();
        return Err(Trouble::Erase(EraseError::Many(ids)));
    }
    // The shortest of those that begin alike sorts first, and it is the name itself if any is.
    found.into_iter().next().filter(|_| !name.is_empty()).ok_or_else(unknown)
}
