//! Our entries among the hooks of a TOML file, as Codex's `config.toml` has them: put in as a
//! block of lines at the end, taken out as one, every other byte as it was.
//!
//! ```toml
//! [[hooks.PreToolUse]]
//! matcher = "apply_patch"
//! [[hooks.PreToolUse.hooks]]
//! type = "command"
//! command = "solvi-hook hook --agent codex"
//! ```
//!
//! Nothing is written unless a TOML reader finds in the new text what it found in the old one, and
//! our entries more or less.

use super::hook_groups::{Deed, Done, Handler, HooksError, Outcome};
use super::json_text::Broken;
use super::own_entries::Owner;
use crate::domain::Entry;
use serde_json::Value;
use std::ops::Range;

/// Puts entries in, and takes out every other one of ours.
pub fn merge(text: &str, entries: &[Entry]) -> Result<Outcome, HooksError> {
    let before = handlers(text)?;
    let same = |entry: &Entry| {
        let group = group(entry);
        before.iter().any(|it| it.event == entry.event && *it.group() == group)
    };
    let older = |entry: &Entry| before.iter().any(|it| is_ours(it) && it.event == entry.event);
    let mut done: Vec<Done> = Vec::new();
    for entry in entries {
        let deed = match (same(entry), older(entry)) {
            (true, _) => Deed::Unchanged,
            (false, true) => Deed::Replaced,
            (false, false) => Deed::Added,
        };
        let Entry { event, matcher, command, .. } = entry.clone();
        done.push(Done { deed, event, matcher, command });
    }
    if done.iter().all(|done| done.deed == Deed::Unchanged)
        && before.iter().filter(|it| is_ours(it)).count() == entries.len()
    {
        let others = before.into_iter().filter(|it| !is_ours(it)).collect();
        return Ok(Outcome { text: text.to_owned(), done, others });
    }
    let rest = sweep(text, is_ours, Vec::new())?;
    for gone in &rest.done {
        if !done.iter().any(|done| done.event == gone.event) {
            done.push(gone.clone());
        }
    }
    let mut new = rest.text;
    for entry in entries {
        new = appended(&new, &lines(entry, &new));
    }
    let mut wanted = rest.others.clone();
    wanted.extend(handlers(&new)?.into_iter().filter(is_ours));
    held(text, &new, wanted.len())?;
    Ok(Outcome { text: new, done, others: rest.others })
}

/// Takes every entry of ours out.
pub fn unmerge(text: &str) -> Result<Outcome, HooksError> {
    sweep(text, is_ours, Vec::new())
}

/// Takes every entry of the reference program out.
pub fn without_solvi(text: &str) -> Result<Outcome, HooksError> {
    sweep(text, |handler| handler.owner == Owner::Solvi, Vec::new())
}

/// Returns every handler, event by event.
pub fn handlers(text: &str) -> Result<Vec<Handler>, HooksError> {
    let file = parsed(text)?;
    let mut found = Vec::new();
    let events = file.get("hooks").and_then(Value::as_object).into_iter().flatten();
    for (event, (name, groups)) in events.enumerate() {
        for (at, group) in groups.as_array().into_iter().flatten().enumerate() {
            let handlers = group.get("hooks").and_then(Value::as_array).map_or(0, Vec::len);
            for handler in 0..handlers {
                let alone = handlers == 1;
                found.push(Handler::at((event, at, handler), alone, name, group.clone()));
            }
        }
    }
    Ok(found)
}

fn is_ours(handler: &Handler) -> bool {
    matches!(handler.owner, Owner::Ours(_))
}

fn parsed(text: &str) -> Result<Value, HooksError> {
    toml::from_str(text).map_err(|error| {
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        Broken { line, column, problem: error.message().replace('\n', ", ") }.into()
    })
}

fn sweep(
    text: &str,
    out: impl Fn(&Handler) -> bool,
    mut done: Vec<Done>,
) -> Result<Outcome, HooksError> {
    let mut new = text.to_owned();
    loop {
        let all = handlers(&new)?;
        let Some(gone) = all.iter().find(|handler| out(handler)) else {
            let others = all.into_iter().filter(|handler| !is_ours(handler)).collect();
            return Ok(Outcome { text: new, done, others });
        };
        let rest = block_of(&new, gone).map(|block| without(&new, block));
        let rest = rest.ok_or_else(|| by_hand(&new, gone))?;
        held(&new, &rest, all.len() - 1)?;
        let Handler { event, matcher, command, .. } = gone.clone();
        done.push(Done { deed: Deed::Removed, event, matcher, command });
        new = rest;
    }
}

