//! What a redacting rule finds is masked everywhere.
//!
//! A [`Redactor`] is made once a run, from every rules file that was loaded. Whatever leaves the
//! program goes through it as plain text, before a format's own escapes: the findings, and the only
//! form of a change that may be stored, when the engine decides; any other text by
//! [`Redactor::text`]. A secret is shown by its first four characters and `…` at most. A block of
//! key material is secret to its end, and so is any piece of a secret that was found in this run.
//!
//! A pattern is held against every text, wherever its rule's paths are, unless it says what a line
//! of the rule's own files looks like (`^…`).

mod blocks;
mod joined;
mod lines;
mod patterns;
mod pieces;

pub use patterns::SecretPatterns;

use super::glob::Globs;
use super::pattern::{Budget, Pattern};
use super::rules::{Realm, Rulebook};
use crate::domain::decision::Redaction;
use crate::domain::{
    Change, Content, Decision, Finding, Line, Part, Place, RepoPath, Ruling, Session,
};
use joined::Joined;
use lines::Masked;
use pieces::Pieces;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How many characters of a secret may be shown, when it is longer than that.
const SHOWN: usize = 4;

/// Stands where a whole line is secret.
const MASK: &str = "…";

/// Masks secrets in everything that leaves the program. Copies share what was found.
#[derive(Clone, Debug, Default)]
pub struct Redactor {
    rules: Arc<Vec<Arc<RedactingRule>>>,
    withholds: bool,
    found: Arc<Mutex<Pieces>>,
    budget: Budget,
}

/// What is needed of a rule with `redact = true`.
#[derive(Debug)]
pub struct RedactingRule {
    /// Its id.
    pub id: String,
    /// The paths that it covers.
    pub globs: Globs,
    /// The part of the project that it speaks of.
    pub realm: Realm,
    /// The patterns that find its secrets.
    pub patterns: Arc<SecretPatterns>,
    /// The calls that it forbids.
    pub calls: Vec<String>,
    /// Whether it has no check, so that all that its paths cover is secret.
    pub whole_files: bool,
}

impl RedactingRule {
    fn covers(&self, change: &Change) -> bool {
        let inside = |path: &str| self.realm.inside(path).is_some_and(|it| self.globs.cover(&it));
        inside(change.place.as_str())
            || change.moved_from.as_ref().is_some_and(|from| inside(from.as_str()))
    }

    /// Tells whether all that it covers is secret: also when nobody knows what is.
    fn hides_files(&self) -> bool {
        self.whole_files || self.patterns.is_broken()
    }
}

/// A part of a text that is secret.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Secret {
    range: Range<usize>,
    // Whether its first characters may be shown.
    headed: bool,
}

impl From<&Rulebook> for Redactor {
    fn from(book: &Rulebook) -> Self {
        Self::of([book])
    }
}

impl From<&Self> for Redactor {
    fn from(redactor: &Self) -> Self {
        redactor.clone()
    }
}

