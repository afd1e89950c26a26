//! What does a client's payload say is about to be edited?
//!
//! Reads the JSON of a tool call into an [`Event`] whose changes show each file as the client
//! will leave it. A call that is, or may be, an edit that cannot be read is an error, and a
//! person decides; a tool that edits no file is [`Action::Other`].

use super::Phase;
pub use super::fields::PayloadError;
use super::fields::kind_of;
use super::file_tools::{self, EDIT, MARK, is_complete, shape};
use super::patch::{self, PatchError};
use super::server_tools;
use super::unknown_tool::{self, tool_name};
use crate::domain::{Action, Change, Event, Files, Session};
use serde_json::error::Category;
use serde_json::{Map, Value};

impl From<PatchError> for PayloadError {
    fn from(error: PatchError) -> Self {
        Self(error.to_string())
    }
}

/// Reads the payload of a tool call that is about to run.
pub fn read(payload: &[u8], files: &dyn Files) -> Result<Event, PayloadError> {
    Call::of(object(payload)?).event(|tool, input| action(tool, input, files))
}

/// A tool call, as most clients send it.
pub(super) struct Call {
    /// The tool, as the client names it; empty when it does not.
    pub tool: String,
    /// What it is called with.
    pub input: Value,
    session: Session,
    /// Every other field.
    pub rest: Map<String, Value>,
}

impl Call {
    pub(super) fn of(mut call: Map<String, Value>) -> Self {
        let session = session(&call);
        let tool = match call.remove("tool_name") {
            Some(Value::String(tool)) => tool,
            None | Some(Value::Null) => String::new(),
            Some(other) => other.to_string(),
        };
        let input = call.remove("tool_input").unwrap_or_default();
        let tool = if tool.is_empty() { tool_of(&input).to_owned() } else { tool };
        Self { tool, input, session, rest: call }
    }

    /// Makes the event of the call, with what the tool is said to do.
    pub(super) fn event(
        self,
        action: impl FnOnce(&str, Value) -> Result<Action, PayloadError>,
    ) -> Result<Event, PayloadError> {
        let action = action(&self.tool, self.input)?;
        Ok(Event { tool: self.tool, session: self.session, action, ..Event::default() })
    }
}

/// Returns the names of a call.
pub(super) fn session(call: &Map<String, Value>) -> Session {
    let name = |key: &str| {
        call.get(key).and_then(Value::as_str).filter(|name| !name.is_empty()).map(str::to_owned)
    };
    Session {
        session_id: name("session_id"),
        tool_use_id: name("tool_use_id"),
        prompt_id: name("prompt_id"),
        agent_id: name("agent_id"),
    }
}

/// Reads an event that is no tool call.
pub(super) fn beside_tools(phase: Phase, call: &Map<String, Value>) -> Event {
    let action = if phase == Phase::Stop { stop(call) } else { Action::Other };
    Event { session: session(call), action, ..Event::default() }
}

/// Reads the end of an agent's work. Only a client that says that it was not put off before is
/// believed: whoever is put off each time never stops.
pub(super) fn stop(call: &Map<String, Value>) -> Action {
    let first = match call.get("stop_hook_active") {
        Some(active) => active == &Value::Bool(false),
        None => call.get("loop_count").and_then(Value::as_u64) == Some(0),
    };
    Action::Stop { again: !first }
}

/// Reads a payload's outermost object.
pub(super) fn object(payload: &[u8]) -> Result<Map<String, Value>, PayloadError> {
    let text = str::from_utf8(payload)
        .map_err(|_| PayloadError("the payload is not UTF-8; JSON was expected.".to_owned()))?;
    match serde_json::from_str(text.strip_prefix(MARK).unwrap_or(text)) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(other) => {
            let is = if other.is_null() { "null" } else { kind_of(&other) };
            Err(PayloadError(format!("the payload is {is}; a JSON object was expected.")))
        }
        Err(error) => Err(PayloadError(format!("the payload is not JSON: {}.", not_json(&error)))),
    }
}

/// Says where and how a text ends to be JSON.
fn not_json(error: &serde_json::Error) -> String {
    let what = match error.classify() {
        Category::Eof => "it ends too early, ",
        _ if error.to_string().starts_with("recursion limit") => "it is nested too deeply, ",
        _ => "",
    };
    format!("{what}line {}, column {}", error.line(), error.column())
}

