//! Which judges has a person switched off for an agent?
//!
//! One small JSON file in the agent's own folder of the person, never in a project: a project
//! must not switch off what guards it. A file that is anything but what we write is an error and
//! never a choice: to leave out a judge that may be on is as wrong as to run one that may be off.
//! Names that this version does not know are kept.

use super::private;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

/// The file's name, in the agent's folder.
pub const FILE: &str = "solvi-hook.choices.json";

/// The largest file that is read, in bytes.
const LARGEST: u64 = 64 << 10;

const KIND: &str = "SOLVI_HOOK_CHOICES";
const VERSION: u64 = 1;

/// How often a lock that another process holds is tried, and how long is waited in between.
const TRIES: u32 = 40;
const RETRY: Duration = Duration::from_millis(25);

/// Choices that cannot be read or kept; the file is as it was.
#[derive(Debug, thiserror::Error)]
pub enum ChoicesError {
    /// It is not what we write.
    #[error("{}: {problem}", file.display())]
    Malformed {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// It cannot be read.
    #[error("{}: cannot be read: {source}", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It cannot be written.
    #[error("{}: cannot be written: {source}", file.display())]
    Unwritable {
        /// The file.
        file: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// A choice about one judge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Choice {
    /// It judges.
    Enabled,
    /// It does not.
    Disabled,
}

/// The choices of a person.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choices(BTreeMap<String, Choice>);

impl Choices {
    /// Returns the choice about a judge; none when the person has made none.
    #[must_use]
    pub fn of(&self, judge: &str) -> Option<Choice> {
        self.0.get(judge).copied()
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Form {
    r#type: String,
    #[serde(rename = "schemaVersion")]
    version: u64,
    #[serde(deserialize_with = "each_once")]
    hooks: BTreeMap<String, Choice>,
}

/// Reads a map and takes a name that stands twice for an error.
fn each_once<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, Choice>, D::Error> {
    struct Names;
    impl<'de> Visitor<'de> for Names {
        type Value = BTreeMap<String, Choice>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object of choices")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut names = BTreeMap::new();
            while let Some((name, choice)) = map.next_entry::<String, Choice>()? {
                if names.insert(name.clone(), choice).is_some() {
                    let twice = format!("`{name}` stands twice");
                    return Err(serde::de::Error::custom(twice));
                }
            }
            Ok(names)
        }
    }
    deserializer.deserialize_map(Names)
}

/// Where the choices for one agent are kept.
#[derive(Clone, Debug)]
pub struct ChoiceStore {
    file: PathBuf,
}

impl ChoiceStore {
    /// Names the store in the agent's folder of the person.
    #[must_use]
    pub fn in_folder(folder: &Path) -> Self {
        Self { file: folder.join(FILE) }
    }

    /// Returns the file.
    #[must_use]
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Reads the choices; without a file there are none.
    pub fn read(&self) -> Result<Choices, ChoicesError> {
        let unreadable = |source| ChoicesError::Unreadable { file: self.file.clone(), source };
        let meta = match fs::symlink_metadata(&self.file) {
            Ok(meta) => meta,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Choices::default()),
            Err(error) => return Err(unreadable(error)),
        };
        if !meta.is_file() {
            return Err(self.malformed("it is no regular file"));
        }
        let mut bytes = Vec::new();
        let file = File::open(&self.file).map_err(unreadable)?;
        file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(unreadable)?;
        if bytes.len() as u64 > LARGEST {
            return Err(self.malformed(format!("it is larger than {} KiB", LARGEST >> 10)));
        }
        let form: Form = serde_json::from_slice(&bytes).map_err(|error| {
            self.malformed(format!("it is not what solvi-hook writes: {error}"))
        })?;
        if form.r#type != KIND || form.version != VERSION {
            return Err(self.malformed("it is of another kind or version"));
        }
        Ok(Choices(form.hooks))
    }

    /// Keeps a choice beside the others, and returns all of them.
    pub fn choose(&self, judge: &str, choice: Choice) -> Result<Choices, ChoicesError> {
        let _lock = self.lock()?;
        let mut choices = self.read()?;
        choices.0.insert(judge.to_owned(), choice);
        self.write(&choices)?;
        Ok(choices)
    }

    /// Forgets every choice, readable or not.
    pub fn reset(&self) -> Result<(), ChoicesError> {
        let _lock = self.lock()?;
        match fs::remove_file(&self.file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(self.unwritable(error)),
            _ => Ok(()),
        }
    }

    fn write(&self, choices: &Choices) -> Result<(), ChoicesError> {
        let form = Form { r#type: KIND.to_owned(), version: VERSION, hooks: choices.0.clone() };
        let text =
            serde_json::to_string_pretty(&form).map_err(|error| self.unwritable(error.into()))?;
        let put = || {
            // A temporary file is its owner's alone from the start.
            let mut file = tempfile::NamedTempFile::new_in(self.folder())?;
            file.write_all(format!("{text}\n").as_bytes())?;
            file.as_file().sync_all()?;
            file.persist(&self.file).map(drop).map_err(|error| error.error)
        };
        put().map_err(|error| self.unwritable(error))
    }

    /// Holds the lock until the file that is returned is dropped.
    fn lock(&self) -> Result<File, ChoicesError> {
        let open = || {
            fs::create_dir_all(self.folder())?;
            let name = self.file.with_extension("lock");
            private::file().create(true).write(true).truncate(false).open(name)
        };
        let file = open().map_err(|error| self.unwritable(error))?;
        for _ in 0..TRIES {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::WouldBlock) => thread::sleep(RETRY),
                Err(TryLockError::Error(error)) => return Err(self.unwritable(error)),
            }
        }
        Err(self.unwritable(io::Error::other("another process holds its lock")))
    }

