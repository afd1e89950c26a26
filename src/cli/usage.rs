//! A command line that cannot be understood, and the help that was asked for.
//!
//! Outside hooks a usage error goes to standard error with status 2. From a hook, status 2 would
//! read as "refuse every call", and any other text as consent: so a hook answers in the client's
//! own words, with status 0.

use super::world::World;
use super::{hook, pen};
use crate::clients::{self, Client};
use crate::domain::sanitize;
use clap::error::ErrorKind;
use std::borrow::Cow;
use std::ffi::OsString;

/// The sub-commands that clients call, of this version and of others that an installed command
/// may have been written by.
const HOOKS: &[&str] =
    &["hook", "pre-edit", "pre-command", "post-command", "post-write", "pick-skill"];

/// Answers a command line that clap did not take.
pub fn answer(error: &clap::Error, args: &[OsString], world: &World) -> u8 {
    let mut text = error.render().to_string();
    // Arguments are quoted as they are; a line end in one is no line end of ours.
    for arg in args.iter().map(|arg| arg.to_string_lossy()) {
        let values = arg.split_once('=').map(|(_, value)| value);
        for quoted in [Some(&*arg), values].into_iter().flatten() {
            if let Cow::Owned(shown) = sanitize::visible(quoted) {
                text = text.replace(quoted, &shown);
            }
        }
    }
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        return u8::from(pen::write_out(text.as_bytes()).is_err());
    }
    let hook = args.get(1).and_then(|arg| arg.to_str()).is_some_and(|arg| HOOKS.contains(&arg));
    if !hook {
        pen::write_err(&text);
        return 2;
    }
    // How the line should look says nothing to an agent; what is wrong in it comes first.
    let said = text.lines().map(str::trim).take_while(|line| !line.starts_with("Usage: "));
    let said = said.filter(|line| !line.is_empty() && !line.starts_with("For more information"));
    let said = said.map(sanitize::visible).collect::<Vec<_>>().join("; ");
    let said = said.strip_prefix("error: ").unwrap_or(&said);
    let trouble = format!(
        "the command line of the installed hook is wrong: {said}; run `solvi-hook \
         install` again"
    );
    hook::answer_misled(agent(args), &trouble, world)
}

/// Returns the client that the raw arguments name.
fn agent(args: &[OsString]) -> Option<&'static dyn Client> {
    let args: Vec<&str> = args.iter().filter_map(|arg| arg.to_str()).collect();
    let named = args.iter().enumerate().find_map(|(at, arg)| match arg.strip_prefix("--agent") {
        Some("") => args.get(at + 1).copied(),
        Some(rest) => rest.strip_prefix('='),
        None => None,
    });
    named.and_then(clients::by_name)
}
