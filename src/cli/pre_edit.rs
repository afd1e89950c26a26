//! `pre-edit`: a proposed edit on standard input is judged, answered and kept.

mod beside;
mod git_folder;
mod nested;

use super::defaults::{self, RulesSource};
use super::explain::Explanation;
use super::keep::{Keep, Kept};
use super::pen;
use super::world::World;
use crate::clients::marks::Marks;
use crate::clients::{self, Client, Phase, Voice};
use crate::domain::{
    Action, Change, Decision, Event, Files, Finding, Moment, Part, Verdict, sanitize,
};
use crate::engine::rules::Rulebook;
use crate::engine::{self, Judge, own_files::OwnFiles, tripwire::Tripwire};
use crate::store::files::DiskFiles;
use crate::store::record::Occasion;
use crate::store::traces::StoreError;
use beside::Beside;
use nested::Nested;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The largest payload that is read, in bytes; a larger one asks.
const LARGEST_PAYLOAD: u64 = 16 << 20;

/// Judge a proposed edit before the agent makes it
///
/// Reads the payload that a coding agent sends before a tool runs, works out the file after the
/// edit, judges the lines that it adds by the repository's rules, and writes the agent's reply to
/// standard output: deny or ask with the reason, or nothing when no rule stands against it.
/// Git's index is read only where it can matter: lines that are in the working tree and not
/// staged, a path in conflict, a file that is not there; see `man solvi-rules`.
/// Always exits 0: an agent takes the exit status for more than it says.
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Example:\n  \
    echo '{\"tool_name\": \"Write\", \"tool_input\": {\"file_path\": \"a.py\", \
    \"content\": \"eval(x)\\n\"}}' \\\n    | solvi-hook pre-edit --explain --no-store")]
pub struct Args {
    /// The rules file, from the project's root; by default the one of solvi-rules.toml,
    /// .config/solvi-rules.toml and .claude/solvi-rules.toml that exists, else the built-in rules
    #[arg(long, value_name = "PATH")]
    rules: Option<PathBuf>,
    /// Where the decision is kept, from the project's root [default: .solvi/traces/hooks.jsonl]
    #[arg(long, value_name = "PATH", conflicts_with = "no_store")]
    store: Option<PathBuf>,
    /// Keep no record of the decision
    #[arg(long)]
    no_store: bool,
    /// Answer "allow" in so many words when no rule stands against the edit, which skips the
    /// agent's own prompt
    #[arg(long)]
    approve: bool,
    /// Who is asking
    #[arg(long, value_name = "AGENT", default_value = "claude", value_parser = client)]
    agent: Agent,
    /// Do not look for text that speaks to the reviewer of the change
    #[arg(long)]
    no_instruction_check: bool,
    /// The project's root [default: the repository that the session is in]
    #[arg(long, value_name = "DIR")]
    project: Option<PathBuf>,
    /// Seconds after which an answer that is not there asks a person
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    deadline: Duration,
    /// Also tell a person on standard error what was judged, by which rules, and how long it took
    #[arg(long)]
    explain: bool,
    /// Accepted for the day when models answer questions; until then a person does
    #[arg(long, value_name = "SPEC", alias = "model", hide = true)]
    decider: Option<String>,
}

/// The client that `--agent` names.
#[derive(Clone, Copy)]
struct Agent(&'static dyn Client);

impl std::fmt::Debug for Agent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0.name())
    }
}

fn client(name: &str) -> Result<Agent, String> {
    let names = || clients::CLIENTS.iter().map(|client| client.name()).collect::<Vec<_>>();
    clients::by_name(name).map(Agent).ok_or_else(|| format!("known are {}", names().join(", ")))
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "a number of seconds is expected".to_owned())?;
    match Duration::try_from_secs_f64(seconds) {
        Ok(duration) if !duration.is_zero() => Ok(duration),
        _ => Err("a number of seconds above 0 is expected".to_owned()),
    }
}

/// What the work comes to.
struct Answer {
    reply: String,
    told: Option<String>,
}

/// Runs the hook; the reply is the last thing that it writes.
pub fn run(args: Args, world: World) -> u8 {
    let (deadline, client) = (args.deadline, args.agent.0);
    let answer = pen::hold(deadline, move || Hook { args, world }.answer());
    let answer = answer.unwrap_or_else(|stopped| Answer {
        reply: client.write(&Decision::unjudged(stopped.to_string()), &Voice::default()),
        told: None,
    });
    if let Some(told) = answer.told {
        pen::write_err(&told);
    }
    write_reply(&answer.reply)
}

/// Writes a reply and returns the hook's exit status: 0, or 1 when nobody takes the reply, so
/// that the command's fallback may try.
pub fn write_reply(reply: &str) -> u8 {
    if reply.is_empty() {
        return 0;
    }
    u8::from(pen::write_out(format!("{reply}\n").as_bytes()).is_err())
}

/// One run of the hook.
struct Hook {
    args: Args,
    world: World,
}

