//! The Gemini API, as Gemini CLI speaks it.

use super::http::{Event, Reply, Request};
use super::{Say, Wire, offers_tools};
use serde_json::{Value, json};

pub const WIRE: Wire =
    Wire { answers: |path| path.contains("models/"), is_turn: offers_tools, reply };

fn reply(request: &Request, _number: u32, turn: &[Say]) -> Reply {
    if request.path.ends_with(":countTokens") {
        return Reply::Json(json!({"totalTokens": 100}));
    }
    let content = json!({"role": "model", "parts": turn.iter().map(part).collect::<Vec<_>>()});
    let answer = json!({
        "candidates": [{"index": 0, "content": content, "finishReason": "STOP"}],
        "usageMetadata":
            {"promptTokenCount": 100, "candidatesTokenCount": 10, "totalTokenCount": 110},
    });
    if request.path.ends_with(":streamGenerateContent") {
        return Reply::Events(vec![Event::data(answer.to_string())]);
    }
    Reply::Json(answer)
}

fn part(say: &Say) -> Value {
    match say {
        Say::Text(text) => json!({"text": text}),
        Say::Call { id, tool, input } => {
            json!({"functionCall": {"id": id, "name": tool, "args": input}})
        }
        Say::Patch { tool, .. } => panic!("{tool}: this API has no tool of free text"),
    }
}
