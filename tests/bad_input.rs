//! Nonsense on standard input, odd files, odd rules: one well-formed answer each time, and never
//! a silence that reads as consent.

use crate::support::{House, payload, said};
use serde_json::json;
use std::io::Write;
use std::process::{Command, Stdio};

const NO_DEBUG: &str = "[[rule]]\nid = \"no-debug\"\npaths = [\"**\"]\nforbid = [\"DEBUG\"]\n";

fn house() -> House {
    House::new().rules(NO_DEBUG)
}

#[track_caller]
fn asks(stdin: impl AsRef<[u8]>) {
    house().run(&["pre-edit"], stdin).expect("ask", &["could not check"]);
}

#[test]
fn what_is_no_json_object_asks() {
    for stdin in ["", " ", "{not json", "[1]", "null", "\"x\"", "{}{}", "7"] {
        asks(stdin);
    }
}

#[test]
fn bytes_that_are_no_utf8_ask() {
    asks(b"{\"tool_name\":\"Write\",\"tool_input\":{\"file_path\":\"a\",\"content\":\"\xff\"}}");
}

#[test]
fn a_lone_surrogate_asks() {
    asks(r#"{"tool_name":"Write","tool_input":{"file_path":"a.txt","content":"\ud800"}}"#);
}

#[test]
fn deep_nesting_asks() {
    asks(format!("{{\"tool_name\":\"Write\",\"x\":{}{}}}", "[".repeat(5000), "]".repeat(5000)));
}

#[test]
fn wrong_types_and_missing_fields_ask() {
    let inputs = [
        json!(null),
        json!("x"),
        json!({"old_string": "a", "new_string": "b"}),
        json!({"file_path": "", "new_string": "b", "old_string": "a"}),
        json!({"file_path": 5, "old_string": "a", "new_string": "b"}),
        json!({"file_path": "a.txt", "old_string": "a"}),
        json!({"file_path": "a.txt", "old_string": null, "new_string": 7}),
        json!({"file_path": "a.txt", "edits": {"old_string": "a"}}),
        json!({"file_path": "a.txt", "old_string": "a", "new_string": "b", "replace_all": 3}),
    ];
    for input in inputs {
        house().edit("Edit", input).expect("ask", &["could not check"]);
    }
    house().edit("Write", json!({"file_path": "a.txt", "content": 5})).expect("ask", &["content"]);
    house().run(&["pre-edit"], r#"{"tool_name":"Edit"}"#).expect("ask", &["tool_input"]);
}

#[test]
fn a_tool_that_is_no_edit_is_met_with_silence() {
    for (tool, input) in [
        ("Bash", json!({"command": "echo DEBUG"})),
        ("Read", json!({"file_path": "a.txt"})),
        ("Grep", json!({"pattern": "DEBUG", "path": "src"})),
        ("mcp__x__ask", json!({"question": "DEBUG?"})),
    ] {
        for args in [&[][..], &["--approve"]] {
            let said = house().edit_with(args, tool, input.clone());
            assert_eq!((said.status, said.stdout.as_str()), (Some(0), ""), "{tool}: {said:?}");
        }
    }
}

#[test]
fn an_unknown_tool_with_a_path_and_a_text_is_judged() {
    for (tool, input) in [
        ("mcp__fs__put_file", json!({"path": "a.txt", "text": "x\nDEBUG\n"})),
        ("store", json!({"filePath": "a.txt", "content": "x\nDEBUG\n"})),
        ("Save", json!({"filename": "a.txt", "newText": "x\nDEBUG\n"})),
    ] {
        house().edit(tool, input).expect("deny", &["no-debug", "line 2 of the new text: DEBUG"]);
    }
}

#[test]
fn a_nul_in_a_path_asks_and_in_a_text_is_text() {
    house().write("a\0b.txt", "x\n").expect("ask", &["NUL"]);
    house().write("a.txt", "x\0DEBUG\n").expect("deny", &["line 1: x\\u{0}DEBUG"]);
}

#[test]
fn a_folder_is_no_file_to_edit() {
    let house = house().file("src/a.txt", "x\n");
    house.write("src", "DEBUG\n").expect("deny", &["line 1: DEBUG"]);
    house.write("src", "x\n").expect("ask", &["a folder stands there"]);
    house.write(".", "x\n").expect("ask", &["the project's folder"]);
}

#[test]
fn a_pipe_is_never_opened() {
    let house = house();
    let fifo = house.root().join("pipe");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let edit = json!({"file_path": "pipe", "old_string": "a", "new_string": "b"});
    house.edit("Edit", edit).expect("ask", &["a device, pipe or socket"]);
    house.write("/dev/zero", "x\n").expect("ask", &["a device, pipe or socket"]);
}

#[test]
fn a_circle_of_symbolic_links_asks() {
    let house = house();
    std::os::unix::fs::symlink("b", house.root().join("a")).unwrap();
    std::os::unix::fs::symlink("a", house.root().join("b")).unwrap();
    house.write("a/x.txt", "x\n").expect("ask", &["circle"]);
}

#[test]
fn a_file_that_may_not_be_read_asks() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    let house = house().file("a.txt", "one\n");
    let file = house.root().join("a.txt");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o000)).unwrap();
    // Root reads everything, so the binary runs as somebody else.
    let somebody = 65534;
    let root = std::fs::metadata("/proc/self")
        .is_ok_and(|it| std::os::unix::fs::MetadataExt::uid(&it) == 0);
    if root {
        for folder in house.root().ancestors().take_while(|it| *it != std::env::temp_dir()) {
            std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        let mut cat = Command::new("cat");
        let read = cat.arg(&file).uid(somebody).stderr(Stdio::null()).status().unwrap();
        assert!(!read.success(), "the file must not be readable");
    }
    let mut command = house.command(&["pre-edit", "--no-store"]);
    if root {
        // The binary may stand in a folder that only root enters.
        let copy = house.root().join("solvi-hook");
        std::fs::copy(crate::support::binary(), &copy).unwrap();
        let mut other = Command::new(copy);
        other.args(["pre-edit", "--no-store"]).current_dir(house.root()).env_clear().uid(somebody);
        command = other;
    }
    let edit =
        payload("Edit", &json!({"file_path": "a.txt", "old_string": "one", "new_string": "1"}));
    said(command, edit.to_string().as_bytes()).expect("ask", &["cannot be read"]);
}

