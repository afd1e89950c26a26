//! What was judged in a stored decision? The change, made again from its record, so that it can be
//! judged once more.
//!
//! Nothing is guessed: what a record does not hold makes it one that cannot be replayed, and
//! [`Lack`] says why. What the judges beside the rules saw (files of the guard) rests on more than
//! a record holds, so it is taken from the record as it stands.

use super::canonical::value_hash;
use super::chain::record_hash;
use super::steps;
use super::stored::{Kind, Stored};
use crate::domain::{
    Certainty, Change, Content, Finding, Line, Moment, Numbering, Part, Place, RepoPath, Spot,
    Standing, Verdict,
};
use crate::domain::{byte_name, checks};
use serde_json::Value;

/// What a decision was about, as far as it is needed to decide again.
#[derive(Clone, Debug, PartialEq)]
pub struct Given {
    /// The change that was judged.
    pub change: Change,
    /// When it was judged.
    pub moment: Moment,
    /// Whether it was searched for text that speaks to its reviewer.
    pub instruction_check: bool,
    /// What was found about files of the guard itself.
    pub own_files: Option<Finding>,
    /// The verdict that the steps led to. A warning that is no step of theirs is left out: one
    /// about what stood beside the edit, or about the deletion of a file that a rule requires.
    pub verdict: Verdict,
    /// Whether the record holds such a warning.
    pub warned_aside: bool,
}

/// Why a record cannot be replayed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum Lack {
    /// It is no decision about a change.
    #[error("it is no decision about a change of a file")]
    NoChange,
    /// It tells what was written.
    #[error("it tells what was written after a decision, and is none itself")]
    Written,
    /// Its content was erased.
    #[error("its content is redacted")]
    Redacted,
    /// A part of the change was too large to be kept.
    #[error("{0} was too large to be kept")]
    TooLarge(&'static str),
    /// The rules that say what is secret could not be read, so its text was not kept.
    #[error("its text was not kept, because the rules could not be read")]
    Withheld,
    /// A part of it is not there, or is not what belongs there.
    #[error("the record does not say {0}")]
    Missing(&'static str),
    /// A model answered a question.
    #[error("a model answered a question, and no model is asked again")]
    Model,
    /// What git knew of the file would decide whether a rule counts.
    #[error("rule `{0}` counts only for some files, and the record does not say which this was")]
    Standing(String),
    /// Git LFS kept a pointer in place of the file.
    #[error("it is a pointer of Git LFS, of which rules judge only a part")]
    Pointer,
    /// The record is not what was written.
    #[error("the record was changed after it was written; `solvi-hook verify` tells more")]
    Changed,
}

/// Returns what a record's decision was about.
pub fn given(record: &Stored) -> Result<Given, Lack> {
    match record.kind() {
        Kind::Decision => {}
        Kind::Written => return Err(Lack::Written),
        _ => return Err(Lack::NoChange),
    }
    let moment = match (record.question(), record.hook()) {
        (Some("edit"), _) => Moment::Edit,
        (Some("commit"), _) => Moment::Commit,
        (Some("diff"), Some("pre-push" | "pre-receive")) => Moment::Push,
        (Some("diff"), _) => Moment::Ci,
        _ => return Err(Lack::NoChange),
    };
    if record.is_redacted() {
        return Err(Lack::Redacted);
    }
    let models = record.at(&["models"]).and_then(Value::as_array);
    if models.is_some_and(|models| !models.is_empty()) {
        return Err(Lack::Model);
    }
    let change = change(record)?;
    // An agent's edit of a pointer is judged like any other text.
    if moment != Moment::Edit && change.after.text().is_some_and(|it| it.starts_with(POINTER)) {
        return Err(Lack::Pointer);
    }
    let verdict = record.verdict().ok_or(Lack::Missing("what was decided"))?;
    let warned_aside = verdict == Verdict::Warn && !of_checks(record).any(|it| it == verdict);
    Ok(Given {
        change,
        moment,
        instruction_check: record.at(&["meta", "instruction_check"]) != Some(&Value::Bool(false)),
        own_files: own_files(record),
        verdict: if warned_aside { Verdict::Allow } else { verdict },
        warned_aside,
    })
}

/// Tells whether a record still is what its hash was taken over. The input has a hash of its own,
/// by which the steps know it.
#[must_use]
pub fn is_sound(record: &Stored) -> bool {
    let init = record.at(&["response", "trace", "init"]);
    let input = match (init, record.at(&["init_hash"]).and_then(Value::as_str)) {
        (Some(init), Some(hash)) => value_hash(init) == hash,
        (init, hash) => init.is_none() && hash.is_none() || record.is_redacted(),
    };
    input && record_hash(record.fields()) == record.hash()
}

/// How the text of a pointer of Git LFS begins.
const POINTER: &str = "version https://git-lfs.github.com/spec/";

fn ours<'a>(record: &'a Stored, key: &str) -> Option<&'a Value> {
    record.at(&["meta", "solvi_hook", key])
}

