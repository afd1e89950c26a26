//! Which rule, path or session was it? Counts by name, of a bounded number of names.

use super::period::{Days, Grain, Period};
use super::tally::Tally;
use crate::domain::{Utc, Verdict};
use std::cmp::Reverse;
use std::collections::HashMap;

/// How many names are told apart: some ten megabytes for each table.
const NAMES: usize = 50_000;

/// How many characters of a name are kept.
const NAME: usize = 300;

/// What came to pass under each name.
#[derive(Clone, Debug, Default)]
pub struct Table {
    tracks: HashMap<String, Track>,
    beyond: u64,
}

#[derive(Clone, Debug, Default)]
struct Track {
    tally: Tally,
    days: Days,
    times: Option<(Utc, Utc)>,
}

/// The names, the one with the most objections first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    /// A row for each name.
    pub rows: Vec<Row>,
    /// How many more decisions there were, under names that came when no more were taken.
    pub beyond: u64,
}

/// What came to pass under one name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// The name.
    pub name: String,
    /// The verdicts.
    pub tally: Tally,
    /// The first and the last decision.
    pub times: Option<(Utc, Utc)>,
    /// The periods in which there were some.
    pub periods: Vec<Period>,
}

impl Table {
    /// Counts a verdict under a name.
    pub fn add(&mut self, name: &str, time: Option<Utc>, verdict: Option<Verdict>) {
        let name = cut(name);
        if self.tracks.len() >= NAMES && !self.tracks.contains_key(&name) {
            self.beyond += 1;
            return;
        }
        let track = self.tracks.entry(name).or_default();
        track.tally.add(verdict);
        if let Some(time) = time {
            track.days.add(time, verdict);
            let (first, last) = track.times.get_or_insert((time, time));
            *first = time.min(*first);
            *last = time.max(*last);
        }
    }

    /// Returns the rows.
    pub fn rows(self, grain: Grain) -> Rows {
        let row = |(name, track): (String, Track)| Row {
            name,
            tally: track.tally,
            times: track.times,
            periods: track.days.periods(grain),
        };
        let mut rows: Vec<Row> = self.tracks.into_iter().map(row).collect();
        rows.sort_unstable_by(|one, other| {
            let key = |row: &Row| Reverse((row.tally.objections(), row.tally.total()));
            key(one).cmp(&key(other)).then_with(|| one.name.cmp(&other.name))
        });
        Rows { rows, beyond: self.beyond }
    }
}

/// Returns a name as it is kept: a store may hold names of megabytes.
pub fn cut(name: &str) -> String {
    match name.char_indices().nth(NAME) {
        None => name.to_owned(),
        Some((end, _)) => format!("{}…", name.get(..end).unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_noisiest_come_first() {
        let mut table = Table::default();
        for (name, verdict) in [
            ("quiet", Some(Verdict::Allow)),
            ("quiet", Some(Verdict::Allow)),
            ("quiet", Some(Verdict::Allow)),
            ("b", Some(Verdict::Warn)),
            ("a", Some(Verdict::Deny)),
            ("loud", None),
            ("loud", Some(Verdict::Ask)),
        ] {
            table.add(name, None, verdict);
        }
        let rows = table.rows(Grain::Day);
        let names: Vec<&str> = rows.rows.iter().map(|row| row.name.as_str()).collect();
        assert_eq!(names, ["loud", "a", "b", "quiet"]);
    }

    #[test]
    fn names_are_kept_within_bounds() {
        let mut table = Table::default();
        for number in 0..NAMES + 2 {
            table.add(&number.to_string(), None, Some(Verdict::Allow));
        }
        table.add("0", None, Some(Verdict::Allow));
        let rows = table.rows(Grain::Day);
        assert_eq!((rows.rows.len(), rows.beyond), (NAMES, 2));
        assert_eq!(cut(&"é".repeat(301)).chars().count(), 301);
        assert_eq!(cut(&"é".repeat(300)), "é".repeat(300));
    }
}
