//! The inputs of a tool, sorted: the paths, each with the texts of its object, and the rest.

use super::keys::{Key, Role};
use super::texts::{self, DiffFile};
use super::tool_name::Purpose;
use super::written_path::{Look, is_relative, readings};
use crate::clients::fields::PayloadError;
use crate::domain::Files;
use serde_json::{Map, Value};

/// How many texts are looked up on disk to learn whether they are paths.
const MOST_LOOKED_UP: usize = 5_000;

/// How deep JSON in a text is read, in a text in a text.
const DEEPEST: usize = 4;

/// A path as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The text.
    pub text: String,
    /// Which end of a move it is.
    pub role: Role,
    /// Whether the field's name says that it is a path.
    pub sure: bool,
    /// Whether it is a folder in which something happens: no text is written into it.
    pub folder: bool,
    /// Whether it means something below a folder only.
    pub joined_only: bool,
}

/// How a text belongs to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextKind {
    /// The field's name says that it is new text.
    Stated,
    /// Nothing is known of it.
    Unknown,
    /// Words about the call, or a label.
    Aside,
}

/// A text among the inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The text.
    pub text: String,
    /// How it belongs to the call.
    pub kind: TextKind,
    /// Whether it may be a diff.
    pub diff: bool,
    group: Option<usize>,
}

/// What stands together in one object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// The paths.
    pub paths: Vec<Written>,
    /// Names that a file is given in its folder.
    pub new_names: Vec<String>,
    bases: Vec<String>,
}

/// The inputs of one call.
pub struct Walk<'f> {
    /// The objects that have paths.
    pub groups: Vec<Group>,
    /// The files that diffs name.
    pub diffs: Vec<DiffFile>,
    pieces: Vec<Piece>,
    bases: Vec<String>,
    purpose: Purpose,
    files: &'f dyn Files,
    looked_up: usize,
    // Texts that are JSON, under fields of new text: read if no path is found elsewhere.
    put_off: Vec<Value>,
}

/// Where a value stands.
#[derive(Clone, Copy)]
struct At {
    key: Key,
    group: Option<usize>,
    depth: usize,
    coded: bool,
}

impl<'f> Walk<'f> {
    /// Sorts the inputs of a call.
    pub fn over(
        input: &Map<String, Value>,
        purpose: Purpose,
        files: &'f dyn Files,
    ) -> Result<Self, PayloadError> {
        let mut walk = Self {
            groups: Vec::new(),
            diffs: Vec::new(),
            pieces: Vec::new(),
            bases: Vec::new(),
            purpose,
            files,
            looked_up: 0,
            put_off: Vec::new(),
        };
        let at = At { key: Key::Other, group: None, depth: 0, coded: false };
        walk.object(input, at);
        if walk.groups.is_empty() && walk.diffs.is_empty() {
            for value in std::mem::take(&mut walk.put_off) {
                walk.value("", &value, At { depth: 1, ..at });
            }
        }
        if walk.looked_up > MOST_LOOKED_UP {
            let many = format!("more than {MOST_LOOKED_UP} texts that may be paths");
            return Err(PayloadError(format!("the call has {many}.")));
        }
        Ok(walk)
    }

    /// Returns the folders that a group's relative paths may start from.
    pub fn bases_of(&self, group: &Group) -> Vec<String> {
        let mut bases: Vec<String> = group.bases.iter().chain(&self.bases).cloned().collect();
        bases.sort_unstable();
        bases.dedup();
        bases
    }

    /// Returns the texts that may be written to a group's paths: its own or, where it has none,
    /// those of the whole call.
    pub fn pieces_for(&self, at: usize) -> Vec<&Piece> {
        let stated = |piece: &&Piece| piece.kind == TextKind::Stated;
        let own = || self.pieces.iter().filter(|piece| piece.group == Some(at));
        let mut pieces: Vec<&Piece> = if own().any(|piece| stated(&piece)) {
            let loose = self.pieces.iter().filter(|piece| piece.group.is_none());
            own().chain(loose.filter(stated)).collect()
        } else {
            self.pieces.iter().collect()
        };
        if pieces.iter().any(|piece| piece.kind != TextKind::Aside) {
            pieces.retain(|piece| piece.kind != TextKind::Aside);
        }
        pieces
    }

