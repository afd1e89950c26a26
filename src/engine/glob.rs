//! Which paths does a rule cover?
//!
//! A glob is held against the whole path, in its case. `**/` stands for nothing or for folders,
//! `**` for anything, `*` for anything and `?` for one character inside a folder. All else stands
//! for itself: `[`, `{` and `\` too, a leading `./` or `/`, and the dot of a hidden file. In the
//! extended dialect `{a,b}` is a choice and `[ab]` a set of characters.
//!
//! The crate globset reads other globs: there `[` and `{` always open sets and choices, and `**`
//! counts only as a whole component, so neither `**.py` nor `a**b` could be said. Ours need no
//! regular expression either. A path that lacks a glob's literal head or tail is turned away at
//! once; for the rest, time is at most the product of both lengths.

mod braces;
mod never;
mod reach;
mod set;

pub use never::{Never, why_never};

use set::Set;
use std::fmt;

/// Which signs of a glob have a meaning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// `*`, `**` and `?`.
    #[default]
    Plain,
    /// Also choices (`{a,b}`) and sets (`[ab]`, `[a-z]`, `[!a]`).
    Extended,
}

/// A glob that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadGlob {
    /// The glob, with its leading `!`.
    pub glob: String,
    /// What is wrong with it.
    pub problem: String,
    /// What to write instead.
    pub fix: String,
}

/// The globs of one rule: some positive one matches, and no excluding one (`!…`) does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Globs {
    including: Vec<Glob>,
    excluding: Vec<Glob>,
}

impl Globs {
    /// Makes plain globs of a rule; a leading `!` excludes.
    #[must_use]
    pub fn new(globs: &[String]) -> Self {
        let mut made = Self::default();
        for glob in globs {
            let (list, glob) = made.list(glob);
            list.push(Glob { text: glob.to_owned(), sets: false });
        }
        made
    }

    /// Reads the globs of a rule in a dialect; a leading `!` excludes.
    ///
    /// ```
    /// use solvi_hook::engine::glob::{Dialect, Globs};
    ///
    /// let globs = Globs::read(&["src/**.{js,ts}", "!**/[._]*"], Dialect::Extended).unwrap();
    /// assert!(globs.cover("src/a/b.ts"));
    /// assert!(!globs.cover("src/a/_b.ts"));
    /// let error = Globs::read(&["[z-a]"], Dialect::Extended).unwrap_err();
    /// assert_eq!(error.problem, "`z-a` is no range: `z` comes after `a`");
    /// ```
    pub fn read(globs: &[impl AsRef<str>], dialect: Dialect) -> Result<Self, BadGlob> {
        let mut made = Self::default();
        for written in globs.iter().map(AsRef::as_ref) {
            let (list, glob) = made.list(written);
            match dialect {
                Dialect::Plain => list.push(Glob { text: glob.to_owned(), sets: false }),
                Dialect::Extended => {
                    let expanded = braces::expand(glob)
                        .map_err(|bad| BadGlob { glob: written.to_owned(), ..bad })?;
                    // Without a set it is the plain glob that is spelled like it.
                    let glob = |text: String| Glob { sets: text.contains('['), text };
                    list.extend(expanded.into_iter().map(glob));
                }
            }
        }
        Ok(made)
    }

    /// Returns the list that a glob belongs to, and the glob without its `!`.
    fn list<'g>(&mut self, glob: &'g str) -> (&mut Vec<Glob>, &'g str) {
        match glob.strip_prefix('!') {
            Some(glob) => (&mut self.excluding, glob),
            None => (&mut self.including, glob),
        }
    }

    /// Tells whether a path is covered. Their order does not matter, and globs that only exclude
    /// cover nothing.
    ///
    /// ```
    /// use solvi_hook::engine::glob::Globs;
    ///
    /// let globs = Globs::new(&["src/**".to_owned(), "!**/*_test.py".to_owned()]);
    /// assert!(globs.cover("src/pay/tax.py"));
    /// assert!(!globs.cover("src/pay/tax_test.py"));
    /// ```
    #[must_use]
    pub fn cover(&self, path: &str) -> bool {
        let any = |globs: &[Glob]| globs.iter().any(|glob| glob.matches(path));
        any(&self.including) && !any(&self.excluding)
    }

    /// Tells whether `**`, which covers every path, is among the globs; others may exclude some.
    #[must_use]
    pub fn name_all(&self) -> bool {
        self.including.iter().any(|glob| glob.text == "**")
    }

    /// Returns the globs that are not in `others`, choices written out: those that cover, then
    /// those that exclude.
    pub(super) fn not_in<'g>(&'g self, others: &Self) -> [Vec<&'g Glob>; 2] {
        let missing = |mine: &'g [Glob], theirs: &[Glob]| -> Vec<&'g Glob> {
            mine.iter().filter(|glob| !theirs.contains(glob)).collect()
        };
        [missing(&self.including, &others.including), missing(&self.excluding, &others.excluding)]
    }
}

/// Returns a regular expression, as the crate regex reads it, for the paths that a plain glob
/// matches.
///
/// A leading `!` has no meaning here. [`Globs`] does without; this is for other programs.
///
/// ```
/// use solvi_hook::engine::glob::glob_regex;
///
/// assert_eq!(glob_regex("src/**/*.py"), r"(?s)\Asrc/(?:.*/)?[^/]*\.py\z");
/// ```
#[must_use]
pub fn glob_regex(glob: &str) -> String {
    regex_of(Parts { rest: glob, sets: false })
}

