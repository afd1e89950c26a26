//! What to add by hand where somebody else's hooks are in charge: to the configuration of the
//! hook manager that a project uses, or to a hook of its own.
//!
//! Each was tried as it is printed, with commits, merges and pushes that a rule refuses and that
//! none does, and with a question at a terminal: husky 9.1.7, lefthook 2.2.2, pre-commit 4.7.0,
//! prek 0.5.11, hk 2.11.0. What they leave open: pre-commit and prek run nothing for a branch that
//! a push deletes, and look at the first branch of a push alone; prek tells nothing of history
//! that a push rewrites; hk stops a new branch that is pushed to a URL.

use crate::git::shims::Hook;
use std::path::Path;

/// A program that manages a project's hooks.
struct Manager {
    name: &'static str,
    /// What it is recognised by, from the project's root, in the order in which it looks.
    files: &'static [&'static str],
    /// Returns where to add, and what, given the file that is there.
    add: fn(&Hook, &str) -> (String, String),
    /// Returns what to run then, so that git runs the manager for this hook.
    then: fn(&Hook) -> Option<String>,
}

const MANAGERS: &[Manager] = &[
    Manager { name: "husky", files: &[".husky"], add: husky, then: |_| None },
    Manager {
        name: "lefthook",
        files: &[
            "lefthook.yml",
            ".lefthook.yml",
            ".config/lefthook.yml",
            "lefthook.yaml",
            ".lefthook.yaml",
            ".config/lefthook.yaml",
            "lefthook.json",
            ".lefthook.json",
            ".config/lefthook.json",
            "lefthook.toml",
            ".lefthook.toml",
            ".config/lefthook.toml",
        ],
        add: lefthook,
        then: |_| Some("lefthook install".to_owned()),
    },
    Manager {
        name: "pre-commit",
        files: &[".pre-commit-config.yaml", ".pre-commit-config.yml"],
        add: pre_commit,
        then: |hook| Some(format!("pre-commit install --hook-type {}", hook.name)),
    },
    Manager {
        name: "prek",
        files: &["prek.toml"],
        add: prek,
        then: |hook| Some(format!("prek install --hook-type {}", hook.name)),
    },
    Manager {
        name: "hk",
        files: &["hk.pkl", ".config/hk.pkl"],
        add: hk,
        then: |_| Some("hk install".to_owned()),
    },
];

/// Returns what to add for a hook to each manager whose files are there, line by line.
pub fn to_managers(hook: &Hook, root: &Path) -> Vec<String> {
    let mut lines = Vec::new();
    for manager in MANAGERS {
        let there = manager.files.iter().find(|file| root.join(file).exists());
        let Some(file) = there else { continue };
        let (place, text) = (manager.add)(hook, file);
        lines.push(format!("add for {}, to {place}:", manager.name));
        lines.extend(text.lines().map(|line| format!("    {line}")));
        lines.extend((manager.then)(hook).map(|then| format!("and run `{then}`")));
    }
    lines
}

/// Returns what to add to a hook itself, which stands at `file`.
pub fn to_hook(hook: &Hook, file: &str) -> Vec<String> {
    vec![
        format!("add to {file}, above any `exec` or `exit` in it:"),
        format!("    {}", shell_line(hook)),
    ]
}

/// Returns the manager's file that names us, when a project has one that does.
pub fn that_runs_us(hook: &Hook, root: &Path) -> Option<String> {
    let files = MANAGERS.iter().flat_map(|manager| manager.files);
    let files = files.map(|file| match *file {
        ".husky" => format!(".husky/{}", hook.name),
        file => file.to_owned(),
    });
    let names_us =
        |file: &String| std::fs::read_to_string(root.join(file)).is_ok_and(|text| names_us(&text));
    files.into_iter().find(names_us)
}

/// Tells whether a script or a configuration names us outside of comments.
pub fn names_us(text: &str) -> bool {
    text.lines().any(|line| !line.trim_start().starts_with('#') && line.contains("solvi-hook"))
}

/// Returns the line of shell that does in a hook what our shim does.
fn shell_line(hook: &Hook) -> String {
    match hook.name {
        // Its refs are on standard input, which one reader empties.
        "pre-push" => "solvi-hook pre-push \"$@\" || exit 1".to_owned(),
        _ => format!("solvi-hook {} || exit 1", hook.runs),
    }
}

fn husky(hook: &Hook, folder: &str) -> (String, String) {
    (format!("{folder}/{}", hook.name), shell_line(hook))
}

/// Where it sees no file that is staged or pushed (a link becomes a file, history is rewritten),
/// lefthook skips a command, unless the command is about files and one is there. And a command
/// that is not interactive gets a terminal of lefthook's own, in which a question waits for ever.
fn lefthook(hook: &Hook, file: &str) -> (String, String) {
    let (arguments, input) = match hook.name {
        "pre-push" => (" '{1}'", "use_stdin"),
        _ => ("", "interactive"),
    };
    let name = hook.name;
    let files = format!("echo {file}");
    let run = format!("\"solvi-hook {}{arguments} # {{files}}\"", hook.runs);
    let text = match file.rsplit('.').next() {
        Some("toml") => format!(
            "[{name}.commands.solvi-hook]\nfiles = \"{files}\"\nrun = {run}\n{input} = true"
        ),
        Some("json") => format!(
            "\"{name}\": {{\n  \"commands\": {{\n    \"solvi-hook\": {{\n      \
             \"files\": \"{files}\",\n      \"run\": {run},\n      \"{input}\": true\n    \
             }}\n  }}\n}}"
        ),
        _ => format!(
            "{name}:\n  commands:\n    solvi-hook:\n      files: {files}\n      run: {run}\n      \
             {input}: true"
        ),
    };
    (file.to_owned(), text)
}

