//! What rules see in changes, without a disk.

#![allow(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::domain::{Decision, Place, RepoPath, Standing};
use crate::engine::decide;

fn place(path: &str) -> Place {
    Place::Inside(RepoPath::new(path).unwrap())
}

fn judge(rules: &str, change: Change) -> Decision {
    let book = load(rules, Form::Toml, "rules.toml").unwrap();
    decide(vec![change], &[&book], &book)
}

fn write(path: &str, before: &str, after: &str) -> Change {
    Change::of_text("Write", place(path), before, after.to_owned())
}

/// Returns the lines of every spot, rule by rule.
fn spots(decision: &Decision) -> Vec<(String, Vec<usize>)> {
    let findings = decision.rulings.iter().flat_map(|ruling| &ruling.findings);
    let objecting = findings.filter(|finding| finding.objects());
    objecting
        .map(|finding| (finding.rule.clone(), finding.spots.iter().map(|spot| spot.line).collect()))
        .collect()
}

const MIXED: &str = r#"
[[rule]]
id = "soft"
paths = ["**"]
forbid = ["AAA"]
on_fail = "warn"

[[rule]]
id = "hard"
paths = ["**", "!docs/**"]
forbid = ["BBB"]
"#;

#[test]
fn the_strictest_rule_decides_and_every_finding_is_kept() {
    let decision = judge(MIXED, write("a.txt", "", "AAA\nBBB\n"));
    assert_eq!(decision.verdict(), Verdict::Deny);
    assert_eq!(spots(&decision), [("soft".to_owned(), vec![1]), ("hard".to_owned(), vec![2])]);
    assert_eq!(judge(MIXED, write("docs/a", "", "AAA\nBBB\n")).verdict(), Verdict::Warn);
    assert_eq!(
        judge(MIXED, write("a.txt", "AAA\nBBB\n", "AAA\nBBB\nC\n")).verdict(),
        Verdict::Allow
    );
}

#[test]
fn what_is_certain_is_refused_also_when_the_rest_cannot_be_checked() {
    let rules = "[[rule]]\nid = \"r\"\npaths = [\"**\"]\nforbid = [\"BAD\"]\nrequire = [\"^H\"]\n";
    let line = Line { number: 1, text: "BAD".to_owned() };
    let change = Change::of_lines("Edit", place("a"), vec![line], "it is not known");
    let decision = judge(rules, change);
    assert_eq!(decision.verdict(), Verdict::Deny);
    let finding = &decision.rulings[0].findings[0];
    assert_eq!(finding.unknown.as_deref(), Some("it is not known"));
}

#[test]
fn a_rule_that_only_warns_does_not_stop_anybody_for_not_knowing() {
    let rules = "[[rule]]\nid = \"r\"\npaths = [\"**\"]\nrequire = [\"^H\"]\non_fail = \"warn\"\n";
    let change = Change::of_lines("Edit", place("a"), Vec::new(), "it is not known");
    assert_eq!(judge(rules, change).verdict(), Verdict::Warn);
}

#[test]
fn deleting_a_file_under_require_warns_and_under_a_path_rule_decides_as_written() {
    let require = "[[rule]]\nid = \"r\"\npaths = [\"**\"]\nrequire = [\"^H\"]\nforbid = [\"x\"]\n";
    let gone = || Change::of_deletion("apply_patch", place("a"));
    assert_eq!(judge(require, gone()).verdict(), Verdict::Warn);
    let touch = "[[rule]]\nid = \"r\"\npaths = [\"**\"]\non_fail = \"ask\"\n";
    assert_eq!(judge(touch, gone()).verdict(), Verdict::Ask);
    let forbid = "[[rule]]\nid = \"r\"\npaths = [\"**\"]\nforbid = [\"x\"]\n";
    assert_eq!(judge(forbid, gone()).verdict(), Verdict::Allow);
}

#[test]
fn moving_into_a_covered_path_judges_all_lines() {
    let rules = "[[rule]]\nid = \"r\"\npaths = [\"src/**\"]\nforbid = [\"BAD\"]\n";
    let moved = |from: &str| {
        let mut change = write("src/a", "BAD\n", "BAD\n");
        change.moved_from = Some(place(from));
        judge(rules, change).verdict()
    };
    assert_eq!(moved("docs/a"), Verdict::Deny);
    assert_eq!(moved("src/b"), Verdict::Allow);
}

