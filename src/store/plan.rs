//! Which checks stand between an edit and its approval, as the reference program would plan
//! them, and what they come to.
//!
//! A check is one rule, one rule's question, or a built-in judge. The reference has no warning:
//! a check that only warns holds.

use super::rest;
use super::spelling::{is_word, quoted};
use crate::domain::{Finding, Part, Ruling, Spot, Verdict};
use serde_json::{Value, json};

/// The checks of one change, in the order in which they were made.
pub struct Plan(Vec<Check>);

/// One judge of a change, as two steps: one finds the lines, one says whether they pass.
pub struct Check {
    /// The name of the step that says whether the lines pass.
    pub name: String,
    /// The rule; none for a built-in judge.
    pub rule: Option<String>,
    /// The strictest verdict that it asks for.
    pub verdict: Verdict,
    part: Part,
    spots: Vec<Spot>,
    unknown: Option<String>,
}

/// What the checks come to.
pub struct Outcome {
    /// The answer; none when a check could not be made and none has failed.
    pub answer: Option<Verdict>,
    /// The check that settled it; none when all hold.
    pub check: Option<String>,
    /// Why, in the reference's words.
    pub why: String,
}

impl Plan {
    /// Plans the checks of a ruling. With `instructions`, the change was searched for text that
    /// speaks to its reviewer.
    #[must_use]
    pub fn of(ruling: &Ruling, instructions: bool) -> Self {
        let mut checks: Vec<Check> = Vec::new();
        for finding in ruling.findings.iter().filter(|finding| is_planned(finding, ruling)) {
            let check = Check::of(finding);
            match checks.iter_mut().find(|known| known.name == check.name) {
                Some(known) => known.join(check),
                None => checks.push(check),
            }
        }
        if instructions && !checks.iter().any(|check| check.part == Part::Instructions) {
            checks.push(Check::of(&nothing_said()));
        }
        Self(checks)
    }

    /// Returns the checks in the order of their steps.
    #[must_use]
    pub fn by_name(&self) -> Vec<&Check> {
        let mut checks: Vec<&Check> = self.0.iter().collect();
        checks.sort_by(|one, other| one.name.cmp(&other.name));
        checks
    }

    /// Returns the ids of the rules, each once.
    #[must_use]
    pub fn rules(&self) -> Vec<&str> {
        let mut rules: Vec<&str> = Vec::new();
        for rule in self.0.iter().filter_map(|check| check.rule.as_deref()) {
            if !rules.contains(&rule) {
                rules.push(rule);
            }
        }
        rules
    }

    /// Returns what the checks come to. Those that refuse are looked at first, then the one for
    /// instructions, then those that ask: the first that fails settles it, and when none fails,
    /// the first that could not be made.
    #[must_use]
    pub fn outcome(&self, path: &str) -> Outcome {
        let mut against: Vec<&Check> =
            self.0.iter().filter(|check| check.verdict > Verdict::Warn).collect();
        against.sort_by_key(|check| match (check.verdict, &check.part) {
            (Verdict::Deny, _) => 0,
            (_, Part::Instructions) => 1,
            _ => 2,
        });
        if let Some(check) = against.iter().find(|check| check.failure().is_none()) {
            return Outcome {
                answer: Some(check.verdict),
                check: Some(check.name.clone()),
                why: format!("hard check {} is false", check.name),
            };
        }
        for check in against {
            let Some(error) = check.failure() else { continue };
            let (name, finder) = (&check.name, check.finder());
            return Outcome {
                answer: None,
                check: Some(name.clone()),
                why: format!(
                    "hard check {name} could not be evaluated: missing inputs: {finder}; \
                     caused by {finder}: {error}"
                ),
            };
        }
        Outcome {
            answer: Some(Verdict::Allow),
            check: None,
            why: format!("path = {}", quoted(path)),
        }
    }
}