impl Redactor {
    /// Takes the redacting rules of every rules file that was loaded.
    ///
    /// ```
    /// use solvi_hook::engine::redaction::Redactor;
    /// use solvi_hook::engine::rules::{Form, load};
    ///
    /// let rules = "[[rule]]\nid = \"t\"\npaths = [\"src/**\"]\nforbid = ['tok_\\d+']\nredact = true";
    /// let redactor = Redactor::of([&load(rules, Form::Toml, "solvi-rules.toml").unwrap()]);
    /// assert_eq!(redactor.text("no file tok_1234567"), "no file tok_…");
    /// ```
    #[must_use]
    pub fn of<'b>(books: impl IntoIterator<Item = &'b Rulebook>) -> Self {
        let rules = books.into_iter().flat_map(Rulebook::redacting).map(Arc::new).collect();
        Self { rules: Arc::new(rules), ..Self::default() }
    }

    /// Adds the rules of another, and what it has found so far; what is found is shared with this
    /// one.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        let rules = self.rules.iter().chain(other.rules.iter()).cloned().collect();
        let found = other.pieces().clone();
        self.pieces().extend(&found);
        Self {
            rules: Arc::new(rules),
            withholds: self.withholds || other.withholds,
            found: Arc::clone(&self.found),
            budget: self.budget.clone(),
        }
    }

    /// Returns the same redactor with another budget for backtracking patterns: of a line that is
    /// beyond it all is masked.
    pub(super) fn within(&self, budget: &Budget) -> Self {
        Self { budget: budget.clone(), ..self.clone() }
    }

    /// Tells whether there is no rule that redacts, so that nothing is ever masked.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty() && !self.withholds
    }

    /// Tells, without looking closely, whether a text may hold a secret. What is false for a text
    /// is false for each of its parts.
    #[must_use]
    pub fn may_mask(&self, text: &str) -> bool {
        !self.pieces().is_empty()
            || self.patterns(&[]).iter().any(|pattern| pattern.could_match(text))
            || !self.rules.is_empty() && memchr::memmem::find(text.as_bytes(), b"BEGIN ").is_some()
    }

    fn pieces(&self) -> MutexGuard<'_, Pieces> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Masks the names that an agent gives to a call.
    #[must_use]
    pub fn session(&self, session: &Session) -> Session {
        let masked =
            |name: &Option<String>| name.as_deref().map(|name| self.text(name).into_owned());
        Session {
            session_id: masked(&session.session_id),
            tool_use_id: masked(&session.tool_use_id),
            prompt_id: masked(&session.prompt_id),
            agent_id: masked(&session.agent_id),
        }
    }

    /// Lets no line of a change pass: for when rules could not be read, so that nobody knows what
    /// is secret.
    #[must_use]
    pub fn withholding(self) -> Self {
        Self { withholds: true, ..self }
    }

    /// Masks a text that is about no file in particular.
    #[must_use]
    pub fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.masked(text, &self.patterns(&[]))
    }

    /// Masks a text in which quotes of a change stand between backticks.
    #[must_use]
    pub fn text_with_quotes<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if !self.withholds {
            return self.text(text);
        }
        Cow::Owned(self.text(&without_quotes(text)).into_owned())
    }

    /// Masks the path of a file.
    #[must_use]
    pub fn place(&self, mut place: Place) -> Place {
        self.replace_place(&mut place, &self.patterns(&[]));
        place
    }

    /// Looks for secrets in a file that is not shown, but whose pieces may be.
    pub fn learn(&self, place: &Place, text: &str) {
        let change = Change::of_lines("", place.clone(), Vec::new(), "");
        let covering: Vec<&RedactingRule> =
            self.rules.iter().map(|rule| &**rule).filter(|rule| rule.covers(&change)).collect();
        self.secrets(text, &self.patterns(&covering));
    }

    /// Masks pieces of secrets that were found elsewhere since a decision was made.
    pub fn settle(&self, decision: &mut Decision) {
        if !self.pieces().is_empty() {
            self.mask_texts(decision, &[]);
        }
    }

    /// Masks a decision that was made before some of the rules were loaded.
    pub fn mask_again(&self, decision: &mut Decision) {
        self.mask_texts(decision, &self.patterns(&[]));
    }

    fn mask_texts(&self, decision: &mut Decision, patterns: &[&Pattern]) {
        for ruling in &mut decision.rulings {
            let touched = self.mask_findings(ruling, patterns);
            if ruling.redaction.as_ref().is_some_and(|redaction| redaction.withheld) {
                continue;
            }
            let (added, after) = match &ruling.redaction {
                Some(kept) => (&kept.added, &kept.after),
                None => (&ruling.change.added, &ruling.change.after),
            };
            let masked = |text: &str| self.masked(text, patterns).into_owned();
            let new_added: Vec<Line> = added
                .iter()
                .map(|line| Line { number: line.number, text: masked(&line.text) })
                .collect();
            let new_after = match after {
                Content::Text(text) => Content::Text(masked(text)),
                other => other.clone(),
            };
            if touched || new_added != *added || new_after != *after {
                let rules = match &ruling.redaction {
                    Some(redaction) => redaction.rules.clone(),
                    None => self.ids(),
                };
                let redaction =
                    Redaction { rules, added: new_added, after: new_after, withheld: false };
                ruling.redaction = Some(redaction);
            }
        }
        for trouble in &mut decision.troubles {
            self.replace(trouble, patterns);
        }
    }

    fn mask_findings(&self, ruling: &mut Ruling, patterns: &[&Pattern]) -> bool {
        let mut touched = self.describing(&mut ruling.change, patterns);
        for finding in &mut ruling.findings {
            for spot in &mut finding.spots {
                if let Cow::Owned(text) = self.masked(&spot.text, patterns) {
                    spot.text = text;
                    spot.span = None;
                    touched = true;
                }
            }
            touched |= self.telling(finding, patterns);
        }
        touched
    }

    /// Makes the ruling about a change: its findings masked, and the change as it may be kept when
    /// there is a secret in it.
    #[must_use]
    pub fn ruling(&self, mut change: Change, mut findings: Vec<Finding>) -> Ruling {
        if self.rules.is_empty() && !self.withholds {
            return Ruling::of(change, findings, None);
        }
        let covering: Vec<&RedactingRule> =
            self.rules.iter().map(|rule| &**rule).filter(|rule| rule.covers(&change)).collect();
        let patterns = self.patterns(&covering);
        let hidden = self.withholds || covering.iter().any(|rule| rule.hides_files());
        let broken: Vec<&RedactingRule> = covering
            .into_iter()
            .filter(|rule| findings.iter().any(|found| found.rule == rule.id && found.objects()))
            .collect();
        for other in &change.others {
            self.secrets(&other.text, &patterns);
        }
        // A part of what the edit takes away may stay: the second half of a secret.
        for before in change.before.iter().flatten() {
            let after = change.after.text().unwrap_or_default();
            self.secrets(lines::removed(before, after), &patterns);
        }
        let masked = if hidden {
            self.learn_from(&change, &patterns);
            Masked::whole(&change)
        } else {
            let whole_lines = lines::of_calls(&findings, &broken, &change);
            Masked::of(
                &change,
                &whole_lines,
                |text| self.secrets(text, &patterns),
                |literal| {
                    self.pieces().add(literal);
                },
            )
        };
        let mut touched = masked.is_changed();
        for finding in &mut findings {
            for spot in &mut finding.spots {
                let text = match masked.line(spot.line, &spot.text) {
                    Some(text) => Cow::Owned(text.to_owned()),
                    None if hidden && spot.line > 0 && !spot.text.is_empty() => {
                        Cow::Owned(MASK.to_owned())
                    }
                    None => self.masked(&spot.text, &patterns),
                };
                if let Cow::Owned(text) = text {
                    spot.text = text;
                    spot.span = None;
                    touched = true;
                }
            }
            touched |= self.telling(finding, &patterns);
            let redacting = broken.iter().filter(|rule| rule.id == finding.rule);
            let calls: Vec<&str> = redacting.flat_map(|rule| &rule.calls).map(|it| &**it).collect();
            lines::mask_call_names(finding, &calls);
        }
        touched |= self.describing(&mut change, &patterns);
        if self.withholds {
            withhold_quotes(&mut change, &mut findings);
        }
        if broken.is_empty() && !touched && !self.withholds {
            return Ruling::of(change, findings, None);
        }
        let rules = match &broken[..] {
            // A secret that was there before: kept out of the store like any other.
            [] => self.ids(),
            broken => broken.iter().map(|rule| rule.id.clone()).collect(),
        };
        let (added, after) = masked.into_parts(&change);
        let redaction = Redaction { rules, added, after, withheld: self.withholds };
        Ruling::of(change, findings, Some(redaction))
    }

    /// Masks what a change says of itself; tells whether there was something to mask.
    fn describing(&self, change: &mut Change, patterns: &[&Pattern]) -> bool {
        let mut touched = false;
        let places = [Some(&mut change.place), change.moved_from.as_mut()];
        for place in places.into_iter().flatten() {
            touched |= self.replace_place(place, patterns);
        }
        let why = match &mut change.after {
            Content::Unknown(why) => Some(why),
            _ => None,
        };
        for text in [Some(&mut change.tool), change.unsure.as_mut(), why].into_iter().flatten() {
            touched |= self.replace(text, patterns);
        }
        touched
    }

    /// Masks what a finding says beside the lines; the words of the rule's author stay.
    fn telling(&self, finding: &mut Finding, patterns: &[&Pattern]) -> bool {
        let mut touched = false;
        for spot in &mut finding.spots {
            touched |= self.replace(&mut spot.what, patterns);
        }
        let own = matches!(finding.part, Part::Beside | Part::OwnFiles | Part::Instructions);
        let words = [Some(&mut finding.why), finding.instead.as_mut()];
        let words = words.into_iter().flatten().filter(|_| own);
        for text in finding.unknown.iter_mut().chain(words) {
            touched |= self.replace(text, patterns);
        }
        touched
    }

    fn replace_place(&self, place: &mut Place, patterns: &[&Pattern]) -> bool {
        let Cow::Owned(path) = self.masked(place.as_str(), patterns) else { return false };
        *place = match (&place, RepoPath::new(&path)) {
            (Place::Inside(_), Some(path)) => Place::Inside(path),
            _ => Place::Outside(path),
        };
        true
    }

    fn replace(&self, text: &mut String, patterns: &[&Pattern]) -> bool {
        match self.masked(text, patterns) {
            Cow::Borrowed(_) => false,
            Cow::Owned(masked) => {
                *text = masked;
                true
            }
        }
    }

    fn ids(&self) -> Vec<String> {
        let mut ids: Vec<String> = self.rules.iter().map(|rule| rule.id.clone()).collect();
        ids.dedup();
        ids
    }

    /// Returns the patterns that hold for a text: those of rules that cover its file, and those of
    /// any other that hold for any text.
    fn patterns(&self, covering: &[&RedactingRule]) -> Vec<&Pattern> {
        let covers =
            |rule: &RedactingRule| covering.iter().any(|covering| std::ptr::eq(*covering, rule));
        self.rules.iter().flat_map(|rule| rule.patterns.readable(covers(rule))).collect()
    }

    fn learn_from(&self, change: &Change, patterns: &[&Pattern]) {
        if let Content::Text(text) = &change.after {
            self.secrets(text, patterns);
        }
        let added: Vec<&str> = change.added.iter().map(|line| line.text.as_str()).collect();
        self.secrets(&added.join("\n"), patterns);
    }

    /// Masks a text, and pieces of what was found before.
    fn masked<'t>(&self, text: &'t str, patterns: &[&Pattern]) -> Cow<'t, str> {
        let secrets = self.secrets(text, patterns);
        let masked = lines::masked(text, &secrets);
        let found = self.pieces();
        let pieces = found.find(&masked);
        if pieces.is_empty() {
            return masked;
        }
        let secret = |range| Secret { range, headed: false };
        let pieces: Vec<Secret> = pieces.into_iter().map(secret).collect();
        Cow::Owned(lines::masked(&masked, &pieces).into_owned())
    }

    /// Finds the secrets of a text, in order and apart from one another, and remembers them.
    fn secrets(&self, text: &str, patterns: &[&Pattern]) -> Vec<Secret> {
        let live: Vec<&Pattern> =
            patterns.iter().copied().filter(|pattern| pattern.could_match(text)).collect();
        let blocks = if patterns.is_empty() { Vec::new() } else { blocks::blocks(text) };
        if live.is_empty() && blocks.is_empty() {
            return Vec::new();
        }
        let mut secrets = in_lines(text, &live, &self.budget);
        if let Some(joined) = Joined::of(text).filter(|_| !live.is_empty()) {
            let across =
                in_lines(&joined.text, &live, &self.budget).into_iter().filter_map(|secret| {
                    let range = joined.across(&secret.range)?;
                    Some(Secret { range, ..secret })
                });
            secrets.extend(across);
        }
        let mut found = self.pieces();
        for block in blocks {
            let meets = |secret: &Secret| {
                secret.range.start < block.range.end && block.range.start < secret.range.end
            };
            let heading =
                |pattern: &&Pattern| pattern.is_match(&block.heading, &self.budget) != Ok(false);
            if secrets.iter().any(meets) || patterns.iter().any(heading) {
                for run in &block.runs {
                    found.add(text.get(run.clone()).unwrap_or_default());
                }
                secrets.retain(|secret| !meets(secret));
                secrets.push(Secret { range: block.range, headed: true });
            }
        }
        let secrets = joined_up(secrets);
        for secret in secrets.iter().filter(|secret| secret.headed) {
            let text = text.get(secret.range.clone()).unwrap_or_default();
            if !text.contains("BEGIN ") {
                found.add(text);
            }
        }
        secrets
    }
}

