//! Which records are asked for? By time, rule, path, session and verdict, as `report` and `query`
//! take them.

use super::lists::{self, GlobList};
use super::world::World;
use crate::domain::byte_name;
use crate::domain::sanitize::visible;
use crate::domain::utc::read_date;
use crate::domain::{Utc, Verdict};
use crate::engine::glob::Globs;
use crate::store::stored::{Kind, Stored};
use clap::Args;

/// Which records are asked for by their time; all where nothing is said.
#[derive(Clone, Debug, Default, Args)]
pub struct Times {
    /// Only what was decided at this time or later: 2024-05-31T16:20:00Z, a date (UTC), or how
    /// long ago: 7d, 12h, 30m, 2w
    #[arg(long, value_name = "TIME", value_parser = when)]
    since: Option<When>,
    /// Only what was decided before this time; with a date, to the end of that day
    #[arg(long, value_name = "TIME", value_parser = when)]
    until: Option<When>,
}

/// Which records are asked for; all where nothing is said.
#[derive(Clone, Debug, Default, Args)]
pub struct Filters {
    #[command(flatten)]
    times: Times,
    /// Only decisions that this rule, or this built-in check, had a part in; may be given several
    /// times, or with commas between
    #[arg(long = "rule", value_name = "ID", value_delimiter = ',', value_parser = lists::id())]
    rules: Vec<String>,
    /// Only decisions on files that this glob covers, as in a rule's `paths`; `!GLOB` excludes;
    /// may be given several times, or with commas between
    #[arg(long = "path", value_name = "GLOB", value_parser = lists::globs)]
    paths: Vec<GlobList>,
    /// Only decisions of this session; may be given several times, or with commas between
    #[arg(long = "session", value_name = "ID", value_delimiter = ',', value_parser = lists::id())]
    sessions: Vec<String>,
    /// Only these verdicts, with commas between them; beside --rule, only where one of those rules
    /// came to them
    #[arg(
        long = "verdict",
        value_name = "VERDICT",
        value_delimiter = ',',
        value_parser = lists::verdict(VERDICTS)
    )]
    verdicts: Vec<Verdict>,
}

/// A time as a person names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum When {
    At(Utc),
    /// A day, by its beginning.
    Day(Utc),
    /// So many seconds ago.
    Ago(i64),
}

/// How a record stands to what is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// It is asked for.
    Fits,
    /// It is not.
    Differs,
    /// What would tell was erased.
    Erased,
}

/// From when to when.
#[derive(Clone, Copy, Debug, Default)]
pub struct Span {
    since: Option<Utc>,
    until: Option<Utc>,
}

/// Filters with every time found out.
#[derive(Clone, Debug)]
pub struct Sieve {
    span: Span,
    rules: Vec<String>,
    globs: Option<Globs>,
    paths: Vec<String>,
    sessions: Vec<String>,
    verdicts: Vec<Verdict>,
}

fn when(text: &str) -> Result<When, String> {
    let known =
        "known are a moment (2024-05-31T16:20:00Z), a date (2024-05-31) and an age (7d, 12h)";
    let at = text.parse().ok().map(When::At);
    let when = at.or_else(|| read_date(text).map(When::Day)).or_else(|| age(text).map(When::Ago));
    when.ok_or_else(|| known.to_owned())
}

/// Reads an age in seconds.
fn age(text: &str) -> Option<i64> {
    let (end, unit) = text.char_indices().next_back()?;
    let count = text.get(..end).filter(|count| count.bytes().all(|it| it.is_ascii_digit()))?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3600,
        'd' => 86_400,
        'w' => 7 * 86_400,
        _ => return None,
    };
    count.parse::<i64>().ok()?.checked_mul(seconds)
}

const VERDICTS: &[Verdict] = &[Verdict::Allow, Verdict::Warn, Verdict::Ask, Verdict::Deny];

impl Times {
    /// Finds out what the times mean now.
    #[must_use]
    pub fn span(&self, world: &World) -> Span {
        let now = Utc::from_seconds(world.now()).unwrap_or_default();
        // What was before the first year was before every record.
        let ago = |seconds| now.earlier(seconds).or_else(|| Utc::of_date(1, 1, 1));
        let since = self.since.and_then(|since| match since {
            When::At(moment) | When::Day(moment) => Some(moment),
            When::Ago(seconds) => ago(seconds),
        });
        let until = self.until.and_then(|until| match until {
            When::At(moment) => Some(moment),
            // The last day there is has no end.
            When::Day(moment) => Utc::of_day(moment.day() + 1),
            When::Ago(seconds) => ago(seconds),
        });
        Span { since, until }
    }
}

