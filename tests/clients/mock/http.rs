//! As much of HTTP/1.1 as the clients speak to a model: one request, one reply, and the
//! connection is closed. A reply is one JSON value or a stream of server-sent events.

use serde_json::Value;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;

/// A request with its body.
pub struct Request {
    pub method: String,
    /// The path without what follows `?`.
    pub path: String,
    /// The body; null when it is no JSON.
    pub body: Value,
}

/// What is sent back.
pub enum Reply {
    Json(Value),
    Events(Vec<Event>),
}

/// One event of a stream.
pub struct Event {
    name: Option<String>,
    data: String,
}

impl Event {
    /// Makes an event without a name.
    pub fn data(data: String) -> Self {
        Self { name: None, data }
    }

    /// Makes an event with the name that its `type` says.
    pub fn typed(data: &Value) -> Self {
        let name = data.get("type").and_then(Value::as_str).map(str::to_owned);
        Self { name, data: data.to_string() }
    }
}

/// Reads a request and writes the reply.
pub fn serve(stream: &TcpStream, reply: impl FnOnce(&Request) -> Reply) -> io::Result<()> {
    let request = read(&mut BufReader::new(stream))?;
    let reply = reply(&request);
    let mut out = Vec::new();
    match reply {
        Reply::Json(value) => {
            let body = value.to_string();
            head(&mut out, "application/json", &format!("Content-Length: {}\r\n", body.len()))?;
            if request.method != "HEAD" {
                out.write_all(body.as_bytes())?;
            }
        }
        Reply::Events(events) => {
            head(&mut out, "text/event-stream", "Cache-Control: no-cache\r\n")?;
            for Event { name, data } in events {
                if let Some(name) = name {
                    writeln!(out, "event: {name}")?;
                }
                write!(out, "data: {data}\n\n")?;
            }
        }
    }
    let mut stream = stream;
    stream.write_all(&out)
}

fn head(out: &mut impl Write, kind: &str, more: &str) -> io::Result<()> {
    write!(out, "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n{more}Connection: close\r\n\r\n")
}

fn read(input: &mut impl BufRead) -> io::Result<Request> {
    let first = line(input)?;
    let mut words = first.split(' ');
    let method = words.next().unwrap_or_default().to_owned();
    let path = words.next().unwrap_or_default().split('?').next().unwrap_or_default().to_owned();
    let (mut length, mut chunked) = (0, false);
    loop {
        let header = line(input)?.to_ascii_lowercase();
        match header.split_once(':') {
            None => break,
            Some(("content-length", value)) => length = value.trim().parse().unwrap_or_default(),
            Some(("transfer-encoding", value)) => chunked = value.trim() == "chunked",
            Some(_) => {}
        }
    }
    let mut body = Vec::new();
    if chunked {
        while let Ok(size @ 1..) = u64::from_str_radix(&line(input)?, 16) {
            input.take(size).read_to_end(&mut body)?;
            line(input)?;
        }
    } else {
        input.take(length).read_to_end(&mut body)?;
    }
    Ok(Request { method, path, body: serde_json::from_slice(&body).unwrap_or_default() })
}

fn line(input: &mut impl BufRead) -> io::Result<String> {
    let mut line = String::new();
    input.read_line(&mut line)?;
    Ok(line.trim_end().to_owned())
}
