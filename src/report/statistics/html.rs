//! For a browser: one page that needs nothing beside itself, neither network nor script. Its chart
//! is SVG, its colours follow the reader's choice of light or dark, and its policy forbids
//! whatever it does not hold. Text from outside is escaped, also what cannot be seen.

use super::bars::cells;
use super::period::{Period, date};
use super::table::Rows;
use super::tally::Tally;
use super::{Format, Look, Statistics};
use crate::domain::Utc;
use crate::domain::sanitize::visible;
use std::io::{self, Write};

/// How many rows of a table are told.
const ROWS: usize = 50;

/// How many periods the chart shows, the newest.
const PERIODS: usize = 120;

/// The sizes of the chart: of all of it, and of the bars in it.
const WIDTH: u64 = 960;
const HEIGHT: u64 = 220;
const BARS: u64 = 180;

/// How broad a bar becomes.
const WIDEST: u64 = 48;

/// The sizes of the small chart of a row.
const SMALL: (u64, u64) = (120, 16);

const STYLE: &str = include_str!("page.css");

/// One page.
pub struct Html;

impl Format for Html {
    fn name(&self) -> &'static str {
        "html"
    }

    fn write(&self, told: &Statistics, _: Look, out: &mut dyn Write) -> io::Result<()> {
        let store = escaped(&told.store);
        writeln!(
            out,
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" \
             content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
             <meta name=\"viewport\" content=\"width=device-width\">\n\
             <title>solvi-hook: {store}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
             <h1>{store}</h1>"
        )?;
        write!(out, "<p>{}", escaped(&told.summary()))?;
        if let Some(span) = told.span() {
            write!(out, ", {span}")?;
        }
        if told.tally.total() > 0 {
            write!(out, ": {}", told.tally)?;
        }
        writeln!(out, ". Times are UTC.</p>")?;
        if !told.filters.is_empty() {
            writeln!(out, "<p>Only {}.</p>", escaped(&told.filters.join(", ")))?;
        }
        for note in told.notes() {
            writeln!(out, "<p class=\"faint\">{}.</p>", escaped(&note))?;
        }
        let hidden = told.periods.len().saturating_sub(PERIODS);
        let periods = told.periods.get(hidden..).unwrap_or_default();
        chart(told, periods, out)?;
        rows("Rules, the noisiest first", "rule", &told.rules, periods, out)?;
        rows("Files", "file", &told.paths, periods, out)?;
        rows("Sessions", "session", &told.sessions, periods, out)?;
        slowest(told, out)?;
        asks(told, out)?;
        writeln!(out, "</body>\n</html>")
    }
}

fn chart(told: &Statistics, periods: &[Period], out: &mut dyn Write) -> io::Result<()> {
    let (Some(first), Some(last)) = (periods.first(), periods.last()) else { return Ok(()) };
    let largest = largest(periods);
    let word = told.grain.word();
    writeln!(
        out,
        "<figure>\n<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
         aria-label=\"Decisions per {word}\">\n\
         <line class=\"axis\" x1=\"0\" x2=\"{WIDTH}\" y1=\"{y}\" y2=\"{y}\"/>\n\
         <text x=\"0\" y=\"12\">{largest}</text>",
        y = BARS + 20,
    )?;
    bars(periods, largest, (WIDTH, BARS), 20, out)?;
    let (y, first, last) = (HEIGHT - 4, date(first.start), date(last.start));
    writeln!(out, "<text x=\"0\" y=\"{y}\">{first}</text>")?;
    if periods.len() > 1 {
        writeln!(out, "<text x=\"{WIDTH}\" y=\"{y}\" text-anchor=\"end\">{last}</text>")?;
    }
    write!(out, "</svg>\n<figcaption>Decisions per {word}: ")?;
    for (word, _) in told.tally.parts().into_iter().filter(|(word, _)| *word != "unrated") {
        write!(out, "<span class=\"key {word}\">{word}</span>")?;
    }
    if told.periods.len() > periods.len() {
        write!(out, "; {} earlier are not shown", told.periods.len() - periods.len())?;
    }
    writeln!(out, "</figcaption>\n</figure>")
}

fn largest(periods: &[Period]) -> u64 {
    periods.iter().map(|period| period.tally.total()).max().unwrap_or_default()
}

