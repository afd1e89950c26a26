//! The project's own JSON: one document (`json`) or a finding a line (`jsonl`).
//!
//! Version 1. Every key is always there; `null` means that there is none. New keys may come
//! within a version; a key that changes its meaning makes a new one.
//!
//! ```text
//! {
//!   "version": 1,
//!   "tool": {"name": "solvi-hook", "version": "0.1.0"},
//!   "subject": "staged changes",            what was checked
//!   "rules": [{"name": "solvi-rules.toml@HEAD", "count": 12}],
//!                                           which rules evaluated, and how many of each file
//!   "verdict": "deny",                      allow, warn, ask or deny: the strictest of all
//!   "findings": [{
//!     "verdict": "deny", "rule": "no-secrets",
//!     "path": "src/a.py", "inside": true,   inside: relative to the project's root; a path that is
//!                                           not UTF-8 is quoted as git quotes it
//!     "moved_from": null, "deleted": false,
//!     "message": "…", "why": "…",           message: one line, fit to show; why: as written
//!     "instead": "…", "unknown": null,      unknown: what could not be checked
//!     "commit": {"id": "…", "subject": "…"},
//!     "counts": "file",                     what line numbers count: file, new text or cell
//!     "spots": [{
//!       "line": 3,                          from 1; null: the file as a whole
//!       "column": 5, "end_column": 9,       in characters, from 1, the end not included;
//!                                           null: the whole line
//!       "text": "…", "what": "…",           the line, secrets masked; what is wrong with it
//!       "fingerprint": "…:1"                the same when the line moves
//!     }]
//!   }],
//!   "troubles": ["…"],                      what could not be judged at all
//!   "not_checked": [{"path": "…", "why": "…"}],
//!   "notes": ["…"],
//!   "summary": {"files": 14, "files_with_findings": 1,
//!               "denied": 1, "asked": 0, "warned": 0,   members of `findings`
//!               "spots": {"denied": 1, "asked": 0, "warned": 0},
//!               "unknown": 0, "troubles": 0, "not_checked": 1}
//! }
//! ```
//!
//! `jsonl` writes each member of `findings` as a line, with `"type": "finding"` before its keys,
//! and last a line of `"type": "summary"` with every other key of the document. A reader that
//! finds no such last line has not got the whole report.

use super::rows::{Mark, Row, Tally, rows};
use super::subject::Subject;
use super::{Format, escaped};
use crate::domain::{Numbering, Place, Verdict, wording};
use serde::Serialize;
use std::borrow::Cow;
use std::io::{self, Write};

/// One document.
pub struct Json;

/// A finding a line.
pub struct Lines;

impl Format for Json {
    fn name(&self) -> &'static str {
        "json"
    }

    fn write(&self, subject: &Subject<'_>, out: &mut dyn Write) -> io::Result<()> {
        let findings = rows(subject).iter().map(Finding::of).collect();
        escaped::document(&Document::of(subject, Some(findings)), out)
    }
}

impl Format for Lines {
    fn name(&self) -> &'static str {
        "jsonl"
    }

    fn write(&self, subject: &Subject<'_>, out: &mut dyn Write) -> io::Result<()> {
        for row in rows(subject) {
            escaped::line(&Typed { r#type: "finding", value: Finding::of(&row) }, out)?;
        }
        escaped::line(&Typed { r#type: "summary", value: Document::of(subject, None) }, out)
    }
}

#[derive(Serialize)]
struct Typed<T> {
    r#type: &'static str,
    #[serde(flatten)]
    value: T,
}

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    tool: Tool<'a>,
    subject: &'a str,
    rules: Vec<Rules<'a>>,
    verdict: Verdict,
    #[serde(skip_serializing_if = "Option::is_none")]
    findings: Option<Vec<Finding<'a>>>,
    troubles: &'a [String],
    not_checked: Vec<NotChecked<'a>>,
    notes: &'a [String],
    summary: Tally,
}

#[derive(Serialize)]
struct Tool<'a> {
    name: &'static str,
    version: &'a str,
}

#[derive(Serialize)]
struct Rules<'a> {
    name: &'a str,
    count: usize,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    off: bool,
}

#[derive(Serialize)]
struct NotChecked<'a> {
    path: Cow<'a, str>,
    why: &'a str,
}

#[derive(Serialize)]
struct Finding<'a> {
    verdict: Verdict,
    rule: &'a str,
    path: Cow<'a, str>,
    inside: bool,
    moved_from: Option<Cow<'a, str>>,
    deleted: bool,
    message: String,
    why: &'a str,
    instead: Option<&'a str>,
    unknown: Option<&'a str>,
    commit: Option<Commit<'a>>,
    counts: &'static str,
    spots: Vec<Spot<'a>>,
}

#[derive(Serialize)]
struct Commit<'a> {
    id: &'a str,
    subject: &'a str,
}

#[derive(Serialize)]
struct Spot<'a> {
    line: Option<usize>,
    column: Option<usize>,
    end_column: Option<usize>,
    text: &'a str,
    what: &'a str,
    fingerprint: String,
}

impl<'a> Document<'a> {
    fn of(subject: &Subject<'a>, findings: Option<Vec<Finding<'a>>>) -> Self {
        let not_checked = subject.not_checked.iter();
        Self {
            version: 1,
            tool: Tool { name: "solvi-hook", version: subject.version },
            subject: subject.title,
            rules: subject
                .rule_sets
                .iter()
                .map(|set| Rules { name: &set.name, count: set.rules, off: set.off })
                .collect(),
            verdict: subject.decision.verdict(),
            findings,
            troubles: &subject.decision.troubles,
            not_checked: not_checked
                .map(|file| NotChecked { path: file.place.spelled(), why: &file.why })
                .collect(),
            notes: subject.notes,
            summary: Tally::of(subject),
        }
    }
}

impl<'a> Finding<'a> {
    fn of(row: &Row<'a>) -> Self {
        let (change, finding) = (&row.ruling.change, row.finding);
        let spots = row.marks.iter().map(|mark| Spot::of(row, mark)).collect();
        Self {
            verdict: finding.verdict,
            rule: &finding.rule,
            path: row.place().spelled(),
            inside: row.inside(),
            moved_from: change.moved_from.as_ref().map(Place::spelled),
            deleted: change.deletes(),
            message: row.headline(),
            why: finding.why.trim(),
            instead: finding.instead.as_deref().map(str::trim),
            unknown: finding.unknown.as_deref(),
            commit: row.commit.map(|commit| Commit { id: &commit.id, subject: &commit.subject }),
            counts: match change.numbering {
                Numbering::File => "file",
                Numbering::NewText => "new text",
                Numbering::Cell => "cell",
            },
            spots,
        }
    }
}

impl<'a> Spot<'a> {
    fn of(row: &Row<'a>, mark: &Mark<'a>) -> Self {
        let spot = mark.spot;
        let columns = row.columns(spot).map(|columns| columns.in_characters());
        Self {
            line: spot.map(|spot| spot.line).filter(|line| *line > 0),
            column: columns.map(|(start, _)| start),
            end_column: columns.map(|(_, end)| end),
            text: spot.map_or("", |spot| &spot.text),
            what: spot.map_or("", |spot| wording::what(spot, &row.ruling.change)),
            fingerprint: mark.fingerprint.clone(),
        }
    }
}
