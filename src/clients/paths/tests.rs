//! Resolutions held against what the real agents were seen to do, and against the URL standard.

use super::*;

/// A session in `/r/in`, with a home folder and a few files.
struct Session(&'static [&'static str]);

impl Files for Session {
    fn place(&self, written: &str) -> Result<Place, String> {
        Ok(Place::Outside(written.to_owned()))
    }

    fn read(&self, _place: &Place) -> Stored {
        Stored::Absent
    }

    fn cwd(&self) -> String {
        "/r/in".to_owned()
    }

    fn home(&self) -> Option<String> {
        Some("/home/u".to_owned())
    }

    fn exists(&self, path: &str) -> bool {
        self.0.contains(&path)
    }

    fn named(&self, name: &str) -> Option<Vec<String>> {
        let named = self.0.iter().filter(|path| path.rsplit('/').next() == Some(name));
        Some(named.map(|path| (*path).to_owned()).collect())
    }
}

const NONE: Session = Session(&[]);

#[test]
fn an_address_is_read_as_a_browser_reads_it() {
    for (address, wanted) in [
        ("file:///a/b%20c", Some("/a/b c")),
        ("FILE:///a", Some("/a")),
        ("file:///a?x#y", Some("/a")),
        ("file:///a#y?x", Some("/a")),
        ("file://localhost/a", Some("/a")),
        ("file://other/a", Some("/a")),
        (" file:///a\t/b\n.py \u{1}", Some("/a/b.py")),
        ("file:\\\\\\a\\b", Some("/a/b")),
        ("file:///a/./b/../c", Some("/a/c")),
        ("file:///a/%2E/b/.%2e/c", Some("/a/c")),
        ("file:///../../a", Some("/a")),
        ("file:/a", Some("/a")),
        ("file:a", Some("/a")),
        ("file:///a//b", Some("/a//b")),
        ("file://c:/a", Some("/c:/a")),
        ("file:///%zz", None),
        ("file:///%ff", None),
        ("http:///a", None),
        ("a", None),
    ] {
        assert_eq!(url::path(address).as_deref(), wanted, "{address:?}");
    }
}

#[test]
fn each_agent_reads_a_path_in_its_own_way() {
    let one = |path: &str| vec![path.to_owned()];
    assert_eq!(claude(" ~/a\u{a0}", &NONE)[0], "/home/u/a");
    assert_eq!(claude("src\\a", &NONE), one("src\\a"));
    assert_eq!(claude("@src/a", &NONE), one("@src/a"));
    assert_eq!(pi("@~/a", &NONE), one("/home/u/a"));
    assert_eq!(pi(" @a ", &NONE), one(" @a "));
    assert_eq!(pi("@@a\u{3000}b", &NONE), one("@a b"));
    assert_eq!(pi("file:///r/a?x", &NONE), one("/r/a"));
    assert_eq!(pi("File:///r/a", &NONE), one("File:///r/a"));
    assert_eq!(gemini("~/a", &NONE), one("~/a"));
    assert_eq!(gemini("src%2Fa", &NONE), one("/r/in/src/a"));
    assert_eq!(gemini("@src/a\0", &NONE), one("src/a"));
    assert_eq!(gemini("@/a", &NONE), one("a"));
    assert_eq!(gemini("@src/a", &Session(&["@src"])), one("@src/a"));
    // What `..` takes away is not decoded; of the rest everything or nothing is.
    assert_eq!(gemini("%zz/../src%2Fa", &NONE), one("/r/in/src/a"));
    assert_eq!(gemini("src%2Fa%", &NONE), one("/r/in/src%2Fa%"));
}

#[test]
fn a_search_brings_every_file_that_fits() {
    let files = Session(&["/r/src/deep/only.py", "/r/src/only.py", "here.py", "/r/x/here.py"]);
    let found = gemini_search("only.py", &files);
    assert_eq!(found, ["/r/src/deep/only.py", "/r/src/only.py", "only.py"]);
    assert_eq!(gemini_search("deep/only.py", &files), ["/r/src/deep/only.py", "deep/only.py"]);
    assert_eq!(gemini_search("@eep/only.py", &files), ["/r/src/deep/only.py", "eep/only.py"]);
    assert_eq!(gemini_search("here.py", &files), ["here.py"]);
    assert_eq!(gemini_search("/r/only.py", &files), ["/r/only.py"]);
}

#[test]
fn a_path_of_a_windows_shell_is_on_a_drive() {
    for (path, wanted) in [
        ("/c/a/b", Some("C:\\a\\b")),
        ("/mnt/d/a", Some("D:\\a")),
        ("/cygdrive/e", Some("E:\\")),
        ("/src/a", None),
        ("c/a", None),
        ("/c\\a", None),
    ] {
        assert_eq!(of_windows_shell(path).as_deref(), wanted, "{path}");
    }
}

#[test]
fn whoever_it_is_every_reading_counts() {
    assert_eq!(anyone("src/a.py", &NONE), ["src/a.py"]);
    for (written, wanted) in [
        ("~/a", "/home/u/a"),
        (" a ", "a"),
        ("src\\a", "src/a"),
        ("src%2Fa", "/r/in/src/a"),
        ("@src/a", "src/a"),
        ("file:///r/a?x", "/r/a"),
        ("FILE:///r/a", "/r/a"),
    ] {
        let all = anyone(written, &NONE);
        assert!(all.iter().any(|path| path == wanted), "{written}: {all:?}");
        assert_eq!(all[0], written);
    }
}
