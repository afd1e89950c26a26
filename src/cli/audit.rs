//! `audit`: would a stored decision, or a whole store of them, be the same under today's rules,
//! or under others?

mod all;
mod books;
mod one;

use super::defaults::{self, RulesSource};
use super::failure::Failure;
use super::verify;
use super::world::World;
use crate::domain::sanitize::visible;
use crate::store::find::{self, Found, Placed};
use crate::store::reader::Snapshot;
use crate::store::stored::{Kind, Stored};
use crate::store::utc::Utc;
use books::Books;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// Tell how a stored decision came about, and judge it once more by the rules of today
///
/// The change is made again from its record and judged by the project's rules, or by those of
/// `--rules`. With `--all` this is done with every decision of the store, and each verdict that
/// would be another is listed: so a change of the rules is tried on what agents really did. What
/// a record does not hold is not guessed; such a record is one that cannot be replayed, with the
/// reason. `audit` asks what the rules say; whether a store was tampered with is the question of
/// `verify`.
///
/// With `--json`, one object. For a decision: `id`, `verdict`, `reasons`, `added_lines`, `steps`
/// and `replay`, which holds `replayed`, `same`, `verdict` and `differences`. With `--all`:
/// `records`, `replayed`, `flip_count`, `flips` (the first 1,000), `by_rule`, `others`,
/// `not_replayed` and `unreadable`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    solvi-hook audit 131822ec\n  \
    solvi-hook audit --all --rules new-rules.toml --since 2026-11-01\n  \
    solvi-hook audit --all --json | jq .by_rule\n\n\
    Exit status: 0 nothing differs, 1 something does, 2 it could not be read or replayed.")]
pub struct Args {
    /// The decision's id, or the beginning of it [default: the newest decision about a file]
    #[arg(value_name = "ID")]
    id: Option<String>,
    /// The store [default: .solvi/traces/hooks.jsonl of the project]
    #[arg(value_name = "STORE")]
    store: Option<PathBuf>,
    /// Judge every decision of the store; STORE is then the first argument
    #[arg(long)]
    all: bool,
    /// The rules that judge [default: those of the project]
    #[arg(long, value_name = "PATH")]
    rules: Option<PathBuf>,
    /// Only decisions from this moment on: a date, a date with a time in UTC
    /// (2026-11-30T18:00:00Z), or seconds since 1970
    #[arg(long, value_name = "WHEN", value_parser = when, requires = "all")]
    since: Option<f64>,
    /// Only decisions before this moment
    #[arg(long, value_name = "WHEN", value_parser = when, requires = "all")]
    until: Option<f64>,
    /// How many records are judged at once [default: one for each processor]
    #[arg(long, value_name = "N", requires = "all")]
    jobs: Option<NonZeroUsize>,
    /// Write one JSON object
    #[arg(long)]
    json: bool,
    /// The project's folder [default: the repository that this folder is in]
    #[arg(long, value_name = "DIR", alias = "root")]
    project: Option<PathBuf>,
}

/// Runs the sub-command.
pub fn run(args: &Args, world: &World, out: &mut dyn Write) -> Result<u8, Failure> {
    let root = defaults::project(args.project.as_deref(), None, world);
    let (id, named) = match (args.all, &args.id, &args.store) {
        (true, Some(_), Some(_)) => {
            return Err(Failure::new("with `--all` no single decision is audited")
                .next("give either an id or `--all`"));
        }
        (true, Some(store), None) => (None, Some(Path::new(store))),
        (_, id, store) => (id.as_deref(), store.as_deref()),
    };
    let (path, name) = verify::store(named, &root, world)?;
    let snapshot = Snapshot::open(&path).map_err(|error| verify::unreadable(&name, error))?;
    let snapshot = snapshot.ok_or_else(|| verify::unreadable(&name, "there is no such file"))?;
    // A path on the command line is meant from where the person stands.
    let rules = args.rules.as_ref().map(|path| world.path(path));
    let mut books = Books::read(&RulesSource::find(rules.as_deref(), &root, world)?, &root)?;
    if let Some(rules) = &args.rules {
        books.name = rules.display().to_string();
    }
    if args.all {
        let span = all::Span { since: args.since, until: args.until };
        let tally = all::tally(snapshot, &books, span, args.jobs)
            .map_err(|error| verify::unreadable(&name, error))?;
        if args.json {
            writeln!(out, "{}", tally.object(&name, &books.name))?;
        } else {
            out.write_all(tally.text(&name, &books.name).as_bytes())?;
        }
        return Ok(u8::from(tally.differs()));
    }
    let placed = placed(snapshot, id, &name)?;
    let audit = one::Audit::of(&placed, &books);
    if args.json {
        writeln!(out, "{}", audit.object(&name))?;
    } else {
        out.write_all(audit.text().as_bytes())?;
    }
    Ok(audit.status())
}

