//! The rules of a repository: which of them meet a change, and what they see in it.
//!
//! Keys and structure of every rule are checked when the file is loaded; patterns only of rules
//! whose paths meet the change, because reading one costs more than all the rest of its rule.
//! `rules check` prepares every rule.

mod builtin;
mod error;
mod fields;
mod inherit;
mod limits;
mod load;
mod loosened;
mod realm;
mod review;

pub use builtin::built_in;
pub use error::RulesError;
pub use fields::RULE_KEYS;
pub use inherit::{BUILT_IN, BUILT_IN_NAME};
pub use limits::Only;
pub use load::{Form, load};
pub use loosened::Loosened;
pub use realm::Realm;
pub use review::{Review, Warning, review};

use super::Judge;
use super::checks::{Check, KINDS, Problem, Seen, Subject};
use super::document::Position;
use super::glob::{Dialect, Globs};
use super::pattern::{Budget, Pattern, Scope};
use super::python::Module;
use super::redaction::{RedactingRule, SecretPatterns};
use crate::domain::sanitize::excerpt;
use crate::domain::wording::TOUCHED;
use crate::domain::{Certainty, Change, Content, Finding, Line, Moment, Part, Spot, Verdict, diff};
use std::borrow::Cow;
use std::cell::OnceCell;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// The rules of one file, in its order.
#[derive(Debug, Default)]
pub struct Rulebook {
    /// The rules.
    pub rules: Vec<Rule>,
    /// The file, as it is named in messages.
    pub file: String,
    /// Whether the built-in rules were inherited: the file extends them.
    pub inherits: bool,
    // The inherited rules that the file leaves out, by id.
    disabled: Vec<String>,
    // Rules that are not for this moment and redact: a secret is one at every moment.
    aside: Vec<Rule>,
    // It holds rules of two sides of a change, so that one id may name two versions of a rule.
    two_sided: bool,
}

/// The rules of a book that redact, as a judge.
#[derive(Clone, Copy, Debug)]
pub struct RedactingOnly<'a>(&'a Rulebook);

/// One rule: a set of paths, and what holds for changes there.
#[derive(Debug)]
pub struct Rule {
    /// Its name, as shown in messages.
    pub id: String,
    /// Its name in records: `id` with every character that is no letter, digit or `_` as `_`.
    pub name: String,
    /// The globs as written; a leading `!` excludes.
    pub paths: Vec<String>,
    /// How the globs are read.
    pub dialect: Dialect,
    /// Why the rule is there.
    pub why: String,
    /// What to do in place of what it forbids.
    pub instead: Option<String>,
    /// What a broken rule leads to.
    pub on_fail: Verdict,
    /// Which files it is for, by what git knows of them.
    pub only: Only,
    /// The moments that it is for.
    pub on: Vec<Moment>,
    /// Whether what it matches is secret: masked wherever it is shown, never stored.
    pub redact: bool,
    /// A yes/no question for changes that the rule meets; "yes" breaks the rule.
    pub question: Option<Question>,
    /// The file that calibrates the question's decider, relative to the rules file.
    pub calibration: Option<String>,
    // The strings under each check's key, by the check's index in `KINDS`.
    checks: Vec<(usize, Vec<Spelled>)>,
    globs: Globs,
    realm: Realm,
    file: String,
    at: Position,
    // Read when the first change meets the rule.
    ready: OnceLock<Result<Ready, RulesError>>,
    // The patterns that find its secrets, if it redacts: those of `forbid`.
    secrets: Arc<SecretPatterns>,
}

/// A question and the lines that raise it.
#[derive(Debug)]
pub struct Question {
    /// The question.
    pub text: String,
    // Patterns of lines that raise it; none: every line that is not blank does.
    when: Vec<Spelled>,
}

/// A string of the rules file and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Spelled {
    text: String,
    at: Position,
}

impl AsRef<str> for Spelled {
    fn as_ref(&self) -> &str {
        &self.text
    }
}

/// A rule's checks, read and ready to look.
struct Ready {
    checks: Vec<Box<dyn Check>>,
    when: Vec<Pattern>,
}

impl fmt::Debug for Ready {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} checks", self.checks.len())
    }
}

impl Rule {
    /// Tells whether the rule is one of the built-in ones.
    #[must_use]
    pub fn is_built_in(&self) -> bool {
        self.file == BUILT_IN_NAME
    }