    fn object(&mut self, object: &Map<String, Value>, outer: At) {
        // Within text all is text, unless the object says which of its fields is.
        let states = object.keys().any(|key| matches!(Key::of(key), Key::Text | Key::Diff));
        let inherits = matches!(outer.key, Key::Text | Key::Diff | Key::Old) && !states;
        let is_coded =
            |value: &Value| value.as_str().is_some_and(|text| text.eq_ignore_ascii_case("base64"));
        let is_flag = |(name, value): (&String, &Value)| {
            *value == Value::Bool(true) && name.to_ascii_lowercase().contains("base64")
        };
        let coded = outer.coded || object.values().any(is_coded) || object.iter().any(is_flag);
        let mut group = Group::default();
        let mut rest: Vec<(&String, &Value, Key)> = Vec::new();
        for (name, value) in object {
            let own = Key::of(name);
            let key = match (own, outer.key) {
                // `path: {value: "a.py"}`
                (Key::Other | Key::Text | Key::Label, Key::Path(role)) if value.is_string() => {
                    Key::MaybePath(role)
                }
                (key, _) => key,
            };
            if !self.take_paths(key, value, outer, &mut group) {
                rest.push((name, value, own));
            }
        }
        // A name and its ending.
        let ending =
            ["ext", "extension", "suffix"].iter().find_map(|key| object.get(*key)?.as_str());
        if let Some(ending) = ending {
            let ending = ending.trim_start_matches('.');
            for written in &mut group.paths {
                if !written.text.ends_with(ending) {
                    written.text = format!("{}.{ending}", written.text);
                    written.joined_only = false;
                }
            }
        }
        // A folder with a name in it.
        let renames = self.purpose == Purpose::Moves;
        let named = |key: &String| match Key::of(key) {
            Key::Name(role) => !(renames && role == Role::Destination),
            _ => false,
        };
        if object.keys().any(named) {
            group
                .bases
                .extend(group.paths.iter().filter(|it| !it.joined_only).map(|it| it.text.clone()));
        }
        self.bases.append(&mut group.bases.clone());
        let at = if group.paths.is_empty() && group.new_names.is_empty() {
            outer.group
        } else {
            self.groups.push(group);
            Some(self.groups.len() - 1)
        };
        for (name, value, key) in rest {
            let key = if inherits && matches!(key, Key::Other | Key::Label | Key::Prose) {
                outer.key
            } else {
                key
            };
            // An object may have paths for its keys.
            let listed = matches!(outer.key, Key::Path(_)) && Look::of(name) != Look::None;
            let may_be_entry = key == Key::Other || name.contains('/');
            let is_entry = may_be_entry && (listed || self.is_found(name));
            let group = if is_entry { Some(self.group_of(name)) } else { at };
            let key = if is_entry { Key::Text } else { key };
            self.value(name, value, At { key, group, coded, ..outer });
        }
    }

