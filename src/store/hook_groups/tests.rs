//! Entries go into settings of every shape and come out again, and what others wrote stays.

#![allow(clippy::unwrap_used, reason = "tests")]

use super::super::origin;
use super::*;
use proptest::prelude::*;

fn entry() -> Entry {
    Entry {
        event: "PreToolUse".into(),
        matcher: Some("^(Edit|Write)$".into()),
        command: "solvi-hook pre-edit --agent claude || printf '%s' '{\"a\":1}'".into(),
        timeout: 30,
        status: "checking".into(),
        shape: Shape::Group,
    }
}

fn put_in(text: &str) -> String {
    merge(text, &[entry()]).unwrap().text
}

fn ours(text: &str) -> usize {
    let own = |handler: &&Handler| matches!(handler.owner, Owner::Ours(_));
    handlers(text).unwrap().iter().filter(own).count()
}

#[test]
fn an_entry_looks_like_its_surroundings() {
    let text = "{\r\n\t\"hooks\": {\r\n\t\t\"PreToolUse\": [\r\n\t\t\t{}\r\n\t\t]\r\n\t}\r\n}";
    let group = "\t\t\t{\r\n\t\t\t\t\"matcher\": \"^(Edit|Write)$\",\r\n\t\t\t\t\"hooks\": [\r\n";
    assert!(put_in(text).contains(group), "{}", put_in(text));
    let text = r#"{"hooks": {"PreToolUse": [{"hooks": []}], "Stop": []}}"#;
    assert!(put_in(text).starts_with(
        r#"{"hooks": {"PreToolUse": [{"hooks": []}, {"matcher": "^(Edit|Write)$", "hooks": [{"#
    ));
    assert!(put_in(r#"{"a":1}"#).starts_with(r#"{"a":1,"hooks":{"PreToolUse":[{"matcher":"#));
}

#[test]
fn a_file_of_our_own_is_plain() {
    let text = put_in("{}\n");
    assert!(
        text.starts_with("{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\n        \"matcher\"")
    );
    assert!(text.ends_with("\n      }\n    ]\n  }\n}\n"), "{text}");
}

#[test]
fn an_older_entry_of_ours_is_replaced_where_it_stands() {
    let text = r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "/old/solvi-hook pre-edit"}]}, {"hooks": [{"command": "mine"}]}]}}"#;
    let outcome = merge(text, &[entry()]).unwrap();
    assert_eq!(outcome.done.first().map(|done| done.deed), Some(Deed::Replaced));
    assert_eq!(outcome.others.len(), 1);
    assert!(outcome.text.ends_with(r#"}]}, {"hooks": [{"command": "mine"}]}]}}"#));
    assert_eq!(ours(&outcome.text), 1);
}

#[test]
fn a_second_entry_of_ours_goes_and_is_told_of() {
    let with = put_in("{}");
    let twice = with.replacen('[', "[{\"hooks\": [{\"command\": \"solvi-hook hook\"}]}, ", 1);
    let outcome = merge(&twice, &[entry()]).unwrap();
    let deeds: Vec<Deed> = outcome.done.iter().map(|done| done.deed).collect();
    assert_eq!(deeds, [Deed::Unchanged, Deed::Removed]);
    assert_eq!(ours(&outcome.text), 1);
}

#[test]
fn every_entry_of_ours_goes_and_only_those() {
    let text = r#"{
  "hooks": {
    "PreToolUse": [
      {"hooks": [{"command": "mine"}, {"command": "solvi-hook pre-edit"}]},
      {"matcher": "Edit", "hooks": [{"command": "sh -c 'solvi-hook pre-edit'"}, {"command": "solvi-hook hook"}]},
      {"hooks": []}
    ],
    "UserPromptSubmit": [{"hooks": [{"command": "solvi-hook", "args": ["pick-skill"]}]}]
  }
}"#;
    let outcome = unmerge(text).unwrap();
    assert_eq!(
        outcome.text,
        r#"{
  "hooks": {
    "PreToolUse": [
      {"hooks": [{"command": "mine"}]},
      {"hooks": []}
    ]
  }
}"#
    );
    assert_eq!(outcome.done.len(), 4);
}

#[test]
fn compact_settings_of_ours_alone_become_an_empty_object() {
    let text = r#"{"hooks": {"PreToolUse": [{"matcher": "Edit", "hooks": [{"type": "command", "command": "solvi-hook pre-edit"}]}]}}"#;
    assert_eq!(unmerge(text).unwrap().text, "{}");
}

#[test]
fn a_comment_never_swallows_what_follows() {
    let text = "{\"hooks\": {\"Stop\": [ // ours\n {\"hooks\": [{\"command\": \"solvi-hook hook\"}]}, 1]}}";
    assert_eq!(unmerge(text).unwrap().text, "{\"hooks\": {\"Stop\": [ // ours\n  1]}}");
}

#[test]
fn another_shape_is_an_error_with_its_place() {
    let message = |text| merge(text, &[entry()]).unwrap_err().to_string();
    assert_eq!(message("[]"), "line 1, column 1: the file is not an object");
    assert_eq!(message("{\n \"hooks\": []}"), "line 2, column 11: `hooks` is not an object");
    let text = "{\"hooks\": {\"Stop\": {}}}";
    assert_eq!(message(text), "line 1, column 20: `hooks.Stop` is not a list");
    assert_eq!(message("{\n  \"a\": 1,,\n}"), "line 2, column 10: unexpected token in object");
}

