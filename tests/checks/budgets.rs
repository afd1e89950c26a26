//! Backtracking patterns on hard texts: what is beyond the budget could not be checked, and the
//! rest is. It is the steps that are counted, so the answer is the same on every machine.

use super::desk::Desk;
use serde_json::Value;

/// A rule whose first pattern takes for ever on [`hard`] lines.
const RULES: &str = r#"
[[rule]]
id = "slow"
paths = ["**/*.txt"]
forbid = ['^(a|aa)+(?<!a)!$', 'BANNED(?!_OK)']
"#;

fn hard(lines: usize) -> String {
    format!("{}!\n", "a".repeat(60)).repeat(lines)
}

/// Returns what could not be checked, by path.
fn unknown(report: &Value) -> Vec<(&str, &str)> {
    let findings = report["findings"].as_array().unwrap().iter();
    let unknown = findings.filter_map(|it| Some((it["path"].as_str()?, it["unknown"].as_str()?)));
    unknown.collect()
}

#[test]
fn a_file_of_hard_lines_could_not_be_checked_and_names_the_pattern() {
    let desk = Desk::judged_by(RULES, &[]);
    let text = format!("BANNED\n{}BANNED_OK\nBANNED\n", hard(30_000));
    desk.write("a.txt", &text).stage();
    let told = desk.staged();
    // The last has no line: what could not be checked.
    told.is(1, &["slow a.txt:1", "slow a.txt:30003", "slow a.txt"]);
    let unknown = unknown(&told.report);
    assert!(
        matches!(unknown[..], [("a.txt", why)] if why.contains("`^(a|aa)+(?<!a)!$` was given up")),
        "{unknown:?}"
    );
}

#[test]
fn many_files_of_hard_lines_share_one_budget_however_many_threads_there_are() {
    let desk = Desk::judged_by(RULES, &[]);
    for number in 0..150 {
        desk.write(format!("{number}.txt"), hard(40));
    }
    desk.write("z.txt", "BANNED\n").write("y.txt", "fine\n").stage();
    let report = |jobs: &str| {
        let arguments = ["check-staged", "--no-store", "--format", "json", "--jobs", jobs];
        let said = desk.run(&arguments, "");
        assert_eq!(said.status, Some(1), "{said:?}");
        said.stdout
    };
    let one = report("1");
    assert_eq!(one, report("4"));
    let one: Value = serde_json::from_str(&one).unwrap();
    assert_eq!(unknown(&one).len(), 150);
}

#[test]
fn ordinary_lines_use_no_budget_up() {
    let rules = "[[rule]]\nid = \"look\"\npaths = [\"**/*.txt\"]\n\
        forbid = ['^(?!.*# ok).*\\beval\\(', '(?<!no )print\\((?!x)']\nredact = true\n";
    let desk = Desk::judged_by(rules, &[]);
    let text = "    print(x)  eval(y)  # ok, as it is a test of what is ordinary\n".repeat(20_000);
    desk.write("a.txt", &text).write("b.txt", text + "eval(z)\n").stage();
    let told = desk.staged();
    told.is(1, &["look b.txt:20001"]);
    assert_eq!(unknown(&told.report), []);
}

#[test]
fn a_hook_asks_about_hard_lines_and_names_the_pattern() {
    let desk = Desk::judged_by(RULES, &[]);
    let said = desk.proposes("a.txt", &hard(20_000));
    said.expect("ask", &["slow", "was given up", "(a|aa)+"]);
    said_of(&desk, "require = ['^(a|aa)+(?<!a)!']", "ask");
    said_of(&desk, "redact = true\nforbid = ['^(a|aa)+(?<!a)!$']", "ask");
    said_of(&desk, "forbid = ['(?:^(a|aa)+(?<!a)!$)?|key']", "ask");
}

#[track_caller]
fn said_of(desk: &Desk, check: &str, verdict: &str) {
    desk.write("solvi-rules.toml", format!("[[rule]]\nid = \"slow\"\npaths = [\"**\"]\n{check}\n"));
    desk.proposes("a.txt", &hard(2_000)).expect(verdict, &["slow"]);
}

#[test]
fn a_patch_and_a_range_of_hard_lines_are_bounded_too() {
    let desk = Desk::judged_by(RULES, &[]);
    for number in 0..20 {
        desk.write(format!("{number}.txt"), hard(200));
    }
    desk.commit("hard lines");
    let range = desk.diff(&["HEAD~1..HEAD"]);
    assert_eq!((range.status, unknown(&range.report).len()), (2, 20));
    let patch = desk.told_by_git(&["diff", "HEAD~1..HEAD"]).stdout;
    let said = desk.run(&["check-diff", "--patch", "-", "--format", "json"], patch);
    let report: Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!((said.status, unknown(&report).len()), (Some(2), 20), "{said:?}");
}
