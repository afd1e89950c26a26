//! The person at the terminal: whether there is one, what they see and what they answer.

use super::world::World;
use crate::clients::CLIENTS;
use crate::domain::sanitize::{visible, without_number};
use crate::report::Style;
use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, IsTerminal, Write};

/// The variable by which agents of no particular name mark the programs that they run.
const ANY_AGENT: &str = "AI_AGENT";

/// Tells whether a coding agent runs us; nobody is asked then, because the agent would answer.
#[must_use]
pub fn agent(world: &World) -> bool {
    let known = CLIENTS.iter().flat_map(|client| client.marks_programs_by());
    known.chain([&ANY_AGENT]).any(|name| world.env(name).is_some())
}

/// Asks on the controlling terminal; `None` when there is none.
///
/// git hands its hooks no terminal on standard input, so the terminal is opened by its name.
#[must_use]
pub fn yes_or_no(question: &str) -> Option<bool> {
    let mut terminal = OpenOptions::new().read(true).write(true).open("/dev/tty").ok()?;
    terminal.write_all(question.as_bytes()).ok()?;
    terminal.flush().ok()?;
    let mut answer = String::new();
    BufReader::new(terminal).read_line(&mut answer).ok()?;
    Some(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}

/// Returns whether standard output gets colours: `NO_COLOR` switches them off, `CLICOLOR_FORCE` on.
/// Without either they are for terminals that can show them: not by `CLICOLOR=0` or `TERM=dumb`, and
/// on Unix not without `TERM`.
#[must_use]
pub fn style(world: &World) -> Style {
    let off = |name| world.env(name).is_some_and(|value| value == "0");
    let set = |name| world.env(name).is_some();
    let capable = || match world.env("TERM") {
        Some(term) => term != "dumb",
        None => cfg!(windows),
    };
    let forced = set("CLICOLOR_FORCE") && !off("CLICOLOR_FORCE");
    let shows = || !off("CLICOLOR") && std::io::stdout().is_terminal() && capable();
    if !set("NO_COLOR") && (forced || shows()) { Style::Coloured } else { Style::Plain }
}

/// Writes to standard error; if that fails there is nobody to tell.
pub fn write_err(text: &str) {
    super::pen::write_err(text);
}

/// Writes a note to standard error, on one line whatever it quotes.
pub fn write_note(note: &str) {
    write_err(&format!("note: {}\n", visible(&without_number(note))));
}
