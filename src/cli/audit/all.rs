//! A whole store, judged once more: which verdicts would be others?
//!
//! The store is read in batches by one thread and judged by several. What is kept is counts, the
//! first [`LISTED`] verdicts that flip, and one batch for each thread.

use super::super::filters::Span;
use super::super::progress::Progress;
use super::books::{Books, Not, Replayed};
use crate::domain::Verdict;
use crate::domain::sanitize::{excerpt, visible};
use crate::store::differ::Difference;
use crate::store::reader::Snapshot;
use crate::store::stored::{Kind, NoRecord, Stored};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::io;
use std::mem::replace;
use std::num::NonZeroUsize;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// How many flips are listed.
pub const LISTED: usize = 1000;

/// How many of their ids are kept of the decisions that differ and do not flip.
const NAMED: usize = 10;

/// How many bytes of lines are handed to a thread at once.
const BATCH: usize = 256 << 10;

/// The stack of a judging thread, in bytes: room for the deepest parse there is.
const STACK: usize = 64 << 20;

/// Stands where no rule has turned a verdict: what a model or a judge that is gone once said.
const NO_RULE: &str = "(no rule)";

/// Stands for rules beyond the first [`LISTED`].
const OTHER_RULES: &str = "(other rules)";

/// Where a line stands: in which file of the store, from 0, and its number there.
type Place = (usize, u64);

/// What the counts are told with.
#[derive(Clone, Copy, Debug)]
pub struct Told<'a> {
    /// The store, as it was named.
    pub store: &'a str,
    /// The names of its files; none for the one that is appended to.
    pub files: &'a [Option<String>],
    /// The rules.
    pub rules: &'a str,
}

impl Told<'_> {
    fn file(&self, file: usize) -> Option<&str> {
        self.files.get(file).and_then(Option::as_deref)
    }
}

/// What a store came to.
#[derive(Debug, Default)]
pub struct Tally {
    records: u64,
    replayed: u64,
    flips: u64,
    // The first of them.
    listed: BTreeMap<Place, Flip>,
    by_rule: BTreeMap<(String, Verdict, Verdict), u64>,
    // The same verdict for other reasons.
    others: u64,
    other_ids: BTreeMap<Place, String>,
    not_replayed: BTreeMap<Not, u64>,
    unreadable: u64,
    // How many of those a writer left that was stopped, as records say.
    recovered: u64,
}

#[derive(Debug)]
struct Flip {
    id: String,
    path: String,
    from: Verdict,
    to: Verdict,
    rules: Vec<String>,
}

/// Lines of one file of the store.
#[derive(Default)]
struct Batch {
    file: usize,
    text: Vec<u8>,
    // Number and end of each line.
    ends: Vec<(u64, usize)>,
    // How many bytes of the store it stands for.
    size: u64,
}

/// Judges every decision of a store once more.
pub fn tally(
    files: Vec<Snapshot>,
    books: &Books,
    span: Span,
    jobs: Option<NonZeroUsize>,
) -> io::Result<Tally> {
    let jobs = jobs.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get);
    let progress = Progress::of_store(files.iter().map(|snapshot| snapshot.length).sum());
    let (sender, batches) = sync_channel::<Batch>(jobs);
    let batches = Mutex::new(batches);
    let work = || judge(&batches, books, span, &progress);
    let tally = thread::scope(|scope| {
        let start = |_| thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        let started: Vec<_> = (0..jobs).map(start).collect::<io::Result<_>>()?;
        let read = read(files, &sender);
        drop(sender);
        let mut tally = read?;
        for worker in started {
            let bug = |_| io::Error::other("solvi-hook met a bug of its own; please report it");
            tally.add(worker.join().map_err(bug)?);
        }
        Ok(tally)
    });
    progress.end();
    tally
}

