//! Can a glob match any path at all, and any that others leave?
//!
//! A path is resolved: names with one `/` between them, none of them `.` or `..`; outside the
//! project it begins with `/`. A glob is held against all paths at once, by following every place
//! in it that some text can lead to. Of characters that no glob tells apart, one is tried.

use super::set::Set;
use super::{Glob, Part};
use std::collections::{BTreeSet, HashSet, VecDeque};

/// How many characters are tried behind some text before the question is given up.
const MOST: usize = 100_000;

/// Tells whether some path is matched by a glob and by none of `excluding`; nothing when that
/// takes too long to find out.
pub(super) fn reaches(glob: &Glob, excluding: &[Glob]) -> Option<bool> {
    let chars = representatives([glob].into_iter().chain(excluding));
    let matching = Machine::new([glob]);
    let excluded = Machine::new(excluding);
    let start = (At::Start, matching.start(), excluded.start());
    let mut seen = HashSet::from([start.clone()]);
    let mut waiting = VecDeque::from([start]);
    let mut tried = 0;
    while let Some((at, inside, outside)) = waiting.pop_front() {
        if at == At::Name && matching.accepts(&inside) && !excluded.accepts(&outside) {
            return Some(true);
        }
        tried += chars.len();
        if tried > MOST {
            return None;
        }
        for &char in &chars {
            let inside = matching.after(&inside, char);
            if inside.is_empty() {
                continue;
            }
            let Some(at) = at.after(char) else { continue };
            let next = (at, inside, excluded.after(&outside, char));
            if seen.insert(next.clone()) {
                waiting.push_back(next);
            }
        }
    }
    Some(false)
}

/// Where in a path a text ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum At {
    Start,
    /// Behind a `/`.
    Slash,
    /// Behind a component that is `.` so far.
    Dot,
    /// Behind a component that is `..` so far.
    Dots,
    /// Behind a component that may be a file's name.
    Name,
}

impl At {
    fn after(self, char: char) -> Option<Self> {
        match (self, char) {
            (Self::Start | Self::Name, '/') => Some(Self::Slash),
            (_, '/') => None,
            (Self::Start | Self::Slash, '.') => Some(Self::Dot),
            (Self::Dot, '.') => Some(Self::Dots),
            _ => Some(Self::Name),
        }
    }
}

/// Globs as places that a text leads through.
struct Machine<'g> {
    places: Vec<Place<'g>>,
    starts: Vec<usize>,
}

/// What may come next at a place.
#[derive(Clone, Copy)]
enum Place<'g> {
    Literal(char),
    Char,
    Set(Set<'g>),
    /// Any number of characters.
    Many {
        slashes: bool,
    },
    /// Nothing, or what the next place takes.
    Folders,
    /// Anything that ends with a slash.
    Below,
    End,
}

impl<'g> Machine<'g> {
    fn new(globs: impl IntoIterator<Item = &'g Glob>) -> Self {
        let mut made = Self { places: Vec::new(), starts: Vec::new() };
        for glob in globs {
            made.starts.push(made.places.len());
            for part in glob.parts() {
                match part {
                    Part::Folders => made.places.extend([Place::Folders, Place::Below]),
                    Part::Anything => made.places.push(Place::Many { slashes: true }),
                    Part::Name => made.places.push(Place::Many { slashes: false }),
                    Part::Char => made.places.push(Place::Char),
                    Part::Set(set) => made.places.push(Place::Set(set)),
                    Part::Literal(text) => made.places.extend(text.chars().map(Place::Literal)),
                }
            }
            made.places.push(Place::End);
        }
        made
    }

    /// Returns the places of the empty text, in order.
    fn start(&self) -> Vec<usize> {
        let mut open = BTreeSet::new();
        self.starts.iter().for_each(|start| self.open(*start, &mut open));
        open.into_iter().collect()
    }

    /// Opens a place, and those that nothing leads to from it.
    fn open(&self, place: usize, open: &mut BTreeSet<usize>) {
        let mut waiting = vec![place];
        while let Some(place) = waiting.pop() {
            open.insert(place);
            match self.places.get(place) {
                Some(Place::Many { .. }) => waiting.push(place + 1),
                Some(Place::Folders) => waiting.extend([place + 1, place + 2]),
                _ => {}
            }
        }
    }

