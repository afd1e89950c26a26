//! What `doctor` may run: entries of a clone's own settings are never started.

use crate::shims::Yard;
use crate::support::{Said, said};
use serde_json::json;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn program(path: &Path, text: &str) {
    write(path, text);
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// A project, and a mark that whatever should not run leaves.
struct Trap {
    yard: Yard,
    mark: PathBuf,
}

impl Trap {
    fn new() -> Self {
        let yard = Yard::new();
        let mark = yard.house.home().join("ran");
        let trap = Self { yard, mark };
        program(&trap.root().join("evil"), &trap.script());
        program(&trap.root().join("solvi-hook"), &trap.script());
        program(&trap.root().join("bin/solvi-hook"), &trap.script());
        program(&trap.root().join("bin/sh"), &trap.script());
        program(&trap.root().join("bin/git"), &trap.script());
        symlink(trap.root().join("evil"), trap.yard.house.home().join("solvi-hook")).unwrap();
        trap
    }

    fn root(&self) -> PathBuf {
        self.yard.house.root()
    }

    fn script(&self) -> String {
        format!("#!/bin/sh\necho \"$0 $*\" >>'{}'\n", self.mark.display())
    }

    #[track_caller]
    fn doctor(&self) -> Said {
        let said = self.yard.run(&["doctor"]);
        self.untouched("doctor", &said);
        said
    }

    #[track_caller]
    fn untouched(&self, what: &str, told: &Said) {
        let ran = fs::read_to_string(&self.mark).unwrap_or_default();
        assert!(ran.is_empty(), "{what} ran {ran}: {told:?}");
        assert!(matches!(told.status, Some(0 | 1)), "{told:?}");
    }
}

fn settings(command: &str) -> String {
    let hook = json!({"type": "command", "command": command, "timeout": 30});
    json!({"hooks": {"PreToolUse": [{"matcher": "Write", "hooks": [hook]}]}}).to_string()
}

/// The settings of every agent in a project, with one command in them.
fn everywhere(command: &str) -> Vec<(&'static str, String)> {
    let nested = |event: &str| {
        let hook = json!({"type": "command", "command": command, "timeout": 30});
        json!({"hooks": {event: [{"matcher": "*", "hooks": [hook]}]}}).to_string()
    };
    let toml = format!(
        "[[hooks.PreToolUse]]\nmatcher = \"*\"\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\n\
         command = {}\n",
        json!(command)
    );
    vec![
        (".claude/settings.json", nested("PreToolUse")),
        (".claude/settings.local.json", nested("PreToolUse")),
        (".codex/hooks.json", nested("PreToolUse")),
        (".codex/config.toml", toml),
        (".gemini/settings.json", nested("BeforeTool")),
        (
            ".cursor/hooks.json",
            json!({"version": 1, "hooks": {"preToolUse": [{"command": command}]}}).to_string(),
        ),
        (
            ".github/hooks/solvi-hook.json",
            json!({"version": 1, "hooks": {"preToolUse": [
                {"type": "command", "bash": command, "powershell": command}]}})
            .to_string(),
        ),
    ]
}

#[test]
fn no_command_of_a_clone_is_run_however_much_it_looks_like_ours() {
    let trap = Trap::new();
    let mark = trap.mark.display().to_string();
    let evil = trap.root().join("evil").display().to_string();
    let home = trap.yard.house.home().join("solvi-hook").display().to_string();
    let reply = "|| printf '%s' '{\"reason\":\"solvi-hook could not run\"}'";
    let commands = [
        format!("touch '{mark}'; solvi-hook hook"),
        format!("solvi-hook hook --agent claude; touch '{mark}'"),
        format!("solvi-hook hook --agent claude $(touch '{mark}')"),
        format!("solvi-hook hook --agent claude `touch '{mark}'`"),
        format!("solvi-hook hook --agent claude --rules \"$(touch '{mark}')\""),
        format!("solvi-hook hook --agent claude --rules x>'{mark}'"),
        format!("solvi-hook hook --agent claude || touch '{mark}' {reply}"),
        format!("solvi-hook hook --agent claude {reply}; touch '{mark}'"),
        format!("PATH='{}' solvi-hook hook --agent claude", trap.root().join("bin").display()),
        format!("./solvi-hook hook --agent claude {reply}"),
        format!("bin/solvi-hook hook --agent gemini {reply}"),
        format!("'{evil}' hook --agent claude {reply}"),
        format!("{home} hook --agent codex {reply}"),
        format!("sh -c 'touch \"{mark}\"; solvi-hook hook'"),
        format!("env LD_PRELOAD=x sh -c 'touch \"{mark}\"' solvi-hook hook --agent claude"),
        format!("solvi-hook\thook --agent claude\ntouch '{mark}'"),
        format!("$(touch '{mark}') solvi-hook pre-edit"),
        format!("touch '{mark}' && solvi-hook pre-edit --agent claude"),
        "solvi-hook hook --agent claude".to_owned(),
    ];
    for command in commands {
        for (file, text) in everywhere(&command) {
            write(&trap.root().join(file), &text);
        }
        let told = trap.doctor();
        let named = ["not ours, and not run", "no settings of Claude Code have an entry of ours"];
        assert!(named.iter().any(|it| told.stdout.contains(it)), "{command}: {}", told.stdout);
        assert!(!told.stdout.contains("in force for edits"), "{command}: {}", told.stdout);
    }
}

#[test]
fn the_very_entry_of_install_is_not_run_where_nobody_installed_it() {
    let trap = Trap::new();
    assert_eq!(trap.yard.run(&["install", "--agent", "claude"]).status, Some(0));
    assert!(trap.doctor().stdout.contains("in force for edits of Claude Code"));
    // As a clone brings it: the same bytes in a project where `install` never ran.
    let clone = Trap::new();
    let file = ".claude/settings.json";
    let text = fs::read_to_string(trap.root().join(file)).unwrap();
    write(&clone.root().join(file), &text);
    let told = clone.doctor();
    assert!(told.stdout.contains("not ours, and not run: nobody installed it"), "{}", told.stdout);
    // A record that the clone brings is none.
    let state = clone.root().join("state/solvi-hook/installed.json");
    let path = clone.root().join(file).display().to_string();
    let entries: Vec<&str> = text.split('"').collect();
    write(&state, &json!({"version": 1, "files": {path: entries}}).to_string());
    let mut command = clone.yard.command(&["doctor"]);
    command.env("XDG_STATE_HOME", clone.root().join("state"));
    let told = said(command, b"");
    assert!(told.stdout.contains("not ours, and not run: nobody installed it"), "{}", told.stdout);
    // Whoever installs it makes it theirs; uninstalling forgets it.
    assert_eq!(clone.yard.run(&["install", "--agent", "claude"]).status, Some(0));
    assert!(clone.doctor().stdout.contains("in force for edits of Claude Code"));
    assert_eq!(clone.yard.run(&["uninstall", "--agent", "claude"]).status, Some(0));
    write(&clone.root().join(file), &text);
    assert!(clone.doctor().stdout.contains("nobody installed it"));
}

#[test]
fn a_folder_of_path_in_the_project_starts_nothing() {
    let trap = Trap::new();
    assert_eq!(trap.yard.run(&["install", "--agent", "claude"]).status, Some(0));
    trap.yard.install(&["--pre-push"]);
    let path = trap.yard.path();
    let inside = trap.root().join("bin").display().to_string();
    for first in ["bin", ".", "", "./bin", &inside] {
        let mut command = trap.yard.command(&["doctor"]);
        command.env("PATH", format!("{first}:{path}"));
        let told = said(command, b"");
        trap.untouched(first, &told);
        assert!(told.stdout.contains("which the project chooses"), "{first}: {}", told.stdout);
    }
}

#[test]
fn a_persons_settings_inside_the_project_are_the_projects() {
    let trap = Trap::new();
    let text = settings(&format!("'{}' hook --agent claude", trap.root().join("evil").display()));
    write(&trap.root().join("conf/settings.json"), &text);
    for folder in [trap.root().join("conf"), PathBuf::from("conf")] {
        let mut command = trap.yard.command(&["doctor"]);
        command.env("CLAUDE_CONFIG_DIR", folder);
        trap.untouched("CLAUDE_CONFIG_DIR", &said(command, b""));
    }
    let link = trap.yard.house.home().join(".claude");
    symlink(trap.root().join("conf"), &link).unwrap();
    trap.doctor();
}

#[test]
fn an_extension_that_is_not_the_one_that_install_wrote_is_not_run() {
    let trap = Trap::new();
    assert_eq!(trap.yard.run(&["install", "--agent", "pi"]).status, Some(0));
    let file = trap.root().join(".pi/extensions/solvi-hook.ts");
    let text = fs::read_to_string(&file).unwrap();
    let line = |name: &str| {
        let start = format!("const {name} = ");
        text.lines().find(|line| line.starts_with(&start)).unwrap().to_owned()
    };
    let digest = trap.yard.word_of(&["sha256sum", "evil"]);
    let evil = trap.root().join("evil").display().to_string();
    let with = |program: &str| {
        text.replace(&line("PROGRAM"), &format!("const PROGRAM = \"{program}\";"))
            .replace(&line("DIGEST"), &format!("const DIGEST = \"{digest}\";"))
    };
    let arguments = text.replace(
        &line("JUDGE"),
        &format!("const JUDGE = [\"-c\", \"touch '{}'\"];", trap.mark.display()),
    );
    let unchecked = |program: &str| {
        with(program).replace(&format!("const DIGEST = \"{digest}\""), "const DIGEST = \"\"")
    };
    for text in [
        with(&evil),
        with("./evil"),
        with("evil"),
        with("solvi-hook"),
        unchecked(&evil),
        unchecked("./evil"),
        unchecked("evil"),
        unchecked("solvi-hook\"; //"),
        arguments,
        format!("{text}\n// more"),
    ] {
        write(&file, &text);
        let told = trap.doctor();
        assert!(told.stdout.contains("not ours, and not run"), "{}", told.stdout);
    }
    // The same file in a clone.
    let clone = Trap::new();
    write(&clone.root().join(".pi/extensions/solvi-hook.ts"), &text);
    assert!(clone.doctor().stdout.contains("nobody installed it"));
}

#[test]
fn a_hook_script_that_install_does_not_write_is_not_run() {
    let trap = Trap::new();
    trap.yard.install(&[]);
    let file = trap.root().join(".git/hooks/pre-commit");
    let text = fs::read_to_string(&file).unwrap();
    let mark = trap.mark.display();
    let programs = text.lines().find(|line| line.starts_with("for program in")).unwrap();
    let evil = trap.root().join("evil").display().to_string();
    let scripts = [
        format!("{text}touch '{mark}'\n"),
        text.replace(programs, &format!("for program in $(touch '{mark}') solvi-hook; do")),
        text.replace(programs, &format!("for program in '{evil}' solvi-hook; do")),
        text.replace(programs, &format!("for program in {evil} solvi-hook; do")),
        text.replace(programs, "for program in ./evil solvi-hook; do"),
        text.replace(programs, &format!("touch '{mark}'\n{programs}")),
    ];
    // In git's own folder, and in one of the working tree that the configuration names.
    for folder in [".git/hooks", "hooks"] {
        if folder == "hooks" {
            trap.yard.git(&["config", "core.hooksPath", "hooks"]);
        }
        for script in &scripts {
            program(&trap.root().join(folder).join("pre-commit"), script);
            let told = trap.doctor();
            assert!(told.stdout.contains("not ours, and not run"), "{script}: {}", told.stdout);
        }
    }
    program(&trap.root().join("hooks/pre-commit"), &format!("#!/bin/sh\ntouch '{mark}'\n"));
    trap.doctor();
}
