//! What a rules file takes over from others: its keys `extends` and `disable`.
//!
//! `extends = ["builtin"]` puts the built-in rules before the file's own. A rule of the file takes
//! the place of the inherited rule that has its id; `disable` leaves inherited rules out.

use super::builtin::built_in;
use super::load::Reader;
use super::{Rulebook, RulesError, Spelled};
use crate::engine::nearest::nearest;

/// The built-in rules, as `rules sample` prints them.
pub const BUILT_IN: &str = include_str!("../../../templates/rules.toml");

/// How messages name the built-in rules.
pub const BUILT_IN_NAME: &str = "built-in rules";

/// What `extends` may name.
const BUILTIN: &str = "builtin";

/// The keys of a rules file that say what it inherits.
#[derive(Debug, Default)]
pub(super) struct Inherits {
    /// The strings of `extends`.
    pub extends: Vec<Spelled>,
    /// The strings of `disable`.
    pub disable: Vec<Spelled>,
}

impl Inherits {
    /// Puts the inherited rules into a book of a file's own rules.
    pub fn apply(self, mut book: Rulebook, reader: &Reader<'_>) -> Result<Rulebook, RulesError> {
        if let Some(stranger) = self.extends.iter().find(|name| name.text != BUILTIN) {
            let problem = format!("`extends` names `{}`, which is not known", stranger.text);
            return Err(reader.error_with(stranger.at, problem, "write `extends = [\"builtin\"]`"));
        }
        if self.extends.is_empty() {
            return match self.disable.first() {
                None => Ok(book),
                Some(first) => Err(reader.error_with(
                    first.at,
                    "`disable` has no effect without `extends`",
                    "write `extends = [\"builtin\"]`, or delete the rules themselves",
                )),
            };
        }
        let mut inherited = built_in()?;
        for id in self.disable {
            let known = inherited.rules.iter().position(|rule| rule.id == id.text);
            let Some(known) = known else {
                let ids = inherited.rules.iter().map(|rule| rule.id.as_str());
                let near = nearest(&id.text, ids).map(|near| format!("did you mean `{near}`?"));
                let problem = format!("`disable` names `{}`, which is no built-in rule", id.text);
                let fix = near.unwrap_or_else(|| "`solvi-hook rules sample` lists them".to_owned());
                return Err(reader.error_with(id.at, problem, &fix));
            };
            book.disabled.push(inherited.rules.remove(known).id);
        }
        for rule in book.rules {
            match inherited.rules.iter_mut().find(|other| other.id == rule.id) {
                // Two of the file's own with one id are told as such.
                Some(other) if other.file == BUILT_IN_NAME => *other = rule,
                _ => inherited.rules.push(rule),
            }
        }
        book.rules = inherited.rules;
        book.inherits = true;
        Ok(book)
    }
}
