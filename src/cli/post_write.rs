//! `post-write`: is what was written what was judged?
//!
//! Between an edit that is judged and the file on the disk stand the agent's own rewriting, other
//! hooks, and a person who may change the edit while being asked. So what is on the disk is held
//! against the record of the decision; where the two differ, the difference is judged like an
//! edit. Nothing can be refused any more: the model is told when it would have been.

use super::explain::Explanation;
use super::hook::{self, Agent, Questions};
use super::keep::Keep;
use super::pre_edit;
use super::sitting::{Settings, Sitting};
use super::world::World;
use crate::clients::Voice;
use crate::clients::claude_edit::Encoding;
use crate::domain::{
    Action, Change, Content, Decision, Event, Files, Ruling, Stored as OnDisk, Verdict,
};
use crate::store::files::DiskFiles;
use crate::store::judged::{self, Recent, Wanted};
use crate::store::record::{Occasion, Written};
use crate::store::stored::Stored;

/// Hold what was written against what was judged
///
/// Reads the payload that a coding agent sends after a tool has run, and compares the file on the
/// disk with the decision about that edit. A record of its own refers to that decision and says
/// whether the two are the same, and, where the decision was to ask, that the edit was let through.
/// When they differ, or no decision is found, what was written is judged, and the agent is told if
/// it would have been refused.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Example:\n  \
    echo '{\"hook_event_name\": \"PostToolUse\", \"tool_name\": \"Write\", \
    \"tool_input\":\\\n    {\"file_path\": \"a.py\", \"content\": \"x\\n\"}}' \
    | solvi-hook post-write --agent claude --explain")]
pub struct Args {
    #[command(flatten)]
    settings: Settings,
    /// Who is asking, where the payload does not tell
    #[arg(long, value_name = "AGENT", value_parser = hook::client())]
    agent: Option<Agent>,
}

/// Runs the sub-command.
pub fn run(args: Args, world: World) -> u8 {
    let agent = args.agent.map(|agent| agent.0);
    let questions = Questions::Writes;
    hook::answer(hook::Call { settings: args.settings, agent, assumed: false, questions }, world)
}

/// Compares what an event says was written with what was judged, and keeps what came of it.
pub fn judge(
    sitting: &Sitting,
    event: &Event,
    files: &DiskFiles,
    voice: &mut Voice,
    told: &mut Explanation,
) -> Decision {
    let Action::Edit(changes) = &event.action else { return Decision::default() };
    // A store that cannot be read is told of when it cannot be written.
    let named = sitting.settings.store();
    let mut recent = named.and_then(|named| Recent::named(files.root(), named).ok());
    let looks: Vec<Look> = changes
        .iter()
        .map(|change| {
            let wanted = Wanted { session: &event.session, path: &change.place.spelled() };
            let earlier = recent.as_mut().and_then(|recent| recent.find(&wanted).ok().flatten());
            Look::at(change, earlier.as_ref(), files)
        })
        .collect();
    let open: Vec<Change> = looks.iter().filter_map(|look| look.open.clone()).collect();
    let decision = if open.is_empty() {
        Decision::default()
    } else {
        pre_edit::weigh(sitting, open, files, &mut Voice::default(), told)
    };
    told.judged();
    if let Some(named) = sitting.settings.store() {
        let mut judged = decision.rulings.iter();
        let written: Vec<(Ruling, Written)> = looks
            .into_iter()
            .filter_map(|look| match look.open {
                Some(_) => Some((judged.next()?.clone(), look.written)),
                None if look.written.of.is_some() => {
                    Some((Ruling::of(look.same, Vec::new(), None), look.written))
                }
                None => {
                    let redactor = sitting.redactor(files.root());
                    Some((redactor.ruling(look.same, Vec::new()), look.written))
                }
            })
            .collect();
        let keep = Keep {
            repo: None,
            root: files.root(),
            named,
            occasion: Occasion::WRITTEN,
            instruction_check: !sitting.settings.no_instruction_check,
        };
        // Where every file is the one of a record, its names stand there already.
        let event = if written.iter().all(|(_, written)| written.of.is_some()) {
            event.clone()
        } else {
            let session = sitting.redactor(files.root()).session(&event.session);
            Event { session, tool: event.tool.clone(), ..Event::default() }
        };
        if let Err(error) = keep.written(&event, &written, &sitting.world) {
            voice.notes.push(format!("What was written is not recorded: {error}"));
        }
        told.kept();
    }
    // A person may have let through what asks, and what warns was warned of.
    if decision.verdict() == Verdict::Deny { decision } else { Decision::default() }
}

/// Returns the warning about an edit that was made, for a model that could not hear it before.
pub fn warning(
    sitting: &Sitting,
    event: &Event,
    files: &DiskFiles,
    told: &mut Explanation,
) -> Decision {
    let Action::Edit(changes) = &event.action else { return Decision::default() };
    let decision = pre_edit::weigh(sitting, changes.clone(), files, &mut Voice::default(), told);
    if decision.verdict() == Verdict::Warn { decision } else { Decision::default() }
}

/// One file that was written.
struct Look {
    written: Written,
    /// What nobody has judged yet; none when all of it was.
    open: Option<Change>,
    /// The change of a file that is as it was judged.
    same: Change,
}

impl Look {
    fn at(change: &Change, earlier: Option<&Stored>, files: &DiskFiles) -> Self {
        let verdict = earlier.and_then(Stored::verdict);
        let written = Written {
            of: earlier.map(|earlier| (earlier.id().to_owned(), earlier.hash().to_owned())),
            asked: verdict == Some(Verdict::Ask),
            differs: None,
        };
        // What was refused and is written all the same was judged for nothing.
        let judged = earlier.filter(|_| verdict != Some(Verdict::Deny)).and_then(judged::text);
        let now = on_disk(files.read(&change.place));
        let place = change.place.clone();
        let open = match (judged, &now) {
            (Some(judged), Content::Text(now)) if bare(judged) == bare(now) => None,
            (Some(judged), Content::Text(now)) => {
                Some(Change::of_text(&change.tool, place, bare(judged), bare(now).to_owned()))
            }
            (None, Content::Absent) if change.deletes() => None,
            // It is gone already; the client says what it has written.
            (None, Content::Absent) if change.after.text().is_some() => Some(change.clone()),
            (Some(_), _) => {
                Some(Change { after: now.clone(), added: Vec::new(), ..change.clone() })
            }
            (None, _) => Some(Change { after: now.clone(), ..change.clone() }),
        };
        let differs = judged.map(|_| open.is_some());
        let why = "it is as it was judged";
        let same = Change::of_lines(&change.tool, change.place.clone(), Vec::new(), why);
        Self { written: Written { differs, ..written }, open, same }
    }
}

fn on_disk(stored: OnDisk) -> Content {
    match stored {
        OnDisk::Absent => Content::Absent,
        OnDisk::Bytes(bytes) => Content::Text(Encoding::of(&bytes).decode(&bytes).into_owned()),
        OnDisk::Unknown(why) => Content::Unknown(why),
    }
}

/// Returns a text without the mark of byte order, which not every reading keeps.
fn bare(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}
