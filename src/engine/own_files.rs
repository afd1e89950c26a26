//! The files that keep this guard in force: an agent that wants to change them asks first.
//!
//! Rules, clients' hook settings and the traces decide what an agent may do, so the agent is not
//! the one to change them unseen. Records and git's own files are never an agent's to write.

use super::Judge;
use super::pattern::Budget;
use super::rules::Realm;
use crate::domain::{Change, Content, Finding, Part, Place, Spot, Verdict};
use unicode_normalization::UnicodeNormalization;

/// The name under which this judge's findings are told.
pub const NAME: &str = crate::domain::checks::OWN_FILES;

/// Judges changes of the guard's own files.
#[derive(Clone, Debug, Default)]
pub struct OwnFiles {
    /// The files of agents that say which hooks run: paths from the project's root, in lower case;
    /// a `/` at the end takes all below.
    pub settings: Vec<&'static str>,
    /// The rules file in use, when it is none of the usual ones.
    pub rules_file: Option<Place>,
    /// Other projects: the same holds from their roots.
    pub realms: Vec<Realm>,
    /// Folders that agents may have been started in: they read their settings there too.
    pub folders: Vec<Realm>,
    /// The protected files among those that are changed, by what they are on disk.
    pub found: Vec<ProtectedFile>,
}

/// A file that is protected, whatever its path is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProtectedFile {
    /// Where it is.
    pub place: Place,
    /// What an agent's change of it leads to.
    pub verdict: Verdict,
    /// Why, in a sentence.
    pub why: &'static str,
}

/// What a file is for, and what an agent's change of it leads to.
#[derive(Clone, Copy)]
struct Row {
    /// A path from the project root, in lower case; a trailing `/` takes all below it.
    path: &'static str,
    verdict: Verdict,
    why: &'static str,
}

const fn row(path: &'static str, verdict: Verdict, why: &'static str) -> Row {
    Row { path, verdict, why }
}

/// Why rules files are protected.
pub const RULES: &str =
    "This file holds the rules that judge your edits; a person decides about it.";
/// Why agents' settings are protected.
pub const SETTINGS: &str = "This file says which hooks run; a person decides about it.";
/// Why records are protected.
pub const TRACES: &str = "Records of decisions are never edited.";
/// Why git's own files are protected.
pub const GIT: &str = "Git's own files and hooks are not edited by hand.";
/// Why no repository is made.
pub const NEW_GIT: &str = "A file or folder `.git` makes this folder a repository, whose settings and \
    hooks git obeys; a person decides about it.";
/// Why git's settings are protected.
pub const GIT_SETTINGS: &str =
    "Git's settings say which programs it runs; a person decides about them.";
/// Why our own program and its files are protected.
pub const PROGRAM: &str = "This file belongs to solvi-hook; a person decides about it.";
const OTHER_TRACES: &str = "Records of decisions are not edited by hand.";

const ROWS: &[Row] = &[
    row("solvi-rules.toml", Verdict::Ask, RULES),
    row(".config/solvi-rules.toml", Verdict::Ask, RULES),
    row(".claude/solvi-rules.toml", Verdict::Ask, RULES),
    row(".solvi/", Verdict::Deny, TRACES),
    row(".git/", Verdict::Deny, GIT),
];

impl Judge for OwnFiles {
    fn look(&self, change: &Change, _: &Budget) -> Vec<Finding> {
        let places = [Some(&change.place), change.moved_from.as_ref()];
        // Whoever takes a folder away takes what is in it.
        let takes = |place: &Place| {
            change.moved_from.as_ref() == Some(place)
                || matches!(change.after, Content::Absent | Content::Unknown(_))
        };
        let rows = places.into_iter().flatten().flat_map(|place| self.rows(place, takes(place)));
        let Some((verdict, why)) = rows.max_by_key(|(verdict, _)| *verdict) else {
            return Vec::new();
        };
        vec![Finding {
            rule: NAME.to_owned(),
            part: Part::OwnFiles,
            verdict,
            spots: vec![Spot::of_file(change.place.to_string())],
            unknown: None,
            why: why.to_owned(),
            instead: None,
        }]
    }
}

impl OwnFiles {
    /// Returns what a place is protected for; `taken` when it is deleted or moved with all below.
    fn rows(&self, place: &Place, taken: bool) -> Vec<(Verdict, &'static str)> {
        let mut rows = Vec::new();
        if self.rules_file.as_ref() == Some(place) {
            rows.push((Verdict::Ask, RULES));
        }
        let found = self.found.iter().filter(|found| found.place == *place);
        rows.extend(found.map(|found| (found.verdict, found.why)));
        let path = folded(place.as_str());
        let settings = || self.settings.iter().map(|path| row(path, Verdict::Ask, SETTINGS));
        let every = || ROWS.iter().copied().chain(settings());
        let mut take = |path: &str, row: Row| {
            if row.takes(path) || taken && row.is_below(path) {
                rows.push((row.verdict, row.why));
            }
        };
        match place {
            Place::Inside(_) => every().for_each(|row| take(&path, row)),
            // Outside, only a client's own folder in somebody's home is known by its ending.
            Place::Outside(_) => {
                for row in every().filter(|row| row.verdict == Verdict::Ask) {
                    let at = path.rfind(row.path).filter(|at| path[..*at].ends_with('/'));
                    if let Some(at) = at {
                        take(&path[at..], row);
                    }
                }
            }
        }
        for realm in &self.realms {
            if let Some(path) = realm.inside(place.as_str()) {
                let path = folded(&path);
                every().for_each(|row| take(&path, row));
            }
        }
        for realm in &self.folders {
            if let Some(path) = realm.inside(place.as_str()) {
                let path = folded(&path);
                settings().for_each(|row| take(&path, row));
            }
        }
        rows.extend(anywhere(&path).map(|row| (row.verdict, row.why)));
        rows
    }
}

