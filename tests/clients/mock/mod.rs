//! A model that plays a script: an HTTP server on loopback, one turn for each request of the
//! conversation. Which API it speaks is a [`Wire`].

pub mod anthropic;
pub mod chat;
pub mod gemini;
mod http;
pub mod responses;

use http::{Reply, Request};
use serde_json::Value;
use std::collections::VecDeque;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

/// One thing that the model says.
#[derive(Clone, Debug)]
pub enum Say {
    /// A sentence.
    Text(&'static str),
    /// A call of a tool, known again by its id.
    Call { id: &'static str, tool: &'static str, input: Value },
    /// A call of a tool that takes free text.
    Patch { id: &'static str, tool: &'static str, text: String },
}

/// Returns a turn with one call.
pub fn call(id: &'static str, tool: &'static str, input: Value) -> Vec<Say> {
    vec![Say::Call { id, tool, input }]
}

/// Returns a turn with one patch: what stands between its first and its last line.
pub fn patch(id: &'static str, tool: &'static str, sections: &str) -> Vec<Say> {
    let text = format!("*** Begin Patch\n{sections}*** End Patch\n");
    vec![Say::Patch { id, tool, text }]
}

/// How an API is spoken.
#[derive(Clone, Copy)]
pub struct Wire {
    /// Whether a path is one that a model answers; every other gets an empty list of models.
    pub answers: fn(&str) -> bool,
    /// Whether a request is one of the conversation; others ask for a title or a summary.
    pub is_turn: fn(&Value) -> bool,
    /// Returns the reply that says a turn.
    pub reply: fn(&Request, u32, &[Say]) -> Reply,
}

/// A model with its script.
pub struct Mock {
    port: u16,
    stage: Arc<Stage>,
}

struct Stage {
    wire: Wire,
    turns: Mutex<VecDeque<Vec<Say>>>,
    requests: Mutex<Vec<Value>>,
    /// How often it was asked after the script was played.
    idle: Mutex<u32>,
    over: AtomicBool,
}

impl Mock {
    /// Opens the server. After its last turn the model says that it is done, as often as asked.
    pub fn start(wire: Wire, turns: Vec<Vec<Say>>) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let stage = Arc::new(Stage {
            wire,
            turns: Mutex::new(turns.into()),
            requests: Mutex::default(),
            idle: Mutex::default(),
            over: AtomicBool::new(false),
        });
        let shared = Arc::clone(&stage);
        thread::spawn(move || {
            for stream in listener.incoming() {
                if shared.over.load(Ordering::SeqCst) {
                    return;
                }
                let Ok(stream) = stream else { continue };
                let stage = Arc::clone(&shared);
                // A client that hangs up is no fault of the script's.
                thread::spawn(move || drop(http::serve(&stream, |request| stage.answer(request))));
            }
        });
        Self { port, stage }
    }

    /// Returns the server's address.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Returns what the model was told in answer to a call; none when the call was not answered.
    pub fn told(&self, id: &str) -> Option<String> {
        let requests = self.stage.requests.lock().unwrap();
        requests.iter().rev().find_map(|request| answer_to(request, id)).map(Value::to_string)
    }

    /// Tells whether some request held a text.
    pub fn heard(&self, text: &str) -> bool {
        self.stage.requests.lock().unwrap().iter().any(|it| it.to_string().contains(text))
    }

    /// Returns how many turns were never asked for.
    pub fn turns_left(&self) -> usize {
        self.stage.turns.lock().unwrap().len()
    }

    /// Returns how often the model said that it is done.
    pub fn times_done(&self) -> u32 {
        *self.stage.idle.lock().unwrap()
    }
}

impl Drop for Mock {
    fn drop(&mut self) {
        self.stage.over.store(true, Ordering::SeqCst);
        drop(TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)));
    }
}

impl Stage {
    fn answer(&self, request: &Request) -> Reply {
        if request.method != "POST" || !(self.wire.answers)(&request.path) {
            return Reply::Json(serde_json::json!({"object": "list", "data": []}));
        }
        let mut requests = self.requests.lock().unwrap();
        requests.push(request.body.clone());
        let number = u32::try_from(requests.len()).unwrap();
        drop(requests);
        if !(self.wire.is_turn)(&request.body) {
            return (self.wire.reply)(request, number, &[Say::Text("ok")]);
        }
        let turn = self.turns.lock().unwrap().pop_front().unwrap_or_else(|| {
            *self.idle.lock().unwrap() += 1;
            vec![Say::Text("done")]
        });
        (self.wire.reply)(request, number, &turn)
    }
}

/// Tells whether a request offers tools, as one of a conversation does.
fn offers_tools(request: &Value) -> bool {
    request.get("tools").and_then(Value::as_array).is_some_and(|tools| !tools.is_empty())
}

/// Returns the part of a request that answers a call, whichever API it is of.
fn answer_to<'a>(value: &'a Value, id: &str) -> Option<&'a Value> {
    match value {
        Value::Array(values) => values.iter().rev().find_map(|value| answer_to(value, id)),
        Value::Object(fields) => {
            let names = |key: &str| fields.get(key).and_then(Value::as_str) == Some(id);
            let answers = names("tool_use_id")
                || names("tool_call_id")
                || names("call_id") && fields.contains_key("output")
                || names("id") && fields.contains_key("response");
            if answers { Some(value) } else { fields.values().find_map(|it| answer_to(it, id)) }
        }
        _ => None,
    }
}
