//! `require`: regular expressions that the file after the edit must match.

use super::{Check, Kind, Problem, Seen, Subject};
use crate::domain::{Content, Spot};
use crate::engine::pattern::{Budget, Pattern, Scope, TooHard};

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

/// Matches a whole file. `\r\n` is a line end, before which `$` matches as at a line of `forbid`; a
/// pattern that spells the `\r` out finds it too.
fn is_match(pattern: &Pattern, text: &str, budget: &Budget) -> Result<bool, TooHard> {
    match pattern.is_match(text, budget) {
        Ok(false) if text.contains("\r\n") => pattern.is_match(&text.replace("\r\n", "\n"), budget),
        result => result,
    }
}

impl Check for Require {
    fn needs_file(&self) -> bool {
        true
    }

    fn look(&self, subject: &Subject<'_>) -> Seen {
        let text = match &subject.change.after {
            Content::Text(text) => text,
            Content::Absent => return Seen::default(),
            Content::Binary => return Seen::unknown("the file after the edit is a binary file"),
            Content::Unknown(why) => return Seen::unknown(why),
        };
        let mut seen = Seen::default();
        for pattern in &self.0 {
            match is_match(pattern, text, subject.budget) {
                Ok(true) => {}
                Ok(false) => seen
                    .spots
                    .push(Spot::of_file(format!("the file does not match '{}'", pattern.source()))),
                Err(hard) => seen.add_unknown(&hard.0),
            }
        }
        seen
    }
}
