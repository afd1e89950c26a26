//! `audit`: would a stored decision, or a whole store of them, be the same under today's rules,
//! or under others?

mod all;
mod books;
mod one;

use super::defaults;
use super::failure::Failure;
use super::filters::Times;
use super::lists;
use super::rule_sources::RuleSource;
use super::verify;
use super::world::World;
use crate::domain::sanitize::visible;
use crate::store::find::{self, Found, Placed};
use crate::store::reader::Snapshot;
use crate::store::segments::Segment;
use crate::store::stored::{Kind, Stored};
use books::Books;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// Tell how a stored decision came about, and judge it once more by the rules of today
///
/// The change is made again from its record and judged by the project's rules, or by those of
/// `--rules`. With `--all` this is done with every decision of the store, and each verdict that
/// would be another is listed: so a change of the rules is tried on what agents really did. What
/// a record does not hold is not guessed; such a record is one that cannot be replayed, with the
/// reason. `audit` asks what the rules say; whether a store was tampered with is the question of
/// `verify`.
///
/// With `--json`, one object. For a decision: `id`, `verdict`, `reasons`, `added_lines`, `steps`
/// and `replay`, which holds `replayed`, `same`, `verdict` and `differences`. With `--all`:
/// `records`, `replayed`, `flip_count`, `flips` (the first 1,000), `by_rule`, `others`,
/// `not_replayed` and `unreadable`.
#[derive(Clone, Debug, clap::Args)]
#[command(
    mut_arg("since", |since| since.requires("all")),
    mut_arg("until", |until| until.requires("all")),
    after_help = "Examples:\n  \
    solvi-hook audit 131822ec\n  \
    solvi-hook audit --all --rules new-rules.toml --since 2026-11-01\n  \
    solvi-hook audit --all --json | jq .by_rule\n\n\
    Exit status: 0 nothing differs, 1 something does, 2 it could not be read or replayed."
)]
pub struct Args {
    /// The decision's id, or the beginning of it [default: the newest decision about a file]
    #[arg(value_name = "ID")]
    id: Option<String>,
    /// The store [default: .solvi/traces/hooks.jsonl of the project]
    #[arg(value_name = "STORE")]
    store: Option<PathBuf>,
    /// Judge every decision of the store; STORE is then the first argument
    #[arg(long)]
    all: bool,
    /// The rules that judge [default: those of the project]
    #[arg(long, value_name = "PATH")]
    rules: Option<PathBuf>,
    #[command(flatten)]
    times: Times,
    /// How many records are judged at once [default: one for each processor]
    #[arg(long, value_name = "N", requires = "all", value_parser = lists::count)]
    jobs: Option<NonZeroUsize>,
    /// Write one JSON object
    #[arg(long)]
    json: bool,
    /// The project's folder [default: the repository that this folder is in]
    #[arg(long, value_name = "DIR", alias = "root")]
    project: Option<PathBuf>,
}

/// Runs the sub-command.
pub fn run(args: &Args, world: &World, out: &mut dyn Write) -> Result<u8, Failure> {
    let root = defaults::recorded(args.project.as_deref(), world);
    let (id, named) = match (args.all, &args.id, &args.store) {
        (true, Some(_), Some(_)) => {
            return Err(Failure::new("with `--all` no single decision is audited")
                .next("give either an id or `--all`"));
        }
        (true, Some(store), None) => (None, Some(Path::new(store))),
        (_, id, store) => (id.as_deref(), store.as_deref()),
    };
    let (path, name) = verify::store(named, &root, world)?;
    let opened = verify::open(&path, &name)?;
    // A path on the command line is meant from where the person stands.
    let rules = args.rules.as_ref().map(|path| world.path(path));
    let mut books = Books::read(&RuleSource::find(rules.as_deref(), &root, world)?, &root)?;
    world.secrets.remember(books.redactor());
    if let Some(rules) = &args.rules {
        books.name = rules.display().to_string();
    }
    if args.all {
        let files: Vec<_> = opened.iter().map(|(segment, _)| segment.name_in(&path)).collect();
        let opened = opened.into_iter().map(|(_, snapshot)| snapshot).collect();
        let tally = all::tally(opened, &books, args.times.span(world), args.jobs)
            .map_err(|error| verify::unreadable(&name, error))?;
        let told = all::Told { store: &name, files: &files, rules: &books.name };
        if args.json {
            writeln!(out, "{}", tally.object(told))?;
        } else {
            out.write_all(tally.text(told).as_bytes())?;
        }
        return Ok(u8::from(tally.differs()));
    }
    let mut opened = opened;
    let placed = placed(&mut opened, id, &name)?;
    let file = opened.get(placed.file).and_then(|(segment, _)| segment.name_in(&path));
    let audit = one::Audit::of(&placed, file.as_deref(), &books);
    if args.json {
        writeln!(out, "{}", audit.object(&name))?;
    } else {
        out.write_all(audit.text().as_bytes())?;
    }
    Ok(audit.status())
}

/// Finds the decision that is meant.
fn placed(
    opened: &mut [(Segment, Snapshot)],
    id: Option<&str>,
    store: &str,
) -> Result<Box<Placed>, Failure> {
    let about_file = |record: &Stored| record.kind() == Kind::Decision && record.path().is_some();
    let files = opened.iter_mut().map(|(_, snapshot)| &mut snapshot.lines);
    let found = match id {
        Some(id) => find::by_id(files, id),
        None => find::last(files, about_file),
    };
    match found.map_err(|error| verify::unreadable(store, error))? {
        Found::One(placed) => Ok(placed),
        Found::None => {
            let id = id.map_or("no decision about a file".to_owned(), |id| {
                format!("no record with an id that begins with `{}`", visible(id))
            });
            Err(Failure::new(format!("`{}` holds {id}", visible(store)))
                .next("see what it holds: `solvi-hook audit --all`"))
        }
        Found::Many(ids) => {
            let ids: Vec<_> = ids.iter().map(|id| visible(id).into_owned()).collect();
            Err(Failure::new("more than one id begins like that")
                .because(ids.join(", "))
                .next("give more of the id"))
        }
    }
}
