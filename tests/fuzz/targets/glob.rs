//! Any glob and any path: the matcher agrees with the regular expression of the same meaning.

#![no_main]

use libfuzzer_sys::fuzz_target;
use solvi_hook::engine::glob::{Globs, glob_regex};
use solvi_hook::engine::pattern::{Pattern, Scope};

fuzz_target!(|input: (&str, &str)| {
    let (glob, path) = input;
    if glob.is_empty() || glob.starts_with('!') || glob.len() > 60 || path.len() > 200 {
        return;
    }
    let covered = Globs::new(&[glob.to_owned()]).cover(path);
    let source = glob_regex(glob);
    if let Ok(pattern) = Pattern::new(&source, Scope::Line) {
        assert_eq!(pattern.is_match(path), Ok(covered), "{glob:?} {path:?} {source:?}");
    }
});
