//! Which file does a line of a patch name?
//!
//! Git writes two names with a folder of its own before each (`a/` and `b/`, or what the
//! configuration says, or none). So of two names that differ in their first folder alone that
//! folder is dropped; a renamed file has lines that give its names bare.

use super::Problem;
use super::head::{Fate, Head};
use super::lines::headless;
use crate::domain::byte_name;
use crate::domain::{Place, RepoPath};

/// The name that stands for no file.
pub const NOTHING: &str = "/dev/null";

/// A file's names before and after; `None` is no file.
#[derive(Debug, PartialEq, Eq)]
pub struct Pair {
    /// Before.
    pub old: Option<String>,
    /// After.
    pub new: Option<String>,
}

impl Pair {
    /// Drops what the tool wrote before the names.
    pub fn settled(self) -> Self {
        let Self { old, new } = &self;
        match (old, new) {
            (Some(one), Some(other)) => {
                if let Some(name) = common(one, other) {
                    return Self { old: Some(name.to_owned()), new: Some(name.to_owned()) };
                }
                match (one.strip_prefix("a/"), other.strip_prefix("b/")) {
                    (Some(old), Some(new)) => {
                        Self { old: Some(old.to_owned()), new: Some(new.to_owned()) }
                    }
                    _ => self,
                }
            }
            (None, Some(name)) => {
                Self { old: None, new: Some(name.strip_prefix("b/").unwrap_or(name).to_owned()) }
            }
            (Some(name), None) => {
                Self { old: Some(name.strip_prefix("a/").unwrap_or(name).to_owned()), new: None }
            }
            (None, None) => self,
        }
    }

    /// Tells the head what becomes of a file with these names.
    pub fn fate(&self, head: &mut Head) -> Result<(), Problem> {
        match (&self.old, &self.new) {
            (None, None) => Err(Problem::Names),
            (None, Some(_)) => head.fate(Fate::New),
            (Some(_), None) => head.fate(Fate::Deleted),
            (Some(_), Some(_)) => Ok(()),
        }
    }

    /// Holds the sides that are not there against what the head of a file says of it.
    pub fn agrees(&self, head: &Head) -> Result<(), Problem> {
        let expected = match head.fate {
            Fate::New if self.old.is_some() => "--- /dev/null",
            Fate::Deleted if self.new.is_some() => "+++ /dev/null",
            Fate::Kept if self.old.is_none() => "new file mode",
            Fate::Kept if self.new.is_none() => "deleted file mode",
            _ => return Ok(()),
        };
        Err(Problem::Contradiction { expected: expected.to_owned() })
    }

    /// Holds the names of `---` and `+++` against those that are known already.
    pub fn fits(&self, known: &Self) -> Result<(), Problem> {
        let pairs = [(&self.old, &known.old), (&self.new, &known.new)];
        for (written, known) in pairs {
            let (Some(written), Some(known)) = (written, known) else { continue };
            let before = written.strip_suffix(known.as_str());
            if !before.is_some_and(|before| before.is_empty() || before.ends_with('/')) {
                return Err(Problem::Contradiction { expected: known.clone() });
            }
        }
        Ok(())
    }
}

/// Returns the one name behind two that differ in their first folder at most.
fn common<'a>(one: &'a str, other: &str) -> Option<&'a str> {
    if one == other {
        return Some(one);
    }
    let ((first, one), (second, other)) = (one.split_once('/')?, other.split_once('/')?);
    let dropped = [first, second].iter().all(|folder| !matches!(*folder, "" | ".."));
    (dropped && one == other && !one.is_empty()).then_some(one)
}

/// Returns the place that a name means. Tools write `./` before a name that they were given so.
pub fn place(name: &str) -> Result<Place, Problem> {
    if name.starts_with('/') {
        return Ok(Place::Outside(name.to_owned()));
    }
    let plain: Vec<&str> = name.split('/').filter(|part| !matches!(*part, "." | "")).collect();
    let path = RepoPath::new(&plain.join("/")).map(Place::Inside);
    path.ok_or_else(|| Problem::Path(name.to_owned()))
}

/// Returns the name that a line gives alone: quoted, or up to a tab, behind which tools write a
/// time.
pub fn written(text: &[u8]) -> Result<String, Problem> {
    if text.starts_with(b"\"") {
        return quoted(text).map(|(name, _)| name);
    }
    let name = text.split(|byte| *byte == b'\t').next().unwrap_or(text);
    if name.is_empty() {
        return Err(Problem::Names);
    }
    Ok(byte_name::text(name).into_owned())
}

