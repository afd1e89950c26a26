//! `doctor`: what is installed is started, and what is not well is said.

use crate::shims::Yard;
use crate::support::Said;
use serde_json::Value;
use std::fs;

/// Stops a commit that adds a line that is nothing but `refused`.
const STOPS: &str = "[ \"$1\" = check-staged ] || exit 2; ! grep -qx refused staged.txt";

impl Yard {
    fn doctor(&self) -> Said {
        self.run(&["doctor"])
    }

    /// Installs the entry for Claude Code.
    fn wired(self) -> Self {
        assert_eq!(self.run(&["install"]).status, Some(0));
        self
    }

    fn settings(&self, text: &str) -> &Self {
        let folder = self.house.root().join(".claude");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("settings.local.json"), text).unwrap();
        self
    }
}

#[track_caller]
fn expect(said: &Said, status: i32, lines: &[&str]) {
    assert_eq!(said.status, Some(status), "{}{}", said.stdout, said.stderr);
    for line in lines {
        let there = said.stdout.lines().any(|said| {
            let mut rest = said;
            line.split('…').all(|piece| match rest.find(piece) {
                Some(at) => {
                    rest = &rest[at + piece.len()..];
                    true
                }
                None => false,
            })
        });
        assert!(there, "`{line}` is missing in:\n{}", said.stdout);
    }
}

#[test]
fn where_nothing_is_installed_the_guard_is_not_in_force() {
    let said = Yard::new().doctor();
    expect(
        &said,
        1,
        &[
            "ok    rules: the …built-in rules judge",
            "warn  claude: no settings of Claude Code have an entry of ours",
            "warn  git: .git/hooks/pre-commit is not there: commits are not checked",
            "      next: `solvi-hook install --git`",
            "the guard is NOT in force",
        ],
    );
}

#[test]
fn an_entry_that_refuses_guards_edits() {
    let yard = Yard::new().wired();
    let entry = ".claude/settings.json: PreToolUse → solvi-hook hook --agent claude";
    let said = yard.doctor();
    expect(&said, 0, &[&format!("ok    claude: {entry}: refuses what must be refused")]);
    expect(&said, 0, &["in force for edits of Claude Code"]);
    // What is tried is no decision.
    expect(&yard.doctor(), 0, &["ok    records: …is not there yet: nothing was decided"]);
    assert!(!yard.house.root().join(".solvi").exists());
    yard.house.write("a.txt", "x\n");
    expect(&yard.doctor(), 0, &["ok    records: …1 records, all as they were written"]);
    assert!(!yard.house.root().join(".git/solvi-hook-doctor").exists());
}

#[test]
fn a_program_reads_one_object() {
    let said = Yard::new().wired().run(&["doctor", "--json"]);
    let report: Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!(report["in_force"], true);
    assert_eq!(report["guards"], serde_json::json!(["edits of Claude Code"]));
    let checks = report["checks"].as_array().unwrap();
    let git = checks.iter().find(|check| check["about"] == "git").unwrap();
    assert_eq!(git["state"], "warn");
    assert!(git["next"].as_str().unwrap().contains("install --git"));
    assert!(checks.iter().any(|check| check["next"].is_null()));
}

#[test]
fn a_persons_own_settings_are_read_too() {
    let yard = Yard::new();
    assert_eq!(yard.run(&["install", "--scope", "user"]).status, Some(0));
    expect(&yard.doctor(), 0, &["/home/.claude/settings.json: PreToolUse → …: refuses"]);
}

#[test]
fn an_entry_whose_program_is_gone_guards_nothing() {
    let yard = Yard::new().wired().fake("exit 127").doctor();
    expect(&yard, 1, &["bad   claude: …: does not refuse what must be: "]);
}

#[test]
fn an_entry_that_says_yes_to_everything_guards_nothing() {
    let yard = Yard::new().wired();
    yard.fake("cat >/dev/null");
    expect(&yard.doctor(), 1, &["bad   claude: …: does not refuse what must be"]);
}

