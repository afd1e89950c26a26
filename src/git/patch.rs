//! What would a patch change? Unified diff text in, changes out; no repository is needed.
//!
//! Reads what `git diff`, `git format-patch`, `git log -p`, `diff -u` and code hosts write, with
//! whatever text stands around it. The counts in a hunk's head decide what belongs to it, so
//! that a line of somebody's file never passes for a header. Whatever cannot be read for
//! certain is an error: a patch that is half understood would be half judged.
//!
//! A patch holds only the neighbourhood of what it changes. So the file after it is known for a
//! new file alone, and of a copy not even the added lines are; where the old file is in a
//! repository, [`OldFiles`] works out the rest.

mod binary;
mod error;
mod head;
mod hunks;
mod lines;
mod names;
mod rebuild;

pub use error::{PatchError, Problem};
pub use rebuild::OldFiles;

use super::reading;
use crate::domain::text::{Decoded, decode};
use crate::domain::{Certainty, Change, Content, Numbering, Place, Standing};
use binary::Stored;
use head::{Fate, Head};
use hunks::Hunks;
use lines::{Lines, headless};
use names::Pair;
use rebuild::{Hidden, OldSide};

/// One file of a patch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patched {
    /// What the patch does to it.
    pub change: Change,
    /// Why its content cannot be checked, or not all of it: it is no text, say. What can be is
    /// in the change all the same.
    pub not_checked: Option<String>,
    /// What the file after it can be worked out from.
    old_side: Option<OldSide>,
    /// What is known of its content where the patch does not show it as lines.
    hidden: Option<Hidden>,
}

const TOOL: &str = "patch";
const PART: &str = "a patch does not hold the whole file";

/// Reads a patch. A text of white space alone changes nothing.
///
/// ```
/// use solvi_hook::git::patch;
///
/// let files = patch::read(b"--- a/x.py\n+++ b/x.py\n@@ -1 +1,2 @@\n one\n+two\n").unwrap();
/// assert_eq!(files[0].change.place.as_str(), "x.py");
/// assert_eq!((files[0].change.added[0].number, &*files[0].change.added[0].text), (2, "two"));
/// ```
pub fn read(text: &[u8]) -> Result<Vec<Patched>, PatchError> {
    let mut lines = Lines::new(text);
    let mut files = Vec::new();
    while let Some(line) = lines.peek() {
        if line.starts_with(b"diff --git ") {
            files.push(git_file(&mut lines)?);
        } else if line.starts_with(b"--- ") && lines.second().is_some_and(names_new) {
            files.push(plain_file(&mut lines)?);
        } else if line.starts_with(b"diff --cc ")
            || line.starts_with(b"diff --combined ")
            || line.starts_with(b"@@@ ")
        {
            return Err(lines.error(Problem::Combined));
        } else if line.starts_with(b"@@ -") {
            return Err(lines.error(Problem::NoFile));
        } else {
            files.extend(names_alone(line).map_err(|problem| lines.error(problem))?);
            lines.advance();
            if lines.is_cut() && !files.is_empty() && begins(line) {
                return Err(lines.error(Problem::Line));
            }
        }
    }
    if files.is_empty() && !text.trim_ascii().is_empty() {
        return Err(PatchError { line: 1, problem: Problem::NoDiff });
    }
    Ok(files)
}

/// Tells whether a line may be the beginning of one that introduces a file or a hunk.
fn begins(line: &[u8]) -> bool {
    let heads = [&b"diff --git "[..], b"@@ -", b"--- "];
    !line.is_empty() && heads.iter().any(|head| head.starts_with(line))
}

fn names_new(line: &[u8]) -> bool {
    line.starts_with(b"+++ ")
}

/// Reads a file that `diff --git` introduces.
fn git_file(lines: &mut Lines<'_>) -> Result<Patched, PatchError> {
    let first = lines.number();
    let line = lines.advance().unwrap_or_default();
    let at_first = |problem| PatchError { line: first, problem };
    let mut pair =
        names::header(headless(line, "diff --git ")).map_err(at_first)?.map(Pair::settled);
    let mut head = Head::default();
    while let Some(line) = lines.peek() {
        if !head.take(line).map_err(|problem| lines.error(problem))? {
            break;
        }
        lines.advance();
    }
    let from = head.moved_from.as_ref().or(head.copied_from.as_ref());
    match (from, &head.to) {
        (None, None) => {}
        (Some(from), Some(to)) => {
            pair = Some(Pair { old: Some(from.clone()), new: Some(to.clone()) });
        }
        _ => return Err(lines.error(Problem::Names)),
    }
    let mut body = Body::Nothing;
    match lines.peek() {
        Some(b"GIT binary patch") => {
            body = Body::Binary(binary::read(lines)?);
        }
        Some(line) if line.starts_with(b"Binary files ") => {
            let written = names::of_binary(line).map_err(|problem| lines.error(problem))?;
            pair = pair.or(written.map(Pair::settled));
            lines.advance();
            body = Body::Binary(Stored::Nothing);
        }
        Some(line) if line.starts_with(b"--- ") => {
            let at = lines.number();
            let written = old_and_new(lines)?;
            if let Some(pair) = &pair {
                written.fits(pair).map_err(|problem| PatchError { line: at, problem })?;
            }
            written.agrees(&head).map_err(|problem| PatchError { line: at, problem })?;
            pair = pair.or(Some(written.settled()));
            body = Body::Hunks(Hunks::read(lines)?);
        }
        Some(_) | None => {}
    }
    // A head that says nothing is what is left of one that was cut off, or whose change is not
    // shown (`git diff -w`).
    if matches!(body, Body::Nothing) && !head.is_enough() {
        return Err(lines.error(Problem::Cut));
    }
    if lines.is_cut() {
        return Err(lines.error(Problem::Line));
    }
    let pair = pair.ok_or(Problem::Names).map_err(at_first)?;
    patched(&head, &pair, body).map_err(at_first)
}