/// Takes out what is quoted of a text that is withheld; the names of fields stay.
fn withhold_quotes(change: &mut Change, findings: &mut [Finding]) {
    let why = match &mut change.after {
        Content::Unknown(why) => Some(why),
        _ => None,
    };
    let rules_file = |finding: &&mut Finding| finding.part != Part::Checks;
    let unknown = findings.iter_mut().filter(rules_file).filter_map(|it| it.unknown.as_mut());
    for text in why.into_iter().chain(change.unsure.as_mut()).chain(unknown) {
        *text = without_quotes(text);
    }
}

/// Takes out what stands between backticks, but for the names of fields.
fn without_quotes(text: &str) -> String {
    let name = |part: &str| {
        part.len() <= 16 && part.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_')
    };
    let quoted = |(index, part): (usize, &str)| match index % 2 {
        1 if !name(part) => MASK.to_owned(),
        _ => part.to_owned(),
    };
    text.split('`').enumerate().map(quoted).collect::<Vec<_>>().join("`")
}

/// Finds what patterns match in each line; a line that one gives up on is secret as a whole.
fn in_lines(text: &str, patterns: &[&Pattern], budget: &Budget) -> Vec<Secret> {
    let mut secrets = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let body = line.strip_suffix('\n').unwrap_or(line);
        let body = body.strip_suffix('\r').unwrap_or(body);
        for pattern in patterns {
            let Ok(found) = pattern.find_all(body, budget) else {
                secrets.push(Secret { range: start..start + body.len(), headed: false });
                continue;
            };
            let place = |range: Range<usize>| start + range.start..start + range.end;
            let secret = |range| Secret { range: place(range), headed: true };
            secrets.extend(found.into_iter().map(secret));
        }
        start += line.len();
    }
    secrets
}

/// Sorts secrets, and makes one of those that overlap.
fn joined_up(mut secrets: Vec<Secret>) -> Vec<Secret> {
    secrets.sort_by_key(|secret| (secret.range.start, secret.range.end));
    let mut apart: Vec<Secret> = Vec::new();
    for secret in secrets {
        match apart.last_mut() {
            Some(last) if secret.range.start < last.range.end => {
                last.range.end = last.range.end.max(secret.range.end);
                last.headed &= secret.headed;
            }
            _ => apart.push(secret),
        }
    }
    apart
}
