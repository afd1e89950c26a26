//! What the name of a tool says about it: whether it reads, deletes, moves or may write.

/// What a tool does, as far as its name says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// It changes no file: it reads, searches, or sends text to people.
    Reads,
    /// It runs a program; only fields that surely name a file count.
    Runs,
    /// It deletes files.
    Deletes,
    /// It moves or renames files.
    Moves,
    /// It copies files.
    Copies,
    /// It may write.
    Writes,
}

/// Words of a tool that reads.
const READ: &[&str] = &[
    "analyse",
    "analyze",
    "blame",
    "browse",
    "cat",
    "check",
    "click",
    "compare",
    "count",
    "definition",
    "describe",
    "detect",
    "diagnostics",
    "diff",
    "exists",
    "explain",
    "fetch",
    "find",
    "get",
    "glob",
    "goto",
    "grep",
    "head",
    "highlight",
    "history",
    "hover",
    "info",
    "inspect",
    "lint",
    "list",
    "load",
    "log",
    "lookup",
    "ls",
    "lsp",
    "navigate",
    "open",
    "outline",
    "overview",
    "parse",
    "peek",
    "preview",
    "query",
    "read",
    "references",
    "resolve",
    "rg",
    "scan",
    "search",
    "show",
    "stat",
    "stats",
    "status",
    "summarize",
    "symbols",
    "tail",
    "think",
    "thinking",
    "tree",
    "upload",
    "validate",
    "verify",
    "view",
    "watch",
];

/// Tools of the agents themselves that talk to a person, plan, remember or start another agent,
/// whose own edits are events of their own. A server's tool has the server's name before it.
const OWN: &[&str] = &[
    "Agent",
    "AskUserQuestion",
    "EnterPlanMode",
    "ExitPlanMode",
    "Skill",
    "SlashCommand",
    "Task",
    "TaskCreate",
    "TaskUpdate",
    "TodoWrite",
    "activate_skill",
    "ask_user",
    "codebase_investigator",
    "complete_task",
    "exit_plan_mode",
    "report_intent",
    "request_user_input",
    "save_memory",
    "send_input",
    "skill",
    "spawn_agent",
    "store_memory",
    "task",
    "update_plan",
    "update_todo",
    "write_todos",
];

/// Words of a tool that writes, whatever else it does.
const WRITE: &[&str] = &[
    "add",
    "append",
    "apply",
    "archive",
    "backup",
    "change",
    "checkout",
    "clear",
    "clone",
    "commit",
    "compress",
    "convert",
    "copy",
    "cp",
    "create",
    "decompress",
    "delete",
    "download",
    "drop",
    "duplicate",
    "edit",
    "erase",
    "export",
    "extract",
    "fix",
    "format",
    "generate",
    "import",
    "init",
    "insert",
    "install",
    "link",
    "make",
    "merge",
    "migrate",
    "mkdir",
    "modify",
    "move",
    "mv",
    "overwrite",
    "patch",
    "persist",
    "prepend",
    "purge",
    "put",
    "refactor",
    "reformat",
    "remove",
    "rename",
    "replace",
    "reset",
    "restore",
    "revert",
    "rewrite",
    "rm",
    "rollback",
    "rotate",
    "save",
    "scaffold",
    "set",
    "splice",
    "stash",
    "store",
    "swap",
    "symlink",
    "sync",
    "touch",
    "transform",
    "trash",
    "truncate",
    "undo",
    "unlink",
    "unzip",
    "update",
    "upgrade",
    "upsert",
    "write",
    "zip",
];

/// Words of a tool whose text goes to people and not into files.
const SAY: &[&str] = &[
    "chat",
    "comment",
    "comments",
    "discussion",
    "email",
    "entities",
    "mail",
    "message",
    "messages",
    "notification",
    "notifications",
    "notify",
    "observations",
    "relations",
    "reply",
    "review",
    "reviews",
    "slack",
    "tweet",
];

/// Words of a tool that runs programs.
const RUN: &[&str] = &[
    "bash",
    "build",
    "command",
    "commands",
    "eval",
    "evaluate",
    "exec",
    "execute",
    "powershell",
    "process",
    "run",
    "shell",
    "terminal",
    "test",
    "tests",
];

const DELETE: &[&str] = &[
    "del", "delete", "destroy", "discard", "erase", "purge", "remove", "rm", "rmdir", "trash",
    "unlink", "wipe",
];
const MOVE: &[&str] = &["move", "mv", "relocate", "rename"];
const COPY: &[&str] = &["copy", "cp", "duplicate"];

/// Words for files and folders.
const FILE: &[&str] = &[
    "dir",
    "directories",
    "directory",
    "document",
    "documents",
    "file",
    "files",
    "folder",
    "folders",
    "path",
    "paths",
];

/// Words that say nothing of what is deleted, moved or copied.
const FILLER: &[&str] = &[
    "all",
    "and",
    "at",
    "batch",
    "bulk",
    "by",
    "entries",
    "entry",
    "fast",
    "force",
    "fs",
    "item",
    "items",
    "local",
    "many",
    "multiple",
    "or",
    "project",
    "recursive",
    "resource",
    "resources",
    "safe",
    "safely",
    "single",
    "text",
    "the",
    "to",
    "tool",
    "tree",
    "workspace",
];

