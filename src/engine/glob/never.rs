//! Globs of a rule that match no path, or hardly those that are meant: which, why, and what to
//! write instead.

use super::reach::reaches;
use super::{Dialect, Glob, Globs};

/// A glob that matches no path, or hardly those that are meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Never {
    /// Which of the rule's globs it is, from 0.
    pub index: usize,
    /// Why.
    pub problem: String,
    /// What to write instead, where that can be told.
    pub fix: Option<String>,
}

/// Top folders of a system. A glob below one of them is about files outside the project.
const SYSTEM: &[&str] = &[
    "etc",
    "usr",
    "home",
    "root",
    "var",
    "tmp",
    "opt",
    "dev",
    "proc",
    "sys",
    "sbin",
    "run",
    "mnt",
    "media",
    "srv",
    "boot",
    "nix",
    "lib64",
    "Users",
    "Library",
    "Volumes",
    "private",
    "System",
    "Applications",
];

/// Endings of files in whose names frameworks write parameters in brackets: `[id].tsx`.
const ROUTES: &[&str] =
    &["tsx", "ts", "jsx", "js", "mjs", "vue", "svelte", "astro", "md", "mdx", "json", "html"];

/// Signs of globs that have a meaning in some dialect.
const SIGNS: &[char] = &['*', '?', '[', ']', '{', '}'];

/// Tells which globs of a rule match no path, in their order; none when they cannot be read.
///
/// ```
/// use solvi_hook::engine::glob::{Dialect, why_never};
///
/// let never = why_never(&["src/".to_owned(), "*.py".to_owned()], Dialect::Plain);
/// assert_eq!(never[0].problem, "it ends with `/`, and a folder has no path of its own");
/// assert_eq!(never[0].fix.as_deref(), Some("write `src/**`"));
/// assert_eq!((never.len(), never[0].index), (1, 0));
/// ```
#[must_use]
pub fn why_never(globs: &[String], dialect: Dialect) -> Vec<Never> {
    let Ok(all) = Globs::read(globs, dialect) else { return Vec::new() };
    let mut never = Vec::new();
    for (index, written) in globs.iter().enumerate() {
        let why = spelling(written, dialect).or_else(|| excluded(written, dialect, &all));
        if let Some((problem, fix)) = why {
            never.push(Never { index, problem, fix });
        }
    }
    if all.including.is_empty() && !globs.is_empty() {
        let problem = "every glob of the rule excludes, so it covers no path".to_owned();
        let fix = Some("add a glob of what it covers, such as `**`".to_owned());
        never.insert(0, Never { index: 0, problem, fix });
    }
    never
}

/// A problem and what to write instead.
type Why = (String, Option<String>);

/// Returns why a glob by itself matches no path, or hardly those that are meant.
fn spelling(written: &str, dialect: Dialect) -> Option<Why> {
    let (sign, glob) = match written.strip_prefix('!') {
        Some(glob) => ("!", glob),
        None => ("", written),
    };
    let write = |glob: String| format!("write `{sign}{glob}`");
    if let Some(dead) = first_dead(glob, dialect) {
        let problem = why_dead(&dead.text);
        let problem = if dead.text == glob { problem } else { format!("`{dead}`: {problem}") };
        let fix = mended(glob, dialect).map(write);
        let outside = "a file outside the project has its absolute path";
        let fix = fix.or_else(|| glob.starts_with("../").then(|| outside.to_owned()));
        return Some((problem, fix));
    }
    if glob.trim() != glob {
        let problem = "the space around it stands for itself".to_owned();
        return Some((problem, Some(write(glob.trim().to_owned()))));
    }
    if glob.starts_with("~/") {
        let problem = "`~` stands for itself: paths are held against globs resolved".to_owned();
        return Some((problem, Some("write the absolute path".to_owned())));
    }
    if is_absolute_by_mistake(glob) {
        let problem = "only paths outside the project begin with `/`".to_owned();
        let inside = glob.trim_start_matches('/').to_owned();
        return Some((problem, Some(format!("{} for those inside", write(inside)))));
    }
    if glob.contains('\\') {
        let escapes = glob.match_indices('\\').all(|(at, _)| {
            glob.get(at + 1..).is_some_and(|rest| rest.starts_with(['[', ']', '{', '}', '!', ' ']))
        });
        return Some(if escapes {
            let problem = "`\\` stands for itself, and so does what follows it".to_owned();
            (problem, Some(write(glob.replace('\\', ""))))
        } else {
            let slashes = glob.replace("\\\\", "/").replace('\\', "/");
            let problem = "`\\` stands for itself; `/` stands between folders".to_owned();
            (problem, Some(write(mended(&slashes, dialect).unwrap_or(slashes))))
        });
    }
    let literal = dialect == Dialect::Plain && (has_choice(glob) || has_set(glob));
    literal.then(|| {
        let problem = "`{`, `[` and what is between them stand for themselves".to_owned();
        let fix = "write `glob = \"extended\"` at the top of the file to give them a meaning";
        (problem, Some(fix.to_owned()))
    })
}

