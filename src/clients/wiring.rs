//! How an agent is told to call us: its settings files, the entries that go into them, and what
//! would keep it from running them without a word.
//!
//! Each client brings its own [`Wiring`]; here is what they share.

use super::CLIENTS;
use crate::domain::Entry;
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

impl Plan {
    /// Returns the plan that a command of ours was written by, as far as it can be told: whoever
    /// wants to be certain writes its entries anew and compares.
    #[must_use]
    pub fn behind(command: &str, agent: &str) -> Option<Self> {
        let (program, rest) = brief(command).split_once(&format!(" hook --agent {agent}"))?;
        let (rest, approve) = match rest.strip_suffix(" --approve") {
            Some(rest) => (rest, true),
            None => (rest, false),
        };
        let rules = match rest {
            "" => None,
            rest => Some(rest.strip_prefix(" --rules ")?.to_owned()),
        };
        Some(Self { program: program.to_owned(), rules, approve })
    }

    /// Returns the command that answers any event of an agent.
    #[must_use]
    pub fn command(&self, agent: &str) -> String {
        let mut command = format!("{} hook --agent {agent}", self.program);
        if let Some(rules) = &self.rules {
            command.push_str(" --rules ");
            command.push_str(rules);
        }
        if self.approve {
            command.push_str(" --approve");
        }
        command
    }
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
    /// What in a project's folder shows that the agent is used there.
    pub signs: &'static [&'static str],
    /// The names of its program.
    pub programs: &'static [&'static str],
    /// The settings that a project's team shares, from the project's folder.
    pub project: &'static str,
    /// The settings of one person in a project, from the project's folder, if the agent has any.
    pub local: Option<&'static str>,
    /// The variable that names the folder of a person's own settings, if there is one.
    pub user_variable: Option<&'static str>,
    /// That folder without the variable, from the home directory.
    pub user_folder: &'static str,
    /// The person's own settings, in that folder.
    pub user: &'static str,
    /// Another file beside each of these that holds hooks too, if there is one.
    pub beside: Option<&'static str>,
    /// What of a project says which hooks run, from its root and in lower case; a `/` at the end
    /// takes all below. An agent asks before it changes these.
    pub guarded: &'static [&'static str],
    /// Whether the project's settings are found when the agent is started in a folder below.
    pub from_below: bool,
    /// What is written there.
    pub form: Form,
    /// The entries, the one that is asked before an edit first.
    pub entries: fn(&Plan) -> Vec<Entry>,
    /// Returns what in a settings file keeps the agent from running its hooks, one sentence each.
    pub traps: fn(&str) -> Vec<String>,
    /// Returns what in a settings file may answer in the place of the person whom we ask.
    pub softens: fn(&str) -> Vec<String>,
    /// Tells whether a settings file switches off every hook of the agent, wherever it stands.
    pub silences: fn(&str) -> bool,
    /// What passes the hook by without a word, one sentence each.
    pub silent: &'static [&'static str],
    /// Where the agent keeps whom it trusts.
    pub trust: Option<Trust>,
    /// Returns payloads to try an entry with, for a project's folder.
    pub trial: fn(&str) -> Trial,
    /// Tells whether a reply refuses.
    pub refuses: fn(&str) -> bool,
    /// How a person sees in the agent that the hook is there.
    pub look: &'static str,
}

/// What stands in an agent's settings file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Entries among others. The text is what a file that is not there is taken for.
    Entries(&'static str),
    /// A program of ours that the agent loads: this text, with its names in braces filled in.
    Extension(&'static str),
}

/// Where an agent keeps which folders it trusts; without trust it leaves the project's hooks out.
#[derive(Clone, Copy, Debug)]
pub struct Trust {
    /// The file, in the folder of a person's own settings.
    pub file: &'static str,
    /// Tells whether a text of it trusts a folder.
    pub trusts: fn(&str, &str) -> bool,
    /// How a person gives trust.
    pub how: &'static str,
}

/// Payloads that show whether an entry works; nothing in them is ever done.
#[derive(Clone, Debug)]
pub struct Trial {
    /// An event that no rule has a word about.
    pub harmless: String,
    /// An edit that is refused whatever the rules are: of git's own folder.
    pub refused: String,
}

/// Returns how each agent is wired that can be, in the order of the documents.
pub fn wirings() -> impl Iterator<Item = &'static Wiring> {
    CLIENTS.iter().filter_map(|client| client.wiring())
}

