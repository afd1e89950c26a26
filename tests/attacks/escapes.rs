//! Control and bidirectional characters do not reach a terminal as they are.

use crate::checks::desk::{Desk, RULES};
use crate::git::yard::Yard;
use serde_json::json;
use solvi_hook::domain::sanitize::hidden;

/// An escape sequence, a line end that begins a line of ours, a bell, a backspace, C1, an override
/// of the direction, a character without width, a line separator, a tag.
const EVIL: &str =
    "e\u{1b}[31mX\nerror: forged\r\u{7}\u{8}\u{9b}2J\u{202e}\u{200b}\u{2028}\u{e0041}z";

/// Returns what a terminal would take for more than text.
fn raw(text: &str) -> Vec<char> {
    // How CSV ends its lines.
    let text = text.replace("\r\n", "\n");
    text.chars().filter(|char| !matches!(char, '\n' | '\t') && hidden(*char)).collect()
}

fn desk() -> Desk {
    let desk = Desk(Yard::new());
    desk.write("solvi-rules.toml", RULES).write("a.py", "1\n").commit("first");
    desk.write(EVIL.replace('/', "_"), format!("BANNED_WORD{EVIL}\n"));
    desk.write("a.py", format!("1\nBANNED_WORD {EVIL}\n")).commit(EVIL);
    let event = json!({"session_id": EVIL, "cwd": desk.root, "hook_event_name": "PreToolUse",
        "tool_name": "Write", "tool_input": {"file_path": EVIL, "content": format!("BANNED_WORD{EVIL}")}});
    desk.run(&["hook", "--agent", "claude"], event.to_string());
    desk
}

#[test]
fn no_argument_of_any_sub_command_reaches_the_terminal_as_it_is() {
    let desk = desk();
    let mut wrong = Vec::new();
    let command = solvi_hook::cli::command();
    let mut paths: Vec<(Vec<String>, clap::Command)> = vec![(Vec::new(), command)];
    let mut runs: Vec<Vec<String>> = vec![vec![EVIL.to_owned()], vec![format!("--{EVIL}")]];
    while let Some((path, command)) = paths.pop() {
        for sub in command.get_subcommands() {
            let path = [path.clone(), vec![sub.get_name().to_owned()]].concat();
            paths.push((path, sub.clone()));
        }
        if path.is_empty() || path[0] == "help" {
            continue;
        }
        let with =
            |more: &[&str]| [path.clone(), more.iter().map(|&it| it.to_owned()).collect()].concat();
        runs.push(with(&[EVIL]));
        runs.push(with(&[EVIL, EVIL]));
        runs.push(with(&[&format!("--{EVIL}")]));
        runs.push(with(&[&format!("--{EVIL}={EVIL}")]));
        for arg in command.get_arguments() {
            // What asks for JSON is read by a program.
            let Some(long) = arg.get_long().filter(|long| *long != "json") else { continue };
            runs.push(with(&[&format!("--{long}"), EVIL]));
            runs.push(with(&[&format!("--{long}={EVIL}")]));
            runs.push(with(&[&format!("--{long}"), &format!("{EVIL}/{EVIL}")]));
        }
    }
    for run in runs {
        let arguments: Vec<&str> = run.iter().map(String::as_str).collect();
        let told = desk.0.program(crate::support::binary());
        let mut command = told;
        command.args(&arguments);
        let told = crate::support::said(command, b"");
        let (out, err) = (raw(&told.stdout), raw(&told.stderr));
        let forged = format!("{}\n{}", told.stdout, told.stderr)
            .lines()
            .any(|line| line.starts_with("error: forged"));
        if !out.is_empty() || !err.is_empty() || forged {
            wrong.push(format!("{arguments:?} {out:?} {err:?} forged {forged}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_text_from_a_file_reaches_the_terminal_as_it_is() {
    let desk = desk();
    let broken = [
        format!(
            "version = 1\n[[rule]]\nid = {}\npaths = [\"**\"]\nforbid = [\"(\"]\n",
            json!(EVIL)
        ),
        format!("version = 1\n# {}\n[[rule]]\nid = 1\n", EVIL.replace('\n', " ")),
        format!("version = 1\n{} = 2\n", json!(EVIL)),
        format!(
            "version = 1\n[[rule]]\nid = \"x\"\npaths = [{}]\nforbid = [{}]\n",
            json!(EVIL),
            json!(EVIL)
        ),
        format!("version = 1\n[[rule]]\nid = \"x\"\n{} = 1\n", json!(EVIL)),
        "version = 1\n".to_owned() + EVIL,
    ];
    let mut wrong = Vec::new();
    let mut check = |what: &str, arguments: &[&str]| {
        let told = desk.run(arguments, "");
        let (out, err) = (raw(&told.stdout), raw(&told.stderr));
        if !out.is_empty() || !err.is_empty() {
            wrong.push(format!("{what} {arguments:?} {out:?} {err:?}: {told:?}"));
        }
    };
    let commands: &[&[&str]] = &[
        &["check-diff", "HEAD~1..HEAD"],
        &["check-diff", "HEAD~1..HEAD", "--each-commit"],
        &["check-diff"],
        &["check-staged", "--no-store"],
        &["report"],
        &["query", "--format", "table"],
        &["query"],
        &["audit"],
        &["verify"],
        &["rules", "check"],
        &["doctor"],
        &["traces", "export", "--format", "csv"],
    ];
    for arguments in commands {
        check("sound", arguments);
    }
    for rules in &broken {
        desk.write("solvi-rules.toml", rules);
        for arguments in commands {
            check(rules, arguments);
        }
    }
    desk.write("solvi-rules.toml", RULES);
    for file in [".claude/settings.json", ".gemini/settings.json", ".codex/config.toml"] {
        desk.write(file, format!("{{\"hooks\": {{{}: [{EVIL}", json!(EVIL)));
        check(file, &["doctor"]);
        check(file, &["install", "--agent", "all", "--dry-run"]);
        desk.write(
            file,
            json!({"hooks": {"PreToolUse": [{"matcher": EVIL, "hooks":
            [{"type": "command", "command": format!("solvi-hook hook {EVIL}")}]}]}})
            .to_string(),
        );
        check(file, &["doctor"]);
        check(file, &["uninstall", "--agent", "all", "--dry-run"]);
        desk.remove(file);
    }
    desk.write(".solvi/traces/hooks.jsonl", format!("{{\"hash\": {}}}\n{EVIL}\n", json!(EVIL)));
    for arguments in commands {
        check("damaged store", arguments);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