    /// Returns where the rule begins in its file.
    #[must_use]
    pub fn position(&self) -> Position {
        self.at
    }

    /// Tells whether the rule covers a path.
    #[must_use]
    pub fn covers(&self, path: &str) -> bool {
        self.realm.inside(path).is_some_and(|path| self.globs.cover(&path))
    }

    /// Tells whether the rule judges a change: its paths cover the place, and it is for files of
    /// that standing.
    #[must_use]
    pub fn meets(&self, change: &Change) -> bool {
        self.covers(change.place.as_str()) && self.only.fits(change.standing)
    }

    /// Tells whether the rule has no check and no question, so that any change is a finding.
    #[must_use]
    pub fn touch_only(&self) -> bool {
        self.checks.is_empty() && self.question.is_none()
    }

    /// Tells whether a breach of it stops a commit.
    fn stops_commits(&self) -> bool {
        self.on_fail > Verdict::Warn && self.on.contains(&Moment::Commit)
    }

    /// Returns the strings that stand under a check's key (`forbid`, `require_def`, …).
    pub fn under(&self, key: &str) -> impl Iterator<Item = &str> {
        let mine = self.checks.iter().filter(move |(kind, _)| is_kind(*kind, key));
        mine.flat_map(|(_, spelled)| spelled).map(|spelled| spelled.text.as_str())
    }

    /// Reads every pattern of the rule; the first that cannot be read is the error.
    pub fn verify(&self) -> Result<(), RulesError> {
        self.ready().map(drop).map_err(Clone::clone)
    }

    /// Returns why the rule cannot be read, where that was found out.
    #[must_use]
    pub fn broken(&self) -> Option<&RulesError> {
        self.ready.get()?.as_ref().err()
    }

    fn ready(&self) -> Result<&Ready, &RulesError> {
        self.ready.get_or_init(|| self.read()).as_ref()
    }

    fn read(&self) -> Result<Ready, RulesError> {
        let mut ready = Ready { checks: Vec::new(), when: Vec::new() };
        for (kind, spelled) in &self.checks {
            if let Some(kind) = KINDS.get(*kind) {
                // Patterns that find secrets are read once, for judging and for masking.
                if kind.key == super::checks::forbid::KIND.key
                    && let Some(patterns) = self.secrets.all().filter(|all| !all.is_empty())
                {
                    ready.checks.push(super::checks::forbid::of_secrets(patterns));
                    continue;
                }
                let check = (kind.read)(&texts(spelled));
                ready.checks.push(check.map_err(|bad| self.error(kind.key, spelled, &bad))?);
            }
        }
        if let Some(question) = &self.question {
            ready.when = super::checks::patterns(&texts(&question.when), Scope::Line)
                .map_err(|bad| self.error("when", &question.when, &bad))?;
        }
        Ok(ready)
    }

    fn error(&self, key: &str, spelled: &[Spelled], bad: &Problem) -> RulesError {
        let (at, text) = match spelled.get(bad.item) {
            Some(spelled) => (spelled.at, excerpt(&spelled.text)),
            None => (self.at, String::new()),
        };
        RulesError {
            file: self.file.clone(),
            at: Some(at),
            rule: Some(self.id.clone()),
            problem: format!("`{key}` holds `{text}`: {}", bad.text),
            ..RulesError::default()
        }
    }

    /// Looks at a change that the rule covers.
    fn look(&self, change: &Change, module: &OnceCell<Module>, budget: &Budget) -> Vec<Finding> {
        if self.touch_only() {
            let seen = Seen { spots: vec![Spot::of_file(TOUCHED)], unknown: None };
            return vec![self.finding(Part::Touch, seen)];
        }
        if change.deletes() {
            return self.look_at_deletion();
        }
        let lines = self.lines(change);
        let ready = match self.ready() {
            Ok(ready) => ready,
            Err(error) => {
                return vec![self.finding(Part::Checks, Seen::unknown(error.to_string()))];
            }
        };
        let mut findings = Vec::new();
        let mut subject = Subject::new(change, &lines, module, budget);
        if !self.judges_all(change) {
            subject = subject.brought();
        }
        if !ready.checks.is_empty() {
            let mut seen = Seen::default();
            // Whether an unknown tool leaves what is required is not known, and asks nobody.
            let lines_only = change.certainty == Certainty::Possible;
            for check in ready.checks.iter().filter(|check| !(lines_only && check.needs_file())) {
                let more = check.look(&subject);
                seen.spots.extend(more.spots);
                seen.unknown = join(seen.unknown, more.unknown);
            }
            findings.push(self.finding(Part::Checks, seen));
        }
        if let Some(question) = &self.question {
            findings.push(self.ask(question, &ready.when, &subject));
        }
        findings
    }

