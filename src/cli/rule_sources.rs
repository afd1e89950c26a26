//! Where the rules of an event come from, and how they are read: one loader for hooks and checks.
//!
//! Only a clean "not found" means that a file is not there. A place that cannot be looked at is
//! an error, because rules may be in it; so is a link that leads nowhere.

use super::failure::Failure;
use super::world::World;
use crate::engine::rules::{BUILT_IN, BUILT_IN_NAME, Form, Rulebook, RulesError, built_in, load};
use crate::git::{self, GitError, Repo, State};
use crate::store::files::{LARGEST, repository_root};
use std::borrow::Cow;
use std::fs;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

/// Where a project's rules file may be, from its root.
pub const RULES_FILES: [&str; 3] =
    ["solvi-rules.toml", ".config/solvi-rules.toml", ".claude/solvi-rules.toml"];

/// The last part of each of [`RULES_FILES`].
const RULES_NAME: &str = "solvi-rules.toml";

/// The variable that names the rules file when no flag does.
pub const RULES_VARIABLE: &str = "SOLVI_HOOK_RULES";

/// How the index is named.
const INDEX: &str = "index";

/// Where rules come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuleSource {
    /// One of [`RULES_FILES`] in the working tree.
    WorkingTree(RulesFile),
    /// A file that was named.
    File(RulesFile),
    /// What is staged of a rules file.
    Index(StoredRules),
    /// What a revision has of a rules file; first how it is named.
    Revision(String, StoredRules),
    /// The rules in the program.
    BuiltIn,
}

/// A rules file on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RulesFile {
    /// Where it is.
    pub path: PathBuf,
    /// How messages name it.
    pub name: String,
    /// What it leads to, when it is a symbolic link.
    pub target: Option<String>,
}

/// A rules file in the repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredRules {
    /// Its path from the repository's root.
    pub name: String,
    /// Where it really is, when it is a symbolic link.
    pub target: Option<String>,
    bytes: Vec<u8>,
}

impl RulesFile {
    /// Makes the file that a person named.
    #[must_use]
    pub fn named(path: PathBuf, name: String) -> Self {
        let target = target(&path);
        Self { path, name, target }
    }
}

impl RuleSource {
    /// Finds the rules of a project: the flag; else `$SOLVI_HOOK_RULES`; else the one of
    /// [`RULES_FILES`] that is there; else what the index holds of one that git tracks and that
    /// is not in the working tree; else the built-in ones.
    pub fn find(flag: Option<&Path>, root: &Path, world: &World) -> Result<Self, Failure> {
        let named = flag.map(Path::to_owned);
        let named = named.or_else(|| world.env(RULES_VARIABLE).map(PathBuf::from));
        if let Some(named) = named {
            let name = named.display().to_string();
            return Ok(Self::File(RulesFile::named(root.join(&named), name)));
        }
        Self::find_in(root)
    }

    /// Finds the rules that a project brings, whatever is named for another.
    pub fn find_in(root: &Path) -> Result<Self, Failure> {
        match Self::on_disk(root)? {
            Some(found) => Ok(found),
            None => Ok(Self::tracked(root)?.unwrap_or(Self::BuiltIn)),
        }
    }

    /// Finds the one of [`RULES_FILES`] that is in a folder.
    fn on_disk(root: &Path) -> Result<Option<Self>, Failure> {
        let mut found = Vec::new();
        for name in RULES_FILES {
            if is_there(root, name).map_err(|error| not_looked_at(name, error))? {
                found.push(name);
            }
        }
        match found[..] {
            [] => Ok(None),
            [name] => {
                let file = RulesFile::named(root.join(name), name.to_owned());
                Ok(Some(Self::WorkingTree(file)))
            }
            [one, other, ..] => Err(two(&format!("`{one}` and `{other}`"), "the project has")),
        }
    }

