//! A light reading is a whole one with less in it: every test holds what we read of an index that
//! git wrote against what gix reads of it.

#![allow(clippy::unwrap_used, reason = "tests")]

use super::folders::Folders;
use super::*;
use gix::hash::Kind as Hash;
use proptest::prelude::*;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use tempfile::TempDir;

/// A repository in a folder of its own.
struct Yard(TempDir);

impl Yard {
    fn new(arguments: &[&str]) -> Self {
        let yard = Self(TempDir::new().unwrap());
        yard.git(&[&["init", "-q", "-b", "main"], arguments].concat());
        yard
    }

    /// Makes a repository in which some folders are committed.
    fn of_folders(arguments: &[&str]) -> Self {
        let yard = Self::new(arguments);
        for path in ["a", "d/a", "d/e/b", "d/e/c", "d.f/g", "long-name/x", "z/y/x/w"] {
            yard.write(path);
        }
        yard.commit();
        yard
    }

    /// Writes a file that holds its own name.
    fn write(&self, path: &str) {
        let file = self.0.path().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, format!("{path}\n")).unwrap();
    }

    fn commit(&self) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", "x"]);
    }

    fn tries(&self, arguments: &[&str]) -> Option<Vec<u8>> {
        let mut command = Command::new("git");
        command
            .args(["-c", "user.name=a", "-c", "user.email=a@example.org"])
            .args(arguments)
            .current_dir(self.0.path())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", self.0.path())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .stderr(Stdio::null());
        let output = command.output().unwrap();
        output.status.success().then_some(output.stdout)
    }

    fn git(&self, arguments: &[&str]) -> Vec<u8> {
        self.tries(arguments).unwrap_or_else(|| panic!("git {arguments:?}"))
    }

    /// Leaves two versions of `a` in the index.
    fn conflict(&self) {
        self.git(&["checkout", "-q", "-b", "topic"]);
        self.change("topic");
        self.git(&["checkout", "-q", "main"]);
        self.change("main");
        assert_eq!(self.tries(&["merge", "-q", "topic"]), None);
    }

    fn change(&self, text: &str) {
        fs::write(self.0.path().join("a"), text).unwrap();
        self.commit();
    }

    fn index(&self) -> PathBuf {
        self.0.path().join(".git/index")
    }

    fn light(&self, hash: Hash) -> Option<Light> {
        Light::read(&self.index(), hash)
    }

    /// Asserts that both readings are the same, and returns the version and the extensions that
    /// this proves something about.
    #[track_caller]
    fn is_same(&self, hash: Hash) -> String {
        let light = self.light(hash).expect("the usual form");
        assert_same(light, whole(&self.index(), hash).unwrap());
        let bytes = fs::read(self.index()).unwrap();
        let has = |name: &&&str| bytes.windows(4).any(|four| four == name.as_bytes());
        let names = ["TREE", "REUC", "UNTR", "FSMN", "EOIE", "IEOT"];
        let names: Vec<&str> = names.iter().filter(has).copied().collect();
        format!("{} {}", bytes[7], names.join(" "))
    }

    /// Asserts that there is no light reading, and that all is read nevertheless.
    #[track_caller]
    fn is_left(&self) {
        assert!(self.light(Hash::Sha1).is_none());
        let index = Repo::open(self.0.path()).unwrap().read_index().unwrap();
        assert!(index.get(b"a".as_bstr()).is_some());
    }
}

fn whole(path: &Path, hash: Hash) -> gix::error::Result<State> {
    gix::index::File::at(path, hash, true, gix::index::decode::Options::default()).map(State::from)
}

#[track_caller]
fn assert_same(light: Light, whole: State) {
    let rows = light.folders().map(Folders::len);
    let (light, whole) = (Index(Form::Light(Arc::new(light))), Index::of(&Arc::new(whole)));
    assert_eq!(light.len(), whole.len());
    // Past the last one, too.
    for at in 0..=whole.len() {
        assert_eq!(light.path(at), whole.path(at));
        assert_eq!(light.entry_at(at), whole.entry_at(at), "{}", whole.path(at));
    }
    assert_eq!(light.root().is_some(), whole.root().is_some());
    let folders = light.root().zip(whole.root()).map(|(light, whole)| folders(light, whole));
    assert_eq!(rows, folders);
}

/// Asserts that the same is known of a folder and of those in it, and returns how many they are.
#[track_caller]
fn folders(light: Known<'_>, whole: Known<'_>) -> usize {
    assert_eq!(light.tree(), whole.tree());
    let Memory::Whole(tree) = whole.0 else { panic!("a whole reading") };
    let mut count = 1;
    for name in tree.children.iter().map(|child| child.name.as_bstr()) {
        count += folders(light.child(name).unwrap(), whole.child(name).unwrap());
    }
    assert!(light.child(b"no-such-folder".as_bstr()).is_none());
    count
}

#[test]
fn what_is_staged_is_read_as_gix_reads_it() {
    let yard = Yard::new(&[]);
    yard.write("d/a");
    yard.git(&["add", "-A"]);
    assert_eq!(yard.is_same(Hash::Sha1), "2 ");
    let yard = Yard::of_folders(&[]);
    assert_eq!(yard.is_same(Hash::Sha1), "2 TREE");
    yard.write("d/e/new");
    std::os::unix::fs::symlink("a", yard.0.path().join("link")).unwrap();
    yard.git(&["add", "-A"]);
    yard.git(&["update-index", "--chmod=+x", "z/y/x/w"]);
    assert_eq!(yard.is_same(Hash::Sha1), "2 TREE");
    fs::remove_file(yard.index()).unwrap();
    yard.git(&["update-index", "--add", "a", "d/a"]);
    assert_eq!(yard.is_same(Hash::Sha1), "2 ");
    yard.git(&["read-tree", "--empty"]);
    yard.is_same(Hash::Sha1);
}