/// Returns why a glob that covers paths has none left: others exclude them.
fn excluded(written: &str, dialect: Dialect, all: &Globs) -> Option<Why> {
    let covering = Globs::read(&[written], dialect).ok()?.including;
    let gone = |by: &[Glob]| covering.iter().all(|glob| reaches(glob, by) == Some(false));
    if covering.is_empty() || all.excluding.is_empty() || !gone(&all.excluding) {
        return None;
    }
    let one = all.excluding.iter().find(|glob| gone(std::slice::from_ref(glob)));
    let by =
        one.map_or("the globs with `!` exclude".to_owned(), |one| format!("`!{one}` excludes"));
    Some((format!("{by} all that it covers"), None))
}

/// Returns the first of the globs that a glob stands for that no path fits.
fn first_dead(glob: &str, dialect: Dialect) -> Option<Glob> {
    let globs = stands_for(glob, dialect)?;
    // Behind `**/` a slash is the first of an absolute path, which is hardly meant.
    let dead = |glob: &Glob| glob.text.contains("//") || reaches(glob, &[]) == Some(false);
    globs.into_iter().find(dead)
}

/// Returns the globs that one without `!` stands for.
fn stands_for(glob: &str, dialect: Dialect) -> Option<Vec<Glob>> {
    Globs::read(&[format!("!{glob}")], dialect).ok().map(|globs| globs.excluding)
}

/// Returns why no path fits a glob.
fn why_dead(glob: &str) -> String {
    let holds = |name: &str| glob.split('/').any(|part| part == name);
    if glob.starts_with("./") {
        "no path begins with `./`"
    } else if holds("..") {
        "no path holds `..`: it is resolved first"
    } else if holds(".") {
        "no path holds a folder `.`: it is resolved first"
    } else if glob.contains("//") {
        "no path holds `//`"
    } else if glob.ends_with('/') {
        "it ends with `/`, and a folder has no path of its own"
    } else {
        "no path can look like it"
    }
    .to_owned()
}

/// Returns a glob as a path would be resolved; nothing when that matches no path either.
fn mended(glob: &str, dialect: Dialect) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in glob.split('/') {
        match part {
            "" | "." => {}
            ".." => _ = parts.pop().filter(|part| !part.contains(SIGNS))?,
            part => parts.push(part),
        }
    }
    let folder = glob.ends_with('/') || glob.ends_with("/.") || glob == ".";
    if folder && parts.last() != Some(&"**") {
        parts.push("**");
    }
    let root = if glob.starts_with('/') && !is_absolute_by_mistake(glob) { "/" } else { "" };
    let mended = format!("{root}{}", parts.join("/"));
    let lives = stands_for(&mended, dialect)?.iter().all(|it| reaches(it, &[]) == Some(true));
    lives.then_some(mended)
}

/// Tells whether a glob begins with a `/` and yet seems to be about the project.
fn is_absolute_by_mistake(glob: &str) -> bool {
    let Some(inside) = glob.strip_prefix('/') else { return false };
    let first = inside.split('/').next().unwrap_or_default();
    !first.contains(SIGNS) && !SYSTEM.contains(&first)
}

/// Tells whether a plain glob holds what would be a choice in the extended dialect.
fn has_choice(glob: &str) -> bool {
    let braces = glob.split_once('{').and_then(|(_, rest)| rest.split_once('}'));
    braces.is_some_and(|(inside, _)| inside.contains(','))
}

