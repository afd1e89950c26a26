//! The sentences in which a finding is told: to an agent, to a person, in a record.
//!
//! A reason given to an agent is an instruction that it will follow: it names the rule, the
//! lines, why the rule is there, and a better way. It stays short: at most [`LINES`] lines a
//! rule and a count of the rest.

use super::change::Change;
use super::decision::{Decision, Ruling};
use super::finding::{Finding, Part, Spot};
use super::sanitize::{excerpt, visible, without_number};
use super::verdict::Verdict;
use std::collections::BTreeSet;
use std::fmt::Write;

/// How many lines are quoted for one rule.
pub const LINES: usize = 5;

/// Returns the whole reason for a decision: a block for each change that is not simply allowed,
/// then what could not be checked at all. Empty when there is nothing to say.
///
/// `answer` is what the reply comes to, so that the text says nothing else: it is deny where an
/// agent cannot ask.
#[must_use]
pub fn reason(decision: &Decision, answer: Verdict) -> String {
    let blocks = decision.rulings.iter().filter(|ruling| ruling.verdict() > Verdict::Allow);
    let mut known = Reasons::default();
    let blocks = blocks.map(|ruling| block(ruling, answer, &mut known));
    let outcome = if answer == Verdict::Deny { "it is refused" } else { "a person decides" };
    let troubles = decision.troubles.iter().map(|trouble| {
        format!("solvi-hook could not check this edit, so {outcome}: {}", without_number(trouble))
    });
    shortened(blocks.chain(troubles).collect::<Vec<_>>().join("\n"))
}

/// The longest reason, in bytes. Claude Code hands more than 10,000 characters of context to the
/// model as a file that it may never open.
const LONGEST: usize = 9_000;

/// Cuts a reason at a line's end and counts what is left out.
fn shortened(text: String) -> String {
    let Some(kept) = text.get(..text.floor_char_boundary(LONGEST)) else { return text };
    if kept.len() == text.len() {
        return text;
    }
    let kept = kept.rsplit_once('\n').map_or(kept, |(kept, _)| kept);
    let more = text.lines().count() - kept.lines().count();
    format!("{kept}\n(and {more} more lines; the record holds them all)")
}

/// Returns the block for one change: a headline and an item for each finding that objects,
/// strictest first.
fn block<'a>(ruling: &'a Ruling, answer: Verdict, known: &mut Reasons<'a>) -> String {
    let path = ruling.change.place.shown();
    let act = if ruling.change.deletes() { "deletion" } else { "edit" };
    let mut text = match ruling.verdict() {
        Verdict::Deny => format!("solvi-hook refused this {act} of {path}:"),
        Verdict::Ask if answer == Verdict::Deny => {
            format!("solvi-hook refused this {act} of {path}, which a person must approve:")
        }
        Verdict::Ask => format!("solvi-hook asks a person about this {act} of {path}:"),
        Verdict::Warn | Verdict::Allow => format!("solvi-hook warns about this {act} of {path}:"),
    };
    items(&mut text, ruling, known);
    text
}

/// Returns what is refused in files that were changed already: a block for each file.
#[must_use]
pub fn left(decision: &Decision) -> String {
    let refused = decision.rulings.iter().filter(|ruling| ruling.verdict() == Verdict::Deny);
    let mut known = Reasons::default();
    let blocks = refused.map(|ruling| {
        let path = ruling.change.place.shown();
        let mut text = if ruling.change.deletes() {
            format!("{path}, which is deleted:")
        } else {
            format!("{path}:")
        };
        items(&mut text, ruling, &mut known);
        text
    });
    shortened(blocks.collect::<Vec<_>>().join("\n"))
}

/// The rules that could not be checked so far, each with the reason.
type Reasons<'a> = BTreeSet<(&'a str, &'a str)>;