    /// Finds what the index holds of a rules file. The repository is opened only where the index
    /// may name one.
    fn tracked(root: &Path) -> Result<Option<Self>, Failure> {
        // The project may be a folder of a repository.
        let top = repository_root(root).unwrap_or_else(|| root.to_owned());
        match git::index_may_name(&top, RULES_NAME) {
            Ok(false) => return Ok(None),
            Ok(true) => {}
            Err(error) => return Err(not_looked_at("the index of git", error)),
        }
        let repo = match Repo::open_around(&top) {
            Ok(repo) => repo,
            // git sees no repository where there is a folder with an index in it.
            Err(GitError::NoRepository { .. }) => return Ok(None),
            Err(error) => return Err(not_looked_at("the index of git", error)),
        };
        let folder = root.strip_prefix(&top).unwrap_or(Path::new(""));
        let name = |name: &str| {
            let path = folder.join(name).to_string_lossy().into_owned();
            path.replace(std::path::MAIN_SEPARATOR, "/")
        };
        Ok(Self::staged(&repo, &RULES_FILES.map(name))?)
    }

    /// Finds what is staged of a rules file that has one of these names.
    pub fn staged(repo: &Repo, names: &[String]) -> Result<Option<Self>, Unusable> {
        let found = stored(repo, State::Index, names, INDEX)?;
        Ok(found.map(Self::Index))
    }

    /// Finds what a commit has of a rules file that has one of these names; `revision` is how the
    /// commit is named.
    pub fn at(
        repo: &Repo,
        commit: git::Id,
        revision: &str,
        names: &[String],
    ) -> Result<Option<Self>, Unusable> {
        let found = stored(repo, State::Commit(commit), names, revision)?;
        Ok(found.map(|stored| Self::Revision(revision.to_owned(), stored)))
    }

    /// Returns how messages name these rules: a file, and `@` with the revision or the index that
    /// has it.
    #[must_use]
    pub fn name(&self) -> Cow<'_, str> {
        match self {
            Self::WorkingTree(file) | Self::File(file) => Cow::Borrowed(&file.name),
            Self::Index(stored) => Cow::Owned(format!("{}@{INDEX}", stored.name)),
            Self::Revision(revision, stored) => Cow::Owned(format!("{}@{revision}", stored.name)),
            Self::BuiltIn => Cow::Borrowed(BUILT_IN_NAME),
        }
    }

    /// Returns the name, and what it leads to when it is a symbolic link.
    #[must_use]
    pub fn name_and_target(&self) -> String {
        match self.target() {
            Some(target) => format!("{} -> {target}", self.name()),
            None => self.name().into_owned(),
        }
    }

    /// Returns what the file leads to, when it is a symbolic link.
    #[must_use]
    pub fn target(&self) -> Option<&str> {
        match self {
            Self::WorkingTree(file) | Self::File(file) => file.target.as_deref(),
            Self::Index(stored) | Self::Revision(_, stored) => stored.target.as_deref(),
            Self::BuiltIn => None,
        }
    }

    /// Returns where the file is on disk, when it is there.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::WorkingTree(file) | Self::File(file) => Some(&file.path),
            Self::Index(_) | Self::Revision(..) | Self::BuiltIn => None,
        }
    }

    /// Returns the file's path from the repository's root, when it is one of the repository's.
    #[must_use]
    pub fn file(&self) -> Option<&str> {
        match self {
            Self::WorkingTree(file) => Some(&file.name),
            Self::Index(stored) | Self::Revision(_, stored) => Some(&stored.name),
            Self::File(_) | Self::BuiltIn => None,
        }
    }

    /// Makes the rules file that a patch leaves, of its text after the patch.
    #[must_use]
    pub fn patched(name: String, text: String) -> Self {
        let stored = StoredRules { name, target: None, bytes: text.into_bytes() };
        Self::Revision("patch".to_owned(), stored)
    }

    fn stored(&self) -> Option<&StoredRules> {
        match self {
            Self::Index(stored) | Self::Revision(_, stored) => Some(stored),
            Self::WorkingTree(_) | Self::File(_) | Self::BuiltIn => None,
        }
    }

    /// Tells whether two sources hold the same rules for certain, because they hold the same file.
    /// Carriage returns before line ends do not count: git may add and remove them.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        match (self.stored(), other.stored()) {
            (Some(one), Some(other)) => {
                one.name == other.name
                    && without_returns(&one.bytes) == without_returns(&other.bytes)
            }
            (Some(stored), None) => {
                other.file() == Some(&stored.name) && other.holds(&stored.bytes)
            }
            (None, Some(stored)) => self.file() == Some(&stored.name) && self.holds(&stored.bytes),
            (None, None) => self == other,
        }
    }

    /// Tells whether the file on disk holds these bytes.
    fn holds(&self, bytes: &[u8]) -> bool {
        let there = self.path().and_then(|path| read(path, "").ok());
        there.is_some_and(|there| without_returns(&there) == without_returns(bytes))
    }

    /// Tells whether a file on disk holds the same as this one of the repository.
    #[must_use]
    pub fn is_on_disk(&self, path: &Path) -> bool {
        let file = RulesFile::named(path.to_owned(), String::new());
        self.stored().is_some_and(|stored| Self::File(file).holds(&stored.bytes))
    }

    /// Reads the rules.
    pub fn load(&self) -> Result<Rulebook, RulesError> {
        if *self == Self::BuiltIn {
            return built_in();
        }
        let (text, form) = self.text()?;
        load(&text, form, &self.name())
    }

    /// Reads the text of the rules, and how it is written.
    pub fn text(&self) -> Result<(Cow<'static, str>, Form), RulesError> {
        let name = self.name();
        match self {
            Self::BuiltIn => Ok((Cow::Borrowed(BUILT_IN), Form::Toml)),
            Self::WorkingTree(file) | Self::File(file) => {
                let text = text(read(&file.path, &name)?, &name)?;
                Ok((Cow::Owned(text), Form::of_name(&file.name)))
            }
            Self::Index(stored) | Self::Revision(_, stored) => {
                let text = text(stored.bytes.clone(), &name)?;
                Ok((Cow::Owned(text), Form::of_name(&stored.name)))
            }
        }
    }
}

