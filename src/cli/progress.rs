//! How far a long check has come, on standard error, when that is a terminal.

use std::io::{IsTerminal, Write};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// How long a check must take before anything is shown.
const QUIET: Duration = Duration::from_millis(500);

/// How often the line is written anew.
const PACE: Duration = Duration::from_millis(100);

/// A line that counts files.
pub struct Progress {
    whole: usize,
    state: Option<Mutex<State>>,
}

struct State {
    done: usize,
    shown: bool,
    due: Instant,
}

impl Progress {
    /// Begins to count up to `whole`.
    pub fn of(whole: usize) -> Self {
        let terminal = std::io::stderr().is_terminal();
        let state = State { done: 0, shown: false, due: Instant::now() + QUIET };
        Self { whole, state: terminal.then(|| Mutex::new(state)) }
    }

    /// Counts one more.
    pub fn step(&self) {
        let Some(Ok(mut state)) = self.state.as_ref().map(Mutex::lock) else { return };
        state.done += 1;
        let now = Instant::now();
        if now >= state.due {
            state.due = now + PACE;
            state.shown = true;
            write(&format!("\rchecked {} of {} files", state.done, self.whole));
        }
    }

    /// Takes the line away.
    pub fn end(&self) {
        if let Some(Ok(state)) = self.state.as_ref().map(Mutex::lock)
            && state.shown
        {
            write("\r\u{1b}[K");
        }
    }
}

fn write(text: &str) {
    let mut err = std::io::stderr().lock();
    drop(err.write_all(text.as_bytes()).and_then(|()| err.flush()));
}