/// Draws a stacked bar for each period, the strictest at the bottom.
fn bars(
    periods: &[Period],
    largest: u64,
    (width, height): (u64, u64),
    top: u64,
    out: &mut dyn Write,
) -> io::Result<()> {
    // Few periods make no broad blocks, many keep a gap where there is room for one.
    let step = (width / (periods.len() as u64).max(1)).max(1);
    let wide = if step > 2 { step - step.div_ceil(6) } else { step };
    let wide = wide.min(WIDEST);
    for (number, period) in (0..).zip(periods) {
        let x = number * step + (step - wide) / 2;
        if period.tally.total() == 0 {
            continue;
        }
        write!(out, "<g><title>{}: {}</title>", date(period.start), period.tally)?;
        let mut y = top + height;
        for (word, tall) in cells(&period.tally, largest, height) {
            y -= tall;
            if tall > 0 {
                write!(
                    out,
                    "<rect class=\"{word}\" x=\"{x}\" y=\"{y}\" width=\"{wide}\" \
                     height=\"{tall}\"/>"
                )?;
            }
        }
        writeln!(out, "</g>")?;
    }
    Ok(())
}

fn rows(
    title: &str,
    first: &str,
    rows: &Rows,
    periods: &[Period],
    out: &mut dyn Write,
) -> io::Result<()> {
    if rows.rows.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "<h2>{title}</h2>\n<table>\n<tr><th>{first}</th><th>allowed</th><th>warned</th>\
         <th>asked</th><th>denied</th><th>unrated</th><th>over time</th></tr>"
    )?;
    for row in rows.rows.iter().take(ROWS) {
        let Tally { allowed, warned, asked, denied, unrated } = row.tally;
        write!(
            out,
            "<tr><td><code>{}</code></td><td>{allowed}</td><td>{warned}</td><td>{asked}</td>\
             <td>{denied}</td><td>{unrated}</td><td>",
            escaped(&row.name)
        )?;
        small(&row.periods, periods, out)?;
        writeln!(out, "</td></tr>")?;
    }
    writeln!(out, "</table>")?;
    more(rows.rows.len().saturating_sub(ROWS), out)
}

/// Draws the small chart of a row, on the time of the large one.
fn small(own: &[Period], periods: &[Period], out: &mut dyn Write) -> io::Result<()> {
    let (width, height) = SMALL;
    let tally = |start| own.iter().find(|own| own.start == start).map(|own| own.tally);
    let all = periods.iter().map(|period| Period {
        start: period.start,
        tally: tally(period.start).unwrap_or_default(),
    });
    let all: Vec<Period> = all.collect();
    write!(out, "<svg viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"over time\">")?;
    bars(&all, largest(&all), SMALL, 0, out)?;
    write!(out, "</svg>")
}

fn slowest(told: &Statistics, out: &mut dyn Write) -> io::Result<()> {
    if told.slowest.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "<h2>Slowest decisions</h2>\n<table>\n<tr><th>record</th><th>ms</th>\
         <th class=\"left\">time</th><th class=\"left\">file</th></tr>"
    )?;
    for slow in &told.slowest {
        writeln!(
            out,
            "<tr><td><code>{}</code></td><td>{:.1}</td><td class=\"left\">{}</td>\
             <td class=\"left\"><code>{}</code></td></tr>",
            escaped(&slow.id),
            slow.duration.as_secs_f64() * 1000.0,
            when(slow.time),
            escaped(&slow.path)
        )?;
    }
    writeln!(out, "</table>")
}

fn asks(told: &Statistics, out: &mut dyn Write) -> io::Result<()> {
    if told.asks.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "<h2>Asked and not allowed since, nor answered in a record</h2>\n<table>\n\
         <tr><th>record</th><th>times</th><th class=\"left\">time</th><th class=\"left\">file</th>\
         <th class=\"left\">rules</th></tr>"
    )?;
    for ask in told.asks.iter().take(ROWS) {
        writeln!(
            out,
            "<tr><td><code>{}</code></td><td>{}</td><td class=\"left\">{}</td>\
             <td class=\"left\"><code>{}</code></td><td class=\"left\">{}</td></tr>",
            escaped(&ask.id),
            ask.times,
            when(ask.time),
            escaped(&ask.path),
            escaped(&ask.rules.join(", "))
        )?;
    }
    writeln!(out, "</table>")?;
    more(told.asks.len().saturating_sub(ROWS), out)
}

fn when(time: Option<Utc>) -> String {
    time.map_or_else(|| "-".to_owned(), |time| time.to_string())
}

fn more(count: usize, out: &mut dyn Write) -> io::Result<()> {
    if count > 0 {
        writeln!(out, "<p class=\"faint\">and {count} more</p>")?;
    }
    Ok(())
}

/// Writes text so that it is nothing but text, between tags and between quotes.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in visible(text).chars() {
        match char {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            char => out.push(char),
        }
    }
    out
}
