//! Globs that cover no path, and what was probably meant.

use super::Dialect;

/// Says why a glob covers no path of a repository, and what to write instead; nothing when it may
/// cover one.
///
/// ```
/// use solvi_hook::engine::glob::{Dialect, never::why};
///
/// let why = |glob| why(glob, Dialect::Plain).map(|(why, _)| why);
/// assert_eq!(why("./src/*.py"), Some("a path never begins with `./`"));
/// assert_eq!(why("src/*.py"), None);
/// ```
#[must_use]
pub fn why(glob: &str, dialect: Dialect) -> Option<(&'static str, String)> {
    let (not, bare) = glob.strip_prefix('!').map_or(("", glob), |bare| ("!", bare));
    let said = |why, instead: String| Some((why, format!("write `{not}{instead}`")));
    if let Some(rest) = bare.strip_prefix("./") {
        return said("a path never begins with `./`", rest.to_owned());
    }
    if let Some(rest) = bare.strip_prefix('/') {
        return said("a path begins at the project's root without a `/`", rest.to_owned());
    }
    if bare.split('/').any(|part| part == ".." || part == ".") {
        let why = "a path never holds `.` or `..`";
        return Some((why, "write the path from the project's root".to_owned()));
    }
    if bare.contains("//") {
        return said("a path never holds `//`", bare.replace("//", "/"));
    }
    if bare.ends_with('/') {
        return said("a path never ends with `/`", format!("{bare}**"));
    }
    if bare.contains('\\') {
        return said("the parts of a path are joined by `/`", bare.replace('\\', "/"));
    }
    let choice = bare.split_once('{').is_some_and(|(_, rest)| {
        rest.split_once('}').is_some_and(|(choices, _)| choices.contains(','))
    });
    let set = bare.split_once('[').is_some_and(|(_, rest)| rest.contains(']'));
    if dialect == Dialect::Plain && (choice || set) {
        let why = "`{`, `}`, `[` and `]` stand for themselves in this file";
        return Some((why, "write `glob = \"extended\"` at the top of it".to_owned()));
    }
    None
}

/// Says why a list of globs covers no path: each of them excludes, or what one covers another
/// excludes.
#[must_use]
pub fn why_all(globs: &[String]) -> Option<&'static str> {
    let covering = || globs.iter().filter(|glob| !glob.starts_with('!'));
    let excluded = |glob: &str| globs.iter().any(|other| other.strip_prefix('!') == Some(glob));
    if covering().next().is_none() {
        return Some("only globs that exclude stand there, so that no path is covered");
    }
    let nothing = excluded("**") || covering().all(|glob| excluded(glob));
    nothing.then_some("what the list covers it excludes again, so that no path is covered")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_cover_no_path_is_told_with_what_was_meant() {
        for (glob, instead) in [
            ("./x", "write `x`"),
            ("/x", "write `x`"),
            ("!./x", "write `!x`"),
            ("src/", "write `src/**`"),
            ("a//b", "write `a/b`"),
            ("../x", "write the path from the project's root"),
            ("a/../b", "write the path from the project's root"),
            ("a\\b", "write `a/b`"),
            ("*.{js,ts}", "write `glob = \"extended\"` at the top of it"),
            ("[ab].py", "write `glob = \"extended\"` at the top of it"),
        ] {
            let told = why(glob, Dialect::Plain).map(|(_, instead)| instead);
            assert_eq!(told.as_deref(), Some(instead), "{glob}");
        }
        for glob in ["**", "src/**", "*.py", "!**/tests/**", "a.b/c", ".github/**", "{x}", "..a"] {
            assert_eq!(why(glob, Dialect::Plain), None, "{glob}");
        }
        assert_eq!(why("*.{js,ts}", Dialect::Extended), None);
        assert_eq!(why("[ab].py", Dialect::Extended), None);
    }

    #[test]
    fn a_list_that_excludes_what_it_covers_covers_nothing() {
        let list =
            |globs: &[&str]| why_all(&globs.iter().map(ToString::to_string).collect::<Vec<_>>());
        for globs in [&["!a"][..], &["a", "!a"], &["x/**", "!**"], &["a", "b", "!b", "!a"]] {
            assert!(list(globs).is_some(), "{globs:?}");
        }
        for globs in [&["a"][..], &["a", "!b"], &["a", "b", "!b"], &["**", "!a/**"]] {
            assert_eq!(list(globs), None, "{globs:?}");
        }
    }
}
