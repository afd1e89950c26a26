//! By which rules a change of a repository is evaluated: those of its base and its own.
//!
//! Whoever changes the rules must not be checked by the changed rules alone, and whoever adds a
//! rule wants it to count at once. So a finding of either side counts, and what a change loosens
//! is a finding of its own. Where both sides hold the same file nothing is read or evaluated twice.

use super::failure::Failure;
use super::rule_sources::{RULES_FILES, RULES_VARIABLE, RuleSource, Unusable};
use super::world::World;
use crate::domain::byte_name;
use crate::domain::checks;
use crate::domain::sanitize::visible;
use crate::domain::{
    Change, Content, Finding, Moment, Numbering, Part, Place, RepoPath, Ruling, Spot, Verdict,
};
use crate::engine::nearest::nearest;
use crate::engine::redaction::Redactor;
use crate::engine::rules::{Loosened, Rule, Rulebook};
use crate::git::{self, Delta, Id, Repo};
use crate::report::{RuleSet, count};
use std::path::{Path, PathBuf};

/// The id under which loosened rules are told.
pub const LOOSENED: &str = checks::RULES_LOOSENED;

/// The built-in checks of a commit, a range and a patch, which may be named as rules are.
const CHECKS: [&str; 2] = [checks::INSTRUCTIONS, LOOSENED];

/// How the built-in rules are named among the rules that evaluate.
const BUILT_IN_SET: &str = "built-in";

/// The rules that evaluate, and where they come from.
#[derive(Debug)]
pub struct Rules {
    /// The rules of all sides.
    pub book: Rulebook,
    /// What they redact, also those that do not evaluate.
    pub redactor: Redactor,
    /// Whether the instruction check evaluates beside the rules.
    pub instruction_check: bool,
    /// What a reader should know about their origin.
    pub notes: Vec<String>,
    /// Each file of rules, and how many of its rules evaluate.
    pub sets: Vec<RuleSet>,
    /// The rules of the change itself.
    pub source: RuleSource,
    /// What the change makes of the rules, when it loosens them.
    pub loosened: Option<Ruling>,
    // The rules files of the project, as paths in the repository.
    files: Vec<String>,
}

/// Where rules are looked for.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// The file that was named.
    pub named: Option<&'a Path>,
    /// The project's root.
    pub root: &'a Path,
    /// The only rules that are wanted; all when empty.
    pub only: &'a [String],
    /// When they evaluate.
    pub moment: Moment,
}

/// A commit, and how it is named.
#[derive(Clone, Copy, Debug)]
pub struct Named<'a> {
    /// The commit.
    pub id: Id,
    /// Its name, for a person.
    pub name: &'a str,
}

/// The commits whose rules evaluate a range.
#[derive(Clone, Copy)]
pub struct Ends<'a> {
    /// What the change is for: the branch it goes to, the remote's side. None has rules of its own
    /// when there is nothing before the change.
    pub bases: &'a [Named<'a>],
    /// Where the change begins; what it loosens is told by comparison with these. Rules that one of
    /// them has already are loosened by no change.
    pub before: &'a [Named<'a>],
    /// What the change comes to.
    pub tip: Named<'a>,
    /// A branch that the change may have been merged with: rules that are its own are no work of
    /// the change.
    pub merged: &'a dyn Fn() -> Result<Option<Id>, Failure>,
}

/// The rules of a base, where it has any.
type Base = Option<Result<RuleSource, Failure>>;

/// What evaluates, before it is read.
struct Sides {
    bases: Vec<Result<RuleSource, Failure>>,
    before: Vec<Result<RuleSource, Failure>>,
    change: RuleSource,
    notes: Vec<String>,
}

impl Rules {
    /// Takes the rules of HEAD and those that are staged, because these are what the commit will
    /// hold; the working tree's where none is tracked.
    pub fn staged(wanted: Wanted<'_>, repo: &Repo, world: &World) -> Result<Self, Failure> {
        let names = wanted.names(world);
        let base = head(repo, &names)?;
        let staged = RuleSource::staged(repo, &names)?;
        let Some(change) = staged else {
            let disk = RuleSource::find(wanted.named, wanted.root, world)?;
            return match base {
                // The commit deletes the file.
                Some(Ok(RuleSource::BuiltIn)) | None => Self::of(disk, wanted),
                Some(base) => Self::both(Sides::of(base, disk), wanted),
            };
        };
        let note = differs(&change, wanted.root);
        let first = base.is_none();
        let mut rules = match base {
            Some(base) if !is_merged(repo, &change, &names)? => {
                Self::both(Sides::of(base, change), wanted)?
            }
            _ => Self::of(change, wanted)?,
        };
        if first {
            readable(&rules.book)?;
        }
        rules.notes.extend(note);
        Ok(rules)
    }

