//! The store under everything that can happen to it: crowds, kills, full disks, damage.

#![allow(clippy::print_stdout, reason = "figures are for whoever runs them")]

mod crowd;
mod damage;
mod full;
mod interrupted;
mod kill;
mod rotated;
mod spans;

use crate::support::{House, Said, binary, payload};
use serde_json::{Value, json};
use solvi_hook::store::verify::{self, Report};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

pub const STORE: &str = ".solvi/traces/hooks.jsonl";

/// One rule, so that every reply says where its decision was recorded.
const RULES: &str = "[[rule]]\nid = \"no-token\"\npaths = [\"**\"]\nforbid = [\"BANNED[_]WORD\"]\n";

/// Makes a project in which every edit that holds the banned word is denied.
pub fn house() -> House {
    House::new().rules(RULES)
}

/// Returns the payload of an edit that is denied, with more text behind the banned word.
pub fn denied(more: &str) -> String {
    let content = format!("BANNED_WORD {more}\n");
    payload("Write", &json!({"file_path": "a.py", "content": content})).to_string()
}

/// Returns the ids that a reason says the decision was recorded under; none when it does not.
pub fn recorded(reason: &str) -> Option<Vec<String>> {
    let (_, rest) = reason.split_once("(recorded as ")?;
    let (ids, _) = rest.split_once(" in ")?;
    Some(ids.split(", ").map(ToOwned::to_owned).collect())
}

/// Returns the reason in a reply of `pre-edit`; none when there is no whole reply.
pub fn reason(stdout: &[u8]) -> Option<String> {
    let reply: Value = serde_json::from_slice(stdout).ok()?;
    let answer = &reply["hookSpecificOutput"];
    assert_eq!(answer["permissionDecision"], "deny", "{reply}");
    answer["permissionDecisionReason"].as_str().map(ToOwned::to_owned)
}

pub fn store(house: &House) -> PathBuf {
    house.root().join(STORE)
}

/// Denies one edit; returns what was said.
pub fn deny(house: &House) -> Said {
    let said = house.run(&["pre-edit"], denied(""));
    assert_eq!(said.verdict(), "deny", "{said:?}");
    said
}

pub fn report(house: &House) -> Report {
    verify::store(&store(house), None).unwrap().unwrap()
}

/// Returns the words of what is wrong with the store.
pub fn wrong(house: &House) -> Vec<&'static str> {
    report(house).problems.iter().map(|problem| problem.trouble.word()).collect()
}

/// Returns the ids of the records in the store, in order.
pub fn ids(house: &House) -> Vec<String> {
    let text = fs::read(store(house)).unwrap();
    let lines = text.split(|byte| *byte == b'\n');
    let records = lines.filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    records.map(|record| record["id"].as_str().unwrap().to_owned()).collect()
}

/// Runs the binary from a shell in the project, after some words of shell.
pub fn shell(house: &House, before: &str, stdin: &str) -> Said {
    let mut shell = Command::new("/bin/sh");
    shell
        .args(["-c", &format!("{before}; exec '{}' pre-edit", binary().display())])
        .current_dir(house.root())
        .env_clear()
        .env("HOME", house.home());
    crate::support::said(shell, stdin.as_bytes())
}
