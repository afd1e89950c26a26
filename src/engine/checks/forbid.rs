//! `forbid`: regular expressions that no added line may match.

use super::{Check, Kind, Problem, Seen, Subject};
use crate::domain::Spot;
use crate::domain::wording::FORBIDDEN;
use crate::engine::pattern::{Pattern, Scope};

/// The kind.
pub const KIND: Kind =
    Kind { key: "forbid", about: "regular expressions that no added line may match", read };

struct Forbid(Vec<Pattern>);

fn read(patterns: &[String]) -> Result<Box<dyn Check>, Problem> {
    Ok(Box::new(Forbid(super::patterns(patterns, Scope::Line)?)))
}

impl Check for Forbid {
    fn look(&self, subject: &Subject<'_>) -> Seen {
        let mut seen = Seen { spots: Vec::new(), unknown: subject.change.unsure.clone() };
        for line in subject.lines {
            match super::first_match(&self.0, &line.text) {
                Ok(None) => {}
                Ok(Some(_)) => seen.spots.push(Spot {
                    line: line.number,
                    text: line.text.clone(),
                    what: FORBIDDEN.to_owned(),
                }),
                Err(hard) => seen.unknown = Some(hard.to_string()),
            }
        }
        seen
    }
}
