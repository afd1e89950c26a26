//! Valid Python that the grammar cannot read, spelled so that it can.
//!
//! Two things are known: a type parameter with a default (`class A[T = int]`), and lines inside
//! brackets that stand further left than their statement. The spelling has the same length, so
//! that every call keeps its place, and it is used only when the text does not parse as it stands
//! and the spelling does.

/// Returns another spelling of a text; nothing when there is none, or a comment that would go
/// may be code.
pub fn spelled_for_the_grammar(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut out = bytes.to_vec();
    let mut open: Vec<Bracket> = Vec::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let rest = bytes.get(at..).unwrap_or_default();
        match byte {
            b'"' | b'\'' => {
                at += string(rest)?;
                continue;
            }
            b'#' => {
                let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                if !open.is_empty() {
                    if rest.get(..end)?.contains(&b'(') {
                        return None;
                    }
                    out.get_mut(at..at + end)?.fill(b' ');
                }
                at += end;
                continue;
            }
            b'[' if open.is_empty() && heads_type_parameters(bytes.get(..at)?) => {
                open.push(Bracket::TypeParameters { bound: false });
            }
            b'(' | b'[' | b'{' => open.push(Bracket::Other),
            b')' | b']' | b'}' => drop(open.pop()),
            b'\\' if !open.is_empty() && matches!(rest, [_, b'\n', ..]) => *out.get_mut(at)? = b' ',
            b'\n' | b'\r' if !open.is_empty() => *out.get_mut(at)? = b' ',
            _ => {}
        }
        if let Some(Bracket::TypeParameters { bound }) = open.last_mut() {
            match byte {
                b':' => *bound = true,
                b',' => *bound = false,
                b'=' => *out.get_mut(at)? = if *bound { b',' } else { b':' },
                _ => {}
            }
        }
        at += 1;
    }
    (out != bytes).then(|| String::from_utf8(out).ok()).flatten()
}

enum Bracket {
    TypeParameters {
        /// The parameter has a bound (`T: int`).
        bound: bool,
    },
    Other,
}

/// Tells whether what stands before a `[` is `class NAME`, `def NAME` or `type NAME`.
fn heads_type_parameters(before: &[u8]) -> bool {
    let start = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
    let line = before.get(start..).and_then(|line| str::from_utf8(line).ok()).unwrap_or_default();
    let words: Vec<&str> = line.split_whitespace().collect();
    matches!(words.as_slice(), [.., "class" | "def" | "type", _name])
}

/// Returns the length of the string with which bytes begin.
fn string(bytes: &[u8]) -> Option<usize> {
    let quote = *bytes.first()?;
    let triple = bytes.get(1..)?.starts_with(&[quote, quote]);
    let mut at = if triple { 3 } else { 1 };
    loop {
        match *bytes.get(at)? {
            b'\\' => at += 1,
            b'\n' if !triple => return None,
            byte if byte == quote && !triple => return Some(at + 1),
            byte if byte == quote && bytes.get(at..)?.starts_with(&[quote; 3]) => {
                return Some(at + 3);
            }
            _ => {}
        }
        at += 1;
    }
}
