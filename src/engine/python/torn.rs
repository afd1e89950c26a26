//! Does a text look as if it does not parse?
//!
//! One pass over the bytes finds what is left open most often: a bracket, a string. It costs a
//! thousandth of a parse, so that a file without any forbidden name need not be parsed to be
//! known as whole. It only raises a suspicion; the parser decides.

/// Tells whether a bracket or a string seems to be left open, or closed without being open.
#[must_use]
pub fn looks_torn(text: &str) -> bool {
    let mut bytes = text.as_bytes();
    let mut open = Vec::new();
    while let [byte, rest @ ..] = bytes {
        bytes = rest;
        match byte {
            b'#' => bytes = after_line(bytes),
            b'(' => open.push(b')'),
            b'[' => open.push(b']'),
            b'{' => open.push(b'}'),
            b')' | b']' | b'}' if open.pop() != Some(*byte) => return true,
            b'"' | b'\'' => match after_string(*byte, bytes) {
                Some(rest) => bytes = rest,
                None => return true,
            },
            _ => {}
        }
    }
    !open.is_empty()
}

fn after_line(bytes: &[u8]) -> &[u8] {
    let end = memchr::memchr(b'\n', bytes).unwrap_or(bytes.len());
    bytes.get(end..).unwrap_or_default()
}

/// Returns what follows a string whose first quote was just read; nothing when it does not end.
fn after_string(quote: u8, bytes: &[u8]) -> Option<&[u8]> {
    let triple = bytes.starts_with(&[quote, quote]);
    let mut bytes = if triple { bytes.get(2..)? } else { bytes };
    loop {
        let at = memchr::memchr3(quote, b'\\', b'\n', bytes)?;
        let (found, rest) = bytes.get(at..)?.split_first()?;
        bytes = match *found {
            b'\\' => rest.get(1..)?,
            b'\n' if !triple => return None,
            b'\n' => rest,
            _ if !triple => return Some(rest),
            _ => match rest.strip_prefix(&[quote, quote]) {
                Some(rest) => return Some(rest),
                None => rest,
            },
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_open_is_seen() {
        for text in ["x = (\n", "x = [1, 2\n", "x = )", "(]", "'abc\n", "\"\"\"abc\n\"", "f('a\n')"]
        {
            assert!(looks_torn(text), "{text}");
        }
    }

    #[test]
    fn what_is_whole_is_not_suspected() {
        for text in [
            "x = (1, [2], {3: 4})\n",
            "# it's (open\nx = 1\n",
            "'it\\'s' + \"(\" + ''\n",
            "'''it's\n(\n''' + r'\\d'\n",
            "\"\"\"a\\\"\"\"\"\n",
            "f'{x[\"a\"]}'\n",
            "",
        ] {
            assert!(!looks_torn(text), "{text}");
        }
    }
}
