//! Payloads recorded from Claude Code beside the replies that they get: `NAME.json` and
//! `NAME.reply.json` (none: silence). `SNAPSHOTS=overwrite cargo test` renews the replies.

use crate::support::House;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// Every edit among the recorded payloads breaks one of these.
const RULES: &str = r#"
[[rule]]
id = "recorded-text"
paths = ["**"]
forbid = ['return 2', 'filled', '# more', 'x = 10', '^[1y]$', '^(bg_)?made$', '^mcp$', '^x$']
why = "These lines stand in the recorded edits."
instead = "leave them out"
"#;

fn house() -> House {
    let notebook = json!({"cells": [
        {"cell_type": "code", "id": "aaa", "source": ["x = 1\n"], "outputs": []},
        {"cell_type": "code", "id": "bbb", "source": "y = 2", "outputs": []},
    ], "nbformat": 4, "nbformat_minor": 5});
    House::new()
        .rules(RULES)
        .file("src/app.py", "def f():\n    return 1\n")
        .file("dir/all_string.txt", "x\na\nx\n")
        .file("a.txt", "zero\none\n")
        .file("empty.txt", "")
        .file("n.ipynb", notebook.to_string())
}

#[test]
fn every_recorded_payload_gets_its_reply() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/payloads/claude");
    let overwrite = std::env::var_os("SNAPSHOTS").is_some_and(|value| value == "overwrite");
    let mut seen = 0;
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if name.ends_with(".reply.json") {
            continue;
        }
        seen += 1;
        let house = house();
        let root = house.root().to_str().unwrap().to_owned();
        let payload = fs::read_to_string(&path).unwrap().replace("{ROOT}", &root);
        fs::create_dir_all(house.root().join("sub")).unwrap();
        let said = house.run(&["hook", "--agent", "claude", "--no-store"], payload);
        let got = said.reply();
        let golden = path.with_extension("reply.json");
        if overwrite {
            drop(fs::remove_file(&golden));
            if !got.is_null() {
                fs::write(&golden, serde_json::to_string_pretty(&got).unwrap() + "\n").unwrap();
            }
            continue;
        }
        let wanted = fs::read_to_string(&golden);
        let wanted = wanted.map_or(Value::Null, |text| serde_json::from_str(&text).unwrap());
        assert_eq!(got, wanted, "{name}");
    }
    assert!(seen >= 21, "{seen}");
}