impl Row {
    /// Tells whether a path is meant by the row.
    fn takes(&self, path: &str) -> bool {
        match self.path.strip_suffix('/') {
            Some(folder) => path == folder || path.starts_with(self.path),
            None => path == self.path,
        }
    }

    /// Tells whether what the row means is in a folder.
    fn is_below(&self, folder: &str) -> bool {
        self.path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
    }
}

/// Spells a path so that whatever some file system takes for the same file is the same: upper and
/// lower case, composed letters, characters that are not seen, dots and blanks at the end of a
/// name, streams of a file. Elsewhere it is a rare name that a person may well look at.
#[must_use]
pub fn folded(path: &str) -> String {
    let mut folded = String::with_capacity(path.len());
    for (at, part) in path.split('/').enumerate() {
        if at > 0 {
            folded.push('/');
        }
        if part.is_ascii() {
            folded.push_str(&trimmed(part, at).to_ascii_lowercase());
            continue;
        }
        let seen = part.nfkc().filter(|char| !is_unseen(*char)).collect::<String>();
        let upper = trimmed(&seen, at).chars().flat_map(char::to_uppercase);
        folded.extend(upper.flat_map(char::to_lowercase));
    }
    folded
}

/// Takes off what Windows does not take for a part of a name.
fn trimmed(part: &str, at: usize) -> &str {
    let is_drive = at == 0 && part.len() == 2;
    let name = match part.split_once(':') {
        Some((name, _)) if !name.is_empty() && !is_drive => name,
        _ => part,
    };
    let name = name.trim_end_matches(['.', ' ']);
    if name.is_empty() { part } else { name }
}

/// Tells whether a character is left out of names by a file system.
fn is_unseen(char: char) -> bool {
    matches!(char, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// Finds what a path in lower case is for in whatever folder it is.
fn anywhere(path: &str) -> Option<Row> {
    let mut parts = path.split('/');
    parts.find_map(|part| match part {
        ".git" | "git~1" => Some(row(".git", Verdict::Ask, NEW_GIT)),
        ".solvi" => Some(row(".solvi", Verdict::Ask, OTHER_TRACES)),
        "solvi-hook.choices.json" => Some(row("", Verdict::Ask, SETTINGS)),
        name if name.starts_with(".gitconfig") => Some(row("", Verdict::Ask, GIT_SETTINGS)),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use crate::domain::RepoPath;

    fn verdict(place: Place) -> Verdict {
        let change = Change::of_text("Write", place, "", "x\n".to_owned());
        let settings = vec![".claude/settings.json", ".github/hooks/"];
        let found = OwnFiles { settings, ..OwnFiles::default() }.look(&change, &Budget::default());
        found.first().map_or(Verdict::Allow, |finding| finding.verdict)
    }

    fn inside(path: &str) -> Verdict {
        verdict(Place::Inside(RepoPath::new(path).unwrap()))
    }

    #[test]
    fn what_keeps_the_guard_in_force_is_not_the_agents_to_change() {
        assert_eq!(inside("solvi-rules.toml"), Verdict::Ask);
        assert_eq!(inside(".claude/Settings.json"), Verdict::Ask);
        assert_eq!(inside(".github/hooks/a.json"), Verdict::Ask);
        assert_eq!(inside(".solvi/traces/hooks.jsonl"), Verdict::Deny);
        assert_eq!(inside(".git/hooks/pre-commit"), Verdict::Deny);
        assert_eq!(verdict(Place::Outside("/home/u/.claude/settings.json".into())), Verdict::Ask);
    }

    #[test]
    fn other_files_are_left_to_the_rules() {
        assert_eq!(inside("docs/solvi-rules.toml"), Verdict::Allow);
        assert_eq!(inside(".gitignore"), Verdict::Allow);
        assert_eq!(verdict(Place::Outside("/srv/x.git/config".into())), Verdict::Allow);
    }

    #[test]
    fn the_rules_file_in_use_is_known_wherever_it_is() {
        let place = Place::Outside("/etc/rules.toml".into());
        let judge = OwnFiles { rules_file: Some(place.clone()), ..OwnFiles::default() };
        let change = Change::of_text("Write", place, "", "x\n".to_owned());
        assert_eq!(judge.look(&change, &Budget::default()).len(), 1);
    }
}