impl Check {
    fn of(finding: &Finding) -> Self {
        let name = step_name(&finding.rule);
        let (name, rule) = match finding.part {
            Part::Checks | Part::Touch | Part::Beside => (name, Some(finding.rule.clone())),
            Part::Question(_) => (format!("{name}_judged"), Some(finding.rule.clone())),
            Part::Instructions => ("no_instructions".to_owned(), None),
            Part::OwnFiles => ("own_files".to_owned(), None),
        };
        Self {
            name,
            rule,
            verdict: finding.verdict,
            part: finding.part.clone(),
            spots: finding.spots.clone(),
            unknown: finding.unknown.clone(),
        }
    }

    /// Takes in what the same judge saw elsewhere (where a moved file was, say).
    fn join(&mut self, other: Self) {
        self.spots.extend(other.spots);
        self.unknown = self.unknown.take().or(other.unknown);
        self.verdict = self.verdict.join(other.verdict);
    }

    /// Returns the name of the step that finds the lines.
    #[must_use]
    pub fn finder(&self) -> String {
        match self.part {
            Part::Checks | Part::Touch | Part::OwnFiles | Part::Beside => {
                format!("{}_lines", self.name)
            }
            Part::Question(_) => {
                format!("{}_trigger", self.name.strip_suffix("_judged").unwrap_or(&self.name))
            }
            Part::Instructions => "instructions".to_owned(),
        }
    }

    /// Returns what the step that finds the lines reads.
    #[must_use]
    pub fn inputs(&self) -> &'static [&'static str] {
        match self.part {
            Part::Checks | Part::Touch | Part::OwnFiles | Part::Beside => {
                &["path", "added_lines", "result_text"]
            }
            Part::Question(_) | Part::Instructions => &["added_lines"],
        }
    }

    /// Returns the lines that were found, of very many the first; the error says why the check could not be made, and
    /// is given only when no line is certain.
    pub fn found(&self) -> Result<Value, &str> {
        if let Some(error) = self.failure() {
            return Err(error);
        }
        Ok(match self.part {
            Part::Touch => json!([[0, "", "*"]]),
            Part::Checks | Part::OwnFiles | Part::Beside => {
                let row = |spot: &Spot| json!([spot.line, spot.text, spot.what]);
                let (mut rows, more) = rest::spots(&self.spots, row);
                rows.extend(more.map(|more| json!([0, "", more])));
                rows.into()
            }
            Part::Question(_) | Part::Instructions => {
                let row = |spot: &Spot| json!([spot.line, spot.text]);
                let (mut rows, more) = rest::spots(&self.spots, row);
                rows.extend(more.map(|more| json!([0, more])));
                rows.into()
            }
        })
    }

    /// Tells whether the lines pass.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.verdict <= Verdict::Warn
    }

    fn failure(&self) -> Option<&str> {
        let blind = self.spots.is_empty() && self.part != Part::Touch;
        self.unknown.as_deref().filter(|_| blind && !self.holds())
    }
}

/// Returns the name by which a rule's steps go.
#[must_use]
pub fn step_name(rule: &str) -> String {
    let name: String = rule.chars().map(|char| if is_word(char) { char } else { '_' }).collect();
    if name.starts_with(char::is_numeric) { format!("rule_{name}") } else { name }
}

fn is_planned(finding: &Finding, ruling: &Ruling) -> bool {
    match finding.part {
        Part::Touch | Part::Instructions => true,
        // The reference shows a deletion to no check; ours may warn of it.
        Part::Checks => !ruling.change.deletes() || finding.verdict > Verdict::Warn,
        // Nor does it plan a question that no line brings up.
        Part::Question(_) => finding.objects() || !finding.spots.is_empty(),
        Part::OwnFiles => finding.objects(),
        // The reference knows of no index; the reasons in `meta` tell of it.
        Part::Beside => false,
    }
}

/// Returns the finding that the search for instructions leaves when it has not spoken.
fn nothing_said() -> Finding {
    Finding {
        rule: String::new(),
        part: Part::Instructions,
        verdict: Verdict::Allow,
        spots: Vec::new(),
        unknown: None,
        why: String::new(),
        instead: None,
    }
}
