//! `forbid_calls`: Python calls that no added line may make. (to be written)

use super::{Check, Kind, Problem, Seen, Subject};

/// The kind.
pub const KIND: Kind = Kind {
    key: "forbid_calls",
    about: "Python calls (dotted names, with globs) that no added line may make",
    read,
};

struct ForbidCalls;

fn read(_names: &[String]) -> Result<Box<dyn Check>, Problem> {
    Ok(Box::new(ForbidCalls))
}

impl Check for ForbidCalls {
    fn look(&self, subject: &Subject<'_>) -> Seen {
        let _ = subject.module();
        Seen::default()
    }
}
