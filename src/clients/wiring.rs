//! How an agent is told to call us: its settings files, the entries that go into them, and what
//! in such a file would keep it from running any hook.
//!
//! One [`Wiring`] for each agent that `install` knows; another agent is one more of them.

use crate::domain::Entry;
use serde::de::IgnoredAny;
use serde_json::{Map, Value, json};

/// What the entries of one installation have in common.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// What starts us, as a shell reads it.
    pub program: String,
    /// The rules file, as a shell reads it, when it is not to be looked for.
    pub rules: Option<String>,
    /// Whether an edit that breaks no rule is to run without the agent's own question.
    pub approve: bool,
}

/// How one agent is wired.
#[derive(Debug)]
pub struct Wiring {
    /// What `--agent` calls it.
    pub name: &'static str,
    /// What else `--agent` may call it.
    pub aliases: &'static [&'static str],
    /// What people call it.
    pub title: &'static str,
    /// The settings that a project's team shares, from the project's folder.
    pub project: &'static str,
    /// The settings of one person in a project, from the project's folder.
    pub local: &'static str,
    /// The variable that names the folder of a person's own settings.
    pub user_variable: &'static str,
    /// That folder without the variable, from the home directory.
    pub user_folder: &'static str,
    /// The person's own settings, in that folder.
    pub user: &'static str,
    /// The entries for edits.
    pub edits: fn(&Plan) -> Vec<Entry>,
    /// Returns what in a settings file keeps the agent from running its hooks, one sentence each.
    pub traps: fn(&str) -> Vec<String>,
    /// Tells whether a settings file switches off every hook of the agent, wherever it stands.
    pub silences: fn(&str) -> bool,
    /// Returns payloads to try an entry with, for a project's folder.
    pub trial: fn(&str) -> Trial,
    /// Tells whether a reply refuses.
    pub refuses: fn(&str) -> bool,
    /// How a person sees in the agent that the hook is there.
    pub look: &'static str,
}

/// Payloads that show whether an entry works; nothing in them is ever done.
#[derive(Clone, Debug)]
pub struct Trial {
    /// An event that no rule has a word about.
    pub harmless: String,
    /// An edit that is refused whatever the rules are: of git's own folder.
    pub refused: String,
}

/// Every agent that can be wired.
pub const WIRINGS: &[Wiring] = &[Wiring {
    name: "claude",
    aliases: &["claude-code"],
    title: "Claude Code",
    project: ".claude/settings.json",
    local: ".claude/settings.local.json",
    user_variable: "CLAUDE_CONFIG_DIR",
    user_folder: ".claude",
    user: "settings.json",
    edits: claude_edits,
    traps: claude_traps,
    silences: claude_silences,
    trial: claude_trial,
    refuses: claude_refuses,
    look: "type /hooks: the entry stands under PreToolUse",
}];

/// The tools of Claude Code that change files, and those of MCP servers, any of which may.
/// `MultiEdit` is of older versions; `apply_patch` is what Copilot, which reads the same file,
/// calls its patch tool.
///
/// The anchors are needed: once a matcher holds a character like `.`, it is no longer a list of
/// names but an expression that fits anywhere in a name.
const CLAUDE_TOOLS: &str = "^(Edit|Write|MultiEdit|NotebookEdit|apply_patch|mcp__.*)$";

/// What the installed command says when we cannot: Claude Code takes a hook that fails for one
/// that has no objection. No single quote may stand in it.
const CLAUDE_ASKS: &str = concat!(
    r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","#,
    r#""permissionDecisionReason":"solvi-hook could not run, so this edit was not checked: "#,
    r#"a person decides. For that person: is `solvi-hook` installed, and on PATH?"}}"#
);

fn claude_edits(plan: &Plan) -> Vec<Entry> {
    let mut command = format!("{} pre-edit --agent claude", plan.program);
    if let Some(rules) = &plan.rules {
        command.push_str(" --rules ");
        command.push_str(rules);
    }
    if plan.approve {
        command.push_str(" --approve");
    }
    let command = otherwise(&command, CLAUDE_ASKS);
    vec![Entry {
        event: "PreToolUse".to_owned(),
        matcher: Some(CLAUDE_TOOLS.to_owned()),
        command,
        // Seconds. Our own deadline is 10, and the client must not be the first to give up.
        timeout: 30,
        status: "holding the edit against the rules".to_owned(),
    }]
}

