//! The papers stay true: man pages, the rules file's schema, the starter rules, the README.
//!
//! `SNAPSHOTS=overwrite cargo test` renders the man pages anew.

use crate::support::House;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn at(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn text(path: &str) -> String {
    fs::read_to_string(at(path)).unwrap()
}

/// Renders the page of a command and of every sub-command below it.
fn render(command: &clap::Command, pages: &mut Vec<(String, String)>) {
    let name = command.get_display_name().unwrap_or(command.get_name()).to_owned();
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).date("").render(&mut page).unwrap();
    pages.push((format!("{name}.1"), String::from_utf8(page).unwrap()));
    for sub in command.get_subcommands().filter(|sub| sub.get_name() != "help") {
        if !sub.is_hide_set() {
            render(sub, pages);
        }
    }
}

#[test]
fn the_man_pages_are_those_of_the_command_line() {
    let mut pages = Vec::new();
    let mut command = solvi_hook::cli::command();
    command.build();
    render(&command, &mut pages);
    let overwrite = std::env::var_os("SNAPSHOTS").is_some_and(|value| value == "overwrite");
    for (name, page) in &pages {
        let path = at("man").join(name);
        if overwrite {
            fs::write(&path, page).unwrap();
        }
        let kept = fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(&kept, page, "man/{name} is not what the command line says");
    }
    let rendered: BTreeSet<String> = pages.into_iter().map(|(name, _)| name).collect();
    for entry in fs::read_dir(at("man")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let kept = rendered.contains(&name) || name.ends_with(".5") || name.ends_with(".7");
        assert!(kept, "man/{name} is the page of no sub-command");
    }
}

/// Returns the examples of a page, as they would be typed.
fn examples(page: &str) -> Vec<String> {
    let blocks = page.split("\n.EX\n").skip(1);
    let block = |block: &str| {
        let block = block.split("\n.EE").next().unwrap();
        let block = block.replace("\\-", "-").replace("\\(aq", "'").replace("\\&", "");
        block.replace("\\e", "\\") + "\n"
    };
    blocks.map(block).collect()
}

#[test]
fn every_example_of_the_pages_for_operators_works() {
    let (mut rules, mut commands) = (0, 0);
    for page in ["man/solvi-rules.5", "man/solvi-traces.5"] {
        for example in examples(&text(page)) {
            if example.contains("[[rule]]") {
                rules += 1;
                let said = House::new().rules(&example).run(&["rules", "check"], "");
                assert_eq!(said.status, Some(0), "{example}\n{}", said.stderr);
                continue;
            }
            commands += 1;
            let house = House::new().file("payload.json", text("tests/payloads/readme.json"));
            house.write("a.txt", "x\n");
            let mut shell = std::process::Command::new("/bin/sh");
            let programs = crate::support::binary().parent().unwrap().to_str().unwrap();
            shell.args(["-ec", &example]).current_dir(house.root());
            shell.env_clear().env("PATH", format!("{programs}:/usr/bin:/bin"));
            let said = crate::support::said(shell, b"");
            assert_eq!(said.status, Some(0), "{example}\n{}", said.stderr);
            assert!(!said.stdout.is_empty() || !said.stderr.is_empty(), "{example}");
        }
    }
    assert!(rules >= 5 && commands >= 3, "{rules} rules files, {commands} commands");
}

/// Returns what the schema says about the keys of a rule.
fn schema_keys() -> serde_json::Map<String, Value> {
    let schema: Value = serde_json::from_str(&text("templates/rules.schema.json")).unwrap();
    let said = House::new().run(&["rules", "schema"], "");
    assert_eq!(serde_json::from_str::<Value>(&said.stdout).unwrap(), schema);
    let defined = schema["$defs"]["rule"].as_object().or(schema["definitions"]["rule"].as_object());
    let rule = defined.unwrap();
    assert_eq!(rule["additionalProperties"], false);
    rule["properties"].as_object().unwrap().clone()
}

#[test]
fn the_schema_knows_the_keys_that_the_loader_knows() {
    let kinds = solvi_hook::engine::checks::KINDS.iter().map(|kind| kind.key);
    let loader: BTreeSet<&str> =
        solvi_hook::engine::rules::RULE_KEYS.iter().copied().chain(kinds).collect();
    let schema = schema_keys();
    assert_eq!(schema.keys().map(String::as_str).collect::<BTreeSet<_>>(), loader);
}

#[test]
fn every_example_of_the_schema_is_taken_by_the_loader() {
    for (key, about) in schema_keys() {
        let examples = about["examples"].as_array().unwrap_or_else(|| panic!("{key}"));
        for example in examples {
            let mut rule = serde_json::json!({"id": "r", "paths": ["**"]});
            rule[&key] = example.clone();
            if matches!(key.as_str(), "when" | "calibration") {
                rule["question"] = "Is it?".into();
            }
            let rules = serde_json::json!({"rules": [rule]}).to_string();
            let house = House::new().file("r.json", &rules);
            let said = house.run(&["rules", "check", "--rules", "r.json"], "");
            assert_eq!(said.status, Some(0), "{rules}\n{}", said.stderr);
        }
    }
}

#[test]
fn the_starter_rules_find_what_they_are_for_and_nothing_else() {
    for line in text("tests/vectors/starter-cases.jsonl").lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let (path, content) = (case["path"].as_str().unwrap(), case["text"].as_str().unwrap());
        let said = House::new().write(path, content);
        match case["rule"].as_str() {
            Some(rule) => {
                let reason = said.reason();
                assert!(reason.contains(&format!("{rule}: ")), "{line}: {reason}");
            }
            None => assert_eq!(said.verdict(), "allow", "{line}: {}", said.reason()),
        }
    }
}

#[test]
fn the_starter_rules_are_read_whole_by_rules_check() {
    let said = House::new().run(&["rules", "check"], "");
    assert_eq!(said.status, Some(0), "{}", said.stderr);
    let sample = House::new().run(&["sample-rules"], "");
    assert_eq!(sample.stdout, text("templates/rules.toml"));
}

#[test]
fn the_readme_shows_what_its_command_prints() {
    let readme = text("README.md");
    let payload = text("tests/payloads/readme.json");
    let said = House::new().run(&["pre-edit", "--explain", "--no-store"], payload);
    assert_eq!(said.verdict(), "deny");
    for line in said.reason().lines() {
        assert!(readme.contains(line), "the README lacks: {line}");
    }
    assert!(said.stderr.contains("verdict  deny"), "{}", said.stderr);
}

#[test]
fn completions_are_written_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let said = House::new().run(&["completions", shell], "");
        assert_eq!(said.status, Some(0));
        assert!(said.stdout.contains("pre-edit"), "{shell}");
    }
}

#[test]
fn every_help_shows_an_example() {
    let mut command = solvi_hook::cli::command();
    command.build();
    let mut left = vec![command];
    while let Some(mut command) = left.pop() {
        let help = command.render_long_help().to_string();
        assert!(help.contains("Example"), "{}: {help}", command.get_name());
        left.extend(command.get_subcommands().filter(|sub| sub.get_name() != "help").cloned());
    }
}
