//! For test reports of CI systems: the XML of `JUnit`, one suite, a test case for each rule and file.
//!
//! `deny` and `ask` fail a case, since both stop a change; `warn` passes with the words in its
//! output. A check that could not look is an error, a file that was not checked a skipped case,
//! and a case that passes is a rule that looked and found nothing. XML 1.0 cannot hold control
//! characters, not even escaped; they are spelled out, like all that cannot be seen.

use super::Format;
use super::rows::{Row, one_line, rows};
use super::subject::Subject;
use crate::domain::sanitize::{excerpt, visible};
use crate::domain::{Ruling, Verdict, wording};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// The format for test reports.
pub struct Junit;

/// One test case: what comes of one rule at one file.
#[derive(Default)]
struct Case {
    failures: Vec<String>,
    errors: Vec<String>,
    skipped: Option<String>,
    output: Vec<String>,
}

impl Format for Junit {
    fn name(&self) -> &'static str {
        "junit"
    }

    fn write(&self, subject: &Subject<'_>, out: &mut dyn Write) -> io::Result<()> {
        let cases = cases(subject);
        let count = |has: fn(&Case) -> bool| cases.values().filter(|case| has(case)).count();
        writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
        writeln!(
            out,
            "<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">",
            attribute(&format!("solvi-hook: {}", subject.title)),
            cases.len(),
            count(|case| case.errors.is_empty() && !case.failures.is_empty()),
            count(|case| !case.errors.is_empty()),
            count(|case| case.skipped.is_some()),
        )?;
        if !subject.rule_sets.is_empty() {
            let sets = attribute(&subject.rule_sets());
            writeln!(out, "  <properties>")?;
            writeln!(out, "    <property name=\"rules\" value=\"{sets}\"/>")?;
            writeln!(out, "  </properties>")?;
        }
        for ((path, rule), case) in &cases {
            let (path, rule) = (attribute(path), attribute(rule));
            writeln!(out, "  <testcase classname=\"{path}\" name=\"{rule}\">")?;
            // One of the two: most readers count a case once, as what comes first in it.
            if case.errors.is_empty() {
                element("failure", &case.failures, out)?;
            } else {
                element("error", &[&case.errors[..], &case.failures[..]].concat(), out)?;
            }
            if let Some(why) = &case.skipped {
                writeln!(out, "    <skipped message=\"{}\"/>", attribute(why))?;
            }
            if !case.output.is_empty() {
                let output = content(&case.output.join("\n"));
                writeln!(out, "    <system-out>{output}</system-out>")?;
            }
            writeln!(out, "  </testcase>")?;
        }
        if !subject.notes.is_empty() {
            let notes = content(&lines(subject.notes));
            writeln!(out, "  <system-out>{notes}</system-out>")?;
        }
        writeln!(out, "</testsuite>")
    }
}

fn cases<'a>(subject: &Subject<'a>) -> BTreeMap<(Cow<'a, str>, &'a str), Case> {
    let mut cases: BTreeMap<(Cow<'a, str>, &'a str), Case> = BTreeMap::new();
    for Ruling { change, findings, .. } in &subject.decision.rulings {
        for finding in findings {
            cases.entry((change.place.shown(), &finding.rule)).or_default();
        }
    }
    for row in rows(subject) {
        let case = cases.entry((row.place().shown(), &row.finding.rule)).or_default();
        let text = words(&row);
        match row.finding.verdict {
            _ if row.finding.unknown.is_some() => case.errors.push(text),
            Verdict::Deny | Verdict::Ask => case.failures.push(text),
            Verdict::Warn | Verdict::Allow => case.output.push(text),
        }
    }
    for trouble in &subject.decision.troubles {
        let case = cases.entry((visible(subject.title), "not judged")).or_default();
        case.errors.push(one_line(trouble));
    }
    for file in subject.not_checked {
        let case = cases.entry((file.place.shown(), "not checked")).or_default();
        case.skipped = Some(one_line(&file.why));
    }
    if cases.is_empty() {
        // Some readers take a suite without a case for a broken run.
        cases.entry((visible(subject.title), "no findings")).or_default();
    }
    cases
}

fn words(row: &Row<'_>) -> String {
    let mut lines = vec![format!("{}: {}", row.finding.verdict.word(), row.headline())];
    for spot in &row.finding.spots {
        let at = match row.line(Some(spot)) {
            Some(line) => format!("{}:{line}", row.place()),
            None if spot.line > 0 => {
                format!("line {}{}", spot.line, row.ruling.change.numbering.suffix())
            }
            None => row.place().to_string(),
        };
        let text = match (excerpt(&spot.text), visible(wording::what(spot, &row.ruling.change))) {
            (text, what) if text.is_empty() => what.into_owned(),
            (text, what) if what.is_empty() => text,
            (text, what) => format!("{text} [{what}]"),
        };
        lines.push(format!("{at}: {text}"));
    }
    lines.extend(row.unknown().map(|text| format!("cannot be checked: {text}")));
    lines.extend(row.instead().map(|text| format!("instead: {text}")));
    lines.extend(row.commit().map(|text| format!("commit: {text}")));
    lines.join("\n")
}

fn element(name: &str, texts: &[String], out: &mut dyn Write) -> io::Result<()> {
    let Some(first) = texts.first().and_then(|text| text.lines().next()) else { return Ok(()) };
    let (message, text) = (attribute(first), content(&texts.join("\n\n")));
    writeln!(out, "    <{name} message=\"{message}\">{text}</{name}>")
}

fn lines(texts: &[String]) -> String {
    texts.iter().map(|text| one_line(text)).collect::<Vec<_>>().join("\n")
}

/// Escapes a value for an attribute, where a line end would be read as a space.
fn attribute(text: &str) -> String {
    content(&visible(text)).replace('"', "&quot;")
}

/// Escapes text whose lines are visible already.
fn content(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            // `]]>` may not stand in text.
            '>' => out.push_str("&gt;"),
            '\u{fffe}' | '\u{ffff}' => out.push(char::REPLACEMENT_CHARACTER),
            char => out.push(char),
        }
    }
    out
}
