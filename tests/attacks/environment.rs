//! Variables that a project can set through an agent's environment do not steer a hook.

use crate::checks::desk::Desk;
use crate::git::yard::Yard;
use crate::support::{House, Said, said};
use serde_json::{Value, json};

const RULES: &str =
    "version = 1\n[[rule]]\nid = \"no-banned\"\npaths = [\"**\"]\nforbid = [\"BANNED\"]\n";
const WEAK: &str = "version = 1\n";

/// What a project may have put there, `{R}` for its root.
const VARIABLES: &[(&str, &str)] = &[
    ("SOLVI_HOOK_RULES", "weak.toml"),
    ("SOLVI_HOOK_RULES", "{R}/weak.toml"),
    ("SOLVI_HOOK_RULES", "/dev/null"),
    ("SOLVI_HOOK_RULES", "gone.toml"),
    ("SOLVI_HOOK_DECIDER", "always:yes"),
    ("SOLVI_HOOK_MODEL", "always:yes"),
    ("SOLVI_HOOK_STORE", "{R}/elsewhere"),
    ("SOLVI_HOOK_SYNC", "1"),
    ("CLAUDE_PROJECT_DIR", "{R}/other"),
    ("GEMINI_PROJECT_DIR", "{R}/other"),
    ("GIT_DIR", "{R}/other/.git"),
    ("GIT_WORK_TREE", "{R}/other"),
    ("GIT_INDEX_FILE", "{R}/other/.git/index"),
    ("GIT_OBJECT_DIRECTORY", "{R}/other/.git/objects"),
    ("GIT_ALTERNATE_OBJECT_DIRECTORIES", "{R}/other/.git/objects"),
    ("GIT_COMMON_DIR", "{R}/other/.git"),
    ("GIT_CEILING_DIRECTORIES", "{R}"),
    ("GIT_CONFIG_GLOBAL", "{R}/evil.config"),
    ("GIT_CONFIG_COUNT", "1"),
    ("GIT_CONFIG_PARAMETERS", "'core.excludesFile'='{R}/all'"),
    ("NO_COLOR", "1"),
    ("CLICOLOR_FORCE", "1"),
    ("RUST_BACKTRACE", "full"),
    ("TMPDIR", "/nonexistent"),
    ("SQLITE_TMPDIR", "/nonexistent"),
    ("AI_AGENT", "x"),
    ("CLAUDE_CONFIG_DIR", "{R}/conf"),
    ("CODEX_HOME", "{R}/conf"),
];

fn write(house: &House, content: &str) -> Value {
    json!({"session_id": "s", "cwd": house.root(), "hook_event_name": "PreToolUse",
        "tool_name": "Write", "tool_input": {"file_path": "a.txt", "content": content}})
}

fn hook(house: &House, (name, value): (&str, &str), payload: &Value) -> Said {
    let mut command = house.command(&["hook", "--agent", "claude"]);
    command.env(name, value.replace("{R}", house.root().to_str().unwrap()));
    said(command, payload.to_string().as_bytes())
}

#[test]
fn no_variable_of_a_project_gets_a_write_past_its_rules() {
    let house = House::new()
        .rules(RULES)
        .file("weak.toml", WEAK)
        .file("other/.git/HEAD", "ref: refs/heads/main\n")
        .file("other/solvi-rules.toml", WEAK);
    for variable in VARIABLES {
        let told = hook(&house, *variable, &write(&house, "BANNED\n"));
        assert_eq!(told.verdict(), "deny", "{variable:?}: {told:?}");
        let told = hook(&house, *variable, &write(&house, "fine\n"));
        assert_eq!(told.verdict(), "allow", "{variable:?}: {told:?}");
        assert!(house.root().join(".solvi/traces/hooks.jsonl").exists(), "{variable:?}");
    }
}

#[test]
fn a_variable_that_does_not_count_is_told() {
    let house = House::new().rules(RULES).file("weak.toml", WEAK);
    let mut command = house.command(&["hook", "--agent", "claude", "--explain"]);
    command.env("SOLVI_HOOK_RULES", "weak.toml");
    let told = said(command, write(&house, "x\n").to_string().as_bytes());
    assert!(told.stderr.contains("$SOLVI_HOOK_RULES"), "{}", told.stderr);
    let mut command = house.command(&["doctor"]);
    command.env("SOLVI_HOOK_RULES", "weak.toml");
    let told = said(command, b"");
    assert!(told.stdout.contains("$SOLVI_HOOK_RULES is set"), "{}", told.stdout);
    // Whoever calls `pre-edit` by hand says by it which rules count.
    let mut command = house.command(&["pre-edit"]);
    command.env("SOLVI_HOOK_RULES", "weak.toml");
    let told = said(command, write(&house, "BANNED\n").to_string().as_bytes());
    assert_eq!(told.verdict(), "allow", "{told:?}");
}

#[test]
fn at_a_stop_the_working_tree_of_the_session_is_evaluated_whatever_the_environment_names() {
    let desk = Desk(Yard::new());
    desk.write("solvi-rules.toml", RULES).write("weak.toml", WEAK).commit("first");
    desk.write("a.txt", "BANNED\n");
    let other = desk.beside("other");
    desk.git(&["init", "-q", other.to_str().unwrap()]);
    let other = other.display().to_string();
    for (name, value) in [
        ("GIT_DIR", format!("{other}/.git")),
        ("GIT_WORK_TREE", other.clone()),
        ("GIT_INDEX_FILE", format!("{other}/.git/index")),
        ("GIT_OBJECT_DIRECTORY", format!("{other}/.git/objects")),
        ("GIT_COMMON_DIR", format!("{other}/.git")),
        ("GIT_CEILING_DIRECTORIES", desk.root.display().to_string()),
        ("SOLVI_HOOK_RULES", "weak.toml".to_owned()),
    ] {
        let event = json!({"session_id": name, "cwd": desk.root, "hook_event_name": "Stop",
            "stop_hook_active": false});
        let mut command = desk.command(&["hook", "--agent", "claude"]);
        command.env(name, &value);
        let told = said(command, event.to_string().as_bytes());
        assert!(told.stdout.contains("no-banned"), "{name}={value}: {told:?}");
    }
}
