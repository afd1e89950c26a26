//! `pre-edit`: what the rules think of an edit that is about to be made.
//!
//! The judge of edits, and the sub-command that asks nothing else; `hook` asks it too.

mod beside;
mod projects;
mod protected;

use super::explain::Explanation;
use super::hook::{self, Agent, Questions};
use super::keep::{Keep, Kept};
use super::redaction;
use super::rule_sources::{RULES_VARIABLE, RuleSource};
use super::sitting::{Settings, Sitting};
use super::world::World;
use crate::clients::wiring::wirings;
use crate::clients::{Voice, claude};
use crate::domain::checks;
use crate::domain::{
    Action, Change, Content, Decision, Event, Files, Finding, Moment, Part, Ruling, Stored,
    Verdict, sanitize,
};
use crate::engine::pattern::Budget;
use crate::engine::redaction::Redactor;
use crate::engine::rules::{Realm, Rulebook};
use crate::engine::{self, Judge, own_files::OwnFiles, tripwire::Tripwire};
use crate::store::files::DiskFiles;
use crate::store::record::Occasion;
use crate::store::traces;
use beside::Beside;
use projects::OtherProjects;
use protected::Protected;

/// Judge a proposed edit before the agent makes it
///
/// Reads the payload that a coding agent sends before a tool runs, works out the file after the
/// edit, judges the lines that it adds by the repository's rules, and writes the agent's reply to
/// standard output: deny or ask with the reason, or nothing when no rule stands against it.
/// Git's index is read only where it can matter: lines that are in the working tree and not
/// staged, a path in conflict, a file that is not there; see `man solvi-rules`.
/// Always exits 0: an agent takes the exit status for more than it says.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Example:\n  \
    echo '{\"tool_name\": \"Write\", \"tool_input\": {\"file_path\": \"a.py\", \
    \"content\": \"eval(x)\\n\"}}' \\\n    | solvi-hook pre-edit --explain --no-store")]
pub struct Args {
    #[command(flatten)]
    settings: Settings,
    /// Who is asking [default: claude]; a payload that is unmistakably another agent's is answered
    /// in that agent's words
    #[arg(long, value_name = "AGENT", value_parser = hook::client())]
    agent: Option<Agent>,
}

/// Runs the hook; the reply is the last thing that it writes.
pub fn run(args: Args, world: World) -> u8 {
    let assumed = args.agent.is_none();
    let agent = Some(args.agent.map_or(&claude::Claude as _, |agent| agent.0));
    let questions = Questions::Edits;
    hook::answer(hook::Call { settings: args.settings, agent, assumed, questions }, world)
}

/// Judges the edit that an event proposes, and keeps the decision.
pub fn judge(
    sitting: &Sitting,
    event: &Event,
    files: &DiskFiles,
    voice: &mut Voice,
    told: &mut Explanation,
) -> Decision {
    let Action::Edit(changes) = event.action.clone() else { return Decision::default() };
    voice.judged = true;
    let mut decision = weigh(sitting, changes, files, voice, told);
    told.judged();
    if decision.verdict() > Verdict::Allow {
        voice.notes.extend(event.notes.iter().cloned());
    }
    if let Some(named) = sitting.settings.store() {
        let keep = Keep {
            repo: None,
            root: files.root(),
            named,
            occasion: Occasion::EDIT,
            instruction_check: !sitting.settings.no_instruction_check,
        };
        let session = sitting.redactor(files.root()).session(&event.session);
        let event = Event { session, tool: event.tool.clone(), ..Event::default() };
        match keep.edit(&event, &decision, &sitting.world) {
            Ok(Kept { place, trouble, is_tampering }) => {
                let place = (decision.verdict() > Verdict::Allow).then_some(place);
                match trouble {
                    Some(trouble) if is_tampering && decision.verdict() < Verdict::Ask => {
                        decision = approval_for(decision, trouble);
                        voice.notes.extend(place);
                    }
                    trouble => voice.notes.extend(place.into_iter().chain(trouble)),
                }
            }
            Err(error) if error.is_tampering() && decision.verdict() < Verdict::Ask => {
                let trouble = format!("This decision is not recorded: {error}");
                decision = approval_for(decision, trouble);
            }
            Err(error) => voice.notes.push(format!("This decision is not recorded: {error}")),
        }
        told.kept();
    }
    decision
}

