//! How long, how large: amounts as people type them.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_as_people_type_them() {
        assert_eq!(seconds("90d"), Ok(7_776_000.0));
        assert_eq!((seconds("2w"), seconds("0s")), (Ok(1_209_600.0), Ok(0.0)));
        assert_eq!((bytes("50MB"), bytes("2 KiB"), bytes("7")), (Ok(50_000_000), Ok(2_048), Ok(7)));
        for wrong in ["", "d", "90", "-1d", "1.5d", "90 days", "é"] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
        for wrong in ["", "MB", "1.5MB", "1TB", "99999999999GB", "1é"] {
            assert!(bytes(wrong).is_err(), "{wrong}");
        }
    }
}
