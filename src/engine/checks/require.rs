//! `require`: regular expressions that the file after the edit must match.

use super::{Check, Kind, Problem, Seen, Subject};
use crate::domain::{Content, Spot};
use crate::engine::pattern::{Pattern, Scope};

/// The kind.
pub const KIND: Kind = Kind {
    key: "require",
    about: "regular expressions that the file after the edit must match",
    read,
};

struct Require(Vec<Pattern>);

fn read(patterns: &[String]) -> Result<Box<dyn Check>, Problem> {
    Ok(Box::new(Require(super::patterns(patterns, Scope::File)?)))
}

impl Check for Require {
    fn look(&self, subject: &Subject<'_>) -> Seen {
        let text = match &subject.change.after {
            Content::Text(text) => text,
            Content::Absent => return Seen::default(),
            Content::Binary => return Seen::unknown("the file after the edit is no text"),
            Content::Unknown(why) => return Seen::unknown(why),
        };
        let mut seen = Seen::default();
        for pattern in &self.0 {
            match pattern.is_match(text) {
                Ok(true) => {}
                Ok(false) => seen
                    .spots
                    .push(Spot::of_file(format!("the file does not match '{}'", pattern.source()))),
                Err(hard) => seen.unknown = Some(hard.to_string()),
            }
        }
        seen
    }
}
