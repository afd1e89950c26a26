//! Names of files that are not UTF-8, or that cannot be shown: each finding can be told from every
//! other and its file found again, whatever the format.

use super::desk::{Desk, Told};
use crate::support::{payload, said};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

const RULES: &str = "version = 1\n[[rule]]\nid = \"no-bad\"\npaths = [\"**/*.txt\"]\n\
    forbid = [\"BAD\"]\n";

/// A name, as git and we show it, as JSON holds it, and as a URI.
const NAMES: [(&[u8], &str, &str, &str); 13] = [
    (b"caf\xe9.txt", r#""caf\351.txt""#, r#""caf\351.txt""#, "caf%E9.txt"),
    (b"caf\xe8.txt", r#""caf\350.txt""#, r#""caf\350.txt""#, "caf%E8.txt"),
    (b"caf\\351.txt", r#""caf\\351.txt""#, r"caf\351.txt", "caf%5C351.txt"),
    (b"\"caf\\351.txt", r#""\"caf\\351.txt""#, r#""\"caf\\351.txt""#, "%22caf%5C351.txt"),
    (b"q\"uote.txt", r#""q\"uote.txt""#, "q\"uote.txt", "q%22uote.txt"),
    (b"es\x1bc.txt", r#""es\033c.txt""#, "es\u{1b}c.txt", "es%1Bc.txt"),
    (b"n\nl.txt", r#""n\nl.txt""#, "n\nl.txt", "n%0Al.txt"),
    (b"t\tb.txt", r#""t\tb.txt""#, "t\tb.txt", "t%09b.txt"),
    (b"d/\xff\xfe.txt", r#""d/\377\376.txt""#, r#""d/\377\376.txt""#, "d/%FF%FE.txt"),
    (
        b"\xf4\x8f\xbf\xa9.txt",
        r#""\364\217\277\251.txt""#,
        r#""\364\217\277\251.txt""#,
        "%F4%8F%BF%A9.txt",
    ),
    (b"\xef\xbf\xbd.txt", "\u{fffd}.txt", "\u{fffd}.txt", "%EF%BF%BD.txt"),
    (b"sp ace.txt", "sp ace.txt", "sp ace.txt", "sp%20ace.txt"),
    (b"\xc3\xa9.txt", "é.txt", "é.txt", "%C3%A9.txt"),
];

fn desk() -> Desk {
    let desk = Desk::judged_by(RULES, &[]);
    for (name, ..) in NAMES {
        let path = desk.root.join(OsStr::from_bytes(name));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "BAD\n").unwrap();
    }
    desk.stage();
    desk
}

fn spelled() -> BTreeSet<String> {
    NAMES.iter().map(|(_, _, spelled, _)| (*spelled).to_owned()).collect()
}

fn paths(told: &Told) -> BTreeSet<String> {
    let findings = told.report["findings"].as_array().unwrap();
    findings.iter().map(|finding| finding["path"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn every_format_tells_every_file_from_every_other() {
    let desk = desk();
    assert_eq!(paths(&desk.staged()), spelled());
    let written = |format| {
        let said = desk.run(&["check-staged", "--no-store", "--format", format], "").stdout;
        assert!(!said.contains(['\u{1b}', '\u{10ffe9}']), "{format}: {said}");
        said
    };
    let texts = [("text", " --> {}:1:1\n"), ("junit", "\n{}:1: BAD")];
    for (format, line) in texts {
        let said = written(format);
        for (_, shown, ..) in NAMES {
            let line = line.replace("{}", shown);
            assert_eq!(said.matches(&line).count(), 1, "{format}: {line}: {said}");
        }
    }
    for (format, pointer) in [("gitlab", "/location/path"), ("rdjson", "/location/path")] {
        let report: Value = serde_json::from_str(&written(format)).unwrap();
        let list = report.get("diagnostics").unwrap_or(&report).as_array().unwrap();
        let found = list.iter().map(|it| it.pointer(pointer).unwrap().as_str().unwrap());
        assert_eq!(found.map(str::to_owned).collect::<BTreeSet<_>>(), spelled(), "{format}");
    }
    let sarif: Value = serde_json::from_str(&written("sarif")).unwrap();
    let results = sarif.pointer("/runs/0/results").unwrap().as_array().unwrap();
    let uri = "/locations/0/physicalLocation/artifactLocation/uri";
    let found: BTreeSet<&str> =
        results.iter().map(|it| it.pointer(uri).unwrap().as_str().unwrap()).collect();
    assert_eq!(found, NAMES.iter().map(|(.., uri)| *uri).collect());
    for (format, mark) in [("github", "::error file="), ("markdown", "| **deny** |")] {
        let said = written(format);
        let lines: BTreeSet<&str> = said.lines().filter(|line| line.starts_with(mark)).collect();
        assert_eq!(lines.len(), NAMES.len(), "{format}: {said}");
    }
}

#[test]
fn a_patch_a_range_and_the_working_tree_name_the_same_files() {
    let desk = desk();
    assert_eq!(paths(&desk.diff(&[])), spelled());
    let mut git = desk.0.command();
    git.args(["diff", "--cached", "HEAD"]);
    let patch = git.output().unwrap().stdout;
    let told = Told::of(desk.run(&["check-diff", "--format", "json", "--patch", "-"], patch));
    assert_eq!(paths(&told), spelled());
    desk.commit("all");
    assert_eq!(paths(&desk.diff(&["HEAD~1..HEAD"])), spelled());
    for name in [&b"caf\xe9.txt"[..], b"d/\xff\xfe.txt"] {
        std::fs::remove_file(desk.root.join(OsStr::from_bytes(name))).unwrap();
    }
    assert_eq!(desk.diff(&[]).report["summary"]["files"], 2);
}

#[test]
fn records_hold_each_name_and_are_found_and_replayed_by_it() {
    let desk = desk();
    assert_eq!(desk.run(&["check-staged"], "").status, Some(1));
    let records: Vec<Value> = desk
        .run(&["query", "--path", "**/*.txt"], "")
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let path = |record: &Value| record["meta"]["path"].as_str().unwrap().to_owned();
    assert_eq!(records.iter().map(path).collect::<BTreeSet<_>>(), spelled());
    for record in &records {
        let said = desk.run(&["audit", record["id"].as_str().unwrap()], "");
        assert_eq!(said.status, Some(0), "{said:?}");
    }
    let table = desk.run(&["query", "--format", "table"], "").stdout;
    let report = desk.run(&["report", "--format", "json"], "").stdout;
    let report: Value = serde_json::from_str(&report).unwrap();
    assert!(report.to_string().contains(r#"\"caf\\351.txt\""#), "{report}");
    for (_, shown, spelled, _) in NAMES {
        let told = table.contains(shown) || table.contains(spelled);
        assert!(told || spelled.contains(char::is_control), "{shown}: {table}");
    }
    assert_eq!(desk.run(&["verify"], "").status, Some(0));
}

/// An agent names a file in text; a link may lead to a folder whose name is none.
#[test]
fn an_edit_through_a_link_is_of_the_file_that_it_leads_to() {
    let desk = Desk::judged_by(RULES, &[]);
    for (at, name) in [&b"one\xe9"[..], b"two\xe8"].into_iter().enumerate() {
        let folder = desk.root.join(OsStr::from_bytes(name));
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join("f.txt"), "BAD\n").unwrap();
        let link = format!("link{at}");
        std::os::unix::fs::symlink(Path::new(OsStr::from_bytes(name)), desk.root.join(&link))
            .unwrap();
        desk.commit(&link);
        let shown = ["\"one\\351/f.txt\"", "\"two\\350/f.txt\""][at];
        // The file is read: its old line is no finding, a new one is.
        let write = |content: &str| {
            let input = json!({"file_path": format!("{link}/f.txt"), "content": content});
            let command = desk.command(&["pre-edit", "--no-store"]);
            said(command, payload("Write", &input).to_string().as_bytes())
        };
        let said = write("BAD\nfine\n");
        assert_eq!(said.verdict(), "allow", "{said:?}");
        write("BAD\nBAD 2\n").expect("deny", &[shown, "line 2"]);
    }
}
