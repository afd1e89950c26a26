//! Does every client make of our reply what was decided?
//!
//! A file is a client: a strict model of how it reads a reply at each of its events, made from
//! what it was seen to do (from its documents, where it was never run), and rows of replies whose
//! outcome is known, which hold the model itself. The law here holds for random decisions: the
//! reply is nothing or one object, no word of it falls on deaf ears, and what the client then does
//! is the verdict as far as the client's contract goes.

mod claude;
mod codex;
mod copilot;
mod cursor;
mod gemini;
mod object;
mod pi;
mod random;
mod universal;

use proptest::prelude::*;
use random::{cases, decisions, voices};
use serde_json::{Value, json};
use solvi_hook::clients::contract::Strength;
use solvi_hook::clients::marks::Marks;
use solvi_hook::clients::wiring::Plan;
use solvi_hook::clients::{CLIENTS, Client, Phase, Voice, WHOEVER, owners};
use solvi_hook::domain::{Decision, Verdict, wording};

/// What a client does with a reply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Does {
    /// What is about to happen happens, as far as the client's own rules let it.
    #[default]
    Proceeds,
    /// It happens, and the client's own question is left out.
    Approves,
    /// A person is asked.
    Asks,
    /// It does not happen.
    Refuses,
    /// It has happened and stays; the model is told that it should not have.
    Blames,
    /// The agent does not stop but works on.
    GoesOn,
    /// The client waits for ever.
    Hangs,
}

/// What comes of a reply.
#[derive(Debug, Default)]
struct Heard {
    does: Does,
    /// What the model reads of it.
    model: String,
    /// What a person reads of it.
    person: String,
    /// What the client takes no notice of, and why.
    ignored: Vec<String>,
}

impl Heard {
    fn is(does: Does) -> Self {
        Self { does, ..Self::default() }
    }

    /// A reply that counts for nothing as a whole.
    fn dropped(does: Does, why: String) -> Self {
        Self { does, ignored: vec![why], ..Self::default() }
    }

    /// Tells whether all of a text reaches somebody.
    fn reaches(&self, text: &str) -> bool {
        self.model.contains(text) || self.person.contains(text)
    }
}

/// An event: its name, when it comes, and the row of the contract that is about it; empty where
/// the contract says nothing.
type At = (&'static str, Phase, &'static str);

/// One client, as it reads us.
struct Reader {
    client: &'static dyn Client,
    events: &'static [At],
    /// Writes a payload of an event, as little of it as tells whose and which it is.
    payload: fn(&str) -> Value,
    reads: fn(&str, &str) -> Heard,
    /// Returns the texts of a decision that have to be heard.
    texts: fn(&Decision, &Voice, Verdict) -> Vec<String>,
}

const READERS: [&Reader; 7] = [
    &claude::READER,
    &codex::READER,
    &copilot::READER,
    &gemini::READER,
    &pi::READER,
    &cursor::READER,
    &universal::READER,
];

/// The whole text, which most clients are handed in one piece.
fn whole(decision: &Decision, voice: &Voice, answer: Verdict) -> Vec<String> {
    vec![voice.text_as(decision, answer)]
}

impl Reader {
    /// Returns what the contract says can be done at an event.
    fn strength(&self, &(_, _, row): &At) -> Strength {
        let found = self.client.contract().rows.iter().find(|found| found.event == row);
        found.map_or(Strength::Nothing, |row| row.strength)
    }

    /// Holds what the client does at every event against a decision.
    fn holds(&self, decision: &Decision, voice: &Voice) -> Result<(), TestCaseError> {
        for at in self.events {
            let (event, phase, _) = *at;
            // Where nobody is asked, the text does not say so.
            let answer = match decision.verdict() {
                Verdict::Ask if phase == Phase::After || self.strength(at) == Strength::Deny => {
                    Verdict::Deny
                }
                verdict => verdict,
            };
            let texts = (self.texts)(decision, voice, answer);
            let payload = (self.payload)(event).to_string();
            let seen = self.client.phase(&Marks::of(payload.as_bytes()));
            let reply = self.client.write_at(seen, decision, voice);
            let heard = (self.reads)(event, &reply);
            let of = format!("{event}: {reply} is heard as {heard:?}");
            prop_assert!(heard.ignored.is_empty(), "{}", of);
            let model = texts.iter().all(|text| heard.model.contains(text));
            let told = texts.iter().all(|text| heard.reaches(text));
            let verdict = self.strength(at).limit(decision.verdict());
            let may_approve = voice.approve && voice.judged;
            let approved = heard.does == Does::Approves && may_approve;
            let usual = (self.reads)(event, "").does;
            let right = match (phase, verdict) {
                (Phase::Before, Verdict::Allow) => heard.does == Does::Proceeds || approved,
                (Phase::Before, Verdict::Warn) => {
                    let warned = if self.client.warns_before() { model } else { told };
                    warned && (heard.does == Does::Proceeds || approved)
                }
                (Phase::Before, Verdict::Ask) => model && heard.does == Does::Asks,
                (Phase::Before, Verdict::Deny) => model && heard.does == Does::Refuses,
                (Phase::Permission, Verdict::Allow | Verdict::Warn) => {
                    heard.does == usual || approved
                }
                // Silence is the question that the client is about to put.
                (Phase::Permission, Verdict::Ask) => heard.does == Does::Asks,
                (Phase::Permission, Verdict::Deny) => {
                    // What a rule asks about was asked before the tool ran, and a person's yes
                    // is not taken back; what could not be judged nobody was asked about.
                    let asked = decision.verdict() == Verdict::Ask && decision.troubles.is_empty();
                    model && heard.does == Does::Refuses || asked && heard.does == usual
                }
                (Phase::After, Verdict::Allow) => {
                    let deaf = self.strength(at) == Strength::Nothing;
                    heard.does == Does::Proceeds && (told || deaf)
                }
                (Phase::After, _) => {
                    let stands = decision.verdict() >= Verdict::Ask && heard.does == Does::Blames;
                    model && (heard.does == Does::Proceeds || stands)
                }
                // Only what is refused for sure keeps an agent from stopping.
                (Phase::Stop, Verdict::Deny) if decision.verdict() == Verdict::Deny => {
                    let left = heard.model.contains(&wording::left(decision));
                    (left || model) && heard.does == Does::GoesOn
                }
                (Phase::Stop | Phase::SubagentStop, _) => heard.does == Does::Proceeds,
                // Nobody judges here, whatever could be done.
                _ => heard.does == usual,
            };
            prop_assert!(right, "{} is not as it should be: {}", verdict.word(), of);
        }
        Ok(())
    }
}

