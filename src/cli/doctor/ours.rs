//! Which entries and hook scripts `doctor` may start: those that are byte for byte what `install`
//! writes for a program outside the project. Whatever else a clone brings is named, and not run.

use crate::cli::install::quoted;
use crate::clients::pi;
use crate::clients::wiring::{Form, Plan, Wiring};
use crate::git::search_path::{first, program, real};
use crate::git::shims::{Hook, programs};
use crate::store::digests;
use std::path::{Path, PathBuf};

/// The bare name of our program.
const NAME: &str = "solvi-hook";

/// Returns why a command is not one of the entries that `install` writes for an agent; nothing when
/// it is.
pub fn not_an_entry(command: &str, wiring: &Wiring, project: &Path) -> Option<String> {
    let plan = Plan::behind(command, wiring.name).filter(|plan| {
        let rules = plan.rules.as_deref().is_none_or(|rules| word(rules).is_some());
        rules && (wiring.entries)(plan).iter().any(|entry| entry.command == command)
    });
    match plan {
        None => Some("it is not what `install` writes".to_owned()),
        Some(plan) => not_a_program(&plan.program, project),
    }
}

/// Returns why a text is not the extension that `install` writes; nothing when it is.
pub fn not_an_extension(text: &str, wiring: &Wiring, project: &Path) -> Option<String> {
    let Form::Extension(template) = wiring.form else { return None };
    let filled = pi::filled(text)
        .filter(|(program, digest, args)| pi::extension(template, program, digest, args) == text)
        .filter(|(.., arguments)| {
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            match arguments.as_slice() {
                ["hook", "--agent", name] | ["hook", "--agent", name, "--rules", _] => {
                    *name == wiring.name
                }
                _ => false,
            }
        });
    match filled {
        None => Some("it is not what `install` writes".to_owned()),
        Some((program, digest, _)) if digest.is_empty() && program == NAME => {
            not_a_program(NAME, project)
        }
        Some((_, digest, _)) if digest.is_empty() => Some("it has no digest".to_owned()),
        Some((program, ..)) => in_project(Path::new(&program), project),
    }
}

/// Returns the name by which an extension stands in the record of what was installed.
pub fn recorded(text: &str) -> String {
    format!("sha256:{}", digests::of_text(text))
}

/// Returns why a script is not one that `install --git` writes; nothing when it is.
pub fn not_a_script(script: &str, hook: &Hook, project: &Path) -> Option<String> {
    let named = programs(script).unwrap_or_default();
    let own = match named.strip_suffix(" solvi-hook") {
        Some(own) if script == hook.shim(Some(own)) => Some(own),
        None if script == hook.shim(None) => None,
        _ => return Some("it is not what `install --git` writes".to_owned()),
    };
    match own {
        // What it names first is tried first, and may be gone.
        Some(own) => match word(own) {
            Some(path) if path.is_absolute() => in_project(&path, project),
            _ => Some(format!("{own} is not the path of a program")),
        },
        None => not_a_program(NAME, project),
    }
}

/// Returns why a program, as a shell reads it, is not one outside the project.
fn not_a_program(written: &str, project: &Path) -> Option<String> {
    if written == NAME {
        let trusted = program(NAME, Some(project));
        return match (first(NAME, project), trusted) {
            (None, _) => None,
            (Some(found), Some(trusted)) if found == trusted => None,
            (Some(found), _) => {
                Some(format!("`{NAME}` on PATH is {}, which the project chooses", found.display()))
            }
        };
    }
    match word(written) {
        Some(path) if path.is_absolute() => in_project(&path, project),
        _ => Some("its program is not named by a whole path".to_owned()),
    }
}

fn in_project(program: &Path, project: &Path) -> Option<String> {
    let inside = !program.is_absolute()
        || program.starts_with(project)
        || real(program).starts_with(real(project));
    inside.then(|| format!("`{}` is in the project", program.display()))
}

/// Returns the path that a single word of a shell names, when it is written as `install` writes it.
fn word(written: &str) -> Option<PathBuf> {
    let words = shlex::split(written)?;
    let [word] = words.as_slice() else { return None };
    let path = PathBuf::from(word);
    (quoted(&path).ok()? == written).then_some(path)
}
