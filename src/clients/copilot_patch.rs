//! Which files does a patch leave behind when Copilot applies it?
//!
//! Its sections are carried out one after another; one that fails ends the patch and leaves the
//! earlier ones done. An added file must be new. `tests/edits/copilot-patches.jsonl` holds what
//! version 1.0.102 was seen to do.

use super::copilot_search::{Doubt, updated};
use super::patch::PatchError;
use super::patch_grammar::{Act, Dialect, Section, read};
use super::patched::{Desk, Stop, finished};
use crate::domain::{Change, Content, Files};

/// Returns the changes that a patch makes.
///
/// From a section on that Copilot would refuse, or of which we cannot tell what becomes, the
/// sections are read as [`super::patch::changes`] reads them.
pub fn changes(tool: &str, text: &str, files: &dyn Files) -> Result<Vec<Change>, PatchError> {
    finished(tool, text, files, attempt(tool, text, files)?)
}

/// Returns what Copilot changes, and why it then stops, if it does.
fn attempt(
    tool: &str,
    text: &str,
    files: &dyn Files,
) -> Result<(Vec<Change>, Option<Stop>), PatchError> {
    let sections = match read(text, Dialect::Copilot) {
        Ok(sections) => sections,
        Err(error) => {
            let why = format!("Copilot takes this for no patch: {error}");
            return Ok((Vec::new(), Some(Stop::Refused(why))));
        }
    };
    if sections.is_empty() {
        return Ok((Vec::new(), Some(Stop::Refused("the patch is empty".to_owned()))));
    }
    let mut desk = Desk::new(tool, files);
    for section in &sections {
        if let Err(stop) = carry_out(section, files, &mut desk)? {
            return Ok((desk.changes(), Some(stop)));
        }
    }
    Ok((desk.changes(), None))
}

fn carry_out(
    section: &Section<'_>,
    files: &dyn Files,
    desk: &mut Desk<'_>,
) -> Result<Result<(), Stop>, PatchError> {
    let path = section.path;
    let place = files.place(path).map_err(PatchError::Place)?;
    let refused = |why: String| Ok(Err(Stop::Refused(why)));
    let content = desk.read(&place);
    match (&section.act, content) {
        (Act::Delete | Act::Update { .. }, Content::Absent) => {
            return refused(format!("there is no file `{path}`"));
        }
        (Act::Delete | Act::Update { .. }, Content::Unknown(why)) => {
            return Ok(Err(Stop::Unclear(why)));
        }
        (Act::Delete, _) => desk.delete(place),
        (Act::Add(lines), Content::Absent) => {
            if desk.is_below_a_file(path) {
                return refused(format!("a file stands in the way of `{path}`"));
            }
            desk.write(place, lines.iter().flat_map(|line| [*line, "\n"]).collect());
        }
        (Act::Add(_), _) => return refused(format!("there is a file `{path}` already")),
        (Act::Update { to, hunks }, Content::Text(before)) => {
            let after = match updated(&before, hunks) {
                Ok(after) => after,
                Err(doubt @ Doubt::NotFound(_)) => return refused(doubt.to_string()),
                Err(doubt) => return Ok(Err(Stop::Unclear(doubt.to_string()))),
            };
            let to = match to {
                Some(written) if desk.is_below_a_file(written) => {
                    return refused(format!("a file stands in the way of `{written}`"));
                }
                Some(written) => Some(files.place(written).map_err(PatchError::Place)?),
                None => None,
            };
            let to = to.filter(|to| *to != place);
            desk.update(place, &before, after, to);
        }
        (Act::Update { .. }, Content::Binary) => {
            return Ok(Err(Stop::Unclear(format!("`{path}` is no UTF-8 text"))));
        }
    }
    Ok(Ok(()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::clients::recorded::{Table, left};
    use serde_json::Value;

    #[test]
    fn every_recorded_patch_ends_as_it_did_with_copilot() {
        let cases = include_str!("../../tests/edits/copilot-patches.jsonl");
        let (mut applied, mut refused, mut unclear) = (0, 0, 0);
        for case in cases.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
            let (before, text) = (&case["before"], case["patch"].as_str().unwrap());
            let (changes, stop) = attempt("", text, &Table::of(before)).unwrap();
            let failed = case["after"].is_string();
            let wanted = if failed { case.get("left").unwrap_or(before) } else { &case["after"] };
            assert_eq!(failed, stop.is_some(), "{case}: {stop:?}");
            assert_eq!(left(before, &changes), *wanted, "{case}");
            match stop {
                None => applied += 1,
                Some(Stop::Refused(_)) => refused += 1,
                Some(Stop::Unclear(_)) => unclear += 1,
            }
        }
        assert_eq!((applied, refused, unclear), (152, 59, 10));
    }

    #[test]
    fn what_was_done_before_a_refusal_stays_and_the_rest_is_judged() {
        let text = "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** Update File: b\n@@\n-q\n+z\n*** End Patch";
        let files = Table::of(&serde_json::json!({"a": " x\n", "b": "b\n"}));
        let changes = changes("apply_patch", text, &files).unwrap();
        assert_eq!(changes[0].after, Content::Text(" y\n".to_owned()));
        assert!(matches!(changes[1].after, Content::Unknown(_)));
        assert_eq!(changes[1].added[0].text, "z");
    }
}
