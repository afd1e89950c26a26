//! `verify`: is the store what its writers left?

use super::failure::Failure;
use super::world::World;
use super::{anchor, defaults};
use crate::domain::sanitize::visible;
use crate::git::NOTES;
use crate::store::chain::{NoAnchor, Tip};
use crate::store::problem::Problem;
use crate::store::reader::Snapshot;
use crate::store::segments::{self, Retired, Segment};
use crate::store::traces;
use crate::store::utc::Utc;
use crate::store::verify::{self, Report, Spot};
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// How many of the lines that interrupted writes left are named.
const NAMED: usize = 10;

/// Check every record of a store: its hash, its place in the chain, and the end of the chain
///
/// Reads the store once, one record at a time, and names each line at which something is wrong,
/// what that means, and what to do. A store that was cut at its end together with its head file,
/// or written anew as a whole, is sound in itself: only an anchor that is kept elsewhere shows it.
///
/// With `--json`, one object: `ok`, `store`, `count`, `head` (`count` and `hash`), `legacy`,
/// `files`, `retired`, `unverified`, `interrupted` (writes), `recovered` (the lines that they left,
/// `file` and `line`), `problem_count` and `problems`, a list of objects with `file`
/// (of a sealed file), `line`, `until`, `id`, `kind`, `text` and `next`; the list ends after 1,000.
///
/// A write that was interrupted, by a kill or a power cut, leaves half a line. The next record is
/// written behind a record of that, with the length and the digest of the half: such a line is
/// told as recovered and is no problem. Every other line that cannot be read is one.
///
/// A store that was rotated is one chain with the sealed files before it: all are read, and each
/// must name the end of the one before.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    solvi-hook verify\n  \
    solvi-hook verify --anchor git-note\n  \
    solvi-hook verify old.jsonl --json | jq .ok\n\n\
    Exit status: 0 nothing is wrong, 1 something is, 2 the store cannot be read.")]
pub struct Args {
    /// The store [default: .solvi/traces/hooks.jsonl of the project]
    #[arg(value_name = "STORE")]
    store: Option<PathBuf>,
    /// The end of the store as it was: COUNT:HASH, or `git-note` for the one that `anchor
    /// --git-note` kept on HEAD or on a commit before it
    #[arg(long, value_name = "ANCHOR")]
    anchor: Option<Kept>,
    /// Write one JSON object
    #[arg(long)]
    json: bool,
    /// The project's folder [default: the repository that this folder is in]
    #[arg(long, value_name = "DIR", alias = "root")]
    project: Option<PathBuf>,
}

/// Where an anchor is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Kept {
    Here(Tip),
    Note,
}

impl FromStr for Kept {
    type Err = NoAnchor;

    fn from_str(text: &str) -> Result<Self, NoAnchor> {
        if text == "git-note" { Ok(Self::Note) } else { text.parse().map(Self::Here) }
    }
}

/// Runs the sub-command.
pub fn run(args: &Args, world: &World, out: &mut dyn Write) -> Result<u8, Failure> {
    let root = defaults::recorded(args.project.as_deref(), world);
    let (path, name) = store(args.store.as_deref(), &root, world)?;
    let tip = match &args.anchor {
        None => None,
        Some(Kept::Here(tip)) => Some(tip.clone()),
        Some(Kept::Note) => Some(note(&root)?),
    };
    let report = check(&path, &name, tip.as_ref())?;
    if report.tip.count == 0 && report.is_intact() {
        return Err(Failure::new(format!("the store `{}` holds no records", visible(&name)))
            .because("nothing was recorded there, so there is nothing to verify")
            .next("name the store that the hooks write to (see `solvi-hook doctor`)"));
    }
    if args.json {
        writeln!(out, "{}", object(&report, &name))?;
    } else {
        out.write_all(text(&report, &name, tip.as_ref()).as_bytes())?;
    }
    Ok(u8::from(!report.is_intact()))
}

/// Returns where the store is that was named, or that of the project, and how messages name it.
pub fn store(
    named: Option<&Path>,
    root: &Path,
    world: &World,
) -> Result<(PathBuf, String), Failure> {
    let name = named.map_or(defaults::STORE.into(), Path::to_string_lossy);
    let path = match named {
        // From a repository inside the project, the short name would be that of another store.
        None if defaults::inner(root, world).is_some() => {
            let path = root.join(defaults::STORE);
            let name = path.display().to_string();
            return Ok((path, name));
        }
        None => root.join(defaults::STORE),
        Some(named) => {
            traces::place(&world.cwd, named).map_err(|error| unreadable(&name, error))?.0
        }
    };
    Ok((path, name.into_owned()))
}

/// Opens the files of a store, oldest first, as they are now.
pub fn open(path: &Path, name: &str) -> Result<Vec<(Segment, Snapshot)>, Failure> {
    let opened = segments::open(path).map_err(|error| unreadable(name, error))?;
    if opened.is_empty() {
        return Err(unreadable(name, "there is no such file"));
    }
    Ok(opened)
}

/// Tells that a store cannot be read.
pub fn unreadable(name: &str, why: impl std::fmt::Display) -> Failure {
    Failure::new(format!("the store `{}` cannot be read", visible(name)))
        .because(why)
        .next("name a store that is there and that you may read")
}

