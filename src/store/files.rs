//! The files of a project on disk, as the port [`Files`] shows them.
//!
//! A path is taken literally: how an agent reads what was written is [`crate::clients::paths`]'
//! business. `..` goes first, as text, then symbolic links (dangling ones too), then the spelling that the file system has recorded. Only
//! regular files are ever opened.

use super::native;
use super::recorded;
use crate::domain::byte_name;
use crate::domain::{Files, PROJECT_FOLDER, Place, RepoPath, Stored};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

/// The largest file that is read, in bytes; the content of a larger one is not known.
pub const LARGEST: u64 = 16 << 20;

/// How many folders are listed at most: 10,000 take about 50 ms.
const FOLDERS: usize = 10_000;

/// How many symbolic links one path may lead through, as in the Linux kernel.
const LINKS: usize = 40;

/// The files of a project.
#[derive(Clone, Debug)]
pub struct DiskFiles {
    root: PathBuf,
    cwd: PathBuf,
    home: Option<PathBuf>,
    // Every project that the session is in, and the folders that it is or began in.
    roots: Vec<PathBuf>,
    folders: Vec<PathBuf>,
    // Paths that led through symbolic links, as they were before these were followed.
    followed: RefCell<Vec<(Place, PathBuf)>>,
    // Places that were named by what is different in each program.
    by_process: RefCell<Vec<Place>>,
}

impl DiskFiles {
    /// Makes the files of the project at `root`, for paths written from `cwd`.
    #[must_use]
    pub fn new(root: &Path, cwd: &Path) -> Self {
        let root = fs::canonicalize(root).unwrap_or_else(|_| root.to_owned());
        let home = directories::BaseDirs::new().map(|dirs| dirs.home_dir().to_owned());
        Self {
            cwd: root.join(cwd),
            root,
            home,
            roots: Vec::new(),
            folders: Vec::new(),
            followed: RefCell::default(),
            by_process: RefCell::default(),
        }
    }

    /// Returns the project's root, with its symbolic links resolved.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Adds the roots of every project that the session is in, and the folders that it is or began
    /// in.
    #[must_use]
    pub fn of_session(self, roots: Vec<PathBuf>, folders: Vec<PathBuf>) -> Self {
        Self { roots, folders, ..self }
    }

    /// Returns the folders that the session is or began in, links resolved.
    #[must_use]
    pub fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// Returns the roots of every project that the session is in, besides [`DiskFiles::root`].
    #[must_use]
    pub fn roots(&self) -> &[PathBuf] {
        &self.roots
    }

    /// Returns the session's folder, as it was written.
    #[must_use]
    pub fn session_folder(&self) -> &Path {
        &self.cwd
    }

    /// Returns where a place is on disk.
    #[must_use]
    pub fn path(&self, place: &Place) -> PathBuf {
        match place {
            Place::Inside(path) => self.root.join(native::path(path.as_str())),
            Place::Outside(path) => native::path(path),
        }
    }

    /// Returns the paths inside the project through which a place was reached, each with a
    /// symbolic link in it.
    #[must_use]
    pub fn links_to(&self, place: &Place) -> Vec<RepoPath> {
        let followed = self.followed.borrow();
        let mine = followed.iter().filter(|(to, _)| to == place);
        let mut links: Vec<_> = mine.filter_map(|(_, written)| self.inside(written)).collect();
        links.dedup();
        links
    }

    /// Tells whether a place was named by what is different in each program: through `/proc/self`,
    /// say.
    #[must_use]
    pub fn is_named_by_process(&self, place: &Place) -> bool {
        self.by_process.borrow().contains(place)
    }

    fn inside(&self, path: &Path) -> Option<RepoPath> {
        path.strip_prefix(&self.root).ok().and_then(|path| RepoPath::new(&text(path)))
    }

    /// Returns the absolute path that was written, with `.` and `..` taken away as text: clients
    /// do the same before they open a file.
    fn absolute(&self, written: &str) -> PathBuf {
        let mut path = PathBuf::new();
        for component in self.cwd.join(written).components() {
            match component {
                Component::CurDir => {}
                Component::ParentDir => drop(path.pop()),
                other => path.push(other),
            }
        }
        path
    }
}