/// Returns what each check of a record of ours asked for that objected.
fn of_checks(record: &Stored) -> impl Iterator<Item = Verdict> {
    let checks = ours(record, "checks").and_then(Value::as_object).into_iter().flatten();
    checks.filter_map(|(_, word)| Verdict::of_word(word.as_str()?))
}

fn change(record: &Stored) -> Result<Change, Lack> {
    let init = |key: &str| record.at(&["response", "trace", "init", key]);
    let path = init("path").and_then(Value::as_str).and_then(place);
    let place = path.ok_or(Lack::Missing("which file it was about"))?;
    let tool = record.at(&["meta", "tool"]).and_then(Value::as_str);
    let tool = tool.ok_or(Lack::Missing("which tool would have changed the file"))?;
    let said = |key: &str| ours(record, key).and_then(Value::as_str).unwrap_or_default();
    if ["no_added_lines", "no_result_text"].iter().any(|key| steps::is_withheld(said(key))) {
        return Err(Lack::Withheld);
    }
    if ours(record, "no_added_lines").is_some() {
        return Err(Lack::TooLarge("what it added"));
    }
    let added = init("added_lines").and_then(lines).ok_or(Lack::Missing("which lines are new"))?;
    let after = after(record, init("result_text"))?;
    let moved_from = match ours(record, "moved_from").map(Value::as_str) {
        None => None,
        Some(from) => Some(from.and_then(self::place).ok_or(Lack::Missing("where it was"))?),
    };
    let numbering = match ours(record, "numbering").map(Value::as_str) {
        Some(Some("new text")) => Numbering::NewText,
        Some(Some("cell")) => Numbering::Cell,
        Some(_) => return Err(Lack::Missing("what the numbers of its lines count")),
        None if matches!(after, Content::Unknown(_)) && is_foreign(record) => Numbering::NewText,
        None => Numbering::File,
    };
    let standing = match ours(record, "standing").and_then(Value::as_str) {
        Some("tracked") => Standing::Tracked,
        Some("new") => Standing::New,
        _ => Standing::Unknown,
    };
    let certainty = match ours(record, "certainty").and_then(Value::as_str) {
        Some("possible") => Certainty::Possible,
        _ => Certainty::Certain,
    };
    let unsure = ours(record, "unsure").and_then(Value::as_str).map(ToOwned::to_owned);
    Ok(Change {
        tool: tool.to_owned(),
        place,
        moved_from,
        after,
        added,
        others: Vec::new(),
        before: None,
        numbering,
        unsure,
        standing,
        certainty,
    }
    .as_read())
}

fn is_foreign(record: &Stored) -> bool {
    record.at(&["meta", "solvi_hook"]).is_none()
}

fn after(record: &Stored, text: Option<&Value>) -> Result<Content, Lack> {
    let missing = Lack::Missing("what the file holds after the edit");
    if record.at(&["meta", "deleted"]) == Some(&Value::Bool(true)) {
        return Ok(Content::Absent);
    }
    match (text, ours(record, "no_result_text").map(Value::as_str)) {
        (Some(Value::String(text)), _) => Ok(Content::Text(text.clone())),
        (Some(Value::Null), Some(Some(why))) if steps::is_too_large(why) => {
            Err(Lack::TooLarge("the file after the edit"))
        }
        (Some(Value::Null), Some(Some(steps::NO_TEXT))) => Ok(Content::Binary),
        (Some(Value::Null), Some(Some(why))) => Ok(Content::Unknown(why.to_owned())),
        // The reference program stores nothing when it does not know the file.
        (Some(Value::Null), None) if is_foreign(record) => {
            Ok(Content::Unknown("it was not known when the edit was judged".to_owned()))
        }
        _ => Err(missing),
    }
}

