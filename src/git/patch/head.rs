//! What does git say about a file before its first hunk?

use super::{Problem, names};

/// What the lines between `diff --git` and the first hunk say.
#[derive(Default)]
pub struct Head {
    /// What becomes of the file.
    pub fate: Fate,
    /// Where it was, when it is moved.
    pub moved_from: Option<String>,
    /// What it is a copy of.
    pub copied_from: Option<String>,
    /// Its name, when it is moved or a copy.
    pub to: Option<String>,
    /// Its mode before, when it changes.
    pub old_mode: Option<u32>,
    /// Its mode after, when it changes.
    pub new_mode: Option<u32>,
    /// Whether it is the commit of a submodule.
    pub submodule: bool,
    /// The object that the file was, by its abbreviated id.
    pub was: Option<String>,
    /// The object that the file becomes, by its abbreviated id.
    pub becomes: Option<String>,
}

/// What becomes of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fate {
    /// It was there and stays.
    #[default]
    Kept,
    /// It was not there.
    New,
    /// It is not there any more.
    Deleted,
}

impl Head {
    /// Takes in what becomes of the file; not two things.
    pub fn fate(&mut self, fate: Fate) -> Result<(), Problem> {
        if self.fate != Fate::Kept && self.fate != fate {
            let expected = "a new file or a deleted one".to_owned();
            return Err(Problem::Contradiction { expected });
        }
        self.fate = fate;
        Ok(())
    }

    /// Takes in a line; tells whether it belongs to the head.
    pub fn take(&mut self, line: &[u8]) -> Result<bool, Problem> {
        let after = |prefix: &str| line.strip_prefix(prefix.as_bytes());
        let path = |name: &[u8]| names::written(name).map(Some);
        if let Some(text) = after("new file mode ") {
            self.fate(Fate::New)?;
            self.submodule |= mode(text)? == SUBMODULE;
        } else if let Some(text) = after("deleted file mode ") {
            self.fate(Fate::Deleted)?;
            self.submodule |= mode(text)? == SUBMODULE;
        } else if let Some(text) = after("old mode ") {
            self.old_mode = Some(mode(text)?);
            self.submodule |= self.old_mode == Some(SUBMODULE);
        } else if let Some(text) = after("new mode ") {
            self.new_mode = Some(mode(text)?);
            self.submodule |= self.new_mode == Some(SUBMODULE);
        } else if let Some(name) = after("rename from ").or_else(|| after("rename old ")) {
            self.moved_from = path(name)?;
        } else if let Some(name) = after("copy from ") {
            self.copied_from = path(name)?;
        } else if let Some(name) =
            after("rename to ").or_else(|| after("rename new ")).or_else(|| after("copy to "))
        {
            self.to = path(name)?;
        } else if let Some(ids) = after("index ") {
            let ids = String::from_utf8_lossy(ids);
            let (ids, of_file) = ids.split_once(' ').unwrap_or((&ids, ""));
            self.submodule |= mode(of_file.as_bytes()).is_ok_and(|mode| mode == SUBMODULE);
            let (was, becomes) = ids.split_once("..").unzip();
            (self.was, self.becomes) = (was.map(str::to_owned), becomes.map(str::to_owned));
        } else {
            return Ok(after("similarity index ").or(after("dissimilarity index ")).is_some());
        }
        Ok(true)
    }

    /// Tells whether the head alone is all that there is to say.
    pub fn is_enough(&self) -> bool {
        if self.fate == Fate::New {
            // Every other new file has lines, unless the patch was cut off.
            let empty = |id: &String| EMPTY.iter().any(|full| full.starts_with(id.as_str()));
            return self.becomes.as_ref().is_none_or(empty);
        }
        let mode_changes = self.new_mode.is_some() && self.new_mode != self.old_mode;
        self.fate == Fate::Deleted || mode_changes || self.to.is_some()
    }
}

/// The mode under which git keeps the commit of a submodule.
const SUBMODULE: u32 = 0o160_000;

fn mode(text: &[u8]) -> Result<u32, Problem> {
    let text = std::str::from_utf8(text).unwrap_or_default().trim_end();
    let octal = text.bytes().all(|byte| matches!(byte, b'0'..=b'7'));
    let mode = u32::from_str_radix(text, 8).ok().filter(|_| octal);
    mode.ok_or(Problem::Mode)
}

/// The ids of an empty file, by SHA-1 and SHA-256.
const EMPTY: [&str; 2] = [
    "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
    "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
];
