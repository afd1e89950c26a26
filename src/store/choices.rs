//! Which judges has a person switched off for an agent?
//!
//! One small JSON file in the agent's own folder of the person, never in a project: a project
//! must not switch off what guards it. A file that is anything but what we write is an error and
//! never a choice: to leave out a judge that may be on is as wrong as to run one that may be off.
//! Names that this version does not know are kept.

use super::owned_dir::{OwnedDir, OwnedError};
use serde::de::{Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt;
use std::fs::{File, TryLockError};
use std::io;
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
        let folder = OwnedDir::open(self.folder()).map_err(Self::refused)?;
        self.read_in(folder.as_ref())
    }

    fn read_in(&self, folder: Option<&OwnedDir>) -> Result<Choices, ChoicesError> {
        // It says what is left out, so it must be the person's own.
        let own = |folder: &OwnedDir| folder.own_up_to(OsStr::new(FILE), LARGEST + 1);
        let bytes = folder.map(own).transpose().map_err(Self::refused)?;
        let Some(bytes) = bytes.flatten() else { return Ok(Choices::default()) };
        if bytes.len() as u64 > LARGEST {
            return Err(self.malformed(format!("it is larger than {} KiB", LARGEST >> 10)));
        }
        let form: Form = serde_json::from_slice(&bytes).map_err(|error| {
            self.malformed(format!("line {} is not what solvi-hook writes", error.line()))
        })?;
        if form.r#type != KIND || form.version != VERSION {
            return Err(self.malformed("it is of another kind or version"));
        }
        Ok(Choices(form.hooks))
    }

    /// Keeps a choice beside the others, and returns all of them.
    pub fn choose(&self, judge: &str, choice: Choice) -> Result<Choices, ChoicesError> {
        let (folder, _lock) = self.lock()?;
        let mut choices = self.read_in(Some(&folder))?;
        choices.0.insert(judge.to_owned(), choice);
        self.write(&folder, &choices)?;
        Ok(choices)
    }

    /// Forgets every choice, readable or not.
    pub fn reset(&self) -> Result<(), ChoicesError> {
        let (folder, _lock) = self.lock()?;
        folder.remove(OsStr::new(FILE)).map_err(Self::refused)
    }

    fn write(&self, folder: &OwnedDir, choices: &Choices) -> Result<(), ChoicesError> {
        let form = Form { r#type: KIND.to_owned(), version: VERSION, hooks: choices.0.clone() };
        let text =
            serde_json::to_string_pretty(&form).map_err(|error| self.unwritable(error.into()))?;
        let aside = format!("{FILE}.new");
        let replaced = folder.replace(OsStr::new(&aside), OsStr::new(FILE), &format!("{text}\n"));
        replaced.map_err(Self::refused)
    }

    /// Opens the folder, and holds the lock until the file that is returned is dropped.
    fn lock(&self) -> Result<(OwnedDir, File), ChoicesError> {
        let name = Path::new(FILE).with_extension("lock");
        let open = || {
            let folder = OwnedDir::open_or_make(self.folder())?;
            let file = folder.append(name.as_os_str())?;
            Ok((folder, file))
        };
        let (folder, file) = open().map_err(Self::refused)?;
        for _ in 0..TRIES {
            match file.try_lock() {
                Ok(()) => return Ok((folder, file)),
                Err(TryLockError::WouldBlock) => thread::sleep(RETRY),
                Err(TryLockError::Error(error)) => return Err(self.unwritable(error)),
            }
        }
        Err(self.unwritable(io::Error::other("another process holds its lock")))
    }

    fn folder(&self) -> &Path {
        self.file.parent().unwrap_or(Path::new("."))
    }

    fn refused(error: OwnedError) -> ChoicesError {
        match error {
            OwnedError::Untrusted { path, wanted, found } => ChoicesError::Malformed {
                file: path,
                problem: format!("it must be {wanted}, and is {found}"),
            },
            OwnedError::Io {
                act: "open" | "read" | "look at" | "open the folder",
                path,
                source,
            } => ChoicesError::Unreadable { file: path, source },
            OwnedError::Io { path, source, .. } => ChoicesError::Unwritable { file: path, source },
        }
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
    use std::fs;

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
