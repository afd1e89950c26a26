//! How is a tree spelled for a Rust engine?
//!
//! What is written has no flags around it and no names, and only groups that something refers
//! to capture: those cost time in every engine.

use super::class::{Class, Letters};
use super::{Anchor, Engine, Greed, Node, Times, Tree};
use std::collections::BTreeSet;
use std::fmt::Write as _;

impl Tree {
    /// Spells the tree for one of the engines.
    pub(in crate::engine) fn spell(&self, engine: Engine) -> String {
        let mut groups = Groups::default();
        if !engine.is_linear() {
            groups.note(&self.root);
        }
        let mut writer = Writer { engine, out: String::new(), captures: groups.captures() };
        writer.node(&self.root, Around::Nothing);
        writer.out
    }
}

struct Writer {
    engine: Engine,
    out: String,
    /// The groups that something refers to. Their place in this list is their number in what is
    /// written, less one.
    captures: Vec<usize>,
}

/// What is written around a node, and so whether it needs parentheses.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Around {
    /// A group or the whole pattern: it needs none.
    Nothing,
    /// Neighbours: branches need some.
    Neighbours,
    /// A repetition: all that is more than one character does.
    Repetition,
}

/// The groups that are there, and those that references and conditions name.
#[derive(Default)]
struct Groups {
    there: BTreeSet<usize>,
    named: BTreeSet<usize>,
}

impl Groups {
    fn note(&mut self, node: &Node) {
        match node {
            Node::Char(_) | Node::Set(_) | Node::Anchor(_) => {}
            Node::Concat(nodes) | Node::Alternation(nodes) => {
                for node in nodes {
                    self.note(node);
                }
            }
            Node::Repeat(_, times) if times.most == Some(0) => {}
            Node::Repeat(inner, _) | Node::Around { inner, .. } | Node::Atomic(inner) => {
                self.note(inner);
            }
            Node::Group(number, inner) => {
                self.there.extend(*number);
                self.note(inner);
            }
            Node::Back { group, .. } => {
                self.named.insert(*group);
            }
            Node::If { group, yes, no } => {
                self.named.insert(*group);
                self.note(yes);
                self.note(no);
            }
        }
    }

    fn captures(&self) -> Vec<usize> {
        self.there.intersection(&self.named).copied().collect()
    }
}

impl Writer {
    fn node(&mut self, node: &Node, around: Around) {
        match node {
            Node::Char(char) => {
                regex_syntax::escape_into(char.encode_utf8(&mut [0; 4]), &mut self.out);
            }
            Node::Set(class) if self.engine == Engine::Outline && class.is_open() => {
                self.out.push_str("(?s:.)");
            }
            Node::Set(class) => class.spell(&mut self.out),
            Node::Anchor(anchor) => self.anchor(*anchor),
            Node::Concat(parts) if around == Around::Repetition => {
                self.group("(?:", |writer| writer.parts(parts));
            }
            Node::Concat(parts) => self.parts(parts),
            Node::Alternation(branches) if around == Around::Nothing => self.branches(branches),
            Node::Alternation(branches) => {
                self.group("(?:", |writer| writer.branches(branches));
            }
            Node::Group(number, inner) => {
                let captures =
                    number.is_some_and(|number| self.captures.binary_search(&number).is_ok());
                let opening = if captures { "(" } else { "(?:" };
                self.group(opening, |writer| writer.node(inner, Around::Nothing));
            }
            Node::Repeat(inner, times) => self.repeat(inner, *times, around),
            Node::Atomic(inner) => {
                let opening = if self.engine.is_linear() { "(?:" } else { "(?>" };
                self.group(opening, |writer| writer.node(inner, Around::Nothing));
            }
            Node::Around { .. } | Node::Back { .. } | Node::If { .. }
                if self.engine.is_linear() =>
            {
                self.weakened(node);
            }
            Node::Around { behind, negated, inner } => {
                self.group(look(*behind, *negated), |writer| writer.node(inner, Around::Nothing));
            }
            Node::Back { group, fold } => {
                let opening = if *fold { "(?i:" } else { "(?:" };
                match self.number(*group) {
                    Some(number) => self.group(opening, |writer| {
                        writer.put(format_args!(r"\k<{number}>"));
                    }),
                    None => Class::nothing().spell(&mut self.out),
                }
            }
            Node::If { group, yes, no } => {
                let Some(number) = self.number(*group) else {
                    // The branch that is never taken may hold groups that are named elsewhere.
                    return self.group("(?:(?!)", |writer| {
                        writer.node(yes, Around::Neighbours);
                        writer.out.push('|');
                        writer.node(no, Around::Neighbours);
                    });
                };
                self.put(format_args!("(?({number})"));
                if yes.width(&[]).most == 0 {
                    // A condition without branches would demand the group instead.
                    self.out.push_str("(?=)");
                }
                self.node(yes, Around::Neighbours);
                self.out.push('|');
                self.node(no, Around::Neighbours);
                self.out.push(')');
            }
        }
    }