/// What git does without changing a file of the working tree.
const GIT_ONLY: &[&str] = &[
    "add", "blame", "branch", "branches", "commit", "commits", "describe", "diff", "fetch", "init",
    "log", "push", "remote", "remotes", "show", "stage", "status", "tag", "tags", "unstage",
];

impl Purpose {
    /// Reads a tool's own name.
    #[must_use]
    pub fn of(own_name: &str) -> Self {
        let words = words(own_name);
        let has = |table: &[&str]| words.iter().any(|word| table.contains(&word.as_str()));
        let plain = |verbs: &[&str]| {
            has(verbs)
                && words.iter().all(|word| {
                    let word = word.as_str();
                    [verbs, FILE, FILLER].iter().any(|table| table.contains(&word))
                })
        };
        let git = words.first().is_some_and(|word| word == "git");
        if git && words.iter().skip(1).all(|word| GIT_ONLY.contains(&word.as_str())) {
            return Self::Reads;
        }
        if has(SAY) && !has(FILE) || has(READ) && !has(WRITE) {
            Self::Reads
        } else if plain(DELETE) {
            Self::Deletes
        } else if plain(MOVE) || plain(&[MOVE, &["copy"]].concat()) && has(MOVE) {
            Self::Moves
        } else if plain(COPY) {
            Self::Copies
        } else if has(RUN) && !has(WRITE) {
            Self::Runs
        } else {
            Self::Writes
        }
    }
}

/// Tells whether a tool, as the agent names it, is one of the agent's own that edits nothing.
#[must_use]
pub fn is_own(tool: &str) -> bool {
    OWN.contains(&tool)
}

/// Tells whether a tool's own name says that it writes.
#[must_use]
pub fn writes(own_name: &str) -> bool {
    words(own_name).iter().any(|word| WRITE.contains(&word.as_str()))
}

/// Returns the tool's own name, without the server's, in the ways that agents join them:
/// `mcp__server__tool`, `server__tool`, `mcp_server_tool`, `MCP:tool`, `server/tool`.
#[must_use]
pub fn own_name(tool: &str) -> &str {
    let tool = tool.rsplit([':', '/', '.']).next().unwrap_or(tool);
    // A server's name may hold `_` as well; what is left of it stands before the tool's words.
    let served = tool.strip_prefix("mcp__").unwrap_or(tool);
    if let Some((_, own)) = served.split_once("__").filter(|(_, own)| !own.is_empty()) {
        return own;
    }
    match tool.strip_prefix("mcp_").and_then(|rest| rest.split_once('_')) {
        Some((_, own)) if !own.is_empty() => own,
        _ => tool,
    }
}

/// Splits a name into words, in lower case: `camelCase`, `snake_case`, `kebab-case`, `HTTPServer`.
#[must_use]
pub fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut before: Option<char> = None;
    let mut chars = name.chars().peekable();
    while let Some(char) = chars.next() {
        let word_char = char.is_alphabetic();
        let begins = match before {
            Some(before) if before.is_alphabetic() => {
                let lower_next = chars.peek().is_some_and(|next| next.is_lowercase());
                char.is_uppercase() && (before.is_lowercase() || lower_next)
            }
            _ => true,
        };
        if word_char {
            if begins {
                words.push(String::new());
            }
            if let Some(word) = words.last_mut() {
                word.extend(char.to_lowercase());
            }
        }
        before = Some(char);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_as_they_are_written() {
        for (name, split) in [
            ("get_file_info", "get file info"),
            ("getFileInfo", "get file info"),
            ("get-file-info", "get file info"),
            ("HTTPGetFile2", "http get file"),
            ("readFILE", "read file"),
            ("", ""),
        ] {
            assert_eq!(words(name).join(" "), split);
        }
    }

    #[test]
    fn the_own_name_is_what_the_server_calls_it() {
        for (tool, own) in [
            ("mcp__fs__write_file", "write_file"),
            ("fs__write_file", "write_file"),
            ("mcp__a__b__write_file", "b__write_file"),
            ("mcp_fs_write_file", "write_file"),
            ("MCP:write_file", "write_file"),
            ("fs/write_file", "write_file"),
            ("write_file", "write_file"),
            ("mcp_x", "mcp_x"),
            ("a__", "a__"),
        ] {
            assert_eq!(own_name(tool), own, "{tool}");
        }
    }

    #[test]
    fn a_name_says_what_its_tool_is_for() {
        use Purpose::{Copies, Deletes, Moves, Reads, Runs, Writes};
        for (name, purpose) in [
            ("read_file", Reads),
            ("listCommits", Reads),
            ("get_file_changes", Reads),
            ("git_add", Reads),
            ("git_diff_staged", Reads),
            ("add_comment_to_pending_review", Reads),
            ("find_and_replace", Writes),
            ("read_write", Writes),
            ("get_or_create", Writes),
            ("search_replace", Writes),
            ("git_checkout", Writes),
            ("comment_file", Writes),
            ("readwise", Writes),
            ("t", Writes),
            ("delete_file", Deletes),
            ("Delete", Deletes),
            ("rm", Deletes),
            ("delete_lines", Writes),
            ("safe_delete_symbol", Writes),
            ("move_file", Moves),
            ("renameFiles", Moves),
            ("rename_symbol", Writes),
            ("copy_or_move_file", Moves),
            ("fast_copy_file", Copies),
            ("run_command", Runs),
            ("execute_shell_command", Runs),
        ] {
            assert_eq!(Purpose::of(name), purpose, "{name}");
        }
    }
}