/// Tells whether a plain glob holds what would be a set in the extended dialect, and is no name
/// of a route's parameter: `app/[id]/page.tsx`.
fn has_set(glob: &str) -> bool {
    glob.split('/').any(|part| {
        let parameter = part.strip_prefix('[').and_then(|rest| rest.split_once(']'));
        let is_route = parameter.is_some_and(|(name, rest)| {
            let ending = rest.trim_start_matches(']').rsplit_once('.').map(|(_, ending)| ending);
            let range = name.len() == 3 && name.contains('-');
            let named = !range && !name.starts_with(['!', '^']);
            named && ending.map_or(rest.trim_matches(']').is_empty(), |it| ROUTES.contains(&it))
        });
        let opens = part.split_once('[').is_some_and(|(_, rest)| rest.contains(']'));
        opens && !is_route
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(globs: &[&str], dialect: Dialect) -> Vec<String> {
        let globs: Vec<String> = globs.iter().map(ToString::to_string).collect();
        let told = |never: Never| match never.fix {
            Some(fix) => format!("{}: {}; {fix}", globs[never.index], never.problem),
            None => format!("{}: {}", globs[never.index], never.problem),
        };
        why_never(&globs, dialect).into_iter().map(told).collect()
    }

    #[test]
    fn a_glob_that_no_path_fits_is_told_with_one_that_some_do() {
        for (glob, why) in [
            ("./x", "no path begins with `./`; write `x`"),
            ("./src/", "no path begins with `./`; write `src/**`"),
            ("src/", "it ends with `/`, and a folder has no path of its own; write `src/**`"),
            ("**/", "it ends with `/`, and a folder has no path of its own; write `**`"),
            ("a//b", "no path holds `//`; write `a/b`"),
            ("**//a", "no path holds `//`; write `**/a`"),
            ("a/../b", "no path holds `..`: it is resolved first; write `b`"),
            ("**/../b", "no path holds `..`: it is resolved first"),
            (
                "../x",
                "no path holds `..`: it is resolved first; a file outside the project has its \
                 absolute path",
            ),
            ("a/./b", "no path holds a folder `.`: it is resolved first; write `a/b`"),
            (".", "no path holds a folder `.`: it is resolved first; write `**`"),
            (
                "/src/*.py",
                "only paths outside the project begin with `/`; write `src/*.py` for those inside",
            ),
            ("/src/", "it ends with `/`, and a folder has no path of its own; write `src/**`"),
            (
                "/etc/ssh/",
                "it ends with `/`, and a folder has no path of its own; write `/etc/ssh/**`",
            ),
            (
                r"src\**\*.py",
                r"`\` stands for itself; `/` stands between folders; write `src/**/*.py`",
            ),
            (r".\src\a.py", r"`\` stands for itself; `/` stands between folders; write `src/a.py`"),
            (
                r"app/\[id\]/x",
                r"`\` stands for itself, and so does what follows it; write `app/[id]/x`",
            ),
            (
                "~/.ssh/*",
                "`~` stands for itself: paths are held against globs resolved; write the absolute path",
            ),
            (" src/**", "the space around it stands for itself; write `src/**`"),
        ] {
            assert_eq!(told(&[glob], Dialect::Plain), [format!("{glob}: {why}")]);
            let not = format!("!{glob}");
            let why = why.replace("write `", "write `!");
            assert_eq!(told(&["**", &not], Dialect::Plain), [format!("{not}: {why}")]);
        }
        assert_eq!(
            told(&["{src/,lib/**}"], Dialect::Extended),
            ["{src/,lib/**}: `src/`: it ends with `/`, and a folder has no path of its own"]
        );
        assert_eq!(
            told(&["./{a,b}/[!x]"], Dialect::Extended),
            ["./{a,b}/[!x]: `./a/[!x]`: no path begins with `./`; write `{a,b}/[!x]`"]
        );
        assert_eq!(told(&["x/[.]"], Dialect::Extended), ["x/[.]: no path can look like it"]);
    }

    #[test]
    fn a_glob_of_which_others_leave_nothing_is_told() {
        for (globs, why) in [
            (["a", "!a"], "a: `!a` excludes all that it covers"),
            (["x/**", "!**"], "x/**: `!**` excludes all that it covers"),
            (["src/a.py", "!**/*.py"], "src/a.py: `!**/*.py` excludes all that it covers"),
        ] {
            assert_eq!(told(&globs, Dialect::Plain), [why]);
        }
        assert_eq!(
            told(&["{a,b}", "!a", "!b"], Dialect::Extended),
            ["{a,b}: the globs with `!` exclude all that it covers"]
        );
        assert_eq!(
            told(&["!a", "!b"], Dialect::Plain),
            ["!a: every glob of the rule excludes, so it covers no path; add a glob of what it \
              covers, such as `**`"]
        );
        assert_eq!(told(&["a", "b", "!b/*", "!a*?"], Dialect::Plain), [""; 0]);
    }

    #[test]
    fn signs_without_a_meaning_are_told_but_names_of_routes_are_not() {
        let why = "`{`, `[` and what is between them stand for themselves; write `glob = \
                   \"extended\"` at the top of the file to give them a meaning";
        for glob in [
            "*.{ts,tsx}",
            "src/{a,b}/**",
            "!{a,b}",
            "v[0-9]/*",
            "[a-z]/x",
            "test_[ab].py",
            "[ab].py",
            "[!._]*",
            "**/[A-Z]*.ts",
        ] {
            let globs = ["**", glob];
            assert_eq!(told(&globs, Dialect::Plain), [format!("{glob}: {why}")]);
            assert_eq!(told(&globs, Dialect::Extended), [""; 0], "{glob}");
        }
        for glob in [
            "app/[id]/page.tsx",
            "app/[...slug]/**",
            "app/[[...slug]]/**",
            "pages/[user-id].tsx",
            "{{name}}/**",
            "a]",
            "a[",
        ] {
            assert_eq!(told(&[glob], Dialect::Plain), [""; 0], "{glob}");
        }
    }

    #[test]
    fn usual_globs_are_not_told() {
        for glob in ["**", "**/*", "src/**/*.py", ".github/**", "/etc/**", "/**/x", "a b", "..x"] {
            assert_eq!(told(&[glob, "!**/tests/**"], Dialect::Plain), [""; 0], "{glob}");
        }
        // What cannot be read is an error of the file.
        assert_eq!(told(&["[z-a]", "./x"], Dialect::Extended), [""; 0]);
    }
}
