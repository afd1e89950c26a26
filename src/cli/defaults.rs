//! Which project, which rules, which store: flag, environment, file, default.

use super::failure::Failure;
use super::sample;
use super::world::World;
use crate::engine::rules::{Form, Rulebook, RulesError, load};
use crate::store::files::{LARGEST, repository_root};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Where a project's rules file may be, from its root.
pub const RULES_FILES: [&str; 3] =
    ["solvi-rules.toml", ".config/solvi-rules.toml", ".claude/solvi-rules.toml"];

/// The variable that names the rules file when no flag does.
pub const RULES_VARIABLE: &str = "SOLVI_HOOK_RULES";

/// Where the records of hooks are kept, from the project's root.
pub const STORE: &str = ".solvi/traces/hooks.jsonl";

/// Returns the project's root for a hook: the flag; else the repository that the session's folder
/// is in; else `$CLAUDE_PROJECT_DIR`; else that folder itself.
#[must_use]
pub fn project(flag: Option<&Path>, session: Option<&str>, world: &World) -> PathBuf {
    if let Some(flag) = flag {
        return world.path(flag);
    }
    let folder = session.map_or_else(|| world.cwd.clone(), |folder| world.path(folder.as_ref()));
    repository_root(&folder)
        .or_else(|| world.env("CLAUDE_PROJECT_DIR").map(PathBuf::from).filter(|dir| dir.is_dir()))
        .unwrap_or(folder)
}

/// Where the rules come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RulesSource {
    /// A file: where it is, and how messages name it.
    File(PathBuf, String),
    /// The starter rules that are built in.
    BuiltIn,
}

impl RulesSource {
    /// Finds the rules of a project: the flag; else `$SOLVI_HOOK_RULES`; else the one of
    /// [`RULES_FILES`] that exists; else the built-in ones.
    pub fn find(flag: Option<&Path>, root: &Path, world: &World) -> Result<Self, Failure> {
        let named = flag.map(Path::to_owned);
        let named = named.or_else(|| world.env(RULES_VARIABLE).map(PathBuf::from));
        if let Some(named) = named {
            return Ok(Self::File(root.join(&named), named.display().to_string()));
        }
        let there: Vec<&str> =
            RULES_FILES.into_iter().filter(|name| root.join(name).exists()).collect();
        match there[..] {
            [] => Ok(Self::BuiltIn),
            [name] => Ok(Self::File(root.join(name), name.to_owned())),
            [one, other, ..] => Err(Failure::new("the project has two rules files")
                .because(format!("`{one}` and `{other}`"))
                .next("keep one of them, or name the one that counts with `--rules`")),
        }
    }

    /// Returns how messages name these rules.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::File(_, name) => name,
            Self::BuiltIn => "built-in rules",
        }
    }

    /// Reads the rules.
    pub fn load(&self) -> Result<Rulebook, RulesError> {
        match self {
            Self::BuiltIn => load(sample::TEXT, Form::Toml, self.name()),
            Self::File(path, name) => load(&read(path, name)?, Form::of_name(name), name),
        }
    }
}

fn read(path: &Path, name: &str) -> Result<String, RulesError> {
    let wrong = |problem: String, fix: Option<&str>| RulesError {
        file: name.to_owned(),
        line: None,
        rule: None,
        problem,
        fix: fix.map(ToOwned::to_owned),
    };
    let mut bytes = Vec::new();
    match fs::metadata(path) {
        Ok(meta) if !meta.is_file() => return Err(wrong("this is no file".to_owned(), None)),
        _ => {}
    }
    fs::File::open(path)
        .and_then(|file| file.take(LARGEST + 1).read_to_end(&mut bytes))
        .map_err(|error| wrong(format!("the rules file cannot be read: {error}"), None))?;
    if bytes.len() as u64 > LARGEST {
        return Err(wrong(format!("the file is larger than {} MiB", LARGEST >> 20), None));
    }
    let text = String::from_utf8(bytes);
    let text = text.map_err(|_| wrong("the file is not UTF-8".to_owned(), None))?;
    if text.starts_with('\u{feff}') {
        let fix = Some("save the file as UTF-8 without it");
        return Err(wrong("the file begins with a byte order mark".to_owned(), fix));
    }
    Ok(text)
}
