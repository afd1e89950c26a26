//! What does Copilot's `edit` make of a text?
//!
//! `old_str` must be there once. To the letter first, with CRLF taken for LF; then as whole
//! lines or typography that differ in what [`super::copilot_text`] leaves out. Of the looser
//! ways of the client nothing is told. `tests/edits/copilot-edits.jsonl` holds what version
//! 1.0.102 was seen to do.

use super::copilot_search::{Doubt, replaced};
use super::copilot_text::{loose, plain};

/// Why there is no text after an edit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Cause {
    /// There is nothing to look for.
    #[error("`old_str` is empty")]
    NoOld,
    /// It stands there so often.
    #[error("the file contains `old_str` {0} times")]
    NotUnique(usize),
    /// The client does not find it, or looks more loosely than we can tell.
    #[error(transparent)]
    Doubt(#[from] Doubt),
    /// Both kinds of line break are in the file, and the edit changes how many there are.
    #[error("which line breaks the client would write cannot be told")]
    Breaks,
}

/// Returns the text after an edit.
pub fn after(before: &str, old: &str, new: &str) -> Result<String, Cause> {
    let (old, new) = (old.replace("\r\n", "\n"), new.replace("\r\n", "\n"));
    if old.is_empty() {
        return Err(Cause::NoOld);
    }
    if old == new {
        return Ok(before.to_owned());
    }
    let text = before.replace("\r\n", "\n");
    let bare = old.strip_suffix('\n').unwrap_or(&old);
    match text.matches(&old).count() {
        0 if old.ends_with('\n') => return Err(unclear(&old)),
        0 => {}
        1 if text.matches(bare).count() == 1 => {
            return broken_as(before, &exactly(&text, &old, &new)?, (&old, &new));
        }
        1 => return Err(unclear(&old)),
        times => return Err(Cause::NotUnique(times)),
    }
    let (closed, lines) = text.strip_suffix('\n').map_or(("", text.as_str()), |text| ("\n", text));
    let lines: Vec<&str> = lines.split('\n').collect();
    let old_lines: Vec<&str> = old.split('\n').collect();
    let new_lines: Vec<&str> = new.split('\n').collect();
    if let Some(text) = typed(&text, &old, &new) {
        return broken_as(before, &text, (&old, &new));
    }
    match replaced(&lines, &old_lines, &new_lines) {
        // Some of the lines are enough for the client to go on looking.
        Err(Doubt::NotFound(_)) if old_lines.iter().any(|line| stands_in(&text, line)) => {
            Err(unclear(&old))
        }
        Ok(_) if new_lines.len() < old_lines.len() => Err(unclear(&old)),
        lines => broken_as(before, &(lines?.join("\n") + closed), (&old, &new)),
    }
}

fn stands_in(text: &str, line: &str) -> bool {
    let line = loose(line);
    !line.is_empty() && loose(text).contains(&line)
}

/// Replaces a text that stands there once to the letter. A line that goes takes its break along.
fn exactly(text: &str, old: &str, new: &str) -> Result<String, Cause> {
    let (head, tail) = text.split_once(old).ok_or_else(|| unclear(old))?;
    let column = head.rsplit_once('\n').map_or(head, |(_, column)| column);
    let column = column.trim_start_matches('\u{feff}');
    if !column.is_empty() && new.contains('\n') {
        // The lines of the new text may get the indentation of the first.
        return Err(unclear(old));
    }
    let tail = match tail.strip_prefix('\n') {
        Some(tail) if new.is_empty() && column.is_empty() => tail,
        _ => tail,
    };
    Ok(format!("{head}{new}{tail}"))
}

fn unclear(old: &str) -> Cause {
    Doubt::Unclear(old.lines().next().unwrap_or_default().to_owned()).into()
}

/// Replaces a text that stands there once but for its typography.
fn typed(text: &str, old: &str, new: &str) -> Option<String> {
    if old.contains('\n') {
        return None;
    }
    let wanted: Vec<char> = old.chars().map(plain).collect();
    let (at, chars): (Vec<usize>, Vec<char>) =
        text.char_indices().map(|(at, char)| (at, plain(char))).unzip();
    if loose(text).matches(&loose(old)).count() != 1 {
        return None;
    }
    let found = chars.windows(wanted.len()).position(|part| part == wanted)?;
    let end = at.get(found + wanted.len()).copied().unwrap_or(text.len());
    Some(format!("{}{new}{}", text.get(..*at.get(found)?)?, text.get(end..)?))
}

/// Returns the text with the line breaks of the file: with its only kind, or one by one where
/// the edit leaves them all.
fn broken_as(before: &str, text: &str, (old, new): (&str, &str)) -> Result<String, Cause> {
    let crlf = before.matches("\r\n").count();
    let all = before.matches('\n').count();
    if crlf == 0 {
        return Ok(text.to_owned());
    }
    if crlf == all {
        return Ok(text.replace('\n', "\r\n"));
    }
    // A break within the edit stays as it is behind a line that stays; elsewhere it may not.
    let above = |text: &str| text.rsplit_once('\n').map(|(above, _)| above.to_owned());
    if above(old) != above(new) || text.matches('\n').count() != all {
        return Err(Cause::Breaks);
    }
    let breaks =
        before.split_inclusive('\n').map(|line| if line.ends_with("\r\n") { "\r\n" } else { "\n" });
    let mut out = String::with_capacity(before.len());
    let mut lines = text.split('\n');
    out.push_str(lines.next().unwrap_or_default());
    for (line, ending) in lines.zip(breaks) {
        out.push_str(ending);
        out.push_str(line);
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    #[test]
    fn every_recorded_edit_ends_as_it_did_with_copilot() {
        let cases = include_str!("../../tests/edits/copilot-edits.jsonl");
        let (mut written, mut refused, mut unclear) = (0, 0, Vec::new());
        for case in cases.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
            let (args, name) = (&case["args"], case["name"].as_str().unwrap());
            let (Some(old), Some(new)) = (args["old_str"].as_str(), args["new_str"].as_str())
            else {
                continue;
            };
            if case["tool"] != "edit" {
                continue;
            }
            match (after(case["before"]["a.py"].as_str().unwrap(), old, new), &case["after"]) {
                (Ok(text), wanted) => {
                    assert_eq!(text, wanted["a.py"], "{name}");
                    written += 1;
                }
                (Err(_), Value::String(_)) => refused += 1,
                (Err(cause), _) => unclear.push(format!("{name}: {cause}")),
            }
        }
        assert_eq!((written, refused), (35, 9), "{unclear:?}");
        let [missing] = unclear.as_slice() else { panic!("{unclear:?}") };
        assert!(missing.starts_with("blank-line-missing: where Copilot would put"), "{missing}");
    }

    proptest! {
        #[test]
        fn no_edit_panics(text in "[aB\u{201c} ]{0,4}(\r?\n[aB; ]{0,4}){0,4}", old in "[ab\" \n]{0,6}", new in "[ab\r\n]{0,6}") {
            let _ = after(&text, &old, &new);
        }
    }
}
