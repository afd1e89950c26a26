//! Our entries among the hooks of an agent: found, put in, taken out.
//!
//! The shape is the one of Claude Code (and others):
//! `{"hooks": {EVENT: [{"matcher": …, "hooks": [{"type": "command", "command": …}]}]}}`.
//! or, as Copilot CLI and Cursor have it, the handler in the place of its group. Both are read in
//! any file. Only what is ours is touched, and every other byte stays. Taking out goes as far up as ours
//! goes: a group that held nothing else, an event that held no other group, `hooks` that held no
//! other event. So putting in and taking out again gives back the text from before.

use super::json_text::{Broken, Document, Members, plain};
use super::own_entries::{Owner, owner, owner_of_program};
use crate::domain::{Entry, Shape};
use jsonc_parser::ast::{Array, Object, Value};
use jsonc_parser::common::Ranged;
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::collections::BTreeMap;

/// Why hooks could not be read from a text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HooksError {
    /// The text is not JSON.
    #[error("{0}")]
    Broken(#[from] Broken),
    /// A part of it has another shape than agents give it.
    #[error("line {line}, column {column}: {what} is not {expected}")]
    Shape {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// Which part.
        what: String,
        /// What it should be.
        expected: &'static str,
    },
}

/// A handler of somebody's hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handler {
    /// The event.
    pub event: String,
    /// The matcher of its group.
    pub matcher: Option<String>,
    /// The command, with its arguments when they stand apart.
    pub command: String,
    /// Whose it is.
    pub owner: Owner,
    spot: Spot,
    group: serde_json::Value,
}

impl Handler {
    /// Makes a handler that stands at a place among the groups of its event.
    pub(super) fn at(
        (event, group, handler): (usize, usize, usize),
        alone: bool,
        name: &str,
        whole: serde_json::Value,
    ) -> Self {
        let text = |value: Option<&serde_json::Value>| {
            value.and_then(serde_json::Value::as_str).map(str::to_owned)
        };
        let own = whole.pointer(&format!("/hooks/{handler}"));
        let command = own.and_then(|own| text(own.get("command"))).unwrap_or_default();
        Self {
            event: name.to_owned(),
            matcher: text(whole.get("matcher")),
            owner: owner(&command),
            command,
            spot: Spot { event, group, handler, alone },
            group: whole,
        }
    }

    /// Returns the number of its group among those of its event, and its own in the group.
    #[must_use]
    pub fn place(&self) -> (usize, usize) {
        (self.spot.group, self.spot.handler)
    }

    /// Returns what stands in the settings: the group that it is in, or itself.
    #[must_use]
    pub fn group(&self) -> &serde_json::Value {
        &self.group
    }
}

/// Where a handler is: the event among the events, and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Spot {
    event: usize,
    group: usize,
    handler: usize,
    alone: bool,
}

/// What was done with one entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// It is new.
    Added,
    /// It stands in the place of an older one of ours.
    Replaced,
    /// It was there, word for word.
    Unchanged,
    /// It is gone.
    Removed,
}

/// An entry and what was done with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done {
    /// What was done.
    pub deed: Deed,
    /// The event.
    pub event: String,
    /// The matcher.
    pub matcher: Option<String>,
    /// The command.
    pub command: String,
}

/// A text with its hooks changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The text.
    pub text: String,
    /// What was done, in order.
    pub done: Vec<Done>,
    /// Whose handlers stand in it besides ours.
    pub others: Vec<Handler>,
}

/// Puts entries in. Ours that are there already are replaced where they stand, or, when they
/// share a group with others or are no longer wanted, taken out.
pub fn merge(text: &str, entries: &[Entry]) -> Result<Outcome, HooksError> {
    let mut text = text.to_owned();
    let mut done = Vec::new();
    for entry in entries {
        let (deed, placed) = place(&text, entry)?;
        text = placed.unwrap_or(text);
        let Entry { event, matcher, command, .. } = entry.clone();
        done.push(Done { deed, event, matcher, command });
    }
    sweep(text, entries, done)
}

/// Takes every entry of ours out.
pub fn unmerge(text: &str) -> Result<Outcome, HooksError> {
    sweep(text.to_owned(), &[], Vec::new())
}

/// Takes every entry of the reference program out, and leaves ours.
pub fn without_solvi(text: &str) -> Result<Outcome, HooksError> {
    sweep_out(text.to_owned(), |handler, _| handler.owner == Owner::Solvi, Vec::new())
}

/// Returns every handler, in the order of the text.
pub fn handlers(text: &str) -> Result<Vec<Handler>, HooksError> {
    let document = Document::parse(text)?;
    let hooks = hooks(&document)?;
    Ok(hooks.map(handlers_of).unwrap_or_default())
}