/// Holds a model against replies whose outcome is known: the event, the reply, what the client
/// does, and what the model hears.
#[track_caller]
fn agrees(reader: &Reader, known: &[(&str, &str, Does, &str)]) {
    for (event, reply, does, model) in known {
        let heard = (reader.reads)(event, reply);
        assert_eq!((heard.does, heard.model.as_str()), (*does, *model), "{event}: {reply}");
    }
}

#[test]
fn every_client_has_a_reader_for_every_row_of_its_contract() {
    let names = READERS.map(|reader| reader.client.name());
    assert_eq!(names.to_vec(), CLIENTS.iter().map(|client| client.name()).collect::<Vec<_>>());
    for reader in READERS {
        let name = reader.client.name();
        let rows: Vec<&str> = reader.client.contract().rows.iter().map(|row| row.event).collect();
        let read: Vec<&str> = reader.events.iter().map(|(_, _, row)| *row).collect();
        assert!(rows.iter().all(|row| read.contains(row)), "{name}: {rows:?}");
        assert!(read.iter().all(|row| row.is_empty() || rows.contains(row)), "{name}: {read:?}");
    }
}

#[test]
fn a_payload_of_every_event_is_taken_for_its_client_s() {
    for reader in READERS {
        for (event, phase, _) in reader.events {
            let payload = (reader.payload)(event).to_string();
            let marks = Marks::of(payload.as_bytes());
            let names: Vec<&str> = owners(&marks).into_iter().map(Client::name).collect();
            assert_eq!(names, [reader.client.name()], "{payload}");
            if matches!(phase, Phase::Before | Phase::Permission | Phase::After) {
                assert_eq!(reader.client.phase(&marks), *phase, "{payload}");
            }
        }
    }
}

/// The installed command has a word of its own for when we cannot run.
#[test]
fn what_is_said_when_we_cannot_run_is_no_consent_and_is_heard() {
    for reader in READERS {
        let entries = reader.client.wiring().map(|wiring| (wiring.entries)(&Plan::default()));
        for entry in entries.into_iter().flatten() {
            let at = reader.events.iter().find(|(event, _, _)| *event == entry.event).unwrap();
            let spoken = entry.command.split_once(" || printf '%s' ");
            let reply = spoken.map_or("", |(_, reply)| reply.trim_matches('\''));
            let heard = (reader.reads)(&entry.event, reply);
            let of = format!("{}: {reply} is heard as {heard:?}", entry.event);
            assert!(heard.ignored.is_empty(), "{of}");
            let said = heard.reaches("solvi-hook could not run");
            match (at.1, reader.strength(at)) {
                (Phase::Before | Phase::Permission, _) => {
                    assert!(said && matches!(heard.does, Does::Asks | Does::Refuses), "{of}");
                }
                // At the end of the work not every client has an ear.
                (Phase::Stop, _) if reply.is_empty() => assert_eq!(heard.does, Does::Proceeds),
                (_, Strength::Nothing) => assert_eq!(reply, "", "{of}"),
                _ => assert!(said && heard.does == Does::Proceeds, "{of}"),
            }
        }
    }
}

proptest! {
    #![proptest_config(cases())]

    /// Who asks without saying who may be Claude Code or Copilot in either of its spellings.
    #[test]
    fn whoever_asks_hears_a_refusal_and_never_an_approval(
        decision in decisions(),
        voice in voices(),
    ) {
        for event in ["", "PreToolUse", "PermissionRequest", "PostToolUse", "Stop", "Other"] {
            let payload = json!({"hook_event_name": event, "tool_name": "Write"}).to_string();
            let marks = Marks::of(payload.as_bytes());
            prop_assert!(owners(&marks).is_empty());
            let phase = WHOEVER.phase(&marks);
            let reply = WHOEVER.write_at(phase, &decision, &voice);
            let refuses = matches!(phase, Phase::Before | Phase::Permission);
            if !refuses || decision.verdict() < Verdict::Ask {
                prop_assert_eq!(reply, "");
                continue;
            }
            let heard = if phase == Phase::Permission {
                vec![
                    claude::reads("PermissionRequest", &reply),
                    copilot::reads("permissionRequest", &reply),
                ]
            } else {
                vec![
                    claude::reads("PreToolUse", &reply),
                    copilot::reads("preToolUse", &reply),
                    copilot::reads("PreToolUse", &reply),
                ]
            };
            for heard in heard {
                prop_assert_eq!(heard.does, Does::Refuses);
                prop_assert!(heard.model.contains(&voice.text_as(&decision, Verdict::Deny)), "{:?}", heard);
            }
        }
    }
}
