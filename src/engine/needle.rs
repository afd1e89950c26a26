//! Which literals does every match of a pattern contain?
//!
//! Compiling a pattern costs some hundred times what parsing it does, and most texts lack what
//! it looks for. So a text is first searched for the pattern's needles: literals of which any
//! match contains at least one. Patterns that *are* their needles are never compiled.

use regex_syntax::hir::{Class, ClassUnicode, Hir, HirKind};
use std::borrow::Cow;

/// How many needles are worth looking for, one after the other.
const MOST: usize = 16;

/// How long a needle may grow, in bytes.
const LONG: usize = 64;

/// Characters outside of ASCII that are some letter of ASCII in another case. In a text with one
/// of them, needles of any case prove nothing.
const STRANGE_CASES: [char; 4] = ['\u{130}', '\u{131}', '\u{17F}', '\u{212A}'];

/// The needles of a pattern.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Needles {
    /// None when nothing is known.
    needles: Vec<Needle>,
    /// Each is a match, and there are no others.
    whole: bool,
}

/// What the needles tell about a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sight {
    /// No match.
    Nothing,
    /// Perhaps a match.
    Perhaps,
    /// A match.
    Match,
}

impl Needles {
    /// Finds the needles of a pattern.
    #[must_use]
    pub fn of(pattern: &Hir) -> Self {
        let found = study(pattern);
        let whole = found.exact.is_some() && pattern.properties().look_set().is_empty();
        let strings = found.needed().unwrap_or_default();
        let whole = whole && strings.iter().all(|string| string.case != Case::Mixed);
        Self { needles: strings.into_iter().map(Needle::new).collect(), whole }
    }

    /// Takes needles that were found before: their text (in lower case where the case does not
    /// matter) and whether any case counts; `whole` says that each is a match.
    #[must_use]
    pub fn known(needles: &'static [(&'static str, bool)], whole: bool) -> Self {
        let needle = |(text, any_case): &(&'static str, bool)| {
            Needle::of_bytes(text.as_bytes().into(), *any_case)
        };
        Self { needles: needles.iter().map(needle).collect(), whole }
    }

    /// Returns what [`Needles::known`] takes.
    #[cfg(test)]
    #[must_use]
    pub fn parts(&self) -> (Vec<(&str, bool)>, bool) {
        let mut parts = Vec::new();
        for needle in &self.needles {
            let text = std::str::from_utf8(&needle.bytes).unwrap_or_default();
            parts.push((text, needle.any_case));
        }
        (parts, self.whole)
    }

    /// Looks for the needles.
    #[must_use]
    pub fn look(&self, text: &str) -> Sight {
        if self.needles.is_empty() {
            return Sight::Perhaps;
        }
        if self.needles.iter().any(|needle| needle.is_in(text.as_bytes())) {
            return if self.whole { Sight::Match } else { Sight::Perhaps };
        }
        let strange = || !text.is_ascii() && text.contains(STRANGE_CASES);
        if self.needles.iter().any(|needle| needle.any_case) && strange() {
            return Sight::Perhaps;
        }
        Sight::Nothing
    }
}

/// One needle.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Needle {
    /// In lower case, if the case does not matter.
    bytes: Cow<'static, [u8]>,
    any_case: bool,
    /// Where the byte stands that is looked for first.
    rare: usize,
}

impl Needle {
    fn new(string: Exact) -> Self {
        let any_case = matches!(string.case, Case::Any | Case::Mixed);
        let mut bytes = string.text.into_bytes();
        if any_case {
            bytes.make_ascii_lowercase();
        }
        Self::of_bytes(bytes.into(), any_case)
    }

    fn of_bytes(bytes: Cow<'static, [u8]>, any_case: bool) -> Self {
        let rare = bytes.iter().enumerate().max_by_key(|(_, byte)| rarity(**byte));
        let rare = rare.map_or(0, |(index, _)| index);
        Self { bytes, any_case, rare }
    }

    fn is_in(&self, text: &[u8]) -> bool {
        let Some(&rare) = self.bytes.get(self.rare) else { return true };
        let Some(last) = text.len().checked_sub(self.bytes.len()) else { return false };
        // The rare byte can only stand where the needle around it fits in.
        let Some(places) = text.get(self.rare..=last + self.rare) else { return false };
        let fits = |place: usize| {
            text.get(place..place + self.bytes.len()).is_some_and(|found| {
                if self.any_case {
                    found.eq_ignore_ascii_case(&self.bytes)
                } else {
                    found == &*self.bytes
                }
            })
        };
        if self.any_case && rare.is_ascii_alphabetic() {
            memchr::memchr2_iter(rare, rare.to_ascii_uppercase(), places).any(fits)
        } else {
            memchr::memchr_iter(rare, places).any(fits)
        }
    }
}