/// Returns a path of the command line, which is meant from where the person stands, as it is from
/// the project's root; whole when it is outside.
#[must_use]
pub fn from_root(named: &Path, root: &Path, world: &World) -> PathBuf {
    let path = world.path(named);
    let folder = path.parent().and_then(|folder| fs::canonicalize(folder).ok());
    let real = folder.zip(path.file_name()).map(|(folder, name)| folder.join(name));
    let inside = |path: &Path, root: &Path| path.strip_prefix(root).map(Path::to_owned).ok();
    let real = real.and_then(|path| inside(&path, &fs::canonicalize(root).ok()?));
    real.or_else(|| inside(&path, root)).unwrap_or(path)
}

/// Tells whether a rules file is there, also when it is a link that leads nowhere.
fn is_there(root: &Path, name: &str) -> io::Result<bool> {
    let path = root.join(name);
    let Err(error) = fs::symlink_metadata(&path) else { return Ok(true) };
    let folder = path.parent().filter(|folder| *folder != root);
    match (error.kind(), folder) {
        // The folder may be a link that leads nowhere.
        (ErrorKind::NotFound, Some(folder)) => {
            let link = fs::symlink_metadata(folder).is_ok_and(|meta| meta.is_symlink());
            if !link {
                return Ok(false);
            }
            let nowhere = "its folder is a symbolic link that leads nowhere";
            fs::metadata(folder)
                .map(|_| false)
                .map_err(|error| io::Error::new(error.kind(), nowhere))
        }
        (ErrorKind::NotFound, None) => Ok(false),
        // `.config` may be a file of a project's own, with nothing below it.
        (ErrorKind::NotADirectory, Some(folder)) => fs::metadata(folder).map(|_| false),
        _ => Err(error),
    }
}

