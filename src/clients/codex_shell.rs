//! Does a shell command hold a patch that Codex applies itself?
//!
//! Codex takes `apply_patch <<'EOF'` with its here-document, alone or after `cd DIR &&`, for a
//! call of its patch tool. Nothing else in a command is looked at here. The payload does not
//! say in which folder the command runs: the call may name one, and does not show it. So every
//! folder of the project is tried, and the patch is judged wherever it fits.

use super::codex_patch::{self, attempt};
use super::patch::{self, PatchError};
use super::payload::PayloadError;
use crate::domain::{Change, Files, Place, Stored};

/// A patch that a command holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Patch {
    /// What it changes, wherever it may be applied; empty when the command is no patch.
    pub(super) changes: Vec<Change>,
    /// What a reader should know where that is more than one folder.
    pub(super) note: Option<&'static str>,
}

/// Reads a command that may be a patch.
pub(super) fn read(tool: &str, command: &str, files: &dyn Files) -> Result<Patch, PayloadError> {
    if !command.contains(patch::MARKER) {
        return Ok(Patch::default());
    }
    if let Some((folder, text)) = patch(command).filter(|(_, text)| text.contains(patch::MARKER)) {
        return applied(tool, folder, text, files);
    }
    // A program called `apply_patch` is on the path of commands: whatever surrounds an envelope,
    // it may be handed to that.
    let mut all = Patch::default();
    for text in envelopes(command) {
        let found = applied(tool, "", &text, files)?;
        all.changes.extend(found.changes);
        all.note = all.note.or(found.note);
    }
    Ok(all)
}

/// Returns every envelope that a command holds, also one whose line ends are written as `\n`.
fn envelopes(command: &str) -> Vec<String> {
    let parts = command.split(patch::MARKER).skip(1);
    parts
        .map(|part| {
            let end = part.find(END).map_or(part.len(), |at| at + END.len());
            let text = part.get(..end).unwrap_or(part);
            let text =
                if text.contains('\n') { text.to_owned() } else { text.replace("\\n", "\n") };
            format!("{}{text}\n", patch::MARKER)
        })
        .collect()
}

/// Reads a patch that is applied in a folder, or below one that is not told.
fn applied(tool: &str, folder: &str, text: &str, files: &dyn Files) -> Result<Patch, PayloadError> {
    let mut changes: Vec<Change> = Vec::new();
    let mut fits = 0;
    for from in folders(folder, files)? {
        let there = From { folder: &from, files };
        // A folder whose path leads nowhere is not the one.
        let Ok((made, None)) = attempt(tool, text, &there) else { continue };
        let new = made.into_iter().filter(|change| !changes.contains(change)).collect::<Vec<_>>();
        fits += usize::from(!new.is_empty());
        if fits > MOST {
            return Err(anywhere());
        }
        changes.extend(new);
    }
    if !changes.is_empty() {
        return Ok(Patch { changes, note: Some(SEVERAL).filter(|_| fits > 1) });
    }
    let here = From { folder, files };
    match codex_patch::changes(tool, text, &here) {
        Ok(mut changes) => {
            for change in &mut changes {
                change.unsure.get_or_insert_with(|| ELSEWHERE.to_owned());
            }
            Ok(Patch { changes, note: None })
        }
        // Not even the client finds a patch in it.
        Err(PatchError::NoSection) => Ok(Patch::default()),
        Err(error) => Err(error.into()),
    }
}

/// The line with which a patch ends.
const END: &str = "*** End Patch";

/// In how many folders a patch may fit. One that only adds files fits everywhere.
const MOST: usize = 100;

/// What is said beside a decision about more than one folder.
const SEVERAL: &str = "Codex does not tell in which folder this command runs, so the patch was \
    judged in every folder in which it fits; the tool `apply_patch`, or `cd` to an absolute path, \
    would tell.";

fn anywhere() -> PayloadError {
    PayloadError(format!(
        "Codex does not tell in which folder this command runs, and the patch would fit in more \
         than {MOST}; the tool `apply_patch`, or `cd` to an absolute path, would tell."
    ))
}

/// Why a patch that fits nowhere near may still fit somewhere.
const ELSEWHERE: &str = "Codex does not tell in which folder this command runs, and the patch \
    fits in none that we see; the tool `apply_patch`, or `cd` to an absolute path, would tell";

/// Returns the folder that is changed to, and the text of the here-document.
fn patch(command: &str) -> Option<(&str, &str)> {
    let mut rest = command.trim_start();
    let mut folder = "";
    if let Some(after) = rest.strip_prefix("cd").filter(|after| after.starts_with([' ', '\t'])) {
        let (word, after) = word(after.trim_start_matches([' ', '\t']))?;
        folder = word;
        rest = after.trim_start_matches([' ', '\t']).strip_prefix("&&")?.trim_start();
    }
    let rest = rest.strip_prefix("apply_patch").or_else(|| rest.strip_prefix("applypatch"))?;
    let rest = rest.trim_start_matches([' ', '\t']).strip_prefix("<<")?;
    let (rest, tabs) = rest.strip_prefix('-').map_or((rest, false), |rest| (rest, true));
    let (end, rest) = word(rest.trim_start_matches([' ', '\t']))?;
    let body = rest.trim_start_matches([' ', '\t', '\r']).strip_prefix('\n')?;
    let mut at = 0;
    for line in body.split_inclusive('\n') {
        let text = line.trim_end_matches(['\r', '\n']);
        if (if tabs { text.trim_start_matches('\t') } else { text }) == end {
            let (text, behind) = body.split_at_checked(at)?;
            let behind = behind.get(line.len()..)?;
            return behind.trim().is_empty().then_some((folder, text));
        }
        at += line.len();
    }
    None
}

