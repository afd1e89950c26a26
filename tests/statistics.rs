//! What a store's decisions came to: every format of `report` against the files under
//! `tests/statistics/` (`SNAPSHOTS=overwrite` renews them), and `report` and `query` over stores of
//! both programs.

use crate::support::{House, Said};
use serde_json::{Value, json};
use solvi_hook::domain::sanitize::hidden;
use solvi_hook::domain::{Utc, Verdict};
use solvi_hook::report::Style;
use solvi_hook::report::statistics::{About, Counter, FORMATS, Look, Record, Statistics, by_name};
use std::path::PathBuf;
use std::time::Duration;

const STORE: &str = ".solvi/traces/hooks.jsonl";

/// What the reference program's hook wrote: an edit that two rules refuse, and the next, allowed.
const REFERENCE: &str = include_str!("vectors/trace-reference.jsonl");

/// A decision, one that was redacted, and the note of that.
const SAMPLE: &str = include_str!("vectors/trace-sample.jsonl");

/// Text that would like to be more than text.
const NASTY: &str = "a`|<b>&\"'\u{1b}[2K\u{202e}\n@all #1.py";

fn eventful() -> Statistics {
    let mut counter = Counter::default();
    let day = |day| Utc::of_date(2024, 5, day);
    let edits = [
        (Verdict::Allow, 1, "src/a.py", 3),
        (Verdict::Allow, 1, "src/a.py", 4),
        (Verdict::Warn, 2, "src/a.py", 5),
        (Verdict::Deny, 2, NASTY, 900),
        (Verdict::Ask, 5, "src/b.py", 70),
        (Verdict::Ask, 5, NASTY, 2),
        (Verdict::Allow, 6, "src/b.py", 1),
    ];
    for (number, (verdict, date, path, ms)) in edits.into_iter().enumerate() {
        let id = format!("{number:016x}");
        let second = if verdict > Verdict::Warn { None } else { Some(Verdict::Allow) };
        counter.add(&Record {
            id: &id,
            time: day(date),
            hook: Some("pre-edit"),
            path: Some(path),
            session: Some("s-1"),
            verdict: Some(verdict),
            rules: vec![("no-eval".into(), Some(verdict)), ("<i>".into(), second)],
            duration: Some(Duration::from_millis(ms)),
            ..Record::default()
        });
    }
    counter.add(&Record {
        verdict: Some(Verdict::Deny),
        time: day(6),
        redacted: true,
        ..Record::default()
    });
    let about = About::Summary { answered: false };
    counter.add(&Record { about, verdict: Some(Verdict::Allow), ..Record::default() });
    counter.untold();
    counter.unreadable(None, 7);
    counter.unreadable(None, 9);
    let filters = vec!["since 2024-05-01T00:00:00Z".to_owned(), "path **/<a>".to_owned()];
    Statistics { store: "old <store>.jsonl".to_owned(), filters, ..counter.finish() }
}

fn empty() -> Statistics {
    Statistics { store: STORE.to_owned(), empty: true, ..Counter::default().finish() }
}

