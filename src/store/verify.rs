//! Is a store what its writers left? Every line is read once, in order, and held against the one
//! before it, the head file, and an anchor that was kept elsewhere.
//!
//! One line is in memory at a time, and some three hundred bytes for every erased record. Of the
//! problems the first [`MOST`] are kept, with excerpts of what they name, and all are counted. What
//! this cannot see: a store whose end was cut, head file included, or that was written anew as a
//! whole. Only an anchor shows it.

use super::agree;
use super::chain::{ASIDE, LASTING, Tip, is_hash};
use super::database::columns::{self, Mismatch};
use super::interrupted::{self, Torn, Waiting};
use super::missing::{self, Loss, Losses};
use super::problem::{Problem, Trouble};
use super::reader::{Line, Reader};
use super::scan::{Oddities, Scanner};
use super::seal::{Hex, Sealer, fingerprint};
use super::segments::{self, Link, Retired};
use super::traces::StoreError;
use super::tree::{Item, Shape};
use crate::domain::sanitize::excerpt;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{self, BufRead};
use std::path::Path;
use std::sync::Arc;

/// How many problems are kept.
pub const MOST: usize = 1000;

/// How many fields that should have been erased are named.
const FIELDS: usize = 10;

/// What a store came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The end of the chain: how many records there are, and the hash of the last.
    pub tip: Tip,
    /// Lines of the time before there were chains, which nothing can be said about.
    pub legacy: u64,
    /// Erased records of the first format: no hash covers what is left of them.
    pub uncovered: u64,
    /// How many files there are.
    pub files: u64,
    /// The files before them that were deleted on purpose.
    pub retired: Vec<Retired>,
    /// How many writes were interrupted, with a record of it behind the line that each left.
    pub interrupted: u64,
    /// Where the first of those lines stand.
    pub recovered: Vec<Spot>,
    /// How many problems there are.
    pub count: u64,
    /// The first of them, in the order of the lines.
    pub problems: Vec<Problem>,
}

/// Where a line stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// The name of the file, where it is not the one that is appended to.
    pub file: Option<Arc<str>>,
    /// The line, from 1.
    pub line: u64,
}

impl Report {
    /// Tells whether nothing is wrong.
    #[must_use]
    pub fn is_intact(&self) -> bool {
        self.count == 0
    }
}

/// Checks a store, with what its head file holds (none when there is none) and an anchor.
pub fn verify<R: BufRead>(
    lines: &mut Reader<R>,
    head: Option<&[u8]>,
    anchor: Option<&Tip>,
) -> io::Result<Report> {
    let mut pass = Pass { anchor: anchor.cloned(), ..Pass::default() };
    pass.file(lines, head)?;
    Ok(pass.end())
}

/// Checks the store at a path, with the sealed files before it, as one chain; none when there is
/// no such store.
pub fn store(path: &Path, anchor: Option<&Tip>) -> Result<Option<Report>, StoreError> {
    let opened = segments::open(path)?;
    if opened.is_empty() {
        return Ok(None);
    }
    let mut pass = Pass { anchor: anchor.cloned(), whole: true, ..Pass::default() };
    let first = opened.first().and_then(|(segment, _)| segment.number);
    // A file that is still there was not retired yet.
    let gone = |it: &Retired| {
        let number = segments::number_of(it.link.previous.as_ref());
        first.is_none_or(|first| number.is_some_and(|number| number < first))
    };
    pass.retire(segments::retired(path).into_iter().filter(gone).collect());
    for (segment, mut snapshot) in opened {
        let name = segment.path.file_name().map(|name| name.to_string_lossy().into_owned());
        let name: Arc<str> = name.unwrap_or_default().into();
        pass.name = segment.name_in(path).map(|_| Arc::clone(&name));
        let Losses { list, wrong } = missing::losses(&segment.path);
        pass.losses = list;
        let is_database = snapshot.is_database();
        let columns = if is_database { columns::verify(&segment.path)? } else { Vec::new() };
        let read = pass.file(&mut snapshot.lines, snapshot.head.as_deref());
        read.map_err(|source| StoreError::Io { act: "read", path: segment.path, source })?;
        for Mismatch { line, place } in columns {
            pass.note(line, None, Trouble::Column { place: excerpt(&place) });
        }
        if let Some(why) = wrong {
            pass.note(None, None, Trouble::Losses { why: excerpt(&why) });
        }
        pass.seal(&name);
    }
    Ok(Some(pass.end()))
}

