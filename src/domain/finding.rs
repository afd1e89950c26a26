//! What a judge saw in one change.

use super::change::Line;
use super::verdict::Verdict;
use std::ops::Range;

/// What one rule, or one built-in judge, saw in one change; also when it saw nothing wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule's id, or the name of the built-in judge.
    pub rule: String,
    /// Which part of the rule looked.
    pub part: Part,
    /// What this finding asks for: [`Verdict::Allow`] when nothing stands against the change.
    pub verdict: Verdict,
    /// The places that the judge objects to.
    pub spots: Vec<Spot>,
    /// What could not be checked, and why.
    pub unknown: Option<String>,
    /// Why the rule is there, in the words of whoever wrote it.
    pub why: String,
    /// What to do in place of it.
    pub instead: Option<String>,
}

/// The part of a rule that a finding is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// The rule's checks: `forbid`, `require`, `forbid_calls`, `require_def`.
    Checks,
    /// A rule without checks: any change to its paths.
    Touch,
    /// The rule's question.
    Question(String),
    /// Text that speaks to whoever reviews the change.
    Instructions,
    /// Files that keep this guard in force.
    OwnFiles,
    /// What stands beside the edit, in the index or in the working tree: never more than a
    /// warning, and no part of what the edit was decided by.
    Beside,
}

/// One place that a judge objects to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// The line's number; 0 when it is about the file as a whole.
    pub line: usize,
    /// The line's text (secrets masked); empty when there is none to show.
    pub text: String,
    /// The part of `text` that is meant, in bytes; `None` is all of it.
    pub span: Option<Range<usize>>,
    /// What is wrong there; the record's words for it (`forbidden pattern`, `calls eval`).
    pub what: String,
}

impl Spot {
    /// Makes the spot of a line as a whole.
    #[must_use]
    pub fn at(line: &Line, what: impl Into<String>) -> Self {
        Self { line: line.number, text: line.text.clone(), span: None, what: what.into() }
    }

    /// Makes the spot of the file as a whole.
    #[must_use]
    pub fn of_file(what: impl Into<String>) -> Self {
        Self { line: 0, text: String::new(), span: None, what: what.into() }
    }
}

impl Finding {
    /// Tells whether the judge objects or could not see.
    #[must_use]
    pub fn objects(&self) -> bool {
        self.verdict > Verdict::Allow
    }
}