impl Files for DiskFiles {
    fn place(&self, written: &str) -> Result<Place, String> {
        if written.is_empty() {
            return Err("the path is empty".to_owned());
        }
        if written.contains('\0') {
            return Err("the path holds a NUL character".to_owned());
        }
        let path = self.absolute(written);
        let mut way = Way::from(&self.cwd);
        let path = resolve(&path, &mut way)?;
        if path == self.root {
            return Err(PROJECT_FOLDER.to_owned());
        }
        let place = self.inside(&path).map_or_else(|| Place::Outside(text(&path)), Place::Inside);
        if way.by_process {
            self.by_process.borrow_mut().push(place.clone());
        }
        let followed = way.followed.into_iter().map(|written| (place.clone(), written));
        self.followed.borrow_mut().extend(followed);
        Ok(place)
    }

    fn as_opened(&self, written: &str) -> Option<String> {
        let path = self.cwd.join(written);
        if written.contains('\0') || !path.components().any(|part| part == Component::ParentDir) {
            return None;
        }
        resolve(&path, &mut Way::from(&self.cwd)).ok().map(|path| text(&path))
    }

    fn read(&self, place: &Place) -> Stored {
        read(&self.path(place))
    }

    fn below(&self, folder: &Place, most: usize) -> Option<Vec<Place>> {
        let mut folders = vec![self.path(folder)];
        let mut found = Vec::new();
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = entry.path();
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    folders.push(path);
                } else {
                    let place = self.inside(&path).map(Place::Inside);
                    found.push(place.unwrap_or_else(|| Place::Outside(text(&path))));
                }
                if found.len() + folders.len() > most {
                    return None;
                }
            }
        }
        Some(found)
    }

    fn folders(&self) -> Option<Vec<String>> {
        let found = folders(&self.root)?;
        Some(found.iter().map(|folder| text(folder)).collect())
    }

    fn root(&self) -> String {
        text(&self.root)
    }

    fn cwd(&self) -> String {
        text(&self.cwd)
    }

    fn home(&self) -> Option<String> {
        self.home.as_deref().map(text)
    }

    fn exists(&self, path: &str) -> bool {
        !path.contains('\0') && self.absolute(path).exists()
    }

    fn named(&self, name: &str) -> Option<Vec<String>> {
        let mut all = folders(&self.root)?;
        if !self.cwd.starts_with(&self.root) {
            all.extend(folders(&self.cwd)?);
        }
        let files = all.iter().map(|folder| folder.join(name));
        let is_file = |path: &PathBuf| fs::symlink_metadata(path).is_ok_and(|it| it.is_file());
        Some(files.filter(is_file).map(|path| text(&path)).collect())
    }
}

/// Returns a folder and those below it, git's own left out; nothing when there are too many.
fn folders(top: &Path) -> Option<Vec<PathBuf>> {
    let mut found = vec![top.to_owned()];
    let mut next = 0;
    while let Some(folder) = found.get(next) {
        // What cannot be listed has no folders that anybody could work in.
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let below = entries.filter(|entry| {
            entry.file_name() != ".git" && entry.file_type().is_ok_and(|kind| kind.is_dir())
        });
        let below: Vec<PathBuf> = below.map(|entry| entry.path()).collect();
        found.extend(below);
        if found.len() > FOLDERS {
            return None;
        }
        next += 1;
    }
    Some(found)
}

/// Reads a regular file, at most [`LARGEST`] bytes of it.
fn read(path: &Path) -> Stored {
    let unknown = |why: String| Stored::Unknown(why);
    let meta = match fs::symlink_metadata(path) {
        Ok(meta) => meta,
        Err(error) if absent(&error) => return Stored::Absent,
        Err(error) => return unknown(format!("the file cannot be looked at: {error}")),
    };
    if let Some(kind) = recorded::special(&meta) {
        return unknown(format!("{kind} stands there, not a file"));
    }
    if meta.len() > LARGEST {
        return unknown(format!("the file is larger than {} MiB", LARGEST >> 20));
    }
    // With room for the end too, the file is read in one piece.
    let mut bytes = Vec::with_capacity(usize::try_from(meta.len()).map_or(0, |length| length + 1));
    let file = fs::File::open(path).and_then(|file| file.take(LARGEST + 1).read_to_end(&mut bytes));
    match file {
        Ok(_) if bytes.len() as u64 > LARGEST => {
            unknown(format!("the file is larger than {} MiB", LARGEST >> 20))
        }
        Ok(_) => Stored::Bytes(bytes),
        Err(error) => unknown(format!("the file cannot be read: {error}")),
    }
}