/// What is known from the lines so far.
#[derive(Default)]
struct Pass {
    scanner: Scanner,
    sealer: Sealer,
    report: Report,
    anchor: Option<Tip>,
    // Whether the files before are looked at too.
    whole: bool,
    // The file, where it is not the one that is appended to.
    name: Option<Arc<str>>,
    // How many records stand in the files before, and what the last of them is called and ends in.
    base: u64,
    before: Option<Link>,
    // The records of this file that a head named and that did not come yet.
    losses: Vec<Loss>,
    // Whether a line came that is no legacy.
    begun: bool,
    // The newest format so far.
    newest: u64,
    // How far the places that records say are from the places that they are at.
    shift: Option<i128>,
    // The problem that tells of it, where it is kept.
    shifted: Option<usize>,
    // The line of the last record.
    last: Option<u64>,
    // A line that is no record, and what is wrong with it, until the next line comes.
    waiting: Waiting<(u64, Trouble)>,
    // The erased records, by the fingerprint of id and hash.
    erased: BTreeMap<Hex, Erased>,
    // The fingerprint of who erased what and why, by the same.
    announced: BTreeMap<Hex, Hex>,
}

struct Erased {
    file: Option<Arc<str>>,
    line: u64,
    id: Option<String>,
    mark: Hex,
}

impl Pass {
    /// Checks one file.
    fn file<R: BufRead>(&mut self, lines: &mut Reader<R>, head: Option<&[u8]>) -> io::Result<()> {
        self.report.files += 1;
        while let Some(line) = lines.next_line()? {
            self.line(&line);
        }
        self.broken(None);
        if self.report.tip.count == 0 && self.before.is_some() {
            self.link(None, &mut Vec::new());
        }
        self.head(head);
        for Loss { head, left } in std::mem::take(&mut self.losses) {
            self.note(None, None, Trouble::Lost { head: head.count, left });
        }
        Ok(())
    }

    /// Takes the files that were retired as read.
    fn retire(&mut self, retired: Vec<Retired>) {
        for Retired { link, .. } in &retired {
            self.base = self.base.saturating_add(link.tip.count);
            if self.anchor.as_ref().is_some_and(|anchor| anchor.count == self.base) {
                let same = self.anchor.as_ref().is_some_and(|anchor| anchor.hash == link.tip.hash);
                self.anchor = None;
                if !same {
                    self.note(None, None, Trouble::AnchorOther);
                }
            }
        }
        if self.anchor.as_ref().is_some_and(|anchor| (1..self.base).contains(&anchor.count)) {
            self.anchor = None;
            self.note(None, None, Trouble::AnchorRetired);
        }
        self.before = retired.last().map(|last| last.link.clone());
        self.report.retired = retired;
    }

    /// Ends a file that others may follow.
    fn seal(&mut self, name: &str) {
        let tip = std::mem::take(&mut self.report.tip);
        self.base = self.base.saturating_add(tip.count);
        self.before = Some(Link { previous: name.to_owned(), tip });
        (self.begun, self.shift, self.shifted, self.last) = (false, None, None, None);
    }

    /// Says what it came to.
    fn end(mut self) -> Report {
        self.erasures();
        if let Some(Link { tip, .. }) = self.before.take().filter(|_| self.whole) {
            self.report.tip = Tip { count: self.base, hash: tip.hash };
        }
        let count = self.report.tip.count;
        if let Some(anchor) = self.anchor.take().filter(|anchor| anchor.count > count) {
            self.note(None, None, Trouble::AnchorCut { anchor: anchor.count, count });
        }
        self.report
    }

