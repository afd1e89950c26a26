//! `report`, `query`, `audit` and `redact` over a store in several files, and over a database:
//! through the binary.

use super::{house, payload, store};
use crate::support::{House, Said};
use serde_json::{Value, json};
use std::fs;

const SEALED: &str = "hooks.000001.jsonl";

/// Edits that are denied, one file after the other.
fn edits(house: &House, arguments: &[&str], files: &[&str]) {
    for file in files {
        let input = json!({"file_path": file, "content": format!("BANNED_WORD in {file}\n")});
        let arguments = [&["pre-edit"], arguments].concat();
        house.run(&arguments, payload("Write", &input).to_string()).expect("deny", &["(recorded"]);
    }
}

/// A store in two files: two decisions in the sealed one, one in the other.
fn rotated() -> House {
    let house = house();
    edits(&house, &[], &["a.py", "b.py"]);
    house.run(&["traces", "rotate"], "");
    edits(&house, &[], &["c.py"]);
    house
}

const DATABASE: &str = "sqlite:kept.traces";

/// The same decisions in a database.
fn database() -> House {
    let house = house();
    edits(&house, &["--store", DATABASE], &["a.py", "b.py", "c.py"]);
    house
}

/// Both, and what their store is called.
fn both() -> [(House, Option<&'static str>); 2] {
    [(rotated(), None), (database(), Some(DATABASE))]
}

fn run(house: &House, arguments: &[&str], store: Option<&str>) -> Said {
    let said = house.run(&arguments.iter().copied().chain(store).collect::<Vec<_>>(), "");
    assert_ne!(said.status, Some(2), "{said:?}");
    said
}

fn object(said: &Said) -> Value {
    serde_json::from_str(&said.stdout).unwrap_or_else(|_| panic!("{said:?}"))
}

/// Returns the decisions of a store as `query` finds them: file and id.
fn decisions(house: &House, arguments: &[&str], store: Option<&str>) -> Vec<(String, String)> {
    let said = run(house, &[&["query", "--verdict", "deny"], arguments].concat(), store);
    let record = |line: &str| serde_json::from_str::<Value>(line).unwrap();
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let records = said.stdout.lines().map(record);
    records.map(|it| (word(&it["meta"]["path"]), word(&it["id"]))).collect()
}

fn files(house: &House, arguments: &[&str], store: Option<&str>) -> Vec<String> {
    decisions(house, arguments, store).into_iter().map(|(file, _)| file).collect()
}

#[test]
fn a_report_counts_all_files_and_names_the_lines_that_cannot_be_read() {
    for (house, store) in both() {
        let told = object(&run(&house, &["report", "--format", "json"], store));
        assert_eq!((&told["decisions"], &told["tally"]["denied"]), (&3.into(), &3.into()));
    }
    let house = rotated();
    let sealed = store(&house).with_file_name(SEALED);
    let text = fs::read_to_string(&sealed).unwrap();
    fs::write(&sealed, format!("{text}broken\n")).unwrap();
    let told = object(&run(&house, &["report", "--format", "json"], None));
    assert_eq!(told["unreadable"], json!({"count": 1, "lines": [3], "files": [SEALED]}));
    let said = run(&house, &["query"], None);
    assert!(said.stderr.contains("as a record: hooks.000001.jsonl:3"), "{said:?}");
}

#[test]
fn a_query_goes_through_all_files_from_either_end() {
    for (house, store) in both() {
        let all = decisions(&house, &[], store);
        assert!(!all.is_empty());
        assert_eq!(decisions(&house, &["--since", "1d", "--until", "2999-01-01"], store), all);
        assert_eq!(decisions(&house, &["--since", "2999-01-01"], store), []);
    }
    for (house, store) in both() {
        assert_eq!(files(&house, &[], store), ["a.py", "b.py", "c.py"]);
        assert_eq!(files(&house, &["--limit", "2"], store), ["a.py", "b.py"]);
        assert_eq!(files(&house, &["--last"], store), ["c.py", "b.py", "a.py"]);
        assert_eq!(files(&house, &["--last", "--limit", "2"], store), ["c.py", "b.py"]);
        assert_eq!(files(&house, &["--last", "--path", "a.*"], store), ["a.py"]);
    }
}

#[test]
fn a_decision_is_audited_in_whichever_file_it_stands() {
    for (house, store) in both() {
        let decisions = decisions(&house, &[], store);
        for (file, id) in &decisions {
            let told = object(&run(&house, &["audit", "--json", &id[..8]], store));
            assert_eq!((&told["path"], &told["id"]), (&json!(file), &json!(id)));
            let sealed = store.is_none() && file != "c.py";
            assert_eq!(told["file"].as_str(), sealed.then_some(SEALED));
        }
        let all = object(&run(&house, &["audit", "--all", "--json"], store));
        assert_eq!((&all["replayed"], &all["flip_count"]), (&3.into(), &0.into()));
    }
    let house = rotated();
    assert_eq!(object(&run(&house, &["audit", "--json"], None))["path"], "c.py");
    house.run(&["traces", "rotate"], "");
    assert_eq!(object(&run(&house, &["audit", "--json"], None))["file"], "hooks.000002.jsonl");
    fs::write(house.root().join("none.toml"), "rule = []\n").unwrap();
    let all = run(&house, &["audit", "--all", "--rules", "none.toml"], None).stdout;
    assert!(all.contains("hooks.000001.jsonl, line 2 ("), "{all}");
    assert!(all.contains("hooks.000002.jsonl, line 2 ("), "{all}");
    let none = run(&house, &["audit", "--all", "--json", "--since", "0s"], None);
    assert_eq!(object(&none)["records"], 0);
}

#[test]
fn a_record_is_erased_in_whichever_file_it_stands() {
    for (house, store) in both() {
        let (file, id) = decisions(&house, &[], store).remove(1);
        assert_eq!(file, "b.py");
        let note = &["redact", "--note", "a name", &id[..10]];
        let said = run(&house, note, store);
        assert!(said.stdout.starts_with(&format!("redacted {id} in ")), "{said:?}");
        let verified = run(&house, &["verify"], store);
        assert_eq!(verified.status, Some(0), "{verified:?}");
        assert_eq!(files(&house, &[], store), ["a.py", "", "c.py"]);
        for entry in fs::read_dir(super::store(&house).parent().unwrap()).into_iter().flatten() {
            let path = entry.unwrap().path();
            let kept = fs::read(&path).unwrap();
            assert!(!String::from_utf8_lossy(&kept).contains("in b.py"), "{}", path.display());
        }
        let kept = fs::read(house.root().join("kept.traces")).unwrap_or_default();
        assert!(!String::from_utf8_lossy(&kept).contains("in b.py"));
        let again = house.run(&note.iter().copied().chain(store).collect::<Vec<_>>(), "");
        assert_eq!(again.status, Some(2), "{again:?}");
        assert!(again.stderr.contains(&format!("record {id} is redacted already")), "{again:?}");
    }
}

#[test]
fn a_sealed_file_is_not_named_to_erase_in_it() {
    let house = rotated();
    let (_, id) = decisions(&house, &[], None).remove(0);
    let sealed = store(&house).with_file_name(SEALED);
    let before = fs::read(&sealed).unwrap();
    let said = house.run(&["redact", &id, sealed.to_str().unwrap(), "--note", "x"], "");
    assert_eq!(said.status, Some(2), "{said:?}");
    assert!(said.stderr.contains("it is a sealed file of `"), "{said:?}");
    assert!(said.stderr.contains("next: name the store: `solvi-hook redact ID "), "{said:?}");
    assert_eq!(fs::read(&sealed).unwrap(), before);
}