/// Returns the two names behind `diff --git`, unless they cannot be told apart: names with
/// spaces are not quoted, so the space between them is the one that leaves two names of one
/// file.
pub fn header(text: &[u8]) -> Result<Option<Pair>, Problem> {
    if text.starts_with(b"\"") {
        let (old, rest) = quoted(text)?;
        let rest = rest.strip_prefix(b" ").ok_or(Problem::Names)?;
        return Ok(Some(Pair { old: Some(old), new: Some(written(rest)?) }));
    }
    if text.ends_with(b"\"") {
        let at = text.windows(2).position(|pair| pair == b" \"").ok_or(Problem::Quotes)?;
        let (old, new) = text.split_at_checked(at).ok_or(Problem::Quotes)?;
        let (new, _) = quoted(new.trim_ascii_start())?;
        return Ok(Some(Pair { old: Some(written(old)?), new: Some(new) }));
    }
    Ok(split(&byte_name::text(text), " "))
}

/// Returns the two names of the line `Binary files ONE and OTHER differ`, if it is one.
pub fn of_binary(line: &[u8]) -> Result<Option<Pair>, Problem> {
    let Some(text) = line.strip_prefix(b"Binary files ") else { return Ok(None) };
    let Some(text) = text.strip_suffix(b" differ") else { return Ok(None) };
    let text = byte_name::text(text);
    let apart = || text.rsplit_once(" and ");
    let Some((old, new)) = split(&text, " and ")
        .and_then(|pair| pair.old.zip(pair.new))
        .or_else(|| apart().map(|(old, new)| (old.to_owned(), new.to_owned())))
    else {
        return Ok(None);
    };
    let name = |name: &str| written(name.as_bytes());
    let some = |name: String| (name != NOTHING).then_some(name);
    Ok(Some(Pair { old: some(name(&old)?), new: some(name(&new)?) }))
}

/// Splits a text where it leaves two names of one file.
fn split(text: &str, between: &str) -> Option<Pair> {
    // Longer than two paths of any system; each place costs a look at the whole text.
    if text.len() > 16_384 {
        return None;
    }
    let mut places = text.match_indices(between);
    places.find_map(|(at, _)| {
        let (old, new) = (text.get(..at)?, text.get(at + between.len()..)?);
        common(old, new)?;
        Some(Pair { old: Some(old.to_owned()), new: Some(new.to_owned()) })
    })
}

/// Returns the name in the line that git writes for a submodule when it shows its commits:
/// `Submodule NAME 12ab..34cd:`.
pub fn of_submodule(line: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(headless(line, "Submodule ")).ok()?;
    if text.len() == line.len() {
        return None;
    }
    let text = text.split_once(" (").map_or(text, |(text, _)| text);
    let (name, ids) = text.trim_end_matches(':').rsplit_once(' ')?;
    let (old, new) = ids.split_once("...").or_else(|| ids.split_once(".."))?;
    let hex = |id: &str| id.len() >= 4 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    (hex(old) && hex(new)).then(|| name.to_owned())
}

/// Returns the name in the line that `diff -r` writes for a file that only one folder has:
/// `Only in FOLDER: NAME`.
pub fn of_single(line: &[u8]) -> Option<String> {
    let text = byte_name::text(line.strip_prefix(b"Only in ")?).into_owned();
    let (folder, name) = text.split_once(": ")?;
    let path = format!("{folder}/{name}");
    let bare = path.strip_prefix("a/").or_else(|| path.strip_prefix("b/"));
    Some(bare.unwrap_or(&path).to_owned())
}