/// Returns the wiring of an agent, by any of its names.
#[must_use]
pub fn of(agent: &str) -> Option<&'static Wiring> {
    wirings().find(|wiring| wiring.name == agent || wiring.aliases.contains(&agent))
}

/// Returns a command that replies when the first one cannot. One that could has exited with 0.
/// No single quote may stand in the reply.
#[must_use]
pub fn otherwise(command: &str, reply: &str) -> String {
    format!("{command}{FALLBACK}'{reply}'")
}

const FALLBACK: &str = " || printf '%s' ";

/// Returns a command after which nothing is said when it cannot run, for where nobody would hear
/// it. Its end names us, so that the entry is known for ours whatever the program is called.
#[must_use]
pub fn or_silence(command: &str) -> String {
    format!("{command}{SILENCE}")
}

const SILENCE: &str = " || : solvi-hook";

/// What the installed command says for the worst case where a person is asked, without its quotes.
pub(super) const COULD_NOT_RUN: &str = "solvi-hook could not run, so this edit was not checked: \
    a person decides. For that person: is `solvi-hook` installed, and on PATH?";

/// What it says where nobody can be asked.
pub(super) const REFUSED_UNRUN: &str = "solvi-hook could not run, so this edit was not checked, \
    and it is refused. For the user: is `solvi-hook` installed, and on PATH?";

/// What the installed command says where the edit is made already.
pub(super) const NOT_CHECKED: &str =
    "solvi-hook could not run, so what was written was not checked.";

/// Returns a command as it is shown to a person: without the reply for the worst case.
#[must_use]
pub fn brief(command: &str) -> &str {
    let silent = command.strip_suffix(SILENCE);
    silent.unwrap_or_else(|| command.split_once(FALLBACK).map_or(command, |(command, _)| command))
}

/// Says what a command comes to when we cannot run: nothing, a question, a refusal.
#[must_use]
pub fn at_worst(command: &str) -> &'static str {
    match command.split_once(FALLBACK) {
        None => "",
        Some((_, reply)) if reply.contains("\"ask\"") => " (asks if it cannot run)",
        Some((_, reply)) if reply.contains(NOT_CHECKED) => " (says so if it cannot run)",
        Some(_) => " (refuses if it cannot run)",
    }
}

/// Returns a trial in the form of a tool call with Claude Code's names.
pub(super) fn trial(event: &str, read: &str, write: &str, project: &str) -> Trial {
    let file = format!("{project}/.git/solvi-hook-doctor");
    let payload = |tool: &str, input: &Value| {
        let payload = json!({
            "session_id": "solvi-hook-doctor",
            "cwd": project,
            "hook_event_name": event,
            "permission_mode": "default",
            "tool_name": tool,
            "tool_input": input,
            "tool_use_id": "solvi-hook-doctor",
        });
        payload.to_string()
    };
    Trial {
        harmless: payload(read, &json!({"file_path": file})),
        refused: payload(write, &json!({"file_path": file, "content": "a trial\n"})),
    }
}

/// Tells whether a reply holds a word at a place.
pub(super) fn holds(reply: &str, place: &str, word: &str) -> bool {
    let reply: Value = serde_json::from_str(reply).unwrap_or_default();
    reply.pointer(place).and_then(Value::as_str) == Some(word)
}

/// Tells whether a folder, or one above it, is among those that a list names.
pub(super) fn is_within<'a>(folder: &str, mut named: impl Iterator<Item = &'a str>) -> bool {
    named.any(|named| {
        let named = named.trim_end_matches('/');
        folder.strip_prefix(named).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    })
}

