//! `install --git` and `uninstall --git`, in repositories of real git.

use crate::support::{House, Said, binary, said};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A repository whose hooks find a `solvi-hook` of the test's own making.
pub struct Yard {
    pub house: House,
}

impl Yard {
    pub fn new() -> Self {
        let yard = Self { house: House::new() };
        fs::create_dir_all(yard.programs()).unwrap();
        // `install` names the file that runs it, and finds this one on PATH.
        symlink(binary(), yard.program()).unwrap();
        yard.git(&["init", "-q", "-b", "main"]);
        yard
    }

    fn programs(&self) -> PathBuf {
        self.house.home().join("my bin")
    }

    fn program(&self) -> PathBuf {
        self.programs().join("solvi-hook")
    }

    /// Puts a script in the place of the program that hooks start.
    pub fn fake(&self, body: &str) -> &Self {
        fs::remove_file(self.program()).unwrap();
        script(&self.program(), body);
        self
    }

    /// Returns the PATH of this world.
    pub fn path(&self) -> String {
        let path = std::env::var("PATH").unwrap_or_default();
        format!("{}:{path}", self.programs().display())
    }

    fn world(&self, command: &mut Command) {
        let path = self.path();
        command
            .current_dir(self.house.root())
            .env_clear()
            .env("HOME", self.house.home())
            .env("PATH", path)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_NAME"), "a")))
            .envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_EMAIL"), "a@b.c")));
    }

    pub fn tries(&self, arguments: &[&str]) -> Said {
        let mut git = Command::new("git");
        git.args(arguments);
        self.world(&mut git);
        said(git, b"")
    }

    pub fn git(&self, arguments: &[&str]) -> Said {
        let said = self.tries(arguments);
        assert_eq!(said.status, Some(0), "git {arguments:?}: {said:?}");
        said
    }

    /// Returns the real program with arguments.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(binary());
        command.args(arguments);
        self.world(&mut command);
        command
    }

    /// Runs the real program.
    pub fn run(&self, arguments: &[&str]) -> Said {
        said(self.command(arguments), b"")
    }

    /// Runs another program, and returns the first word of what it says.
    pub fn word_of(&self, command: &[&str]) -> String {
        let (program, arguments) = command.split_first().unwrap();
        let mut command = Command::new(program);
        command.args(arguments);
        self.world(&mut command);
        said(command, b"").stdout.split_whitespace().next().unwrap().to_owned()
    }

    #[track_caller]
    pub fn install(&self, more: &[&str]) -> Said {
        let said = self.run(&[&["install", "--git"], more].concat());
        assert_eq!(said.status, Some(0), "{said:?}");
        said
    }

    #[track_caller]
    fn uninstall(&self) -> Said {
        let said = self.run(&["uninstall", "--git"]);
        assert_eq!(said.status, Some(0), "{said:?}");
        said
    }

    pub fn hook(&self, name: &str) -> PathBuf {
        self.house.root().join(".git/hooks").join(name)
    }

    pub fn stranger(&self, name: &str, body: &str) -> Vec<u8> {
        fs::create_dir_all(self.hook("")).unwrap();
        script(&self.hook(name), body);
        fs::read(self.hook(name)).unwrap()
    }

    pub fn commit(&self) -> Said {
        self.tries(&["commit", "-q", "--allow-empty", "-m", "m"])
    }

    /// Returns everything in git's hooks folder.
    fn listing(&self) -> Vec<String> {
        let entries = fs::read_dir(self.hook("")).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.filter(|name| !name.ends_with(".sample")).collect();
        names.sort();
        names
    }
}

