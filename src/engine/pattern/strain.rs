//! Is there a line on which a backtracking pattern is given up?

use super::{Budget, Pattern};

/// How long the lines are that are tried, in characters: long, and still seen in real files.
const LENGTH: usize = 2_000;

/// Characters that the repeated parts of patterns are usually about.
const USUAL: [char; 8] = ['a', '0', ' ', '_', '-', '/', '.', '"'];

/// What nothing matches, so that the end of the line is no way out.
const END: &str = "\u{1}";

/// How many of the pattern's own characters and literals are tried.
const OWN: usize = 4;

impl Pattern {
    /// Returns a line on which the pattern is given up; none when it needs no backtracking, or
    /// when none of the lines that are tried is too hard. That is counted in steps, not in time.
    ///
    /// ```
    /// use solvi_hook::engine::pattern::{Pattern, Scope};
    ///
    /// let hard = |source| Pattern::new(source, Scope::Line).unwrap().hard_line().is_some();
    /// assert!(hard(r"(\w+\s?)+(?<!a)$"));
    /// assert!(!hard(r"(?<!\.)eval\("));
    /// assert!(!hard(r"(a+)+$"));
    /// ```
    #[must_use]
    pub fn hard_line(&self) -> Option<String> {
        if !self.facts.stepwise {
            return None;
        }
        let letters = self.source.chars().filter(char::is_ascii_alphanumeric).take(OWN);
        let letters: Vec<char> = USUAL.into_iter().chain(letters).collect();
        let words = self.source.split(|char: char| !char.is_ascii_alphanumeric());
        let begins = words.filter(|word| word.len() > 2).take(OWN);
        let ends = ["", END];
        let mut lines = std::iter::once("").chain(begins).flat_map(|begin| {
            letters.iter().flat_map(move |char| {
                let middle = std::iter::repeat_n(*char, LENGTH).collect::<String>();
                ends.map(|end| format!("{begin}{middle}{end}"))
            })
        });
        lines.find(|line| self.search(line, &Budget::default()).is_err())
    }
}
