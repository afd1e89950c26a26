//! Stores in several files, and stores in a database: through the binary.

use super::{denied, deny, house, store};
use crate::support::House;
use serde_json::Value;
use std::fs;
use std::process::Stdio;

fn verified(house: &House, arguments: &[&str]) -> String {
    let said = house.run(&[&["verify"], arguments].concat(), "");
    assert_eq!(said.status, Some(0), "{said:?}");
    said.stdout
}

fn accepted_by_the_reference(store: &std::path::Path) {
    if let Some(reference) = std::env::var_os("SOLVI_REFERENCE") {
        let verify = std::process::Command::new(reference).arg("verify").arg(store).output();
        let verify = verify.unwrap();
        assert!(verify.status.success(), "{verify:?}");
    }
}

#[test]
fn a_rotated_store_is_verified_anchored_and_retired_as_one() {
    let house = house();
    deny(&house);
    deny(&house);
    let old = house.run(&["anchor"], "").stdout;
    let small = house.run(&["traces", "rotate", "--max-size", "1MB"], "");
    assert_eq!((small.status, small.stdout.as_str()), (Some(0), "nothing to seal\n"));
    let sealed = house.run(&["traces", "rotate"], "");
    assert_eq!(sealed.stdout, "sealed 2 records as hooks.000001.jsonl\n", "{sealed:?}");
    deny(&house).expect("deny", &["(recorded as "]);
    assert!(verified(&house, &[]).contains("4 records in 2 files; anchor 4:"));
    verified(&house, &["--anchor", old.trim()]);
    let new = house.run(&["anchor"], "").stdout;
    assert!(new.starts_with("4:"), "{new}");
    accepted_by_the_reference(&store(&house));
    accepted_by_the_reference(&store(&house).with_file_name("hooks.000001.jsonl"));
    let retired = house.run(&["traces", "rotate", "--keep", "0s"], "");
    assert!(retired.stdout.contains("retired 2 records in hooks.000001.jsonl"), "{retired:?}");
    let told = verified(&house, &["--anchor", new.trim()]);
    assert!(told.contains("note: 2 records in `hooks.000001.jsonl` were retired on 20"), "{told}");
}

#[test]
fn writers_and_a_rotation_at_once_lose_nothing() {
    let house = house();
    fs::write(house.root().join("payload"), denied("")).unwrap();
    deny(&house);
    let hooks: Vec<_> = (0..24)
        .map(|at| {
            let mut hook =
                house.command(if at % 6 == 5 { &["traces", "rotate"] } else { &["pre-edit"] });
            hook.stdin(fs::File::open(house.root().join("payload")).unwrap());
            hook.stdout(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    for hook in hooks {
        let said = hook.wait_with_output().unwrap();
        let said = String::from_utf8(said.stdout).unwrap();
        let done = ["(recorded as ", "sealed ", "nothing to seal"];
        assert!(done.iter().any(|done| said.contains(done)), "{said}");
    }
    let report = super::report(&house);
    assert!(report.is_intact(), "{:?}", report.problems);
    assert_eq!(report.tip.count, 21 + report.files - 1);
}

#[test]
fn records_are_exported_from_all_files() {
    let house = house();
    deny(&house);
    house.run(&["traces", "rotate"], "");
    house.write("b.txt", "fine\n");
    let export = |arguments: &[&str]| {
        let said = house.run(&[&["traces", "export", "--format"], arguments].concat(), "");
        assert_eq!(said.status, Some(0), "{said:?}");
        said.stdout
    };
    let lines = export(&["jsonl"]);
    assert_eq!(lines.lines().count(), 3);
    let table = export(&["csv", "--since", "1d"]);
    assert!(table.starts_with("time,seq,id,kind,"), "{table}");
    assert_eq!(table.lines().count(), 3);
    assert!(table.contains(",\"a.py\",\"deny\",\"no-token\","), "{table}");
    let logs: Value = serde_json::from_str(&export(&["otlp-json"])).unwrap();
    let logs = logs["resourceLogs"][0]["scopeLogs"][0]["logRecords"].as_array().unwrap();
    assert_eq!(logs.len(), 2);
    assert_eq!(
        (&logs[0]["severityText"], &logs[1]["severityText"]),
        (&"ERROR".into(), &"INFO".into())
    );
    assert!(logs[0]["timeUnixNano"].as_str().unwrap().parse::<u64>().unwrap() > 1 << 60);
    for none in [["csv", "--until", "2001-01-01"], ["csv", "--since", "0s"]] {
        assert_eq!(export(&none).lines().count(), 1);
    }
    let empty: Value = serde_json::from_str(&export(&["otlp-json", "--since", "0s"])).unwrap();
    assert_eq!(empty["resourceLogs"][0]["scopeLogs"][0]["logRecords"], serde_json::json!([]));
}

#[test]
fn a_database_is_written_verified_and_exported() {
    let house = house();
    let args = ["pre-edit", "--store", "sqlite:kept.traces"];
    fs::write(house.root().join("payload"), denied("")).unwrap();
    house.run(&args, denied("")).expect("deny", &["(recorded as "]);
    let hooks: Vec<_> = (0..12)
        .map(|_| {
            let mut hook = house.command(&args);
            hook.stdin(fs::File::open(house.root().join("payload")).unwrap());
            hook.stdout(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    for hook in hooks {
        let reason = super::reason(&hook.wait_with_output().unwrap().stdout).unwrap();
        assert!(super::recorded(&reason).is_some(), "{reason}");
    }
    assert!(verified(&house, &["kept.traces"]).contains("13 records; anchor 13:"));
    let anchor = house.run(&["anchor", "sqlite:kept.traces"], "").stdout;
    verified(&house, &["kept.traces", "--anchor", anchor.trim()]);
    let lines = house.run(&["traces", "export", "kept.traces"], "").stdout;
    assert_eq!(lines.lines().count(), 13);
    fs::rename(house.root().join("kept.traces"), house.root().join("kept.db")).unwrap();
    accepted_by_the_reference(&house.root().join("kept.db"));
    let refused = house.run(&["traces", "rotate", "kept.db"], "");
    assert_eq!(refused.status, Some(2), "{refused:?}");
    // A name that says lines does not make lines of it.
    let said = house.run(&["pre-edit", "--store", "other.db"], denied(""));
    said.expect("deny", &["(recorded as "]);
    fs::rename(house.root().join("other.db"), house.root().join("other.jsonl")).unwrap();
    let said = house.run(&["pre-edit", "--store", "other.jsonl"], denied(""));
    said.expect("deny", &["This decision is not recorded: ", "holds an SQLite database"]);
    assert!(!store(&house).exists());
}
