//! `forbid_calls`: Python calls that no added line may make.
//!
//! A call counts when any of its lines is judged, and is told at the first of these. What the
//! look cannot decide is said in [`Seen::unknown`]; what it found stands all the same. Of a patch
//! without its file, that is also a call that an import outside of the patch may make a forbidden
//! one.

use super::{Check, Kind, Problem, Seen, Subject};
use crate::domain::{Change, Content, Line, Spot};
use crate::engine::python::{self, Call, CallPattern, Flaw, Module, Names, Reach, Truth};
use std::collections::BTreeMap;

/// The kind.
pub const KIND: Kind = Kind {
    key: "forbid_calls",
    about: "Python calls (dotted names, with globs) that no added line may make",
    read,
};

struct ForbidCalls(Vec<CallPattern>);

fn read(names: &[String]) -> Result<Box<dyn Check>, Problem> {
    let pattern = |(item, source): (usize, &String)| {
        CallPattern::new(source).map_err(|text| Problem { item, text })
    };
    let patterns: Result<Vec<_>, _> = names.iter().enumerate().map(pattern).collect();
    Ok(Box::new(ForbidCalls(patterns?)))
}

impl Check for ForbidCalls {
    fn look(&self, subject: &Subject<'_>) -> Seen {
        let change = subject.change;
        if !python::is_python(change) {
            return Seen::default();
        }
        if change.after == Content::Binary {
            return Seen::unknown("the file after the edit is no text");
        }
        if let Some(name) = change.undecodable().filter(|_| !subject.lines.is_empty()) {
            return Seen::unknown(python::not_decoded(name));
        }
        let mut seen = Seen { spots: Vec::new(), unknown: change.unsure.clone() };
        let Some(source) = python::source(change) else { return seen };
        let text = python::folded(&source);
        let patterns: Vec<_> = self.0.iter().filter(|one| one.may_be_in(&text)).collect();
        // A text without the names holds no such call; it is parsed only to say that it cannot be.
        let refused =
            || text.contains('\0') || python::is_piece(change) || python::looks_torn(&text);
        // In a part of a file, a call may have any name.
        let hidden = python::is_part(change) && text.contains('(');
        if !subject.lines.is_empty() && (!patterns.is_empty() || hidden || refused()) {
            let hidden = if hidden { self.0.as_slice() } else { &[] };
            hold_against(patterns, hidden, subject, &mut seen);
        }
        seen
    }

    fn may_find(&self, change: &Change) -> bool {
        let text = change.after.text().filter(|_| python::is_python(change));
        text.is_some_and(|text| {
            let text = python::folded(text);
            self.0.iter().any(|pattern| pattern.may_be_in(&text))
        })
    }
}

/// Holds a module against the patterns that its text spells out, and against those that may be
/// `hidden` behind an import that is not seen.
fn hold_against(
    mut patterns: Vec<&CallPattern>,
    hidden: &[CallPattern],
    subject: &Subject<'_>,
    seen: &mut Seen,
) {
    let module = subject.module();
    if matches!(module.flaw, Some(Flaw::Broken(_))) {
        // Half a text may give half a name, which a `*` would take for a whole one.
        patterns.retain(|pattern| !pattern.has_star());
    }
    let reach = module.reach(&patterns);
    let lines = judged_rows(subject);
    let mut doubts = Vec::new();
    let mut behind = Vec::new();
    for call in &module.calls {
        let Some((_, line)) = lines.range(call.rows.clone()).next() else { continue };
        match evidence(call, &patterns, &reach) {
            Evidence::None => {
                behind.extend(behind_import(call, hidden, module).map(|why| (line.number, why)));
            }
            Evidence::Sure(what) => {
                seen.spots.push(Spot::at(line, what));
            }
            Evidence::Doubtful(why) => doubts.push((line.number, why)),
        }
    }
    seen.spots.sort_by(|one, other| (one.line, &one.what).cmp(&(other.line, &other.what)));
    // Whoever reads the file for the first of them reads it for all.
    let more = behind.len().saturating_sub(1);
    if let (Some((number, why)), None) = (behind.into_iter().next(), module.flaw) {
        let more = if more > 0 { format!(" (and so for {more} more)") } else { String::new() };
        doubts.push((number, why + &more));
    }
    let suffix = subject.change.numbering.suffix();
    let doubts = doubts.into_iter().map(|(number, why)| format!("line {number}{suffix} {why}"));
    let flaw = module.flaw.map(|flaw| flaw.told(subject.change));
    let unknown: Vec<String> = seen.unknown.take().into_iter().chain(flaw).chain(doubts).collect();
    seen.unknown = (!unknown.is_empty()).then(|| unknown.join("; "));
}

