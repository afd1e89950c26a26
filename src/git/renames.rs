//! Which of the new files is an old one, moved?
//!
//! A pair only chooses the version that a file is compared with: a moved file is still looked
//! at, and its old path is still a deletion. Pairs are chosen as git chooses them: the same
//! content first, then the same name, then the best likeness of at least one half. Where git
//! gives up (more than 1,000 times 1,000 candidates), so do we: every line counts as new, which
//! [`Deltas::unpaired`](super::Deltas::unpaired) says.

use super::delta::{self, Difference, Mode, Now, Version};
use super::objects::{Found, Objects};
use super::worktree;
use gix::ObjectId;
use gix::bstr::{BStr, ByteSlice};
use gix::objs::Kind;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hasher};

/// The least likeness of a pair, in percent.
const LEAST: u64 = 50;
/// The least likeness of a pair that shares its file name, when no other file has that name.
const LEAST_OF_NAMESAKES: u64 = 75;
/// How many moved files are looked for among how many.
const CANDIDATES: usize = 1000 * 1000;
/// How many pieces may be compared before we give up: about a second's worth.
const PIECES: usize = 300_000_000;
/// How many pieces are kept at once: 64 MiB of them.
const KEPT: usize = 4 << 20;
/// Files larger than this are paired only when they are equal.
const LARGE: u64 = 4 << 20;
/// How many new files of a working tree are read in search of the old ones.
const MOST_ON_DISK: usize = 1000;
/// A piece is a line, or so many bytes of a longer one.
const PIECE: usize = 64;

/// Pairs deletions with additions, and gives each paired addition the deleted file's version to
/// be compared with. Returns how many additions were compared with no deletion, because there are
/// too many of both.
pub(super) fn pair(objects: &Objects<'_>, differences: &mut [Difference]) -> usize {
    let mut pairing = Pairing::default();
    pairing.collect(objects, differences);
    if pairing.sources.is_empty() || pairing.targets.is_empty() {
        return 0;
    }
    pairing.by_content();
    let mut unpaired = if pairing.is_open() { pairing.unread } else { 0 };
    if pairing.is_open() {
        objects.want(pairing.open_contents());
        pairing.by_name(objects);
        unpaired += pairing.by_likeness(objects);
    }
    let pairs = pairing.pairs;
    let taken: Vec<_> = pairs
        .iter()
        .filter_map(|(target, source)| {
            let source = differences.get(*source)?;
            Some((*target, source.before, source.path.clone()))
        })
        .collect();
    for (target, before, path) in taken {
        if let Some(target) = differences.get_mut(target) {
            target.before = before;
            target.moved_from = Some(path);
        }
    }
    unpaired
}

/// One side of a possible pair.
struct Candidate {
    /// Where it is in the list of differences.
    at: usize,
    id: ObjectId,
    mode: Mode,
    name: Vec<u8>,
    taken: bool,
}

impl Candidate {
    fn new(at: usize, path: &BStr, version: Version) -> Self {
        let name = path.rsplit_once_str("/").map_or(path.as_bytes(), |(_, name)| name);
        Self { at, id: version.id, mode: version.mode, name: name.to_vec(), taken: false }
    }

    /// Tells whether it may be paired by likeness; links and submodules are equal or not.
    fn is_open_file(&self) -> bool {
        !self.taken && self.mode.is_file()
    }

    fn equals(&self, other: &Self) -> bool {
        self.id == other.id
            && (self.mode == other.mode || self.mode.is_file() && other.mode.is_file())
    }
}

#[derive(Default)]
struct Pairing {
    sources: Vec<Candidate>,
    targets: Vec<Candidate>,
    /// Differences: the addition, then the deletion.
    pairs: Vec<(usize, usize)>,
    prints: HashMap<ObjectId, Option<Print>>,
    /// How many pieces `prints` holds.
    kept: usize,
    /// How many new files of a working tree were not read.
    unread: usize,
}

impl Pairing {
    fn collect(&mut self, objects: &Objects<'_>, differences: &[Difference]) {
        let all = || differences.iter().enumerate();
        for (at, difference) in all() {
            if let (Some(old), Now::Nothing) = (difference.before, difference.now) {
                self.sources.push(Candidate::new(at, difference.path.as_bstr(), old));
            }
        }
        if self.sources.is_empty() {
            return;
        }
        let mut read = 0;
        for (at, difference) in all().filter(|(_, difference)| difference.before.is_none()) {
            let path = difference.path.as_bstr();
            let version = match difference.now {
                Now::Stored(new) => Some(new),
                Now::OnDisk(mode) if mode.is_file() && read < MOST_ON_DISK => {
                    read += 1;
                    self.on_disk(objects, path).map(|id| Version { mode, id })
                }
                Now::OnDisk(mode) if mode.is_file() => {
                    self.unread += 1;
                    None
                }
                _ => None,
            };
            self.targets.extend(version.map(|version| Candidate::new(at, path, version)));
        }
    }

