//! Which calls a rule means: a dotted name with shell globs, and perhaps a keyword argument.
//!
//! A pattern that could never match is refused with what to write in its place.

use super::alias::needs_no_import;
use globset::{Glob, GlobBuilder, GlobMatcher};
use memchr::memmem;
use std::sync::OnceLock;
use unicode_normalization::UnicodeNormalization;

/// One pattern of a rule: `os.system`, `pickle.*`, `subprocess.*(shell=True)`.
#[derive(Debug)]
pub struct CallPattern {
    name: String,
    shape: Shape,
    /// The pieces of names that it spells out.
    pieces: Vec<String>,
    /// The keyword argument that must be true.
    keyword: Option<String>,
}

#[derive(Debug)]
enum Shape {
    Plain,
    /// One `*` and no other glob: what stands before it and behind it.
    Star(String, String),
    /// Anything else, compiled when a name could match.
    Glob(Box<Glob>, OnceLock<GlobMatcher>),
}

impl CallPattern {
    /// Reads a pattern, or says what is wrong with it and what to write.
    pub fn new(source: &str) -> Result<Self, String> {
        let folded: String = source.nfkc().collect();
        let (name, keyword) = match folded.split_once('(') {
            None => (folded.trim(), None),
            Some((name, rest)) => (name.trim(), Some(keyword(name.trim(), rest)?)),
        };
        // A function that needs no import is called by its bare name.
        let name = name.strip_prefix("builtins.").filter(|rest| identifier(rest)).unwrap_or(name);
        if name.is_empty() {
            return Err("a call needs a name, such as `os.system`".to_owned());
        }
        let mut name = name.to_owned();
        while name.contains("**") {
            name = name.replace("**", "*");
        }
        let pieces = pieces(&name)?;
        Ok(Self { shape: shape(&name)?, name, pieces, keyword })
    }

    /// Returns the keyword argument that must be true.
    #[must_use]
    pub fn keyword(&self) -> Option<&str> {
        self.keyword.as_deref()
    }

    /// Tells whether the pattern is a name in full, without globs.
    #[must_use]
    pub fn is_spelled_out(&self) -> bool {
        matches!(self.shape, Shape::Plain)
    }

    /// Tells whether the pattern has a `*`.
    #[must_use]
    pub fn has_star(&self) -> bool {
        self.name.contains('*')
    }

    /// Tells whether a dotted name matches.
    #[must_use]
    pub fn matches(&self, name: &str) -> bool {
        match &self.shape {
            Shape::Plain => self.name == name,
            Shape::Star(head, tail) => {
                name.strip_prefix(head.as_str()).is_some_and(|rest| rest.ends_with(tail.as_str()))
            }
            Shape::Glob(glob, matcher) => {
                let head = self.name.split(['*', '?', '[']).next().unwrap_or("");
                name.starts_with(head)
                    && matcher.get_or_init(|| glob.compile_matcher()).is_match(name)
            }
        }
    }

    /// Tells whether the name could match if its first part stood for something else, as an
    /// import gives it: `sp.run` may be `subprocess.run`, and `run` whatever can be imported.
    #[must_use]
    pub fn may_be_behind(&self, name: &str) -> bool {
        let Some((first, _)) = name.split_once('.') else {
            // What is no builtin and has no module cannot be imported.
            return !self.is_spelled_out()
                || self.name.contains('.')
                || needs_no_import(&self.name);
        };
        let rest = name.strip_prefix(first).unwrap_or(name);
        // Which letters a class has makes too little of a difference to ask.
        without_classes(&self.name).is_ok_and(|glob| may_end_in(&glob, rest))
    }

    /// Tells whether a text could hold such a call: all that the pattern spells out is in it.
    #[must_use]
    pub fn may_be_in(&self, text: &str) -> bool {
        // Ten times as fast as `contains` on a text of some megabytes.
        let has = |piece: &str| memmem::find(text.as_bytes(), piece.as_bytes()).is_some();
        let named = self.pieces.iter().all(|piece| has(piece));
        let by_position = |keyword: &str| keyword == "shell" && has_nine_in_a_row(text);
        let keyed = |keyword: &String| has(keyword) || has("**") || by_position(keyword);
        named && self.keyword.as_ref().is_none_or(keyed)
    }

    /// Tells whether the name begins with a glob, so that it may begin with any name.
    #[must_use]
    pub fn begins_open(&self) -> bool {
        self.name.split('.').next().is_none_or(|first| first.contains(['*', '?', '[']))
    }

    /// Tells whether `part` is one of the names between the dots.
    #[must_use]
    pub fn has_part(&self, part: &str) -> bool {
        self.name.split('.').any(|own| own == part)
    }

    /// Returns what a record says about a call that matches by this name.
    #[must_use]
    pub fn what(&self, name: &str) -> String {
        format!("calls {}", self.told(name))
    }

