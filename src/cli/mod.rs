//! The door: one file a sub-command, each with its `Args` and its `run`.

pub mod agent_settings;
mod anchor;
mod audit;
mod broken_rules;
mod check;
mod check_budget;
mod check_diff;
mod check_rules;
mod check_staged;
mod choices;
mod clients;
mod completions;
pub mod defaults;
mod doctor;
mod explain;
pub mod failure;
mod filters;
mod hook;
mod hook_managers;
pub mod install;
mod install_git;
mod keep;
pub mod library;
mod lists;
mod pen;
mod post_write;
mod pre_edit;
mod pre_push;
mod pre_receive;
mod progress;
mod push_check;
mod push_history;
mod query;
mod redact;
mod redaction;
mod report;
mod roots;
mod rule_ids;
mod rule_sources;
mod rules;
mod rules_check;
mod sample;
mod sitting;
mod stop;
mod terminal;
mod traces;
pub mod uninstall;
mod usage;
mod verify;
pub mod world;

use clap::{Args as _, FromArgMatches, Parser, Subcommand};
use failure::Failure;
use std::ffi::OsString;
use std::io::Write;
use world::World;

/// The longest line of a help text, in columns.
const WIDTH: usize = 100;

/// Check every edit a coding agent makes against your rules
///
/// When a coding agent is about to write a file, solvi-hook works out what the file would contain,
/// evaluates the rules of the repository on the new lines, and replies with allow, warn, ask or
/// deny in the form that the agent expects. It checks commits and pushes by the same rules. Every
/// decision is recorded in a hash-chained log under `.solvi/`.
#[derive(Debug, Parser)]
#[command(
    name = "solvi-hook",
    version,
    max_term_width = WIDTH,
    after_help = "Examples:\n  \
        solvi-hook install            check the edits of the agents that are used in this project\n  \
        solvi-hook install --git      check commits and merges\n  \
        solvi-hook check-diff         check the working tree now\n  \
        solvi-hook rules check        check the rules themselves\n  \
        solvi-hook doctor             see whether everything is in place\n\n\
        Exit status: 0 passed, 1 findings, 2 the check could not run.\n\
        A hook sub-command always exits 0: its verdict is in the reply."
)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Hook(hook::Args),
    PreEdit(pre_edit::Args),
    PostWrite(post_write::Args),
    CheckStaged(check_staged::Args),
    CheckDiff(check_diff::Args),
    PrePush(pre_push::Args),
    PreReceive(pre_receive::Args),
    Install(install::Args),
    Uninstall(uninstall::Args),
    Doctor(doctor::Args),
    Clients(clients::Args),
    Choices(choices::Args),
    Verify(verify::Args),
    Report(report::Args),
    Query(query::Args),
    Anchor(anchor::Args),
    Audit(audit::Args),
    Redact(redact::Args),
    Traces(traces::Args),
    Rules(rules::Args),
    #[command(hide = true)]
    SampleRules(sample::Args),
    Completions(completions::Args),
}

/// Returns the command line as clap knows it; the man pages are rendered from it.
#[must_use]
pub fn command() -> clap::Command {
    <Cli as clap::CommandFactory>::command()
}

/// Adds the options of one sub-command to it.
type Options = fn(clap::Command) -> clap::Command;

/// The sub-commands that run at every edit, commit or push.
const OFTEN: &[(&str, Options)] = &[
    ("hook", hook::Args::augment_args),
    ("pre-edit", pre_edit::Args::augment_args),
    ("post-write", post_write::Args::augment_args),
    ("check-staged", check_staged::Args::augment_args),
    ("pre-push", pre_push::Args::augment_args),
    ("pre-receive", pre_receive::Args::augment_args),
];

/// Reads the command line. Of one that runs often, and of `--version`, only its own part is built:
/// to build the whole takes a tenth of a hook's time.
fn parse(args: &[OsString]) -> Result<Cli, clap::Error> {
    let named = args.get(1).and_then(|arg| arg.to_str());
    if args.len() == 2 && named.is_some_and(|named| ["--version", "-V"].contains(&named)) {
        let line = clap::Command::new(env!("CARGO_PKG_NAME")).version(env!("CARGO_PKG_VERSION"));
        return Cli::from_arg_matches(&line.try_get_matches_from(args)?);
    }
    let Some((name, own)) = OFTEN.iter().find(|(name, _)| Some(*name) == named) else {
        return Cli::try_parse_from(args);
    };
    let line = clap::Command::new(env!("CARGO_PKG_NAME"))
        .max_term_width(WIDTH)
        .subcommand_required(true)
        .subcommand(own(clap::Command::new(*name)));
    Cli::from_arg_matches(&line.try_get_matches_from(args)?)
}

