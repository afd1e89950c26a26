//! What does a line of JSON hold? A flat tree over the line's own bytes, built for speed.
//!
//! Strings and numbers stay where they are: in a store they are spelled as the hash needs them
//! already, and one that is not is spelled anew once. So a record is hashed without a map, a
//! string or a number being made of any part of it. The fields of an object come in the order of
//! the canonical spelling, and of a key that stands twice the last counts.

use std::cmp::Ordering;

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// `null`.
    Null,
    /// `true` or `false`.
    Truth,
    /// A number without a point and an exponent.
    Integer,
    /// Any other number.
    Float,
    /// A string.
    Text,
    /// An array.
    List,
    /// An object; its children are keys and values by turns.
    Object,
}

/// A value or a key.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub shape: Shape,
    /// Whether a string holds a backslash, as it is spelled.
    pub escaped: bool,
    /// Where its text is; of a list or an object there is none.
    pub place: Place,
    /// The node after its last child.
    pub next: usize,
}

/// Where the text of a scalar is, or the order of an object's keys.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// In the line, from and to.
    Line(usize, usize),
    /// Among what was spelled anew, from and to.
    Anew(usize, usize),
    /// The keys of an object stand in order.
    InOrder,
    /// They do not: their nodes, in order, are this part of the list of orders.
    Order(usize, usize),
}

/// What is stored of trees; kept from line to line, so that nothing is allocated for most.
#[derive(Debug, Default)]
pub(super) struct Nodes {
    pub all: Vec<Node>,
    pub anew: Vec<u8>,
    pub orders: Vec<usize>,
}

/// The tree of a line.
#[derive(Clone, Copy, Debug)]
pub struct Tree<'a> {
    pub(super) line: &'a [u8],
    pub(super) kept: &'a Nodes,
}

/// A value in a tree.
#[derive(Clone, Copy, Debug)]
pub struct Item<'a> {
    tree: Tree<'a>,
    at: usize,
}

const NOTHING: Node =
    Node { shape: Shape::Null, escaped: false, place: Place::Line(0, 0), next: usize::MAX };

impl<'a> Tree<'a> {
    /// Returns the value that the line is.
    #[must_use]
    pub fn root(self) -> Item<'a> {
        Item { tree: self, at: 0 }
    }
}

impl Nodes {
    pub(super) fn node(&self, at: usize) -> Node {
        self.all.get(at).copied().unwrap_or(NOTHING)
    }

    /// Returns a scalar as the canonical spelling has it, a string with its quotes.
    pub(super) fn text<'a>(&'a self, at: usize, line: &'a [u8]) -> &'a [u8] {
        let text = match self.node(at).place {
            Place::Line(from, to) => line.get(from..to),
            Place::Anew(from, to) => self.anew.get(from..to),
            Place::InOrder | Place::Order(..) => None,
        };
        text.unwrap_or_default()
    }

    /// Compares two keys by code points.
    pub(super) fn compare(&self, one: usize, other: usize, line: &[u8]) -> Ordering {
        let (a, b) = (self.text(one, line), self.text(other, line));
        if !self.node(one).escaped && !self.node(other).escaped {
            return inside(a).cmp(inside(b));
        }
        let decoded = |text| serde_json::from_slice::<String>(text).unwrap_or_default();
        decoded(a).cmp(&decoded(b))
    }
}

/// Returns what stands between the quotes.
fn inside(text: &[u8]) -> &[u8] {
    let text = text.strip_prefix(b"\"").unwrap_or(text);
    text.strip_suffix(b"\"").unwrap_or(text)
}

impl<'a> Item<'a> {
    fn node(self) -> Node {
        self.tree.kept.node(self.at)
    }

    /// Returns what the value is.
    #[must_use]
    pub fn shape(self) -> Shape {
        self.node().shape
    }

