//! Which files does a patch leave behind when Codex applies it?
//!
//! Codex verifies first: each path may occur once, every file to be changed must be readable
//! text, every hunk must be found in the file as it lies there. A patch that fails here writes
//! nothing. Only then are the sections carried out, one after another, and an error leaves the
//! earlier ones done. `tests/edits/codex-patches.jsonl` holds what version 0.171.0 was seen to do.

use super::codex_search::updated;
use super::patch::PatchError;
use super::patch_grammar::{Act, Dialect, Malformed, Section, read};
use super::patched::{Desk, Stop, finished};
use crate::domain::{Change, Content, Files, Place};

/// Returns the changes that a patch makes.
///
/// Where Codex would refuse it, or stop midway, the sections that it does not carry out are read
/// as [`super::patch::changes`] reads them: should we be wrong, their lines were judged.
pub fn changes(tool: &str, text: &str, files: &dyn Files) -> Result<Vec<Change>, PatchError> {
    finished(tool, text, files, attempt(tool, text, files)?)
}

/// Returns what Codex changes, and why it then stops, if it does.
pub(super) fn attempt(
    tool: &str,
    text: &str,
    files: &dyn Files,
) -> Result<(Vec<Change>, Option<Stop>), PatchError> {
    let sections = match read(text, Dialect::Codex) {
        Ok(sections) => sections,
        Err(error) => return Ok((Vec::new(), Some(refused(&error)))),
    };
    if sections.is_empty() {
        return Ok((Vec::new(), Some(Stop::Refused("the patch is empty".to_owned()))));
    }
    let mut placed = Vec::new();
    for section in &sections {
        placed.push(files.place(section.path).map_err(PatchError::Place)?);
    }
    let placed: Vec<(&Section<'_>, Place)> = sections.iter().zip(placed).collect();
    let mut desk = Desk::new(tool, files);
    if let Err(stop) = verify(&placed, &desk) {
        return Ok((Vec::new(), Some(stop)));
    }
    for (section, place) in placed {
        let to = match &section.act {
            Act::Update { to: Some(to), .. } => Some((*to, files.place(to))),
            _ => None,
        };
        let to = match to {
            Some((written, place)) => Some((written, place.map_err(PatchError::Place)?)),
            None => None,
        };
        if let Err(stop) = carry_out(section, place, to, &mut desk) {
            return Ok((desk.changes(), Some(stop)));
        }
    }
    Ok((desk.changes(), None))
}

fn refused(error: &Malformed) -> Stop {
    Stop::Refused(format!("Codex takes this for no patch: {error}"))
}

/// Holds the whole patch against the files as they lie there.
fn verify(placed: &[(&Section<'_>, Place)], desk: &Desk<'_>) -> Result<(), Stop> {
    for (at, (section, place)) in placed.iter().enumerate() {
        let earlier = placed.get(..at).unwrap_or_default();
        if earlier.iter().any(|(other, _)| spelled(other.path) == spelled(section.path)) {
            return Err(Stop::Refused(format!("the patch names `{}` twice", section.path)));
        }
        if matches!(section.act, Act::Add(_)) {
            continue;
        }
        let text = readable(section.path, desk.read(place))?;
        if let (Act::Update { hunks, .. }, Some(text)) = (&section.act, text) {
            updated(&text, hunks).map_err(|error| Stop::Refused(error.to_string()))?;
        }
    }
    Ok(())
}

/// Returns the parts of a path that count; two paths with the same parts are one file to Codex.
fn spelled(path: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "." => {}
            "" if !parts.is_empty() => {}
            ".." if parts.last().is_some_and(|last| !matches!(*last, "" | "..")) => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts
}

/// Returns the text of a file that Codex wants to read; nothing when we could not.
fn readable(path: &str, content: Content) -> Result<Option<String>, Stop> {
    match content {
        Content::Text(text) => Ok(Some(text)),
        Content::Absent => Err(Stop::Refused(format!("there is no file `{path}`"))),
        Content::Binary => Err(Stop::Refused(format!("`{path}` is no UTF-8 text"))),
        Content::Unknown(_) => Ok(None),
    }
}

fn carry_out(
    section: &Section<'_>,
    place: Place,
    to: Option<(&str, Place)>,
    desk: &mut Desk<'_>,
) -> Result<(), Stop> {
    let blocked = |written: &str, desk: &Desk<'_>| {
        let why = || Stop::Refused(format!("a file stands in the way of `{written}`"));
        if desk.is_below_a_file(written) { Err(why()) } else { Ok(()) }
    };
    match &section.act {
        Act::Delete => desk.delete(place),
        Act::Add(lines) => {
            blocked(section.path, desk)?;
            desk.write(place, lines.iter().flat_map(|line| [*line, "\n"]).collect());
        }
        Act::Update { hunks, .. } => {
            let Some(before) = readable(section.path, desk.read(&place))? else {
                return Err(Stop::Unclear(format!("`{}` cannot be read", section.path)));
            };
            let after =
                updated(&before, hunks).map_err(|error| Stop::Refused(error.to_string()))?;
            match to {
                // Written first and deleted then.
                Some((_, to)) if to == place => desk.delete(place),
                Some((written, to)) => {
                    blocked(written, desk)?;
                    desk.update(place, &before, after, Some(to));
                }
                None => desk.update(place, &before, after, None),
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::clients::recorded::{Table, left};
    use proptest::prelude::*;
    use serde_json::Value;

    #[test]
    fn every_recorded_patch_ends_as_it_did_with_codex() {
        let cases = include_str!("../../tests/edits/codex-patches.jsonl");
        let (mut same, mut refused, mut folders) = (0, 0, 0);
        for case in cases.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
            let table = Table::of(&case["before"]);
            let (changes, stop) = attempt("", case["patch"].as_str().unwrap(), &table).unwrap();
            let wanted = match &case["after"] {
                // That a folder stands there is more than we are told.
                Value::String(_) if !matches!(stop, Some(Stop::Refused(_))) => {
                    let folder = case["name"].as_str().unwrap().contains("folder");
                    assert!(folder, "{case}");
                    folders += 1;
                    continue;
                }
                Value::String(_) => {
                    refused += 1;
                    case.get("left").unwrap_or(&case["before"])
                }
                after => after,
            };
            assert_eq!(left(&case["before"], &changes), *wanted, "{case}");
            same += 1;
        }
        assert_eq!((same - refused, refused, folders), (128, 90, 3));
    }

    #[test]
    fn lines_that_codex_refuses_are_judged_all_the_same() {
        let table = Table::of(&serde_json::json!({"a": "x\n"}));
        let text = "*** Begin Patch\n*** Update File: a\n@@\n-y\n+z\n*** End Patch";
        let changes = changes("apply_patch", text, &table).unwrap();
        assert!(matches!(changes[0].after, Content::Unknown(_)));
        assert_eq!(changes[0].added[0].text, "z");
    }

    #[test]
    fn a_path_counts_by_its_parts() {
        assert_eq!(spelled("./a//b/../c"), ["a", "c"]);
        assert_eq!(spelled("../a"), ["..", "a"]);
        assert_ne!(spelled("/a"), spelled("a"));
    }

    proptest! {
        #[test]
        fn no_patch_panics_and_what_it_adds_stands_in_the_file(
            before in "([ab] ?(\r\n|\r|\n)){0,6}[ab]?",
            lines in prop::collection::vec("@@|@@ a|[ +-]?[ab]?|\\*\\*\\* (Add|Update|Delete) File: [fg]|\\*\\*\\* Move to: g|\\*\\*\\* End of File", 0..9),
        ) {
            let text = format!("*** Begin Patch\n*** Update File: f\n{}\n*** End Patch", lines.join("\n"));
            let table = Table::of(&serde_json::json!({"f": before}));
            for change in changes("", &text, &table).unwrap_or_default() {
                let Content::Text(after) = change.after else { continue };
                let after: Vec<&str> = crate::domain::diff::lines(&after).collect();
                for line in change.added {
                    prop_assert_eq!(after.get(line.number - 1), Some(&line.text.as_str()));
                }
            }
        }
    }
}
