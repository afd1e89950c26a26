//! Rules files with mistakes: every message names the file, the line, the rule and the way out.

use crate::support::House;
use std::fmt::Write as _;

/// What `rules check` says about a rules file: a line for each mistake or warning.
fn notices(house: &House, more: &[&str], status: i32) -> String {
    let arguments = [&["rules", "check", "--format", "json"], more].concat();
    let said = house.run(&arguments, "");
    assert_eq!(said.status, Some(status), "{said:?}");
    let report: serde_json::Value = serde_json::from_str(&said.stdout).unwrap();
    assert!(said.stderr.contains("next: ") == (status == 2), "{said:?}");
    let mut lines = String::new();
    for file in report["files"].as_array().unwrap() {
        for notice in file["notices"].as_array().unwrap() {
            let (name, line) = (file["file"].as_str().unwrap(), &notice["line"]);
            let message = notice["message"].as_str().unwrap();
            let help = notice["help"].as_str().map(|help| format!("; {help}")).unwrap_or_default();
            writeln!(lines, "  {name}:{line}: {message}{help}").unwrap();
        }
    }
    lines
}

fn check(rules: &str) -> String {
    notices(&House::new().rules(rules), &[], 2)
}

fn warns(rules: &str) -> String {
    notices(&House::new().rules(rules), &[], 0)
}

#[track_caller]
fn says(rule: &str, cause: &str) {
    let text = format!("# a comment\n[[rule]]\nid = \"r\"\npaths = [\"**\"]\n{rule}\n");
    let said = check(&text);
    let wanted = format!("  solvi-rules.toml:{cause}\n");
    assert!(said.contains(&wanted), "{wanted}is not in\n{said}");
}

#[test]
fn an_unknown_key_is_told_with_the_one_that_was_meant() {
    says("forbidd = [\"x\"]", "5: rule `r`: unknown key `forbidd`; did you mean `forbid`?");
    says("on_fial = \"ask\"", "5: rule `r`: unknown key `on_fial`; did you mean `on_fail`?");
    let said = check("[settings]\nx = 1\n");
    assert!(said.contains("solvi-rules.toml:1: unknown key `settings`; known are"), "{said}");
}

#[test]
fn a_wrong_value_is_told_with_a_right_one() {
    says(
        "on_fail = \"maybe\"",
        "5: rule `r`: `on_fail` is \"maybe\"; write \"deny\", \"ask\" or \"warn\"",
    );
    says(
        "only = \"untracked\"",
        "5: rule `r`: `only` is \"untracked\"; write \"tracked\", \"new\" or \"any\"",
    );
    says(
        "on = [\"edit\",\n  \"merge\"]",
        "6: rule `r`: `on` holds \"merge\"; write one or more of \"edit\", \"commit\", \"push\" \
         and \"ci\"",
    );
    says(
        "on = []",
        "5: rule `r`: `on` is an empty list, so the rule would never count; name a moment, or \
         remove the key: a rule without `on` always counts",
    );
    says(
        "redact = \"no\"",
        "5: rule `r`: `redact` is a string; write `redact = true` or `redact = false`",
    );
    says(
        "forbid = [\n  \"a\",\n  5,\n]",
        "7: rule `r`: `forbid` holds a number or date, where a string that is not empty is \
         expected; write `forbid = [\"…\"]`",
    );
    says(
        "when = [\"x\"]",
        "5: rule `r`: `when` has no effect without a `question`; add the question, or use \
         `forbid` for lines that must not be there",
    );
    says(
        "calibration = \"c.json\"",
        "5: rule `r`: `calibration` stands without a `question`; add the question that it \
         calibrates, or remove it",
    );
}

#[test]
fn a_missing_part_is_told_at_its_rule() {
    let said = check("[[rule]]\nid = \"one\"\n");
    assert!(said.contains("solvi-rules.toml:2: rule `one`: `paths` is missing or empty"), "{said}");
    let said = check("[[rule]]\npaths = [\"**\"]\n");
    assert!(said.contains("solvi-rules.toml:2: rule `1`: `id` is missing"), "{said}");
}

