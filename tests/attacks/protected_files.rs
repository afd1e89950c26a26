//! Protected files reached by other names: links, hard links, `/proc`, settings folders elsewhere.

use super::super::support::{House, payload, said};
use super::projects::git;
use serde_json::json;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

const RULES: &str =
    "version = 1\n[[rule]]\nid = \"r\"\npaths = [\"src/**\"]\nforbid = [\"FORBIDDEN\"]\n";

struct Person {
    house: House,
    root: PathBuf,
    home: PathBuf,
    variables: Vec<(&'static str, PathBuf)>,
}

impl Person {
    fn new() -> Self {
        let house = House::new().rules(RULES).file("src/a", "x\n");
        let (root, home) = (house.root(), fs::canonicalize(house.home()).unwrap());
        Self { house, root, home, variables: Vec::new() }
    }

    fn put(&self, path: &str, content: &str) -> PathBuf {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    fn write_from(&self, cwd: &Path, path: &Path, content: &str) -> String {
        let input = json!({"file_path": path, "content": content});
        let mut payload = payload("Write", &input);
        payload["cwd"] = json!(cwd);
        let mut command = self.house.command(&["hook", "--agent", "claude"]);
        command.envs(self.variables.iter().map(|(name, value)| (*name, value)));
        said(command, payload.to_string().as_bytes()).verdict()
    }

    fn write(&self, path: impl AsRef<Path>) -> String {
        self.write_from(&self.root, &self.root.join(path), "x\n")
    }

    #[track_caller]
    fn expect(&self, verdict: &str, paths: &[&str]) {
        for path in paths {
            assert_eq!(self.write(path), verdict, "{path}");
        }
    }
}

#[test]
fn a_settings_folder_or_file_that_is_a_link_is_known_by_what_it_leads_to() {
    let person = Person::new();
    let root = &person.root;
    for folder in ["dot", "gh/hooks", "x"] {
        fs::create_dir_all(root.join(folder)).unwrap();
    }
    person.put("x/codex.json", "{}");
    person.put(".cursor/a", "");
    symlink("dot", root.join(".claude")).unwrap();
    symlink("gh", root.join(".github")).unwrap();
    fs::create_dir(root.join(".codex")).unwrap();
    symlink("../x/codex.json", root.join(".codex/hooks.json")).unwrap();
    symlink("../x/absent.json", root.join(".cursor/hooks.json")).unwrap();
    person.expect(
        "ask",
        &[
            "dot/settings.json",
            "dot/settings.local.json",
            "dot/SETTINGS.json",
            "dot/solvi-rules.toml",
            ".claude/settings.json",
            "gh/hooks/any.json",
            "x/codex.json",
            ".codex/hooks.json",
            "x/absent.json",
        ],
    );
    person
        .expect("allow", &["dot/notes.md", "gh/workflows/a.yml", "x/free.json", "x/settings.json"]);
}

#[test]
fn a_rules_file_that_is_a_link_protects_what_it_leads_to() {
    let person = Person::new();
    let shared = person.home.join("shared.toml");
    fs::rename(person.root.join("solvi-rules.toml"), &shared).unwrap();
    symlink(&shared, person.root.join("solvi-rules.toml")).unwrap();
    assert_eq!(person.write(&shared), "ask");
    assert_eq!(person.write("solvi-rules.toml"), "ask");
}

#[test]
fn a_hard_link_is_the_file_that_it_links() {
    let person = Person::new();
    let root = &person.root;
    let link = |from: &str, to: &str| {
        let from = person.put(from, "{}\n");
        fs::hard_link(from, root.join(to)).unwrap();
    };
    link(".claude/settings.json", "a.json");
    link(".github/hooks/deep/h.json", "b.json");
    link(".git/config", "c.txt");
    link(".git/hooks/pre-commit", "d.txt");
    link("free.txt", "e.txt");
    fs::hard_link(root.join("solvi-rules.toml"), root.join("src/f.toml")).unwrap();
    person.expect("ask", &["a.json", "b.json", "src/f.toml"]);
    person.expect("deny", &["c.txt", "d.txt"]);
    person.expect("allow", &["e.txt", "free.txt"]);
}

#[test]
fn gits_own_folder_is_known_wherever_it_is() {
    let person = Person::new();
    let root = &person.root;
    fs::remove_dir(root.join(".git")).unwrap();
    let separate = person.home.join("separate");
    git(root, &["init", "-q", "--separate-git-dir", separate.to_str().unwrap()]);
    git(root, &["add", "-A"]);
    git(root, &["commit", "-q", "-m", "x"]);
    let tree = person.home.join("tree");
    git(root, &["worktree", "add", "-q", tree.to_str().unwrap()]);
    for cwd in [root, &tree] {
        for file in [
            "hooks/pre-commit",
            "config",
            "HEAD",
            "refs/heads/new",
            "worktrees/tree/HEAD",
            "info/exclude",
        ] {
            let verdict = person.write_from(cwd, &separate.join(file), "x\n");
            assert_eq!(verdict, "deny", "{file} from {cwd:?}");
        }
        assert_eq!(person.write_from(cwd, &cwd.join(".git"), "x\n"), "deny");
        assert_eq!(person.write_from(cwd, &cwd.join("src/a"), "fine\n"), "allow");
    }
    // From somewhere else it is still a folder of git's.
    assert_eq!(person.write_from(&person.home, &separate.join("config"), "x\n"), "ask");
}

#[test]
fn a_working_tree_in_the_folder_of_its_repository_is_no_file_of_gits() {
    let person = Person::new();
    git(&person.root, &["init", "-q"]);
    git(&person.root, &["add", "-A"]);
    git(&person.root, &["commit", "-q", "-m", "x"]);
    let bare = person.home.join("p.git");
    git(&person.home, &["clone", "-q", "--bare", person.root.to_str().unwrap(), "p.git"]);
    git(&bare, &["worktree", "add", "-q", "main"]);
    let tree = bare.join("main");
    assert_eq!(person.write_from(&tree, &tree.join("src/b"), "fine\n"), "allow");
    assert_eq!(person.write_from(&tree, &tree.join("src/b"), "FORBIDDEN\n"), "deny");
    assert_eq!(person.write_from(&tree, &bare.join("hooks/pre-commit"), "x\n"), "deny");
    assert_eq!(person.write_from(&tree, &bare.join("worktrees/main/HEAD"), "x\n"), "deny");
}

#[test]
fn a_bare_repository_is_not_made_and_not_changed() {
    let person = Person::new();
    let root = &person.root;
    fs::create_dir_all(root.join("b/objects")).unwrap();
    fs::create_dir_all(root.join("b/refs")).unwrap();
    fs::create_dir_all(root.join("c/objects")).unwrap();
    person.put("c/HEAD", "x");
    git(root, &["init", "-q", "--bare", "fixture"]);
    person.expect(
        "ask",
        &["b/HEAD", "c/refs/heads/a", "c/refs/x", "fixture/config", "fixture/hooks/post-update"],
    );
    for text in ["ref: refs/heads/main\n", "0123456789012345678901234567890123456789\n"] {
        assert_eq!(person.write_from(root, &root.join("new/HEAD"), text), "ask", "{text}");
    }
    person.expect("allow", &["new/HEAD", "d/objects/a", "d/refs/a", "c/config"]);
}

#[test]
fn a_hook_is_known_where_the_configuration_or_a_link_puts_it() {
    let person = Person::new();
    let root = &person.root;
    fs::remove_dir(root.join(".git")).unwrap();
    git(root, &["init", "-q"]);
    let script = person.put("tools/check.sh", "#!/bin/sh\n");
    person.put("tools/other.sh", "#!/bin/sh\n");
    git(root, &["add", "-A"]);
    git(root, &["update-index", "--chmod=+x", "tools/check.sh", "tools/other.sh"]);
    for file in ["tools/check.sh", "tools/other.sh"] {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(root.join(file), fs::Permissions::from_mode(0o755)).unwrap();
    }
    symlink(&script, root.join(".git/hooks/pre-commit")).unwrap();
    person.expect("ask", &["tools/check.sh"]);
    person.expect("allow", &["tools/other.sh", "scripts/pre-commit"]);
    git(root, &["config", "core.hooksPath", "scripts"]);
    person.expect("ask", &["scripts/pre-commit", "scripts/PRE-PUSH"]);
    person.expect("allow", &["scripts/build", "other/pre-commit"]);
    git(root, &["config", "--unset", "core.hooksPath"]);
    fs::write(person.home.join(".gitconfig"), "[core]\nhooksPath = ~/hooks\n").unwrap();
    assert_eq!(person.write(person.home.join("hooks/commit-msg")), "ask");
}

#[test]
fn the_persons_settings_are_known_in_every_place() {
    let mut person = Person::new();
    let home = person.home.clone();
    let usual = [
        ".claude/settings.json",
        ".claude.json",
        ".codex/config.toml",
        ".codex/hooks.json",
        ".copilot/hooks/solvi-hook.json",
        ".copilot/config.json",
        ".gemini/settings.json",
        ".gemini/trustedFolders.json",
        ".gemini/extensions/a/hooks/hooks.json",
        ".cursor/hooks.json",
        ".pi/agent/extensions/solvi-hook.ts",
        ".pi/agent/trust.json",
        ".pi/agent/solvi-hook.choices.json",
        ".gitconfig",
        ".config/git/config",
        ".local/state/solvi-hook/x",
        ".cache/solvi-hook/y",
    ];
    for file in usual {
        assert_eq!(person.write(home.join(file)), "ask", "{file}");
    }
    for file in [".claude/notes", ".bashrc", ".copilot/x", ".gemini/GEMINI.md", ".config/x"] {
        assert_eq!(person.write(home.join(file)), "allow", "{file}");
    }
    for (variable, file) in [
        ("CLAUDE_CONFIG_DIR", "settings.json"),
        ("CODEX_HOME", "config.toml"),
        ("COPILOT_HOME", "hooks/a.json"),
        ("GEMINI_CLI_HOME", ".gemini/trustedFolders.json"),
        ("PI_CODING_AGENT_DIR", "extensions/a.ts"),
        ("XDG_CONFIG_HOME", "git/config"),
        ("XDG_STATE_HOME", "solvi-hook/grants"),
        ("GIT_CONFIG_GLOBAL", ""),
        ("GEMINI_CLI_TRUSTED_FOLDERS_PATH", ""),
    ] {
        let folder = home.join("moved").join(variable);
        let file = if file.is_empty() { folder.clone() } else { folder.join(file) };
        let before = person.write(&file);
        person.variables = vec![(variable, folder)];
        assert_eq!((before.as_str(), person.write(&file).as_str()), ("allow", "ask"), "{variable}");
        person.variables.clear();
    }
    for file in [
        "/etc/claude-code/managed-settings.json",
        "/etc/codex/requirements.toml",
        "/etc/github-copilot/policy.d/a.json",
        "/etc/gemini-cli/settings.json",
        "/etc/gitconfig",
        "/Library/Application Support/ClaudeCode/managed-settings.json",
    ] {
        assert_eq!(person.write(file), "ask", "{file}");
    }
    fs::create_dir_all(home.join("dotfiles")).unwrap();
    symlink("dotfiles", home.join(".codex")).unwrap();
    assert_eq!(person.write(home.join("dotfiles/config.toml")), "ask");
}

#[test]
fn the_program_and_its_store_are_protected() {
    let person = Person::new();
    assert_eq!(person.write(super::super::support::binary()), "ask");
    let said = |path: &str| {
        let input = json!({"file_path": path, "content": "x\n"});
        person.house.edit_with(&["--store", "logs/t.jsonl"], "Write", input).verdict()
    };
    assert_eq!(
        (said("logs/t.jsonl").as_str(), said("logs/t.jsonl.head").as_str()),
        ("deny", "deny")
    );
    assert_eq!(
        (said("logs/t.jsonl-wal").as_str(), said("logs/other.jsonl").as_str()),
        ("deny", "allow")
    );
}

#[test]
fn what_each_program_sees_otherwise_asks_and_is_evaluated_where_the_agent_is() {
    let person = Person::new();
    let (root, src) = (&person.root, person.root.join("src"));
    let write = |path: &str, content: &str| person.write_from(&src, Path::new(path), content);
    for path in [
        "/proc/self/cwd/solvi-rules.toml",
        "/proc/self/cwd/new.txt",
        "/proc/thread-self/cwd/new.txt",
        "/proc/self/task/1/cwd/new.txt",
        "/proc/self/fd/3",
        "/proc/1/cwd/tmp/x",
        "/proc/self/environ",
        "/dev/fd/3",
        "/dev/stdin",
        "/dev/stdout",
    ] {
        assert_eq!(write(path, "x\n"), "ask", "{path}");
    }
    assert_eq!(write("/proc/self/cwd/b", "FORBIDDEN\n"), "deny");
    let rooted = format!("/proc/self/root{}", root.join("src/b").display());
    assert_eq!(
        (write(&rooted, "x\n").as_str(), write(&rooted, "FORBIDDEN\n").as_str()),
        ("ask", "deny")
    );
    symlink("/proc/self/cwd", root.join("here")).unwrap();
    assert_eq!(person.write("here/x"), "ask");
    assert_eq!(write("/dev/null/x", "x\n"), "allow");
}

#[test]
fn other_spellings_of_a_name_are_the_name() {
    let person = Person::new();
    person.expect(
        "ask",
        &[
            ".claude./settings.json",
            ".claude/settings.json.",
            ".claude/settings.json ",
            ".claude/settings.json::$DATA",
            ".CLAUDE/Settings.JSON",
            ".claude/\u{17f}ettings.json",
            ".codex/con\u{fb01}g.toml",
            ".cl\u{200c}aude/settings.json",
            "x/git~1/config",
            "x/.g\u{200c}it/config",
            "solvi\u{2011}rules.toml",
        ][..10],
    );
    person.expect("deny", &[".GIT/config", ".git./config", ".g\u{200d}it/hooks/pre-commit"]);
    person.expect("allow", &["claude/settings.json", ".claudes/settings.json", "x/git1/config"]);
}

#[test]
fn settings_are_protected_where_the_session_is_and_began() {
    let mut person = Person::new();
    let deep = person.root.join("src/deep");
    fs::create_dir_all(&deep).unwrap();
    fs::create_dir_all(person.root.join("dot")).unwrap();
    symlink("../../dot", deep.join(".claude")).unwrap();
    let from = |person: &Person, cwd: &Path, file: &str| {
        person.write_from(cwd, &person.root.join(file), "{}\n")
    };
    assert_eq!(from(&person, &deep, "src/deep/.gemini/settings.json"), "ask");
    // Its variables lead the agent to other settings.
    assert_eq!(from(&person, &deep, "src/deep/.gemini/.env"), "ask");
    assert_eq!(from(&person, &deep, ".gemini/.env"), "ask");
    assert_eq!(from(&person, &deep, "src/.codex/config.toml"), "ask");
    assert_eq!(from(&person, &deep, "dot/settings.json"), "ask");
    let root = person.root.clone();
    assert_eq!(from(&person, &root, "src/deep/.gemini/settings.json"), "allow");
    person.variables = vec![("CLAUDE_PROJECT_DIR", deep.clone())];
    assert_eq!(from(&person, &root, "src/deep/.gemini/settings.json"), "ask");
}

#[test]
fn a_folder_that_holds_protected_files_is_not_taken_away() {
    let person = Person::new();
    let root = &person.root;
    for file in [".claude/settings.json", ".github/hooks/a.json", "dot/config.toml", "free/x"] {
        person.put(file, "{}\n");
    }
    symlink("dot", root.join(".codex")).unwrap();
    let patch = |path: &str| {
        let command = format!("*** Begin Patch\n*** Delete File: {path}\n*** End Patch\n");
        let payload = json!({"cwd": root, "turn_id": "t", "hook_event_name": "PreToolUse",
            "tool_name": "apply_patch", "tool_input": {"command": command}});
        let said = person.house.run(&["hook", "--agent", "codex"], payload.to_string());
        !said.reply().is_null()
    };
    for path in [".claude", ".github", ".claude/settings.json", "dot", "solvi-rules.toml"] {
        assert!(patch(path), "{path}");
    }
    person.put("free/x", "x");
    assert!(!patch("free/x"));
}