#[test]
fn hooks_that_are_switched_off_guard_nothing() {
    let yard = Yard::new().wired();
    yard.settings("{\"disableAllHooks\": true}");
    let off = "bad   claude: .claude/settings.local.json: `disableAllHooks` is true";
    expect(&yard.doctor(), 1, &[off, "      next: mend .claude/settings.local.json"]);
    // A file that Claude Code ignores takes only itself away.
    yard.settings("{} // why");
    expect(&yard.doctor(), 0, &["bad   claude: .claude/settings.local.json: …not plain JSON"]);
}

#[test]
fn an_entry_at_the_wrong_place_is_told() {
    let yard = Yard::new().wired();
    let file = yard.house.root().join(".claude/settings.json");
    let mut settings: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    let entry = settings["hooks"]["PreToolUse"][0]["hooks"][0].clone();
    let mut write = |event: &str, matcher: &str| {
        settings["hooks"] =
            serde_json::json!({event: [{"matcher": matcher, "hooks": [entry.clone()]}]});
        fs::write(&file, settings.to_string()).unwrap();
    };
    write("SessionStart", "");
    expect(&yard.doctor(), 1, &["bad   claude: …: is not asked before an edit is made"]);
    write("PreToolUse", "Write");
    expect(&yard.doctor(), 0, &["warn  claude: …: works, but only for `Write`"]);
    write("PreToolUse", "*");
    expect(&yard.doctor(), 0, &["ok    claude: …: refuses what must be refused"]);
}

#[test]
fn another_version_is_told() {
    let yard = Yard::new().wired();
    yard.install(&[]);
    yard.fake("[ \"$1\" = --version ] && echo solvi-hook 0.0.1");
    let told = "starts version 0.0.1, and this is ";
    expect(&yard.doctor(), 1, &[&format!("warn  claude: …{told}"), &format!("warn  git: …{told}")]);
}

#[test]
fn a_hook_that_stops_a_commit_guards_commits() {
    let yard = Yard::new();
    yard.stranger("pre-commit", "touch ran; exit 1");
    yard.install(&["--chain"]);
    yard.fake(STOPS);
    let said = yard.doctor();
    let hook = ".git/hooks/pre-commit is ours, and runs original first";
    expect(&said, 0, &[&format!("ok    git: {hook}: stops what must be stopped")]);
    expect(&said, 0, &["in force for commits, merges"]);
    // Somebody else's hook is not started for a trial.
    assert!(!yard.house.root().join("ran").exists());
}

#[test]
fn a_hook_that_stops_a_push_guards_pushes() {
    let yard = Yard::new();
    yard.install(&["--pre-push"]);
    let real = env!("CARGO_BIN_EXE_solvi-hook");
    yard.fake(&format!("exec '{real}' \"$@\""));
    let hook = ".git/hooks/pre-push is ours";
    expect(&yard.doctor(), 0, &[&format!("ok    git: {hook}: stops what must be stopped")]);
    expect(&yard.doctor(), 0, &["in force for commits, merges, pushes"]);
    yard.fake(&format!("[ \"$1\" = pre-push ] || exec '{real}' \"$@\""));
    expect(&yard.doctor(), 1, &["bad   git: …pre-push is ours, and does not stop what must be"]);
}

#[test]
fn a_hook_that_stops_nothing_or_everything_is_told() {
    let yard = Yard::new();
    yard.install(&[]);
    expect(&yard.fake("exit 0").doctor(), 1, &["bad   git: …does not stop what must be stopped"]);
    let everything = "bad   git: …stops what is harmless: no";
    expect(&yard.fake("echo no >&2; exit 2").doctor(), 1, &[everything]);
}

