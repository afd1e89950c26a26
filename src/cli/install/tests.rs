//! Settings before, with our entries, and after.

#![allow(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::cli::uninstall;

struct House {
    folder: tempfile::TempDir,
    options: Options,
}

impl House {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path().join("project");
        fs::create_dir(&project).unwrap();
        let wiring = crate::clients::wiring::of("claude").unwrap();
        let user = Some(folder.path().join("home/.claude"));
        let options = Options {
            target: Target { wiring, project, scope: Scope::Project, user },
            rules: None,
            approve: false,
            program: Program::Given("solvi-hook".into()),
            edits: true,
            replace_solvi: false,
            dry_run: false,
            sample: "version = 1\n",
        };
        Self { folder, options }
    }

    fn file(self, path: &str, text: &str) -> Self {
        let path = self.options.target.project.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    fn read(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.options.target.project.join(path)).ok()
    }

    fn settings(&self) -> String {
        self.read(SETTINGS).unwrap()
    }

    fn install(&self) -> String {
        install(&self.options).unwrap().join("\n")
    }

    fn fails(&self) -> String {
        install(&self.options).unwrap_err().to_string()
    }

    fn uninstall(&self) -> String {
        uninstall::uninstall(&self.options.target, self.options.dry_run).unwrap().join("\n")
    }
}

const SETTINGS: &str = ".claude/settings.json";

#[test]
fn a_first_install_writes_the_entry_and_a_sample() {
    let house = House::new();
    let lines = house.install();
    let first = ".claude/settings.json: added PreToolUse (^(Edit|Write|MultiEdit|NotebookEdit\
                 |apply_patch|mcp__.*)$) → solvi-hook hook --agent claude (asks";
    assert!(lines.starts_with(first), "{lines}");
    assert!(lines.contains("\nsolvi-rules.toml: written"));
    assert_eq!(house.read("solvi-rules.toml").unwrap(), "version = 1\n");
    let settings: serde_json::Value = serde_json::from_str(&house.settings()).unwrap();
    let group = settings.pointer("/hooks/PreToolUse/0").unwrap();
    assert_eq!(group.pointer("/hooks/0/timeout").unwrap(), 30);
    assert!(house.settings().ends_with("}\n"));
}

#[test]
fn installing_twice_is_installing_once() {
    let house = House::new().file(SETTINGS, "{\"a\": 1}");
    house.install();
    let once = house.settings();
    let lines = house.install();
    assert!(lines.starts_with(".claude/settings.json: unchanged PreToolUse"), "{lines}");
    assert!(lines.contains("solvi-rules.toml: unchanged"));
    assert_eq!(house.settings(), once);
}

#[test]
fn uninstalling_gives_the_settings_back() {
    for text in
        ["{}", "{\r\n\t\"hooks\": {}, // mine\r\n}", "\u{feff}{\"hooks\":{\"PreToolUse\":[]}}"]
    {
        let house = House::new().file(SETTINGS, text);
        house.install();
        assert!(house.settings().contains("solvi-hook"));
        let lines = house.uninstall();
        assert!(lines.starts_with(".claude/settings.json: removed PreToolUse (^("), "{lines}");
        assert_eq!(house.settings(), text);
    }
}

#[test]
fn what_install_made_from_nothing_becomes_nothing() {
    let house = House::new();
    assert_eq!(house.uninstall(), ".claude/settings.json: not there, nothing to remove");
    house.install();
    house.uninstall();
    assert_eq!(house.read(SETTINGS), None);
    let house = house.file(SETTINGS, "{}\n");
    assert_eq!(house.uninstall(), ".claude/settings.json: no solvi-hook entries");
}

#[test]
fn a_dry_run_shows_everything_and_writes_nothing() {
    let mut house = House::new().file(SETTINGS, "{\n\t\"a\": 1\n}\n");
    house.options.dry_run = true;
    let lines = house.install();
    assert!(
        lines.contains("--- a/.claude/settings.json\n+++ b/.claude/settings.json\n@@"),
        "{lines}"
    );
    assert!(lines.contains("\n-\t\"a\": 1\n+\t\"a\": 1,\n+\t\"hooks\": {\n"), "{lines}");
    assert!(lines.contains("--- /dev/null\n+++ b/solvi-rules.toml\n"), "{lines}");
    assert!(lines.ends_with("\ndry run: nothing was written"));
    assert_eq!(house.settings(), "{\n\t\"a\": 1\n}\n");
    assert_eq!(house.read("solvi-rules.toml"), None);
}

#[test]
fn broken_settings_stay_as_they_are() {
    for (text, said) in [
        ("{\"hooks\": {", "line 1, column 11: unterminated object"),
        ("[]", "the file is not an object"),
        ("{\"hooks\": {\"Stop\": 1}}", "line 1, column 20: `hooks.Stop` is not a list"),
    ] {
        let house = House::new().file(SETTINGS, text);
        let failure = house.fails();
        assert!(failure.contains(said), "{failure}");
        assert_eq!(house.settings(), text);
        assert_eq!(house.read("solvi-rules.toml"), None);
    }
}