/// Adds an item for each finding that objects, strictest first. Why a rule cannot be checked is
/// written out once.
fn items<'a>(text: &mut String, ruling: &'a Ruling, known: &mut Reasons<'a>) {
    let mut findings: Vec<&Finding> =
        ruling.findings.iter().filter(|finding| finding.objects()).collect();
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.verdict));
    for finding in findings {
        let also = match finding.verdict {
            verdict if verdict == ruling.verdict() => "",
            Verdict::Ask => "also needs approval: ",
            _ => "also a warning: ",
        };
        let unknown = finding.unknown.as_deref().filter(|_| finding.spots.is_empty());
        let item = match unknown {
            Some(why) if !known.insert((&finding.rule, why)) => {
                format!("{}: cannot be checked here either", visible(&finding.rule))
            }
            _ => item(finding, &ruling.change),
        };
        let _ = write!(text, "\n- {also}{item}");
    }
}

/// Returns what one finding says: the rule, why, the lines one a row, and what to do instead.
#[must_use]
pub fn item(finding: &Finding, change: &Change) -> String {
    let mut text = format!(
        "{}: {}",
        visible(&finding.rule),
        headline(&finding.part, finding.verdict, &finding.why)
    );
    for spot in finding.spots.iter().take(LINES) {
        let _ = write!(text, "\n    {}", place_of(spot, finding, change));
    }
    if let more @ 1.. = finding.spots.len().saturating_sub(LINES) {
        let _ = write!(text, "\n    and {more} more");
    }
    if let Some(unknown) = &finding.unknown {
        let _ = write!(text, "\n    cannot be checked: {}", visible(&without_number(unknown)));
    }
    if let Some(instead) = &finding.instead {
        let _ = write!(text, "\n    instead: {}", visible(instead));
    }
    text
}

/// Returns why a rule stands against a change: the rule's own why, or, where it has none, what
/// is always true of that part of a rule.
#[must_use]
pub fn headline(part: &Part, verdict: Verdict, why: &str) -> String {
    let why = visible(why.trim());
    match part {
        Part::Question(question) => {
            let question = visible(question.trim());
            let because = if why.is_empty() { String::new() } else { format!(" {why}") };
            format!("{question} No model is configured: a person decides.{because}")
        }
        Part::Touch if why.is_empty() => match verdict {
            Verdict::Deny => "no change here is allowed.".to_owned(),
            Verdict::Ask => "any change here goes to a person.".to_owned(),
            _ => "any change here is pointed out.".to_owned(),
        },
        Part::Checks if why.is_empty() => "rule violated.".to_owned(),
        _ => why.into_owned(),
    }
}

/// Returns what is wrong at a spot; of a rule about any change, what is done to the file.
#[must_use]
pub fn what<'a>(spot: &'a Spot, change: &Change) -> &'a str {
    match spot.what.as_str() {
        TOUCHED if spot.line == 0 && change.deletes() => "the file is deleted",
        TOUCHED if spot.line == 0 => "the file is changed",
        what => what,
    }
}

/// Returns `line N: text [what]`, or what is wrong with the file as a whole.
#[must_use]
pub fn place_of(spot: &Spot, finding: &Finding, change: &Change) -> String {
    let what = visible(what(spot, change));
    if spot.line == 0 {
        return if spot.text.is_empty() { what.into_owned() } else { excerpt(&spot.text) };
    }
    let at = format!("line {}{}", spot.line, change.numbering.suffix());
    let text = excerpt(&spot.text);
    match (&finding.part, text.is_empty()) {
        (_, true) => format!("{at}: {what}"),
        (Part::Checks | Part::Beside, false) if spot.what != FORBIDDEN => {
            format!("{at}: {text} [{what}]")
        }
        (_, false) => format!("{at}: {text}"),
    }
}

/// What a finding of a rule about any change says is wrong (the record's word for it).
pub const TOUCHED: &str = "*";

/// What a finding of a `forbid` pattern says is wrong (the record's word for it).
pub const FORBIDDEN: &str = "forbidden pattern";
