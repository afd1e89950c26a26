//! What does Copilot's `apply_patch` make of a text when it carries out the hunks of an update?
//!
//! A hunk's context and removed lines are looked for as a block of whole lines, past white space
//! at their ends, behind the hunk before it; if a hunk is not there, each is looked for in the
//! whole file. Then come looser ways, and of those only what has one outcome is told: anything
//! else is [`Doubt::Unclear`]. `tests/edits/copilot-patches.jsonl` holds what version 1.0.102
//! was seen to do.

use super::copilot_text::{Sheet, bare, indented, loose};
use super::patch_grammar::Hunk;
use std::ops::Range;

/// Why there is no text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Doubt {
    /// The client does not find the lines, and refuses.
    #[error("the lines that begin with `{0}` are not in the file")]
    NotFound(String),
    /// The client looks more loosely for lines than we can tell.
    #[error("where Copilot would put the lines that begin with `{0}` cannot be told")]
    Unclear(String),
}

/// Returns the text after the hunks.
pub fn updated(before: &str, hunks: &[Hunk<'_>]) -> Result<String, Doubt> {
    let sheet = Sheet::of(before);
    let file = Lines { lines: &sheet.lines };
    let placed = in_order(&file, hunks, Care::Strict)
        .or_else(|doubt| match doubt {
            Doubt::NotFound(_) => in_order(&file, hunks, Care::Loose),
            Doubt::Unclear(_) => Err(doubt),
        })
        .or_else(|doubt| match doubt {
            Doubt::NotFound(_) if hunks.len() > 1 => anywhere(&file, hunks),
            doubt => Err(doubt),
        });
    let placed = match placed {
        Err(Doubt::NotFound(lines)) if hunks.iter().all(|hunk| file.may_hold(hunk)) => {
            return Err(Doubt::Unclear(lines));
        }
        placed => placed?,
    };
    let mut out: Vec<String> = Vec::new();
    let mut at = 0;
    for splice in placed {
        let kept = sheet.lines.get(at..splice.gone.start).unwrap_or_default();
        out.extend(kept.iter().map(ToString::to_string));
        out.extend(splice.new);
        at = splice.gone.end;
    }
    out.extend(sheet.lines.get(at..).unwrap_or_default().iter().map(ToString::to_string));
    Ok(sheet.text(&out))
}

/// Lines of the file that go, and those that come.
struct Splice {
    gone: Range<usize>,
    new: Vec<String>,
}

/// Returns a file's lines with one block of them, that stands there once, replaced.
pub(super) fn replaced(lines: &[&str], old: &[&str], new: &[&str]) -> Result<Vec<String>, Doubt> {
    let file = Lines { lines };
    let Some(at) = file.only(old, false)? else {
        return Err(if file.holds(old, 0) { unclear(old) } else { not_found(old) });
    };
    let splice = file.sure(at, old, new)?;
    let mut out = owned(lines);
    out.splice(splice.gone, splice.new);
    Ok(out)
}

/// How closely lines are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Care {
    /// Past white space at their ends.
    Strict,
    /// Past all that [`loose`] leaves out, and without what stands at the edges of a hunk.
    Loose,
}

/// Places each hunk behind the one before it.
fn in_order(file: &Lines<'_>, hunks: &[Hunk<'_>], care: Care) -> Result<Vec<Splice>, Doubt> {
    let mut placed: Vec<Splice> = Vec::new();
    let mut start = 0;
    let mut last: Option<&Hunk<'_>> = None;
    for hunk in hunks {
        let shared = last.is_some_and(|last| last.ends_where(hunk));
        let splice = match file.place(hunk, start, care) {
            Err(Doubt::NotFound(_)) if shared => {
                // That the client shares the line is known where both hunks change something.
                let both = hunk.changes() && last.is_some_and(Hunk::changes);
                if !both || care == Care::Loose {
                    return Err(unclear(&hunk.old()));
                }
                let mut splice = file.place(hunk, start - 1, care)?;
                if splice.gone.start < start {
                    splice.gone.start += 1;
                    splice.new.drain(..1);
                }
                splice
            }
            place => place?,
        };
        // What is put at the end of the file leaves the search where it was.
        if !hunk.old().is_empty() {
            start = splice.gone.end;
            last = Some(hunk);
        }
        placed.push(splice);
    }
    apart(placed, hunks)
}

