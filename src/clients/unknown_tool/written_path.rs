//! What looks like a path among the inputs of a tool, and the ways to read it.

/// How sure it is that a text is a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Look {
    /// It is none.
    None,
    /// It has the form of a file's name: an ending, or a dot in front.
    Name,
    /// It has separators.
    Separated,
    /// It says where it starts: `/`, `./`, `~/`, `C:\`, `file:`.
    Rooted,
}

/// The longest path that is looked at, in bytes.
const LONGEST: usize = 4096;

impl Look {
    /// Looks at a text.
    pub fn of(text: &str) -> Self {
        let text = text.trim();
        if text.is_empty() || text.len() > LONGEST || text.chars().any(char::is_control) {
            return Self::None;
        }
        if let Some(scheme) = scheme(text) {
            let local = scheme.eq_ignore_ascii_case("file");
            return if local { Self::Rooted } else { Self::None };
        }
        let starts = ["/", "./", "../", "~/", "\\\\", ".\\", "..\\", "~\\"];
        let mut drive = text.chars();
        let is_drive = drive.next().is_some_and(|char| char.is_ascii_alphabetic())
            && drive.next() == Some(':')
            && drive.next().is_some_and(|char| matches!(char, '/' | '\\'));
        if is_drive || starts.iter().any(|start| text.starts_with(start)) {
            return if text.contains(['<', '>', '*']) { Self::None } else { Self::Rooted };
        }
        if text.contains(['<', '>', '*', '|', '"', '{', '}', '`', '(', ';', '=', ',']) {
            return Self::None;
        }
        if text.contains(char::is_whitespace) {
            // Words, unless they end as a file in a folder does.
            let (folder, name) = text.rsplit_once(['/', '\\']).unwrap_or(("", text));
            let named = !folder.is_empty() && has_ending(name) && !folder.ends_with(' ');
            return if named { Self::Separated } else { Self::None };
        }
        if text.contains(['/', '\\']) {
            return Self::Separated;
        }
        let hidden =
            text.strip_prefix('.').is_some_and(|rest| rest.starts_with(char::is_alphabetic));
        if hidden || has_ending(text) && !text.contains('@') { Self::Name } else { Self::None }
    }
}

/// Tells whether a name has an ending like a file's: `a.py`, and not `1.2.3`.
fn has_ending(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(before, ending)| {
        let ending = ending.split_once(':').map_or(ending, |(ending, _)| ending);
        !before.is_empty()
            && (1..=12).contains(&ending.len())
            && ending.chars().all(char::is_alphanumeric)
            && ending.contains(char::is_alphabetic)
    })
}

/// Returns the scheme of an address: `https` of `https://…`, `file` of `file:/…`.
fn scheme(text: &str) -> Option<&str> {
    let (scheme, rest) = text.split_once(':')?;
    let plain = scheme.len() > 1
        && scheme.starts_with(|char: char| char.is_ascii_alphabetic())
        && scheme.chars().all(|char| char.is_ascii_alphanumeric() || "+-.".contains(char));
    let file = scheme.eq_ignore_ascii_case("file");
    let known = file || rest.starts_with("//") || ["data", "mailto", "urn"].contains(&scheme);
    (plain && known).then_some(scheme)
}

/// Schemes of addresses that are elsewhere.
const REMOTE: &[&str] = &[
    "about",
    "blob",
    "chrome",
    "data",
    "ftp",
    "gs",
    "http",
    "https",
    "javascript",
    "mailto",
    "s3",
    "ssh",
    "tel",
    "urn",
    "ws",
    "wss",
];