fn written(told: &Statistics, format: &str, look: Look) -> String {
    let mut out = Vec::new();
    by_name(format).unwrap().write(told, look, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[track_caller]
fn assert_kept(name: &str, actual: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/statistics").join(name);
    if std::env::var_os("SNAPSHOTS").is_some_and(|value| value == "overwrite") {
        std::fs::write(&path, actual).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    assert_eq!(actual, kept, "{name}: `SNAPSHOTS=overwrite cargo test` renews it");
}

#[test]
fn every_format_tells_the_same_things() {
    for format in FORMATS {
        let name = format.name();
        assert_kept(&format!("eventful.{name}"), &written(&eventful(), name, Look::default()));
        assert_kept(&format!("empty.{name}"), &written(&empty(), name, Look::default()));
    }
}

#[test]
fn a_terminal_sees_bars_and_colours_when_it_may() {
    let barred = |style| written(&eventful(), "text", Look { style, bars: true });
    assert_kept("eventful.bars", &barred(Style::Plain));
    let coloured = barred(Style::Coloured);
    let bare = ["31", "32", "33", "35", "36", "0"]
        .iter()
        .fold(coloured.clone(), |text, code| text.replace(&format!("\u{1b}[{code}m"), ""));
    assert!(coloured.contains("\u{1b}[31m████████████\u{1b}[0m"), "{coloured}");
    assert_eq!(bare, barred(Style::Plain));
}

#[test]
fn nothing_hides_in_any_format() {
    for format in FORMATS {
        let text = written(&eventful(), format.name(), Look::default());
        assert!(text.chars().all(|char| char == '\n' || !hidden(char)), "{text}");
    }
}

#[test]
fn the_page_is_well_formed_and_needs_nothing_else() {
    let page = written(&eventful(), "html", Look::default());
    for outside in ["<script", "http://", "https://", "url(", "@import", "src=", "<link"] {
        assert!(!page.contains(outside), "{outside}");
    }
    let (_, body) = page.split_once("<body>").unwrap();
    let body = format!("<body>{}", body.replace("</html>", ""));
    let body = roxmltree::Document::parse(&body).unwrap();
    let count = |name| body.descendants().filter(|node| node.has_tag_name(name)).count();
    assert_eq!((count("figure"), count("b"), count("table")), (1, 0, 5));
}

fn ask(number: u64, seconds: u64, meta: &Value) -> String {
    let hash = format!("{number:064x}");
    let mut record = json!({"v": 2, "kind": "ask", "seq": number, "hash": hash, "id": hash[48..]});
    record["time"] = (1_700_000_000 + seconds).into();
    record["meta"] = meta.clone();
    record.to_string() + "\n"
}

/// A store of both programs: five decisions on four days, and lines of other kinds.
fn mixed() -> String {
    let ours = |path: &str, session: &str, verdict: &str| {
        json!({
            "hook": "pre-edit", "tool": "Edit", "path": path, "session_id": session,
            "outcome": verdict, "rules": ["no-eval", "todo"],
            "solvi_hook": {"verdict": verdict, "checks": {"no_eval": verdict}},
        })
    };
    [
        SAMPLE,
        &ask(3, 86_400, &ours("src/a.py", "s1", "ask")),
        &ask(4, 2 * 86_400, &ours("docs/b.md", "s2", "warn")),
        &ask(5, 3 * 86_400, &ours("src/a.py", "s2", "allow")),
        "no record\n\n",
        ask(6, 4 * 86_400, &ours("src/c.py", "s1", "ask")).trim_end(),
    ]
    .concat()
}

fn mixed_house() -> House {
    House::new().file(STORE, mixed())
}

fn report(house: &House, args: &[&str]) -> Value {
    let args: Vec<&str> = ["report", "--format", "json"].iter().chain(args).copied().collect();
    let said = house.run(&args, "");
    assert_eq!((said.status, said.stderr.as_str()), (Some(0), ""), "{said:?}");
    serde_json::from_str(&said.stdout).unwrap()
}

fn tally(counts: [u64; 4]) -> Value {
    let [allowed, warned, asked, denied] = counts;
    json!({"allowed": allowed, "warned": warned, "asked": asked, "denied": denied, "unrated": 0})
}

#[test]
fn a_store_of_the_reference_program_is_counted() {
    let house = House::new().file("old.jsonl", REFERENCE);
    let report = report(&house, &["old.jsonl"]);
    assert_eq!(report["tally"], tally([1, 0, 0, 1]));
    let rule = |at: usize| {
        let row = &report["rules"]["rows"][at];
        [&row["name"], &row["denied"], &row["unrated"], &row["allowed"]].map(Clone::clone)
    };
    assert_eq!(rule(0), [json!("ask-me"), json!(0), json!(1), json!(1)]);
    assert_eq!(rule(1), [json!("no-eval"), json!(1), json!(0), json!(1)]);
    assert_eq!(report["paths"]["rows"][0]["name"], "a.py");
    assert_eq!(report["sessions"]["rows"][0]["name"], "s1");
    let slowest = report["slowest"].as_array().unwrap();
    assert_eq!(slowest.len(), 2);
    assert!(slowest[0]["ms"].as_f64() >= slowest[1]["ms"].as_f64());
}

#[test]
fn what_is_no_plain_decision_is_told() {
    let report = report(&mixed_house(), &[]);
    assert_eq!(report["tally"], tally([2, 1, 2, 1]));
    assert_eq!((&report["redacted"], &report["redacted_untold"]), (&json!(1), &json!(0)));
    assert_eq!(report["unreadable"], json!({"count": 1, "lines": [7], "files": [null]}));
    let open = &report["unresolved"];
    // Another session's edit of the same file settles nothing.
    assert_eq!(open["count"], 2);
    assert_eq!(open["asks"][0]["path"], "src/c.py");
    assert_eq!(open["asks"][0]["rules"], json!(["no-eval"]));
}

#[test]
fn an_answer_at_the_terminal_settles_the_asks_of_a_commit() {
    let file = json!({"hook": "check-staged", "path": "a", "outcome": "ask"});
    let summary = json!({
        "hook": "check-staged", "outcome": "ask", "solvi_hook": {"files": 1, "answered": true},
    });
    let house = House::new().file(STORE, ask(0, 0, &file));
    assert_eq!(report(&house, &[])["unresolved"]["count"], 1);
    let house = House::new().file(STORE, ask(0, 0, &file) + &ask(1, 0, &summary));
    let report = report(&house, &[]);
    assert_eq!((&report["unresolved"]["count"], &report["checks"]), (&json!(0), &json!(1)));
}

#[test]
fn filters_choose_what_is_counted() {
    let house = mixed_house();
    for (args, counts, untold) in [
        (&["--since", "2023-11-16"][..], [1, 1, 1, 0], 0),
        (&["--until", "2023-11-14"], [1, 0, 0, 1], 0),
        (&["--since", "2023-11-15T22:13:20Z", "--until", "2023-11-15T22:13:21Z"], [0, 0, 1, 0], 0),
        (&["--since", "7d"], [0, 0, 0, 0], 0),
        (&["--path", "src/**", "--path", "!**/c.py"], [1, 0, 1, 0], 1),
        (&["--session", "s2", "--session", "s3"], [1, 1, 0, 0], 1),
        (&["--rule", "todo"], [1, 1, 2, 0], 1),
        (&["--rule", "todo", "--verdict", "deny"], [0, 0, 0, 0], 0),
        (&["--verdict", "ask,deny"], [0, 0, 2, 1], 0),
    ] {
        let report = report(&house, args);
        assert_eq!(report["tally"], tally(counts), "{args:?}");
        assert_eq!(report["redacted_untold"], untold, "{args:?}");
    }
    let told = report(&house, &["--rule", "todo", "--since", "2023-11-14"]);
    assert_eq!(told["filters"], json!(["since 2023-11-14T00:00:00Z", "rule todo"]));
    let rules = told["rules"]["rows"].as_array().unwrap();
    assert!(rules.iter().all(|row| row["name"] == "todo"), "{rules:?}");
}

#[test]
fn an_empty_store_says_so() {
    let house = House::new().file(STORE, "");
    let said = house.run(&["report"], "");
    let told = format!("{STORE}: the store holds no records\n");
    assert_eq!((said.status, said.stdout, said.stderr), (Some(0), told, String::new()));
    let said = house.run(&["query"], "");
    assert_eq!((said.status, said.stdout.as_str()), (Some(0), ""));
}

#[test]
fn a_store_that_is_not_there_is_one_clear_error() {
    for command in ["report", "query"] {
        let said = House::new().run(&[command, "gone.jsonl"], "");
        assert_eq!((said.status, said.stdout.as_str()), (Some(2), ""));
        let told = "error: the store `gone.jsonl` cannot be read\n  there is no such file\nnext: ";
        assert!(said.stderr.starts_with(told), "{}", said.stderr);
    }
}

#[test]
fn what_a_filter_cannot_mean_is_a_usage_error() {
    for args in [["--since", "soon"], ["--verdict", "maybe"], ["--format", "pdf"]] {
        for command in ["report", "query"] {
            let said = House::new().run(&[command, args[0], args[1]], "");
            assert_eq!((said.status, said.stdout.as_str()), (Some(2), ""), "{said:?}");
        }
    }
}

fn query(house: &House, args: &[&str]) -> Said {
    let args: Vec<&str> = ["query"].iter().chain(args).copied().collect();
    let said = house.run(&args, "");
    assert_eq!(said.status, Some(0), "{said:?}");
    said
}

#[test]
fn a_query_writes_the_stored_lines_as_they_are_but_for_what_a_terminal_hides() {
    let odd = "{ \"hash\":\"\\u0061b\" , \"a\u{2028}\":1.00}\r\n";
    let house = House::new().file(STORE, format!("{SAMPLE}{odd}"));
    let shown = odd.replace('\u{2028}', "\\u2028");
    assert_eq!(query(&house, &[]).stdout, format!("{SAMPLE}{shown}"));
    let first = SAMPLE.split_inclusive('\n').next().unwrap();
    assert_eq!(query(&house, &["--verdict", "deny"]).stdout, first);
}

#[test]
fn a_query_is_limited_from_either_end() {
    let house = mixed_house();
    let seqs = |args: &[&str]| -> Vec<u64> {
        let lines = query(&house, args).stdout;
        let seq = |line: &str| serde_json::from_str::<Value>(line).unwrap()["seq"].as_u64();
        lines.lines().filter_map(seq).collect()
    };
    assert_eq!(seqs(&[]), [0, 1, 2, 3, 4, 5, 6]);
    assert_eq!(seqs(&["--limit", "2"]), [0, 1]);
    assert_eq!(seqs(&["--last", "--limit", "2"]), [6, 5]);
    assert_eq!(seqs(&["--last", "--verdict", "ask,warn"]), [6, 4, 3]);
    assert!(seqs(&["--limit", "0"]).is_empty());
}

#[test]
fn a_query_tells_what_it_could_not_hold_against_the_filter() {
    let said = query(&mixed_house(), &["--path", "docs/*"]);
    assert_eq!(said.stdout.lines().count(), 1);
    assert!(said.stderr.contains("1 line cannot be read as a record: 7"), "{}", said.stderr);
    assert!(said.stderr.contains("nobody can tell whether they fit: 1"), "{}", said.stderr);
}

#[test]
fn a_table_names_time_verdict_path_rules_and_id() {
    let table = query(&mixed_house(), &["--format", "table"]).stdout;
    let lines: Vec<Vec<&str>> =
        table.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines[0], ["time", "verdict", "path", "rules", "id"]);
    assert_eq!(
        lines[1],
        ["2023-11-14T22:13:20Z", "deny", "lib/ü.py", "no-eval", "131822ec50da1284"]
    );
    assert_eq!(lines[2][1..4], ["allow", "(redacted)", "no-secret"]);
    assert_eq!(lines[4][1..4], ["ask", "src/a.py", "no-eval"]);
}
