//! The index, read as far as a check needs it.
//!
//! An entry is 40 bytes about the file on disk, the mode among them, then an id, flags and a path,
//! and zeros up to a multiple of eight. Of these the mode, the id, the flags and the path are
//! kept, the last three as they stand in the file. The file goes through a small buffer, because a
//! page that was never touched costs more (a microsecond) than to copy what is in it: for 11,000
//! entries in 1 MB, 175 pages are touched, 265 if all were read at once, 345 by gix.
//!
//! gix does not find the end of an entry whose path is longer than 4094 bytes; here it is found.
//!
//! Nothing is guessed. Where anything is not as it should be there is no light reading, and gix
//! reads the whole file and says why.

use super::Entry;
use super::folders::{Folders, Node};
use gix::ObjectId;
use gix::bstr::{BStr, ByteSlice};
use gix::hash::Kind as Hash;
use gix::index::State;
use gix::index::entry::{Flags, Mode, Stat};
use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::path::Path;
use std::sync::OnceLock;

/// The mode, an id, flags and a path of each entry.
pub(super) struct Light {
    hash: Hash,
    /// Of each entry its id, its flags and its path; then what is remembered of folders.
    bytes: Vec<u8>,
    /// In the order of the file, which is that of the paths; the end stands behind the last one.
    entries: Vec<Place>,
    /// Where in the bytes that is; nowhere when nothing is remembered.
    remembered: Range<usize>,
    /// The same, taken apart when it is first asked for: most questions are about one path.
    folders: OnceLock<Option<Folders>>,
}

/// Where in the bytes an entry is.
#[derive(Clone, Copy)]
struct Place {
    start: u32,
    /// Where the path begins, from there.
    path: u16,
    mode: u16,
}

/// What became of the next entry.
enum Next {
    /// It was taken, and has so many bytes.
    Taken(usize),
    /// It has so many bytes at least, and they are not all here.
    Cut(usize),
}

/// The signature, the version, and how many entries follow.
const HEADER: usize = 12;

/// What an entry begins with: two times, device, inode, mode, owner, group, size.
const ON_DISK: usize = 40;

/// Where in it the mode is.
const MODE: usize = 24;

/// The bits of an entry's flags that say how long its path is; all of them: longer than they can
/// say.
const LENGTH: u16 = 0x0fff;

/// The bit that says that more flags follow, and those of them that git knows.
const EXTENDED: u16 = 0x4000;
const MORE: u16 = 0x6000;

/// The signature and the length of an extension.
const EXTENSION: usize = 8;

impl Light {
    /// Reads an index; none when it is in an unusual form, damaged, or cannot be read at all.
    pub(super) fn read(path: &Path, hash: Hash) -> Option<Self> {
        let mut file = Pieces::of(File::open(path).ok()?)?;
        let header = file.ahead(HEADER)?;
        let (signature, version, count) =
            (header.get(..4)?, u32_at(header, 4)?, u32_at(header, 8)?);
        if signature != b"DIRC" || !(2..=3).contains(&version) {
            return None;
        }
        file.pass(HEADER);
        // A forged count reserves no more than the file is long.
        let count = usize::try_from(count).ok()?;
        let most = count.min(file.left() / ON_DISK);
        let mut light = Self {
            hash,
            bytes: Vec::new(),
            entries: Vec::with_capacity(most + 1),
            remembered: 0..0,
            folders: OnceLock::new(),
        };
        light.bytes.try_reserve_exact(file.left() - most * ON_DISK).ok()?;
        light.take_entries(&mut file, count)?;
        light.entries.push(Place {
            start: u32::try_from(light.bytes.len()).ok()?,
            path: 0,
            mode: 0,
        });
        light.take_extensions(&mut file)?;
        Some(light)
    }

    fn take_entries(&mut self, file: &mut Pieces, count: usize) -> Option<()> {
        let (mut taken, mut least) = (0, 1);
        while taken < count {
            let mut piece = file.ahead(least)?;
            let length = piece.len();
            while taken < count {
                match self.take_entry(piece)? {
                    Next::Taken(size) => piece = piece.get(size..)?,
                    Next::Cut(size) => {
                        least = size;
                        break;
                    }
                }
                taken += 1;
            }
            let passed = length - piece.len();
            file.pass(passed);
        }
        Some(())
    }

    fn take_entry(&mut self, piece: &[u8]) -> Option<Next> {
        let flags_at = ON_DISK + self.hash.len_in_bytes();
        let mut path_at = flags_at + 2;
        let Some(flags) = u16_at(piece, flags_at) else { return Some(Next::Cut(path_at)) };
        if flags & EXTENDED != 0 {
            path_at += 2;
            match u16_at(piece, path_at - 2) {
                None => return Some(Next::Cut(path_at)),
                Some(more) if more & !MORE != 0 => return None,
                Some(_) => {}
            }
        }
        let end = match flags & LENGTH {
            LENGTH => match piece.get(path_at..).and_then(|path| path.find_byte(0)) {
                None => return Some(Next::Cut(piece.len() + 1)),
                Some(length) => path_at + length,
            },
            length => path_at + usize::from(length),
        };
        // At least one zero.
        let size = (end + 8) & !7;
        if size > piece.len() {
            return Some(Next::Cut(size));
        }
        self.entries.push(Place {
            start: u32::try_from(self.bytes.len()).ok()?,
            path: u16::try_from(path_at - ON_DISK).ok()?,
            mode: u16::try_from(Mode::from_bits_truncate(u32_at(piece, MODE)?).bits()).ok()?,
        });
        self.bytes.extend_from_slice(piece.get(ON_DISK..end)?);
        Some(Next::Taken(size))
    }

