//! `forbid`: regular expressions that no added line may match.

use super::{Check, Kind, Problem, Seen, Subject};
use crate::domain::wording::FORBIDDEN;
use crate::domain::{Change, Content, Spot};
use crate::engine::pattern::{Pattern, Scope};
use std::sync::Arc;

/// The kind.
pub const KIND: Kind =
    Kind { key: "forbid", about: "regular expressions that no added line may match", read };

struct Forbid(Vec<Arc<Pattern>>);

fn read(patterns: &[String]) -> Result<Box<dyn Check>, Problem> {
    let patterns = super::patterns(patterns, Scope::Line)?;
    Ok(of(patterns.into_iter().map(Arc::new).collect()))
}

/// Makes the check of patterns that were read before.
#[must_use]
pub fn of(patterns: Vec<Arc<Pattern>>) -> Box<dyn Check> {
    Box::new(Forbid(patterns))
}

/// With more lines than this, a pattern is first held against the file as a whole.
const FEW: usize = 64;

impl Forbid {
    /// Returns the patterns that may match one of many lines, without looking at each line.
    fn live(&self, subject: &Subject<'_>) -> Vec<&Pattern> {
        let change = subject.change;
        let others = change.others.iter().map(|other| other.text.as_str());
        let texts: Vec<&str> = change.after.text().into_iter().chain(others).collect();
        if texts.is_empty() || subject.lines.len() <= FEW {
            return self.0.iter().map(|pattern| &**pattern).collect();
        }
        let live = |pattern: &&Pattern| texts.iter().any(|text| pattern.could_match(text));
        self.0.iter().map(|pattern| &**pattern).filter(live).collect()
    }
}

impl Check for Forbid {
    fn look(&self, subject: &Subject<'_>) -> Seen {
        let mut seen = Seen { spots: Vec::new(), unknown: subject.change.unsure.clone() };
        let live = self.live(subject);
        if live.is_empty() {
            return seen;
        }
        for line in subject.lines {
            match super::first_match(live.iter().copied(), &line.text, subject.budget) {
                Ok(None) => {}
                Ok(Some(pattern)) => {
                    let all = pattern.find_all(&line.text, subject.budget);
                    let span = all.ok().and_then(|all| all.first().cloned());
                    seen.spots.push(Spot { span, ..Spot::at(line, FORBIDDEN) });
                }
                // What holds no text is named as not checked in any case.
                Err(_) if subject.change.after == Content::Binary => {}
                Err(hard) => seen.add_unknown(&hard.0),
            }
        }
        seen
    }

    fn may_find(&self, change: &Change) -> bool {
        let text = change.after.text();
        text.is_some_and(|text| self.0.iter().any(|pattern| pattern.could_match(text)))
    }
}
