//! Which files does a `*** Begin Patch` text change, and into what?
//!
//! Several agents share this envelope: sections that add, update, move or delete a file, an
//! update made of hunks. What surrounds it (a here-document, say) is ignored. Hunks are looked
//! for exactly, in order; one that is not found leaves the file after the patch unknown, and its
//! added lines are judged all the same. This is the reading for whoever's rules we do not know;
//! Codex and Copilot have theirs in [`super::codex_patch`] and [`super::copilot_patch`], which
//! come back here for what these clients would refuse.

use crate::domain::{Change, Content, Files, Line, Place, Stored, diff};

/// The line with which a patch begins.
pub const MARKER: &str = "*** Begin Patch";

/// A text that holds the marker but cannot be read as a patch.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatchError {
    /// No file is named.
    #[error(
        "the patch has no section: `*** Add File:`, `*** Update File:` or `*** Delete File:` was expected."
    )]
    NoSection,
    /// A section, or the target of a move, without a path.
    #[error("the patch's line `{0}` lacks the path of a file.")]
    NoPath(&'static str),
    /// A move that does not belong to an update.
    #[error("the patch has a `*** Move to:` outside of an `*** Update File:` section.")]
    StrayMove,
    /// A path that leads nowhere; the sentence comes from [`Files::place`].
    #[error("{0}")]
    Place(String),
}

/// Returns the changes that the patches in these texts make, in their order. A move makes two:
/// the deletion of its source and the change of its target.
///
/// A later section of the same file starts from what the earlier one leaves.
pub fn changes(tool: &str, texts: &[&str], files: &dyn Files) -> Result<Vec<Change>, PatchError> {
    let mut changes = Vec::new();
    for text in texts {
        for section in sections(text)? {
            section.carry_out(tool, files, &mut changes)?;
        }
    }
    if changes.is_empty() { Err(PatchError::NoSection) } else { Ok(changes) }
}

/// What happens to the file of a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Act {
    Add,
    Update,
    Delete,
}

const HEADERS: [(&str, Act); 3] = [
    ("*** Add File:", Act::Add),
    ("*** Update File:", Act::Update),
    ("*** Delete File:", Act::Delete),
];
const MOVE: &str = "*** Move to:";

/// The part of a patch that is about one file.
struct Section<'a> {
    act: Act,
    path: &'a str,
    target: Option<&'a str>,
    lines: Vec<&'a str>,
}

fn sections(text: &str) -> Result<Vec<Section<'_>>, PatchError> {
    let mut sections: Vec<Section<'_>> = Vec::new();
    let Some((_, patch)) = text.split_once(MARKER) else { return Ok(sections) };
    let mut closed = false;
    for line in diff::lines(patch).skip(1) {
        // Indentation makes a line of an update a context line; elsewhere clients trim it.
        let updating = !closed && sections.last().is_some_and(|open| open.act == Act::Update);
        let mark = if updating { line } else { line.trim_start() };
        if let Some((header, act, path)) = HEADERS
            .iter()
            .find_map(|(header, act)| Some((*header, *act, mark.strip_prefix(header)?.trim())))
        {
            if path.is_empty() {
                return Err(PatchError::NoPath(header));
            }
            sections.push(Section { act, path, target: None, lines: Vec::new() });
            closed = false;
            continue;
        }
        let Some(open) = sections.last_mut().filter(|_| !closed) else { continue };
        if let Some(target) = mark.strip_prefix(MOVE) {
            match (open.act, target.trim()) {
                (Act::Update, "") => return Err(PatchError::NoPath(MOVE)),
                (Act::Update, target) => open.target = Some(target),
                (Act::Add | Act::Delete, _) => return Err(PatchError::StrayMove),
            }
            continue;
        }
        match mark.trim_end() {
            "*** End Patch" | MARKER => closed = true,
            "*** End of File" => {}
            _ => open.lines.push(line),
        }
    }
    Ok(sections)
}

impl Section<'_> {
    fn carry_out(
        &self,
        tool: &str,
        files: &dyn Files,
        changes: &mut Vec<Change>,
    ) -> Result<(), PatchError> {
        let place = files.place(self.path).map_err(PatchError::Place)?;
        match self.act {
            Act::Delete => changes.push(Change::of_deletion(tool, place)),
            Act::Add => {
                let before = current(&place, files, changes);
                let mut change =
                    Change::of_text(tool, place, before.text().unwrap_or_default(), self.content());
                if let Content::Unknown(why) = before {
                    change.unsure = Some(why);
                }
                changes.push(change);
            }
            Act::Update => {
                let before = current(&place, files, changes);
                let mut change = self.update(tool, place, before);
                if let Some(target) = self.target {
                    let target = files.place(target).map_err(PatchError::Place)?;
                    let source = std::mem::replace(&mut change.place, target);
                    changes.push(Change::of_deletion(tool, source.clone()));
                    change.moved_from = Some(source);
                    if let Content::Unknown(why) = &change.after {
                        change.unsure.get_or_insert_with(|| why.clone());
                    }
                }
                changes.push(change);
            }
        }
        Ok(())
    }

    /// Returns the content of an added file. A line without its `+` is taken as it is.
    fn content(&self) -> String {
        self.lines
            .iter()
            .fold(String::new(), |out, line| out + line.strip_prefix('+').unwrap_or(line) + "\n")
    }

    fn update(&self, tool: &str, place: Place, before: Content) -> Change {
        let hunks = hunks(&self.lines);
        let (why, readable) = match before {
            Content::Text(before) => match rewritten(&before, &hunks) {
                Some(after) => return Change::of_text(tool, place, &before, after),
                None => ("the patch's lines are not found in the file".to_owned(), true),
            },
            Content::Absent => ("there is no such file to update".to_owned(), true),
            Content::Binary => ("the file is no text".to_owned(), false),
            Content::Unknown(why) => (why, false),
        };
        let added = (1..)
            .zip(hunks.iter().flat_map(|hunk| hunk.with(Tag::Added)))
            .map(|(number, text)| Line { number, text: text.to_owned() })
            .collect();
        Change {
            unsure: (!readable).then(|| why.clone()),
            ..Change::of_lines(tool, place, added, why)
        }
    }
}

