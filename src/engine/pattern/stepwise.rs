//! Searches with the backtracking engine: compiled for few steps first, and for more only when a
//! text needs them and the budget has them.

use super::{Budget, Pattern, TooHard};
use crate::domain::sanitize::excerpt;
use crate::engine::dialect::Engine;
use std::ops::Range;
use std::sync::{Arc, PoisonError};

/// How large one part of a pattern may be that the backtracking engine leaves to a linear one.
const PART_SIZE: usize = 1 << 20;

/// How many instructions a pattern for the backtracking engine may have.
const INSTRUCTIONS: usize = 50_000;

/// How often the backtracking engine may go back in one search: a million times take a tenth of a
/// second.
const STEPS: u64 = 1 << 20;

/// How many characters it may look at in one search. Each time it goes back, it may look at the
/// rest of the text, or even do so from every place of it.
const LOOKS: u64 = 200_000_000;

/// How often it may go back at least, as it seldom looks at all that it could.
const FEW_STEPS: u64 = 1_000;

/// How much more than [`LOOKS`] it could then look at, in the worst case.
const WORST: u64 = 10;

/// What going back once takes, beside the characters that are looked at then.
const STEP: u64 = 32;

/// What one search of a text may take without being charged.
const FREE: u64 = 1 << 14;

/// How often the engine may go back at the first try, at least and at most.
const FIRST: (u64, u64) = (1 << 4, 1 << 8);

/// How many times more often at each further try.
const FURTHER: u64 = 8;

/// What the backtracking engine is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Key {
    /// How it sees word boundaries.
    engine: Engine,
    /// It looks for matches that are not empty.
    not_empty: bool,
    /// How often it may go back: a power of two, so that there are few of them.
    steps: u64,
}

/// A pattern compiled for the backtracking engine; none when it can never match.
pub(super) type Compiled = Result<Option<Arc<fancy_regex::Regex>>, TooHard>;

/// One text in which a pattern is searched.
pub(super) struct Search<'p> {
    pattern: &'p Pattern,
    budget: &'p Budget,
    engine: Engine,
    not_empty: bool,
    /// How many characters may be looked at each time that the engine goes back.
    reach: u64,
    /// What is not charged.
    free: u64,
}

impl<'p> Search<'p> {
    pub(super) fn new(
        pattern: &'p Pattern,
        engine: Engine,
        text: &str,
        budget: &'p Budget,
    ) -> Result<Self, TooHard> {
        // What is spelled for the linear engine may be something that only it reads.
        let engine = if engine.is_linear() { Engine::Stepwise } else { engine };
        let reach = pattern.tree()?.reach(text.len().max(16)).max(1);
        Ok(Self { pattern, budget, engine, not_empty: false, reach, free: FREE })
    }

    pub(super) fn is_match(&mut self, text: &str) -> Result<bool, TooHard> {
        Ok(self.run(|regex| regex.is_match(text))?.unwrap_or(false))
    }

    /// Returns every match that is not empty, in order. With `not_empty`, where the engine would
    /// take an empty match it goes on to look for another at the same place.
    pub(super) fn find_all(
        &mut self,
        text: &str,
        not_empty: bool,
    ) -> Result<Vec<Range<usize>>, TooHard> {
        self.not_empty = not_empty;
        let mut ranges = Vec::new();
        let mut from = 0;
        while from <= text.len() {
            let found = self.run(|regex| {
                let found = regex.find_from_pos(text, from)?;
                Ok(found.map(|found| found.range()))
            })?;
            let Some(range) = found.flatten() else { break };
            from = range.end;
            if range.is_empty() {
                let next = text.get(from..).and_then(|rest| rest.chars().next());
                from += next.map_or(1, char::len_utf8);
            } else {
                ranges.push(range);
            }
            self.free = 0;
        }
        Ok(ranges)
    }

    /// Searches with more and more steps, until there is an answer or the end of what a search or
    /// the budget allows. Returns nothing when the pattern can never match.
    fn run<T>(
        &self,
        search: impl Fn(&fancy_regex::Regex) -> Result<T, fancy_regex::Error>,
    ) -> Result<Option<T>, TooHard> {
        let each = STEP.saturating_add(self.reach);
        let most = most(self.reach);
        let mut steps = lower_power(FREE / each).clamp(FIRST.0, FIRST.1);
        let (mut free, mut tried) = (self.free, 8);
        loop {
            steps = steps.min(most);
            // If never, one try alone could take too long.
            if steps == 0 {
                return Err(self.given_up());
            }
            let price = steps.saturating_mul(each);
            if !self.budget.affords(price.saturating_sub(free), &self.pattern.source) {
                return Err(self.given_up());
            }
            let key = Key { engine: self.engine, not_empty: self.not_empty, steps };
            let Some(regex) = self.pattern.stepwise(key)? else { return Ok(None) };
            match search(&regex) {
                Ok(found) => {
                    self.budget.charge((price / tried).saturating_sub(free));
                    return Ok(Some(found));
                }
                Err(_) => self.budget.charge(price.saturating_sub(free)),
            }
            if steps == most {
                return Err(self.given_up());
            }
            steps = steps.saturating_mul(FURTHER);
            (free, tried) = (0, 2);
        }
    }

    fn given_up(&self) -> TooHard {
        TooHard(format!(
            "`{}` was given up, as it takes too many steps: without look-around, references, \
             conditions, atomic and possessive parts it would need no limit",
            excerpt(&self.pattern.source)
        ))
    }
}

impl Pattern {
    /// Returns the pattern compiled for the backtracking engine.
    fn stepwise(&self, key: Key) -> Compiled {
        let mut known = self.stepwise.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, compiled)) = known.iter().find(|(of, _)| *of == key) {
            return compiled.clone();
        }
        let compiled = self.compile(key);
        known.push((key, compiled.clone()));
        compiled
    }

    fn compile(&self, key: Key) -> Compiled {
        let compiled = fancy_regex::RegexBuilder::new(&self.tree()?.spell(key.engine))
            .backtrack_limit(key.steps.try_into().unwrap_or(usize::MAX))
            .delegate_size_limit(PART_SIZE)
            .max_prog_size(INSTRUCTIONS)
            .find_not_empty(key.not_empty)
            .build();
        match compiled {
            Ok(regex) => Ok(Some(Arc::new(regex))),
            Err(fancy_regex::Error::CompileError(error)) => match *error {
                fancy_regex::CompileError::PatternCanNeverMatch => Ok(None),
                error => Err(self.not_compiled(&error)),
            },
            Err(error) => Err(self.not_compiled(&error)),
        }
    }
}

/// Returns how often the backtracking engine may go back in one search when it may look at `reach`
/// characters each time.
fn most(reach: u64) -> u64 {
    let few = FEW_STEPS.min(WORST * LOOKS / reach);
    lower_power((LOOKS / reach).max(few).min(STEPS))
}

/// Returns the largest power of two that is not larger.
fn lower_power(number: u64) -> u64 {
    number.checked_ilog2().map_or(0, |power| 1 << power)
}
