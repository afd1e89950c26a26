//! `clients`: which agents are understood, and what each can be made to do.

use super::failure::Failure;
use super::lists;
use crate::clients::contract::{Contract, Known, Strength};
use crate::clients::{self, CLIENTS};
use clap::builder::TypedValueParser;
use serde_json::{Value, json};
use std::io::Write;

/// Say which agents are understood, and what each of them lets a hook do
///
/// A row is an event. `ask`: an edit can be refused, and a person can be asked. `deny`: it can be
/// refused; an ask is spoken as a refusal. `tell`: the agent is told, what happens, happens.
/// `nothing`: no answer is heeded. The rest says what the agent does when the hook fails (crashes,
/// is missing, speaks nonsense) or is late, and with which version all this was seen.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    solvi-hook clients\n  \
    solvi-hook clients --json gemini")]
pub struct Args {
    /// Write JSON
    #[arg(long)]
    json: bool,
    /// The agents to tell about [default: all]
    #[arg(value_name = "AGENT", value_parser = name())]
    agents: Vec<String>,
}

fn name() -> impl TypedValueParser<Value = String> {
    let of = |name: &str| clients::by_name(name).map(|client| client.name().to_owned());
    lists::one_of(lists::agents(), of)
}

/// Writes the table.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<u8, Failure> {
    let wanted = |contract: &&Contract| {
        args.agents.is_empty() || args.agents.iter().any(|name| name == contract.name)
    };
    let contracts = CLIENTS.iter().map(|client| client.contract());
    let contracts: Vec<&Contract> = contracts.filter(wanted).collect();
    if args.json {
        let clients: Vec<Value> = contracts.into_iter().map(object).collect();
        writeln!(out, "{:#}", json!({"clients": clients}))?;
        return Ok(0);
    }
    let (mut names, mut events) = (0, 0);
    for contract in &contracts {
        names = names.max(contract.name.len());
        let longest = contract.rows.iter().map(|row| row.event.len()).max();
        events = events.max(longest.unwrap_or_default());
    }
    for contract in contracts {
        let mut name = contract.name;
        for row in contract.rows {
            let strength = row.strength.word();
            let line = format!("{name:names$}  {:events$}  {strength:8} {}", row.event, row.note);
            writeln!(out, "{}", line.trim_end())?;
            name = "";
        }
        writeln!(out, "{name:names$}  {}", standing(contract))?;
    }
    Ok(0)
}

fn standing(contract: &Contract) -> String {
    let title = contract.title;
    let seen = match contract.known {
        Known::Seen(version) => format!("seen with {title} {version}"),
        Known::Read => format!("{title}: from documents, not seen in a run"),
        Known::Ours => format!("{title}: as far as the program that calls does as it is told"),
    };
    format!("{seen}; hook fails: {}; late: {}", contract.failed.word(), contract.late.word())
}

fn object(contract: &Contract) -> Value {
    let event = |row: &crate::clients::contract::Row| {
        json!({
            "event": row.event,
            "strength": row.strength.word(),
            "can_refuse": row.strength >= Strength::Deny,
            "can_ask": row.strength == Strength::Ask,
            "note": row.note,
        })
    };
    let version = match contract.known {
        Known::Seen(version) => Some(version),
        Known::Read | Known::Ours => None,
    };
    json!({
        "name": contract.name,
        "title": contract.title,
        "verified_with": version,
        "when_the_hook_fails": contract.failed.word(),
        "when_it_is_late": contract.late.word(),
        "events": contract.rows.iter().map(event).collect::<Vec<_>>(),
    })
}
