//! What does a pattern of a rules file mean?
//!
//! Rules are written as Python's `re` reads them. `read` makes a tree of a pattern, or
//! says what is wrong with it and what to write instead; `Tree::spell` writes it for one
//! of the two Rust engines.
//!
//! Everything that depends on flags is settled while reading: `(?i)` becomes classes of
//! characters, `.`, `^`, `$` and `\b` become the one thing they mean at their place. So the tree
//! has no flags, and both engines and the search for needles see the same pattern.
//!
//! Promises: a pattern is read in time and memory proportional to its length (which is bounded),
//! and groups may be nested `DEEPEST` deep, so whatever walks a tree may recurse.

mod class;
mod escape;
mod flags;
mod group;
mod reader;
mod writer;

use class::Class;
pub(super) use class::Letters;

/// How deep groups may be nested. The backtracking engine reads 63 levels; an optional look-around
/// is spelled for it with two, a word boundary with two more.
pub(super) const DEEPEST: usize = 30;

/// How long a pattern may be, in bytes: the slowest of this length take a tenth of a second
/// to read.
pub(super) const LONGEST: usize = 32 * 1024;

/// Where a pattern is held against text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// One line, without its line end (`forbid`, `when`).
    Line,
    /// A whole file; `^` and `$` match at every line (`require`).
    File,
}

/// A pattern that cannot be read: what is wrong, and what to write instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PatternError(pub String);

/// A pattern that was read.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    root: Node,
    /// It has something that no linear engine can do.
    pub(super) stepwise: bool,
    /// It has a `\b` or `\B` of [`Letters::Unicode`], on which Python and the Rust engines differ.
    pub(super) boundary: bool,
}

impl Tree {
    /// Returns how many characters of a text of some length may be looked at before the
    /// backtracking engine has to go back once.
    pub(super) fn reach(&self, length: usize) -> u64 {
        self.root.reach(length.try_into().unwrap_or(u64::MAX))
    }
}

/// Which engine a tree is spelled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Engine {
    /// The linear one. What it cannot do is spelled so that it matches more, never less: enough
    /// to know which literals every match contains.
    Linear,
    /// The linear one without word boundaries: where it finds nothing, the pattern matches nothing
    /// in Python either, whatever counts as a letter.
    LinearWider,
    /// Read by nobody but the search for literals: as for the linear one, with every class of many
    /// characters as any character, because the letters of Unicode alone take 100 µs to read.
    Outline,
    /// The backtracking one, with its own idea of a word boundary.
    Stepwise,
    /// The backtracking one, with Python's word boundary spelled out.
    StepwiseExact,
}

impl Engine {
    /// Returns true for the spellings that the linear-time engine reads.
    pub(super) fn is_linear(self) -> bool {
        matches!(self, Self::Linear | Self::LinearWider | Self::Outline)
    }
}

/// Reads a pattern.
pub(super) fn read(source: &str, scope: Scope) -> Result<Tree, PatternError> {
    reader::read(source, scope)
}

/// Tells whether a text has characters that are letters for Python and not for the Rust engines,
/// or the other way round.
pub(super) fn has_disputed_letters(text: &str) -> bool {
    let disputed = |char: char| !char.is_ascii() && class::is_disputed(char);
    !text.is_ascii() && text.chars().any(disputed)
}

/// A part of a pattern.
#[derive(Clone, Debug)]
enum Node {
    Char(char),
    Set(Class),
    Anchor(Anchor),
    Concat(Vec<Self>),
    Alternation(Vec<Self>),
    /// A group, with its number when it captures.
    Group(Option<usize>, Box<Self>),
    Repeat(Box<Self>, Times),
    Around {
        behind: bool,
        negated: bool,
        inner: Box<Self>,
    },
    Atomic(Box<Self>),
    /// What a group captured, once more; with `fold`, in any case.
    Back {
        group: usize,
        fold: bool,
    },
    /// One or the other, depending on whether a group took part.
    If {
        group: usize,
        yes: Box<Self>,
        no: Box<Self>,
    },
}

/// A place between two characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Anchor {
    TextStart,
    TextEnd,
    /// The end, or before a newline that ends the text.
    LastLineEnd,
    LineStart,
    LineEnd,
    Boundary(Letters),
    NoBoundary(Letters),
}

/// How often a part is repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Times {
    least: u32,
    most: Option<u32>,
    greed: Greed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Greed {
    Greedy,
    Lazy,
    Possessive,
}

