//! Formats that are no text, known by their first bytes.
//!
//! `file` knows hundreds; these are the ones that repositories hold. A file in none of them that
//! is no text is evaluated line by line like any other.

/// The first bytes of formats that are no text.
const MAGIC: &[&[u8]] = &[
    // Programs and libraries.
    b"\x7fELF",
    b"MZ",
    b"\xfe\xed\xfa\xce",
    b"\xfe\xed\xfa\xcf",
    b"\xce\xfa\xed\xfe",
    b"\xcf\xfa\xed\xfe",
    b"\xca\xfe\xba\xbe",
    b"\0asm",
    b"!<arch>\n",
    b"BC\xc0\xde",
    b"\xde\xc0\x17\x0b",
    // Images.
    b"\x89PNG\r\n\x1a\n",
    b"\xff\xd8\xff",
    b"GIF87a",
    b"GIF89a",
    b"II*\0",
    b"MM\0*",
    b"\0\0\x01\0",
    b"\0\0\x02\0",
    b"BM",
    b"8BPS",
    b"qoif",
    b"\0\0\0\x0cjP  ",
    // Sound and film.
    b"RIFF",
    b"OggS",
    b"fLaC",
    b"ID3",
    b"MThd",
    b"\xff\xfb",
    b"\x1aE\xdf\xa3",
    // Fonts.
    b"\0\x01\0\0",
    b"OTTO",
    b"ttcf",
    b"true\0",
    b"wOFF",
    b"wOF2",
    // Packed.
    b"PK\x03\x04",
    b"PK\x05\x06",
    b"\x1f\x8b",
    b"BZh",
    b"\xfd7zXZ\0",
    b"7z\xbc\xaf\x27\x1c",
    b"\x28\xb5\x2f\xfd",
    b"\x04\x22\x4d\x18",
    b"JM\x01\0",
    b"Rar!\x1a\x07",
    b"\x1f\x9d",
    // Documents and data.
    b"%PDF-",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
    b"SQLite format 3\0",
    b"\x89HDF\r\n\x1a\n",
    b"\x93NUMPY",
    b"PAR1",
    b"Obj\x01",
    b"TZif",
    b"\xde\x12\x04\x95",
    b"\x95\x04\x12\xde",
    b"\x80\x02",
    b"\x80\x03",
    b"\x80\x04",
    b"\x80\x05",
    b"DIRC",
    b"PACK",
    b"\xfftOc",
];

/// Marks that stand further inside: at which byte, and what.
const LATER: &[(usize, &[u8])] = &[
    // Films and images in boxes (MP4, HEIC, AVIF).
    (4, b"ftyp"),
    // Compiled Python: two bytes of a version stand before it, and a field of flags follows.
    (2, b"\r\n"),
];

/// Tells whether bytes begin like a format that is no text.
pub fn is_binary(bytes: &[u8]) -> bool {
    let later =
        |(at, magic): &(usize, &[u8])| bytes.get(*at..).is_some_and(|it| it.starts_with(magic));
    MAGIC.iter().any(|magic| bytes.starts_with(magic)) || LATER.iter().any(later)
}