#[test]
fn names_that_would_meet_in_a_record_are_refused() {
    let rule = |id: &str| format!("[[rule]]\nid = \"{id}\"\npaths = [\"**\"]\n");
    let said = check(&(rule("a-b") + &rule("a_b")));
    assert!(
        said.contains("rule `a_b`: its name in records, `a_b`, is taken by rule `a-b`"),
        "{said}"
    );
    let said = check(&(rule("s") + &rule("s-lines")));
    assert!(said.contains("`s_lines`, is taken by rule `s`"), "{said}");
    let said = check(&rule("path"));
    assert!(said.contains("`path`, is one of the record's own"), "{said}");
}

#[test]
fn what_is_no_toml_is_told_with_its_line() {
    let said = check("[[rule]]\nid = \"a\npaths = 1\n");
    assert!(said.contains("solvi-rules.toml:2: this is no TOML: "), "{said}");
    let said = check("[rule]\nid = \"a\"\n");
    assert!(
        said.contains("solvi-rules.toml:1: `rule` is a table, where a list is expected"),
        "{said}"
    );
}

#[test]
fn every_pattern_is_read_by_rules_check_and_only_the_needed_ones_by_a_hook() {
    let rules = "[[rule]]\nid = \"r\"\npaths = [\"src/**\"]\nforbid = [\"ok\", \"(open\"]\n\
                 [[rule]]\nid = \"q\"\npaths = [\"**\"]\nquestion = \"Is it?\"\nwhen = '\\q'\n";
    let said = check(rules);
    assert!(said.contains("solvi-rules.toml:4: rule `r`: `forbid` holds `(open`: "), "{said}");
    assert!(said.contains("solvi-rules.toml:9: rule `q`: `when` holds `\\q`: "), "{said}");
    let house = House::new().rules(&rules.replace("paths = [\"**\"]", "paths = [\"src/*\"]"));
    assert_eq!(house.write("a.txt", "x\n").verdict(), "allow");
    house.write("src/a.txt", "x\n").expect("ask", &["solvi-rules.toml:4", "(open"]);
}

#[test]
fn what_a_rule_is_limited_to_is_listed() {
    let rules =
        "[[rule]]\nid = \"r\"\npaths = [\"**\"]\nonly = \"new\"\non = [\"commit\", \"push\"]\n";
    let said = House::new().rules(rules).run(&["rules", "check"], "");
    assert!(said.stdout.contains("r (deny, only new, on commit push): any change"), "{said:?}");
}

#[test]
fn a_json_file_is_read_like_a_toml_file() {
    let house = House::new().file(
        "rules.json",
        "{\"rules\": [\n  {\"id\": \"r\", \"paths\": \"**\",\n   \"forbidd\": [\"x\"]}]}",
    );
    let said = notices(&house, &["--rules", "rules.json"], 2);
    assert!(said.contains("rules.json:3: rule `r`: unknown key `forbidd`"), "{said}");
}

#[test]
fn a_json_file_may_name_its_schema() {
    let rules = r#"{"$schema": "./rules.schema.json", "version": 1,
        "rule": [{"id": "r", "paths": ["**"], "forbid": ["x"]}]}"#;
    let house = House::new().file("rules.json", rules);
    let said = house.run(&["rules", "check", "--rules", "rules.json"], "");
    assert_eq!(said.status, Some(0), "{said:?}");
}

#[test]
fn every_mistake_is_told_at_once_in_the_order_of_the_file() {
    let rules = "version = 2\nmore = 1\n[[rule]]\nid = \"r\"\npathes = \"**\"\n\
        forbid = [\n  \"ok\",\n  \"(\",\n  \"[z-a]\",\n]\non_fail = 5\n\
        [[rule]]\nid = \"r\"\npaths = [\"a\"]\nquestion = \"?\"\nwhen = [\"(\"]\n";
    let said = check(rules);
    let lines: Vec<&str> = said.lines().filter_map(|line| line.trim().split(':').nth(1)).collect();
    assert_eq!(lines, ["1", "2", "4", "5", "8", "9", "11", "13", "16"], "{said}");
    assert!(said.contains("13: rule `r`: its id stands twice; give it another id"), "{said}");
}