/// Returns a command that replies when the first one cannot. One that could has exited with 0.
fn otherwise(command: &str, reply: &str) -> String {
    format!("{command}{FALLBACK}'{reply}'")
}

const FALLBACK: &str = " || printf '%s' ";

/// Returns a command as it is shown to a person: without the reply for the worst case.
#[must_use]
pub fn brief(command: &str) -> &str {
    command.split_once(FALLBACK).map_or(command, |(command, _)| command)
}

fn claude_traps(text: &str) -> Vec<String> {
    if let Err(error) = serde_json::from_str::<IgnoredAny>(text) {
        return vec![format!(
            "line {} is not plain JSON (a comment? a comma too many?): Claude Code ignores \
             this whole file, and every hook in it, until it is",
            error.line()
        )];
    }
    // Deeper nesting than this reader takes, or half a character, is no trap for Claude Code.
    let Ok(Value::Object(settings)) = serde_json::from_str(text) else { return Vec::new() };
    let off = settings.get("disableAllHooks") == Some(&Value::Bool(true));
    let off = off.then(|| "`disableAllHooks` is true: Claude Code runs no hook at all".to_owned());
    let void = malformed(&settings).map(|(place, what)| {
        format!("`{place}` {what}: Claude Code ignores every hook in this file until it is mended")
    });
    off.into_iter().chain(void).collect()
}

fn claude_silences(text: &str) -> bool {
    let settings: Value = serde_json::from_str(text).unwrap_or_default();
    settings.get("disableAllHooks") == Some(&Value::Bool(true))
}

fn claude_trial(project: &str) -> Trial {
    let payload = |tool: &str, input: &Value| {
        let payload = json!({
            "session_id": "solvi-hook-doctor",
            "cwd": project,
            "hook_event_name": "PreToolUse",
            "permission_mode": "default",
            "tool_name": tool,
            "tool_input": input,
            "tool_use_id": "solvi-hook-doctor",
        });
        payload.to_string()
    };
    let file = format!("{project}/.git/solvi-hook-doctor");
    Trial {
        harmless: payload("Read", &json!({"file_path": file})),
        refused: payload("Write", &json!({"file_path": file, "content": "a trial\n"})),
    }
}

fn claude_refuses(reply: &str) -> bool {
    let reply: Value = serde_json::from_str(reply).unwrap_or_default();
    let verdict = reply.pointer("/hookSpecificOutput/permissionDecision");
    verdict.and_then(Value::as_str) == Some("deny")
}

/// Returns the first part of the hooks that Claude Code does not accept, and what it is.
fn malformed(settings: &Map<String, Value>) -> Option<(String, &'static str)> {
    let hooks = settings.get("hooks")?;
    let Some(events) = hooks.as_object() else {
        return Some(("hooks".to_owned(), "is not an object"));
    };
    events.iter().find_map(|(event, groups)| {
        let Some(groups) = groups.as_array() else {
            return Some((format!("hooks.{event}"), "is not a list"));
        };
        groups.iter().enumerate().find_map(|(at, group)| {
            let place = format!("hooks.{event}[{at}]");
            if group.get("matcher").is_some_and(|matcher| !matcher.is_string()) {
                return Some((place, "has a `matcher` that is not text"));
            }
            let Some(handlers) = group.get("hooks").and_then(Value::as_array) else {
                return Some((place, "has no list `hooks`"));
            };
            handlers.iter().enumerate().find_map(|(at, handler)| {
                handler_trap(handler).map(|what| (format!("{place}.hooks[{at}]"), what))
            })
        })
    })
}