#[test]
fn a_large_file_asks_where_its_lines_would_have_to_be_known() {
    let house = house().file("big.txt", vec![b'x'; (16 << 20) + 1]);
    let edit = json!({"file_path": "big.txt", "old_string": "x", "new_string": "y"});
    house.edit("Edit", edit).expect("ask", &["larger than 16 MiB"]);
}

#[test]
fn a_payload_of_50_mb_asks() {
    let said = house().write("a.txt", &"x\n".repeat(25 << 20));
    said.expect("ask", &["larger than 16 MiB"]);
}

#[test]
fn a_payload_that_never_ends_asks_at_the_deadline() {
    let house = house();
    let mut command = house.command(&["pre-edit", "--deadline", "0.2"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    pipe.write_all(b"{\"tool_name\":").unwrap();
    let output = child.wait_with_output().unwrap();
    drop(pipe);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("\"ask\"") && text.contains("longer than 0.2 s"), "{text}");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn a_reply_that_nobody_takes_is_no_success() {
    let house = house();
    let mut command = house.command(&["pre-edit"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let write = payload("Write", &json!({"file_path": "a.txt", "content": "DEBUG\n"})).to_string();
    child.stdin.take().unwrap().write_all(write.as_bytes()).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

#[test]
fn rules_that_are_named_but_not_there_ask() {
    let write = json!({"file_path": "a.txt", "content": "x\n"});
    let said = House::new().edit_with(&["--rules", "none.toml"], "Write", write);
    said.expect("ask", &["none.toml", "cannot be read"]);
}

#[test]
fn two_rules_files_ask() {
    let house = house().file(".claude/solvi-rules.toml", NO_DEBUG);
    house.write("a.txt", "x\n").expect("ask", &["solvi-rules.toml", ".claude/solvi-rules.toml"]);
}

#[test]
fn a_rules_file_of_5_mb_is_read() {
    use std::fmt::Write as _;
    let mut rules = NO_DEBUG.to_owned();
    for number in 0.. {
        if rules.len() > 5_000_000 {
            break;
        }
        let _ = write!(
            rules,
            "[[rule]]\nid = \"rule-{number}\"\npaths = [\"other/{number}/**\"]\n\
             forbid = [\"forbidden text number {number}, with more words\"]\n"
        );
    }
    // A busy machine may need longer for it than a person would be kept waiting.
    let write = json!({"file_path": "a.txt", "content": "DEBUG\n"});
    let said = House::new().rules(&rules).edit_with(&["--deadline", "300"], "Write", write);
    said.expect("deny", &["no-debug"]);
}

#[test]
fn a_pattern_of_1_mb_is_answered() {
    for pattern in ["a|".repeat(500_000), "(".repeat(1_000_000), "(a".repeat(500_000)] {
        let rules = format!("[[rule]]\nid = \"r\"\npaths = [\"**\"]\nforbid = [\"{pattern}\"]\n");
        let said = House::new().rules(&rules).write("a.txt", "b\n");
        assert!(said.stdout.len() < 20_000, "{}", said.stdout.len());
        assert!(["ask", "deny"].contains(&said.verdict().as_str()), "{said:?}");
    }
}

#[test]
fn a_pattern_that_takes_for_ever_asks() {
    let rules = "[[rule]]\nid = \"r\"\npaths = [\"**\"]\nforbid = ['(?=.*\\d)(?=.*x)foo']\n";
    let write = json!({"file_path": "a.txt", "content": format!("{}\n", "foo ".repeat(100_000))});
    // It is the steps that are counted, not the seconds.
    let said = House::new().rules(rules).edit_with(&["--deadline", "300"], "Write", write);
    said.expect("ask", &["r:", "cannot be checked"]);
}

#[test]
fn a_usage_error_of_a_hook_is_answered_in_the_clients_words() {
    let house = house();
    let said = house.run(&["pre-edit", "--agent", "claude", "--nonsense"], "");
    said.expect("ask", &["--nonsense"]);
    let said = house.run(&["pre-edit", "--agent=codex", "--nonsense"], "");
    said.expect("deny", &["--nonsense", "person"]);
    for args in [&["pre-edit", "--agent", "nobody"][..], &["hook", "--x"], &["pick-skill"]] {
        let reply = house.run(args, "").reply();
        assert_eq!(reply["permissionDecision"], "deny");
        assert_eq!(reply["hookSpecificOutput"]["permissionDecision"], "deny");
    }
    let said = house.run(&["rules", "--nonsense"], "");
    assert_eq!((said.status, said.stdout.as_str()), (Some(2), ""));
}

#[test]
fn a_store_that_cannot_be_written_leaves_the_verdict_standing_and_says_so() {
    let house = house().file("taken", "x");
    let write = json!({"file_path": "a.txt", "content": "DEBUG\n"});
    let said = house.edit_with(&["--store", "taken/hooks.jsonl"], "Write", write);
    said.expect("deny", &["no-debug", "not recorded"]);
    let write = json!({"file_path": "a.txt", "content": "fine\n"});
    let said = house.edit_with(&["--store", "taken/hooks.jsonl"], "Write", write.clone());
    assert!(said.reply()["systemMessage"].to_string().contains("not recorded"), "{said:?}");
    let said = house.edit_with(&["--store", "postgres://host/db"], "Write", write);
    assert!(said.reply()["systemMessage"].to_string().contains("not recorded"), "{said:?}");
}
