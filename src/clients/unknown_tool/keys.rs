//! What a field of a tool's input holds, by its name.

use super::tool_name::words;

/// What a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// The path of a file.
    Path(Role),
    /// A path, if its value looks like one: `target`, `from`, `destination`.
    MaybePath(Role),
    /// A name within a folder that another field gives.
    Name(Role),
    /// A folder in which something is written.
    Folder,
    /// A folder that other paths start from: a project, a working folder.
    Base,
    /// New text.
    Text,
    /// A diff, in one form or another.
    Diff,
    /// Text that the edit looks for or takes away.
    Old,
    /// Words about the call: a reason, a commit message.
    Prose,
    /// Never a path, whatever its value looks like: a branch, a model, a repository.
    Label,
    /// Anything else.
    Other,
}

/// Which end of a move or copy a path is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// Neither, or not known.
    #[default]
    Any,
    /// Where the file is.
    Source,
    /// Where it goes.
    Destination,
}

const SOURCE: &[&str] = &["current", "from", "old", "orig", "origin", "original", "source", "src"];
const DESTINATION: &[&str] =
    &["dest", "destination", "dst", "into", "new", "out", "output", "target", "to"];

/// Words for a file.
const FILE: &[&str] = &[
    "doc",
    "document",
    "file",
    "filename",
    "filenames",
    "filepath",
    "filepaths",
    "files",
    "outfile",
    "notebook",
    "path",
    "pathname",
    "paths",
    "uri",
    "uris",
    "glob",
    "globs",
    "include",
    "includes",
];

/// Words beside `path` that make it a path of something else.
const OTHER_PATHS: &[&str] = &[
    "api",
    "attribute",
    "css",
    "data",
    "endpoint",
    "field",
    "import",
    "json",
    "key",
    "node",
    "object",
    "param",
    "parameters",
    "params",
    "prefix",
    "property",
    "route",
    "symbol",
    "url",
    "web",
    "xml",
];

/// Last words of a field that tells something about a file.
const ABOUT: &[&str] = &[
    "count",
    "encoding",
    "exclude",
    "ext",
    "extension",
    "extensions",
    "filter",
    "filters",
    "format",
    "hash",
    "id",
    "ids",
    "kind",
    "limit",
    "mask",
    "masks",
    "mode",
    "pattern",
    "patterns",
    "regex",
    "sha",
    "size",
    "type",
    "types",
];

const FOLDER: &[&str] =
    &["dir", "directory", "dirname", "folder", "parent", "subdir", "subdirectory"];
const BASE: &[&str] = &[
    "base",
    "cwd",
    "pwd",
    "project",
    "repo",
    "repository",
    "root",
    "workdir",
    "working",
    "workspace",
    "worktree",
];
const NAME: &[&str] = &["basename", "fname", "name"];
const MAYBE: &[&str] = &[
    "artifact",
    "asset",
    "at",
    "component",
    "config",
    "entry",
    "in",
    "item",
    "location",
    "module",
    "object",
    "page",
    "relative",
    "resource",
    "script",
    "template",
    "where",
];

const TEXT: &[&str] = &[
    "addition",
    "additions",
    "append",
    "body",
    "bytes",
    "code",
    "content",
    "contents",
    "data",
    "html",
    "insert",
    "insertion",
    "lines",
    "markdown",
    "md",
    "payload",
    "repl",
    "replace",
    "replacement",
    "replacements",
    "snippet",
    "str",
    "string",
    "text",
    "texts",
    "value",
    "values",
    "with",
];
const DIFF: &[&str] = &["diff", "diffs", "patch", "patches"];
const OLD: &[&str] = &[
    "anchor", "before", "existing", "expected", "find", "match", "needle", "old", "orig",
    "original", "pattern", "patterns", "previous", "query", "regex", "remove", "search",
];
const PROSE: &[&str] = &[
    "comment",
    "commitmessage",
    "description",
    "explanation",
    "instruction",
    "instructions",
    "intent",
    "justification",
    "message",
    "note",
    "prompt",
    "purpose",
    "rationale",
    "reason",
    "reasoning",
    "summary",
    "thought",
    "title",
];
const LABEL: &[&str] = &[
    "author",
    "branch",
    "channel",
    "class",
    "cmd",
    "command",
    "commit",
    "email",
    "encoding",
    "head",
    "host",
    "href",
    "id",
    "label",
    "labels",
    "language",
    "locale",
    "method",
    "mime",
    "mimetype",
    "mode",
    "model",
    "owner",
    "package",
    "ref",
    "region",
    "repo",
    "repository",
    "revision",
    "selector",
    "sha",
    "shell",
    "sql",
    "tag",
    "tags",
    "timezone",
    "token",
    "type",
    "url",
    "urls",
    "user",
    "username",
    "version",
    "xpath",
];

/// Fields of new text whose words would say something else.
const TEXT_NAMES: &[&str] = &[
    "cellsource",
    "codeedit",
    "filecontent",
    "filecontents",
    "filetext",
    "newcode",
    "newcontent",
    "newcontents",
    "newlines",
    "newsource",
    "newstr",
    "newstring",
    "newtext",
    "sourcecode",
    "textcontent",
    "updatedcontent",
];

