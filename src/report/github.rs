//! For GitHub Actions: a workflow command a spot, which the runner shows as an annotation at its
//! line (`deny` an error, `ask` a warning, `warn` a notice), then the summary as a plain line.
//!
//! The runner shows at most ten annotations of each level a step; all of them stay in the log.
//! Text is escaped as the runner documents it (`%`, CR, LF; in properties `:` and `,` too), so
//! that no text can end its command and start another.

use super::Format;
use super::rows::{one_line, rows};
use super::subject::Subject;
use crate::domain::sanitize::{hidden, visible};
use crate::domain::{Place, Verdict};
use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};

/// The format for GitHub Actions.
pub struct Github;

impl Format for Github {
    fn name(&self) -> &'static str {
        "github"
    }

    fn write(&self, subject: &Subject<'_>, out: &mut dyn Write) -> io::Result<()> {
        for row in rows(subject) {
            let level = match row.finding.verdict {
                Verdict::Deny => "error",
                Verdict::Ask => "warning",
                Verdict::Warn | Verdict::Allow => "notice",
            };
            let title = property(&format!("solvi-hook: {}", row.finding.rule));
            for mark in &row.marks {
                let mut at = String::new();
                if let Some(line) = row.line(mark.spot) {
                    let _ = write!(at, ",line={line}");
                }
                if let Some(columns) = row.columns(mark.spot) {
                    let _ = write!(at, ",col={}", columns.in_characters().0);
                }
                writeln!(
                    out,
                    "::{level} file={}{at},title={title}::{}",
                    property(&path(row.place())),
                    data(&row.message(mark.spot).join("\n")),
                )?;
            }
        }
        for trouble in &subject.decision.troubles {
            writeln!(out, "::error title=solvi-hook::not judged: {}", data(&one_line(trouble)))?;
        }
        if !subject.not_checked.is_empty() {
            // One for all: an annotation a file would use up the ten that are shown.
            let mut lines = vec!["not checked:".to_owned()];
            for file in subject.not_checked {
                let (path, why) = (&file.place, one_line(&file.why));
                lines.push(format!("{path}: {why}"));
            }
            writeln!(out, "::notice title=solvi-hook::{}", data(&lines.join("\n")))?;
        }
        for note in subject.notes {
            writeln!(out, "::notice title=solvi-hook::{}", data(&one_line(note)))?;
        }
        // The runner takes a line that begins with `::` for a command.
        if !subject.rule_sets.is_empty() {
            writeln!(out, "solvi-hook: rules: {}", subject.rule_sets())?;
        }
        writeln!(out, "solvi-hook: {}: {}.", visible(subject.title), subject.summary())
    }
}

/// Returns a path as the runner compares it with the files of the change, unless it would hide
/// something.
fn path(place: &Place) -> Cow<'_, str> {
    let path = place.spelled();
    if path.contains(hidden) { place.shown() } else { path }
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(&visible(text)).replace(':', "%3A").replace(',', "%2C")
}
