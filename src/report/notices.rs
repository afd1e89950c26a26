//! Mistakes and warnings about one file, each with its line and a caret.

use super::rows::one_line;
use super::subject::Style;
use super::text::shown;
use crate::domain::sanitize::visible;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use serde::Serialize;
use std::io::{self, Write};
use std::ops::Range;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The file cannot be used.
    Error,
    /// It can, and probably does not say what is meant.
    Warning,
}

/// A line and a column, counted from 1; the column in characters.
pub type Place = (usize, usize);

/// Something about a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// How bad it is.
    pub severity: Severity,
    /// What it is.
    pub text: String,
    /// Where, if a place can be named.
    pub at: Option<Place>,
    /// Another place, and what is there.
    pub other: Option<(Place, &'static str)>,
    /// What to write instead.
    pub help: Option<String>,
}

/// Writes notices about a file for a person; `name` is how the file is named, `text` what it holds.
pub fn write(
    notices: &[Notice],
    name: &str,
    text: &str,
    style: Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let renderer = match style {
        Style::Plain => Renderer::plain(),
        Style::Coloured => Renderer::styled(),
    };
    let lines: Vec<&str> = text.lines().collect();
    for notice in notices {
        let level = match notice.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let mut group = Group::with_title(level.primary_title(one_line(&notice.text)));
        let primary = notice.at.map(|at| (at, AnnotationKind::Primary, ""));
        let other = notice.other.map(|(at, label)| (at, AnnotationKind::Context, label));
        let places: Vec<_> = primary.into_iter().chain(other).collect();
        if places.is_empty() {
            group = group.element(Origin::path(visible(name).into_owned()));
        }
        for (at, kind, label) in places {
            let (line, span) = excerpt(&lines, at);
            let snippet = Snippet::source(line).line_start(at.0).path(visible(name).into_owned());
            group = group.element(snippet.annotation(kind.span(span).label(label)));
        }
        if let Some(help) = &notice.help {
            group = group.element(Level::HELP.message(visible(help).into_owned()));
        }
        writeln!(out, "{}\n", renderer.render(&[group]))?;
    }
    Ok(())
}

/// Returns a line as it is shown, and where in it the value at a place stands.
fn excerpt(lines: &[&str], (line, column): Place) -> (String, Range<usize>) {
    let text = lines.get(line.saturating_sub(1)).copied().unwrap_or_default();
    let start = text.char_indices().nth(column.saturating_sub(1)).map_or(text.len(), |(at, _)| at);
    let rest = text.get(start..).unwrap_or_default();
    shown(text, start..start + length(rest))
}

/// Returns how long the value or key is that a text begins with, in bytes.
fn length(text: &str) -> usize {
    let mut chars = text.char_indices();
    let end = match chars.next() {
        Some((_, quote @ ('"' | '\''))) => {
            let mut escaped = false;
            let close = chars.find(|(_, char)| {
                let closes = *char == quote && !escaped;
                escaped = quote == '"' && *char == '\\' && !escaped;
                closes
            });
            close.map(|(at, _)| at + 1)
        }
        Some((_, '[' | '{')) => Some(1),
        _ => text.find(|char: char| char.is_whitespace() || matches!(char, '=' | ',' | ']' | '}')),
    };
    end.unwrap_or(text.trim_end().len())
}

/// One notice, for programs.
#[derive(Serialize)]
struct Row<'a> {
    severity: Severity,
    line: Option<usize>,
    column: Option<usize>,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    other_line: Option<usize>,
}

/// Returns notices for programs: `severity`, `line`, `column`, `message`, and where there is one a
/// `help` and an `other_line`.
///
/// ```
/// use solvi_hook::report::notices::{Notice, Severity, json};
///
/// let notice = Notice {
///     severity: Severity::Error,
///     text: "`id` is empty".to_owned(),
///     at: Some((2, 6)),
///     other: None,
///     help: None,
/// };
/// assert_eq!(json(&[notice])[0]["column"], 6);
/// ```
#[must_use]
pub fn json(notices: &[Notice]) -> serde_json::Value {
    let row = |notice: &Notice| {
        serde_json::to_value(Row {
            severity: notice.severity,
            line: notice.at.map(|(line, _)| line),
            column: notice.at.map(|(_, column)| column),
            message: &notice.text,
            help: notice.help.as_deref(),
            other_line: notice.other.map(|((line, _), _)| line),
        })
    };
    notices.iter().filter_map(|notice| row(notice).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::length;

    #[test]
    fn a_caret_spans_a_value_or_a_key() {
        for (text, wanted) in [
            ("forbid = [", 6),
            ("\"a\\\"b\", \"c\"", 6),
            ("'a\\', x", 4),
            ("5]", 1),
            ("true # why", 4),
            ("[ 5 ]", 1),
            ("\"open", 5),
            ("", 0),
        ] {
            assert_eq!(length(text), wanted, "{text}");
        }
    }
}
