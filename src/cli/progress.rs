//! How far a long piece of work has come, on standard error, when that is a terminal.

use std::io::{IsTerminal, Write};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// How long a check must take before anything is shown.
const QUIET: Duration = Duration::from_millis(500);

/// How often the line is written anew.
const PACE: Duration = Duration::from_millis(100);

/// A line that counts.
pub struct Progress {
    whole: u64,
    // How much makes one of what is shown, and what that is.
    unit: (u64, &'static str),
    state: Option<Mutex<State>>,
}

struct State {
    done: u64,
    shown: bool,
    due: Instant,
}

impl Progress {
    /// Begins to count files, up to `whole`.
    pub fn of(whole: usize) -> Self {
        Self::counting(whole as u64, (1, "files"))
    }

    /// Begins to count the bytes of a store, up to `whole`.
    pub fn of_store(whole: u64) -> Self {
        Self::counting(whole, (1 << 20, "MiB"))
    }

    fn counting(whole: u64, unit: (u64, &'static str)) -> Self {
        let terminal = std::io::stderr().is_terminal();
        let state = State { done: 0, shown: false, due: Instant::now() + QUIET };
        Self { whole, unit, state: terminal.then(|| Mutex::new(state)) }
    }

    /// Counts one more.
    pub fn step(&self) {
        self.step_by(1);
    }

    /// Counts so many more.
    pub fn step_by(&self, more: u64) {
        let Some(Ok(mut state)) = self.state.as_ref().map(Mutex::lock) else { return };
        state.done += more;
        let now = Instant::now();
        if now >= state.due {
            state.due = now + PACE;
            state.shown = true;
            let (size, unit) = self.unit;
            write(&format!("\rchecked {} of {} {unit}", state.done / size, self.whole / size));
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
