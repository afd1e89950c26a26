//! What a change of the rules loosens, and the rules of both sides of a change as one book.
//!
//! A rule is loosened when something that broke it may not break it any more. That cannot be told
//! of patterns and globs in general, so the reading is strict: a pattern, a call or a glob that is
//! not there any more, word for word, counts as one that something would have broken. What only
//! adds is no loosening.

use super::limits::Only;
use super::{Rule, Rulebook, RulesError};
use crate::domain::{Finding, Moment};
use crate::engine::checks::KINDS;

/// A rule that a change of the rules loosens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loosened {
    /// The rule's id.
    pub id: String,
    /// The rule's line in the file after the change; none when the rule is not there any more.
    pub line: Option<usize>,
    /// What is looser, one phrase each.
    pub how: Vec<String>,
}

impl Rulebook {
    /// Returns the rules of this book that `change`, which takes its place, loosens.
    ///
    /// ```
    /// use solvi_hook::engine::rules::{Form, load};
    ///
    /// let rule = |more| format!("[[rule]]\nid = \"a\"\npaths = [\"src/**\"]\n{more}\n");
    /// let book = |more| load(&rule(more), Form::Toml, "solvi-rules.toml").unwrap();
    /// let base = book("forbid = [\"x\"]\non_fail = \"ask\"");
    ///
    /// assert!(base.loosened_by(&book("forbid = [\"x\", \"y\"]")).is_empty());
    /// let loosened = base.loosened_by(&book("forbid = [\"y\"]\non_fail = \"warn\""));
    /// assert_eq!(loosened[0].how, ["`on_fail` is warn, was ask", "`forbid` lacks 1 of 1"]);
    /// ```
    #[must_use]
    pub fn loosened_by(&self, change: &Self) -> Vec<Loosened> {
        let mut loosened = Vec::new();
        for rule in &self.rules {
            let how = match change.rules.iter().find(|other| other.id == rule.id) {
                Some(other) => {
                    // A line of the built-in rules is none of the file's.
                    let line = (other.file == change.file).then_some(other.at.line());
                    (looser(rule, other), line)
                }
                None if change.disabled.contains(&rule.id) => {
                    (vec!["it is disabled".to_owned()], None)
                }
                // Another id alone loosens nothing.
                None if change.new_to(self).any(|other| looser(rule, other).is_empty()) => continue,
                None => (vec!["it is deleted".to_owned()], None),
            };
            if let (how @ [_, ..], line) = (&how.0[..], how.1) {
                loosened.push(Loosened { id: rule.id.clone(), line, how: how.to_vec() });
            }
        }
        loosened
    }

    /// Returns the rules whose ids another book does not have.
    fn new_to<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = &'a Rule> {
        let known = |id: &str| other.rules.iter().any(|rule| rule.id == id);
        self.rules.iter().filter(move |rule| !known(&rule.id))
    }

    /// Takes in the rules of the base of a change, so that a finding of either side counts: those
    /// that this side does not have as they are. Returns why some of them cannot be read.
    pub fn add_base(&mut self, base: Self) -> Vec<RulesError> {
        let mut unread = Vec::new();
        for rule in base.rules {
            if self.rules.iter().any(|other| evaluates_alike(&rule, other)) {
                continue;
            }
            // The other side may be what corrects the pattern.
            match rule.verify() {
                Ok(()) => self.rules.push(rule),
                Err(error) => unread.push(error),
            }
        }
        self.two_sided = true;
        unread
    }
}

/// Joins the findings of two versions of one rule: what both see is told once, by the stricter.
pub(super) fn joined(findings: Vec<Finding>) -> Vec<Finding> {
    let mut joined: Vec<Finding> = Vec::with_capacity(findings.len());
    for finding in findings {
        let same = |known: &&mut Finding| known.rule == finding.rule && known.part == finding.part;
        let Some(known) = joined.iter_mut().find(same) else {
            joined.push(finding);
            continue;
        };
        known.verdict = known.verdict.join(finding.verdict);
        for spot in finding.spots {
            if !known.spots.contains(&spot) {
                known.spots.push(spot);
            }
        }
        known.spots.sort_by_key(|spot| spot.line);
        known.unknown = super::join(known.unknown.take(), finding.unknown);
    }
    joined
}