    /// Reads a file of the working tree, and returns the id that its content would have.
    fn on_disk(&mut self, objects: &Objects<'_>, path: &BStr) -> Option<ObjectId> {
        let place = delta::on_disk(objects.repo.root()?, path).ok()?;
        if place.symlink_metadata().ok()?.len() > LARGE {
            return None;
        }
        let bytes = worktree::read(&place, Mode::File).ok()?;
        let id = gix::objs::compute_hash(objects.hash(), Kind::Blob, &bytes).ok()?;
        self.keep(id, Some(&bytes));
        Some(id)
    }

    fn is_open(&self) -> bool {
        let open = |side: &[Candidate]| side.iter().any(Candidate::is_open_file);
        open(&self.sources) && open(&self.targets)
    }

    /// Returns the contents that likeness may be told by.
    fn open_contents(&self) -> Vec<ObjectId> {
        let open = self.sources.iter().chain(&self.targets);
        let known = |id: &ObjectId| self.prints.contains_key(id);
        open.filter(|one| one.is_open_file()).map(|one| one.id).filter(|id| !known(id)).collect()
    }

    fn take(&mut self, source: usize, target: usize) {
        if let (Some(source), Some(target)) =
            (self.sources.get_mut(source), self.targets.get_mut(target))
        {
            if source.taken || target.taken {
                return;
            }
            (source.taken, target.taken) = (true, true);
            self.pairs.push((target.at, source.at));
        }
    }

    /// Pairs files of equal content, namesakes first.
    fn by_content(&mut self) {
        let mut sources: HashMap<ObjectId, Vec<usize>> = HashMap::new();
        for (at, source) in self.sources.iter().enumerate() {
            sources.entry(source.id).or_default().push(at);
        }
        for namesakes in [true, false] {
            for target in 0..self.targets.len() {
                let Some(wanted) = self.targets.get(target).filter(|target| !target.taken) else {
                    continue;
                };
                let same = sources.get(&wanted.id).into_iter().flatten().copied().find(|at| {
                    self.sources.get(*at).is_some_and(|source| {
                        !source.taken
                            && source.equals(wanted)
                            && (!namesakes || source.name == wanted.name)
                    })
                });
                if let Some(source) = same {
                    self.take(source, target);
                }
            }
        }
    }

    /// Pairs files that alone on each side have a name.
    fn by_name(&mut self, objects: &Objects<'_>) {
        let (sources, targets) = (sole(&self.sources), sole(&self.targets));
        for (name, source) in sources {
            let Some(target) = targets.get(&name) else { continue };
            if self.likeness(objects, source, *target) >= Some(LEAST_OF_NAMESAKES) {
                self.take(source, *target);
            }
        }
    }

    /// Pairs what is left by likeness, the best pairs first. Returns how many targets there are when
    /// that would take too long.
    fn by_likeness(&mut self, objects: &Objects<'_>) -> usize {
        let open = |side: &[Candidate]| -> Vec<usize> {
            side.iter()
                .enumerate()
                .filter(|(_, one)| one.is_open_file())
                .map(|(at, _)| at)
                .collect()
        };
        let (sources, targets) = (open(&self.sources), open(&self.targets));
        if sources.len().saturating_mul(targets.len()) > CANDIDATES {
            return targets.len();
        }
        let pieces = |pairing: &mut Self, side: &[usize], of: fn(&Self) -> &[Candidate]| {
            let ids: Vec<_> =
                side.iter().filter_map(|at| of(pairing).get(*at)).map(|one| one.id).collect();
            ids.into_iter().map(|id| pairing.print(objects, id)).sum::<usize>()
        };
        let work = pieces(self, &sources, |pairing| &pairing.sources) * targets.len()
            + pieces(self, &targets, |pairing| &pairing.targets) * sources.len();
        if work > PIECES {
            return targets.len();
        }
        let mut scored = Vec::new();
        for target in &targets {
            for source in &sources {
                if let Some(likeness) = self.likeness(objects, *source, *target)
                    && likeness >= LEAST
                {
                    let namesakes = match (self.sources.get(*source), self.targets.get(*target)) {
                        (Some(source), Some(target)) => source.name == target.name,
                        _ => false,
                    };
                    scored.push((Reverse((likeness, namesakes)), *target, *source));
                }
            }
        }
        scored.sort_unstable();
        for (_, target, source) in scored {
            self.take(source, target);
        }
        0
    }

