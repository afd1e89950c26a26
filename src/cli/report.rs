//! `report`: what did a store's decisions come to?

use super::defaults;
use super::failure::Failure;
use super::filters::{Filters, Fit, Sieve};
use super::lists;
use super::redaction;
use super::rule_ids::{self, Store};
use super::terminal;
use super::verify::{open, store, unreadable};
use super::world::World;
use crate::engine::redaction::Redactor;
use crate::report::statistics::{self, About, Counter, Format, Look, Record, Statistics};
use crate::store::interrupted::Waiting;
use crate::store::reader::{Line, Reader};
use crate::store::stored::{Kind, Outcome, Stored};
use clap::builder::TypedValueParser;
use serde_json::Value;
use std::io::{BufRead, IsTerminal, Write};
use std::path::PathBuf;

/// Count what was allowed, warned, asked and denied, by time, rule, file and session
///
/// Reads all files of the store once and keeps counts, no records. Tells which rules object most,
/// which decisions took longest (where the records say it), which asks are settled nowhere: not
/// allowed afterwards in the same session, and no answer recorded. What a person says inside an
/// agent is in no record, unless `post-write` kept that the edit was made; its records count as no
/// decisions. Redacted records and lines that cannot be read are counted and told. All times are
/// UTC. Whether the store is what was written, `verify` says.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    solvi-hook report\n  \
    solvi-hook report --since 7d --verdict ask,deny --path 'src/**'\n  \
    solvi-hook report --format html > report.html\n\n\
    Exit status: 0 it was counted (also when there is nothing), 2 the store cannot be read, or \
    nothing knows a rule that was named.")]
pub struct Args {
    /// The store [default: .solvi/traces/hooks.jsonl of the project]
    #[arg(value_name = "STORE")]
    store: Option<PathBuf>,
    #[command(flatten)]
    filters: Filters,
    /// How it is written
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = format())]
    format: Shape,
    /// The project's folder [default: the repository that this folder is in]
    #[arg(long, value_name = "DIR", alias = "root")]
    project: Option<PathBuf>,
}

#[derive(Clone, Copy)]
struct Shape(&'static dyn Format);

impl std::fmt::Debug for Shape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0.name())
    }
}

fn format() -> impl TypedValueParser<Value = Shape> {
    let names = statistics::FORMATS.iter().map(|format| format.name());
    lists::one_of(names, |name| statistics::by_name(name).map(Shape))
}

/// Runs the sub-command.
pub fn run(args: &Args, world: &World, out: &mut dyn Write) -> Result<u8, Failure> {
    let root = defaults::recorded(args.project.as_deref(), world);
    let (path, name) = store(args.store.as_deref(), &root, world)?;
    rule_ids::expect_in(args.filters.rules(), Store { path: &path, name: &name }, &root, world)?;
    let sieve = args.filters.sieve(world);
    let redactor = world.secrets.redactor(None, &root, world);
    let (mut counter, mut empty) = (Counter::default(), true);
    for (segment, mut snapshot) in open(&path, &name)? {
        let file = segment.name_in(&path);
        let read = count(&mut snapshot.lines, file.as_deref(), &sieve, &redactor, &mut counter);
        empty &= read.map_err(|error| unreadable(&name, error))? == 0;
    }
    let told = Statistics { store: name, filters: sieve.words(), empty, ..counter.finish() };
    let look = Look { style: terminal::style(world), bars: std::io::stdout().is_terminal() };
    args.format.0.write(&told, look, out)?;
    Ok(0)
}

/// Counts the records of a file that are asked for; returns how many there are of any kind.
fn count<R: BufRead>(
    lines: &mut Reader<R>,
    file: Option<&str>,
    sieve: &Sieve,
    redactor: &Redactor,
    counter: &mut Counter,
) -> std::io::Result<u64> {
    let (mut records, mut waiting) = (0, Waiting::default());
    while let Some(line) = lines.next_line()? {
        if line.is_blank() {
            continue;
        }
        let Some(stored) = read(&line) else {
            if let Some(number) = waiting.put(line.number, line.bytes) {
                counter.unreadable(file, number);
            }
            continue;
        };
        if let Some(number) = waiting.settle_by(&stored) {
            counter.unreadable(file, number);
        }
        records += 1;
        let stored = redaction::record(&stored, line.bytes, redactor).unwrap_or(stored);
        let mut record = record(&stored);
        match sieve.fit(&stored) {
            Fit::Fits => {
                record.rules.retain(|(rule, _)| sieve.names_rule(rule));
                counter.add(&record);
            }
            fit => {
                if fit == Fit::Erased && record.about == About::Decision {
                    counter.untold();
                }
                counter.pass(&record);
            }
        }
    }
    if let Some(number) = waiting.end() {
        counter.unreadable(file, number);
    }
    Ok(records)
}

/// Reads a line as a record; none when it is none.
pub fn read(line: &Line<'_>) -> Option<Stored> {
    if line.cut { None } else { Stored::parse(line.bytes).ok() }
}

/// Returns the decision that a person let through, since what it was about was written.
fn settled(stored: &Stored) -> Option<&str> {
    let told = stored.at(&["meta", "solvi_hook", "written"])?;
    told.get("answered")?.as_bool().filter(|answered| *answered)?;
    told.get("of")?.as_str()
}

fn record(stored: &Stored) -> Record<'_> {
    let answered = || stored.at(&["meta", "solvi_hook", "answered"]).is_some_and(Value::is_boolean);
    let about = match stored.kind() {
        Kind::Decision => About::Decision,
        Kind::Written => settled(stored).map_or(About::Other, |of| About::Word { of }),
        Kind::Summary => About::Summary { answered: answered() },
        Kind::Teach => match stored.at(&["of"]).and_then(Value::as_str) {
            Some(of) => About::Word { of },
            None => About::Other,
        },
        Kind::Redaction | Kind::Segment | Kind::Recovery | Kind::Other(_) => About::Other,
    };
    let rule = |Outcome { rule, verdict }| (rule, verdict);
    Record {
        id: stored.id(),
        time: stored.moment(),
        about,
        hook: stored.hook(),
        path: stored.path(),
        session: stored.session(),
        verdict: stored.verdict(),
        rules: stored.outcomes().into_iter().map(rule).collect(),
        duration: stored.duration(),
        redacted: stored.is_redacted(),
        rest: stored
            .at(&["meta", "solvi_hook", "rest", "files"])
            .and_then(Value::as_u64)
            .unwrap_or(0),
    }
}