    /// Returns the pattern as it is written.
    #[must_use]
    pub fn spelled(&self) -> String {
        self.told(&self.name)
    }

    fn told(&self, name: &str) -> String {
        match &self.keyword {
            None => name.to_owned(),
            Some(keyword) => format!("{name}({keyword}=True)"),
        }
    }
}

/// Tells whether some brackets hold nine things or more, as a call must to set `shell` of
/// `subprocess` by position.
fn has_nine_in_a_row(text: &str) -> bool {
    let mut counts = Vec::new();
    for byte in text.bytes() {
        match byte {
            b'(' | b'[' => counts.push(1),
            b')' | b']' => drop(counts.pop()),
            b',' => {
                if let Some(count) = counts.last_mut() {
                    *count += 1;
                    if *count == 9 {
                        return true;
                    }
                }
            }
            _ => {}
        }
    }
    false
}

/// Tells whether a text can be a name in Python. What is not ASCII is left for Python to judge.
#[must_use]
pub fn identifier(text: &str) -> bool {
    let part = |c: char| {
        if c.is_ascii() { c == '_' || c.is_ascii_alphanumeric() } else { !c.is_whitespace() }
    };
    !text.is_empty()
        && text.chars().all(part)
        && !text.starts_with(|first: char| first.is_ascii_digit())
        && !KEYWORDS.split(' ').any(|word| word == text)
}

/// Words that Python keeps for itself; `async` and `await` were names for long.
const KEYWORDS: &str = "\
    False None True and as assert break class continue def del elif else except finally for \
    from global if import in is lambda nonlocal not or pass raise return try while with yield";

fn keyword(name: &str, rest: &str) -> Result<String, String> {
    let Some(inner) = rest.trim_end().strip_suffix(')') else {
        return Err(format!("`{name}(` has no closing bracket: write `{name}`"));
    };
    let given: Vec<&str> = inner.split(',').map(str::trim).collect();
    let [one] = given.as_slice() else {
        let each: Vec<String> = given.iter().map(|one| format!("`{name}({one})`")).collect();
        return Err(format!(
            "only one argument can be asked for: write a pattern for each, {}",
            each.join(", ")
        ));
    };
    if one.is_empty() {
        return Err(format!("a call is named without brackets: write `{name}`"));
    }
    match one.split_once('=').map(|(keyword, value)| (keyword.trim(), value.trim())) {
        Some((keyword, "True")) if identifier(keyword) => Ok(keyword.to_owned()),
        Some((keyword, _)) if identifier(keyword) => Err(format!(
            "an argument can only be asked to be true: write `{name}({keyword}=True)`, or \
             `{name}` for every call"
        )),
        _ => Err(format!(
            "`{one}` is not of the form `keyword=True`: write `{name}(keyword=True)`, or \
             `{name}` for every call"
        )),
    }
}

/// Checks what stands between the dots, and returns the pieces that are no glob.
fn pieces(name: &str) -> Result<Vec<String>, String> {
    let plain = without_classes(name)?;
    for part in plain.split('.') {
        if part.is_empty() {
            return Err(format!("`{name}` has a dot without a name beside it"));
        }
        if !identifier(&part.replace(['*', '?'], "_")) {
            return Err(format!(
                "`{part}` cannot be a name in Python: write names joined by dots, such as \
                 `os.system`, with `*`, `?` or `[ab]` where they may differ"
            ));
        }
    }
    let pieces = plain.split(['.', '*', '?']).filter(|piece| !piece.is_empty());
    Ok(pieces.map(str::to_owned).collect())
}

/// Returns the name with `?` for each class (`[ab]`).
fn without_classes(name: &str) -> Result<String, String> {
    let mut plain = String::new();
    let mut rest = name;
    while let Some((before, class)) = rest.split_once('[') {
        let begun = class.strip_prefix('!').unwrap_or(class);
        // A `]` that comes first stands for itself.
        let end = begun.char_indices().skip(1).find(|(_, c)| *c == ']');
        let Some((_, after)) = end.and_then(|(at, _)| begun.split_at_checked(at + 1)) else {
            return Err(format!("`{name}` has a `[` without its `]`"));
        };
        plain.push_str(before);
        plain.push('?');
        rest = after;
    }
    plain.push_str(rest);
    Ok(plain)
}

fn shape(name: &str) -> Result<Shape, String> {
    if !name.contains(['*', '?', '[']) {
        return Ok(Shape::Plain);
    }
    let stars = name.matches('*').count();
    if let (1, false, Some((head, tail))) = (stars, name.contains(['?', '[']), name.split_once('*'))
    {
        return Ok(Shape::Star(head.to_owned(), tail.to_owned()));
    }
    // Braces and backslashes are not names, so only classes hold them.
    let glob = GlobBuilder::new(name).literal_separator(false).backslash_escape(false).build();
    let glob = glob.map_err(|error| format!("`{name}` is no glob: {}", error.kind()))?;
    Ok(Shape::Glob(Box::new(glob), OnceLock::new()))
}