#[test]
fn a_hook_that_git_passes_by_is_told() {
    let yard = Yard::new();
    yard.install(&[]);
    yard.fake(STOPS);
    yard.git(&["config", "core.hooksPath", "none"]);
    let shadowed = "bad   git: .git/hooks/pre-commit never runs: hook shadowed by core.hooksPath";
    expect(&yard.doctor(), 1, &[shadowed]);
    yard.git(&["config", "--unset", "core.hooksPath"]);
    for hook in ["pre-commit", "pre-merge-commit"] {
        let mut mode = fs::metadata(yard.hook(hook)).unwrap().permissions();
        std::os::unix::fs::PermissionsExt::set_mode(&mut mode, 0o644);
        fs::set_permissions(yard.hook(hook), mode).unwrap();
    }
    expect(&yard.doctor(), 1, &["bad   git: .git/hooks/pre-commit is not executable"]);
    fs::remove_file(yard.hook("pre-commit")).unwrap();
    std::os::unix::fs::symlink("/nonexistent", yard.hook("pre-commit")).unwrap();
    expect(&yard.doctor(), 1, &["bad   git: …pre-commit is a link to /nonexistent"]);
}

#[test]
fn a_strangers_hook_guards_when_it_runs_us() {
    let yard = Yard::new();
    yard.fake(STOPS).stranger("pre-commit", "# solvi-hook");
    expect(
        &yard.doctor(),
        1,
        &["warn  git: .git/hooks/pre-commit is somebody else's and does not"],
    );
    yard.stranger("pre-commit", "solvi-hook check-staged || exit 1");
    expect(&yard.doctor(), 0, &["ok    git: .git/hooks/pre-commit is somebody else's; …: stops"]);
    yard.stranger("pre-commit", "call_lefthook run pre-commit");
    fs::write(yard.house.root().join("lefthook.yml"), "run: solvi-hook check-staged\n").unwrap();
    expect(&yard.doctor(), 0, &["ok    git: …; lefthook.yml names solvi-hook: stops"]);
}

#[test]
fn rules_that_cannot_be_read_are_told() {
    let yard = Yard::new();
    let file = yard.house.root().join("solvi-rules.toml");
    let rule =
        |pattern: &str| format!("[[rule]]\nid = \"a\"\npaths = [\"a\"]\nforbid = ['{pattern}']\n");
    fs::write(&file, rule("x")).unwrap();
    expect(
        &yard.doctor(),
        1,
        &["ok    rules: solvi-rules.toml: 1 rule, and the built-in rules off (`extends = …"],
    );
    fs::write(&file, rule("(")).unwrap();
    expect(&yard.doctor(), 1, &["bad   rules: …solvi-rules.toml…`forbid` holds `(`"]);
    fs::write(&file, "").unwrap();
    expect(&yard.doctor(), 1, &["warn  rules: solvi-rules.toml holds no rule"]);
    fs::create_dir(yard.house.root().join(".config")).unwrap();
    fs::write(yard.house.root().join(".config/solvi-rules.toml"), "").unwrap();
    expect(&yard.doctor(), 1, &["bad   rules: …two rules files"]);
}

#[test]
fn records_that_git_sees_or_somebody_changed_are_told() {
    let yard = Yard::new().wired();
    assert_eq!(yard.house.write(".claude/settings.json", "{}").verdict(), "ask");
    yard.git(&["add", "--force", ".solvi/traces"]);
    expect(&yard.doctor(), 0, &["bad   records: .solvi/traces/hooks.jsonl…is tracked by git"]);
    yard.git(&["rm", "-q", "-r", "--cached", "--force", ".solvi"]);
    expect(&yard.doctor(), 0, &["ok    records: .solvi/ is kept out of git"]);
    fs::remove_file(yard.house.root().join(".solvi/.gitignore")).unwrap();
    let store = yard.house.root().join(".solvi/traces/hooks.jsonl");
    let text = fs::read_to_string(&store).unwrap().replace("own-files", "own-tiles");
    fs::write(&store, text).unwrap();
    yard.fake("exit 127");
    expect(&yard.doctor(), 1, &["bad   records: …the record was changed after it was written"]);
    expect(&yard.doctor(), 1, &["bad   records: .solvi/ is not ignored by git"]);
}

#[test]
fn a_folder_in_no_repository_has_no_hooks() {
    let yard = Yard::new();
    let home = yard.house.home();
    let said = yard.run(&["doctor", "--project", home.to_str().unwrap()]);
    expect(&said, 1, &["warn  git: …is in no git repository"]);
    let said = yard.run(&["doctor", "--project", "/nonexistent"]);
    assert_eq!(said.status, Some(2), "{said:?}");
}