impl Span {
    /// Tells whether a record is of this time; one that says no time is only where all are.
    #[must_use]
    pub fn holds(self, record: &Stored) -> bool {
        let Self { since, until } = self;
        if since.is_none() && until.is_none() {
            return true;
        }
        record.moment().is_some_and(|moment| {
            since.is_none_or(|since| since <= moment) && until.is_none_or(|until| moment < until)
        })
    }
}

impl Filters {
    /// Returns the rules that are asked for; all when there are none.
    #[must_use]
    pub fn rules(&self) -> &[String] {
        &self.rules
    }

    /// Finds out what the times mean now.
    #[must_use]
    pub fn sieve(&self, world: &World) -> Sieve {
        let mut globs = lists::all(&self.paths);
        if !globs.is_empty() && globs.iter().all(|glob| glob.starts_with('!')) {
            // Who only excludes wants the rest.
            globs.push("**".to_owned());
        }
        Sieve {
            span: self.times.span(world),
            rules: self.rules.clone(),
            globs: (!globs.is_empty()).then(|| Globs::new(&globs)),
            paths: lists::all(&self.paths),
            sessions: self.sessions.clone(),
            verdicts: self.verdicts.clone(),
        }
    }
}

impl Sieve {
    /// Returns the first and the last time that may be asked for, in seconds since the Unix epoch.
    #[must_use]
    pub fn times(&self) -> (Option<f64>, Option<f64>) {
        let Span { since, until } = self.span;
        let (since, until) = (since.map(Utc::seconds), until.map(|until| until.seconds() + 1));
        #[expect(clippy::cast_precision_loss, reason = "seconds of no age of ours are so many")]
        let float = |seconds: i64| seconds as f64;
        (since.map(float), until.map(float))
    }

    /// Tells how a record stands to what is asked for.
    #[must_use]
    pub fn fit(&self, record: &Stored) -> Fit {
        if !self.span.holds(record) {
            return Fit::Differs;
        }
        let about_content =
            !self.rules.is_empty() || self.globs.is_some() || !self.sessions.is_empty();
        if record.is_redacted() {
            let named = || record.outcomes().iter().any(|it| self.names_rule(&it.rule));
            let told = self.rules.is_empty() || record.tells_all_findings() || named();
            if self.globs.is_some() || !self.sessions.is_empty() || !told {
                return if self.decided(record, told) { Fit::Erased } else { Fit::Differs };
            }
        }
        let decision = !about_content && self.verdicts.is_empty();
        let decision = decision || matches!(record.kind(), Kind::Decision | Kind::Written);
        let path =
            |globs: &Globs| record.path().is_some_and(|path| globs.cover(&byte_name::read(path)));
        let session = || record.session().is_some_and(|id| self.sessions.iter().any(|it| it == id));
        let fits = decision
            && self.globs.as_ref().is_none_or(path)
            && (self.sessions.is_empty() || session())
            && self.decided(record, true);
        if fits { Fit::Fits } else { Fit::Differs }
    }

    /// Tells whether a rule is one of those that are asked for.
    #[must_use]
    pub fn names_rule(&self, rule: &str) -> bool {
        self.rules.is_empty() || self.rules.iter().any(|it| it == rule)
    }

    fn decided(&self, record: &Stored, by_rule: bool) -> bool {
        let wanted =
            |verdict: Verdict| self.verdicts.is_empty() || self.verdicts.contains(&verdict);
        let decision = record.verdict();
        if !by_rule || self.rules.is_empty() {
            return self.verdicts.is_empty() || decision.is_some_and(wanted);
        }
        let mut rules = record.outcomes().into_iter().filter(|it| self.names_rule(&it.rule));
        rules.any(|it| {
            // A rule that objected, nobody knows how, did so at most as strictly as all together.
            let most = it.verdict.or(decision).unwrap_or(Verdict::Deny);
            let objections = [Verdict::Warn, Verdict::Ask, Verdict::Deny].into_iter();
            it.verdict.is_some_and(wanted)
                || it.verdict.is_none() && objections.take_while(|it| *it <= most).any(wanted)
        })
    }

