//! One character out of a set: `[ab]`, `[a-z]`, `[!a]`.
//!
//! A `]` that comes first and a `-` that comes first or last stand for themselves, as do all signs
//! of globs: `[*]` is a star. `^` in the place of `!` means the same, as it does for git.

/// A set of characters, as it is spelled. No `/` is in any set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Set<'g> {
    negated: bool,
    body: &'g str,
}

impl<'g> Set<'g> {
    /// Reads the set that a text begins with, and returns what follows it. The error is what is
    /// wrong with it, and what to write instead.
    pub fn read(text: &'g str) -> Result<(Self, &'g str), (String, &'static str)> {
        const LITERAL: &str = "write `[[]` for the character itself";
        let open = text.strip_prefix('[').unwrap_or(text);
        let inner = open.strip_prefix(['!', '^']);
        let (negated, inner) = (inner.is_some(), inner.unwrap_or(open));
        let first = inner.chars().next().map_or(0, char::len_utf8);
        let end = inner.get(first..).and_then(|rest| rest.find(']')).map(|end| first + end);
        let Some((body, rest)) = end.and_then(|end| inner.split_at_checked(end)) else {
            return Err(("its `[` is not closed".to_owned(), LITERAL));
        };
        let set = Self { negated, body };
        if body.contains('/') {
            let problem = format!("`[{body}]` holds a `/`, but stands for one character of a name");
            return Err((problem, LITERAL));
        }
        if body.contains("[:") {
            let fix = "write the characters, such as `[a-zA-Z]`";
            return Err((format!("`[{body}]` names a class of characters"), fix));
        }
        if let Some((from, to)) = set.ranges().find(|(from, to)| from > to) {
            let problem = format!("`{from}-{to}` is no range: `{from}` comes after `{to}`");
            return Err((problem, "write the lower character first"));
        }
        Ok((set, rest.strip_prefix(']').unwrap_or(rest)))
    }

    /// Tells whether a character is in the set.
    pub fn holds(&self, char: char) -> bool {
        let listed = self.ranges().any(|(from, to)| (from..=to).contains(&char));
        char != '/' && listed != self.negated
    }

    /// Returns the first and the last character of each range; a single character is both.
    pub fn ranges(&self) -> impl Iterator<Item = (char, char)> + use<'g> {
        let mut rest = self.body.chars();
        std::iter::from_fn(move || {
            let from = rest.next()?;
            let mut ahead = rest.clone();
            match (ahead.next(), ahead.next()) {
                (Some('-'), Some(to)) => {
                    rest = ahead;
                    Some((from, to))
                }
                _ => Some((from, from)),
            }
        })
    }

    /// Adds the set to a regular expression.
    pub fn regex_into(&self, regex: &mut String) {
        regex.push_str(if self.negated { "[^/" } else { "[" });
        for (from, to) in self.ranges() {
            for (sign, end) in [("", from), ("-", to)] {
                regex.push_str(sign);
                regex.push_str("\\x");
                // `{61}`
                regex.extend(end.escape_unicode().skip(2));
            }
        }
        regex.push_str(if self.negated { "]" } else { "&&[^/]]" });
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn a_set_holds_what_it_lists_or_what_it_does_not_but_never_a_slash() {
        let cases = [
            ("[ab]", "ab", "c/]"),
            ("[a-c]", "abc", "d-/"),
            ("[!a-c]", "d-é", "abc/"),
            ("[^a]", "b^", "a/"),
            ("[]a]", "]a", "["),
            ("[!]a]", "[", "]a/"),
            ("[a-]", "a-", "b"),
            ("[-a]", "-a", "b"),
            ("[a-c-]", "abc-", "d"),
            ("[*?{}[]", "*?{}[", "a"),
            (r"[\]", r"\", "]"),
            ("[ -~]", " a~", "/é"),
            ("[à-é]", "áé", "a"),
            ("[a!^]", "a!^", "b"),
        ];
        for (text, inside, outside) in cases {
            let (set, rest) = Set::read(text).unwrap();
            assert_eq!(rest, "", "{text}");
            assert!(inside.chars().all(|char| set.holds(char)), "{text}");
            assert!(!outside.chars().any(|char| set.holds(char)), "{text}");
        }
        assert_eq!(Set::read("[a]b]").unwrap().1, "b]");
    }

    #[test]
    fn a_set_that_cannot_be_meant_is_an_error() {
        for (text, problem) in [
            ("[", "its `[` is not closed"),
            ("[ab", "its `[` is not closed"),
            ("[]", "its `[` is not closed"),
            ("[!]", "its `[` is not closed"),
            ("[a/b]", "`[a/b]` holds a `/`, but stands for one character of a name"),
            ("[[:alpha:]]", "`[[:alpha:]` names a class of characters"),
            ("[z-a]", "`z-a` is no range: `z` comes after `a`"),
            ("[!0-9z-a]", "`z-a` is no range: `z` comes after `a`"),
        ] {
            assert_eq!(Set::read(text).unwrap_err().0, problem, "{text}");
        }
    }
}
