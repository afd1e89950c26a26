//! How much work backtracking patterns may still do, counted so that the same input always gives
//! the same answer: no clock, no thread.
//!
//! The unit is a character that a search looks at, about 3 ns. What a search takes in its first few
//! steps is free, so ordinary lines never use a budget up, however many there are. A pattern that
//! needs more than is left is not tried again within the budget.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The budget of one file: about a second.
const FILE: u64 = 400_000_000;

/// The budget of one event, for all of its files: a hook answers long before its deadline.
const EVENT: u64 = 2 * FILE;

/// A budget. Copies share it.
#[derive(Clone, Debug)]
pub struct Budget(Arc<State>);

#[derive(Debug)]
struct State {
    left: AtomicU64,
    spent: AtomicU64,
    /// Some pattern was given up.
    short: AtomicBool,
    /// The patterns that were given up.
    given_up: Mutex<Vec<String>>,
}

impl Default for Budget {
    /// Returns the budget of one event.
    fn default() -> Self {
        Self::of(EVENT)
    }
}

impl Budget {
    /// The budget of one file where nothing else limits it.
    pub const FILE: u64 = FILE;

    /// Makes a budget of so many characters.
    #[must_use]
    pub fn of(left: u64) -> Self {
        Self(Arc::new(State {
            left: left.into(),
            spent: 0.into(),
            short: false.into(),
            given_up: Mutex::default(),
        }))
    }

    /// Returns the budget of the next file of an event.
    #[must_use]
    pub fn for_file(&self) -> Self {
        Self::of(self.left().min(FILE))
    }

    /// Charges this budget what was spent on a file of it.
    pub fn join(&self, file: &Self) {
        self.charge(file.spent());
        self.0.short.fetch_or(file.is_short(), Ordering::Relaxed);
    }

    /// Returns what was spent.
    #[must_use]
    pub fn spent(&self) -> u64 {
        self.0.spent.load(Ordering::Relaxed)
    }

    /// Returns true when a pattern was given up that a larger budget might have answered.
    #[must_use]
    pub fn is_short(&self) -> bool {
        self.0.short.load(Ordering::Relaxed)
    }

    fn left(&self) -> u64 {
        self.0.left.load(Ordering::Relaxed)
    }

    /// Returns true when a search of this price may begin; otherwise the pattern is given up.
    pub(super) fn affords(&self, price: u64, pattern: &str) -> bool {
        if self.is_short() && self.given_up(pattern) {
            return false;
        }
        let affords = price <= self.left();
        if !affords {
            self.0.short.store(true, Ordering::Relaxed);
            let mut given_up = self.0.given_up.lock().unwrap_or_else(PoisonError::into_inner);
            given_up.push(pattern.to_owned());
        }
        affords
    }

    fn given_up(&self, pattern: &str) -> bool {
        let given_up = self.0.given_up.lock().unwrap_or_else(PoisonError::into_inner);
        given_up.iter().any(|known| known == pattern)
    }

    pub(super) fn charge(&self, price: u64) {
        let left = self.left();
        self.0.left.store(left.saturating_sub(price), Ordering::Relaxed);
        self.0.spent.fetch_add(price.min(left), Ordering::Relaxed);
    }
}
