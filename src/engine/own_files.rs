//! The files that keep this guard in force: an agent that wants to change them asks first.
//!
//! Rules, clients' hook settings and the traces decide what an agent may do, so the agent is not
//! the one to change them unseen. Records and git's own files are never an agent's to write.

use super::Judge;
use super::rules::Realm;
use crate::domain::{Change, Finding, Part, Place, RepoPath, Spot, Verdict};

/// The name under which this judge's findings are told.
pub const NAME: &str = "own-files";

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

const RULES: &str = "This file holds the rules that judge your edits; a person decides about it.";
const SETTINGS: &str = "This file says which hooks run; a person decides about it.";
const TRACES: &str = "Records of decisions are never edited.";
const GIT: &str = "Git's own files and hooks are not edited by hand.";
const NEW_GIT: &str = "A file or folder `.git` makes this folder a repository, whose settings and \
    hooks git obeys; a person decides about it.";
const OTHER_TRACES: &str = "Records of decisions are not edited by hand.";

const ROWS: &[Row] = &[
    row("solvi-rules.toml", Verdict::Ask, RULES),
    row(".config/solvi-rules.toml", Verdict::Ask, RULES),
    row(".claude/solvi-rules.toml", Verdict::Ask, RULES),
    row(".solvi/", Verdict::Deny, TRACES),
    row(".git/", Verdict::Deny, GIT),
];

impl Judge for OwnFiles {
    fn look(&self, change: &Change) -> Vec<Finding> {
        let found = if self.rules_file.as_ref() == Some(&change.place) {
            Some((Verdict::Ask, RULES))
        } else {
            let below = self.realms.iter().filter_map(|realm| {
                RepoPath::new(&realm.inside(change.place.as_str())?).map(Place::Inside)
            });
            let rows = below.chain([change.place.clone()]).filter_map(|place| self.find(&place));
            rows.map(|row| (row.verdict, row.why)).max_by_key(|(verdict, _)| *verdict)
        };
        let Some((verdict, why)) = found else { return Vec::new() };
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
    fn find(&self, place: &Place) -> Option<Row> {
        // Compared without case: where the file system folds it, another spelling is the same
        // file, and elsewhere it is a rare name that a person may well look at.
        let path = place.as_str().to_lowercase();
        let settings = self.settings.iter().map(|path| row(path, Verdict::Ask, SETTINGS));
        let rows = ROWS.iter().copied().chain(settings);
        let mut rows = rows.filter(|row| {
            let path = match place {
                Place::Inside(_) => path.as_str(),
                // Outside, only a client's own folder in somebody's home is known by its ending.
                Place::Outside(_) => match path.rfind(row.path) {
                    Some(at) if row.verdict == Verdict::Ask && path[..at].ends_with('/') => {
                        &path[at..]
                    }
                    _ => return false,
                },
            };
            match row.path.strip_suffix('/') {
                Some(folder) => path == folder || path.starts_with(row.path),
                None => path == row.path,
            }
        });
        rows.next().or_else(|| anywhere(&path))
    }
}

/// Finds what a path in lower case is for in whatever folder it is.
fn anywhere(path: &str) -> Option<Row> {
    let mut parts = path.split('/');
    parts.find_map(|part| match part {
        ".git" => Some(row(".git", Verdict::Ask, NEW_GIT)),
        ".solvi" => Some(row(".solvi", Verdict::Ask, OTHER_TRACES)),
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
        let found = OwnFiles { settings, ..OwnFiles::default() }.look(&change);
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
        assert_eq!(judge.look(&change).len(), 1);
    }
}
