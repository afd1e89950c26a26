//! For reviewdog: its diagnostic format `rdjson`, one diagnostic a spot.
//!
//! `deny` is an error, `ask` a warning, `warn` an info. What the format has no word for is a
//! diagnostic too, so that a comment says it: what could not be judged (without a location) and
//! files that were not checked. Notes are left to the other formats.

use super::rows::{Mark, Row, one_line, rows};
use super::subject::Subject;
use super::{Format, escaped};
use crate::domain::Verdict;
use serde::Serialize;
use std::io::{self, Write};

/// The format for reviewdog.
pub struct Rdjson;

#[derive(Serialize)]
struct Report {
    source: Source,
    severity: &'static str,
    diagnostics: Vec<Diagnostic>,
}

#[derive(Serialize)]
struct Source {
    name: &'static str,
}

#[derive(Serialize)]
struct Diagnostic {
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<Location>,
    severity: &'static str,
    code: Code,
}

#[derive(Serialize)]
struct Code {
    value: String,
}

#[derive(Serialize)]
struct Location {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<Range>,
}

#[derive(Serialize)]
struct Range {
    start: Position,
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<Position>,
}

#[derive(Serialize)]
struct Position {
    line: usize,
    /// Counted in bytes, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
}

impl Format for Rdjson {
    fn name(&self) -> &'static str {
        "rdjson"
    }

    fn write(&self, subject: &Subject<'_>, out: &mut dyn Write) -> io::Result<()> {
        let mut diagnostics = Vec::new();
        for row in rows(subject) {
            for mark in &row.marks {
                diagnostics.push(Diagnostic {
                    message: row.message(mark.spot).join("\n"),
                    location: Some(Location {
                        path: row.place().spelled().into_owned(),
                        range: range(&row, mark),
                    }),
                    severity: severity(row.finding.verdict),
                    code: Code { value: row.finding.rule.clone() },
                });
            }
        }
        for trouble in &subject.decision.troubles {
            diagnostics.push(Diagnostic {
                message: format!("not judged: {}", one_line(trouble)),
                location: None,
                severity: "ERROR",
                code: Code { value: "not-judged".to_owned() },
            });
        }
        for file in subject.not_checked {
            diagnostics.push(Diagnostic {
                message: format!("not checked: {}", one_line(&file.why)),
                location: Some(Location { path: file.place.spelled().into_owned(), range: None }),
                severity: "INFO",
                code: Code { value: "not-checked".to_owned() },
            });
        }
        let severity = severity(subject.decision.verdict());
        let source = Source { name: "solvi-hook" };
        escaped::document(&Report { source, severity, diagnostics }, out)
    }
}

fn range(row: &Row<'_>, mark: &Mark<'_>) -> Option<Range> {
    let line = row.line(mark.spot)?;
    let columns = row.columns(mark.spot).map(|columns| columns.counted(str::len));
    Some(Range {
        start: Position { line, column: columns.map(|(start, _)| start) },
        end: columns.map(|(_, end)| Position { line, column: Some(end) }),
    })
}

fn severity(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Deny => "ERROR",
        Verdict::Ask => "WARNING",
        Verdict::Warn | Verdict::Allow => "INFO",
    }
}
