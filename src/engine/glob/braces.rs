//! Choices in braces: `{a,b}` is the glob with `a` and the glob with `b`.
//!
//! They are written out when a rules file is read, so that a path is held against globs without
//! choices. An alternative may be empty and may hold choices itself.

use super::BadGlob;
use super::set::Set;

/// How much text the globs that one glob stands for may hold together: choices that follow each
/// other multiply.
const MOST: usize = 1 << 16;

/// The globs that a part of a glob stands for.
struct Open {
    /// Those of the alternatives that are complete.
    done: Vec<String>,
    /// Those of the alternative that is being read.
    current: Vec<String>,
}

impl Open {
    fn new() -> Self {
        Self { done: Vec::new(), current: vec![String::new()] }
    }

    /// Puts a text behind all globs of the alternative that is being read; returns how much text
    /// that is.
    fn push(&mut self, text: &str) -> usize {
        self.current.iter_mut().for_each(|glob| glob.push_str(text));
        text.len() * self.current.len()
    }

    /// Ends the alternative that is being read, and begins the next.
    fn next(&mut self) {
        self.done.append(&mut self.current);
        self.current.push(String::new());
    }

    /// Ends the choice, which follows `before`: each of its globs follows each of those.
    fn close(mut self, before: &[String]) -> Result<Vec<String>, Problem> {
        if self.done.is_empty() {
            return Err(NO_CHOICE);
        }
        self.next();
        let product = before.len() * size(&self.done) + self.done.len() * size(before);
        if product > MOST {
            return Err(TOO_MANY);
        }
        let ends = &self.done;
        let with = |start| ends.iter().map(move |end| format!("{start}{end}"));
        Ok(before.iter().flat_map(with).collect())
    }
}

/// What is wrong with a glob, and what to write instead.
type Problem = (&'static str, &'static str);

const NO_CHOICE: Problem = (
    "its braces hold no choice",
    "write `{a,b}` for a choice, `[{]` and `[}]` for the characters themselves",
);
const TOO_MANY: Problem = ("its braces stand for too many globs", "write fewer choices");
const NOT_CLOSED: Problem = ("its `{` is not closed", "write `[{]` for the character itself");
const NOT_OPENED: Problem = ("its `}` closes nothing", "write `[}]` for the character itself");
const ESCAPE: Problem = (
    "a `\\` takes no meaning from what follows it",
    "write the character as a set, such as `[*]`, and `/` between folders",
);

/// Returns the globs without choices that a glob stands for; their sets are well formed.
pub(super) fn expand(glob: &str) -> Result<Vec<String>, BadGlob> {
    // The glob as a whole, then every choice that is open but the inmost.
    let mut around: Vec<Open> = Vec::new();
    let mut inmost = Open::new();
    let mut rest = glob;
    // The text of all of them; each glob counts as one character more than it has.
    let mut held = 1;
    while let Some(next) = rest.chars().next() {
        let mut after = rest.get(next.len_utf8()..).unwrap_or_default();
        match next {
            '{' => {
                around.push(std::mem::replace(&mut inmost, Open::new()));
                held += 1;
            }
            ',' if !around.is_empty() => {
                inmost.next();
                held += 1;
            }
            '}' => {
                let mut outer = around.pop().ok_or_else(|| bad(glob, NOT_OPENED))?;
                held -= size(&inmost.done) + size(&inmost.current) + size(&outer.current);
                outer.current = inmost.close(&outer.current).map_err(|it| bad(glob, it))?;
                held += size(&outer.current);
                inmost = outer;
            }
            '\\' if after.starts_with(SPECIAL) => return Err(bad(glob, ESCAPE)),
            _ => {
                if next == '[' {
                    let set = Set::read(rest);
                    (_, after) = set.map_err(|(problem, fix)| bad(glob, (&problem, fix)))?;
                }
                held += inmost.push(rest.get(..rest.len() - after.len()).unwrap_or_default());
            }
        }
        if held > MOST && (!around.is_empty() || inmost.current.len() > 1) {
            return Err(bad(glob, TOO_MANY));
        }
        rest = after;
    }
    if around.is_empty() { Ok(inmost.current) } else { Err(bad(glob, NOT_CLOSED)) }
}

/// Signs with a meaning, which a `\` before them would take away in other dialects.
const SPECIAL: [char; 9] = ['*', '?', '[', ']', '{', '}', ',', '!', '\\'];

fn size(globs: &[String]) -> usize {
    globs.iter().map(|glob| glob.len() + 1).sum()
}

fn bad(glob: &str, (problem, fix): (&str, &str)) -> BadGlob {
    BadGlob { glob: glob.to_owned(), problem: problem.to_owned(), fix: fix.to_owned() }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn choices_are_written_out_in_their_order() {
        let cases: &[(&str, &[&str])] = &[
            ("src/**", &["src/**"]),
            ("*.{ts,tsx}", &["*.ts", "*.tsx"]),
            ("{a,b}/{c,d}", &["a/c", "a/d", "b/c", "b/d"]),
            ("{a,{b,c}d}e", &["ae", "bde", "cde"]),
            ("a{,.test}.js", &["a.js", "a.test.js"]),
            ("{,}", &["", ""]),
            ("a,b", &["a,b"]),
            ("{[,}],b}", &["[,}]", "b"]),
            ("[{]a,b[}]", &["[{]a,b[}]"]),
            ("{é,名}[à-é]", &["é[à-é]", "名[à-é]"]),
            (r"a\b", &[r"a\b"]),
            ("a]", &["a]"]),
        ];
        for (glob, globs) in cases {
            assert_eq!(expand(glob).unwrap(), *globs, "{glob}");
        }
    }

    #[test]
    fn braces_that_cannot_be_meant_are_an_error() {
        for (glob, problem) in [
            ("{a,b", "its `{` is not closed"),
            ("{a,{b,c}", "its `{` is not closed"),
            ("a,b}", "its `}` closes nothing"),
            ("{a}", "its braces hold no choice"),
            ("{}", "its braces hold no choice"),
            ("{a,{b}}", "its braces hold no choice"),
            ("{a,[b}", "its `[` is not closed"),
            (r"\{a,b\}", "a `\\` takes no meaning from what follows it"),
        ] {
            let error = expand(glob).unwrap_err();
            assert_eq!((error.glob.as_str(), error.problem.as_str()), (glob, problem));
        }
    }

    #[test]
    fn choices_that_multiply_end_in_an_error() {
        assert_eq!(expand(&"{a,b}".repeat(10)).unwrap().len(), 1024);
        let most = "its braces stand for too many globs";
        for glob in [
            "{a,b}".repeat(1000),
            "{a,b}".repeat(10) + &"c".repeat(1 << 20),
            "{,}".repeat(1000),
            "{".repeat(1 << 20),
            format!("{{{}}}", ",".repeat(1 << 20)),
        ] {
            assert_eq!(expand(&glob).unwrap_err().problem, most);
        }
    }
}
