//! How long is a bar? A count's share of the largest, split by verdict.

use super::tally::Tally;

/// The words of a tally's parts as a bar shows them: the strictest first, so that it is never
/// rounded away.
pub const ORDER: [&str; 5] = ["denied", "asked", "unrated", "warned", "allowed"];

/// Splits a bar of at most `width` cells among the parts of a tally, in the order of [`ORDER`];
/// `largest` is the total that fills it.
pub fn cells(tally: &Tally, largest: u64, width: u64) -> [(&'static str, u64); 5] {
    let total = tally.total();
    let whole = share(total, width, largest);
    let parts = tally.parts();
    let (mut seen, mut used) = (0, 0);
    ORDER.map(|word| {
        seen += parts.iter().find(|(part, _)| *part == word).map_or(0, |(_, count)| *count);
        let end = share(seen, whole, total);
        let cells = end - used;
        used = end;
        (word, cells)
    })
}

/// Returns `count / whole` of a width, rounded up.
fn share(count: u64, width: u64, whole: u64) -> u64 {
    let share = (u128::from(count) * u128::from(width)).div_ceil(u128::from(whole.max(1)));
    u64::try_from(share).unwrap_or(width).min(width)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strictest_is_never_rounded_away_and_the_bar_never_too_long() {
        let tally = Tally { allowed: 10_000, warned: 3, denied: 1, ..Tally::default() };
        let lengths = |tally: &Tally, largest| cells(tally, largest, 10).map(|(_, cells)| cells);
        assert_eq!(lengths(&tally, tally.total()), [1, 0, 0, 0, 9]);
        assert_eq!(lengths(&tally, u64::MAX), [1, 0, 0, 0, 0]);
        assert_eq!(lengths(&Tally::default(), 0), [0; 5]);
        let even = Tally { allowed: 1, warned: 1, asked: 1, denied: 1, unrated: 1 };
        assert_eq!(lengths(&even, 5), [2; 5]);
    }
}
