//! Which moment is it? Seconds since the Unix epoch, and how people write them, in UTC.

use std::fmt;
use std::str::FromStr;

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

    /// Returns the moment that is so many seconds earlier; none outside the years 1 to 9999.
    #[must_use]
    pub fn earlier(self, seconds: i64) -> Option<Self> {
        let micros = self.micros.checked_sub(seconds.checked_mul(SECOND)?)?;
        Self::within(micros)
    }

    fn within(micros: i64) -> Option<Self> {
        let date = date(micros.div_euclid(SECOND).div_euclid(DAY));
        (1..=9999).contains(&date.0).then_some(Self { micros })
    }

    /// Returns the moment that a day begins, by its number; see [`Utc::day`].
    #[must_use]
    pub fn of_day(day: i64) -> Option<Self> {
        Self::within(day.checked_mul(DAY * SECOND)?)
    }

    /// Returns the number of the day that it is in, counted from the first of the epoch.
    #[must_use]
    pub fn day(self) -> i64 {
        self.seconds().div_euclid(DAY)
    }

    /// Returns year, month and day.
    #[must_use]
    pub fn date(self) -> (i64, i64, i64) {
        date(self.day())
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

/// Why a text names no moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoMoment;

impl fmt::Display for NoMoment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a moment is written as in 2024-05-31T16:20:00Z")
    }
}

impl std::error::Error for NoMoment {}

/// Reads date and time with their distance from UTC, as RFC 3339 has them. A blank may stand for
/// the `T`; what is finer than a microsecond is dropped.
impl FromStr for Utc {
    type Err = NoMoment;

    fn from_str(text: &str) -> Result<Self, NoMoment> {
        read(text).ok_or(NoMoment)
    }
}

/// Reads a date, `2024-05-31`, as the moment that it begins.
#[must_use]
pub fn read_date(text: &str) -> Option<Utc> {
    let (year, rest) = text.split_once('-')?;
    let (month, day) = rest.split_once('-')?;
    Utc::of_date(digits(year, 4)?, digits(month, 2)?, digits(day, 2)?)
}

fn read(text: &str) -> Option<Utc> {
    let (date, rest) = text.split_at_checked(10)?;
    let rest = rest.strip_prefix(['T', 't', ' '])?;
    let (time, ahead) = if let Some(time) = rest.strip_suffix(['Z', 'z']) {
        (time, 0)
    } else {
        let (time, zone) = rest.split_at_checked(rest.rfind(['+', '-'])?)?;
        let sign = if zone.starts_with('-') { -1 } else { 1 };
        (time, sign * minutes(zone.get(1..)?)? * 60)
    };
    let (time, fraction) = match time.split_once('.') {
        None => (time, 0),
        Some((time, fraction)) => (time, micros(fraction)?),
    };
    let (minute, second) = time.rsplit_once(':')?;
    let second = digits(second, 2).filter(|second| *second <= 60)?;
    let seconds = minutes(minute)? * 60 + second - ahead;
    Utc::within(read_date(date)?.micros + seconds * SECOND + fraction)
}

/// Reads hours and minutes as minutes.
fn minutes(text: &str) -> Option<i64> {
    let (hour, minute) = text.split_once(':')?;
    let hour = digits(hour, 2).filter(|hour| *hour < 24)?;
    let minute = digits(minute, 2).filter(|minute| *minute < 60)?;
    Some(hour * 60 + minute)
}

/// Reads the digits behind a decimal point as microseconds.
fn micros(text: &str) -> Option<i64> {
    let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let digits: String = text.chars().chain("000000".chars()).take(6).collect();
    plain.then(|| digits.parse().ok())?
}

fn digits(text: &str, count: usize) -> Option<i64> {
    let plain = text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| text.parse().ok())?
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

    #[test]
    fn a_moment_is_read_wherever_its_clock_stood() {
        let table = [
            ("2023-11-14T22:13:20Z", 1_700_000_000_000_000),
            ("2023-11-14 23:43:20.25+01:30", 1_700_000_000_250_000),
            ("2023-11-14t17:13:20.0000019-05:00", 1_700_000_000_000_001),
            ("2016-12-31T23:59:60Z", 1_483_228_800_000_000),
        ];
        for (text, micros) in table {
            assert_eq!(text.parse::<Utc>().unwrap().micros(), micros, "{text}");
        }
        for text in [
            "",
            "2023-11-14",
            "2023-11-14T22:13:20",
            "2023-11-14T22:13Z",
            "2023-02-30T00:00:00Z",
            "2023-11-14T24:00:00Z",
            "2023-11-14T22:13:20.Z",
            "2023-11-14T22:13:+1Z",
            "0001-01-01T00:00:00+01:00",
            "2023-11-1é22:13:20Z",
        ] {
            assert_eq!(text.parse::<Utc>(), Err(NoMoment), "{text}");
        }
        assert_eq!(read_date("2024-02-29"), Utc::of_date(2024, 2, 29));
        assert_eq!(read_date("2024-2-29"), None);
    }

    #[test]
    fn what_is_earlier_stays_within_the_years() {
        let moment = Utc::from_seconds(90_000.5).unwrap();
        assert_eq!(moment.earlier(86_400), Utc::from_seconds(3600.5));
        assert_eq!((moment.day(), moment.earlier(i64::MAX)), (1, None));
    }
}
