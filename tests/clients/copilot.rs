//! GitHub Copilot CLI, run as `copilot -p` with a model of the Chat Completions API. Which edit
//! tools it offers depends on the model's name.

use super::house::{House, LEAVES, RULES, Verdicts};
use super::limited::Ran;
use super::mock::chat::WIRE;
use super::mock::{Mock, Say, call, patch};
use serde_json::{Value, json};

pub const WITH_PATCHES: &str = "gpt-5.4";
pub const WITH_EDITS: &str = "claude-sonnet-4.6";

fn session(house: &House, mock: &Mock, model: &str) -> Ran {
    session_with(house, mock, model, &[])
}

pub fn session_with(house: &House, mock: &Mock, model: &str, more: &[&str]) -> Ran {
    let url = format!("{}/v1", mock.url());
    let unpacked = house.client.unpacked.to_str().unwrap();
    let environment = [
        ("COPILOT_OFFLINE", "true"),
        ("COPILOT_AUTO_UPDATE", "false"),
        ("COPILOT_PROVIDER_BASE_URL", &url),
        ("COPILOT_PROVIDER_API_KEY", "nobody-s-key"),
        ("COPILOT_PROVIDER_WIRE_API", "completions"),
        ("COPILOT_MODEL", model),
        ("XDG_CACHE_HOME", unpacked),
    ];
    let args = ["--no-color", "--allow-all-tools", "--trust-folder", "-p", "go"];
    house.session(mock, &[&args[..], more].concat(), &environment)
}

fn patched(id: &'static str, sections: &str) -> Vec<Say> {
    patch(id, "apply_patch", sections)
}

#[test]
fn each_verdict_on_a_patch_is_honoured() {
    let Some(house) = House::of("copilot") else { return };
    house.write("a.py", "x = 1\n");
    house.write("spaces.py", "x  =  Load('1')\n");
    house.commit();
    house.install();
    house.promises("preToolUse", "ask", "in `copilot -p` an ask is a refusal");
    let mock = Mock::start(
        WIRE,
        vec![
            patched("allowed", "*** Update File: a.py\n@@\n-x = 1\n+x = 2\n"),
            patched("refused", "*** Update File: a.py\n@@\n-x = 2\n+x = eval('2')\n"),
            patched("new-file", "*** Add File: new.py\n+eval('1')\n"),
            patched(
                "several",
                "*** Update File: a.py\n@@\n-x = 2\n+x = 3\n*** Add File: two.py\n+eval('1')\n",
            ),
            // Found only once the client looks past inner spaces and letter case.
            patched("folded", "*** Update File: spaces.py\n@@\n-x = load('1')\n+x = eval('1')\n"),
            patched("warned", "*** Add File: warned.py\n+print(1)\n"),
            patched("asked", "*** Add File: asked.py\n+LIMIT = 1\n"),
            patched("own", "*** Delete File: solvi-rules.toml\n"),
        ],
    );
    let ran = session(&house, &mock, WITH_PATCHES);
    Verdicts::of(&house, &mock, &ran)
        .file("a.py", Some("x = 2\n"))
        .told("refused", "no-eval")
        .told("refused", "use ast.literal_eval")
        .file("new.py", None)
        .told("new-file", "no-eval")
        .file("two.py", None)
        .told("several", "no-eval")
        .file("spaces.py", Some("x  =  Load('1')\n"))
        .told("folded", "no-eval")
        .file("warned.py", Some("print(1)\n"))
        .heard("few-prints")
        .file("asked.py", None)
        .told("asked", "limits-are-decided")
        .file("solvi-rules.toml", Some(RULES))
        .told("own", "own-files")
        .times_done(1);
}

fn edit(house: &House, name: &str, old: &str, new: &str) -> Value {
    json!({"path": house.path(name), "old_str": old, "new_str": new})
}

