//! Which changes are about Python, and which text of them is read.

use crate::domain::{Change, Content, Numbering};
use std::borrow::Cow;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

/// Tells whether a change is to a Python file: by its ending, or by its first line. A notebook's
/// cell is taken for Python, as nearly all are.
#[must_use]
pub fn is_python(change: &Change) -> bool {
    if change.numbering == Numbering::Cell || change.has_cells() {
        return true;
    }
    let ending = change.place.name().rsplit_once('.').map_or("", |(_, ending)| ending);
    if ["py", "pyi", "pyw"].iter().any(|known| ending.eq_ignore_ascii_case(known)) {
        return true;
    }
    let first_line = change.after.text().and_then(|text| text.lines().next()).unwrap_or("");
    let Some(command) = first_line.strip_prefix("#!") else { return false };
    command.split_whitespace().any(|word| {
        let program = word.rsplit('/').next().unwrap_or(word);
        program.starts_with("python") || program.starts_with("pypy") || program == "uv"
    })
}

/// Returns the text that stands for a change: the file after it or, when that is not known, the
/// added lines.
#[must_use]
pub fn source(change: &Change) -> Option<Cow<'_, str>> {
    match &change.after {
        Content::Text(_) => change.program().map(Cow::Borrowed),
        Content::Unknown(_) => {
            let lines: Vec<&str> = change.added.iter().map(|line| line.text.as_str()).collect();
            Some(Cow::Owned(lines.join("\n")))
        }
        Content::Absent | Content::Binary => None,
    }
}

/// Tells whether all that is known of the file is lines from here and there in it, as a patch has
/// them. What a client's edit brings is judged as it stands, without the file too.
#[must_use]
pub fn is_part(change: &Change) -> bool {
    matches!(change.after, Content::Unknown(_)) && change.numbering == Numbering::File
}

/// Tells whether all that is known of the file is lines from inside a block.
#[must_use]
pub fn is_piece(change: &Change) -> bool {
    let first = change.added.iter().find(|line| !line.text.trim().is_empty());
    let indented = first.is_some_and(|line| line.text.starts_with([' ', '\t']));
    matches!(change.after, Content::Unknown(_)) && indented
}

/// Says that a file declares an encoding which is not decoded.
#[must_use]
pub fn not_decoded(name: &str) -> String {
    format!("the file declares the encoding `{name}`, which this check does not decode")
}

/// Spells a text as Python spells the names in it: in the normal form NFKC.
#[must_use]
pub fn folded(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || is_nfkc_quick(text.chars()) == IsNormalized::Yes {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.nfkc().collect())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::domain::{Place, RepoPath};

    #[test]
    fn a_python_file_is_told_by_its_ending_or_its_first_line() {
        let cases = [
            ("a.py", "", true),
            ("A.PY", "", true),
            ("a.pyi", "", true),
            ("a.pyw", "", true),
            ("a.txt", "", false),
            ("py", "", false),
            ("tool", "#!/usr/bin/env python3", true),
            ("tool", "#! /usr/bin/python3.12 -u", true),
            ("tool", "#!/usr/bin/env -S uv run --script", true),
            ("tool", "#!/bin/sh\n# python", false),
            ("tool", "# python", false),
        ];
        for (path, text, expected) in cases {
            let place = Place::Inside(RepoPath::new(path).unwrap());
            let change = Change::of_text("Write", place, "", text.to_owned());
            assert_eq!(is_python(&change), expected, "{path} {text}");
        }
    }
}