    /// Takes the rules of HEAD and those of the working tree.
    pub fn worktree(wanted: Wanted<'_>, repo: &Repo, world: &World) -> Result<Self, Failure> {
        let change = RuleSource::find(wanted.named, wanted.root, world)?;
        if wanted.file(world).is_some() {
            return Self::of(change, wanted);
        }
        match head(repo, &wanted.names(world))? {
            Some(base) => Self::both(Sides::of(base, change), wanted),
            None => Self::of(change, wanted),
        }
    }

    /// Takes the rules of HEAD, those of the working tree, and those that a patch would leave.
    pub fn patched<'a>(
        wanted: Wanted<'_>,
        repo: Option<&Repo>,
        changes: impl IntoIterator<Item = &'a Change>,
        world: &World,
    ) -> Result<Self, Failure> {
        let disk = RuleSource::find(wanted.named, wanted.root, world)?;
        if wanted.file(world).is_some() {
            return Self::of(disk, wanted);
        }
        let base = match repo {
            Some(repo) => head(repo, &wanted.names(world))?,
            None => None,
        };
        let bases: Vec<_> = base.into_iter().chain([Ok(disk.clone())]).collect();
        let before = bases.first().cloned().into_iter().collect();
        let is_rules = |place: &Place| RULES_FILES.contains(&place.as_str());
        let mut notes = Vec::new();
        let (mut left, mut unknown) = (None, None);
        for change in changes {
            if !is_rules(&change.place) {
                // A rules file that moves elsewhere is none there.
                if let Some(from) = change.moved_from.as_ref().filter(|from| is_rules(from)) {
                    notes.push(format!("the rules file {from} moves to {}", change.place));
                    left = left.or(Some(RuleSource::BuiltIn));
                }
                continue;
            }
            let name = change.place.as_str();
            notes.push(format!("the rules file {name} changes here"));
            match (&change.after, change.deletes()) {
                (Content::Text(text), _) if change.numbering == Numbering::File => {
                    left = Some(RuleSource::patched(name.to_owned(), text.clone()));
                }
                (_, true) => left = left.or(Some(RuleSource::BuiltIn)),
                _ => unknown = Some(format!("what the patch makes of {name} is not known")),
            }
        }
        let sides = Sides { bases, before, change: left.unwrap_or(disk), notes };
        let mut rules = Self::both(sides, wanted)?;
        if let Some(unknown) = unknown {
            let mut loosening = Loosening::default();
            loosening.spots.push(Spot::of_file(unknown));
            rules.loosened = loosening.ruling(&RuleSource::BuiltIn);
        }
        Ok(rules)
    }

    /// Takes the rules of the ends of a range. What is not committed evaluates no range, unless it
    /// was named and no commit has it.
    pub fn range(
        wanted: Wanted<'_>,
        ends: Ends<'_>,
        repo: &Repo,
        world: &World,
    ) -> Result<Self, Failure> {
        let names = wanted.names(world);
        let by_hand = wanted.file(world).is_some();
        let at = |side: Named<'_>| RuleSource::at(repo, side.id, side.name, &names);
        let change = at(ends.tip)?;
        let Some(change) = change.or((!by_hand).then_some(RuleSource::BuiltIn)) else {
            let disk = RuleSource::find(wanted.named, wanted.root, world)?;
            let mut rules = Self::of(disk, wanted)?;
            rules.notes.push(format!("{} is not committed", rules.book.file));
            return Ok(rules);
        };
        let side = |side: Named<'_>| base(at(side), by_hand);
        let mut bases = Vec::new();
        for end in ends.bases {
            bases.extend(side(*end)?);
        }
        let mut before = Vec::new();
        for end in ends.before {
            before.extend(side(*end)?);
        }
        let same = |it: &Result<RuleSource, Failure>| {
            it.as_ref().is_ok_and(|source| source.is_same(&change))
        };
        if bases.iter().chain(&before).any(|it| !same(it))
            && let Some(id) = (ends.merged)()?
            && at(Named { id, name: "the default branch" })?
                .unwrap_or(RuleSource::BuiltIn)
                .is_same(&change)
        {
            (bases, before) = (Vec::new(), Vec::new());
        }
        if before.iter().any(same) {
            before.clear();
        }
        if bases.is_empty() && before.is_empty() {
            readable(&change.load()?)?;
        }
        let mut notes = Vec::new();
        if change == RuleSource::BuiltIn
            && let Ok(RuleSource::WorkingTree(file)) = RuleSource::find(None, wanted.root, world)
        {
            let name = file.name;
            notes.push(format!("{name} is not committed, so its rules do not count here"));
        }
        Self::both(Sides { bases, before, change, notes }, wanted)
    }

    /// Takes the rules of one revision.
    pub fn of_revision(
        wanted: Wanted<'_>,
        revision: &str,
        repo: &Repo,
        world: &World,
    ) -> Result<Self, Failure> {
        let names = wanted.names(world);
        let commit = repo.commit(revision)?;
        match RuleSource::at(repo, commit, revision, &names)? {
            Some(source) => Self::of(source, wanted),
            None if wanted.file(world).is_some() => {
                let names = names.join("`, `");
                let failure = Failure::new(format!("`{revision}` has no rules file `{names}`"));
                Err(failure.next("name a revision that has one with `--rules-from`"))
            }
            None => {
                let mut rules = Self::of(RuleSource::BuiltIn, wanted)?;
                rules.notes.push(format!("{revision} has no rules file; the built-in rules judge"));
                Ok(rules)
            }
        }
    }

    /// Takes the rules of the working tree alone.
    pub fn on_disk(wanted: Wanted<'_>, world: &World) -> Result<Self, Failure> {
        Self::of(RuleSource::find(wanted.named, wanted.root, world)?, wanted)
    }

    /// Takes the rules of one source.
    fn of(source: RuleSource, wanted: Wanted<'_>) -> Result<Self, Failure> {
        let sides =
            Sides { bases: Vec::new(), before: Vec::new(), change: source, notes: Vec::new() };
        Self::both(sides, wanted)
    }

    /// Reads the rules of both sides of a change.
    fn both(sides: Sides, wanted: Wanted<'_>) -> Result<Self, Failure> {
        let Sides { bases, before, change, notes } = sides;
        let mut files: Vec<String> = RULES_FILES.map(ToOwned::to_owned).to_vec();
        files.extend(change.file().map(ToOwned::to_owned));
        let book = change.load()?;
        let is_other = |it: &Result<RuleSource, Failure>| {
            !it.as_ref().is_ok_and(|source| source.is_same(&change))
        };
        if before.iter().chain(&bases).any(is_other) {
            readable(&book)?;
        }
        let mut rules = Self {
            sets: Vec::new(),
            redactor: Redactor::default(),
            book,
            instruction_check: true,
            notes,
            source: change.clone(),
            loosened: None,
            files,
        };
        let mut loosening = Loosening::default();
        for before in before {
            loosening.compare(before, &change, &rules.book, wanted.only);
        }
        let own = sets(&change, &rules.book, wanted);
        let mut read: Vec<RuleSource> = Vec::new();
        for base in bases {
            let base = match base {
                Ok(base) if base.is_same(&change) => continue,
                Ok(base) if read.iter().any(|known| known.is_same(&base)) => continue,
                Ok(base) => base,
                // Told as a finding: what it would have found is not known.
                Err(failure) => {
                    loosening.unknown(&failure.causes.join(" "));
                    continue;
                }
            };
            match base.load() {
                Ok(book) => {
                    rules.sets.extend(sets(&base, &book, wanted));
                    for error in rules.book.add_base(book) {
                        loosening.unknown(&error.to_string());
                    }
                }
                Err(error) => loosening.unknown(&error.to_string()),
            }
            read.push(base);
        }
        rules.sets.extend(own);
        join(&mut rules.sets);
        rules.redactor = Redactor::of([&rules.book]);
        rules.loosened = loosening.ruling(&change);
        rules.choose(wanted)
    }

    /// Keeps the rules that are wanted: of this moment, and, where some are named, these alone.
    fn choose(mut self, wanted: Wanted<'_>) -> Result<Self, Failure> {
        let only = wanted.only;
        if only.is_empty() {
            self.book.keep_for(wanted.moment);
            return Ok(self);
        }
        let ids = self.book.rules.iter().map(|rule| rule.id.as_str());
        let ids: Vec<&str> = ids.chain(CHECKS).collect();
        if let Some(stranger) = only.iter().find(|id| !ids.contains(&id.as_str())) {
            let failure =
                Failure::new(format!("there is no rule or check `{}`", visible(stranger)));
            let (file, known) = (&self.book.file, ids.join(", "));
            let near = nearest(stranger, ids.iter().copied());
            let near = near.map(|near| format!("did you mean `{near}`?"));
            let next = near.unwrap_or_else(|| "name one of them".to_owned());
            return Err(failure.because(format!("{file} and the checks: {known}")).next(next));
        }
        self.book.rules.retain(|rule| only.contains(&rule.id));
        self.book.keep_for(wanted.moment);
        self.instruction_check = only.iter().any(|id| id == checks::INSTRUCTIONS);
        Ok(self)
    }

    /// Returns a note for each rules file that the changes touch.
    #[must_use]
    pub fn touched<'a>(&self, deltas: impl IntoIterator<Item = &'a Delta>) -> Vec<String> {
        let places = deltas.into_iter().map(|delta| &delta.place);
        let mut touched: Vec<String> = places
            .filter(|place| self.is_rules(place))
            .map(|place| format!("the rules file {place} changes here"))
            .collect();
        touched.dedup();
        touched
    }

    /// Tells whether a place is that of a rules file.
    #[must_use]
    pub fn is_rules(&self, place: &Place) -> bool {
        self.files.iter().any(|file| file == place.as_str())
    }
}

