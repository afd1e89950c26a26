//! Languages: one file an agent says how it is answered; one reader for the edits that all of
//! them propose.
//!
//! A reply is exactly what the client honours (found by running the real programs) and nothing
//! beside it: one JSON object on standard output, or nothing.

pub mod claude;
pub mod claude_edit;
pub mod codex;
pub mod codex_patch;
pub mod codex_search;
mod codex_shell;
pub mod contract;
pub mod copilot;
pub mod copilot_edit;
pub mod copilot_patch;
mod copilot_permission;
pub mod copilot_search;
mod copilot_text;
pub mod cursor;
mod fields;
mod file_tools;
pub mod gemini;
pub mod gemini_edit;
mod gemini_nearly;
mod javascript;
pub mod marks;
pub mod notebook;
pub mod patch;
pub mod patch_grammar;
mod patched;
pub mod paths;
pub mod payload;
pub mod pi;
pub mod pi_edit;
#[cfg(test)]
mod recorded;
pub mod server_tools;
pub mod settings_files;
pub mod universal;
pub mod unknown_tool;
pub mod wiring;

use crate::domain::{Decision, Event, Files, Verdict, sanitize, wording};
use contract::{Contract, Known, Without};
use marks::Marks;
use payload::PayloadError;
use wiring::Wiring;

/// An agent program that calls us.
pub trait Client: Sync {
    /// Returns what it honours.
    fn contract(&self) -> &'static Contract;

    /// Returns the name that `--agent` takes.
    fn name(&self) -> &'static str {
        self.contract().name
    }

    /// Writes the reply to a tool call that is about to run; empty when there is nothing to say.
    fn write(&self, decision: &Decision, voice: &Voice) -> String;

    /// Tells whether a payload is unmistakably this client's own.
    fn owns(&self, _marks: &Marks) -> bool {
        false
    }

    /// Returns how the client is told to call us, if `install` can do that.
    fn wiring(&self) -> Option<&'static Wiring> {
        None
    }

    /// Returns the variable that this client alone sets for its hooks.
    fn variable(&self) -> Option<&'static str> {
        None
    }

    /// Returns the variables by which it marks the programs that it starts: no person is asked by
    /// a program that runs under one.
    fn marks_programs_by(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns when in the client's work a payload of its comes. One that names no event may be
    /// an edit, which must not pass for nothing.
    fn phase(&self, marks: &Marks) -> Phase {
        marks.text("hook_event_name").map_or(Phase::Before, Phase::named)
    }

    /// Tells whether the model hears a warning that is given before a tool runs; if not, it is
    /// given after it.
    fn warns_before(&self) -> bool {
        true
    }

    /// Returns the candidates of a path: the literal paths that it may stand for, likeliest first.
    fn paths(&self, written: &str, _files: &dyn Files) -> Vec<String> {
        vec![written.to_owned()]
    }

    /// Returns the candidates of the path of a file that the client looks for if it is not there.
    fn searched_paths(&self, written: &str, files: &dyn Files) -> Vec<String> {
        self.paths(written, files)
    }

    /// Reads a payload.
    fn read(&self, payload: &[u8], files: &dyn Files) -> Result<Event, PayloadError> {
        payload::read(payload, files)
    }

    /// Writes the reply to a payload that came at this phase.
    fn write_at(&self, phase: Phase, decision: &Decision, voice: &Voice) -> String {
        match phase {
            Phase::Before => self.write(decision, voice),
            _ => String::new(),
        }
    }
}

/// When in a client's work an event comes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// A tool is about to run: it can be refused.
    #[default]
    Before,
    /// The client is about to ask a person, or to decide for one.
    Permission,
    /// A tool has run.
    After,
    /// A person's prompt is about to be worked on.
    Prompt,
    /// A session begins.
    SessionStart,
    /// A session ends.
    SessionEnd,
    /// The agent is about to stop.
    Stop,
    /// A sub-agent is about to stop.
    SubagentStop,
    /// The client's settings have changed.
    Config,
    /// Anything else.
    Other,
}

