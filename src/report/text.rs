//! For a person at a terminal: each finding with its lines, a caret under what it means, why,
//! and what to do instead; at the end one sentence. A report without objections is that
//! sentence alone.
//!
//! A character that cannot be seen is spelled out in a quoted line, and a column counts what is
//! shown.

use super::Format;
use super::rows::{Row, one_line, rows};
use super::subject::{self, Subject, count};
use crate::domain::sanitize::{hidden, visible};
use crate::domain::{Numbering, Spot, Verdict, wording};
use annotate_snippets::renderer::{AnsiColor, Effects, Style};
use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use std::io::{self, Write};
use std::ops::Range;

/// How much of a line is kept behind what is pointed at, in characters; the renderer cuts what
/// does not fit into the terminal's width, but it walks all that it is given.
const BEHIND: usize = 200;

/// How many characters a caret spans at most.
const CARET: usize = 200;

/// How many locations of one finding are quoted; the other formats have all of them. The renderer's
/// time grows with the square of the lines of one excerpt.
const LOCATIONS: usize = 50;

/// The colour of `ask`; `deny` is red and `warn` yellow.
const ASK: Style = AnsiColor::Magenta.on_default().effects(Effects::BOLD);

/// How many findings are shown.
const FINDINGS: usize = 500;

/// The text format.
pub struct Text;

impl Format for Text {
    fn name(&self) -> &'static str {
        "text"
    }

    fn write(&self, subject: &Subject<'_>, out: &mut dyn Write) -> io::Result<()> {
        let renderer = match subject.style {
            subject::Style::Plain => Renderer::plain(),
            subject::Style::Coloured => Renderer::styled().info(ASK),
        };
        let rows = rows(subject);
        for row in rows.iter().take(FINDINGS) {
            writeln!(out, "{}\n", renderer.render(&[finding(row)]))?;
        }
        if let more @ 1.. = rows.len().saturating_sub(FINDINGS) {
            let more = count(more, "more finding");
            writeln!(out, "… and {more}; `--format json` lists all of them\n")?;
        }
        let mut told = Vec::new();
        for trouble in &subject.decision.troubles {
            told.push(Level::ERROR.with_name("not judged").primary_title(one_line(trouble)));
        }
        for file in subject.not_checked {
            let text = format!("{}: {}", file.place, one_line(&file.why));
            told.push(Level::WARNING.with_name("not checked").primary_title(text));
        }
        for note in subject.notes {
            told.push(Level::NOTE.primary_title(one_line(note)));
        }
        let listed = !told.is_empty();
        for title in told {
            writeln!(out, "{}", renderer.render(&[Group::with_title(title)]))?;
        }
        if listed {
            writeln!(out)?;
        }
        if !subject.rule_sets.is_empty() {
            writeln!(out, "rules: {}", subject.rule_sets())?;
        }
        writeln!(out, "{}: {}.", visible(subject.title), subject.summary())
    }
}

fn finding<'a>(row: &Row<'a>) -> Group<'a> {
    let level = match row.finding.verdict {
        Verdict::Deny => Level::ERROR,
        Verdict::Ask => Level::INFO,
        Verdict::Warn | Verdict::Allow => Level::WARNING,
    };
    let word = row.finding.verdict.word();
    let title = level.with_name(word).primary_title(row.headline()).id(visible(&row.finding.rule));
    let mut group = Group::with_title(title);
    let path = match row.ruling.change.numbering {
        Numbering::File => row.place().to_string(),
        Numbering::NewText => format!("{} (new text)", row.place()),
        Numbering::Cell => format!("{} (cell)", row.place()),
    };
    let shown = row.finding.spots.iter().take(LOCATIONS);
    let (quoted, bare): (Vec<&Spot>, Vec<&Spot>) =
        shown.partition(|spot| spot.line > 0 && !spot.text.is_empty());
    if quoted.is_empty() {
        group = group.element(Origin::path(path.clone()));
    }
    for block in quoted.chunk_by(|one, next| next.line == one.line + 1) {
        group = group.element(snippet(block).path(path.clone()));
    }
    for spot in bare {
        let at = if spot.line > 0 { format!("line {}: ", spot.line) } else { String::new() };
        let what = wording::what(spot, &row.ruling.change);
        let text = if what.is_empty() { &spot.text } else { what };
        group = group.element(Level::NOTE.no_name().message(format!("{at}{}", visible(text))));
    }
    if let more @ 1.. = row.finding.spots.len().saturating_sub(LOCATIONS) {
        let text = format!("… and {more} more");
        group = group.element(Level::NOTE.no_name().message(text));
    }
    let moved = row.ruling.change.moved_from.as_ref();
    let more = [
        ("cannot be checked", row.unknown()),
        ("instead", row.instead()),
        ("moved from", moved.map(|place| place.shown().into_owned())),
        ("commit", row.commit()),
    ];
    for (name, text) in more {
        if let Some(text) = text {
            group = group.element(Level::NOTE.with_name(name).message(text));
        }
    }
    group
}

/// Returns lines that follow one another, as one excerpt.
fn snippet<'a>(block: &[&Spot]) -> Snippet<'a, Annotation<'a>> {
    let mut source = String::new();
    let mut annotations = Vec::new();
    for spot in block {
        if !source.is_empty() {
            source.push('\n');
        }
        let start = source.len();
        let (line, span) = shown(&spot.text, span(spot));
        source.push_str(&line);
        let span = start + span.start..start + span.end;
        let label = visible(&spot.what).into_owned();
        annotations.push(AnnotationKind::Primary.span(span).label(label));
    }
    let first = block.first().map_or(1, |spot| spot.line);
    Snippet::source(source).line_start(first).annotations(annotations)
}

/// Returns the part of a spot's text that is pointed at: the one that is meant, else the line
/// without the space around it.
fn span(spot: &Spot) -> Range<usize> {
    if let Some(span) = spot.span.clone().filter(|span| spot.text.get(span.clone()).is_some()) {
        return span;
    }
    let kept = spot.text.trim();
    let start = spot.text.len() - spot.text.trim_start().len();
    start..start + kept.len()
}

/// Returns a line as it is shown, and where in it a part of the line went. Tabs stay: the
/// renderer makes spaces of them and still counts them as one column.
pub(super) fn shown(text: &str, part: Range<usize>) -> (String, Range<usize>) {
    let mut line = String::with_capacity(text.len());
    let (mut start, mut end) = (None, None);
    let (mut inside, mut behind) = (0, 0);
    for (at, char) in text.char_indices() {
        if at >= part.start {
            start.get_or_insert(line.len());
            inside += 1;
        }
        if at >= part.end {
            end.get_or_insert(line.len());
            behind += 1;
        } else if inside > CARET {
            end.get_or_insert(line.len());
        }
        if behind > BEHIND || inside > CARET + BEHIND {
            line.push('…');
            break;
        }
        if char != '\t' && hidden(char) {
            line.extend(char.escape_unicode());
        } else {
            line.push(char);
        }
    }
    let start = start.unwrap_or(line.len());
    let end = end.unwrap_or(line.len()).max(start);
    (line, start..end)
}