/// Returns a payload without the name of its event, as one of a tool that is about to run.
pub fn without_event(payload: &[u8]) -> Result<Vec<u8>, PayloadError> {
    let mut object = object(payload)?;
    object.retain(|name, _| name != "hook_event_name" && name != "hookName");
    Ok(Value::Object(object).to_string().into_bytes())
}

const APPLY_PATCH: &str = "apply_patch";

/// Returns the tool whose input this looks like, for a call that names none.
fn tool_of(input: &Value) -> &'static str {
    match input {
        Value::Object(input) if is_complete(EDIT, input) || patches(input).is_empty() => {
            shape(EDIT, input).unwrap_or(EDIT)
        }
        Value::Object(_) | Value::String(_) => APPLY_PATCH,
        _ => EDIT,
    }
}

/// Reads what a tool does, by its name and its input.
pub(super) fn action(tool: &str, input: Value, files: &dyn Files) -> Result<Action, PayloadError> {
    action_of_own(tool, tool_name::own_name(tool), input, files)
}

/// Reads what a tool does whose name without its server's is known.
pub(super) fn action_of_own(
    tool: &str,
    own_name: &str,
    input: Value,
    files: &dyn Files,
) -> Result<Action, PayloadError> {
    let known = tool == APPLY_PATCH || file_tools::TOOLS.contains(&tool);
    let changes = match input {
        Value::Object(input) if known => edits(tool, input, files)?,
        Value::Object(input) => {
            others(unknown_tool::Call { tool, own_name, input: &input }, files)?
        }
        Value::String(text) if text.contains(patch::MARKER) => {
            patch::changes(tool, &[&text], files)?
        }
        other if known => {
            let is = kind_of(&other);
            return Err(PayloadError(format!("`tool_input` is {is}; an object was expected.")));
        }
        _ => Vec::new(),
    };
    Ok(if changes.is_empty() { Action::Other } else { Action::Edit(changes) })
}

/// Reads the input of a tool that edits files.
fn edits(
    tool: &str,
    input: Map<String, Value>,
    files: &dyn Files,
) -> Result<Vec<Change>, PayloadError> {
    // An edit may well write *about* patches: where it has all that its own tool needs, it is
    // read as that, or the file that is really written would go unjudged.
    let patches = patches(&input);
    if !patches.is_empty() && (tool == APPLY_PATCH || !is_complete(tool, &input)) {
        return Ok(patch::changes(tool, &patches, files)?);
    }
    if tool == APPLY_PATCH && shape(tool, &input).is_none() {
        let expected = format!("a text with `{}` was expected", patch::MARKER);
        return Err(PayloadError(format!("`tool_input` holds no patch; {expected}.")));
    }
    Ok(vec![file_tools::change(tool, input, files)?])
}

/// Reads the input of a tool that is not the agent's own; nothing when it is no edit.
fn others(call: unknown_tool::Call<'_>, files: &dyn Files) -> Result<Vec<Change>, PayloadError> {
    let mut changes = match server_tools::changes(call, files)? {
        Some(computed) => computed,
        None => unknown_tool::changes(call, files)?,
    };
    let patches = patches(call.input);
    if patches.is_empty() {
        return Ok(changes);
    }
    match patch::changes(call.tool, &patches, files) {
        Err(PatchError::NoSection) if !changes.is_empty() => {}
        others => changes.extend(others?),
    }
    Ok(changes)
}

