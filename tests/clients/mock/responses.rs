//! The Responses API, as Codex speaks it.

use super::http::{Event, Reply, Request};
use super::{Say, Wire};
use serde_json::{Value, json};

/// For most models the client hands its tools over inside the input, and asks for nothing else.
pub const WIRE: Wire =
    Wire { answers: |path| path.ends_with("/responses"), is_turn: |_| true, reply };

fn reply(_request: &Request, number: u32, turn: &[Say]) -> Reply {
    let items: Vec<Value> = turn.iter().map(|say| item(say, number)).collect();
    let response = |status: &str, output: &[Value]| {
        json!({
            "id": format!("resp_{number}"),
            "object": "response",
            "status": status,
            "output": output,
            "usage": {
                "input_tokens": 100,
                "input_tokens_details": {"cached_tokens": 0},
                "output_tokens": 10,
                "output_tokens_details": {"reasoning_tokens": 0},
                "total_tokens": 110,
            },
        })
    };
    let begun = json!({"type": "response.created", "response": response("in_progress", &[])});
    let mut events = vec![begun];
    for (index, item) in items.iter().enumerate() {
        for state in ["added", "done"] {
            let kind = format!("response.output_item.{state}");
            events.push(json!({"type": kind, "output_index": index, "item": item}));
        }
    }
    events.push(json!({"type": "response.completed", "response": response("completed", &items)}));
    Reply::Events(events.iter().map(Event::typed).collect())
}

fn item(say: &Say, number: u32) -> Value {
    match say {
        Say::Text(text) => json!({
            "type": "message",
            "id": format!("msg_{number}"),
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": text, "annotations": []}],
        }),
        Say::Call { id, tool, input } => json!({
            "type": "function_call",
            "id": format!("fc_{id}"),
            "call_id": id,
            "status": "completed",
            "name": tool,
            "arguments": input.to_string(),
        }),
        Say::Patch { id, tool, text } => json!({
            "type": "custom_tool_call",
            "id": format!("ctc_{id}"),
            "call_id": id,
            "status": "completed",
            "name": tool,
            "input": text,
        }),
    }
}
