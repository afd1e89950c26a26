//! The Chat Completions API, as Copilot and Pi speak it.

use super::http::{Event, Reply, Request};
use super::{Say, Wire, offers_tools};
use serde_json::{Value, json};

pub const WIRE: Wire =
    Wire { answers: |path| path.ends_with("/chat/completions"), is_turn: offers_tools, reply };

fn reply(request: &Request, number: u32, turn: &[Say]) -> Reply {
    let said = |say: &Say| match say {
        Say::Text(text) => Some(*text),
        _ => None,
    };
    let text: String = turn.iter().filter_map(said).collect();
    let mut calls: Vec<Value> = turn.iter().filter_map(tool_call).collect();
    for (at, call) in calls.iter_mut().enumerate() {
        call["index"] = at.into();
    }
    let finish = if calls.is_empty() { "stop" } else { "tool_calls" };
    let usage = json!({"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110});
    let object = |kind: &str, choices: Value, usage: &Value| {
        json!({
            "id": format!("chatcmpl-{number}"),
            "object": kind,
            "created": 0,
            "model": request.body.get("model"),
            "choices": choices,
            "usage": usage,
        })
    };
    let mut message = json!({"role": "assistant", "content": text});
    if !calls.is_empty() {
        message["tool_calls"] = json!(calls);
    }
    if request.body.get("stream") != Some(&Value::Bool(true)) {
        let choice = json!([{"index": 0, "message": message, "finish_reason": finish}]);
        return Reply::Json(object("chat.completion", choice, &usage));
    }
    let chunk = |delta: Value, finish: Value| {
        let choice = json!([{"index": 0, "delta": delta, "finish_reason": finish}]);
        Event::data(object("chat.completion.chunk", choice, &Value::Null).to_string())
    };
    Reply::Events(vec![
        chunk(message, Value::Null),
        chunk(json!({}), finish.into()),
        Event::data(object("chat.completion.chunk", json!([]), &usage).to_string()),
        Event::data("[DONE]".to_owned()),
    ])
}

fn tool_call(say: &Say) -> Option<Value> {
    Some(match say {
        Say::Text(_) => return None,
        Say::Call { id, tool, input } => {
            let function = json!({"name": tool, "arguments": input.to_string()});
            json!({"id": id, "type": "function", "function": function})
        }
        Say::Patch { id, tool, text } => {
            json!({"id": id, "type": "custom", "custom": {"name": tool, "input": text}})
        }
    })
}
