//! One decision, told to a person: what came in, each step with its value, the verdict; and
//! whether it would be the same today.

use super::books::{Books, Not, Replayed};
use crate::domain::Verdict;
use crate::domain::sanitize::{excerpt, visible};
use crate::store::differ::{self, Difference};
use crate::store::find::Placed;
use crate::store::replay::{self, Lack};
use crate::store::stored::Stored;
use serde_json::{Value, json};
use std::fmt::Write;

/// How many lines, or values of a step, are shown.
const SHOWN: usize = 20;

/// A decision and what became of it.
pub struct Audit<'a> {
    books: &'a Books,
    placed: &'a Placed,
    // The sealed file that it stands in.
    file: Option<&'a str>,
    replayed: Result<Replayed, Not>,
    differences: Vec<Difference>,
}

impl<'a> Audit<'a> {
    /// Judges a record once more.
    pub fn of(placed: &'a Placed, file: Option<&'a str>, books: &'a Books) -> Self {
        let record = &placed.record;
        let replayed =
            if replay::is_sound(record) { books.replay(record) } else { Err(Lack::Changed.into()) };
        let mut differences = Vec::new();
        if let Ok(replayed) = &replayed {
            differences.clone_from(&replayed.differences);
            if differences.is_empty() {
                differences.extend(differ::unsound(record, &replayed.given, &replayed.ruling));
            }
        }
        Self { books, placed, file, replayed, differences }
    }

    /// Returns the exit status.
    #[must_use]
    pub fn status(&self) -> u8 {
        match &self.replayed {
            Ok(replayed) => u8::from(replayed.flips() || !self.differences.is_empty()),
            Err(Not::Lack(Lack::Changed)) => 1,
            Err(_) => 2,
        }
    }

    /// Tells all of it as text.
    #[must_use]
    pub fn text(&self) -> String {
        let record = &self.placed.record;
        let mut text = head(self.placed, self.file);
        let mut row = |key: &str, value: &str| _ = writeln!(text, "{key:<9}{value}");
        for line in list(record, &["response", "trace", "init", "added_lines"], |line| {
            Some(format!("{}: {}", line.get(0)?, excerpt(line.get(1)?.as_str()?)))
        }) {
            row("line", &line);
        }
        for step in list(record, &["response", "trace", "records"], step) {
            row("step", &step);
        }
        for skipped in list(record, &["response", "trace", "skipped"], |it| {
            Some(format!("{}: {}", excerpt(it.get(0)?.as_str()?), excerpt(it.get(1)?.as_str()?)))
        }) {
            row("step", &skipped);
        }
        let verdict = record.verdict().map_or("none", Verdict::word);
        row("verdict", &format!("{verdict}{}", because(record)));
        for reason in record.reasons() {
            let reason: Vec<_> = reason.lines().map(|line| visible(line).into_owned()).collect();
            row("reason", &reason.join("\n         "));
        }
        if let Some(written) = written(record) {
            row("written", &written);
        }
        row("replay", &self.replay());
        text
    }

    fn replay(&self) -> String {
        let rules = visible(&self.books.name);
        let replayed = match &self.replayed {
            Err(not) => return format!("it cannot be replayed: {}", visible(&not.to_string())),
            Ok(replayed) => replayed,
        };
        let (then, now) = (replayed.given.verdict.word(), replayed.verdict.word());
        let steps = list(&self.placed.record, &["records"], |_| Some(String::new())).len();
        let mut text = match (replayed.flips(), self.differences.first()) {
            (true, _) => format!("under {rules} it would be {now}; it was {then}"),
            (false, Some(_)) => {
                format!("under {rules} it would be {now} as it was, by other steps")
            }
            (false, None) => format!("under {rules} every step is the same ({steps} steps)"),
        };
        if let Some(first) = self.differences.first() {
            let why = self.books.why(first, replayed);
            let _ = write!(text, "\n         first at {}: {}", visible(&first.step), visible(&why));
        }
        if self.differences.len() > 1 {
            let _ = write!(text, "\n         and at {} more", self.differences.len() - 1);
        }
        if replayed.given.warned_aside {
            text += "\n         a warning that is no step (what stood beside the edit, a required file \
                     that goes) is not replayed";
        }
        text
    }

