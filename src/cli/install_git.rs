//! `install --git`, `uninstall --git`: has git hold commits, merges and pushes against the rules.
//!
//! All hooks are looked at before one is written. Where somebody else's hook or folder is in the
//! way, nothing is written, and what to add there by hand is printed.

use super::agent_settings::{DRY_RUN, print, verb};
use super::failure::Failure;
use super::hook_managers::{to_hook, to_managers};
use super::world::World;
use super::{install, uninstall};
use crate::domain::sanitize::{self, visible};
use crate::git::shims::{
    Ground, HOOKS, Hook, HooksFolder, PRE_PUSH, PRE_RECEIVE, ShimError, Standing,
};
use crate::git::{GitError, Repo};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// A repository and the hooks that git runs in it.
pub struct Yard {
    /// The repository.
    pub repo: Repo,
    /// Its hooks.
    pub hooks: HooksFolder,
}

impl Yard {
    /// Opens the repository of a project.
    pub fn open(project: Option<&Path>, world: &World) -> Result<Self, Failure> {
        let from = project.map_or_else(|| world.cwd.clone(), |dir| world.path(dir));
        let repo = Repo::open(&from).map_err(|error| failed(&error))?;
        let hooks = repo.hooks().map_err(|error| failed(&error))?;
        Ok(Self { repo, hooks })
    }

    /// Returns a path as it is shown: from the working tree when it is inside.
    #[must_use]
    pub fn shown(&self, path: &Path) -> String {
        let root = self.repo.root().and_then(|root| path.strip_prefix(root).ok());
        sanitize::path(root.unwrap_or(path))
    }

    /// Returns what leads git to the hooks folder, when it is `core.hooksPath`.
    #[must_use]
    pub fn led(&self) -> Option<String> {
        let (value, place) = self.hooks.configured.as_ref()?;
        Some(format!("`core.hooksPath` is `{}` ({})", visible(value), visible(place)))
    }
}

/// Runs `install --git`.
pub fn install(args: &install::Args, world: &World, out: &mut dyn Write) -> Result<u8, Failure> {
    let yard = Yard::open(args.place.project.as_deref(), world)?;
    let wanted = |hook: &Hook| hook.is_usual(&yard.repo) || hook == PRE_PUSH && args.pre_push;
    let mut steps = Vec::new();
    let mut obstacles = Vec::new();
    for hook in HOOKS {
        let standing = yard.hooks.look(hook).map_err(|error| unwritten(&error))?;
        // One that was asked for before is kept up to date.
        if !wanted(hook) && !matches!(standing, Standing::Ours { .. }) {
            continue;
        }
        match obstacle(&yard, hook, &standing, args.chain) {
            Some(obstacle) => obstacles.push((hook, obstacle)),
            None => steps.push((hook, standing)),
        }
    }
    if !obstacles.is_empty() {
        print(out, &by_hand(&yard, &obstacles, &steps), &args.place.redactor(world))?;
        return Err(refused(&yard, &obstacles, args.chain));
    }
    let program = program(&yard, world)?;
    let mut lines = Vec::new();
    for (hook, standing) in &steps {
        lines.extend(step(&yard, hook, standing, program.as_deref(), args.dry_run)?);
    }
    lines.extend(passed_by(&yard, "removes it"));
    let next = if PRE_RECEIVE.is_usual(&yard.repo) {
        "next: every push is checked before git accepts it"
    } else {
        "next: every commit and merge is checked first; `git commit --no-verify` skips the check \
         once"
    };
    lines.push(next.to_owned());
    if args.dry_run {
        lines.push(DRY_RUN.to_owned());
    }
    print(out, &lines, &args.place.redactor(world))?;
    Ok(0)
}

