//! `--explain`: the same run, told to a person.

use crate::clients::Voice;
use crate::domain::sanitize::{self, visible};
use crate::domain::{Action, Change, Content, Decision, Event, Finding, Ruling, wording};
use crate::engine::redaction::Redactor;
use crate::report;
use std::fmt::Write;
use std::path::Path;
use std::time::{Duration, Instant};

/// What happened in a run, as it happens.
pub struct Explanation {
    begun: Instant,
    last: Instant,
    text: String,
    spent: Vec<(&'static str, Duration)>,
}

impl Explanation {
    /// Begins to listen; the time counts from here.
    pub fn begin() -> Self {
        let now = Instant::now();
        Self { begun: now, last: now, text: String::new(), spent: Vec::new() }
    }

    /// Returns the whole story, masked.
    pub fn text(self, redactor: &Redactor) -> String {
        let whole = self.begun.elapsed();
        let parts: Vec<String> =
            self.spent.iter().map(|(what, spent)| format!("{what} {}", ms(*spent))).collect();
        // What a change is known by may quote it.
        let mut text = String::new();
        for line in self.text.split_inclusive('\n') {
            if line.starts_with("change ") {
                text.push_str(&redactor.text_with_quotes(line));
            } else {
                text.push_str(line);
            }
        }
        let text = redactor.text(&text);
        format!("{text}time     {} ({})\n", ms(whole), parts.join(", "))
    }

    fn row(&mut self, key: &str, value: &str) {
        let _ = writeln!(self.text, "{key:<8} {value}");
    }

    fn spend(&mut self, what: &'static str) {
        let now = Instant::now();
        self.spent.push((what, now - self.last));
        self.last = now;
    }

    /// Tells which project it is.
    pub fn project(&mut self, root: &Path) {
        self.row("project", &sanitize::path(root));
    }

    /// Tells which variables are set and do not count.
    pub fn ignored(&mut self, names: &[&str]) {
        for name in names {
            self.row("ignored", &format!("${name}: an agent's hook takes `--rules` only"));
        }
    }

    /// Tells that nobody judges this event.
    pub fn passed(&mut self, client: &str) {
        self.row("client", client);
        self.row("", "this event is not judged");
    }

    /// Tells what was read.
    pub fn event(&mut self, event: &Event) {
        if let Action::Stop { .. } = event.action {
            self.row("event", "the agent is about to stop");
            return self.spend("reading");
        }
        let tool = if event.tool.is_empty() { "(no tool named)" } else { event.tool.as_str() };
        self.row("tool", &visible(tool));
        match &event.action {
            Action::Stop { .. } => {}
            Action::Other => self.row("", "changes no file that could be judged"),
            Action::Edit(changes) => {
                for change in changes {
                    self.row("change", &describe(change));
                }
            }
        }
        self.spend("reading");
    }

    /// Tells where the rules come from.
    pub fn rules(&mut self, name: &str, count: usize) {
        self.row("rules", &format!("{} ({})", visible(name), report::count(count, "rule")));
        self.spend("rules");
    }

    /// Marks the end of judging.
    pub fn judged(&mut self) {
        self.spend("judging");
    }

    /// Marks the end of keeping.
    pub fn kept(&mut self) {
        self.spend("recording");
    }

    /// Tells what was decided, and what every rule saw that met a change.
    pub fn decided(&mut self, decision: &Decision, voice: &Voice) {
        for ruling in &decision.rulings {
            self.ruling(ruling);
        }
        for trouble in &decision.troubles {
            self.row("trouble", &visible(trouble));
        }
        self.row("verdict", decision.verdict().word());
        for note in &voice.notes {
            self.row("note", note);
        }
    }

    fn ruling(&mut self, ruling: &Ruling) {
        self.row("judged", &ruling.change.place.shown());
        if ruling.findings.is_empty() {
            self.row("", "no rule meets this path");
        }
        for finding in &ruling.findings {
            let seen = look(finding, &ruling.change);
            self.row("", &seen.replace('\n', "\n         "));
        }
    }
}

fn look(finding: &Finding, change: &Change) -> String {
    if finding.objects() {
        format!("{:<5} {}", finding.verdict.word(), wording::item(finding, change))
    } else {
        format!("{:<5} {}: nothing found", finding.verdict.word(), visible(&finding.rule))
    }
}

fn describe(change: &Change) -> String {
    let after = match &change.after {
        Content::Absent => "deleted".to_owned(),
        Content::Text(text) => format!("{} bytes after the edit", text.len()),
        Content::Binary => "no text after the edit".to_owned(),
        Content::Unknown(why) => format!("the file after the edit is not known: {}", visible(why)),
    };
    let count = change.added.len();
    format!("{}: {count} new line(s), {after}", change.place)
}

fn ms(spent: Duration) -> String {
    format!("{:.2} ms", spent.as_secs_f64() * 1000.0)
}
