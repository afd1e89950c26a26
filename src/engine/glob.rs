//! Which paths does a rule cover?
//!
//! A glob is held against the whole path, in its case. `**/` stands for nothing or for folders,
//! `**` for anything, `*` for anything and `?` for one character inside a folder. All else stands
//! for itself: `[`, `{` and `\` too, a leading `./` or `/`, and the dot of a hidden file.
//!
//! The crate globset reads other globs: there `[` and `{` open classes and choices, which would
//! have to be escaped, and `**` counts only as a whole component, so neither `**.py` nor `a**b`
//! could be said. Ours need no regular expression either. A path that lacks a glob's literal head
//! or tail is turned away at once; for the rest, time is at most the product of both lengths.

/// The globs of one rule: some positive one matches, and no excluding one (`!…`) does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Globs {
    including: Vec<String>,
    excluding: Vec<String>,
}

impl Globs {
    /// Makes the globs of a rule; a leading `!` excludes.
    #[must_use]
    pub fn new(globs: &[String]) -> Self {
        let mut made = Self::default();
        for glob in globs {
            match glob.strip_prefix('!') {
                Some(glob) => made.excluding.push(glob.to_owned()),
                None => made.including.push(glob.clone()),
            }
        }
        made
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
        let any = |globs: &[String]| globs.iter().any(|glob| matches(glob, path));
        any(&self.including) && !any(&self.excluding)
    }
}

/// Returns a regular expression, as the crate regex reads it, for the paths that a glob matches.
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
    let mut regex = String::from(r"(?s)\A");
    for part in Parts(glob) {
        match part {
            Part::Folders => regex.push_str("(?:.*/)?"),
            Part::Anything => regex.push_str(".*"),
            Part::Name => regex.push_str("[^/]*"),
            Part::Char => regex.push_str("[^/]"),
            Part::Literal(text) => regex_syntax::escape_into(text, &mut regex),
        }
    }
    regex.push_str(r"\z");
    regex
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
    Literal(&'g str),
}

/// The parts of the rest of a glob.
struct Parts<'g>(&'g str);

impl<'g> Iterator for Parts<'g> {
    type Item = Part<'g>;

    fn next(&mut self) -> Option<Part<'g>> {
        let special =
            [("**/", Part::Folders), ("**", Part::Anything), ("*", Part::Name), ("?", Part::Char)];
        for (sign, part) in special {
            if let Some(rest) = self.0.strip_prefix(sign) {
                self.0 = rest;
                return Some(part);
            }
        }
        let (literal, rest) = self.0.split_at(self.0.find(WILD).unwrap_or(self.0.len()));
        self.0 = rest;
        (!literal.is_empty()).then_some(Part::Literal(literal))
    }
}

const WILD: [char; 2] = ['*', '?'];

/// Tells whether a glob matches the whole of a path.
fn matches(glob: &str, path: &str) -> bool {
    let Some(start) = glob.find(WILD) else { return glob == path };
    let (head, glob) = glob.split_at(start);
    let Some(path) = path.strip_prefix(head) else { return false };
    // What follows the last wild character is literal, but for the slash of a `**/`.
    let end = glob.rfind("**/").map_or(0, |start| start + 3);
    let end = end.max(glob.rfind(WILD).map_or(0, |last| last + 1));
    let (glob, tail) = glob.split_at(end);
    let Some(path) = path.strip_suffix(tail) else { return false };
    match glob {
        // The second is folders and a name, as every path is.
        "**" | "**/*" => true,
        "*" => !path.contains('/'),
        "**/" => path.is_empty() || path.ends_with('/'),
        _ => matches_parts(glob, path),
    }
}

/// Tells whether the parts of a glob, one after the other, can take up the whole of a path.
fn matches_parts(glob: &str, path: &str) -> bool {
    // For each place in the path, whether the next part may begin there. Following all of them
    // at once keeps many stars from taking exponential time.
    let mut places = vec![false; path.len() + 1];
    if let Some(first) = places.first_mut() {
        *first = true;
    }
    for part in Parts(glob) {
        match part {
            Part::Folders => spread_to_folders(&mut places, path),
            Part::Anything => spread(&mut places, path, None),
            Part::Name => spread(&mut places, path, Some(b'/')),
            Part::Char => shift(
                &mut places,
                |before| match before.chars().next_back() {
                    None | Some('/') => None,
                    Some(char) => before.strip_suffix(char),
                },
                path,
            ),
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use proptest::prelude::*;

    #[derive(serde::Deserialize)]
    struct Case {
        glob: String,
        matches: Vec<String>,
        no_match: Vec<String>,
    }

    fn cover(globs: &[&str], path: &str) -> bool {
        Globs::new(&globs.iter().map(ToString::to_string).collect::<Vec<_>>()).cover(path)
    }

    #[test]
    fn the_recorded_cases_hold() {
        for line in include_str!("../../tests/vectors/glob-cases.jsonl").lines() {
            let case: Case = serde_json::from_str(line).unwrap();
            for path in case.matches {
                assert!(cover(&[&case.glob], &path), "{} should match {path}", case.glob);
            }
            for path in case.no_match {
                assert!(!cover(&[&case.glob], &path), "{} should not match {path}", case.glob);
            }
        }
    }

    #[test]
    fn an_excluding_glob_wins_wherever_it_stands() {
        assert!(cover(&["!b/**", "**/*.py"], "a/x.py"));
        assert!(!cover(&["!b/**", "**/*.py"], "b/x.py"));
        assert!(!cover(&["**/*.py", "!b/**"], "b/x.py"));
        assert!(!cover(&["!b/**"], "a/x.py"));
        assert!(!cover(&[], "a/x.py"));
    }

    #[test]
    fn a_newline_in_a_path_is_a_character_like_others() {
        for glob in ["**", "a*", "a?b.txt", "**/a*", "**.txt"] {
            assert!(cover(&[glob], "a\nb.txt"), "{glob}");
        }
    }

    #[test]
    fn a_question_mark_is_one_character_of_any_length_but_no_slash() {
        assert!(cover(&["d?cs/*"], "dócs/x"));
        assert!(cover(&["??"], "名é"));
        assert!(!cover(&["??"], "é"));
        assert!(!cover(&["a?b"], "a/b"));
    }

    #[test]
    fn case_and_the_whole_path_count() {
        assert!(!cover(&["src/**"], "SRC/a.txt"));
        assert!(!cover(&["src/*.py"], "src/a.pyi"));
        assert!(!cover(&["a.py"], "src/a.py"));
    }

    #[test]
    fn head_and_tail_do_not_overlap() {
        assert!(!cover(&["ab*ba"], "aba"));
        assert!(cover(&["ab*ba"], "abba"));
        assert!(!cover(&["a/**/a"], "a/a/b"));
        assert!(cover(&["a/**/a"], "a/a"));
    }

    #[test]
    fn stars_that_could_be_split_in_many_ways_take_no_time() {
        let path = "a/".repeat(1000);
        assert!(!cover(&[&("**a".repeat(50) + "b**")], &path));
        assert!(!cover(&[&("*a**/".repeat(50) + "b*")], &path));
        assert!(cover(&[&("*a**/".repeat(50) + "*")], &path));
    }

    proptest! {
        #[test]
        fn a_glob_matches_what_its_regex_matches(
            glob in r"([ab/*?é.\n]|\*\*/|\*\*|\[a\]){0,8}",
            path in r"[ab/é.\n\[\]]{0,10}",
        ) {
            let regex = regex::Regex::new(&glob_regex(&glob)).unwrap();
            prop_assert_eq!(matches(&glob, &path), regex.is_match(&path));
        }
    }
}