/// The fewest and the most characters that a part can match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Width {
    least: u64,
    most: u64,
}

impl Width {
    const NONE: Self = Self { least: 0, most: 0 };
    const ONE: Self = Self { least: 1, most: 1 };
    const ANY: Self = Self { least: 0, most: u64::MAX };

    fn then(self, next: Self) -> Self {
        Self {
            least: self.least.saturating_add(next.least),
            most: self.most.saturating_add(next.most),
        }
    }

    fn or(self, other: Self) -> Self {
        Self { least: self.least.min(other.least), most: self.most.max(other.most) }
    }

    fn times(self, times: Times) -> Self {
        let most = match times.most {
            Some(most) => self.most.saturating_mul(most.into()),
            None if self.most == 0 => 0,
            None => u64::MAX,
        };
        Self { least: self.least.saturating_mul(times.least.into()), most }
    }
}

impl Node {
    /// Returns the width of this part; `groups` are the widths of groups, as far as known.
    fn width(&self, groups: &[Option<Width>]) -> Width {
        match self {
            Self::Char(_) | Self::Set(_) => Width::ONE,
            Self::Anchor(_) | Self::Around { .. } => Width::NONE,
            Self::Concat(parts) => {
                parts.iter().fold(Width::NONE, |sum, part| sum.then(part.width(groups)))
            }
            Self::Alternation(branches) => {
                let widths = branches.iter().map(|branch| branch.width(groups));
                widths.reduce(Width::or).unwrap_or(Width::NONE)
            }
            Self::Group(_, inner) | Self::Atomic(inner) => inner.width(groups),
            Self::Repeat(inner, times) => inner.width(groups).times(*times),
            Self::Back { group, .. } => groups.get(*group).copied().flatten().unwrap_or(Width::ANY),
            Self::If { yes, no, .. } => yes.width(groups).or(no.width(groups)),
        }
    }

    /// Returns how many characters of a text may be looked at in one go.
    fn reach(&self, length: u64) -> u64 {
        self.width(&[]).most.min(length).saturating_add(self.looks(length))
    }

