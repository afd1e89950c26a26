//! Any glob and any path: the matcher agrees with the regular expression of the same meaning.

#![no_main]

use libfuzzer_sys::fuzz_target;
use solvi_hook::engine::glob::{Globs, glob_regex};

fuzz_target!(|input: (&str, &str)| {
    let (glob, path) = input;
    if glob.is_empty() || glob.starts_with('!') || glob.len() > 60 || path.len() > 200 {
        return;
    }
    let covered = Globs::new(&[glob.to_owned()]).cover(path);
    let source = glob_regex(glob);
    let slow = regex::Regex::new(&source).expect("a glob's expression can be compiled");
    assert_eq!(slow.is_match(path), covered, "{glob:?} {path:?} {source:?}");
});
