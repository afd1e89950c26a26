//! What does an index remember of its folders?
//!
//! The extension TREE names folders from the top down: each with the id of its tree, unless
//! something in it was staged since, and with how many folders in it follow. Here each is a row of
//! one table, which refers to the bytes of the index, and the rows of a folder's folders stand
//! together; 2,000 folders take one allocation. Where it is damaged, nothing is remembered.

use gix::bstr::{BStr, ByteSlice};
use gix::hash::Kind as Hash;
use gix::utils::btoi;
use std::cmp::Ordering;
use std::iter;
use std::ops::Range;

/// The folders that an index remembers.
pub(super) struct Folders {
    /// The topmost first.
    nodes: Vec<Node>,
}

/// One folder.
#[derive(Clone, Copy, Default)]
pub(super) struct Node {
    name: Span,
    /// Where the id of its tree is, if that is known.
    pub(super) tree: Option<u32>,
    /// How many entries are said to be below it; zero if that is not known.
    pub(super) entries: u32,
    /// Which rows are the folders in it, in [`order`].
    folders: Span,
}

#[derive(Clone, Copy, Default)]
struct Span {
    start: u32,
    length: u32,
}

/// How long a folder is in the file, about: a name, two numbers and an id.
const USUAL: usize = 32;

/// How long it is at least: an empty name, and two numbers of one digit.
const LEAST: usize = 5;

impl Folders {
    /// Reads what stands in a part of an index.
    pub(super) fn read(index: &[u8], part: Range<usize>, hash: Hash) -> Option<Self> {
        let mut nodes = Vec::with_capacity(part.len() / USUAL + 1);
        nodes.push(Node::default());
        let mut reader = Reader { bytes: index.get(..part.end)?, at: part.start, hash };
        // The rows that are still to be filled: those of a folder before those beside it.
        let (mut open, mut filled): (Vec<_>, _) = (iter::once(0..1).collect(), 0);
        while let Some(rows) = open.last_mut() {
            let Some(row) = rows.next() else {
                open.pop();
                continue;
            };
            let (node, count) = reader.node()?;
            filled += 1;
            // Forged counts make no more rows than there are bytes for.
            let first = nodes.len();
            if count > (reader.left() / LEAST).checked_sub(first - filled)? {
                return None;
            }
            nodes.resize(first + count, Node::default());
            let folders = Span::of(first, count)?;
            *nodes.get_mut(row)? = Node { folders, ..node };
            open.push(first..first + count);
        }
        if reader.left() > 0 {
            return None;
        }
        let mut folders = Self { nodes };
        folders.sort(index)?;
        Some(folders)
    }

    /// Puts the folders of each folder into order, in which git has written them; none when two
    /// of them have one name.
    fn sort(&mut self, index: &[u8]) -> Option<()> {
        for row in 0..self.nodes.len() {
            // Sorting moves rows that come after this one, and what they refer to comes after those.
            let rows = self.nodes.get(row)?.folders.range();
            let rows = self.nodes.get_mut(rows)?;
            let by_name = |one: &Node, two: &Node| order(one.name(index), two.name(index));
            let is_sorted = |rows: &[Node]| rows.is_sorted_by(|one, two| by_name(one, two).is_lt());
            if !is_sorted(rows) {
                rows.sort_unstable_by(by_name);
                if !is_sorted(rows) {
                    return None;
                }
            }
        }
        Some(())
    }

    pub(super) fn root(&self) -> Option<&Node> {
        self.nodes.first()
    }

    /// Returns a folder in a folder.
    pub(super) fn child(&self, index: &[u8], folder: &Node, name: &BStr) -> Option<&Node> {
        let rows = self.nodes.get(folder.folders.range())?;
        let at = rows.binary_search_by(|node| order(node.name(index), name)).ok()?;
        rows.get(at)
    }
}

impl Node {
    fn name<'i>(&self, index: &'i [u8]) -> &'i BStr {
        index.get(self.name.range()).unwrap_or_default().as_bstr()
    }
}

impl Span {
    fn of(start: usize, length: usize) -> Option<Self> {
        Some(Self { start: u32::try_from(start).ok()?, length: u32::try_from(length).ok()? })
    }

    fn range(self) -> Range<usize> {
        let start = self.start as usize;
        start..start + self.length as usize
    }
}

/// The order of git: a shorter name first.
fn order(one: &BStr, two: &BStr) -> Ordering {
    one.len().cmp(&two.len()).then_with(|| one.cmp(two))
}

struct Reader<'i> {
    bytes: &'i [u8],
    at: usize,
    hash: Hash,
}

impl<'i> Reader<'i> {
    fn left(&self) -> usize {
        self.bytes.len().saturating_sub(self.at)
    }

    /// Reads a folder, and how many folders in it follow.
    fn node(&mut self) -> Option<(Node, usize)> {
        let start = self.at;
        let name = Span::of(start, self.until(0)?.len())?;
        let entries: i32 = btoi::to_signed(self.until(b' ')?).ok()?;
        let count = btoi::to_unsigned(self.until(b'\n')?).ok()?;
        let mut node = Node { name, ..Node::default() };
        // Of a folder in which something was staged the number is -1, and there is no id.
        if let Ok(entries) = u32::try_from(entries) {
            node.entries = entries;
            node.tree = Some(u32::try_from(self.at).ok()?);
            self.at += self.hash.len_in_bytes();
        }
        (self.at <= self.bytes.len()).then_some((node, count))
    }

    /// Takes the bytes before the next such one, and that one.
    fn until(&mut self, end: u8) -> Option<&'i [u8]> {
        let rest = self.bytes.get(self.at..)?;
        // A few bytes: not worth a search by machine words.
        let taken = rest.get(..rest.iter().position(|byte| *byte == end)?)?;
        self.at += taken.len() + 1;
        Some(taken)
    }
}

#[cfg(test)]
impl Folders {
    /// Returns how many there are.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }
}