/// What may stand between two parts of a document.
fn gap() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => Just(""), 4 => Just(" "), 4 => Just("\n  "), 2 => Just("\n"), 1 => Just("\t"),
        2 => Just("\r\n    "), 1 => Just("  "), 1 => Just("\n\n  "), 1 => Just(" /* c, */ "), 1 => Just(" // [x\n"),
        1 => Just("// y\r\n  "), 1 => Just("\n // z\r"), 1 => Just("\u{a0}"),
    ]
    .prop_map(str::to_owned)
}

fn around(brackets: [char; 2], members: Vec<String>) -> impl Strategy<Value = String> {
    let gaps = prop::collection::vec(gap(), 2 * members.len() + 1);
    (gaps, prop::bool::weighted(0.2)).prop_map(move |(gaps, comma)| {
        let mut gaps = gaps.iter();
        let mut text = String::from(brackets[0]);
        for (at, member) in members.iter().enumerate() {
            let (before, behind) = (gaps.next().unwrap(), gaps.next().unwrap());
            let comma = if comma || at + 1 < members.len() { "," } else { "" };
            text.extend([before, member, behind, comma]);
        }
        text + gaps.next().unwrap() + &brackets[1].to_string()
    })
}

fn object(members: Vec<(String, String)>) -> impl Strategy<Value = String> {
    (gap(), gap()).prop_flat_map(move |(before, behind)| {
        let member = |(key, value)| format!("\"{key}\"{before}:{behind}{value}");
        around(['{', '}'], members.clone().into_iter().map(member).collect())
    })
}

fn value() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![Just("1"), Just("\"a, [b] // \\\" \u{e9}\""), Just("null"), Just("[]")];
    leaf.prop_map(str::to_owned).prop_recursive(3, 12, 3, |inner| {
        let members = prop::collection::vec(inner, 0..3);
        members.prop_flat_map(|members| around(['[', ']'], members))
    })
}

fn groups() -> impl Strategy<Value = String> {
    let group = prop_oneof![
        Just(r#"{"matcher": "Edit", "hooks": [{"type": "command", "command": "mine"}]}"#),
        Just("{\n  \"hooks\": [ { \"command\": \"echo solvi-hook pre-edit\" } ] }"),
        Just(r#"{"hooks":[]}"#),
        Just("7"),
    ];
    let group = group.prop_map(str::to_owned);
    prop::collection::vec(group, 0..3).prop_flat_map(|groups| around(['[', ']'], groups))
}

fn hooks() -> impl Strategy<Value = String> {
    let events = ["PreToolUse", "Stop", "PostToolUse"].map(str::to_owned).to_vec();
    let events = prop::sample::subsequence(events, 0..=3).prop_shuffle();
    (events, prop::collection::vec(groups(), 3))
        .prop_flat_map(|(events, groups)| object(events.into_iter().zip(groups).collect()))
}

fn document() -> impl Strategy<Value = String> {
    let keys = ["a", "b", "hooks"].map(str::to_owned).to_vec();
    let keys = prop::sample::subsequence(keys, 0..=3).prop_shuffle();
    (keys, hooks(), prop::collection::vec(value(), 3), gap(), gap()).prop_flat_map(
        |(keys, hooks, values, before, behind)| {
            let member = |(key, value)| {
                let value = if key == "hooks" { hooks.clone() } else { value };
                (key, value)
            };
            object(keys.into_iter().zip(values).map(member).collect())
                .prop_map(move |text| format!("{before}{text}{behind}"))
        },
    )
}

proptest! {
    #[test]
    fn putting_in_and_taking_out_gives_back_every_byte(text in document()) {
        let with = put_in(&text);
        prop_assert_eq!(ours(&with), 1, "{}", with);
        prop_assert_eq!(&put_in(&with), &with);
        let without = unmerge(&with).unwrap();
        prop_assert_eq!(&without.text, &text, "{}", with);
        prop_assert_eq!(without.done.len(), 1);
        prop_assert_eq!(origin::left(&with, &text, "{}"), Some(text), "{}", with);
    }

    #[test]
    fn nothing_but_our_entry_is_new(text in document()) {
        let (before, after) = (handlers(&text).unwrap(), handlers(&put_in(&text)).unwrap());
        let told = |it: &Handler| (it.event.clone(), it.command.clone(), it.group.clone());
        let strangers = after.iter().filter(|handler| handler.owner == Owner::Stranger).map(told);
        let mut before: Vec<_> = before.iter().map(told).collect();
        let mut after: Vec<_> = strangers.collect();
        before.sort_by_key(|it| format!("{it:?}"));
        after.sort_by_key(|it| format!("{it:?}"));
        prop_assert_eq!(before, after);
    }

    #[test]
    fn any_text_is_read_or_refused(text in ".{0,40}", cut in 0..60usize, document in document()) {
        let _ = (merge(&text, &[entry()]), unmerge(&text));
        let cut: String = document.chars().take(cut).collect();
        let _ = (merge(&cut, &[entry()]), unmerge(&cut));
    }
}