/// Has a person approve an edit because of what was found in the trace's own files.
fn approval_for(decision: Decision, trouble: String) -> Decision {
    let mut rulings = decision.rulings.into_iter();
    let Some(mut first) = rulings.next() else { return Decision::unjudged(trouble) };
    first.findings.push(Finding {
        rule: checks::TRACE.to_owned(),
        part: Part::OwnFiles,
        verdict: Verdict::Ask,
        spots: Vec::new(),
        unknown: Some(trouble),
        why: "What is written to the trace must not go anywhere else, and what is read from it \
              must be what solvi-hook wrote."
            .to_owned(),
        instead: Some("Find out who put it there, then remove it.".to_owned()),
    });
    let first = Ruling::of(first.change, first.findings, first.redaction);
    Decision::of([first].into_iter().chain(rulings).collect())
}

/// Holds changes against the rules.
pub fn weigh(
    sitting: &Sitting,
    changes: Vec<Change>,
    files: &DiskFiles,
    voice: &mut Voice,
    told: &mut Explanation,
) -> Decision {
    let mut changes: Vec<Change> = changes.into_iter().map(Change::as_read).collect();
    let Sitting { settings, world } = sitting;
    let source = RuleSource::find(settings.rules.as_deref(), files.root(), world);
    let mut others = OtherProjects::of(&changes, files);
    let own = OwnFiles {
        settings: wirings().flat_map(|wiring| wiring.guarded).copied().collect(),
        rules_file: source
            .as_ref()
            .ok()
            .and_then(RuleSource::path)
            .and_then(|path| files.place(&path.to_string_lossy()).ok()),
        realms: others.found.iter().map(|project| project.realm.clone()).collect(),
        folders: projects::started(files),
        found: {
            let mut protected = Protected::of(files, &others.found, world);
            let rules = source.as_ref().ok().and_then(RuleSource::path);
            if let Some(path) = rules {
                protected.add_rules_file(path.to_owned());
            }
            let store = settings.store().and_then(|named| traces::place(files.root(), named).ok());
            if let Some((path, _)) = &store {
                protected.add_store(path);
            }
            protected.among(&changes)
        },
    };
    let book = source.map_err(|failure| failure.causes.join(" ")).and_then(|source| {
        let mut book = source.load().map_err(|error| error.to_string())?;
        book.keep_for(Moment::Edit);
        told.rules(&source.name_and_target(), book.rules.len());
        Ok((book, source))
    });
    let (mut book, source) = book.unwrap_or_else(|trouble| {
        others.broken.push(Broken { realm: Realm::default(), trouble });
        (Rulebook::default(), RuleSource::BuiltIn)
    });
    if !names_rules(sitting) {
        others.add_rules(&mut book, &source, &changes, files);
    }
    let redactor = if others.broken.is_empty() {
        Redactor::of([&book])
    } else {
        // Nobody knows what the rules that cannot be read would have masked.
        redaction::built_in().and(&Redactor::of([&book])).withholding()
    };
    let redactor = world.secrets.remember(redactor);
    learn(&changes, files, &redactor);
    let beside = Beside::of(&mut changes, &book, files);
    let mut judges: Vec<&dyn Judge> = vec![&book];
    judges.extend(others.broken.iter().map(|broken| broken as &dyn Judge));
    if !settings.no_instruction_check {
        judges.push(&Tripwire);
    }
    judges.push(&own);
    judges.push(&beside);
    let decision = engine::decide(changes, &judges, &redactor);
    voice.notes.extend(beside.notes.iter().map(|note| sanitize::visible(note).into_owned()));
    decision
}

/// Looks for secrets in files whose content after the edit is not known: why it is not may quote a
/// part of one.
fn learn(changes: &[Change], files: &DiskFiles, redactor: &Redactor) {
    let unknown = |change: &&Change| matches!(change.after, Content::Unknown(_));
    for change in changes.iter().filter(unknown).filter(|_| !redactor.is_empty()) {
        if let Stored::Bytes(bytes) = files.read(&change.place) {
            redactor.learn(&change.place, &String::from_utf8_lossy(&bytes));
        }
    }
}

/// Tells whether the rules file is named, and so meant for whatever is edited.
fn names_rules(sitting: &Sitting) -> bool {
    sitting.settings.rules.is_some() || sitting.world.env(RULES_VARIABLE).is_some()
}

/// Stands in for rules that cannot be read: every change is one that could not be checked.
pub struct Broken {
    /// The files that the rules are about.
    realm: Realm,
    trouble: String,
}

impl Judge for Broken {
    fn look(&self, change: &Change, _: &Budget) -> Vec<Finding> {
        if self.realm.inside(change.place.as_str()).is_none() {
            return Vec::new();
        }
        vec![Finding {
            rule: checks::RULES_FILE.to_owned(),
            part: Part::Checks,
            verdict: Verdict::Ask,
            spots: Vec::new(),
            unknown: Some(self.trouble.clone()),
            why: "The rules of this project cannot be read.".to_owned(),
            instead: None,
        }]
    }
}
