//! What stood where `install` wrote a settings file out of nothing, so that `uninstall` can give it
//! back: no file, or a blank one.
//!
//! The file itself says it, by blank lines inside `hooks`: each event but the first is set off
//! where there was no file, the first alone where there was a blank one, whose white space is kept
//! before the object. What is put into a file that held something never brings a blank line (see
//! [`Document::append`]), and formatters bring none either; programs that write a file anew drop
//! them, and then an empty object is left: rather a file too many than somebody's file gone.
//!
//! That leaves one file of somebody else that goes: it had blank lines between those same events,
//! and all else that it held was taken out while our entries were in it.

use super::hook_groups::last;
use super::json_text::Document;
use jsonc_parser::common::Ranged;

/// What stood where a file is.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Origin {
    /// Something, or it is not known.
    Text,
    /// White space.
    Blank(String),
    /// No file.
    Nothing,
}

/// Tells whether a text holds nothing that JSON knows.
#[must_use]
pub fn is_blank(text: &str) -> bool {
    text.trim_matches(WHITE).is_empty()
}

const WHITE: [char; 4] = [' ', '\t', '\n', '\r'];

/// Lays a first text out so that it says what it takes the place of: a blank text, or no file.
#[must_use]
pub fn laid_out(text: &str, blank: Option<&str>) -> String {
    let Some(leads) = leads(text) else { return text.to_owned() };
    let (first, others) = leads.split_at(leads.len().min(1));
    let mut laid_out = text.to_owned();
    for lead in if blank.is_some() { first } else { others }.iter().rev() {
        laid_out.insert(lead.start, '\n');
    }
    laid_out.insert_str(0, blank.unwrap_or_default());
    laid_out
}

/// Returns what is to be left of a file when our entries are out of it and this text remains:
/// none when the file goes. `skeleton` is what our entries are put into where nothing is.
#[must_use]
pub fn left(file: &str, remains: &str, skeleton: &str) -> Option<String> {
    let solid = |text: &str| text.chars().filter(|char| !WHITE.contains(char)).collect::<String>();
    let origin = if solid(remains) == solid(skeleton) { origin(file) } else { Origin::Text };
    match origin {
        Origin::Text => Some(remains.to_owned()),
        Origin::Blank(blank) => Some(blank),
        Origin::Nothing => None,
    }
}

fn origin(text: &str) -> Origin {
    let leads = leads(text).unwrap_or_default();
    let set_off = |lead: &std::ops::Range<usize>| {
        text.get(lead.clone()).is_some_and(|lead| lead.matches('\n').count() > 1)
    };
    match leads.as_slice() {
        [_, others @ ..] if others.iter().any(set_off) => Origin::Nothing,
        [first, _, ..] if set_off(first) => {
            let (blank, _) = text.split_once('{').unwrap_or_default();
            Origin::Blank(blank.to_owned())
        }
        _ => Origin::Text,
    }
}

/// Returns the white space before each event in a text's hooks.
fn leads(text: &str) -> Option<Vec<std::ops::Range<usize>>> {
    let document = Document::parse(text).ok()?;
    let (_, hooks) = last(document.root.as_object()?, "hooks")?;
    let events = hooks.as_object()?.properties.iter();
    Some(events.map(|event| document.lead(event.start())).collect())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    const FIRST: &str =
        "{\n  \"hooks\": {\n    \"A\": [],\n    \"B\": [],\n    \"C\": []\n  }\n}\n";

    #[test]
    fn a_first_text_says_what_was_there() {
        let made = laid_out(FIRST, None);
        assert!(made.contains("{\n    \"A\": [],\n\n    \"B\": [],\n\n    \"C\""), "{made}");
        assert_eq!(left(&made, "{}\n", "{}\n"), None);
        for blank in ["", "\n", " \r\n\t"] {
            let over = laid_out(FIRST, Some(blank));
            assert!(over.contains("{\n\n    \"A\": [],\n    \"B\": [],\n    \"C\""), "{over}");
            let remains = format!("{blank}{{}}\n");
            assert_eq!(left(&over, &remains, "{}\n").as_deref(), Some(blank));
        }
    }

    #[test]
    fn it_says_so_with_other_line_ends_and_with_an_event_more_or_less() {
        let made = laid_out(FIRST, None);
        assert_eq!(left(&made.replace('\n', "\r\n"), "{}\r\n", "{}\n"), None);
        let more = made.replace("\n  }", ",\n    \"D\": []\n  }");
        assert_eq!(left(&more, "{}\n", "{}\n"), None);
        let less = made.replace("    \"A\": [],\n\n", "");
        assert_eq!(left(&less, "{}\n", "{}\n"), None);
    }

    #[test]
    fn what_does_not_say_it_or_holds_more_stays() {
        let made = laid_out(FIRST, None);
        for (file, remains) in [
            (FIRST, "{}\n"),
            (made.as_str(), "{\"a\": 1}\n"),
            (made.as_str(), "{} // mine\n"),
            ("{\n  \"hooks\": {\n\n    \"B\": []\n  }\n}\n", "{}\n"),
            ("", "{}\n"),
        ] {
            assert_eq!(left(file, remains, "{}\n").as_deref(), Some(remains), "{file}");
        }
    }
}