impl Phase {
    /// Returns when an event comes that has one of the names that most clients use.
    #[must_use]
    pub fn named(event: &str) -> Self {
        match event {
            "PreToolUse" => Self::Before,
            "PermissionRequest" => Self::Permission,
            "PostToolUse" => Self::After,
            "UserPromptSubmit" => Self::Prompt,
            "SessionStart" => Self::SessionStart,
            "SessionEnd" => Self::SessionEnd,
            "Stop" => Self::Stop,
            "SubagentStop" => Self::SubagentStop,
            "ConfigChange" => Self::Config,
            _ => Self::Other,
        }
    }
}

/// Returns the clients whose payload this can be: one when it is unmistakable.
#[must_use]
pub fn owners(marks: &Marks) -> Vec<&'static dyn Client> {
    CLIENTS.iter().copied().filter(|client| client.owns(marks)).collect()
}

/// Events with a tool that come neither before nor after it.
const OTHER_EVENTS: [&str; 14] = [
    "AfterModel",
    "BeforeModel",
    "BeforeToolSelection",
    "Elicitation",
    "ErrorOccurred",
    "Notification",
    "PermissionDenied",
    "PostToolBatch",
    "PostToolUseFailure",
    "SubagentStart",
    "afterMCPExecution",
    "afterShellExecution",
    "beforeReadFile",
    "postToolUseFailure",
];

/// Tells whether a payload has a tool, and an event that nobody knows: it may be a call that is
/// about to run.
#[must_use]
pub fn may_be_a_call(marks: &Marks) -> bool {
    let tool = ["tool_name", "tool_input", "toolName", "toolArgs", "toolInput"];
    let event = marks.text("hook_event_name").or(marks.text("hookName"));
    tool.iter().any(|name| marks.has(name))
        && event.is_some_and(|event| !OTHER_EVENTS.contains(&event))
}

/// Every client, in the order of the documents.
pub const CLIENTS: &[&dyn Client] = &[
    &claude::Claude,
    &codex::Codex,
    &copilot::Copilot,
    &gemini::Gemini,
    &pi::Pi,
    &cursor::Cursor,
    &universal::Universal,
];

/// How a decision is told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Voice {
    /// Whether an edit that nothing stands against is approved in so many words, which skips the
    /// client's own prompt.
    pub approve: bool,
    /// Whether the event was an edit that was judged; nothing else is ever approved.
    pub judged: bool,
    /// What else a person should know, one sentence each (the record could not be written, say).
    pub notes: Vec<String>,
}

/// The longest text, in bytes: of more than 10,000 characters Claude Code shows the model the
/// beginning, and Codex cuts them. A reason is shorter; the notes take what it leaves.
const LONGEST: usize = 9_900;

impl Voice {
    /// Returns the whole text for a decision: its reason, then the notes.
    #[must_use]
    pub fn text(&self, decision: &Decision) -> String {
        self.text_as(decision, decision.verdict())
    }

    /// Returns the text for a decision where the reply comes to another verdict.
    #[must_use]
    pub fn text_as(&self, decision: &Decision, answer: Verdict) -> String {
        self.beside(wording::reason(decision, answer))
    }

    /// Returns the text where an *ask* is a refusal, because the agent cannot ask; `title` is what
    /// people call it.
    #[must_use]
    pub fn refusal(&self, decision: &Decision, title: &str) -> String {
        let reason = self.text_as(decision, Verdict::Deny);
        match decision.verdict() {
            Verdict::Ask => format!(
                "This edit needs a person's approval, which a hook of {title} cannot ask for, so \
                 it is refused. Stop here and tell the user: a person can make the edit, or change \
                 the rule.\n{reason}"
            ),
            _ => reason,
        }
    }

    /// Returns the text about an edit that was made already.
    fn too_late(&self, decision: &Decision) -> String {
        format!("{MADE}\n{}", self.text_as(decision, Verdict::Deny))
    }

    /// Returns a reason with the notes behind it.
    fn beside(&self, reason: String) -> String {
        let reason = Some(reason).filter(|reason| !reason.is_empty());
        let notes = self.notes.iter().map(|note| sanitize::without_number(note).into_owned());
        let mut text = reason.into_iter().chain(notes).collect::<Vec<_>>().join("\n");
        if text.len() > LONGEST {
            text.truncate(text.floor_char_boundary(LONGEST));
            text.push('…');
        }
        text
    }
}

/// Returns the client of a name, as `--agent` takes it; other spellings that are in use count.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static dyn Client> {
    let name = if name == "claude-code" { "claude" } else { name };
    CLIENTS.iter().copied().find(|client| client.name() == name)
}