/// Returns what pre-commit and prek are to run. They keep git's lines about a push to themselves
/// and tell the first in variables; the old commit is not among these when they know of none.
fn entry(hook: &Hook) -> String {
    match hook.name {
        "pre-push" => "sh -c 'new=$(git rev-parse \"$PRE_COMMIT_LOCAL_BRANCH\"); \
                       old=${PRE_COMMIT_FROM_REF:-$(echo \"$new\" | sed s/./0/g)}; \
                       echo \"$PRE_COMMIT_LOCAL_BRANCH $new $PRE_COMMIT_REMOTE_BRANCH $old\" | \
                       solvi-hook pre-push \"$PRE_COMMIT_REMOTE_NAME\"'"
            .to_owned(),
        _ => format!("solvi-hook {}", hook.runs),
    }
}

fn pre_commit(hook: &Hook, file: &str) -> (String, String) {
    let text = format!(
        "- repo: local\n  hooks:\n  - id: solvi-hook-{name}\n    name: solvi-hook\n    \
         entry: {}\n    language: system\n    pass_filenames: false\n    always_run: true\n    \
         stages: [{name}]",
        entry(hook),
        name = hook.name,
    );
    (format!("{file}, below `repos:`"), text)
}

fn prek(hook: &Hook, file: &str) -> (String, String) {
    let text = format!(
        "[[repos]]\nrepo = \"local\"\n\n[[repos.hooks]]\nid = \"solvi-hook-{name}\"\n\
         name = \"solvi-hook\"\nentry = '''{}'''\nlanguage = \"system\"\n\
         pass_filenames = false\nalways_run = true\nstages = [\"{name}\"]",
        entry(hook),
        name = hook.name,
    );
    (file.to_owned(), text)
}

/// It reads git's lines about a push itself, and hands them on only where it is told to.
fn hk(hook: &Hook, file: &str) -> (String, String) {
    let (arguments, input) = match hook.name {
        "pre-push" => {
            (" '{{ hook_args | split(pat=' ') | first }}'", "stdin = \"{{ hook_stdin }}\"")
        }
        _ => ("", "interactive = true"),
    };
    let text = format!(
        "[\"{}\"] {{\n  steps {{\n    [\"solvi-hook\"] {{\n      \
         check = \"solvi-hook {}{arguments}\"\n      {input}\n    }}\n  }}\n}}",
        hook.name, hook.runs
    );
    (format!("{file}, in `hooks {{ … }}`"), text)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use crate::git::shims::{PRE_COMMIT, PRE_PUSH};

    fn lines(file: &str, hook: &Hook) -> String {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(file), "").unwrap();
        to_managers(hook, folder.path()).join("\n")
    }

    #[test]
    fn a_manager_is_known_by_its_files_and_gets_what_it_can_read() {
        for (file, name, line) in [
            (".husky", "husky, to .husky/pre-commit", "    solvi-hook check-staged || exit 1"),
            ("lefthook.yml", "lefthook", "      run: \"solvi-hook check-staged # {files}\""),
            (".lefthook.toml", "lefthook, to .lefthook", "    files = \"echo .lefthook.toml\""),
            ("lefthook.json", "lefthook", "          \"interactive\": true"),
            (".pre-commit-config.yaml", "pre-commit", "        entry: solvi-hook check-staged"),
            ("prek.toml", "prek", "    entry = '''solvi-hook check-staged'''"),
            ("hk.pkl", "hk", "check = \"solvi-hook check-staged\""),
        ] {
            let lines = lines(file, PRE_COMMIT);
            assert!(lines.starts_with(&format!("add for {name}")), "{lines}");
            assert!(lines.contains(line), "{lines}");
        }
    }

    #[test]
    fn what_git_says_of_a_push_comes_to_us_and_the_hook_is_put_in_place() {
        let env = "| solvi-hook pre-push \"$PRE_COMMIT_REMOTE_NAME\"'";
        for (file, line, then) in [
            ("lefthook.yml", "use_stdin: true", "lefthook install"),
            (".pre-commit-config.yaml", env, "pre-commit install --hook-type pre-push"),
            ("prek.toml", env, "prek install --hook-type pre-push"),
            ("hk.pkl", "stdin = \"{{ hook_stdin }}\"", "hk install"),
        ] {
            let lines = lines(file, PRE_PUSH);
            assert!(lines.contains(line), "{lines}");
            assert!(lines.ends_with(&format!("and run `{then}`")), "{lines}");
        }
    }

    #[test]
    fn a_hook_of_no_manager_gets_one_line() {
        assert_eq!(lines("other", PRE_PUSH), "");
        let lines = to_hook(PRE_PUSH, ".git/hooks/x").join("\n");
        assert!(lines.starts_with("add to .git/hooks/x"), "{lines}");
        assert!(lines.ends_with("solvi-hook pre-push \"$@\" || exit 1"), "{lines}");
    }
}