    /// Holds the first record of a file against the file before it.
    fn link(&mut self, record: Option<Item<'_>>, found: &mut Vec<Trouble>) {
        let segment =
            record.filter(|it| it.get("kind").is_some_and(|kind| kind.is_text("segment")));
        let segment = segment.and_then(|record| record.get("segment"));
        let text = |key| segment.and_then(|segment| segment.get(key)?.text());
        let named = text("previous");
        let count = segment.and_then(|segment| segment.get("count")?.integer());
        let holds = match (&self.before, &named) {
            (Some(Link { previous, tip }), Some(named)) => {
                previous == named
                    && count == Some(tip.count)
                    && text("hash").as_ref() == Some(&tip.hash)
            }
            (before, named) => before.is_none() && named.is_none(),
        };
        if holds || !self.whole {
            return;
        }
        let before = self.before.as_ref().map(|before| format!("`{}`", excerpt(&before.previous)));
        let trouble = Trouble::Segment { before, named: named.as_deref().map(excerpt) };
        match record {
            Some(_) => found.push(trouble),
            None => self.note(None, None, trouble),
        }
    }

    fn note(&mut self, line: Option<u64>, id: Option<&str>, trouble: Trouble) {
        self.report.count += 1;
        if self.report.problems.len() < MOST {
            let id = id.map(ToOwned::to_owned);
            let file = self.name.clone();
            self.report.problems.push(Problem { file, line, until: None, id, trouble });
        }
    }

    fn line(&mut self, line: &Line<'_>) {
        let number = Some(line.number);
        if line.cut {
            self.broken(None);
            self.begun = true;
            return self.note(number, None, Trouble::TooLong);
        }
        if line.is_blank() {
            return self.damaged(line, Trouble::Blank);
        }
        let mut scanner = std::mem::take(&mut self.scanner);
        match scanner.scan(line.bytes) {
            Ok((tree, odd)) if tree.root().shape() == Shape::Object => {
                self.object(tree.root(), line, odd);
            }
            other => {
                self.begun = true;
                let trouble = match other {
                    Err(_) if line.torn => Trouble::Torn,
                    Err(flaw) => Trouble::Unreadable { why: flaw.to_string() },
                    Ok(_) => Trouble::Unreadable { why: "it is no object".to_owned() },
                };
                self.damaged(line, trouble);
            }
        }
        self.scanner = scanner;
    }

    /// Takes a line that is not a record: the next line may tell that a writer was stopped in it.
    fn damaged(&mut self, line: &Line<'_>, trouble: Trouble) {
        if let Some((number, trouble)) = self.waiting.put((line.number, trouble), line.bytes) {
            self.note(Some(number), None, trouble);
        }
    }

    /// Takes what the next line tells of the line that waited; returns whether it was told of.
    fn broken(&mut self, said: Option<&Torn>) -> bool {
        match self.waiting.settle(said) {
            Some(((line, _), true)) => {
                self.report.interrupted += 1;
                if self.report.recovered.len() < MOST {
                    self.report.recovered.push(Spot { file: self.name.clone(), line });
                }
                true
            }
            Some(((line, trouble), false)) => {
                self.note(Some(line), None, trouble);
                false
            }
            None => false,
        }
    }

