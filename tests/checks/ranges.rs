//! `check-diff`: what it compares, what it is told to leave out, and what it answers.

use super::desk::{BANNED, Desk, RULES, Told, sound};
use crate::support::{binary, said};
use std::fs;

/// Main and a topic that parted after the first commit, both with a banned word.
fn parted() -> Desk {
    let desk = Desk::of(&[("a.py", "1\n")]);
    desk.git(&["checkout", "-q", "-b", "topic"]);
    desk.write("topic.py", BANNED).commit("topic");
    desk.git(&["checkout", "-q", "main"]);
    desk.write("a.py", "1\nBANNED_WORD\n").commit("main");
    desk.git(&["checkout", "-q", "topic"]);
    desk
}

/// Rules of every strictness.
const STRICTNESS: &str = r#"
[[rule]]
id = "no"
paths = ["**"]
forbid = ["DENIED"]
[[rule]]
id = "hm"
paths = ["**"]
forbid = ["ASKED"]
on_fail = "ask"
[[rule]]
id = "oh"
paths = ["**"]
forbid = ["WARNED"]
on_fail = "warn"
"#;

#[test]
fn three_dots_begin_where_the_branches_parted() {
    let desk = parted();
    desk.diff(&["main...topic"]).refuses(&["no-token topic.py:1"]);
    desk.diff(&["main..topic"]).refuses(&["no-token topic.py:1"]);
    desk.diff(&["topic..main"]).refuses(&["no-token a.py:2"]);
    desk.diff(&["HEAD~1"]).refuses(&["no-token topic.py:1"]);
}

#[test]
fn without_a_range_everything_that_differs_is_judged() {
    let desk = Desk::of(&[(".gitignore", "ignored\n")]);
    desk.write("a.py", BANNED).stage();
    desk.write("b.py", BANNED).write("ignored", BANNED);
    desk.diff(&[]).refuses(&["no-token a.py:1", "no-token b.py:1"]);
    desk.diff(&["--worktree"]).refuses(&["no-token a.py:1", "no-token b.py:1"]);
    desk.diff(&["--staged"]).refuses(&["no-token a.py:1"]);
}

#[test]
fn the_status_follows_the_verdict_that_fails() {
    let desk = Desk::judged_by(STRICTNESS, &[]);
    for (word, statuses) in [("DENIED", [1, 1, 1]), ("ASKED", [0, 1, 1]), ("WARNED", [0, 0, 1])] {
        desk.write("a", word);
        for (level, status) in ["deny", "ask", "warn"].iter().zip(statuses) {
            assert_eq!(desk.diff(&["--fail-on", level]).status, status, "{word} {level}");
        }
    }
    assert_eq!(desk.run(&["check-diff", "--fail-on", "allow"], "").status, Some(2));
}

#[test]
fn only_the_paths_and_the_rules_that_were_named_count() {
    let desk = Desk::new();
    let system = "import os\nos.system('x')\n";
    desk.write("a/x.py", BANNED).write("b/x.py", BANNED).write("b/y.py", system);
    desk.diff(&["--paths", "a/**"]).refuses(&["no-token a/x.py:1"]);
    desk.diff(&["--paths", "!a/**"]).refuses(&["no-token b/x.py:1", "no-system b/y.py:2"]);
    desk.diff(&["--rule", "no-system"]).refuses(&["no-system b/y.py:2"]);
    let told = desk.diff(&["--rule", "no-sytsem"]);
    assert_eq!(told.status, 2);
    assert!(
        told.said.stderr.contains("there is no rule or check `no-sytsem`"),
        "{}",
        told.said.stderr
    );
}

