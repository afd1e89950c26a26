//! Patches of every make are read as they would be applied.

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
fn what_a_patch_does_not_show_is_not_checked() {
    let files = read(
        b"diff --git a/x b/x\nindex 1..2\nGIT binary patch\nliteral 3\nKcmZQbOacG_Cji6%\n\n\
          diff --git a/y b/y\nnew file mode 100644\nindex 0..3\n\
          Binary files /dev/null and b/y differ\nBinary files a/z and b/z differ\n\
          Submodule lib 12ab..34cd:\n  > A commit\nOnly in b: w\n\
          diff --git a/sub b/sub\nindex 1..2 160000\n--- a/sub\n+++ b/sub\n@@ -1 +1 @@\n\
          -Subproject commit 1\n+Subproject commit 2\n",
    )
    .unwrap();
    let names: Vec<&str> = files.iter().map(|file| file.change.place.as_str()).collect();
    assert_eq!(names, ["x", "y", "z", "lib", "w", "sub"]);
    let not_checked = files.iter().map(|file| file.not_checked.as_deref());
    let (hidden, submodule) = (Some(HIDDEN), Some("it is a submodule"));
    let expected = [hidden, hidden, submodule, Some("the patch holds its name alone"), submodule];
    assert_eq!(not_checked.skip(1).collect::<Vec<_>>(), expected);
    assert!(files.iter().all(|file| file.change.unsure.is_none()));
    // What it does show is read, an attribute or not.
    assert_eq!((&files[0].not_checked, added(&files[0]).len()), (&None, 1));
}

#[test]
fn a_difference_of_a_binary_patch_is_applied_to_the_file_before_it_alone() {
    let old = b"0123456789";
    for (delta, new) in [
        (&[10, 3, 0x90, 3][..], Some(&b"012"[..])),
        (&[10, 3, 0x91, 7, 3], Some(b"789")),
        (&[10, 5, 2, b'a', b'b', 0x91, 1, 3], Some(b"ab123")),
        (&[10, 0], Some(b"")),
        (&[9, 3, 0x90, 3], None),
        (&[10, 4, 0x90, 3], None),
        (&[10, 3, 0x91, 8, 3], None),
        (&[10, 3, 0], None),
        (&[10, 3, 3, b'a'], None),
        (&[10, 3, 0x91], None),
        (&[10], None),
        (&[], None),
        (&[0xff; 40], None),
    ] {
        assert_eq!(binary::apply(delta, old).as_deref(), new, "{delta:?}");
    }
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
         -a\r\n+b\r\n \r\n-- \r\n2.47\r\n");
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
        ("@@ -1 +1 @@\n-a\n+b", 6, Problem::Line),
        ("@@ -1 +1 @@\n-a\n+b\n\\\n", 6, Problem::Long),
        ("@@ -1 +1 @@\n a\n", 4, Problem::Unchanged),
        ("@@ -1,0 +1,0 @@\n", 4, Problem::Unchanged),
        ("@@ -1,2 +1,2 @@\n-a\n+b\n\r\n", 6, Problem::Short { old: 1, new: 1 }),
        ("@@ -5 +5 @@\n-a\n+b\n@@ -5 +6 @@\n-a\n+b\n", 6, Problem::Order),
    ] {
        assert_eq!(error(&format!("{file}{text}")), (line, problem), "{text}");
    }
    assert_eq!(error("@@ -1 +1 @@\n-a\n+b\n"), (1, Problem::NoFile));
    assert_eq!(error("diff --git a/x b/x\n--- a/x\n"), (3, Problem::NoNewName));
    assert_eq!(error("diff --git a/x b/x\nindex 1..2\n"), (3, Problem::Cut));
    assert_eq!(error("diff --git a/x b/y\nindex 1..2\n\n"), (3, Problem::Cut));
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

#[test]
fn a_line_below_the_last_one_is_refused() {
    const MARK: &str = "\\ No newline at end of file\n";
    let head = "--- a/x\n+++ b/x\n";
    for (text, line) in [
        (format!("@@ -1 +1,3 @@\n a\n+FORBIDDEN_\n{MARK}+TOKEN\n"), 7),
        (format!("@@ -1,2 +1 @@\n-a\n{MARK}-b\n+c\n"), 6),
        (format!("@@ -1 +1,2 @@\n a\n{MARK}+b\n"), 6),
        (format!("@@ -1 +1 @@\n-a\n+b\n{MARK}@@ -9 +9 @@\n-a\n+b\n"), 9),
    ] {
        assert_eq!(error(&format!("{head}{text}")), (line, Problem::Ended), "{text}");
    }
    let text = format!("{head}@@ -1 +1 @@\n-a\n{MARK}+b\n{MARK}");
    assert_eq!(added(&one(&text)), [(1, "b")]);
    assert_eq!(added(&one(text.trim_end())), [(1, "b")], "git takes this mark without its end");
}

