//! A line of a store is spelled as its writer spelled it.

#![allow(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::store::canonical::{canonical, spaced};
use proptest::prelude::*;
use serde_json::{Value, json};

fn spelled(line: &str) -> (String, Oddities) {
    let mut scanner = Scanner::default();
    let (tree, odd) = scanner.scan(line.as_bytes()).unwrap();
    let mut out = Vec::new();
    tree.root().write(&mut out);
    (String::from_utf8(out).unwrap(), odd)
}

#[test]
fn what_a_writer_spells_is_not_odd() {
    let value = json!({
        "z": [1, -2, 1.0, 1e-5, 1e16, "é\n\u{1}\"\\\u{7f}", {}, []], "a\n": {"b": null, "a": true},
    });
    let (text, odd) = spelled(&spaced(&value));
    assert_eq!((text, odd), (canonical(&value), Oddities::default()));
    let unordered = r#"{"b": 1, "a": {"d": "long enough to be read in words", "c": ""}}"#;
    let (text, odd) = spelled(unordered);
    let ordered = r#"{"a":{"c":"","d":"long enough to be read in words"},"b":1}"#;
    assert_eq!((text.as_str(), odd), (ordered, Oddities::default()));
    for kept in ["NaN", "-Infinity", "123456789012345678901234567890", "-0.0"] {
        assert_eq!(spelled(kept), (kept.to_owned(), Oddities::default()));
    }
}

#[test]
fn another_spelling_is_spelled_anew_and_told() {
    let table = [
        (r#"{"a":1}"#, r#"{"a":1}"#, 5),
        (r#"{ "a": 1}"#, r#"{"a":1}"#, 1),
        (r#"{"a": 1 }"#, r#"{"a":1}"#, 7),
        ("[1,\t2]", "[1,2]", 3),
        (" 1", "1", 0),
        (r#"["\u0061", "\/", "\u00e9"]"#, r#"["a","/","é"]"#, 1),
        (r#""\u001F\u000a""#, r#""\u001f\n""#, 0),
        (r#""\ud83d\ude00""#, r#""😀""#, 0),
        ("[1.00, 1E5, 1e400, -0]", "[1.0,100000.0,Infinity,0]", 1),
    ];
    for (line, canonical, at) in table {
        let odd = Oddities { otherwise: Some(at), ..Oddities::default() };
        assert_eq!(spelled(line), (canonical.to_owned(), odd), "{line}");
    }
}

#[test]
fn carriage_returns_and_keys_that_stand_twice_are_told() {
    let odd = Oddities { carriage: true, ..Oddities::default() };
    assert_eq!(spelled("[1, \r2]\r"), ("[1,2]".to_owned(), odd));
    let odd = Oddities { twice: Some("a".to_owned()), ..Oddities::default() };
    let twice = r#"{"b": 0, "a": 1, "a": 2}"#;
    assert_eq!(spelled(twice), (r#"{"a":2,"b":0}"#.to_owned(), odd));
    let (text, odd) = spelled(r#"{"a": 1, "\u0061": 2}"#);
    assert_eq!((text.as_str(), odd.twice.as_deref()), (r#"{"a":2}"#, Some("a")));
}

#[test]
fn keys_are_compared_by_their_characters() {
    let (text, odd) = spelled("{\"a!\": 1, \"a\": 2, \"\\n\": 3, \"\u{ffff}\": 4, \"😀\": 5}");
    assert_eq!(text, "{\"\\n\":3,\"a\":2,\"a!\":1,\"\u{ffff}\":4,\"😀\":5}");
    assert_eq!(odd, Oddities::default());
}

#[test]
fn what_is_no_json_is_told_with_its_place() {
    let table = [
        ("", 0),
        ("{\"a\": 1", 7),
        ("{\"a\" 1}", 5),
        ("[1 2]", 3),
        ("[1,]", 3),
        ("{1}", 1),
        ("01", 2),
        ("1.", 2),
        ("-", 1),
        ("tru", 0),
        ("1 1", 2),
        ("\"a\u{1}\"", 2),
        ("\"\\x\"", 1),
        ("\"\\u12\"", 1),
        ("\"\\ud800\"", 0),
        ("\"abc", 4),
    ];
    for (line, at) in table {
        assert_eq!(Scanner::default().scan(line.as_bytes()).unwrap_err().at, at, "{line}");
    }
    assert_eq!(Scanner::default().scan(b"\"a\xff\"").unwrap_err().at, 2);
    let deep = "[".repeat(DEEPEST + 1);
    assert_eq!(Scanner::default().scan(deep.as_bytes()).unwrap_err().at, DEEPEST);
}

fn values() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_filter("finite", |it| it.is_finite()).prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    scalar.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::hash_map(any::<String>(), inner, 0..6)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn a_line_is_spelled_as_its_value_is(value in values()) {
        let (text, odd) = spelled(&spaced(&value));
        prop_assert_eq!(text, canonical(&value));
        prop_assert_eq!(odd, Oddities::default());
        let (text, _) = spelled(&serde_json::to_string_pretty(&value).unwrap());
        prop_assert_eq!(text, canonical(&value));
    }

    #[test]
    fn what_another_reader_refuses_is_refused(line in any::<String>()) {
        let here = Scanner::default().scan(line.as_bytes()).is_ok();
        let there = serde_json::from_str::<Value>(&line).is_ok();
        prop_assert!(!there || here);
    }

    #[test]
    fn the_first_remarkable_byte_is_found(bytes in any::<Vec<u8>>()) {
        let plain = |byte: &u8| matches!(byte, b'"' | b'\\' | ..0x20);
        prop_assert_eq!(unremarkable(&bytes), bytes.iter().position(plain).unwrap_or(bytes.len()));
    }
}
