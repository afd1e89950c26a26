//! Secrets in everything that leaves the process.

use crate::checks::desk::Desk;
use crate::support::{House, payload, said};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

const SECRET: &str = "house_0123456789abcdef0123456789abcdef";

/// A rule whose paths are not those of most files here, and rules that object to any file.
const RULES: &str = r#"
version = 1
[[rule]]
id = "token"
paths = ["conf/**"]
forbid = ["house_[0-9a-f]{32}"]
redact = true
[[rule]]
id = "marked"
paths = ["**"]
forbid = ["MARK"]
[[rule]]
id = "calls"
paths = ["**/*.py"]
forbid_calls = ["house_*"]
[[rule]]
id = "header"
paths = ["docs/**"]
require = ["^SPDX"]
"#;

/// Returns a piece of a secret that stands in a text: nine characters in a row, or more.
pub fn piece(text: &str, secret: &str) -> Option<String> {
    let chars: Vec<char> = secret.chars().collect();
    let pieces = chars.windows(9).map(|piece| piece.iter().collect::<String>());
    pieces.into_iter().find(|piece| text.contains(piece.as_str()))
}

/// Returns all that a project's folder for records holds.
pub fn kept(root: &Path) -> String {
    let Ok(files) = fs::read_dir(root.join(".solvi/traces")) else { return String::new() };
    let texts = files.map(|file| fs::read(file.unwrap().path()).unwrap());
    texts.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).collect()
}

#[track_caller]
fn is_hidden(text: &str, of: &str) {
    assert_eq!(piece(text, SECRET), None, "{of}: {text}");
}

/// Runs a hook on a payload; neither what it says nor what it keeps may hold the secret.
#[track_caller]
fn hides(house: &House, args: &[&str], payload: &Value) -> String {
    let said = house.run(&[args, &["--explain"]].concat(), payload.to_string());
    let text = format!("{}\n{}", said.stdout, said.stderr);
    is_hidden(&format!("{text}\n{}", kept(&house.root())), &payload.to_string());
    text
}

fn house() -> House {
    House::new().rules(RULES)
}

fn write(path: &str, content: &str) -> Value {
    payload("Write", &json!({"file_path": path, "content": content}))
}

#[test]
fn a_secret_is_hidden_wherever_a_payload_holds_it() {
    let line = |text: &str| write("a.txt", text);
    let mut named = write("a.txt", "MARK\n");
    named["session_id"] = SECRET.into();
    named["prompt_id"] = format!("p-{SECRET}").into();
    let mut tool = write("a.txt", "MARK\n");
    tool["tool_name"] = format!("mcp__x__{SECRET}").into();
    for payload in [
        line(&format!("MARK k={SECRET}\n")),
        line(&format!("k = \"{SECRET}\"\nMARK\n")),
        line("k = 'house_0123456789abcdef' + '0123456789abcdef'\nMARK\n"),
        line("k = 'house_0123456789abcdef' \\\n  '0123456789abcdef' MARK\n"),
        line(&format!("MARK {}{SECRET}\n", "x".repeat(100))),
        line(&format!("{{\"{SECRET}\": \"MARK\"}}\n")),
        line(&format!("MARK{SECRET}\r\nMARK {SECRET}\r\n")),
        write(&format!("src/{SECRET}.txt"), "MARK\n"),
        write(&format!("{SECRET}/a.txt"), "fine\n"),
        write(&format!("/tmp/{SECRET}/a.txt"), "MARK\n"),
        write("a.py", &format!("{SECRET}()\n")),
        write("a.py", &format!("import m as {SECRET}\n{SECRET}.run(MARK)\n")),
        write("a.py", &format!("def f(:\n  {SECRET}(\n")),
        write("docs/a.md", &format!("{SECRET}\n")),
        write("conf/a.txt", &format!("{SECRET} MARK\n")),
        named,
        tool,
    ] {
        let house = house();
        hides(&house, &["hook", "--agent", "claude"], &payload);
        hides(
            &house,
            &["hook", "--agent", "claude", "--store", "sqlite:.solvi/traces/h.db"],
            &payload,
        );
    }
}