impl Hook {
    fn answer(&self) -> Answer {
        let mut told = Explanation::begin();
        let mut voice = Voice { approve: self.args.approve, ..Voice::default() };
        let mut phase = Phase::Before;
        let decision = match self.read(&mut phase, &mut told) {
            Ok((event, files)) => self.judge(&event, &files, &mut voice, &mut told),
            Err(trouble) => Decision::unjudged(trouble),
        };
        told.decided(&decision, &voice);
        Answer {
            reply: self.args.agent.0.write_at(phase, &decision, &voice),
            told: self.args.explain.then(|| told.text()),
        }
    }

    /// Reads the payload, and at which phase it comes; the error says why nobody can.
    fn read(
        &self,
        phase: &mut Phase,
        told: &mut Explanation,
    ) -> Result<(Event, DiskFiles), String> {
        let mut payload = Vec::new();
        std::io::stdin()
            .lock()
            .take(LARGEST_PAYLOAD + 1)
            .read_to_end(&mut payload)
            .map_err(|error| format!("the payload cannot be read: {error}"))?;
        if payload.len() as u64 > LARGEST_PAYLOAD {
            return Err(format!("the payload is larger than {} MiB", LARGEST_PAYLOAD >> 20));
        }
        *phase = self.args.agent.0.phase(&Marks::of(&payload));
        let session = clients::working_folder(&payload);
        let root = defaults::project(self.args.project.as_deref(), session.as_deref(), &self.world);
        let files = DiskFiles::new(&root, session.as_deref().map_or(root.as_path(), Path::new));
        told.project(files.root());
        let event = self.args.agent.0.read(&payload, &files).map_err(|error| error.to_string())?;
        told.event(&event);
        Ok((event, files))
    }

    fn judge(
        &self,
        event: &Event,
        files: &DiskFiles,
        voice: &mut Voice,
        told: &mut Explanation,
    ) -> Decision {
        let Action::Edit(mut changes) = event.action.clone() else { return Decision::default() };
        voice.judged = true;
        let source = RulesSource::find(self.args.rules.as_deref(), files.root(), &self.world);
        let mut nested = Nested::of(&changes, files);
        let own = OwnFiles {
            rules_file: match &source {
                Ok(RulesSource::File(path, _)) => files.place(&path.to_string_lossy()).ok(),
                _ => None,
            },
            roots: nested.folders.clone(),
        };
        let book = source.map_err(|failure| failure.causes.join(" ")).and_then(|source| {
            let mut book = source.load().map_err(|error| error.to_string())?;
            book.keep_for(Moment::Edit);
            told.rules(source.name(), book.rules.len());
            Ok(book)
        });
        let book = match book {
            Ok(mut book) => {
                if !self.names_rules() {
                    nested.add_rules(&mut book, files, &self.world);
                }
                book
            }
            Err(trouble) => {
                nested.broken.push(Broken { below: String::new(), trouble });
                Rulebook::default()
            }
        };
        let beside = Beside::of(&mut changes, &book, files);
        let mut judges: Vec<&dyn Judge> = vec![&book];
        judges.extend(nested.broken.iter().map(|broken| broken as &dyn Judge));
        if !self.args.no_instruction_check {
            judges.push(&Tripwire);
        }
        judges.push(&own);
        judges.push(&beside);
        let decision = engine::decide(changes, &judges, &book);
        voice.notes.extend(beside.notes.iter().map(|note| sanitize::visible(note).into_owned()));
        told.judged();
        if !self.args.no_store {
            match self.keep(event, &decision, files.root()) {
                Ok(Kept { place, trouble }) => {
                    let place = (decision.verdict() > Verdict::Allow).then_some(place);
                    voice.notes.extend(place.into_iter().chain(trouble));
                }
                Err(error) => voice.notes.push(format!("This decision is not recorded: {error}")),
            }
            told.kept();
        }
        decision
    }

    /// Tells whether the rules file is named, and so meant for whatever is edited.
    fn names_rules(&self) -> bool {
        self.args.rules.is_some() || self.world.env(defaults::RULES_VARIABLE).is_some()
    }

    /// Keeps the decision.
    fn keep(&self, event: &Event, decision: &Decision, root: &Path) -> Result<Kept, StoreError> {
        let named = self.args.store.as_deref().unwrap_or(Path::new(defaults::STORE));
        let keep = Keep {
            repo: None,
            root,
            named,
            occasion: Occasion::EDIT,
            instruction_check: !self.args.no_instruction_check,
        };
        keep.edit(event, decision, &self.world)
    }
}

/// Stands in for rules that cannot be read: every change is one that could not be checked.
struct Broken {
    /// The folder that the rules are about, with `/` at its end; empty for all files.
    below: String,
    trouble: String,
}

impl Broken {
    fn below(folder: &str, trouble: String) -> Self {
        Self { below: format!("{folder}/"), trouble }
    }
}

impl Judge for Broken {
    fn look(&self, change: &Change) -> Vec<Finding> {
        if !change.place.as_str().starts_with(&self.below) {
            return Vec::new();
        }
        vec![Finding {
            rule: "rules-file".to_owned(),
            part: Part::Checks,
            verdict: Verdict::Ask,
            spots: Vec::new(),
            unknown: Some(self.trouble.clone()),
            why: "The rules of this project cannot be read.".to_owned(),
            instead: None,
        }]
    }
}