/// Finds the decision that is meant.
fn placed(mut snapshot: Snapshot, id: Option<&str>, store: &str) -> Result<Box<Placed>, Failure> {
    let about_file = |record: &Stored| record.kind() == Kind::Decision && record.path().is_some();
    let found = match id {
        Some(id) => find::by_id(&mut snapshot.lines, id),
        None => find::last(&mut snapshot.lines, about_file),
    };
    match found.map_err(|error| verify::unreadable(store, error))? {
        Found::One(placed) => Ok(placed),
        Found::None => {
            let id = id.map_or("no decision about a file".to_owned(), |id| {
                format!("no record with an id that begins with `{}`", visible(id))
            });
            Err(Failure::new(format!("`{}` holds {id}", visible(store)))
                .next("see what it holds: `solvi-hook audit --all`"))
        }
        Found::Many(ids) => {
            let ids: Vec<_> = ids.iter().map(|id| visible(id).into_owned()).collect();
            Err(Failure::new("more than one id begins like that")
                .because(ids.join(", "))
                .next("give more of the id"))
        }
    }
}

/// Reads a moment: `YYYY-MM-DD`, `YYYY-MM-DDTHH:MM[:SS]Z`, or seconds since the Unix epoch.
fn when(text: &str) -> Result<f64, String> {
    let wrong = || "write 2026-11-30, 2026-11-30T18:00:00Z, or seconds since 1970".to_owned();
    if let Ok(seconds) = text.parse::<f64>() {
        return Utc::from_seconds(seconds).map(|_| seconds).ok_or_else(wrong);
    }
    let (date, time) = text.split_once(['T', ' ']).unwrap_or((text, "00:00:00"));
    let numbers = |text: &str, by: char| -> Option<Vec<i64>> {
        text.split(by).map(|part| part.parse::<u16>().ok().map(i64::from)).collect()
    };
    let day = match numbers(date, '-').ok_or_else(wrong)?[..] {
        [year, month, day] => Utc::of_date(year, month, day).ok_or_else(wrong)?,
        _ => return Err(wrong()),
    };
    let seconds = match numbers(time.strip_suffix('Z').unwrap_or(time), ':').ok_or_else(wrong)?[..]
    {
        [hour @ 0..24, minute @ 0..60] => hour * 3600 + minute * 60,
        [hour @ 0..24, minute @ 0..60, second @ 0..60] => hour * 3600 + minute * 60 + second,
        _ => return Err(wrong()),
    };
    #[expect(clippy::cast_precision_loss, reason = "seconds of the years 1 to 9999 are exact")]
    let seconds = (day.seconds() + seconds) as f64;
    Ok(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_a_date_a_time_or_a_number() {
        let table = [
            ("1970-01-02", 86_400.0),
            ("1970-01-01T01:02:03Z", 3_723.0),
            ("1970-01-01 00:01", 60.0),
            ("1.5", 1.5),
        ];
        for (text, seconds) in table {
            assert_eq!(when(text), Ok(seconds), "{text}");
        }
        for wrong in ["", "2026-13-01", "2026-02-30", "1970-01-01T25:00Z", "nan", "tomorrow"] {
            assert!(when(wrong).is_err(), "{wrong}");
        }
    }
}
