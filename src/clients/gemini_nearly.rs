//! Which lines does Gemini CLI take for the ones that are to be replaced when they differ a
//! little?
//!
//! As many lines as the old text has are held against it, by the number of characters (UTF-16
//! units) that must be changed; white space counts a tenth. A tenth of the text's length may
//! differ, of short texts nothing may.

use super::gemini_edit::{Found, indent, indented, lines};
use super::javascript::{is_space, trim_end};

/// The shortest text that is looked for so, in units.
const SHORTEST: usize = 10;

/// The largest product of lines and the square of the text's length: the client does no more.
const MOST_WORK: usize = 400_000_000;

/// How much of the text may differ, and how much a difference in white space counts.
const TENTH: f64 = 0.1;

/// Replaces the lines that come nearest to `old`, the nearest first, where they do not overlap.
pub(super) fn replaced(text: &str, old: &str, new: &str) -> Option<Found> {
    let length = old.encode_utf16().count();
    let there = lines(text);
    if length < SHORTEST || there.len().saturating_mul(length.saturating_mul(length)) > MOST_WORK {
        return None;
    }
    let wanted = Text::of(&lines(old));
    let size = lines(old).len();
    let mut near: Vec<(f64, usize)> = there
        .windows(size.max(1))
        .enumerate()
        .filter_map(|(at, window)| Some((distance(&Text::of(window), &wanted)?, at)))
        .collect();
    near.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
    let mut chosen: Vec<usize> = Vec::new();
    for (_, at) in near {
        if chosen.iter().all(|other| other.abs_diff(at) >= size) {
            chosen.push(at);
        }
    }
    chosen.sort_unstable();
    let mut after = String::with_capacity(text.len());
    let mut next = 0;
    for at in &chosen {
        let window = there.get(*at..at + size).unwrap_or_default();
        after.extend(there.get(next..*at).unwrap_or_default().iter().copied());
        after.push_str(&indented(new, window.first().map_or("", |line| indent(line))));
        if window.last().is_some_and(|last| last.ends_with('\n')) {
            after.push('\n');
        }
        next = at + size;
    }
    after.extend(there.get(next..).unwrap_or_default().iter().copied());
    (!chosen.is_empty()).then_some(Found { text: after, times: chosen.len() })
}

/// Lines as they are compared, and the same without any white space.
struct Text {
    whole: Vec<u16>,
    dense: Vec<u16>,
}

impl Text {
    fn of(lines: &[&str]) -> Self {
        let whole = lines.iter().map(|line| trim_end(line)).collect::<Vec<_>>().join("\n");
        let dense: String = whole.chars().filter(|char| !is_space(*char)).collect();
        Self { whole: whole.encode_utf16().collect(), dense: dense.encode_utf16().collect() }
    }
}

/// Returns how far lines are from the wanted ones, in parts of their length, when that is near
/// enough.
fn distance(lines: &Text, wanted: &Text) -> Option<f64> {
    let length = wanted.whole.len();
    if length == 0 || lines.whole.len().abs_diff(length) > length {
        return None;
    }
    // Beyond this, no white space can bring them near enough; so far is never counted.
    let dense = changes(&lines.dense, &wanted.dense, length / 9 + 1)?;
    let whole = changes(&lines.whole, &wanted.whole, length + 1)?;
    let [dense, whole, length] = [dense, whole, length].map(as_float);
    let score = (dense + (whole - dense) * TENTH) / length;
    (score <= TENTH).then_some(score)
}

fn as_float(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::INFINITY, f64::from)
}

/// Returns how many units must be added, dropped or changed to make one text of the other; none
/// when they are more than `most`.
fn changes(one: &[u16], other: &[u16], most: usize) -> Option<usize> {
    if one.len().abs_diff(other.len()) > most {
        return None;
    }
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, unit) in one.iter().enumerate() {
        let (mut diagonal, mut left) = (at, at + 1);
        let mut least = left;
        let (first, cells) = row.split_first_mut()?;
        *first = left;
        for (cell, theirs) in cells.iter_mut().zip(other) {
            left = (diagonal + usize::from(unit != theirs)).min(left.min(*cell) + 1);
            diagonal = std::mem::replace(cell, left);
            least = least.min(left);
        }
        // No row below can hold less than the least of this one.
        if least > most {
            return None;
        }
    }
    row.last().copied().filter(|changes| *changes <= most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The textbook's table.
    fn slow(one: &[u16], other: &[u16]) -> usize {
        let mut table = vec![vec![0; other.len() + 1]; one.len() + 1];
        for at in 0..=one.len() {
            for to in 0..=other.len() {
                table[at][to] = if at == 0 || to == 0 {
                    at + to
                } else {
                    let changed = table[at - 1][to - 1] + usize::from(one[at - 1] != other[to - 1]);
                    changed.min(table[at - 1][to] + 1).min(table[at][to - 1] + 1)
                };
            }
        }
        table[one.len()][other.len()]
    }

    proptest! {
        #[test]
        fn changes_are_counted_as_in_the_textbook(
            one in "[ab]{0,9}", other in "[ab]{0,9}", most in 0_usize..10,
        ) {
            let [one, other] = [one, other].map(|text| text.encode_utf16().collect::<Vec<_>>());
            let wanted = Some(slow(&one, &other)).filter(|changes| *changes <= most);
            prop_assert_eq!(changes(&one, &other, most), wanted);
        }
    }
}
