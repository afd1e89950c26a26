//! A stored decision is judged once more, by the rules that are wanted.
//!
//! The rules are read once for each moment, and their patterns at the first change that meets
//! them; after that many records can be judged at once.

use super::super::failure::Failure;
use super::super::rule_sources::{RULES_FILES, RuleSource};
use crate::domain::{Change, Finding, Moment, Place, Ruling, Standing, Verdict};
use crate::engine::pattern::Budget;
use crate::engine::rules::{Only, Rulebook};
use crate::engine::{self, Judge, redaction::Redactor, tripwire::Tripwire};
use crate::store::differ::{self, Difference, How};
use crate::store::replay::{self, Given, Lack};
use crate::store::stored::Stored;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Under this name records tell of rules that could not be read.
const BROKEN: &str = crate::domain::checks::RULES_FILE;

/// How many folders are remembered.
const FOLDERS: usize = 10_000;

/// The rules, one book for each moment.
pub struct Books {
    /// How messages name them.
    pub name: String,
    each: Vec<(Moment, Rulebook)>,
    root: PathBuf,
    // By the folder of a file: the repository of its own that judged it too, where there is one.
    nested: Mutex<HashMap<String, Option<String>>>,
}

/// What judging a record once more came to.
pub struct Replayed {
    /// What was given.
    pub given: Given,
    /// What was decided.
    pub ruling: Ruling,
    /// The verdict that its steps lead to.
    pub verdict: Verdict,
    /// The steps that differ.
    pub differences: Vec<Difference>,
}

/// Why a record is not replayed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum Not {
    /// The record does not hold what is needed.
    #[error(transparent)]
    Lack(#[from] Lack),
    /// Other rules judged too.
    #[error("rules of the repository in `{0}` judged it too; audit it there")]
    Nested(String),
}

impl Books {
    /// Reads the rules.
    pub fn read(source: &RuleSource, root: &Path) -> Result<Self, Failure> {
        let book = |moment| {
            let mut book = source.load()?;
            book.keep_for(moment);
            Ok((moment, book))
        };
        Ok(Self {
            name: source.name().into_owned(),
            each: Moment::ALL.into_iter().map(book).collect::<Result<_, Failure>>()?,
            root: root.to_owned(),
            nested: Mutex::default(),
        })
    }

    /// Returns what the rules redact.
    pub fn redactor(&self) -> Redactor {
        self.each.first().map(|(_, book)| Redactor::from(book)).unwrap_or_default()
    }

    /// Judges a record once more.
    pub fn replay(&self, record: &Stored) -> Result<Replayed, Not> {
        let given = replay::given(record)?;
        if let Some(folder) = self.nested(record, &given.change) {
            return Err(Not::Nested(folder));
        }
        let own = Recorded(given.own_files.as_ref());
        let book = self.book(given.moment);
        let mut judges: Vec<&dyn Judge> = book.into_iter().map(|book| book as &dyn Judge).collect();
        if given.instruction_check {
            judges.push(&Tripwire);
        }
        judges.push(&own);
        let redactor = book.map(Redactor::from).unwrap_or_default();
        let decision = engine::decide(vec![given.change.clone()], &judges, &redactor);
        let ruling = decision.rulings.into_iter().next();
        let ruling = ruling.unwrap_or_else(|| Ruling::of(given.change.clone(), Vec::new(), None));
        let (verdict, differences) = differ::differences(record, &given, &ruling);
        if given.change.standing == Standing::Unknown
            && let Some(rule) = differences.iter().find_map(|it| self.limited(it, given.moment))
        {
            return Err(Lack::Standing(rule.to_owned()).into());
        }
        Ok(Replayed { given, ruling, verdict, differences })
    }

    fn book(&self, moment: Moment) -> Option<&Rulebook> {
        self.each.iter().find(|(of, _)| *of == moment).map(|(_, book)| book)
    }

