//! Marks of a chat's transcript, such as `<system>`, with an order behind them.

use super::lexicon::{ASIDE, JUDGE, LENIENT, ORDER, VERDICT};
use super::sentence::At;
use super::words;

/// What opens a message of somebody with authority over the reader; in lower case.
const MARKS: [&str; 10] = [
    "<system>",
    "<system-reminder>",
    "<assistant>",
    "<|im_start|>system",
    "<|system|>",
    "[inst]",
    "[system]",
    "<<sys>>",
    "### instruction",
    "### system:",
];

/// Tells whether a line opens such a message and orders something in it; the mark alone stands
/// in the templates of any program that talks to a model.
pub fn marked(line: &str) -> bool {
    if !line.contains(['<', '[', '#']) {
        return false;
    }
    let lower = line.to_ascii_lowercase();
    MARKS.iter().any(|mark| lower.split_once(mark).is_some_and(|(_, message)| orders(message)))
}

fn orders(message: &str) -> bool {
    let elided = message.trim_start().starts_with(['…', '.']);
    let words = words::read(message);
    elided || At::every(&words).take(12).any(|at| at.is(ORDER | JUDGE | LENIENT | ASIDE | VERDICT))
}