/// Takes one word that means what it says, quoted or not.
fn word(text: &str) -> Option<(&str, &str)> {
    for quote in ['\'', '"'] {
        if let Some(rest) = text.strip_prefix(quote) {
            let (word, rest) = rest.split_once(quote)?;
            let plain = quote == '\'' || !word.contains(['$', '`', '\\']);
            return (plain && !word.is_empty()).then_some((word, rest));
        }
    }
    let special = |char: char| char.is_whitespace() || "&|;<>()$`\"'\\*?[]{}#!".contains(char);
    let (word, rest) = text.split_at(text.find(special).unwrap_or(text.len()));
    (!word.is_empty()).then_some((word, rest))
}

/// Returns the folders in which a command may run: the session's first, then the project's.
fn folders(folder: &str, files: &dyn Files) -> Result<Vec<String>, PayloadError> {
    let mut folders = vec![folder.to_owned()];
    if !is_absolute(folder) {
        let all = files.folders().ok_or_else(anywhere)?;
        folders.extend(all.iter().map(|from| format!("{from}/{folder}")));
    }
    Ok(folders)
}

fn is_absolute(path: &str) -> bool {
    path.starts_with('/')
        || cfg!(windows) && (path.starts_with('\\') || path.get(1..2) == Some(":"))
}

/// Files whose paths are written from another folder.
struct From<'a> {
    folder: &'a str,
    files: &'a dyn Files,
}

impl Files for From<'_> {
    fn place(&self, written: &str) -> Result<Place, String> {
        let folder = self.folder.trim_end_matches('/');
        if self.folder.is_empty() || is_absolute(written) {
            return self.files.place(written);
        }
        self.files.place(&format!("{folder}/{written}"))
    }

    fn read(&self, place: &Place) -> Stored {
        self.files.read(place)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::clients::recorded::Table;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    #[test]
    fn only_a_patch_alone_or_after_a_change_of_folder_is_one() {
        for (command, folder) in [
            ("apply_patch <<'EOF'\nP\nEOF\n", ""),
            ("applypatch <<EOF\nP\nEOF", ""),
            ("cd 'a b' && apply_patch << \"X\"\nP\nX\n\n", "a b"),
            (" cd /r/s&& apply_patch <<-X\nP\n\tX", "/r/s"),
        ] {
            assert_eq!(patch(command), Some((folder, "P\n")), "{command}");
        }
        for command in [
            "apply_patch 'P'",
            "apply_patch <<EOF\nP\nEOF\nls",
            "apply_patch <<EOF && ls\nP\nEOF",
            "apply_patch <<EOF\nP",
            "cd a; apply_patch <<EOF\nP\nEOF",
            "cd $A && apply_patch <<EOF\nP\nEOF",
            "cd \"$A\" && apply_patch <<EOF\nP\nEOF",
            "cd a b && apply_patch <<EOF\nP\nEOF",
            "cdx && apply_patch <<EOF\nP\nEOF",
            "cat <<EOF\nP\nEOF",
            "apply_patch_x <<EOF\nP\nEOF",
        ] {
            assert_eq!(patch(command), None, "{command}");
        }
    }

    #[test]
    fn every_folder_that_the_command_may_run_in_is_tried() {
        struct Deep(Table);
        impl Files for Deep {
            fn place(&self, written: &str) -> Result<Place, String> {
                self.0.place(&format!("in/sub/{written}"))
            }
            fn read(&self, place: &Place) -> Stored {
                self.0.read(place)
            }
            fn folders(&self) -> Option<Vec<String>> {
                Some(["../..", "..", ".", "../b"].map(str::to_owned).to_vec())
            }
        }
        let files = json!({"in/sub/a": "x\n", "in/a": "x\n", "a": "y\n", "in/b/a": "x\n"});
        let files = Deep(Table::of(&files));
        let at = |start: &str| {
            let text = "*** Begin Patch\n*** Update File: a\n@@\n-x\n+z\n*** End Patch";
            let command = format!("{start}apply_patch <<'EOF'\n{text}\nEOF\n");
            let patch = read("Bash", &command, &files).unwrap();
            assert_eq!(patch.note.is_some(), patch.changes.len() > 1);
            patch.changes.iter().map(|change| change.place.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(at(""), ["in/sub/a", "in/a", "in/b/a"]);
        assert_eq!(at("cd b && "), ["in/b/a"]);
        // Nowhere does it fit: what it adds is judged where it seems to go.
        assert_eq!(at("cd none && "), ["in/sub/none/a"]);
        assert_eq!(read("Bash", "ls", &files), Ok(Patch::default()));
        // A new file fits everywhere.
        let text = "*** Begin Patch\n*** Add File: n\n+x\n*** End Patch";
        let new = read("Bash", &format!("apply_patch <<E\n{text}\nE"), &files).unwrap();
        assert_eq!(new.changes.len(), 4);
        let many: Value = (0..MOST).map(|at| (format!("{at}/a"), json!(""))).collect();
        let many = read("Bash", &format!("apply_patch <<E\n{text}\nE"), &Table::of(&many));
        assert!(many.unwrap_err().to_string().contains("would fit in more"));
    }

    proptest! {
        #[test]
        fn no_command_panics(command in "(cd [a'\"]{0,3} ?&& ?)?apply_?patch ?<<-?['\"]?E?['\"]?\n(\t?[E*]\n?){0,4}") {
            let _ = read("Bash", &command, &Table::of(&json!({})));
        }
    }
}