/// Fails where a pattern of any rule cannot be read, also of one that meets no path so far.
pub fn readable(book: &Rulebook) -> Result<(), Failure> {
    let wrong: Vec<_> = book.rules.iter().filter_map(|rule| rule.verify().err()).collect();
    if wrong.is_empty() {
        return Ok(());
    }
    let mut failure =
        Failure::new(format!("{} of {} rules cannot be read", wrong.len(), book.rules.len()));
    failure.causes = wrong.iter().map(ToString::to_string).collect();
    Err(failure.next("correct them, then run `solvi-hook rules check` again"))
}

/// Says how many rules a rules file has, and whether the built-in ones count beside them.
#[must_use]
pub fn counted(book: &Rulebook) -> String {
    let built_in = book.rules.iter().filter(|rule| rule.is_built_in()).count();
    let own = count(book.rules.len() - built_in, "rule");
    match (book.inherits, built_in) {
        (true, _) => format!("{own}, and {built_in} built-in"),
        (false, 0) => format!("{own}, and the built-in rules off (`extends = [\"builtin\"]`)"),
        (false, _) => count(built_in, "built-in rule"),
    }
}

/// Returns how the rules of a source are told: its own, then the built-in ones.
fn sets(source: &RuleSource, book: &Rulebook, wanted: Wanted<'_>) -> Vec<RuleSet> {
    let counts = |rule: &&Rule| {
        let chosen = wanted.only.is_empty() || wanted.only.contains(&rule.id);
        chosen && rule.on.contains(&wanted.moment)
    };
    let number = |built_in: bool| {
        let rules = book.rules.iter().filter(|rule| rule.is_built_in() == built_in);
        rules.filter(counts).count()
    };
    let built_in = |off| RuleSet { name: BUILT_IN_SET.to_owned(), rules: number(true), off };
    if *source == RuleSource::BuiltIn {
        return vec![built_in(false)];
    }
    let own = RuleSet { name: source.name_and_target(), rules: number(false), off: false };
    vec![own, built_in(!book.inherits)]
}