/// Hands out the lines of a store; what is no line of a record is counted at once.
fn read(files: Vec<Snapshot>, sender: &SyncSender<Batch>) -> io::Result<Tally> {
    let mut tally = Tally::default();
    for (file, mut snapshot) in files.into_iter().enumerate() {
        let fresh = || Batch { file, ..Batch::default() };
        let mut batch = fresh();
        while let Some(line) = snapshot.lines.next_line()? {
            batch.size += line.bytes.len() as u64 + 1;
            if line.cut {
                tally.unreadable += 1;
            } else if !line.is_blank() {
                batch.text.extend_from_slice(line.bytes);
                batch.ends.push((line.number, batch.text.len()));
            }
            // Nobody takes a batch when a thread has panicked; that is told when it is joined.
            if batch.text.len() >= BATCH && sender.send(replace(&mut batch, fresh())).is_err() {
                break;
            }
        }
        drop(sender.send(batch));
    }
    Ok(tally)
}

fn judge(
    batches: &Mutex<Receiver<Batch>>,
    books: &Books,
    span: Span,
    progress: &Progress,
) -> Tally {
    let mut tally = Tally::default();
    loop {
        let next = batches.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(batch) = next else { return tally };
        let mut start = 0;
        for (number, end) in batch.ends {
            tally.line(
                (batch.file, number),
                batch.text.get(start..end).unwrap_or_default(),
                books,
                span,
            );
            start = end;
        }
        progress.step_by(batch.size);
    }
}

impl Tally {
    /// Tells whether anything differs.
    #[must_use]
    pub fn differs(&self) -> bool {
        self.flips > 0 || self.others > 0
    }

    fn unreadable(&self) -> u64 {
        self.unreadable.saturating_sub(self.recovered)
    }

    fn line(&mut self, place: Place, line: &[u8], books: &Books, span: Span) {
        let record = match Stored::parse(line) {
            Ok(record) => record,
            // Lines of the time before there were chains say nothing about a file.
            Err(NoRecord::Unchained) => return,
            Err(NoRecord::Unreadable(_)) => {
                self.unreadable += 1;
                return;
            }
        };
        self.recovered += u64::from(record.kind() == Kind::Recovery);
        if !span.holds(&record) {
            return;
        }
        self.records += 1;
        match books.replay(&record) {
            Ok(replayed) => self.replayed(place, &record, &replayed),
            Err(not) => *self.not_replayed.entry(not).or_default() += 1,
        }
    }

    fn replayed(&mut self, place: Place, record: &Stored, replayed: &Replayed) {
        self.replayed += 1;
        if !replayed.flips() {
            if replayed.differences.iter().any(Difference::matters) {
                self.others += 1;
                self.other_ids.insert(place, record.id().to_owned());
                shorten(&mut self.other_ids, NAMED);
            }
            return;
        }
        let (from, to) = (replayed.given.verdict, replayed.verdict);
        let turning = replayed.differences.iter().filter(|it| it.turns(from, to));
        let mut rules: Vec<String> =
            turning.map(|it| it.rule.clone().unwrap_or_else(|| it.step.clone())).collect();
        rules.sort();
        rules.dedup();
        if rules.is_empty() {
            rules.push(NO_RULE.to_owned());
        }
        self.flips += 1;
        for rule in &rules {
            self.turned((rule.clone(), from, to), 1);
        }
        let path = record.path().unwrap_or_default().to_owned();
        self.listed.insert(place, Flip { id: record.id().to_owned(), path, from, to, rules });
        shorten(&mut self.listed, LISTED);
    }

    /// Counts by rule; a store that names more rules than anybody has must not fill the memory.
    fn turned(&mut self, turned: (String, Verdict, Verdict), count: u64) {
        let full = self.by_rule.len() >= LISTED && !self.by_rule.contains_key(&turned);
        let (rule, from, to) = turned;
        let rule = if full { OTHER_RULES.to_owned() } else { rule };
        *self.by_rule.entry((rule, from, to)).or_default() += count;
    }