#[test]
fn what_keeps_the_agent_from_running_hooks_is_said() {
    let house = House::new()
        .file(SETTINGS, "{\n  // mine\n}\n")
        .file(".claude/settings.local.json", "{\"disableAllHooks\": true}");
    let lines = house.install();
    assert!(lines.contains("warning: .claude/settings.json: line 2 is not plain JSON"), "{lines}");
    assert!(lines.contains("warning: .claude/settings.local.json: `disableAllHooks` is true"));
}

#[test]
fn entries_of_solvi_stay_and_are_pointed_out() {
    let text = r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "solvi hook pre-edit"}]}]}}"#;
    let house = House::new().file(SETTINGS, text);
    let lines = house.install();
    assert!(lines.contains("1 other hook unchanged"), "{lines}");
    assert!(lines.contains("also runs `solvi hook pre-edit`"), "{lines}");
    house.uninstall();
    assert_eq!(house.settings(), text);
}

#[test]
fn one_rules_file_is_used_and_two_are_refused() {
    let house = House::new().file(".config/solvi-rules.toml", "mine");
    assert!(house.install().contains("\n.config/solvi-rules.toml: unchanged"));
    assert_eq!(house.read(".config/solvi-rules.toml").unwrap(), "mine");
    let house = house.file(".claude/solvi-rules.toml", "mine");
    let failure = house.fails();
    assert!(failure.contains(".config/solvi-rules.toml, .claude/solvi-rules.toml"), "{failure}");
}

#[test]
fn given_rules_are_named_in_the_command_and_written() {
    let mut house = House::new();
    house.options.rules = Some("conf/my rules.toml".into());
    house.options.approve = true;
    let lines = house.install();
    assert!(lines.contains("--rules 'conf/my rules.toml' --approve (asks"), "{lines}");
    assert_eq!(house.read("conf/my rules.toml").unwrap(), "version = 1\n");
}

#[test]
fn a_shared_file_gets_the_bare_name_and_others_the_file_of_the_program() {
    let mut house = House::new();
    let this = house.folder.path().join("it's here/solvi-hook");
    let found = Program::Found { this: this.clone(), on_path: Some(this.clone()) };
    house.options.program = found;
    assert!(house.install().contains("→ solvi-hook hook"));
    house.options.target.scope = Scope::Local;
    let lines = house.install();
    assert!(lines.contains("it's here/solvi-hook\" hook"), "{lines}");
    assert!(
        lines.contains("note: .claude/settings.json has an entry of solvi-hook too"),
        "{lines}"
    );
    house.options.target.scope = Scope::Project;
    house.options.program = Program::Found { this, on_path: None };
    let lines = house.install();
    assert!(lines.contains("replaced PreToolUse"), "{lines}");
    assert!(lines.contains("`solvi-hook` is not on PATH"), "{lines}");
}

#[test]
fn a_command_of_another_name_is_found_again() {
    let mut house = House::new();
    house.options.program = Program::Given("./tools/guard.sh".into());
    house.install();
    assert!(house.install().contains("unchanged"));
    assert!(house.uninstall().contains("removed PreToolUse"));
    house.options.program = Program::Given("true #".into());
    assert!(house.fails().contains("would not run us"));
}

#[test]
fn the_user_s_settings_serve_every_project() {
    let mut house = House::new();
    house.options.target.scope = Scope::User;
    let lines = house.install();
    let file = house.folder.path().join("home/.claude/settings.json");
    assert!(lines.starts_with(&file.display().to_string()), "{lines}");
    assert!(fs::read_to_string(file).unwrap().contains("solvi-hook hook"));
    assert_eq!(house.read("solvi-rules.toml"), None);
}

#[test]
fn a_folder_inside_a_repository_is_warned_about() {
    let house = House::new();
    fs::create_dir(house.folder.path().join(".git")).unwrap();
    let lines = house.install();
    assert!(lines.contains("is not the root of its repository"), "{lines}");
    // The rules hold for the repository: that is where they are looked for.
    assert!(house.folder.path().join("solvi-rules.toml").exists());
}

#[test]
fn without_edits_our_entries_only_go() {
    let mut house = House::new().file(SETTINGS, "{ }");
    house.install();
    house.options.edits = false;
    assert!(house.install().starts_with(".claude/settings.json: removed PreToolUse"));
    assert_eq!(house.settings(), "{ }");
}

#[test]
fn what_is_not_built_yet_says_so() {
    #[derive(clap::Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }
    let house = House::new();
    let world = World::at(house.options.target.project.clone());
    let failure = |line: &[&str]| {
        let line = <Line as clap::Parser>::try_parse_from([&["install"], line].concat()).unwrap();
        run(&line.args, &world, &mut Vec::new()).unwrap_err().to_string()
    };
    assert!(failure(&["--model", "cmd:x"]).contains("`--decider` is not built yet"));
    assert_eq!(house.read(SETTINGS), None);
}
