//! Starts a command as an agent would: by a shell, in the project, with a payload. The caller has
//! made sure that the command is ours; no program is taken from the project.

use crate::git::search_path;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// How long a command may take: as long as the agent would wait for it.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long is slept between two looks at a running command.
const NAP: Duration = Duration::from_millis(5);

/// What a command said.
#[derive(Debug)]
pub struct Said {
    /// Whether it exited with 0.
    pub well: bool,
    /// Standard output.
    pub reply: String,
    /// The first line of standard error, or how the command ended.
    pub trouble: String,
}

/// Runs a command with a payload on standard input; the error says why it did not run.
pub fn run(command: &str, project: &Path, payload: &str) -> Result<Said, String> {
    let shell = search_path::program("sh", Some(project))
        .ok_or("no shell is in a folder of $PATH outside the project")?;
    let mut child = Command::new(shell)
        .args(["-c", command])
        .env("PATH", search_path::trusted(project))
        .current_dir(project)
        .env("CLAUDE_PROJECT_DIR", project)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("no shell could be started: {error}"))?;
    if let Some(mut stdin) = child.stdin.take() {
        let payload = payload.to_owned();
        // Whoever does not read its input to the end has its reasons.
        thread::spawn(move || drop(stdin.write_all(payload.as_bytes())));
    }
    let (reply, error) = (all(child.stdout.take()), all(child.stderr.take()));
    let deadline = Instant::now() + PATIENCE;
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if Instant::now() < deadline => thread::sleep(NAP),
            Ok(None) => {
                drop(child.kill());
                drop(child.wait());
                return Err(format!("it took longer than {} s", PATIENCE.as_secs()));
            }
            Err(error) => return Err(error.to_string()),
        }
    };
    // What the command left running may keep its output open.
    let text = |pipe: mpsc::Receiver<Vec<u8>>| {
        let left = deadline.saturating_duration_since(Instant::now());
        let bytes = pipe.recv_timeout(left).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let (reply, error) = (text(reply), text(error));
    let line = error.lines().find(|line| !line.trim().is_empty());
    let trouble = line.map_or_else(|| status.to_string(), |line| line.trim().to_owned());
    Ok(Said { well: status.success(), reply, trouble })
}

/// Reads a pipe to its end, on a thread of its own.
fn all(pipe: Option<impl Read + Send + 'static>) -> mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            drop(pipe.read_to_end(&mut bytes));
        }
        drop(sender.send(bytes));
    });
    receiver
}

/// Returns what a command says its version is, when it is another than this program's.
pub fn other_version(command: &str, project: &Path) -> Option<String> {
    let said = run(command, project, "").ok().filter(|said| said.well)?;
    let version = said.reply.trim().strip_prefix("solvi-hook ")?.to_owned();
    (version != env!("CARGO_PKG_VERSION")).then_some(version)
}
