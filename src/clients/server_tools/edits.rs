//! The file after an edit by a tool of a server, and why there is none.

use std::borrow::Cow;
use std::ops::Range;

/// An edit of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// The file is looked at.
    Nothing,
    /// The whole file.
    Write(String),
    /// More text at its end.
    Append(String),
    /// One text in the place of another.
    Replace {
        /// The text that is replaced.
        old: String,
        /// The text in its place.
        new: String,
        /// How often it must occur; all occurrences are then replaced.
        times: Option<u64>,
        /// Whether every occurrence is meant, however many there are.
        everywhere: bool,
    },
    /// The first occurrence of each text by another, one after the other, with blanks at the ends
    /// of lines forgiven.
    Each(Vec<(String, String)>),
    /// Other lines in the place of a range, counted from 0.
    Lines {
        /// The lines that go.
        range: Range<usize>,
        /// The text that comes, as it is.
        content: String,
    },
}

/// Why an edit cannot be computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused(pub &'static str);

const NO_FILE: Refused = Refused("there is no such file to edit");
const NOT_FOUND: Refused = Refused("the text to be replaced is not found in the file");
const TOO_OFTEN: Refused = Refused("the text to be replaced is found more or less often than said");

impl Edit {
    /// Returns the text that the edit brings, whatever the file holds.
    pub fn new_text(&self) -> Cow<'_, str> {
        match self {
            Self::Nothing => Cow::Borrowed(""),
            Self::Write(text) | Self::Append(text) | Self::Lines { content: text, .. } => {
                Cow::Borrowed(text)
            }
            Self::Replace { new, .. } => Cow::Borrowed(new),
            Self::Each(edits) => {
                let texts: Vec<&str> = edits.iter().map(|(_, new)| new.as_str()).collect();
                Cow::Owned(texts.join("\n"))
            }
        }
    }

    /// Returns the file after the edit.
    pub fn after(&self, before: Option<&str>) -> Result<String, Refused> {
        match self {
            Self::Nothing => before.map(str::to_owned).ok_or(NO_FILE),
            Self::Write(text) => Ok(text.clone()),
            Self::Append(text) => Ok(before.unwrap_or_default().to_owned() + text),
            Self::Replace { old, new, times, everywhere } => {
                let before = before.ok_or(NO_FILE)?;
                let crlf = before.contains("\r\n");
                let ends = |text: &str| {
                    let text = text.replace("\r\n", "\n");
                    if crlf { text.replace('\n', "\r\n") } else { text }
                };
                // As it is written first; then with the file's own line ends.
                let literal = before.contains(old.as_str());
                let (old, new) = if literal && !crlf {
                    (old.clone(), new.clone())
                } else {
                    (ends(old), ends(new))
                };
                let found = if old.is_empty() { 0 } else { before.matches(&old).count() };
                match (found, times) {
                    (0, _) => Err(NOT_FOUND),
                    _ if *everywhere => Ok(before.replace(&old, &new)),
                    (found, Some(times)) if u64::try_from(found) == Ok(*times) => {
                        Ok(before.replace(&old, &new))
                    }
                    (1, None) => Ok(before.replacen(&old, &new, 1)),
                    _ => Err(TOO_OFTEN),
                }
            }
            Self::Each(edits) => {
                let mut text = before.ok_or(NO_FILE)?.replace("\r\n", "\n");
                for (old, new) in edits {
                    let (old, new) = (old.replace("\r\n", "\n"), new.replace("\r\n", "\n"));
                    text = if text.contains(&old) {
                        text.replacen(&old, &new, 1)
                    } else {
                        by_lines(&text, &old, &new).ok_or(NOT_FOUND)?
                    };
                }
                Ok(text)
            }
            Self::Lines { range, content } => {
                let before = before.ok_or(NO_FILE)?;
                let lines: Vec<&str> = before.split_inclusive('\n').collect();
                let head = lines.get(..range.start).ok_or(NOT_FOUND)?;
                let tail = lines.get(range.end.min(lines.len())..).ok_or(NOT_FOUND)?;
                Ok(head.concat() + content + &tail.concat())
            }
        }
    }
}

/// Replaces the first run of lines that are the old ones but for blanks at their ends; the new
/// ones take the indentation that is there.
fn by_lines(text: &str, old: &str, new: &str) -> Option<String> {
    let old: Vec<&str> = old.split('\n').collect();
    let lines: Vec<&str> = text.split('\n').collect();
    let same = |run: &[&str]| run.iter().zip(&old).all(|(one, other)| one.trim() == other.trim());
    let at = lines.windows(old.len()).position(same)?;
    let indent = indentation(lines.get(at)?);
    let new = new.split('\n').enumerate().map(|(number, line)| {
        let (was, is) = (old.get(number).map_or("", |old| indentation(old)), indentation(line));
        if number == 0 {
            format!("{indent}{}", line.trim_start())
        } else if was.is_empty() || is.is_empty() {
            line.to_owned()
        } else {
            let deeper = is.chars().count().saturating_sub(was.chars().count());
            format!("{indent}{}{}", " ".repeat(deeper), line.trim_start())
        }
    });
    let head = lines.get(..at)?.iter().map(|line| (*line).to_owned());
    let tail = lines.get(at + old.len()..)?.iter().map(|line| (*line).to_owned());
    Some(head.chain(new).chain(tail).collect::<Vec<_>>().join("\n"))
}

fn indentation(line: &str) -> &str {
    line.get(..line.len() - line.trim_start().len()).unwrap_or_default()
}