/// Opens the reason when the edit is already made.
const MADE: &str = "The file has already been written. Revert the change, or tell the user.";

/// Writes the reply to a tool that has run, as Claude Code and Codex read it: a refusal is told to
/// the model, and changes nothing.
fn after_tool(event: &str, decision: &Decision, voice: &Voice) -> String {
    let text = voice.text(decision);
    match decision.verdict() {
        Verdict::Ask | Verdict::Deny => {
            serde_json::json!({"decision": "block", "reason": voice.too_late(decision)})
        }
        Verdict::Warn => serde_json::json!({"hookSpecificOutput": {
            "hookEventName": event,
            "additionalContext": text,
        }}),
        Verdict::Allow if text.is_empty() => return String::new(),
        Verdict::Allow => serde_json::json!({"systemMessage": text}),
    }
    .to_string()
}

/// Opens the reason when the agent is about to stop.
const LEFT: &str = "Before you stop: the working tree has changes that would be refused at the commit. \
    Fix those that you made, and tell the user about the rest.";

/// Returns what is told to an agent that is about to stop and is not to.
fn left(decision: &Decision, voice: &Voice) -> String {
    voice.beside(format!("{LEFT}\n{}", wording::left(decision)))
}

/// Writes the reply to an agent that is about to stop, as Claude Code and Codex read it: only a
/// refusal makes it go on; anything else is for the person.
fn at_stop(decision: &Decision, voice: &Voice) -> String {
    if decision.verdict() == Verdict::Deny {
        return serde_json::json!({"decision": "block", "reason": left(decision, voice)})
            .to_string();
    }
    let notes = voice.beside(String::new());
    if notes.is_empty() {
        return String::new();
    }
    serde_json::json!({"systemMessage": notes}).to_string()
}

/// Returns the folder that a payload says the session is in; nothing when it says none.
#[must_use]
pub fn working_folder(payload: &[u8]) -> Option<String> {
    // Everything else is skipped without being kept, so looking twice costs next to nothing.
    let marks = Marks::of(payload);
    let named =
        ["cwd", "workspace_roots", "workspace"].iter().find_map(|name| marks.first_text(name));
    named.map(str::to_owned)
}

/// Whoever asks without saying who: refused in words that several clients read, and never asked.
pub const WHOEVER: &dyn Client = &Whoever;

struct Whoever;

impl Client for Whoever {
    fn contract(&self) -> &'static Contract {
        const NOTHING_KNOWN: Contract = Contract {
            name: "whoever",
            title: "an agent",
            known: Known::Ours,
            failed: Without::Unknown,
            late: Without::Unknown,
            rows: &[],
        };
        &NOTHING_KNOWN
    }

    fn paths(&self, written: &str, files: &dyn Files) -> Vec<String> {
        paths::anyone(written, files)
    }

    fn write(&self, decision: &Decision, voice: &Voice) -> String {
        match decision.verdict() {
            Verdict::Ask | Verdict::Deny => {
                refuse_whoever_asks(&voice.refusal(decision, "this agent"))
            }
            Verdict::Warn | Verdict::Allow => String::new(),
        }
    }

    fn write_at(&self, phase: Phase, decision: &Decision, voice: &Voice) -> String {
        match phase {
            Phase::Before => self.write(decision, voice),
            Phase::Permission if decision.verdict() >= Verdict::Ask => {
                permit_nobody(&voice.refusal(decision, "this agent"))
            }
            _ => String::new(),
        }
    }
}

/// Writes the refusal of a permission in the nested and the flat form.
fn permit_nobody(reason: &str) -> String {
    serde_json::json!({
        "behavior": "deny",
        "message": reason,
        "hookSpecificOutput": {
            "hookEventName": "PermissionRequest",
            "decision": {"behavior": "deny", "message": reason},
        },
    })
    .to_string()
}

/// Writes a refusal that Claude Code (nested form) and Copilot (flat form) both read as one, for
/// when it is not known who is asking.
#[must_use]
pub fn refuse_whoever_asks(reason: &str) -> String {
    serde_json::json!({
        "permissionDecision": "deny",
        "permissionDecisionReason": reason,
        "hookSpecificOutput": {
            "hookEventName": claude::PRE_TOOL_USE,
            "permissionDecision": "deny",
            "permissionDecisionReason": reason,
        },
    })
    .to_string()
}
