//! Writes the one answer of a run: whatever happens to the work, exactly one answer is written, in
//! one write, as the last act.
//!
//! The work runs on the first thread, on a stack with room for the deepest parse. A hook's work has
//! a deadline: a second thread watches it, and when it passes, that thread writes the answer and
//! ends the process. A panic is an answer too. What a panic says is not repeated, only where it
//! was: its text may quote the file that is being checked.

use super::failure::Failure;
use crate::domain::sanitize;
use std::cell::Cell;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// The stack of the work, in bytes: room for the deepest parse there is.
const STACK: usize = 64 << 20;

/// The stack of the thread that watches the deadline, in bytes: it writes one short answer.
const WATCHING_STACK: usize = 256 << 10;

/// Why there is no answer from the work.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stopped {
    /// It panicked, at this place in the source.
    #[error("solvi-hook met a bug of its own ({0}); please report it")]
    Bug(String),
    /// The deadline passed.
    #[error("it took longer than {} s", .0.as_secs_f64())]
    Late(Duration),
    /// There was no memory for its stack, or no thread to watch the deadline.
    #[error("the work could not be started: {0}")]
    NotStarted(String),
}

/// Runs `work` and returns what it made, unless it panics or takes longer than `deadline`.
///
/// Work cannot be stopped from outside. When the deadline passes, `late` is called on the watching
/// thread: it writes an answer and ends the process. Where it returns, as in a test, the work is
/// waited for, and what it made is thrown away.
pub fn hold<T>(
    deadline: Duration,
    late: impl FnOnce(Stopped) + Send + 'static,
    work: impl FnOnce() -> T,
) -> Result<T, Stopped> {
    let (done, ended) = mpsc::channel::<()>();
    let answered = Arc::new(AtomicBool::new(false));
    let taken = Arc::clone(&answered);
    let watcher = thread::Builder::new().stack_size(WATCHING_STACK).spawn(move || {
        let passed = ended.recv_timeout(deadline) == Err(RecvTimeoutError::Timeout);
        if passed && !taken.swap(true, Ordering::SeqCst) {
            late(Stopped::Late(deadline));
        }
    });
    let watcher = watcher.map_err(|error| Stopped::NotStarted(error.to_string()))?;
    let made = hold_without_deadline(work);
    if answered.swap(true, Ordering::SeqCst) {
        drop(watcher.join());
        return Err(Stopped::Late(deadline));
    }
    drop(done);
    made
}

/// Runs `work` for which there is no deadline, and returns what it made, unless it panics.
pub fn hold_without_deadline<T>(work: impl FnOnce() -> T) -> Result<T, Stopped> {
    let bug = Arc::new(Mutex::new(None));
    tell_panics(Arc::clone(&bug));
    let begun = Cell::new(false);
    let work = || {
        begun.set(true);
        work()
    };
    let run = catch_unwind(AssertUnwindSafe(|| stacker::grow(STACK, work)));
    run.map_err(|_| {
        if !begun.get() {
            return Stopped::NotStarted("there is no memory for its stack".to_owned());
        }
        let place = bug.lock().unwrap_or_else(PoisonError::into_inner).take();
        Stopped::Bug(place.unwrap_or_else(|| "unknown place".to_owned()))
    })
}

/// Keeps the place of this thread's first panic; panics of other threads are told as before.
fn tell_panics(place: Arc<Mutex<Option<String>>>) {
    let others = std::panic::take_hook();
    let here = thread::current().id();
    std::panic::set_hook(Box::new(move |panic| {
        if thread::current().id() != here {
            return others(panic);
        }
        let at = panic.location().map_or("unknown place".to_owned(), ToString::to_string);
        place.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(at);
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
        let late = |stopped| panic!("{stopped}");
        let stopped =
            hold(Duration::from_mins(1), late, || assert!(String::new() == "secret", "secret"));
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
    fn work_in_time_is_never_called_late() {
        let (told, tellings) = mpsc::channel();
        let made = hold(Duration::from_mins(1), move |stopped| drop(told.send(stopped)), || 7);
        assert_eq!(made, Ok(7));
        assert!(tellings.recv().is_err(), "the watching thread ends without a word");
    }

    #[test]
    fn a_late_answer_is_given_while_the_work_goes_on() {
        let (told, tellings) = mpsc::channel();
        let late = Stopped::Late(Duration::from_millis(1));
        let made = hold(
            Duration::from_millis(1),
            move |stopped| drop(told.send(stopped)),
            // It ends only when the answer is there.
            || tellings.recv(),
        );
        assert_eq!(made, Err(late));
    }
}