/// Copilot also reads what is installed for Claude Code, and calls it.
#[test]
fn each_verdict_on_an_edit_is_honoured_with_two_clients_installed() {
    let Some(house) = House::of("copilot") else { return };
    house.write("a.py", "x = 1\n");
    house.write("case.py", "x = Load('1')\n");
    house.commit();
    house.install();
    house.solvi(&["install", "--agent", "claude"]);
    let create = |name: &str, text: &str| json!({"path": house.path(name), "file_text": text});
    let mock = Mock::start(
        WIRE,
        vec![
            call("allowed", "edit", edit(&house, "a.py", "x = 1", "x = 2")),
            call("refused", "edit", edit(&house, "a.py", "x = 2", "x = eval('2')")),
            call("new-file", "create", create("new.py", "eval('1')\n")),
            // Found only once the client looks past letter case.
            call("folded", "edit", edit(&house, "case.py", "x = load('1')", "x = eval('1')")),
            call("warned", "create", create("warned.py", "print(1)\n")),
            call("asked", "create", create("asked.py", "LIMIT = 1\n")),
        ],
    );
    let ran = session(&house, &mock, WITH_EDITS);
    Verdicts::of(&house, &mock, &ran)
        .file("a.py", Some("x = 2\n"))
        .told("refused", "no-eval")
        .file("new.py", None)
        .told("new-file", "no-eval")
        .file("case.py", Some("x = Load('1')\n"))
        .told("folded", "no-eval")
        .file("warned.py", Some("print(1)\n"))
        .heard("few-prints")
        .file("asked.py", None)
        .told("asked", "limits-are-decided")
        .times_done(1);
}

#[test]
fn a_guard_that_is_gone_lets_no_edit_through() {
    let Some(house) = House::of("copilot") else { return };
    house.write("a.py", "x = 1\n");
    house.commit();
    house.install_and_lose();
    let mock =
        Mock::start(WIRE, vec![call("edit", "edit", edit(&house, "a.py", "x = 1", "x = 2"))]);
    let ran = session(&house, &mock, WITH_EDITS);
    Verdicts::of(&house, &mock, &ran).file("a.py", Some("x = 1\n")).told("edit", "could not run");
}

#[test]
fn what_is_installed_for_claude_code_guards_it_too() {
    let Some(house) = House::of("copilot") else { return };
    house.write("a.py", "x = 1\n");
    house.commit();
    house.solvi(&["install", "--agent", "claude"]);
    let create = json!({"path": house.path("new.py"), "file_text": "eval('1')\n"});
    let mock = Mock::start(
        WIRE,
        vec![
            call("allowed", "edit", edit(&house, "a.py", "x = 1", "x = 2")),
            call("refused", "edit", edit(&house, "a.py", "x = 2", "x = eval('2')")),
            call("new-file", "create", create),
        ],
    );
    let ran = session(&house, &mock, WITH_EDITS);
    Verdicts::of(&house, &mock, &ran)
        .file("a.py", Some("x = 2\n"))
        .told("refused", "no-eval")
        .file("new.py", None)
        .told("new-file", "no-eval");
}

#[test]
fn what_a_command_left_behind_sends_the_agent_back_once() {
    let Some(house) = House::of("copilot") else { return };
    house.commit();
    house.install();
    let mock = Mock::start(
        WIRE,
        vec![call("shell", "bash", json!({"command": LEAVES, "description": "leave"}))],
    );
    let ran = session(&house, &mock, WITH_EDITS);
    Verdicts::of(&house, &mock, &ran).sent_back_once();
}

#[test]
fn after_uninstall_the_edit_passes_and_the_client_stops_when_promised() {
    let Some(house) = House::of("copilot") else { return };
    house.write("a.py", "x = 1\n");
    house.commit();
    house.install();
    house.uninstall();
    house.promises("agentStop", "deny", "the agent goes on, 8 times in a row at most");
    let on = r#"printf '{"decision": "block", "reason": "once more"}'"#;
    let hooks = json!({"agentStop": [{"type": "command", "bash": on}]});
    let hooks = json!({"version": 1, "hooks": hooks}).to_string();
    house.write(".github/hooks/on.json", &hooks);
    let free = call("free", "edit", edit(&house, "a.py", "x = 1", "x = eval('2')"));
    let mock = Mock::start(WIRE, vec![free]);
    let ran = session(&house, &mock, WITH_EDITS);
    Verdicts::of(&house, &mock, &ran)
        .file("a.py", Some("x = eval('2')\n"))
        .heard("once more")
        .times_done(1 + 8);
}