/// Tells that an entry stands in a way that only a person can change.
fn by_hand(text: &str, handler: &Handler) -> HooksError {
    let line = text.lines().position(|line| line.contains("solvi")).map_or(1, |at| at + 1);
    let what = format!("the entry under `hooks.{}`", handler.event);
    let expected = "a block of its own (`[[hooks.EVENT]]`, one command); change it by hand";
    HooksError::Shape { line, column: 1, what, expected }
}

/// Makes sure that a new text holds so many handlers, and for the rest what the old one held.
fn held(old: &str, new: &str, handlers_left: usize) -> Result<(), HooksError> {
    let bare = |text: &str| {
        let mut file = parsed(text)?;
        if let Some(hooks) = file.get_mut("hooks").and_then(Value::as_object_mut) {
            hooks.retain(|_, event| !event.is_array());
        }
        if let Some(file) = file.as_object_mut() {
            file.retain(|name, value| name != "hooks" || *value != serde_json::json!({}));
        }
        Ok::<Value, HooksError>(file)
    };
    let kept =
        |text: &str| handlers(text).map(|all| all.into_iter().filter(|it| !is_ours(it)).count());
    if bare(old)? == bare(new)? && handlers(new)?.len() == handlers_left && kept(new)? <= kept(old)?
    {
        return Ok(());
    }
    let what = "the file".to_owned();
    Err(HooksError::Shape {
        line: 1,
        column: 1,
        what,
        expected: "one that can be changed in place",
    })
}

/// Returns the lines of an entry.
fn lines(entry: &Entry, text: &str) -> String {
    let quoted = |text: &str| Value::from(text).to_string().replace('\u{7f}', "\\u007F");
    let Entry { event, matcher, command, timeout, status, .. } = entry;
    let mut lines = vec![format!("[[hooks.{event}]]")];
    lines.extend(matcher.as_deref().map(|matcher| format!("matcher = {}", quoted(matcher))));
    lines.extend([
        format!("[[hooks.{event}.hooks]]"),
        "type = \"command\"".to_owned(),
        format!("command = {}", quoted(command)),
        format!("timeout = {timeout}"),
        format!("statusMessage = {}", quoted(status)),
    ]);
    lines.join(line_end(text))
}

fn line_end(text: &str) -> &'static str {
    let first = text.split_once('\n').map(|(first, _)| first);
    if first.is_some_and(|first| first.ends_with('\r')) { "\r\n" } else { "\n" }
}

fn group(entry: &Entry) -> Value {
    let mut group = serde_json::json!({"hooks": [{
        "type": "command",
        "command": entry.command,
        "timeout": entry.timeout,
        "statusMessage": entry.status,
    }]});
    if let Some(matcher) = &entry.matcher {
        group["matcher"] = matcher.as_str().into();
    }
    group
}

/// Appends a block, set off by a blank line. A text whose last line has no end keeps it so, and
/// that tells [`without`] that the line end before the block is ours.
fn appended(text: &str, block: &str) -> String {
    let end = line_end(text);
    match text {
        "" => format!("{block}{end}"),
        text if text.ends_with('\n') => format!("{text}{end}{block}{end}"),
        text => format!("{text}{end}{block}"),
    }
}

fn without(text: &str, block: Range<usize>) -> String {
    let before = text.get(..block.start).unwrap_or_default();
    let mut after = text.get(block.end..).unwrap_or_default();
    if before.is_empty() {
        // What comes first now needs nothing to set it off.
        after = after.strip_prefix(line_end(text)).unwrap_or(after);
    }
    let shorter = |text: &str| {
        let text = text.strip_suffix('\n').unwrap_or(text);
        text.strip_suffix('\r').unwrap_or(text).len()
    };
    let ended = text.get(block.clone()).is_some_and(|block| block.ends_with('\n'));
    let set_off = before.ends_with("\n\n") || before.ends_with("\n\r\n");
    let cut = if !ended || set_off { shorter(before) } else { before.len() };
    format!("{}{after}", before.get(..cut).unwrap_or_default())
}

