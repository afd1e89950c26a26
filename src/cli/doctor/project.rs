//! The rules of a project, and the records that are kept of it.

use super::Report;
use crate::cli::check_rules::counted;
use crate::cli::defaults::STORE;
use crate::cli::failure::Failure;
use crate::cli::rule_sources::RuleSource;
use crate::cli::world::World;
use crate::git::{GitError, Repo};
use crate::store::last::{self, Last};
use crate::store::traces::StoreError;
use crate::store::verify;
use std::fs;
use std::path::Path;

const RULES: &str = "rules";
const RECORDS: &str = "records";

/// How large a store may be that is checked as a whole, in bytes: a tenth of a second or so.
const WHOLE: u64 = 32 << 20;

/// Looks at the rules: every pattern of every rule.
pub fn rules(root: &Path, world: &World, report: &mut Report) {
    let source = match RuleSource::find(None, root, world) {
        Ok(source) => source,
        Err(Failure { headline, causes, next }) => {
            return report.bad(
                RULES,
                format!("{headline}: {}", causes.join("; ")),
                next.unwrap_or_default(),
            );
        }
    };
    let next = "correct it, then run `solvi-hook rules check`; until then every edit asks";
    let book = match source.load() {
        Ok(book) => book,
        Err(error) => return report.bad(RULES, error.to_string(), next),
    };
    let (count, name) = (book.rules.len(), source.name_and_target());
    let wrong: Vec<_> = book.rules.iter().filter_map(|rule| rule.verify().err()).collect();
    for error in &wrong {
        report.bad(RULES, error.to_string(), next);
    }
    match (&source, wrong.is_empty()) {
        (_, false) => {}
        (RuleSource::BuiltIn, true) => report.ok(
            RULES,
            format!("the {count} built-in rules judge, because the project has no rules file"),
        ),
        (RuleSource::Index(_), true) => report.warn(
            RULES,
            format!("the project's rules file is not in the working tree; {name} judges edits"),
            "put it back: `git checkout -- FILE`",
        ),
        (_, true) if count == 0 => report.warn(
            RULES,
            format!("{name} holds no rule, so that nothing is refused but edits of our own files"),
            "write one: `solvi-hook rules sample` shows how",
        ),
        (_, true) => {
            let rules = counted(&book);
            report.ok(RULES, format!("{name}: {rules}; every pattern can be read"));
        }
    }
}

/// Looks at where records are kept: that git does not see them, and that they are as they were written.
pub fn records(root: &Path, report: &mut Report) {
    match Repo::open(root) {
        Ok(repo) => out_of_git(&repo, report),
        Err(GitError::NoRepository { .. }) => {}
        Err(error) => report.bad(RECORDS, error.to_string(), error.next().unwrap_or_default()),
    }
    links(root, report);
    let path = root.join(STORE);
    let small = fs::metadata(&path).is_ok_and(|there| there.len() <= WHOLE);
    let found = if small { whole(&path) } else { end(&path) };
    match found {
        Ok(None) => report.ok(RECORDS, format!("{STORE} is not there yet: nothing was decided")),
        Ok(Some(Found { count, about, wrong: None })) => {
            report.ok(RECORDS, format!("{STORE}: {count} records, {about}"));
        }
        Ok(Some(Found { count, wrong: Some(wrong), .. })) => report.bad(
            RECORDS,
            format!("{STORE}: {count} records, and {wrong}"),
            "`solvi-hook verify` says what to do; a copy of the file as it is now is evidence",
        ),
        Err(error) => report.bad(
            RECORDS,
            error.to_string(),
            "make it your own, and readable to you; decisions are not recorded until it is",
        ),
    }
}

/// Names what is given by a link: we follow none to our own files, and git's folder may be another
/// project's.
fn links(root: &Path, report: &mut Report) {
    for name in [".solvi", ".solvi/.gitignore", ".git"] {
        let Ok(target) = fs::read_link(root.join(name)) else { continue };
        let text = format!("{name} is a symbolic link to {}", target.display());
        if name == ".git" {
            report.warn(RECORDS, text, "see whether that is the repository you mean");
        } else {
            report.bad(
                RECORDS,
                text,
                format!("remove it: every edit asks as long as {name} is one"),
            );
        }
    }
}

/// What is known of a store.
struct Found {
    count: u64,
    about: &'static str,
    wrong: Option<String>,
}

/// Checks every record.
fn whole(path: &Path) -> Result<Option<Found>, StoreError> {
    let Some(verified) = verify::store(path, None)? else { return Ok(None) };
    let others = verified.count.saturating_sub(1);
    let wrong = verified.problems.first().map(|first| match others {
        0 => first.to_string(),
        _ => format!("{first} (and {others} more)"),
    });
    Ok(Some(Found { count: verified.tip.count, about: "all as they were written", wrong }))
}

/// Looks at the last record.
fn end(path: &Path) -> Result<Option<Found>, StoreError> {
    let last = last::last(path)?;
    Ok(last.map(|Last { tip, wrong }| Found {
        count: tip.count,
        about: "the last one is sound (`solvi-hook verify` checks them all)",
        wrong: wrong.map(ToOwned::to_owned),
    }))
}

fn out_of_git(repo: &Repo, report: &mut Report) {
    let tracked = repo.first_below(".solvi/");
    // Before the first record there is no folder, and the first record begins with the ignoring.
    let there = repo.root().is_some_and(|root| root.join(".solvi").exists());
    match (tracked, repo.is_ignored(STORE, false)) {
        (Ok(Some(path)), _) => report.bad(
            RECORDS,
            format!("{path} is tracked by git: what agents meant to write could be committed"),
            "`git rm -r --cached .solvi`, and commit that",
        ),
        (Ok(None), Ok(false)) if there => report.bad(
            RECORDS,
            ".solvi/ is not ignored by git: what agents meant to write could be committed",
            "put a line `*` into .solvi/.gitignore",
        ),
        (Ok(None), Ok(_)) => report.ok(RECORDS, ".solvi/ is kept out of git"),
        (Err(error), _) | (_, Err(error)) => {
            report.bad(RECORDS, error.to_string(), error.next().unwrap_or_default());
        }
    }
}
