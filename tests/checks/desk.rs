//! A repository with rules in it, and the binary to judge it.

use crate::git::yard::Yard;
use crate::support::{Said, binary, payload, said};
use serde_json::{Value, json};
use std::ops::Deref;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

/// The rules that most tests judge by.
pub const RULES: &str = r#"
version = 1
[[rule]]
id = "no-token"
paths = ["**", "!legacy/**"]
forbid = ["BANNED[_]WORD"]
[[rule]]
id = "no-system"
paths = ["**/*.py"]
forbid_calls = ["os.system"]
[[rule]]
id = "needs-spdx"
paths = ["src/**/*.rs"]
require = ["SPDX-License-Identifier"]
[[rule]]
id = "needs-main"
paths = ["app/**/*.py"]
require_def = ["main"]
"#;

/// What [`RULES`] forbid.
pub const BANNED: &str = "BANNED_WORD";

/// A yard with rules.
pub struct Desk(pub Yard);

impl Deref for Desk {
    type Target = Yard;

    fn deref(&self) -> &Yard {
        &self.0
    }
}

impl Desk {
    /// Makes a repository that holds [`RULES`] and nothing else.
    pub fn new() -> Self {
        Self::of(&[])
    }

    /// Makes a repository whose first commit holds [`RULES`] and these files.
    pub fn of(files: &[(&str, &str)]) -> Self {
        Self::judged_by(RULES, files)
    }

    /// Makes a repository whose first commit holds these rules and these files.
    pub fn judged_by(rules: &str, files: &[(&str, &str)]) -> Self {
        let yard = Yard::new();
        yard.write("solvi-rules.toml", rules);
        for (path, text) in files {
            yard.write(path, text);
        }
        yard.commit("first");
        Self(yard)
    }

    /// Returns the binary with arguments.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.program(binary());
        command.args(arguments);
        command
    }

    /// Runs the binary.
    pub fn run(&self, arguments: &[&str], stdin: impl AsRef<[u8]>) -> Said {
        sound(said(self.command(arguments), stdin.as_ref()))
    }

    /// Judges what is staged.
    pub fn staged(&self) -> Told {
        let arguments = ["check-staged", "--no-store", "--format", "json"];
        Told::of(self.run(&arguments, ""))
    }

    /// Runs `check-diff`.
    pub fn diff(&self, arguments: &[&str]) -> Told {
        let arguments = [&["check-diff", "--format", "json"], arguments].concat();
        Told::of(self.run(&arguments, ""))
    }

    /// Runs `pre-edit` on a Write of a whole file.
    pub fn proposes(&self, path: &str, text: &str) -> Said {
        let input = json!({"file_path": path, "content": text});
        self.run(&["pre-edit"], payload("Write", &input).to_string())
    }

    /// Runs git as a person at no terminal does, and returns all that was said.
    pub fn told_by_git(&self, arguments: &[&str]) -> Said {
        let mut command = self.0.command();
        command.args(arguments);
        sound(said(command, b""))
    }

    /// Returns how many commits HEAD has.
    pub fn commits(&self) -> usize {
        self.word(&["rev-list", "--count", "HEAD"]).parse().unwrap()
    }

    /// Makes the binary a hook of this repository.
    pub fn hook(&self, name: &str, arguments: &str) -> &Self {
        let folder = self.root.join(self.word(&["rev-parse", "--git-path", "hooks"]));
        self.hook_in(&folder, name, arguments)
    }

    /// Makes the binary a hook in a folder.
    pub fn hook_in(&self, folder: &std::path::Path, name: &str, arguments: &str) -> &Self {
        let script = format!("#!/bin/sh\nexec '{}' {arguments}\n", binary().display());
        std::fs::create_dir_all(folder).unwrap();
        let path = folder.join(name);
        std::fs::write(&path, script).unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
        self
    }

    /// Makes the binary git's pre-commit hook.
    pub fn guarded(&self) -> &Self {
        self.hook("pre-commit", "check-staged")
    }
}

/// Asserts what holds of every run: no panic shows, and the status is one that we have.
#[track_caller]
pub fn sound(said: Said) -> Said {
    assert!(matches!(said.status, Some(0..=2)), "{said:?}");
    for text in [&said.stdout, &said.stderr] {
        assert!(!text.contains("panicked") && !text.contains("RUST_BACKTRACE"), "{said:?}");
    }
    said
}

/// A report in JSON.
#[derive(Debug)]
pub struct Told {
    pub status: i32,
    pub report: Value,
    pub said: Said,
}

impl Told {
    /// Reads a report; null when a failure was told in place of it.
    #[track_caller]
    pub fn of(said: Said) -> Self {
        let status = said.status.unwrap();
        assert!((0..=2).contains(&status), "{said:?}");
        let report = if said.stdout.is_empty() {
            assert_eq!(status, 2, "{said:?}");
            Value::Null
        } else {
            serde_json::from_str(&said.stdout).unwrap()
        };
        Self { status, report, said }
    }

    /// Returns the findings, each as `RULE PATH:LINE`.
    pub fn found(&self) -> Vec<String> {
        let mut found = Vec::new();
        for finding in self.list("findings") {
            let (rule, path) =
                (finding["rule"].as_str().unwrap(), finding["path"].as_str().unwrap());
            for spot in finding["spots"].as_array().unwrap() {
                found.push(match spot["line"].as_u64() {
                    Some(line) => format!("{rule} {path}:{line}"),
                    None => format!("{rule} {path}"),
                });
            }
        }
        found
    }

    /// Returns the files that were not checked, each as `PATH: WHY`.
    pub fn not_checked(&self) -> Vec<String> {
        let told = |file: &Value| {
            format!("{}: {}", file["path"].as_str().unwrap(), file["why"].as_str().unwrap())
        };
        self.list("not_checked").iter().map(told).collect()
    }

    /// Returns the notes, one a line.
    pub fn notes(&self) -> String {
        let notes = self.list("notes");
        notes.iter().map(|note| note.as_str().unwrap()).collect::<Vec<_>>().join("\n")
    }

    pub fn list(&self, key: &str) -> &[Value] {
        self.report[key].as_array().map(Vec::as_slice).unwrap_or_default()
    }

    /// Asserts the status and the findings.
    #[track_caller]
    pub fn is(&self, status: i32, found: &[&str]) -> &Self {
        assert_eq!((self.status, self.found()), (status, owned(found)), "{self:#?}");
        self
    }

    /// Asserts that nothing stands against the change.
    #[track_caller]
    pub fn passes(&self) -> &Self {
        self.is(0, &[])
    }

    /// Asserts that the change is refused for these findings.
    #[track_caller]
    pub fn refuses(&self, found: &[&str]) -> &Self {
        self.is(1, found)
    }
}

fn owned(list: &[&str]) -> Vec<String> {
    list.iter().map(|item| (*item).to_owned()).collect()
}
