//! `hook`: one event of any agent on standard input is recognised, put to the judges that it
//! concerns, and answered in that agent's words.
//!
//! Whose event it is, the payload says, where it is unmistakable: an agent may read the settings
//! of another and call an entry that was written for that one. Whatever goes wrong, one reply
//! comes out, and it is no consent to a tool call.

use super::explain::Explanation;
use super::pen::{self, Stopped};
use super::roots::{self, Roots};
use super::sitting::{Settings, Sitting};
use super::world::World;
use super::{defaults, lists, post_write, pre_edit, stop};
use crate::clients::marks::Marks;
use crate::clients::payload::without_event;
use crate::clients::{self, Client, Phase, Voice, paths};
use crate::domain::{Action, Decision, Event, Verdict};
use crate::engine::redaction::Redactor;
use crate::store::files::DiskFiles;
use crate::store::roots::{above, is_home};
use clap::builder::TypedValueParser;
use std::io::Read;
use std::iter;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// The largest payload that is read, in bytes; a larger one asks.
const LARGEST_PAYLOAD: u64 = 16 << 20;

/// Answer an event of a coding agent, whichever agent and whichever event it is
///
/// This is what `install` has agents call. The payload on standard input tells the agent and the
/// event; `--agent` is who is asking where it does not. An edit that is about to be made is judged
/// as by `pre-edit`, one that was made as by `post-write`. When the agent is about to stop, what it
/// leaves in the working tree is held against HEAD, and it goes on if that would be refused at the
/// commit: once, and not twice in a session for the same reasons. What nobody judges (another
/// event, a tool that changes no file) gets the agent's own word for "nothing to say".
/// Always exits 0: an agent takes the exit status for more than it says.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Example:\n  \
    echo '{\"hook_event_name\": \"BeforeTool\", \"tool_name\": \"write_file\", \
    \"tool_input\":\\\n    {\"file_path\": \"a.py\", \"content\": \"eval(x)\\n\"}}' \
    | solvi-hook hook --no-store")]
pub struct Args {
    #[command(flatten)]
    settings: Settings,
    /// Who is asking, where the payload does not tell
    #[arg(long, value_name = "AGENT", value_parser = client())]
    agent: Option<Agent>,
}

/// The client that `--agent` names.
#[derive(Clone, Copy)]
pub struct Agent(pub &'static dyn Client);

impl std::fmt::Debug for Agent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0.name())
    }
}

/// Reads the value of `--agent`.
pub fn client() -> impl TypedValueParser<Value = Agent> {
    lists::one_of(lists::agents(), |name| clients::by_name(name).map(Agent))
}

/// Which judges are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Questions {
    /// Each at its event.
    All,
    /// Only the one about edits that are about to be made.
    Edits,
    /// Only the one about edits that were made.
    Writes,
}

impl Questions {
    fn ask_at(self, phase: Phase) -> bool {
        match phase {
            Phase::Before | Phase::Permission => self != Self::Writes,
            Phase::After => self != Self::Edits,
            Phase::Stop => self == Self::All,
            _ => false,
        }
    }
}

/// One call of a hook.
pub struct Call {
    /// What holds for every event.
    pub settings: Settings,
    /// Who `--agent` says is asking.
    pub agent: Option<&'static dyn Client>,
    /// Whether nobody said so, and it is only assumed.
    pub assumed: bool,
    /// Which judges are asked.
    pub questions: Questions,
}

/// Who asks, and when in its work.
#[derive(Clone, Copy)]
struct Asking {
    client: &'static dyn Client,
    /// Whose paths these may be too: `--agent` says so, and the payload says otherwise.
    named: Option<&'static dyn Client>,
    phase: Phase,
    /// Whether the event has a name that nobody knows.
    unknown_event: bool,
    /// Why nobody can say whose payload it is.
    doubt: Option<&'static str>,
}

const TWO_AGENTS: &str = "more than one agent can have sent this payload; `--agent` names one";
const UNKNOWN_EVENT: &str = "neither the event nor the agent of this payload is known; `--agent` \
    names one";