    /// Returns the places to which a character leads from others.
    fn after(&self, places: &[usize], char: char) -> Vec<usize> {
        let mut open = BTreeSet::new();
        for &place in places {
            let (stays, leaves) = match self.places.get(place) {
                Some(Place::Literal(literal)) => (false, char == *literal),
                Some(Place::Char) => (false, char != '/'),
                Some(Place::Set(set)) => (false, set.holds(char)),
                Some(Place::Many { slashes }) => (*slashes || char != '/', false),
                Some(Place::Below) => (true, char == '/'),
                Some(Place::Folders | Place::End) | None => (false, false),
            };
            if stays {
                self.open(place, &mut open);
            }
            if leaves {
                self.open(place + 1, &mut open);
            }
        }
        open.into_iter().collect()
    }

    fn accepts(&self, places: &[usize]) -> bool {
        places.iter().any(|place| matches!(self.places.get(*place), Some(Place::End)))
    }
}

/// Returns characters of which each stands for all up to the next: no glob tells them apart.
fn representatives<'g>(globs: impl Iterator<Item = &'g Glob>) -> Vec<char> {
    let mut first = BTreeSet::from(['\0']);
    let mut add = |from: char, to: char| {
        first.extend([Some(from), (to..=char::MAX).nth(1)].into_iter().flatten());
    };
    add('/', '/');
    add('.', '.');
    for part in globs.flat_map(Glob::parts) {
        match part {
            Part::Literal(text) => text.chars().for_each(|char| add(char, char)),
            Part::Set(set) => set.ranges().for_each(|(from, to)| add(from, to)),
            _ => {}
        }
    }
    first.into_iter().collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::super::{Dialect, Globs};
    use super::*;
    use crate::domain::RepoPath;
    use proptest::prelude::*;

    fn reach(globs: &[&str]) -> Option<bool> {
        let globs = Globs::read(globs, Dialect::Extended).unwrap();
        reaches(globs.including.first().unwrap(), &globs.excluding)
    }

    #[test]
    fn a_glob_that_no_path_fits_reaches_none() {
        for glob in [
            "./x",
            "src/",
            "**/",
            "a//b",
            "../x",
            "a/../b",
            "a/.",
            ".",
            "..",
            "",
            "//x",
            "a/./**",
            "[.]/x",
            "x/[.][.]/y",
            "a/**/..",
        ] {
            assert_eq!(reach(&[glob]), Some(false), "{glob}");
        }
        for glob in [
            "x", "**", "*", "?", "**/x", "...", "..x", ".x/**", "?/x", "/etc/**", "**/.?", "*/..*",
            "[!a]", "a b", "a**/b",
        ] {
            assert_eq!(reach(&[glob]), Some(true), "{glob}");
        }
    }

    #[test]
    fn what_others_exclude_is_not_reached() {
        for globs in [
            &["a", "!a"][..],
            &["x/**", "!**"],
            &["src/*.py", "!src/**"],
            &["src/a.py", "!**/*.py"],
            &["[ab]", "!a", "!b"],
            &["[a-z]", "![a-m]", "![n-z]"],
            &["*", "!**/*"],
            &["?", "!*"],
            &["x/*", "!x/[a-m]*", "!x/[!a-m]*"],
        ] {
            assert_eq!(reach(globs), Some(false), "{globs:?}");
        }
        for globs in [
            &["a*", "!a"][..],
            &["x/**", "!x/*"],
            &["src/*.py", "!src/*_test.py"],
            &["[ab]", "!a"],
            &["**", "!*"],
            &["**", "!*/**"],
            &["*", "!?"],
        ] {
            assert_eq!(reach(globs), Some(true), "{globs:?}");
        }
    }

    #[test]
    fn a_question_that_takes_too_long_is_given_up() {
        let wide = format!("**a{}", "?".repeat(40));
        assert_eq!(reach(&["**b", &format!("!{wide}"), "!**b"]), None);
    }

    proptest! {
        #[test]
        fn a_path_that_is_covered_is_one_that_is_reached(
            glob in r"([ab/*?.]|\*\*/|\[ab\]|\[!a\]){1,6}",
            excluding in r"([ab/*?.]|\*\*/|\[ab\]|\[!a\]){1,4}",
            path in r"/?[abc.]{1,3}(/[abc.]{1,3}){0,2}",
        ) {
            let globs = [glob, format!("!{excluding}")];
            let globs = Globs::read(&globs, Dialect::Extended).unwrap();
            let real = RepoPath::new(path.trim_start_matches('/')).is_some();
            if real && globs.cover(&path) {
                let [glob] = &globs.including[..] else { return Ok(()) };
                prop_assert_eq!(reaches(glob, &globs.excluding), Some(true));
            }
        }
    }
}
