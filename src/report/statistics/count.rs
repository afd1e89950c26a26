//! How are records counted? One after the other, each looked at once and not kept.

use super::asks::{Ask, Asks};
use super::period::{Days, Grain, Period, date};
use super::table::{Rows, Table, cut};
use super::tally::Tally;
use crate::domain::sanitize::visible;
use crate::domain::{Utc, Verdict};
use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

/// How many of the slowest decisions are kept.
const SLOWEST: usize = 10;

/// How many lines that cannot be read are named.
const NAMED: usize = 5;

/// What is counted of one record.
#[derive(Clone, Debug, Default)]
pub struct Record<'a> {
    /// Its id.
    pub id: &'a str,
    /// When it was written.
    pub time: Option<Utc>,
    /// What it is about.
    pub about: About<'a>,
    /// The sub-command that wrote it.
    pub hook: Option<&'a str>,
    /// The file that would have been changed.
    pub path: Option<&'a str>,
    /// The agent's session.
    pub session: Option<&'a str>,
    /// The verdict.
    pub verdict: Option<Verdict>,
    /// What each rule came to; none where it objected, nobody knows how strictly.
    pub rules: Vec<(Cow<'a, str>, Option<Verdict>)>,
    /// How long the decision took.
    pub duration: Option<Duration>,
    /// Whether its content was erased.
    pub redacted: bool,
    /// How many files with findings it counts that have no record of their own.
    pub rest: u64,
}

/// What a record is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum About<'a> {
    /// A decision.
    #[default]
    Decision,
    /// What a check of many files came to.
    Summary {
        /// Whether a person answered.
        answered: bool,
    },
    /// A person's word on an earlier record.
    Word {
        /// The id of that record.
        of: &'a str,
    },
    /// Anything else.
    Other,
}

/// The lines that could not be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unreadable {
    /// How many there are.
    pub count: u64,
    /// The first of them.
    pub lines: Vec<Spot>,
}

/// Where a line stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spot {
    /// The name of a sealed file; none for the file that is appended to.
    pub file: Option<String>,
    /// The number of the line, from 1.
    pub line: u64,
}

impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.file {
            Some(file) => write!(f, "{}:{}", visible(file), self.line),
            None => write!(f, "{}", self.line),
        }
    }
}

impl Unreadable {
    /// Counts a line.
    pub fn add(&mut self, file: Option<&str>, line: u64) {
        self.count += 1;
        if self.lines.len() < NAMED {
            self.lines.push(Spot { file: file.map(str::to_owned), line });
        }
    }

    /// Returns the sentence that tells of them; none when there are none.
    #[must_use]
    pub fn told(&self) -> Option<String> {
        let lines: Vec<String> = self.lines.iter().map(ToString::to_string).collect();
        let (count, lines) = (self.count, lines.join(", "));
        let more = if self.count > self.lines.len() as u64 { " …" } else { "" };
        match count {
            0 => None,
            1 => Some(format!("1 line cannot be read as a record: {lines}")),
            _ => Some(format!("{count} lines cannot be read as records: {lines}{more}")),
        }
    }
}

/// A decision that took long.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Slow {
    /// How long it took.
    pub duration: Duration,
    /// Its record.
    pub id: String,
    /// When that was.
    pub time: Option<Utc>,
    /// The file; empty when the record does not say it.
    pub path: String,
}

/// What was counted so far.
#[derive(Debug, Default)]
pub struct Counter {
    told: Statistics,
    days: Days,
    rules: Table,
    paths: Table,
    sessions: Table,
    asks: Asks,
}

/// What a store's decisions came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// The store, as the person who asked names it.
    pub store: String,
    /// What was asked for, in words: `since 2024-05-01T00:00:00Z`.
    pub filters: Vec<String>,
    /// Whether the store holds any record at all.
    pub empty: bool,
    /// The verdicts of all decisions.
    pub tally: Tally,
    /// The first and the last decision.
    pub times: Option<(Utc, Utc)>,
    /// How many records sum up a check of many files; their verdicts are those of its decisions.
    pub summaries: u64,
    /// How many files with findings those count that have no record of their own.
    pub rest: u64,
    /// How many of the decisions were redacted: of those only time and verdict are left.
    pub redacted: u64,
    /// How many more redacted decisions there are that what was asked for cannot be held against.
    pub untold: u64,
    /// The lines that could not be read.
    pub unreadable: Unreadable,
    /// How long a period is.
    pub grain: Grain,
    /// The periods.
    pub periods: Vec<Period>,
    /// The rules.
    pub rules: Rows,
    /// The files.
    pub paths: Rows,
    /// The sessions.
    pub sessions: Rows,
    /// The slowest decisions, the slowest first, of those that say how long they took.
    pub slowest: Vec<Slow>,
    /// The asks that nobody has settled, the newest first.
    pub asks: Vec<Ask>,
    /// How many more asks there are that were not followed.
    pub asks_beyond: u64,
}

impl Counter {
    /// Counts a record that was asked for.
    pub fn add(&mut self, record: &Record<'_>) {
        self.asks.see(record, true);
        match (record.about, record.verdict) {
            (About::Summary { .. }, _) => {
                self.told.summaries += 1;
                self.told.rest += record.rest;
            }
            (About::Decision, Some(verdict)) => self.decision(record, verdict),
            _ => {}
        }
    }