/// Returns the place that a record names: a path of the project, or an absolute one.
fn place(path: &str) -> Option<Place> {
    let path = byte_name::read(path);
    match RepoPath::new(&path) {
        Some(inside) if !has_drive(&path) => Some(Place::Inside(inside)),
        _ if path.starts_with('/') || has_drive(&path) => Some(Place::Outside(path.into_owned())),
        _ => None,
    }
}

fn has_drive(path: &str) -> bool {
    matches!(path.as_bytes(), [letter, b':', b'/', ..] if letter.is_ascii_alphabetic())
}

/// Reads `[[number, text], …]`.
fn lines(value: &Value) -> Option<Vec<Line>> {
    let line = |value: &Value| match value.as_array()?.as_slice() {
        [number, text] => Some(Line {
            number: usize::try_from(number.as_u64()?).ok()?,
            text: text.as_str()?.to_owned(),
        }),
        _ => None,
    };
    value.as_array()?.iter().map(line).collect()
}

/// Returns what the judge of the guard's own files found.
fn own_files(record: &Stored) -> Option<Finding> {
    let verdict = ours(record, "checks")?.get("own_files")?.as_str();
    let steps = record.at(&["response", "trace", "records"])?.as_array()?;
    let found =
        steps.iter().find(|step| step.get("name").is_some_and(|it| it == "own_files_lines"));
    let spot = |spot: &Value| match spot.as_array().map(Vec::as_slice) {
        Some([_, text, what]) => {
            Some(Spot { text: text.as_str()?.to_owned(), ..Spot::of_file(what.as_str()?) })
        }
        _ => None,
    };
    let spots = found?.get("value")?.as_array()?;
    Some(Finding {
        rule: checks::OWN_FILES.to_owned(),
        part: Part::OwnFiles,
        verdict: verdict.and_then(Verdict::of_word)?,
        spots: spots.iter().filter_map(spot).collect(),
        unknown: None,
        why: String::new(),
        instead: None,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::domain::{Event, Ruling};
    use crate::store::chain::Tip;
    use crate::store::record::{self, Facts, Occasion};
    use crate::store::steps::KEPT;
    use serde_json::json;

    const SAMPLE: &str = include_str!("../../tests/vectors/trace-sample.jsonl");

    fn inside(path: &str) -> Place {
        Place::Inside(RepoPath::new(path).unwrap())
    }

    fn change() -> Change {
        // A record does not hold the file before the edit.
        let change = Change::of_text("Edit", inside("a.py"), "a\n", "a\nb\n".to_owned());
        Change { before: None, ..change }
    }

    fn stored(change: Change, findings: Vec<Finding>, occasion: Occasion) -> Stored {
        let facts = Facts { occasion, time: 1.5, ms: 1.0, instruction_check: false };
        let mut lines = String::new();
        let ruling = Ruling::of(change, findings, None);
        record::of(&ruling, &Event::default(), &facts).place(&mut Tip::default(), &mut lines);
        Stored::parse(lines.trim_end().as_bytes()).unwrap()
    }

    fn finding(part: Part, verdict: Verdict) -> Finding {
        let (rule, why) = ("own-files".to_owned(), String::new());
        let spots = vec![Spot::of_file("its rules")];
        Finding { rule, part, verdict, spots, unknown: None, why, instead: None }
    }

    #[test]
    fn a_change_comes_back_as_it_was() {
        let unknown = Change {
            numbering: Numbering::NewText,
            unsure: Some("the file could not be read".to_owned()),
            after: Content::Unknown("not found".to_owned()),
            ..change()
        };
        let moved = Change {
            moved_from: Some(Place::Outside("/old/a.py".to_owned())),
            standing: Standing::Tracked,
            ..change()
        };
        let cell = Change { numbering: Numbering::Cell, standing: Standing::New, ..change() };
        let outside = Change { place: Place::Outside("C:/x/a.py".to_owned()), ..change() };
        let binary = Change { after: Content::Binary, ..change() };
        let gone = Change::of_deletion("apply_patch", inside("a.py"));
        for change in [change(), unknown, moved, cell, outside, binary, gone] {
            let record = stored(change.clone(), Vec::new(), Occasion::EDIT);
            assert!(is_sound(&record));
            let given = given(&record).unwrap();
            assert_eq!(given.change, change);
            assert_eq!((given.moment, given.instruction_check), (Moment::Edit, false));
        }
    }

    #[test]
    fn every_question_has_its_moment() {
        let table = [
            (Occasion::COMMIT, Moment::Commit),
            (Occasion::DIFF, Moment::Ci),
            (Occasion::PUSH, Moment::Push),
        ];
        for (occasion, moment) in table {
            let record = stored(change(), Vec::new(), occasion);
            assert_eq!(given(&record).unwrap().moment, moment);
            let pointer = format!("{POINTER}v1\noid x\n");
            let pointer = Change { after: Content::Text(pointer), ..change() };
            assert_eq!(given(&stored(pointer, Vec::new(), occasion)), Err(Lack::Pointer));
        }
    }

    #[test]
    fn what_was_too_large_to_keep_is_not_guessed() {
        let large = Change::of_text("Write", inside("a"), "", "x".repeat(KEPT + 1));
        let record = stored(large, Vec::new(), Occasion::EDIT);
        assert_eq!(given(&record), Err(Lack::TooLarge("what it added")));
        let large = Change::of_text("Write", inside("a"), "x", "x\n".repeat(KEPT));
        let large = Change { added: Vec::new(), ..large };
        let record = stored(large, Vec::new(), Occasion::EDIT);
        assert_eq!(given(&record), Err(Lack::TooLarge("the file after the edit")));
    }

    #[test]
    fn what_the_guard_saw_of_its_own_files_is_taken_as_it_stands() {
        let found = finding(Part::OwnFiles, Verdict::Ask);
        let record = stored(change(), vec![found.clone()], Occasion::EDIT);
        let given = given(&record).unwrap();
        assert_eq!(given.own_files, Some(found));
        assert_eq!((given.verdict, given.warned_aside), (Verdict::Ask, false));
    }

    #[test]
    fn a_warning_about_the_index_is_no_step() {
        let beside = stored(change(), vec![finding(Part::Beside, Verdict::Warn)], Occasion::EDIT);
        let given = given(&beside).unwrap();
        assert_eq!((given.verdict, given.warned_aside), (Verdict::Allow, true));
        let warned = stored(change(), vec![finding(Part::Checks, Verdict::Warn)], Occasion::EDIT);
        let given = super::given(&warned).unwrap();
        assert_eq!((given.verdict, given.warned_aside), (Verdict::Warn, false));
    }

    #[test]
    fn a_record_without_its_change_is_told() {
        let [decision, erased, redaction] = SAMPLE.lines().collect::<Vec<_>>().try_into().unwrap();
        let read = |line: &str| Stored::parse(line.as_bytes()).unwrap();
        assert!(given(&read(decision)).is_ok());
        assert_eq!(given(&read(erased)), Err(Lack::Redacted));
        assert_eq!(given(&read(redaction)), Err(Lack::NoChange));
        let without = |pointer: &str, value: Value| {
            let mut record: Value = serde_json::from_str(decision).unwrap();
            *record.pointer_mut(pointer).unwrap() = value;
            given(&read(&record.to_string())).unwrap_err()
        };
        let init = |key: &str| format!("/response/trace/init/{key}");
        assert_eq!(without("/models", json!([{"id": "m"}])), Lack::Model);
        for wrong in [json!(null), json!("../a"), json!("")] {
            assert_eq!(without(&init("path"), wrong), Lack::Missing("which file it was about"));
        }
        for wrong in [json!(null), json!([[1]]), json!([[-1, "a"]])] {
            let lack = Lack::Missing("which lines are new");
            assert_eq!(without(&init("added_lines"), wrong), lack);
        }
        assert_eq!(without("/answers", json!({"skill": ["a", 1.0, "ok"]})), Lack::NoChange);
    }

    #[test]
    fn a_record_that_was_changed_is_not_sound() {
        let decision = SAMPLE.lines().next().unwrap();
        assert!(is_sound(&Stored::parse(decision.as_bytes()).unwrap()));
        let changed = decision.replace("calls eval", "calls oval");
        assert!(!is_sound(&Stored::parse(changed.as_bytes()).unwrap()));
    }
}
