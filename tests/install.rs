//! `install` and `uninstall`: what comes to stand in each agent's settings, and that nothing else
//! changes. `tests/settings/` holds each file as it is made from nothing; `SNAPSHOTS=overwrite
//! cargo test` renews them.

use crate::support::{House, Said, said};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// The agents with settings, and the file of a project.
const FILES: [(&str, &str); 5] = [
    ("claude", ".claude/settings.json"),
    ("codex", ".codex/hooks.json"),
    ("copilot", ".github/hooks/solvi-hook.json"),
    ("gemini", ".gemini/settings.json"),
    ("cursor", ".cursor/hooks.json"),
];

fn house() -> House {
    House::new().rules("version = 1\n")
}

impl House {
    /// Runs the binary where no agent is on PATH.
    fn alone(&self, args: &[&str]) -> Said {
        self.alone_in(".", args)
    }

    /// Does so in a folder of the project.
    fn alone_in(&self, folder: &str, args: &[&str]) -> Said {
        let mut command = self.command(args);
        command.current_dir(self.root().join(folder));
        let here = crate::support::binary().parent().unwrap();
        command.env("PATH", format!("{}:/usr/bin:/bin", here.display()));
        said(command, b"")
    }

    fn install(&self, agent: &str) -> String {
        let said = self.alone(&["install", "--agent", agent, "--command", "solvi-hook"]);
        assert_eq!(said.status, Some(0), "{}", said.stderr);
        said.stdout
    }

    fn uninstall(&self, agent: &str) -> String {
        let said = self.alone(&["uninstall", "--agent", agent]);
        assert_eq!(said.status, Some(0), "{}", said.stderr);
        said.stdout
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.root().join(path)).unwrap()
    }
}

#[test]
fn each_agent_gets_its_entries_in_its_own_form() {
    let overwrite = std::env::var_os("SNAPSHOTS").is_some_and(|value| value == "overwrite");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/settings");
    for (agent, file) in FILES {
        let house = house();
        house.install(agent);
        let golden = folder.join(format!("{agent}.json"));
        if overwrite {
            fs::create_dir_all(&folder).unwrap();
            fs::write(&golden, house.text(file)).unwrap();
        }
        assert_eq!(house.text(file), fs::read_to_string(&golden).unwrap(), "{agent}");
        let once = house.text(file);
        assert!(house.install(agent).contains("unchanged"), "{agent}");
        assert_eq!(house.text(file), once, "{agent}");
    }
}

#[test]
fn uninstalling_gives_every_byte_back() {
    let event = |agent: &str| match agent {
        "copilot" | "cursor" => "preToolUse",
        "gemini" => "BeforeTool",
        _ => "PreToolUse",
    };
    for (agent, file) in FILES {
        let event = event(agent);
        let neighbour = match agent {
            "copilot" => "{\"bash\": \"mine\"}".to_owned(),
            "cursor" => "{\"command\": \"mine\", \"matcher\": \"Write\"}".to_owned(),
            _ => "{\"hooks\": [{\"type\": \"command\", \"command\": \"mine\"}]}".to_owned(),
        };
        for text in [
            "{}".to_owned(),
            "{\"version\":1,\"hooks\":{}}\n".to_owned(),
            "{\r\n\t\"version\": 1, // why\r\n\t\"hooks\": {\"Later\": []}\r\n}\r\n".to_owned(),
            format!("\u{feff}{{\"hooks\": {{\"{event}\": [{neighbour}]}}}}"),
            format!(
                "{{\n  \"hooks\": {{\n    \"{event}\": [\n      {neighbour}\n    ]\n  }}\n}}\n"
            ),
        ] {
            let house = house().file(file, &text);
            house.install(agent);
            assert!(house.text(file).contains("solvi-hook hook --agent"), "{agent}");
            assert!(house.text(file).contains("mine") == text.contains("mine"), "{agent}");
            house.uninstall(agent);
            assert_eq!(house.text(file), text, "{agent}");
        }
    }
}

#[test]
fn a_file_of_our_own_goes_with_its_last_entry() {
    let house = house();
    house.install("copilot");
    assert!(house.uninstall("copilot").contains("removed, nothing else is in it"));
    assert!(!house.root().join(".github/hooks/solvi-hook.json").exists());
}

