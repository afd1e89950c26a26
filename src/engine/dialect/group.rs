//! What does a parenthesis open?

use super::flags::Flags;
use super::reader::Reader;
use super::{DEEPEST, Node, PatternError};

const OPEN: &str = "refers to a group that is still open: close the group before it";

impl<'p> Reader<'p> {
    /// Reads what begins with `(`: nothing to be matched, if it is a comment or flags, and flags
    /// for all may only stand at the `start`.
    pub(super) fn group(
        &mut self,
        depth: usize,
        start: bool,
    ) -> Result<Option<Node>, PatternError> {
        let from = self.advance();
        if depth > DEEPEST {
            return self.refuse(
                from,
                &format!("is nested more than {DEEPEST} groups deep: use fewer groups"),
            );
        }
        if !self.eat("?") {
            return self.capture(from, depth).map(Some);
        }
        let node = match self.next() {
            Some(':') => Node::Group(None, self.inside(from, depth)?),
            Some('#') => return self.comment(from),
            Some('P') => self.named(from, depth)?,
            Some('(') => self.condition(from, depth)?,
            Some('>') => {
                self.stepwise = true;
                Node::Atomic(self.inside(from, depth)?)
            }
            Some(sign @ ('=' | '!')) => self.look(false, sign == '!', from, depth)?,
            Some('<') => match self.peek() {
                Some(sign @ ('=' | '!')) => {
                    self.advance();
                    self.look(true, sign == '!', from, depth)?
                }
                _ => return self.refuse(from, "is not a group here: write `(?P<name>…)`"),
            },
            Some('\'') => return self.refuse(from, "is not a group here: write `(?P<name>…)`"),
            Some('R' | '&' | '0'..='9') => {
                return self.refuse(
                    from,
                    "calls a group, which is not known here: write its pattern once more",
                );
            }
            Some(letter) if letter == '-' || letter.is_ascii_alphabetic() => {
                return self.flag_group(letter, from, depth, start);
            }
            Some('|') => {
                return self.refuse(from, "is not a group here: number the groups differently");
            }
            _ => {
                return self
                    .refuse(from, r"is not a group: write `(?:…)`, or `\(` for the character");
            }
        };
        Ok(Some(node))
    }

    /// Reads the inside of a group up to its `)`.
    pub(super) fn inside(&mut self, from: usize, depth: usize) -> Result<Box<Node>, PatternError> {
        let flags = self.flags;
        let inside = self.alternation(depth)?;
        self.flags = flags;
        self.close(from)?;
        Ok(Box::new(inside))
    }

    fn close(&mut self, from: usize) -> Result<(), PatternError> {
        if self.eat(")") {
            return Ok(());
        }
        self.at = from + 1;
        self.refuse(from, r"is never closed: add `)`, or write `\(` for the character")
    }

    fn capture(&mut self, from: usize, depth: usize) -> Result<Node, PatternError> {
        let number = self.groups.len();
        self.groups.push(None);
        let inside = self.inside(from, depth)?;
        let width = inside.width(&self.groups);
        if let Some(group) = self.groups.get_mut(number) {
            *group = Some(width);
        }
        Ok(Node::Group(Some(number), inside))
    }

    /// Reads what follows `(?P`.
    fn named(&mut self, from: usize, depth: usize) -> Result<Node, PatternError> {
        if self.eat("<") {
            let name = self.word(from, ">")?;
            if self.names.insert(name, self.groups.len()).is_some() {
                return self.refuse(from, "is the second group of that name: rename it");
            }
            return self.capture(from, depth);
        }
        if self.eat("=") {
            let name = self.word(from, ")")?;
            return match self.names.get(name) {
                Some(&group) => self.back(group, from),
                None => self.refuse(from, "names a group that does not stand before it"),
            };
        }
        self.refuse(
            from,
            "is not a group here: `(?P<name>…)` names one and `(?P=name)` matches it once more",
        )
    }

    /// Makes a reference to what a group captured.
    pub(super) fn back(&mut self, group: usize, from: usize) -> Result<Node, PatternError> {
        match self.groups.get(group) {
            None => return self.refuse(
                from,
                "refers to a group that does not stand before it: count the groups that capture",
            ),
            Some(None) => return self.refuse(from, OPEN),
            Some(Some(_)) => self.check_look_behind(group, from)?,
        }
        self.stepwise = true;
        Ok(Node::Back { group, fold: self.flags.has(Flags::FOLD) })
    }