#[test]
fn a_question_asks_for_the_lines_that_raise_it() {
    let rules = "[[rule]]\nid = \"q\"\npaths = [\"**\"]\nquestion = \"Is it?\"\nwhen = \"mail\"\n";
    let decision = judge(rules, write("a", "", "x\nemail\n"));
    assert_eq!((decision.verdict(), spots(&decision)), (Verdict::Ask, vec![("q".into(), vec![2])]));
    assert_eq!(judge(rules, write("a", "", "x\n")).verdict(), Verdict::Allow);
}

const SECRET: &str = r#"
[[rule]]
id = "secret"
paths = ["**"]
forbid = ["tok_[a-z]+", "pin=[0-9]+"]
redact = true

[[rule]]
id = "debug"
paths = ["**"]
forbid = ["DEBUG"]
"#;

#[test]
fn a_secret_is_masked_in_the_findings_of_every_rule_and_in_what_is_kept() {
    let decision = judge(SECRET, write("a", "", "DEBUG tok_abcdef pin=1234\nold tok_xyzxyz\n"));
    let ruling = &decision.rulings[0];
    let texts: Vec<&str> = ruling
        .findings
        .iter()
        .flat_map(|finding| &finding.spots)
        .map(|spot| spot.text.as_str())
        .collect();
    assert_eq!(
        texts,
        ["DEBUG tok_… pin=…", "old tok_…", "DEBUG tok_… pin=…"],
        "every pattern is masked, by every rule"
    );
    let kept = ruling.redaction.as_ref().unwrap();
    assert_eq!(kept.rules, ["secret"]);
    assert_eq!(kept.after.text(), Some("DEBUG tok_… pin=…\nold tok_…\n"));
    assert!(!format!("{kept:?}").contains("abcdef"));
}

#[test]
fn a_secret_that_was_there_before_is_not_kept_either() {
    let decision = judge(SECRET, write("a", "tok_abcdef\r\n", "tok_abcdef\r\nmore\r\n"));
    assert_eq!(decision.verdict(), Verdict::Allow);
    let kept = decision.rulings[0].redaction.as_ref().unwrap();
    assert_eq!(kept.after.text(), Some("tok_…\r\nmore\r\n"));
    assert!(judge(SECRET, write("a", "", "plain\n")).rulings[0].redaction.is_none());
}

#[test]
fn a_redacting_rule_that_names_no_secret_masks_the_whole_line() {
    let rules =
        "[[rule]]\nid = \"r\"\npaths = [\"**/*.py\"]\nforbid_calls = [\"eval\"]\nredact = true\n";
    let decision = judge(rules, write("a.py", "", "x = 1\neval('hidden')\n"));
    let ruling = &decision.rulings[0];
    assert_eq!(ruling.findings[0].spots[0].text, "…");
    assert_eq!(ruling.redaction.as_ref().unwrap().after.text(), Some("x = 1\n…\n"));
}

#[test]
fn a_rule_is_limited_to_files_by_what_git_knows_of_them() {
    let rules = |only: &str| format!("[[rule]]\nid = \"r\"\npaths = [\"**\"]\nonly = \"{only}\"\n");
    let judged = |only: &str, standing: Standing| {
        let change = Change { standing, ..write("a", "", "x\n") };
        judge(&rules(only), change).verdict() == Verdict::Deny
    };
    for (only, tracked, new) in
        [("tracked", true, false), ("new", false, true), ("any", true, true)]
    {
        assert_eq!(judged(only, Standing::Tracked), tracked, "{only}");
        assert_eq!(judged(only, Standing::New), new, "{only}");
        assert!(judged(only, Standing::Unknown), "not knowing lets nothing pass");
    }
}

#[test]
fn a_rule_of_another_moment_judges_nothing_and_still_masks_its_secrets() {
    let rules = SECRET.replace("redact", "on = \"commit\"\nredact");
    let mut book = load(&rules, Form::Toml, "rules.toml").unwrap();
    book.keep_for(Moment::Edit);
    let decision = decide(vec![write("a", "", "DEBUG tok_abcdef\n")], &[&book], &book);
    assert_eq!(spots(&decision), [("debug".to_owned(), vec![1])]);
    assert!(!format!("{:?}", decision.rulings[0].findings).contains("abcdef"));
    assert!(!format!("{:?}", decision.rulings[0].redaction).contains("abcdef"));
}
