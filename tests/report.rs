//! Every report format, written from the same hand-made subjects and compared with the files
//! under `tests/reports/`; `SNAPSHOTS=overwrite` renews them.

use proptest::prelude::*;
use serde_json::Value;
use solvi_hook::domain::sanitize::hidden;
use solvi_hook::domain::{
    Change, Content, Decision, Finding, Line, Numbering, Part, Place, RepoPath, Ruling, Spot,
    Verdict,
};
use solvi_hook::report::{self, Commit, FORMATS, NotChecked, Rule, RuleSet, Style, Subject};
use std::path::PathBuf;

fn inside(path: &str) -> Place {
    Place::Inside(RepoPath::new(path).unwrap())
}

fn change(path: &str) -> Change {
    Change::of_text("git", inside(path), "", String::new())
}

fn finding(rule: &str, verdict: Verdict, why: &str) -> Finding {
    Finding {
        rule: rule.to_owned(),
        part: Part::Checks,
        verdict,
        spots: Vec::new(),
        unknown: None,
        why: why.to_owned(),
        instead: None,
    }
}

fn spot(line: usize, text: &str, what: &str) -> Spot {
    Spot { line, text: text.to_owned(), span: None, what: what.to_owned() }
}

/// What a subject borrows from.
#[derive(Default)]
struct Told {
    decision: Decision,
    commits: Vec<Option<Commit>>,
    not_checked: Vec<NotChecked>,
    notes: Vec<String>,
    rules: Vec<Rule>,
    rule_sets: Vec<RuleSet>,
    files: usize,
    style: Style,
}

impl Told {
    fn subject(&self) -> Subject<'_> {
        Subject {
            title: "main..HEAD",
            decision: &self.decision,
            commits: &self.commits,
            not_checked: &self.not_checked,
            notes: &self.notes,
            rules: &self.rules,
            rule_sets: &self.rule_sets,
            files: self.files,
            version: "1.2.3",
            style: self.style,
        }
    }

    fn written(&self, format: &str) -> String {
        let mut out = Vec::new();
        report::by_name(format).unwrap().write(&self.subject(), &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }
}

/// A report with something of everything, and with text that would like to be more than text.
fn eventful() -> Told {
    let secrets = Finding {
        spots: vec![
            Spot { span: Some(10..20), ..spot(12, "    key = \"********\"", "forbidden pattern") },
            spot(13, "\ttoken = '********'  # \u{202e}drowssap", "forbidden pattern"),
            spot(
                40,
                "print(\"|`%0A::error::]]>\u{1b}[2K{0} [a](b) @all <b>&\")",
                "forbidden pattern",
            ),
        ],
        instead: Some("Read it from the environment:\n    os.environ[\"KEY\"]".to_owned()),
        ..finding(
            "no-secrets",
            Verdict::Deny,
            "Secrets stay out of the repository. They leak | rot.",
        )
    };
    let eval = Finding {
        spots: vec![Spot {
            span: Some(19..23),
            ..spot(41, "ok(\"naïve 👍\"); eval(x)", "calls eval")
        }],
        ..finding("no-eval", Verdict::Ask, "Text is no program.")
    };
    let added = [(12, "    key = \"hunter2!\""), (41, "ok(\"naïve 👍\"); eval(x)")];
    let keys = Change {
        added: added.map(|(number, text)| Line { number, text: text.to_owned() }).to_vec(),
        ..change("src/keys.py")
    };
    let header = Finding {
        spots: vec![spot(0, "", "the file does not match '^# (c) \\d{4}'")],
        ..finding("header", Verdict::Warn, "Every file names its owner.")
    };
    let calm = finding("calm", Verdict::Allow, "This one sees nothing wrong.");
    let calls = Finding {
        spots: vec![spot(7, "eval(text)", "calls eval")],
        unknown: Some("the rest of the file does not parse".to_owned()),
        ..finding("no-eval", Verdict::Ask, "Text is no program.")
    };
    let touch = Finding { part: Part::Touch, ..finding("releases", Verdict::Ask, "") };
    let cell = Change {
        numbering: Numbering::Cell,
        moved_from: Some(inside("old.ipynb")),
        ..change("a/b,c:d%é`|.ipynb")
    };
    let hosts = Change {
        after: Content::Unknown("it cannot be read".to_owned()),
        added: vec![Line { number: 1, text: "::1".to_owned() }],
        ..Change::of_deletion("git", Place::Outside("/etc/my hosts".to_owned()))
    };
    let commit = Commit {
        id: "4b825dc642cb6eb9a060e54bf8d69288fbee4904".to_owned(),
        subject: "Add keys\u{200b} | <i>fast</i>".to_owned(),
    };
    Told {
        decision: Decision::of(vec![
            Ruling::of(keys, vec![header, secrets.clone(), calm, eval], None),
            Ruling::of(cell, vec![calls], None),
            Ruling::of(hosts, vec![touch], None),
            Ruling::of(change("fine.py"), vec![finding("no-secrets", Verdict::Allow, "")], None),
        ]),
        commits: vec![Some(commit)],
        not_checked: vec![NotChecked {
            place: inside("img/lo\u{1b}go.png"),
            why: "it is a binary file".to_owned(),
        }],
        notes: vec!["the rules file changes in this range".to_owned()],
        rules: vec![Rule {
            id: secrets.rule,
            why: secrets.why,
            instead: secrets.instead,
            on_fail: Verdict::Deny,
        }],
        rule_sets: [("solvi-rules.toml@HEAD", 12), ("built-in", 15)]
            .map(|(name, rules)| RuleSet { name: name.to_owned(), rules, off: false })
            .to_vec(),
        files: 4,
        style: Style::Plain,
    }
}

