//! What does Copilot's permission request say will become of a file?
//!
//! The client shows each file by a unified diff of what it will write, made on lines without
//! their breaks. It is laid over the file as it is; where it does not fit, its added lines are
//! judged by themselves.

use super::fields::Fields;
use super::file_tools::place;
use super::payload::PayloadError;
use crate::domain::{Change, Files, Line, Place, Stored};
use serde_json::Value;

/// Returns the changes that a request announces; nothing when it is about no file.
pub(super) fn changes(
    tool: &str,
    input: &Value,
    files: &dyn Files,
) -> Result<Vec<Change>, PayloadError> {
    let Value::Object(input) = input else { return Ok(Vec::new()) };
    let mut input = Fields::new("toolInput", input.clone());
    let Some(diff) = input.text_if_any(&["diff"])? else {
        if tool == "edit" {
            return Err(input.complain(&["diff"], "missing", "a diff"));
        }
        return Ok(Vec::new());
    };
    let target = place(&input.path(&["file_path"])?, files)?;
    let diff = Diff::of(&diff);
    if diff.deletes {
        return Ok(vec![Change::of_deletion(tool, target)]);
    }
    let source = match diff.source {
        Some(path) => Some(place(path, files)?).filter(|source| *source != target),
        None => None,
    };
    let change = diff.laid_over(tool, target, source.as_ref(), files);
    Ok(match source {
        Some(source) => {
            let moved_from = Some(source.clone());
            vec![Change::of_deletion(tool, source), Change { moved_from, ..change }]
        }
        None => vec![change],
    })
}

/// A unified diff of one file.
#[derive(Debug, Default)]
struct Diff<'a> {
    /// The file before; none when it is new.
    source: Option<&'a str>,
    deletes: bool,
    hunks: Vec<(usize, Vec<&'a str>)>,
}

impl<'a> Diff<'a> {
    fn of(text: &'a str) -> Self {
        let mut diff = Self::default();
        let mut lines = text.split('\n');
        while let Some(line) = lines.next() {
            if let Some(path) = line.strip_prefix("--- a") {
                diff.source = Some(path).filter(|path| *path != "/dev/null");
            } else if line == "+++ b/dev/null" {
                diff.deletes = true;
            } else if let Some((start, mut old, mut new)) = range(line) {
                let mut hunk = Vec::new();
                while old + new > 0 {
                    let Some(line) = lines.next() else { break };
                    old = old.saturating_sub(usize::from(!line.starts_with('+')));
                    new = new.saturating_sub(usize::from(!line.starts_with('-')));
                    hunk.push(line);
                }
                diff.hunks.push((start, hunk));
            }
        }
        diff
    }

    fn laid_over(
        &self,
        tool: &str,
        target: Place,
        source: Option<&Place>,
        files: &dyn Files,
    ) -> Change {
        let before = match self.source {
            Some(_) => files.read(source.unwrap_or(&target)),
            None => Stored::Absent,
        };
        let added = || {
            let lines = self.hunks.iter().flat_map(|(_, hunk)| hunk);
            let lines = lines.filter_map(|line| line.strip_prefix('+'));
            (1..).zip(lines).map(|(number, text)| Line { number, text: text.to_owned() }).collect()
        };
        let before = match before {
            Stored::Absent => String::new(),
            Stored::Bytes(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Stored::Unknown(why) => {
                let unsure = Some(why.clone());
                return Change { unsure, ..Change::of_lines(tool, target, added(), why) };
            }
        };
        if let Some(after) = self.applied(&before) {
            return Change::of_text(tool, target, &before, after);
        }
        Change::of_lines(tool, target, added(), "the diff of the request does not fit the file")
    }

    fn applied(&self, before: &str) -> Option<String> {
        let old: Vec<&str> =
            before.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
        let old = if self.source.is_none() { &[][..] } else { &old };
        let mut out: Vec<&str> = Vec::new();
        let mut at = 0;
        for (start, hunk) in &self.hunks {
            let start = start.saturating_sub(1);
            out.extend(old.get(at..start)?);
            at = start;
            for line in hunk {
                let (sign, text) = line.split_at_checked(1).unwrap_or((" ", ""));
                if sign != "+" {
                    if old.get(at)? != &text {
                        return None;
                    }
                    at += 1;
                }
                if sign != "-" {
                    out.push(text);
                }
            }
        }
        out.extend(old.get(at..)?);
        let breaks = before.matches('\n').count();
        let ending =
            if breaks > 0 && before.matches("\r\n").count() == breaks { "\r\n" } else { "\n" };
        let mut text = out.join(ending);
        // Whether a new file ends with a line break is not always shown.
        if self.source.is_none() && !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        Some(text)
    }
}

/// Reads `@@ -1,3 +1,3 @@`: where the old lines begin, and how many lines there are.
fn range(line: &str) -> Option<(usize, usize, usize)> {
    let rest = line.strip_prefix("@@ -")?;
    let (old, rest) = rest.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    let part = |part: &str| -> Option<(usize, usize)> {
        let (start, count) = part.split_once(',').unwrap_or((part, "1"));
        Some((start.parse().ok()?, count.parse().ok()?))
    };
    let ((start, old), (_, new)) = (part(old)?, part(new)?);
    Some((start, old, new))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::clients::recorded::Table;
    use crate::domain::Content;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn a_diff_that_does_not_fit_leaves_its_lines_to_be_judged() {
        let files = Table::of(&json!({"/a": "x\r\ny\r\n"}));
        let request = |old: &str| {
            let diff = format!("--- a/a\n+++ b/a\n@@ -1,3 +1,3 @@\n-{old}\n+z\n y\n \n");
            changes("edit", &json!({"file_path": "/a", "diff": diff}), &files).unwrap().remove(0)
        };
        assert_eq!(request("x").after, Content::Text("z\r\ny\r\n".to_owned()));
        let unfit = request("q");
        assert!(matches!(unfit.after, Content::Unknown(_)));
        assert_eq!(unfit.added[0].text, "z");
    }

    #[test]
    fn a_request_without_a_diff_is_about_no_file_or_an_error() {
        let files = Table::of(&json!({}));
        assert_eq!(changes("bash", &json!({"command": "ls"}), &files), Ok(Vec::new()));
        assert!(changes("edit", &json!({"file_path": "/a"}), &files).is_err());
    }

    proptest! {
        #[test]
        fn no_diff_panics(diff in "(--- a/[af]\n|[+]{3} b/[af]\n|@@ -[0-9],[0-9] [+][0-9],[0-9] @@\n|[-+ ][xy]?\n|x){0,9}") {
            let _ = changes("edit", &json!({"file_path": "/a", "diff": diff}), &Table::of(&json!({"/a": "x\ny\n"})));
        }
    }
}
