//! For code scanning: SARIF 2.1.0 (OASIS), one run, one result a spot.
//!
//! `deny` is an error, `ask` a warning, `warn` a note. Files that were not checked, checks that
//! could not look and what could not be judged are notifications of the run; the last makes the
//! run unsuccessful. A check that could not look is a result besides, since most viewers show
//! nothing else; what is about a whole file stands at line 1. Paths are relative to `SRCROOT`, the project's root, whose place on a disk is
//! nobody's business.

mod objects;
mod spelling;

use super::rows::{Mark, Row, rows};
use super::subject::Subject;
use super::{Format, escaped};
use crate::domain::sanitize::visible;
use crate::domain::{Finding, Place, Verdict};
use objects::{
    Artifact, BaseId, BaseIds, Configuration, Descriptor, Driver, Fingerprints, Invocation,
    Location, Log, Message, Notification, Physical, Region, ResultBag, Run, RunBag, SarifResult,
    Snippet, Tool,
};
use std::collections::HashMap;
use std::io::{self, Write};

/// The format for code scanning.
pub struct Sarif;

impl Format for Sarif {
    fn name(&self) -> &'static str {
        "sarif"
    }

    fn write(&self, subject: &Subject<'_>, out: &mut dyn Write) -> io::Result<()> {
        let rows = rows(subject);
        let rules = Rules::of(subject, &rows);
        let results = rows.iter().flat_map(|row| {
            let index = rules.index(&row.finding.rule);
            row.marks.iter().map(move |mark| result(row, mark, index))
        });
        let run = Run {
            results: results.collect(),
            invocations: [Invocation {
                execution_successful: subject.decision.troubles.is_empty(),
                tool_execution_notifications: notifications(subject, &rows),
            }],
            tool: Tool {
                driver: Driver {
                    name: "solvi-hook",
                    version: subject.version,
                    rules: rules.descriptors,
                },
            },
            original_uri_base_ids: BaseIds {
                srcroot: BaseId { description: message("The root of the project.") },
            },
            column_kind: "utf16CodeUnits",
            properties: RunBag { subject: subject.title, rules: subject.rule_sets() },
        };
        let log = Log { schema: SCHEMA, version: "2.1.0", runs: [run] };
        escaped::document(&log, out)
    }
}

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The rules of the run: those of the rules file, then the judges that are built in.
struct Rules<'a> {
    descriptors: Vec<Descriptor<'a>>,
    places: HashMap<&'a str, usize>,
}

impl<'a> Rules<'a> {
    fn of(subject: &Subject<'a>, rows: &[Row<'a>]) -> Self {
        let mut rules = Self { descriptors: Vec::new(), places: HashMap::new() };
        for rule in subject.rules {
            rules.add(&rule.id, &rule.why, rule.instead.as_deref(), rule.on_fail);
        }
        for Row { finding, .. } in rows {
            let Finding { rule, why, instead, verdict, .. } = finding;
            rules.add(rule, why, instead.as_deref(), *verdict);
        }
        rules
    }

    fn add(&mut self, id: &'a str, why: &str, instead: Option<&str>, on_fail: Verdict) {
        if self.places.contains_key(id) {
            return;
        }
        self.places.insert(id, self.descriptors.len());
        let why = if why.trim().is_empty() { id } else { why.trim() };
        let sentence = why.split_inclusive(['\n', '.']).next().unwrap_or(why).trim();
        let help = instead.map_or_else(|| why.to_owned(), |text| format!("{why}\n\n{text}"));
        self.descriptors.push(Descriptor {
            id,
            short_description: message(sentence),
            full_description: message(why),
            help: message(&help),
            default_configuration: Configuration { level: level(on_fail) },
        });
    }

    fn index(&self, id: &str) -> Option<usize> {
        self.places.get(id).copied()
    }
}

fn result<'a>(row: &Row<'a>, mark: &Mark<'a>, rule_index: Option<usize>) -> SarifResult<'a> {
    SarifResult {
        rule_id: &row.finding.rule,
        rule_index,
        level: level(row.finding.verdict),
        message: Message { text: spelling::message(&row.message(mark.spot).join("\n")) },
        locations: [location(&row.ruling.change.place, Some(region(row, mark)))],
        partial_fingerprints: Fingerprints {
            own: mark.fingerprint.clone(),
            line: mark.fingerprint.clone(),
        },
        properties: ResultBag {
            verdict: row.finding.verdict,
            commit: row.commit.map(|commit| commit.id.as_str()),
        },
    }
}

fn region<'a>(row: &Row<'a>, mark: &Mark<'a>) -> Region<'a> {
    let Some(start_line) = row.line(mark.spot) else {
        // The standard lets a region be absent; importers that are in use do not.
        return Region { start_line: 1, start_column: None, end_column: None, snippet: None };
    };
    let text = mark.spot.map(|spot| spot.text.as_str()).filter(|text| !text.is_empty());
    let columns =
        row.columns(mark.spot).map(|columns| columns.counted(|text| text.encode_utf16().count()));
    Region {
        start_line,
        start_column: columns.map(|(start, _)| start),
        end_column: columns.map(|(_, end)| end),
        snippet: text.map(|text| Snippet { text }),
    }
}

fn location<'a>(place: &Place, region: Option<Region<'a>>) -> Location<'a> {
    let artifact_location = match place {
        Place::Inside(path) => {
            Artifact { uri: spelling::relative(path.as_str()), uri_base_id: Some("SRCROOT") }
        }
        Place::Outside(path) => Artifact { uri: spelling::absolute(path), uri_base_id: None },
    };
    Location { physical_location: Physical { artifact_location, region } }
}

fn notifications<'a>(subject: &Subject<'a>, rows: &[Row<'a>]) -> Vec<Notification<'a>> {
    let of = |level, text: &str| Notification {
        level,
        message: message(text),
        locations: Vec::new(),
        associated_rule: None,
    };
    let mut told = Vec::new();
    for trouble in &subject.decision.troubles {
        told.push(of("error", &format!("not judged: {trouble}")));
    }
    for row in rows {
        let Some(unknown) = &row.finding.unknown else { continue };
        // An error: by the standard's appendix on incomplete results, only that level says so.
        told.push(Notification {
            locations: vec![location(&row.ruling.change.place, None)],
            associated_rule: Some(objects::RuleId { id: &row.finding.rule }),
            ..of("error", &format!("cannot be checked: {unknown}"))
        });
    }
    for file in subject.not_checked {
        told.push(Notification {
            locations: vec![location(&file.place, None)],
            ..of("note", &format!("not checked: {}", file.why))
        });
    }
    told.extend(subject.notes.iter().map(|note| of("note", note)));
    told
}

fn level(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Deny => "error",
        Verdict::Ask => "warning",
        Verdict::Warn => "note",
        Verdict::Allow => "none",
    }
}

/// Returns a message of any text: its lines stay, what cannot be seen in them does not.
fn message(text: &str) -> Message {
    let lines: Vec<_> = text.lines().map(visible).collect();
    Message { text: spelling::message(&lines.join("\n")) }
}