/// Returns the lines of a group that holds one handler, and that one.
fn block_of(text: &str, handler: &Handler) -> Option<Range<usize>> {
    let mut heads: Vec<(usize, String)> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.trim_start().starts_with('[') {
            heads.push((at, line.split('#').next().unwrap_or_default().trim().replace(' ', "")));
        }
        at += line.len();
    }
    let head = format!("[[hooks.{}]]", handler.event);
    let inner = format!("[[hooks.{}.hooks]]", handler.event);
    heads.iter().enumerate().filter(|(_, (_, name))| *name == head).find_map(|(at, (start, _))| {
        let next = heads.iter().skip(at + 1).find(|(_, name)| *name != inner);
        let end = next.map_or(text.len(), |(end, _)| *end);
        let block = text.get(*start..end)?;
        // White space and comments behind the last line belong to what follows.
        let mut length = 0;
        let mut seen = 0;
        for line in block.split_inclusive('\n') {
            seen += line.len();
            if !line.trim().is_empty() && !line.trim_start().starts_with('#') {
                length = seen;
            }
        }
        let block = block.get(..length)?;
        let alone = handlers(block).ok()?;
        let [one] = alone.as_slice() else { return None };
        (one.group() == handler.group()).then(|| *start..*start + length)
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn entries() -> Vec<Entry> {
        let entry = |event: &str, command: &str| Entry {
            event: event.to_owned(),
            matcher: Some("^(apply_patch|\"x\")$".to_owned()),
            command: command.to_owned(),
            timeout: 30,
            status: "holding".to_owned(),
            shape: crate::domain::Shape::Group,
        };
        vec![
            entry("PreToolUse", "solvi-hook hook --agent codex || printf '%s' '{\"a\": \"\\n\"}'"),
            entry("PostToolUse", "solvi-hook hook --agent codex"),
        ]
    }

    #[test]
    fn putting_in_and_taking_out_gives_back_every_byte() {
        for text in [
            "",
            "model = \"o\"\n",
            "model = \"o\"",
            "# why\r\nmodel = \"o\"\r\n\r\n",
            "a = 1\n\n\n",
            "[[hooks.PreToolUse]]\nmatcher = \"x\"\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\n\
             command = \"mine\" # solvi-hook hook\n\n# end\n",
            "[projects.\"/p\"]\ntrust_level = \"trusted\"\n[tui]",
            "text = \"\"\"\n[[hooks.PreToolUse]]\n\"\"\"\n",
        ] {
            let with = merge(text, &entries()).unwrap();
            assert_eq!(handlers(&with.text).unwrap().iter().filter(|it| is_ours(it)).count(), 2);
            let twice = merge(&with.text, &entries()).unwrap();
            assert_eq!(twice.text, with.text);
            assert!(twice.done.iter().all(|done| done.deed == Deed::Unchanged));
            let out = unmerge(&with.text).unwrap();
            assert_eq!(out.text, text, "{}", with.text);
            assert_eq!(out.done.len(), 2);
        }
    }

    #[test]
    fn an_older_entry_makes_room_and_what_follows_it_stays() {
        let with = merge("a = 1\n", &entries()[..1]).unwrap().text;
        let old = with.replace("--agent codex", "--agent codex --approve") + "\n# mine\n[tui]\n";
        let new = merge(&old, &entries()[..1]).unwrap();
        assert_eq!(new.done[0].deed, Deed::Replaced);
        assert!(
            new.text.starts_with("a = 1\n\n# mine\n[tui]\n\n[[hooks.PreToolUse]]\n"),
            "{}",
            new.text
        );
        assert_eq!(unmerge(&new.text).unwrap().text, "a = 1\n\n# mine\n[tui]\n");
    }

    #[test]
    fn what_cannot_be_changed_in_place_is_an_error_with_its_place() {
        let inline =
            "hooks.PreToolUse = [{ hooks = [{ type = \"command\", command = \"mine\" }] }]\n";
        assert!(merge(inline, &entries()).is_err());
        let ours = inline.replace("mine", "solvi-hook hook");
        assert!(unmerge(&ours).unwrap_err().to_string().contains("by hand"));
        assert!(merge("a = \n", &[]).unwrap_err().to_string().starts_with("line 1, column 5: "));
    }
}
