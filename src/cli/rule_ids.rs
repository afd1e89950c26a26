//! Ids of rules and built-in checks that options name. One that nothing knows is a slip, and no
//! answer about it would be true.

use super::failure::Failure;
use super::report::read;
use super::rule_sources::RuleSource;
use super::verify::{open, unreadable};
use super::world::World;
use crate::domain::checks;
use crate::domain::sanitize::visible;
use crate::engine::nearest::nearest;
use std::collections::BTreeSet;
use std::path::Path;

/// How many ids are kept of those that records name.
const NAMED: usize = 10_000;

/// A store, and how messages name it.
#[derive(Clone, Copy)]
pub struct Store<'a> {
    /// Where it is.
    pub path: &'a Path,
    /// Its name.
    pub name: &'a str,
}

/// Fails when neither the rules of a project, the built-in rules and checks nor a record of the
/// store know one of the ids that are asked for. The store is read only for an id of none of those
/// rules.
pub fn expect_in(
    asked: &[String],
    store: Store<'_>,
    root: &Path,
    world: &World,
) -> Result<(), Failure> {
    if asked.is_empty() {
        return Ok(());
    }
    let mut known: BTreeSet<String> = checks::BUILT_IN.map(ToOwned::to_owned).into();
    let project = RuleSource::find(None, root, world).ok();
    // Rules that cannot be read are told of where they evaluate.
    let books = project.into_iter().chain([RuleSource::BuiltIn]).flat_map(|it| it.load());
    known.extend(books.flat_map(|book| book.rules).map(|rule| rule.id));
    let mut unknown: BTreeSet<&str> = asked.iter().map(String::as_str).collect();
    unknown.retain(|id| !known.contains(*id));
    if unknown.is_empty() {
        return Ok(());
    }
    for (_, mut snapshot) in open(store.path, store.name)? {
        let cannot = |error| unreadable(store.name, error);
        while let Some(line) = snapshot.lines.next_line().map_err(cannot)? {
            let Some(record) = read(&line) else { continue };
            for outcome in record.outcomes() {
                unknown.remove(&*outcome.rule);
                if known.len() < NAMED && !known.contains(&*outcome.rule) {
                    known.insert(outcome.rule.into_owned());
                }
            }
        }
    }
    let Some(id) = unknown.first() else { return Ok(()) };
    let failure = Failure::new(format!("there is no rule or check `{}`", visible(id))).because(
        "neither the rules of the project, the built-in rules and checks nor a record knows it",
    );
    Err(failure.next(advice(id, known.iter().map(String::as_str))))
}

/// Returns what to do about an id that is none of those known.
#[must_use]
pub fn advice<'a>(id: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    match nearest(id, known) {
        Some(near) => format!("did you mean `{}`?", visible(near)),
        None => "`solvi-hook report` lists the rules that records name".to_owned(),
    }
}