    fn object(&mut self, record: Item<'_>, line: &Line<'_>, odd: Oddities) {
        let hash = record.get("hash").and_then(Item::text);
        let said = hash.as_ref().and_then(|_| Torn::told_in(record));
        let recovered = self.broken(said.as_ref());
        let Some(hash) = hash else {
            if self.begun {
                self.note(Some(line.number), None, Trouble::Unchained);
            } else {
                self.report.legacy += 1;
            }
            return;
        };
        self.begun = true;
        if !is_hash(&hash) {
            // Writers go on behind the record before it: no text of this line is carried on.
            return self.note(Some(line.number), None, Trouble::NoHash);
        }
        let id = record.get("id").and_then(Item::text);
        let named = id.as_deref().map(excerpt);
        let mut found = Vec::new();
        if !recovered && record.get("kind").is_some_and(|kind| kind.is_text(interrupted::KIND)) {
            found.push(Trouble::Recovery);
        }
        match self.format(record, &mut found) {
            Some(format) => self.content(record, format, &hash, &mut found),
            None => found.push(Trouble::NoFormat),
        }
        let start: String = hash.chars().take(16).collect();
        if id.as_ref() != Some(&start) {
            found.push(Trouble::Id);
        }
        let prev = record.get("prev").and_then(Item::text);
        if prev.as_ref() != Some(&self.report.tip.hash) {
            found.push(Trouble::Link);
        }
        if self.report.tip.count == 0 {
            self.link(Some(record), &mut found);
        }
        self.place(record, line.number, &mut found);
        response(record, &mut found);
        found.extend(odd.twice.map(|key| Trouble::Twice { key: excerpt(&key) }));
        found.extend(odd.carriage.then_some(Trouble::Carriage));
        found.extend(odd.otherwise.map(|at| Trouble::Spelling { at: at as u64 + 1 }));
        found.extend(line.torn.then_some(Trouble::NoLineEnd));
        if record.get("kind").is_some_and(|kind| kind.is_text("redaction")) {
            let key = fingerprint([record.get("of"), record.get("of_hash")]);
            self.announced.insert(key, fingerprint([record.get("by"), record.get("note")]));
        }
        if let Some(mark) = record.get("redacted").filter(|mark| mark.is_truthy()) {
            let key = fingerprint([record.get("id"), record.get("hash")]);
            let mark = fingerprint([mark.get("by"), mark.get("note")]);
            let file = self.name.clone();
            self.erased.insert(key, Erased { file, line: line.number, id: named.clone(), mark });
        }
        let count = self.report.tip.count + 1;
        let place = self.base.saturating_add(count);
        if self.anchor.as_ref().is_some_and(|anchor| anchor.count == place && anchor.hash != hash) {
            found.push(Trouble::AnchorOther);
        }
        self.losses.retain(|loss| loss.head.count != count || loss.head.hash != hash);
        for trouble in found {
            if let Trouble::Place { .. } = trouble {
                self.shifted =
                    (self.report.problems.len() < MOST).then_some(self.report.problems.len());
            }
            self.note(Some(line.number), named.as_deref(), trouble);
        }
        self.report.tip = Tip { count, hash };
        self.last = Some(line.number);
    }

    /// Returns the format of a record. It never goes back: an older one is checked less strictly.
    fn format(&mut self, record: Item<'_>, found: &mut Vec<Trouble>) -> Option<u64> {
        let format = match record.get("v").filter(|format| format.is_truthy()) {
            None => 1,
            Some(format) => format.integer()?,
        };
        let newest = self.newest.max(1);
        if format < newest {
            found.push(Trouble::OlderFormat { format, newest });
        }
        self.newest = newest.max(format);
        Some(format)
    }

    /// Holds what a record says, or what is left of it, against its hash.
    fn content(&mut self, record: Item<'_>, format: u64, hash: &str, found: &mut Vec<Trouble>) {
        let mark = record.get("redacted").filter(|mark| mark.is_truthy());
        let erased = mark.is_some();
        // No writer marks a record with nothing: one reader takes that for erased, another not.
        if !erased && record.get("redacted").is_some() {
            found.push(Trouble::Mark);
        }
        if let Some(mark) = mark {
            let aside = |key: &&str| !LASTING.contains(key) && !ASIDE.contains(key);
            let keys = record.fields().into_iter().flatten();
            let keys = keys.filter_map(|(key, _)| serde_json::from_slice::<String>(key).ok());
            let keys = keys.filter(|key| aside(&key.as_str())).map(|key| excerpt(&key));
            let fields: Vec<String> = keys.take(FIELDS).collect();
            if !fields.is_empty() {
                found.push(Trouble::Unerased { fields });
            }
            if format < 2 {
                self.report.uncovered += 1;
                return;
            }
            let twice = mark.get("answers").is_some() && record.get("answers").is_some();
            if mark.get("content").is_none() || twice {
                found.push(Trouble::Mark);
                return;
            }
        }
        if !self.sealer.holds(record, format, hash) {
            found.push(Trouble::Changed { erased });
        }
    }