fn regex_of(parts: Parts<'_>) -> String {
    let mut regex = String::from(r"(?s)\A");
    for part in parts {
        match part {
            Part::Folders => regex.push_str("(?:.*/)?"),
            Part::Anything => regex.push_str(".*"),
            Part::Name => regex.push_str("[^/]*"),
            Part::Char => regex.push_str("[^/]"),
            Part::Set(set) => set.regex_into(&mut regex),
            Part::Literal(text) => regex_syntax::escape_into(text, &mut regex),
        }
    }
    regex.push_str(r"\z");
    regex
}

/// A glob without `!` and without choices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Glob {
    text: String,
    /// Whether a `[` opens a set; each set is well formed.
    sets: bool,
}

impl fmt::Display for Glob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// One part of a glob.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part<'g> {
    /// `**/`: nothing, or anything that ends with a slash.
    Folders,
    /// `**`
    Anything,
    /// `*`: anything without a slash.
    Name,
    /// `?`: one character that is no slash.
    Char,
    /// `[…]`: one character of a set.
    Set(Set<'g>),
    Literal(&'g str),
}

/// The parts of the rest of a glob.
struct Parts<'g> {
    rest: &'g str,
    sets: bool,
}

impl<'g> Iterator for Parts<'g> {
    type Item = Part<'g>;

    fn next(&mut self) -> Option<Part<'g>> {
        let special =
            [("**/", Part::Folders), ("**", Part::Anything), ("*", Part::Name), ("?", Part::Char)];
        for (sign, part) in special {
            if let Some(rest) = self.rest.strip_prefix(sign) {
                self.rest = rest;
                return Some(part);
            }
        }
        if self.sets
            && self.rest.starts_with('[')
            && let Ok((set, rest)) = Set::read(self.rest)
        {
            self.rest = rest;
            return Some(Part::Set(set));
        }
        let wild = if self.sets { WILD_OR_SET } else { WILD };
        let (literal, rest) = self.rest.split_at(self.rest.find(wild).unwrap_or(self.rest.len()));
        self.rest = rest;
        (!literal.is_empty()).then_some(Part::Literal(literal))
    }
}

const WILD: &[char] = &['*', '?'];
const WILD_OR_SET: &[char] = &['*', '?', '['];

impl Glob {
    fn parts(&self) -> Parts<'_> {
        Parts { rest: &self.text, sets: self.sets }
    }

    /// Tells whether the glob matches the whole of a path.
    fn matches(&self, path: &str) -> bool {
        let glob = self.text.as_str();
        let (opens, ends): (&[char], &[char]) =
            if self.sets { (WILD_OR_SET, &['*', '?', ']']) } else { (WILD, WILD) };
        let Some(start) = glob.find(opens) else { return glob == path };
        let (head, glob) = glob.split_at(start);
        let Some(path) = path.strip_prefix(head) else { return false };
        // What follows the last wild character is literal, but for the slash of a `**/`.
        let end = glob.rfind("**/").map_or(0, |start| start + 3);
        let end = end.max(glob.rfind(ends).map_or(0, |last| last + 1));
        let (glob, tail) = glob.split_at(end);
        let Some(path) = path.strip_suffix(tail) else { return false };
        match glob {
            // The second is folders and a name, as every path is.
            "**" | "**/*" => true,
            "*" => !path.contains('/'),
            "**/" => path.is_empty() || path.ends_with('/'),
            _ => matches_parts(Parts { rest: glob, sets: self.sets }, path),
        }
    }
}

/// Tells whether the parts of a glob, one after the other, can take up the whole of a path.
fn matches_parts(parts: Parts<'_>, path: &str) -> bool {
    // For each place in the path, whether the next part may begin there. Following all of them
    // at once keeps many stars from taking exponential time.
    let mut places = vec![false; path.len() + 1];
    if let Some(first) = places.first_mut() {
        *first = true;
    }
    for part in parts {
        match part {
            Part::Folders => spread_to_folders(&mut places, path),
            Part::Anything => spread(&mut places, path, None),
            Part::Name => spread(&mut places, path, Some(b'/')),
            Part::Char => shift(&mut places, |before| one(before, |char| char != '/'), path),
            Part::Set(set) => {
                shift(&mut places, |before| one(before, |char| set.holds(char)), path);
            }
            Part::Literal(text) => shift(&mut places, |before| before.strip_suffix(text), path),
        }
    }
    places.last() == Some(&true)
}

/// Opens all places after an open one, up to an `end` in the path.
fn spread(places: &mut [bool], path: &str, end: Option<u8>) {
    let mut open = false;
    for (place, next) in places.iter_mut().zip(path.bytes().map(Some).chain([None])) {
        open |= *place;
        *place = open;
        open &= end.is_none() || next != end;
    }
}

/// Opens all places that follow a slash and, before it, an open place.
fn spread_to_folders(places: &mut [bool], path: &str) {
    let mut open_before = false;
    let mut slash_before = false;
    for (place, next) in places.iter_mut().zip(path.bytes().map(Some).chain([None])) {
        let was_open = *place;
        *place |= open_before && slash_before;
        open_before |= was_open;
        slash_before = next == Some(b'/');
    }
}

/// Moves each open place past what `part` takes off the end of the path before its new place.
fn shift<'p>(places: &mut [bool], part: impl Fn(&'p str) -> Option<&'p str>, path: &'p str) {
    // From the end, as a place is read after those behind it were written.
    for new in (0..places.len()).rev() {
        let old = path.get(..new).and_then(&part).map(str::len);
        let open = old.is_some_and(|old| places.get(old) == Some(&true));
        if let Some(place) = places.get_mut(new) {
            *place = open;
        }
    }
}

/// Takes one character off the end of a text, if it is a wanted one.
fn one(text: &str, wanted: impl Fn(char) -> bool) -> Option<&str> {
    let last = text.chars().next_back()?;
    if wanted(last) { text.strip_suffix(last) } else { None }
}

#[cfg(test)]
mod tests;