/// Returns the judged lines by the row that they have in the text the module was read from.
fn judged_rows<'a>(subject: &Subject<'a>) -> BTreeMap<usize, &'a Line> {
    match subject.change.after {
        // Read from the added lines, whose numbers may start over.
        Content::Unknown(_) => subject.change.added.iter().enumerate().collect(),
        _ => subject.lines.iter().map(|line| (line.number.saturating_sub(1), line)).collect(),
    }
}

enum Evidence {
    None,
    /// What the record says of the call.
    Sure(String),
    /// What follows the line's number.
    Doubtful(String),
}

/// Returns the patterns whose keyword argument the call may have, with whether it is true.
fn asked<'p>(
    call: &Call,
    patterns: impl IntoIterator<Item = &'p CallPattern>,
) -> Vec<(&'p CallPattern, Truth)> {
    let truth = |pattern: &CallPattern| {
        pattern.keyword().map_or(Truth::Yes, |keyword| call.arguments.truth(keyword))
    };
    let asked = patterns.into_iter().map(|pattern| (pattern, truth(pattern)));
    asked.filter(|(_, truth)| *truth != Truth::No).collect()
}

fn evidence(call: &Call, patterns: &[&CallPattern], reach: &Reach<'_>) -> Evidence {
    let asked = asked(call, patterns.iter().copied());
    if asked.is_empty() {
        return Evidence::None;
    }
    let names = reach.names(call);
    let mut doubt = None;
    for (pattern, truth) in asked {
        let Some(name) = matching(pattern, &names) else { continue };
        if truth == Truth::Yes {
            return Evidence::Sure(pattern.what(name));
        }
        let keyword = pattern.keyword().unwrap_or_default();
        doubt.get_or_insert_with(|| {
            format!("calls {name}, and only a run shows whether `{keyword}` is true")
        });
    }
    if names.cut {
        doubt.get_or_insert_with(|| format!("calls {}, which stands for too much", call.name));
    }
    doubt.map_or(Evidence::None, Evidence::Doubtful)
}

/// Says what an import that is not seen may make of a call, if that is forbidden.
fn behind_import(call: &Call, hidden: &[CallPattern], module: &Module) -> Option<String> {
    let asked = asked(call, hidden);
    if asked.is_empty() {
        return None;
    }
    let names = module.unsettled(call);
    let may_be = |pattern: &CallPattern| names.iter().any(|name| pattern.may_be_behind(name));
    // The likeliest is told: one of that name, or at least one that is imported to be called.
    let last = call.name.rsplit('.').next().unwrap_or(&call.name);
    let unlike =
        |pattern: &CallPattern| (!pattern.has_part(last), !pattern.spelled().contains('.'));
    let found = asked.into_iter().map(|(pattern, _)| pattern).filter(|pattern| may_be(pattern));
    let spelled = found.min_by_key(|pattern| unlike(pattern))?.spelled();
    Some(format!("calls {}, which an import outside the patch may make {spelled}", call.name))
}

fn matching<'a>(pattern: &CallPattern, names: &'a Names) -> Option<&'a String> {
    let guessed = names.guessed.iter().filter(|_| pattern.is_spelled_out());
    names.known.iter().chain(guessed).find(|name| pattern.matches(name))
}

#[cfg(test)]
mod tests;