#[test]
fn a_line_that_a_later_commit_removes_is_told_with_the_commit_that_brought_it() {
    let desk = Desk::of(&[("a.py", "1\n")]);
    desk.write("a.py", "1\nBANNED_WORD\n").commit("bring it");
    desk.write("a.py", "1\n").commit("take it back");
    desk.diff(&["HEAD~2..HEAD"]).passes();
    let told = desk.diff(&["HEAD~2..HEAD", "--each-commit"]);
    told.refuses(&["no-token a.py:2"]);
    let commit = &told.list("findings")[0]["commit"];
    assert_eq!(commit["subject"], "bring it");
    assert_eq!(commit["id"], desk.word(&["rev-parse", "HEAD~1"]));
}

#[test]
fn a_patch_is_judged_outside_of_any_repository() {
    let desk = Desk::of(&[("a.py", "1\n")]);
    desk.write("a.py", "1\nBANNED_WORD\n").write("legacy/b.py", BANNED).stage();
    let patch = desk.git(&["diff", "HEAD"]);
    let outside = desk.beside("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("solvi-rules.toml"), RULES).unwrap();
    fs::write(outside.join("p.diff"), &patch).unwrap();
    let judge = |file: &str, patch: &[u8]| {
        let mut command = desk.command(&["check-diff", "--format", "json", "--patch", file]);
        command.current_dir(&outside);
        Told::of(sound(said(command, patch)))
    };
    judge("-", &patch).refuses(&["no-token a.py:2"]);
    judge("p.diff", b"").refuses(&["no-token a.py:2"]);
    judge("-", b"").passes();
    for no_patch in ["hello\n".as_bytes(), b"--- a/x\n+++ b/x\n@@ -1,2 +1,9 @@\n one\n", b"\xff\0"]
    {
        let told = judge("-", no_patch);
        assert_eq!(told.status, 2);
        assert!(told.said.stderr.contains("error: the patch cannot be read"), "{told:?}");
    }
}

#[test]
fn a_patch_leaves_unknown_what_needs_the_whole_file_unless_the_repository_has_the_old_one() {
    let desk = Desk::of(&[
        ("src/a.rs", "// SPDX-License-Identifier: MIT\nfn f() {}\n"),
        ("app/a.py", "def main():\n    return 1\n"),
    ]);
    desk.write("src/a.rs", "// SPDX-License-Identifier: MIT\nfn f() {}\nfn g() {}\n");
    desk.write("app/a.py", "def main():\n    return 1\n\nx = 1\n");
    let patch = desk.git(&["diff", "-U0"]);
    let nameless = String::from_utf8(patch.clone()).unwrap();
    let nameless: String =
        nameless.split_inclusive('\n').filter(|line| !line.starts_with("index ")).collect();
    let outside = desk.beside("outside");
    fs::create_dir(&outside).unwrap();
    fs::copy(desk.root.join("solvi-rules.toml"), outside.join("solvi-rules.toml")).unwrap();
    let judge = |patch: &[u8], more: &[&str]| {
        let arguments = [&["check-diff", "--format", "json", "--patch", "-"], more].concat();
        Told::of(desk.run(&arguments, patch))
    };
    let there = ["--project", outside.to_str().unwrap()];
    let told = judge(&patch, &there);
    assert_eq!(told.status, 2, "{told:#?}");
    let unknown: Vec<_> = told.list("findings").iter().map(|found| &found["rule"]).collect();
    assert_eq!(unknown, ["needs-main", "needs-spdx"]);
    assert_eq!(judge(&patch, &[&there[..], &["--allow-unknown"]].concat()).status, 0);
    for patch in [&*patch, nameless.as_bytes()] {
        judge(patch, &[]).passes();
        desk.git(&["checkout", "-q", "."]);
        judge(patch, &[]).passes();
    }
    // Another file than the one that the patch was made for shows nothing.
    desk.write("src/a.rs", "// SPDX-License-Identifier: MIT\n").commit("other");
    assert_eq!(judge(nameless.as_bytes(), &[]).status, 2);
}

#[test]
fn a_patch_leaves_unknown_whose_call_it_is_when_the_import_stands_above_it() {
    let before = "from os import system as s\nx = 1\ny = 2\nz = 3\nw = 4\n";
    let desk = Desk::of(&[("a.py", before), ("b.py", before)]);
    desk.write("a.py", format!("{before}s('x')\n"));
    let patch = desk.git(&["diff", "a.py"]);
    let outside = desk.beside("outside");
    fs::create_dir(&outside).unwrap();
    fs::copy(desk.root.join("solvi-rules.toml"), outside.join("solvi-rules.toml")).unwrap();
    let judge = |patch: &[u8], more: &[&str]| {
        let arguments = [&["check-diff", "--format", "json", "--patch", "-"], more].concat();
        Told::of(desk.run(&arguments, patch))
    };
    let there = ["--project", outside.to_str().unwrap()];
    judge(&patch, &[]).refuses(&["no-system a.py:6"]);
    let told = judge(&patch, &there);
    told.is(2, &["no-system a.py"]);
    let why = "line 6 calls s, which an import outside the patch may make os.system";
    assert_eq!(told.list("findings")[0]["unknown"], why);
    assert_eq!(judge(&patch, &[&there[..], &["--allow-unknown"]].concat()).status, 0);
    desk.write("b.py", format!("{before}x.run('x')\nprint(str('y'))\n"));
    judge(&desk.git(&["diff", "b.py"]), &there).passes();
}

#[test]
fn what_a_copy_or_a_move_brings_is_judged_when_the_repository_has_its_source() {
    let desk = Desk::of(&[("legacy/a.py", &format!("{BANNED}\none = 1\n2\n3\n4\n5\n6\n7\n"))]);
    let judge = |patch: &[u8]| {
        Told::of(desk.run(&["check-diff", "--format", "json", "--patch", "-"], patch))
    };
    let text = fs::read_to_string(desk.root.join("legacy/a.py")).unwrap();
    desk.write("b.py", &text).write("legacy/a.py", format!("{text}8\n")).stage();
    let copied = desk.git(&["diff", "--cached", "-C"]);
    assert!(String::from_utf8_lossy(&copied).contains("copy from legacy/a.py"));
    judge(&copied).refuses(&["no-token b.py:1"]);
}

#[test]
fn how_many_work_makes_no_difference() {
    let desk = Desk::new();
    for number in 0..60 {
        desk.write(format!("d{}/f{number}.py", number % 7), "x = 1\nBANNED_WORD\n");
    }
    let judge = |jobs: &str| desk.run(&["check-diff", "--jobs", jobs], "");
    let one = judge("1");
    assert_eq!(one.status, Some(1));
    assert_eq!(one.stdout.matches("BANNED_WORD").count(), 60);
    for _ in 0..3 {
        assert_eq!(judge("4").stdout, one.stdout);
    }
    assert_eq!(judge("0").status, Some(2));
}

#[test]
fn a_revision_that_is_not_there_is_named_with_a_remedy() {
    let desk = Desk::new();
    for range in ["nowhere..HEAD", "HEAD...nowhere", "nowhere"] {
        let told = desk.diff(&[range]);
        assert_eq!(told.status, 2);
        let stderr = &told.said.stderr;
        assert!(stderr.contains("error: `nowhere` names no commit"), "{stderr}");
        assert!(stderr.contains("next: ") && stderr.contains("git fetch"), "{stderr}");
    }
}

#[test]
fn a_shallow_clone_says_what_it_lacks_and_how_to_get_it() {
    let desk = parted();
    desk.write("more.py", "x\n").commit("more");
    let (url, clone) = (format!("file://{}", desk.root.display()), desk.beside("clone"));
    let shallow = ["clone", "-q", "--depth", "1", "--no-single-branch", &url];
    desk.git(&[&shallow, [clone.to_str().unwrap()].as_slice()].concat());
    let desk = Desk(desk.0.at(clone));
    for range in ["origin/main...HEAD", "HEAD~1..HEAD"] {
        let told = desk.diff(&[range]);
        assert_eq!((told.status, told.said.stdout.as_str()), (2, ""), "{range}");
        let stderr = &told.said.stderr;
        assert!(stderr.contains("next: fetch the history that is needed"), "{range}: {stderr}");
        assert!(stderr.contains("`git fetch --unshallow`"), "{range}: {stderr}");
        assert!(stderr.contains("fetch-depth: 0"), "{range}: {stderr}");
    }
    desk.git(&["fetch", "-q", "--unshallow"]);
    desk.diff(&["origin/main...HEAD"]).refuses(&["no-token topic.py:1"]);
}

#[test]
fn a_record_is_kept_when_it_is_asked_for() {
    let desk = parted();
    desk.diff(&["main...HEAD"]);
    assert!(!desk.root.join(".solvi").exists());
    desk.diff(&["main...HEAD", "--store", ".solvi/traces/ci.jsonl"]);
    let records = fs::read_to_string(desk.root.join(".solvi/traces/ci.jsonl")).unwrap();
    let records: Vec<serde_json::Value> =
        records.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(records.len(), 2, "the file with a finding, and the sum: {records:#?}");
    assert!(desk.word(&["status", "--short"]).is_empty());
}

#[test]
fn outside_of_a_repository_nothing_passes() {
    let folder = tempfile::tempdir().unwrap();
    let desk = Desk::new();
    for sub_command in [["check-diff"].as_slice(), &["check-staged"], &["pre-push", "origin"]] {
        let mut command = desk.program(binary());
        command.args(sub_command).current_dir(folder.path());
        let said = sound(said(command, b""));
        assert_eq!((said.status, said.stdout.as_str()), (Some(2), ""), "{sub_command:?}");
        assert!(said.stderr.contains("is in no git repository"), "{}", said.stderr);
        assert!(said.stderr.contains("next: "), "{}", said.stderr);
    }
}

#[test]
fn an_option_takes_one_value_and_leaves_the_range_alone() {
    let desk = Desk::of(&[("a.py", "1\n")]);
    desk.write("a.py", BANNED).write("b.txt", BANNED).commit("two");
    let both = &["no-token a.py:1", "no-token b.txt:1"][..];
    for (arguments, found) in [
        (&["--paths", "*.py", "HEAD~1..HEAD"][..], &both[..1]),
        (&["--rule", "no-token", "HEAD~1..HEAD"], both),
        (&["--paths", "*.py,*.txt", "HEAD~1..HEAD"], both),
        (&["--paths", "*.py", "--paths", "*.txt", "HEAD~1..HEAD"], both),
        (&["--paths", "*,!*.py", "HEAD~1..HEAD"], &both[1..]),
        (&["HEAD~1..HEAD", "--rule", "no-system,no-token"], both),
        (&["--each-commit", "--paths", "*.py", "HEAD~1..HEAD"], &both[..1]),
    ] {
        desk.diff(arguments).refuses(found);
    }
    let none = desk.diff(&["--paths", "*.js", "HEAD~1..HEAD"]);
    assert!(none.passes().notes().contains("no changed file is covered by `--paths`"));
    for arguments in [
        &["check-diff", "--paths", "*.py", "no-such..range"][..],
        &["check-diff", "--rule", "no-token", "no-such..range"],
        &["check-diff", "--paths", "*.py", "*.txt", "HEAD~1..HEAD"],
        &["check-diff", "--paths", "*.{py,txt}", "HEAD~1..HEAD"],
        &["check-diff", "--paths", "", "HEAD~1..HEAD"],
        &["check-diff", "--paths", "*.py,", "HEAD~1..HEAD"],
        &["check-diff", "--rule", "", "HEAD~1..HEAD"],
        &["query", "--path", ""],
        &["query", "--rule", ""],
        &["report", "--session", ""],
    ] {
        assert_eq!(desk.run(arguments, "").status, Some(2), "{arguments:?}");
    }
}

#[test]
fn a_range_without_a_side_is_an_error_that_names_the_likely_cause() {
    let desk = Desk::new();
    for range in ["", " ", "..", "...", "..HEAD", "HEAD..", "...HEAD", "HEAD...", " ..HEAD", "\n"] {
        for words in [&["check-diff", range][..], &["check-diff", "--each-commit", range]] {
            let said = desk.run(words, "");
            assert_eq!(said.status, Some(2), "{words:?}");
            assert!(said.stderr.contains("see whether a variable is unset"), "{}", said.stderr);
        }
    }
    let said = desk.run(&["check-diff", "--rules-from", ""], "");
    assert_eq!(said.status, Some(2));
    assert!(said.stderr.contains("it is empty; a variable may be unset"), "{}", said.stderr);
}

#[test]
fn the_zero_id_is_the_empty_tree() {
    let desk = Desk::of(&[("a.py", BANNED)]);
    let (sha1, sha256) = ("0".repeat(40), "0".repeat(64));
    for zero in [&sha1, &sha256] {
        for range in [format!("{zero}..HEAD"), format!("{zero}...HEAD"), zero.clone()] {
            desk.diff(&[&range]).refuses(&["no-token a.py:1"]);
            desk.diff(&["--each-commit", &range]).refuses(&["no-token a.py:1"]);
        }
        for arguments in
            [&[&*format!("HEAD..{zero}")][..], &["--each-commit", &format!("HEAD...{zero}")]]
        {
            let told = desk.diff(arguments);
            assert_eq!(told.status, 0, "{arguments:?}");
            assert!(told.found().iter().all(|it| it == "rules-loosened solvi-rules.toml"));
            assert!(!told.found().is_empty(), "{arguments:?}");
        }
        let said = desk.run(&["check-diff", "--rules-from", zero], "");
        assert!(said.stderr.contains("stands for no commit at all"), "{}", said.stderr);
    }
}

#[test]
fn a_revision_that_names_no_commit_is_told_in_plain_words() {
    let desk = Desk::of(&[("a.py", "1\n")]);
    desk.git(&["tag", "v1"]);
    let none = "there is no branch, tag or other ref of this name here";
    let set = "it names a set of commits and not one";
    for (revision, why) in [
        ("nope", none),
        ("deadbeef", none),
        ("1111111111111111111111111111111111111111", none),
        ("0000000", none),
        ("a'b", none),
        ("a b", "no name in git holds a space or a control character"),
        ("a\tb", "no name in git holds a space or a control character"),
        ("v1~7", "`v1` is there, and `~7` leads to no commit from it"),
        ("HEAD^2", "`HEAD` is there, and `^2` leads to no commit from it"),
        ("@{u}", "`HEAD` is there, and `@{u}` leads to no commit from it"),
        ("HEAD^{nonsense}", "leads to no commit from it"),
        ("HEAD:none", "leads to no commit from it"),
        ("HEAD^{tree}", "what it names is no commit"),
        (":/nothing", "no commit fits it"),
        ("HEAD^!", set),
        ("HEAD^@", set),
        ("HEAD^-1", set),
        ("^HEAD", set),
    ] {
        for range in [revision.to_owned(), format!("HEAD..{revision}")] {
            let said = desk.run(&["check-diff", "--", &range], "");
            assert_eq!(said.status, Some(2), "{range}");
            assert!(said.stderr.contains(why), "{range}: {}", said.stderr);
            let words = ["delegate", "Message {", "input=", "parse revision", "rev-spec"];
            assert!(!words.iter().any(|word| said.stderr.contains(word)), "{}", said.stderr);
        }
    }
    let fresh = Desk(crate::git::yard::Yard::new());
    let said = fresh.run(&["check-diff", "HEAD~1..HEAD"], "");
    assert!(said.stderr.contains("there is no commit on this branch yet"), "{}", said.stderr);
}
