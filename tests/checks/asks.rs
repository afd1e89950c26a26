//! A commit that only a person can let through, and whether there is one.

use super::desk::{Desk, sound};
use crate::support::{Said, said};
use serde_json::{Value, json};

const ASKS: &str = r#"
[[rule]]
id = "careful"
paths = ["**"]
forbid = ["RISKY"]
on_fail = "ask"
why = "Somebody should see this."
"#;

fn desk() -> Desk {
    let desk = Desk::judged_by(ASKS, &[]);
    desk.guarded().write("a.txt", "RISKY\n").stage();
    desk
}

/// Commits at a terminal where somebody types `answer`.
fn commit(desk: &Desk, answer: &str, envs: &[(&str, &str)]) -> Said {
    let mut command = desk.program("script");
    command.args(["-qec", "git commit -q -m m", "/dev/null"]).envs(envs.iter().copied());
    sound(said(command, answer.as_bytes()))
}

/// Returns what the summary of the last check says.
fn recorded(desk: &Desk) -> Value {
    let store = std::fs::read_to_string(desk.root.join(".solvi/traces/hooks.jsonl")).unwrap();
    let last: Value = serde_json::from_str(store.lines().last().unwrap()).unwrap();
    last["meta"]["solvi_hook"]["answered"].clone()
}

#[test]
fn a_yes_at_the_terminal_commits_and_is_on_record() {
    let desk = desk();
    let said = commit(&desk, "y\n", &[]);
    assert_eq!(said.status, Some(0), "{said:?}");
    for words in ["careful", "Somebody should see this.", "Commit all the same? [y/N]"] {
        assert!(said.stdout.contains(words), "{said:?}");
    }
    assert_eq!((desk.commits(), recorded(&desk)), (2, json!(true)));
}

#[test]
fn anything_else_at_the_terminal_stops() {
    for answer in ["n\n", "\n", "yesterday\n"] {
        let desk = desk();
        let said = commit(&desk, answer, &[]);
        assert_eq!(said.status, Some(1), "{said:?}");
        assert_eq!((desk.commits(), recorded(&desk)), (1, json!(false)));
    }
}

#[test]
fn an_agent_is_not_asked() {
    let desk = desk();
    let said = commit(&desk, "y\n", &[("CLAUDECODE", "1")]);
    assert_eq!(said.status, Some(1), "{said:?}");
    assert!(!said.stdout.contains("Commit all the same?"), "{said:?}");
    for words in ["A person decides", "run `git commit` in a terminal", "`git commit --no-verify`"]
    {
        assert!(said.stdout.contains(words), "{said:?}");
    }
    assert_eq!((desk.commits(), recorded(&desk)), (1, Value::Null));
}

#[test]
fn a_refusal_asks_nobody() {
    let rules = format!("{ASKS}[[rule]]\nid = \"never\"\npaths = [\"**\"]\nforbid = [\"NEVER\"]\n");
    let desk = Desk::judged_by(&rules, &[]);
    desk.guarded().write("a.txt", "RISKY\nNEVER\n").stage();
    let said = commit(&desk, "y\n", &[]);
    assert_eq!(said.status, Some(1), "{said:?}");
    assert!(!said.stdout.contains("Commit all the same?"), "{said:?}");
    assert_eq!(desk.commits(), 1);
}

#[test]
fn where_no_record_is_kept_nobody_is_asked() {
    let desk = desk();
    desk.hook("pre-commit", "check-staged --no-store");
    let said = commit(&desk, "y\n", &[]);
    assert_eq!(said.status, Some(1), "{said:?}");
    assert!(!said.stdout.contains("Commit all the same?"), "{said:?}");
    for words in ["A person decides", "leave out `--no-store`", "`git commit --no-verify`"] {
        assert!(said.stdout.contains(words), "{said:?}");
    }
    assert_eq!(desk.commits(), 1);
    assert!(!desk.root.join(".solvi").exists());
}

#[test]
fn a_yes_that_cannot_be_recorded_does_not_count() {
    let desk = desk();
    std::fs::write(desk.root.join(".solvi"), "in the way").unwrap();
    let said = commit(&desk, "y\n", &[]);
    assert_eq!(said.status, Some(1), "{said:?}");
    assert!(said.stdout.contains("this decision is not recorded"), "{said:?}");
    assert_eq!(desk.commits(), 1);
}
