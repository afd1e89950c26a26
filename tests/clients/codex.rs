//! Codex, run as `codex exec` with a model of the Responses API.

use super::house::{House, LEAVES, RULES, Verdicts};
use super::limited::Ran;
use super::mock::responses::WIRE;
use super::mock::{Mock, Say, call, patch};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;

/// Runs a session of a person who has trusted every hook of the project.
pub fn session(house: &House, mock: &Mock) -> Ran {
    trusting(house, mock, &trust(house))
}

fn trusting(house: &House, mock: &Mock, trust: &str) -> Ran {
    let config = format!(
        r#"
model = "gpt-6.2-sol"
model_provider = "script"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.script]
name = "script"
base_url = "{}/v1"
wire_api = "responses"
env_key = "NOBODYS_KEY"
request_max_retries = 0
stream_max_retries = 0
supports_websockets = false

[projects.{}]
trust_level = "trusted"
{trust}"#,
        mock.url(),
        Value::from(house.root().to_str())
    );
    house.write_home(".codex/config.toml", &config);
    house.session(mock, &["exec", "--json", "go"], &[("NOBODYS_KEY", "none")])
}

/// Returns what the client writes down when a person trusts all hooks of the project.
fn trust(house: &House) -> String {
    let text = house.read(".codex/hooks.json").unwrap_or_else(|| "{}".to_owned());
    let file: Value = serde_json::from_str(&text).unwrap();
    let mut trusted = String::new();
    let events = file["hooks"].as_object().into_iter().flatten();
    for (event, groups) in events {
        let event = match event.as_str() {
            "PreToolUse" => "pre_tool_use",
            "PostToolUse" => "post_tool_use",
            "Stop" => "stop",
            other => panic!("{other} is not known to this test"),
        };
        let groups = groups.as_array().unwrap().iter().enumerate();
        for (at, group) in groups {
            for (within, handler) in group["hooks"].as_array().unwrap().iter().enumerate() {
                let source = house.path(".codex/hooks.json");
                let digest = digest(event, group.get("matcher"), handler);
                let _ = write!(
                    trusted,
                    "\n[hooks.state.\"{source}:{event}:{at}:{within}\"]\n\
                     trusted_hash = \"sha256:{digest}\"\n"
                );
            }
        }
    }
    trusted
}

