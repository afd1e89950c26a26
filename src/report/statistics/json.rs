//! For programs: one document.
//!
//! Version 1. Every key is always there; `null` means that the records do not say it. Times are
//! RFC 3339 in UTC, the starts of periods are dates. New keys may come within a version; a key that
//! changes its meaning makes a new one.
//!
//! ```text
//! {
//!   "version": 1,
//!   "store": "…", "filters": ["since …"],   what was asked for, in words
//!   "decisions": 12,                        the sum of `tally`
//!   "tally": {"allowed": 8, "warned": 1, "asked": 1, "denied": 2, "unrated": 0},
//!   "first": "…", "last": "…",
//!   "checks": 1,                            records that sum up a check of many files
//!   "redacted": 1,                          of the decisions
//!   "redacted_untold": 0,                   beside them: nobody can tell whether they fit
//!   "unreadable": {"count": 1, "lines": [7], "files": [null]},   or the name of a sealed file
//!   "grain": "day",                         or week, or month
//!   "periods": [{"start": "2024-05-31", "allowed": 8, …}],
//!   "rules": {"count": 1, "left_out": 0, "rows": [{
//!     "name": "no-eval", "allowed": 3, …,   unrated: objected, nobody knows how strictly
//!     "first": "…", "last": "…", "periods": […]
//!   }]},
//!   "paths": …, "sessions": …,              the same; at most 1,000 rows, the noisiest first
//!   "slowest": [{"ms": 12.5, "id": "…", "time": "…", "path": "…"}],
//!   "unresolved": {"count": 1, "left_out": 0, "asks": [{
//!     "id": "…", "time": "…", "hook": "pre-edit", "path": "…", "session": "…",
//!     "rules": ["…"], "times": 2            how often the same was asked
//!   }]}
//! }
//! ```

use super::period::{Period, date};
use super::table::{Row, Rows};
use super::tally::Tally;
use super::{Ask, Format, Look, Slow, Statistics};
use crate::domain::Utc;
use crate::report::escaped;
use serde_json::{Map, Value, json};
use std::io::{self, Write};

/// How many rows of a table, and how many open asks, are told.
const ROWS: usize = 1000;

/// One document.
pub struct Json;

impl Format for Json {
    fn name(&self) -> &'static str {
        "json"
    }

    fn write(&self, told: &Statistics, _: Look, out: &mut dyn Write) -> io::Result<()> {
        escaped::document(&document(told), out)
    }
}

fn document(told: &Statistics) -> Value {
    let (first, last) = told.times.unzip();
    json!({
        "version": 1,
        "store": told.store,
        "filters": told.filters,
        "decisions": told.tally.total(),
        "tally": told.tally,
        "first": time(first),
        "last": time(last),
        "checks": told.summaries,
        "redacted": told.redacted,
        "redacted_untold": told.untold,
        "unreadable": {
            "count": told.unreadable.count,
            "lines": told.unreadable.lines.iter().map(|spot| spot.line).collect::<Vec<_>>(),
            "files": told.unreadable.lines.iter().map(|spot| &spot.file).collect::<Vec<_>>(),
        },
        "grain": told.grain.word(),
        "periods": periods(&told.periods),
        "rules": rows(&told.rules),
        "paths": rows(&told.paths),
        "sessions": rows(&told.sessions),
        "slowest": told.slowest.iter().map(slow).collect::<Vec<_>>(),
        "unresolved": {
            "count": told.asks.len(),
            "left_out": told.asks_beyond,
            "asks": told.asks.iter().take(ROWS).map(ask).collect::<Vec<_>>(),
        },
    })
}

fn time(time: Option<Utc>) -> Value {
    time.map_or(Value::Null, |time| time.to_string().into())
}

fn text(text: &str) -> Value {
    if text.is_empty() { Value::Null } else { text.into() }
}

fn counts(tally: &Tally) -> Map<String, Value> {
    tally.parts().into_iter().map(|(word, count)| (word.to_owned(), count.into())).collect()
}

fn periods(periods: &[Period]) -> Vec<Value> {
    let period = |period: &Period| {
        let mut object = counts(&period.tally);
        object.insert("start".to_owned(), date(period.start).into());
        object.into()
    };
    periods.iter().map(period).collect()
}

fn rows(rows: &Rows) -> Value {
    let row = |row: &Row| {
        let (first, last) = row.times.unzip();
        let mut object = counts(&row.tally);
        object.insert("name".to_owned(), row.name.as_str().into());
        object.insert("first".to_owned(), time(first));
        object.insert("last".to_owned(), time(last));
        object.insert("periods".to_owned(), periods(&row.periods).into());
        Value::Object(object)
    };
    let told: Vec<Value> = rows.rows.iter().take(ROWS).map(row).collect();
    json!({"count": rows.rows.len(), "left_out": rows.beyond, "rows": told})
}

fn slow(slow: &Slow) -> Value {
    json!({
        "ms": slow.duration.as_secs_f64() * 1000.0,
        "id": slow.id,
        "time": time(slow.time),
        "path": text(&slow.path),
    })
}

fn ask(ask: &Ask) -> Value {
    json!({
        "id": ask.id,
        "time": time(ask.time),
        "hook": text(&ask.hook),
        "path": text(&ask.path),
        "session": text(&ask.session),
        "rules": ask.rules,
        "times": ask.times,
    })
}
