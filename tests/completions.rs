//! The scripts of `completions`, read by the shells that they are for.
//!
//! bash is needed; the others are asked where they are installed.

use crate::support::{House, binary, said};
use std::process::Command;

/// What is typed, and words that come up and words that do not.
const TYPED: &[(&[&str], &[&str], &[&str])] = &[
    (&["che"], &["check-staged", "check-diff"], &["hook"]),
    (&["check-staged", "--"], &["--format", "--no-store"], &["--paths"]),
    (&["check-staged", "--format", ""], &["text", "sarif", "junit"], &["html"]),
    (&["check-staged", "--no-store", "--format", "g"], &["github", "gitlab"], &["text"]),
    (&["report", "--format", "=", "m"], &["markdown"], &["text"]),
    (&["check-diff", "--fail-on", ""], &["warn", "ask", "deny"], &["allow"]),
    (&["hook", "--agent", ""], &["claude", "gemini"], &["all"]),
    (&["pre-edit", "--agent", "c"], &["claude", "codex", "copilot", "cursor"], &["gemini"]),
    (&["install", "--agent", ""], &["claude", "all"], &["both"]),
    (&["install", "--scope", ""], &["project", "local", "user"], &[]),
    (&["query", "--verdict", ""], &["allow", "deny"], &[]),
    (&["report", "--format", ""], &["html"], &["sarif"]),
    (&["traces", ""], &["rotate", "export"], &[]),
    (&["traces", "export", "--format", ""], &["csv", "otlp-json"], &[]),
    (&["rules", "ch"], &["check"], &["sample"]),
    (&["rules", "check", "--"], &["--rules", "--project", "--format"], &["--store"]),
    (&["choices", "enable", ""], &["edits", "stop"], &[]),
    (&["completions", "b"], &["bash"], &["zsh"]),
];

fn script(shell: &str) -> String {
    House::new().run(&["completions", shell], "").stdout
}

/// Asserts what comes up in a shell; `ask` returns it, a word a line.
fn check(shell: &str, ask: impl Fn(&[&str]) -> String) {
    for (typed, present, absent) in TYPED {
        let words = ask(typed);
        let words: Vec<&str> = words.lines().filter_map(|line| line.split('\t').next()).collect();
        for word in *present {
            assert!(words.contains(word), "{shell}: {typed:?}: no `{word}` in {words:?}");
        }
        for word in *absent {
            assert!(!words.contains(word), "{shell}: {typed:?}: `{word}` in {words:?}");
        }
    }
}

#[cfg(unix)]
#[test]
fn bash_completes_sub_commands_options_and_their_values() {
    let script = script("bash");
    for name in ["solvi-hook", "/opt/bin/solvi-hook"] {
        check("bash", |typed| {
            let line = [&[name], typed].concat();
            let (last, before) = (line.last().unwrap(), line[line.len() - 2]);
            let words = shlex::try_join(line.iter().copied()).unwrap();
            let run = format!(
                "{script}\nCOMP_WORDS=({words}); COMP_CWORD={}\n\
                 $(complete -p solvi-hook | sed 's/.*-F \\([^ ]*\\).*/\\1/') '{name}' '{last}' '{before}'\n\
                 printf '%s\\n' \"${{COMPREPLY[@]}}\"",
                line.len() - 1
            );
            let mut bash = Command::new("bash");
            bash.args(["--norc", "--noprofile", "-c", &run]);
            let said = said(bash, b"");
            assert_eq!((said.status, said.stderr.as_str()), (Some(0), ""));
            said.stdout
        });
    }
}

fn is_installed(shell: &str) -> bool {
    Command::new(shell).arg("--version").output().is_ok()
}

#[cfg(unix)]
#[test]
fn fish_completes_sub_commands_options_and_their_values() {
    if !is_installed("fish") {
        return;
    }
    let script = script("fish");
    check("fish", |typed| {
        let line = format!("solvi-hook {}", typed.join(" ").replace(" = ", "="));
        let mut fish = Command::new("fish");
        let run = format!("{script}\ncomplete --do-complete '{line}'");
        fish.args(["--no-config", "-c", &run]);
        said(fish, b"").stdout
    });
}

#[cfg(unix)]
#[test]
fn zsh_reads_its_script() {
    if !is_installed("zsh") {
        return;
    }
    let script = script("zsh");
    let mut zsh = Command::new("zsh");
    zsh.args(["-f", "-c", "autoload -Uz compinit && compinit -D && source /dev/stdin"]);
    let said = said(zsh, script.as_bytes());
    assert_eq!((said.status, said.stderr.as_str()), (Some(0), ""));
}

#[test]
fn every_value_of_a_closed_set_is_listed_in_the_help() {
    for (line, words) in [
        ("check-staged", "[possible values: text, json, jsonl, sarif, github, gitlab, junit,"),
        ("check-diff", "[possible values: warn, ask, deny]"),
        ("hook", "[possible values: claude, codex,"),
        ("install", "[possible values: claude, codex,"),
        ("clients", "[possible values: claude, codex,"),
        ("report", "[possible values: text, json, markdown, html]"),
        ("query", "[possible values: allow, warn, ask, deny]"),
        ("choices", "[possible values: edits, stop]"),
    ] {
        let help = House::new().run(&[line, "--help"], "").stdout;
        let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(help.contains(words), "{line}: {help}");
    }
    assert!(binary().exists());
}