    /// Returns the rule that differs, when it is limited to files that git tracks, or does not.
    fn limited<'a>(&self, difference: &'a Difference, moment: Moment) -> Option<&'a str> {
        let id = difference.rule.as_deref()?;
        let rule = self.book(moment)?.rules.iter().find(|rule| rule.id == id)?;
        (rule.only != Only::Any).then_some(id)
    }

    /// Returns the folder of a repository inside the project that a file belongs to, when that
    /// has rules of its own: our hook has asked them too.
    fn nested(&self, record: &Stored, change: &Change) -> Option<String> {
        let Place::Inside(path) = &change.place else { return None };
        record.at(&["meta", "solvi_hook"])?;
        let (folder, _) = path.as_str().rsplit_once('/')?;
        let mut known = self.nested.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get(folder) {
            return known.clone();
        }
        let has_rules = |folder: &str| {
            let folder = self.root.join(folder);
            folder.join(".git").exists() && RULES_FILES.iter().any(|it| folder.join(it).exists())
        };
        let ends = folder.match_indices('/').map(|(at, _)| at).chain([folder.len()]);
        let mut above = ends.filter_map(|end| folder.get(..end));
        let found = above.find(|above| has_rules(above)).map(ToOwned::to_owned);
        if known.len() >= FOLDERS {
            known.clear();
        }
        known.insert(folder.to_owned(), found.clone());
        found
    }

    /// Tells in a sentence how a step differs, and why.
    #[must_use]
    pub fn why(&self, difference: &Difference, replayed: &Replayed) -> String {
        let Replayed { given, .. } = replayed;
        let (before, after) = (difference.before.word(), difference.after.word());
        match (&difference.how, &difference.rule) {
            (How::Gone, Some(rule)) => self.gone(rule, given),
            (How::Gone, None) => "this judge has nothing to say about it now".to_owned(),
            (How::New, Some(rule)) if given.moment == Moment::Edit => {
                format!("rule `{rule}` did not judge it then, and says {after} now")
            }
            (How::New, rule) => {
                let who =
                    rule.as_deref().map_or("this judge".to_owned(), |it| format!("rule `{it}`"));
                format!("{who} had nothing to say about it then, and says {after} now")
            }
            (How::Lines { before: then, after: now }, _) if then == now => {
                format!("other lines are found than then ({now}); {before} then, {after} now")
            }
            (How::Lines { before: then, after: now }, _) => {
                format!("{then} found then, {now} found now; {before} then, {after} now")
            }
            (How::Blind(why), _) => format!("it was checked then, and cannot be now: {why}"),
            (How::WasBlind(why), _) => format!("it could not be checked then: {why}"),
            (How::Verdict, _) => {
                format!("the same is found; it led to {before} then, and leads to {after} now")
            }
            (How::Hash, _) => "its hash is not that of what it says".to_owned(),
            (How::Answer { before, after }, _) => {
                format!("the steps lead to `{after}`, and the record says `{before}`")
            }
        }
    }

    fn gone(&self, rule: &str, given: &Given) -> String {
        if rule == BROKEN {
            return "the rules could not be read then, and can be now".to_owned();
        }
        let place = given.change.place.as_str();
        let found = |book: &Rulebook| book.rules.iter().any(|it| it.id == rule);
        let covers =
            |book: &Rulebook| book.rules.iter().any(|it| it.id == rule && it.covers(place));
        match self.book(given.moment) {
            Some(book) if covers(book) => {
                format!("rule `{rule}` covers the path, and has nothing to say about it now")
            }
            Some(book) if found(book) => format!("rule `{rule}` does not cover the path any more"),
            _ if self.each.iter().any(|(_, book)| found(book)) => {
                format!("rule `{rule}` is not for this moment any more (`on`)")
            }
            _ => format!("rule `{rule}` is not in {}", self.name),
        }
    }
}

impl Replayed {
    /// Tells whether the verdict is another one than that of the record.
    #[must_use]
    pub fn flips(&self) -> bool {
        self.verdict != self.given.verdict
    }
}

/// Says again what the record says about files of the guard itself.
struct Recorded<'a>(Option<&'a Finding>);

impl Judge for Recorded<'_> {
    fn look(&self, _: &Change, _: &Budget) -> Vec<Finding> {
        self.0.into_iter().cloned().collect()
    }
}