#[test]
fn further_flags_are_read_as_gix_reads_them() {
    let yard = Yard::of_folders(&[]);
    yard.write("later");
    yard.git(&["add", "--intent-to-add", "later"]);
    yard.git(&["update-index", "--skip-worktree", "d/e/b"]);
    yard.git(&["update-index", "--assume-unchanged", "d/e/c"]);
    assert_eq!(yard.is_same(Hash::Sha1), "3 TREE");
}

#[test]
fn a_repository_of_sha256_is_read_as_gix_reads_it() {
    let yard = Yard::of_folders(&["--object-format=sha256"]);
    assert_eq!(yard.is_same(Hash::Sha256), "2 TREE");
    yard.git(&["update-index", "--skip-worktree", "d/e/b"]);
    assert_eq!(yard.is_same(Hash::Sha256), "3 TREE");
    assert!(yard.light(Hash::Sha1).is_none());
}

#[test]
fn conflicts_and_other_extensions_are_read_as_gix_reads_them() {
    let yard = Yard::of_folders(&[]);
    yard.conflict();
    assert_eq!(yard.is_same(Hash::Sha1), "2 TREE");
    yard.write("a");
    yard.git(&["add", "a"]);
    yard.git(&["update-index", "--force-untracked-cache"]);
    yard.git(&["status"]);
    assert_eq!(yard.is_same(Hash::Sha1), "2 TREE REUC UNTR");
    yard.git(&["-c", "index.threads=2", "add", "--renormalize", "."]);
    yard.git(&["-c", "index.threads=2", "update-index", "--force-write-index"]);
    assert_eq!(yard.is_same(Hash::Sha1), "2 TREE REUC UNTR EOIE IEOT");
}

#[test]
fn a_path_longer_than_the_flags_can_say_is_read_as_git_reads_it() {
    let yard = Yard::of_folders(&[]);
    let id = String::from_utf8(yard.git(&["rev-parse", "HEAD:a"])).unwrap();
    // With each length the entry ends elsewhere among the zeros; the last is longer than a piece.
    for length in (4090..4110).chain([40_000]) {
        let path = "d/".repeat(2000) + &"x".repeat(length - 4000);
        let entry = format!("100644,{},{path}", id.trim());
        yard.git(&["update-index", "--add", "--cacheinfo", &entry]);
    }
    let light = yard.light(Hash::Sha1).unwrap();
    let listed: Vec<u8> =
        (0..light.len()).flat_map(|at| [light.path(at).as_bytes(), b"\0"].concat()).collect();
    assert_eq!(listed.as_bstr(), yard.git(&["ls-files", "-z"]).as_bstr());
    assert_eq!(light.len(), 7 + 21);
    assert!(whole(&yard.index(), Hash::Sha1).is_err(), "gix reads it, too");
}

#[test]
fn another_form_is_left_to_gix() {
    let yard = Yard::of_folders(&[]);
    yard.git(&["update-index", "--index-version", "4"]);
    yard.is_left();
    yard.git(&["update-index", "--index-version", "2"]);
    assert_eq!(yard.is_same(Hash::Sha1), "2 TREE");
    yard.git(&["update-index", "--split-index"]);
    yard.change("now it is split");
    yard.is_left();
    yard.git(&["update-index", "--no-split-index"]);
    assert_eq!(yard.is_same(Hash::Sha1), "2 TREE");
    yard.git(&["sparse-checkout", "set", "--cone", "--sparse-index", "d"]);
    yard.is_left();
}

#[test]
fn lists_of_ignored_paths_are_all_there() {
    let yard = Yard::of_folders(&[]);
    for list in [".gitignore", "d/.gitignore", "d/e/.GitIgnore"] {
        yard.write(list);
        yard.git(&["add", "--force", list]);
    }
    yard.git(&["update-index", "--skip-worktree", "d/.gitignore"]);
    let lists = yard.light(Hash::Sha1).unwrap().ignoring();
    let all = whole(&yard.index(), Hash::Sha1).unwrap();
    for path in [".gitignore", "d/.gitignore", "d/e/.GitIgnore"] {
        let (one, other) = (lists.entry_by_path(path.into()), all.entry_by_path(path.into()));
        assert_eq!(one.map(Entry::from), other.map(Entry::from), "{path}");
    }
    assert_eq!(lists.entries().len(), 3);
}

/// Returns an index of version 3 with entries in conflict and folders.
fn bytes() -> &'static [u8] {
    static BYTES: OnceLock<Vec<u8>> = OnceLock::new();
    BYTES.get_or_init(|| {
        let yard = Yard::of_folders(&[]);
        yard.conflict();
        yard.git(&["update-index", "--skip-worktree", "d/e/b"]);
        fs::read(yard.index()).unwrap()
    })
}

proptest! {
    #[test]
    fn a_damaged_index_is_read_as_gix_reads_it_or_left_to_gix(
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        cut in prop::option::weighted(0.2, any::<prop::sample::Index>()),
    ) {
        let mut bytes = bytes().to_vec();
        for (at, with) in flips {
            *at.get_mut::<u8>(&mut bytes[..]) ^= with;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), bytes).unwrap();
        if let Some(light) = Light::read(file.path(), Hash::Sha1) {
            assert_same(light, whole(file.path(), Hash::Sha1).unwrap());
        }
    }
}