    /// Returns a scalar as the canonical spelling has it, a string with its quotes.
    #[must_use]
    pub fn raw(self) -> &'a [u8] {
        self.tree.kept.text(self.at, self.tree.line)
    }

    /// Tells whether this is a string, and which.
    #[must_use]
    pub fn is_text(self, text: &str) -> bool {
        self.shape() == Shape::Text && !self.node().escaped && inside(self.raw()) == text.as_bytes()
    }

    /// Returns a string.
    #[must_use]
    pub fn text(self) -> Option<String> {
        if self.shape() != Shape::Text {
            return None;
        }
        serde_json::from_slice(self.raw()).ok()
    }

    /// Returns a string that has nothing in it that must be escaped.
    #[must_use]
    pub fn plain(self) -> Option<&'a str> {
        let plain = self.shape() == Shape::Text && !self.node().escaped;
        std::str::from_utf8(inside(self.raw())).ok().filter(|_| plain)
    }

    /// Returns a number.
    #[must_use]
    pub fn number(self) -> Option<f64> {
        let number = matches!(self.shape(), Shape::Integer | Shape::Float);
        std::str::from_utf8(self.raw()).ok().filter(|_| number)?.parse().ok()
    }

    /// Returns a whole number.
    #[must_use]
    pub fn integer(self) -> Option<u64> {
        let number = self.shape() == Shape::Integer;
        std::str::from_utf8(self.raw()).ok().filter(|_| number)?.parse().ok()
    }

    /// Tells whether Python takes the value for true: nothing, zero and what is empty are not.
    #[must_use]
    pub fn is_truthy(self) -> bool {
        match self.shape() {
            Shape::Null => false,
            Shape::Truth => self.raw() == b"true",
            Shape::Integer | Shape::Float => self.number() != Some(0.0),
            Shape::Text => self.raw() != b"\"\"",
            Shape::List | Shape::Object => self.node().next > self.at + 1,
        }
    }

    /// Returns the field of an object.
    #[must_use]
    pub fn get(self, key: &str) -> Option<Self> {
        let fields = self.fields()?;
        let found = fields.filter(|(name, _)| inside(name) == key.as_bytes()).last();
        found.map(|(_, value)| value)
    }

    /// Returns the values of a list.
    #[must_use]
    pub fn items(self) -> Option<Items<'a>> {
        let list = self.shape() == Shape::List;
        list.then(|| Items { tree: self.tree, at: self.at + 1, end: self.node().next })
    }

    /// Returns the fields of an object, with the raw spelling of their keys, by the order of the
    /// keys.
    #[must_use]
    pub fn fields(self) -> Option<Fields<'a>> {
        let node = self.node();
        let order = match node.place {
            Place::Order(from, to) => Some(self.tree.kept.orders.get(from..to).unwrap_or_default()),
            _ => None,
        };
        let object = node.shape == Shape::Object;
        object.then(|| Fields { tree: self.tree, at: self.at + 1, end: node.next, order })
    }

    /// Appends the canonical spelling of the value.
    pub fn write(self, out: &mut Vec<u8>) {
        if let Some(items) = self.items() {
            out.push(b'[');
            for (at, item) in items.enumerate() {
                if at > 0 {
                    out.push(b',');
                }
                item.write(out);
            }
            out.push(b']');
        } else if let Some(fields) = self.fields() {
            out.push(b'{');
            for (at, field) in fields.enumerate() {
                if at > 0 {
                    out.push(b',');
                }
                write_field(field, out);
            }
            out.push(b'}');
        } else {
            out.extend_from_slice(self.raw());
        }
    }
}

/// Appends the canonical spelling of a field.
pub fn write_field((key, value): (&[u8], Item<'_>), out: &mut Vec<u8>) {
    out.extend_from_slice(key);
    out.push(b':');
    value.write(out);
}

/// The values of a list.
#[derive(Clone, Debug)]
pub struct Items<'a> {
    tree: Tree<'a>,
    at: usize,
    end: usize,
}

impl<'a> Iterator for Items<'a> {
    type Item = Item<'a>;

    fn next(&mut self) -> Option<Item<'a>> {
        if self.at >= self.end {
            return None;
        }
        let item = Item { tree: self.tree, at: self.at };
        self.at = item.node().next;
        Some(item)
    }
}

/// The fields of an object.
#[derive(Clone, Debug)]
pub struct Fields<'a> {
    tree: Tree<'a>,
    at: usize,
    end: usize,
    order: Option<&'a [usize]>,
}

impl<'a> Iterator for Fields<'a> {
    type Item = (&'a [u8], Item<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let key = match &mut self.order {
            Some(order) => {
                let (first, rest) = order.split_first()?;
                *order = rest;
                *first
            }
            None if self.at >= self.end => return None,
            None => self.at,
        };
        let value = Item { tree: self.tree, at: key + 1 };
        self.at = value.node().next;
        Some((self.tree.kept.text(key, self.tree.line), value))
    }
}