    /// Holds the place that a record says against the one that it is at. Where all that follow
    /// are as far off, that is said once.
    fn place(&mut self, record: Item<'_>, line: u64, found: &mut Vec<Trouble>) {
        let at = self.report.tip.count;
        let said = record.get("seq");
        let shift = said.and_then(Item::integer).map(|said| i128::from(said) - i128::from(at));
        let before = std::mem::replace(&mut self.shift, shift);
        if shift == Some(0) {
            return;
        }
        if shift.is_some() && shift == before {
            let shifted = self.shifted.and_then(|at| self.report.problems.get_mut(at));
            if let Some(shifted) = shifted {
                shifted.until = Some(line);
            }
            return;
        }
        let said = String::from_utf8_lossy(said.map(Item::raw).unwrap_or_default());
        let said = excerpt(&said);
        found.push(Trouble::Place { said, at });
    }

    /// Holds the erased records against those that tell of it.
    fn erasures(&mut self) {
        for (key, erased) in std::mem::take(&mut self.erased) {
            let trouble = match self.announced.get(&key) {
                None => Trouble::Unannounced,
                Some(told) if *told != erased.mark => Trouble::Announced,
                Some(_) => continue,
            };
            self.name = erased.file;
            self.note(Some(erased.line), erased.id.as_deref(), trouble);
        }
        self.name = None;
        // Names of sealed files sort by time, and the file that is appended to is the newest.
        self.report.problems.sort_by_key(|problem| {
            let file = (problem.file.is_none(), problem.file.clone());
            (file, problem.line.is_none(), problem.line)
        });
    }

    /// Holds the end of the chain against the head file.
    fn head(&mut self, head: Option<&[u8]>) {
        let Tip { count, hash } = &self.report.tip;
        let (count, last) = (*count, self.last);
        let Some(head) = head else {
            if count > 0 {
                self.note(None, None, Trouble::NoHead);
            }
            return;
        };
        let whole = super::canonical::spaced(&json!({"count": count, "hash": hash}));
        if head == whole.as_bytes() {
            return;
        }
        let parsed: Option<Value> = serde_json::from_slice(head).ok();
        let before = self.before.as_ref().map(|before| json!(before.tip));
        if before.is_some() && parsed == before {
            // A rotation was stopped before it wrote the head of the new file.
            return self.note(None, None, Trouble::Stale { head: 0, count });
        }
        let said = parsed.as_ref().and_then(|head| head.get("count")?.as_u64());
        let trouble = match said {
            Some(head) if head > count => Trouble::Cut { head, count },
            Some(head) if head < count => Trouble::Stale { head, count },
            Some(_) if parsed.is_some_and(|head| head.get("hash") != Some(&json!(hash))) => {
                return self.note(last, None, Trouble::OtherEnd);
            }
            // It says the same in another spelling, or more than that.
            _ => Trouble::BadHead,
        };
        self.note(None, None, trouble);
    }
}

/// Holds the response of a decision against its summary.
fn response(record: Item<'_>, found: &mut Vec<Trouble>) {
    let decision = record.get("kind").is_none_or(|kind| kind.is_text("ask"));
    let erased = record.get("redacted").is_some_and(Item::is_truthy);
    if decision && !erased {
        found.extend(agree::differences(record).into_iter().map(Trouble::Differs));
    }
}

#[cfg(test)]
mod tests;