fn script(path: &Path, body: &str) {
    fs::write(path, format!("#!/bin/sh\n{body}\n")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777
}

#[test]
fn a_commit_and_a_merge_are_held_against_the_rules() {
    let yard = Yard::new();
    yard.install(&[]);
    assert_eq!(yard.listing(), ["pre-commit", "pre-merge-commit"]);
    assert_eq!(mode(&yard.hook("pre-commit")), 0o755);
    yard.fake("echo \"ran $*\" >&2; exit 0");
    assert!(yard.commit().stderr.contains("ran check-staged"));
    yard.git(&["checkout", "-q", "-b", "side"]);
    yard.git(&["commit", "-q", "--allow-empty", "-m", "another"]);
    yard.git(&["checkout", "-q", "main"]);
    yard.commit();
    yard.fake("exit 1");
    assert_eq!(yard.commit().status, Some(1));
    assert_ne!(yard.tries(&["merge", "-q", "--no-edit", "side"]).status, Some(0));
    yard.git(&["commit", "-q", "--no-verify", "--allow-empty", "-m", "m"]);
}

#[test]
fn a_push_is_held_against_the_rules_only_when_asked_for() {
    let yard = Yard::new();
    yard.commit();
    yard.git(&["init", "-q", "--bare", "../remote.git"]);
    yard.install(&["--pre-push"]);
    yard.fake("[ \"$1\" = pre-push ] || exit 0; shift; echo \"to $*: $(cat)\" >&2; exit 1");
    let said = yard.tries(&["push", "-q", "../remote.git", "main"]);
    assert_ne!(said.status, Some(0));
    assert!(said.stderr.contains("to ../remote.git ../remote.git: refs/heads/main "), "{said:?}");
    // Installing the others again does not take it away.
    yard.install(&[]);
    assert!(yard.hook("pre-push").exists());
}

#[test]
fn a_bare_repository_gets_the_hook_of_a_server() {
    let yard = Yard::new();
    let server = yard.house.home().join("server.git");
    let place = server.to_str().unwrap();
    yard.git(&["init", "-q", "--bare", place]);
    yard.stranger("pre-receive", "echo \"theirs: $(cat)\" >&2");
    fs::copy(yard.hook("pre-receive"), server.join("hooks/pre-receive")).unwrap();
    fs::remove_file(yard.hook("pre-receive")).unwrap();
    let said = yard.install(&["--chain", "--project", place]);
    assert_eq!(said.stdout.matches(": written").count(), 1, "{said:?}");
    let doctor = yard.run(&["doctor", "--project", place]).stdout;
    assert!(!doctor.contains("pre-commit") && !doctor.contains("pre-merge-commit"), "{doctor}");
    assert!(doctor.contains("pre-receive is ours, and runs original first: stops"), "{doctor}");
    yard.commit();
    yard.fake("[ \"$*\" = pre-receive ] || exit 3; echo \"ours: $(cat)\" >&2; exit 1");
    let said = yard.tries(&["push", "-q", place, "main"]);
    assert_ne!(said.status, Some(0));
    for who in ["theirs: 0000", "ours: 0000"] {
        assert!(said.stderr.contains(who), "{said:?}");
    }
    fs::remove_file(yard.program()).unwrap();
    let said = yard.tries(&["push", "-q", place, "main"]);
    assert!(said.stderr.contains("it is rejected"), "{said:?}");
    assert_ne!(said.status, Some(0));
    let said = yard.run(&["uninstall", "--git", "--project", place]);
    assert!(said.stdout.contains("the hook that was there before is back"), "{said:?}");
    yard.git(&["push", "-q", place, "main"]);
}

#[test]
fn installing_twice_is_installing_once_and_uninstalling_leaves_nothing() {
    let yard = Yard::new();
    let before = yard.listing();
    yard.install(&["--dry-run"]);
    assert_eq!(yard.listing(), before);
    yard.install(&["--pre-push"]);
    let first = fs::read(yard.hook("pre-commit")).unwrap();
    let said = yard.install(&["--pre-push"]);
    assert_eq!(said.stdout.matches(": unchanged\n").count(), 3, "{said:?}");
    assert_eq!(fs::read(yard.hook("pre-commit")).unwrap(), first);
    yard.uninstall();
    assert_eq!(yard.listing(), before);
    assert!(yard.uninstall().stdout.contains("nothing to remove"));
}

#[test]
fn a_strangers_hook_stays_and_the_line_to_add_is_printed() {
    let yard = Yard::new();
    let theirs = yard.stranger("pre-commit", "echo own-ran");
    let said = yard.run(&["install", "--git"]);
    assert_eq!(said.status, Some(2));
    assert!(said.stdout.contains("\n    solvi-hook check-staged || exit 1\n"), "{said:?}");
    assert!(said.stderr.contains("install --git --chain"), "{said:?}");
    assert_eq!(yard.listing(), ["pre-commit"]);
    assert_eq!(fs::read(yard.hook("pre-commit")).unwrap(), theirs);
    assert!(
        yard.uninstall()
            .stdout
            .contains(".git/hooks/pre-commit: not a hook of solvi-hook, unchanged")
    );
    assert_eq!(fs::read(yard.hook("pre-commit")).unwrap(), theirs);
}

#[test]
fn a_chained_hook_runs_once_and_first_and_comes_back_as_it_was() {
    let yard = Yard::new();
    let theirs = yard.stranger("pre-commit", "echo own-ran >&2");
    fs::set_permissions(yard.hook("pre-commit"), fs::Permissions::from_mode(0o751)).unwrap();
    yard.install(&["--chain"]);
    yard.install(&["--chain"]);
    yard.install(&[]);
    assert_eq!(mode(&yard.hook("pre-commit.d/original")), 0o751);
    yard.fake("echo ours-ran >&2; exit 1");
    let said = yard.commit();
    assert_eq!((said.status, said.stderr.as_str()), (Some(1), "own-ran\nours-ran\n"));
    yard.uninstall();
    assert_eq!(fs::read(yard.hook("pre-commit")).unwrap(), theirs);
    assert_eq!(mode(&yard.hook("pre-commit")), 0o751);
    assert_eq!(yard.listing(), ["pre-commit"]);
}

#[test]
fn a_chained_hook_that_fails_stops_the_commit() {
    let yard = Yard::new();
    yard.stranger("pre-commit", "exit 3");
    yard.install(&["--chain"]);
    yard.fake("echo ours-ran >&2");
    let said = yard.commit();
    assert_eq!((said.status, said.stderr.as_str()), (Some(1), ""));
}

#[test]
fn a_chained_push_hook_and_ours_both_read_what_is_pushed() {
    let yard = Yard::new();
    yard.commit();
    yard.git(&["init", "-q", "--bare", "../remote.git"]);
    yard.stranger("pre-push", "echo \"theirs $1: $(cat)\" >&2");
    yard.install(&["--pre-push", "--chain"]);
    yard.fake("[ \"$1\" = pre-push ] && echo \"ours $2: $(cat)\" >&2");
    let said = yard.tries(&["push", "-q", "../remote.git", "main"]);
    let lines: Vec<&str> = said.stderr.lines().collect();
    assert_eq!(lines.len(), 2, "{said:?}");
    assert!(lines[0].starts_with("theirs ../remote.git: refs/heads/main "), "{said:?}");
    assert_eq!(lines[1], lines[0].replacen("theirs", "ours", 1));
    // With nothing to say, git says nothing to either.
    assert_eq!(yard.tries(&["push", "../remote.git", "main"]).status, Some(0));
}

#[test]
fn a_chained_link_leads_to_the_same_place_and_comes_back() {
    let yard = Yard::new();
    let scripts = yard.house.root().join("scripts");
    fs::create_dir_all(&scripts).unwrap();
    fs::create_dir_all(yard.hook("")).unwrap();
    script(&scripts.join("check"), "echo own-ran >&2");
    symlink("./../../scripts/check", yard.hook("pre-commit")).unwrap();
    yard.install(&["--chain"]);
    yard.fake("exit 0");
    assert_eq!(yard.commit().stderr, "own-ran\n");
    assert_eq!(fs::read_to_string(scripts.join("check")).unwrap(), "#!/bin/sh\necho own-ran >&2\n");
    yard.uninstall();
    let target = fs::read_link(yard.hook("pre-commit")).unwrap();
    assert_eq!(target.to_str(), Some("./../../scripts/check"));
}

#[test]
fn without_the_program_nothing_is_committed() {
    let yard = Yard::new();
    yard.install(&["--pre-push"]);
    fs::remove_file(yard.program()).unwrap();
    for (hook, skip) in
        [("pre-commit", "commit"), ("pre-merge-commit", "merge"), ("pre-push", "push")]
    {
        let mut shell = Command::new(yard.hook(hook));
        shell.current_dir(yard.house.root()).env_clear().env("PATH", "/usr/bin:/bin");
        let said = said(shell, b"");
        assert_eq!(said.status, Some(1), "{hook}");
        assert!(said.stderr.contains("get it: "), "{said:?}");
        assert!(said.stderr.contains(&format!("`git {skip} --no-verify`")), "{said:?}");
    }
}

#[test]
fn the_program_is_found_without_a_path_and_one_on_path_stands_in() {
    let yard = Yard::new();
    yard.install(&[]);
    yard.fake("echo \"ran $0\" >&2");
    let run = |path: &str| {
        let mut shell = Command::new(yard.hook("pre-commit"));
        shell.current_dir(yard.house.root()).env_clear().env("PATH", path);
        said(shell, b"").stderr
    };
    assert_eq!(run("/usr/bin:/bin"), format!("ran {}\n", yard.program().display()));
    let other = yard.house.home().join("other");
    fs::create_dir(&other).unwrap();
    fs::rename(yard.program(), other.join("solvi-hook")).unwrap();
    let path = format!("/usr/bin:/bin:{}", other.display());
    assert_eq!(run(&path), format!("ran {}/solvi-hook\n", other.display()));
    // One that lies in the project is nobody's program.
    fs::rename(other.join("solvi-hook"), yard.house.root().join("solvi-hook")).unwrap();
    assert!(run("/usr/bin:/bin").contains("not found"));
}

#[test]
fn a_link_to_nothing_is_told_and_left() {
    let yard = Yard::new();
    fs::create_dir_all(yard.hook("")).unwrap();
    symlink("/nonexistent", yard.hook("pre-commit")).unwrap();
    for more in [&[][..], &["--chain"]] {
        let said = yard.run(&[&["install", "--git"], more].concat());
        assert_eq!(said.status, Some(2));
        assert!(said.stderr.contains("a symbolic link to /nonexistent, where nothing is"));
    }
    assert_eq!(yard.listing(), ["pre-commit"]);
}

#[test]
fn a_missing_folder_is_made() {
    let yard = Yard::new();
    fs::remove_dir_all(yard.hook("")).unwrap();
    yard.install(&[]);
    assert_eq!(mode(&yard.hook("pre-commit")), 0o755);
}

#[test]
fn hooks_of_husky_are_left_to_husky() {
    for folder in [".husky", ".husky/_"] {
        let yard = Yard::new();
        yard.git(&["config", "core.hooksPath", folder]);
        let folder = yard.house.root().join(folder);
        fs::create_dir_all(&folder).unwrap();
        script(&folder.join("pre-commit"), "echo husky-ran");
        for more in [&[][..], &["--chain"]] {
            let said = yard.run(&[&["install", "--git"], more].concat());
            assert_eq!(said.status, Some(2));
            assert!(said.stdout.contains("to .husky/pre-commit:\n    solvi-hook check-staged ||"));
            assert!(said.stdout.contains("to .husky/pre-merge-commit:\n"), "{said:?}");
            assert!(said.stderr.contains("`core.hooksPath` is `.husky"), "{said:?}");
        }
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        assert_eq!(yard.listing(), Vec::<String>::new());
    }
}

#[test]
fn hooks_in_the_working_tree_name_no_machine() {
    let yard = Yard::new();
    yard.git(&["config", "core.hooksPath", "tools/hooks"]);
    fs::create_dir(yard.house.root().join("sub")).unwrap();
    let mut command = yard.house.command(&["install", "--git"]);
    command.current_dir(yard.house.root().join("sub"));
    let said = said(command, b"");
    assert_eq!(said.status, Some(0), "{said:?}");
    let shim = fs::read_to_string(yard.house.root().join("tools/hooks/pre-commit")).unwrap();
    assert!(shim.contains("\nfor program in solvi-hook; do\n"), "{shim}");
    yard.fake("exit 1");
    assert_eq!(yard.commit().status, Some(1));
}

#[test]
fn hooks_of_the_whole_machine_are_not_ours_to_write() {
    let yard = Yard::new();
    let everywhere = yard.house.home().join("hooks");
    fs::create_dir(&everywhere).unwrap();
    let config = yard.house.home().join(".gitconfig");
    fs::write(config, format!("[core]\nhooksPath = {}\n", everywhere.display())).unwrap();
    let said = yard.run(&["install", "--git", "--chain"]);
    assert_eq!(said.status, Some(2));
    assert!(said.stderr.contains("may serve others") && said.stderr.contains("(global, "));
    assert_eq!(fs::read_dir(everywhere).unwrap().count(), 0);
}

#[test]
fn shims_that_git_passes_by_are_told_and_removed() {
    let yard = Yard::new();
    yard.install(&[]);
    yard.git(&["config", "core.hooksPath", ".hooks"]);
    let said = yard.install(&[]);
    assert!(said.stdout.contains(".git/hooks/pre-commit never runs"), "{said:?}");
    yard.uninstall();
    assert_eq!(yard.listing(), Vec::<String>::new());
}

#[test]
fn a_linked_hooks_folder_is_not_written_through() {
    let yard = Yard::new();
    fs::remove_dir_all(yard.hook("")).unwrap();
    let elsewhere = yard.house.home().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    symlink(&elsewhere, yard.house.root().join(".git/hooks")).unwrap();
    let said = yard.run(&["install", "--git"]);
    assert_eq!(said.status, Some(2));
    assert!(said.stderr.contains("is outside this repository"), "{said:?}");
    assert_eq!(fs::read_dir(elsewhere).unwrap().count(), 0);
}

#[test]
fn linked_working_trees_share_the_hooks() {
    let yard = Yard::new();
    yard.commit();
    let linked = yard.house.home().join("linked");
    yard.git(&["worktree", "add", "-q", "-b", "side", linked.to_str().unwrap()]);
    let said = yard.run(&["install", "--git", "--project", linked.to_str().unwrap()]);
    assert_eq!(said.status, Some(0), "{said:?}");
    yard.fake("exit 1");
    assert_eq!(yard.commit().status, Some(1));
    let there = ["-C", linked.to_str().unwrap(), "commit", "-q", "--allow-empty", "-m", "m"];
    assert_eq!(yard.tries(&there).status, Some(1));
}

#[test]
fn a_working_tree_apart_from_its_repository_is_guarded() {
    let yard = Yard::new();
    let (bare, home) = (yard.house.home().join("dots.git"), yard.house.home().join("apart"));
    fs::create_dir(&home).unwrap();
    yard.git(&["init", "-q", "--bare", bare.to_str().unwrap()]);
    let mut command = yard.house.command(&["install", "--git"]);
    command.current_dir(&home).env("GIT_DIR", &bare).env("GIT_WORK_TREE", ".");
    let said = said(command, b"");
    assert_eq!(said.status, Some(0), "{said:?}");
    assert!(bare.join("hooks/pre-commit").exists());
    let rules = "[[rule]]\nid = \"r\"\npaths = [\"**\"]\nforbid = [\"BA[D]\"]\n";
    fs::write(home.join("solvi-rules.toml"), rules).unwrap();
    fs::write(home.join(".profile"), "BAD\n").unwrap();
    let dots = ["--git-dir", bare.to_str().unwrap(), "--work-tree", home.to_str().unwrap()];
    yard.git(&[&dots[..], &["add", home.join(".profile").to_str().unwrap()]].concat());
    let refused = yard.tries(&[&dots[..], &["commit", "-q", "-m", "m"]].concat());
    assert_eq!(refused.status, Some(1), "{refused:?}");
    assert!(format!("{refused:?}").contains(".profile:1"), "{refused:?}");
}

#[test]
fn outside_a_repository_it_cannot_be_installed() {
    let house = House::new();
    let mut command = house.command(&["install", "--git"]);
    command.current_dir(house.home());
    let said = said(command, b"");
    assert_eq!(said.status, Some(2));
    assert!(said.stderr.contains("is in no git repository"), "{said:?}");
}
