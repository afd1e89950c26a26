//! Binary patches, read as strictly as git reads one before it applies it.

use super::lines::Lines;
use super::{PatchError, Problem};
use crate::git::objects::LARGEST;
use gix::zlib::{Decompress, FlushDecompress, Status};

/// What a patch holds of the content of a file that it does not show as lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stored {
    /// Nothing, or more than is read.
    Nothing,
    /// The file after the patch.
    Whole(Vec<u8>),
    /// Its difference from the file before, as in a pack of git's.
    Delta(Vec<u8>),
}

/// Reads a binary patch: one or two blocks of encoded lines, each with an empty line behind it, of
/// which the first leads to the new file. Fails where a block is cut off, or does not hold what its
/// size says.
pub fn read(lines: &mut Lines<'_>) -> Result<Stored, PatchError> {
    lines.advance();
    let Some(forward) = block(lines)? else { return Err(lines.error(Problem::Binary)) };
    block(lines)?;
    Ok(forward)
}

/// Reads a block, if there is one.
fn block(lines: &mut Lines<'_>) -> Result<Option<Stored>, PatchError> {
    let head = lines.peek().unwrap_or_default();
    let whole = head.strip_prefix(b"literal ");
    let Some(size) = whole.or(head.strip_prefix(b"delta ")) else {
        return Ok(None);
    };
    let kind = if whole.is_some() { Stored::Whole } else { Stored::Delta };
    let wrong = lines.error(Problem::Binary);
    let size = std::str::from_utf8(size).ok().and_then(|size| size.parse::<u64>().ok());
    let Some(size) = size else { return Err(wrong) };
    lines.advance();
    let mut packed = Vec::new();
    loop {
        match lines.raw() {
            Some([]) => break,
            Some([length, code @ ..]) if decode(*length, code, &mut packed) => lines.advance(),
            _ => return Err(lines.error(Problem::Binary)),
        };
    }
    lines.advance();
    if size > LARGEST {
        return Ok(Some(Stored::Nothing));
    }
    unpacked(&packed, size).map(|content| Some(kind(content))).ok_or(wrong)
}

/// Decodes a line: its number of bytes as a letter, then five digits of base 85 for four bytes.
fn decode(length: u8, code: &[u8], into: &mut Vec<u8>) -> bool {
    let count = match length {
        b'A'..=b'Z' => length - b'A' + 1,
        b'a'..=b'z' => length - b'a' + 27,
        _ => return false,
    };
    let count = usize::from(count);
    if code.len() != count.div_ceil(4) * 5 {
        return false;
    }
    let end = into.len() + count;
    for digits in code.chunks(5) {
        let mut number = 0_u64;
        for digit in digits {
            let Some(value) = (0..).zip(DIGITS).find(|(_, known)| *known == digit) else {
                return false;
            };
            number = number * 85 + value.0;
        }
        let Ok(number) = u32::try_from(number) else { return false };
        into.extend(number.to_be_bytes());
    }
    into.truncate(end);
    true
}

/// Unpacks a whole stream; none unless this is its size.
fn unpacked(packed: &[u8], size: u64) -> Option<Vec<u8>> {
    let mut stream = Decompress::new();
    let (mut content, mut buffer) = (Vec::new(), [0; 16 * 1024]);
    loop {
        let before = (stream.total_in(), stream.total_out());
        let rest = usize::try_from(before.0).ok().and_then(|done| packed.get(done..));
        let status =
            stream.decompress(rest.unwrap_or_default(), &mut buffer, FlushDecompress::None).ok()?;
        let written = usize::try_from(stream.total_out() - before.1).ok()?;
        content.extend_from_slice(buffer.get(..written)?);
        match status {
            Status::StreamEnd => return (stream.total_out() == size).then_some(content),
            _ if stream.total_out() > size => return None,
            _ if (stream.total_in(), stream.total_out()) == before => return None,
            _ => {}
        }
    }
}

/// Applies a difference to the file before; none when it belongs to another one.
pub fn apply(delta: &[u8], old: &[u8]) -> Option<Vec<u8>> {
    let mut delta = delta.iter().copied();
    let mut number = || {
        let (mut number, mut shift) = (0_usize, 0);
        loop {
            let byte = delta.next()?;
            number |= usize::from(byte & 0x7f).checked_shl(shift)?;
            shift += 7;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
    };
    let (before, after) = (number()?, number()?);
    if before != old.len() || after as u64 > LARGEST {
        return None;
    }
    let mut new = Vec::new();
    while let Some(step) = delta.next() {
        if step & 0x80 == 0 {
            // So many new bytes follow; none is reserved.
            let end = new.len() + usize::from(step);
            new.extend(delta.by_ref().take(usize::from(step)));
            if step == 0 || new.len() != end {
                return None;
            }
            continue;
        }
        // A run of the old file: where it begins in four bytes, its length in three; those that
        // are zero are left out.
        let mut field = |bits: std::ops::Range<u8>| {
            let mut value = 0_usize;
            for (place, bit) in bits.enumerate() {
                if step & (1 << bit) != 0 {
                    value |= usize::from(delta.next()?) << (8 * place);
                }
            }
            Some(value)
        };
        let (start, length) = (field(0..4)?, field(4..7)?);
        let length = if length == 0 { 0x1_0000 } else { length };
        new.extend_from_slice(old.get(start..start.checked_add(length)?)?);
        if new.len() > after {
            return None;
        }
    }
    (new.len() == after).then_some(new)
}

const DIGITS: &[u8; 85] =
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";
