//! What did a store's decisions come to? Counts over time, and where they come from.
//!
//! A [`Counter`] is handed one record after the other and keeps counts, never records; it ends as
//! [`Statistics`], which one line a format in [`FORMATS`] writes. All times are UTC. Everything
//! that was not counted is told: lines that cannot be read, records that were redacted, names that
//! came when no more were taken.

mod asks;
mod bars;
mod count;
mod html;
mod json;
mod markdown;
mod period;
mod table;
mod tally;
mod text;

pub use asks::Ask;
pub use count::{About, Counter, Record, Slow, Spot, Statistics, Unreadable};
pub use period::{Grain, Period};
pub use table::{Row, Rows};
pub use tally::Tally;

use super::Style;
use std::io::{self, Write};

/// How the text format looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// Whether it may have colours.
    pub style: Style,
    /// Whether it has bars, which only a person sees something in.
    pub bars: bool,
}

/// One way to write statistics.
pub trait Format: Sync {
    /// Returns the name by which a person asks for it.
    fn name(&self) -> &'static str;

    /// Writes everything, with a line end at its end.
    fn write(&self, told: &Statistics, look: Look, out: &mut dyn Write) -> io::Result<()>;
}

/// Every format, in the order of the documentation; the first is the default.
pub static FORMATS: &[&dyn Format] = &[&text::Text, &json::Json, &markdown::Markdown, &html::Html];

/// Returns the format of that name.
///
/// ```
/// use solvi_hook::report::statistics;
///
/// assert_eq!(statistics::by_name("html").unwrap().name(), "html");
/// assert!(statistics::by_name("sarif").is_none());
/// ```
#[must_use]
pub fn by_name(name: &str) -> Option<&'static dyn Format> {
    FORMATS.iter().copied().find(|format| format.name() == name)
}
