//! How Pi is read and answered, through our own extension (`templates/pi.ts`).
//!
//! Pi runs no commands at its events: the extension starts us for each, with the event as Pi gave
//! it and what it knows of the session, and wants exactly one object back:
//!
//! ```text
//! → {"client": "pi", "protocol": 1, "session_id", "cwd", "mode", "event": {"type": "tool_call",
//!    "toolName", "toolCallId", "input", …}}
//! ← {"protocol": 1, "verdict": "allow" | "warn" | "ask" | "deny", "reason"?}
//! ```
//!
//! Silence is no answer: the extension refuses the call then. It speaks *ask* as a question where
//! a person can be asked, and as a refusal where not.

use super::contract::{Contract, Known, Strength, Without, row};
use super::fields::Fields;
use super::file_tools::{self, kept_lines};
use super::marks::Marks;
use super::payload::{self, PayloadError};
use super::pi_edit::{self, Block};
use super::wiring::{self, Form, Trial, Trust, Wiring};
use super::{Client, Phase, Voice, paths};
use crate::domain::{Action, Change, Decision, Event, Files, Session, Stored, Verdict, diff};
use serde_json::{Map, Value, json};

/// Pi.
pub struct Pi;

/// The version of what the extension and we say to each other.
pub const PROTOCOL: u64 = 1;

const EDIT: &str = "edit";
const WRITE: &str = "write";
const SETTLE: &str = "agent_before_settle";

/// What it honours.
const CONTRACT: Contract = Contract {
    name: "pi",
    title: "Pi",
    known: Known::Seen("1.6.0"),
    failed: Without::Refuses,
    late: Without::Refuses,
    rows: &[
        row("tool_call", Strength::Ask, "without a person at it an ask is a refusal"),
        row("tool_result", Strength::Tell, "a warning is added to the result"),
        row("before_agent_start", Strength::Tell, "a failure keeps every tool shut"),
        row("agent_before_settle", Strength::Deny, "the agent goes on once, then it is shown"),
    ],
};

impl Client for Pi {
    fn contract(&self) -> &'static Contract {
        &CONTRACT
    }

    fn wiring(&self) -> Option<&'static Wiring> {
        Some(&WIRING)
    }

    fn marks_programs_by(&self) -> &'static [&'static str] {
        &["PI_CODING_AGENT"]
    }

    fn write(&self, decision: &Decision, voice: &Voice) -> String {
        answer(decision.verdict(), &voice.text(decision))
    }

    fn owns(&self, marks: &Marks) -> bool {
        marks.text("client") == Some("pi") && !marks.has("hook_event_name")
    }

    fn phase(&self, marks: &Marks) -> Phase {
        match marks.kind("event") {
            None | Some("tool_call") => Phase::Before,
            Some("tool_result") => Phase::After,
            Some("before_agent_start") => Phase::Prompt,
            Some(SETTLE) => Phase::Stop,
            Some(_) => Phase::Other,
        }
    }

    fn paths(&self, written: &str, files: &dyn Files) -> Vec<String> {
        paths::pi(written, files)
    }

    fn read(&self, payload: &[u8], files: &dyn Files) -> Result<Event, PayloadError> {
        let mut payload = payload::object(payload)?;
        if payload.get("protocol").and_then(Value::as_u64) != Some(PROTOCOL) {
            let next = "run `solvi-hook install --agent pi` again.";
            return Err(PayloadError(format!("the extension is of another version; {next}")));
        }
        let event = match payload.remove("event") {
            Some(Value::Object(event)) => event,
            other => {
                let is = super::fields::kind_of(&other.unwrap_or_default());
                return Err(PayloadError(format!("`event` is {is}; an object was expected.")));
            }
        };
        let session_id = Fields::new("payload", payload).text_if_any(&["session_id"])?;
        if event.get("type").and_then(Value::as_str) == Some(SETTLE) {
            let session = Session { session_id, ..Session::default() };
            return Ok(Event { session, action: payload::stop(&event), ..Event::default() });
        }
        let mut event = Fields::new("event", event);
        let kind = event.text(&["type"])?;
        if kind != "tool_call" && kind != "tool_result" {
            return Ok(Event::default());
        }
        let tool = event.text(&["toolName"])?;
        let session = Session {
            session_id,
            tool_use_id: event.text_if_any(&["toolCallId"])?,
            ..Session::default()
        };
        let action = match event.value("input") {
            input if kind == "tool_result" => {
                let failed = event.value("isError") == Some(Value::Bool(true));
                match input.filter(|_| !failed) {
                    Some(Value::Object(input)) => made(&tool, input, files)?,
                    _ => Action::Other,
                }
            }
            Some(Value::Object(input)) if tool == EDIT || tool == WRITE => {
                Action::Edit(vec![change(&tool, input, files)?])
            }
            Some(Value::Object(input)) => payload::action(&tool, Value::Object(input), files)?,
            other if tool == EDIT || tool == WRITE => {
                let is = super::fields::kind_of(&other.unwrap_or_default());
                return Err(PayloadError(format!(
                    "`event.input` is {is}; an object was expected."
                )));
            }
            other => payload::action(&tool, other.unwrap_or_default(), files)?,
        };
        Ok(Event { tool, session, action, ..Event::default() })
    }

    fn write_at(&self, phase: Phase, decision: &Decision, voice: &Voice) -> String {
        match phase {
            Phase::Before => self.write(decision, voice),
            Phase::Stop if decision.verdict() == Verdict::Deny => {
                answer(Verdict::Deny, &super::left(decision, voice))
            }
            Phase::Stop if voice.notes.is_empty() => answer(Verdict::Allow, ""),
            Phase::Stop => answer(Verdict::Warn, &voice.beside(String::new())),
            Phase::After | Phase::Prompt => {
                let made = phase == Phase::After && decision.verdict() >= Verdict::Ask;
                let text = if made { voice.too_late(decision) } else { voice.text(decision) };
                // Of a call that was made, the extension passes on only what it is warned of.
                let told = phase == Phase::After && !text.is_empty();
                let verdict = if told { Verdict::Warn } else { decision.verdict() };
                answer(verdict.min(Verdict::Warn), &text)
            }
            _ => answer(Verdict::Allow, ""),
        }
    }
}

