//! When was it? Days, weeks from Monday, or months, in UTC: the finest that still fits a screen.

use super::tally::Tally;
use crate::domain::{Utc, Verdict};
use std::collections::BTreeMap;

/// The longest time that is told in days, and in weeks, in days.
const IN_DAYS: i64 = 31;
const IN_WEEKS: i64 = 7 * 53;

/// The most periods between the first and the last of which also the empty ones are told.
const FILLED: i64 = 120;

/// How long a period is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Grain {
    /// A day.
    #[default]
    Day,
    /// A week, from Monday.
    Week,
    /// A month.
    Month,
}

/// What was decided in one period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period {
    /// The day that it begins.
    pub start: Utc,
    /// The verdicts.
    pub tally: Tally,
}

impl Grain {
    /// Returns the grain for a time of so many days.
    #[must_use]
    pub fn of(days: i64) -> Self {
        if days <= IN_DAYS {
            Self::Day
        } else if days <= IN_WEEKS {
            Self::Week
        } else {
            Self::Month
        }
    }

    /// Returns the word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
        }
    }

    /// Returns the first day of the period that a day is in.
    fn start(self, day: i64) -> i64 {
        match self {
            Self::Day => day,
            // The epoch began on a Thursday.
            Self::Week => day - (day + 3).rem_euclid(7),
            Self::Month => Utc::of_day(day).map_or(day, |moment| day - moment.date().2 + 1),
        }
    }

    /// Returns the first day of the period after the one that begins on a day.
    fn next(self, start: i64) -> i64 {
        match self {
            Self::Day => start + 1,
            Self::Week => start + 7,
            Self::Month => self.start(start + 31),
        }
    }

    /// Returns about how many periods so many days are.
    fn count(self, days: i64) -> i64 {
        match self {
            Self::Day => days,
            Self::Week => days / 7,
            Self::Month => days / 30,
        }
    }
}

/// The verdicts of each day that has some.
#[derive(Clone, Debug, Default)]
pub struct Days(BTreeMap<i64, Tally>);

impl Days {
    /// Counts a verdict.
    pub fn add(&mut self, moment: Utc, verdict: Option<Verdict>) {
        self.0.entry(moment.day()).or_default().add(verdict);
    }

    /// Returns how many days there are from the first to the last.
    pub fn span(&self) -> i64 {
        let ends = self.0.first_key_value().zip(self.0.last_key_value());
        ends.map_or(0, |((first, _), (last, _))| last - first + 1)
    }

    /// Returns the periods in which something was decided.
    pub fn periods(&self, grain: Grain) -> Vec<Period> {
        periods(&self.summed(grain))
    }

    /// Returns all periods from the first to the last; of very many only those in which something
    /// was decided.
    pub fn all_periods(&self, grain: Grain) -> Vec<Period> {
        let mut sums = self.summed(grain);
        let ends = sums.first_key_value().zip(sums.last_key_value());
        let Some(((&first, _), (&last, _))) = ends else { return Vec::new() };
        if grain.count(last - first) <= FILLED {
            let mut start = first;
            while start < last {
                sums.entry(start).or_default();
                start = grain.next(start);
            }
        }
        periods(&sums)
    }

    fn summed(&self, grain: Grain) -> BTreeMap<i64, Tally> {
        let mut sums: BTreeMap<i64, Tally> = BTreeMap::new();
        for (day, tally) in &self.0 {
            sums.entry(grain.start(*day)).or_default().join(tally);
        }
        sums
    }
}

fn periods(sums: &BTreeMap<i64, Tally>) -> Vec<Period> {
    let period = |(start, tally): (&i64, &Tally)| Some((Utc::of_day(*start)?, *tally));
    sums.iter().filter_map(period).map(|(start, tally)| Period { start, tally }).collect()
}

/// Writes the date of a moment.
pub fn date(moment: Utc) -> String {
    let (year, month, day) = moment.date();
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn days(dates: &[(i64, i64, i64)]) -> Days {
        let mut days = Days::default();
        for (year, month, day) in dates {
            days.add(Utc::of_date(*year, *month, *day).unwrap(), Some(Verdict::Ask));
        }
        days
    }

    fn starts(periods: &[Period]) -> Vec<(String, u64)> {
        periods.iter().map(|period| (date(period.start), period.tally.asked)).collect()
    }

    fn expected(starts: &[(&str, u64)]) -> Vec<(String, u64)> {
        starts.iter().map(|(date, count)| ((*date).to_owned(), *count)).collect()
    }

    #[test]
    fn periods_begin_where_calendars_say() {
        let days = days(&[(2024, 1, 31), (2024, 2, 4), (2024, 2, 5), (2024, 4, 30)]);
        assert_eq!(days.span(), 91);
        let weeks = [("2024-01-29", 2), ("2024-02-05", 1), ("2024-04-29", 1)];
        assert_eq!(starts(&days.periods(Grain::Week)), expected(&weeks));
        let months = [("2024-01-01", 1), ("2024-02-01", 2), ("2024-03-01", 0), ("2024-04-01", 1)];
        assert_eq!(starts(&days.all_periods(Grain::Month)), expected(&months));
        assert_eq!(days.all_periods(Grain::Day).len(), 91);
    }

    #[test]
    fn a_time_of_centuries_is_not_filled() {
        let days = days(&[(1, 1, 1), (9999, 12, 31)]);
        assert_eq!(Grain::of(days.span()), Grain::Month);
        for grain in [Grain::Day, Grain::Week, Grain::Month] {
            assert_eq!(days.all_periods(grain).len(), 2);
        }
        assert!(Days::default().all_periods(Grain::Day).is_empty());
    }
}
