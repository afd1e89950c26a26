//! Which asks has nobody settled, as far as the records show it?
//!
//! An ask is settled when the same session later had an edit of the same path allowed, when a
//! person's answer to the whole check is recorded, or when a later record gives a person's word on
//! it. What a person says inside an agent is in no record, so such an ask stays open until the path
//! is next allowed.

use super::count::{About, Record};
use super::table::cut;
use crate::domain::{Utc, Verdict};
use std::cmp::Reverse;
use std::collections::HashMap;

/// How many open asks are followed.
const FOLLOWED: usize = 50_000;

/// What was asked of a person and is not settled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ask {
    /// The newest record that asks.
    pub id: String,
    /// When that was.
    pub time: Option<Utc>,
    /// The sub-command that asked.
    pub hook: String,
    /// The file; empty when the record does not say it.
    pub path: String,
    /// The session; empty when there is none.
    pub session: String,
    /// The rules that object.
    pub rules: Vec<String>,
    /// How often the same session was asked about the same file.
    pub times: u64,
}

/// The asks that are open so far.
#[derive(Clone, Debug, Default)]
pub struct Asks {
    open: HashMap<Key, Open>,
    // How many checks of each sub-command are over; a check ends with the record that sums it up.
    checks: HashMap<String, u64>,
    beyond: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    File { session: String, path: String },
    // Of a record that says no path nothing later can tell that it is the same.
    Record(String),
}

#[derive(Clone, Debug)]
struct Open {
    ask: Ask,
    check: u64,
}

impl Asks {
    /// Looks at a record, which may settle earlier asks; and, where it `counts`, may ask.
    pub fn see(&mut self, record: &Record<'_>, counts: bool) {
        match record.about {
            About::Decision => self.decision(record, counts),
            About::Summary { answered } => self.summary(record, answered),
            About::Word { of } => self.open.retain(|_, open| open.ask.id != of),
            About::Other => {}
        }
    }

    fn decision(&mut self, record: &Record<'_>, counts: bool) {
        let key = match record.path {
            Some(path) => {
                Key::File { session: cut(record.session.unwrap_or_default()), path: cut(path) }
            }
            None => Key::Record(cut(record.id)),
        };
        match record.verdict {
            Some(Verdict::Allow | Verdict::Warn) => _ = self.open.remove(&key),
            Some(Verdict::Ask) if counts => self.ask(key, record),
            _ => {}
        }
    }

    fn ask(&mut self, key: Key, record: &Record<'_>) {
        if self.open.len() >= FOLLOWED && !self.open.contains_key(&key) {
            self.beyond += 1;
            return;
        }
        let hook = cut(record.hook.unwrap_or_default());
        let check = self.checks.get(&hook).copied().unwrap_or_default();
        let objecting = record.rules.iter().filter(|(_, verdict)| *verdict != Some(Verdict::Allow));
        let ask = Ask {
            id: cut(record.id),
            time: record.time,
            hook,
            path: cut(record.path.unwrap_or_default()),
            session: cut(record.session.unwrap_or_default()),
            rules: objecting.map(|(rule, _)| cut(rule)).collect(),
            times: self.open.get(&key).map_or(0, |open| open.ask.times) + 1,
        };
        self.open.insert(key, Open { ask, check });
    }

    fn summary(&mut self, record: &Record<'_>, answered: bool) {
        let hook = cut(record.hook.unwrap_or_default());
        let check = self.checks.entry(hook.clone()).or_default();
        if answered {
            let of_it = |open: &Open| open.ask.hook == hook && open.check == *check;
            self.open.retain(|_, open| !of_it(open));
        }
        *check += 1;
    }

    /// Returns the open ones, the newest first, and how many more asks were not followed.
    pub fn finish(self) -> (Vec<Ask>, u64) {
        let mut asks: Vec<Ask> = self.open.into_values().map(|open| open.ask).collect();
        asks.sort_by(|one, other| {
            Reverse(one.time).cmp(&Reverse(other.time)).then_with(|| one.id.cmp(&other.id))
        });
        (asks, self.beyond)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit<'a>(id: &'a str, session: &'a str, path: &'a str, verdict: Verdict) -> Record<'a> {
        Record {
            id,
            hook: Some("pre-edit"),
            path: Some(path),
            session: Some(session),
            verdict: Some(verdict),
            rules: vec![("met".into(), Some(Verdict::Allow)), ("asks".into(), Some(verdict))],
            ..Record::default()
        }
    }

    fn staged(id: &str) -> Record<'_> {
        Record { hook: Some("check-staged"), session: None, ..edit(id, "", id, Verdict::Ask) }
    }

    fn end(answered: bool) -> Record<'static> {
        let about = About::Summary { answered };
        Record { about, hook: Some("check-staged"), ..Record::default() }
    }

    fn open(records: &[Record<'_>]) -> Vec<(String, u64)> {
        let mut asks = Asks::default();
        for record in records {
            asks.see(record, true);
        }
        asks.finish().0.into_iter().map(|ask| (ask.id, ask.times)).collect()
    }

    #[test]
    fn an_ask_is_open_until_the_same_session_has_the_path_allowed() {
        let asked = edit("1", "s", "a", Verdict::Ask);
        let open_still = [("1".to_owned(), 1)];
        for other in [
            edit("2", "t", "a", Verdict::Allow),
            edit("2", "s", "b", Verdict::Allow),
            edit("2", "s", "a", Verdict::Deny),
        ] {
            assert_eq!(open(&[asked.clone(), other]), open_still);
        }
        for verdict in [Verdict::Allow, Verdict::Warn] {
            assert_eq!(open(&[asked.clone(), edit("2", "s", "a", verdict)]), []);
        }
        let again = [asked.clone(), edit("2", "s", "a", Verdict::Ask)];
        assert_eq!(open(&again), [("2".to_owned(), 2)]);
    }

    #[test]
    fn an_answer_settles_the_asks_of_its_check_alone() {
        let records = [staged("1"), end(false), edit("2", "s", "a", Verdict::Ask), staged("3")];
        let mut records = records.to_vec();
        records.push(end(true));
        assert_eq!(open(&records), [("1".to_owned(), 1), ("2".to_owned(), 1)]);
    }

    #[test]
    fn a_persons_word_settles_what_it_is_about() {
        let word = Record { about: About::Word { of: "1" }, ..Record::default() };
        let asks = [edit("1", "s", "a", Verdict::Ask), edit("2", "s", "b", Verdict::Ask), word];
        assert_eq!(open(&asks), [("2".to_owned(), 1)]);
    }

    #[test]
    fn an_ask_that_does_not_count_is_not_told_and_names_only_who_objects() {
        let mut asks = Asks::default();
        asks.see(&edit("1", "s", "a", Verdict::Ask), false);
        asks.see(&edit("2", "s", "b", Verdict::Ask), true);
        let (asks, beyond) = asks.finish();
        assert_eq!((asks.len(), beyond), (1, 0));
        assert!(asks.iter().all(|ask| ask.rules == ["asks"]));
    }
}
