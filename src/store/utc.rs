//! Which moment is it? Seconds since the Unix epoch, and how people write them, in UTC.

use std::fmt;

/// A moment, to the microsecond.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Utc {
    // Since the Unix epoch; within the years 1 to 9999.
    micros: i64,
}

const SECOND: i64 = 1_000_000;
const DAY: i64 = 86_400;

/// The first second of the year 1, and the first of the year 10,000.
const FIRST: f64 = -62_135_596_800.0;
const LAST: f64 = 253_402_300_800.0;

impl Utc {
    /// Returns the moment that is so many seconds after the Unix epoch; none outside the years
    /// 1 to 9999.
    #[must_use]
    pub fn from_seconds(seconds: f64) -> Option<Self> {
        if !(FIRST..LAST).contains(&seconds) {
            return None;
        }
        #[expect(clippy::cast_possible_truncation, reason = "the range was checked")]
        let micros = (seconds * 1e6).floor() as i64;
        Some(Self { micros })
    }

    /// Returns whole seconds since the Unix epoch.
    #[must_use]
    pub fn seconds(self) -> i64 {
        self.micros.div_euclid(SECOND)
    }

    /// Returns the microseconds since the Unix epoch.
    #[must_use]
    pub fn micros(self) -> i64 {
        self.micros
    }

    /// Returns the moment that a day begins, by its date; none when there is no such day.
    #[must_use]
    pub fn of_date(year: i64, month: i64, day: i64) -> Option<Self> {
        let there = (1..=9999).contains(&year) && (1..=12).contains(&month) && day >= 1;
        let days = days(year, month, day);
        (there && date(days) == (year, month, day)).then(|| Self { micros: days * DAY * SECOND })
    }

    /// Returns year, month and day.
    #[must_use]
    pub fn date(self) -> (i64, i64, i64) {
        date(self.seconds().div_euclid(DAY))
    }
}

/// Writes date and time to the second, as RFC 3339 has them: `2023-11-14T22:13:20Z`.
impl fmt::Display for Utc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = self.date();
        let second = self.seconds().rem_euclid(DAY);
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
    }
}

// A year is counted from March, so that the day that comes and goes is its last. 400 such years
// have 146,097 days, and the months before one take (153 * month + 2) / 5 of them.

/// Returns how many days after the epoch a date is.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leaps = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    // 719,468 days lie between the first of March of the year 0 and the epoch.
    365 * year + leaps + (153 * month + 2) / 5 + day - 1 - 719_468
}

/// Returns the date of a day that is given by its number after the epoch.
fn date(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (cycle, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    // The years of a cycle that are over: every 4th has a day more, but every 100th, but the 400th.
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let year = cycle * 400 + year;
    if month < 10 { (year, month + 3, day) } else { (year + 1, month - 9, day) }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn moments_are_written_in_utc() {
        let table = [
            (0.0, "1970-01-01T00:00:00Z"),
            (-0.5, "1969-12-31T23:59:59Z"),
            (951_826_554.9, "2000-02-29T12:15:54Z"),
            (1_700_000_000.25, "2023-11-14T22:13:20Z"),
            (4_107_542_400.0, "2100-03-01T00:00:00Z"),
            (FIRST, "0001-01-01T00:00:00Z"),
            (LAST - 1.0, "9999-12-31T23:59:59Z"),
        ];
        for (seconds, written) in table {
            assert_eq!(Utc::from_seconds(seconds).unwrap().to_string(), written);
        }
        for seconds in [f64::NAN, f64::INFINITY, LAST, -1e300] {
            assert_eq!(Utc::from_seconds(seconds), None);
        }
    }

    #[test]
    fn every_day_has_its_date() {
        for day in -720_000..2_900_000 {
            let (year, month, date) = date(day);
            assert_eq!(days(year, month, date), day);
        }
        assert_eq!(Utc::of_date(2024, 2, 29).unwrap().seconds(), 1_709_164_800);
        for (year, month, day) in [(2023, 2, 29), (2023, 13, 1), (2023, 4, 31), (0, 1, 1)] {
            assert_eq!(Utc::of_date(year, month, day), None);
        }
    }
}