fn unjudged() -> Told {
    Told {
        decision: Decision::unjudged("the index cannot be read:\nit is locked"),
        ..Told::default()
    }
}

fn clean() -> Told {
    Told { files: 14, ..Told::default() }
}

fn assert_golden(name: &str, actual: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/reports").join(name);
    if std::env::var_os("SNAPSHOTS").is_some_and(|value| value == "overwrite") {
        std::fs::write(&path, actual).unwrap();
        return;
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    assert_eq!(actual, expected, "{name}: `SNAPSHOTS=overwrite cargo test` renews it");
}

#[test]
fn every_format_tells_the_whole_report() {
    for format in FORMATS {
        assert_golden(&format!("eventful.{}", format.name()), &eventful().written(format.name()));
    }
}

#[test]
fn every_format_says_that_nothing_could_be_judged() {
    for format in FORMATS {
        assert_golden(&format!("unjudged.{}", format.name()), &unjudged().written(format.name()));
    }
}

#[test]
fn every_format_says_that_nothing_stands_against_it() {
    for format in FORMATS {
        assert_golden(&format!("clean.{}", format.name()), &clean().written(format.name()));
    }
}

#[test]
fn colours_come_only_when_they_are_wanted() {
    assert!(!eventful().written("text").contains('\u{1b}'));
    let coloured = Told { style: Style::Coloured, ..eventful() }.written("text");
    assert!(coloured.contains("\u{1b}[1m\u{1b}[91mdeny"));
    assert!(!coloured.contains("\u{1b}[2K"));
}

#[test]
fn no_format_shows_what_is_masked() {
    for format in FORMATS {
        assert!(!eventful().written(format.name()).contains("hunter2"), "{}", format.name());
    }
}

#[test]
fn columns_are_counted_in_the_units_of_each_format() {
    let text = "ok(\"naïve 👍\"); eval(x)";
    let spots = vec![Spot { span: Some(19..23), ..spot(1, text, "calls eval") }];
    let finding = Finding { spots, ..finding("no-eval", Verdict::Ask, "") };
    let change = Change::of_text("git", inside("a.py"), "", text.to_owned());
    let decision = Decision::of(vec![Ruling::of(change, vec![finding], None)]);
    let told = Told { decision, ..Told::default() };
    let read = |format| serde_json::from_str::<Value>(&told.written(format)).unwrap();
    let spot = &read("json")["findings"][0]["spots"][0];
    assert_eq!((&spot["column"], &spot["end_column"]), (&16.into(), &20.into()));
    let result = &read("sarif")["runs"][0]["results"][0];
    let region = &result["locations"][0]["physicalLocation"]["region"];
    assert_eq!((&region["startColumn"], &region["endColumn"]), (&17.into(), &21.into()));
    let range = &read("rdjson")["diagnostics"][0]["location"]["range"];
    assert_eq!((&range["start"]["column"], &range["end"]["column"]), (&20.into(), &24.into()));
}

#[test]
fn no_format_shows_a_character_that_cannot_be_seen() {
    for format in FORMATS {
        let report = eventful().written(format.name());
        let bad = |char: &char| *char != '\n' && hidden(*char);
        assert_eq!(report.chars().find(bad), None, "{}", format.name());
    }
}

#[test]
fn sarif_fits_the_schema_of_the_standard() {
    let mut schema: Value =
        serde_json::from_str(include_str!("vectors/sarif-schema-2.1.0.json")).unwrap();
    // Its pattern is no regular expression by ECMA 262 (a stray `]`); we write no such key.
    for object in ["run", "toolComponent"] {
        schema["definitions"][object]["properties"]["language"] = Value::Bool(false);
    }
    let schema = jsonschema::validator_for(&schema).unwrap();
    for told in [eventful(), unjudged(), clean()] {
        let report: Value = serde_json::from_str(&told.written("sarif")).unwrap();
        let errors: Vec<String> = schema.iter_errors(&report).map(|e| e.to_string()).collect();
        assert!(errors.is_empty(), "{errors:#?}");
    }
}

#[test]
fn junit_is_xml_and_counts_its_cases() {
    for told in [eventful(), unjudged(), clean()] {
        let report = told.written("junit");
        let xml = roxmltree::Document::parse(&report).unwrap();
        let suite = xml.root_element();
        let count = |name| suite.descendants().filter(|node| node.has_tag_name(name)).count();
        for (attribute, element) in
            [("tests", "testcase"), ("failures", "failure"), ("errors", "error")]
        {
            assert_eq!(suite.attribute(attribute).unwrap(), count(element).to_string());
        }
    }
}

#[test]
fn the_last_line_of_jsonl_sums_up_what_the_lines_before_it_said() {
    let report = eventful().written("jsonl");
    let lines: Vec<Value> = report.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let (last, findings) = lines.split_last().unwrap();
    assert_eq!(last["type"], "summary");
    let document: Value = serde_json::from_str(&eventful().written("json")).unwrap();
    assert_eq!(last["summary"], document["summary"]);
    assert_eq!(findings.len(), document["findings"].as_array().unwrap().len());
}

#[test]
fn a_fingerprint_stays_when_its_line_moves_and_tells_equal_lines_apart() {
    let prints = |lines: &[(usize, &str)]| -> Vec<Value> {
        let spots = lines.iter().map(|(line, text)| spot(*line, text, "forbidden pattern"));
        let finding = Finding { spots: spots.collect(), ..finding("r", Verdict::Deny, "") };
        let decision = Decision::of(vec![Ruling::of(change("a.py"), vec![finding], None)]);
        let report = Told { decision, ..Told::default() }.written("sarif");
        let report: Value = serde_json::from_str(&report).unwrap();
        let results = report["runs"][0]["results"].as_array().unwrap();
        results.iter().map(|r| r["partialFingerprints"]["solviHook/v1"].clone()).collect()
    };
    let before = prints(&[(1, "x = 1"), (2, "x = 1"), (3, "y = 1")]);
    let after = prints(&[(8, "  x  = 1"), (9, "x = 1"), (20, "y = 1")]);
    assert_eq!(before, after);
    assert!(before[0] != before[1] && before[1] != before[2]);
}

#[test]
fn a_comment_stays_short_however_much_there_is_to_say() {
    let long = "why ".repeat(200);
    let spots = (1..20).map(|line| spot(line, &long, "forbidden pattern")).collect();
    let finding = Finding { spots, ..finding("r", Verdict::Deny, &long) };
    let rulings =
        (0..200).map(|n| Ruling::of(change(&format!("{n}.py")), vec![finding.clone()], None));
    let report = Told { decision: Decision::of(rulings.collect()), ..Told::default() };
    let report = report.written("markdown");
    assert!(report.len() < 65_536, "{}", report.len());
    assert!(report.contains("and 160 more findings"));
}

/// Text of every kind, with more than its share of what breaks lines, markup and columns.
fn any_text() -> impl Strategy<Value = String> {
    let nasty = prop::sample::select(vec![
        "\t",
        "\r",
        "\n",
        "\0",
        "\u{1b}",
        "\u{85}",
        "\u{2028}",
        "\u{202e}",
        "\u{200b}",
        "\u{fffe}",
        "\u{ffff}",
        "名",
        "👩‍👩‍👧",
        "e\u{301}",
        "|",
        "`",
        "]]>",
        "%0A",
        "&",
        "\"",
        "{",
        " ",
        "",
    ]);
    let part = prop_oneof![nasty.prop_map(str::to_owned), ".{0,6}", "[a-z]{150}"];
    prop::collection::vec(part, 0..6).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn any_text_can_be_reported(
        texts in prop::collection::vec(
            (0..4_usize, any_text(), any_text(), prop::option::of((0..9_usize, 0..9_usize))), 0..4,
        ),
        why in any_text(),
        path in any_text(),
    ) {
        let spots = texts.iter().map(|(line, text, what, span)| {
            Spot { span: span.map(|(from, to)| from..to), ..spot(*line, text, what) }
        });
        let spots: Vec<Spot> = spots.collect();
        let finding =
            Finding { spots, instead: Some(why.clone()), ..finding(&path, Verdict::Deny, &why) };
        let mut change = Change::of_text("git", Place::Outside(path.clone()), "", String::new());
        change.added = texts.iter().zip(1..).map(|((_, text, ..), number)| {
            Line { number, text: text.clone() }
        }).collect();
        let told = Told {
            decision: Decision::of(vec![Ruling::of(change, vec![finding], None)]),
            not_checked: vec![NotChecked { place: Place::Outside(path), why: why.clone() }],
            notes: vec![why],
            ..Told::default()
        };
        for format in FORMATS {
            let report = told.written(format.name());
            prop_assert!(report.chars().all(|char| char == '\n' || !hidden(char)));
            match format.name() {
                "json" | "sarif" | "gitlab" | "rdjson" => {
                    prop_assert!(serde_json::from_str::<Value>(&report).is_ok());
                }
                "junit" => prop_assert!(roxmltree::Document::parse(&report).is_ok()),
                // Every line is a command of ours, and the last is the summary.
                "github" => {
                    let (commands, last) = report.trim_end().rsplit_once('\n').unwrap();
                    prop_assert!(last.starts_with("solvi-hook: "));
                    for line in commands.lines() {
                        let ours = line.starts_with("::error ") || line.starts_with("::notice ");
                        prop_assert!(ours);
                    }
                }
                _ => {}
            }
        }
    }
}