fn place(text: &str, entry: &Entry) -> Result<(Deed, Option<String>), HooksError> {
    let document = Document::parse(text)?;
    let group = Group::of(entry);
    let root = root(&document)?;
    let Some(hooks) = hooks(&document)? else {
        let value = BTreeMap::from([(&entry.event, [group])]);
        let text = document.append(&Members::of_object(root), Some("hooks"), &value);
        return Ok((Deed::Added, Some(text)));
    };
    let Some((at, list)) = event_list(hooks, &entry.event) else {
        let members = Members::of_object(hooks);
        return Ok((Deed::Added, Some(document.append(&members, Some(&entry.event), &[group]))));
    };
    let groups = Members::of_list(list);
    let handlers = handlers_of(hooks);
    let same_event = |handler: &&Handler| {
        matches!(handler.owner, Owner::Ours(_)) && handler.event == entry.event
    };
    if handlers.iter().filter(same_event).any(|handler| handler.group == group.plain()) {
        return Ok((Deed::Unchanged, None));
    }
    let role = owner(&entry.command);
    let older = handlers
        .iter()
        .filter(same_event)
        .find(|handler| handler.owner == role && handler.spot.alone && handler.spot.event == at);
    let deed = if handlers.iter().any(|handler| same_event(&handler)) {
        Deed::Replaced
    } else {
        Deed::Added
    };
    let text = match older {
        Some(older) => document.replace(&groups, older.spot.group, &group),
        None => document.append(&groups, None, &group),
    };
    Ok((deed, Some(text)))
}

/// Takes out what is ours, except the first of each kind that is as wanted.
fn sweep(text: String, wanted: &[Entry], done: Vec<Done>) -> Result<Outcome, HooksError> {
    let gone = |handler: &Handler, handlers: &[Handler]| {
        let kept = wanted.iter().any(|entry| {
            let group = Group::of(entry).plain();
            let first = handlers.iter().find(|it| it.event == entry.event && it.group == group);
            first.is_some_and(|first| first.spot == handler.spot)
        });
        matches!(handler.owner, Owner::Ours(_)) && !kept
    };
    sweep_out(text, gone, done)
}

/// Takes out every handler of which this is true, the last first: so what was put in goes the way
/// that it came.
fn sweep_out(
    mut text: String,
    out: impl Fn(&Handler, &[Handler]) -> bool,
    mut done: Vec<Done>,
) -> Result<Outcome, HooksError> {
    let told = done.len();
    loop {
        let handlers = handlers(&text)?;
        let gone = handlers.iter().rfind(|handler| out(handler, &handlers));
        let Some((gone, rest)) = gone.and_then(|it| Some((it, take_out(&text, it.spot)?))) else {
            let ours = |handler: &Handler| matches!(handler.owner, Owner::Ours(_));
            let others = handlers.into_iter().filter(|handler| !ours(handler)).collect();
            return Ok(Outcome { text, done, others });
        };
        // One that made room for another at its event was already told of as replaced.
        let replaced = |done: &Done| done.deed == Deed::Replaced && done.event == gone.event;
        if !done.iter().any(replaced) {
            let Handler { event, matcher, command, .. } = gone.clone();
            done.insert(told, Done { deed: Deed::Removed, event, matcher, command });
        }
        text = rest;
    }
}

fn take_out(text: &str, spot: Spot) -> Option<String> {
    let document = Document::parse(text).ok()?;
    let root = document.root.as_object()?;
    let (at, hooks) = last(root, "hooks")?;
    let hooks = hooks.as_object()?;
    let list = hooks.properties.get(spot.event)?.value.as_array()?;
    let (events, groups) = (Members::of_object(hooks), Members::of_list(list));

    // From the inside out: the first level that holds something else, or was there before us.
    let stays = |members: &Members| members.len() > 1 || document.was_there(members);
    Some(if !spot.alone {
        let (_, handlers) = last(list.elements.get(spot.group)?.as_object()?, "hooks")?;
        document.remove(&Members::of_list(handlers.as_array()?), spot.handler)
    } else if stays(&groups) {
        document.remove(&groups, spot.group)
    } else if stays(&events) {
        document.remove(&events, spot.event)
    } else {
        document.remove(&Members::of_object(root), at)
    })
}

fn root<'a, 'b>(document: &'b Document<'a>) -> Result<&'b Object<'a>, HooksError> {
    let shape = || shape(document, &document.root, "the file".to_owned(), "an object");
    document.root.as_object().ok_or_else(shape)
}

/// Returns the hooks, when there are any, with every event a list.
fn hooks<'a, 'b>(document: &'b Document<'a>) -> Result<Option<&'b Object<'a>>, HooksError> {
    let Some((_, value)) = last(root(document)?, "hooks") else { return Ok(None) };
    let Some(hooks) = value.as_object() else {
        return Err(shape(document, value, "`hooks`".to_owned(), "an object"));
    };
    for event in &hooks.properties {
        if event.value.as_array().is_none() {
            let what = format!("`hooks.{}`", event.name.as_str());
            return Err(shape(document, &event.value, what, "a list"));
        }
    }
    Ok(Some(hooks))
}

