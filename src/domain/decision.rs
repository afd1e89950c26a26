//! The verdict with its findings.
//!
//! A decision is made by joining and in no other way: [`Ruling::of`] joins the findings of one
//! change, [`Decision::of`] the rulings of an event. The verdicts are private so that nothing
//! else can set them.

use super::change::{Change, Content, Line};
use super::finding::Finding;
use super::verdict::Verdict;
use std::collections::BTreeSet;

/// What was decided about one change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ruling {
    /// The change.
    pub change: Change,
    /// What every judge saw, in the order of the rules file.
    pub findings: Vec<Finding>,
    /// The change as it may be kept, when a redacting rule found a secret in it.
    pub redaction: Option<Redaction>,
    // The join of the findings' verdicts; set by `of` alone.
    verdict: Verdict,
}

/// A change with its secrets masked: the only form of it that may be stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redaction {
    /// The ids of the redacting rules.
    pub rules: Vec<String>,
    /// The added lines, masked.
    pub added: Vec<Line>,
    /// The file after the edit, masked.
    pub after: Content,
    /// Whether nothing is kept of the change's text, because nobody knows what is secret in it.
    pub withheld: bool,
}

impl Ruling {
    /// Joins the findings about one change.
    #[must_use]
    pub fn of(change: Change, findings: Vec<Finding>, redaction: Option<Redaction>) -> Self {
        let verdict =
            findings.iter().map(|finding| finding.verdict).fold(Verdict::Allow, Verdict::join);
        Self { change, findings, redaction, verdict }
    }

    /// Returns the verdict on this change.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// Keeps of the change's texts only the lines that findings point at: what a report shows.
    pub fn keep_found_lines(&mut self) {
        let spots = self.findings.iter().flat_map(|finding| &finding.spots);
        let found: BTreeSet<usize> = spots.map(|spot| spot.line).collect();
        let keep = |added: &mut Vec<Line>, after: &mut Content| {
            added.retain(|line| found.contains(&line.number));
            added.shrink_to_fit();
            if let Content::Text(_) = after {
                *after =
                    Content::Unknown("not kept, because so many files have findings".to_owned());
            }
        };
        keep(&mut self.change.added, &mut self.change.after);
        self.change.others = Vec::new();
        if let Some(redaction) = &mut self.redaction {
            keep(&mut redaction.added, &mut redaction.after);
        }
    }
}

/// What was decided about an event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decision {
    /// One ruling for each changed file, in the order of the payload.
    pub rulings: Vec<Ruling>,
    /// Why the event, or a part of it, could not be judged; each of these asks.
    pub troubles: Vec<String>,
    // The join of the rulings' verdicts, and ask when there is trouble; set here alone.
    verdict: Verdict,
}

impl Decision {
    /// Joins the rulings of an event.
    #[must_use]
    pub fn of(rulings: Vec<Ruling>) -> Self {
        let verdict = rulings.iter().map(Ruling::verdict).fold(Verdict::Allow, Verdict::join);
        Self { rulings, troubles: Vec::new(), verdict }
    }

    /// Makes the decision of an event that could not be judged: a person decides.
    #[must_use]
    pub fn unjudged(trouble: impl Into<String>) -> Self {
        Self { rulings: Vec::new(), troubles: vec![trouble.into()], verdict: Verdict::Ask }
    }

    /// Returns the verdict on the event.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }
}
