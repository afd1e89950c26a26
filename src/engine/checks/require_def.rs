//! `require_def`: Python functions that the file must define, with a body. (to be written)

use super::{Check, Kind, Problem, Seen, Subject};

/// The kind.
pub const KIND: Kind = Kind {
    key: "require_def",
    about: "Python functions that the file after the edit must define, with a body",
    read,
};

struct RequireDef;

fn read(_names: &[String]) -> Result<Box<dyn Check>, Problem> {
    Ok(Box::new(RequireDef))
}

impl Check for RequireDef {
    fn look(&self, subject: &Subject<'_>) -> Seen {
        let _ = subject.module();
        Seen::default()
    }
}
