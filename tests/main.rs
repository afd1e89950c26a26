//! One test binary: a single link of the library, and a tour of the modules below.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod attacks;
mod audit;
mod bad_input;
#[cfg(unix)]
mod checks;
mod claude;
mod clients;
mod completions;
#[cfg(unix)]
mod doctor;
#[cfg(unix)]
mod git;
mod hook;
#[cfg(unix)]
mod index;
mod install;
mod journal;
mod papers;
mod parity;
#[cfg(unix)]
mod pi;
mod readers;
#[cfg(unix)]
mod reference;
mod replies;
mod report;
mod rule_ids;
mod rules_file;
#[cfg(unix)]
mod shims;
mod star;
mod statistics;
#[cfg(unix)]
mod stop;
mod support;
#[cfg(unix)]
mod traces;
mod verdicts;
mod written;