impl Key {
    /// Reads a field's name.
    pub fn of(name: &str) -> Self {
        let words = words(name);
        let last = words.last().map_or("", String::as_str);
        let has = |table: &[&str]| words.iter().any(|word| table.contains(&word.as_str()));
        let all = |tables: &[&[&str]]| {
            words.iter().all(|word| tables.iter().any(|table| table.contains(&word.as_str())))
        };
        let ends = |table: &[&str]| table.contains(&last);
        let role = match (has(SOURCE), has(DESTINATION)) {
            (true, false) => Role::Source,
            (false, true) => Role::Destination,
            _ => Role::Any,
        };
        let plain = plain(name);
        if TEXT_NAMES.contains(&plain.as_str()) {
            return Self::Text;
        }
        if ends(ABOUT) {
            return if has(OLD) { Self::Old } else { Self::Label };
        }
        if ends(TEXT) || has(&["repl", "replace", "replacement"]) {
            return if has(OLD) { Self::Old } else { Self::Text };
        }
        if ends(DIFF) {
            return Self::Diff;
        }
        if is_path(&words) || compound(&plain) {
            let stated = has(&["file", "files", "filename", "in", "relative"]);
            return match () {
                () if has(BASE) && !stated => Self::Base,
                () if has(FOLDER) => Self::Folder,
                () => Self::Path(role),
            };
        }
        let base = has(BASE) && all(&[BASE, FOLDER]);
        match () {
            () if base && !matches!(last, "repo" | "repository") => Self::Base,
            () if ends(FOLDER) => Self::Folder,
            () if ends(NAME) && all(&[NAME, SOURCE, DESTINATION]) => Self::Name(role),
            () if ends(NAME) || ends(LABEL) => Self::Label,
            () if ends(PROSE) => Self::Prose,
            // `insert_after`: the line that is there already.
            () if words.len() > 1 && ends(&["after"]) => Self::Old,
            () if ends(SOURCE) || ends(DESTINATION) => Self::MaybePath(role),
            () if has(OLD) => Self::Old,
            () if ends(MAYBE) => Self::MaybePath(role),
            () => Self::Other,
        }
    }
}

/// Tells whether a field says where the outcome of a call is put.
pub fn is_output(name: &str) -> bool {
    let words = words(name);
    let has = |table: &[&str]| words.iter().any(|word| table.contains(&word.as_str()));
    let output = has(&["dest", "destination", "out", "output", "save"]);
    let saves = words
        .first()
        .is_some_and(|word| ["download", "export", "save", "write"].contains(&word.as_str()));
    let to = words.len() == 2 && has(&["as", "in", "into", "to"]);
    output && (is_path(&words) || has(FOLDER))
        || saves && to
        || words == ["destination"]
        || words == ["outfile"]
}

/// Tells whether the words name a file, and not a path of something else.
fn is_path(words: &[String]) -> bool {
    let has = |table: &[&str]| words.iter().any(|word| table.contains(&word.as_str()));
    let first = words.first().map_or("", String::as_str);
    has(FILE) && (!has(&["path", "paths"]) || !has(OTHER_PATHS) && first != "name")
}

fn plain(name: &str) -> String {
    let plain = name.chars().filter(char::is_ascii_alphanumeric);
    plain.map(|char| char.to_ascii_lowercase()).collect()
}

/// Tells whether a name written in one word ends as those of paths do: `targetfile`, `savepath`.
fn compound(plain: &str) -> bool {
    let ends = ["absolutepath", "path", "paths", "file", "files", "filename", "fileuri"];
    let others = ["api", "class", "import", "json", "key", "name", "pro", "url", "x"];
    ends.iter().any(|end| {
        let word = plain.strip_suffix(end);
        word.is_some_and(|word| !others.contains(&word) && !word.is_empty())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_known_by_its_name() {
        let any = Key::Path(Role::Any);
        let (source, destination) = (Key::Path(Role::Source), Key::Path(Role::Destination));
        for (names, key) in [
            (
                "path file_path filePath FilePath file-path filename pathInProject relative_path",
                any,
            ),
            (
                "relativePath relativeWorkspacePath uri fileUri document_uri notebook_path files",
                any,
            ),
            ("paths savepath absolutepath", any),
            ("oldPath old_path sourcePath source_file from_path", source),
            ("newPath destinationPath target_file TargetFile outputPath to_file", destination),
            ("source src from", Key::MaybePath(Role::Source)),
            ("destination dest dst to target output", Key::MaybePath(Role::Destination)),
            ("name basename", Key::Name(Role::Any)),
            ("newName new_name", Key::Name(Role::Destination)),
            ("directory dir folder parent folder_path dirPath", Key::Folder),
            ("cwd repo_path projectPath project_root workspace_root root", Key::Base),
            (
                "content text newText new_string file_text fileContent replacement code_edit",
                Key::Text,
            ),
        ] {
            for name in names.split(' ') {
                assert_eq!(Key::of(name), key, "{name}");
            }
        }
        for (names, key) in [
            ("old_string oldText old_str search pattern needle find", Key::Old),
            ("diff patch", Key::Diff),
            ("description explanation commit_message", Key::Prose),
            (
                "branch owner repo repository model url file_type mimeType encoding xpath branch_name",
                Key::Label,
            ),
            ("name_path json_path url_path x", Key::Other),
        ] {
            for name in names.split(' ') {
                assert_eq!(Key::of(name), key, "{name}");
            }
        }
    }
}