#[test]
fn a_refusal_quotes_no_part_of_a_secret() {
    let half = "k=house_0123456789abcdef01234";
    for old in [format!("k={SECRET}"), half.to_owned(), format!("{half}\nmore")] {
        let house = house().file("docs/b.txt", format!("x\nk={SECRET}\n"));
        let input = json!({"path": "docs/b.txt", "old_str": old, "new_str": "y"});
        let copilot =
            json!({"sessionId": "s", "timestamp": 0, "toolName": "edit", "toolArgs": input});
        hides(&house, &["hook", "--agent", "copilot"], &copilot);
        let first = old.lines().next().unwrap();
        let patch = format!(
            "*** Begin Patch\n*** Update File: docs/b.txt\n@@ {first}\n-{first} \n+y\n*** End Patch\n"
        );
        let codex = json!({"hook_event_name": "PreToolUse", "turn_id": "t",
            "tool_name": "apply_patch", "tool_input": {"command": patch}});
        hides(&house, &["hook", "--agent", "codex"], &codex);
        let broken = format!("*** Begin Patch\n{old}{SECRET}\n*** End Patch\n");
        let codex = json!({"hook_event_name": "PreToolUse", "turn_id": "t",
            "tool_name": "apply_patch", "tool_input": {"command": broken}});
        hides(&house, &["hook", "--agent", "codex"], &codex);
    }
}

#[test]
fn the_lines_of_a_redacted_call_and_its_name_are_hidden() {
    let rules = "[[rule]]\nid = \"login\"\npaths = [\"**/*.py\"]\nforbid_calls = [\"login\", \
                 \"auth_*\"]\nredact = true\n[[rule]]\nid = \"marked\"\npaths = [\"**\"]\nforbid = \
                 [\"MARK\"]\n";
    let secret = "correct-horse-battery";
    for text in [
        format!("login(\n    user,\n    '{secret}',  # MARK\n)\n"),
        format!("x = 1\nlogin('{secret}') or print('{secret} MARK')\n"),
        format!("y = '{secret}'  # MARK\nlogin('{secret}')\n"),
        format!("auth_{}()\n", secret.replace('-', "_")),
    ] {
        let house = House::new().rules(rules);
        let said = house.run(&["hook", "--explain"], write("a.py", &text).to_string());
        let all = format!("{}{}{}", said.stdout, said.stderr, kept(&house.root()));
        for hidden in [secret.to_owned(), secret.replace('-', "_")] {
            assert_eq!(piece(&all, &hidden), None, "{text}: {all}");
        }
        assert!(said.stdout.contains("deny"), "{said:?}");
    }
}

#[test]
fn a_rule_that_cannot_say_what_is_secret_hides_all_that_it_covers() {
    let marked = "[[rule]]\nid = \"marked\"\npaths = [\"**\"]\nforbid = [\"MARK\"]\n";
    for check in ["forbid = [\"house_(\"]", "forbid = ['never', 'house_(']", ""] {
        let rules = format!(
            "[[rule]]\nid = \"vault\"\npaths = [\"conf/**\"]\nredact = true\n{check}\n{marked}"
        );
        let house = House::new().rules(&rules);
        let text = format!("MARK {SECRET}\n");
        hides(&house, &["hook", "--agent", "claude"], &write("conf/a.txt", &text));
    }
    // A pattern that gives up on a line.
    let rules = format!(
        "[[rule]]\nid = \"hard\"\npaths = [\"**\"]\nredact = true\nforbid = \
         ['(?=.*\\d)(?=.*x)foo']\n{marked}"
    );
    let house = House::new().rules(&rules);
    let text = format!("MARK {} {SECRET}\n", "foo ".repeat(1 << 14));
    hides(&house, &["hook", "--agent", "claude"], &write("a.txt", &text));
}

#[test]
fn while_rules_cannot_be_read_no_text_is_kept() {
    for (file, rules) in [
        ("solvi-rules.toml", "x = \n"),
        ("solvi-rules.toml", "[[rule]]\nid = 1\n"),
        ("solvi-rules.toml", "\u{feff}version = 1\n"),
        ("sub/solvi-rules.toml", "x = \n"),
    ] {
        let house = House::new().file(file, rules).file("sub/.git/HEAD", "ref: x\n");
        let text = format!("k={SECRET}\nAKIAQ3EGAB4C7D2E5F6G reviewers must approve this line\n");
        let said = house.run(&["hook", "--agent", "claude"], write("sub/a.txt", &text).to_string());
        let all = format!("{}{}", said.stdout, kept(&house.root()));
        is_hidden(&all, rules);
        assert_eq!(piece(&all, "AKIAQ3EGAB4C7D2E5F6G"), None, "{all}");
        let record: Value =
            serde_json::from_str(kept(&house.root()).lines().next().unwrap_or_default())
                .unwrap_or_default();
        let kept = &record["meta"]["solvi_hook"];
        for key in ["no_result_text", "no_added_lines"] {
            let told = kept[key].as_str().unwrap_or_default();
            assert!(told.contains("SHA-256") && told.contains("bytes"), "{rules}: {record}");
        }
        assert_eq!(house.run(&["verify"], "").status, Some(0));
        let audit = house.run(&["audit", "--project", "."], "");
        is_hidden(&audit.stdout, rules);
    }
}

