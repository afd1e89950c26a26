//! `forbid_calls`: Python calls that no added line may make.
//!
//! A call counts that the file before did not make, wherever it stands; where that file is not
//! known, or the rule judges the whole file, a call counts when any of its lines is judged. It is
//! told at the first judged line, or where it begins. What the
//! look cannot decide is said in [`Seen::unknown`]; what it found stands all the same. Of a patch
//! without its file, that is also a call that an import outside of the patch may make a forbidden
//! one.

mod compare;

use super::{Check, Kind, Problem, Seen, Subject};
use crate::domain::{Change, Content, Line, Spot, diff};
use crate::engine::python::{self, Call, CallPattern, Flaw, Module, Names, Reach, Truth};
use compare::Found;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

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
            return Seen::unknown("the file after the edit is a binary file");
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
        let judged = !subject.lines.is_empty() || changes_text(subject);
        if judged && (!patterns.is_empty() || hidden || refused()) {
            let hidden = if hidden { self.0.as_slice() } else { &[] };
            hold_against(patterns, hidden, &self.0, subject, &mut seen);
        }
        seen
    }

    fn may_find(&self, change: &Change) -> bool {
        let text = change.program().filter(|_| python::is_python(change));
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
    all: &[CallPattern],
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
    let mut found = Vec::new();
    let mut behind = Vec::new();
    for call in module.calls.iter().chain(&module.passed) {
        let line = lines.range(call.rows.clone()).next().map(|(_, line)| *line);
        if line.is_none() && subject.before.is_none() {
            continue;
        }
        match (evidence(call, &patterns, &reach, module), line) {
            (Evidence::None, Some(line)) if !call.implied => {
                behind.extend(behind_import(call, hidden, module).map(|why| (line.number, why)));
            }
            (Evidence::None, _) => {}
            (Evidence::Sure(what), line) => found.push(Found { call, line, sure: true, what }),
            (Evidence::Doubtful(what), line) => {
                found.push(Found { call, line, sure: false, what });
            }
        }
    }
    let text = python::source(subject.change).unwrap_or_default();
    if let Some(before) = subject.before.filter(|_| !found.is_empty()) {
        compare::keep_new(&mut found, &text, before, &patterns);
    }
    let mut doubts = Vec::new();
    for Found { call, line, sure, what } in found {
        let row = *call.rows.start();
        match (line, sure) {
            (Some(line), true) => seen.spots.push(Spot::at(line, what)),
            (Some(line), false) => doubts.push((line.number, what)),
            (None, true) => {
                let line = diff::lines(&text).nth(row).unwrap_or_default().to_owned();
                let line = Line { number: row + 1, text: line };
                seen.spots.push(Spot::at(&line, what + UNCHANGED));
            }
            (None, false) => doubts.push((row + 1, what + UNCHANGED)),
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
    let flaw = module.flaw.filter(|flaw| matters(*flaw, module, &lines, all));
    let flaw = flaw.map(|flaw| flaw.told(subject.change));
    let unknown: Vec<String> = seen.unknown.take().into_iter().chain(flaw).chain(doubts).collect();
    seen.unknown = (!unknown.is_empty()).then(|| unknown.join("; "));
}

/// What is added about a call on a line that the edit does not change.
const UNCHANGED: &str = " (the line is not new; the edit makes it this call)";

/// Tells whether an edit that adds no line changes the text: it may take away a quote.
fn changes_text(subject: &Subject<'_>) -> bool {
    let after = subject.change.program();
    let before = subject.before.unwrap_or_default();
    !before.is_empty() && before.iter().all(|before| Some(before.as_str()) != after)
}

/// Tells whether what does not parse may hide a call: it is on judged lines, or one of these has
/// all that a pattern spells out. Valid Python that the grammar cannot read elsewhere hides none.
fn matters(
    flaw: Flaw,
    module: &Module,
    lines: &BTreeMap<usize, &Line>,
    all: &[CallPattern],
) -> bool {
    if !matches!(flaw, Flaw::Broken(_)) || module.errors.is_empty() {
        return true;
    }
    let judged = |rows: &RangeInclusive<usize>| lines.range(rows.clone()).next().is_some();
    let named = |line: &&Line| all.iter().any(|one| one.may_be_in(&python::folded(&line.text)));
    module.errors.iter().any(judged) || lines.values().any(named)
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
    let by_position = |pattern: &CallPattern| {
        pattern.keyword() == Some("shell") && call.arguments.ninth().is_some()
    };
    asked.filter(|(pattern, truth)| *truth != Truth::No || by_position(pattern)).collect()
}

fn evidence(
    call: &Call,
    patterns: &[&CallPattern],
    reach: &Reach<'_>,
    module: &Module,
) -> Evidence {
    if call.passed {
        return handed_on(call, patterns, reach, module);
    }
    let asked = asked(call, patterns.iter().copied());
    if asked.is_empty() {
        return Evidence::None;
    }
    let names = reach.names(call);
    let mut doubt = None;
    for (pattern, truth) in asked {
        let Some(name) = matching(pattern, &names) else { continue };
        let truth = match (truth, call.arguments.ninth()) {
            (Truth::No, Some(ninth)) if name.starts_with("subprocess.") => ninth,
            (truth, _) => truth,
        };
        if truth == Truth::No {
            continue;
        }
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

/// Says that a name is handed on to what may call it. Only names that a rule spells out are meant:
/// of a glob, too many are handed on that nobody calls.
fn handed_on(
    call: &Call,
    patterns: &[&CallPattern],
    reach: &Reach<'_>,
    module: &Module,
) -> Evidence {
    let meant = |one: &&CallPattern| one.is_spelled_out() && one.keyword().is_none();
    let mut patterns = patterns.iter().copied().filter(meant).peekable();
    if patterns.peek().is_none() || module.defines(&call.name) {
        return Evidence::None;
    }
    let names = reach.names(call);
    let found = patterns.find_map(|pattern| names.known.iter().find(|name| pattern.matches(name)));
    found.map_or(Evidence::None, |name| {
        Evidence::Doubtful(format!("hands {name} on, and only a run shows whether it is called"))
    })
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
