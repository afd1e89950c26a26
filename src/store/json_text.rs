//! A JSON text changed in place: one member more or one less, every other byte as it was.
//!
//! Comments and trailing commas are read and kept. Removing the member that was appended gives
//! back the text from before, to the byte. So that this holds for `[]` too, a member that is
//! written into an empty list or object which somebody else made is set off in a way that no
//! formatter produces (a blank before it, none behind it), and [`Document::was_there`] reads
//! that sign; the outermost `{}` needs none, because only [`super::origin`] lets it go.

use jsonc_parser::ast::{Array, Object, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::tokens::Token;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};
use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter};
use std::io;
use std::ops::Range;

/// Where and why a text is not JSON.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {problem}")]
pub struct Broken {
    /// The line, from 1.
    pub line: usize,
    /// The column, in characters from 1.
    pub column: usize,
    /// What is wrong there.
    pub problem: String,
}

/// A text and what it says.
pub struct Document<'a> {
    text: &'a str,
    /// The value, with the place of every part of it.
    pub root: Value<'a>,
    marks: Vec<Mark>,
}

/// A comma or a comment: what may stand between two members besides white space.
struct Mark {
    kind: MarkKind,
    range: Range<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MarkKind {
    Comma,
    Block,
    /// Reaches to the end of its line, and would swallow what comes to stand there.
    Line,
}

/// The members of a list or an object, by their place in the text.
#[derive(Clone, Debug)]
pub struct Members {
    /// Behind the opening bracket.
    open: usize,
    /// Before the closing bracket.
    close: usize,
    /// Elements, or properties with their keys.
    items: Vec<Range<usize>>,
}

impl Members {
    /// Returns the properties of an object.
    #[must_use]
    pub fn of_object(object: &Object<'_>) -> Self {
        let items = object.properties.iter().map(|prop| prop.range.start..prop.range.end);
        Self { open: object.range.start + 1, close: object.range.end - 1, items: items.collect() }
    }

    /// Returns the elements of a list.
    #[must_use]
    pub fn of_list(list: &Array<'_>) -> Self {
        let items = list.elements.iter().map(|item| item.start()..item.end());
        Self { open: list.range.start + 1, close: list.range.end - 1, items: items.collect() }
    }

    /// Returns how many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Tells whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
}

impl<'a> Document<'a> {
    /// Reads a text; blank text is broken.
    pub fn parse(text: &'a str) -> Result<Self, Broken> {
        let collect =
            CollectOptions { comments: CommentCollectionStrategy::AsTokens, tokens: true };
        let parsed = parse_to_ast(text, &collect, &options()).map_err(|error| Broken {
            line: error.line_display(),
            column: error.column_display(),
            problem: lower_first(&error.kind().to_string()),
        })?;
        let Some(root) = parsed.value else {
            return Err(Broken { line: 1, column: 1, problem: "there is no value".to_owned() });
        };
        let mark = |token: &jsonc_parser::tokens::TokenAndRange<'_>| {
            let kind = match token.token {
                Token::Comma => MarkKind::Comma,
                Token::CommentBlock(_) => MarkKind::Block,
                Token::CommentLine(_) => MarkKind::Line,
                _ => return None,
            };
            Some(Mark { kind, range: token.range.start..token.range.end })
        };
        let marks = parsed.tokens.unwrap_or_default().iter().filter_map(mark).collect();
        Ok(Self { text, root, marks })
    }

    /// Returns the line and the column of a place, from 1.
    #[must_use]
    pub fn position(&self, at: usize) -> (usize, usize) {
        let before = self.text.get(..at).unwrap_or(self.text);
        let line = before.rsplit('\n').next().unwrap_or_default();
        (before.matches('\n').count() + 1, line.chars().count() + 1)
    }

    /// Returns the text with one member more, behind the last one.
    #[must_use]
    pub fn append(&self, to: &Members, key: Option<&str>, value: &impl Serialize) -> String {
        let Some(last) = to.items.last() else { return self.fill(to, key, value) };
        let gap = self.marks(last.end..to.close);
        let at = gap.last().map_or(last.end, |mark| mark.range.end);
        let in_line = gap.last().is_some_and(|mark| mark.kind == MarkKind::Line);
        let lead = self.blank_before(last.start);
        let (separator, layout) = if let Some((_, indent)) = lead.rsplit_once('\n') {
            (format!("{}{indent}", self.newline()), self.layout(indent))
        } else {
            let indent = self.indent(last.start);
            let one_line = !self.slice(last.clone()).contains('\n');
            let layout = if one_line { self.one_line() } else { self.layout(indent) };
            let blank = if self.spaced() { " ".to_owned() } else { String::new() };
            (if in_line { format!("{}{indent}", self.newline()) } else { blank }, layout)
        };
        let member = layout.write(key, value);
        // A list that ends with a comma goes on doing so: removal can tell by that.
        let ends_with_comma = gap.iter().any(|mark| mark.kind == MarkKind::Comma);
        let (first, behind) = if ends_with_comma { ("", ",") } else { (",", "") };
        let kept = self.slice(last.end..at);
        let head = self.slice(0..last.end);
        format!("{head}{first}{kept}{separator}{member}{behind}{}", self.slice(at..self.text.len()))
    }

