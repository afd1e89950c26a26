//! Gemini CLI, run as `gemini -p` with a model of the Gemini API.

use super::house::{House, LEAVES, RULES, Verdicts};
use super::limited::Ran;
use super::mock::gemini::WIRE;
use super::mock::{Mock, Say, call};
use serde_json::{Value, json};

pub fn session(house: &House, mock: &Mock) -> Ran {
    let settings = json!({
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "general": {"enableAutoUpdate": false},
        "privacy": {"usageStatisticsEnabled": false},
        "telemetry": {"enabled": false},
    });
    house.write_home(".gemini/settings.json", &settings.to_string());
    // Without saved trust the project's hooks are left out.
    let trusted = json!({house.root().to_str().unwrap(): "TRUST_FOLDER"});
    house.write_home(".gemini/trustedFolders.json", &trusted.to_string());
    let url = mock.url();
    let environment = [("GEMINI_API_KEY", "nobody-s-key"), ("GOOGLE_GEMINI_BASE_URL", &url)];
    let args = ["-m", "gemini-2.5-flash", "--approval-mode", "yolo", "-p", "go"];
    house.session(mock, &args, &environment)
}

fn replace(house: &House, name: &str, old: &str, new: &str) -> Value {
    let path = house.path(name);
    json!({"file_path": path, "instruction": "go", "old_string": old, "new_string": new})
}

#[test]
fn each_verdict_is_honoured() {
    let Some(house) = House::of("gemini") else { return };
    house.write("a.py", "x = 1\n");
    house.write("deep.py", "def f():\n    return load('1')\n");
    house.commit();
    house.install();
    house.promises("BeforeTool", "deny", "an ask would hang a run without a person");
    let write = |name: &str, text: &str| json!({"file_path": house.path(name), "content": text});
    let loose = replace(
        &house,
        "deep.py",
        "def f():\n  return load('1')\n",
        "def f():\n  return eval('1')\n",
    );
    let mock = Mock::start(
        WIRE,
        vec![
            call("allowed", "replace", replace(&house, "a.py", "x = 1", "x = 2")),
            call("refused", "replace", replace(&house, "a.py", "x = 2", "x = eval('2')")),
            call("new-file", "write_file", write("new.py", "eval('1')\n")),
            vec![
                Say::Call { id: "one", tool: "write_file", input: write("one.py", "x = 1\n") },
                Say::Call { id: "two", tool: "write_file", input: write("two.py", "eval('1')\n") },
            ],
            // Found only once the client looks past the indentation.
            call("folded", "replace", loose),
            call("warned", "write_file", write("warned.py", "print(1)\n")),
            call("asked", "write_file", write("asked.py", "LIMIT = 1\n")),
            call("own", "write_file", write("solvi-rules.toml", "version = 1\n")),
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
        .file("deep.py", Some("def f():\n    return load('1')\n"))
        .told("folded", "no-eval")
        .file("warned.py", Some("print(1)\n"))
        .heard("few-prints")
        .file("asked.py", None)
        .told("asked", "limits-are-decided")
        .file("solvi-rules.toml", Some(RULES))
        .told("own", "own-files")
        .times_done(1);
}

#[test]
fn what_a_project_puts_into_the_environment_does_not_choose_the_rules() {
    let Some(house) = House::of("gemini") else { return };
    house.write("weak.toml", "version = 1\n");
    house.write("a.py", "x = 1\n");
    let variables = "SOLVI_HOOK_RULES=weak.toml\nSOLVI_HOOK_DECIDER=always:yes\nGIT_DIR=other\n";
    house.write(".gemini/.env", variables);
    house.write(".env", variables);
    house.commit();
    house.install();
    let write = |name: &str, text: &str| json!({"file_path": house.path(name), "content": text});
    let mock = Mock::start(
        WIRE,
        vec![
            call("refused", "replace", replace(&house, "a.py", "x = 1", "x = eval('2')")),
            call("new-file", "write_file", write("new.py", "eval('1')\n")),
            call("allowed", "write_file", write("fine.py", "x = 1\n")),
        ],
    );
    let ran = session(&house, &mock);
    Verdicts::of(&house, &mock, &ran)
        .file("a.py", Some("x = 1\n"))
        .told("refused", "no-eval")
        .file("new.py", None)
        .told("new-file", "no-eval")
        .file("fine.py", Some("x = 1\n"));
}

#[test]
fn a_guard_that_is_gone_lets_no_edit_through() {
    let Some(house) = House::of("gemini") else { return };
    house.write("a.py", "x = 1\n");
    house.commit();
    house.install_and_lose();
    let mock =
        Mock::start(WIRE, vec![call("edit", "replace", replace(&house, "a.py", "x = 1", "x = 2"))]);
    let ran = session(&house, &mock);
    Verdicts::of(&house, &mock, &ran).file("a.py", Some("x = 1\n")).told("edit", "could not run");
}

#[test]
fn what_a_command_left_behind_sends_the_agent_back_once() {
    let Some(house) = House::of("gemini") else { return };
    house.commit();
    house.install();
    let mock =
        Mock::start(WIRE, vec![call("shell", "run_shell_command", json!({"command": LEAVES}))]);
    let ran = session(&house, &mock);
    Verdicts::of(&house, &mock, &ran).sent_back_once();
}

#[test]
fn after_uninstall_the_edit_passes_and_the_client_goes_on_without_a_limit() {
    let Some(house) = House::of("gemini") else { return };
    house.write("a.py", "x = 1\n");
    house.commit();
    house.install();
    house.uninstall();
    house.promises("AfterAgent", "deny", "the agent goes on, without a limit of the client's");
    let on = house.hook_that_goes_on(10, r#"{"decision": "deny", "reason": "once more"}"#);
    let hooks = json!({"AfterAgent": [{"hooks": [{"type": "command", "command": on}]}]});
    house.write(".gemini/settings.json", &json!({"hooks": hooks}).to_string());
    let free = call("free", "replace", replace(&house, "a.py", "x = 1", "x = eval('2')"));
    let mock = Mock::start(WIRE, vec![free]);
    let ran = session(&house, &mock);
    Verdicts::of(&house, &mock, &ran)
        .file("a.py", Some("x = eval('2')\n"))
        .heard("once more")
        .times_done(1 + 10);
}
