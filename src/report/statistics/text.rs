//! For a person at a terminal: short tables, and there a small bar for each period. Only the
//! newest periods and the first rows of each table are shown; what is left out is counted.

use super::bars::cells;
use super::period::date;
use super::table::Rows;
use super::tally::Tally;
use super::{Format, Look, Statistics};
use crate::domain::sanitize::{excerpt, visible};
use crate::report::Style;
use std::io::{self, Write};

/// How many rows of a table, and how many periods, are shown.
const ROWS: usize = 10;
const PERIODS: usize = 31;

/// How long the longest bar is.
const WIDTH: u64 = 24;

/// What stands for a part in a bar: its sign, and its colour on a terminal.
const PAINT: [(&str, char, &str); 5] = [
    ("denied", '█', "\u{1b}[31m"),
    ("asked", '▓', "\u{1b}[35m"),
    ("unrated", '▓', "\u{1b}[36m"),
    ("warned", '▒', "\u{1b}[33m"),
    ("allowed", '░', "\u{1b}[32m"),
];
const END: &str = "\u{1b}[0m";

/// The text format.
pub struct Text;

impl Format for Text {
    fn name(&self) -> &'static str {
        "text"
    }

    fn write(&self, told: &Statistics, look: Look, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "{}: {}", visible(&told.store), told.summary())?;
        if let Some(span) = told.span() {
            write!(out, ", {span} (times are UTC)")?;
        }
        writeln!(out)?;
        if !told.filters.is_empty() {
            writeln!(out, "only {}", visible(&told.filters.join(", ")))?;
        }
        if told.tally.total() > 0 {
            writeln!(out, "{}", told.tally)?;
            periods(told, look, out)?;
            rows("rules, the noisiest first", &told.rules, out)?;
            rows("files", &told.paths, out)?;
            rows("sessions", &told.sessions, out)?;
            slowest(told, out)?;
            asks(told, out)?;
        }
        let notes = told.notes();
        if !notes.is_empty() {
            writeln!(out)?;
        }
        notes.iter().try_for_each(|note| writeln!(out, "note: {note}"))
    }
}

fn head(first: &str, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\n{:>8} {:>8} {:>8} {:>8}  {first}", "allowed", "warned", "asked", "denied")
}

fn counts(tally: &Tally, out: &mut dyn Write) -> io::Result<()> {
    let Tally { allowed, warned, asked, denied, .. } = tally;
    write!(out, "{allowed:>8} {warned:>8} {asked:>8} {denied:>8}  ")
}

fn periods(told: &Statistics, look: Look, out: &mut dyn Write) -> io::Result<()> {
    let hidden = told.periods.len().saturating_sub(PERIODS);
    let shown = told.periods.get(hidden..).unwrap_or_default();
    if shown.is_empty() {
        return Ok(());
    }
    let largest = shown.iter().map(|period| period.tally.total()).max().unwrap_or_default();
    head(told.grain.word(), out)?;
    for period in shown {
        counts(&period.tally, out)?;
        write!(out, "{}", date(period.start))?;
        if look.bars && period.tally.total() > 0 {
            write!(out, "  {}", bar(&period.tally, largest, look.style))?;
        }
        writeln!(out)?;
    }
    if look.bars {
        let sign = |(word, sign, _): &(&str, char, &str)| format!("{sign} {word}");
        let legend = PAINT.iter().filter(|(word, ..)| *word != "unrated").map(sign);
        let legend: Vec<String> = legend.collect();
        writeln!(out, "{:49}{}", "", legend.join("  "))?;
    }
    more(hidden, &format!("earlier {}s", told.grain.word()), out)
}

fn bar(tally: &Tally, largest: u64, style: Style) -> String {
    let mut bar = String::new();
    for (word, cells) in cells(tally, largest, WIDTH) {
        let Some((_, sign, colour)) = PAINT.iter().find(|(part, ..)| *part == word) else {
            continue;
        };
        let length = usize::try_from(cells).unwrap_or_default();
        let part = sign.to_string().repeat(length);
        match style {
            _ if part.is_empty() => {}
            Style::Plain => bar.push_str(&part),
            Style::Coloured => bar.extend([colour, part.as_str(), END]),
        }
    }
    bar
}

fn rows(title: &str, rows: &Rows, out: &mut dyn Write) -> io::Result<()> {
    if rows.rows.is_empty() {
        return Ok(());
    }
    head(title, out)?;
    for row in rows.rows.iter().take(ROWS) {
        counts(&row.tally, out)?;
        write!(out, "{}", excerpt(&row.name))?;
        if row.tally.unrated > 0 {
            write!(out, " (and {} unrated)", row.tally.unrated)?;
        }
        writeln!(out)?;
    }
    more(rows.rows.len().saturating_sub(ROWS), "more", out)
}

fn slowest(told: &Statistics, out: &mut dyn Write) -> io::Result<()> {
    if told.slowest.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n      ms  slowest decisions")?;
    for slow in &told.slowest {
        let (ms, time) = (slow.duration.as_secs_f64() * 1000.0, when(slow.time));
        writeln!(out, "{ms:>8.1}  {time}  {}  {}", visible(&slow.id), excerpt(&slow.path))?;
    }
    Ok(())
}

fn asks(told: &Statistics, out: &mut dyn Write) -> io::Result<()> {
    if told.asks.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n   times  asked and not allowed since, nor answered in a record")?;
    for ask in told.asks.iter().take(ROWS) {
        let (times, time, rules) = (ask.times, when(ask.time), excerpt(&ask.rules.join(", ")));
        let (id, path) = (visible(&ask.id), excerpt(&ask.path));
        writeln!(out, "{times:>8}  {time}  {id}  {path}  {rules}")?;
    }
    more(told.asks.len().saturating_sub(ROWS), "more", out)
}

fn when(time: Option<crate::domain::Utc>) -> String {
    time.map_or_else(|| format!("{:20}", "-"), |time| time.to_string())
}

fn more(count: usize, what: &str, out: &mut dyn Write) -> io::Result<()> {
    if count > 0 {
        writeln!(out, "and {count} {what}")?;
    }
    Ok(())
}
