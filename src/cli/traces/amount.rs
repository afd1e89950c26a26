//! How long, how large, since when: amounts as people type them.

use crate::store::utc::Utc;

/// Reads a span of time (`90d`, `12h`, `2w`) as seconds.
pub fn seconds(text: &str) -> Result<f64, String> {
    let units = [("w", 604_800.0), ("d", 86_400.0), ("h", 3_600.0), ("m", 60.0), ("s", 1.0)];
    let span = units.into_iter().find_map(|(unit, seconds)| {
        let number = text.strip_suffix(unit)?.parse::<u32>().ok()?;
        Some(f64::from(number) * seconds)
    });
    span.ok_or_else(|| "a whole number and w, d, h, m or s is expected, like 90d".to_owned())
}

/// Reads a size (`50MB`, `512KiB`, `1000`) as bytes.
pub fn bytes(text: &str) -> Result<u64, String> {
    let wrong = || "a whole number of bytes, KB, MB, GB, KiB, MiB or GiB is expected".to_owned();
    let end = text.find(|char: char| !char.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at_checked(end).ok_or_else(wrong)?;
    let factor = match unit.trim_start().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kb" => 1_000,
        "m" | "mb" => 1_000_000,
        "g" | "gb" => 1_000_000_000,
        "kib" => 1 << 10,
        "mib" => 1 << 20,
        "gib" => 1 << 30,
        _ => return Err(wrong()),
    };
    number.parse::<u64>().ok().and_then(|number| number.checked_mul(factor)).ok_or_else(wrong)
}

/// A moment: one that is said, or one that is some time ago.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum When {
    /// Seconds since the Unix epoch.
    At(f64),
    /// Seconds before now.
    Ago(f64),
}

impl When {
    /// Reads a day (`2026-01-31`, its beginning in UTC), seconds since the Unix epoch, or how long
    /// ago it is (`7d`).
    pub fn read(text: &str) -> Result<Self, String> {
        if let Ok(ago) = seconds(text) {
            return Ok(Self::Ago(ago));
        }
        if let Some(at) = text.parse::<f64>().ok().filter(|at| at.is_finite()) {
            return Ok(Self::At(at));
        }
        let mut parts = text.split('-').map(|part| part.parse::<i64>().ok());
        let day = match [parts.next(), parts.next(), parts.next(), parts.next()] {
            [Some(Some(year)), Some(Some(month)), Some(Some(day)), None] => {
                Utc::of_date(year, month, day)
            }
            _ => None,
        };
        let day = day.ok_or("a day (2026-01-31), seconds since 1970 or a span (7d) is expected")?;
        #[expect(clippy::cast_precision_loss, reason = "a day is few enough seconds")]
        Ok(Self::At(day.seconds() as f64))
    }

    /// Returns the moment in seconds since the Unix epoch.
    pub fn from(self, now: f64) -> f64 {
        match self {
            Self::At(at) => at,
            Self::Ago(ago) => now - ago,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_as_people_type_them() {
        assert_eq!(seconds("90d"), Ok(7_776_000.0));
        assert_eq!((seconds("2w"), seconds("0s")), (Ok(1_209_600.0), Ok(0.0)));
        assert_eq!((bytes("50MB"), bytes("2 KiB"), bytes("7")), (Ok(50_000_000), Ok(2_048), Ok(7)));
        assert_eq!(When::read("1970-01-02"), Ok(When::At(86_400.0)));
        assert_eq!(When::read("1.5"), Ok(When::At(1.5)));
        assert_eq!(When::read("1d").map(|when| when.from(86_401.0)), Ok(1.0));
        for wrong in ["", "d", "90", "-1d", "1.5d", "90 days", "é"] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
        for wrong in ["", "MB", "1.5MB", "1TB", "99999999999GB", "1é"] {
            assert!(bytes(wrong).is_err(), "{wrong}");
        }
        for wrong in ["", "2026-02-30", "2026-01", "2026-01-01-01", "nan", "yesterday"] {
            assert!(When::read(wrong).is_err(), "{wrong}");
        }
    }
}
