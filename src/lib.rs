//! The map of the house.
//!
//! > An **event** comes in, **judges** leave **findings**, findings join to one **decision**; the
//! > decision leaves as a **reply** and stays as a **trace**.
//!
//! ```text
//!  payload ── clients ──┐                                              ┌─ clients ── reply
//!                ↑      ├→ Change ─→ judges ─→ [Finding] ─→ Decision ───┼─ report ─── text, SARIF …
//!  index, range ─ git ──┘              ↑            join = max          ├─ explain ── a person
//!  patch       Files (port)         Rulebook                            └─ store ──── trace
//! ```
//!
//! # Rooms
//!
//! A room may name `domain` and itself; only `cli` opens onto the others. The table is live: a
//! test reads it and holds every file of `src/` against it, outside crates and the outside world
//! (files, environment, processes, clock) included.
//!
//! | room | its question | crates beside std | outside world |
//! |---|---|---|---|
//! | `domain` | what do we talk about? | `encoding_rs`, `serde`, `similar` | none |
//! | `engine` | what do we think of it? | `fancy_regex`, `globset`, `jsonc_parser`, `memchr`, `regex`, `regex_syntax`, `strsim`, `thiserror`, `toml`, `tree_sitter`, `tree_sitter_python`, `unicode_normalization` | none |
//! | `clients` | how does each agent speak? | `serde`, `serde_json`, `thiserror`, `unicode_normalization` | none |
//! | `git` | what does the repository say? | `gix`, `tempfile`, `thiserror` | files, environment, process |
//! | `report` | how do people and CI read it? | `annotate_snippets`, `serde`, `serde_json`, `sha2` | none |
//! | `store` | what do we keep? | `directories`, `jsonc_parser`, `rusqlite`, `rustix`, `serde`, `serde_json`, `sha2`, `tempfile`, `thiserror`, `toml`, `unicode_normalization` | files, clock |
//! | `cli` | what did the person ask for? | `clap`, `clap_complete`, `serde_json`, `similar`, `shlex`, `stacker`, `tempfile`, `thiserror` | files, environment, process, clock |
//!
//! Inside a room data flows one way:
//!
//! * `clients`: [`clients::marks`] tells whose payload it is; [`clients::CLIENTS`] read what a tool
//!   call would change, with the file after the edit worked out as that client really writes it
//!   ([`clients::claude_edit`], [`clients::gemini_edit`], [`clients::pi_edit`]) or as a patch says
//!   ([`clients::patch`]; [`clients::paths`] resolves paths as each client does;
//!   [`clients::patch_grammar`] for patches as Codex and Copilot apply them),
//!   or, of a tool that is not known, with every path and text that it is given
//!   ([`clients::unknown_tool`]; [`clients::server_tools`] computes what well-known servers do),
//!   and write the replies; [`clients::contract`] says what each honours.
//! * `engine`: [`engine::rules`] loads the rules file, with what it takes over from the built-in
//!   rules, and knows which rules meet a path; [`engine::rules::review`] tells all that is wrong in
//!   a file at once;
//!   [`engine::checks`] are the kinds of check, one file each; [`engine::decide`] joins what the
//!   judges saw, and [`engine::redaction`] masks what a redacting rule finds in all that leaves.
//! * `git`: [`git::Repo`] compares two states by their objects and hands out light deltas; each
//!   becomes a change when it is read. [`git::patch`] reads a diff without a repository,
//!   [`git::pushed`] git's lines about a push, [`git::shims`] writes the hooks.
//! * `report`: [`report::Subject`] is what a check came to; [`report::FORMATS`] write it;
//!   [`report::notices`] shows mistakes of a rules file in their lines;
//!   [`report::statistics`] counts a store's decisions and writes that.
//! * `store`: [`store::files`] resolves and reads the files of a project, [`store::roots`] finds the
//!   repositories that hold them; [`store::record`] turns a
//!   decision into a record and [`store::traces`] appends it to the chain; [`store::reader`] reads it
//!   line by line, [`store::segments`] lists its files, [`store::rotate`] closes one and begins the
//!   next, [`store::database`] keeps the same in `SQLite`; [`store::stored`] says what a record
//!   means, [`store::verify`] whether it is what was written, and [`store::interrupted`] which half
//!   lines a stopped writer left; [`store::replay`] makes the change
//!   again that a record is about, and [`store::differ`] says what is decided otherwise today;
//!   [`store::erase`] takes the content out of a record; [`store::settings`] keeps our entries in
//!   an agent's settings, and [`store::origin`] knows which of these files we made; [`store::judged`] finds the decision about an edit that was made since.
//! * `cli`: one file a sub-command; `hook` takes any event to its judge: `pre_edit`, `post_write`,
//!   `stop`; `pen` writes the one answer, whatever happens: the work runs on the first thread, and a
//!   second one watches the deadline.
//!
//! # Files that we touch
//!
//! | file | what for |
//! |---|---|
//! | `solvi-rules.toml`, `.config/solvi-rules.toml` or `.claude/solvi-rules.toml` | the rules, read at every event; written once by `install` if there is none |
//! | `.solvi/.gitignore` | holds `*`, written before anything else there; all files below `.solvi` are opened by [`store::owned_dir`], which follows no link |
//! | `.solvi/traces/hooks.jsonl` and `.head` | the records, and how far the chain goes; `redact` writes `.rewrite` and renames it over the records |
//! | `hooks.NNNNNN.jsonl`, `hooks.jsonl.retired` and `.missing` beside it | what was rotated, what of it was deleted, and what was lost |
//! | `.claude/settings.json` and its relatives, `.codex/hooks.json` or `config.toml`, `.gemini/settings.json`, `.cursor/hooks.json`, in the project or the person's home | our entries are added and removed, every other byte kept; a file that we made goes again |
//! | `.github/hooks/solvi-hook.json`, `.pi/extensions/solvi-hook.ts` | the same for Copilot and Pi, in files of our own |
//! | `installed.json` in the person's folder for state | which entries `install` wrote on this machine; see [`store::installed`] |
//! | `solvi-hook.choices.json` in Pi's folder of the person | which judges that person switched off; see [`store::choices`] |
//! | `refs/notes/solvi-hook` | the end of the store, kept in git by `anchor --git-note` |
//! | `pre-commit`, `pre-merge-commit`, `pre-push`, `pre-receive` in git's hooks folder | our shims; somebody else's hook is at most moved to `NAME.d/original`, and back |
//!
//! # Several projects
//!
//! The rules of every repository that holds a file or the session's folder apply to the files below
//! it, and so do those of the folders that agents name in their variables (`cli/roots.rs`). An inner
//! repository never takes an outer one's rules away, and the store is the outermost one's: of those
//! with a rules file, where there is one, so that a repository around many projects does not take
//! their records. A repository in the person's home or above is the project only of files that are
//! in no other; its rules apply to all that it holds.
//!
//! # Protected files
//!
//! [`engine::own_files`] knows protected files by their paths; `cli/pre_edit/protected.rs` compares
//! each changed file with them by what is on disk ([`store::identity`]), in the places that
//! [`clients::settings_files`] lists. A protected folder that holds a working tree (a bare repository
//! with worktrees in it) does not protect that tree.
//!
//! # Where this differs from the first plan
//!
//! * A rules file is read into one tree with lines ([`engine::document`]), TOML and JSON alike, so
//!   that every error names its line.
//! * Judges return what they saw also when it was nothing: a record must list every step.
//! * The words for a finding are in `domain` ([`domain::wording`]), because replies, records and
//!   explanations say the same; so is [`domain::sanitize`].
//! * `check-staged`, `check-diff`, `pre-push` and `pre-receive` are one piece (`cli/check.rs`) with
//!   several ways to get at changes; the rules of the base evaluate and those of the change
//!   (`cli/check_rules.rs`), and `cli/rule_sources.rs` is the one loader of rules.
//! * At an agent's stop the working tree is judged as `check-diff` would: what a shell command wrote
//!   is told to the agent while it can still mend it.
//! * gix is asked for objects, trees and the index only: its diff and status let attributes and
//!   configuration decide what is looked at.
//! * A diff needs no clock: `similar` bounds its own work, so the answer is the same everywhere.

pub mod cli;
pub mod clients;
pub mod domain;
pub mod engine;
pub mod git;
pub mod report;
pub mod store;

pub use cli::install::install;
pub use cli::library::{changes_of, load_rules, reasons};
pub use cli::uninstall::uninstall;
pub use clients::payload::PayloadError;
pub use domain::{Change, Content, Decision, Line, Place, Verdict};
pub use engine::front_matter::front_matter;
pub use engine::glob::glob_regex;
pub use engine::rules::{Rule, RulesError};
pub use store::settings::SettingsError;