/// Says where a text is no plain JSON.
pub(super) fn not_plain(text: &str, title: &str) -> Option<String> {
    let error = serde_json::from_str::<serde::de::IgnoredAny>(text).err()?;
    Some(format!(
        "line {} is not plain JSON (a comment? a comma too many?): {title} ignores \
         this whole file, and every hook in it, until it is",
        error.line()
    ))
}

/// Returns the first part of the hooks that Claude Code does not accept, and what it is.
pub(super) fn malformed(settings: &Map<String, Value>) -> Option<(String, &'static str)> {
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

    fn before(wiring: &Wiring, program: &str) -> String {
        let plan = Plan { program: program.into(), ..Plan::default() };
        (wiring.entries)(&plan).remove(0).command
    }

    #[test]
    fn the_command_hands_on_what_was_asked_for() {
        let plan =
            Plan { program: "solvi-hook".into(), rules: Some("'r s.toml'".into()), approve: true };
        let entry = (of("claude").unwrap().entries)(&plan).remove(0);
        let start = "solvi-hook hook --agent claude --rules 'r s.toml' --approve || printf";
        assert!(entry.command.starts_with(start), "{}", entry.command);
        assert_eq!(brief(&entry.command).split(" ||").count(), 1);
    }

    #[test]
    fn an_agent_asks_before_it_changes_what_install_writes() {
        for wiring in wirings() {
            let beside = wiring.beside.map(|name| {
                let (folder, _) = wiring.project.rsplit_once('/').unwrap();
                format!("{folder}/{name}")
            });
            let written = [wiring.project].into_iter().chain(wiring.local).map(str::to_owned);
            for file in written.chain(beside) {
                let covers = |guarded: &&&str| {
                    **guarded == file || guarded.ends_with('/') && file.starts_with(**guarded)
                };
                assert!(wiring.guarded.iter().any(|guarded| covers(&guarded)), "{file}");
            }
        }
    }

    #[test]
    fn every_client_waits_longer_than_we_take_in_its_own_unit() {
        for wiring in wirings() {
            for entry in (wiring.entries)(&Plan::default()) {
                let unit = if wiring.name == "gemini" { 1000 } else { 1 };
                assert_eq!(entry.timeout, 30 * unit, "{}", wiring.name);
            }
        }
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
        let said = |command: &str| {
            let mut shell = std::process::Command::new("/bin/sh");
            let output = shell.args(["-c", command]).output().unwrap();
            assert!(output.status.success());
            String::from_utf8(output.stdout).unwrap()
        };
        let dead = [
            ("solvi-hook-that-nobody-installed".to_owned(), "missing"),
            (fake("exits", "exit 1"), "exits"),
            (fake("usage", "echo wrong >&2; exit 2"), "usage"),
            (fake("with space and 'quote", "kill -KILL $$"), "killed"),
            (fake("segfault", "kill -SEGV $$"), "crashed"),
        ];
        for (name, place, word) in [
            ("claude", "/hookSpecificOutput/permissionDecision", "ask"),
            ("codex", "/hookSpecificOutput/permissionDecision", "deny"),
            ("copilot", "/permissionDecision", "deny"),
            ("gemini", "/decision", "deny"),
            ("cursor", "/permission", "deny"),
        ] {
            let wiring = of(name).unwrap();
            for (program, fate) in &dead {
                let reply = said(&before(wiring, program));
                assert!(holds(&reply, place, word), "{name} {fate}: {reply}");
            }
            let replies = fake("replies", "cat >/dev/null; printf '{\"ours\":1}'");
            assert_eq!(said(&before(wiring, &replies)), "{\"ours\":1}");
        }
    }

    #[test]
    fn a_folder_is_trusted_with_the_one_above_it() {
        let within = |folder| is_within(folder, ["/a/b/", "/c"].into_iter());
        assert!(within("/a/b") && within("/a/b/c") && within("/c/d"));
        assert!(!within("/a/bc") && !within("/a"));
    }
}
