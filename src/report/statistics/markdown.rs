//! For a page or a comment: one sentence and short tables. Text from outside is escaped as in the
//! report on a check; what is left out is counted.

use super::period::date;
use super::table::Rows;
use super::tally::Tally;
use super::{Format, Look, Statistics};
use crate::domain::Utc;
use crate::report::markdown::{code, prose};
use std::io::{self, Write};

/// How many rows of a table, and how many periods, are told.
const ROWS: usize = 20;
const PERIODS: usize = 53;

/// The format for pages and comments.
pub struct Markdown;

impl Format for Markdown {
    fn name(&self) -> &'static str {
        "markdown"
    }

    fn write(&self, told: &Statistics, _: Look, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "**solvi-hook**: {}: {}", code(&told.store), told.summary())?;
        if let Some(span) = told.span() {
            write!(out, ", {span} (UTC)")?;
        }
        if told.tally.total() > 0 {
            write!(out, ": {}", told.tally)?;
        }
        writeln!(out, ".")?;
        if !told.filters.is_empty() {
            writeln!(out, "\nOnly {}.", prose(&told.filters.join(", ")))?;
        }
        periods(told, out)?;
        rows("Rules, the noisiest first", "rule", &told.rules, out)?;
        rows("Files", "file", &told.paths, out)?;
        rows("Sessions", "session", &told.sessions, out)?;
        slowest(told, out)?;
        asks(told, out)?;
        let notes = told.notes();
        if !notes.is_empty() {
            writeln!(out)?;
        }
        notes.iter().try_for_each(|note| writeln!(out, "- {}", prose(note)))
    }
}

fn head(title: &str, first: &str, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\n{title}:\n\n| {first} | allowed | warned | asked | denied | unrated |")?;
    writeln!(out, "|---|--:|--:|--:|--:|--:|")
}

fn row(name: &str, tally: &Tally, out: &mut dyn Write) -> io::Result<()> {
    let Tally { allowed, warned, asked, denied, unrated } = tally;
    writeln!(out, "| {name} | {allowed} | {warned} | {asked} | {denied} | {unrated} |")
}

fn periods(told: &Statistics, out: &mut dyn Write) -> io::Result<()> {
    let hidden = told.periods.len().saturating_sub(PERIODS);
    let shown = told.periods.get(hidden..).unwrap_or_default();
    if shown.is_empty() {
        return Ok(());
    }
    head("Over time", told.grain.word(), out)?;
    for period in shown {
        row(&date(period.start), &period.tally, out)?;
    }
    more(hidden, &format!("earlier {}s", told.grain.word()), out)
}

fn rows(title: &str, first: &str, rows: &Rows, out: &mut dyn Write) -> io::Result<()> {
    if rows.rows.is_empty() {
        return Ok(());
    }
    head(title, first, out)?;
    for told in rows.rows.iter().take(ROWS) {
        row(&code(&told.name), &told.tally, out)?;
    }
    more(rows.rows.len().saturating_sub(ROWS), "more", out)
}

fn slowest(told: &Statistics, out: &mut dyn Write) -> io::Result<()> {
    if told.slowest.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nSlowest decisions:\n\n| ms | time | record | file |\n|--:|---|---|---|")?;
    for slow in &told.slowest {
        let (ms, time) = (slow.duration.as_secs_f64() * 1000.0, when(slow.time));
        writeln!(out, "| {ms:.1} | {time} | {} | {} |", code(&slow.id), code(&slow.path))?;
    }
    Ok(())
}

fn asks(told: &Statistics, out: &mut dyn Write) -> io::Result<()> {
    if told.asks.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nAsked and not allowed since, nor answered in a record:\n")?;
    writeln!(out, "| times | time | record | file | rules |\n|--:|---|---|---|---|")?;
    for ask in told.asks.iter().take(ROWS) {
        let (times, time, rules) = (ask.times, when(ask.time), code(&ask.rules.join(", ")));
        let (id, path) = (code(&ask.id), code(&ask.path));
        writeln!(out, "| {times} | {time} | {id} | {path} | {rules} |")?;
    }
    more(told.asks.len().saturating_sub(ROWS), "more", out)
}

fn when(time: Option<Utc>) -> String {
    time.map_or_else(|| "-".to_owned(), |time| time.to_string())
}

fn more(count: usize, what: &str, out: &mut dyn Write) -> io::Result<()> {
    if count > 0 {
        writeln!(out, "\nand {count} {what}")?;
    }
    Ok(())
}
