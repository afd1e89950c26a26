//! The end of an agent's work: would what it leaves in the working tree be refused at the commit?
//!
//! Edits are judged before they are made; what a command writes, nobody has seen. So the working
//! tree is held against HEAD by the rules of a commit, once, when the agent is about to stop. It is
//! kept from stopping for what is certainly refused, and for nothing else: not when it was kept
//! just before, not twice in a session for the same reasons, and never because we could not judge.

use super::check::{Options, Outcome, Survey};
use super::check_rules::{Rules, Wanted};
use super::explain::Explanation;
use super::failure::Failure;
use super::keep::{Keep, Stop};
use super::sitting::Sitting;
use crate::clients::Voice;
use crate::domain::byte_name;
use crate::domain::{Action, Decision, Event, Finding, Moment, Session, Verdict};
use crate::engine::redaction::Redactor;
use crate::git::{GitError, Repo};
use crate::store::canonical::value_hash;
use crate::store::files::DiskFiles;
use crate::store::judged::Recent;
use crate::store::record::Occasion;
use serde_json::json;
use std::path::{MAIN_SEPARATOR, Path, PathBuf};

/// What the person is told when the agent stops all the same.
const STILL: &str = "solvi-hook: the working tree holds what would be refused at the commit; \
    `solvi-hook check-diff` lists it.";

/// Judges what an agent leaves behind, and keeps the decision.
pub fn judge(
    sitting: &Sitting,
    event: &Event,
    files: &DiskFiles,
    voice: &mut Voice,
    told: &mut Explanation,
) -> Decision {
    let Action::Stop { again } = event.action else { return Decision::default() };
    let Left { repo, outcome } = left(sitting, files, voice);
    told.judged();
    if outcome.files == 0 {
        return Decision::default();
    }
    let reasons = reasons(&outcome.decision);
    let session = sitting.redactor(files.root()).session(&event.session);
    let before = reasons.as_deref().is_some_and(|reasons| held(sitting, &session, files, reasons));
    if let Some(named) = sitting.settings.store() {
        let keep = Keep {
            repo: repo.as_ref(),
            root: files.root(),
            named,
            occasion: Occasion::STOP,
            instruction_check: !sitting.settings.no_instruction_check,
        };
        let stop = Stop { session: &session, reasons: reasons.as_deref(), told: before };
        match keep.stop(&outcome, &stop, &sitting.world) {
            Ok(trouble) => voice.notes.extend(trouble),
            Err(error) => voice.notes.push(format!("This decision is not recorded: {error}")),
        }
        told.kept();
    }
    if reasons.is_none() {
        return Decision::default();
    }
    if again || before {
        voice.notes.push(STILL.to_owned());
        return Decision::default();
    }
    let mut decision = outcome.decision;
    decision.rulings.retain(|ruling| ruling.verdict() == Verdict::Deny);
    decision
}

/// What an agent leaves behind.
struct Left {
    /// The repository whose store it is kept in, if that is one.
    repo: Option<Repo>,
    outcome: Outcome,
}

/// Holds the working tree of every repository that the session is in against its HEAD. What cannot
/// be looked at is said, and stops nobody.
fn left(sitting: &Sitting, files: &DiskFiles, voice: &mut Voice) -> Left {
    let mut roots = vec![files.root()];
    let cwd = std::fs::canonicalize(files.session_folder())
        .unwrap_or_else(|_| files.session_folder().to_owned());
    let inside = |root: &&Path| cwd.starts_with(root) && root.starts_with(files.root());
    let others = files.roots().iter().map(PathBuf::as_path);
    roots.extend(others.filter(|root| *root != files.root()).filter(inside));
    let none = Survey::of("the working tree").decide(&Redactor::default());
    let mut left = Left { repo: None, outcome: none };
    for root in roots {
        let repo = match Repo::open_around(root) {
            // git sees no repository or no working tree any more, and one command brings it back.
            Ok(repo) if repo.root().is_none() && has_git(root) => {
                voice.notes.push(unchecked("git's configuration makes this a bare repository"));
                continue;
            }
            Err(GitError::NoRepository { .. }) if has_git(root) => {
                voice.notes.push(unchecked("`.git` is not a git repository"));
                continue;
            }
            Ok(repo) => repo,
            // Nothing is committed there.
            Err(GitError::NoRepository { .. }) => continue,
            Err(error) => {
                voice.notes.push(unchecked(&error.to_string()));
                continue;
            }
        };
        let outcome = match outcome(sitting, &repo) {
            Ok(outcome) => outcome,
            Err(failure) => {
                voice.notes.push(unchecked(failure.causes.first().unwrap_or(&failure.headline)));
                continue;
            }
        };
        voice.notes.extend(outcome.unread.as_deref().map(unchecked));
        let folder = byte_name::of_path(root.strip_prefix(files.root()).unwrap_or(root));
        if folder.is_empty() {
            (left.repo, left.outcome) = (Some(repo), outcome);
        } else {
            left.outcome.add_below(&folder.replace(MAIN_SEPARATOR, "/"), outcome);
            // Each was masked by the rules that were loaded until then.
            sitting.redactor(files.root()).mask_again(&mut left.outcome.decision);
        }
    }
    left
}

/// Tells whether a folder was a repository's working tree: an empty folder `.git` makes none.
fn has_git(root: &Path) -> bool {
    let git = root.join(".git");
    let there = |path: &Path| std::fs::symlink_metadata(path).is_ok();
    git.is_file() || ["HEAD", "config", "index", "objects"].iter().any(|it| there(&git.join(it)))
}

fn unchecked(why: &str) -> String {
    format!("What is left in the working tree is not checked: {why}")
}

/// Holds the working tree against HEAD.
fn outcome(sitting: &Sitting, repo: &Repo) -> Result<Outcome, Failure> {
    let Sitting { settings, world } = sitting;
    let Some(root) = repo.root() else { return Ok(Outcome::default()) };
    let deltas = repo.worktree(true)?.list;
    if deltas.is_empty() {
        return Ok(Outcome::default());
    }
    let mut survey = Survey::of("the working tree");
    let named = settings.rules.as_deref();
    let wanted = Wanted { named, root, only: &[], moment: Moment::Commit };
    let rules = Rules::worktree(wanted, repo, world)?;
    world.secrets.remember(rules.redactor.clone());
    survey.judge(repo, &deltas, None, &rules, &Options::silent(settings.no_instruction_check));
    Ok(survey.decide(&rules.redactor))
}

/// Returns a name for what is refused: the same for the same lines, wherever they stand in their
/// files. Nothing when nothing is refused.
fn reasons(decision: &Decision) -> Option<String> {
    let mut reasons = Vec::new();
    for ruling in &decision.rulings {
        let certain =
            |finding: &&Finding| finding.verdict == Verdict::Deny && finding.unknown.is_none();
        for finding in ruling.findings.iter().filter(certain) {
            let lines: Vec<&str> = finding.spots.iter().map(|spot| spot.text.as_str()).collect();
            reasons.push(json!([ruling.change.place.spelled(), finding.rule, lines]));
        }
    }
    (!reasons.is_empty()).then(|| value_hash(&reasons.into()))
}

/// Tells whether the agent of this session was kept from stopping for the same reasons before.
fn held(sitting: &Sitting, session: &Session, files: &DiskFiles, reasons: &str) -> bool {
    let recent = sitting.settings.store().map(|named| Recent::named(files.root(), named));
    // A store that cannot be read is told of when it cannot be written.
    recent.is_some_and(|recent| {
        recent.and_then(|mut recent| recent.held(session, reasons)).unwrap_or(false)
    })
}