/// Returns the values that hold a patch: strings, or strings in a list (an argument vector).
fn patches(input: &Map<String, Value>) -> Vec<&str> {
    let listed = |value| std::slice::from_ref(value);
    input
        .values()
        .flat_map(|value| value.as_array().map_or_else(|| listed(value), Vec::as_slice))
        .filter_map(Value::as_str)
        .filter(|text| text.contains(patch::MARKER))
        .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::domain::{Content, Place, RepoPath, Stored};
    use proptest::prelude::*;
    use serde_json::json;

    /// A project with one file: `f`, which holds `x` and `y`.
    struct Project;

    impl Files for Project {
        fn place(&self, written: &str) -> Result<Place, String> {
            RepoPath::new(written).map(Place::Inside).ok_or_else(|| "no such place.".to_owned())
        }

        fn read(&self, place: &Place) -> Stored {
            if place.as_str() == "f" { Stored::Bytes(b"x\ny\n".to_vec()) } else { Stored::Absent }
        }
    }

    fn call(tool: &str, input: &Value) -> String {
        json!({"tool_name": tool, "tool_input": input}).to_string()
    }

    /// Returns the tool, the place and the added lines of each change of a call.
    #[track_caller]
    fn changed(payload: &str) -> Vec<String> {
        let event = read(payload.as_bytes(), &Project).unwrap();
        let Action::Edit(changes) = event.action else { panic!("no edit: {payload}") };
        let shown = changes.iter().map(|change| {
            let lines = change.added.iter().map(|line| format!(" {}:{}", line.number, line.text));
            format!("{} {}{}", change.tool, change.place, lines.collect::<String>())
        });
        shown.collect()
    }

    #[track_caller]
    fn fails(payload: &str, error: &str) {
        assert_eq!(read(payload.as_bytes(), &Project), Err(PayloadError(error.to_owned())));
    }

    #[test]
    fn what_is_no_json_is_an_error() {
        let deep = format!("{{\"tool_input\": {}{}}}", "[".repeat(3000), "]".repeat(3000));
        let half =
            r#"{"tool_name": "Write", "tool_input": {"file_path": "f", "content": "\ud800"}}"#;
        for payload in ["", "{not json", "{} {}", "{\"a\": NaN}", &deep, half] {
            let PayloadError(error) = read(payload.as_bytes(), &Project).unwrap_err();
            assert!(error.starts_with("the payload is not JSON: "), "{error}");
        }
        let latin = read(b"{\"tool_name\": \"\xe9\"}", &Project);
        assert_eq!(latin.unwrap_err().0, "the payload is not UTF-8; JSON was expected.");
    }

    #[test]
    fn what_may_be_an_edit_and_cannot_be_read_is_an_error() {
        fails("[1]", "the payload is a list; a JSON object was expected.");
        fails("null", "the payload is null; a JSON object was expected.");
        fails("{}", "`tool_input` is missing; an object was expected.");
        fails(&call("Edit", &json!("x")), "`tool_input` is a string; an object was expected.");
        fails(
            &call("apply_patch", &json!({"input": "x"})),
            "`tool_input` holds no patch; a text with `*** Begin Patch` was expected.",
        );
        fails(&call("Write", &json!({"file_path": "../f", "content": ""})), "no such place.");
        let unfinished = call("Bash", &json!({"command": "printf '*** Begin Patch\\n'"}));
        fails(&unfinished, &PatchError::NoSection.to_string());
    }

    #[test]
    fn the_last_of_two_equal_keys_counts_and_a_mark_is_forgiven() {
        let payload = "\u{feff}{\"tool_name\": \"Bash\", \"tool_name\": \"Write\", \"more\": [1],
            \"tool_input\": {\"file_path\": \"f\", \"content\": \"x\\nz\"}}";
        assert_eq!(changed(payload), ["Write f 2:z"]);
    }

    #[test]
    fn the_names_of_the_call_are_kept() {
        let payload = json!({"session_id": "s", "tool_use_id": "t", "prompt_id": "", "agent_id": 5,
            "tool_name": "Bash", "tool_input": {"command": "ls"}});
        let event = read(payload.to_string().as_bytes(), &Project).unwrap();
        assert_eq!((event.tool.as_str(), event.action), ("Bash", Action::Other));
        assert_eq!(event.session.session_id.as_deref(), Some("s"));
        assert_eq!(event.session.tool_use_id.as_deref(), Some("t"));
        assert_eq!((event.session.prompt_id, event.session.agent_id), (None, None));
    }

    #[test]
    fn a_call_without_a_tool_name_is_read_by_its_shape() {
        let patch = "*** Begin Patch\n*** Add File: g\n+x\n";
        for (input, change) in [
            (json!({"file_path": "f", "content": "z"}), "Write f 1:z"),
            (json!({"path": "f", "old_string": "x", "new_string": "z"}), "Edit f 1:z"),
            (json!({"path": "f", "edits": []}), "MultiEdit f"),
            (json!({"input": patch}), "apply_patch g 1:x"),
            (json!(patch), "apply_patch g 1:x"),
        ] {
            assert_eq!(changed(&json!({"tool_input": input}).to_string()), [change]);
            assert_eq!(changed(&call("", &input)), [change]);
        }
    }

    #[test]
    fn a_patch_is_found_in_any_tool() {
        let patch = "*** Begin Patch\n*** Add File: g\n+x\n*** End Patch";
        for (tool, input) in [
            ("apply_patch", json!({"command": patch})),
            ("apply_patch", json!(patch)),
            ("Edit", json!(patch)),
            ("Edit", json!({"file_path": "f", "patch": patch})),
            ("Bash", json!({"command": format!("cd x\napply_patch <<'EOF'\n{patch}\nEOF")})),
            ("shell", json!({"command": ["apply_patch", patch]})),
        ] {
            assert_eq!(changed(&call(tool, &input)), [format!("{tool} g 1:x")]);
        }
    }

    #[test]
    fn text_about_a_patch_is_judged_where_the_tool_writes_it() {
        let text = "*** Begin Patch\n*** Add File: g\n+x\n";
        let write = call("Write", &json!({"file_path": "h", "content": text}));
        assert_eq!(changed(&write), ["Write h 1:*** Begin Patch 2:*** Add File: g 3:+x"]);
        let insert = json!({"notebook_path": "h", "new_source": "*** Begin Patch"});
        assert_eq!(changed(&call("NotebookEdit", &insert)), ["NotebookEdit h 1:*** Begin Patch"]);
        // Of a tool that we do not know, either may be true.
        let both = changed(&call("save", &json!({"path": "h", "text": text})));
        assert_eq!(both, ["save h 1:*** Begin Patch 2:*** Add File: g 3:+x", "save g 1:x"]);
        let mention = json!({"path": "h", "text": "*** Begin Patch"});
        assert_eq!(changed(&call("save", &mention)), ["save h 1:*** Begin Patch"]);
    }

    #[test]
    fn an_unknown_tool_with_a_path_and_text_is_a_write() {
        let input = json!({"path": "f", "content": "x\nz"});
        assert_eq!(changed(&call("Save", &input)), ["Save f 1:x 2:z"]);
        for tool in ["write", "mcp__server__write_file"] {
            assert_eq!(changed(&call(tool, &input)), [format!("{tool} f 2:z")]);
        }
        let payload = json!({"tool_name": 5, "tool_input": input}).to_string();
        assert_eq!(changed(&payload), ["5 f 1:x 2:z"]);
        let event = read(payload.as_bytes(), &Project).unwrap();
        let Action::Edit(changes) = event.action else { panic!("no edit") };
        assert!(matches!(changes[0].after, Content::Unknown(_)));
        assert_eq!(changed(&call("Save", &json!({"path": "f"}))), ["Save f"]);
        for input in [json!({"file": ""}), json!(null), json!("x")] {
            let event = read(call("Save", &input).as_bytes(), &Project).unwrap();
            assert_eq!(event.action, Action::Other);
        }
    }

    /// Any value, with the names and texts that mean something more often than chance has it.
    fn value() -> impl Strategy<Value = Value> {
        let text = "(f|true|x|x\ny|insert|cell-0|[*]{3} Begin Patch\n[*]{3} (Add|Update) File: f\n[ +-]?x\n?|.*)";
        let keys = "(file_path|path|content|old_string|new_string|edits|replace_all|notebook_path|new_source|cell_id|edit_mode|text|x)";
        let leaf = prop_oneof![
            3 => text.prop_map(Value::from),
            1 => any::<bool>().prop_map(Value::from),
            1 => Just(Value::Null),
        ];
        leaf.prop_recursive(3, 24, 6, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
                prop::collection::btree_map(keys, inner, 0..6)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn no_bytes_panic(payload in prop::collection::vec(any::<u8>(), 0..64)) {
            let _ = read(&payload, &Project);
        }

        #[test]
        fn a_call_of_an_edit_tool_is_an_edit_or_an_error(
            tool in "(|Edit|Write|MultiEdit|NotebookEdit|apply_patch)", input in value(),
        ) {
            let event = read(call(&tool, &input).as_bytes(), &Project);
            let silent = event.is_ok_and(|event| event.action == Action::Other);
            prop_assert!(!silent);
        }

        #[test]
        fn no_call_of_another_tool_panics(input in value()) {
            let _ = read(call("save", &input).as_bytes(), &Project);
        }
    }
}
