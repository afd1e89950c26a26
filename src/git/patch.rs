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

mod error;
mod head;
mod hunks;
mod lines;
mod names;
mod rebuild;

pub use error::{PatchError, Problem};
pub use rebuild::OldFiles;

use crate::domain::{Change, Content, Numbering, Place, Standing};
use head::{Fate, Head};
use hunks::Hunks;
use lines::{Lines, headless};
use names::Pair;
use rebuild::OldSide;

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
        }
    }
    if files.is_empty() && !text.trim_ascii().is_empty() {
        return Err(PatchError { line: 1, problem: Problem::NoDiff });
    }
    Ok(files)
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
            hunks::skip_binary(lines)?;
            body = Body::Binary;
        }
        Some(line) if line.starts_with(b"Binary files ") => {
            let written = names::of_binary(line).map_err(|problem| lines.error(problem))?;
            pair = pair.or(written.map(Pair::settled));
            lines.advance();
            body = Body::Binary;
        }
        Some(line) if line.starts_with(b"--- ") => {
            let at = lines.number();
            let written = old_and_new(lines)?;
            if let Some(pair) = &pair {
                written.fits(pair).map_err(|problem| PatchError { line: at, problem })?;
            }
            written.fate(&mut head).map_err(|problem| PatchError { line: at, problem })?;
            pair = pair.or(Some(written.settled()));
            body = Body::Hunks(Hunks::read(lines)?);
        }
        Some(_) | None => {}
    }
    // A head that says nothing is what git writes for a file that was touched and not changed;
    // at the end of a patch it is what is left of one that was cut off.
    let open = head.fate == Fate::New || lines.peek().is_none();
    if matches!(body, Body::Nothing) && open && !head.is_enough() {
        return Err(lines.error(Problem::Cut));
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
    Binary,
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
    let mut not_checked = None;
    let mut old_side = OldSide::of(head, pair)?;
    if let Body::Hunks(hunks) = body {
        hunks.fit(head.fate)?;
        if head.fate == Fate::New {
            let text = hunks.list.into_iter().flat_map(|hunk| hunk.new).collect();
            change.after = match String::from_utf8(text) {
                Ok(text) => Content::Text(text),
                Err(_) => Content::Binary,
            };
        } else if let Some(old_side) = &mut old_side {
            old_side.hunks = hunks.list;
        }
        if hunks.lossy {
            not_checked = Some("it is not UTF-8".to_owned());
        }
        change.added = hunks.added;
    } else if matches!(body, Body::Binary) {
        hide(&mut change);
        not_checked = Some(HIDDEN.to_owned());
        old_side = None;
    }
    if head.submodule {
        change.added.clear();
        change.after = Content::Unknown("it is a submodule".to_owned());
        not_checked = Some("it is a submodule".to_owned());
        old_side = None;
    }
    if head.fate == Fate::Deleted {
        let standing = Standing::Tracked;
        let change = Change { standing, ..Change::of_deletion(TOOL, change.place) };
        return Ok(Patched { change, not_checked: None, old_side: None });
    }
    if name.contains(char::REPLACEMENT_CHARACTER) {
        not_checked = Some("its name is not UTF-8".to_owned());
        old_side = None;
    }
    if let Some(from) = &head.moved_from {
        change.moved_from = Some(names::place(from)?);
    }
    if let Some(from) = &head.copied_from {
        change.unsure =
            Some(format!("a patch does not hold the lines that are copied from {from}"));
    }
    Ok(Patched { change, not_checked, old_side })
}

/// Why a patch without lines is not judged. Whoever made it may have been told by an attribute
/// that a text is none, so this is not the same as a file that was looked at and is no text.
const HIDDEN: &str = "the patch does not show its content";

fn hide(change: &mut Change) {
    change.after = Content::Unknown(HIDDEN.to_owned());
    change.unsure = Some(HIDDEN.to_owned());
}

fn bare(place: Place) -> Change {
    Change {
        tool: TOOL.to_owned(),
        place,
        moved_from: None,
        after: Content::Unknown(PART.to_owned()),
        added: Vec::new(),
        numbering: Numbering::File,
        unsure: None,
        standing: Standing::Unknown,
    }
}

