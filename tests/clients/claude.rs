//! Claude Code, run as `claude -p` with a model of the Messages API.

use super::house::{House, LEAVES, RULES, Verdicts};
use super::limited::Ran;
use super::mock::anthropic::WIRE;
use super::mock::{Mock, Say, call};
use serde_json::{Value, json};

fn session(house: &House, mock: &Mock) -> Ran {
    session_with(house, mock, &[])
}

pub fn session_with(house: &House, mock: &Mock, more: &[&str]) -> Ran {
    let environment = [
        ("ANTHROPIC_BASE_URL", mock.url()),
        ("ANTHROPIC_API_KEY", "nobody-s-key".to_owned()),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".to_owned()),
        ("DISABLE_TELEMETRY", "1".to_owned()),
        ("DISABLE_ERROR_REPORTING", "1".to_owned()),
        ("DISABLE_AUTOUPDATER", "1".to_owned()),
    ];
    let environment: Vec<_> = environment.iter().map(|(key, it)| (*key, it.as_str())).collect();
    let args = ["-p", "go", "--output-format", "json", "--permission-mode", "acceptEdits"];
    house.session(mock, &[&args[..], more].concat(), &environment)
}

/// Files may be edited once they were read.
fn reads(house: &House, names: &[&'static str]) -> Vec<Say> {
    let read = |name: &&'static str| Say::Call {
        id: name,
        tool: "Read",
        input: json!({"file_path": house.path(name)}),
    };
    names.iter().map(read).collect()
}

fn edit(house: &House, name: &str, old: &str, new: &str) -> Value {
    json!({"file_path": house.path(name), "old_string": old, "new_string": new})
}

#[test]
fn each_verdict_is_honoured() {
    let Some(house) = House::of("claude") else { return };
    house.write("a.py", "x = 1\n");
    house.write("quotes.py", "x = load(\u{201c}1\u{201d})\n");
    house.write("joined.py", "x = ev# note\nal('1')\n");
    house.commit();
    house.install();
    house.promises("PreToolUse", "ask", "in `claude -p` an ask is a refusal");
    let write = |name: &str, text: &str| json!({"file_path": house.path(name), "content": text});
    let mock = Mock::start(
        WIRE,
        vec![
            reads(&house, &["a.py", "quotes.py", "joined.py", "solvi-rules.toml"]),
            call("allowed", "Edit", edit(&house, "a.py", "x = 1", "x = 2")),
            call("refused", "Edit", edit(&house, "a.py", "x = 2", "x = eval('2')")),
            call("new-file", "Write", write("new.py", "eval('1')\n")),
            vec![
                Say::Call { id: "one", tool: "Write", input: write("one.py", "x = 1\n") },
                Say::Call { id: "two", tool: "Write", input: write("two.py", "eval('1')\n") },
            ],
            // Found only once the client reads curly quotes as straight ones.
            call("folded", "Edit", edit(&house, "quotes.py", "load(\"1\")", "eval(\"1\")")),
            // The client takes the end of the line away too, and so makes the call.
            call("joined", "Edit", edit(&house, "joined.py", "# note", "")),
            call("warned", "Write", write("warned.py", "print(1)\n")),
            call("asked", "Write", write("asked.py", "LIMIT = 1\n")),
            call("own", "Write", write("solvi-rules.toml", "version = 1\n")),
        ],
    );
    let ran = session(&house, &mock);
    Verdicts::of(&house, &mock, &ran)
        .file("a.py", Some("x = 2\n"))
        .told("refused", "no-eval")
        .told("refused", "use ast.literal_eval")
        .file("new.py", None)
        .told("new-file", "no-eval")
        .file("one.py", Some("x = 1\n"))
        .file("two.py", None)
        .told("two", "no-eval")
        .file("quotes.py", Some("x = load(\u{201c}1\u{201d})\n"))
        .told("folded", "no-eval")
        .file("joined.py", Some("x = ev# note\nal('1')\n"))
        .told("joined", "no-eval")
        .file("warned.py", Some("print(1)\n"))
        .heard("few-prints")
        .file("asked.py", None)
        .told("asked", "limits-are-decided")
        .file("solvi-rules.toml", Some(RULES))
        .told("own", "own-files")
        .times_done(1);
}

#[test]
fn a_guard_that_is_gone_lets_no_edit_through() {
    let Some(house) = House::of("claude") else { return };
    house.write("a.py", "x = 1\n");
    house.commit();
    house.install_and_lose();
    let mock = Mock::start(
        WIRE,
        vec![
            reads(&house, &["a.py"]),
            call("edit", "Edit", edit(&house, "a.py", "x = 1", "x = 2")),
        ],
    );
    let ran = session(&house, &mock);
    Verdicts::of(&house, &mock, &ran).file("a.py", Some("x = 1\n")).told("edit", "could not run");
}

#[test]
fn what_a_command_left_behind_sends_the_agent_back_once() {
    let Some(house) = House::of("claude") else { return };
    house.commit();
    house.install();
    let mock = Mock::start(
        WIRE,
        vec![call("shell", "Bash", json!({"command": LEAVES, "description": "leave"}))],
    );
    let ran = session(&house, &mock);
    Verdicts::of(&house, &mock, &ran).sent_back_once();
}

#[test]
fn after_uninstall_the_edit_passes_and_the_client_stops_when_promised() {
    let Some(house) = House::of("claude") else { return };
    house.write("a.py", "x = 1\n");
    house.commit();
    house.install();
    house.uninstall();
    // A hook that never lets the agent stop: the client's own limit is in our table.
    house.promises("Stop", "deny", "the agent goes on, 8 times in a row at most");
    let on = r#"printf '{"decision": "block", "reason": "once more"}'"#;
    let hooks = json!({"Stop": [{"hooks": [{"type": "command", "command": on}]}]});
    house.write(".claude/settings.json", &json!({"hooks": hooks}).to_string());
    let free = edit(&house, "a.py", "x = 1", "x = eval('2')");
    let turns = vec![reads(&house, &["a.py"]), call("free", "Edit", free)];
    let mock = Mock::start(WIRE, turns);
    let ran = session(&house, &mock);
    Verdicts::of(&house, &mock, &ran)
        .file("a.py", Some("x = eval('2')\n"))
        .heard("once more")
        .times_done(1 + 8);
}
