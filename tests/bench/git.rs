//! git's own diff beside ours: whole processes, interleaved, on repositories made here.
//!
//! `cargo bench --bench git [RUNS]` prints, for each pair, both medians in milliseconds and the
//! ratio of ours to git's. With `GITLEAKS` or `DETECT_SECRETS` set to such a program, it also
//! holds the patch of the longest range against that and against the starter rules, which look
//! for secrets too.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// A repository made by `git fast-import`.
struct Yard {
    dir: tempfile::TempDir,
}

const RULES: &str = "[[rule]]\nid = \"no-token\"\npaths = [\"**\"]\nforbid = ['FORBIDDEN_[0-9]+']\n\
    [[rule]]\nid = \"no-print\"\npaths = [\"**/*.py\"]\nforbid = ['^\\s*print\\(', '(?i)fixme']\n";

impl Yard {
    /// Makes commits of files: one with `files` files, then `commits` that change `each` of them.
    fn new(files: usize, commits: usize, each: usize) -> Outcome<Self> {
        let yard = Self { dir: tempfile::tempdir()? };
        yard.git(&["init", "-q", "-b", "main"])?;
        let mut stream = String::new();
        commit(&mut stream, (0..files).map(|number| (number, 0)));
        for round in 1..=commits {
            commit(&mut stream, (0..each).map(|at| ((round * each + at) % files, round)));
        }
        let mut import = yard.command("git", &["fast-import", "--quiet"]);
        let mut child = import.stdin(Stdio::piped()).spawn()?;
        child.stdin.take().ok_or("no pipe")?.write_all(stream.as_bytes())?;
        child.wait()?;
        yard.git(&["read-tree", "HEAD"])?;
        fs::write(yard.root().join("rules.toml"), RULES)?;
        Ok(yard)
    }

    fn root(&self) -> &Path {
        self.dir.path()
    }

    /// Stages a changed version of `count` files.
    fn stage(&self, count: usize, files: usize) -> Outcome<()> {
        for at in 0..count {
            let path = path(at * (files / count));
            let file = self.root().join(&path);
            fs::create_dir_all(file.parent().ok_or("no folder")?)?;
            fs::write(&file, format!("{}staged = {at}\n", content(at, 0)))?;
            self.git(&["update-index", "--add", &path])?;
        }
        Ok(())
    }

    fn command(&self, program: &str, args: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .args(args)
            .current_dir(self.root())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    }

    fn git(&self, args: &[&str]) -> Outcome<()> {
        let done = self.command("git", args).status()?.success();
        if done { Ok(()) } else { Err(format!("git {args:?}").into()) }
    }

    fn time(&self, program: &str, args: &[&str]) -> Outcome<Duration> {
        let begun = Instant::now();
        self.command(program, args).status()?;
        Ok(begun.elapsed())
    }
}

fn path(number: usize) -> String {
    format!("area{}/part{}/file{number}.py", number % 40, number / 40 % 50)
}

fn content(number: usize, round: usize) -> String {
    let mut text = String::new();
    for line in 0..12 {
        let _ = writeln!(text, "value_{line} = compute({number}, {line})");
    }
    let _ = writeln!(text, "round = {round}");
    text
}

fn commit(stream: &mut String, files: impl Iterator<Item = (usize, usize)>) {
    let _ =
        write!(stream, "commit refs/heads/main\ncommitter A <a@b> 1700000000 +0000\ndata 1\nm\n");
    for (number, round) in files {
        let text = content(number, round);
        let _ = write!(stream, "M 100644 inline {}\ndata {}\n{text}\n", path(number), text.len());
    }
}

/// Returns the program as it is when it was installed: a copy. The file that a linker wrote lies in
/// small pieces in the system's memory, and takes a tenth longer to start.
fn installed(folder: &Path) -> Outcome<String> {
    let program = folder.join("solvi-hook");
    fs::copy(env!("CARGO_BIN_EXE_solvi-hook"), &program)?;
    Ok(program.display().to_string())
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times.get(times.len() / 2).map_or(0.0, |time| time.as_secs_f64() * 1000.0)
}

fn main() -> Outcome<()> {
    let rounds: usize = std::env::args().find_map(|arg| arg.parse().ok()).unwrap_or(15);
    let shelf = tempfile::tempdir()?;
    let hook = &installed(shelf.path())?;
    let staged = ["check-staged", "--no-store", "--rules", "rules.toml"];
    let range = ["check-diff", "--rules", "rules.toml", "--jobs", "1", "HEAD~1000..HEAD"];
    let cached = ["diff", "--cached", "-U0"];
    let between = ["diff", "--no-ext-diff", "--no-renames", "HEAD~1000", "HEAD"];
    let (large, middle) = (Yard::new(100_000, 0, 0)?, Yard::new(11_000, 0, 0)?);
    large.stage(150, 100_000)?;
    middle.stage(30, 11_000)?;
    let long = Yard::new(20_000, 1000, 20)?;
    let pairs = [
        ("100,000 files, 150 staged", "1.2 x", &large, &staged[..], &cached[..]),
        ("11,000 files, 30 staged", "0.7 x", &middle, &staged[..], &cached[..]),
        ("1,000 commits, 20,000 changed files", "1.5 x", &long, &range[..], &between[..]),
    ];
    let mut table =
        format!("{:<38} {:>9} {:>9} {:>7}  budget\n", "pair", "ours ms", "git ms", "ratio");
    for (name, budget, yard, ours, theirs) in pairs {
        let (mut mine, mut gits) = (Vec::new(), Vec::new());
        for round in 0..=rounds {
            let pair = (yard.time(hook, ours)?, yard.time("git", theirs)?);
            // The first pair warms the cache.
            if round > 0 {
                mine.push(pair.0);
                gits.push(pair.1);
            }
        }
        let (mine, gits) = (median(mine), median(gits));
        let _ =
            writeln!(table, "{name:<38} {mine:>9.1} {gits:>9.1} {:>6.2}x  {budget}", mine / gits);
    }
    for (name, program, arguments) in [
        ("gitleaks", "GITLEAKS", &["detect", "--no-git", "--no-banner", "--source"][..]),
        ("detect-secrets", "DETECT_SECRETS", &["scan"][..]),
    ] {
        if let Ok(program) = std::env::var(program) {
            let (mine, other) = scanned(&long, hook, &program, arguments, rounds.min(3))?;
            let ratio = other / mine;
            let _ = writeln!(
                table,
                "the patch of that range: ours {mine:.1} ms, {name} {other:.1} ms, {ratio:.1} times \
                 faster (budget 5)"
            );
        }
    }
    std::io::stdout().write_all(table.as_bytes())?;
    Ok(())
}

/// Times the starter rules and another scanner on the patch of the range.
fn scanned(
    yard: &Yard,
    hook: &str,
    program: &str,
    arguments: &[&str],
    rounds: usize,
) -> Outcome<(f64, f64)> {
    let range = ["diff", "--no-ext-diff", "--no-renames", "HEAD~1000", "HEAD"];
    let patch = yard.command("git", &range).stdout(Stdio::piped()).output()?.stdout;
    fs::write(yard.root().join("range.patch"), patch)?;
    let theirs = [arguments, &["range.patch"]].concat();
    let ours = ["check-diff", "--patch", "range.patch"];
    let (mut mine, mut others) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        mine.push(yard.time(hook, &ours)?);
        others.push(yard.time(program, &theirs)?);
    }
    Ok((median(mine), median(others)))
}
