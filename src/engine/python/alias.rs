//! What the names in a module stand for: imports, and plain assignments of names.
//!
//! Every import of a name is kept, not only the last, and counts in the whole module. So a name
//! may stand for more than Python would find at that place, and never for less.

use super::module::Call;
use super::pattern::CallPattern;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// The scope of imports, and of what is assigned outside functions.
pub const EVERYWHERE: Range<usize> = 0..usize::MAX;

/// How many names a call may have; with more of them the call is not judged to the end.
pub(super) const NAMES: usize = 256;

/// How many parts a name may have: where names grow in a circle (`x = x.y`), that ends it.
pub(super) const PARTS: usize = 16;

/// The module of the functions that need no import, by the names it has and had.
const BUILTINS: [&str; 3] = ["builtins", "__builtins__", "__builtin__"];

/// Functions and types that need no import: a star import could bring these names, too, but
/// hardly ever does.
const NEED_NO_IMPORT: &str = "\
    abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr \
    classmethod compile complex delattr dict dir divmod enumerate eval exec filter float \
    format frozenset getattr globals hasattr hash help hex id input int isinstance \
    issubclass iter len list locals map max memoryview min next object oct open ord pow \
    print property range repr reversed round set setattr slice sorted staticmethod str sum \
    super tuple type vars zip";

/// The names that a module binds.
#[derive(Debug, Default)]
pub struct Bindings {
    aliases: HashMap<String, Vec<Alias>>,
    /// Modules of which every name is imported.
    stars: Vec<String>,
    /// Names that are bound to what is no alias: a function, a class, a module by its own name.
    own: HashSet<String>,
}

#[derive(Debug)]
struct Alias {
    target: String,
    scope: Range<usize>,
}

/// The names of one call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// As it is written, and with aliases replaced.
    pub known: Vec<String>,
    /// What a star import could make of it, but more likely does not: evidence only when a
    /// pattern spells the name out.
    pub guessed: Vec<String>,
    /// Whether there are more.
    pub cut: bool,
}

/// A module's names as far as they lead to what some patterns are about. Whatever cannot lead
/// there is left out, or loops over linked things would have endless names.
#[derive(Debug)]
pub struct Reach<'a> {
    bindings: &'a Bindings,
    /// The names that lead there; nothing when all may.
    leading: Option<HashSet<&'a str>>,
}

impl Bindings {
    /// Adds that a name stands for another within a range of bytes.
    pub fn add(&mut self, name: String, target: String, scope: Range<usize>) {
        let parts = name.split('.').count().max(target.split('.').count());
        if name != target && parts <= PARTS {
            self.aliases.entry(name).or_default().push(Alias { target, scope });
        }
    }

    /// Adds a module of which every name is imported.
    pub fn star(&mut self, module: String) {
        self.stars.push(module);
    }

    /// Adds a name that no star import brings.
    pub fn own(&mut self, name: String) {
        self.own.insert(name);
    }

    pub(super) fn is_own(&self, name: &str) -> bool {
        self.own.contains(name)
    }

    /// Returns what leads to the things that patterns are about.
    pub fn reach<'a>(&'a self, patterns: &[&CallPattern]) -> Reach<'a> {
        if patterns.iter().any(|pattern| pattern.begins_open()) {
            return Reach { bindings: self, leading: None };
        }
        let about =
            |part| BUILTINS.contains(&part) || patterns.iter().any(|one| one.has_part(part));
        let mut found: Vec<&str> = Vec::new();
        let mut by_target: HashMap<&str, Vec<&str>> = HashMap::new();
        for (name, aliases) in &self.aliases {
            for (prefix, _) in aliases.iter().flat_map(|alias| prefixes(&alias.target)) {
                by_target.entry(prefix).or_default().push(name);
                if about(prefix) {
                    found.push(name);
                }
            }
        }
        let mut leading = HashSet::new();
        while let Some(name) = found.pop() {
            if leading.insert(name) {
                found.extend(by_target.get(name).into_iter().flatten());
            }
        }
        Reach { bindings: self, leading: Some(leading) }
    }
}

impl Reach<'_> {
    /// Returns the names of what a call calls.
    #[must_use]
    pub fn names(&self, call: &Call) -> Names {
        let mut names = Names { known: vec![call.name.clone()], ..Names::default() };
        let mut next = 0;
        while let Some(name) = names.known.get(next).cloned() {
            next += 1;
            for new in self.replaced(&name, call.at) {
                if new.split('.').count() > PARTS || names.known.contains(&new) {
                    continue;
                }
                if names.known.len() == NAMES {
                    names.cut = true;
                    return names;
                }
                names.known.push(new);
            }
        }
        self.add_starred(&mut names);
        names
    }

    /// Returns the names that come of a name when one alias in it is replaced.
    fn replaced<'s>(&'s self, name: &'s str, at: usize) -> impl Iterator<Item = String> + 's {
        prefixes(name).flat_map(move |(prefix, rest)| {
            let builtin = rest.strip_prefix('.').filter(|_| BUILTINS.contains(&prefix));
            let leads = self.leading.as_ref().is_none_or(|leading| leading.contains(prefix));
            let aliases = self.bindings.aliases.get(prefix).filter(|_| leads);
            let aliases = aliases.into_iter().flatten().filter(move |one| one.scope.contains(&at));
            let replaced = aliases.map(move |alias| format!("{}{rest}", alias.target));
            builtin.map(str::to_owned).into_iter().chain(replaced)
        })
    }

    fn add_starred(&self, names: &mut Names) {
        let stars = &self.bindings.stars;
        let mut known = Vec::new();
        for name in names.known.iter().filter(|_| !stars.is_empty()) {
            let first = name.split('.').next().unwrap_or(name);
            if self.bindings.own.contains(first) {
                continue;
            }
            let likely = name == first
                && !self.bindings.aliases.contains_key(first)
                && !needs_no_import(first)
                && !["Error", "Exception", "Warning"].iter().any(|end| first.ends_with(end));
            let into = if likely { &mut known } else { &mut names.guessed };
            into.extend(stars.iter().map(|module| format!("{module}.{name}")));
        }
        names.known.append(&mut known);
    }
}

/// Tells whether a name is one of a function or a type that needs no import.
pub(super) fn needs_no_import(name: &str) -> bool {
    NEED_NO_IMPORT.split(' ').any(|known| known == name)
}

/// Returns each beginning of a dotted name, with what follows it.
pub(super) fn prefixes(name: &str) -> impl Iterator<Item = (&str, &str)> {
    let dots = name.match_indices('.').map(|(at, _)| at);
    dots.chain([name.len()]).map(|at| name.split_at(at))
}
