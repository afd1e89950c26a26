//! For a comment on a pull request: one sentence, a table of findings, what was not checked.
//!
//! Short, because hosts refuse a comment that is too long (GitHub: 65,536 characters): at most
//! [`ROWS`] findings, the strictest first whatever their path, with at most [`LINES`] lines each
//! and texts of at most [`WORDS`] characters; what is left out is counted. Text from outside is
//! escaped so that it is text: it makes no markup, calls nobody by `@` and names no issue by `#`.

use super::Format;
use super::rows::{Row, one_line, rows};
use super::subject::Subject;
use crate::domain::sanitize::excerpt;
use crate::domain::wording::{self, LINES};
use std::cmp::Reverse;
use std::fmt::Write as _;
use std::io::{self, Write};

/// How many findings, and how many entries of any other list, are told.
const ROWS: usize = 40;

/// How many characters of a text are told.
const WORDS: usize = 300;

/// The format for comments.
pub struct Markdown;

impl Format for Markdown {
    fn name(&self) -> &'static str {
        "markdown"
    }

    fn write(&self, subject: &Subject<'_>, out: &mut dyn Write) -> io::Result<()> {
        let title = prose(subject.title);
        writeln!(out, "**solvi-hook**: {title}: {}.", subject.summary())?;
        let mut rows = rows(subject);
        rows.sort_by_key(|row| Reverse(row.finding.verdict));
        if !rows.is_empty() {
            writeln!(out, "\n| | rule | where | why |\n|---|---|---|---|")?;
        }
        for row in rows.iter().take(ROWS) {
            let (word, rule) = (row.finding.verdict.word(), code(&row.finding.rule));
            writeln!(out, "| **{word}** | {rule} | {} | {} |", places(row), reasons(row))?;
        }
        if let more @ 1.. = rows.len().saturating_sub(ROWS) {
            writeln!(out, "\nand {more} more findings")?;
        }
        let troubles = subject.decision.troubles.iter().map(|text| prose(text));
        list("Could not be judged", troubles, out)?;
        let files = subject.not_checked.iter();
        let files =
            files.map(|file| format!("{}: {}", code(&file.place.shown()), prose(&file.why)));
        list("Not checked", files, out)?;
        list("Notes", subject.notes.iter().map(|text| prose(text)), out)?;
        if subject.rule_sets.is_empty() {
            return Ok(());
        }
        writeln!(out, "\nRules: {}", code(&subject.rule_sets()))
    }
}

fn places(row: &Row<'_>) -> String {
    let mut parts = vec![code(&row.place().shown())];
    for spot in row.finding.spots.iter().filter(|spot| spot.line > 0).take(LINES) {
        let suffix = row.ruling.change.numbering.suffix();
        let mut part = format!("line {}{suffix}", spot.line);
        if !spot.text.is_empty() {
            part.push_str(": ");
            part.push_str(&code(&spot.text));
        }
        parts.push(part);
    }
    if let more @ 1.. = row.finding.spots.len().saturating_sub(LINES) {
        parts.push(format!("and {more} more"));
    }
    parts.join("<br>")
}

fn reasons(row: &Row<'_>) -> String {
    let mut parts = vec![prose(&row.headline())];
    let whole = row.finding.spots.iter().filter(|spot| spot.line == 0);
    parts.extend(whole.take(LINES).map(|spot| prose(wording::what(spot, &row.ruling.change))));
    parts.extend(row.unknown().map(|text| format!("Cannot be checked: {}", prose(&text))));
    parts.extend(row.instead().map(|text| format!("Instead: {}", prose(&text))));
    parts.extend(row.commit().map(|text| format!("Commit: {}", code(&text))));
    parts.join("<br>")
}

fn list(
    head: &str,
    items: impl ExactSizeIterator<Item = String>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let more = items.len().saturating_sub(ROWS);
    if items.len() > 0 {
        writeln!(out, "\n{head}:\n")?;
    }
    for item in items.take(ROWS) {
        writeln!(out, "- {item}")?;
    }
    if more > 0 {
        writeln!(out, "- and {more} more")?;
    }
    Ok(())
}

/// Returns text to read, as it is.
pub(super) fn prose(text: &str) -> String {
    let text = one_line(text);
    let kept: String = text.chars().take(WORDS).collect();
    let more = if kept.len() < text.len() { "…" } else { "" };
    // A character without width parts the mark from the name that it would call.
    entities(&kept).replace("&#64;", "&#64;&#8203;").replace("&#35;", "&#35;&#8203;") + more
}

/// Returns text in the type of code. Not between backticks: in a table nothing can be escaped
/// there for certain.
pub(super) fn code(text: &str) -> String {
    format!("<code>{}</code>", entities(&excerpt(text)))
}

/// Writes every character that could be markup as an entity, which is never markup.
fn entities(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        if char.is_ascii_punctuation() && !",.-/:;'\"()+=?%".contains(char) {
            let _ = write!(out, "&#{};", u32::from(char));
        } else {
            out.push(char);
        }
    }
    out
}