#[test]
fn codex_is_wired_where_its_hooks_are() {
    let toml = "model = \"o\"\r\n\r\n[[hooks.Stop]]\r\n[[hooks.Stop.hooks]]\r\ntype = \"command\"\r\n\
        command = \"mine\"\r\n";
    let house = house().file(".codex/config.toml", toml);
    let said = house.install("codex");
    assert!(
        said.contains(".codex/config.toml: added PreToolUse (^(apply_patch|Bash|mcp__.*)$)"),
        "{said}"
    );
    assert!(!house.root().join(".codex/hooks.json").exists());
    assert!(house.install("codex").contains("unchanged PreToolUse"));
    assert!(house.uninstall("codex").contains("removed PostToolUse"));
    assert_eq!(house.text(".codex/config.toml"), toml);
    // Settings without hooks are no place for them.
    let house = crate::install::house().file(".codex/config.toml", "model = \"o\"\n");
    house.install("codex");
    assert!(house.text(".codex/hooks.json").contains("solvi-hook"));
    assert_eq!(house.text(".codex/config.toml"), "model = \"o\"\n");
}

#[test]
fn pi_gets_an_extension_that_names_the_program_and_its_digest() {
    let house = house();
    let said = house.alone(&["install", "--agent", "pi"]);
    assert_eq!(said.status, Some(0), "{}", said.stderr);
    let text = house.text(".pi/extensions/solvi-hook.ts");
    assert!(!text.contains("\"{{"));
    assert!(text.contains("const JUDGE = [\"hook\",\"--agent\",\"pi\"];"));
    assert!(said.stdout.contains("not trusted") && said.stdout.contains("subfolder"));
    assert!(house.alone(&["install", "--agent", "pi"]).stdout.contains("unchanged"));
    assert!(house.uninstall("pi").contains("removed"));
    assert!(!house.root().join(".pi/extensions/solvi-hook.ts").exists());
    let house = crate::install::house().file(".pi/extensions/solvi-hook.ts", "mine");
    assert_eq!(house.alone(&["install", "--agent", "pi"]).status, Some(2));
    assert_eq!(house.alone(&["uninstall", "--agent", "pi"]).status, Some(2));
    assert_eq!(house.text(".pi/extensions/solvi-hook.ts"), "mine");
}

#[test]
fn those_agents_are_wired_that_are_used_here() {
    let house = house().file(".gemini/x", "").file(".cursor/x", "");
    let said = house.alone(&["install"]);
    assert_eq!(said.status, Some(0), "{}", said.stderr);
    let wired = |house: &House| FILES.map(|(_, file)| house.root().join(file).exists());
    assert_eq!(wired(&house), [false, false, false, true, true]);
    // Nobody is found: the first is taken, and that is said.
    let nobody = crate::install::house();
    assert!(nobody.alone(&["install"]).stdout.contains("no agent found"));
    assert_eq!(wired(&nobody), [true, false, false, false, false]);
    let all = crate::install::house();
    assert_eq!(all.alone(&["install", "--agent", "all"]).status, Some(0));
    assert_eq!(wired(&all), [true; 5]);
    assert_eq!(all.alone(&["uninstall"]).status, Some(0));
    for (_, file) in FILES {
        let text = fs::read_to_string(all.root().join(file)).unwrap_or_default();
        assert!(!text.contains("solvi-hook"), "{file}");
    }
}

#[test]
fn what_fails_for_one_agent_changes_nothing_for_the_others() {
    let house = house().file(".gemini/settings.json", "{\"hooks\": []}");
    let said = house.alone(&["install", "--agent", "claude,gemini"]);
    assert_eq!(said.status, Some(2));
    assert!(!house.root().join(".claude/settings.json").exists());
}

#[test]
fn a_persons_own_settings_are_found_in_the_folder_of_each_agent() {
    let house = house();
    let said = house.alone(&["install", "--agent", "all", "--scope", "user"]);
    assert_eq!(said.status, Some(0), "{}", said.stderr);
    for file in [
        ".claude/settings.json",
        ".codex/hooks.json",
        ".copilot/hooks/solvi-hook.json",
        ".gemini/settings.json",
        ".cursor/hooks.json",
        ".pi/agent/extensions/solvi-hook.ts",
    ] {
        assert!(house.home().join(file).exists(), "{file}");
    }
    let said = house.alone(&["install", "--agent", "gemini", "--scope", "local"]);
    assert_eq!(said.status, Some(2));
    assert!(said.stderr.contains("no settings of one person in a project"), "{}", said.stderr);
}