    /// Returns how many of these are looked at and not passed.
    fn looks(&self, length: u64) -> u64 {
        match self {
            Self::Char(_) | Self::Set(_) | Self::Anchor(_) => 0,
            Self::Concat(parts) => {
                parts.iter().fold(0, |sum, part| sum.saturating_add(part.looks(length)))
            }
            Self::Alternation(branches) => {
                branches.iter().map(|branch| branch.looks(length)).max().unwrap_or(0)
            }
            Self::Group(_, inner) | Self::Atomic(inner) => inner.looks(length),
            Self::Repeat(inner, times) => {
                let most = times.most.map_or(length, |most| length.min(most.into()));
                inner.looks(length).saturating_mul(most)
            }
            Self::Around { inner, .. } => inner.reach(length),
            Self::Back { .. } => length,
            Self::If { yes, no, .. } => yes.looks(length).max(no.looks(length)),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn error(source: &str) -> String {
        read(source, Scope::Line).err().unwrap_or_else(|| panic!("{source} was read")).0
    }

    #[test]
    fn an_error_quotes_the_piece_and_says_where_it_stands() {
        assert_eq!(
            error(r"é(end)\z"),
            r"`\z` at character 7 is not an escape here: write `\Z` for the end of the text"
        );
        assert_eq!(
            error("a(b"),
            r"`(` at character 2 is never closed: add `)`, or write `\(` for the character"
        );
    }

    #[test]
    fn what_other_dialects_spell_differently_is_answered_with_the_spelling_here() {
        for (source, piece, instead) in [
            (r"\p{L}", r"`\p`", r"`[^\W\d_]`"),
            (r"a\Q.\E", r"`\Q`", "backslash"),
            (r"(a)\g<1>", r"`\g`", r"`\1`"),
            (r"(?P<a>b)\k<a>", r"`\k`", "`(?P=name)`"),
            (r"a\Kb", r"`\K`", "look-behind"),
            (r"\h", r"`\h`", r"`[ \t]`"),
            (r"\x{41}", r"`\x`", "2 hexadecimal"),
            (r"\u{e9}", r"`\u`", "4 hexadecimal"),
            (r"\N{DIGIT ONE}", r"`\N`", r"`\u`"),
            (r"(?<name>a)", "`(?<`", "`(?P<name>…)`"),
            (r"(?'name'a)", "`(?'`", "`(?P<name>…)`"),
            (r"(a(?1)?)", "`(?1`", "once more"),
            (r"\((?R)?\)", "`(?R`", "once more"),
            (r"(?P<a>b)(?P>a)", "`(?P`", "`(?P=name)`"),
            (r"(?|a|b)", "`(?|`", "differently"),
            (r"(?L)a", "`(?L`", "`(?a)`"),
            (r"(?U)a", "`(?U`", "`i`"),
            (r"foo(?i)bar", "`(?i)`", "`(?i:…)`"),
            (r"\q", r"`\q`", "two backslashes"),
            (r"[\Z]", r"`\Z`", "out of the class"),
        ] {
            let error = error(source);
            assert!(error.starts_with(piece) && error.contains(instead), "{source}: {error}");
        }
    }

    #[test]
    fn what_python_refuses_is_refused() {
        for source in [
            "*a",
            "a|+b",
            "(?:?)",
            "^*",
            r"\b+",
            "$?",
            "{2}",
            "a**",
            "a{1}{2}",
            "a*+*",
            "a{2,1}",
            "a{4294967295}",
            "a{99999999999}",
            "(",
            "a)",
            "(?:a",
            "(?",
            "(?)",
            "(?#a",
            "(?P",
            "(?Pa)",
            "(?P<1>a)",
            "(?P<a b>c)",
            "(?P<>a)",
            "(?P<a>b)(?P<a>c)",
            "(?P=a)",
            "[a",
            "[",
            "[]",
            "[^]",
            "[b-a]",
            r"[\d-z]",
            r"[a-\w]",
            r"[\8]",
            r"[\B]",
            "\\",
            "[\\",
            r"\8",
            r"\400",
            r"(a)\2",
            r"(a\1)",
            r"\x4",
            r"\u12",
            r"\U00110000",
            r"(?(1)a)",
            r"(a)(?(1)b|c|d)",
            "(?(0)a)",
            "(?(b)a)",
            "(?(a",
            "(?<=a*)b",
            "(?<!a|bc)d",
            r"(?<=(a)\1)b",
            "(?i-i:a)",
            "(?-a:b)",
            "(?au)",
            "(?a)(?u)",
            "(?-i)a",
            "(?i-:a)",
            "(?i",
            "(?i-",
            "a(?x)",
            "|(?i)",
            "((?i)a)",
            "(?i)*",
            "(?<",
            "(?<a",
        ] {
            let _ = error(source);
        }
    }

    #[test]
    fn patterns_of_any_length_and_depth_are_answered() {
        let _ = error(&"(".repeat(100_000));
        let _ = error(&"(?:".repeat(LONGEST / 3));
        let _ = error(&"[".repeat(1 << 20));
        let _ = error(&r"(?i)[\0-\U0010ffff]".repeat(1000));
        let _ = error(&(r"(?i)".to_owned() + &r"[\0-\U0010ffff]".repeat(1000)));
        assert!(read(&"()".repeat(LONGEST / 2), Scope::Line).is_ok());
        assert!(read(&"{1".repeat(LONGEST / 2), Scope::Line).is_ok());
    }

    #[test]
    fn only_groups_that_are_referred_to_capture() {
        let spell = |source: &str| read(source, Scope::Line).unwrap().spell(Engine::Stepwise);
        assert_eq!(spell("(a)(b)"), "(?:a)(?:b)");
        assert_eq!(spell(r"(a)(b)\2"), r"(?:a)(b)(?:\k<1>)");
    }

    #[test]
    fn for_the_linear_engine_what_it_lacks_is_spelled_wider() {
        let spell = |source: &str| read(source, Scope::Line).unwrap().spell(Engine::Linear);
        assert_eq!(spell("a(?=b)c"), "a(?:)c");
        assert_eq!(spell(r"(a)\1"), "(?:a)(?s:.*)");
        assert_eq!(spell("(a)?(?(1)b|c)"), "(?:a)?(?:b|c)");
        assert_eq!(spell("(?>a)b++"), "(?:a)b+");
    }

    #[test]
    fn reach_grows_with_what_may_be_looked_at_again() {
        let reach = |source: &str| read(source, Scope::Line).unwrap().reach(100);
        assert_eq!(reach("foo(?!bar)"), 6);
        assert_eq!(reach(r"(?:(?!\*/).)*"), 300);
        assert_eq!(reach("(?=.*a)b"), 101);
        assert_eq!(reach("(?:(?=.*a)b)*"), 100 + 100 * 100);
    }
}
