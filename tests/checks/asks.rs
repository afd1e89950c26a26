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
    for words in ["careful", "Somebody should see this.", "Commit anyway? [y/N]"] {
        assert!(said.stdout.contains(words), "{said:?}");
    }
    // The finding is told in the question, and not once more.
    assert_eq!(said.stdout.matches("Somebody should see this.").count(), 1, "{said:?}");
    assert_eq!((desk.commits(), recorded(&desk)), (2, json!(true)));
}

#[test]
fn anything_else_at_the_terminal_stops() {
    for answer in ["n\n", "\n", "yesterday\n"] {
        let desk = desk();
        let said = commit(&desk, answer, &[]);
        assert_eq!(said.status, Some(1), "{said:?}");
        assert!(said.stdout.contains("Commit aborted"), "{said:?}");
        assert_eq!(said.stdout.matches("Somebody should see this.").count(), 1, "{said:?}");
        assert_eq!((desk.commits(), recorded(&desk)), (1, json!(false)));
    }
}

#[test]
fn a_clean_commit_is_silent_and_a_check_by_hand_is_not() {
    let desk = Desk::judged_by(ASKS, &[]);
    desk.guarded().write("a.txt", "fine\n").stage();
    let by_hand = desk.run(&["check-staged", "--no-store"], "");
    assert!(by_hand.stdout.contains("staged changes: no findings in 1 file.\n"), "{by_hand:?}");
    let said = sound(said(
        {
            let mut git = desk.0.command();
            git.args(["commit", "-q", "-m", "m"]);
            git
        },
        b"",
    ));
    assert_eq!((said.status, said.stdout + &said.stderr), (Some(0), String::new()));
    let said = commit(&desk, "", &[]);
    assert!(said.stdout.contains("nothing to commit"), "{said:?}");
}

#[test]
fn an_agent_is_not_asked() {
    let desk = desk();
    let said = commit(&desk, "y\n", &[("CLAUDECODE", "1")]);
    assert_eq!(said.status, Some(1), "{said:?}");
    assert!(!said.stdout.contains("Commit anyway?"), "{said:?}");
    for words in ["Needs approval", "run `git commit` in a terminal", "`git commit --no-verify`"] {
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
    assert!(!said.stdout.contains("Commit anyway?"), "{said:?}");
    assert_eq!(desk.commits(), 1);
}

#[test]
fn where_no_record_is_kept_nobody_is_asked() {
    let desk = desk();
    desk.hook("pre-commit", "check-staged --no-store");
    let said = commit(&desk, "y\n", &[]);
    assert_eq!(said.status, Some(1), "{said:?}");
    assert!(!said.stdout.contains("Commit anyway?"), "{said:?}");
    for words in ["Needs approval", "leave out `--no-store`", "`git commit --no-verify`"] {
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
