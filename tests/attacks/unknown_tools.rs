//! Edits, moves and deletions by tools of MCP servers and other unknown tools.

use crate::support::House;
use serde_json::Value;

const RULES: &str = r#"
[[rule]]
id = "no-word"
paths = ["**"]
forbid = ["FORBIDDEN"]

[[rule]]
id = "generated"
paths = ["gen/**"]
on_fail = "deny"

[[rule]]
id = "licence"
paths = ["src/**"]
require = ["Licence"]
"#;

fn house() -> House {
    House::new()
        .rules(RULES)
        .file("src/b.py", "# Licence\nold = 1\nother = 2\n")
        .file("docs/a.md", "# Title\nold\n")
        .file("gen/out.txt", "made\n")
        .file("packages/app/c.ts", "old\n")
        .file(".git/hooks/pre-commit.sample", "x\n")
        .file(".claude/settings.json", "{}\n")
}

/// Calls of a table, each with its number: `{"tool", "input", "verdict", "says"}`.
fn calls(table: &str, root: &str) -> Vec<(usize, Value)> {
    let lines = table.lines().enumerate().filter(|(_, line)| !line.is_empty());
    let read = |(at, line): (usize, &str)| {
        let case = serde_json::from_str(&line.replace("{ROOT}", root));
        (at + 1, case.unwrap_or_else(|error| panic!("line {}: {error}", at + 1)))
    };
    lines.map(read).collect()
}

fn check(table: &str, least: usize) {
    let house = house();
    let calls = calls(table, &house.root().to_string_lossy());
    assert!(calls.len() >= least, "{}", calls.len());
    let mut wrong = Vec::new();
    for (line, call) in &calls {
        let said = house.edit(call["tool"].as_str().unwrap(), call["input"].clone());
        let verdict = call["verdict"].as_str().unwrap_or("allow");
        let says = call["says"].as_str().unwrap_or_default();
        if said.verdict() != verdict || !said.reason().contains(says) {
            wrong.push(format!("line {line}: {call}\n  {}: {}", said.verdict(), said.reason()));
        }
    }
    assert!(wrong.is_empty(), "{} of {}\n{}", wrong.len(), calls.len(), wrong.join("\n"));
}

#[test]
fn ordinary_calls_of_servers_are_met_with_silence() {
    check(include_str!("../vectors/server-calls.jsonl"), 60);
}

#[test]
fn what_an_unknown_tool_may_write_move_or_delete_is_evaluated() {
    check(include_str!("../vectors/unknown-tools.jsonl"), 40);
}
