//! The files outside a project that say which hooks an agent runs and whom it trusts, in every
//! place where the agent reads them.

/// A folder of a person's own, and what of it an agent asks before it changes.
#[derive(Clone, Copy, Debug)]
pub struct UserFolder {
    /// The variable that names the folder, if there is one.
    pub variable: Option<&'static str>,
    /// What is put behind the variable's folder.
    pub below_variable: &'static str,
    /// The folder without the variable, from the home directory.
    pub home: &'static str,
    /// Files in it; a `/` at the end takes all below.
    pub files: &'static [&'static str],
}

const fn folder(
    variable: Option<&'static str>,
    home: &'static str,
    files: &'static [&'static str],
) -> UserFolder {
    UserFolder { variable, below_variable: "", home, files }
}

/// The folders of a person. Each counts with and without its variable: which one the agent uses
/// is decided by the environment that it is started in.
pub const USER_FOLDERS: &[UserFolder] = &[
    folder(
        Some("CLAUDE_CONFIG_DIR"),
        ".claude",
        &[
            "settings.json",
            "settings.local.json",
            "remote-settings.json",
            ".claude.json",
            "plugins/",
        ],
    ),
    folder(None, "", &[".claude.json", ".gitconfig"]),
    folder(
        Some("CODEX_HOME"),
        ".codex",
        &["hooks.json", "config.toml", "managed_config.toml", "requirements.toml"],
    ),
    folder(Some("COPILOT_HOME"), ".copilot", &["hooks/", "settings.json", "config.json"]),
    UserFolder {
        variable: Some("GEMINI_CLI_HOME"),
        below_variable: ".gemini",
        home: ".gemini",
        files: &["settings.json", "trustedFolders.json", "extensions/", "policies/", ".env"],
    },
    folder(None, ".cursor", &["hooks.json"]),
    folder(
        Some("PI_CODING_AGENT_DIR"),
        ".pi/agent",
        &[
            "extensions/",
            "settings.json",
            "trust.json",
            "npm/",
            "git/",
            "packages/",
            "solvi-hook.choices.json",
        ],
    ),
    UserFolder {
        variable: Some("XDG_CONFIG_HOME"),
        below_variable: "git",
        home: ".config/git",
        files: &["config"],
    },
];

/// The variables that name one such file.
pub const FILE_VARIABLES: &[&str] = &[
    "CLAUDE_CODE_MANAGED_SETTINGS_PATH",
    "GEMINI_CLI_SYSTEM_DEFAULTS_PATH",
    "GEMINI_CLI_SYSTEM_SETTINGS_PATH",
    "GEMINI_CLI_TRUSTED_FOLDERS_PATH",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
];

/// Settings of the whole machine, in lower case; a `/` at the end takes all below.
pub const MACHINE: &[&str] = &[
    "/etc/claude-code/",
    "/etc/codex/",
    "/etc/cursor/",
    "/etc/gemini-cli/",
    "/etc/github-copilot/",
    "/etc/gitconfig",
    "/library/application support/claudecode/",
    "/library/application support/cursor/",
    "/library/application support/geminicli/",
    "c:/program files/claudecode/",
    "c:/programdata/claudecode/",
    "c:/programdata/cursor/",
    "c:/programdata/gemini-cli/",
];
