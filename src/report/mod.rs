//! How do people and CI read what was decided? One file a format, one line a format in
//! [`FORMATS`].
//!
//! Pure: a [`Subject`] comes in, bytes leave through a `Write`. Every format tells the same
//! things, or it says in its head why its readers have no place for one: the findings that
//! object (paths in order, the strictest first within a path), what could not be judged, which
//! files were not checked, the notes. A check that could not look is never told as one that
//! found nothing.

mod escaped;
mod github;
mod gitlab;
mod json;
mod junit;
mod markdown;
pub mod notices;
mod rdjson;
mod rows;
mod sarif;
pub mod statistics;
mod subject;
mod text;

pub use subject::{Commit, NotChecked, Rule, RuleSet, Style, Subject, count};

use std::io::{self, Write};

/// One way to write a report.
pub trait Format: Sync {
    /// Returns the name by which a person asks for it.
    fn name(&self) -> &'static str;

    /// Writes the whole report, with a line end at its end.
    fn write(&self, subject: &Subject<'_>, out: &mut dyn Write) -> io::Result<()>;
}

/// Every format, in the order of the documentation; the first is the default.
pub static FORMATS: &[&dyn Format] = &[
    &text::Text,
    &json::Json,
    &json::Lines,
    &sarif::Sarif,
    &github::Github,
    &gitlab::Gitlab,
    &junit::Junit,
    &rdjson::Rdjson,
    &markdown::Markdown,
];

/// Returns the format of that name.
///
/// ```
/// use solvi_hook::report;
///
/// assert_eq!(report::by_name("sarif").unwrap().name(), "sarif");
/// assert!(report::by_name("pdf").is_none());
/// ```
#[must_use]
pub fn by_name(name: &str) -> Option<&'static dyn Format> {
    FORMATS.iter().copied().find(|format| format.name() == name)
}
