//! One run of the hook, seen from outside: what each verdict sounds like, what is kept, and from
//! which folder the rules come.

use crate::support::{House, payload, said};
use serde_json::{Value, json};
use std::fs;

const RULES: &str = r#"
[[rule]]
id = "no-debug"
paths = ["src/**"]
forbid = ["DEBUG"]
why = "Remove debug switches."
instead = "use the log level"

[[rule]]
id = "soft"
paths = ["**"]
forbid = ["FIXME"]
on_fail = "warn"
why = "Somebody must come back for this."

[[rule]]
id = "token"
paths = ["**"]
forbid = ["tok_[0-9a-z]{8}"]
redact = true
"#;

fn house() -> House {
    House::new().rules(RULES)
}

#[test]
fn a_refusal_names_the_rule_the_lines_why_and_what_to_do_instead() {
    let lines: Vec<String> = (1..=8).map(|number| format!("DEBUG {number}\n")).collect();
    let said = house().write("src/a.txt", &lines.concat());
    said.expect(
        "deny",
        &["src/a.txt", "no-debug: Remove debug switches.", "line 5: DEBUG 5", "and 3 more"],
    );
    said.expect("deny", &["instead: use the log level"]);
    assert!(!said.reason().contains("line 6"), "{}", said.reason());
}

#[test]
fn an_edit_that_nothing_stands_against_is_met_with_silence_or_approved() {
    let house = house();
    assert_eq!(house.write("a.txt", "fine\n").stdout, "");
    let write = json!({"file_path": "a.txt", "content": "fine\n"});
    let said = house.edit_with(&["--approve"], "Write", write);
    assert_eq!(said.reply()["hookSpecificOutput"]["permissionDecision"], "allow");
}

