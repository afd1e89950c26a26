//! For which files and at which moments does a rule count: its keys `only` and `on`.

use crate::domain::{Moment, Standing};
use crate::engine::document::{Node, Position, Value};

/// Which files a rule is limited to, by what git knows of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Only {
    /// Files that git already tracks.
    Tracked,
    /// Files that are new to git.
    New,
    /// All files.
    #[default]
    Any,
}

impl Only {
    /// Tells whether a file of this standing is meant. One whose standing is not known is: not
    /// knowing must not let anything pass.
    #[must_use]
    pub fn fits(self, standing: Standing) -> bool {
        match self {
            Self::Tracked => standing != Standing::New,
            Self::New => standing != Standing::Tracked,
            Self::Any => true,
        }
    }

    /// Returns the word for it in rules files.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Tracked => "tracked",
            Self::New => "new",
            Self::Any => "any",
        }
    }
}

/// What is wrong with a limit: the place, the problem, what to write instead.
pub(super) type Wrong = (Position, String, &'static str);

/// Reads what stands under `only`.
pub(super) fn only(node: &Node) -> Result<Only, Wrong> {
    let known = [Only::Tracked, Only::New, Only::Any];
    let meant = match &node.value {
        Value::Text(text) => known.into_iter().find(|only| only.word() == text),
        _ => None,
    };
    let fix = "write \"tracked\", \"new\" or \"any\"";
    meant.ok_or_else(|| (node.at, format!("`only` is {}", told(&node.value)), fix))
}

/// Reads what stands under `on`: one moment or a list of them.
pub(super) fn on(node: &Node) -> Result<Vec<Moment>, Wrong> {
    let moment = |node: &Node| match &node.value {
        Value::Text(text) => Moment::of_word(text).ok_or_else(|| no_moment(node)),
        _ => Err(no_moment(node)),
    };
    match &node.value {
        Value::List(items) if items.is_empty() => {
            let fix = "name a moment, or remove the key: a rule without `on` always counts";
            Err((node.at, "`on` is an empty list, so the rule would never count".to_owned(), fix))
        }
        Value::List(items) => items.iter().map(moment).collect(),
        _ => Ok(vec![moment(node)?]),
    }
}

fn no_moment(node: &Node) -> Wrong {
    let fix = "write one or more of \"edit\", \"commit\", \"push\" and \"ci\"";
    (node.at, format!("`on` holds {}", told(&node.value)), fix)
}

fn told(value: &Value) -> String {
    match value {
        Value::Text(text) => format!("\"{text}\""),
        value => value.kind().to_owned(),
    }
}