    /// Passes over the extensions up to the hash at the end, and keeps what is remembered of
    /// folders. An extension that may not be passed over begins with a small letter.
    fn take_extensions(&mut self, file: &mut Pieces) -> Option<()> {
        let hash = self.hash.len_in_bytes();
        while file.left() > hash {
            let header = file.ahead(EXTENSION)?;
            let (name, length) = (header.first_chunk::<4>()?, u32_at(header, 4)?);
            let (is_tree, is_optional) = (name == b"TREE", name.first()?.is_ascii_uppercase());
            let mut length = usize::try_from(length).ok()?;
            file.pass(EXTENSION);
            let is_first = self.remembered.is_empty();
            if !is_optional || length > file.left().checked_sub(hash)? || is_tree && !is_first {
                return None;
            }
            let start = self.bytes.len();
            while length > 0 {
                let some = file.ahead(1)?;
                let some = some.get(..length.min(some.len()))?;
                if is_tree {
                    self.bytes.extend_from_slice(some);
                }
                let passed = some.len();
                length -= passed;
                file.pass(passed);
            }
            if is_tree {
                self.remembered = start..self.bytes.len();
            }
        }
        (file.left() == hash).then_some(())
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len().saturating_sub(1)
    }

    pub(super) fn path(&self, at: usize) -> &BStr {
        self.parts(at).map_or(b"".as_bstr(), |(_, path, _)| path.as_bstr())
    }

    pub(super) fn entry(&self, at: usize) -> Option<Entry> {
        let (head, _, mode) = self.parts(at)?;
        let (id, flags) = head.split_at_checked(self.hash.len_in_bytes())?;
        let further = u16_at(flags, 2).unwrap_or_default();
        let flags = u32::from(u16_at(flags, 0)? & !LENGTH) | u32::from(further) << 16;
        Some(Entry {
            mode: Mode::from_bits_truncate(u32::from(mode)),
            id: ObjectId::try_from(id).ok()?,
            flags: Flags::from_bits_retain(flags),
        })
    }

    /// Returns what stands before an entry's path, its path and its mode.
    fn parts(&self, at: usize) -> Option<(&[u8], &[u8], u16)> {
        let (here, next) = (self.entries.get(at)?, self.entries.get(at + 1)?);
        let entry = self.bytes.get(here.start as usize..next.start as usize)?;
        let (head, path) = entry.split_at_checked(usize::from(here.path))?;
        Some((head, path, here.mode))
    }

    /// Returns what is remembered of folders; none when nothing is, or nothing that can be read.
    pub(super) fn folders(&self) -> Option<&Folders> {
        let folders = self
            .folders
            .get_or_init(|| Folders::read(&self.bytes, self.remembered.clone(), self.hash));
        folders.as_ref()
    }

    /// Returns the bytes that folders refer to.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn tree_of(&self, folder: &Node) -> Option<ObjectId> {
        let start = folder.tree? as usize;
        let id = self.bytes.get(start..start + self.hash.len_in_bytes())?;
        ObjectId::try_from(id).ok()
    }

    /// Returns an index of gix's with the lists of ignored paths alone.
    pub(super) fn ignoring(&self) -> State {
        const NAME: &[u8] = b".gitignore";
        let mut state = State::new(self.hash);
        for at in 0..self.len() {
            let path = self.path(at);
            let start = path.len().saturating_sub(NAME.len());
            if path.get(start..).is_some_and(|end| end.eq_ignore_ascii_case(NAME))
                && let Some(Entry { mode, id, flags }) = self.entry(at)
            {
                state.dangerously_push_entry(Stat::default(), id, flags, mode, path);
            }
        }
        state
    }
}

/// A file that is read from its beginning to its end, in pieces that are forgotten.
struct Pieces {
    file: File,
    /// How many of its bytes are not in the buffer yet.
    beyond: usize,
    buf: Vec<u8>,
    /// The bytes of the buffer that were read and not passed yet.
    here: Range<usize>,
}

/// How much is read at once, if so much is left.
const PIECE: usize = 32 << 10;

impl Pieces {
    fn of(file: File) -> Option<Self> {
        // What is longer has no place in 32 bits.
        let beyond = u32::try_from(file.metadata().ok()?.len()).ok()? as usize;
        Some(Self { file, beyond, buf: vec![0; PIECE.min(beyond)], here: 0..0 })
    }

    /// Returns how many bytes were not passed yet.
    fn left(&self) -> usize {
        self.beyond + self.here.len()
    }

    /// Returns the next bytes: at least so many, or none when there are not.
    fn ahead(&mut self, least: usize) -> Option<&[u8]> {
        if self.here.len() < least {
            self.refill(least)?;
        }
        self.buf.get(self.here.clone())
    }

    fn refill(&mut self, least: usize) -> Option<()> {
        if self.left() < least {
            return None;
        }
        self.buf.copy_within(self.here.clone(), 0);
        self.here = 0..self.here.len();
        if self.buf.len() < least {
            // Doubled, so that a path without an end is not copied again and again.
            self.buf.resize(least.next_power_of_two(), 0);
        }
        let room = self.buf.get_mut(self.here.end..)?;
        let more = room.len().min(self.beyond);
        self.file.read_exact(room.get_mut(..more)?).ok()?;
        self.here.end += more;
        self.beyond -= more;
        Some(())
    }

    fn pass(&mut self, count: usize) {
        self.here.start = self.here.end.min(self.here.start + count);
    }
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|four| u32::from_be_bytes(*four))
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().map(|two| u16::from_be_bytes(*two))
}
