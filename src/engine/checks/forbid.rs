//! `forbid`: regular expressions that no added line may match.

use super::{Check, Kind, Problem, Seen, Subject};
use crate::domain::wording::FORBIDDEN;
use crate::domain::{Change, Content, Line, Spot};
use crate::engine::pattern::{Pattern, Scope};
use std::sync::Arc;

/// The kind.
pub const KIND: Kind =
    Kind { key: "forbid", about: "regular expressions that no added line may match", read };

struct Forbid {
    patterns: Vec<Arc<Pattern>>,
    /// What they match is secret.
    secret: bool,
}

fn read(patterns: &[String]) -> Result<Box<dyn Check>, Problem> {
    let patterns = super::patterns(patterns, Scope::Line)?;
    let patterns = patterns.into_iter().map(Arc::new).collect();
    Ok(Box::new(Forbid { patterns, secret: false }))
}

/// Makes the check of patterns that find secrets, and that were read before.
#[must_use]
pub fn of_secrets(patterns: Vec<Arc<Pattern>>) -> Box<dyn Check> {
    Box::new(Forbid { patterns, secret: true })
}

/// With more lines than this, a pattern is first held against the file as a whole.
const FEW: usize = 64;

/// How long a line of a key is at least that another line of it follows.
const KEY_LINE: usize = 60;

impl Forbid {
    /// Returns the patterns that may match one of many lines, without looking at each line.
    fn live(&self, subject: &Subject<'_>) -> Vec<&Pattern> {
        let change = subject.change;
        let others = change.others.iter().map(|other| other.text.as_str());
        let texts: Vec<&str> = change.after.text().into_iter().chain(others).collect();
        if texts.is_empty() || subject.lines.len() <= FEW {
            return self.patterns.iter().map(|pattern| &**pattern).collect();
        }
        let live = |pattern: &&Pattern| texts.iter().any(|text| pattern.could_match(text));
        self.patterns.iter().map(|pattern| &**pattern).filter(live).collect()
    }
}

/// Tells whether two lines are of one key: adjoining, and nothing but base64.
fn is_one_key(before: &Line, line: &Line) -> bool {
    let base64 = |text: &str| {
        text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='))
    };
    let (first, second) = (before.text.trim(), line.text.trim());
    before.number + 1 == line.number
        && first.len() >= KEY_LINE
        && second.len() <= first.len()
        && base64(first)
        && base64(second)
}

impl Check for Forbid {
    fn look(&self, subject: &Subject<'_>) -> Seen {
        let mut seen = Seen { spots: Vec::new(), unknown: subject.change.unsure.clone() };
        let live = self.live(subject);
        if live.is_empty() {
            return seen;
        }
        let mut found_before: Option<&Line> = None;
        for line in subject.lines {
            match super::first_match(live.iter().copied(), &line.text, subject.budget) {
                Ok(None) => {}
                Ok(Some(_))
                    if self.secret
                        && found_before.is_some_and(|before| is_one_key(before, line)) =>
                {
                    found_before = Some(line);
                }
                Ok(Some(pattern)) => {
                    found_before = Some(line);
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
        text.is_some_and(|text| self.patterns.iter().any(|pattern| pattern.could_match(text)))
    }
}
