//! A record as a log record of OpenTelemetry, in the JSON that its protocol has for files and HTTP.
//!
//! Numbers of 64 bits are strings there, and times are in nanoseconds.

use crate::domain::Verdict;
use crate::store::stored::Stored;
use serde_json::{Value, json};

/// What stands before the first log record.
pub fn begin() -> String {
    let name = json!(env!("CARGO_PKG_NAME"));
    let version = json!(env!("CARGO_PKG_VERSION"));
    let resource = json!({"attributes": [text("service.name", env!("CARGO_PKG_NAME"))]});
    format!(
        "{{\"resourceLogs\":[{{\"resource\":{resource},\"scopeLogs\":[{{\"scope\":\
         {{\"name\":{name},\"version\":{version}}},\"logRecords\":[\n"
    )
}

/// What stands behind the last.
pub const END: &str = "\n]}]}]}\n";

/// Returns the log record of a record.
pub fn record(record: &Stored, kind: &str) -> Value {
    let nanos = record.moment().map_or(0, |moment| i128::from(moment.micros()) * 1000).max(0);
    let verdict = record.verdict();
    let (number, word) = severity(verdict);
    let mut body: Vec<String> = Vec::new();
    body.push(verdict.map_or_else(|| kind, |verdict| verdict.word()).to_owned());
    body.extend(record.path().map(ToOwned::to_owned));
    let mut body = body.join(" ");
    let reasons: Vec<&str> = record.reasons().collect();
    if !reasons.is_empty() {
        body.push_str(": ");
        body.push_str(&reasons.join("; "));
    }
    let mut attributes = vec![
        text("solvi.id", record.id()),
        text("solvi.hash", record.hash()),
        text("solvi.kind", kind),
    ];
    let optional = [
        ("solvi.verdict", verdict.map(Verdict::word)),
        ("solvi.hook", record.hook()),
        ("solvi.tool", record.tool()),
        ("solvi.question", record.question()),
        ("file.path", record.path()),
        ("session.id", record.session()),
    ];
    attributes.extend(optional.into_iter().filter_map(|(key, value)| Some(text(key, value?))));
    if let Some(seq) = record.seq() {
        attributes.push(json!({"key": "solvi.seq", "value": {"intValue": seq.to_string()}}));
    }
    let rules: Vec<Value> =
        record.outcomes().iter().map(|it| json!({"stringValue": it.rule})).collect();
    if !rules.is_empty() {
        attributes.push(json!({"key": "solvi.rules", "value": {"arrayValue": {"values": rules}}}));
    }
    if record.is_redacted() {
        attributes.push(json!({"key": "solvi.redacted", "value": {"boolValue": true}}));
    }
    json!({
        "timeUnixNano": nanos.to_string(),
        "observedTimeUnixNano": nanos.to_string(),
        "severityNumber": number,
        "severityText": word,
        "body": {"stringValue": body},
        "attributes": attributes,
    })
}

/// Returns the severity of a verdict, by the protocol's numbers and short names.
fn severity(verdict: Option<Verdict>) -> (u8, &'static str) {
    match verdict {
        None | Some(Verdict::Allow) => (9, "INFO"),
        Some(Verdict::Warn) => (13, "WARN"),
        Some(Verdict::Ask) => (14, "WARN2"),
        Some(Verdict::Deny) => (17, "ERROR"),
    }
}

fn text(key: &str, value: &str) -> Value {
    json!({"key": key, "value": {"stringValue": value}})
}
