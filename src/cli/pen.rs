//! Holds the only pen: whatever happens to the work, exactly one answer is written, in one write,
//! as the last act.
//!
//! The work runs on a second thread with a roomy stack; the first waits for it, with a deadline.
//! A panic or a late answer is itself an answer. What a panic says is not repeated, only where it
//! was: its text may quote the file that is being judged.

use super::failure::Failure;
use std::io::{self, Write};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// The stack of the working thread, in bytes: room for the deepest parse there is.
const STACK: usize = 64 << 20;

/// Why there is no answer from the work.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stopped {
    /// It panicked, at this place in the source.
    #[error("solvi-hook met a bug of its own ({0}); please report it")]
    Bug(String),
    /// The deadline passed.
    #[error("it took longer than {} s", .0.as_secs_f64())]
    Late(Duration),
    /// No thread could be started.
    #[error("the work could not be started: {0}")]
    NotStarted(String),
}

/// Runs `work` on a thread of its own and returns what it made, unless it panics or takes longer
/// than `deadline`.
pub fn hold<T: Send + 'static>(
    deadline: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Stopped> {
    let (answer, answers) = mpsc::channel();
    let place = answer.clone();
    std::panic::set_hook(Box::new(move |panic| {
        let at = panic.location().map_or("unknown place".to_owned(), ToString::to_string);
        drop(place.send(Err(Stopped::Bug(at))));
    }));
    let started = thread::Builder::new().stack_size(STACK).spawn(move || {
        drop(answer.send(Ok(work())));
    });
    if let Err(error) = started {
        return Err(Stopped::NotStarted(error.to_string()));
    }
    match answers.recv_timeout(deadline) {
        Ok(answer) => answer,
        Err(RecvTimeoutError::Timeout) => Err(Stopped::Late(deadline)),
        Err(RecvTimeoutError::Disconnected) => Err(Stopped::Bug("no answer".to_owned())),
    }
}

/// Writes to standard output, in one go.
pub fn write_out(text: &[u8]) -> io::Result<()> {
    if text.is_empty() {
        return Ok(());
    }
    let mut out = io::stdout().lock();
    out.write_all(text)?;
    out.flush()
}

/// Writes to standard error; if even that fails there is nobody left to tell.
pub fn write_err(text: &str) {
    let mut err = io::stderr().lock();
    drop(err.write_all(text.as_bytes()).and_then(|()| err.flush()));
}

/// Tells a failure to a person and returns the exit status that goes with it.
pub fn write_failure(failure: &Failure) -> u8 {
    write_err(&format!("{failure}\n"));
    2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_late_answer_is_an_answer() {
        let late = hold(Duration::from_millis(1), || thread::sleep(Duration::from_secs(5)));
        assert_eq!(late, Err(Stopped::Late(Duration::from_millis(1))));
    }
}