    /// Takes the paths of a field; false if it holds none.
    fn take_paths(&mut self, key: Key, value: &Value, outer: At, group: &mut Group) -> bool {
        // The ends of a move may be objects with a path each.
        let inherited = match outer.key {
            Key::MaybePath(role) | Key::Path(role) => role,
            _ => Role::Any,
        };
        let with = |role: Role| if role == Role::Any { inherited } else { role };
        let texts: Vec<&str> = match value {
            Value::String(text) => vec![text],
            Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
            _ => return false,
        };
        if matches!(value, Value::Array(items) if items.len() != texts.len()) || texts.is_empty() {
            return false;
        }
        let one_line = |text: &&str| {
            let text = text.trim();
            !text.is_empty() && !text.contains('\n') && !text.starts_with(['{', '['])
        };
        let (role, kind) = match key {
            Key::Path(role) => (with(role), Kind::Sure),
            Key::Folder => (inherited, Kind::Folder),
            Key::Base => (inherited, Kind::Base),
            Key::MaybePath(role) => (with(role), Kind::Maybe),
            Key::Name(role) => (with(role), Kind::Name),
            Key::Other | Key::Prose | Key::Label => (inherited, Kind::Found),
            Key::Text | Key::Diff | Key::Old => return false,
        };
        if self.purpose == Purpose::Runs && !matches!(kind, Kind::Sure | Kind::Base) {
            return false;
        }
        let moves = matches!(self.purpose, Purpose::Moves | Purpose::Copies | Purpose::Deletes);
        // Of a list that holds a path among other texts, all may be text as well.
        let mut taken = true;
        for text in texts {
            if !one_line(&text) {
                taken = false;
                continue;
            }
            let written = |sure: bool| Written {
                text: text.to_owned(),
                role,
                sure,
                folder: kind == Kind::Folder && !moves,
                joined_only: false,
            };
            let look = Look::of(text);
            let is_path = match kind {
                Kind::Sure => look != Look::None || !readings(text).is_empty(),
                Kind::Folder | Kind::Base => true,
                Kind::Maybe => look != Look::None || moves || self.stands(text),
                Kind::Name => look != Look::None,
                Kind::Found => look != Look::None && self.is_found(text),
            };
            match kind {
                Kind::Base | Kind::Folder => group.bases.push(text.to_owned()),
                Kind::Name if role == Role::Destination && self.purpose == Purpose::Moves => {
                    group.new_names.push(text.to_owned());
                }
                Kind::Name => {
                    group.paths.push(Written { joined_only: !is_path, ..written(false) });
                }
                _ => {}
            }
            if is_path && !matches!(kind, Kind::Base | Kind::Name) {
                group.paths.push(written(matches!(kind, Kind::Sure | Kind::Folder)));
            }
            taken &= is_path || matches!(kind, Kind::Name | Kind::Base);
        }
        // The parts of one path.
        if let Value::Array(items) = value
            && kind == Kind::Sure
            && items.len() > 1
        {
            let parts: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
            let whole = parts.join("/");
            if self.is_found(&whole) {
                let (sure, folder, joined_only) = (false, false, false);
                group.paths.push(Written { text: whole, role, sure, folder, joined_only });
            }
        }
        // A folder to work in is one that goes away, if that is what is named.
        if moves && kind == Kind::Base && group.paths.is_empty() && self.purpose == Purpose::Deletes
        {
            let text = value.as_str().unwrap_or_default().to_owned();
            let (sure, folder, joined_only) = (false, false, false);
            group.paths.push(Written { text, role, sure, folder, joined_only });
        }
        taken
    }

    fn value(&mut self, name: &str, value: &Value, at: At) {
        match value {
            Value::Object(object) => self.object(object, at),
            Value::Array(items) => {
                let at = At { group: self.listed(value, at), ..at };
                if let Some(text) = bytes(items) {
                    self.text(&text, at);
                } else if let Some(lines) = joined(items) {
                    self.string(name, &lines, at);
                    // Pieces of one line, or lines: either may be meant.
                    let pieces: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
                    let but_last = pieces.split_last().map_or(&[][..], |(_, pieces)| pieces);
                    if !but_last.iter().all(|piece| piece.ends_with('\n')) {
                        self.text(&pieces.concat(), at);
                    }
                } else {
                    for item in items {
                        self.value(name, item, at);
                    }
                }
            }
            Value::String(text) => self.string(name, text, at),
            Value::Number(number) if at.key == Key::Text => self.text(&number.to_string(), at),
            Value::Number(_) | Value::Bool(_) | Value::Null => {}
        }
    }

    /// Takes the paths of a list that is in a list; returns the group that its texts belong to.
    fn listed(&mut self, value: &Value, at: At) -> Option<usize> {
        let mut group = Group::default();
        if at.key == Key::Other && self.purpose != Purpose::Runs {
            self.take_paths(Key::Other, value, at, &mut group);
        }
        if group.paths.is_empty() {
            return at.group;
        }
        self.groups.push(group);
        Some(self.groups.len() - 1)
    }