impl Asking {
    /// Tells who asks: the payload's shape, else the client's own variable, else `--agent`.
    fn of(marks: &Marks, agent: Option<&'static dyn Client>, world: &World) -> Self {
        let owners = clients::owners(marks);
        let named = |client: &&dyn Client| agent.is_some_and(|it| it.name() == client.name());
        let several = owners.len() > 1;
        let owner = if several { owners.iter().find(|it| named(it)) } else { owners.first() };
        let client = owner.copied().unwrap_or_else(|| {
            if several {
                return clients::WHOEVER;
            }
            let sets = |client: &&&dyn Client| {
                client.variable().is_some_and(|variable| world.env(variable).is_some())
            };
            match (clients::CLIENTS.iter().find(sets).copied(), agent) {
                // The variable is handed on to every program that this client starts, another
                // agent among them: the words must be both's.
                (Some(marked), Some(agent)) if marked.name() != agent.name() => clients::WHOEVER,
                (marked, agent) => agent.or(marked).unwrap_or(clients::WHOEVER),
            }
        });
        let named = agent.filter(|agent| agent.name() != client.name());
        let phase = client.phase(marks);
        let unknown_event = phase == Phase::Other && clients::may_be_a_call(marks);
        let doubt = match client.name() == clients::WHOEVER.name() {
            true if several => Some(TWO_AGENTS),
            true if unknown_event => Some(UNKNOWN_EVENT),
            _ => None,
        };
        let phase = if unknown_event { Phase::Before } else { phase };
        Self { client, named, phase, unknown_event, doubt }
    }

    /// Writes the reply when there is no judgement: no consent to a tool call, and no word where
    /// it would stop nothing, or would keep an agent from ever stopping.
    fn without_judgement(self, trouble: String) -> String {
        let Self { client, phase, .. } = self;
        match phase {
            Phase::Before | Phase::Permission => {
                client.write_at(phase, &Decision::unjudged(trouble), &Voice::default())
            }
            Phase::After => self.note(format!("What was written is not checked: {trouble}")),
            Phase::Stop => {
                self.note(format!("What is left in the working tree is not checked: {trouble}"))
            }
            _ => self.nothing(),
        }
    }

    /// Writes a note that stops nothing.
    fn note(self, note: String) -> String {
        let voice = Voice { notes: vec![note], ..Voice::default() };
        self.client.write_at(self.phase, &Decision::default(), &voice)
    }

    /// Writes the client's word for "nothing to say".
    fn nothing(self) -> String {
        self.client.write_at(self.phase, &Decision::default(), &Voice::default())
    }
}

/// Runs the sub-command.
pub fn run(args: Args, world: World) -> u8 {
    let agent = args.agent.map(|agent| agent.0);
    let questions = Questions::All;
    answer(Call { settings: args.settings, agent, assumed: false, questions }, world)
}

/// What the work comes to.
struct Answer {
    reply: String,
    told: Option<String>,
}

/// Answers a call; the reply is the last thing that is written.
pub fn answer(call: Call, world: World) -> u8 {
    let Call { settings, agent, assumed, questions } = call;
    let deadline = settings.deadline;
    let heard = Arc::new(OnceLock::new());
    let unheard = Asking::of(&Marks::default(), agent, &world);
    let ear = Arc::clone(&heard);
    let stop = move |stopped: Stopped| {
        ear.get().copied().unwrap_or(unheard).without_judgement(stopped.to_string())
    };
    let late = stop.clone();
    let answer = pen::hold(
        deadline,
        move |stopped| end(&late(stopped)),
        || Sitting { settings, world }.answer(agent, assumed, questions, &heard),
    );
    let answer = answer.unwrap_or_else(|stopped| Answer { reply: stop(stopped), told: None });
    if let Some(told) = answer.told {
        pen::write_err(&told);
    }
    write_reply(&answer.reply)
}

/// Answers a call whose command line is wrong.
pub fn answer_misled(agent: Option<&'static dyn Client>, trouble: &str, world: &World) -> u8 {
    use std::io::IsTerminal;
    let reply = |payload: &[u8]| {
        Asking::of(&Marks::of(payload), agent, world).without_judgement(trouble.to_owned())
    };
    // Nobody types a payload; whoever tries a command at a terminal wants to read what is wrong.
    if std::io::stdin().is_terminal() {
        return write_reply(&reply(&[]));
    }
    let unheard = reply(&[]);
    let late = move |_| end(&unheard);
    let payload = pen::hold(Duration::from_secs(5), late, || payload_of_stdin().0);
    write_reply(&reply(&payload.unwrap_or_default()))
}

/// Writes a reply in the place of work that cannot be waited for, and ends the process.
fn end(reply: &str) {
    let status = write_reply(reply);
    #[expect(clippy::exit, reason = "the work goes on in the first thread")]
    std::process::exit(status.into())
}

