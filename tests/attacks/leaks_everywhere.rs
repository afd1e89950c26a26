//! No part of a secret stands in anything that leaves the process: formats by embeddings by line
//! ends.

use super::leaks::{kept, piece};
use crate::checks::desk::Desk;
use crate::support::{House, binary, payload, said};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::process::Command;

const FORMATS: [&str; 9] =
    ["text", "json", "jsonl", "sarif", "github", "gitlab", "junit", "rdjson", "markdown"];

/// The kinds of key that the built-in rules know, by their headings.
const LABELS: [&str; 5] = [
    "PRIVATE KEY",
    "RSA PRIVATE KEY",
    "OPENSSH PRIVATE KEY",
    "ENCRYPTED PRIVATE KEY",
    "PGP PRIVATE KEY BLOCK",
];

/// How a key may be written into a file.
#[derive(Clone, Copy, Debug)]
enum Embedding {
    Plain,
    Indented,
    Json,
    Twice,
    CarriageReturns,
    YamlBlock,
    YamlFolded,
    Heredoc,
    Joined,
    Implicit,
    List,
    Comment,
    Unfinished,
    Percent,
}

use Embedding::*;

const EMBEDDINGS: [Embedding; 14] = [
    Plain,
    Indented,
    Json,
    Twice,
    CarriageReturns,
    YamlBlock,
    YamlFolded,
    Heredoc,
    Joined,
    Implicit,
    List,
    Comment,
    Unfinished,
    Percent,
];

impl Embedding {
    fn of(self, label: &str, body: &[String]) -> String {
        let begin = format!("-----BEGIN {label}-----");
        let end = format!("-----END {label}-----");
        let lines: Vec<&str> = [begin.as_str()]
            .into_iter()
            .chain(body.iter().map(|it| &**it))
            .chain([&*end])
            .collect();
        let text = lines.join("\n");
        let each = |before: &str, after: &str| {
            lines.iter().map(|line| [before, line, after].concat()).collect::<Vec<_>>().concat()
        };
        match self {
            Plain => format!("{text}\n"),
            Indented => each("    ", "\n"),
            Json => format!("{}\n", json!({"a": 1, "private_key": format!("{text}\n"), "z": 2})),
            Twice => format!("{}\n", json!({"in": json!({"key": text}).to_string()})),
            CarriageReturns => format!("{{\"k\": \"{}\"}}\n", lines.join("\\r\\n")),
            YamlBlock => format!("key: |\n{}next: x\n", each("  ", "\n")),
            YamlFolded => format!("key: >-\n{}next: x\n", each("  ", "\n\n")),
            Heredoc => format!("cat <<'EOF' >key\n{text}\nEOF\n"),
            Joined => format!("k = {}\"\"\n", each("\"", "\\n\" +\n    ")),
            Implicit => format!("k = (\n{})\n", each("    '", "\\n'\n")),
            List => format!("[\n{}]\n", each("  \"", "\",\n")),
            Comment => each("// ", "\n"),
            Unfinished => {
                format!("{}\nthe rest is elsewhere\n", lines[..lines.len() - 1].join("\n"))
            }
            Percent => format!("k={}\n", lines.join("%0A")),
        }
    }
}

fn body() -> impl Strategy<Value = Vec<String>> {
    // At least one line of a key has all kinds of character; a body of one letter is no key.
    prop::collection::vec("[A-Za-z0-9+/]{20}[A-Z][a-z][0-9+/][A-Za-z0-9+/]{41}", 2..6)
}

