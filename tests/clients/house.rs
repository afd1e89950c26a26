//! A closed world for one client: a project with rules, a home, an environment of its own, and
//! `solvi-hook` to install in it.

use super::installed::{Client, PATH};
use super::limited::{self, Ran};
use super::mock::Mock;
use serde_json::Value;
use std::env;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use tempfile::TempDir;

/// What every session is held against: one rule for each verdict.
pub const RULES: &str = r"
version = 1

[[rule]]
id = 'no-eval'
paths = ['**/*.py']
forbid = ['\beval\(']
why = 'Text must not become code.'
instead = 'use ast.literal_eval'

[[rule]]
id = 'few-prints'
paths = ['**/*.py']
on_fail = 'warn'
forbid = ['\bprint\(']
why = 'Logs go through the logger.'
instead = 'use log.info'

[[rule]]
id = 'limits-are-decided'
paths = ['**/*.py']
on_fail = 'ask'
forbid = ['^LIMIT = ']
why = 'Limits are agreed upon.'
instead = 'leave the limit alone'
";

/// A shell command that writes what no edit may: commands are not judged, what they leave is.
pub const LEAVES: &str = "echo 'eval(1)' > left.py";

/// How long a client may take for a session.
const SESSION: Duration = Duration::from_secs(200);
const OURS: Duration = Duration::from_secs(20);

/// One client's world.
pub struct House {
    dir: TempDir,
    pub client: Client,
}

impl House {
    /// Makes a project with rules for a client; none, and a word on standard error, when the
    /// client cannot be had on this machine.
    pub fn of(name: &'static str) -> Option<Self> {
        match Client::get(name) {
            Ok(client) => Some(Self::with(client)),
            Err(why) => {
                // Written past the harness, which shows nothing of a test that passes.
                let thread = std::thread::current();
                let test = thread.name().unwrap_or(name);
                let word = format!("SKIPPED {test}, because {name} is not to be had: {why}\n");
                std::io::stderr().write_all(word.as_bytes()).unwrap();
                let required = env::var_os("SOLVI_CLIENTS").is_some_and(|it| it == "required");
                assert!(!required, "SOLVI_CLIENTS=required, and {name} is not to be had");
                None
            }
        }
    }

    fn with(client: Client) -> Self {
        let house = Self { dir: tempfile::tempdir().unwrap(), client };
        for folder in [house.root(), house.home(), house.tmp()] {
            fs::create_dir(folder).unwrap();
        }
        house.write("solvi-rules.toml", RULES);
        house.git(&["init", "-q", "-b", "main"]);
        house
    }

    /// Returns the project's folder.
    pub fn root(&self) -> PathBuf {
        self.top().join("project")
    }

    /// Returns the home folder.
    pub fn home(&self) -> PathBuf {
        self.top().join("home")
    }

    fn tmp(&self) -> PathBuf {
        self.top().join("tmp")
    }

    fn top(&self) -> PathBuf {
        fs::canonicalize(self.dir.path()).unwrap()
    }

    /// Returns a path in the project as the model may name it.
    pub fn path(&self, name: &str) -> String {
        self.root().join(name).to_str().unwrap().to_owned()
    }

    /// Writes a file of the project.
    pub fn write(&self, name: &str, text: &str) {
        put(&self.root().join(name), text);
    }

    /// Writes a file of the home folder.
    pub fn write_home(&self, name: &str, text: &str) {
        put(&self.home().join(name), text);
    }