fn shape(
    document: &Document<'_>,
    at: &Value<'_>,
    what: String,
    expected: &'static str,
) -> HooksError {
    let (line, column) = document.position(at.start());
    HooksError::Shape { line, column, what, expected }
}

/// Returns the last property of a name: the one that counts.
pub(super) fn last<'a, 'b>(object: &'b Object<'a>, name: &str) -> Option<(usize, &'b Value<'a>)> {
    let at = object.properties.iter().rposition(|prop| prop.name.as_str() == name)?;
    object.properties.get(at).map(|prop| (at, &prop.value))
}

fn event_list<'a, 'b>(hooks: &'b Object<'a>, event: &str) -> Option<(usize, &'b Array<'a>)> {
    last(hooks, event).and_then(|(at, value)| value.as_array().map(|list| (at, list)))
}

fn handlers_of(hooks: &Object<'_>) -> Vec<Handler> {
    let mut found = Vec::new();
    for (event, prop) in hooks.properties.iter().enumerate() {
        let groups = prop.value.as_array().map_or(&[][..], |list| &list.elements);
        for (group, value) in groups.iter().enumerate() {
            let Some(object) = value.as_object() else { continue };
            let matcher = last(object, "matcher").and_then(|(_, it)| text(it));
            let handlers = last(object, "hooks").and_then(|(_, it)| it.as_array());
            // Without a list of its own it is a handler itself.
            let handlers = handlers.map_or(std::slice::from_ref(value), |list| &list.elements);
            for (handler, value) in handlers.iter().enumerate() {
                let (command, owner) = command(value);
                if command.is_empty() && handlers.len() == 1 && owner == Owner::Stranger {
                    continue;
                }
                found.push(Handler {
                    event: prop.name.as_str().to_owned(),
                    matcher: matcher.clone(),
                    command,
                    owner,
                    spot: Spot { event, group, handler, alone: handlers.len() == 1 },
                    group: plain(groups.get(group).unwrap_or(value)),
                });
            }
        }
    }
    found
}

fn command(handler: &Value<'_>) -> (String, Owner) {
    let Some(handler) = handler.as_object() else { return (String::new(), Owner::Stranger) };
    let named = |name| last(handler, name).and_then(|(_, it)| text(it));
    let command = named("command").or_else(|| named("bash")).unwrap_or_default();
    let Some(args) = last(handler, "args").and_then(|(_, it)| it.as_array()) else {
        let owner = owner(&command);
        return (command, owner);
    };
    let mut words = vec![command];
    words.extend(args.elements.iter().filter_map(text));
    let owner = owner_of_program(words.iter().map(String::as_str));
    (words.join(" "), owner)
}

fn text(value: &Value<'_>) -> Option<String> {
    value.as_string_lit().map(|text| text.value.clone().into_owned())
}

/// An entry as it is written: its fields, in order, and in a group or not.
struct Group<'a> {
    matcher: Option<&'a str>,
    fields: Vec<(&'static str, Field<'a>)>,
    grouped: bool,
}

#[derive(Clone, Copy, serde::Serialize)]
#[serde(untagged)]
enum Field<'a> {
    Text(&'a str),
    Number(u32),
    Flag(bool),
}

struct Fields<'a, 'b>(&'b [(&'static str, Field<'a>)]);

impl Serialize for Fields<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, field)| (name, field)))
    }
}

impl Serialize for Group<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if !self.grouped {
            return Fields(&self.fields).serialize(serializer);
        }
        let mut map = serializer.serialize_map(None)?;
        if let Some(matcher) = self.matcher {
            map.serialize_entry("matcher", matcher)?;
        }
        map.serialize_entry("hooks", &[Fields(&self.fields)])?;
        map.end()
    }
}

impl<'a> Group<'a> {
    fn of(entry: &'a Entry) -> Self {
        let Entry { matcher, command, timeout, status, shape, .. } = entry;
        let matcher = matcher.as_deref();
        let command = Field::Text(command);
        let timeout = Field::Number(*timeout);
        let kind = ("type", Field::Text("command"));
        let mut fields = match shape {
            Shape::Group => vec![
                kind,
                ("command", command),
                ("timeout", timeout),
                ("statusMessage", Field::Text(status)),
            ],
            Shape::NamedGroup => vec![
                kind,
                ("name", Field::Text("solvi-hook")),
                ("command", command),
                ("timeout", timeout),
            ],
            Shape::Bash => vec![kind, ("bash", command), ("timeoutSec", timeout)],
            Shape::Closed => {
                vec![("command", command), ("timeout", timeout), ("failClosed", Field::Flag(true))]
            }
            Shape::Plain => vec![("command", command), ("timeout", timeout)],
        };
        let grouped = matches!(shape, Shape::Group | Shape::NamedGroup);
        if let Some(matcher) = matcher.filter(|_| !grouped) {
            fields.push(("matcher", Field::Text(matcher)));
        }
        Self { matcher, fields, grouped }
    }

    fn plain(&self) -> serde_json::Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