fn absent(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory)
}

/// Spells a path for rules: a separator of this system is `/`; a `\` in a Unix name stays what it
/// is.
fn text(path: &Path) -> String {
    byte_name::of_path(path).replace(std::path::MAIN_SEPARATOR, "/")
}

/// What was met on the way to a file.
struct Way<'a> {
    cwd: &'a Path,
    /// The path as it was before each symbolic link.
    followed: Vec<PathBuf>,
    /// Whether it leads through what is different in each program.
    by_process: bool,
}

impl<'a> Way<'a> {
    fn from(cwd: &'a Path) -> Self {
        Self { cwd, followed: Vec::new(), by_process: false }
    }

    /// Returns where a path goes on when it has come to a folder of `/proc` or `/dev` that names
    /// something else in each program. What is the session's folder in the agent is that here too;
    /// anything else is left as it is written.
    fn through_process(
        &mut self,
        done: &Path,
        part: &OsStr,
        todo: &mut VecDeque<OsString>,
    ) -> Option<PathBuf> {
        if done == Path::new("/dev") {
            let is_stream = ["fd", "stdin", "stdout", "stderr"].iter().any(|name| *name == part);
            self.by_process |= is_stream;
            return is_stream
                .then(|| todo.drain(..).fold(done.join(part), |path, part| path.join(part)));
        }
        if done != Path::new("/proc") {
            return None;
        }
        self.by_process = true;
        if part != "self" && part != "thread-self" {
            return None;
        }
        if todo.front().is_some_and(|part| part == "task") {
            todo.drain(..todo.len().min(2));
        }
        match todo.pop_front() {
            Some(next) if next == "cwd" => {
                self.cwd.components().rev().for_each(|part| {
                    todo.push_front(part.as_os_str().to_owned());
                });
                Some(PathBuf::new())
            }
            Some(next) if next == "root" => Some(PathBuf::from("/")),
            next => Some(
                next.into_iter()
                    .chain(todo.drain(..))
                    .fold(done.join(part), |path, part| path.join(part)),
            ),
        }
    }
}

/// Follows the symbolic links of an absolute path, component by component, and gives every part
/// that exists its recorded spelling. What does not exist is kept as written.
fn resolve(path: &Path, way: &mut Way<'_>) -> Result<PathBuf, String> {
    let mut done = PathBuf::new();
    let mut todo: VecDeque<OsString> =
        path.components().map(|part| part.as_os_str().to_owned()).collect();
    let mut links = 0;
    while let Some(part) = todo.pop_front() {
        if part == ".." {
            done.pop();
            continue;
        }
        if part == "." {
            continue;
        }
        if let Some(elsewhere) = way.through_process(&done, &part, &mut todo) {
            // It may lead back to itself.
            links += 1;
            if links > LINKS {
                return Err("the path leads through symbolic links in a circle".to_owned());
            }
            done = elsewhere;
            continue;
        }
        let next = done.join(&part);
        match fs::symlink_metadata(&next) {
            Ok(meta) if meta.is_symlink() => {
                links += 1;
                if links > LINKS {
                    return Err("the path leads through symbolic links in a circle".to_owned());
                }
                way.followed.push(todo.iter().fold(next.clone(), |path, part| path.join(part)));
                let target = fs::read_link(&next)
                    .map_err(|error| format!("a symbolic link cannot be read: {error}"))?;
                for part in target.components().rev() {
                    todo.push_front(part.as_os_str().to_owned());
                }
            }
            Ok(meta) => done = recorded::spelling(&done, &part, &meta),
            Err(error) if absent(&error) => done = next,
            Err(error) => return Err(format!("the path cannot be followed: {error}")),
        }
    }
    Ok(done)
}