fn handler_trap(handler: &Value) -> Option<&'static str> {
    let kind = handler.get("type").and_then(Value::as_str);
    if !matches!(kind, Some("command" | "prompt" | "http" | "agent" | "mcp_tool")) {
        return Some("has no `type` that is known");
    }
    if kind == Some("command") && !handler.get("command").is_some_and(Value::is_string) {
        return Some("has no `command`");
    }
    let timeout = handler.get("timeout")?;
    let positive = timeout.as_f64().is_some_and(|seconds| seconds > 0.0);
    (!positive).then_some("has a `timeout` that is not above 0")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn command(program: &str) -> String {
        let plan = Plan { program: program.into(), ..Plan::default() };
        claude_edits(&plan).remove(0).command
    }

    #[test]
    fn the_command_hands_on_what_was_asked_for() {
        let plan =
            Plan { program: "solvi-hook".into(), rules: Some("'r s.toml'".into()), approve: true };
        let entry = claude_edits(&plan).remove(0);
        let start = "solvi-hook pre-edit --agent claude --rules 'r s.toml' --approve || printf";
        assert!(entry.command.starts_with(start), "{}", entry.command);
        assert_eq!(brief(&command("x")), "x pre-edit --agent claude");
    }

    #[cfg(unix)]
    #[test]
    fn whatever_becomes_of_the_program_one_reply_comes_out() {
        let folder = tempfile::tempdir().unwrap();
        let fake = |name: &str, body: &str| {
            use std::os::unix::fs::PermissionsExt;
            let path = folder.path().join(name);
            std::fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
            shlex::try_quote(path.to_str().unwrap()).unwrap().into_owned()
        };
        let said = |program: &str| {
            let mut shell = std::process::Command::new("/bin/sh");
            let output = shell.args(["-c", &command(program)]).output().unwrap();
            assert!(output.status.success());
            String::from_utf8(output.stdout).unwrap()
        };
        for (program, fate) in [
            ("solvi-hook-that-nobody-installed".to_owned(), "missing"),
            (fake("exits", "exit 1"), "exits"),
            (fake("usage", "echo wrong >&2; exit 2"), "usage"),
            (fake("with space and 'quote", "kill -KILL $$"), "killed"),
            (fake("segfault", "kill -SEGV $$"), "crashed"),
        ] {
            let reply: Value = serde_json::from_str(&said(&program)).expect(fate);
            let output = reply.get("hookSpecificOutput").expect(fate);
            assert_eq!(output.get("hookEventName").unwrap(), "PreToolUse", "{fate}");
            assert_eq!(output.get("permissionDecision").unwrap(), "ask", "{fate}");
        }
        let replies = fake("replies", "cat >/dev/null; printf '{\"ours\":1}'");
        assert_eq!(said(&replies), "{\"ours\":1}");
    }

    #[test]
    fn what_voids_a_file_is_named() {
        let trap = |text: &str| claude_traps(text).join("; ");
        assert_eq!(
            trap(r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}"#),
            ""
        );
        assert_eq!(
            trap(
                r#"{"hooks": {"Later": [{"matcher": "", "hooks": [], "more": 1}]}, "x": "\ud83d"}"#
            ),
            ""
        );
        for (text, named) in [
            ("{\n  \"a\": 1, // why\n}", "line 2 is not plain JSON"),
            (r#"{"a": 1,}"#, "line 1 is not plain JSON"),
            (r#"{"disableAllHooks": true}"#, "no hook at all"),
            (r#"{"hooks": []}"#, "`hooks` is not an object"),
            (r#"{"hooks": {"Stop": {}}}"#, "`hooks.Stop` is not a list"),
            (r#"{"hooks": {"Stop": [{"matcher": "a"}]}}"#, "`hooks.Stop[0]` has no list `hooks`"),
            (r#"{"hooks": {"Stop": [{"matcher": 1, "hooks": []}]}}"#, "`matcher` that is not text"),
            (
                r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}, {"type": "command"}]}]}}"#,
                "`hooks.Stop[0].hooks[1]` has no `command`",
            ),
            (r#"{"hooks": {"Stop": [{"hooks": [{"command": "x"}]}]}}"#, "has no `type`"),
            (
                r#"{"hooks": {"Stop": [{"hooks": [{"type": "run", "command": "x"}]}]}}"#,
                "has no `type`",
            ),
            (
                r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x", "timeout": 0}]}]}}"#,
                "has a `timeout` that is not above 0",
            ),
        ] {
            assert!(trap(text).contains(named), "{text}: {}", trap(text));
        }
    }
}
