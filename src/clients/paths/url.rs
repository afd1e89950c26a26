//! The path of a `file:` address, as browsers and Node.js read it.
//!
//! By the URL standard: control characters and spaces at the ends go, tabs and line ends go
//! anywhere, `\` separates like `/`, `?` and `#` end the path, `%2e` is a dot. A host is left out:
//! a program on Unix refuses every one but `localhost`, which it may spell in ways of its own; on
//! Windows it is the server of a share.

/// Returns the path; nothing when it is no such address, or when Node.js refuses it.
#[must_use]
pub fn path(address: &str) -> Option<String> {
    let ends = |char: char| char <= ' ';
    let plain: String = address
        .trim_matches(ends)
        .chars()
        .filter(|char| !matches!(char, '\t' | '\n' | '\r'))
        .map(|char| if char == '\\' { '/' } else { char })
        .collect();
    let (scheme, rest) = plain.split_once(':')?;
    if !scheme.eq_ignore_ascii_case("file") {
        return None;
    }
    let rest = rest.split(['?', '#']).next()?;
    let (host, rest) = match rest.strip_prefix("//") {
        Some(rest) => rest.split_at(rest.find('/').unwrap_or(rest.len())),
        None => ("", rest),
    };
    // A drive where the host stands belongs to the path.
    let drive = is_drive(host);
    let mut parts: Vec<&str> = if drive { vec![host] } else { Vec::new() };
    for part in rest.strip_prefix('/').unwrap_or(rest).split('/') {
        match &*part.to_ascii_lowercase().replace("%2e", ".") {
            "." => {}
            ".." => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    let parts = parts
        .iter()
        .map(|part| if is_drive(part) { part.replace('|', ":") } else { (*part).to_owned() });
    let path = decoded(&parts.collect::<Vec<_>>().join("/"))?;
    if !cfg!(windows) {
        return Some(format!("/{path}"));
    }
    let share = !drive && !host.is_empty() && !host.eq_ignore_ascii_case("localhost");
    Some(if share { format!("\\\\{host}\\{}", path.replace('/', "\\")) } else { path })
}

fn is_drive(part: &str) -> bool {
    matches!(part.as_bytes(), [letter, b':' | b'|'] if letter.is_ascii_alphabetic())
}

/// Decodes each `%XX`; nothing when one is no such thing, or what comes out is not UTF-8.
#[must_use]
pub fn decoded(text: &str) -> Option<String> {
    let mut pieces = text.split('%');
    let mut bytes = pieces.next().unwrap_or_default().as_bytes().to_vec();
    for piece in pieces {
        let (digits, rest) = piece.split_at_checked(2)?;
        if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return None;
        }
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        bytes.extend_from_slice(rest.as_bytes());
    }
    String::from_utf8(bytes).ok()
}
