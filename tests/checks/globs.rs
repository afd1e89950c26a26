//! Globs with choices and sets, in the rules files that know them.

use super::desk::Desk;
use crate::support::House;

const EXTENDED: &str = "glob = \"extended\"";
const EXTENDS: &str = "extends = [\"builtin\"]";

fn rules(top: &str, paths: &str) -> String {
    format!("{top}\n[[rule]]\nid = \"r\"\npaths = {paths}\nforbid = [\"BANNED\"]\n")
}

fn found(rules: &str, files: &[&str]) -> Vec<String> {
    let desk = Desk::judged_by(rules, &[]);
    for file in files {
        desk.write(file, "BANNED\n");
    }
    desk.stage();
    let mut found = desk.staged().found();
    found.sort_unstable();
    found
}

#[test]
fn choices_and_sets_count_in_files_that_say_so_or_extend_and_are_literal_in_others() {
    let files = ["src/a.ts", "src/b.tsx", "src/c.js", "v1/x", "v[0-9]/x", "src/{ts,tsx}"];
    let paths = "[\"src/*{.ts,.tsx}\", \"src/{ts,tsx}\", \"v[0-9]/*\", \"!**/[!a-x]*\"]";
    let meant = ["r src/a.ts:1", "r src/b.tsx:1", "r v1/x:1"];
    assert_eq!(found(&rules(EXTENDED, paths), &files), meant);
    assert_eq!(found(&rules(EXTENDS, paths), &files), meant);
    assert_eq!(found(&rules("", paths), &files), ["r src/{ts,tsx}:1", "r v[0-9]/x:1"]);
}

#[test]
fn a_glob_that_cannot_be_read_is_an_error_with_its_line() {
    for (glob, problem) in [
        ("src/[z-a]", "`z-a` is no range: `z` comes after `a`"),
        ("src/[ab", "its `[` is not closed; write `[[]` for the character itself"),
        ("!src/{a,b", "its `{` is not closed; write `[{]` for the character itself"),
        ("src/{a}", "its braces hold no choice"),
    ] {
        let paths = format!("[\n  \"src/**\",\n  \"{glob}\",\n]");
        for top in [EXTENDED, EXTENDS] {
            let house = House::new().rules(&rules(top, &paths));
            let said = house.run(&["rules", "check"], "");
            let (problem, _) = problem.split_once("; ").unwrap_or((problem, ""));
            let wanted = format!("error: rule `r`: `paths` holds `{glob}`: {problem}\n");
            assert!(said.status == Some(2) && said.stdout.contains(&wanted), "{said:?}");
            assert!(said.stdout.contains(" --> solvi-rules.toml:6:3\n"), "{said:?}");
            assert_eq!(house.write("other", "x\n").verdict(), "ask");
        }
        let house = House::new().rules(&rules("", &paths));
        assert_eq!(house.run(&["rules", "check"], "").status, Some(0));
    }
}

#[test]
fn another_word_for_the_dialect_is_an_error() {
    for (value, got) in [("\"regex\"", "\"regex\""), ("true", "a truth value")] {
        let said = House::new()
            .rules(&rules(&format!("glob = {value}"), "\"a\""))
            .run(&["rules", "check"], "");
        let wanted = format!("error: `glob` is {got}\n --> solvi-rules.toml:1:1\n");
        assert!(said.status == Some(2) && said.stdout.contains(&wanted), "{said:?}");
        let help = "help: write `glob = \"extended\"`, or leave it out\n";
        assert!(said.stdout.contains(help), "{said:?}");
    }
}

#[test]
fn another_dialect_loosens_the_rules_whose_globs_it_reads_otherwise() {
    let two = |top: &str| {
        let more = "[[rule]]\nid = \"plain\"\npaths = [\"src/**\"]\nforbid = [\"y\"]\n";
        format!("{}{more}", rules(top, "\"src/{ts,tsx}\""))
    };
    for (before, after, told) in [
        ("", EXTENDED, "reads `src/{ts,tsx}` in another dialect"),
        (EXTENDED, "", "lacks `src/ts`"),
    ] {
        let desk = Desk::judged_by(&two(before), &[]);
        desk.write("solvi-rules.toml", two(after)).stage();
        let said = desk.run(&["check-staged", "--no-store"], "").stdout;
        assert!(said.contains("rules-loosened") && said.contains(told), "{said}");
        assert!(!said.contains("`plain`"), "{said}");
    }
}