    /// Returns what is asked for in words.
    #[must_use]
    pub fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        words.extend(self.span.since.map(|since| format!("since {since}")));
        words.extend(self.span.until.map(|until| format!("before {until}")));
        for (name, values) in
            [("rule", &self.rules), ("path", &self.paths), ("session", &self.sessions)]
        {
            if !values.is_empty() {
                words.push(format!("{name} {}", visible(&values.join(" or "))));
            }
        }
        let verdicts: Vec<&str> = self.verdicts.iter().map(|verdict| verdict.word()).collect();
        if !verdicts.is_empty() {
            words.push(format!("verdict {}", verdicts.join(" or ")));
        }
        words
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use clap::Parser;
    use serde_json::{Value, json};

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        filters: Filters,
    }

    fn sieve(args: &[&str]) -> Sieve {
        let args = ["x"].iter().chain(args);
        Line::try_parse_from(args).unwrap().filters.sieve(&World::at("/".into()))
    }

    fn record(fields: &Value) -> Stored {
        let mut record = json!({
            "hash": "ab",
            "time": 1_700_000_000.5,
            "meta": {
                "path": "src/a.py",
                "session_id": "s1",
                "outcome": "deny",
                "rules": ["loud", "quiet"],
                "solvi_hook": {"verdict": "deny", "checks": {"loud": "deny"}},
            },
        });
        record.as_object_mut().unwrap().append(&mut fields.as_object().unwrap().clone());
        Stored::parse(record.to_string().as_bytes()).unwrap()
    }

    #[track_caller]
    fn assert_fit(record: &Stored, args: &[&str], fit: Fit) {
        assert_eq!(sieve(args).fit(record), fit, "{args:?}");
    }

    #[test]
    fn a_record_fits_when_every_filter_lets_it_through() {
        let record = record(&json!({}));
        for args in [
            &[][..],
            &["--since", "2023-11-14", "--until", "2023-11-14"],
            &["--since", "2023-11-14T22:13:20.5Z"],
            &["--rule", "loud", "--rule", "other", "--verdict", "allow,deny"],
            &["--rule", "quiet", "--verdict", "allow"],
            &["--path", "src/**", "--session", "s1", "--verdict", "deny"],
            &["--path", "!docs/**"],
            &["--until", "1h"],
        ] {
            assert_fit(&record, args, Fit::Fits);
        }
        for args in [
            &["--since", "2023-11-15"][..],
            &["--until", "2023-11-13"],
            &["--until", "2023-11-14T22:13:20.5Z"],
            &["--since", "7d"],
            &["--rule", "other"],
            &["--rule", "quiet", "--verdict", "deny"],
            &["--path", "src/*.rs"],
            &["--path", "!src/**"],
            &["--session", "s"],
            &["--verdict", "ask,warn"],
        ] {
            assert_fit(&record, args, Fit::Differs);
        }
    }

    #[test]
    fn of_an_erased_record_time_verdict_and_noted_rules_can_be_told() {
        let answers = json!({"edit": ["deny", 1.0, "forced"]});
        let mark = json!({"by": "x"});
        let erased = record(&json!({"redacted": mark, "meta": null, "answers": answers}));
        assert_fit(&erased, &["--verdict", "deny", "--since", "2023-01-01"], Fit::Fits);
        assert_fit(&erased, &["--path", "**"], Fit::Erased);
        assert_fit(&erased, &["--path", "**", "--verdict", "allow"], Fit::Differs);
        assert_fit(&erased, &["--path", "**", "--since", "2024-01-01"], Fit::Differs);
        assert_fit(&erased, &["--rule", "loud"], Fit::Erased);
        let note = r#"redact = true: loud; findings: {"loud":"deny","quiet":"warn"}"#;
        let mark = json!({"by": "x", "note": note});
        let noted = record(&json!({"redacted": mark, "meta": null, "answers": answers}));
        assert_fit(&noted, &["--rule", "loud", "--verdict", "deny"], Fit::Fits);
        assert_fit(&noted, &["--rule", "quiet", "--verdict", "deny"], Fit::Differs);
        assert_fit(&noted, &["--rule", "other"], Fit::Differs);
        assert_fit(&noted, &["--rule", "loud", "--path", "**"], Fit::Erased);
        assert_fit(&noted, &["--rule", "other", "--path", "**"], Fit::Differs);
    }

    #[test]
    fn what_is_no_decision_fits_only_where_nothing_but_time_is_asked_for() {
        let other = record(&json!({"kind": "segment"}));
        assert_fit(&other, &["--since", "2023-01-01"], Fit::Fits);
        for args in [&["--verdict", "deny"], &["--path", "**"], &["--session", "s1"]] {
            assert_fit(&other, args, Fit::Differs);
        }
        let late = record(&json!({"time": "late"}));
        assert_fit(&late, &[], Fit::Fits);
        assert_fit(&late, &["--since", "0001-01-01"], Fit::Differs);
    }

    #[test]
    fn times_that_nobody_knows_are_refused() {
        for age in ["7d", "12h", "0s", "2w", "30m", "99999999d"] {
            assert!(when(age).is_ok(), "{age}");
            sieve(&["--since", age, "--until", age]);
        }
        for text in ["", "d", "7", "-1d", "7 d", "2024-13-01", "yesterday", "9223372036854775807w"]
        {
            assert!(when(text).is_err(), "{text}");
        }
    }
}