#[test]
fn the_place_of_solvi_is_taken_with_its_rules() {
    let command = "solvi hook pre-edit --rules conf/r.toml --agent codex";
    let text = serde_json::json!({"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": command}]}]}});
    let house = House::new()
        .file(".codex/hooks.json", text.to_string())
        .file("conf/r.toml", "version = 1\n");
    assert!(house.install("codex").contains("install --replace-solvi"));
    let said = house.alone(&["install", "--agent", "codex", "--replace-solvi"]);
    assert!(said.stdout.contains("removed PreToolUse → solvi hook pre-edit"), "{}", said.stdout);
    let settings: Value = serde_json::from_str(&house.text(".codex/hooks.json")).unwrap();
    let groups = settings["hooks"]["PreToolUse"].as_array().unwrap();
    assert_eq!(groups.len(), 1);
    let command = groups[0]["hooks"][0]["command"].as_str().unwrap();
    assert!(command.starts_with("solvi-hook hook --agent codex --rules conf/r.toml"), "{command}");
}

#[test]
fn where_an_agent_is_weaker_is_said_in_one_line() {
    let house = house();
    let said = house.install("codex");
    assert!(
        said.contains("note: Codex: no person can be asked, so an ask is a refusal; a hook that"),
        "{said}"
    );
    assert!(said.contains("type /hooks, and trust it"), "{said}");
    assert!(house.install("copilot").contains("says nothing"));
}

#[test]
fn doctor_tells_what_each_agent_leaves_out_without_a_word() {
    let house = house();
    for (agent, _) in FILES {
        house.install(agent);
    }
    assert_eq!(house.alone(&["install", "--agent", "pi"]).status, Some(0));
    let said = house.alone(&["doctor"]).stdout;
    for line in [
        "ok    claude: .claude/settings.json: PreToolUse → solvi-hook hook --agent claude: refuses",
        "bad   codex: .codex/hooks.json: Codex does not trust this folder",
        "bad   codex: .codex/hooks.json: PreToolUse: nobody has trusted this hook",
        "bad   copilot: .github/hooks/solvi-hook.json: GitHub Copilot CLI does not trust this folder",
        "bad   gemini: .gemini/settings.json: Gemini CLI does not trust this folder",
        "bad   pi: .pi/extensions/solvi-hook.ts: Pi does not trust this folder",
        "in force for edits of Claude Code, edits of Cursor",
    ] {
        assert!(said.contains(line), "`{line}` is missing in:\n{said}");
    }
    let root = house.root().display().to_string();
    let trust = |file: &str, text: String| {
        let path = house.home().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    trust(".gemini/trustedFolders.json", format!("{{\"{root}\": \"TRUST_FOLDER\"}}"));
    trust(".copilot/config.json", format!("{{\"trustedFolders\": [\"{root}\"]}}"));
    trust(".pi/agent/trust.json", format!("{{\"{root}\": true}}"));
    let said = house.alone(&["doctor"]).stdout;
    for agent in ["GitHub Copilot CLI", "Gemini CLI", "Pi"] {
        assert!(said.contains(&format!("edits of {agent}")), "{said}");
    }
}

#[test]
fn doctor_tells_where_an_agent_would_not_find_its_entry_and_when_it_would_not_wait() {
    let house = house().file("sub/a", "");
    house.install("gemini");
    house.install("claude");
    let told = house.alone_in("sub", &["doctor"]).stdout;
    let line =
        "bad   claude: .claude/settings.json: Claude Code does not find it when it is started in";
    assert!(told.contains(line), "{told}");
    let text = house.text(".gemini/settings.json").replace("30000", "30");
    fs::write(house.root().join(".gemini/settings.json"), text).unwrap();
    let told = house.alone(&["doctor"]).stdout;
    assert!(told.contains("its time-out is below our own deadline (another unit?)"), "{told}");
}

/// The settings of an agent before we come, in several spellings.
fn settings() -> Vec<String> {
    let group = r#"      {
        "matcher": "Bash",
        "hooks": [
          {
            "type": "command",
            "command": "x"
          }
        ]
      }"#;
    let text = format!(
        "{{\n  \"hooks\": {{\n    \"PreToolUse\": [\n{group},\n{group},\n{group}\n    ],\n    \
         \"Stop\": [\n{group},\n{group}\n    ]\n  }}\n}}\n"
    );
    vec![
        text.replace('\n', "\r\n"),
        text.trim_end().to_owned(),
        text.replace("  ", "\t"),
        "{}".to_owned(),
        String::new(),
        text,
    ]
}