/// Returns the nearest folder, from `start` upwards, that holds `.git`: a folder, or a file in a
/// linked worktree or submodule.
#[must_use]
pub fn repository_root(start: &Path) -> Option<PathBuf> {
    start.ancestors().find(|folder| folder.join(".git").exists()).map(Path::to_owned)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    fn project() -> (tempfile::TempDir, DiskFiles) {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("src/deep")).unwrap();
        fs::write(dir.path().join("src/a.txt"), "x\n").unwrap();
        let files = DiskFiles::new(dir.path(), dir.path());
        (dir, files)
    }

    /// Returns a place inside, as [`Files::place`] returns it.
    fn inside(path: &str) -> Result<Place, String> {
        RepoPath::new(path).map(Place::Inside).ok_or_else(|| path.to_owned())
    }

    #[test]
    fn paths_are_resolved_from_the_sessions_folder() {
        let (dir, files) = project();
        let root = files.root().to_owned();
        assert_eq!(files.place("src/../lib/./b.txt"), inside("lib/b.txt"));
        assert_eq!(files.place(&root.join("src//a.txt").to_string_lossy()), inside("src/a.txt"));
        assert_eq!(files.place("..hidden/a"), inside("..hidden/a"));
        assert_eq!(files.place("a\nb"), inside("a\nb"));
        let deeper = DiskFiles::new(dir.path(), &root.join("src/deep"));
        assert_eq!(deeper.place("../a.txt"), inside("src/a.txt"));
        let outside = files.place("../other/a.txt").unwrap();
        assert_eq!(outside.as_str(), root.parent().unwrap().join("other/a.txt").to_str().unwrap());
    }

    #[cfg(unix)]
    #[test]
    fn every_character_but_the_slash_means_itself() {
        let (_dir, files) = project();
        for path in ["src\\a.txt", "~/a", " a ", "@a", "a%2Fb", "file:a"] {
            assert_eq!(files.place(path), inside(path));
        }
        assert!(files.place("").is_err() && files.place("a\0").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn symbolic_links_lead_to_where_the_file_really_is() {
        use std::os::unix::fs::symlink;
        let (_dir, files) = project();
        let root = files.root();
        symlink(root.join("src"), root.join("alias")).unwrap();
        symlink("src/a.txt", root.join("link.txt")).unwrap();
        symlink("nowhere/at/all", root.join("dangling")).unwrap();
        symlink("/nonexistent", root.join("out")).unwrap();
        symlink("loop", root.join("loop")).unwrap();
        assert_eq!(files.place("alias/new.txt"), inside("src/new.txt"));
        assert_eq!(files.place("link.txt"), inside("src/a.txt"));
        assert_eq!(files.place("dangling"), inside("nowhere/at/all"));
        assert_eq!(files.place("out/x"), Ok(Place::Outside("/nonexistent/x".to_owned())));
        assert!(files.place("loop/x").is_err());
    }

    #[test]
    fn only_regular_files_of_a_bounded_size_are_read() {
        let (_dir, files) = project();
        let read = |path: &str| files.read(&files.place(path).unwrap());
        assert_eq!(read("src/a.txt"), Stored::Bytes(b"x\n".to_vec()));
        assert_eq!(read("none"), Stored::Absent);
        assert_eq!(read("src/a.txt/below"), Stored::Absent);
        assert!(matches!(read("src"), Stored::Unknown(why) if why.starts_with("a folder")));
        assert!(matches!(read("/dev/null"), Stored::Unknown(why) if why.starts_with("a device")));
    }

    #[test]
    fn a_linked_worktree_is_a_repository_of_its_own() {
        let (dir, _files) = project();
        fs::create_dir_all(dir.path().join(".git")).unwrap();
        fs::write(dir.path().join("src/.git"), "gitdir: ../.git/worktrees/src").unwrap();
        assert_eq!(repository_root(&dir.path().join("src/deep")), Some(dir.path().join("src")));
        assert_eq!(repository_root(dir.path()), Some(dir.path().to_owned()));
    }
}
