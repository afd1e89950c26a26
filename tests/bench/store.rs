//! The store: how fast it is verified and audited, and whether appending to it stays as fast as it
//! grows.
//!
//! `cargo bench --bench store [RECORDS] [LONG]` makes a store of RECORDS (20,000) decisions of the
//! reference program's making and verifies it with whole processes; with
//! `SOLVI_REFERENCE=/path/to/solvi` the reference program verifies the same store beside it, and
//! the ratio should be 8 or more. The same store is audited as a whole, beside the reference program
//! that audits one decision a process; the ratio should be 20 or more. Then it appends, one record a time, to a store of LONG
//! (1,000,000) small records and to an empty one by turns; the ratio of the medians should be
//! 1.3 or less.

use serde_json::{Map, Value, json};
use solvi_hook::store::chain::Entry;
use solvi_hook::store::traces::Traces;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// Two decisions of the reference program.
const DECISIONS: &str = include_str!("../vectors/trace-reference.jsonl");

const PATIENCE: Duration = Duration::from_secs(9);

/// How many records are written at once while a store is made.
const BATCH: usize = 5_000;

/// Makes a store of `count` records.
fn make(path: &Path, count: usize, record: impl Fn(usize) -> Entry) -> Outcome<Traces> {
    let store = Traces::at(path, PATIENCE)?;
    for first in (0..count).step_by(BATCH) {
        let batch: Vec<Entry> = (first..count.min(first + BATCH)).map(&record).collect();
        store.append(&batch)?;
    }
    Ok(store)
}

/// Returns the decisions by turns, each with another call and another time.
fn decisions() -> Outcome<impl Fn(usize) -> Entry> {
    let parsed: Result<Vec<Map<String, Value>>, _> =
        DECISIONS.lines().map(serde_json::from_str).collect();
    let mut decisions = parsed?;
    for decision in &mut decisions {
        decision.retain(|key, _| !["seq", "prev", "hash", "id"].contains(&key.as_str()));
    }
    Ok(move |at: usize| {
        let mut decision = decisions[at % decisions.len()].clone();
        decision["meta"]["tool_use_id"] = format!("call-{at}").into();
        decision["time"] = json!(1_700_000_000.25 + f64::from(u32::try_from(at).unwrap_or(0)));
        Entry::whole(decision)
    })
}

fn small(at: usize) -> Entry {
    let fields = [
        ("v", json!(2)),
        ("kind", json!("note")),
        ("time", json!(1_700_000_000.25)),
        ("meta", json!({"path": format!("src/file-{at}.py"), "outcome": "allow"})),
    ];
    Entry::whole(fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

/// Runs a program that verifies a store; returns how long it took.
fn verify(program: &str, store: &Path) -> Outcome<Duration> {
    let begun = Instant::now();
    let done = Command::new(program).arg("verify").arg(store).stdout(Stdio::null()).status()?;
    let took = begun.elapsed();
    if done.success() { Ok(took) } else { Err(format!("{program} verify: {done}").into()) }
}

/// The rules by which the decisions were made.
const RULES: &str = r#"
[[rule]]
id = "no-eval"
paths = ["**/*.py"]
forbid_calls = ["eval"]
why = "x"
[[rule]]
id = "ask-me"
paths = ["**/*.py"]
forbid = ["TODO"]
why = "y"
on_fail = "ask"
"#;

/// Runs a program that audits decisions of a store, all of which must be the same.
fn audit(program: &str, args: &[&str], folder: &Path) -> Outcome<Duration> {
    let begun = Instant::now();
    let mut command = Command::new(program);
    let done = command.args(args).args(["--rules", "rules.toml", "--project", "."]);
    let done = done.current_dir(folder).stdout(Stdio::null()).status()?;
    let took = begun.elapsed();
    if done.success() { Ok(took) } else { Err(format!("{program} {args:?}: {done}").into()) }
}

/// Audits a store; returns what that came to.
fn audits(store: &Path, count: usize, reference: Option<&str>) -> Outcome<String> {
    let folder = store.parent().ok_or("a store is in a folder")?;
    fs::write(folder.join("rules.toml"), RULES)?;
    let text = fs::read_to_string(store)?;
    let ids = text.lines().take(3).map(|line| -> Outcome<String> {
        let record: Value = serde_json::from_str(line)?;
        Ok(record["id"].as_str().unwrap_or_default().to_owned())
    });
    let ids: Vec<String> = ids.collect::<Outcome<_>>()?;
    let store = store.to_str().ok_or("a folder's name is text")?;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..5 {
        ours.push(audit(env!("CARGO_BIN_EXE_solvi-hook"), &["audit", "--all", store], folder)?);
    }
    if let Some(reference) = reference {
        for id in ids.iter().cycle().take(9) {
            theirs.push(audit(reference, &["hook", "audit", id, "--store", store], folder)?);
        }
    }
    let own = rate(count, &mut ours);
    let mut table = format!("audit --all, {count} records: {own:.0} records/s\n");
    if !theirs.is_empty() {
        let other = rate(1, &mut theirs);
        let ratio = own / other;
        let _ =
            writeln!(table, "  the reference: {other:.2} records/s; {ratio:.0} x (budget 20 x)");
    }
    Ok(table)
}

fn rate(count: usize, times: &mut [Duration]) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "counts of records are small")]
    let count = count as f64;
    count / median(times).as_secs_f64()
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn main() -> Outcome<()> {
    let mut numbers = std::env::args().filter_map(|arg| arg.parse::<usize>().ok());
    let (count, long) = (numbers.next().unwrap_or(20_000), numbers.next().unwrap_or(1_000_000));
    let folder = tempfile::tempdir()?;
    let mut table = String::new();

    let path = folder.path().join("decisions.jsonl");
    make(&path, count, decisions()?)?;
    let size = fs::metadata(&path)?.len();
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let reference = std::env::var("SOLVI_REFERENCE").ok();
    for _ in 0..5 {
        ours.push(verify(env!("CARGO_BIN_EXE_solvi-hook"), &path)?);
        if let Some(reference) = reference.as_ref().filter(|_| theirs.len() < 3) {
            theirs.push(verify(reference, &path)?);
        }
    }
    let own = rate(count, &mut ours);
    let _ = writeln!(table, "verify, {count} records, {} MB: {own:.0} records/s", size / 1_000_000);
    if !theirs.is_empty() {
        let other = rate(count, &mut theirs);
        let ratio = own / other;
        let _ = writeln!(table, "  the reference: {other:.0} records/s; {ratio:.1} x (budget 8 x)");
    }

    table += &audits(&path, count, reference.as_deref())?;

    let stores = [
        make(&folder.path().join("long.jsonl"), long, small)?,
        make(&folder.path().join("empty.jsonl"), 0, small)?,
    ];
    let mut times = [Vec::new(), Vec::new()];
    for round in 0..300 {
        for (store, times) in stores.iter().zip(&mut times) {
            let entry = [small(round)];
            let begun = Instant::now();
            store.append(&entry)?;
            times.push(begun.elapsed());
        }
    }
    let [long_median, empty_median] = times.each_mut().map(|times| median(times));
    let ratio = long_median.as_secs_f64() / empty_median.as_secs_f64();
    let _ = writeln!(
        table,
        "append to {long} records: {long_median:.1?}; to an empty store: {empty_median:.1?}; \
         {ratio:.2} x (budget 1.3 x)"
    );
    std::io::stdout().write_all(table.as_bytes())?;
    Ok(())
}
