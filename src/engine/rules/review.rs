//! Everything that can be said of a rules file at once: for `rules check`.
//!
//! Hooks stop at the first mistake, because rules that cannot be read evaluate nothing.

use super::load::{Form, Reader};
use super::{Rule, Rulebook, RulesError, Spelled};
use crate::domain::sanitize::excerpt;
use crate::engine::checks::{KINDS, forbid, require};
use crate::engine::document::Position;
use crate::engine::glob::why_never;
use crate::engine::pattern::{Pattern, Scope};

/// What stands in a rules file.
#[derive(Debug)]
pub struct Review {
    /// The rules that can be read, the inherited ones too.
    pub book: Rulebook,
    /// Every mistake, in the order of the file.
    pub mistakes: Vec<RulesError>,
    /// What is no mistake and probably not meant.
    pub warnings: Vec<Warning>,
}

/// Something in a rules file that is probably not meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// Where, if a place can be named.
    pub at: Option<Position>,
    /// The rule that it is about.
    pub rule: Option<String>,
    /// What it is, in a sentence without a full stop.
    pub text: String,
}

/// Reads a rules file to its end, with every pattern of every rule.
///
/// ```
/// use solvi_hook::engine::rules::{Form, review};
///
/// let text = "[[rule]]\nid = \"a\"\npaths = [\"**\"]\nforbid = [\"(\", \"[\"]\non_fail = \"no\"\n";
/// assert_eq!(review(text, Form::Toml, "solvi-rules.toml").mistakes.len(), 3);
/// ```
#[must_use]
pub fn review(text: &str, form: Form, file: &str) -> Review {
    let (book, mut mistakes) = Reader { file }.all(text, form);
    let own = || book.rules.iter().filter(|rule| rule.file == book.file);
    mistakes.extend(own().flat_map(Rule::mistakes));
    mistakes.sort_by_key(|mistake| mistake.at);
    let mut warnings: Vec<Warning> = own().flat_map(Rule::warnings).collect();
    if mistakes.is_empty() && book.rules.is_empty() {
        let text = "the file holds no rule, so nothing is evaluated; \
                    `extends = [\"builtin\"]` takes over the built-in rules";
        warnings.push(Warning { at: None, rule: None, text: text.to_owned() });
    }
    warnings.sort_by_key(|warning| warning.at);
    Review { book, mistakes, warnings }
}

impl Rule {
    /// Returns every pattern of the rule that cannot be read.
    fn mistakes(&self) -> Vec<RulesError> {
        let mut mistakes = Vec::new();
        for (kind, spelled) in &self.checks {
            let Some(kind) = KINDS.get(*kind) else { continue };
            for one in spelled {
                if let Err(bad) = (kind.read)(std::slice::from_ref(&one.text)) {
                    mistakes.push(self.error(kind.key, std::slice::from_ref(one), &bad));
                }
            }
        }
        for one in self.question.iter().flat_map(|question| &question.when) {
            let text = std::slice::from_ref(&one.text);
            if let Err(bad) = crate::engine::checks::patterns(text, super::Scope::Line) {
                mistakes.push(self.error("when", std::slice::from_ref(one), &bad));
            }
        }
        mistakes
    }

    fn warnings(&self) -> Vec<Warning> {
        let mut warnings = Vec::new();
        let mut warn = |at, text| {
            warnings.push(Warning { at: Some(at), rule: Some(self.id.clone()), text });
        };
        for never in why_never(&self.paths, self.dialect) {
            let glob = self.paths.get(never.index).map(|glob| excerpt(glob)).unwrap_or_default();
            let fix = never.fix.map(|fix| format!("; {fix}")).unwrap_or_default();
            warn(self.at, format!("`paths` holds `{glob}`: {}{fix}", never.problem));
        }
        let when = self.question.iter().map(|question| ("when", &question.when));
        let checks = self
            .checks
            .iter()
            .filter_map(|(kind, spelled)| KINDS.get(*kind).map(|kind| (kind.key, spelled)));
        for (key, spelled) in checks.chain(when) {
            for one in spelled {
                let found = [control_character(one), hard(key, one)];
                for text in found.into_iter().flatten() {
                    warn(one.at, format!("`{key}` holds `{}`: {text}", excerpt(&one.text)));
                }
            }
        }
        warnings
    }
}

/// Says that a string holds what an escape of TOML has made of `\b`.
fn control_character(one: &Spelled) -> Option<String> {
    let char = one.text.chars().find(|char| char.is_control() && *char != '\t')?;
    let code = u32::from(char);
    Some(format!(
        "it holds the control character U+{code:04X}; in TOML, a pattern with backslashes stands \
         between single quotes: '\\b'"
    ))
}

/// Says that a pattern is given up on some line.
fn hard(key: &str, one: &Spelled) -> Option<String> {
    let scope = match key {
        forbid if forbid == forbid::KIND.key => Scope::Line,
        "when" => Scope::Line,
        require if require == require::KIND.key => Scope::File,
        _ => return None,
    };
    let line = Pattern::new(&one.text, scope).ok()?.hard_line()?;
    let length = line.chars().count();
    Some(format!(
        "it goes back so often on a line of {length} characters (`{}`) that it is given up, and the \
         file then cannot be checked; write it without look-around, references, atomic and \
         possessive parts, or with fewer repetitions",
        excerpt(&line)
    ))
}