fn not_looked_at(name: &str, error: impl std::fmt::Display) -> Failure {
    Failure::new("the rules cannot be looked for")
        .because(format!("`{name}` cannot be looked at: {error}"))
        .next("make it readable, or name the rules file with `--rules`")
}

fn two(names: &str, who: &str) -> Failure {
    Failure::new(format!("{who} two rules files"))
        .because(names)
        .next("keep one of them, or name the one that counts with `--rules`")
}

/// Why the rules of a revision or of the index cannot be used.
pub enum Unusable {
    /// What is there is no rules file that could be.
    Rules(Failure),
    /// The repository cannot say what is there.
    Repository(Failure),
}

impl From<Unusable> for Failure {
    fn from(unusable: Unusable) -> Self {
        match unusable {
            Unusable::Rules(failure) | Unusable::Repository(failure) => failure,
        }
    }
}

/// Finds the one file of a state that has one of these names; `at` is how the state is named.
fn stored(
    repo: &Repo,
    state: State,
    names: &[String],
    at: &str,
) -> Result<Option<StoredRules>, Unusable> {
    let mut found = Vec::new();
    for name in names {
        let file = repo.file_at(state, name).map_err(|error| {
            let mut failure = Failure::new("the rules cannot be read");
            failure.causes.push(format!("{name}@{at}: {error}"));
            failure.causes.extend(error.cause());
            failure.next = error.next();
            match error {
                GitError::NoFile { .. } => Unusable::Rules(failure),
                _ => Unusable::Repository(failure),
            }
        })?;
        if let Some(file) = file {
            let target = (file.path != *name).then_some(file.path);
            found.push(StoredRules { name: name.clone(), target, bytes: file.bytes });
        }
    }
    match &found[..] {
        [] | [_] => Ok(found.pop()),
        [one, other, ..] => {
            let names = format!("`{}` and `{}`", one.name, other.name);
            let has = if at == INDEX { "the index has".to_owned() } else { format!("`{at}` has") };
            Err(Unusable::Rules(two(&names, &has)))
        }
    }
}

fn without_returns(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().copied().filter(|byte| *byte != b'\r').collect()
}

/// Returns what a symbolic link leads to, as it is written; `None` when the path is no link.
fn target(path: &Path) -> Option<String> {
    let meta = fs::symlink_metadata(path).ok()?;
    let is_link = meta.is_symlink();
    is_link.then(|| fs::read_link(path).ok().map(|target| target.display().to_string()))?
}

fn wrong(name: &str, problem: impl Into<String>, fix: Option<&str>) -> RulesError {
    RulesError {
        file: name.to_owned(),
        problem: problem.into(),
        fix: fix.map(ToOwned::to_owned),
        ..RulesError::default()
    }
}

fn read(path: &Path, name: &str) -> Result<Vec<u8>, RulesError> {
    let mut bytes = Vec::new();
    match fs::metadata(path) {
        Ok(meta) if !meta.is_file() => return Err(wrong(name, "not a regular file", None)),
        _ => {}
    }
    fs::File::open(path)
        .and_then(|file| file.take(LARGEST + 1).read_to_end(&mut bytes))
        .map_err(|error| wrong(name, format!("the rules file cannot be read: {error}"), None))?;
    Ok(bytes)
}

fn text(bytes: Vec<u8>, name: &str) -> Result<String, RulesError> {
    if bytes.len() as u64 > LARGEST {
        let problem = format!("the file is larger than {} MiB", LARGEST >> 20);
        return Err(wrong(name, problem, None));
    }
    let text = String::from_utf8(bytes);
    let text = text.map_err(|_| wrong(name, "the file is not UTF-8", None))?;
    if text.starts_with('\u{feff}') {
        let fix = Some("save the file as UTF-8 without it");
        return Err(wrong(name, "the file begins with a byte order mark", fix));
    }
    Ok(text)
}