/// Places each hunk in the whole file, if each says well enough where it belongs.
fn anywhere(file: &Lines<'_>, hunks: &[Hunk<'_>]) -> Result<Vec<Splice>, Doubt> {
    let headed = hunks.iter().filter(|hunk| hunk.header.is_some()).count();
    let plain = hunks.iter().all(|hunk| match hunk.header {
        Some(line) => hunk.changes() && !hunk.at_end && file.times(&[line]) == 1,
        None => hunk.changes() && file.times(&hunk.old()) == 1,
    });
    if !plain || (headed > 0 && headed < hunks.len()) {
        return Err(unclear(&[]));
    }
    let placed = hunks.iter().map(|hunk| file.place(hunk, 0, Care::Strict));
    apart(placed.collect::<Result<_, _>>()?, hunks)
}

/// Sorts the splices, of which no two may meet.
fn apart(mut placed: Vec<Splice>, hunks: &[Hunk<'_>]) -> Result<Vec<Splice>, Doubt> {
    placed.sort_by_key(|splice| (splice.gone.start, splice.gone.end));
    let meet = |pair: &[Splice]| match pair {
        [one, next] => one.gone.end > next.gone.start,
        _ => false,
    };
    if placed.windows(2).any(meet) {
        return Err(not_found(&hunks.first().map(Hunk::old).unwrap_or_default()));
    }
    Ok(placed)
}

fn first(lines: &[&str]) -> String {
    lines.first().copied().unwrap_or_default().to_owned()
}

/// A file in which blocks are looked for.
struct Lines<'a> {
    lines: &'a [&'a str],
}