/// Writes a reply and returns the hook's exit status: 0, or 1 when nobody takes the reply, so
/// that the command's fallback may try.
fn write_reply(reply: &str) -> u8 {
    if reply.is_empty() {
        return 0;
    }
    u8::from(pen::write_out(format!("{reply}\n").as_bytes()).is_err())
}

/// Reads standard input; also says why it is not the whole payload.
fn payload_of_stdin() -> (Vec<u8>, Option<String>) {
    let mut payload = Vec::new();
    let read = std::io::stdin().lock().take(LARGEST_PAYLOAD + 1).read_to_end(&mut payload);
    let trouble = match read {
        Err(error) => Some(format!("the payload cannot be read: {error}")),
        Ok(_) if payload.len() as u64 > LARGEST_PAYLOAD => {
            Some(format!("the payload is larger than {} MiB", LARGEST_PAYLOAD >> 20))
        }
        Ok(_) => None,
    };
    (payload, trouble)
}

impl Sitting {
    fn answer(
        &self,
        agent: Option<&'static dyn Client>,
        assumed: bool,
        questions: Questions,
        heard: &OnceLock<Asking>,
    ) -> Answer {
        let mut told = Explanation::begin();
        let (payload, trouble) = payload_of_stdin();
        let marks = Marks::of(&payload);
        let asking = *heard.get_or_init(|| {
            let asking = Asking::of(&marks, agent, &self.world);
            // Of an agent that is only assumed it is not known how it reads a path.
            let known = !assumed || !clients::owners(&marks).is_empty();
            if known { asking } else { Asking { named: Some(clients::WHOEVER), ..asking } }
        });
        if !questions.ask_at(asking.phase) {
            told.passed(asking.client.name());
            let told = self.settings.explain.then(|| told.text(&Redactor::default()));
            return Answer { reply: asking.nothing(), told };
        }
        let Asking { client, phase, .. } = asking;
        let read = match trouble {
            Some(trouble) => Err(trouble),
            None => self.read(asking, &payload, &mut told),
        };
        let mut voice = Voice { approve: self.settings.approve, ..Voice::default() };
        let (reply, decision) = match read {
            Err(trouble) => {
                // It may quote the payload.
                let trouble = self.redactor(&self.root(&payload)).text(&trouble).into_owned();
                (asking.without_judgement(trouble.clone()), Decision::unjudged(trouble))
            }
            Ok((event, files)) => {
                let judge = match phase {
                    Phase::After => post_write::judge,
                    Phase::Stop => stop::judge,
                    _ => pre_edit::judge,
                };
                let mut decision = judge(self, &event, &files, &mut voice, &mut told);
                let silent = decision.verdict() == Verdict::Allow;
                if phase == Phase::After && silent && !client.warns_before() {
                    decision = post_write::warning(self, &event, &files, &mut told);
                }
                for note in &mut voice.notes {
                    *note = self.redactor(files.root()).text(note).into_owned();
                }
                (client.write_at(phase, &decision, &voice), decision)
            }
        };
        told.decided(&decision, &voice);
        let told = self.settings.explain.then(|| {
            let redactor = self.redactor(&self.root(&payload));
            told.text(&redactor)
        });
        Answer { reply, told }
    }

    /// Returns the project's root for an event.
    fn root(&self, payload: &[u8]) -> PathBuf {
        let session = clients::working_folder(payload);
        defaults::project(self.settings.project.as_deref(), session.as_deref(), &self.world)
    }

    /// Reads the payload; the error says why nobody can.
    fn read(
        &self,
        asking: Asking,
        payload: &[u8],
        told: &mut Explanation,
    ) -> Result<(Event, DiskFiles), String> {
        let session = clients::working_folder(payload);
        let project = self.settings.project.as_deref();
        if let Some(project) = project.map(|project| self.world.path(project))
            && !project.is_dir()
        {
            return Err(defaults::no_project(&project).causes.join(" "));
        }
        let roots = Roots::of(project, session.as_deref(), &self.world);
        let see = |root: &Path| {
            let cwd = session.as_deref().map_or(roots.project.as_path(), Path::new);
            DiskFiles::new(root, cwd).of_session(roots.all.clone(), roots.folders.clone())
        };
        let Asking { client, named, phase, unknown_event, doubt } = asking;
        if let Some(doubt) = doubt {
            return Err(doubt.to_owned());
        }
        let unnamed = unknown_event.then(|| without_event(payload)).transpose();
        let unnamed = unnamed.map_err(|error| error.to_string())?;
        let payload = unnamed.as_deref().unwrap_or(payload);
        let resolvers: Vec<&dyn Client> = iter::once(client).chain(named).collect();
        let read = |files: &DiskFiles| {
            paths::read(client, &resolvers, phase, payload, files)
                .map_err(|error| error.to_string())
        };
        let mut files = see(&roots.project);
        let mut event = read(&files)?;
        if roots.provisional
            && let Some(root) = project_of(&event, &files)
        {
            files = see(&root);
            event = read(&files)?;
        }
        told.project(files.root());
        told.ignored(&self.world.ignored());
        told.event(&event);
        Ok((event, files))
    }
}

