//! Pi, run as `pi -p` with a model of the Chat Completions API.

use super::house::{House, LEAVES, RULES, Verdicts};
use super::limited::Ran;
use super::mock::chat::WIRE;
use super::mock::{Mock, call};
use serde_json::{Value, json};

pub fn session(house: &House, mock: &Mock) -> Ran {
    let provider = json!({
        "baseUrl": format!("{}/v1", mock.url()),
        "apiKey": "nobody-s-key",
        "api": "openai-completions",
        "models": [{"id": "script", "contextWindow": 128_000, "maxTokens": 4096}],
    });
    let models = json!({"providers": {"mock": provider}});
    house.write_home(".pi/agent/models.json", &models.to_string());
    let environment = [("PI_OFFLINE", "1"), ("PI_SKIP_VERSION_CHECK", "1"), ("PI_TELEMETRY", "0")];
    // Scripts that call tools are off unless asked for.
    let args = ["--model", "mock/script", "--tools", "+codemode", "--mode", "json", "--approve"];
    let args = [&args[..], &["-p", "go"]].concat();
    house.session(mock, &args, &environment)
}

fn edit(name: &str, edits: &[(&str, &str)]) -> Value {
    let edits: Vec<Value> =
        edits.iter().map(|(old, new)| json!({"oldText": old, "newText": new})).collect();
    json!({"path": name, "edits": edits})
}

#[test]
fn each_verdict_is_honoured() {
    let Some(house) = House::of("pi") else { return };
    house.write("a.py", "x = 1\ny = 1\n");
    // In letters of full width, which the client makes plain ones where it has to fold the line.
    let wide = "x = \u{ff45}\u{ff56}\u{ff41}\u{ff4c}('1')  # \u{201c}why\u{201d}\n";
    house.write("wide.py", wide);
    house.commit();
    house.install();
    house.promises("tool_call", "ask", "without a person at it an ask is a refusal");
    let write = |name: &str, text: &str| json!({"path": name, "content": text});
    let by_script = "return await tools.write({path: 'script.py', content: \"eval('1')\\n\"})";
    let both = edit("a.py", &[("y = 1", "y = 2"), ("x = 2", "x = eval('2')")]);
    let mock = Mock::start(
        WIRE,
        vec![
            call("allowed", "edit", edit("a.py", &[("x = 1", "x = 2")])),
            call("refused", "edit", edit("a.py", &[("x = 2", "x = eval('2')")])),
            call("new_file", "write", write("new.py", "eval('1')\n")),
            call("several", "edit", both),
            call("folded", "edit", edit("wide.py", &[("# \"why\"", "# who")])),
            call("warned", "write", write("warned.py", "print(1)\n")),
            call("asked", "write", write("asked.py", "LIMIT = 1\n")),
            call("own", "write", write("solvi-rules.toml", "version = 1\n")),
            call("script", "codemode", json!({"code": by_script})),
        ],
    );
    let ran = session(&house, &mock);
    Verdicts::of(&house, &mock, &ran)
        .file("a.py", Some("x = 2\ny = 1\n"))
        .told("refused", "no-eval")
        .told("refused", "use ast.literal_eval")
        .file("new.py", None)
        .told("new_file", "no-eval")
        .told("several", "no-eval")
        .file("wide.py", Some(wide))
        .told("folded", "no-eval")
        .file("warned.py", Some("print(1)\n"))
        .told("warned", "few-prints")
        .file("asked.py", None)
        .told("asked", "limits-are-decided")
        .file("solvi-rules.toml", Some(RULES))
        .told("own", "own-files")
        .file("script.py", None)
        .told("script", "no-eval")
        .times_done(1);
}

#[test]
fn a_guard_that_is_gone_lets_no_edit_through() {
    let Some(house) = House::of("pi") else { return };
    house.write("a.py", "x = 1\n");
    house.commit();
    house.install_and_lose();
    let mock = Mock::start(WIRE, vec![call("edit", "edit", edit("a.py", &[("x = 1", "x = 2")]))]);
    let ran = session(&house, &mock);
    Verdicts::of(&house, &mock, &ran).file("a.py", Some("x = 1\n")).told("edit", "no tool runs");
}

#[test]
fn what_a_command_left_behind_sends_the_agent_back_once() {
    let Some(house) = House::of("pi") else { return };
    house.commit();
    house.install();
    let mock = Mock::start(WIRE, vec![call("shell", "bash", json!({"command": LEAVES}))]);
    let ran = session(&house, &mock);
    Verdicts::of(&house, &mock, &ran).sent_back_once();
}

#[test]
fn after_uninstall_the_edit_passes() {
    let Some(house) = House::of("pi") else { return };
    house.write("a.py", "x = 1\n");
    house.commit();
    house.install();
    house.uninstall();
    let free = call("free", "edit", edit("a.py", &[("x = 1", "x = eval('2')")]));
    let mock = Mock::start(WIRE, vec![free]);
    let ran = session(&house, &mock);
    Verdicts::of(&house, &mock, &ran).file("a.py", Some("x = eval('2')\n")).times_done(1);
}