/// Returns how seldom a byte occurs in code and prose.
fn rarity(byte: u8) -> usize {
    const COMMON: &[u8] = b" etaoinsrldcpumf_.hg(),=b\"y-";
    COMMON.iter().position(|&common| common == byte).unwrap_or(COMMON.len())
}

/// Which case a string may be in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Case {
    /// It has no letters of ASCII.
    None,
    AsWritten,
    Any,
    /// Some letters as written, some in any case.
    Mixed,
}

impl Case {
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (case, Self::None) | (Self::None, case) => case,
            (one, other) if one == other => one,
            _ => Self::Mixed,
        }
    }
}

/// One string that a part matches.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Exact {
    text: String,
    case: Case,
}

impl Exact {
    fn new(text: &str) -> Self {
        let letters = text.bytes().any(|byte| byte.is_ascii_alphabetic());
        let case = if letters { Case::AsWritten } else { Case::None };
        Self { text: text.to_owned(), case }
    }

    fn then(&self, next: &Self) -> Self {
        Self { text: format!("{}{}", self.text, next.text), case: self.case.and(next.case) }
    }
}

/// What is known about a part of a pattern.
#[derive(Default)]
struct Found {
    /// All strings that it matches, when they are few.
    exact: Option<Vec<Exact>>,
    /// Strings of which each match contains one, when `exact` is unknown.
    needed: Option<Vec<Exact>>,
}

impl Found {
    fn exact(strings: Vec<Exact>) -> Self {
        Self { exact: Some(strings), needed: None }
    }

    fn needed(self) -> Option<Vec<Exact>> {
        let strings = self.exact.or(self.needed)?;
        (worth(&strings) > 0).then_some(strings)
    }
}

/// Returns how much a set of needles tells: the length of the shortest.
fn worth(strings: &[Exact]) -> usize {
    strings.iter().map(|string| string.text.len()).min().unwrap_or(0)
}

fn study(pattern: &Hir) -> Found {
    match pattern.kind() {
        HirKind::Empty | HirKind::Look(_) => Found::exact(vec![Exact::new("")]),
        HirKind::Literal(literal) => match std::str::from_utf8(&literal.0) {
            Ok(text) => Found::exact(vec![Exact::new(text)]),
            Err(_) => Found::default(),
        },
        HirKind::Class(Class::Unicode(class)) => Found { exact: few(class), needed: None },
        HirKind::Class(Class::Bytes(_)) => Found::default(),
        HirKind::Repetition(repetition) => {
            let inner = study(&repetition.sub);
            match (repetition.min, repetition.max, inner) {
                (_, Some(0), _) => Found::exact(vec![Exact::new("")]),
                (0, Some(1), Found { exact: Some(mut strings), .. }) if strings.len() < MOST => {
                    strings.push(Exact::new(""));
                    Found::exact(strings)
                }
                (0, ..) => Found::default(),
                (1, Some(1), inner) => inner,
                (least, most, Found { exact: Some(strings), .. }) => {
                    let some = least.min(8);
                    let all = most == Some(some);
                    sequence((0..some).map(|_| Found::exact(strings.clone())), all)
                }
                (.., inner) => Found { exact: None, needed: inner.needed() },
            }
        }
        HirKind::Capture(capture) => study(&capture.sub),
        HirKind::Concat(parts) => sequence(parts.iter().map(study), true),
        HirKind::Alternation(branches) => alternation(branches),
    }
}

/// Returns the characters of a class, if they are few: one letter in both cases counts as one.
fn few(class: &ClassUnicode) -> Option<Vec<Exact>> {
    let mut chars: Vec<char> = Vec::new();
    for range in class.ranges() {
        for char in range.start()..=range.end() {
            if chars.len() > MOST {
                return None;
            }
            chars.push(char);
        }
    }
    let strange = |char: &char| STRANGE_CASES.contains(char);
    match chars.iter().filter(|char| !strange(char)).collect::<Vec<_>>().as_slice() {
        [upper, lower] if upper.is_ascii() && upper.to_ascii_lowercase() == **lower => {
            Some(vec![Exact { text: lower.to_string(), case: Case::Any }])
        }
        _ => Some(chars.iter().map(|char| Exact::new(char.encode_utf8(&mut [0; 4]))).collect()),
    }
}