    fn add(&mut self, other: Self) {
        self.records += other.records;
        self.replayed += other.replayed;
        self.flips += other.flips;
        self.others += other.others;
        self.unreadable += other.unreadable;
        self.recovered += other.recovered;
        for (turned, count) in other.by_rule {
            self.turned(turned, count);
        }
        for (not, count) in other.not_replayed {
            *self.not_replayed.entry(not).or_default() += count;
        }
        self.listed.extend(other.listed);
        shorten(&mut self.listed, LISTED);
        self.other_ids.extend(other.other_ids);
        shorten(&mut self.other_ids, NAMED);
    }

    /// Tells all of it as text.
    #[must_use]
    pub fn text(&self, told: Told<'_>) -> String {
        let mut text = String::new();
        for ((file, line), flip) in &self.listed {
            let file = told.file(*file).map(|it| format!("{}, ", visible(it))).unwrap_or_default();
            let _ = writeln!(
                text,
                "{file}line {line} ({}) {}: {} -> {}, {}",
                visible(&flip.id),
                excerpt(&flip.path),
                flip.from.word(),
                flip.to.word(),
                excerpt(&flip.rules.join(", "))
            );
        }
        let listed = self.listed.len() as u64;
        if self.flips > listed {
            let _ = writeln!(text, "and {} more", self.flips - listed);
        }
        let _ = writeln!(
            text,
            "{}: {} records, {} judged once more by {}",
            visible(told.store),
            self.records,
            self.replayed,
            visible(told.rules)
        );
        let _ = writeln!(text, "{} would get another verdict", self.flips);
        for ((rule, from, to), count) in &self.by_rule {
            let turned = format!("{} -> {}", from.word(), to.word());
            let _ = writeln!(text, "{count:>8}  {turned:<14}  {}", excerpt(rule));
        }
        if self.others > 0 {
            let _ = write!(text, "{} would get the same verdict by other findings: ", self.others);
            let mut ids: Vec<_> = self.other_ids.values().map(|id| visible(id)).collect();
            if self.others > ids.len() as u64 {
                ids.push("…".into());
            }
            let _ = writeln!(text, "{}", ids.join(", "));
        }
        let not: u64 = self.not_replayed.values().sum();
        if not > 0 {
            let _ = writeln!(text, "{not} cannot be judged once more");
            for (why, count) in &self.not_replayed {
                let _ = writeln!(text, "{count:>8}  {}", visible(&why.to_string()));
            }
        }
        let count = self.unreadable();
        if count > 0 {
            let _ = writeln!(text, "{count} lines cannot be read; `solvi-hook verify` tells more");
        }
        text
    }

    /// Returns all of it as one object.
    #[must_use]
    pub fn object(&self, told: Told<'_>) -> Value {
        let flip = |((file, line), flip): (&Place, &Flip)| {
            json!({
                "file": told.file(*file),
                "line": line,
                "id": flip.id,
                "path": flip.path,
                "from": flip.from,
                "to": flip.to,
                "rules": flip.rules,
            })
        };
        let rule = |((rule, from, to), count): (&(String, Verdict, Verdict), &u64)| json!({"rule": rule, "from": from, "to": to, "count": count});
        let not = |(why, count): (&Not, &u64)| json!({"why": why.to_string(), "count": count});
        json!({
            "store": told.store,
            "rules": told.rules,
            "records": self.records,
            "replayed": self.replayed,
            "flip_count": self.flips,
            "flips": self.listed.iter().map(flip).collect::<Vec<_>>(),
            "by_rule": self.by_rule.iter().map(rule).collect::<Vec<_>>(),
            "others": self.others,
            "not_replayed": self.not_replayed.iter().map(not).collect::<Vec<_>>(),
            "unreadable": self.unreadable(),
        })
    }
}

/// Keeps the first of what is listed.
fn shorten<T>(listed: &mut BTreeMap<Place, T>, most: usize) {
    while listed.len() > most {
        listed.pop_last();
    }
}