/// Returns the paths that a written path may mean; none when it is an address elsewhere.
pub fn readings(written: &str) -> Vec<String> {
    let written = written.trim();
    let mut readings = Vec::new();
    match scheme(written) {
        None => readings.push(written.to_owned()),
        Some(scheme) if scheme.eq_ignore_ascii_case("file") => {
            let rest = written.get(scheme.len() + 1..).unwrap_or_default();
            let path = match rest.strip_prefix("//") {
                None => rest,
                // A host stands before the first `/`; `file://a` has a path for one.
                Some(rest) => match rest.find('/') {
                    Some(0) | None => rest,
                    Some(at) => {
                        readings.push(decoded(rest));
                        rest.get(at..).unwrap_or_default()
                    }
                },
            };
            readings.push(decoded(path));
            readings.push(path.to_owned());
            let drive = path.strip_prefix('/').filter(|path| path.get(1..2) == Some(":"));
            readings.extend(drive.map(str::to_owned));
        }
        // An address of the agent's or the server's own may be one of a file: `workspace://a.py`.
        Some(scheme) if !REMOTE.iter().any(|remote| scheme.eq_ignore_ascii_case(remote)) => {
            let rest = written.get(scheme.len() + 1..).unwrap_or_default();
            let rest = rest.trim_start_matches('/');
            readings.push(decoded(rest));
            readings.push(format!("/{}", decoded(rest)));
            readings.extend(rest.split_once('/').map(|(_, path)| format!("/{}", decoded(path))));
        }
        Some(_) => return Vec::new(),
    }
    // `$ROOT/a.py`, `${workspaceFolder}/a.py`.
    if let Some((_, rest)) = written.strip_prefix('$').and_then(|rest| rest.split_once('/')) {
        readings.push(rest.to_owned());
    }
    // `a.py:10:5`, `a.py#L10`, `a.py?x`, `@a.py`: with and without.
    for reading in readings.clone() {
        let before = reading.split(['#', '?']).next().unwrap_or_default();
        let mut bare = before;
        while let Some((rest, number)) = bare.rsplit_once(':') {
            let numbers = number.chars().all(|char| char.is_ascii_digit() || char == '-');
            if !numbers || rest.is_empty() {
                break;
            }
            bare = rest;
        }
        let quoted = bare.trim_matches(['"', '\'', '`', '<', '>']);
        readings.push(quoted.strip_prefix('@').unwrap_or(quoted).to_owned());
        if bare.contains('%') {
            readings.push(decoded(bare));
        }
    }
    readings.retain(|reading| !reading.is_empty());
    readings.sort_unstable();
    readings.dedup();
    readings
}

/// Tells whether a path starts from a folder that it does not name.
pub fn is_relative(path: &str) -> bool {
    let drive = path.get(1..2) == Some(":");
    !path.starts_with(['/', '\\', '~']) && !drive
}

/// Decodes the `%XX` of an address.
fn decoded(path: &str) -> String {
    let mut bytes = Vec::with_capacity(path.len());
    for (index, part) in path.split('%').enumerate() {
        let escape = part.split_at_checked(2).filter(|_| index > 0);
        if let Some((digits, rest)) = escape
            && let Ok(byte) = u8::from_str_radix(digits, 16)
        {
            bytes.push(byte);
            bytes.extend_from_slice(rest.as_bytes());
            continue;
        }
        bytes.extend_from_slice(if index > 0 { b"%" } else { b"" });
        bytes.extend_from_slice(part.as_bytes());
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_looks_like_a_path_or_not() {
        for (texts, look) in [
            ("/a ./a ../a ~/a C:\\a file:///a FILE:a \\\\host\\a", Look::Rooted),
            ("src/b.py .git/config a\\b owner/name", Look::Separated),
            ("b.py .env Cargo.toml b.py:10", Look::Name),
            (
                "https://x.test/a me@x.test 1.2.3 main a,b src/**/*.rs x=1 data:text/plain",
                Look::None,
            ),
        ] {
            for text in texts.split(' ') {
                assert_eq!(Look::of(text), look, "{text}");
            }
        }
        assert_eq!(Look::of("fix the a/b test"), Look::None);
        assert_eq!(Look::of("my notes/a file.md"), Look::Separated);
        assert_eq!(Look::of("a\nb.py"), Look::None);
    }

    #[test]
    fn a_file_address_is_read_in_every_form() {
        for (written, path) in [
            ("file:///a/b%20c", "/a/b c"),
            ("file:///a/b%20c", "/a/b%20c"),
            ("FILE://localhost/a", "/a"),
            ("file:/a", "/a"),
            ("file:src/a", "src/a"),
            ("file://src/a", "src/a"),
            ("file:///100%/%zz", "/100%/%zz"),
            ("file:///C:/a", "C:/a"),
            ("a.py:10:5", "a.py"),
            ("a.py#L10", "a.py"),
            ("@a.py", "a.py"),
            ("%2egit/a", ".git/a"),
            ("workspace://src/a", "src/a"),
            ("vscode-remote://host/r/a", "/r/a"),
            ("${workspaceFolder}/src/a", "src/a"),
        ] {
            let readings = readings(written);
            assert!(readings.iter().any(|reading| reading == path), "{written}: {readings:?}");
        }
        assert!(readings("https://x.test/a").is_empty());
        assert_eq!(readings("a.py"), ["a.py"]);
    }
}
