//! The built-in checks: what may stand in the place of a rule's id in a finding.

/// Added text that speaks to whoever reviews the change.
pub const INSTRUCTIONS: &str = "instruction-text";
/// A change to the files that keep this guard in force.
pub const OWN_FILES: &str = "own-files";
/// What stands in the index beside an edit.
pub const GIT_INDEX: &str = "git-index";
/// A rules file that cannot be read.
pub const RULES_FILE: &str = "rules-file";
/// A change that loosens the rules that it is checked by.
pub const RULES_LOOSENED: &str = "rules-loosened";
/// Files of the trace that somebody else wrote.
pub const TRACE: &str = "trace";

/// All of them.
pub const BUILT_IN: [&str; 6] =
    [INSTRUCTIONS, OWN_FILES, GIT_INDEX, RULES_FILE, RULES_LOOSENED, TRACE];