/// Returns the digest of a hook's definition: of its plain JSON with sorted keys.
fn digest(event: &str, matcher: Option<&Value>, handler: &Value) -> String {
    let mut whole = BTreeMap::from([("async", json!(false)), ("timeout", json!(600))]);
    let named = handler.as_object().unwrap().iter();
    whole.extend(named.map(|(name, value)| (name.as_str(), value.clone())));
    let whole = serde_json::to_string(&whole).unwrap();
    let matcher = matcher.map(|matcher| format!(",\"matcher\":{matcher}")).unwrap_or_default();
    let identity = format!("{{\"event_name\":\"{event}\",\"hooks\":[{whole}]{matcher}}}");
    Sha256::digest(identity).iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

fn edit(id: &'static str, sections: &str) -> Vec<Say> {
    patch(id, "apply_patch", sections)
}

#[test]
fn each_verdict_is_honoured() {
    let Some(house) = House::of("codex") else { return };
    house.write("a.py", "x = 1\n");
    house.write("dash.py", "x = load('1')  # 1 \u{2013} 2\n");
    house.commit();
    house.install();
    // No person can be asked, so an ask is a refusal.
    house.promises("PreToolUse", "deny", "text typed into a running shell is not seen");
    let by_script = "const it = await tools.apply_patch(\"*** Begin Patch\\n*** Add File: \
        script.py\\n+eval('1')\\n*** End Patch\\n\"); text(it);";
    let by_shell = "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: shell.py\n\
        +eval('1')\n*** End Patch\nEOF";
    let mock = Mock::start(
        WIRE,
        vec![
            edit("allowed", "*** Update File: a.py\n@@\n-x = 1\n+x = 2\n"),
            edit("refused", "*** Update File: a.py\n@@\n-x = 2\n+x = eval('2')\n"),
            edit("new-file", "*** Add File: new.py\n+eval('1')\n"),
            edit(
                "several",
                "*** Update File: a.py\n@@\n-x = 2\n+x = 3\n*** Add File: two.py\n+eval('1')\n",
            ),
            // Found only once the client reads the dash as a hyphen.
            edit(
                "folded",
                "*** Update File: dash.py\n@@\n-x = load('1')  # 1 - 2\n+x = eval('1')\n",
            ),
            edit("warned", "*** Add File: warned.py\n+print(1)\n"),
            edit("asked", "*** Add File: asked.py\n+LIMIT = 1\n"),
            edit("own", "*** Delete File: solvi-rules.toml\n"),
            call("shell", "exec_command", json!({"cmd": by_shell})),
            vec![Say::Patch { id: "script", tool: "exec", text: by_script.to_owned() }],
        ],
    );
    let ran = session(&house, &mock);
    Verdicts::of(&house, &mock, &ran)
        .file("a.py", Some("x = 2\n"))
        .told("refused", "no-eval")
        .told("refused", "use ast.literal_eval")
        .file("new.py", None)
        .told("new-file", "no-eval")
        .file("two.py", None)
        .told("several", "no-eval")
        .file("dash.py", Some("x = load('1')  # 1 \u{2013} 2\n"))
        .told("folded", "no-eval")
        .file("warned.py", Some("print(1)\n"))
        .heard("few-prints")
        .file("asked.py", None)
        .told("asked", "limits-are-decided")
        .file("solvi-rules.toml", Some(RULES))
        .told("own", "own-files")
        .file("shell.py", None)
        .told("shell", "no-eval")
        .file("script.py", None)
        .told("script", "no-eval")
        .times_done(1);
}

#[test]
fn a_guard_that_is_gone_lets_no_edit_through() {
    let Some(house) = House::of("codex") else { return };
    house.write("a.py", "x = 1\n");
    house.commit();
    house.install_and_lose();
    let mock = Mock::start(WIRE, vec![edit("edit", "*** Update File: a.py\n@@\n-x = 1\n+x = 2\n")]);
    let ran = session(&house, &mock);
    Verdicts::of(&house, &mock, &ran).file("a.py", Some("x = 1\n")).told("edit", "could not run");
}

#[test]
fn a_hook_that_nobody_trusted_does_not_run_and_doctor_says_so() {
    let Some(house) = House::of("codex") else { return };
    house.commit();
    house.install();
    let new = edit("new", "*** Add File: new.py\n+eval('1')\n");
    let ran = trusting(&house, &Mock::start(WIRE, vec![new.clone()]), "");
    assert!(house.read("new.py").is_some(), "{ran}");
    assert!(house.doctor().contains("nobody has trusted this hook"), "{}", house.doctor());
    fs::remove_file(house.path("new.py")).unwrap();
    let mock = Mock::start(WIRE, vec![new]);
    let ran = session(&house, &mock);
    assert!(!house.doctor().contains("trusted this hook"), "{}", house.doctor());
    Verdicts::of(&house, &mock, &ran).file("new.py", None).told("new", "no-eval");
}

#[test]
fn what_a_command_left_behind_sends_the_agent_back_once() {
    let Some(house) = House::of("codex") else { return };
    house.commit();
    house.install();
    let mock = Mock::start(WIRE, vec![call("shell", "exec_command", json!({"cmd": LEAVES}))]);
    let ran = session(&house, &mock);
    Verdicts::of(&house, &mock, &ran).sent_back_once();
}

#[test]
fn after_uninstall_the_edit_passes_and_the_client_goes_on_without_a_limit() {
    let Some(house) = House::of("codex") else { return };
    house.write("a.py", "x = 1\n");
    house.commit();
    house.install();
    house.uninstall();
    house.promises("Stop", "deny", "the agent goes on, without a limit of the client's");
    let on = house.hook_that_goes_on(10, r#"{"decision": "block", "reason": "once more"}"#);
    let hooks = json!({"Stop": [{"hooks": [{"type": "command", "command": on}]}]});
    house.write(".codex/hooks.json", &json!({"hooks": hooks}).to_string());
    let free = edit("free", "*** Update File: a.py\n@@\n-x = 1\n+x = eval('2')\n");
    let mock = Mock::start(WIRE, vec![free]);
    let ran = session(&house, &mock);
    Verdicts::of(&house, &mock, &ran)
        .file("a.py", Some("x = eval('2')\n"))
        .heard("once more")
        .times_done(1 + 10);
}