#[test]
fn lines_are_numbered_as_they_come_to_stand() {
    let file = one("--- a/x\n+++ b/x\n@@ -5 +15,2 @@\n-a\n+b\n+c\n@@ -9 +40 @@\n-a\n+d\n");
    assert_eq!(added(&file), [(5, "b"), (6, "c"), (10, "d")]);
    let new = "--- /dev/null\n+++ b/x\n@@ -0,0 +5 @@\n+a\n";
    assert_eq!(added(&one(new)), [(1, "a")]);
    let two = error(&format!("{new}@@ -1,0 +9 @@\n+b\n"));
    assert!(matches!(two.1, Problem::Contradiction { .. }));
}

#[test]
fn a_head_is_read_as_strictly_as_git_reads_it() {
    let file = "diff --git a/x b/x\n";
    let hunk = "@@ -1 +1 @@\n-a\n+b\n";
    let new = "@@ -0,0 +1 @@\n+b\n";
    for (text, problem) in [
        (format!("{file}{file}--- a/x\n+++ b/x\n{hunk}"), Some(Problem::Cut)),
        (format!("{file}index 1..2\n{file}--- a/x\n+++ b/x\n{hunk}"), Some(Problem::Cut)),
        (format!("{file}old mode 100644\n"), Some(Problem::Cut)),
        (format!("{file}old mode 100644\nnew mode 1007"), Some(Problem::Line)),
        (format!("{file}old mode 100644\nnew mode abc\n"), Some(Problem::Mode)),
        (format!("{file}new file mode \n"), Some(Problem::Mode)),
        (format!("{file}new file mode 100644"), Some(Problem::Line)),
        (format!("{file}index 1..2\nGIT bin"), Some(Problem::Cut)),
        ("diff --git a/x b/y\nrename from x\nrename to y".to_owned(), Some(Problem::Line)),
        (format!("{file}new file mode 100644\n--- a/x\n+++ b/x\n{new}"), None),
        (format!("{file}--- /dev/null\n+++ b/x\n{new}"), None),
        (format!("{file}deleted file mode 100644\n--- a/x\n+++ b/x\n@@ -1 +0,0 @@\n-a\n"), None),
        (format!("{file}--- a/x\n+++ b/x\n{hunk}diff --g"), Some(Problem::Line)),
        (format!("{file}--- a/x\n+++ b/x\n{hunk}@"), Some(Problem::Line)),
    ] {
        let found = error(&text).1;
        let contradicts = matches!(found, Problem::Contradiction { .. });
        assert!(problem.as_ref().map_or(contradicts, |it| *it == found), "{text}: {found:?}");
    }
}

#[test]
fn a_binary_patch_that_is_cut_off_or_damaged_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    git(folder, &["init", "-q"]);
    let bytes: Vec<u8> = (0..2000_u32).map(|n| (n * n % 251) as u8).collect();
    fs::write(folder.join("x"), &bytes).unwrap();
    git(folder, &["add", "x"]);
    let whole = git(folder, &["diff", "--cached", "--binary"]);
    assert!(read(&whole).unwrap()[0].not_checked.is_some());
    let begin = whole.windows(8).position(|it| it == b"literal ").unwrap();
    let end = whole.windows(2).position(|it| it == b"\n\n").unwrap() + 2;
    for cut in begin..end {
        assert!(read(&whole[..cut]).is_err(), "cut after {cut} bytes");
    }
    let text = String::from_utf8(whole).unwrap();
    let line = text.lines().nth(6).unwrap();
    for (part, damaged) in [
        ("literal 2000", "literal 1999".to_owned()),
        ("literal 2000", "literal x".to_owned()),
        (line, String::new()),
        (line, line[..line.len() - 1].to_owned()),
        (line, format!("A{}", &line[1..])),
        (line, format!("{}\"{}", &line[..4], &line[5..])),
        (line, format!("{}{}", &line[..1], "~".repeat(line.len() - 1))),
    ] {
        let text = text.replacen(part, &damaged, 1);
        assert!(read(text.as_bytes()).is_err(), "{damaged}");
    }
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
                // A few zeros are read as text where the patch holds them.
                let hidden = name == "data" && !words.contains(&"--binary");
                assert_eq!(file.not_checked.is_some(), hidden);
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
    let staged = read(&git(folder, &["diff", "--cached", "--binary"]));
    git(folder, &["commit", "-qm", "two\n\n---\nwhy: it must be"]);
    assert_eq!(read(&git(folder, &["format-patch", "-1", "--stdout"])), staged);
    assert_eq!(read(&git(folder, &["log", "-p", "-1", "--stat", "--binary"])), staged);
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
