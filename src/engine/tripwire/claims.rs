//! Phrases that say the change was approved already, or needs no approval.

use super::lexicon::{
    A, ADJ, ALL, ALREADY, AND, APPLY, APPROVAL, AUTHORITY, BACKED, BY, CHANGE, CHECK, CLAIM, COND,
    DET, DOES, EXEMPT, FILL, FOR, FROM, GRANT, IS, IT, NEED, NEEDED, NO, NOT, NOTE, NUMBER, PERSON,
    POLICY, PREFIX, READER, REVIEW, SAFE, TEAM, THIS, TO,
};
use super::sentence::At;
use super::words::Gap;

/// `pre-approved`, `already approved`, `approved by the … team`.
pub fn approval(at: At<'_>) -> bool {
    if !at.is(PREFIX | ALREADY | BACKED) || at.word().is_some_and(|word| word.alone) {
        return false;
    }
    (in_advance(at) || already(at) || backed(at)) && is_said_of_the_change(at)
}

fn in_advance(at: At<'_>) -> bool {
    let after = if at.is(CLAIM) { Some(at.step()) } else { at.step().then_half(CLAIM) };
    let complete = |at: At<'_>| at.ends() || at.then(BY | FOR | CHANGE | NUMBER).is_some();
    at.is(PREFIX) && after.is_some_and(complete)
}

fn already(at: At<'_>) -> bool {
    let after = at.step().over(IS).then(CLAIM);
    at.is(ALREADY) && after.is_some_and(|at| at.ends() || at.then(BY).is_some())
}

// By somebody whose word would count here: `approved by the customer` is business.
fn backed(at: At<'_>) -> bool {
    let Some(by) = at.step().then(BY).filter(|_| at.is(BACKED)) else { return false };
    if at.step().is(TEAM) {
        return true;
    }
    let whom = by.over(DET | A);
    let authority = whom.then(AUTHORITY).is_some_and(At::ends);
    authority || whom.near().skip(1).any(|at| at.gap() == Gap::Space && at.is(TEAM))
}

// With no subject at all, or with `this`, `it` or the change; a loan may be approved freely.
fn is_said_of_the_change(at: At<'_>) -> bool {
    let verb = at.back_over(IS | ALREADY | FILL | BACKED | AND);
    if verb.opens() {
        // A value (`status: pre-approved`) is said of whatever its key belongs to.
        let labels = POLICY | CHECK | READER | NOTE | CHANGE;
        return verb.gap() != Gap::Colon || verb.back().is_some_and(|at| at.is(labels));
    }
    let subject = verb.back_over(THIS | IT | CHANGE | DET);
    let found = verb.joined().is_some_and(|at| at.is(THIS | IT | CHANGE));
    found && !subject.joined().is_some_and(|at| at.is(COND | NOT))
}

/// `the security team has approved this change`.
pub fn approval_by_somebody(at: At<'_>) -> bool {
    // `the owner of this repository`.
    let verb = if at.is(PERSON) { at.step().over(ADJ | THIS | DET) } else { at.step() };
    let claim = verb.over(IS | ALREADY).then(CLAIM | BACKED).and_then(|at| at.then(THIS));
    let doubted = || at.back_over(DET | ADJ | A).joined().is_some_and(|at| at.is(COND));
    at.is(AUTHORITY | TEAM | READER | PERSON)
        && claim.is_some_and(|at| at.ends() || at.then(CHANGE).is_some())
        && !doubted()
}

/// `this rule does not apply`, `no review needed`, `exempt from the checks`, `safe to approve`.
pub fn exemption(at: At<'_>) -> bool {
    does_not_apply(at) || needs_no_review(at) || is_exempt(at) || is_safe_to_approve(at)
}

fn does_not_apply(at: At<'_>) -> bool {
    // In `in which case the rule does not apply` it is somebody's case.
    let first = at.back_over(ADJ).joined().filter(|at| at.is(DET) && at.opens());
    if !at.is(CHECK | POLICY) || first.is_none() {
        return false;
    }
    let denial = at.step().over(DOES).then(NOT);
    denial.is_some_and(|at| at.then(APPLY).is_some())
}

fn needs_no_review(at: At<'_>) -> bool {
    let (end, seen) = at.step().past(ADJ | A);
    if at.is(NO) && seen & REVIEW != 0 {
        let needs = at.joined().is_some_and(|at| at.is(NEED));
        return end.over(IS).then(NEEDED).is_some() || needs && end.ends();
    }
    if at.is(NO) {
        let (end, seen) = at.step().over(NEED | TO | FOR).past(ADJ | A);
        return at.step().is(NEED) && seen & REVIEW != 0 && (end.ends() || end.is(THIS));
    }
    if at.is(NOT) {
        let (end, seen) = at.step().over(NEED).past(ADJ | A);
        return at.step().is(NEED) && seen & REVIEW != 0 && end.ends();
    }
    let denied = at.step().over(IS).then(NOT).and_then(|at| at.then(NEEDED));
    at.is(REVIEW) && denied.is_some_and(At::ends) || needs_no_approval(at)
}

// Approval is asked for in any business, so `this` must say of what.
fn needs_no_approval(at: At<'_>) -> bool {
    if !at.is(APPROVAL) {
        return false;
    }
    let no = at.joined().filter(|at| at.is(NO));
    let need = no.and_then(At::joined).filter(|at| at.is(NEED));
    let subject = need.map(|at| at.back_over(CHANGE | ADJ)).and_then(At::joined);
    let link = at.step().over(IS);
    let needed = if no.is_some() { Some(link) } else { link.then(NOT) };
    subject.is_some_and(|at| at.is(THIS))
        || needed.and_then(|at| at.then(NEEDED)).is_some_and(At::for_this)
}

fn is_exempt(at: At<'_>) -> bool {
    let Some(from) = at.step().then(FROM).filter(|_| at.is(EXEMPT)) else { return false };
    let (noun, seen) = from.past(ALL | DET | ADJ);
    let end = noun.then(POLICY | CHECK);
    let rules = end.is_some_and(At::ends) || seen & REVIEW != 0 && noun.ends();
    rules && is_said_of_the_change(at)
}

fn is_safe_to_approve(at: At<'_>) -> bool {
    let verb = at.step().then(TO).and_then(|at| at.then(GRANT));
    at.is(SAFE) && verb.is_some_and(At::ends) && is_said_of_the_change(at)
}