/// Runs `uninstall --git`.
pub fn uninstall(
    args: &uninstall::Args,
    world: &World,
    out: &mut dyn Write,
) -> Result<u8, Failure> {
    let yard = Yard::open(args.place.project.as_deref(), world)?;
    let passed = yard.repo.hooks_passed_by().map_err(|error| failed(&error))?;
    let (mut lines, mut none) = (Vec::new(), true);
    for folder in [Some(yard.hooks.clone()), passed].into_iter().flatten() {
        for hook in HOOKS {
            let name = yard.shown(&folder.file(hook));
            match folder.look(hook).map_err(|error| unwritten(&error))? {
                Standing::Ours { .. } => {
                    none = false;
                    let back = if args.dry_run {
                        fs::symlink_metadata(folder.original(hook)).is_ok()
                    } else {
                        folder.remove(hook).map_err(|error| unwritten(&error))?
                    };
                    let back = match (back, args.dry_run) {
                        (true, false) => "; the hook that was there before is back",
                        (true, true) => "; the hook that was there before would come back",
                        (false, _) => "",
                    };
                    lines.push(format!("{name}: {}{back}", verb(args.dry_run, "removed")));
                }
                Standing::Stranger { .. } => {
                    lines.push(format!("{name}: not a hook of solvi-hook, unchanged"));
                }
                Standing::Absent | Standing::DeadLink(_) | Standing::NoFile => {}
            }
        }
    }
    if none {
        lines.push("no git hook of solvi-hook here, nothing to remove".to_owned());
    }
    if args.dry_run {
        lines.push(DRY_RUN.to_owned());
    }
    print(out, &lines, &args.place.redactor(world))?;
    Ok(0)
}

/// Why a shim cannot be written.
struct Obstacle {
    why: String,
    /// Whether a line can be added by hand instead.
    by_hand: bool,
    /// Whether `--chain` would do.
    chain: bool,
}

fn obstacle(yard: &Yard, hook: &Hook, standing: &Standing, chain: bool) -> Option<Obstacle> {
    let hooks = &yard.hooks;
    let name = yard.shown(&hooks.file(hook));
    let by_hand = |why: String| Some(Obstacle { why, by_hand: true, chain: false });
    if hooks.ground == Ground::Elsewhere {
        let folder = yard.shown(&hooks.path);
        return by_hand(format!("{folder} is outside this repository and may serve others"));
    }
    let original = hooks.original(hook);
    match standing {
        Standing::Absent | Standing::Ours { .. } => None,
        Standing::DeadLink(target) => Some(Obstacle {
            why: format!(
                "{name} is a symbolic link to {}, where nothing is: git runs no hook there; \
                 remove the link (`rm`) and install again",
                sanitize::path(target)
            ),
            by_hand: false,
            chain: false,
        }),
        Standing::NoFile => Some(Obstacle {
            why: format!("{name} is no file: move it away and install again"),
            by_hand: false,
            chain: false,
        }),
        Standing::Stranger { .. } if hooks.ground == Ground::Tree => {
            by_hand(format!("{name} is a hook of the project, and is not moved"))
        }
        Standing::Stranger { .. } if fs::symlink_metadata(&original).is_ok() => by_hand(format!(
            "{name} is another hook, and so is {}, where one was moved before",
            yard.shown(&original)
        )),
        Standing::Stranger { .. } if chain => None,
        Standing::Stranger { .. } => {
            Some(Obstacle { why: format!("{name} is another hook"), by_hand: true, chain: true })
        }
    }
}

/// Returns what to add by hand: for the hooks that are in the way, and, where a manager has its
/// file for all, for those that nothing stands in the way of.
fn by_hand(
    yard: &Yard,
    obstacles: &[(&Hook, Obstacle)],
    steps: &[(&Hook, Standing)],
) -> Vec<String> {
    if !obstacles.iter().any(|(_, obstacle)| obstacle.by_hand) {
        return Vec::new();
    }
    let managed =
        |hook: &Hook| yard.repo.root().map(|root| to_managers(hook, root)).unwrap_or_default();
    let mut lines = Vec::new();
    for (hook, _) in obstacles {
        let mut add = managed(hook);
        if add.is_empty() {
            add = to_hook(hook, &yard.shown(&yard.hooks.file(hook)));
        }
        lines.append(&mut add);
    }
    let absent = steps.iter().filter(|(_, standing)| *standing == Standing::Absent);
    lines.extend(absent.flat_map(|(hook, _)| managed(hook)));
    lines
}

