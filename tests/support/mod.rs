//! A closed world for a test of the binary: a project of its own, a home of its own, nothing of
//! the machine's environment.

use serde_json::{Value, json};
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// A project in a folder of its own.
pub struct House {
    dir: TempDir,
}

/// What the binary said.
#[derive(Debug)]
pub struct Said {
    pub status: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl House {
    /// Makes an empty project with a `.git` folder.
    pub fn new() -> Self {
        let house = Self { dir: tempfile::tempdir().unwrap() };
        fs::create_dir_all(house.root().join(".git")).unwrap();
        fs::create_dir_all(house.home()).unwrap();
        house
    }

    /// Returns the project's root, links resolved.
    pub fn root(&self) -> PathBuf {
        let root = self.dir.path().join("project");
        fs::create_dir_all(&root).unwrap();
        fs::canonicalize(root).unwrap()
    }

    /// Returns the home folder.
    pub fn home(&self) -> PathBuf {
        self.dir.path().join("home")
    }

    /// Adds a file.
    pub fn file(self, path: &str, content: impl AsRef<[u8]>) -> Self {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        self
    }

    /// Adds the rules file.
    pub fn rules(self, text: &str) -> Self {
        self.file("solvi-rules.toml", text)
    }

    /// Returns a command that runs the binary in the project, in this world alone.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(binary());
        command
            .args(args)
            .current_dir(self.root())
            .env_clear()
            .env("HOME", self.home())
            .env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command
    }

    /// Runs the binary with bytes on standard input.
    pub fn run(&self, args: &[&str], stdin: impl AsRef<[u8]>) -> Said {
        said(self.command(args), stdin.as_ref())
    }

    /// Runs `pre-edit` on a payload.
    pub fn edit(&self, tool: &str, input: impl Into<Value>) -> Said {
        self.edit_with(&[], tool, input)
    }

    /// Runs `pre-edit` with further arguments on a payload.
    pub fn edit_with(&self, args: &[&str], tool: &str, input: impl Into<Value>) -> Said {
        let args: Vec<&str> = ["pre-edit"].iter().chain(args).copied().collect();
        self.run(&args, payload(tool, &input.into()).to_string())
    }

    /// Runs `pre-edit` on a Write of a whole file.
    pub fn write(&self, path: &str, content: &str) -> Said {
        self.edit("Write", json!({"file_path": path, "content": content}))
    }
}

/// Returns the binary under test.
pub fn binary() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_solvi-hook"))
}

/// Returns a payload as Claude Code sends it.
pub fn payload(tool: &str, input: &Value) -> Value {
    json!({
        "session_id": "s-1",
        "hook_event_name": "PreToolUse",
        "permission_mode": "default",
        "tool_name": tool,
        "tool_input": input,
        "tool_use_id": "t-1",
    })
}

/// Runs a command with bytes on standard input.
pub fn said(mut command: Command, stdin: &[u8]) -> Said {
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = loop {
        match piped.spawn() {
            // A program that was written just now: another test's child still holds it open.
            Err(error) if error.kind() == ErrorKind::ExecutableFileBusy => {
                std::thread::sleep(Duration::from_millis(5));
            }
            spawned => break spawned.unwrap(),
        }
    };
    let mut pipe = child.stdin.take().unwrap();
    let stdin = stdin.to_owned();
    // A child that answers without reading to the end closes the pipe; that is its right.
    let feeder = std::thread::spawn(move || drop(pipe.write_all(&stdin)));
    let output = child.wait_with_output().unwrap();
    feeder.join().unwrap();
    Said {
        status: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

impl Said {
    /// Returns the one reply on standard output; null when there is none.
    pub fn reply(&self) -> Value {
        assert_eq!(self.status, Some(0), "a hook exits 0: {self:?}");
        if self.stdout.is_empty() {
            return Value::Null;
        }
        assert!(self.stdout.ends_with('\n') && self.stdout.matches('\n').count() == 1, "{self:?}");
        serde_json::from_str(&self.stdout).unwrap()
    }

    /// Returns the verdict that Claude Code would read.
    pub fn verdict(&self) -> String {
        let reply = self.reply();
        let answer = &reply["hookSpecificOutput"];
        if reply.is_null() {
            return "allow".to_owned();
        }
        assert_eq!(answer["hookEventName"], "PreToolUse", "{self:?}");
        match answer["permissionDecision"].as_str() {
            Some(word) => word.to_owned(),
            None if answer["additionalContext"].is_string() => "warn".to_owned(),
            None => "allow".to_owned(),
        }
    }

    /// Returns the reason, or what is told beside an allowed edit.
    pub fn reason(&self) -> String {
        let reply = self.reply();
        let reason = reply["hookSpecificOutput"]["permissionDecisionReason"].as_str();
        reason.or(reply["systemMessage"].as_str()).unwrap_or_default().to_owned()
    }

    /// Asserts a verdict and pieces of its reason.
    #[track_caller]
    pub fn expect(&self, verdict: &str, pieces: &[&str]) {
        assert_eq!(self.verdict(), verdict, "{self:?}");
        for piece in pieces {
            assert!(self.reason().contains(piece), "`{piece}` is missing in: {}", self.reason());
        }
    }
}
