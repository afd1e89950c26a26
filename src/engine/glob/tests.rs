//! Globs held against paths.

#![allow(clippy::unwrap_used, reason = "tests")]

use super::*;
use proptest::prelude::*;

#[derive(serde::Deserialize)]
struct Case {
    glob: String,
    matches: Vec<String>,
    no_match: Vec<String>,
}

fn cover(globs: &[&str], path: &str) -> bool {
    Globs::new(&globs.iter().map(ToString::to_string).collect::<Vec<_>>()).cover(path)
}

#[test]
fn the_recorded_cases_hold() {
    for line in include_str!("../../../tests/vectors/glob-cases.jsonl").lines() {
        let case: Case = serde_json::from_str(line).unwrap();
        for path in case.matches {
            assert!(cover(&[&case.glob], &path), "{} should match {path}", case.glob);
        }
        for path in case.no_match {
            assert!(!cover(&[&case.glob], &path), "{} should not match {path}", case.glob);
        }
    }
}

#[test]
fn an_excluding_glob_wins_wherever_it_stands() {
    assert!(cover(&["!b/**", "**/*.py"], "a/x.py"));
    assert!(!cover(&["!b/**", "**/*.py"], "b/x.py"));
    assert!(!cover(&["**/*.py", "!b/**"], "b/x.py"));
    assert!(!cover(&["!b/**"], "a/x.py"));
    assert!(!cover(&[], "a/x.py"));
}

#[test]
fn a_newline_in_a_path_is_a_character_like_others() {
    for glob in ["**", "a*", "a?b.txt", "**/a*", "**.txt"] {
        assert!(cover(&[glob], "a\nb.txt"), "{glob}");
    }
}

#[test]
fn a_question_mark_is_one_character_of_any_length_but_no_slash() {
    assert!(cover(&["d?cs/*"], "dócs/x"));
    assert!(cover(&["??"], "名é"));
    assert!(!cover(&["??"], "é"));
    assert!(!cover(&["a?b"], "a/b"));
}

#[test]
fn case_and_the_whole_path_count() {
    assert!(!cover(&["src/**"], "SRC/a.txt"));
    assert!(!cover(&["src/*.py"], "src/a.pyi"));
    assert!(!cover(&["a.py"], "src/a.py"));
}

#[test]
fn head_and_tail_do_not_overlap() {
    assert!(!cover(&["ab*ba"], "aba"));
    assert!(cover(&["ab*ba"], "abba"));
    assert!(!cover(&["a/**/a"], "a/a/b"));
    assert!(cover(&["a/**/a"], "a/a"));
}

#[test]
fn stars_that_could_be_split_in_many_ways_take_no_time() {
    let path = "a/".repeat(1000);
    assert!(!cover(&[&("**a".repeat(50) + "b**")], &path));
    assert!(!cover(&[&("*a**/".repeat(50) + "b*")], &path));
    assert!(cover(&[&("*a**/".repeat(50) + "*")], &path));
}

fn extended(globs: &[&str]) -> Result<Globs, BadGlob> {
    Globs::read(globs, Dialect::Extended)
}

#[test]
fn choices_and_sets_are_read_in_the_extended_dialect_alone() {
    let cases: &[(&str, &[&str], &[&str])] = &[
        ("src/**/*.{ts,tsx}", &["src/a.ts", "src/b/a.tsx"], &["src/a.js", "src/a.{ts,tsx}"]),
        ("{a,b/{c,d}}/x", &["a/x", "b/c/x", "b/d/x"], &["b/x", "c/x"]),
        ("a{,.test}.js", &["a.js", "a.test.js"], &["a.b.js"]),
        ("{src/,}**/x", &["x", "src/x", "src/a/x"], &["y"]),
        ("v[0-9][0-9]", &["v10"], &["v1", "v1a", "v[0-9][0-9]"]),
        ("**/[!._]*.py", &["a/b.py", "b.py"], &["a/_b.py", ".b.py"]),
        ("app/[[]id]/**", &["app/[id]/x"], &["app/i/x"]),
        ("a[]b]c", &["a]c", "abc"], &["ac"]),
        ("[à-é]*/[é]", &["é/é", "áx/é"], &["x/é", "é/e"]),
        ("**[ab]/c", &["x/a/c", "b/c", "xb/c"], &["c", "a/x/c"]),
        ("a[b/c", &[], &[]),
    ];
    for (glob, inside, outside) in cases {
        let Ok(globs) = extended(&[glob]) else {
            assert!(inside.is_empty() && outside.is_empty(), "{glob}");
            assert!(cover(&[glob], glob));
            continue;
        };
        for path in *inside {
            assert!(globs.cover(path), "{glob} should match {path}");
            assert!(!cover(&[glob], path), "{glob} is another glob in the plain dialect");
        }
        assert!(!outside.iter().any(|path| globs.cover(path)), "{glob}");
        // In the plain dialect it matches itself.
        assert!(cover(&[glob], glob), "{glob}");
    }
}

#[test]
fn an_excluding_glob_may_hold_choices_and_sets() {
    let globs = extended(&["**", "!{a,b}/[!x]*"]).unwrap();
    assert!(globs.cover("a/x") && globs.cover("c/y"));
    assert!(!globs.cover("a/y") && !globs.cover("b/y"));
    // Behind a brace it is a character.
    assert!(extended(&["{!a,b}"]).unwrap().cover("!a"));
}

#[test]
fn a_glob_that_cannot_be_read_is_named_as_it_is_written() {
    let error = extended(&["a", "!{b,[z-a]}"]).unwrap_err();
    assert_eq!(error.glob, "!{b,[z-a]}");
    assert!(Globs::read(&["!{b,[z-a]}"], Dialect::Plain).is_ok());
}

#[test]
fn both_dialects_read_the_recorded_globs_alike_where_no_new_sign_stands() {
    for line in include_str!("../../../tests/vectors/glob-cases.jsonl").lines() {
        let glob = serde_json::from_str::<Case>(line).unwrap().glob;
        let same = extended(&[&glob]) == Globs::read(&[&glob], Dialect::Plain);
        assert_eq!(same, !glob.contains(['[', '{', '}', '\\']), "{glob}");
    }
}

proptest! {
    #[test]
    fn a_glob_matches_what_its_regex_matches(
        glob in r"([ab/*?é.\n]|\*\*/|\*\*|\[a\]){0,8}",
        path in r"[ab/é.\n\[\]]{0,10}",
    ) {
        let regex = regex::Regex::new(&glob_regex(&glob)).unwrap();
        prop_assert_eq!(cover(&[&glob], &path), regex.is_match(&path));
    }

    #[test]
    fn an_extended_glob_matches_what_the_regexes_of_its_choices_match(
        glob in r"([ab/*?é\]{]|\*\*/|\*\*|\[a\]|\[!b\]|\[\]*?\{\}a-c\]|\[\*-~\]|[{]a,[}]|[{]b,|[}]){0,8}",
        path in r"[ab/é.\n\[\]*{}]{0,10}",
    ) {
        let Ok(expanded) = braces::expand(&glob) else { return Ok(()) };
        let slow = expanded.iter().any(|glob| {
            let regex = regex_of(Parts { rest: glob, sets: true });
            regex::Regex::new(&regex).unwrap().is_match(&path)
        });
        prop_assert_eq!(extended(&[&glob]).unwrap().cover(&path), slow);
    }
}