fn refused(yard: &Yard, obstacles: &[(&Hook, Obstacle)], chain: bool) -> Failure {
    let mut failure = Failure::new("git hooks are in the way; nothing was written");
    for (_, obstacle) in obstacles {
        if !failure.causes.contains(&obstacle.why) {
            failure = failure.because(&obstacle.why);
        }
    }
    if let Some(led) = yard.led() {
        failure = failure.because(format!("{led}, so git runs the hooks of that folder alone"));
    }
    let by_hand = obstacles.iter().any(|(_, obstacle)| obstacle.by_hand);
    let movable = obstacles.iter().all(|(_, obstacle)| obstacle.chain) && !chain;
    match (by_hand, movable) {
        (true, true) => failure.next(
            "add the lines that are printed, or let our hook run theirs first: \
             `solvi-hook install --git --chain`",
        ),
        (true, false) => failure.next("add the lines that are printed"),
        (false, _) => failure,
    }
}

/// Writes one shim, and returns what to say about it.
fn step(
    yard: &Yard,
    hook: &Hook,
    standing: &Standing,
    program: Option<&str>,
    dry_run: bool,
) -> Result<Vec<String>, Failure> {
    let hooks = &yard.hooks;
    let name = yard.shown(&hooks.file(hook));
    let shim = hook.shim(program);
    let stranger = matches!(standing, Standing::Stranger { .. });
    let told = match standing {
        Standing::Ours { text, runs: true } if *text == shim => "unchanged".to_owned(),
        Standing::Ours { .. } => verb(dry_run, "replaced").to_owned(),
        Standing::Stranger { .. } => {
            let original = yard.shown(&hooks.original(hook));
            let moved = if dry_run { "would move" } else { "moved" };
            let written = verb(dry_run, "written");
            format!("{written}; {moved} the hook that was there to {original}, which runs first")
        }
        _ => verb(dry_run, "written").to_owned(),
    };
    if !dry_run && told != "unchanged" {
        let written = if stranger { hooks.chain(hook, &shim) } else { hooks.write(hook, &shim) };
        written.map_err(|error| unwritten(&error))?;
    }
    let mut lines = vec![format!("{name}: {told}")];
    let mut before = hooks.before(hook);
    before.retain(|name| !stranger || name != "original");
    if !before.is_empty() {
        let (folder, before) = (yard.shown(&hooks.beside(hook)), before.join(", "));
        lines.push(format!("note: it runs first what is in {folder}: {}", visible(&before)));
    }
    Ok(lines)
}

/// Returns what the shims try first: this program, unless the file is the project's, where a path
/// of one machine says nothing to another.
fn program(yard: &Yard, world: &World) -> Result<Option<String>, Failure> {
    if yard.hooks.ground != Ground::Own {
        return Ok(None);
    }
    let this = std::env::current_exe()
        .map_err(|error| Failure::new("this program's own file is not known").because(error))?;
    // The name on PATH outlives an update that moves the file behind it.
    let same = |found: &PathBuf| fs::canonicalize(found).ok() == fs::canonicalize(&this).ok();
    let program = install::on_path(world).filter(same).unwrap_or_else(|| this.clone());
    install::quoted(&program).map(Some)
}

/// Returns what there is to say about shims of ours that git passes by.
pub fn passed_by(yard: &Yard, remedy: &str) -> Vec<String> {
    let Ok(Some(folder)) = yard.repo.hooks_passed_by() else { return Vec::new() };
    let ours = |hook: &&Hook| matches!(folder.look(hook), Ok(Standing::Ours { .. }));
    let led = yard.led().unwrap_or_default();
    let line = |hook: &Hook| {
        format!(
            "warning: {} never runs: {led}; `solvi-hook uninstall --git` {remedy}",
            yard.shown(&folder.file(hook))
        )
    };
    HOOKS.into_iter().filter(ours).map(line).collect()
}

/// Tells a person why the repository cannot be read.
pub fn failed(error: &GitError) -> Failure {
    let mut failure = Failure::new("the repository cannot be read").because(error);
    failure.causes.extend(error.cause());
    failure.next = error.next();
    failure
}

fn unwritten(error: &ShimError) -> Failure {
    Failure::new("a hook of git cannot be read or written").because(error)
}
