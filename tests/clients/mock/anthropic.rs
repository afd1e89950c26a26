//! The Messages API of Anthropic, as Claude Code speaks it.

use super::http::{Event, Reply, Request};
use super::{Say, Wire, offers_tools};
use serde_json::{Value, json};

pub const WIRE: Wire =
    Wire { answers: |path| path.starts_with("/v1/messages"), is_turn: offers_tools, reply };

fn reply(request: &Request, number: u32, turn: &[Say]) -> Reply {
    if request.path.ends_with("/count_tokens") {
        return Reply::Json(json!({"input_tokens": 100}));
    }
    let calls = turn.iter().any(|say| !matches!(say, Say::Text(_)));
    let stop = if calls { "tool_use" } else { "end_turn" };
    let mut message = json!({
        "id": format!("msg_{number}"),
        "type": "message",
        "role": "assistant",
        "model": request.body.get("model"),
        "content": turn.iter().map(block).collect::<Vec<_>>(),
        "stop_reason": stop,
        "stop_sequence": null,
        "usage": {"input_tokens": 100, "output_tokens": 10},
    });
    if request.body.get("stream") != Some(&Value::Bool(true)) {
        return Reply::Json(message);
    }
    let blocks = message["content"].take();
    message["content"] = json!([]);
    message["stop_reason"] = Value::Null;
    let mut events = vec![json!({"type": "message_start", "message": message})];
    for (index, block) in blocks.as_array().into_iter().flatten().enumerate() {
        let (opened, delta) = opened(block);
        events.extend([
            json!({"type": "content_block_start", "index": index, "content_block": opened}),
            json!({"type": "content_block_delta", "index": index, "delta": delta}),
            json!({"type": "content_block_stop", "index": index}),
        ]);
    }
    let end = json!({"stop_reason": stop, "stop_sequence": null});
    events.push(json!({"type": "message_delta", "delta": end, "usage": {"output_tokens": 10}}));
    events.push(json!({"type": "message_stop"}));
    Reply::Events(events.iter().map(Event::typed).collect())
}

fn block(say: &Say) -> Value {
    match say {
        Say::Text(text) => json!({"type": "text", "text": text}),
        Say::Call { id, tool, input } => {
            json!({"type": "tool_use", "id": id, "name": tool, "input": input})
        }
        Say::Patch { tool, .. } => panic!("{tool}: this API has no tool of free text"),
    }
}

/// Returns a block as it begins, and all of it in one piece.
fn opened(block: &Value) -> (Value, Value) {
    let mut opened = block.clone();
    if block["type"] == "text" {
        opened["text"] = json!("");
        return (opened, json!({"type": "text_delta", "text": block["text"]}));
    }
    opened["input"] = json!({});
    let whole = block["input"].to_string();
    (opened, json!({"type": "input_json_delta", "partial_json": whole}))
}
