//! The reference's cases, held against the binary. Where we differ, the case stands in
//! `parity-differences.md` with our verdict and the reason; no other may differ.

use crate::support::House;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

fn tests_folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

/// Reads the table of differences: case -> our verdict.
fn differences() -> BTreeMap<String, String> {
    let text = fs::read_to_string(tests_folder().join("parity-differences.md")).unwrap();
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `"));
    let cell = |row: &str| {
        let cells: Vec<&str> = row.split('|').map(|cell| cell.trim().trim_matches('`')).collect();
        (cells[0].to_owned(), cells[1].to_owned())
    };
    rows.map(cell).collect()
}

fn fill(value: &Value, root: &str) -> Value {
    match value {
        Value::String(text) => Value::String(text.replace("{ROOT}", root)),
        Value::Array(items) => items.iter().map(|item| fill(item, root)).collect(),
        Value::Object(map) => {
            map.iter().map(|(key, value)| (key.clone(), fill(value, root))).collect()
        }
        other => other.clone(),
    }
}

fn base64(text: &str) -> Vec<u8> {
    const ALPHABET: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bits, mut held, mut out) = (0u32, 0, Vec::new());
    for digit in text.chars().filter_map(|char| ALPHABET.find(char)) {
        bits = bits << 6 | u32::try_from(digit).unwrap();
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push(u8::try_from(bits >> held & 0xff).unwrap());
        }
    }
    out
}

/// Runs one case; returns our verdict and what differs.
fn run(case: &Value) -> (String, Option<String>) {
    let mut house = House::new();
    let root = house.root().to_str().unwrap().to_owned();
    // A real repository, in which nothing was ever staged.
    let init = std::process::Command::new("git").args(["init", "-q", &root]).status();
    assert!(init.unwrap().success());
    for (path, text) in case["files"].as_object().into_iter().flatten() {
        house = house.file(path, text.as_str().unwrap());
    }
    for (path, data) in case["files_b64"].as_object().into_iter().flatten() {
        house = house.file(path, base64(data.as_str().unwrap()));
    }
    for (link, target) in case["symlinks"].as_object().into_iter().flatten() {
        let target = target.as_str().unwrap().replace("{ROOT}", &root);
        std::os::unix::fs::symlink(target, house.root().join(link)).unwrap();
    }
    if let Some(rules) = case["rules"].as_str() {
        house = house.file(".claude/solvi-rules.toml", rules);
    }
    let mut args = vec!["pre-edit".to_owned(), "--no-store".to_owned()];
    args.extend(["--project".to_owned(), root.clone()]);
    for arg in case["args"].as_array().into_iter().flatten() {
        args.push(arg.as_str().unwrap().replace("{ROOT}", &root));
    }
    if !args.iter().any(|arg| arg == "--rules") {
        args.extend(["--rules".to_owned(), ".claude/solvi-rules.toml".to_owned()]);
    }
    let payload = fill(&case["payload"], &root);
    let stdin = payload.as_str().map_or_else(|| payload.to_string(), ToOwned::to_owned);
    let said = house.run(&args.iter().map(String::as_str).collect::<Vec<_>>(), stdin);
    let (verdict, reason) = (said.verdict(), said.reason());
    let told = if verdict == "warn" { "allow" } else { verdict.as_str() };
    let expect = &case["expect"];
    let pieces = expect["reason_contains"].as_array().into_iter().flatten();
    let missing: Vec<String> = pieces
        .map(|piece| piece.as_str().unwrap().replace("{ROOT}", &root))
        .filter(|piece| !reason.contains(piece))
        .collect();
    let difference = if told != expect["decision"] {
        Some(format!("{verdict}, the reference {}: {reason}", expect["decision"]))
    } else if expect["silent"] == true && !said.stdout.is_empty() {
        Some(format!("not silent: {}", said.stdout))
    } else if missing.is_empty() {
        None
    } else {
        Some(format!("lacks {missing:?}: {reason}"))
    };
    (verdict, difference)
}

#[test]
fn every_case_agrees_or_is_listed_with_its_reason() {
    let cases = fs::read_to_string(tests_folder().join("vectors/parity-cases.jsonl")).unwrap();
    let cases: Vec<Value> = cases.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut listed = differences();
    let mut wrong = Vec::new();
    for case in &cases {
        let name = case["name"].as_str().unwrap();
        let quirk = case["tags"].as_array().unwrap().iter().any(|tag| tag == "quirk");
        let (verdict, difference) = run(case);
        match (listed.remove(name), difference) {
            (None, None) if !quirk => {}
            (None, None) => wrong.push(format!("{name}: a quirk is not listed (we: {verdict})")),
            (None, Some(difference)) => wrong.push(format!("{name}: {difference}")),
            (Some(ours), _) if ours != verdict => {
                wrong.push(format!("{name}: listed as {ours}, but we say {verdict}"));
            }
            (Some(_), None) if !quirk => wrong.push(format!("{name}: is listed, but agrees")),
            (Some(_), _) => {}
        }
    }
    wrong.extend(listed.into_keys().map(|name| format!("{name}: is listed, but is no case")));
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}