    fn folder(&self) -> &Path {
        self.file.parent().unwrap_or(Path::new("."))
    }

    fn malformed(&self, problem: impl Into<String>) -> ChoicesError {
        ChoicesError::Malformed { file: self.file.clone(), problem: problem.into() }
    }

    fn unwritable(&self, source: io::Error) -> ChoicesError {
        ChoicesError::Unwritable { file: self.file.clone(), source }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn store(folder: &tempfile::TempDir) -> ChoiceStore {
        ChoiceStore::in_folder(&folder.path().join("agent"))
    }

    #[test]
    fn a_choice_is_kept_beside_the_others() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(&folder);
        assert_eq!(store.read().unwrap(), Choices::default());
        store.choose("of-tomorrow", Choice::Enabled).unwrap();
        let choices = store.choose("edits", Choice::Disabled).unwrap();
        assert_eq!(choices, store.read().unwrap());
        assert_eq!(choices.of("edits"), Some(Choice::Disabled));
        assert_eq!(choices.of("of-tomorrow"), Some(Choice::Enabled));
        assert_eq!(choices.of("scope"), None);
        store.reset().unwrap();
        assert_eq!(store.read().unwrap(), Choices::default());
    }

    #[test]
    fn what_we_did_not_write_is_no_choice() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(&folder);
        let form = |hooks: &str| {
            format!(r#"{{"type": "SOLVI_HOOK_CHOICES", "schemaVersion": 1, "hooks": {hooks}}}"#)
        };
        store.choose("edits", Choice::Enabled).unwrap();
        for text in [
            String::new(),
            "{".to_owned(),
            "{}".to_owned(),
            form(r#"{"edits": "enabled"}"#),
            form(r#"{"edits": "ENABLED", "edits": "DISABLED"}"#),
            form(r#"["edits"]"#),
            form("{}") + "x",
            form("{}").replace('1', "2"),
            form("{}").replace("CHOICES", "CHOICE"),
            form("{}").replacen('{', r#"{"more": 1, "#, 1),
            form("{}") + &" ".repeat(70_000),
        ] {
            fs::write(store.file(), &text).unwrap();
            assert!(store.read().is_err(), "{text}");
            assert!(store.choose("edits", Choice::Disabled).is_err(), "{text}");
            assert_eq!(fs::read_to_string(store.file()).unwrap(), text);
        }
        store.reset().unwrap();
        store.choose("edits", Choice::Disabled).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_no_choice_and_what_we_write_is_private() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let store = store(&folder);
        store.choose("edits", Choice::Disabled).unwrap();
        assert_eq!(fs::metadata(store.file()).unwrap().permissions().mode() & 0o777, 0o600);
        let elsewhere = folder.path().join("elsewhere");
        fs::rename(store.file(), &elsewhere).unwrap();
        std::os::unix::fs::symlink(&elsewhere, store.file()).unwrap();
        assert!(store.read().is_err());
    }
}