/// Tells whether something longer than `end` that ends in it may match a glob of `*` and `?`.
fn may_end_in(glob: &str, end: &str) -> bool {
    // What stands before the last `*` can match what comes before the end.
    let tail = glob.rsplit('*').next().unwrap_or(glob);
    let longer = tail != glob || tail.chars().count() > end.chars().count();
    let pairs = tail.chars().rev().zip(end.chars().rev());
    longer && pairs.into_iter().all(|(part, char)| part == '?' || part == char)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn a_pattern_that_could_never_match_is_refused_with_what_to_write() {
        let every = "or `f` for every call";
        let cases = [
            ("", "a call needs a name, such as `os.system`".to_owned()),
            ("eval()", "a call is named without brackets: write `eval`".to_owned()),
            ("eval(", "`eval(` has no closing bracket: write `eval`".to_owned()),
            (
                "f(a=False)",
                format!("an argument can only be asked to be true: write `f(a=True)`, {every}"),
            ),
            (
                "f(a=True, b=True)",
                "only one argument can be asked for: write a pattern for each, \
                 `f(a=True)`, `f(b=True)`"
                    .to_owned(),
            ),
            (
                "f(x)",
                format!("`x` is not of the form `keyword=True`: write `f(keyword=True)`, {every}"),
            ),
            ("os..system", "`os..system` has a dot without a name beside it".to_owned()),
            ("os.[ab", "`os.[ab` has a `[` without its `]`".to_owned()),
            ("f[z-a]", "`f[z-a]` is no glob: invalid range; 'z' > 'a'".to_owned()),
        ];
        for (pattern, text) in cases {
            assert_eq!(CallPattern::new(pattern).err(), Some(text), "{pattern}");
        }
        for pattern in ["os-system", "{a,b}", "a\\b", "os system", "1a", "if", "f(g)(h=True)"] {
            assert!(CallPattern::new(pattern).is_err(), "{pattern}");
        }
    }

    #[test]
    fn a_glob_is_held_against_the_whole_name() {
        let cases = [
            ("eval", "eval", true),
            ("eval", "Eval", false),
            ("eval", "m.eval", false),
            ("os.*", "os.path.join", true),
            ("os.*", "os", false),
            ("*.load", "a.b.load", true),
            ("*.load", "load", false),
            ("aba*aba", "aba", false),
            ("*o*d", "m.load", true),
            ("exec?", "exec", false),
            ("exec?", "exec1", true),
            ("[!a-c]x", "dx", true),
            ("[!a-c]x", "bx", false),
            ("f[]]", "f]", true),
        ];
        for (pattern, name, expected) in cases {
            let matches = CallPattern::new(pattern).unwrap().matches(name);
            assert_eq!(matches, expected, "{pattern} {name}");
        }
    }

    #[test]
    fn an_import_may_stand_for_the_first_part_of_a_name_and_for_no_other() {
        let cases = [
            ("subprocess.run", "sp.run", true),
            ("subprocess.run", "sp.runs", false),
            ("subprocess.run", "sp.x.run", false),
            ("os.path.join", "p.join", true),
            ("os.path.join", "o.path.join", true),
            ("os.path.join", "a.os.path.join", false),
            ("os.system", "run", true),
            ("pickle.*", "p.loads", true),
            ("pickle.*", "loads", true),
            ("a.*.load", "b.load", true),
            ("a.*.load", "b.c.loads", false),
            ("a.*_load", "b.c_load", true),
            ("a.*_load", "b.load", false),
            ("a.b[cd]", "x.bc", true),
            ("a.b[cd]", "x.c", false),
            ("eval", "run", true),
            ("eval", "model.eval", false),
            ("own", "run", false),
        ];
        for (pattern, name, expected) in cases {
            let may_be = CallPattern::new(pattern).unwrap().may_be_behind(name);
            assert_eq!(may_be, expected, "{pattern} {name}");
        }
    }

    #[test]
    fn a_text_with_a_matching_name_holds_what_the_pattern_spells_out() {
        let cases = [
            ("[]ab]c.d*", "bc.dx", true),
            ("a?c[!x].d", "abcy.d", true),
            ("*.load", "a.b.load", true),
            ("**", "", true),
            (" a.b ( c = True )", "a.b(c=x)", true),
            ("a.b(c=True)", "a.b(**x)", true),
            ("a.b(c=True)", "a.b(1)", false),
            ("os.system", "system", false),
        ];
        for (pattern, text, expected) in cases {
            let may_be_in = CallPattern::new(pattern).unwrap().may_be_in(text);
            assert_eq!(may_be_in, expected, "{pattern} {text}");
        }
    }
}
