//! What is opened is ours, and no link leads elsewhere.

#![allow(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::store::owned_path::OwnedPath;
use std::fs;

#[cfg(unix)]
#[test]
fn nothing_but_a_file_of_ours_is_opened() {
    use std::os::unix::fs::symlink;

    let root = tempfile::tempdir().unwrap();
    let outside = root.path().join("outside");
    fs::write(&outside, "x").unwrap();
    let at = |name: &str| root.path().join("f").join(name);
    fs::create_dir(root.path().join("f")).unwrap();
    symlink(&outside, at("link")).unwrap();
    symlink("nowhere", at("dangling")).unwrap();
    fs::hard_link(&outside, at("hard")).unwrap();
    fs::create_dir(at("folder")).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        at("pipe"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RWXU,
        0,
    )
    .unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
    let folder = OwnedDir::open(&root.path().join("f")).unwrap().unwrap();
    for name in ["link", "dangling", "hard", "folder", "pipe", "socket"] {
        let name = OsStr::new(name);
        let untrusted = |error: OwnedError| matches!(error, OwnedError::Untrusted { .. });
        assert!(folder.append(name).is_err_and(untrusted), "{name:?}");
        assert!(folder.write(name).is_err_and(untrusted), "{name:?}");
        assert!(folder.own(name).is_err_and(untrusted), "{name:?}");
        assert!(name == "hard" || folder.read(name).is_err_and(untrusted), "{name:?}");
        assert!(name == "folder" || folder.folder(name).is_err_and(untrusted), "{name:?}");
    }
    assert_eq!(fs::read(&outside).unwrap(), b"x");
    assert!(folder.read(OsStr::new("none")).unwrap().is_none());
    // What is made in the place of a link takes its place.
    folder.create(OsStr::new("link")).unwrap();
    assert!(fs::symlink_metadata(at("link")).unwrap().is_file());
    assert_eq!(fs::read(&outside).unwrap(), b"x");
    // A rotation that is stopped leaves two names, and only these.
    fs::write(at("t.jsonl"), "").unwrap();
    fs::hard_link(at("t.jsonl"), at("t.000001.jsonl")).unwrap();
    assert!(folder.append(OsStr::new("t.jsonl")).is_ok());
    fs::hard_link(at("t.jsonl"), at("t.jsonl.missing")).unwrap();
    assert!(folder.append(OsStr::new("t.jsonl")).is_err());
}

#[cfg(unix)]
#[test]
fn what_another_user_owns_is_not_ours_unless_the_whole_folder_is_theirs() {
    use std::os::unix::fs::{MetadataExt, chown};

    let root = tempfile::tempdir().unwrap();
    let at = |name: &str| root.path().join(name);
    fs::create_dir(at(".solvi")).unwrap();
    fs::write(at(".solvi/t"), "").unwrap();
    // Only root may give files away.
    if chown(at(".solvi/t"), Some(4321), None).is_err() {
        return;
    }
    let append = || OwnedPath::make(&at(".solvi/t")).and_then(|it| it.folder.append(&it.name));
    let refused = append().unwrap_err().to_string();
    assert!(refused.contains("another user (number 4321)"), "{refused}");
    chown(root.path(), Some(4321), None).unwrap();
    append().unwrap();
    // What root makes there is theirs.
    let place = OwnedPath::make(&at(".solvi/new/t")).unwrap();
    place.folder.append(&place.name).unwrap();
    for made in [".solvi/new", ".solvi/new/t"] {
        assert_eq!(fs::metadata(at(made)).unwrap().uid(), 4321, "{made}");
    }
}