    /// Writes what the linear engine cannot do, so that it matches all that it should and more.
    fn weakened(&mut self, node: &Node) {
        match node {
            Node::Back { .. } => self.out.push_str("(?s:.*)"),
            Node::If { yes, no, .. } => self.group("(?:", |writer| {
                writer.node(yes, Around::Neighbours);
                writer.out.push('|');
                writer.node(no, Around::Neighbours);
            }),
            _ => self.out.push_str("(?:)"),
        }
    }

    fn parts(&mut self, parts: &[Node]) {
        for part in parts {
            self.node(part, Around::Neighbours);
        }
    }

    fn branches(&mut self, branches: &[Node]) {
        for (index, branch) in branches.iter().enumerate() {
            if index > 0 {
                self.out.push('|');
            }
            self.node(branch, Around::Neighbours);
        }
    }

    fn group(&mut self, opening: &str, inside: impl FnOnce(&mut Self)) {
        self.out.push_str(opening);
        inside(self);
        self.out.push(')');
    }

    fn repeat(&mut self, inner: &Node, times: Times, around: Around) {
        // The backtracking engine refuses to repeat what has no width. To match it once is the
        // same, as one more time would begin and end at the same place.
        if times.most == Some(0) || inner.width(&[]).most == 0 {
            return self.once(inner, times);
        }
        if around == Around::Repetition {
            return self.group("(?:", |writer| writer.repeat(inner, times, Around::Nothing));
        }
        self.node(inner, Around::Repetition);
        match times {
            Times { least: 0, most: None, .. } => self.out.push('*'),
            Times { least: 1, most: None, .. } => self.out.push('+'),
            Times { least: 0, most: Some(1), .. } => self.out.push('?'),
            Times { least, most: None, .. } => self.put(format_args!("{{{least},}}")),
            Times { least, most: Some(most), .. } if least == most => {
                self.put(format_args!("{{{least}}}"));
            }
            Times { least, most: Some(most), .. } => self.put(format_args!("{{{least},{most}}}")),
        }
        match times.greed {
            Greed::Lazy => self.out.push('?'),
            Greed::Possessive if !self.engine.is_linear() => self.out.push('+'),
            Greed::Possessive | Greed::Greedy => {}
        }
    }

    /// Writes a part without width, to be matched once or, if it need not be there, perhaps.
    fn once(&mut self, inner: &Node, times: Times) {
        let atomic = times.greed == Greed::Possessive && !self.engine.is_linear();
        self.group(if atomic { "(?>" } else { "(?:" }, |writer| match times {
            Times { most: Some(0), .. } => {}
            Times { least: 1.., .. } => writer.node(inner, Around::Nothing),
            Times { greed: Greed::Lazy, .. } => {
                writer.out.push('|');
                writer.node(inner, Around::Neighbours);
            }
            _ => {
                writer.node(inner, Around::Neighbours);
                writer.out.push('|');
            }
        });
    }

    fn anchor(&mut self, anchor: Anchor) {
        let linear = self.engine.is_linear();
        let (letters, here, there) = match anchor {
            Anchor::TextStart => return self.out.push_str(r"\A"),
            Anchor::TextEnd => return self.out.push_str(r"\z"),
            Anchor::LineStart => return self.out.push_str("(?m:^)"),
            Anchor::LineEnd => return self.out.push_str("(?m:$)"),
            Anchor::LastLineEnd if linear => return self.out.push_str("(?:)"),
            Anchor::LastLineEnd => return self.out.push_str(r"(?=\n?\z)"),
            Anchor::Boundary(letters) => (letters, "b", ["<=", "!", "<!", "="]),
            Anchor::NoBoundary(letters) => (letters, "B", ["<=", "=", "<!", "!"]),
        };
        match (self.engine, letters) {
            (Engine::LinearWider, _) => self.out.push_str("(?:)"),
            (Engine::Linear | Engine::Outline, Letters::Ascii) => {
                self.put(format_args!(r"(?-u:\{here})"));
            }
            (Engine::Linear | Engine::Outline | Engine::Stepwise, Letters::Unicode) => {
                self.put(format_args!(r"\{here}"));
            }
            // A word character on one side of this place and none on the other, or not so.
            _ => self.group("(?:", |writer| {
                for (index, sign) in there.into_iter().enumerate() {
                    if index == 2 {
                        writer.out.push('|');
                    }
                    writer.group(&format!("(?{sign}"), |writer| {
                        Class::word(letters).spell(&mut writer.out);
                    });
                }
            }),
        }
    }

    /// Returns the number that a group has in what is written. One that is repeated zero times
    /// is not there, and never takes part in a match.
    fn number(&self, group: usize) -> Option<usize> {
        self.captures.binary_search(&group).ok().map(|index| index + 1)
    }

    fn put(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = self.out.write_fmt(text);
    }
}

fn look(behind: bool, negated: bool) -> &'static str {
    match (behind, negated) {
        (false, false) => "(?=",
        (false, true) => "(?!",
        (true, false) => "(?<=",
        (true, true) => "(?<!",
    }
}
