//! The library's face: what the binary does, for programs that embed it.
//!
//! Each name has a counterpart in the reference's Python module, so that a program can move over
//! name by name.

use super::rule_sources::{RuleSource, RulesFile};
use crate::clients::payload::{self, PayloadError};
use crate::domain::{Action, Change, Decision, Verdict, wording};
use crate::engine::rules::{Rule, RulesError};
use crate::store::files::DiskFiles;
use std::path::Path;

/// Reads a rules file: TOML, or JSON when its name ends with `.json`.
///
/// ```
/// let folder = tempfile::tempdir().unwrap();
/// let file = folder.path().join("rules.toml");
/// std::fs::write(&file, "[[rule]]\nid = \"a\"\npaths = [\"src/**\"]\nforbid = [\"x\"]\n").unwrap();
///
/// let rules = solvi_hook::load_rules(&file).unwrap();
/// assert_eq!(rules[0].id, "a");
/// assert!(solvi_hook::load_rules(&folder.path().join("none.toml")).is_err());
/// ```
pub fn load_rules(file: &Path) -> Result<Vec<Rule>, RulesError> {
    let file = RulesFile::named(file.to_owned(), file.display().to_string());
    RuleSource::File(file).load().map(|book| book.rules)
}

/// Reads what a payload would change in the project at `root`: one change a file, none when the
/// tool is no edit.
///
/// ```
/// let folder = tempfile::tempdir().unwrap();
/// std::fs::write(folder.path().join("a.txt"), "one\n").unwrap();
/// let payload = br#"{"tool_name": "Edit", "tool_input":
///     {"file_path": "a.txt", "old_string": "one", "new_string": "one\ntwo"}}"#;
///
/// let changes = solvi_hook::changes_of(payload, folder.path()).unwrap();
/// assert_eq!(changes[0].place.as_str(), "a.txt");
/// assert_eq!(changes[0].added[0].number, 2);
/// ```
pub fn changes_of(payload: &[u8], root: &Path) -> Result<Vec<Change>, PayloadError> {
    let files = DiskFiles::new(root, root);
    match payload::read(payload, &files)?.action {
        Action::Edit(changes) => Ok(changes.into_iter().map(Change::as_read).collect()),
        Action::Stop { .. } | Action::Other => Ok(Vec::new()),
    }
}

/// Returns what stands against the changes of a decision: what each finding asks for, the rule's
/// id, and the text that tells it.
///
/// ```
/// use solvi_hook::domain::{Change, Place, RepoPath, Verdict};
/// use solvi_hook::engine::{self, rules::{Form, load}};
///
/// let book = load("[[rule]]\nid = \"a\"\npaths = [\"**\"]\nforbid = [\"x\"]\n", Form::Toml, "r")
///     .unwrap();
/// let place = Place::Inside(RepoPath::new("f.txt").unwrap());
/// let change = Change::of_text("Write", place, "", "x\n".to_owned());
/// let decision = engine::decide(vec![change], &[&book], &book);
///
/// let reasons = solvi_hook::reasons(&decision);
/// assert_eq!((reasons[0].0, reasons[0].1.as_str()), (Verdict::Deny, "a"));
/// ```
#[must_use]
pub fn reasons(decision: &Decision) -> Vec<(Verdict, String, String)> {
    let mut reasons = Vec::new();
    for ruling in &decision.rulings {
        for finding in ruling.findings.iter().filter(|finding| finding.objects()) {
            let text = wording::item(finding, &ruling.change);
            reasons.push((finding.verdict, finding.rule.clone(), text));
        }
    }
    reasons
}