/// Tells whether two rules find the same in every change; what they say about it may differ.
fn evaluates_alike(one: &Rule, other: &Rule) -> bool {
    one.id == other.id && looser(one, other).is_empty() && looser(other, one).is_empty()
}

/// Returns what of a rule is looser after a change, one phrase each.
fn looser(base: &Rule, change: &Rule) -> Vec<String> {
    let mut how = Vec::new();
    if change.on_fail < base.on_fail {
        how.push(format!("`on_fail` is {}, was {}", change.on_fail.word(), base.on_fail.word()));
    }
    how.extend(narrower(base, change));
    if base.touch_only() && !change.touch_only() {
        how.push("it is about some changes of its paths, was about any".to_owned());
    }
    for (index, kind) in KINDS.iter().enumerate() {
        let texts = |rule: &Rule| -> Vec<String> {
            let mine = rule.checks.iter().filter(|(at, _)| *at == index);
            mine.flat_map(|(_, spelled)| spelled).map(|spelled| spelled.text.clone()).collect()
        };
        let (before, after) = (texts(base), texts(change));
        let gone = before.iter().filter(|text| !after.contains(text)).count();
        if gone > 0 {
            how.push(format!("`{}` lacks {gone} of {}", kind.key, before.len()));
        }
    }
    if base.redact && !change.redact {
        how.push("`redact` is off".to_owned());
    }
    if change.only != Only::Any && change.only != base.only {
        how.push(format!("`only` is {}, was {}", change.only.word(), base.only.word()));
    }
    let gone = |moment: &&Moment| base.on.contains(moment) && !change.on.contains(moment);
    let gone: Vec<&str> = Moment::ALL.iter().filter(gone).map(|moment| moment.word()).collect();
    if !gone.is_empty() {
        how.push(format!("`on` lacks {}", gone.join(", ")));
    }
    how.extend(question(base, change));
    how
}

/// Returns how the paths are narrower: a glob is missing, or one excludes that did not before.
/// Globs are the same when they are read alike.
fn narrower(base: &Rule, change: &Rule) -> Vec<String> {
    let mut how = Vec::new();
    let [covering, _] = base.globs.not_in(&change.globs);
    for glob in covering.into_iter().filter(|_| !change.globs.name_all()) {
        let spelled = glob.to_string();
        how.push(if change.paths.contains(&spelled) {
            format!("`paths` reads `{glob}` in another dialect")
        } else {
            format!("`paths` lacks `{glob}`")
        });
    }
    let [_, excluding] = change.globs.not_in(&base.globs);
    for glob in excluding {
        let spelled = format!("!{glob}");
        how.push(if base.paths.contains(&spelled) {
            format!("`paths` reads `!{glob}` in another dialect")
        } else {
            format!("`paths` has `!{glob}`")
        });
    }
    how
}