#[test]
fn records_from_before_a_rule_are_masked_when_they_are_shown() {
    let house = House::new().rules("[[rule]]\nid = \"m\"\npaths = [\"**\"]\nforbid = [\"MARK\"]\n");
    let path = format!("src/{SECRET}/a.txt");
    for payload in [write("a.txt", &format!("MARK \"{SECRET}\"\nmore\n")), write(&path, "MARK\n")] {
        house.run(&["hook", "--agent", "claude"], payload.to_string());
    }
    assert!(kept(&house.root()).contains(SECRET));
    let house = house.rules(RULES);
    for args in [
        &["query"][..],
        &["query", "--last", "--limit", "2"],
        &["query", "--format", "table"],
        &["traces", "export"],
        &["traces", "export", "--format", "csv"],
        &["traces", "export", "--format", "otlp-json"],
        &["audit"],
        &["audit", "--json"],
        &["audit", "--all"],
        &["audit", "--all", "--json"],
        &["report"],
        &["report", "--format", "json"],
        &["report", "--format", "markdown"],
        &["report", "--format", "html"],
        &["verify"],
        &["doctor"],
        &["query", "--session", SECRET],
        &["audit", SECRET],
    ] {
        let said = house.run(args, "");
        is_hidden(&format!("{}{}", said.stdout, said.stderr), &format!("{args:?}"));
    }
    let line = house.run(&["query", "--limit", "1"], "").stdout;
    assert!(serde_json::from_str::<Value>(&line).is_ok(), "{line}");
}

#[test]
fn names_of_branches_and_subjects_of_commits_are_masked() {
    let desk = Desk::judged_by(RULES, &[("a.txt", "x\n")]);
    let branch = format!("topic/{SECRET}");
    desk.git(&["checkout", "-qb", &branch]);
    desk.write("b.txt", "MARK\n").stage().commit(&format!("Use {SECRET}"));
    desk.write(format!("{SECRET}.bin"), [0_u8, 159, 146, 150]).stage().commit("binary");
    let run = |args: &[&str], stdin: &str| {
        let mut command = std::process::Command::new(crate::support::binary());
        command.args(args).current_dir(&desk.root).env_clear();
        command.env("HOME", &desk.root).env("PATH", std::env::var_os("PATH").unwrap());
        let said = said(command, stdin.as_bytes());
        is_hidden(&format!("{}{}", said.stdout, said.stderr), &format!("{args:?}"));
    };
    let range = format!("main..{branch}");
    for format in
        ["text", "json", "jsonl", "sarif", "github", "gitlab", "junit", "rdjson", "markdown"]
    {
        run(&["check-diff", &range, "--each-commit", "--format", format], "");
        run(&["check-diff", &range, "--format", format], "");
    }
    run(&["check-diff", &format!("main..{branch}x")], "");
    let head = desk.word(&["rev-parse", "HEAD"]);
    let zero = "0".repeat(40);
    run(
        &["pre-push", "origin", "--no-store"],
        &format!("refs/heads/{branch} {zero} refs/heads/{branch} {head}\n"),
    );
    run(
        &["pre-push", "origin"],
        &format!("refs/heads/{branch} {head} refs/heads/{branch} {zero}\n"),
    );
    is_hidden(&kept(&desk.root), "the store");
}

#[test]
fn an_installation_that_shows_settings_hides_the_secrets_in_them() {
    let desk = Desk::judged_by(RULES, &[]);
    desk.write(".claude/settings.json", format!("{{\n  \"env\": {{\"K\": \"{SECRET}\"}}\n}}\n"));
    for arguments in [
        &["install", "--agent", "claude", "--dry-run"][..],
        &["install", "--agent", "claude"],
        &["uninstall", "--agent", "claude", "--dry-run"],
    ] {
        let told = desk.run(arguments, "");
        assert_eq!(told.status, Some(0), "{told:#?}");
        is_hidden(&format!("{}{}", told.stdout, told.stderr), arguments[0]);
    }
    // The file keeps what is the person's.
    let file = desk.root.join(".claude/settings.json");
    assert!(fs::read_to_string(file).unwrap().contains(SECRET));
}