    fn string(&mut self, name: &str, text: &str, at: At) {
        let plain = text.trim_start_matches('\u{feff}').trim_start();
        if at.depth < DEEPEST
            && plain.starts_with(['{', '['])
            && let Some(value) = json(plain)
        {
            if matches!(at.key, Key::Text) {
                self.put_off.push(value);
            } else {
                let (groups, pieces) = (self.groups.len(), self.pieces.len());
                self.value(name, &value, At { depth: at.depth + 1, ..at });
                let stated = |piece: &Piece| piece.kind == TextKind::Stated;
                let new = self.pieces.get(pieces..).unwrap_or_default();
                if self.groups.len() > groups || new.iter().any(stated) {
                    return;
                }
            }
        }
        let coded = at.coded || name.contains("64") || name == "blob" || text.starts_with("data:");
        if let Some(decoded) = texts::from_base64(text).filter(|_| coded && !text.is_empty()) {
            self.text(&decoded, at);
        }
        self.text(text, at);
    }

    fn text(&mut self, text: &str, at: At) {
        let kind = match at.key {
            Key::Old => return,
            Key::Text | Key::Diff => TextKind::Stated,
            Key::Label | Key::Prose => TextKind::Aside,
            _ if text.trim_start().starts_with("http") && !text.contains(['\n', ' ']) => {
                TextKind::Aside
            }
            _ => TextKind::Unknown,
        };
        if at.key != Key::Text && (text.contains("@@ -") || text.contains("diff --git ")) {
            let files = texts::files_of_diff(text);
            let own = !files.is_empty();
            self.diffs.extend(files);
            if own && at.group.is_none() {
                return;
            }
        }
        let diff = at.key != Key::Text;
        self.pieces.push(Piece { text: text.to_owned(), kind, diff, group: at.group });
    }

    /// Tells whether a text that may be anything names what is there, or something in a folder
    /// that is there.
    fn is_found(&mut self, text: &str) -> bool {
        let look = Look::of(text);
        if look == Look::None {
            return false;
        }
        if text.starts_with('.') && look >= Look::Separated || self.stands(text) {
            return true;
        }
        let parent = text.trim_end_matches('/').rsplit_once(['/', '\\']).map(|(parent, _)| parent);
        parent.is_some_and(|parent| !parent.is_empty() && self.stands(parent))
    }

    fn stands(&mut self, text: &str) -> bool {
        self.looked_up += 1;
        if self.looked_up > MOST_LOOKED_UP {
            return false;
        }
        let root = self.files.root();
        let stands = |path: &String| {
            let from_root = format!("{root}/{path}");
            self.files.exists(path) || is_relative(path) && self.files.exists(&from_root)
        };
        readings(text).iter().any(stands)
    }

    fn group_of(&mut self, path: &str) -> usize {
        let (role, sure, folder, joined_only) = (Role::Any, false, false, false);
        let written = Written { text: path.to_owned(), role, sure, folder, joined_only };
        self.groups.push(Group { paths: vec![written], ..Group::default() });
        self.groups.len() - 1
    }
}

/// How the value of a field is taken for a path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Sure,
    Folder,
    Base,
    Maybe,
    Name,
    Found,
}

/// Returns a list of lines as one text, with or without their ends.
fn joined(items: &[Value]) -> Option<String> {
    items.iter().try_fold(String::new(), |out, item| {
        let line = item.as_str()?;
        Some(out + line + if line.ends_with('\n') { "" } else { "\n" })
    })
}

/// Reads a text that is JSON: of several values one after the other, a list of them.
fn json(text: &str) -> Option<Value> {
    let values = serde_json::Deserializer::from_str(text).into_iter();
    let mut values: Vec<Value> = values.collect::<Result<_, _>>().ok()?;
    if values.len() == 1 { values.pop() } else { Some(Value::Array(values)) }
}

/// Returns the text of a list of bytes.
fn bytes(items: &[Value]) -> Option<String> {
    let byte = |item: &Value| u8::try_from(item.as_u64()?).ok();
    let bytes: Vec<u8> = items.iter().map(byte).collect::<Option<_>>()?;
    (bytes.len() > 3).then(|| String::from_utf8_lossy(&bytes).into_owned())
}