/// Returns the project of the first file of an edit that is in one.
fn project_of(event: &Event, files: &DiskFiles) -> Option<PathBuf> {
    let Action::Edit(changes) = &event.action else { return None };
    let mut found = changes.iter().filter_map(|change| {
        let roots = above(files.path(&change.place).parent()?);
        roots::outermost(&roots).filter(|root| !is_home(root))
    });
    found.next()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use serde_json::Value;

    /// Where clients look for a word about a tool call.
    const ANSWERS: [&str; 7] = [
        "/decision",
        "/permission",
        "/verdict",
        "/behavior",
        "/permissionDecision",
        "/hookSpecificOutput/permissionDecision",
        "/hookSpecificOutput/decision/behavior",
    ];

    fn words(reply: &str) -> Vec<String> {
        if reply.is_empty() {
            return Vec::new();
        }
        let reply: Value = serde_json::from_str(reply).unwrap();
        let word = |place: &&str| reply.pointer(place)?.as_str().map(str::to_owned);
        ANSWERS.iter().filter_map(word).collect()
    }

    fn is_no(word: &str) -> bool {
        matches!(word, "ask" | "deny" | "require_approval" | "block")
    }

    fn asking() -> impl Iterator<Item = &'static dyn Client> {
        clients::CLIENTS.iter().copied().chain([clients::WHOEVER])
    }

    fn at(client: &'static dyn Client, phase: Phase) -> Asking {
        Asking { client, named: None, phase, unknown_event: false, doubt: None }
    }

    /// Returns what is said in the place of a work that was stopped, whatever stopped it. That a
    /// panic comes to this is shown beside the pen.
    fn stopped(client: &'static dyn Client, phase: Phase) -> Vec<String> {
        [
            Stopped::Bug("src/engine/a.rs:1:1".to_owned()),
            Stopped::Late(Duration::from_secs(10)),
            Stopped::NotStarted("no room".to_owned()),
        ]
        .map(|stopped| at(client, phase).without_judgement(stopped.to_string()))
        .to_vec()
    }

    #[test]
    fn a_work_that_was_stopped_lets_no_call_of_any_client_pass() {
        for client in asking() {
            for reply in stopped(client, Phase::Before) {
                let words = words(&reply);
                let no = !words.is_empty() && words.iter().all(|word| is_no(word));
                assert!(no, "{}: {reply}", client.name());
            }
        }
    }

    #[test]
    fn a_work_that_was_stopped_gives_no_permission() {
        // Copilot alone may go on without asking; it is refused.
        for (name, silent) in [("claude", true), ("codex", true), ("copilot", false)] {
            for reply in stopped(clients::by_name(name).unwrap(), Phase::Permission) {
                assert_eq!(reply.is_empty(), silent, "{name}: {reply}");
                assert!(words(&reply).iter().all(|word| is_no(word)), "{name}: {reply}");
            }
        }
    }

    #[test]
    fn a_work_that_was_stopped_stops_nothing_else() {
        let phases = [
            Phase::After,
            Phase::Prompt,
            Phase::SessionStart,
            Phase::SessionEnd,
            Phase::Stop,
            Phase::SubagentStop,
            Phase::Config,
            Phase::Other,
        ];
        for (client, phase) in asking().flat_map(|client| phases.map(|phase| (client, phase))) {
            for reply in stopped(client, phase) {
                let stops = words(&reply).iter().any(|word| is_no(word));
                assert!(!stops, "{} {phase:?}: {reply}", client.name());
            }
        }
    }

    /// A work that was stopped before it had heard anything stands for a call of a tool.
    #[test]
    fn what_was_not_heard_is_taken_for_a_tool_call() {
        for client in asking() {
            assert_eq!(client.phase(&Marks::default()), Phase::Before, "{}", client.name());
        }
    }
}