fn note(root: &Path) -> Result<Tip, Failure> {
    let kept = anchor::kept(&crate::git::Repo::open(root)?)?;
    kept.ok_or_else(|| {
        Failure::new("no anchor is kept as a git note")
            .because("neither HEAD nor a commit before it has one")
            .next(format!(
                "keep one with `solvi-hook anchor --git-note`, or fetch those of the server: \
                 `git fetch origin {NOTES}:{NOTES}`"
            ))
    })
}

/// Checks the store at a path.
fn check(path: &Path, name: &str, tip: Option<&Tip>) -> Result<Report, Failure> {
    let report = verify::store(path, tip).map_err(|error| unreadable(name, error))?;
    report.ok_or_else(|| unreadable(name, "there is no such file"))
}

fn object(report: &Report, name: &str) -> Value {
    let problem = |problem: &Problem| {
        json!({
            "file": problem.file.as_deref(),
            "line": problem.line,
            "until": problem.until,
            "id": problem.id,
            "kind": problem.trouble.word(),
            "text": problem.trouble.to_string(),
            "next": problem.trouble.next(),
        })
    };
    let spot = |spot: &Spot| json!({"file": spot.file.as_deref(), "line": spot.line});
    json!({
        "ok": report.is_intact(),
        "store": name,
        "count": report.tip.count,
        "head": report.tip,
        "files": report.files,
        "retired": report.retired,
        "legacy": report.legacy,
        "unverified": report.uncovered,
        "interrupted": report.interrupted,
        "recovered": report.recovered.iter().map(spot).collect::<Vec<_>>(),
        "problem_count": report.count,
        "problems": report.problems.iter().map(problem).collect::<Vec<_>>(),
    })
}

/// Tells of the writes that were interrupted and recovered; nothing when there were none.
fn recovered(report: &Report) -> Option<String> {
    let spot = |Spot { file, line }: &Spot| match file {
        Some(file) => format!("{}, line {line}", visible(file)),
        None => format!("line {line}"),
    };
    let mut spots: Vec<String> = report.recovered.iter().take(NAMED).map(spot).collect();
    match report.interrupted {
        0 => return None,
        count if count > spots.len() as u64 => spots.push("…".to_owned()),
        _ => {}
    }
    let (count, spots) = (report.interrupted, spots.join("; "));
    let writes = if count == 1 { "write" } else { "writes" };
    Some(format!("{count} interrupted {writes}, recovered ({spots})"))
}

fn text(report: &Report, name: &str, tip: Option<&Tip>) -> String {
    let mut lines = vec![format!("{}: {} records", visible(name), report.tip.count)];
    if report.files > 1 {
        lines.push(format!(" in {} files", report.files));
    }
    // The end of a broken store is nothing to be kept.
    if report.is_intact() {
        lines.push(format!("; anchor {}", visible(&report.tip.to_string())));
    }
    lines.push("\n".to_owned());
    for Retired { link, retired } in &report.retired {
        let day = Utc::from_seconds(*retired).map(|at| at.to_string()).unwrap_or_default();
        let (count, file) = (link.tip.count, visible(&link.previous));
        lines.push(format!("note: {count} records in `{file}` were retired on {day}\n"));
    }
    if report.legacy > 0 {
        lines.push(format!(
            "note: {} lines before the first record are not checked\n",
            report.legacy
        ));
    }
    if report.uncovered > 0 {
        let count = report.uncovered;
        lines.push(format!(
            "note: {count} erased records of an older format: no hash covers what is left of them\n"
        ));
    }
    lines.extend(recovered(report).map(|sentence| format!("note: {sentence}\n")));
    let mut advice = "";
    for problem in &report.problems {
        lines.push(format!("{}\n", visible(&problem.to_string())));
        // The same advice need not be read twice in a row.
        if problem.trouble.next() != advice {
            advice = problem.trouble.next();
            lines.push(format!("  next: {advice}\n"));
        }
    }
    let shown = report.problems.len() as u64;
    if report.count > shown {
        lines.push(format!("and {} more\n", report.count - shown));
    }
    lines.push(match (report.count, tip) {
        (0, None) => "every record is as it was written\n".to_owned(),
        (0, Some(tip)) => {
            format!(
                "every record is as it was written, and the first {} are those of the anchor\n",
                tip.count
            )
        }
        (1, _) => "1 problem\n".to_owned(),
        (count, _) => format!("{count} problems\n"),
    });
    lines.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_store_holds_cannot_move_the_cursor() {
        let mut lines = crate::store::reader::Reader::of(
            b"{\"hash\": \"a\\u001b[2K\"}\n{\"hash\": \"0123456789abcdef0123456789abcdef0123456789abcdef\
              0123456789abcdef\", \"id\": \"\\u001b]0;x\\u0007\", \"a\\u202e\": 1, \"a\\u202e\": 2}\n",
        );
        let report = verify::verify(&mut lines, None, None).unwrap_or_default();
        let said = text(&report, "a\u{1b}b.jsonl", None);
        assert!(report.count >= 4, "{said}");
        assert!(!said.replace('\n', "").chars().any(crate::domain::sanitize::hidden), "{said:?}");
    }
}