#[test]
fn a_person_sees_each_mistake_in_its_line() {
    let rules = "[[rule]]\nid = \"r\"\npaths = [\"**\"]\nforbid = [\"é\", \"(\"] # why\n\
        [[rule]]\nid = \"r\"\npaths = [\"**\"]\n";
    let said = House::new().rules(rules).run(&["rules", "check"], "");
    for wanted in [
        " --> solvi-rules.toml:4:16\n",
        "4 | forbid = [\"é\", \"(\"] # why\n  |                ^^^\n",
        "2 | id = \"r\"\n  | -- it stands first here\n",
    ] {
        assert!(said.stdout.contains(wanted), "{wanted} is not in\n{}", said.stdout);
    }
    assert!(said.stderr.starts_with("error: solvi-rules.toml: 2 mistakes\nnext: "), "{said:?}");
    let hostile = "\"\u{1b}[31m\" = 1\n";
    let said = House::new().rules(hostile).run(&["rules", "check"], "");
    assert!(!said.stdout.contains('\u{1b}') && !said.stderr.contains('\u{1b}'), "{said:?}");
}

#[test]
fn what_is_probably_not_meant_is_a_warning() {
    let rule = |more: &str| format!("[[rule]]\nid = \"r\"\npaths = [\"**\"]\n{more}\n");
    let said = warns(&rule("forbid = [\"a\", \"\\bfoo\"]"));
    assert!(
        said.contains(":4: rule `r`: `forbid` holds `\\u{8}foo`: it holds the control"),
        "{said}"
    );
    let said = warns(&rule("forbid = ['key(\\w+\\s?)+(?<!a)$', '(a+)+$', '(?<!\\.)eval\\(']"));
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(said.contains("on a line of 2003 characters (`key"), "{said}");
    assert_eq!(warns(&rule("forbid = ['\\bfoo', \"a\\tb\"]")), "");
    for (paths, wanted) in [
        ("\"./a\"", "no path begins with `./`; write `a`"),
        ("\"src/\"", "a folder has no path of its own; write `src/**`"),
        ("\"a//b\"", "no path holds `//`; write `a/b`"),
        ("\"../a\"", "no path holds `..`: it is resolved first; a file outside"),
        ("'a\\b'", "`/` stands between folders; write `a/b`"),
        ("\"!a\"", "every glob of the rule excludes"),
        ("\"src/a.py\", \"!**/*.py\"", "`!**/*.py` excludes all that it covers"),
        ("\"a\", \"!**\"", "`!**` excludes all that it covers"),
        ("\"*.{js,ts}\"", "stand for themselves; write `glob = \"extended\"`"),
    ] {
        let rules = format!("[[rule]]\nid = \"r\"\npaths = [{paths}]\nforbid = [\"x\"]\n");
        let said = warns(&rules);
        assert!(said.contains(wanted), "{paths}: {said}");
        assert_eq!(said.lines().count(), 1, "{said}");
        let extended = warns(&format!("glob = \"extended\"\n{rules}"));
        assert_eq!(extended.is_empty(), paths.contains('{'), "{extended}");
    }
    let empty = "the file holds no rule, so nothing is evaluated";
    for text in ["", "version = 1\n", "# a comment\n"] {
        assert!(warns(text).contains(empty), "{text}");
    }
    assert_eq!(warns("extends = [\"builtin\"]\n"), "");
}

#[test]
fn nothing_is_to_be_said_of_the_built_in_rules() {
    assert_eq!(notices(&House::new(), &[], 0), "");
}
