//! Edits, moves and deletions by tools of MCP servers and other unknown tools.

use crate::support::House;
use serde_json::{Value, json};

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

/// Each agent joins the names of server and tool in its own way.
#[test]
fn the_tools_of_servers_are_known_in_every_agents_words() {
    let house = house();
    let root = house.root().to_string_lossy().into_owned();
    let input = json!({"path": "src/b.py", "content": "FORBIDDEN"});
    let text = input.to_string();
    let payloads = [
        (
            "claude",
            json!({"session_id": "s", "hook_event_name": "PreToolUse", "cwd": root,
            "tool_name": "mcp__search__stash", "tool_input": input}),
        ),
        (
            "codex",
            json!({"session_id": "s", "turn_id": "t", "hook_event_name": "PreToolUse",
            "cwd": root, "tool_name": "mcp__read__stash", "tool_input": input}),
        ),
        (
            "codex",
            json!({"session_id": "s", "turn_id": "t", "hook_event_name": "PreToolUse",
            "cwd": root, "tool_name": "search__stash", "tool_input": input}),
        ),
        (
            "gemini",
            json!({"session_id": "s", "hook_event_name": "BeforeTool", "cwd": root,
            "tool_name": "mcp_search_stash", "tool_input": input}),
        ),
        (
            "gemini",
            json!({"session_id": "s", "hook_event_name": "BeforeTool", "cwd": root,
            "tool_name": "mcp_my_search_stash", "tool_input": input,
            "mcp_context": {"server_name": "my_search", "tool_name": "stash"}}),
        ),
        (
            "copilot",
            json!({"sessionId": "s", "timestamp": 1, "cwd": root,
            "toolName": "search-stash", "toolArgs": text}),
        ),
        (
            "cursor",
            json!({"conversation_id": "c", "generation_id": "g", "cwd": root,
            "hook_event_name": "beforeMCPExecution", "tool_name": "stash", "tool_input": text}),
        ),
        (
            "cursor",
            json!({"conversation_id": "c", "generation_id": "g", "cwd": root,
            "hook_event_name": "preToolUse", "tool_name": "MCP:stash", "tool_input": input}),
        ),
        (
            "pi",
            json!({"client": "pi", "protocol": 1, "session_id": "s", "cwd": root,
            "mode": "print", "event": {"type": "tool_call", "toolName": "mcp__search__stash",
            "toolCallId": "c", "input": input}}),
        ),
    ];
    for (agent, payload) in payloads {
        let said = house.run(&["hook", "--agent", agent], payload.to_string());
        let refused = said.stdout.contains("deny") && said.stdout.contains("no-word");
        assert!(refused, "{agent}: {payload}\n{said:?}");
        let read = payload.to_string().replace("stash", "get_file");
        let said = house.run(&["hook", "--agent", agent], read);
        assert!(!said.stdout.contains("no-word"), "{agent}: {said:?}");
    }
}

/// What a well-known server makes of a file is computed, so that rules about whole files hold too.
#[test]
fn the_edits_of_known_servers_are_computed() {
    let house = house();
    let edit = |tool: &str, input: Value| house.edit(&format!("mcp__any__{tool}"), input);
    let replaced = json!({"path": "src/b.py", "edits": [{"oldText": "# Licence", "newText": "#"}]});
    edit("edit_file", replaced).expect("deny", &["licence", "does not match"]);
    let absent = json!({"path": "src/b.py", "edits": [{"oldText": "nowhere", "newText": "#"}]});
    edit("edit_file", absent).expect("ask", &["not found in the file"]);
    let trial = json!({"path": "src/b.py", "dryRun": true,
        "edits": [{"oldText": "old", "newText": "FORBIDDEN"}]});
    edit("edit_file", trial).expect("deny", &["no-word"]);
    let whole = json!({"path": "src/new.py", "content": "x = 1\n"});
    edit("write_file", whole).expect("deny", &["licence"]);
    let kept = json!({"relative_path": "src/b.py", "needle": "old", "repl": "FORBIDDEN",
        "mode": "literal"});
    edit("replace_content", kept).expect("deny", &["line 2: FORBIDDEN = 1"]);
    let pattern = json!({"relative_path": "src/b.py", "needle": "o.d", "repl": "FORBIDDEN",
        "mode": "regex"});
    edit("replace_content", pattern).expect("deny", &["no-word"]);
    let pushed = json!({"owner": "o", "repo": "r", "branch": "b", "message": "m",
        "files": [{"path": "docs/a.md", "content": "fine\n"}, {"path": "gen/a", "content": "x"}]});
    edit("push_files", pushed).expect("deny", &["gen/a", "generated"]);
    let editor = json!({"command": "insert", "path": "docs/a.md", "insert_line": 1,
        "insert_text": "FORBIDDEN"});
    edit("str_replace_based_edit_tool", editor).expect("deny", &["line 2: FORBIDDEN"]);
    let moved = json!({"source": "docs/a.md", "destination": "src/a.md"});
    edit("move_file", moved).expect("deny", &["licence"]);
    let remote = json!({"owner": "o", "repo": "r", "path": "gen/out.txt", "message": "m",
        "branch": "b"});
    edit("delete_file", remote).expect("deny", &["generated"]);
}

/// Many programs open a path as it is written: links are followed before `..` is taken.
#[cfg(unix)]
#[test]
fn a_path_is_also_read_as_a_program_opens_it() {
    let house = house();
    let root = house.root();
    std::os::unix::fs::symlink("../gen", root.join("docs/link")).unwrap();
    let path = "docs/link/../src/b.py";
    let write = json!({"path": path, "content": "# Licence\n"});
    house.edit("mcp__s__write", write).expect("allow", &[]);
    for path in ["docs/link/../gen/x", "docs/link/../solvi-rules.toml", "docs/link/../.git/x"] {
        for tool in ["mcp__s__write", "mcp__filesystem__write_file"] {
            let said = house.edit(tool, json!({"path": path, "content": "x\n"}));
            assert_ne!(said.verdict(), "allow", "{tool} {path}");
        }
        let payload = json!({"event": "pre-write", "cwd": root.to_str(),
            "files": [{"path": path, "content": "x\n"}]});
        let said = house.run(&["hook", "--no-store", "--agent", "universal"], payload.to_string());
        assert_ne!(said.reply()["decision"], "allow", "{path}");
    }
}