/// Joins what is known about parts in a row; `all` says that no others follow.
fn sequence(parts: impl Iterator<Item = Found>, all: bool) -> Found {
    let mut best: Option<Vec<Exact>> = None;
    let mut keep = |strings: Vec<Exact>| {
        let found = worth(&strings);
        if found > best.as_deref().map_or(0, worth) {
            best = Some(strings);
        }
    };
    let mut run = vec![Exact::new("")];
    let mut whole = all;
    for part in parts {
        match part.exact {
            Some(strings) if fit(&run, &strings) => {
                run = run
                    .iter()
                    .flat_map(|head| strings.iter().map(|tail| head.then(tail)))
                    .collect();
            }
            Some(strings) => {
                whole = false;
                keep(std::mem::replace(&mut run, strings));
            }
            None => {
                whole = false;
                keep(std::mem::replace(&mut run, vec![Exact::new("")]));
                part.needed.into_iter().for_each(&mut keep);
            }
        }
        if !whole && worth(&run) >= LONG {
            break;
        }
    }
    if whole {
        return Found::exact(run);
    }
    keep(run);
    Found { exact: None, needed: best }
}

/// Tells whether two sets may be multiplied.
fn fit(run: &[Exact], strings: &[Exact]) -> bool {
    let short = run.iter().all(|string| string.text.len() <= LONG);
    short && run.len() * strings.len() <= MOST
}

fn alternation(branches: &[Hir]) -> Found {
    let mut strings = Vec::new();
    let mut exact = true;
    for branch in branches {
        let found = study(branch);
        exact &= found.exact.is_some();
        match found.exact.or(found.needed) {
            Some(more) if strings.len() + more.len() <= MOST => strings.extend(more),
            _ => return Found::default(),
        }
    }
    if exact { Found::exact(strings) } else { Found { exact: None, needed: Some(strings) } }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn needles(pattern: &str) -> (Vec<String>, bool) {
        let needles = Needles::of(&regex_syntax::parse(pattern).unwrap());
        let text = |needle: &Needle| String::from_utf8(needle.bytes.to_vec()).unwrap();
        (needles.needles.iter().map(text).collect(), needles.whole)
    }

    fn look(pattern: &str, text: &str) -> Sight {
        Needles::of(&regex_syntax::parse(pattern).unwrap()).look(text)
    }

    #[test]
    fn the_longest_literal_that_every_match_has_is_the_needle() {
        assert_eq!(needles(r"\d+import\s+os"), (vec!["import".into()], false));
        assert_eq!(needles(r"AKIA[0-9A-Z]{16}"), (vec!["AKIA".into()], false));
        assert_eq!(needles(r"a+b{2}"), (vec!["bb".into()], false));
        assert_eq!(needles(r"\d{3}"), (vec![], false));
        assert_eq!(needles("a*|b"), (vec![], false));
    }

    #[test]
    fn alternatives_are_several_needles_unless_they_are_many() {
        assert_eq!(needles("TODO|FIXME"), (vec!["TODO".into(), "FIXME".into()], true));
        assert_eq!(needles(r"(?:key|to\w+)="), (vec!["key".into(), "to".into()], false));
        assert_eq!(needles("https?:"), (vec!["https:".into(), "http:".into()], true));
        assert_eq!(needles("[a-z][a-z]"), (vec![], false));
    }

    #[test]
    fn a_pattern_that_is_its_needle_needs_no_engine() {
        assert_eq!(look(r"eval\(", "x = eval(y)"), Sight::Match);
        assert_eq!(look("(?i)password", "PassWord"), Sight::Match);
        assert_eq!(look(r"\beval\(", "eval("), Sight::Perhaps);
        assert_eq!(look("(?:a(?i:b))", "aB"), Sight::Perhaps);
    }

    #[test]
    fn letters_of_any_case_are_found_in_any_case() {
        assert_eq!(look("(?i)pass_word", "my PASS_word"), Sight::Match);
        assert_eq!(look("(?i)pass_word", "password"), Sight::Nothing);
        assert_eq!(look("(?i)pass.word", "PASS-WORD"), Sight::Perhaps);
        assert_eq!(look("(?i)é", "É"), Sight::Match);
    }

    #[test]
    fn a_letter_that_folds_to_one_of_ascii_leaves_it_open() {
        assert_eq!(look("(?i)pass", "pa\u{17f}s"), Sight::Perhaps);
        assert_eq!(look("(?i)token", "to\u{212a}en"), Sight::Perhaps);
        assert_eq!(look("token", "to\u{212a}en"), Sight::Nothing);
    }

    #[test]
    fn a_needle_is_found_wherever_it_stands() {
        for text in ["zebra", "a zebra", "zebzebra", "a zebra b"] {
            assert_eq!(look("zebra", text), Sight::Match, "{text}");
        }
        for text in ["", "z", "zebr", "ebra", "zezbra"] {
            assert_eq!(look("zebra", text), Sight::Nothing, "{text}");
        }
    }
}