    fn fill(&self, to: &Members, key: Option<&str>, value: &impl Serialize) -> String {
        let (head, tail) = (self.slice(0..to.close), self.slice(to.close..self.text.len()));
        if to.open == to.close && to.open == self.root.start() + 1 {
            let layout = self.layout(self.unit());
            let (newline, member) = (self.newline(), layout.write(key, value));
            return format!("{head}{newline}{}{member}{newline}{tail}", self.unit());
        }
        let layout =
            if self.is_one_line() { self.one_line() } else { self.layout(self.indent(to.close)) };
        format!("{head} {}{tail}", layout.write(key, value))
    }

    /// Tells whether the list or object was there, empty, before its only member was appended.
    #[must_use]
    pub fn was_there(&self, members: &Members) -> bool {
        let [only] = members.items.as_slice() else { return false };
        only.end == members.close && self.slice(members.open..only.start).ends_with(' ')
    }

    /// Returns the text without one of the members.
    #[must_use]
    pub fn remove(&self, from: &Members, at: usize) -> String {
        let Some(item) = from.items.get(at) else { return self.text.to_owned() };
        let previous = at.checked_sub(1).and_then(|at| from.items.get(at));
        let start = previous.map_or(from.open, |previous| previous.end);
        let end = from.items.get(at + 1).map_or(from.close, |next| next.start);
        let (before, after) = (self.marks(start..item.start), self.marks(item.end..end));
        let is_comma = |mark: &&Mark| mark.kind == MarkKind::Comma;
        let comma = after.iter().find(is_comma).map(|mark| mark.range.clone());

        if previous.is_none() && from.len() == 1 {
            if self.was_there(from) {
                return self.without(Some(item.start - 1..item.end));
            }
            if before.is_empty() && after.iter().all(|mark| is_comma(&mark)) {
                return self.without(Some(from.open..from.close));
            }
        }
        // White space in front goes too, unless it ends a comment that would then swallow more.
        let behind = comma.as_ref().filter(|comma| comma.start == item.end).unwrap_or(item).end;
        let rest = self.slice(behind..end).trim_start_matches([' ', '\t']);
        let swallows = before.last().is_some_and(|mark| mark.kind == MarkKind::Line)
            && !rest.starts_with(['\n', '\r']);
        let lead = before.last().map_or(start, |mark| mark.range.end);
        let next = comma.as_ref().map(|comma| self.slice(comma.end..end));
        // The next one takes the first one's place, with the blank before it if it has none: so
        // the sign that the list was there stays with it.
        let moves_up = previous.is_none() && next.is_some_and(|next| next.trim_start() == next);
        let cut = if swallows || moves_up { item.clone() } else { lead..item.end };
        let Some(comma) = comma else {
            let comma = before.iter().find(is_comma).map(|mark| mark.range.clone());
            return self.without(comma.into_iter().chain([cut]));
        };
        let mut upto = comma.end;
        if previous.is_none() && cut.start == from.open && lead == item.start {
            let rest = self.slice(comma.end..end);
            upto += rest.len() - rest.trim_start_matches([' ', '\t']).len();
        }
        self.without([cut, comma.start..upto])
    }

    /// Returns the text with another value in the place of a list's element.
    #[must_use]
    pub fn replace(&self, list: &Members, at: usize, value: &impl Serialize) -> String {
        let Some(item) = list.items.get(at) else { return self.text.to_owned() };
        let several = self.slice(item.clone()).contains('\n');
        let layout = if several { self.layout(self.indent(item.start)) } else { self.one_line() };
        let (head, tail) = (self.slice(0..item.start), self.slice(item.end..self.text.len()));
        format!("{head}{}{tail}", layout.write(None, value))
    }

    fn without(&self, cuts: impl IntoIterator<Item = Range<usize>>) -> String {
        let mut kept = String::with_capacity(self.text.len());
        let mut from = 0;
        for cut in cuts {
            kept.push_str(self.slice(from..cut.start));
            from = cut.end;
        }
        kept.push_str(self.slice(from..self.text.len()));
        kept
    }