/// Tells the built-in rules once, also where both sides of a change have them.
fn join(sets: &mut Vec<RuleSet>) {
    let (built_in, mut own): (Vec<_>, Vec<_>) =
        sets.drain(..).partition(|set| set.name == BUILT_IN_SET);
    own.extend(built_in.into_iter().max_by_key(|set| (!set.off, set.rules)));
    *sets = own;
}

impl Wanted<'_> {
    /// Returns the file that was named, by the flag or by the variable.
    fn file(&self, world: &World) -> Option<PathBuf> {
        self.named.map(Path::to_owned).or_else(|| world.env(RULES_VARIABLE).map(PathBuf::from))
    }

    /// Returns the paths in the repository at which the rules file may be.
    fn names(&self, world: &World) -> Vec<String> {
        let Some(named) = self.file(world) else {
            return RULES_FILES.map(ToOwned::to_owned).to_vec();
        };
        let path = self.root.join(named);
        let inside = path.strip_prefix(self.root).unwrap_or(&path);
        vec![byte_name::of_path(inside).replace(std::path::MAIN_SEPARATOR, "/")]
    }
}

impl Sides {
    /// Makes the sides of a change that is compared with one base.
    fn of(base: Result<RuleSource, Failure>, change: RuleSource) -> Self {
        Self { bases: vec![base.clone()], before: vec![base], change, notes: Vec::new() }
    }
}

