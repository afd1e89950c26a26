//! The star rule: a room names the hall and itself; only the door names rooms. The table in
//! `src/lib.rs` says which crates and how much of the outside world each room may use.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

struct Room {
    crates: Vec<String>,
    outside: String,
}

/// Reads the table of rooms from the map.
fn rooms() -> BTreeMap<String, Room> {
    let map = fs::read_to_string(src().join("lib.rs")).unwrap();
    let mut rooms = BTreeMap::new();
    for row in map.lines().filter_map(|line| line.strip_prefix("//! | `")) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        if let [name, _question, crates, outside, ""] = cells[..] {
            let crates = crates.split(", ").map(|it| it.trim_matches('`').to_owned()).collect();
            let name = name.trim_end_matches('`').to_owned();
            rooms.insert(name, Room { crates, outside: outside.to_owned() });
        }
    }
    rooms
}

fn src() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

/// Returns the code of a room's files: without comments, and without what stands below the
/// first `#[cfg(test)]`.
fn code(room: &str) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    files(&src().join(room), &mut found);
    found.retain(|path| path.file_name().is_some_and(|name| name != "tests.rs"));
    let code = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        let text = text.split("#[cfg(test)]").next().unwrap_or_default().to_owned();
        let lines = text.lines().map(|line| line.split("//").next().unwrap_or_default());
        let text = lines.collect::<Vec<_>>().join("\n");
        (path, text)
    };
    found.into_iter().map(code).collect()
}

/// Returns every identifier that stands before `::`.
fn heads(code: &str) -> Vec<&str> {
    let word = |char: char| char.is_alphanumeric() || char == '_';
    code.match_indices("::")
        .filter_map(|(at, _)| {
            let before = &code[..at];
            let start = before.rfind(|char| !word(char)).map_or(0, |at| at + 1);
            // `a::b::c`: only the first name is a crate.
            (!before[..start].ends_with("::")).then_some(&before[start..])
        })
        .filter(|head| !head.is_empty())
        .collect()
}

/// Returns the names of all dependencies, as code spells them.
fn dependencies() -> Vec<String> {
    let manifest = fs::read_to_string(src().join("../Cargo.toml")).unwrap();
    let table = manifest.split("[dependencies]").nth(1).unwrap().split("\n[").next().unwrap();
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    lines
        .filter_map(|line| line.split_once(" = "))
        .map(|(name, _)| name.trim().replace('-', "_"))
        .collect()
}

#[test]
fn the_map_names_every_room() {
    let mut there: Vec<String> = fs::read_dir(src())
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    there.sort();
    assert_eq!(there, rooms().into_keys().collect::<Vec<_>>());
}

#[test]
fn a_room_names_the_hall_and_itself() {
    for room in rooms().keys().filter(|room| *room != "cli") {
        for (path, code) in code(room) {
            for piece in code.split("crate::").skip(1) {
                let named: String = piece
                    .chars()
                    .take_while(|char| char.is_alphanumeric() || *char == '_')
                    .collect();
                let fine = named == "domain" || named == *room;
                assert!(fine, "{} names the room `{named}`", path.display());
            }
        }
    }
}

#[test]
fn a_room_uses_the_crates_that_the_map_gives_it() {
    let dependencies = dependencies();
    for (name, room) in rooms() {
        let mut used = Vec::new();
        for (path, code) in code(&name) {
            for head in
                heads(&code).into_iter().filter(|head| dependencies.iter().any(|it| it == head))
            {
                let given = room.crates.iter().any(|it| it == head);
                assert!(given, "{} uses `{head}`, which the map does not give it", path.display());
                used.push(head.to_owned());
            }
        }
        let unused: Vec<_> = room.crates.iter().filter(|given| !used.contains(given)).collect();
        assert!(unused.is_empty(), "the map gives `{name}` what it does not use: {unused:?}");
    }
}

#[test]
fn the_outside_is_met_only_where_the_map_says() {
    let words = [
        ("files", vec!["fs", "File"]),
        ("environment", vec!["env"]),
        ("process", vec!["process", "Command"]),
        ("clock", vec!["Instant", "SystemTime"]),
        ("socket", vec!["net", "TcpStream"]),
    ];
    for (name, room) in rooms() {
        for (path, code) in code(&name) {
            for (what, heads_of) in &words {
                let met =
                    heads(&code.replace("std::", " ")).iter().any(|head| heads_of.contains(head));
                assert!(!met || room.outside.contains(what), "{} meets {what}", path.display());
            }
        }
    }
}

#[test]
fn every_file_says_what_it_is_for() {
    let mut found = Vec::new();
    files(&src(), &mut found);
    for path in found {
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.starts_with("//! "), "{} begins without a word", path.display());
    }
}