    fn slice(&self, range: Range<usize>) -> &'a str {
        self.text.get(range).unwrap_or_default()
    }

    fn marks(&self, within: Range<usize>) -> &[Mark] {
        let start = self.marks.partition_point(|mark| mark.range.start < within.start);
        let end = self.marks.partition_point(|mark| mark.range.end <= within.end);
        self.marks.get(start..end).unwrap_or_default()
    }

    /// Returns where the white space before a place is.
    #[must_use]
    pub fn lead(&self, at: usize) -> Range<usize> {
        self.slice(0..at).trim_end().len()..at
    }

    fn blank_before(&self, at: usize) -> &'a str {
        self.slice(self.lead(at))
    }

    /// Returns the white space at the start of the line of a place.
    fn indent(&self, at: usize) -> &'a str {
        let line = self.slice(0..at).rsplit('\n').next().unwrap_or_default();
        line.get(..line.len() - line.trim_start().len()).unwrap_or_default()
    }

    fn newline(&self) -> &'static str {
        match self.text.split_once('\n') {
            Some((line, _)) if line.ends_with('\r') => "\r\n",
            _ => "\n",
        }
    }

    fn first_property(&self) -> Option<&jsonc_parser::ast::ObjectProp<'a>> {
        self.root.as_object().and_then(|object| object.properties.first())
    }

    fn unit(&self) -> &'a str {
        let lead = self.first_property().map_or("", |first| self.blank_before(first.range.start));
        lead.rsplit_once('\n')
            .map(|(_, indent)| indent)
            .filter(|indent| !indent.is_empty())
            .unwrap_or("  ")
    }

    fn spaced(&self) -> bool {
        self.first_property().is_none_or(|first| !self.blank_before(first.value.start()).is_empty())
    }

    fn is_one_line(&self) -> bool {
        self.first_property().is_some()
            && !self.slice(self.root.start()..self.root.end()).contains('\n')
    }

    fn one_line(&self) -> Layout<'_> {
        Layout::OneLine { spaced: self.spaced() }
    }

    fn layout(&self, indent: &'a str) -> Layout<'a> {
        Layout::Lines { newline: self.newline(), indent, unit: self.unit() }
    }
}

/// How a new member is written, so that it looks like its neighbours.
enum Layout<'a> {
    OneLine { spaced: bool },
    Lines { newline: &'static str, indent: &'a str, unit: &'a str },
}

impl Layout<'_> {
    fn write(&self, key: Option<&str>, value: &impl Serialize) -> String {
        let (colon, text) = match self {
            Self::OneLine { spaced: true } => (": ", json(value, Spaced)),
            Self::OneLine { spaced: false } => (":", json(value, CompactFormatter)),
            Self::Lines { newline, indent, unit } => {
                let text = json(value, PrettyFormatter::with_indent(unit.as_bytes()));
                (": ", text.replace('\n', &format!("{newline}{indent}")))
            }
        };
        match key {
            Some(key) => format!("{}{colon}{text}", json(&key, CompactFormatter)),
            None => text,
        }
    }
}

fn json(value: &impl Serialize, formatter: impl Formatter) -> String {
    let mut bytes = Vec::new();
    value
        .serialize(&mut serde_json::Serializer::with_formatter(&mut bytes, formatter))
        .expect("members are made of text, numbers, lists and maps with text for keys");
    String::from_utf8(bytes).expect("JSON is written in UTF-8")
}

/// One line with a blank behind each comma and colon.
struct Spaced;

impl Formatter for Spaced {
    fn begin_array_value<W: ?Sized + io::Write>(
        &mut self,
        to: &mut W,
        first: bool,
    ) -> io::Result<()> {
        to.write_all(if first { b"" } else { b", " })
    }

    fn begin_object_key<W: ?Sized + io::Write>(
        &mut self,
        to: &mut W,
        first: bool,
    ) -> io::Result<()> {
        to.write_all(if first { b"" } else { b", " })
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, to: &mut W) -> io::Result<()> {
        to.write_all(b": ")
    }
}

/// Returns a value without its places; of two properties with one name the last one counts, as
/// it does for every program that reads the text.
#[must_use]
pub fn plain(value: &Value<'_>) -> serde_json::Value {
    match value {
        Value::StringLit(text) => text.value.clone().into_owned().into(),
        Value::NumberLit(number) => serde_json::from_str(number.value).unwrap_or_default(),
        Value::BooleanLit(truth) => truth.value.into(),
        Value::NullKeyword(_) => serde_json::Value::Null,
        Value::Array(list) => list.elements.iter().map(plain).collect(),
        Value::Object(object) => {
            let member = |prop: &jsonc_parser::ast::ObjectProp<'_>| {
                (prop.name.as_str().to_owned(), plain(&prop.value))
            };
            object.properties.iter().map(member).collect()
        }
    }
}

/// Comments and trailing commas, and nothing else that JSON does not have.
fn options() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}
