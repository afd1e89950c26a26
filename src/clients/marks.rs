//! Whose payload is this, and at which event does it come?
//!
//! Looks at the outermost fields and skips what they hold: a payload may be large, and this is
//! asked before it is known who can read it. What is no JSON object has no marks; one that was cut
//! has those that stand before the cut, so that its client is answered in its own words.

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use std::collections::BTreeMap;
use std::fmt;

/// The longest text that may tell something, in bytes: a path. What is longer is content.
const LONGEST: usize = 4096;

/// The outermost fields of a payload, as far as they tell whose it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marks(BTreeMap<String, Mark>);

/// What one of them holds.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Mark {
    Text(String),
    /// An object, with its own `type`.
    Typed(String),
    /// A list, with its first text.
    Listed(String),
    Null,
    Other,
}

impl Marks {
    /// Reads the marks of a payload.
    #[must_use]
    pub fn of(payload: &[u8]) -> Self {
        let payload = payload.strip_prefix(b"\xef\xbb\xbf").unwrap_or(payload);
        let mut marks = Self::default();
        let mut json = serde_json::Deserializer::from_slice(payload);
        // What stands behind an error is not read; the reader of the payload tells of it.
        let _ = Found(&mut marks.0).deserialize(&mut json);
        marks
    }

    /// Returns the text of a field; nothing when it is empty.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.0.get(name)? {
            Mark::Text(text) => Some(text.as_str()).filter(|text| !text.is_empty()),
            Mark::Listed(_) | Mark::Typed(_) | Mark::Null | Mark::Other => None,
        }
    }

    /// Returns the text of a field, or the first of a list of texts; nothing when it is empty.
    #[must_use]
    pub fn first_text(&self, name: &str) -> Option<&str> {
        match self.0.get(name)? {
            Mark::Listed(text) => Some(text.as_str()).filter(|text| !text.is_empty()),
            _ => self.text(name),
        }
    }

    /// Returns the `type` of a field that is an object.
    #[must_use]
    pub fn kind(&self, name: &str) -> Option<&str> {
        match self.0.get(name)? {
            Mark::Typed(kind) => Some(kind),
            Mark::Text(_) | Mark::Listed(_) | Mark::Null | Mark::Other => None,
        }
    }

    /// Tells whether a field is there.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Tells whether a field is there and is not null.
    #[must_use]
    pub fn holds(&self, name: &str) -> bool {
        self.0.get(name).is_some_and(|mark| *mark != Mark::Null)
    }
}

/// Reads an object into what was found so far.
struct Found<'a>(&'a mut BTreeMap<String, Mark>);

impl<'de> DeserializeSeed<'de> for Found<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Found<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<String>()? {
            // The last of two equal keys counts, as for whoever reads the rest.
            self.0.insert(name, map.next_value()?);
        }
        Ok(())
    }
}

impl<'de> Deserialize<'de> for Mark {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Field;
        impl<'de> Visitor<'de> for Field {
            type Value = Mark;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("any value")
            }

            fn visit_str<E>(self, text: &str) -> Result<Mark, E> {
                if text.len() > LONGEST {
                    return Ok(Mark::Other);
                }
                Ok(Mark::Text(text.to_owned()))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Mark, A::Error> {
                let mut mark = Mark::Other;
                while let Some(name) = map.next_key::<String>()? {
                    if name != "type" {
                        map.next_value::<IgnoredAny>()?;
                    } else if let Mark::Text(kind) = map.next_value()? {
                        mark = Mark::Typed(kind);
                    }
                }
                Ok(mark)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Mark, A::Error> {
                let mut mark = Mark::Other;
                while mark == Mark::Other {
                    match list.next_element()? {
                        Some(Mark::Text(text)) => mark = Mark::Listed(text),
                        Some(_) => {}
                        None => return Ok(mark),
                    }
                }
                while list.next_element::<IgnoredAny>()?.is_some() {}
                Ok(mark)
            }

            fn visit_bool<E>(self, _: bool) -> Result<Mark, E> {
                Ok(Mark::Other)
            }

            fn visit_i64<E>(self, _: i64) -> Result<Mark, E> {
                Ok(Mark::Other)
            }

            fn visit_u64<E>(self, _: u64) -> Result<Mark, E> {
                Ok(Mark::Other)
            }

            fn visit_f64<E>(self, _: f64) -> Result<Mark, E> {
                Ok(Mark::Other)
            }

            fn visit_unit<E>(self) -> Result<Mark, E> {
                Ok(Mark::Null)
            }
        }
        deserializer.deserialize_any(Field)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_field_holds_is_told_apart() {
        let marks = Marks::of(
            br#"{"cwd": "/a", "cwd": "/b", "event": {"input": [1, {}], "type": "tool_call"},
                "workspace_roots": [1, "/r", "/s"], "timestamp": 5, "engine": null, "more": [{}]}"#,
        );
        assert_eq!(marks.text("cwd"), Some("/b"));
        assert_eq!((marks.kind("event"), marks.text("event")), (Some("tool_call"), None));
        assert_eq!(
            (marks.text("workspace_roots"), marks.first_text("workspace_roots")),
            (None, Some("/r"))
        );
        assert_eq!(marks.first_text("cwd"), Some("/b"));
        assert!(marks.has("engine") && !marks.holds("engine") && marks.holds("more"));
        assert_eq!((marks.has("timestamp"), marks.text("timestamp")), (true, None));
        assert_eq!((marks.has("more"), marks.text("more")), (true, None));
        let long = format!("{{\"cwd\": \"{}\"}}", "a".repeat(LONGEST + 1));
        assert_eq!(Marks::of(long.as_bytes()).text("cwd"), None);
    }

    #[test]
    fn what_is_no_object_has_no_marks() {
        for payload in ["", "[]", "5", "{\"cwd\": \"/a"] {
            assert_eq!(Marks::of(payload.as_bytes()), Marks::default(), "{payload}");
        }
        assert_eq!(Marks::of(b"{\"cwd\": \"/a\", \"x").text("cwd"), Some("/a"));
        assert_eq!(Marks::of("\u{feff}{\"cwd\": \"/a\"}".as_bytes()).text("cwd"), Some("/a"));
    }
}
