//! What to add by hand where somebody else's hooks are in charge: to the configuration of the
//! hook manager that a project uses, or to a hook of its own.

use crate::git::shims::Hook;
use std::path::Path;

/// A program that manages a project's hooks.
struct Manager {
    name: &'static str,
    /// What it is recognised by, from the project's root.
    files: &'static [&'static str],
    /// Returns the file to add to, and what.
    add: fn(&Hook) -> (String, String),
}

const MANAGERS: &[Manager] = &[
    Manager { name: "husky", files: &[".husky"], add: husky },
    Manager {
        name: "lefthook",
        files: &[
            "lefthook.yml",
            "lefthook.yaml",
            ".lefthook.yml",
            ".lefthook.yaml",
            "lefthook.toml",
            "lefthook.json",
        ],
        add: lefthook,
    },
    Manager {
        name: "pre-commit",
        files: &[".pre-commit-config.yaml", ".pre-commit-config.yml"],
        add: pre_commit,
    },
    Manager { name: "prek", files: &["prek.toml"], add: prek },
    Manager { name: "hk", files: &["hk.pkl"], add: hk },
];

/// Returns what to add for a hook to each manager whose files are there, line by line.
pub fn to_managers(hook: &Hook, root: &Path) -> Vec<String> {
    let there = |manager: &&Manager| manager.files.iter().any(|file| root.join(file).exists());
    let mut lines = Vec::new();
    for manager in MANAGERS.iter().filter(there) {
        let (file, text) = (manager.add)(hook);
        lines.push(format!("add for {}, to {file}:", manager.name));
        lines.extend(text.lines().map(|line| format!("    {line}")));
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

fn husky(hook: &Hook) -> (String, String) {
    (format!(".husky/{}", hook.name), shell_line(hook))
}

fn lefthook(hook: &Hook) -> (String, String) {
    let (arguments, stdin) = match hook.name {
        "pre-push" => (" {1} {2}", "\n      use_stdin: true"),
        _ => ("", ""),
    };
    let text = format!(
        "{}:\n  commands:\n    solvi-hook:\n      run: solvi-hook {}{arguments}{stdin}",
        hook.name, hook.runs
    );
    ("lefthook.yml".to_owned(), text)
}

/// Returns what a manager that keeps standard input to itself is to run.
fn entry(hook: &Hook) -> String {
    match hook.name {
        "pre-push" => "sh -c 'exec solvi-hook check-diff \
                       \"$PRE_COMMIT_FROM_REF..$PRE_COMMIT_TO_REF\"'"
            .to_owned(),
        _ => format!("solvi-hook {}", hook.runs),
    }
}

fn pre_commit(hook: &Hook) -> (String, String) {
    let text = format!(
        "- repo: local\n  hooks:\n  - id: solvi-hook-{name}\n    name: solvi-hook\n    \
         entry: {}\n    language: system\n    pass_filenames: false\n    always_run: true\n    \
         stages: [{name}]",
        entry(hook),
        name = hook.name,
    );
    (".pre-commit-config.yaml, below `repos:`".to_owned(), text)
}

fn prek(hook: &Hook) -> (String, String) {
    let text = format!(
        "[[repos]]\nrepo = \"local\"\n\n[[repos.hooks]]\nid = \"solvi-hook-{name}\"\n\
         name = \"solvi-hook\"\nentry = '''{}'''\nlanguage = \"system\"\n\
         pass_filenames = false\nalways_run = true\nstages = [\"{name}\"]",
        entry(hook),
        name = hook.name,
    );
    ("prek.toml".to_owned(), text)
}

fn hk(hook: &Hook) -> (String, String) {
    let text = format!(
        "[\"{}\"] {{\n  steps {{\n    [\"solvi-hook\"] {{ check = \"solvi-hook {}\" }}\n  }}\n}}",
        hook.name, hook.runs
    );
    ("hk.pkl, in `hooks { … }`".to_owned(), text)
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
            ("lefthook.yml", "lefthook", "          run: solvi-hook check-staged"),
            (".pre-commit-config.yaml", "pre-commit", "        entry: solvi-hook check-staged"),
            ("prek.toml", "prek", "    entry = '''solvi-hook check-staged'''"),
            ("hk.pkl", "hk", "{ check = \"solvi-hook check-staged\" }"),
        ] {
            let lines = lines(file, PRE_COMMIT);
            assert!(lines.starts_with(&format!("add for {name}")), "{lines}");
            assert!(lines.contains(line), "{lines}");
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
