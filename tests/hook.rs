//! `hook`: whose event it is, which judge it goes to, and what is said when nobody can judge.

use crate::support::House;
use serde_json::{Value, json};

const RULES: &str =
    "[[rule]]\nid = \"no-debug\"\npaths = [\"**\"]\nforbid = ['DEBUG']\nwhy = \"Never.\"\n";

fn house() -> House {
    House::new().rules(RULES)
}

/// A call of a client's tool that writes a file, the place of the answer in the client's reply,
/// its word for a refusal, and its word for what a person has to decide.
type Row = (&'static str, Value, &'static str, &'static str, &'static str);

fn writes(content: &str) -> [Row; 6] {
    let nested = "/hookSpecificOutput/permissionDecision";
    let input = json!({"file_path": "a.py", "content": content});
    let patch =
        format!("*** Begin Patch\n*** Add File: a.py\n+{}\n*** End Patch\n", content.trim());
    [
        (
            "claude",
            json!({"hook_event_name": "PreToolUse", "prompt_id": "p", "tool_name": "Write",
                "tool_input": input}),
            nested,
            "deny",
            "ask",
        ),
        (
            "codex",
            json!({"hook_event_name": "PreToolUse", "turn_id": "t", "tool_name": "apply_patch",
                "tool_input": {"command": patch}}),
            nested,
            "deny",
            "deny",
        ),
        (
            "copilot",
            json!({"sessionId": "s", "timestamp": 1, "toolName": "create",
                "toolArgs": {"path": "a.py", "file_text": content}}),
            "/permissionDecision",
            "deny",
            "ask",
        ),
        (
            "gemini",
            json!({"hook_event_name": "BeforeTool", "tool_name": "write_file",
                "tool_input": input}),
            "/decision",
            "deny",
            "deny",
        ),
        (
            "pi",
            json!({"client": "pi", "protocol": 1, "event": {"type": "tool_call",
                "toolName": "write", "toolCallId": "c",
                "input": {"path": "a.py", "content": content}}}),
            "/verdict",
            "deny",
            "ask",
        ),
        (
            "cursor",
            json!({"cursor_version": "2", "hook_event_name": "preToolUse", "tool_name": "Write",
                "tool_input": input}),
            "/permission",
            "deny",
            "deny",
        ),
    ]
}

#[track_caller]
fn says(reply: &Value, place: &str, word: &str, of: &str) {
    assert_eq!(reply.pointer(place), Some(&json!(word)), "{of}: {reply}");
    // The text says what the verdict says.
    let other: &[&str] = match word {
        "deny" => &["a person decides", "asks a person"],
        "ask" => &["refused"],
        _ => &[],
    };
    for words in other {
        assert!(!reply.to_string().contains(words), "{of}: {word}, and `{words}`: {reply}");
    }
}

#[test]
fn the_payload_tells_whose_event_it_is_whatever_the_entry_says() {
    let house = house();
    for (name, payload, place, refused, _) in writes("DEBUG\n") {
        for agent in [&[][..], &["--agent", "claude"], &["--agent", "gemini"], &["--agent", name]] {
            let args = [&["hook", "--no-store"], agent].concat();
            says(&house.run(&args, payload.to_string()).reply(), place, refused, name);
        }
    }
}

#[test]
fn a_client_that_only_its_variable_tells_is_refused_in_words_that_both_read() {
    let house = house();
    let mut command = house.command(&["hook", "--agent", "claude", "--no-store"]);
    command.env("COPILOT_CLI", "1");
    let reply = crate::support::said(command, b"{").reply();
    says(&reply, "/permissionDecision", "deny", "copilot");
    says(&reply, "/hookSpecificOutput/permissionDecision", "deny", "claude");
}

#[test]
fn who_cannot_be_told_is_refused_in_words_that_several_read() {
    let payload = json!({"tool_name": "Write",
        "tool_input": {"file_path": "a.py", "content": "DEBUG\n"}});
    let house = house();
    let reply = house.run(&["hook", "--no-store"], payload.to_string()).reply();
    says(&reply, "/permissionDecision", "deny", "nobody");
    let harmless = json!({"tool_name": "Read", "tool_input": {"file_path": "a.py"}});
    assert_eq!(house.run(&["hook", "--no-store"], harmless.to_string()).reply(), Value::Null);
}

/// Each fault meets a call that would write something harmless.
#[test]
fn what_goes_wrong_lets_no_call_of_any_client_pass() {
    let broken = House::new().rules("[[rule]]\nid = 1\n");
    let slow = House::new().rules(
        "[[rule]]\nid = \"r\"\npaths = [\"**\"]\nforbid = ['(?=.*\\d)(?=.*x)foo']\nwhy = \"w\"\n",
    );
    for (name, payload, place, _, asked) in writes("foo foo foo\n") {
        let whole = payload.to_string();
        let say = |house: &House, args: &[&str], payload: &[u8]| {
            let args = [&["hook", "--no-store", "--agent", name], args].concat();
            says(&house.run(&args, payload).reply(), place, asked, name);
        };
        let house = house();
        say(&house, &[], b"");
        say(&house, &[], b"nonsense");
        say(&house, &[], b"\xff\xfe\x00");
        say(&house, &[], whole.split_at(whole.len() - 1).0.as_bytes());
        say(&house, &["--nonsense"], whole.as_bytes());
        say(&house, &["--agent", "nobody"], whole.as_bytes());
        say(&house, &["--deadline", "soon"], whole.as_bytes());
        say(&house, &["--project", "/nonexistent"], whole.as_bytes());
        say(&broken, &[], whole.as_bytes());
        say(&house, &["--rules", "missing.toml"], whole.as_bytes());
        let long = whole.replace("foo foo foo", &"foo ".repeat(1 << 19));
        say(&slow, &["--deadline", "0.000001"], long.as_bytes());
    }
}

