//! A program that is run for so long and no longer, in a process group of its own.

use std::fmt;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

/// What came of a run.
pub struct Ran {
    /// Its exit status; none when it was ended.
    pub status: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    pub took: Duration,
    /// Whether it had to be ended.
    pub late: bool,
}

impl Ran {
    /// Tells whether it ended by itself and well.
    pub fn is_well(&self) -> bool {
        self.status == Some(0) && !self.late
    }
}

/// The end of what it wrote is what a person wants to read when a test fails.
impl fmt::Display for Ran {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fate = if self.late { "was ended: it took too long" } else { "ended" };
        writeln!(f, "It {fate} after {:.1?} with status {:?}.", self.took, self.status)?;
        writeln!(f, "--- stdout\n{}", tail(&self.stdout))?;
        write!(f, "--- stderr\n{}", tail(&self.stderr))
    }
}

fn tail(text: &str) -> String {
    const SHOWN: usize = 6000;
    let letters = text.chars().count();
    text.chars().skip(letters.saturating_sub(SHOWN)).collect()
}

/// Runs a command; whatever of its group is left at the end is ended too.
pub fn run(command: &mut Command, limit: Duration) -> Result<Ran, std::io::Error> {
    let started = Instant::now();
    command.process_group(0).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let stdout = reader(child.stdout.take().unwrap());
    let stderr = reader(child.stderr.take().unwrap());
    let first = stdout.recv_timeout(limit);
    let second = stderr.recv_timeout(limit.saturating_sub(started.elapsed()));
    let late = first.is_err() || second.is_err();
    end(&child);
    let text = |got: Result<String, _>, pipe: &Receiver<String>| {
        got.or_else(|_| pipe.recv()).unwrap_or_default()
    };
    let (stdout, stderr) = (text(first, &stdout), text(second, &stderr));
    let status = child.wait()?.code();
    Ok(Ran { status, stdout, stderr, took: started.elapsed(), late })
}

fn reader(mut pipe: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        drop(pipe.read_to_end(&mut bytes));
        drop(sender.send(String::from_utf8_lossy(&bytes).into_owned()));
    });
    receiver
}

/// Ends a child's group. One that has closed its output and is about to exit keeps its status:
/// it is asked last.
fn end(child: &Child) {
    let group = format!("-{}", child.id());
    let mut kill = Command::new("kill");
    drop(kill.args(["-KILL", "--", &group]).stdout(Stdio::null()).stderr(Stdio::null()).status());
}
