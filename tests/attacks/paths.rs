//! Paths as each agent resolves them, against the files that the agent really writes.

use crate::support::{House, Said};
use serde_json::{Value, json};
use solvi_hook::domain::byte_name::shown;
use std::fs;

const TABLE: &str = include_str!("../vectors/path-cases.jsonl");

const RULES: &str = "version = 1\n[[rule]]\nid = 'no-mark'\npaths = ['**']\nforbid = ['MARK']\n";

/// A project with what the rows of an agent need.
fn laid_out(agent: &str) -> (House, Vec<Value>) {
    let mut lines = TABLE.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let layout = lines.next().unwrap()["layout"].take();
    let rows: Vec<Value> = lines.filter(|row| row["agent"] == agent).collect();
    let house = House::new().rules(RULES);
    let put = |path: &str, text: &str| {
        let path = match path.strip_prefix("{HOME}/") {
            Some(path) => house.home().join(path),
            None => house.root().join(path),
        };
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    for file in layout["files"].as_array().unwrap() {
        put(file.as_str().unwrap(), "");
    }
    for (link, target) in layout["links"].as_object().unwrap() {
        std::os::unix::fs::symlink(target.as_str().unwrap(), house.root().join(link)).unwrap();
    }
    for row in &rows {
        for file in row["has"].as_array().into_iter().flatten() {
            put(file.as_str().unwrap(), "x = 1\n");
        }
    }
    (house, rows)
}

/// Returns a row's call as the agent sends it to a hook.
fn payload(house: &House, row: &Value) -> Value {
    let text = |key: &str| row[key].as_str().unwrap();
    let root = house.root().to_str().unwrap().to_owned();
    let path = text("written").replace("{ROOT}", &root);
    let mark = format!("x = 'MARK {}'", text("name"));
    let enclosed = |sections: String| format!("*** Begin Patch\n{sections}*** End Patch\n");
    let edits = json!([{"oldText": "x = 1", "newText": mark}]);
    let from = row["has"][0].as_str().unwrap_or_default();
    let (tool, input) = match text("tool") {
        "Write" => ("Write", json!({"file_path": path, "content": mark})),
        "Edit" => ("Edit", json!({"file_path": path, "old_string": "x = 1", "new_string": mark})),
        "add" => ("apply_patch", enclosed(format!("*** Add File: {path}\n+{mark}\n")).into()),
        "update" => (
            "apply_patch",
            enclosed(format!("*** Update File: {path}\n@@\n-x = 1\n+{mark}\n")).into(),
        ),
        "move" => (
            "apply_patch",
            enclosed(format!(
                "*** Update File: {from}\n*** Move to: {path}\n@@\n-x = 1\n+{mark}\n"
            ))
            .into(),
        ),
        "create" => ("create", json!({"path": path, "file_text": mark})),
        "edit" if text("agent") == "copilot" => {
            ("edit", json!({"path": path, "old_str": "x = 1", "new_str": mark}))
        }
        "edit" => ("edit", json!({"path": path, "edits": edits})),
        "write" => ("write", json!({"path": path, "content": mark})),
        "write_file" => ("write_file", json!({"file_path": path, "content": mark})),
        "replace" => (
            "replace",
            json!({"file_path": path, "instruction": "go",
            "old_string": "x = 1", "new_string": mark}),
        ),
        other => panic!("{other}"),
    };
    call(text("agent"), &root, tool, &input)
}

fn call(agent: &str, root: &str, tool: &str, input: &Value) -> Value {
    match agent {
        "claude" => json!({"session_id": "s", "prompt_id": "p", "cwd": root, "tool_use_id": "t",
            "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input}),
        "codex" => json!({"session_id": "s", "turn_id": "t", "cwd": root, "tool_name": tool,
            "hook_event_name": "PreToolUse", "tool_input": {"command": input}}),
        "copilot" => json!({"sessionId": "s", "timestamp": 0, "cwd": root, "toolName": tool,
            "toolArgs": input}),
        "gemini" => json!({"session_id": "s", "timestamp": "0", "cwd": root, "tool_name": tool,
            "hook_event_name": "BeforeTool", "tool_input": input}),
        "pi" => json!({"client": "pi", "protocol": 1, "session_id": "s", "cwd": root,
            "mode": "print", "event": {"type": "tool_call", "toolName": tool, "toolCallId": "t",
            "input": input}}),
        _ => json!({"cwd": root, "tool_name": tool, "tool_input": input}),
    }
}

fn hook(house: &House, agent: &str, payload: &Value) -> Said {
    house.run(&["hook", "--agent", agent, "--no-store"], payload.to_string())
}

fn replay(agent: &str) {
    let (house, rows) = laid_out(agent);
    let (root, home) = (house.root(), house.home());
    let (root, home) = (root.to_str().unwrap(), home.to_str().unwrap());
    let (mut written, mut refused) = (0, 0);
    let mut wrong = Vec::new();
    for row in &rows {
        let Some(file) = row["file"].as_str() else {
            refused += 1;
            continue;
        };
        written += 1;
        let file = file.replace("{HOME}", home).replace("{root}", root.trim_start_matches('/'));
        let said = hook(&house, agent, &payload(&house, row));
        let reply = said.reply();
        let found = said.stdout.contains("MARK") && names(&reply, &file);
        if !found {
            wrong.push(format!("{row}\n    {}", said.stdout));
        }
    }
    assert!(wrong.is_empty(), "{} of {written}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(written > 40 && refused > 10, "{written} {refused}");
}

/// Tells whether some text of a reply is a refusal that names a file.
fn names(reply: &Value, file: &str) -> bool {
    match reply {
        Value::String(text) => text.contains(&format!("refused this edit of {}:\n", shown(file))),
        Value::Object(fields) => fields.values().any(|value| names(value, file)),
        _ => false,
    }
}

#[test]
fn claude_writes_nothing_unseen_by_any_spelling() {
    replay("claude");
}

#[test]
fn codex_writes_nothing_unseen_by_any_spelling() {
    replay("codex");
}

#[test]
fn copilot_writes_nothing_unseen_by_any_spelling() {
    replay("copilot");
}

#[test]
fn gemini_writes_nothing_unseen_by_any_spelling() {
    replay("gemini");
}

#[test]
fn pi_writes_nothing_unseen_by_any_spelling() {
    replay("pi");
}

/// Tells whether a reply of any agent stops the call.
fn stops(said: &Said) -> bool {
    let reply = said.reply();
    let words = ["/decision", "/permission", "/verdict", "/permissionDecision"];
    let nested = "/hookSpecificOutput/permissionDecision";
    let word = |at: &&str| reply.pointer(at).and_then(Value::as_str).map(str::to_owned);
    let words: Vec<String> = words.iter().chain([&nested]).filter_map(word).collect();
    words.iter().any(|word| matches!(&**word, "deny" | "ask" | "block" | "require_approval"))
}

/// A rule about one folder, and paths that lead there to some agent, or to nobody knows whom.
#[test]
fn whoever_asks_every_reading_of_a_path_is_evaluated() {
    let rules = "version = 1\n[[rule]]\nid = 'no-x'\npaths = ['src/**']\nforbid = ['X']\n";
    let house = House::new().rules(rules);
    let root = house.root().to_str().unwrap().to_owned();
    for written in [
        " src/a.py",
        "src/a.py\u{a0}",
        "\u{feff}src/a.py",
        "\u{85}src/a.py",
        "@src/a.py",
        "@./src/../src/a.py",
        "src%2Fa.py",
        "@src%2Fa.py",
        "src\\a.py",
        ".\\src\\a.py",
        "~/../project/src/a.py",
        "file://{ROOT}/src/a.py",
        "file://{ROOT}/src/a.py?x",
        "file:{ROOT}/src/a.py",
        "FILE://{ROOT}/src/a.py#x",
        "file://other{ROOT}/src/a.py",
        "file://{ROOT}/%73rc/a.py",
        " file://{ROOT}\\src\\a.py\t",
        "src/a\0.py",
        "@{ROOT}/src/a.py",
        "src/./a.py/",
        "{ROOT}/src%2fa.py",
    ] {
        let path = written.replace("{ROOT}", &root);
        // A tool of a server that nobody knows, called by each agent; a program of one's own; an
        // agent that is read from documents only.
        let unknown = json!({"path": path, "content": "X\n"});
        for agent in ["claude", "gemini", "copilot", "pi"] {
            if written.starts_with(" file:") {
                continue;
            }
            let payload = call(agent, &root, "mcp__files__save", &unknown);
            assert!(stops(&hook(&house, agent, &payload)), "{agent} {written:?}");
        }
        let own = json!({"event": "pre-write", "cwd": root,
            "files": [{"path": path, "content": "X\n"}]});
        assert!(stops(&hook(&house, "universal", &own)), "universal {written:?}");
        let cursor = json!({"cursor_version": "2", "hook_event_name": "preToolUse", "cwd": root,
            "tool_name": "Write", "tool_input": {"file_path": path, "content": "X\n"}});
        assert!(stops(&hook(&house, "cursor", &cursor)), "cursor {written:?}");
    }
    let text = "*** Begin Patch\n*** Add File: @src/a.py\n+X\n*** End Patch\n";
    let both = call("codex", &root, "apply_patch", &text.into());
    assert!(!stops(&hook(&house, "codex", &both)), "it is another folder to Codex");
    assert!(stops(&hook(&house, "pi", &both)), "`--agent` says that it may be Pi");
}

#[test]
fn protected_files_are_found_by_every_spelling() {
    let house = House::new().rules(RULES);
    let root = house.root().to_str().unwrap().to_owned();
    let pi = [
        "file://{ROOT}/solvi-rules.toml?x",
        "@solvi-rules.toml",
        "@~/../project/solvi-rules.toml",
        "file://localhost{ROOT}/.git/hooks/pre-commit#x",
        "file://{ROOT}/.g\nit/config",
        "file://{ROOT}/%2egit/config",
    ];
    let gemini = [
        "%73olvi-rules.toml",
        ".git%2Fconfig",
        "@solvi-rules.toml",
        "@./.git/config",
        ".gi\0t/config",
        "@/.claude/settings.json",
    ];
    let claude = [
        " solvi-rules.toml",
        "\u{feff}.git/config",
        "~/../project/.git/config",
        ".claude/settings.json\u{a0}",
    ];
    for (agent, tool, field, text, paths) in [
        ("pi", "write", "path", "content", &pi[..]),
        ("gemini", "write_file", "file_path", "content", &gemini),
        ("claude", "Write", "file_path", "content", &claude),
        ("copilot", "create", "path", "file_text", &["./.git//config", "x/../solvi-rules.toml"]),
    ] {
        for written in paths {
            let input = json!({field: written.replace("{ROOT}", &root), text: "ok\n"});
            let said = hook(&house, agent, &call(agent, &root, tool, &input));
            assert!(stops(&said), "{agent} {written:?}: {said:?}");
        }
    }
}

/// Spellings that agents really use must not become questions.
#[test]
fn ordinary_paths_are_silent() {
    let house = House::new().rules(RULES);
    let house = house.file("src/a.py", "x = 1\n").file("src/deep/b.py", "x = 1\n");
    let root = house.root().to_str().unwrap().to_owned();
    for path in [
        "src/b.py",
        "{ROOT}/src/b.py",
        "./src/b.py",
        "src/new (1).py",
        "app/[id]/page.tsx",
        "src/@types/a.d.ts",
        "packages/@scope/a.ts",
        "src/na\u{ef}ve.py",
        "src/a b.py",
        "100%.md",
    ] {
        let path = path.replace("{ROOT}", &root);
        let section = format!("*** Begin Patch\n*** Add File: {path}\n+x\n*** End Patch\n");
        for (agent, tool, input) in [
            ("claude", "Write", json!({"file_path": path, "content": "x = 2\n"})),
            ("gemini", "write_file", json!({"file_path": path, "content": "x = 2\n"})),
            ("pi", "write", json!({"path": path, "content": "x = 2\n"})),
            ("copilot", "create", json!({"path": path, "file_text": "x = 2\n"})),
            ("codex", "apply_patch", section.into()),
            ("claude", "mcp__files__save", json!({"path": path, "content": "x = 2\n"})),
        ] {
            let said = hook(&house, agent, &call(agent, &root, tool, &input));
            assert!(!stops(&said), "{agent} {path:?}: {said:?}");
        }
    }
    let edit = json!({"file_path": "b.py", "instruction": "x", "old_string": "x = 1",
        "new_string": "x = 2"});
    let said = hook(&house, "gemini", &call("gemini", &root, "replace", &edit));
    assert!(!stops(&said), "{said:?}");
}

fn extended(mut payload: Value, fields: &Value) -> Value {
    payload.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    payload
}

/// What a payload looks like decides who answers, and never that nobody looks.
#[test]
fn no_shape_of_a_payload_lets_an_edit_pass() {
    let house = House::new().rules(RULES);
    let root = house.root().to_str().unwrap().to_owned();
    let write = json!({"session_id": "s", "cwd": root, "tool_name": "write_file",
        "tool_input": {"file_path": "a.py", "content": "MARK\n"}});
    for fields in [
        json!({}),
        json!({"transcript_path": ""}),
        json!({"transcript_path": null}),
        json!({"transcript_path": "/h/session-state/x"}),
        json!({"timestamp": 5, "transcript_path": []}),
    ] {
        let event = json!({"hook_event_name": "BeforeTool", "timestamp": "0"});
        let payload = extended(extended(write.clone(), &event), &fields);
        assert!(stops(&hook(&house, "gemini", &payload)), "{payload}");
        let unsaid = house.run(&["hook", "--no-store"], payload.to_string());
        assert!(stops(&unsaid), "{payload}");
    }
    // An event that nobody knows, and a payload that two agents could have sent.
    for fields in [
        json!({"hook_event_name": "PreToolUseV2"}),
        json!({"hook_event_name": "beforetool"}),
        json!({"hook_event_name": "pretooluse", "timestamp": 0}),
        json!({"hook_event_name": "PreToolUse", "turn_id": "t", "sessionId": "s"}),
        json!({"hook_event_name": "PreToolUse", "turn_id": "t", "effort": 1}),
    ] {
        let payload = extended(extended(write.clone(), &json!({"tool_name": "Write"})), &fields);
        for agent in ["claude", "codex", "copilot", "gemini"] {
            assert!(stops(&hook(&house, agent, &payload)), "{agent} {payload}");
        }
        let unsaid = house.run(&["hook", "--no-store"], payload.to_string());
        assert!(stops(&unsaid), "{payload}");
    }
    // Fields that hold no name, and events that this agent reads under another name.
    for fields in [
        json!({"hook_event_name": ""}),
        json!({"hook_event_name": null}),
        json!({"hook_event_name": ["Stop"]}),
        json!({"hook_event_name": "PreToolUse"}),
        json!({"hook_event_name": "PreToolUse", "client": "pi", "event": {"type": "tool_result"}}),
    ] {
        let payload = extended(extended(write.clone(), &json!({"tool_name": "Write"})), &fields);
        for agent in ["claude", "codex", "copilot", "gemini", "cursor"] {
            assert!(stops(&hook(&house, agent, &payload)), "{agent} {payload}");
        }
    }
    let flat = json!({"sessionId": "s", "timestamp": 0, "cwd": house.root().to_str(),
        "toolName": "create", "toolArgs": {"path": "x.py", "file_text": "MARK"}});
    for name in ["toolResult", "error"] {
        let payload = extended(flat.clone(), &json!({name: null}));
        assert!(stops(&hook(&house, "copilot", &payload)), "{name}");
    }
    // Where a permission is asked for and it is not known by whom, it is refused in so many words.
    let asked = json!({"tool_name": "Write", "hook_event_name": "PermissionRequest"});
    let asked = house.run(&["hook", "--no-store"], extended(write.clone(), &asked).to_string());
    let reply = asked.reply();
    assert_eq!(reply["behavior"], "deny");
    assert_eq!(reply["hookSpecificOutput"]["decision"]["behavior"], "deny");
    // Events that have a tool and are known are none of our business.
    for event in ["PostToolUseFailure", "PermissionDenied", "Notification", "BeforeModel"] {
        let payload = extended(write.clone(), &json!({"hook_event_name": event}));
        assert!(!stops(&hook(&house, "claude", &payload)), "{event}");
    }
}

#[test]
fn an_envelope_anywhere_in_a_command_is_evaluated() {
    let house = House::new().rules(RULES).file("sub/a.py", "x = 1\n");
    let root = house.root().to_str().unwrap().to_owned();
    let add = "*** Begin Patch\n*** Add File: b.py\n+MARK\n*** End Patch";
    let update = "*** Begin Patch\n*** Update File: a.py\n@@\n-x = 1\n+MARK\n*** End Patch";
    let fine = "*** Begin Patch\n*** Add File: ok.py\n+x\n*** End Patch";
    let bash = |command: &str| {
        json!({"session_id": "s", "turn_id": "t", "cwd": root, "hook_event_name": "PreToolUse",
            "tool_name": "Bash", "tool_input": {"command": command}})
    };
    for command in [
        format!("apply_patch <<'EOF'\n{add}\nEOF\n"),
        format!("apply_patch <<'EOF'\n{add}\nEOF\nls"),
        format!("ls; apply_patch <<'EOF'\n{add}\nEOF\n"),
        format!("cd sub; apply_patch <<'EOF'\n{update}\nEOF\n"),
        format!("cd sub && git status && apply_patch <<'EOF' && echo done\n{update}\nEOF\n"),
        format!("apply_patch '{add}'"),
        format!("apply_patch \"{add}\""),
        format!("echo '{add}' | apply_patch"),
        format!("apply_patch $'{}'", add.replace('\n', "\\n")),
        format!("cat > p <<'EOF'\n{add}\nEOF\napply_patch < p"),
        format!("python3 - <<'EOF'\nrun(['apply_patch', '''{add}'''])\nEOF"),
        format!("apply_patch '{fine}'; apply_patch '{add}'"),
        format!("bash -lc \"apply_patch <<'EOF'\n{add}\nEOF\n\""),
    ] {
        assert!(stops(&hook(&house, "codex", &bash(&command))), "{command}");
    }
    for command in ["ls", "grep -r 'Begin Patch' .", "echo '*** Begin Patch'"] {
        assert!(!stops(&hook(&house, "codex", &bash(command))), "{command}");
    }
}

#[test]
fn cursor_is_told_yes_and_no_in_so_many_words() {
    let rules = "version = 1\n[[rule]]\nid = 'no-x'\npaths = ['**']\nforbid = ['X']\n\
        on_fail = 'ask'\n[[rule]]\nid = 'keep'\npaths = ['keep/**']\n";
    let house = House::new().rules(rules);
    let root = house.root().to_str().unwrap().to_owned();
    let cell = json!({"target_notebook": "n.ipynb", "cell_idx": 0, "is_new_cell": true,
        "old_string": "", "new_string": "X"});
    for (tool, input, word) in [
        ("Write", json!({"file_path": "a", "content": "ok\n"}), "allow"),
        ("Read", json!({"file_path": "a"}), "allow"),
        ("Shell", json!({"command": "ls"}), "allow"),
        ("Write", json!({"file_path": "a", "content": "X\n"}), "deny"),
        ("Delete", json!({"file_path": "keep/a"}), "deny"),
        ("Delete", json!({"path": ".git/config"}), "deny"),
        ("Delete", json!({"path": "b"}), "allow"),
        ("EditNotebook", cell, "deny"),
        ("EditNotebook", json!({"target_notebook": 5, "new_string": "y"}), "deny"),
    ] {
        let payload = json!({"cursor_version": "2", "hook_event_name": "preToolUse", "cwd": root,
            "tool_name": tool, "tool_input": input});
        let reply = hook(&house, "cursor", &payload).reply();
        assert_eq!(reply["permission"], word, "{tool} {input}: {reply}");
    }
}