/// A shell with less room than the stack of the work: what is answered then was never judged.
#[cfg(target_os = "linux")]
#[test]
fn a_work_that_cannot_begin_lets_no_call_of_any_client_pass() {
    let house = house();
    for (name, payload, place, _, asked) in writes("fine\n") {
        let mut command = std::process::Command::new("/bin/sh");
        let script = "ulimit -d 60000 && exec \"$0\" hook --no-store --agent \"$1\"";
        command.args(["-c", script]).arg(crate::support::binary()).arg(name);
        command.current_dir(house.root()).env_clear().env("HOME", house.home());
        let said = crate::support::said(command, payload.to_string().as_bytes());
        says(&said.reply(), place, asked, name);
        assert!(said.stdout.contains("could not be started"), "{name}: {said:?}");
    }
}

#[test]
fn a_payload_that_was_cut_is_answered_in_the_words_of_its_client() {
    let cut = br#"{"sessionId": "s", "timestamp": 1, "toolName": "create", "toolArgs": {"pa"#;
    let reply = house().run(&["hook", "--no-store"], cut).reply();
    says(&reply, "/permissionDecision", "ask", "copilot");
}

#[test]
fn a_store_that_cannot_be_written_leaves_the_verdict_standing() {
    let house = house().file("taken", "x");
    for (name, payload, place, refused, _) in writes("DEBUG\n") {
        let args = ["hook", "--store", "taken/hooks.jsonl"];
        let reply = house.run(&args, payload.to_string()).reply();
        says(&reply, place, refused, name);
        assert!(reply.to_string().contains("not recorded"), "{name}: {reply}");
    }
}

#[test]
fn an_event_that_nobody_judges_is_never_stopped_by_a_fault() {
    let house = House::new().rules("[[rule]]\nid = 1\n");
    for event in ["Stop", "SubagentStop", "UserPromptSubmit", "SessionEnd", "ConfigChange", "New"] {
        let payload = json!({"hook_event_name": event, "prompt_id": "p"}).to_string();
        for args in [&["hook"][..], &["hook", "--nonsense"], &["pre-edit"], &["post-write"]] {
            let reply = house.run(args, &payload).reply();
            if event == "Stop" && args.contains(&"--nonsense") {
                assert_eq!(
                    reply.as_object().unwrap().keys().collect::<Vec<_>>(),
                    ["systemMessage"]
                );
            } else {
                assert_eq!(reply, Value::Null, "{event} {args:?}");
            }
        }
    }
    let stop = json!({"hook_event_name": "AfterAgent"}).to_string();
    let reply = house.run(&["hook", "--nonsense"], stop).reply();
    assert_eq!(reply.as_object().unwrap().keys().collect::<Vec<_>>(), ["systemMessage"]);
}

#[test]
fn pre_edit_asks_only_about_edits_to_come_and_post_write_about_those_that_were_made() {
    let house = house().file("a.py", "DEBUG\n");
    let payload = |event: &str| {
        json!({"hook_event_name": event, "prompt_id": "p", "tool_name": "Write",
            "tool_input": {"file_path": "a.py", "content": "DEBUG\n# more\nDEBUG\n"},
            "tool_response": {"originalFile": null}})
        .to_string()
    };
    let says =
        |sub: &str, event: &str| !house.run(&[sub, "--no-store"], payload(event)).reply().is_null();
    assert_eq!([says("pre-edit", "PreToolUse"), says("pre-edit", "PostToolUse")], [true, false]);
    assert_eq!(
        [says("post-write", "PreToolUse"), says("post-write", "PostToolUse")],
        [false, true]
    );
}

#[test]
fn a_patch_in_a_command_is_judged_wherever_it_may_be_applied() {
    let rules = "[[rule]]\nid = \"frozen\"\npaths = [\"vendor/**\"]\non_fail = \"deny\"\n";
    let house = House::new().rules(rules).file("vendor/deep/a.py", "x\n").file("src/b.py", "x\n");
    let run = |patch: &str| {
        let command = format!("apply_patch <<'EOF'\n*** Begin Patch\n{patch}*** End Patch\nEOF\n");
        let payload = json!({"hook_event_name": "PreToolUse", "turn_id": "t", "tool_name": "Bash",
            "tool_input": {"command": command}});
        house.run(&["hook", "--no-store"], payload.to_string()).reply()
    };
    // The call may name `vendor/deep` as its folder, which the payload does not show.
    for patch in ["*** Update File: a.py\n@@\n-x\n+y\n", "*** Add File: new.py\n+x\n"] {
        let reply = run(patch);
        says(&reply, "/hookSpecificOutput/permissionDecision", "deny", patch);
        let reason = reply.pointer("/hookSpecificOutput/permissionDecisionReason").unwrap();
        assert!(reason.as_str().unwrap().contains("frozen"), "{reason}");
    }
    assert!(run("*** Add File: new.py\n+x\n").to_string().contains("does not tell"));
    assert_eq!(run("*** Update File: b.py\n@@\n-x\n+y\n"), Value::Null);
}
