//! The steps by which an edit was decided, in the shape in which the reference program takes
//! them, so that it can take them again.
//!
//! Every check is two steps, and the last step answers `allow`; it is left out when a check has
//! failed. A step names its inputs by their hashes and the step before it by its own.

use super::canonical::value_hash;
use super::plan::{Check, Plan};
use crate::domain::{Content, Line, Ruling};
use serde_json::{Map, Value, json};

/// The largest text that is kept; a larger file is judged all the same.
pub const KEPT: usize = 1 << 20;

/// Says of a file that it is no text.
pub const NO_TEXT: &str = "the file is no text";

/// Says of what is larger than [`KEPT`] that it is not kept.
#[must_use]
pub fn too_large() -> String {
    format!("{LARGER} {} MiB, so it is not kept", KEPT >> 20)
}

/// Says of what is not kept, because nobody knows what is secret in it, how long it is and what
/// its digest is.
#[must_use]
pub fn withheld(text: &str) -> String {
    let digest = super::canonical::text_digest(text);
    format!("{WITHHELD}; {} bytes, SHA-256 {digest}", text.len())
}

/// Tells whether a record says that something was withheld.
#[must_use]
pub fn is_withheld(said: &str) -> bool {
    said.starts_with(WITHHELD)
}

const WITHHELD: &str = "not kept, because the rules that say what is secret could not be read";

/// Tells whether a record says that something was too large, whatever the limit was then.
#[must_use]
pub fn is_too_large(said: &str) -> bool {
    said.starts_with(LARGER) && said.ends_with(" MiB, so it is not kept")
}

const LARGER: &str = "larger than";

/// The steps of one decision.
pub struct Steps {
    /// The names of the planned steps, in order.
    pub flow: Vec<String>,
    /// The planned steps.
    pub planned: Vec<Value>,
    /// Number, name and hash of every step taken.
    pub index: Vec<Value>,
    /// The steps taken.
    pub taken: Vec<Value>,
    /// The step that was not needed, and why.
    pub skipped: Vec<Value>,
    // The question that the steps answer.
    question: String,
    // The hashes of the facts that steps may read, by name.
    facts: Map<String, Value>,
    // The first check, in the order of the steps, that failed.
    failed: Option<String>,
    // The hash of the last step taken.
    prev: String,
}

impl Steps {
    /// Takes the steps of a plan to answer a question, over what goes in.
    #[must_use]
    pub fn of(question: &str, init: &Value, init_hash: &str, plan: &Plan) -> Self {
        let mut steps = Self {
            flow: Vec::new(),
            planned: Vec::new(),
            index: Vec::new(),
            taken: Vec::new(),
            skipped: Vec::new(),
            question: question.to_owned(),
            facts: init
                .as_object()
                .into_iter()
                .flatten()
                .map(|(name, fact)| (name.clone(), value_hash(fact).into()))
                .collect(),
            failed: None,
            prev: init_hash.to_owned(),
        };
        for check in plan.by_name() {
            steps.check(check);
        }
        steps.answer();
        steps
    }

    fn check(&mut self, check: &Check) {
        let (name, finder) = (&check.name, check.finder());
        self.plan(
            &finder,
            json!({
                "name": finder,
                "kind": "fn",
                "inputs": check.inputs(),
                "reasons": [format!("input for {name}")],
            }),
        );
        let found = check.found();
        let holds = match found {
            Ok(_) => Ok(check.holds()),
            Err(_) => Err(format!("missing inputs: {finder}")),
        };
        if holds == Ok(false) && self.failed.is_none() {
            self.failed = Some(name.clone());
        }
        self.take("fn", &finder, check.inputs(), found.map_err(str::to_owned));
        self.plan(
            name,
            json!({
                "name": name,
                "kind": "check",
                "inputs": [finder],
                "reasons": [format!("checkpoint {}", self.question)],
                "hard": true,
            }),
        );
        self.take("check", name, &[&finder], holds.map(Value::from));
    }

    fn answer(&mut self) {
        let name = format!("answer:{}", self.question);
        self.plan(
            &name,
            json!({
                "name": name,
                "kind": "rule",
                "inputs": ["path"],
                "reasons": [format!("answer {}", self.question)],
            }),
        );
        match &self.failed {
            Some(check) => {
                self.skipped.push(json!([name, format!("not needed: hard check {check} failed")]));
            }
            None => self.take("rule", &name, &["path"], Ok("allow".into())),
        }
    }

    fn plan(&mut self, name: &str, step: Value) {
        self.flow.push(name.to_owned());
        self.planned.push(step);
    }

    /// Takes the step that was planned last.
    fn take(&mut self, kind: &str, name: &str, reads: &[&str], value: Result<Value, String>) {
        let number = self.flow.len();
        let known = |name: &&str| Some(((*name).to_owned(), self.facts.get(*name)?.clone()));
        let inputs: Map<String, Value> = reads.iter().filter_map(known).collect();
        let hashed = match &value {
            Ok(value) => value_hash(value),
            Err(_) => value_hash(&json!({"missing": true})),
        };
        let missing = value.is_err();
        let (value, error) = match value {
            Ok(value) => (value, None),
            Err(error) => (Value::Null, Some(error)),
        };
        let hash = value_hash(&json!({
            "step": number,
            "kind": kind,
            "name": name,
            "inputs": inputs,
            "value": hashed,
            "quote": null,
            "error": error,
            "prev": self.prev,
        }));
        self.taken.push(json!({
            "step": number,
            "kind": kind,
            "name": name,
            "inputs": inputs,
            "value": value,
            "missing": missing,
            "quote": null,
            "confidence": 1.0,
            "error": error,
            "provenance": "computed",
            "prev": self.prev,
            "hash": hash,
        }));
        self.index.push(json!([number, name, hash]));
        if !missing {
            self.facts.insert(name.to_owned(), hashed.into());
        }
        self.prev = hash;
    }
}

/// Returns what the steps read: the path, the added lines and the file after the edit.
#[must_use]
pub fn init(ruling: &Ruling) -> Value {
    let (added, after) = kept(ruling);
    let added: Value = added.iter().map(|line| json!([line.number, line.text])).collect();
    json!({
        "path": ruling.change.place.spelled(),
        "added_lines": added,
        "result_text": after,
    })
}

/// Returns what may be kept of a change: its added lines and the file after it, masked when a
/// secret was found in it, and each only up to [`KEPT`] bytes.
#[must_use]
pub fn kept(ruling: &Ruling) -> (&[Line], Option<&str>) {
    let (added, after): (&[Line], &Content) = match &ruling.redaction {
        Some(masked) if masked.withheld => return (&[], None),
        Some(masked) => (&masked.added, &masked.after),
        None => (&ruling.change.added, &ruling.change.after),
    };
    let size: usize = added.iter().map(|line| line.text.len() + 1).sum();
    let added = if size <= KEPT { added } else { &[] };
    (added, after.text().filter(|text| text.len() <= KEPT))
}
