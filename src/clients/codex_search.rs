//! What does Codex make of a text when it carries out the hunks of an update?
//!
//! A hunk's context and removed lines are looked for as one block behind the hunk before it, in
//! four passes over the whole rest, each more forgiving. Context keeps the file's text, added
//! lines come as they are written; the file's first line break ends them, and the last line
//! always gets one. `tests/edits/codex-patches.jsonl` holds what version 0.171.0 was seen to do.

use super::patch_grammar::{Hunk, HunkLine};

/// Lines that are not in the text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the lines that begin with `{0}` are not in the file")]
pub struct NotFound(pub String);

/// Returns the text after the hunks.
pub fn updated(before: &str, hunks: &[Hunk<'_>]) -> Result<String, NotFound> {
    let source = split(before);
    let texts: Vec<&str> = source.iter().map(|(text, _)| *text).collect();
    let mut splices = Vec::new();
    let mut start = 0;
    for hunk in hunks {
        if let Some(header) = hunk.header {
            let at = find(&texts, &[header], start, false);
            start = at.ok_or_else(|| NotFound(header.to_owned()))? + 1;
        }
        let old = hunk.old();
        if old.is_empty() {
            // Nothing says where: it goes to the end.
            splice(texts.len(), &hunk.lines, &mut splices);
            continue;
        }
        if let Some(at) = find(&texts, &old, start, hunk.at_end) {
            splice(at, &hunk.lines, &mut splices);
            start = at + old.len();
            continue;
        }
        let shorter = without_last_blank(hunk);
        let wanted: Vec<&str> =
            shorter.iter().flatten().filter(|line| line.old).map(|line| line.text).collect();
        let found =
            shorter.and_then(|lines| Some((find(&texts, &wanted, start, hunk.at_end)?, lines)));
        let not_found = || NotFound(old.first().copied().unwrap_or_default().to_owned());
        let (at, lines) = found.ok_or_else(not_found)?;
        splice(at, &lines, &mut splices);
        start = at + wanted.len();
    }
    splices.sort_by_key(|splice| splice.at);
    Ok(rebuilt(&source, &splices))
}

/// Splits a text into lines and the break behind each; the last may have none.
fn split(text: &str) -> Vec<(&str, &str)> {
    let mut lines = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let at = rest.find(['\r', '\n']).unwrap_or(rest.len());
        let (line, tail) = rest.split_at(at);
        let width = match tail.as_bytes() {
            [b'\r', b'\n', ..] => 2,
            [] => 0,
            _ => 1,
        };
        let (end, tail) = tail.split_at(width);
        lines.push((line, end));
        rest = tail;
    }
    lines
}

/// The passes, strictest first: what of two lines is compared.
const PASSES: [fn(&str, &str) -> bool; 4] = [
    |one, other| one == other,
    |one, other| one.trim_end() == other.trim_end(),
    |one, other| one.trim() == other.trim(),
    |one, other| one.trim().chars().map(plain).eq(other.trim().chars().map(plain)),
];

/// Returns the character of a keyboard for its typographic relatives.
fn plain(char: char) -> char {
    match char {
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{2018}'..='\u{201b}' => '\'',
        '\u{201c}'..='\u{201f}' => '"',
        '\u{a0}' | '\u{2002}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => ' ',
        char => char,
    }
}

/// Returns where the wanted lines stand as one block, at or after a line; `at_end` leaves only
/// the last place where they could.
fn find(lines: &[&str], wanted: &[&str], start: usize, at_end: bool) -> Option<usize> {
    if wanted.is_empty() {
        return Some(start);
    }
    let last = lines.len().checked_sub(wanted.len())?;
    let start = if at_end { start.max(last) } else { start };
    let rest = lines.get(start..)?;
    PASSES.iter().find_map(|same| {
        let fits = |block: &[&str]| block.iter().zip(wanted).all(|(one, other)| same(one, other));
        Some(start + rest.windows(wanted.len()).position(fits)?)
    })
}

/// Returns the hunk without its last old line, if that is blank; then the last new line goes
/// too if it is blank. Where they are not the same line, each keeps its other side.
fn without_last_blank<'a>(hunk: &Hunk<'a>) -> Option<Vec<HunkLine<'a>>> {
    let mut lines = hunk.lines.clone();
    let old = lines.iter_mut().rfind(|line| line.old).filter(|line| line.text.is_empty())?;
    old.old = false;
    // The sides of the hunk as it was written: what just lost its old side keeps its new one.
    if let Some(new) = lines.iter_mut().rfind(|line| line.new)
        && new.text.is_empty()
    {
        new.new = false;
    }
    lines.retain(|line| line.old || line.new);
    Some(lines)
}

/// Lines that go at a place, and lines that come.
struct Splice<'a> {
    at: usize,
    gone: usize,
    new: Vec<&'a str>,
}

/// Makes a splice of each run of changed lines.
fn splice<'a>(at: usize, lines: &[HunkLine<'a>], splices: &mut Vec<Splice<'a>>) {
    let mut at = at;
    for run in lines.chunk_by(|one, next| (one.old && one.new) == (next.old && next.new)) {
        let gone = run.iter().filter(|line| line.old).count();
        if !run.iter().all(|line| line.old && line.new) {
            let new = run.iter().filter(|line| line.new).map(|line| line.text).collect();
            splices.push(Splice { at, gone, new });
        }
        at += gone;
    }
}

fn rebuilt(source: &[(&str, &str)], splices: &[Splice<'_>]) -> String {
    let ending = source.first().map(|(_, end)| *end).filter(|end| !end.is_empty());
    let ending = ending.unwrap_or("\n");
    let mut out = String::new();
    let mut put = |text: &str, end: &str| {
        out.push_str(text);
        out.push_str(if end.is_empty() { ending } else { end });
    };
    let mut at = 0;
    for splice in splices {
        let kept = source.get(at..splice.at).unwrap_or_default();
        for (text, end) in kept {
            put(text, end);
        }
        for text in &splice.new {
            put(text, ending);
        }
        at = splice.at + splice.gone;
    }
    let kept = source.get(at..).unwrap_or_default();
    for (text, end) in kept {
        put(text, end);
    }
    out
}