    /// Reads what follows `(?(`.
    fn condition(&mut self, from: usize, depth: usize) -> Result<Node, PatternError> {
        let name = self.name(from, ")")?;
        let group = match name.parse().ok().or(self.names.get(name).copied()) {
            Some(0) => return self.refuse(from, "asks for group 0, the whole match"),
            Some(group) => group,
            None => return self.refuse(from, "names a group that does not stand before it"),
        };
        self.conditions.push((group, from));
        self.check_look_behind(group, from)?;
        let yes = self.sequence(depth, false)?;
        let no =
            if self.eat("|") { self.sequence(depth, false)? } else { Node::Concat(Vec::new()) };
        if self.peek() == Some('|') {
            self.at = from + 3;
            return self.refuse(
                from,
                "has more than two branches: put those after the first `|` into a group, `(?:…)`",
            );
        }
        self.close(from)?;
        self.stepwise = true;
        Ok(Node::If { group, yes: Box::new(yes), no: Box::new(no) })
    }

    /// Reads the inside of a look-around.
    fn look(
        &mut self,
        behind: bool,
        negated: bool,
        from: usize,
        depth: usize,
    ) -> Result<Node, PatternError> {
        self.stepwise = true;
        let opening = self.at;
        let outer = self.groups_before_look_behind;
        if behind && outer.is_none() {
            self.groups_before_look_behind = Some(self.groups.len());
        }
        let inner = self.inside(from, depth)?;
        self.groups_before_look_behind = outer;
        let width = inner.width(&self.groups);
        if behind && width.least != width.most {
            self.at = opening;
            return self.refuse(
                from,
                "looks behind at text of more than one length: write one look-behind per length, \
                 each with its own branch",
            );
        }
        Ok(Node::Around { behind, negated, inner })
    }

    /// Inside a look-behind, refuses a group that is not finished before it.
    fn check_look_behind(&self, group: usize, from: usize) -> Result<(), PatternError> {
        let Some(before) = self.groups_before_look_behind else { return Ok(()) };
        match self.groups.get(group) {
            Some(Some(_)) if group < before => Ok(()),
            Some(Some(_)) => self.refuse(
                from,
                "refers to a group of the same look-behind: capture it before the look-behind",
            ),
            _ => self.refuse(from, OPEN),
        }
    }

    pub(super) fn check_conditions(&mut self) -> Result<(), PatternError> {
        let missing = self.conditions.iter().find(|(group, _)| *group >= self.groups.len());
        match missing {
            Some(&(_, from)) => {
                self.at = from;
                self.at += self.rest().find(')').map_or(0, |length| length + 1);
                self.refuse(from, "asks for a group that is not there: count those that capture")
            }
            None => Ok(()),
        }
    }

    fn comment(&mut self, from: usize) -> Result<Option<Node>, PatternError> {
        match self.rest().find(')') {
            Some(length) => {
                self.at += length + 1;
                Ok(None)
            }
            None => self.refuse(from, "is a comment that never ends: add `)`"),
        }
    }

    /// Reads a group's name or number up to `end`.
    fn name(&mut self, from: usize, end: &str) -> Result<&'p str, PatternError> {
        let rest = self.rest();
        let letter = |char: char| char == '_' || char.is_ascii_alphanumeric() || !char.is_ascii();
        let length = rest.find(|char| !letter(char)).unwrap_or(rest.len());
        self.at += length;
        match rest.get(..length) {
            Some(name) if length > 0 && self.eat(end) => Ok(name),
            _ => {
                self.advance();
                self.refuse(from, "does not name a group: a name has letters, digits and `_`")
            }
        }
    }

    /// Reads a group's name up to `end`.
    fn word(&mut self, from: usize, end: &str) -> Result<&'p str, PatternError> {
        let name = self.name(from, end)?;
        if name.starts_with(|char: char| char.is_ascii_digit()) {
            return self.refuse(from, "has a name that begins with a digit: begin with a letter");
        }
        Ok(name)
    }
}