/// Reads a name between quotes, with git's escapes; returns what follows it too.
fn quoted(text: &[u8]) -> Result<(String, &[u8]), Problem> {
    let mut bytes = text.iter().copied().enumerate().skip(1);
    let mut name = Vec::new();
    while let Some((at, byte)) = bytes.next() {
        if byte == b'"' {
            let rest = text.get(at + 1..).unwrap_or_default();
            return Ok((byte_name::text(&name).into_owned(), rest));
        }
        if byte != b'\\' {
            name.push(byte);
            continue;
        }
        let (_, escape) = bytes.next().ok_or(Problem::Quotes)?;
        name.push(match escape {
            b'a' => 0x07,
            b'b' => 0x08,
            b't' => b'\t',
            b'n' => b'\n',
            b'v' => 0x0b,
            b'f' => 0x0c,
            b'r' => b'\r',
            b'"' | b'\\' => escape,
            b'0'..=b'3' => {
                let mut value = escape - b'0';
                for _ in 0..2 {
                    let (_, digit) = bytes.next().ok_or(Problem::Quotes)?;
                    let digit @ b'0'..=b'7' = digit else { return Err(Problem::Quotes) };
                    value = (value << 3) | (digit - b'0');
                }
                value
            }
            _ => return Err(Problem::Quotes),
        });
    }
    Err(Problem::Quotes)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn settled(old: &str, new: &str) -> (Option<String>, Option<String>) {
        let some = |name: &str| (name != NOTHING).then(|| name.to_owned());
        let Pair { old, new } = Pair { old: some(old), new: some(new) }.settled();
        (old, new)
    }

    fn both(old: &str, new: &str) -> (Option<String>, Option<String>) {
        (Some(old.to_owned()), Some(new.to_owned()))
    }

    #[test]
    fn a_folder_that_the_tool_wrote_before_a_name_is_dropped() {
        assert_eq!(settled("a/x/y", "b/x/y"), both("x/y", "x/y"));
        assert_eq!(settled("i/x", "w/x"), both("x", "x"));
        assert_eq!(settled("a/b/x", "b/b/x"), both("b/x", "b/x"));
        assert_eq!(settled("a/x", "b/y"), both("x", "y"));
        assert_eq!(settled(NOTHING, "b/x"), (None, Some("x".to_owned())));
        assert_eq!(settled("a/x", NOTHING), (Some("x".to_owned()), None));
    }

    #[test]
    fn a_name_without_such_a_folder_stays() {
        assert_eq!(settled("a/x", "a/x"), both("a/x", "a/x"));
        assert_eq!(settled("x.orig", "x"), both("x.orig", "x"));
        assert_eq!(settled(NOTHING, "src/x"), (None, Some("src/x".to_owned())));
    }

    #[test]
    fn names_with_spaces_are_told_apart() {
        let pair = |text: &str| header(text.as_bytes()).unwrap().map(|pair| pair.settled().new);
        assert_eq!(pair("a/x y b/x y"), Some(Some("x y".to_owned())));
        assert_eq!(pair("x y x y"), Some(Some("x y".to_owned())));
        assert_eq!(pair("a/ b/x b/ b/x"), Some(Some(" b/x".to_owned())));
        assert_eq!(pair("a/one b/other"), None);
    }

    #[test]
    fn a_quoted_name_is_read_as_git_wrote_it() {
        let pair = header(br#""a/\303\251\t\"\\" "b/\303\251\t\"\\""#).unwrap().unwrap();
        assert_eq!(pair.settled().new.unwrap(), "é\t\"\\");
        assert_eq!(header(br#"a/x "b/\n""#).unwrap().unwrap().new.unwrap(), "b/\n");
        for bad in [r#""a/x"#, r#""a/\x41""#, r#""a/\30""#, r#""a/\477""#] {
            assert_eq!(written(bad.as_bytes()), Err(Problem::Quotes), "{bad}");
        }
    }

    #[test]
    fn a_path_that_leaves_the_project_is_none() {
        assert_eq!(place("./x//y").unwrap().as_str(), "x/y");
        assert_eq!(place("/etc/hosts").unwrap(), Place::Outside("/etc/hosts".to_owned()));
        assert_eq!(place("x/../../y"), Err(Problem::Path("x/../../y".to_owned())));
    }

    #[test]
    fn lines_that_name_a_file_alone_are_known() {
        assert_eq!(of_submodule(b"Submodule lib/x 12ab34c..56de78f:").unwrap(), "lib/x");
        assert_eq!(of_submodule(b"Submodule x 000000...56de78f (new submodule)").unwrap(), "x");
        assert_eq!(of_submodule(b"Submodules are a topic of their own."), None);
        assert_eq!(of_single(b"Only in b/dir: x.py").unwrap(), "dir/x.py");
        let pair = of_binary(b"Binary files a/this and that and b/this and that differ");
        assert_eq!(pair.unwrap().unwrap().settled().new.unwrap(), "this and that");
    }
}