/// Runs the program on its arguments and returns its exit status.
pub fn main(args: impl IntoIterator<Item = OsString>) -> u8 {
    let args: Vec<OsString> = args.into_iter().collect();
    let world = World::here();
    match parse(&args) {
        Ok(Cli { command: Command::Hook(args) }) => hook::run(args, world.of_an_agent()),
        Ok(Cli { command: Command::PreEdit(args) }) => pre_edit::run(args, world),
        Ok(Cli { command: Command::PostWrite(args) }) => post_write::run(args, world.of_an_agent()),
        Ok(Cli { command }) => finish(command, world),
        Err(error) => usage::answer(&error, &args, &world),
    }
}

impl Command {
    /// Tells whether it writes what records, or other people's files, hold, in its own words.
    fn shows_records(&self) -> bool {
        matches!(self, Self::Audit(_) | Self::Verify(_) | Self::Doctor(_))
    }

    fn run(self, world: &World, out: &mut dyn Write) -> Result<u8, Failure> {
        match self {
            // A hook writes one reply and nothing else, so it does not come this way.
            Self::Hook(args) => Ok(hook::run(args, world.clone().of_an_agent())),
            Self::PostWrite(args) => Ok(post_write::run(args, world.clone().of_an_agent())),
            Self::PreEdit(args) => Ok(pre_edit::run(args, world.clone())),
            Self::CheckStaged(args) => check_staged::run(&args, world, out),
            Self::CheckDiff(args) => check_diff::run(&args, world, out),
            Self::PrePush(args) => pre_push::run(&args, world, out),
            Self::PreReceive(args) => pre_receive::run(&args, world, out),
            Self::Install(args) => install::run(&args, world, out),
            Self::Uninstall(args) => uninstall::run(&args, world, out),
            Self::Doctor(args) => doctor::run(&args, world, out),
            Self::Clients(args) => clients::run(&args, out),
            Self::Choices(args) => choices::run(&args, world, out),
            Self::Verify(args) => verify::run(&args, world, out),
            Self::Report(args) => report::run(&args, world, out),
            Self::Query(args) => query::run(&args, world),
            Self::Anchor(args) => anchor::run(&args, world, out),
            Self::Audit(args) => audit::run(&args, world, out),
            Self::Redact(args) => redact::run(&args, world, out),
            Self::Traces(args) => traces::run(&args, world, out),
            Self::Rules(args) => rules::run(&args, world, out),
            Self::SampleRules(args) => sample::run(&args, out),
            Self::Completions(args) => completions::run(&args, out).map(|()| 0),
        }
    }
}

/// Runs a sub-command and writes what it has to say: its output, then its failure on standard
/// error. A bug of ours is a failure like any other: it could not be judged.
fn finish(command: Command, world: World) -> u8 {
    // Nobody waits for these as an agent waits for its hook, so there is no deadline.
    let run = pen::hold_without_deadline(move || {
        let mut out = Vec::new();
        let shows_records = command.shows_records();
        let result = command
            .run(&world, &mut out)
            .map_err(|failure| redaction::failure(failure, &world.secrets.of_this_folder(&world)));
        if shows_records {
            out = redaction::output(out, &world.secrets.of_this_folder(&world));
        }
        (result, out)
    });
    let (result, out) = match run {
        Ok(run) => run,
        Err(stopped) => return pen::write_failure(&Failure::new(stopped.to_string())),
    };
    let written = pen::write_out(&out);
    match (result, written) {
        (Ok(status), Ok(())) => status,
        // Whoever closed the pipe has read enough.
        (Ok(status), Err(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => status,
        (Ok(_), Err(error)) => {
            pen::write_failure(&Failure::new("the output could not be written").because(error))
        }
        (Err(failure), _) => pen::write_failure(&failure),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_built_alone_says_what_the_whole_says() {
        let said = |cli: Result<Cli, clap::Error>| match cli {
            Ok(cli) => format!("{cli:?}"),
            Err(error) => error.render().to_string(),
        };
        let names = OFTEN.iter().map(|(name, _)| *name);
        for name in names.chain(["--version", "-V"]) {
            for more in [
                &["--help"][..],
                &["-h"],
                &["--version"],
                &["--nonsense"],
                &["--store"],
                &["one", "two"],
                &[],
            ] {
                let args: Vec<OsString> =
                    [&["solvi-hook", name], more].concat().iter().map(OsString::from).collect();
                assert_eq!(said(parse(&args)), said(Cli::try_parse_from(&args)));
            }
        }
    }
}