    /// Returns all of it as one object.
    #[must_use]
    pub fn object(&self, store: &str) -> Value {
        let record = &self.placed.record;
        let difference = |it: &Difference, replayed| {
            json!({
                "step": it.step,
                "rule": it.rule,
                "before": it.before.word(),
                "after": it.after.word(),
                "why": self.books.why(it, replayed),
            })
        };
        let replay = match &self.replayed {
            Err(not) => json!({"replayed": false, "why": not.to_string()}),
            Ok(replayed) => json!({
                "replayed": true,
                "same": self.status() == 0,
                "verdict": replayed.verdict.word(),
                "differences": self
                    .differences
                    .iter()
                    .map(|it| difference(it, replayed))
                    .collect::<Vec<_>>(),
            }),
        };
        json!({
            "store": store,
            "file": self.file,
            "line": self.placed.line,
            "id": record.id(),
            "time": record.time(),
            "hook": record.hook(),
            "tool": record.tool(),
            "path": record.path(),
            "session": record.session(),
            "verdict": record.verdict().map(Verdict::word),
            "written": record.at(&["meta", "solvi_hook", "written"]),
            "reasons": record.reasons().collect::<Vec<_>>(),
            "added_lines": record.at(&["response", "trace", "init", "added_lines"]),
            "steps": record.at(&["response", "trace", "records"]),
            "rules": self.books.name,
            "replay": replay,
        })
    }
}

fn head(placed: &Placed, file: Option<&str>) -> String {
    let record = &placed.record;
    let when = record.moment().map_or("at an unknown time".to_owned(), |it| it.to_string());
    let hook = record.hook().unwrap_or("unknown hook");
    let (tool, path) = (record.tool().unwrap_or_default(), record.path().unwrap_or("(no path)"));
    let file = file.map(|file| format!("{}, ", visible(file))).unwrap_or_default();
    let mut text = format!(
        "record   {}, {file}line {}, {when}, by {}\nchange   {} {}",
        visible(record.id()),
        placed.line,
        visible(hook),
        visible(tool),
        visible(path)
    );
    if record.at(&["meta", "deleted"]) == Some(&Value::Bool(true)) {
        text += ", deleted";
    }
    if let Some(session) = record.session() {
        let _ = write!(text, ", session {}", visible(session));
    }
    text + "\n"
}

/// Tells how what was written stands to the decision about it, of a record that says so.
fn written(record: &Stored) -> Option<String> {
    let told = record.at(&["meta", "solvi_hook", "written"])?;
    let of = match told.get("of").and_then(Value::as_str) {
        Some(of) => format!("decision {}", excerpt(of)),
        None => "a decision that is not on record".to_owned(),
    };
    let how = match told.get("differs").and_then(Value::as_bool) {
        Some(false) => "as it was judged",
        Some(true) => "otherwise than it was judged",
        None => "nobody can tell whether as it was judged",
    };
    let answered = told.get("answered") == Some(&Value::Bool(true));
    let person = if answered { "; a person let it through" } else { "" };
    Some(format!("{how}, after {of}{person}"))
}

/// Returns the first of what stands in a list, told, and how many more there are.
fn list(record: &Stored, path: &[&str], told: impl Fn(&Value) -> Option<String>) -> Vec<String> {
    let items = record.at(path).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let mut all: Vec<String> = items.iter().take(SHOWN).filter_map(told).collect();
    if items.len() > SHOWN {
        all.push(format!("and {} more", items.len() - SHOWN));
    }
    all
}

fn step(step: &Value) -> Option<String> {
    let name = excerpt(step.get("name")?.as_str()?);
    let value = step.get("value").unwrap_or(&Value::Null);
    let error = step.get("error").and_then(Value::as_str);
    Some(match (error, value) {
        (Some(error), _) => format!("{name} could not be taken: {}", excerpt(error)),
        (None, Value::Array(found)) if found.is_empty() => format!("{name} finds nothing"),
        (None, Value::Array(found)) => {
            let spots: Vec<String> = found.iter().take(SHOWN).map(spot).collect();
            format!("{name} finds {}", spots.join("; "))
        }
        (None, Value::Bool(true)) => format!("{name} holds"),
        (None, Value::Bool(false)) => format!("{name} does not hold"),
        (None, value) => format!("{name} is {}", excerpt(&value.to_string())),
    })
}

fn spot(spot: &Value) -> String {
    let text = |at: usize| spot.get(at).and_then(Value::as_str).unwrap_or_default();
    let what = if text(2).is_empty() { String::new() } else { format!(" [{}]", excerpt(text(2))) };
    match spot.get(0).and_then(Value::as_u64) {
        None | Some(0) => format!("the file{what}"),
        Some(line) => format!("line {line}: {}{what}", excerpt(text(1))),
    }
}

fn because(record: &Stored) -> String {
    let why = record.question().and_then(|question| {
        record.at(&["response", "results", question, "why"]).and_then(Value::as_str)
    });
    why.map_or(String::new(), |why| format!(" ({})", excerpt(why)))
}