#[cfg(unix)]
#[test]
fn a_dry_run_is_a_patch_that_git_applies_and_that_install_would_make() {
    for (agent, file) in FILES {
        for before in settings() {
            let new = || House::new().file(file, &before);
            let (dry, real) = (new(), new());
            let args = ["install", "--agent", agent, "--command", "solvi-hook", "--dry-run"];
            let told = dry.alone(&args);
            if told.status != Some(0) {
                // Codex wants another form than an empty file.
                assert_eq!(real.alone(&args[..5]).status, told.status, "{told:?}");
                continue;
            }
            assert_eq!(dry.text(file), before);
            let mut git = std::process::Command::new("git");
            git.args(["apply", "--whitespace=nowarn", "-"]).current_dir(dry.root());
            git.env("GIT_CEILING_DIRECTORIES", dry.root().parent().unwrap());
            fs::remove_dir_all(dry.root().join(".git")).unwrap();
            let applied = said(git, told.stdout.as_bytes());
            assert_eq!((applied.status, &*applied.stderr), (Some(0), ""), "{agent}: {told:?}");
            real.alone(&args[..5]);
            for file in [file, "solvi-rules.toml"] {
                assert_eq!(dry.text(file), real.text(file), "{agent}: {}", told.stdout);
            }
            for word in [": added ", ": replaced ", ": written", ": removed"] {
                assert!(!told.stdout.contains(word), "{agent}: {}", told.stdout);
            }
            assert!(told.stdout.contains(": would add "), "{}", told.stdout);
        }
    }
}

#[cfg(unix)]
#[test]
fn what_a_dry_run_would_remove_is_a_patch_too() {
    let house = house();
    for (agent, file) in FILES {
        house.install(agent);
        let told = house.alone(&["uninstall", "--agent", agent, "--dry-run"]).stdout;
        assert!(told.contains("would remove") && !told.contains(": removed"), "{told}");
        let mut git = std::process::Command::new("git");
        git.args(["apply", "-"]).current_dir(house.root());
        git.env("GIT_CEILING_DIRECTORIES", house.root().parent().unwrap());
        drop(fs::remove_dir_all(house.root().join(".git")));
        let applied = said(git, told.as_bytes());
        assert_eq!((applied.status, &*applied.stderr), (Some(0), ""), "{agent}: {told}");
        assert!(!house.root().join(file).exists(), "{agent}: {told}");
    }
}

/// A file that a team shares names nobody's machine.
#[cfg(unix)]
#[test]
fn the_project_s_settings_name_the_program_that_is_on_path() {
    let bin = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(crate::support::binary(), bin.path().join("solvi-hook")).unwrap();
    let files = FILES.into_iter().chain([("pi", ".pi/extensions/solvi-hook.ts")]);
    for (agent, file) in files {
        for scope in ["project", "user"] {
            let house = house();
            let run = |args: &[&str]| {
                let mut command = house.command(args);
                command.env("PATH", format!("{}:/usr/bin:/bin", bin.path().display()));
                said(command, b"")
            };
            let said = run(&["install", "--agent", agent, "--scope", scope]);
            assert_eq!(said.status, Some(0), "{agent}: {said:?}");
            if scope == "user" {
                assert!(!house.root().join(file).exists(), "{agent}");
                continue;
            }
            let text = house.text(file);
            for place in [bin.path(), crate::support::binary(), &house.root(), &house.home()] {
                let place = place.to_str().unwrap();
                assert!(!text.contains(place), "{agent}: {place}: {text}");
            }
            let told = run(&["doctor"]).stdout;
            assert!(told.contains(": refuses what must be refused"), "{agent}: {told}");
        }
    }
}
