//! Holds the only pen: whatever happens to the work, exactly one answer is written, in one write,
//! as the last act.
//!
//! The work of a hook runs on a second thread with a roomy stack; the first waits for it, with a
//! deadline. Work for which nobody waits runs on the first, with a stack as roomy. A panic or a
//! late answer is itself an answer. What a panic says is not repeated, only where it was: its text
//! may quote the file that is being judged.

use super::failure::Failure;
use crate::domain::sanitize;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// The stack of the working thread, in bytes: room for the deepest parse there is.
const STACK: usize = 64 << 20;

/// The working thread's name.
const WORKER: &str = "work";

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
    let panics = answer.clone();
    tell_panics(Some(WORKER.to_owned()), move |bug| drop(panics.send(Err(bug))));
    let worker = thread::Builder::new().name(WORKER.to_owned()).stack_size(STACK);
    let started = worker.spawn(move || drop(answer.send(Ok(work()))));
    if let Err(error) = started {
        return Err(Stopped::NotStarted(error.to_string()));
    }
    match answers.recv_timeout(deadline) {
        Ok(answer) => answer,
        Err(RecvTimeoutError::Timeout) => Err(Stopped::Late(deadline)),
        Err(RecvTimeoutError::Disconnected) => Err(Stopped::Bug("no answer".to_owned())),
    }
}

/// Runs `work` for which there is no deadline, and returns what it made, unless it panics.
///
/// A thread has memory of its own, which the system has to hand out and take back: 0.2 of the 3.5
/// ms of a small commit's check.
pub fn hold_without_deadline<T>(work: impl FnOnce() -> T) -> Result<T, Stopped> {
    let bug = Arc::new(Mutex::new(None));
    let panics = Arc::clone(&bug);
    let here = thread::current().name().map(str::to_owned);
    tell_panics(here, move |bug| {
        if let Ok(mut first) = panics.lock() {
            first.get_or_insert(bug);
        }
    });
    let run = catch_unwind(AssertUnwindSafe(|| stacker::grow(STACK, work)));
    run.map_err(|_| {
        let bug = bug.lock().ok().and_then(|mut bug| bug.take());
        bug.unwrap_or_else(|| Stopped::Bug("unknown place".to_owned()))
    })
}

/// Has it told where a thread of this name panicked; panics of other threads are told as before.
fn tell_panics(name: Option<String>, tell: impl Fn(Stopped) + Send + Sync + 'static) {
    let others = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if thread::current().name() != name.as_deref() {
            return others(panic);
        }
        let at = panic.location().map_or("unknown place".to_owned(), ToString::to_string);
        tell(Stopped::Bug(at));
    }));
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

/// Returns standard output for what is too long to be held before it is written.
#[must_use]
pub fn stream() -> impl Write {
    io::BufWriter::with_capacity(64 << 10, io::stdout().lock())
}

/// Writes to standard error; if even that fails there is nobody left to tell. Whatever was quoted
/// is made visible, so that it can neither move a cursor nor hide.
pub fn write_err(text: &str) {
    let text = sanitize::lines(text);
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
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn a_panic_is_an_answer_that_names_the_place_and_not_the_text() {
        let stopped = hold(Duration::from_mins(1), || assert!(String::new() == "secret", "secret"));
        let told = stopped.unwrap_err().to_string();
        assert!(told.contains("src/cli/pen.rs:") && !told.contains("secret"), "{told}");
    }

    #[test]
    fn a_panic_of_work_without_a_deadline_is_told_alike() {
        let stopped = hold_without_deadline(|| assert!(String::new() == "secret", "secret"));
        let told = stopped.unwrap_err().to_string();
        assert!(told.contains("src/cli/pen.rs:") && !told.contains("secret"), "{told}");
    }

    #[test]
    fn work_without_a_deadline_has_a_roomy_stack() {
        fn deep(left: usize) -> usize {
            let frame = std::hint::black_box([left; 128]);
            if left == 0 { 0 } else { deep(left - 1) + usize::from(frame[0] == left) }
        }
        assert_eq!(hold_without_deadline(|| deep(30_000)), Ok(30_000));
    }

    #[test]
    fn a_late_answer_is_an_answer() {
        let late = hold(Duration::from_millis(1), || thread::sleep(Duration::from_secs(5)));
        assert_eq!(late, Err(Stopped::Late(Duration::from_millis(1))));
    }
}