/// Returns what a file holds after the changes so far.
fn current(place: &Place, files: &dyn Files, changes: &[Change]) -> Content {
    if let Some(change) = changes.iter().rfind(|change| change.place == *place) {
        return change.after.clone();
    }
    match files.read(place) {
        Stored::Absent => Content::Absent,
        Stored::Bytes(bytes) => Content::Text(String::from_utf8_lossy(&bytes).into_owned()),
        Stored::Unknown(why) => Content::Unknown(why),
    }
}

/// What a line of a hunk is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tag {
    Context,
    Removed,
    Added,
}

/// One place of an update.
#[derive(Debug, Default)]
struct Hunk<'a> {
    header: &'a str,
    lines: Vec<(Tag, &'a str)>,
}

impl<'a> Hunk<'a> {
    fn with(&self, wanted: Tag) -> impl Iterator<Item = &'a str> {
        self.lines.iter().filter(move |(tag, _)| *tag == wanted).map(|(_, text)| *text)
    }

    fn old(&self) -> Vec<&'a str> {
        self.lines.iter().filter(|(tag, _)| *tag != Tag::Added).map(|(_, text)| *text).collect()
    }
}

fn hunks<'a>(lines: &[&'a str]) -> Vec<Hunk<'a>> {
    let mut hunks = vec![Hunk::default()];
    for &line in lines {
        if let Some(header) = line.strip_prefix("@@") {
            let header = header.strip_prefix(' ').unwrap_or(header).trim_end();
            hunks.push(Hunk { header, lines: Vec::new() });
        } else if let Some(open) = hunks.last_mut() {
            open.lines.push(match line.split_at_checked(1) {
                Some((" ", text)) => (Tag::Context, text),
                Some(("-", text)) => (Tag::Removed, text),
                Some(("+", text)) => (Tag::Added, text),
                _ => (Tag::Context, line),
            });
        }
    }
    hunks
}

/// Returns the text with every hunk carried out, or nothing when one of them is not found.
fn rewritten(before: &str, hunks: &[Hunk<'_>]) -> Option<String> {
    let raw: Vec<&str> = before.split_inclusive('\n').collect();
    let lines: Vec<&str> = diff::lines(before).collect();
    let end = if raw.first().is_some_and(|line| line.ends_with("\r\n")) { "\r\n" } else { "\n" };
    let mut out = String::with_capacity(before.len());
    let mut put = |line: &str| {
        if !out.is_empty() && !out.ends_with('\n') {
            out.push_str(end);
        }
        out.push_str(line);
    };
    let mut at = 0;
    for (start, hunk) in located(&lines, hunks)? {
        raw.get(at..start)?.iter().for_each(|line| put(line));
        at = start;
        for (tag, text) in &hunk.lines {
            match tag {
                Tag::Added => put(&format!("{text}{end}")),
                Tag::Context => put(raw.get(at)?),
                Tag::Removed => {}
            }
            at += usize::from(*tag != Tag::Added);
        }
    }
    raw.get(at..)?.iter().for_each(|line| put(line));
    // A file without a final line end keeps that.
    if !before.is_empty() && !before.ends_with('\n') && out.ends_with('\n') {
        out.pop();
        if out.ends_with('\r') {
            out.pop();
        }
    }
    Some(out)
}

/// Returns the hunks with the lines at which they start, in the order of the file.
fn located<'h, 'a>(lines: &[&str], hunks: &'h [Hunk<'a>]) -> Option<Vec<(usize, &'h Hunk<'a>)>> {
    let mut located = Vec::new();
    let mut from = 0;
    for hunk in hunks {
        // A header (the line of a function, say) leads the search on, if it is a line at all.
        let header = [hunk.header];
        let behind = seek(lines, &header, from).filter(|_| !hunk.header.is_empty());
        let start = behind.map_or(from, |at| at + 1);
        let old = hunk.old();
        if old.is_empty() {
            located.push((lines.len(), hunk));
            from = start;
            continue;
        }
        let at = seek(lines, &old, start).or_else(|| seek(lines, &old, from))?;
        located.push((at, hunk));
        from = at + old.len();
    }
    located.sort_by_key(|(at, _)| *at);
    Some(located)
}

/// Returns where the wanted lines stand as one block, at or after a line.
fn seek(lines: &[&str], wanted: &[&str], from: usize) -> Option<usize> {
    let rest = lines.get(from..)?;
    rest.windows(wanted.len()).position(|block| block == wanted).map(|at| from + at)
}

#[cfg(test)]
mod tests;