    /// Returns a file of the project; none when it is not there.
    pub fn read(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.root().join(name)).ok()
    }

    /// Puts every file under version control, as a project's are.
    pub fn commit(&self) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", "start"]);
    }

    fn git(&self, args: &[&str]) {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=t", "-c", "user.email=t@example.invalid"]).args(args);
        let ran = self.closed(&mut git, OURS);
        assert!(ran.is_well(), "git {args:?}: {ran}");
    }

    /// Runs `solvi-hook` in the project, and returns what it prints.
    pub fn solvi(&self, args: &[&str]) -> String {
        let mut command = Command::new(env!("CARGO_BIN_EXE_solvi-hook"));
        let ran = self.closed(command.args(args), OURS);
        assert!(ran.is_well(), "solvi-hook {args:?}: {ran}");
        ran.stdout
    }

    /// Returns what `doctor` finds, whether or not the guard is in force.
    pub fn doctor(&self) -> String {
        let mut command = Command::new(env!("CARGO_BIN_EXE_solvi-hook"));
        self.closed(command.arg("doctor"), OURS).stdout
    }

    /// Has the client ask us.
    pub fn install(&self) {
        self.solvi(&["install", "--agent", self.client.name]);
    }

    /// Has the client ask a program that is gone by the time it does.
    pub fn install_and_lose(&self) {
        let program = self.top().join("solvi-hook");
        fs::copy(env!("CARGO_BIN_EXE_solvi-hook"), &program).unwrap();
        let command = program.to_str().unwrap();
        self.solvi(&["install", "--agent", self.client.name, "--command", command]);
        fs::remove_file(&program).unwrap();
    }

    /// Holds what our table of clients says of an event against what a test goes by.
    pub fn promises(&self, event: &str, strength: &str, note: &str) {
        let table = self.solvi(&["clients", self.client.name, "--json"]);
        let table: Value = serde_json::from_str(&table).unwrap();
        let rows = table["clients"][0]["events"].as_array().unwrap();
        let row = rows.iter().find(|row| row["event"] == event).unwrap();
        assert_eq!((&row["strength"], &row["note"]), (&strength.into(), &note.into()), "{event}");
    }

    /// Takes back what `install` has done.
    pub fn uninstall(&self) {
        self.solvi(&["uninstall", "--agent", self.client.name]);
    }

    /// Returns the command of a hook that makes the agent go on so many times, and then no more.
    pub fn hook_that_goes_on(&self, times: u32, reply: &str) -> String {
        let count = self.tmp().join("count").display().to_string();
        format!("echo >> {count}; test $(wc -l < {count}) -gt {times} || printf '%s' '{reply}'")
    }

    /// Runs the client until it has nothing more to do.
    pub fn session(&self, mock: &Mock, args: &[&str], environment: &[(&str, &str)]) -> Ran {
        let mut command = self.client.command();
        let path = self.client.path();
        command.args(args).envs(environment.iter().copied()).env("PATH", &path);
        let ran = self.run(&mut command, SESSION, &path);
        let left = mock.turns_left();
        assert!(ran.is_well() && left == 0, "{left} turns were never asked for. {ran}");
        ran
    }

    fn closed(&self, command: &mut Command, limit: Duration) -> Ran {
        self.run(command.env_clear(), limit, PATH)
    }

    fn run(&self, command: &mut Command, limit: Duration, path: &str) -> Ran {
        command
            .current_dir(self.root())
            .env("HOME", self.home())
            .env("TMPDIR", self.tmp())
            .env("PATH", path)
            .env("LANG", "C.UTF-8")
            .env("TERM", "dumb")
            .env("SHELL", "/bin/bash")
            .env("NO_PROXY", "127.0.0.1,localhost");
        limited::run(command, limit).unwrap()
    }
}

fn put(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// What a session came to, told of all of it at once.
pub struct Verdicts<'a> {
    house: &'a House,
    mock: &'a Mock,
    ran: &'a Ran,
}

impl<'a> Verdicts<'a> {
    /// Looks at a session.
    pub fn of(house: &'a House, mock: &'a Mock, ran: &'a Ran) -> Self {
        Self { house, mock, ran }
    }

    /// Holds a file against what it must be; none means that it must not be there.
    pub fn file(&self, name: &str, wanted: Option<&str>) -> &Self {
        let found = self.house.read(name);
        assert_eq!(found.as_deref(), wanted, "{name} in the end. {}", self.ran);
        self
    }

    /// Holds what the model was told of a call against a text that must be in it.
    pub fn told(&self, call: &str, wanted: &str) -> &Self {
        let told = self.mock.told(call).unwrap_or_default();
        assert!(told.contains(wanted), "of {call} the model was told: {told}\n{}", self.ran);
        self
    }

    /// Holds all that the model was told against a text that must be in it.
    pub fn heard(&self, wanted: &str) -> &Self {
        assert!(self.mock.heard(wanted), "the model never heard {wanted}. {}", self.ran);
        self
    }

    /// Holds that the agent was sent back for what [`LEAVES`] left, and let go then.
    pub fn sent_back_once(&self) -> &Self {
        self.file("left.py", Some("eval(1)\n"))
            .heard("Before you stop")
            .heard("no-eval")
            .times_done(1 + 1)
    }

    /// Holds how often the model said that it was done against how often it may be made to.
    pub fn times_done(&self, wanted: u32) -> &Self {
        assert_eq!(self.mock.times_done(), wanted, "times that the model was done. {}", self.ran);
        self
    }
}