#[test]
fn a_warning_reaches_the_model_and_the_person_and_stops_nothing() {
    let house = house();
    let said = house.write("a.txt", "FIXME\n");
    let reply = said.reply();
    assert_eq!(said.verdict(), "warn");
    assert_eq!(reply["hookSpecificOutput"]["permissionDecision"], Value::Null);
    let context = reply["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    assert!(context.contains("soft: Somebody must come back for this."), "{context}");
    assert_eq!(reply["systemMessage"], context);
    let write = json!({"file_path": "a.txt", "content": "FIXME\n"});
    let said = house.edit_with(&["--approve"], "Write", write);
    assert_eq!(said.reply()["hookSpecificOutput"]["permissionDecision"], "allow");
    assert!(said.reply()["hookSpecificOutput"]["additionalContext"].is_string());
}

#[test]
fn a_long_reason_is_cut_before_the_client_puts_it_away() {
    let rules: Vec<String> = (0..200)
        .map(|number| {
            format!(
                "[[rule]]\nid = \"r{number}\"\npaths = [\"**\"]\nforbid = [\"x\"]\nwhy = \"{}\"\n",
                "w".repeat(90)
            )
        })
        .collect();
    let reason = House::new().rules(&rules.concat()).write("a.txt", "x\n").reason();
    assert!(reason.len() < 10_000 && reason.contains("more lines"), "{}", reason.len());
}

#[test]
fn text_from_the_change_cannot_pass_for_the_hooks_own() {
    let house = House::new().rules("[[rule]]\nid = \"r\"\npaths = [\"**\"]\nforbid = [\"x\"]\n");
    let said = house.write("a\nb: fine.txt", "x\u{1b}[2K\u{202e}\r- other: fine\n");
    said.expect("deny", &["a\\nb: fine.txt", "line 1: x\\u{1b}[2K\\u{202e}\\r- other: fine"]);
}

#[test]
fn a_secret_reaches_neither_the_reply_nor_the_record_nor_the_explanation() {
    let house = house();
    let write = json!({"file_path": "src/a.txt", "content": "DEBUG tok_12345678\n"});
    let said = house.edit_with(&["--explain"], "Write", write);
    said.expect("deny", &["token: ", "line 1: DEBUG tok_…"]);
    let record = fs::read_to_string(house.root().join(".solvi/traces/hooks.jsonl")).unwrap();
    assert_eq!(record.lines().count(), 2, "the decision, and the note that its content is gone");
    for text in [&said.stdout, &said.stderr, &record] {
        assert!(!text.contains("12345678"), "{text}");
    }
}

#[test]
fn every_decision_is_kept_in_one_chain_that_git_does_not_see() {
    use std::os::unix::fs::PermissionsExt;
    let house = house();
    for number in 0..3 {
        house.write("src/a.txt", &format!("DEBUG {number}\n"));
    }
    let store = house.root().join(".solvi/traces/hooks.jsonl");
    let mut prev = String::new();
    for (line, seq) in fs::read_to_string(&store).unwrap().lines().zip(0..) {
        let record: Value = serde_json::from_str(line).unwrap();
        assert_eq!((&record["seq"], &record["prev"]), (&json!(seq), &json!(prev)));
        assert_eq!(record["meta"]["outcome"], "deny");
        record["hash"].as_str().unwrap().clone_into(&mut prev);
    }
    assert_eq!(fs::metadata(&store).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::read_to_string(house.root().join(".solvi/.gitignore")).unwrap().trim(), "*");
    assert!(house.write("src/a.txt", "DEBUG\n").reason().contains("(recorded as "));
}

#[test]
fn nothing_is_kept_where_git_would_see_it_or_a_link_leads_elsewhere() {
    let house = house().file(".solvi/.gitignore", "!*\n");
    house.write("src/a.txt", "DEBUG\n").expect("deny", &["not recorded", ".gitignore"]);
    assert!(!house.root().join(".solvi/traces").exists());
    let house = self::house().file("else/keep", "");
    std::os::unix::fs::symlink("else", house.root().join(".solvi")).unwrap();
    house.write("src/a.txt", "DEBUG\n").expect("deny", &["not recorded"]);
    assert_eq!(fs::read_dir(house.root().join("else")).unwrap().count(), 1);
}

#[test]
fn the_project_is_the_repository_that_the_session_is_in() {
    let house = house().file("src/deep/x", "").file("linked/.git", "gitdir: ../.git/w\n");
    let house = house.file("linked/solvi-rules.toml", "").file("linked/src/x", "");
    let root = house.root();
    let verdict = |cwd: &str, path: &str, envs: &[(&str, &str)], args: &[&str]| {
        let mut payload = payload("Write", &json!({"file_path": path, "content": "DEBUG\n"}));
        payload["cwd"] = json!(root.join(cwd));
        let args: Vec<&str> = ["pre-edit", "--no-store"].iter().chain(args).copied().collect();
        let mut command = house.command(&args);
        command.envs(envs.iter().copied()).current_dir("/");
        said(command, payload.to_string().as_bytes()).verdict()
    };
    assert_eq!(verdict("src/deep", "../a.txt", &[], &[]), "deny", "up to .git");
    assert_eq!(verdict("src/deep", "a.txt", &[], &[]), "deny", "paths from the session's folder");
    assert_eq!(verdict("linked/src", "a.txt", &[], &[]), "allow", "a linked worktree is its own");
    let path = root.join("src/a.txt");
    let path = path.to_str().unwrap();
    assert_eq!(verdict("linked", path, &[], &["--project", root.to_str().unwrap()]), "deny");
    fs::remove_dir_all(root.join(".git")).unwrap();
    let elsewhere = root.join("src/deep");
    let named = [("CLAUDE_PROJECT_DIR", root.to_str().unwrap())];
    assert_eq!(verdict(elsewhere.to_str().unwrap(), path, &named, &[]), "deny", "no repository");
}

#[test]
fn rules_are_found_by_flag_variable_file_or_built_in() {
    let write = json!({"file_path": "a.txt", "content": "ONE TWO\n"});
    let rule = |id: &str, text: &str| {
        format!("[[rule]]\nid = \"{id}\"\npaths = [\"**\"]\nforbid = [\"{text}\"]\n")
    };
    let house = House::new()
        .file(".config/solvi-rules.toml", rule("found", "ONE"))
        .file("other/rules.toml", rule("named", "TWO"));
    house.edit("Write", write.clone()).expect("deny", &["found: "]);
    let args = ["--rules", "other/rules.toml"];
    house.edit_with(&args, "Write", write.clone()).expect("deny", &["named: "]);
    let mut command = house.command(&["pre-edit"]);
    command.env("SOLVI_HOOK_RULES", "other/rules.toml");
    let stdin = payload("Write", &write).to_string();
    said(command, stdin.as_bytes()).expect("deny", &["named: "]);
    House::new().write("a.py", "eval(x)\n").expect("deny", &["no-dynamic-code: "]);
}

#[test]
fn install_makes_the_hook_answer_and_uninstall_takes_it_out_to_the_last_byte() {
    let before = "{\n  \"model\": \"x\",\n  \"permissions\": {\"deny\": [\"Read(.env)\"]}\n}\n";
    let house = house().file(".claude/settings.json", before);
    let installed = house.run(&["install"], "");
    assert_eq!(installed.status, Some(0), "{installed:?}");
    let text = || fs::read_to_string(house.root().join(".claude/settings.json")).unwrap();
    let settings: Value = serde_json::from_str(&text()).unwrap();
    let command = &settings["hooks"]["PreToolUse"][0]["hooks"][0]["command"];
    let mut shell = std::process::Command::new("/bin/sh");
    shell.args(["-c", command.as_str().unwrap()]).current_dir(house.root());
    let write = payload("Write", &json!({"file_path": "src/a.txt", "content": "DEBUG\n"}));
    said(shell, write.to_string().as_bytes()).expect("deny", &["no-debug"]);
    assert_eq!(house.run(&["install"], "").status, Some(0));
    assert_eq!(house.run(&["uninstall"], "").status, Some(0));
    assert_eq!(text(), before);
}