/// Returns how the question is looser: another one, or one that fewer lines raise.
fn question(base: &Rule, change: &Rule) -> Option<String> {
    let before = base.question.as_ref()?;
    let Some(after) = &change.question else { return Some("`question` is gone".to_owned()) };
    if before.text != after.text {
        return Some("`question` is another".to_owned());
    }
    if base.calibration != change.calibration {
        return Some("`calibration` is another".to_owned());
    }
    let raised = |text: &str| after.when.iter().any(|spelled| spelled.text == text);
    let every = before.when.is_empty();
    let fewer = every || !before.when.iter().all(|spelled| raised(&spelled.text));
    (fewer && !after.when.is_empty())
        .then(|| "`when` lacks lines that raised the question".to_owned())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::super::{Form, load};
    use super::*;
    use crate::domain::{Change, Place, RepoPath, Verdict};
    use crate::engine::Judge;
    use crate::engine::pattern::Budget;

    fn book(rule: &str) -> Rulebook {
        load(&format!("[[rule]]\nid = \"r\"\n{rule}\n"), Form::Toml, "r.toml").unwrap()
    }

    fn how(base: &str, change: &str) -> Vec<String> {
        let loosened = book(base).loosened_by(&book(change));
        loosened.into_iter().flat_map(|loosened| loosened.how).collect()
    }

    #[test]
    fn what_is_looser_is_told_and_what_is_stricter_is_not() {
        let base = "paths = [\"a/**\", \"!a/x\"]\nforbid = [\"x\", \"y\"]\non_fail = \"ask\"";
        let cases: &[(&str, &str, &str)] = &[
            ("on_fail = \"ask\"", "on_fail = \"deny\"", ""),
            ("on_fail = \"ask\"", "on_fail = \"warn\"", "`on_fail` is warn, was ask"),
            ("\"!a/x\"", "\"!a/x\", \"b\"", ""),
            ("\"!a/x\"", "\"b\"", ""),
            ("\"a/**\", \"!a/x\"", "\"!a/x\", \"a/**\"", ""),
            ("\"a/**\", \"!a/x\"", "\"**\", \"!a/x\"", ""),
            ("\"!a/x\"", "\"!a/x\", \"!a/y\"", "`paths` has `!a/y`"),
            ("\"a/**\"", "\"a/*\"", "`paths` lacks `a/**`"),
            ("\"y\"", "\"y\", \"z\"", ""),
            ("\"x\", \"y\"", "\"y\", \"x\"", ""),
            ("\"x\", \"y\"", "\"y\"", "`forbid` lacks 1 of 2"),
            ("\"x\", \"y\"", "\"x \", \"y \"", "`forbid` lacks 2 of 2"),
            ("forbid = [\"x\", \"y\"]", "", "`forbid` lacks 2 of 2"),
            ("on_fail = \"ask\"", "on_fail = \"ask\"\nredact = true", ""),
            ("on_fail = \"ask\"", "on_fail = \"ask\"\nonly = \"new\"", "`only` is new, was any"),
            (
                "on_fail = \"ask\"",
                "on_fail = \"ask\"\non = [\"edit\"]",
                "`on` lacks commit, push, ci",
            ),
            ("on_fail = \"ask\"", "on_fail = \"ask\"\nwhy = \"z\"\ninstead = \"z\"", ""),
            ("on_fail = \"ask\"", "on_fail = \"ask\"\nrequire = [\"z\"]", ""),
        ];
        for (from, to, wanted) in cases {
            let wanted: Vec<&str> = [*wanted].into_iter().filter(|it| !it.is_empty()).collect();
            assert_eq!(how(base, &base.replace(from, to)), wanted, "{from} -> {to}");
        }
        let any = "paths = [\"a\"]";
        assert_eq!(
            how(any, "paths = [\"a\"]\nforbid = [\"x\"]"),
            ["it is about some changes of its paths, was about any"]
        );
        let secret = "paths = [\"a\"]\nforbid = [\"x\"]\nredact = true";
        assert_eq!(how(secret, &secret.replace("true", "false")), ["`redact` is off"]);
        let asks = "paths = [\"a\"]\nquestion = \"q?\"\nwhen = [\"x\", \"y\"]";
        assert_eq!(how(asks, &asks.replace("q?", "p?")), ["`question` is another"]);
        assert_eq!(how(asks, &asks.replace("when = [\"x\", \"y\"]", "")), [""; 0]);
        let fewer = "`when` lacks lines that raised the question";
        assert_eq!(how(asks, &asks.replace("\"x\", ", "")), [fewer]);
        assert_eq!(how("paths = [\"a\"]\nquestion = \"q?\"", asks), [fewer]);
    }

    #[test]
    fn globs_count_as_they_are_read() {
        let how = |base: [&str; 2], change: [&str; 2]| {
            let book = |[top, paths]: [&str; 2]| {
                let text = format!("{top}\n[[rule]]\nid = \"r\"\npaths = [{paths}]\n");
                load(&text, Form::Toml, "r.toml").unwrap()
            };
            let loosened = book(base).loosened_by(&book(change));
            loosened.into_iter().flat_map(|loosened| loosened.how).collect::<Vec<_>>()
        };
        let extended = "glob = \"extended\"";
        let none: [&str; 0] = [];
        let plain = ["", "\"src/**\", \"!a*\""];
        assert_eq!(how(plain, [extended, plain[1]]), none);
        assert_eq!(how(["", "\"a\", \"b\""], [extended, "\"{b,a}\""]), none);
        assert_eq!(how([extended, "\"{b,a}\""], ["", "\"a\", \"b\""]), none);
        assert_eq!(how(["", "\"[ab]\""], [extended, "\"{**,a}\""]), none);
        for (dialects, told) in [
            (["", extended], "`paths` reads `[ab]` in another dialect"),
            ([extended, ""], "`paths` reads `[ab]` in another dialect"),
        ] {
            assert_eq!(how([dialects[0], "\"[ab]\""], [dialects[1], "\"[ab]\""]), [told]);
        }
        let choice = "\"{a,b}\"";
        assert_eq!(
            how(["", choice], [extended, choice]),
            ["`paths` reads `{a,b}` in another dialect"]
        );
        assert_eq!(
            how([extended, choice], ["", choice]),
            ["`paths` lacks `a`", "`paths` lacks `b`"]
        );
        let not = "\"**\", \"![ab]\"";
        assert_eq!(how(["", not], [extended, not]), ["`paths` reads `![ab]` in another dialect"]);
        let not = "\"**\", \"!{a,b}\"";
        assert_eq!(how(["", not], [extended, not]), ["`paths` has `!a`", "`paths` has `!b`"]);
        assert_eq!(how([extended, choice], [extended, "\"a\""]), ["`paths` lacks `b`"]);
        assert_eq!(how([extended, "\"a\""], [extended, choice]), none);
    }

    #[test]
    fn a_deleted_rule_is_told_and_one_that_has_another_id_is_not() {
        let base = book("paths = [\"a\"]\nforbid = [\"x\"]");
        let named = |id: &str, more: &str| {
            let text =
                format!("[[rule]]\nid = \"{id}\"\npaths = [\"a\"]\nforbid = [\"x\"]\n{more}");
            load(&text, Form::Toml, "r.toml").unwrap()
        };
        assert_eq!(base.loosened_by(&named("other", "on_fail = \"deny\"")), []);
        let loosened = base.loosened_by(&named("other", "on_fail = \"ask\""));
        assert_eq!((loosened[0].id.as_str(), loosened[0].line), ("r", None));
        assert_eq!(base.loosened_by(&Rulebook::default())[0].how, ["it is deleted"]);
    }

    #[test]
    fn what_both_sides_see_is_told_once_and_what_one_sees_counts() {
        let look = |base: &str, change: &str| {
            let mut both = book(change);
            assert_eq!(both.add_base(book(base)), []);
            let place = Place::Inside(RepoPath::new("a").unwrap());
            let found = both
                .look(&Change::of_text("t", place, "", "x\ny\n".to_owned()), &Budget::default());
            let lines = |finding: &Finding| finding.spots.iter().map(|it| it.line).collect();
            let found: Vec<(Verdict, Vec<usize>)> =
                found.iter().map(|finding| (finding.verdict, lines(finding))).collect();
            (both.rules.len(), found)
        };
        let rule = |forbid: &str, on_fail: &str| {
            format!("paths = [\"a\"]\nforbid = [{forbid}]\non_fail = \"{on_fail}\"")
        };
        let (deny, ask) = (rule("\"x\"", "deny"), rule("\"x\"", "ask"));
        assert_eq!(look(&deny, &deny), (1, vec![(Verdict::Deny, vec![1])]));
        assert_eq!(look(&deny, &ask), (2, vec![(Verdict::Deny, vec![1])]));
        assert_eq!(look(&ask, &deny), (2, vec![(Verdict::Deny, vec![1])]));
        let other = rule("\"y\"", "ask");
        assert_eq!(look(&deny, &other), (2, vec![(Verdict::Deny, vec![1, 2])]));
        assert_eq!(look(&deny, &rule("\"z\"", "warn")), (2, vec![(Verdict::Deny, vec![1])]));
    }
}
