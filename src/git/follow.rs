//! The file at a path of a commit or of the index, with symbolic links followed.
//!
//! In a repository a link is a file that holds the path it leads to. Whoever reads a file that is
//! meant to be used, and not to be compared, must follow it as the file system does.

use super::error::GitError;
use super::index::Index;
use super::lookup::{blob_of, entry_of};
use super::objects::Objects;
use super::repo::{Id, Repo};
use gix::ObjectId;
use gix::bstr::{BStr, ByteSlice};
use gix::index::entry::{Mode as IndexMode, Stage};
use gix::objs::Kind;
use gix::objs::tree::EntryKind;
use std::collections::VecDeque;

/// How many links one path may lead through, as in the Linux kernel.
const LINKS: usize = 40;

/// A state of the repository that holds files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// What is staged.
    Index,
    /// A commit.
    Commit(Id),
}

const OUTSIDE: &str = "leads out of the repository";
const NOTHING: &str = "leads to nothing that git tracks";

/// Which link of a path was followed.
enum Through {
    Nothing,
    /// A folder's, at this path.
    Folder(String),
    /// The file's own.
    File,
}

/// A file of a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileAt {
    /// Where it really is, after links.
    pub path: String,
    /// What it holds.
    pub bytes: Vec<u8>,
}

/// What is at a path.
enum Found {
    Nothing,
    Folder,
    File(ObjectId),
    Link(ObjectId),
    /// None of these; the text says what.
    Other(&'static str),
}

impl Repo {
    /// Reads the file at a path of a state; `None` when nothing is there.
    ///
    /// It is an error when what is there is no file, or when a link leads out of the repository or
    /// nowhere. A folder on the way may be such a link: then nothing is there, unless the working
    /// tree has the file behind it.
    pub fn file_at(&self, state: State, path: &str) -> Result<Option<FileAt>, GitError> {
        let objects = self.objects();
        let place = match state {
            State::Index => Place::Index(self.read_index()?),
            State::Commit(id) => Place::Tree(objects.tree_of(id.0)?),
        };
        place.file(&objects, path)
    }
}

/// A state that was opened.
enum Place {
    Index(Index),
    Tree(ObjectId),
}

impl Place {
    fn file(&self, objects: &Objects<'_>, path: &str) -> Result<Option<FileAt>, GitError> {
        let wrong = |why: &str| GitError::NoFile { path: path.to_owned(), why: why.to_owned() };
        let nowhere = |through: Through, why: &str| match through {
            Through::Folder(_) if !is_on_disk(objects, path) => Ok(None),
            Through::Folder(link) => Err(wrong(&format!("is behind `{link}`, which {why}"))),
            _ => Err(wrong(&format!("is a symbolic link that {why}"))),
        };
        let mut through = Through::Nothing;
        let mut todo: VecDeque<String> = path.split('/').map(str::to_owned).collect();
        let mut done: Vec<String> = Vec::new();
        let mut links = 0;
        while let Some(part) = todo.pop_front() {
            match part.as_str() {
                ".." if done.pop().is_none() => return nowhere(through, OUTSIDE),
                "" | "." | ".." => continue,
                _ => done.push(part),
            }
            let at = done.join("/");
            match self.look(objects, at.as_bytes().as_bstr())? {
                Found::Folder if !todo.is_empty() => {}
                Found::Folder => return Err(wrong("is a folder, not a file")),
                Found::Other(what) => return Err(wrong(what)),
                Found::File(id) if todo.is_empty() => {
                    let bytes = blob_or_file(objects, id, &at)?;
                    return Ok(Some(FileAt { path: at, bytes }));
                }
                Found::Nothing | Found::File(_) if links > 0 => return nowhere(through, NOTHING),
                Found::Nothing | Found::File(_) => return Ok(None),
                Found::Link(id) => {
                    links += 1;
                    if todo.is_empty() {
                        through = Through::File;
                    } else if matches!(through, Through::Nothing) {
                        through = Through::Folder(at);
                    }
                    if links > LINKS {
                        return Err(wrong("leads through symbolic links in a circle"));
                    }
                    let target = blob_of(objects, id)?;
                    let Ok(target) = String::from_utf8(target) else {
                        return Err(wrong("is a symbolic link whose target is not UTF-8"));
                    };
                    if target.starts_with('/') || target.contains('\\') {
                        return nowhere(through, OUTSIDE);
                    }
                    done.pop();
                    for part in target.rsplit('/') {
                        todo.push_front(part.to_owned());
                    }
                }
            }
        }
        Err(wrong("is a folder, not a file"))
    }

    fn look(&self, objects: &Objects<'_>, path: &BStr) -> Result<Found, GitError> {
        match self {
            Self::Tree(tree) => in_tree(objects, *tree, path),
            Self::Index(index) => in_index(objects, index, path),
        }
    }
}

/// Tells whether the working tree has a file at a path, links followed.
fn is_on_disk(objects: &Objects<'_>, path: &str) -> bool {
    let there = |root: &std::path::Path| std::fs::symlink_metadata(root.join(path)).is_ok();
    objects.repo.root().is_some_and(there)
}

/// Reads the content of a path. What a partial clone lacks may be in the working tree, and need not
/// be fetched: a file there whose id is the one that is looked for holds the same.
fn blob_or_file(objects: &Objects<'_>, id: ObjectId, path: &str) -> Result<Vec<u8>, GitError> {
    if !objects.has(id)
        && let Some(root) = objects.repo.root()
        && std::fs::metadata(root.join(path)).is_ok_and(|meta| meta.is_file())
        && let Ok(bytes) = std::fs::read(root.join(path))
        && gix::objs::compute_hash(objects.hash(), Kind::Blob, &bytes).is_ok_and(|it| it == id)
    {
        return Ok(bytes);
    }
    blob_of(objects, id)
}

fn in_tree(objects: &Objects<'_>, tree: ObjectId, path: &BStr) -> Result<Found, GitError> {
    Ok(match entry_of(objects, tree, path)? {
        None => Found::Nothing,
        Some((EntryKind::Tree, _)) => Found::Folder,
        Some((EntryKind::Blob | EntryKind::BlobExecutable, id)) => Found::File(id),
        Some((EntryKind::Link, id)) => Found::Link(id),
        Some((EntryKind::Commit, _)) => Found::Other("is in a submodule"),
    })
}

fn in_index(objects: &Objects<'_>, index: &Index, path: &BStr) -> Result<Found, GitError> {
    if let Some(entry) = index.get(path) {
        return Ok(if entry.stage() != Stage::Unconflicted {
            Found::Other("has conflicts that are not resolved yet")
        } else if entry.is_intended() {
            Found::Nothing
        } else if entry.mode == IndexMode::SYMLINK {
            Found::Link(entry.id)
        } else if entry.mode.is_submodule() {
            Found::Other("is in a submodule")
        } else {
            Found::File(entry.id)
        });
    }
    if let Some((folder, entry)) = index.above(path) {
        if !entry.mode.is_sparse() {
            return Ok(Found::Nothing);
        }
        let below = path.get(folder.len()..).unwrap_or_default().as_bstr();
        return in_tree(objects, entry.id, below);
    }
    let mut folder = path.to_owned();
    folder.push(b'/');
    let at = index.position(folder.as_bstr());
    let below = at < index.len() && index.path(at).starts_with(folder.as_slice());
    Ok(if below { Found::Folder } else { Found::Nothing })
}
