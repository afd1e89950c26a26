//! For GitLab: a Code Quality report, one issue a spot.
//!
//! `deny` is a blocker, `ask` major, `warn` minor. The format has no place but its issues: a
//! file that was not checked is one of severity `info`, what could not be judged at all a
//! blocker at the path `.`, and notes and which rules
//! evaluated are left to the other formats. GitLab wants a line, so
//! what is about a whole file stands at line 1.

use super::rows::{one_line, rows};
use super::subject::Subject;
use super::{Format, escaped};
use crate::domain::Verdict;
use serde::Serialize;
use std::io::{self, Write};

/// The format for GitLab.
pub struct Gitlab;

#[derive(Serialize)]
struct Issue {
    description: String,
    check_name: String,
    fingerprint: String,
    severity: &'static str,
    location: Location,
}

#[derive(Serialize)]
struct Location {
    path: String,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: usize,
}

impl Format for Gitlab {
    fn name(&self) -> &'static str {
        "gitlab"
    }

    fn write(&self, subject: &Subject<'_>, out: &mut dyn Write) -> io::Result<()> {
        let mut issues = Vec::new();
        for row in rows(subject) {
            for mark in &row.marks {
                issues.push(Issue {
                    description: row.message(mark.spot).join("\n"),
                    check_name: row.finding.rule.clone(),
                    fingerprint: mark.fingerprint.clone(),
                    severity: match row.finding.verdict {
                        Verdict::Deny => "blocker",
                        Verdict::Ask => "major",
                        Verdict::Warn | Verdict::Allow => "minor",
                    },
                    location: Location::of(
                        &row.place().spelled(),
                        row.line(mark.spot).unwrap_or(1),
                    ),
                });
            }
        }
        for (at, trouble) in subject.decision.troubles.iter().enumerate() {
            issues.push(Issue {
                description: format!("not judged: {}", one_line(trouble)),
                check_name: "not-judged".to_owned(),
                fingerprint: format!("not-judged:{at}"),
                severity: "blocker",
                location: Location::of(".", 1),
            });
        }
        for file in subject.not_checked {
            issues.push(Issue {
                description: format!("not checked: {}", one_line(&file.why)),
                check_name: "not-checked".to_owned(),
                fingerprint: format!("not-checked:{}", file.place.spelled()),
                severity: "info",
                location: Location::of(&file.place.spelled(), 1),
            });
        }
        escaped::document(&issues, out)
    }
}

impl Location {
    fn of(path: &str, begin: usize) -> Self {
        Self { path: path.to_owned(), lines: Lines { begin } }
    }
}
