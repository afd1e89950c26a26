//! Binary patches: read as strictly as git reads one before it applies it, and not applied.

use super::lines::Lines;
use super::{PatchError, Problem};
use crate::git::objects::LARGEST;
use gix::zlib::{Decompress, FlushDecompress, Status};

/// Passes over a binary patch: one or two blocks of encoded lines, each with an empty line
/// behind it. Fails where a block is cut off, or does not hold what its size says.
pub fn skip(lines: &mut Lines<'_>) -> Result<(), PatchError> {
    lines.advance();
    if !block(lines)? {
        return Err(lines.error(Problem::Binary));
    }
    block(lines)?;
    Ok(())
}

/// Passes over a block, if there is one.
fn block(lines: &mut Lines<'_>) -> Result<bool, PatchError> {
    let head = lines.peek().unwrap_or_default();
    let Some(size) = head.strip_prefix(b"literal ").or(head.strip_prefix(b"delta ")) else {
        return Ok(false);
    };
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
    if holds(&packed, size) { Ok(true) } else { Err(wrong) }
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

/// Tells whether packed bytes are a whole stream of this size once they are unpacked. One that is
/// larger than any file that is read is not unpacked.
fn holds(packed: &[u8], size: u64) -> bool {
    if size > LARGEST {
        return true;
    }
    let mut stream = Decompress::new();
    let mut buffer = [0; 16 * 1024];
    loop {
        let before = (stream.total_in(), stream.total_out());
        let rest = usize::try_from(before.0).ok().and_then(|done| packed.get(done..));
        let status =
            stream.decompress(rest.unwrap_or_default(), &mut buffer, FlushDecompress::None);
        match status {
            Ok(Status::StreamEnd) => return stream.total_out() == size,
            Ok(_) if stream.total_out() > size => return false,
            Ok(_) if (stream.total_in(), stream.total_out()) != before => {}
            Ok(_) | Err(_) => return false,
        }
    }
}

const DIGITS: &[u8; 85] =
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";