/// Returns where the rules of HEAD are; none while the branch has no commits.
fn head(repo: &Repo, names: &[String]) -> Result<Base, Failure> {
    let Some(head) = repo.head()? else { return Ok(None) };
    base(RuleSource::at(repo, head, "HEAD", names), names.len() == 1)
}

/// Returns the rules of a base: the built-in ones where it has no file of its own; none where a file
/// was named that it does not have. What is no rules file there is told, and stops no correction.
fn base(found: Result<Option<RuleSource>, Unusable>, by_hand: bool) -> Result<Base, Failure> {
    match found {
        Ok(None) if by_hand => Ok(None),
        Ok(found) => Ok(Some(Ok(found.unwrap_or(RuleSource::BuiltIn)))),
        Err(Unusable::Rules(failure)) => Ok(Some(Err(failure))),
        Err(Unusable::Repository(failure)) => Err(failure),
    }
}

/// Tells whether rules are those of a commit that a merge in progress brings in.
fn is_merged(repo: &Repo, change: &RuleSource, names: &[String]) -> Result<bool, Failure> {
    for parent in repo.merge_heads()? {
        let theirs = RuleSource::at(repo, parent, "MERGE_HEAD", names)?;
        if theirs.is_some_and(|theirs| theirs.is_same(change)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns a note when a staged file is another one in the working tree.
fn differs(staged: &RuleSource, root: &Path) -> Option<String> {
    let name = staged.file()?;
    let there = staged.is_on_disk(&root.join(name));
    (!there).then(|| {
        format!("{name} differs in the working tree; the staged version judges this commit")
    })
}

/// What a change makes of the rules.
#[derive(Default)]
struct Loosening {
    place: Option<String>,
    spots: Vec<Spot>,
}

impl Loosening {
    /// Compares the rules before a change with those after it.
    fn compare(
        &mut self,
        before: Result<RuleSource, Failure>,
        change: &RuleSource,
        after: &Rulebook,
        only: &[String],
    ) {
        let before = match before {
            Ok(before) if before.is_same(change) => return,
            Ok(before) => before,
            Err(failure) => return self.unknown(&failure.causes.join(" ")),
        };
        let book = match before.load() {
            Ok(book) => book,
            Err(error) => return self.unknown(&error.to_string()),
        };
        let place = change.file().or(before.file());
        self.place = place.map(ToOwned::to_owned);
        match (before.file(), change.file()) {
            (Some(old), Some(new)) if old != new => {
                self.add(Spot::of_file(format!("the rules file is moved from {old}")));
            }
            (Some(old), None) => self.add(Spot::of_file(format!("{old} is deleted"))),
            _ => {}
        }
        let built_in = before == RuleSource::BuiltIn;
        for loosened in book.loosened_by(after) {
            let chosen = |id: &str| only.iter().any(|it| it == id);
            if only.is_empty() || chosen(LOOSENED) || chosen(&loosened.id) {
                self.add(spot(&loosened, built_in));
            }
        }
    }

    /// Takes in what is loosened, once.
    fn add(&mut self, spot: Spot) {
        if !self.spots.iter().any(|known| known.what == spot.what) {
            self.spots.push(spot);
        }
    }

    /// Takes in that rules of a base cannot be read.
    fn unknown(&mut self, why: &str) {
        self.add(Spot::of_file(format!("the rules before the change cannot be read: {why}")));
    }

    /// Makes the finding.
    fn ruling(self, change: &RuleSource) -> Option<Ruling> {
        if self.spots.is_empty() {
            return None;
        }
        let [usual, ..] = RULES_FILES;
        let path = self.place.as_deref().or(change.file()).unwrap_or(usual);
        let place =
            RepoPath::new(path).map_or_else(|| Place::Outside(path.to_owned()), Place::Inside);
        let mut change =
            Change::of_lines(git::TOOL, place, Vec::new(), "only its rules are compared");
        change.numbering = Numbering::File;
        let finding = Finding {
            rule: LOOSENED.to_owned(),
            part: Part::Checks,
            verdict: Verdict::Ask,
            spots: self.spots,
            unknown: None,
            why: "This change loosens the rules that it is checked by.".to_owned(),
            instead: None,
        };
        Some(Ruling::of(change, vec![finding], None))
    }
}

fn spot(loosened: &Loosened, built_in: bool) -> Spot {
    let id = &loosened.id;
    let what = match loosened.line {
        None if built_in => format!("the built-in rule `{id}` is switched off"),
        _ => format!("rule `{id}`: {}", loosened.how.join("; ")),
    };
    Spot { line: loosened.line.unwrap_or(0), ..Spot::of_file(what) }
}