    /// Returns the places in `lines` of the file after the edit that break the rule, whether or
    /// not the edit adds them. `change` must hold that file.
    #[must_use]
    pub fn breaches(&self, change: &Change, lines: &[Line], budget: &Budget) -> Vec<Spot> {
        let Ok(ready) = self.ready() else { return Vec::new() };
        let module = OnceCell::new();
        let subject = Subject::new(change, lines, &module, budget);
        let about_lines = ready.checks.iter().filter(|check| check.may_find(change));
        about_lines.flat_map(|check| check.look(&subject).spots).collect()
    }

    /// A deleted file can no longer hold what the rule requires: that is worth a warning, and no
    /// more, because the whole file is gone.
    fn look_at_deletion(&self) -> Vec<Finding> {
        let required = self
            .checks
            .iter()
            .any(|(kind, _)| is_kind(*kind, "require") || is_kind(*kind, "require_def"));
        if !required {
            return Vec::new();
        }
        let what = "the file that must hold what this rule requires is deleted";
        let seen = Seen { spots: vec![Spot::of_file(what)], unknown: None };
        let mut finding = self.finding(Part::Checks, seen);
        finding.verdict = Verdict::Warn;
        vec![finding]
    }

    /// Returns the lines that the rule judges: the added ones, or all of them when the file comes
    /// from a place that the rule does not cover.
    fn lines<'a>(&self, change: &'a Change) -> Cow<'a, [Line]> {
        match &change.after {
            Content::Text(text) if self.judges_all(change) => {
                let others = change.others.iter().flat_map(|other| diff::numbered(&other.text));
                Cow::Owned(diff::numbered(text).into_iter().chain(others).collect())
            }
            _ => change.added_in_any_reading(),
        }
    }

    /// Tells whether the file comes from a place that the rule does not cover.
    fn judges_all(&self, change: &Change) -> bool {
        change.moved_from.as_ref().is_some_and(|from| !self.covers(from.as_str()))
    }

    fn ask(&self, question: &Question, when: &[Pattern], subject: &Subject<'_>) -> Finding {
        let mut seen = Seen { spots: Vec::new(), unknown: subject.change.unsure.clone() };
        for line in subject.lines {
            let raised = if when.is_empty() {
                Ok(!line.text.trim().is_empty())
            } else {
                let first = super::checks::first_match(when, &line.text, subject.budget);
                first.map(|first| first.is_some())
            };
            match raised {
                Ok(false) => {}
                Ok(true) => seen.spots.push(Spot::at(line, "")),
                Err(hard) => seen.add_unknown(&hard.0),
            }
        }
        let mut finding = self.finding(Part::Question(question.text.clone()), seen);
        // Nobody has answered, so a question never does more than ask.
        finding.verdict = finding.verdict.min(Verdict::Ask);
        if finding.objects() {
            finding.verdict = Verdict::Ask;
        }
        finding
    }

    fn finding(&self, part: Part, seen: Seen) -> Finding {
        let mut verdict = if seen.spots.is_empty() { Verdict::Allow } else { self.on_fail };
        if seen.unknown.is_some() {
            // What could be no more than a warning need not stop anybody for not being known.
            verdict = verdict.join(self.on_fail.min(Verdict::Ask));
        }
        Finding {
            rule: self.id.clone(),
            part,
            verdict,
            spots: seen.spots,
            unknown: seen.unknown,
            why: self.why.clone(),
            instead: self.instead.clone(),
        }
    }
}

impl Judge for Rulebook {
    fn look(&self, change: &Change, budget: &Budget) -> Vec<Finding> {
        self.look_with(change, budget, |_| true)
    }
}

impl Judge for RedactingOnly<'_> {
    fn look(&self, change: &Change, budget: &Budget) -> Vec<Finding> {
        self.0.look_with(change, budget, |rule| rule.redact)
    }
}