    fn decision(&mut self, record: &Record<'_>, verdict: Verdict) {
        let (time, verdict) = (record.time, Some(verdict));
        self.told.tally.add(verdict);
        self.told.redacted += u64::from(record.redacted);
        if let Some(time) = time {
            self.days.add(time, verdict);
            let (first, last) = self.told.times.get_or_insert((time, time));
            *first = time.min(*first);
            *last = time.max(*last);
        }
        for (rule, came_to) in &record.rules {
            self.rules.add(rule, time, *came_to);
        }
        if let Some(path) = record.path {
            self.paths.add(path, time, verdict);
        }
        if let Some(session) = record.session {
            self.sessions.add(session, time, verdict);
        }
        if let Some(duration) = record.duration {
            self.time(record, duration);
        }
    }

    fn time(&mut self, record: &Record<'_>, duration: Duration) {
        let slowest = &mut self.told.slowest;
        let place = slowest.partition_point(|slow| slow.duration >= duration);
        if place < SLOWEST {
            let (id, path) = (cut(record.id), cut(record.path.unwrap_or_default()));
            slowest.insert(place, Slow { duration, id, time: record.time, path });
            slowest.truncate(SLOWEST);
        }
    }

    /// Looks at a record that was not asked for: it may settle an ask that was.
    pub fn pass(&mut self, record: &Record<'_>) {
        self.asks.see(record, false);
    }

    /// Counts a redacted decision that what was asked for cannot be held against.
    pub fn untold(&mut self) {
        self.told.untold += 1;
    }

    /// Counts a line that cannot be read, by the sealed file that it stands in and its number.
    pub fn unreadable(&mut self, file: Option<&str>, line: u64) {
        self.told.unreadable.add(file, line);
    }

    /// Returns what was counted. Who asked adds the store's name and the words for the filters.
    #[must_use]
    pub fn finish(self) -> Statistics {
        let grain = Grain::of(self.days.span());
        let (asks, asks_beyond) = self.asks.finish();
        Statistics {
            grain,
            periods: self.days.all_periods(grain),
            rules: self.rules.rows(grain),
            paths: self.paths.rows(grain),
            sessions: self.sessions.rows(grain),
            asks,
            asks_beyond,
            ..self.told
        }
    }
}

impl Statistics {
    /// Returns what must be said beside the counts, a sentence each.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        match self.redacted {
            0 => {}
            1 => notes
                .push("1 decision is redacted: only its time, verdict and rules count".to_owned()),
            count => {
                notes.push(format!(
                    "{count} decisions are redacted: only time, verdict and rules count"
                ));
            }
        }
        if self.rest > 0 {
            let count = self.rest;
            notes.push(format!(
                "more files with findings than a check records one by one: {count} left out"
            ));
        }
        if self.untold > 0 {
            let count = self.untold;
            notes.push(format!("redacted, so that nobody can tell whether they fit: {count}"));
        }
        if self.rules.rows.iter().any(|row| row.tally.unrated > 0) {
            let told = "unrated: the rule objected, and the record does not say how strictly";
            notes.push(told.to_owned());
        }
        notes.extend(self.unreadable.told());
        for (what, rows) in
            [("rules", &self.rules), ("files", &self.paths), ("sessions", &self.sessions)]
        {
            if rows.beyond > 0 {
                let count = rows.beyond;
                notes.push(format!("more {what} than are told apart: {count} times left out"));
            }
        }
        if self.asks_beyond > 0 {
            notes.push(format!("more asks than are followed: {} left out", self.asks_beyond));
        }
        notes
    }

    /// Returns from which day to which decisions are known; none when no record says its time.
    #[must_use]
    pub fn span(&self) -> Option<String> {
        let (first, last) = self.times?;
        let (first, last) = (date(first), date(last));
        Some(if first == last { first } else { format!("{first} to {last}") })
    }

    /// Returns the sentence that sums everything up, without a full stop.
    #[must_use]
    pub fn summary(&self) -> String {
        match self.tally.total() {
            0 if self.empty => "the store holds no records".to_owned(),
            0 if !self.filters.is_empty() => "no decision fits".to_owned(),
            0 => "no decisions".to_owned(),
            1 => "1 decision".to_owned(),
            count => format!("{count} decisions"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_slowest_are_kept_the_slowest_first() {
        let mut counter = Counter::default();
        for ms in [5, 1, 9, 7, 3, 2, 8, 4, 6, 10, 11, 12] {
            let duration = Some(Duration::from_millis(ms));
            let verdict = Some(Verdict::Allow);
            counter.add(&Record { verdict, duration, ..Record::default() });
        }
        let slowest = counter.finish().slowest;
        let ms: Vec<u128> = slowest.iter().map(|slow| slow.duration.as_millis()).collect();
        assert_eq!(ms, [12, 11, 10, 9, 8, 7, 6, 5, 4, 3]);
    }

    #[test]
    fn a_summary_and_a_record_without_a_verdict_are_no_decisions() {
        let mut counter = Counter::default();
        let verdict = Some(Verdict::Deny);
        let about = About::Summary { answered: false };
        counter.add(&Record { about, verdict, ..Record::default() });
        counter.add(&Record::default());
        counter.add(&Record { verdict, redacted: true, ..Record::default() });
        let told = counter.finish();
        assert_eq!((told.tally.total(), told.summaries, told.redacted), (1, 1, 1));
    }

    #[test]
    fn the_first_unreadable_lines_are_named() {
        let mut lines = Unreadable::default();
        assert_eq!(lines.told(), None);
        lines.add(None, 3);
        assert_eq!(lines.told().as_deref(), Some("1 line cannot be read as a record: 3"));
        lines.add(Some("t.000001.jsonl"), 4);
        (5..=9).for_each(|line| lines.add(None, line));
        let told = "7 lines cannot be read as records: 3, t.000001.jsonl:4, 5, 6, 7 …";
        assert_eq!(lines.told().as_deref(), Some(told));
    }
}