    /// Returns how much of one file is in the other, in percent of the larger one.
    fn likeness(&mut self, objects: &Objects<'_>, source: usize, target: usize) -> Option<u64> {
        let source = self.sources.get(source)?.id;
        let target = self.targets.get(target)?.id;
        self.print(objects, source);
        self.print(objects, target);
        let old = self.prints.get(&source)?.as_ref()?;
        let new = self.prints.get(&target)?.as_ref()?;
        Some(old.likeness(new))
    }

    /// Makes the print of a content unless it is there; returns the number of its pieces. What
    /// cannot be read is like nothing: the reading of the change itself will say so.
    fn print(&mut self, objects: &Objects<'_>, id: ObjectId) -> usize {
        if let Some(print) = self.prints.get(&id) {
            return print.as_ref().map_or(0, |print| print.pieces.len());
        }
        let mut bytes = Vec::new();
        let found = objects.find(id, LARGE, &mut bytes);
        self.keep(id, matches!(found, Ok(Found::Whole(_))).then_some(&bytes))
    }

    fn keep(&mut self, id: ObjectId, bytes: Option<&Vec<u8>>) -> usize {
        let print = bytes.filter(|_| self.kept < KEPT).map(|bytes| Print::of(bytes));
        let pieces = print.as_ref().map_or(0, |print| print.pieces.len());
        self.kept += pieces;
        self.prints.insert(id, print);
        pieces
    }
}

/// Returns the names that one open candidate has alone.
fn sole(side: &[Candidate]) -> HashMap<Vec<u8>, usize> {
    let (mut sole, mut shared) = (HashMap::new(), HashSet::new());
    for (at, candidate) in side.iter().enumerate().filter(|(_, candidate)| candidate.is_open_file())
    {
        if sole.insert(candidate.name.clone(), at).is_some() {
            shared.insert(candidate.name.clone());
        }
    }
    sole.retain(|name, _| !shared.contains(name));
    sole
}

/// The pieces of a content, by their hashes: how many bytes each covers.
struct Print {
    bytes: u64,
    pieces: Vec<(u64, u64)>,
}

impl Print {
    fn of(bytes: &[u8]) -> Self {
        let mut pieces: Vec<(u64, u64)> = bytes
            .split_inclusive(|byte| *byte == b'\n')
            .flat_map(|line| line.chunks(PIECE))
            .map(|piece| {
                let mut hasher = DefaultHasher::new();
                hasher.write(piece);
                (hasher.finish(), piece.len() as u64)
            })
            .collect();
        pieces.sort_unstable();
        pieces.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
        Self { bytes: bytes.len() as u64, pieces }
    }

    fn likeness(&self, other: &Self) -> u64 {
        let (smaller, larger) = (self.bytes.min(other.bytes), self.bytes.max(other.bytes));
        if larger == 0 || smaller * 100 < larger * LEAST {
            return 0;
        }
        let (mut ones, mut twos) = (self.pieces.iter().peekable(), other.pieces.iter().peekable());
        let mut common = 0;
        while let (Some(one), Some(two)) = (ones.peek(), twos.peek()) {
            match one.0.cmp(&two.0) {
                std::cmp::Ordering::Less => drop(ones.next()),
                std::cmp::Ordering::Greater => drop(twos.next()),
                std::cmp::Ordering::Equal => {
                    common += one.1.min(two.1);
                    ones.next();
                    twos.next();
                }
            }
        }
        common * 100 / larger
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn likeness(one: &str, two: &str) -> u64 {
        Print::of(one.as_bytes()).likeness(&Print::of(two.as_bytes()))
    }

    #[test]
    fn likeness_is_the_common_part_of_the_larger_file() {
        assert_eq!(likeness("a\nb\nc\nd\n", "a\nb\nc\nd\n"), 100);
        assert_eq!(likeness("a\nb\nc\nd\n", "d\nx\na\nb\n"), 75);
        assert_eq!(likeness("a\n", "a\nb\nc\n"), 0);
        assert_eq!(likeness("", ""), 0);
    }

    #[test]
    fn a_repeated_line_counts_as_often_as_both_have_it() {
        assert_eq!(likeness("a\na\na\nb\n", "a\nx\ny\nb\n"), 50);
    }
}