impl Rulebook {
    /// Returns the rules that redact, as a judge.
    #[must_use]
    pub fn redacting_only(&self) -> RedactingOnly<'_> {
        RedactingOnly(self)
    }

    fn look_with(
        &self,
        change: &Change,
        budget: &Budget,
        wanted: impl Fn(&Rule) -> bool,
    ) -> Vec<Finding> {
        let module = OnceCell::new();
        let meeting = self.meeting(change).filter(|rule| wanted(rule));
        let findings = meeting.flat_map(|rule| rule.look(change, &module, budget)).collect();
        if self.two_sided { loosened::joined(findings) } else { findings }
    }

    /// Keeps the rules that are for a moment. What the others would redact stays masked.
    ///
    /// ```
    /// use solvi_hook::domain::Moment;
    /// use solvi_hook::engine::rules::{Form, load};
    ///
    /// let text = "[[rule]]\nid = \"late\"\npaths = [\"**\"]\non = [\"commit\", \"push\"]\n";
    /// let mut book = load(text, Form::Toml, "solvi-rules.toml").unwrap();
    /// book.keep_for(Moment::Commit);
    /// assert_eq!(book.rules.len(), 1);
    /// book.keep_for(Moment::Edit);
    /// assert!(book.rules.is_empty());
    /// ```
    pub fn keep_for(&mut self, moment: Moment) {
        let gone = self.rules.extract_if(.., |rule| !rule.on.contains(&moment));
        self.aside.extend(gone.filter(|rule| rule.redact));
    }

    /// Takes in the rules of another repository: they are held against paths from its own root.
    pub fn add(&mut self, mut other: Self, realm: &Realm) {
        for rule in other.rules.iter_mut().chain(&mut other.aside) {
            rule.realm = realm.clone();
        }
        self.rules.append(&mut other.rules);
        self.aside.append(&mut other.aside);
    }

    /// Takes a folder out of the paths of every rule.
    pub fn leave_out(&mut self, folder: &str) {
        for rule in self.rules.iter_mut().chain(&mut self.aside) {
            rule.realm.leave_out(folder);
        }
    }

    /// Returns what rules about the path alone see in a change that is made through another path
    /// (a symbolic link) and does not meet them where the file really is.
    #[must_use]
    pub fn look_at_path(&self, written: &str, change: &Change) -> Vec<Finding> {
        let about = |rule: &&Rule| {
            rule.touch_only() && rule.covers(written) && !rule.covers(change.place.as_str())
        };
        let seen = || Seen { spots: vec![Spot::of_file(TOUCHED)], unknown: None };
        let met = self.rules.iter().filter(about);
        met.map(|rule| rule.finding(Part::Touch, seen())).collect()
    }

    /// Returns the rules that stop a commit and that some line of the file after the edit may
    /// break, added or not: those about lines, with a needle in the text.
    pub fn suspecting<'a>(&'a self, change: &'a Change) -> impl Iterator<Item = &'a Rule> {
        let may = |rule: &&Rule| {
            rule.ready().is_ok_and(|ready| ready.checks.iter().any(|check| check.may_find(change)))
        };
        self.meeting(change).filter(|rule| rule.stops_commits()).filter(may)
    }

    /// Returns the rules that judge a change.
    pub fn meeting<'a>(&'a self, change: &'a Change) -> impl Iterator<Item = &'a Rule> {
        self.rules.iter().filter(|rule| rule.meets(change))
    }

    /// Returns what is needed to mask what the redacting rules find, whatever files and moments
    /// they judge.
    pub(super) fn redacting(&self) -> impl Iterator<Item = RedactingRule> {
        let rules = self.rules.iter().chain(&self.aside);
        rules.filter(|rule| rule.redact).map(|rule| RedactingRule {
            id: rule.id.clone(),
            globs: rule.globs.clone(),
            realm: rule.realm.clone(),
            patterns: Arc::clone(&rule.secrets),
            calls: rule.under("forbid_calls").map(ToOwned::to_owned).collect(),
            whole_files: rule.touch_only(),
        })
    }
}

fn is_kind(index: usize, key: &str) -> bool {
    KINDS.get(index).is_some_and(|kind| kind.key == key)
}

fn texts(spelled: &[Spelled]) -> Vec<String> {
    spelled.iter().map(|spelled| spelled.text.clone()).collect()
}

fn join(one: Option<String>, other: Option<String>) -> Option<String> {
    match (one, other) {
        (Some(one), Some(other)) if one != other => Some(format!("{one}; {other}")),
        (one, other) => one.or(other),
    }
}

#[cfg(test)]
mod tests;