/// Reads a file that has its two names alone, as `diff -u` writes it.
fn plain_file(lines: &mut Lines<'_>) -> Result<Patched, PatchError> {
    let line = lines.number();
    let written = old_and_new(lines)?;
    let mut head = Head::default();
    written.fate(&mut head).map_err(|problem| PatchError { line, problem })?;
    let body = Body::Hunks(Hunks::read(lines)?);
    patched(&head, &written.settled(), body).map_err(|problem| PatchError { line, problem })
}

/// Reads the lines `---` and `+++`.
fn old_and_new(lines: &mut Lines<'_>) -> Result<Pair, PatchError> {
    let mut name = |prefix: &str, missing| {
        let Some(line) = lines.peek().filter(|line| line.starts_with(prefix.as_bytes())) else {
            return Err(lines.error(missing));
        };
        let name = names::written(headless(line, prefix)).map_err(|at| lines.error(at))?;
        lines.advance();
        Ok((name != names::NOTHING).then_some(name))
    };
    let old = name("--- ", Problem::Names)?;
    let new = name("+++ ", Problem::NoNewName)?;
    Ok(Pair { old, new })
}

/// What a patch says about the content of a file.
enum Body {
    Nothing,
    Binary(Stored),
    Hunks(Hunks),
}

fn patched(head: &Head, pair: &Pair, body: Body) -> Result<Patched, Problem> {
    let name = pair.new.as_ref().or(pair.old.as_ref()).ok_or(Problem::Names)?;
    let place = names::place(name)?;
    let mut change = Change {
        after: match head.fate {
            Fate::New => Content::Text(String::new()),
            Fate::Kept | Fate::Deleted => Content::Unknown(PART.to_owned()),
        },
        standing: match head.fate {
            Fate::New => Standing::New,
            Fate::Kept | Fate::Deleted => Standing::Tracked,
        },
        ..bare(place)
    };
    let (mut not_checked, mut hidden) = (None, None);
    let mut old_side = OldSide::of(head, pair)?;
    if let Body::Hunks(hunks) = body {
        hunks.fit(head.fate)?;
        if head.fate == Fate::New {
            let text = hunks.list.into_iter().flat_map(|hunk| hunk.new).collect();
            let Decoded { content, others } = decode(text);
            change.after = content;
            change.others = reading::others(others, &[Decoded::default()]).unwrap_or_default();
            change.before = Some(vec![String::new()]);
        } else if let Some(old_side) = &mut old_side {
            old_side.hunks = hunks.list;
        }
        if hunks.lossy {
            not_checked = Some("it is not UTF-8".to_owned());
        }
        change.added = hunks.added;
    } else if let Body::Binary(stored) = body {
        change.after = Content::Binary;
        not_checked = Some(HIDDEN.to_owned());
        hidden = Some(Hidden { becomes: head.becomes.clone(), stored });
    }
    if head.submodule {
        change.added.clear();
        change.after = Content::Unknown("it is a submodule".to_owned());
        not_checked = Some("it is a submodule".to_owned());
        (old_side, hidden) = (None, None);
    }
    if head.fate == Fate::Deleted {
        let standing = Standing::Tracked;
        let change = Change { standing, ..Change::of_deletion(TOOL, change.place) };
        return Ok(Patched { change, not_checked: None, old_side: None, hidden: None });
    }
    if name.contains(char::REPLACEMENT_CHARACTER) {
        not_checked = Some("its name is not UTF-8".to_owned());
        (old_side, hidden) = (None, None);
    }
    if let Some(from) = &head.moved_from {
        change.moved_from = Some(names::place(from)?);
    }
    if let Some(from) = &head.copied_from {
        change.unsure =
            Some(format!("a patch does not hold the lines that are copied from {from}"));
    }
    let mut patched = Patched { change, not_checked, old_side, hidden };
    patched.show_whole();
    Ok(patched)
}

/// Why a file without lines is not checked. An attribute may have made git take a text for a binary
/// file, so its content is looked for in the patch and in the repository first.
const HIDDEN: &str = "the patch does not show its content";

fn bare(place: Place) -> Change {
    Change {
        tool: TOOL.to_owned(),
        place,
        moved_from: None,
        after: Content::Unknown(PART.to_owned()),
        added: Vec::new(),
        others: Vec::new(),
        before: None,
        numbering: Numbering::File,
        unsure: None,
        standing: Standing::Unknown,
        certainty: Certainty::Certain,
    }
}

/// Reads a line that stands alone and names a file whose content the patch does not hold.
fn names_alone(line: &[u8]) -> Result<Option<Patched>, Problem> {
    let (name, after, why) = if let Some(pair) = names::of_binary(line)? {
        let Pair { old, new } = pair.settled();
        let Some(name) = new.or(old) else { return Ok(None) };
        (name, Content::Binary, HIDDEN)
    } else if let Some(name) = names::of_submodule(line) {
        (name, Content::Unknown(PART.to_owned()), "it is a submodule")
    } else if let Some(name) = names::of_single(line) {
        (name, Content::Unknown(PART.to_owned()), "the patch holds its name alone")
    } else {
        return Ok(None);
    };
    let change = Change { after, ..bare(names::place(&name)?) };
    let not_checked = Some(why.to_owned());
    Ok(Some(Patched { change, not_checked, old_side: None, hidden: None }))
}

#[cfg(test)]
mod tests;
