//! The new lines in a text that a tool is given: plain, a diff, search-and-replace blocks, base 64.

use crate::domain::{Line, diff};

/// Returns every line that a text brings.
pub fn lines(text: &str, is_diff: bool) -> Vec<Line> {
    let mut lines = diff::numbered(text);
    if is_diff && lines.iter().any(|line| line.text.starts_with("@@ -")) {
        let mut in_hunk = false;
        lines.retain_mut(|line| {
            match line.text.get(..4) {
                Some("@@ -") => in_hunk = true,
                Some("--- " | "diff") => in_hunk = false,
                _ => {}
            }
            in_hunk && line.text.starts_with('+') && line.text.remove(0) == '+'
        });
    } else if text.contains(SEARCH) {
        let mut searched = false;
        lines.retain(|line| {
            let text = line.text.trim();
            let between = text.starts_with("=======") && text.trim_matches('=').is_empty();
            let mark = between || text.starts_with(SEARCH) || text.starts_with(">>>>>>>");
            searched = text.starts_with(SEARCH) || searched && !between;
            !searched && !mark
        });
    }
    lines
}

/// How a block begins whose lines are looked for, up to `=======`.
const SEARCH: &str = "<<<<<<< SEARCH";

/// A file of a diff.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DiffFile {
    /// What the file is called, before and after.
    pub paths: Vec<String>,
    /// Its part of the diff.
    pub text: String,
}

/// Returns the files that a diff names.
pub fn files_of_diff(text: &str) -> Vec<DiffFile> {
    let mut files: Vec<DiffFile> = Vec::new();
    let mut in_header = false;
    for line in text.lines() {
        let starts = ["diff --git ", "--- ", "*** ", "rename from ", "Index: "];
        let next_is_header = starts.iter().any(|start| line.starts_with(start));
        if next_is_header && !in_header {
            files.push(DiffFile::default());
        }
        in_header = next_is_header || in_header && !line.starts_with("@@ -");
        let Some(file) = files.last_mut() else { continue };
        if in_header {
            file.paths.extend(paths_of_header(line));
        }
        file.text.push_str(line);
        file.text.push('\n');
    }
    for file in &mut files {
        file.paths.sort_unstable();
        file.paths.dedup();
    }
    files.retain(|file| !file.paths.is_empty());
    files
}

fn paths_of_header(line: &str) -> Vec<String> {
    let mut paths = Vec::new();
    let mut add = |path: &str| {
        let path = path.split('\t').next().unwrap_or_default().trim().trim_matches('"');
        if path.is_empty() || path == "/dev/null" {
            return;
        }
        // git puts `a/` and `b/` before the names.
        let bare = path.strip_prefix("a/").or_else(|| path.strip_prefix("b/"));
        paths.push(bare.unwrap_or(path).to_owned());
    };
    if let Some(names) = line.strip_prefix("diff --git ") {
        if let Some((old, new)) = names.split_once(" b/") {
            add(old);
            add(new);
        }
        return paths;
    }
    let heads = ["--- ", "+++ ", "rename from ", "rename to ", "copy to ", "Index: "];
    if let Some(path) = heads.iter().find_map(|head| line.strip_prefix(head)) {
        add(path);
    }
    paths
}

/// Decodes base 64, of either alphabet; nothing when it is none.
pub fn from_base64(text: &str) -> Option<String> {
    let coded = match text.split_once(";base64,") {
        Some((head, coded)) if head.starts_with("data:") => coded,
        _ => text,
    };
    let mut bytes = Vec::new();
    let (mut bits, mut held) = (0_u32, 0_u32);
    for char in coded.bytes().filter(|byte| !byte.is_ascii_whitespace() && *byte != b'=') {
        let digit = match char {
            b'A'..=b'Z' => char - b'A',
            b'a'..=b'z' => char - b'a' + 26,
            b'0'..=b'9' => char - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(digit);
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push(u8::try_from(bits >> held & 0xff).ok()?);
            bits &= (1 << held) - 1;
        }
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str, is_diff: bool) -> Vec<String> {
        let lines = lines(text, is_diff);
        lines.iter().map(|line| format!("{}:{}", line.number, line.text)).collect()
    }

    #[test]
    fn a_diff_brings_its_added_lines() {
        let text = "--- a\n+++ b\n@@ -1 +1,2 @@\n-old\n kept\n+new";
        assert_eq!(texts(text, true), ["6:new"]);
        assert_eq!(texts("=======\nnew", true), ["1:=======", "2:new"]);
        assert_eq!(texts("@@ -\nx", false), ["1:@@ -", "2:x"]);
    }

    #[test]
    fn a_block_brings_what_replaces() {
        let text = "<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE\n";
        assert_eq!(texts(text, true), ["4:new"]);
    }

    #[test]
    fn the_files_of_a_diff_are_those_of_its_headers() {
        let text = "diff --git a/x b/y\nrename from x\nrename to y\n--- a/x\n+++ b/y\n\
            @@ -1 +1 @@\n-1\n+2\n--- /dev/null\n+++ b/new\t2024\n@@ -0,0 +1 @@\n+3\n";
        let files = files_of_diff(text);
        let paths: Vec<String> = files.iter().map(|file| file.paths.join(" ")).collect();
        assert_eq!(paths, ["x y", "new"]);
        assert_eq!(files_of_diff("no diff\n-- x\n"), []);
    }

    #[test]
    fn base_64_is_decoded() {
        for (coded, text) in [
            ("Rk9SQklEREVOCg==", "FORBIDDEN\n"),
            ("Rk9S\nQg", "FORB"),
            ("data:text/plain;base64,eA==", "x"),
        ] {
            assert_eq!(from_base64(coded).as_deref(), Some(text));
        }
        assert_eq!(from_base64("not it!"), None);
    }
}