/// Reads a line that stands alone and names a file whose content the patch does not hold.
fn names_alone(line: &[u8]) -> Result<Option<Patched>, Problem> {
    let (name, after, why) = if let Some(pair) = names::of_binary(line)? {
        let Pair { old, new } = pair.settled();
        let Some(name) = new.or(old) else { return Ok(None) };
        (name, Content::Unknown(HIDDEN.to_owned()), HIDDEN)
    } else if let Some(name) = names::of_submodule(line) {
        (name, Content::Unknown(PART.to_owned()), "it is a submodule")
    } else if let Some(name) = names::of_single(line) {
        (name, Content::Unknown(PART.to_owned()), "the patch holds its name alone")
    } else {
        return Ok(None);
    };
    let unsure = Some(why.to_owned()).filter(|why| why == HIDDEN);
    let change = Change { after, unsure, ..bare(names::place(&name)?) };
    Ok(Some(Patched { change, not_checked: Some(why.to_owned()), old_side: None }))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use proptest::prelude::*;
    use std::fs;
    use std::path::Path;
    use std::process::Command;

    fn one(text: &str) -> Patched {
        let mut files = read(text.as_bytes()).unwrap();
        assert_eq!(files.len(), 1);
        files.remove(0)
    }

    fn added(file: &Patched) -> Vec<(usize, &str)> {
        file.change.added.iter().map(|line| (line.number, line.text.as_str())).collect()
    }

    fn error(text: &str) -> (usize, Problem) {
        let error = read(text.as_bytes()).unwrap_err();
        (error.line, error.problem)
    }

    #[test]
    fn a_changed_file_has_its_added_lines_and_no_more() {
        let file = one("diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n\
             @@ -3,2 +3,3 @@ fn section()\n one\n-two\n+2\n+3\n@@ -9 +10 @@\n-z\n+zz\n");
        assert_eq!(added(&file), [(4, "2"), (5, "3"), (10, "zz")]);
        assert_eq!(file.change.after, Content::Unknown(PART.to_owned()));
        assert_eq!((file.change.numbering, file.not_checked), (Numbering::File, None));
    }

    #[test]
    fn a_line_with_another_line_end_is_not_new() {
        let file = one("--- a/x\n+++ b/x\n@@ -1,4 +1,5 @@\n-a\n-b\r\n+new\n+a\r\n+b\n c\n-d\n\
             \\ No newline at end of file\n+d\n");
        assert_eq!(added(&file), [(1, "new")]);
        let file = one("--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n KEY\n+KEY\n x\n");
        assert_eq!(added(&file), [(2, "KEY")], "what stays is no measure");
    }

    #[test]
    fn a_line_that_looks_like_a_header_is_content_as_long_as_the_hunk_lasts() {
        let file = one("--- a/x\n+++ b/x\n@@ -1,3 +1,5 @@\n--- a/y\n+++ b/y\n\
             +diff --git a/z b/z\n @@ -1 +1 @@\n \n+@@ -1 +1 @@\n");
        assert_eq!(added(&file), [(1, "++ b/y"), (2, "diff --git a/z b/z"), (5, "@@ -1 +1 @@")]);
    }

    #[test]
    fn a_new_file_is_known_as_a_whole() {
        let head = "diff --git a/x b/x\nnew file mode 100644\n";
        let file = one(&format!(
            "{head}--- /dev/null\n+++ b/x\n@@ -0,0 +1,2 @@\n+a\r\n+b\n\
             \\ No newline at end of file\n"
        ));
        assert_eq!(file.change.after, Content::Text("a\r\nb".to_owned()));
        assert_eq!(added(&file), [(1, "a"), (2, "b")]);
        let file = one(&format!("{head}index 0000000..e69de29\n"));
        assert_eq!(file.change.after, Content::Text(String::new()));
    }

    #[test]
    fn a_hunk_at_the_top_of_a_file_does_not_make_it_a_new_one() {
        let file = one("--- a/x\n+++ b/x\n@@ -0,0 +1 @@\n+top\n");
        assert_eq!(file.change.after, Content::Unknown(PART.to_owned()));
    }

    #[test]
    fn a_deletion_a_move_and_a_change_of_mode_are_told_apart() {
        let file = one("diff --git a/x b/x\ndeleted file mode 100644\nindex 1..0\n--- a/x\n\
             +++ /dev/null\n@@ -1 +0,0 @@\n-a\n");
        assert!(file.change.deletes());
        let file = one("diff --git a/o p b/n q\nsimilarity index 90%\nrename from o p\n\
             rename to n q\n--- a/o p\t\n+++ b/n q\t\n@@ -1 +1 @@\n-a\n+b\n");
        assert_eq!(file.change.place.as_str(), "n q");
        assert_eq!(file.change.moved_from.unwrap().as_str(), "o p");
        let file = one("diff --git a/x b/x\nold mode 100644\nnew mode 100755\n");
        assert_eq!((file.change.place.as_str(), added(&file)), ("x", vec![]));
    }

    #[test]
    fn of_a_copy_the_added_lines_are_not_all_known() {
        let file = one("diff --git a/x b/y\nsimilarity index 100%\ncopy from x\ncopy to y\n");
        assert_eq!(file.change.place.as_str(), "y");
        assert!(file.change.unsure.unwrap().contains("copied from x"));
        assert_eq!(file.change.moved_from, None);
    }

    #[test]
    fn what_a_patch_does_not_show_is_not_checked_and_not_passed() {
        let files = read(
            b"diff --git a/x b/x\nindex 1..2\nGIT binary patch\nliteral 3\nKcmZQzU|?`f\n\n\
              delta 2\nJcmb\n\ndiff --git a/y b/y\nnew file mode 100644\nindex 0..3\n\
              Binary files /dev/null and b/y differ\nBinary files a/z and b/z differ\n\
              Submodule lib 12ab..34cd:\n  > A commit\nOnly in b: w\n\
              diff --git a/sub b/sub\nindex 1..2 160000\n--- a/sub\n+++ b/sub\n@@ -1 +1 @@\n\
              -Subproject commit 1\n+Subproject commit 2\n",
        )
        .unwrap();
        let names: Vec<&str> = files.iter().map(|file| file.change.place.as_str()).collect();
        assert_eq!(names, ["x", "y", "z", "lib", "w", "sub"]);
        assert!(files.iter().all(|file| file.not_checked.is_some() && added(file).is_empty()));
        let unsure = files.iter().map(|file| file.change.unsure.is_some()).collect::<Vec<_>>();
        assert_eq!(unsure, [true, true, true, false, false, false]);
    }

    #[test]
    fn a_line_that_is_not_utf_8_is_judged_as_far_as_it_can_be_read() {
        let files = read(b"--- a/x\n+++ b/x\n@@ -0,0 +1 @@\n+key \xff\n").unwrap();
        assert_eq!(added(&files[0]), [(1, "key \u{fffd}")]);
        assert_eq!(files[0].not_checked.as_deref(), Some("it is not UTF-8"));
    }

    #[test]
    fn text_around_the_files_is_passed_over() {
        let file = one("From 1234 Mon Sep 17 00:00:00 2001\r\nSubject: [PATCH] x\r\n---\r\n \
             x | 2 +-\r\n\r\ndiff --git a/x b/x\r\n--- a/x\r\n+++ b/x\r\n@@ -1,2 +1,2 @@\r\n\
             -a\r\n+b\r\n\r\n-- \r\n2.47\r\n");
        assert_eq!(added(&file), [(1, "b")]);
        let file = one("Index: x\n====\n--- x\t2024-01-01 00:00:00 +0000\n\
             +++ x\t2024-01-02 00:00:00 +0000\n@@ -1 +1 @@\n-a\n+b\n\nThe end.\n");
        assert_eq!(file.change.place.as_str(), "x");
    }

    #[test]
    fn nothing_changes_nothing_and_other_text_is_an_error() {
        assert_eq!(read(b""), Ok(vec![]));
        assert_eq!(read(b"\n"), Ok(vec![]));
        assert_eq!(error("x | 2 +-\n"), (1, Problem::NoDiff));
        assert_eq!(error("\u{1b}[1mdiff --git a/x b/x\u{1b}[m\n"), (1, Problem::NoDiff));
    }

    #[test]
    fn a_combined_diff_is_refused() {
        assert_eq!(error("diff --cc x\nindex 1,2..3\n"), (1, Problem::Combined));
        assert_eq!(error("@@@ -1 -1 +1 @@@\n"), (1, Problem::Combined));
        let text = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@@ -1 -1 +1 @@@\n";
        assert_eq!(error(text), (4, Problem::Combined));
    }

    #[test]
    fn a_patch_that_does_not_add_up_is_refused_with_its_line() {
        let file = "--- a/x\n+++ b/x\n";
        for (text, line, problem) in [
            ("@@ -1 +1 @@\n-a\n", 5, Problem::Short { old: 0, new: 1 }),
            ("@@ -1 +1,2 @@\n-a\n+b\n-c\n", 6, Problem::Short { old: 0, new: 1 }),
            ("@@ -1 +1 @@\n-a\n+b\n+c\n", 6, Problem::Long),
            ("@@ -1 +1 @@\n-a\n+b\n-c\n", 6, Problem::Long),
            ("@@ -1 +1\n", 3, Problem::Head),
            ("@@ -1 +99999999999999999999 @@\n", 3, Problem::Head),
            ("@@ -0 +1 @@\n", 3, Problem::Head),
            ("", 3, Problem::Head),
            ("@@ -5 +5 @@\n-a\n+b\n@@ -5 +6 @@\n-a\n+b\n", 6, Problem::Order),
        ] {
            assert_eq!(error(&format!("{file}{text}")), (line, problem), "{text}");
        }
        assert_eq!(error("@@ -1 +1 @@\n-a\n+b\n"), (1, Problem::NoFile));
        assert_eq!(error("diff --git a/x b/x\n--- a/x\n"), (3, Problem::NoNewName));
        assert_eq!(error("diff --git a/x b/x\nindex 1..2\n"), (3, Problem::Cut));
        assert_eq!(error("diff --git a/x b/y\nindex 1..2\n\n"), (1, Problem::Names));
        assert_eq!(error("diff --git a/x b/y\nrename from x\n"), (3, Problem::Names));
        let text = "diff --git a/x b/x\nnew file mode 100644\nindex 0000..1234\n\n";
        assert_eq!(error(text), (4, Problem::Cut));
        let text = "diff --git a/x b/x\nGIT binary patch\nno code\n";
        assert_eq!(error(text), (3, Problem::Binary));
    }

    #[test]
    fn lines_that_contradict_one_another_are_refused() {
        let text = "diff --git a/x b/x\n--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n";
        assert_eq!(error(text), (2, Problem::Contradiction { expected: "x".to_owned() }));
        for text in [
            "--- /dev/null\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n",
            "--- a/x\n+++ /dev/null\n@@ -1 +1 @@\n-a\n+b\n",
        ] {
            assert!(matches!(error(text), (1, Problem::Contradiction { .. })));
        }
        assert_eq!(error("--- a/x\n+++ ../x\n@@ -1 +1 @@\n-a\n+b\n").0, 1);
    }

    fn git(folder: &Path, words: &[&str]) -> Vec<u8> {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=x", "-c", "user.email=x", "-c", "core.autocrlf=false"]);
        command.args(words).current_dir(folder).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    }

    #[test]
    fn what_git_writes_is_read_as_git_means_it() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let write = |name: &str, text: &str| {
            fs::create_dir_all(folder.join(name).parent().unwrap()).unwrap();
            fs::write(folder.join(name), text).unwrap();
        };
        let long = (0..40).map(|n| format!("line {n}")).collect::<Vec<_>>().join("\n") + "\n";
        git(folder, &["init", "-q"]);
        for name in ["a/b/plain.py", "with space b/x", "é名.txt", "moved", "gone", "b/b"] {
            write(name, &long);
        }
        write("ends", "--- a/x\n+++ b/x\nend");
        write("data", "\0\0");
        git(folder, &["add", "-A"]);
        git(folder, &["commit", "-qm", "one"]);
        for name in ["a/b/plain.py", "with space b/x", "é名.txt", "b/b"] {
            write(name, &format!("top\n{}", long.replace("line 20\n", "++ b/x\r\n-- y\n\n")));
        }
        fs::rename(folder.join("moved"), folder.join("moved to")).unwrap();
        fs::remove_file(folder.join("gone")).unwrap();
        write("ends", "-- a/x\n++ b/x\nthe end\n");
        write("data", "\0\0\0");
        // Names that Windows has not.
        write(if cfg!(windows) { "new" } else { "new\t\"file\"" }, "no end of line");
        write("empty", "");
        git(folder, &["add", "-A"]);
        for words in [
            &["diff", "--cached", "--no-renames"][..],
            &["diff", "--cached", "--no-renames", "--no-prefix"],
            &["diff", "--cached", "--no-renames", "-U0", "--binary"],
            &["diff", "--cached", "--src-prefix=old/", "--dst-prefix=new/", "--full-index"],
            &["-c", "core.quotePath=false", "diff", "--cached", "-M", "-C", "--find-copies-harder"],
            &["-c", "diff.mnemonicPrefix=true", "diff", "--cached", "--inter-hunk-context=99"],
        ] {
            let patch = git(folder, words);
            let mut names: Vec<String> = read(&patch)
                .unwrap()
                .into_iter()
                .map(|file| {
                    let name = file.change.place.as_str().to_owned();
                    let text = fs::read(folder.join(&name)).unwrap_or_default();
                    let text = String::from_utf8_lossy(&text).into_owned();
                    let lines: Vec<&str> = crate::domain::diff::lines(&text).collect();
                    for line in &file.change.added {
                        assert_eq!(lines[line.number - 1], line.text, "{name}");
                    }
                    if let Content::Text(after) = &file.change.after {
                        assert_eq!(after, &text);
                    }
                    assert_eq!(file.change.deletes(), name == "gone" || name == "moved");
                    assert_eq!(file.not_checked.is_some(), name == "data");
                    name
                })
                .collect();
            names.sort();
            let listed = git(folder, &[words, &["--name-only", "-z"]].concat());
            let mut listed: Vec<String> = listed
                .split(|byte| *byte == 0)
                .map(|name| String::from_utf8(name.to_vec()).unwrap())
                .filter(|name| !name.is_empty())
                .collect();
            listed.sort();
            assert_eq!(names, listed, "{words:?}");
        }
        let staged = read(&git(folder, &["diff", "--cached"]));
        git(folder, &["commit", "-qm", "two\n\n---\nwhy: it must be"]);
        assert_eq!(read(&git(folder, &["format-patch", "-1", "--stdout"])), staged);
        assert_eq!(read(&git(folder, &["log", "-p", "-1", "--stat"])), staged);
    }

    fn any_file() -> impl Strategy<Value = String> {
        let line = prop::sample::select(vec![
            "",
            " ",
            "a",
            "b",
            "+",
            "-",
            "-- ",
            "-- a/x",
            "++ b/x",
            "@@ -1 +1 @@",
            "\\ No newline",
            "diff --git a/y b/y",
            "é",
        ]);
        (prop::collection::vec(line, 0..12), any::<bool>()).prop_map(|(lines, end)| {
            lines.join("\n") + if end && !lines.is_empty() { "\n" } else { "" }
        })
    }

    proptest! {
        #[test]
        fn a_rendered_diff_reads_back_to_the_lines_that_it_adds(
            before in any_file(), after in any_file(), context in 0..4_usize,
        ) {
            let diff = similar::TextDiff::from_lines(&before, &after);
            let expected: Vec<(usize, String)> = diff
                .iter_all_changes()
                .filter(|change| change.tag() == similar::ChangeTag::Insert)
                .map(|change| {
                    let text = change.value();
                    let text = text.strip_suffix('\n').unwrap_or(text);
                    (change.new_index().unwrap() + 1, text.to_owned())
                })
                .collect();
            let patch = diff.unified_diff().context_radius(context).header("a/x", "b/x").to_string();
            let files = read(patch.as_bytes()).unwrap();
            let read: Vec<(usize, String)> = files
                .iter()
                .flat_map(|file| added(file))
                .map(|(number, text)| (number, text.to_owned()))
                .collect();
            // The last line of either file may differ from the same line of the other in its end
            // alone.
            let last = [before.lines().last(), after.lines().last()];
            let new: Vec<(usize, String)> = expected
                .into_iter()
                .filter(|line| read.contains(line) || !last.contains(&Some(&line.1)))
                .collect();
            prop_assert_eq!(read, new);
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = read(&bytes);
        }

        #[test]
        fn no_lines_of_patches_make_it_panic(parts in prop::collection::vec(
            prop::sample::select(vec![
                "diff --git a/x b/x", "diff --git \"a/\\303", "--- a/x", "+++ b/x", "--- /dev/null",
                "+++ /dev/null", "@@ -1 +1 @@", "@@ -0,0 +1,2 @@", "@@ -9,18446744073709551615 +1 @@",
                "+a", "-b", " c", "", "\\ No newline", "rename from y", "rename to z", "copy from",
                "new file mode 1", "deleted file mode 1", "GIT binary patch", "literal 1", "zab",
                "Binary files a and b differ", "Binary files  differ", "Only in : ", "Submodule  ..",
                "index ..", "-- ",
            ]), 0..14,
        ), end in prop::sample::select(vec!["\n", "\r\n"])) {
            let _ = read(parts.join(end).as_bytes());
        }
    }
}