fn answer(verdict: Verdict, reason: &str) -> String {
    let mut answer = json!({"protocol": PROTOCOL, "verdict": verdict.word()});
    if !reason.is_empty() {
        answer["reason"] = reason.into();
    }
    answer.to_string()
}

/// Reads the input of `edit` or `write`.
fn change(
    tool: &str,
    input: Map<String, Value>,
    files: &dyn Files,
) -> Result<Change, PayloadError> {
    let mut input = Fields::new("event.input", input);
    let place = file_tools::place(&input.path(&["path"])?, files)?;
    if tool == WRITE {
        let content = input.text(&["content"])?;
        let (before, unsure) = match files.read(&place) {
            Stored::Absent => (String::new(), None),
            Stored::Bytes(bytes) => (String::from_utf8_lossy(&bytes).into_owned(), None),
            Stored::Unknown(why) => (String::new(), Some(why)),
        };
        let change = Change::of_text(tool, place, kept_lines(&before, &content), content);
        return Ok(Change { unsure, ..change });
    }
    let blocks = blocks(&mut input)?;
    let lines = || blocks.iter().flat_map(|block| diff::added(&block.old, &block.new)).collect();
    let before = match files.read(&place) {
        Stored::Absent => None,
        Stored::Bytes(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
        Stored::Unknown(why) => {
            let unsure = Some(why.clone());
            return Ok(Change { unsure, ..Change::of_lines(tool, place, lines(), why) });
        }
    };
    Ok(match pi_edit::after(before.as_deref(), &blocks) {
        Ok(after) => Change::of_text(tool, place, before.as_deref().unwrap_or_default(), after),
        Err(refusal) => Change::of_lines(tool, place, lines(), refusal.to_string()),
    })
}

/// Reads what `edit` or `write` has done: of a file that is changed already only the new lines are
/// told.
fn made(tool: &str, input: Map<String, Value>, files: &dyn Files) -> Result<Action, PayloadError> {
    if tool != EDIT && tool != WRITE {
        return Ok(Action::Other);
    }
    let mut input = Fields::new("event.input", input);
    let place = file_tools::place(&input.path(&["path"])?, files)?;
    let added = match tool {
        WRITE => diff::added("", &input.text(&["content"])?),
        _ => blocks(&mut input)?
            .iter()
            .flat_map(|block| diff::added(&block.old, &block.new))
            .collect(),
    };
    Ok(Action::Edit(vec![Change::of_lines(tool, place, added, "the edit is made")]))
}

/// Reads the replacements. Pi brings every shape into one list before it asks us; what it would
/// bring there is understood all the same.
fn blocks(input: &mut Fields) -> Result<Vec<Block>, PayloadError> {
    let alone = input.has(&["oldText"]).then(|| block(input)).transpose()?;
    let listed = match input.value("edits") {
        Some(Value::String(text)) => serde_json::from_str(&text).unwrap_or(Value::String(text)),
        Some(other) => other,
        None if alone.is_some() => Value::Array(Vec::new()),
        None => Value::Null,
    };
    let listed = match listed {
        Value::Object(one) => Value::Array(vec![Value::Object(one)]),
        other => other,
    };
    let mut holder = Map::new();
    holder.insert("edits".to_owned(), listed);
    let listed = Fields::new("event.input", holder).objects("edits")?;
    let listed = listed.into_iter().map(|mut fields| block(&mut fields));
    listed.chain(alone.map(Ok)).collect()
}

fn block(fields: &mut Fields) -> Result<Block, PayloadError> {
    Ok(Block { old: fields.text(&["oldText"])?, new: fields.text(&["newText"])? })
}

/// How Pi is wired.
const WIRING: Wiring = Wiring {
    name: "pi",
    aliases: &[],
    title: "Pi",
    signs: &[".pi"],
    programs: &["pi"],
    project: ".pi/extensions/solvi-hook.ts",
    local: None,
    user_variable: Some("PI_CODING_AGENT_DIR"),
    user_folder: ".pi/agent",
    user: "extensions/solvi-hook.ts",
    beside: None,
    guarded: &[".pi/extensions/", ".pi/settings.json"],
    from_below: false,
    form: Form::Extension(include_str!("../../templates/pi.ts")),
    entries: |_| Vec::new(),
    traps: |_| Vec::new(),
    softens: |_| Vec::new(),
    silences: |_| false,
    silent: &[
        "Pi skips the extensions of a project that is not trusted, and says nothing in print, \
         JSON and RPC mode",
        "started in a subfolder, Pi does not find this extension; one of `--scope user` always loads",
        "`--no-extensions` leaves the guard out",
    ],
    trust: Some(Trust {
        file: "trust.json",
        // Its form is not documented: a folder that it names counts.
        trusts: |text, folder| text.contains(&Value::from(folder).to_string()),
        how: "start `pi` in the project and trust it",
    }),
    trial,
    refuses: |reply| wiring::holds(reply, "/verdict", "deny"),
    look: "type /hooks status",
};

fn trial(project: &str) -> Trial {
    let payload = |tool: &str, input: &Value| {
        json!({
            "client": "pi",
            "protocol": PROTOCOL,
            "cwd": project,
            "mode": "print",
            "event": {"type": "tool_call", "toolName": tool, "toolCallId": "solvi-hook-doctor",
                "input": input},
        })
        .to_string()
    };
    let file = format!("{project}/.git/solvi-hook-doctor");
    Trial {
        harmless: payload("read", &json!({"path": file})),
        refused: payload(WRITE, &json!({"path": file, "content": "a trial\n"})),
    }
}

/// How our extension begins.
const EXTENSION: &str = "/**\n * solvi-hook for Pi:";

/// Tells whether a text is our extension, of any version.
#[must_use]
pub fn is_extension(text: &str) -> bool {
    text.starts_with(EXTENSION)
}

/// Fills in the extension: the program, the digest of its file, and its arguments. Without a
/// digest the program is a name, which is found on PATH.
#[must_use]
pub fn extension(template: &str, program: &str, digest: &str, arguments: &[String]) -> String {
    template
        .replacen("\"{{program}}\"", &Value::from(program).to_string(), 1)
        .replacen("\"{{sha256}}\"", &Value::from(digest).to_string(), 1)
        .replacen("\"{{arguments}}\"", &json!(arguments).to_string(), 1)
}

/// Returns what was filled in.
#[must_use]
pub fn filled(text: &str) -> Option<(String, String, Vec<String>)> {
    let value = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(&format!("const {name} = ")))?;
        serde_json::from_str::<Value>(line.strip_suffix(';')?).ok()
    };
    let text = |value: Value| value.as_str().map(str::to_owned);
    let arguments = value("JUDGE")?.as_array()?.iter().cloned().filter_map(text).collect();
    Some((text(value("PROGRAM")?)?, text(value("DIGEST")?)?, arguments))
}

#[cfg(test)]
mod tests;
