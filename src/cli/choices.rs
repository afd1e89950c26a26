//! `choices`: which judges a person has switched off for an agent that has a control for it.
//!
//! The agent's extension asks with `--json` and is told, for each judge, whether it is on and at
//! which of the agent's events it wants to be asked; where no judge is on, the extension starts
//! nothing.

use super::failure::Failure;
use super::lists;
use super::world::World;
use crate::clients::pi::PROTOCOL;
use crate::store::choices::{Choice, ChoiceStore, Choices, ChoicesError};
use crate::store::settings::user_folder;
use serde_json::json;
use std::io::Write;

/// A judge that can be switched.
struct Judge {
    name: &'static str,
    about: &'static str,
    /// The agent's events at which it is asked.
    events: &'static [&'static str],
}

/// The judges that Pi's control shows.
const JUDGES: &[Judge] = &[
    Judge {
        name: "edits",
        about: "every edit is held against the repository's rules before it is made, and after",
        events: &["tool_call", "tool_result"],
    },
    Judge {
        name: "stop",
        about: "what Pi leaves in the working tree is held against them before it stops",
        events: &["agent_before_settle"],
    },
];

/// Say which judges are on for Pi, and switch them
///
/// Pi's `/hooks` calls this. The choices are one person's, kept in Pi's own folder in that
/// person's home (`PI_CODING_AGENT_DIR` moves it from ~/.pi/agent), and never in a project. A file there
/// that solvi-hook did not write is an error and no choice: nothing runs until it is mended or
/// forgotten with `reset`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    solvi-hook choices\n  \
    solvi-hook choices disable edits\n  \
    solvi-hook choices reset")]
pub struct Args {
    /// What is to be done; without it the choices are told
    #[arg(value_name = "ACTION", value_enum)]
    action: Option<Act>,
    /// The judge to switch
    #[arg(
        value_name = "JUDGE",
        required_if_eq_any = [("action", "enable"), ("action", "disable")],
        value_parser = lists::one_of(JUDGES.iter().map(|judge| judge.name), known)
    )]
    judge: Option<&'static str>,
    /// Write one JSON object, as the agent's extension reads it
    #[arg(long)]
    json: bool,
}

/// What is to be done with the choices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Act {
    /// Switch a judge on
    Enable,
    /// Switch a judge off
    Disable,
    /// Forget every choice, readable or not
    Reset,
}

/// Tells the choices, after what was to be done.
pub fn run(args: &Args, world: &World, out: &mut dyn Write) -> Result<u8, Failure> {
    let folder = user_folder(world.env("PI_CODING_AGENT_DIR"), ".pi/agent")
        .ok_or_else(|| Failure::new("this system names no home folder for the choices"))?;
    let store = ChoiceStore::in_folder(&folder);
    let choices = match (args.action, args.judge) {
        (Some(Act::Reset), _) => store.reset().map(|()| Choices::default())?,
        (Some(act), Some(judge)) => {
            let choice = if act == Act::Enable { Choice::Enabled } else { Choice::Disabled };
            store.choose(judge, choice)?
        }
        _ => store.read()?,
    };
    let on = |judge: &Judge| choices.of(judge.name) != Some(Choice::Disabled);
    if args.json {
        let judges = JUDGES.iter().map(|judge| {
            json!({
                "name": judge.name,
                "on": on(judge),
                "about": judge.about,
                "events": judge.events,
            })
        });
        let judges: Vec<_> = judges.collect();
        let file = store.file().to_string_lossy();
        writeln!(out, "{}", json!({"protocol": PROTOCOL, "file": file, "judges": judges}))?;
        return Ok(0);
    }
    for judge in JUDGES {
        let state = if on(judge) { "on" } else { "off" };
        writeln!(out, "{:3}  {}  {}", state, judge.name, judge.about)?;
    }
    Ok(0)
}

fn known(name: &str) -> Option<&'static str> {
    JUDGES.iter().map(|judge| judge.name).find(|known| *known == name)
}

impl From<ChoicesError> for Failure {
    fn from(error: ChoicesError) -> Self {
        let failure = match &error {
            ChoicesError::Malformed { .. } => Self::new("the saved choices cannot be read"),
            ChoicesError::Unreadable { .. } => Self::new("the saved choices cannot be opened"),
            ChoicesError::Unwritable { .. } => Self::new("the choice cannot be kept"),
        };
        let failure = failure.because(&error);
        match error {
            ChoicesError::Malformed { .. } => {
                failure.next("mend the file, or forget all choices with `solvi-hook choices reset`")
            }
            _ => failure,
        }
    }
}