impl Lines<'_> {
    fn place(&self, hunk: &Hunk<'_>, start: usize, care: Care) -> Result<Splice, Doubt> {
        let start = match hunk.header {
            Some(header) => self.header(header, start)? + 1,
            None => start,
        };
        let (old, new) = sides(hunk);
        if old.is_empty() {
            let at = if hunk.header.is_some() { start } else { self.lines.len() };
            return Ok(Splice { gone: at..at, new: owned(&new) });
        }
        if let Some(at) = self.find(&old, start, hunk.at_end, same_bare) {
            let exact = self.find(&old, start, hunk.at_end, |one, other| one == other);
            // A whole block that is there to the letter seems to win, a single line does not.
            if old.len() > 1 && exact.is_some_and(|exact| exact != at) {
                return Err(unclear(&old));
            }
            return self.sure(at, &old, &new);
        }
        if care == Care::Strict {
            return Err(not_found(&old));
        }
        match self.only(&old, hunk.at_end)? {
            Some(at) if at >= start => return self.sure(at, &old, &new),
            _ => {}
        }
        if let Some(splice) = self.inside(&old, &new, start).filter(|_| !hunk.at_end) {
            return Ok(splice);
        }
        self.without_edges(hunk, start)
    }

    /// Looks for a block that is there but for blank lines at its end, or but for the context
    /// line with which it begins or ends.
    fn without_edges(&self, hunk: &Hunk<'_>, start: usize) -> Result<Splice, Doubt> {
        let (old, new) = sides(hunk);
        let blank = old.iter().rev().take_while(|line| line.is_empty()).count();
        if blank > 0 {
            let old = old.get(..old.len() - blank).unwrap_or_default();
            let most = blank.min(new.len().saturating_sub(1));
            let tail = new.iter().rev().take(most).take_while(|line| bare(line).is_empty()).count();
            let new = new.get(..new.len() - tail).unwrap_or_default();
            if old.is_empty() {
                let splice = Splice { gone: 0..0, new: owned(new) };
                return if self.lines.is_empty() { Ok(splice) } else { Err(unclear(old)) };
            }
            if let Some(at) = self.find(old, start, hunk.at_end, same_bare) {
                return self.sure(at, old, new);
            }
        }
        let near = match (
            self.trimmed(hunk, start, true, false)?,
            self.trimmed(hunk, start, false, true)?,
        ) {
            (Some((one, _)), Some((other, _))) if one != other => return Err(unclear(&old)),
            (one, other) => one.or(other),
        };
        let found = match near {
            None => self.trimmed(hunk, start, true, true)?,
            near => near,
        };
        match found {
            Some((_, splice)) => Ok(splice),
            None if self.holds(&old, start) => Err(unclear(&old)),
            None => Err(not_found(&old)),
        }
    }

    /// Looks for a hunk without the context at its edges; tells also where its second line is.
    fn trimmed(
        &self,
        hunk: &Hunk<'_>,
        start: usize,
        head: bool,
        tail: bool,
    ) -> Result<Option<(usize, Splice)>, Doubt> {
        let mut lines = hunk.lines.as_slice();
        let mut dropped = Vec::new();
        if head
            && let [first, rest @ ..] = lines
            && first.old
            && first.new
        {
            dropped.push(first.text);
            lines = rest;
        }
        if tail
            && let [rest @ .., last] = lines
            && last.old
            && last.new
        {
            dropped.push(last.text);
            lines = rest;
        }
        if dropped.len() < usize::from(head) + usize::from(tail) {
            return Ok(None);
        }
        let shorter = Hunk { lines: lines.to_vec(), ..hunk.clone() };
        let (old, new) = sides(&shorter);
        if old.iter().all(|line| bare(line).is_empty()) {
            return Ok(None);
        }
        let Some(at) = self.find(&old, start, hunk.at_end, same_bare) else {
            return if self.holds(&old, start) { Err(unclear(&old)) } else { Ok(None) };
        };
        // The client gives up on what it would have to fold to compare.
        if dropped.iter().any(|line| !line.is_ascii() || line.to_ascii_lowercase() != **line) {
            return Err(unclear(&old));
        }
        Ok(Some((at + usize::from(!head), self.sure(at, &old, &new)?)))
    }

    /// Returns the line of a header, at or behind a line.
    fn header(&self, header: &str, start: usize) -> Result<usize, Doubt> {
        if let Some(at) = self.find(&[header], start, false, same_bare) {
            return Ok(at);
        }
        let wanted = loose(header);
        let found = self.lines.iter().enumerate().skip(start);
        let mut found = found.filter(|(_, line)| loose(line).contains(&wanted));
        match (found.next(), found.next()) {
            (Some((at, _)), None) if !wanted.is_empty() => Ok(at),
            (None, _) => Err(not_found(&[header])),
            _ => Err(unclear(&[header])),
        }
    }

    fn find(
        &self,
        wanted: &[&str],
        start: usize,
        at_end: bool,
        same: fn(&str, &str) -> bool,
    ) -> Option<usize> {
        let last = self.lines.len().checked_sub(wanted.len())?;
        let start = if at_end { last } else { start };
        let fits = |block: &[&str]| block.iter().zip(wanted).all(|(one, other)| same(one, other));
        let at = self.lines.get(start..)?.windows(wanted.len()).position(fits)?;
        Some(start + at)
    }

    /// Returns how often a block stands in the file.
    fn times(&self, wanted: &[&str]) -> usize {
        let fits =
            |block: &&[&str]| block.iter().zip(wanted).all(|(one, other)| same_bare(one, other));
        if wanted.is_empty() { 1 } else { self.lines.windows(wanted.len()).filter(fits).count() }
    }

    /// Returns the one place where a block stands when looked for loosely; an error when it
    /// stands in several, or in the midst of lines too.
    fn only(&self, wanted: &[&str], at_end: bool) -> Result<Option<usize>, Doubt> {
        let wanted_loose: Vec<String> = wanted.iter().map(|line| loose(line)).collect();
        let file: Vec<String> = self.lines.iter().map(|line| loose(line)).collect();
        if wanted_loose.iter().all(String::is_empty) {
            return Ok(None);
        }
        let block = wanted_loose.join("\n");
        let text = file.join("\n");
        let mut places = file.windows(wanted.len()).enumerate();
        let whole: Vec<usize> = places
            .by_ref()
            .filter(|(_, block)| **block == *wanted_loose)
            .map(|(at, _)| at)
            .take(2)
            .collect();
        match whole.as_slice() {
            [at] if text.matches(&block).count() == 1 => {
                let last = self.lines.len() - wanted.len();
                if at_end && *at != last { Err(not_found(wanted)) } else { Ok(Some(*at)) }
            }
            [] => Ok(None),
            _ => Err(unclear(wanted)),
        }
    }

    /// Looks for one old line within the lines of the file, where it stands once: a part of a
    /// line is replaced too.
    fn inside(&self, old: &[&str], new: &[&str], start: usize) -> Option<Splice> {
        let [old] = old else { return None };
        let text = self.lines.join("\n");
        let wanted = loose(old);
        if new.contains(old) || wanted.is_empty() || loose(&text).matches(&wanted).count() != 1 {
            return None;
        }
        let at = self.lines.iter().position(|line| line.contains(old)).filter(|at| *at >= start)?;
        let line = self.lines.get(at)?;
        let (head, tail) = line.split_once(old)?;
        if !head.is_empty() && bare(head).is_empty() {
            return None;
        }
        let new = format!("{head}{}{tail}", new.join("\n"));
        Some(Splice { gone: at..at + 1, new: new.split('\n').map(str::to_owned).collect() })
    }

    /// Tells whether the client might find a hunk, at least without its edges.
    fn may_hold(&self, hunk: &Hunk<'_>) -> bool {
        let old = hunk.old();
        let inner = old.get(1..old.len().saturating_sub(1)).unwrap_or_default();
        let header = hunk.header.is_none_or(|header| self.holds(&[header], 0));
        header && (self.holds(&old, 0) || (old.len() > 1 && self.holds(inner, 0)))
    }

    /// Tells whether the client might find a block, however loosely it looks.
    fn holds(&self, wanted: &[&str], start: usize) -> bool {
        let joined = |lines: &[&str]| lines.iter().map(|line| loose(line)).collect::<String>();
        joined(self.lines.get(start..).unwrap_or_default()).contains(&joined(wanted))
    }

    /// As [`Self::splice`], unless the file has a block otherwise and blank lines stand at an
    /// edge: the client may leave those out.
    fn sure(&self, at: usize, old: &[&str], new: &[&str]) -> Result<Splice, Doubt> {
        let found = self.lines.get(at..at + old.len()).unwrap_or_default();
        let edge = |lines: &[&str]| {
            [lines.first(), lines.last()].iter().flatten().any(|line| bare(line).is_empty())
        };
        let blank = (old.len() > 1 && edge(old)) || edge(new);
        if (blank || new.is_empty()) && found != old && old != new {
            return Err(unclear(old));
        }
        Ok(self.splice(at, old, new))
    }

    /// Puts new lines in the place of a block: they keep the file's text where they are those
    /// of the block, one by one, and get its indentation where they are not.
    fn splice(&self, at: usize, old: &[&str], new: &[&str]) -> Splice {
        let gone = at..at + old.len();
        let found = self.lines.get(gone.clone()).unwrap_or_default();
        if found == old {
            return Splice { gone, new: owned(new) };
        }
        if old == new {
            return Splice { gone, new: owned(found) };
        }
        let mut lines = indented(new, old, found);
        if new.len() >= old.len() {
            let kept = lines.iter_mut().zip(new).zip(old.iter().zip(found));
            for ((line, new), (old, found)) in kept {
                if new == old {
                    (*found).clone_into(line);
                }
            }
        }
        Splice { gone, new: lines }
    }
}

fn sides<'a>(hunk: &Hunk<'a>) -> (Vec<&'a str>, Vec<&'a str>) {
    let new = hunk.lines.iter().filter(|line| line.new).map(|line| line.text).collect();
    (hunk.old(), new)
}

fn same_bare(one: &str, other: &str) -> bool {
    bare(one) == bare(other)
}

fn owned(lines: &[&str]) -> Vec<String> {
    lines.iter().map(ToString::to_string).collect()
}

fn not_found(lines: &[&str]) -> Doubt {
    Doubt::NotFound(first(lines))
}

fn unclear(lines: &[&str]) -> Doubt {
    Doubt::Unclear(first(lines))
}