#[track_caller]
fn hides(text: &str, body: &[String], of: &str) {
    for line in body {
        assert_eq!(piece(text, line), None, "{of}: {line} in {text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_block_of_key_material_is_hidden_to_its_end(
        body in body(), label in prop::sample::select(&LABELS[..]), crlf: bool,
    ) {
        for embedding in EMBEDDINGS {
            let text = embedding.of(label, &body);
            let text = if crlf { text.replace('\n', "\r\n") } else { text };
            // What the other rule objects to stands in the middle of the key.
            let middle = body.first().unwrap().get(..20).unwrap();
            let rules = format!(
                "[[rule]]\nid = \"keys\"\npaths = [\"**\"]\nredact = true\nforbid = \
                 ['-----BEGIN [A-Z ]*PRIVATE KEY']\n[[rule]]\nid = \"any\"\npaths = [\"**\"]\n\
                 forbid = ['{}', 'next', 'private']\n",
                middle.replace('+', "\\+")
            );
            let of = format!("{embedding:?} {label} {crlf}");
            let house = House::new().rules(&rules);
            let write = payload("Write", &json!({"file_path": "k.txt", "content": text}));
            for agent in ["claude", "codex"] {
                let told = house.run(&["hook", "--agent", agent, "--explain"], write.to_string());
                hides(&format!("{}{}{}", told.stdout, told.stderr, kept(&house.root())), &body, &of);
                prop_assert!(told.stdout.contains("deny"), "{of}: {told:?}");
            }
            // An edit that begins in the middle of the key, in a file that has it.
            let house = House::new().rules(&rules).file("docs/k.txt", &text);
            let half = body.first().unwrap().get(..40).unwrap();
            let input = json!({"path": "docs/k.txt", "old_str": format!("{half}?"), "new_str": "y"});
            let copilot =
                json!({"sessionId": "s", "timestamp": 0, "toolName": "edit", "toolArgs": input});
            let told = house.run(&["hook", "--agent", "copilot", "--explain"], copilot.to_string());
            hides(&format!("{}{}{}", told.stdout, told.stderr, kept(&house.root())), &body, &of);
            let exports = [
                &["query"][..], &["traces", "export"], &["traces", "export", "--format", "csv"],
                &["traces", "export", "--format", "otlp-json"], &["audit"], &["report"],
            ];
            for args in exports {
                let told = house.run(args, "");
                hides(&format!("{}{}", told.stdout, told.stderr), &body, &format!("{of} {args:?}"));
            }
        }
    }

    #[test]
    fn no_format_of_a_report_shows_a_part_of_a_key(
        body in body(), label in prop::sample::select(&LABELS[..]), crlf: bool,
    ) {
        let rules = "[[rule]]\nid = \"keys\"\npaths = [\"**\"]\nredact = true\nforbid = \
            ['-----BEGIN [A-Z ]*PRIVATE KEY']\n[[rule]]\nid = \"any\"\npaths = [\"**\"]\nforbid = \
            ['[A-Za-z0-9+/]{20}']\n";
        let desk = Desk::judged_by(rules, &[("a.txt", "x\n")]);
        for (embedding, number) in EMBEDDINGS.into_iter().zip(0..) {
            let text = embedding.of(label, &body);
            let text = if crlf { text.replace('\n', "\r\n") } else { text };
            desk.write(format!("k{number}.txt"), text);
        }
        desk.git(&["add", "-A"]);
        for format in FORMATS {
            let mut command = Command::new(binary());
            command.args(["check-staged", "--format", format]).current_dir(&desk.root).env_clear();
            command.env("HOME", &desk.root).env("PATH", std::env::var_os("PATH").unwrap());
            let told = said(command, b"");
            prop_assert_eq!(told.status, Some(1));
            hides(&format!("{}{}{}", told.stdout, told.stderr, kept(&desk.root)), &body, format);
        }
    }

    #[test]
    fn the_built_in_rules_hide_a_key_in_a_json_file(body in body()) {
        let house = House::new();
        let text = Json.of("PRIVATE KEY", &body);
        let write: Value = payload("Write", &json!({"file_path": "sa.json", "content": text}));
        let told = house.run(&["hook", "--agent", "claude", "--explain"], write.to_string());
        hides(&format!("{}{}{}", told.stdout, told.stderr, kept(&house.root())), &body, "built-in");
        prop_assert!(told.stdout.contains("deny"));
    }
}
